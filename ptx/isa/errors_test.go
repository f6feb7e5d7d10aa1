package isa

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		opcode   string
		kind     ErrorKind
		modifier string // the offending one
		says     string // part of the sentence
		section  string
	}{
		// 9.7.1: what belongs to floating point
		{"add.ftz.s32", BadModifier, ".ftz", "`.ftz` is not allowed on `add.s32`; it belongs to `add.f32`", "9.7.1.1"},
		{"add.rn.u32", BadModifier, ".rn", "it belongs to `add.f32`", "9.7.1.1"},
		{"add.sat.u64", BadModifier, ".sat", "it belongs to `add.sat.s32`", "9.7.1.1"},
		{"sub.u16x2", BadModifier, ".u16x2", "did you mean", "9.7.1.2"},
		{"mul.s32", MissingModifier, "", "`.lo`, `.hi` or `.wide`", "9.7.1.3"},
		{"mul.wide.s64", BadModifier, ".s64", ".wide takes 16-bit and 32-bit types only", "9.7.1.3"},
		{"mad.u32", MissingModifier, "", ".lo, .hi or .wide", "9.7.1.4"},
		{"abs.u32", BadModifier, ".u32", "only signed integers", "9.7.1.11"},
		{"bfe.b32", BadModifier, ".b32", "the type says how to extend", "9.7.1.20"}, // the manual's own slip
		{"addc.cc.u16", BadModifier, ".u16", "", "9.7.2.2"},
		// 9.7.8.1: comparisons that a type does not have (9.3.1.1, 9.3.1.2)
		{"set.lt.f16.b16", BadModifier, ".lt", "bit-size types compare only with .eq and .ne", "9.7.8.1"},
		{"set.equ.f16.u32", BadModifier, ".equ", "integers compare with", "9.7.8.1"},
		// 9.7.3
		{"add.ftz.f64", BadModifier, ".ftz", "it belongs to `add.f32`", "9.7.3.3"},
		{"add.sat.f64", BadModifier, ".sat", "it belongs to `add.sat.s32`, `add.sat.u32` and `add.f32`", "9.7.3.3"},
		{"fma.f32", MissingModifier, "", "fma needs a rounding modifier", "9.7.3.6"},
		{"fma.rn.rz.f32", Conflict, ".rz", "`.rn` and `.rz` exclude each other", "9.7.3.6"},
		{"add.ftz.ftz.f32", Conflict, ".ftz", "`.ftz` is given twice", "9.7.3.3"},
		{"div.approx.f64", BadModifier, ".f64", "allowed: `.f32`", "9.7.3.8"},
		{"rcp.approx.f64", MissingModifier, "", "only with .ftz", "9.7.3.14"},
		{"sqrt.rn.ftz.f64", BadModifier, ".ftz", "it belongs to", "9.7.3.15"},
		{"min.xorsign.f32", MissingModifier, "", "`.abs`", "9.7.3.11"},
		{"add.rz.f16", BadModifier, ".rz", "half precision rounds to nearest only", "9.7.4.1"},
		{"ex2.approx.bf16", MissingModifier, "", "`.ftz`", "9.7.4.10"},
		// 9.7.7: comparisons by type
		{"setp.lo.s32", BadModifier, ".lo", "", "9.7.7.2"},
		{"setp.lo.f32", BadModifier, ".lo", "floats compare with", "9.7.7.2"},
		{"setp.gtu.u32", BadModifier, ".gtu", "unsigned integers compare with", "9.7.7.2"},
		{"setp.lt.b32", BadModifier, ".lt", "only with .eq and .ne", "9.7.7.2"},
		{"setp.eq.ftz.f64", BadModifier, ".ftz", "it belongs to `setp.f32`", "9.7.7.2"},
		{"setp.f32", MissingModifier, "", "`.eq`", "9.7.7.2"},
		// 9.7.9: bit-size types
		{"and.u32", BadModifier, ".u32", "did you mean `.b32`?", "9.7.9.1"},
		{"xor.s64", BadModifier, ".s64", "did you mean `.b64`?", "9.7.9.3"},
		{"shl.u32", BadModifier, ".u32", "did you mean `.b32`?", "9.7.9.8"},
		{"not.f32", BadModifier, ".f32", "did you mean `.b32`?", "9.7.9.4"},
		// 9.7.10: memory
		{"ld.global.f16", BadModifier, ".f16", "did you mean `.b16`?", "9.7.10.8"},
		{"st.shared.f16x2", BadModifier, ".f16x2", "did you mean `.b32`?", "9.7.10.11"},
		{"ld.globl.f32", BadModifier, ".globl", "did you mean `.global`?", "9.7.10.8"},
		{"ld.global.v3.f32", BadModifier, ".v3", "did you mean `.v", "9.7.10.8"},
		{"cp.async.bulk.global.shared::cta.mbarrier::complete_tx::bytes", BadModifier, ".shared::cta",
			"in the order of the operands", "9.7.10.28.4.1"},
		{"st.const.u32", BadModifier, ".const", "", "9.7.10.11"},
		{"ld.relaxed.global.u32", MissingModifier, "", "need a scope", "9.7.10.8"},
		{"ld.shared.v4.f64", BadModifier, ".shared", "256 bits reach global memory only", "9.7.10.8"},
		{"ld.shared.global.u32", Conflict, ".global", "`.shared` and `.global` exclude each other", "9.7.10.8"},
		{"mov.f16", BadModifier, ".f16", "did you mean `.b16`?", "9.7.10.3"},
		{"cvta.u64", MissingModifier, "", "`.global`", "9.7.10.23"},
		// 9.7.10.8, 9.7.15.5: hints are for global memory
		{"ld.shared.L2::cache_hint.u32", BadModifier, ".shared", "for global memory only", "9.7.10.8"},
		{"atom.shared.add.L2::cache_hint.u32", BadModifier, ".shared", "for global memory only", "9.7.15.5"},
		{"ld.global.L2::evict_last.u32", MissingModifier, "", "`.v8`", "9.7.10.8"},
		// 9.7.10.12, 9.7.10.15, 9.7.10.21
		{"st.async.mmio.release.gpu.u32", BadModifier, ".gpu", ".mmio goes with .sys", "9.7.10.12"},
		{"multimem.ld_reduce.add.f16", MissingModifier, "", "`.v2`, `.v4` or `.v8`", "9.7.10.15"},
		{"multimem.red.add.s64", BadModifier, ".s64", "", "9.7.10.15"},
		{"createpolicy.fractional.L2::evict_first.L2::evict_last.b64", BadModifier, ".L2::evict_last", "not allowed",
			"9.7.10.21"},
		// 9.7.10.24: rounding of conversions
		{"cvt.rn.f32.f16", BadModifier, ".rn", "widening is exact: no rounding modifier", "9.7.10.24"},
		{"cvt.f16.f32", MissingModifier, "", "narrowing rounds: a rounding modifier is needed", "9.7.10.24"},
		{"cvt.f32.s32", MissingModifier, "", "needs a rounding modifier, even when exact", "9.7.10.24"},
		{"cvt.s32.f32", MissingModifier, "", "needs an integer rounding modifier", "9.7.10.24"},
		{"cvt.rn.s32.f32", BadModifier, ".rn", "needs an integer rounding modifier", "9.7.10.24"},
		{"cvt.rzi.f32.s32", BadModifier, ".rzi", "", "9.7.10.24"},
		{"cvt.rn.u64.u32", BadModifier, ".rn", "nothing rounds", "9.7.10.24"},
		{"cvt.rn.f32.f32", BadModifier, ".rn", "only rounding to an integer", "9.7.10.24"},
		{"cvt.sat.s32.u8", BadModifier, ".sat", "may not fit", "9.7.10.24"},
		{"cvt.rn.ftz.f64.s32", BadModifier, ".ftz", "", "9.7.10.24"},
		// 9.7.10.28.5: dimensions of load modes
		{"cp.async.bulk.tensor.2d.shared::cta.global.im2col.mbarrier::complete_tx::bytes", BadModifier, ".2d",
			"allowed: `.3d`, `.4d` and `.5d` (im2col needs .3d, .4d or .5d", "9.7.10.28.5.3"},
		{"cp.async.bulk.tensor.3d.global.shared::cta.tile::scatter4.bulk_group", BadModifier, ".3d",
			"scatter4 need .2d", "9.7.10.28.5.3"},
		{"cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.im2col_no_offs.bulk_group", BadModifier, ".1d",
			"im2col needs", "9.7.10.28.5.4"},
		{"cp.async.bulk.prefetch.tensor.5d.L2.global.tile::gather4", BadModifier, ".5d", "gather4", "9.7.10.28.5.5"},
		// 9.7.14, 9.7.15
		{"ld.shared.v4.b128", BadModifier, ".b128", "at most 128 bits", "9.7.10.8"},
		{"bra.sync", BadModifier, ".sync", "", "9.7.14.3"},
		{"bar", MissingModifier, "", "`.sync`", "9.7.15.1"},
		{"shfl.sync.b32", MissingModifier, "", "`.up`", "9.7.10.6"},
		{"shfl.sync.down.u32", BadModifier, ".u32", "did you mean `.b32`?", "9.7.10.6"},
		{"atom.global.and.u32", BadModifier, ".u32", "bitwise atomics take bit-size types", "9.7.15.5"},
		{"atom.global.inc.s32", BadModifier, ".s32", ".u32 only", "9.7.15.5"},
		{"atom.global.add.f16", MissingModifier, "", "`.noftz`", "9.7.15.5"},
		{"red.global.cas.b32", BadModifier, ".cas", "", "9.7.15.6"},
		{"redux.sync.xor.s32", BadModifier, ".s32", "take .b32", "9.7.15.13"}, // the manual's own slip
		{"membar.gpu", BadModifier, ".gpu", "`.cta`, `.gl` and `.sys`", "9.7.15.4"},
		{"mma.sync.aligned.m16n8k16.col.row.f32.f16.f16.f32", BadModifier, ".row", ".row.col only", "9.7.16.5.14"},
		{"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f32", BadModifier, ".f32", "C of .f32 needs D of .f32", "9.7.16.5.14"},
		{"wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.u8.s32", BadModifier, ".u8", "A and B have one type",
			"9.7.16.4.5"},
		{"addd.s32", UnknownMnemonic, "", "did you mean `add`?", ""},
		{"stpe.lt.s32", UnknownMnemonic, "", "`stpe` is not a PTX instruction", ""},
		{"frobnicate", UnknownMnemonic, "", "`frobnicate` is not a PTX instruction", ""},
	} {
		_, err := Resolve(c.opcode)
		var e *OpcodeError
		if !assertAs(t, err, &e, c.opcode) {
			continue
		}
		msg := e.Error()
		t.Logf("%-45s %s", c.opcode, msg)
		if e.Kind != c.kind || e.Modifier != c.modifier || e.Section != c.section {
			t.Errorf("%s: kind %d modifier %q section %s", c.opcode, e.Kind, e.Modifier, e.Section)
		}
		assert.Contains(t, msg, c.says, c.opcode)
		if e.Modifier != "" {
			require.Equal(t, e.Modifier, c.opcode[e.Offset:e.Offset+e.Length])
		}
	}
}

// TestSuccessors: 9.7.3.8 names the three successors of div.f32, and its meaning up to PTX ISA 1.3; 9.7.3.13 does so
// for rcp.
func TestSuccessors(t *testing.T) {
	for _, c := range []struct{ opcode, heirs, today string }{
		{"div.f32", "div.approx.f32 div.full.f32 div.rn.f32", "div.approx.ftz.f32"},
		{"rcp.f64", "rcp.rn.f64", "rcp.rn.f64"},
		{"mad.ftz.f32", "mad.rn.ftz.f32", "mad.rn.ftz.f32"},
		{"vote.ballot.b32", "vote.sync.ballot.b32", ""},
		{"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite", "", ""}, // it has no successor
	} {
		require.Equal(t, strings.Fields(c.heirs), append([]string{}, Successors(c.opcode)...), c.opcode)
		bound, err := Resolve(c.opcode)
		require.NoError(t, err, c.opcode)
		require.Equal(t, c.today, bound[0].Today(), c.opcode)
	}
}

func assertAs(t *testing.T, err error, e **OpcodeError, opcode string) bool {
	t.Helper()
	if oe, ok := err.(*OpcodeError); ok {
		*e = oe
		return true
	}
	t.Errorf("%s is accepted", opcode)
	return false
}

func TestNearest(t *testing.T) {
	require.Equal(t, 0, distance("abc", "aBc", 9))
	require.Equal(t, 2, distance("stpe", "setp", 9)) // two steps
	require.Equal(t, 1, distance("sept", "setp", 9)) // neighbours swapped
	require.Equal(t, 3, distance("", "abc", 9))
	require.Equal(t, 2, distance("abcdef", "uvwxyz", 1), "more than the limit")
	require.Equal(t, "", nearest("frobnicate", []string{"add", "sub"}))
	require.Equal(t, ".global", nearest(".globl", []string{".local", ".global"}))
}
