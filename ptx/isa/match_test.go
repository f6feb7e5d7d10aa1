package isa

import (
	"errors"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// notInManual are opcodes of the list that PTX ISA 9.4 does not have.
var notInManual = map[string]string{
	"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cta.b64": ".shared::cta", // 9.7.18.12.1: .shared::cluster
	"wgmma.mma_async.sync.aligned.m64n256k16.f32.e4m3.e4m3":             ".m64n256k16",  // 9.7.17.2: 8-bit types have k32
}

// TestCommonOpcodes resolves the opcodes that real modules use most, and the modern ones that appear in them.
func TestCommonOpcodes(t *testing.T) {
	text, err := os.ReadFile("testdata/opcodes.txt")
	require.NoError(t, err)
	opcodes := strings.Fields(string(text))
	require.Greater(t, len(opcodes), 480)
	for _, opcode := range opcodes {
		_, err := Resolve(opcode)
		if mod := notInManual[opcode]; mod != "" {
			var e *OpcodeError
			require.ErrorAs(t, err, &e)
			require.Equal(t, mod, e.Modifier)
			continue
		}
		require.NoError(t, err, opcode)
	}
}

// TestAnyOrder shuffles the modifiers of every example: types and layouts keep their order, the rest is a set.
func TestAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, f := range Forms() {
		if len(firstWords(f)) == 0 {
			continue
		}
		opcode := strings.TrimSuffix(strings.Fields(f.Example)[0], ";")
		want, err := Resolve(opcode)
		require.NoError(t, err)
		mnemonic, mods := splitOpcode(opcode)
		order := random.Perm(len(mods))
		var ordered [numOrders][]string
		for _, m := range mods {
			ordered[m.order] = append(ordered[m.order], m.text)
		}
		shuffled := mnemonic
		for _, i := range order {
			if o := mods[i].order; o != anyOrder {
				shuffled += ordered[o][0]
				ordered[o] = ordered[o][1:]
			} else {
				shuffled += mods[i].text
			}
		}
		got, err := Resolve(shuffled)
		require.NoError(t, err, "%s as %s", opcode, shuffled)
		require.Equal(t, want[0].Key(), got[0].Key())
		require.Equal(t, want[0].Form, got[0].Form)
	}
}

func TestKey(t *testing.T) {
	for opcode, key := range map[string]string{
		"setp.lt.and.ftz.f32":  "setp.and.ftz.lt.f32",
		"setp.f32.ftz.and.lt":  "setp.and.ftz.lt.f32",
		"prmt.b32.f4e":         "prmt.f4e.b32",
		"cvt.rn.f32.s32":       "cvt.rn.f32.s32",
		"cvt.f32.rn.s32":       "cvt.rn.f32.s32",
		"atom.global.add.u32":  "atom.add.global.u32",
		"ld.v4.global.f32":     "ld.global.v4.f32",
		"ret":                  "ret",
		"dp4a.u32.s32":         "dp4a.u32.s32",
		"barrier.sync.aligned": "barrier.aligned.sync",
		"shfl.sync.bfly.b32":   "shfl.bfly.sync.b32",
		"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64": "mma.aligned.col.m8n8k4.row.sync.f64.f64.f64.f64",
	} {
		bound, err := Resolve(opcode)
		require.NoError(t, err, opcode)
		require.Equal(t, key, bound[0].Key())
	}
}

func TestBoundSlots(t *testing.T) {
	b := one(t, "setp.lt.and.ftz.f32", "setp")
	require.Equal(t, ".lt", b.Value("CmpOp"))
	require.Equal(t, ".and", b.Value("BoolOp"))
	require.True(t, b.Has(".ftz"))
	require.Equal(t, []Type{F32}, b.Types)

	b = one(t, "cvt.rzi.s32.f64", "cvt.f2i")
	require.Equal(t, S32, b.Type("dtype"))
	require.Equal(t, F64, b.Type("atype"))
	require.Equal(t, ".rzi", b.Value("irnd"))

	// the layouts of A and B are told apart by order
	b = one(t, "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32", "mma.f16")
	require.Equal(t, ".row", b.Value("alayout"))
	require.Equal(t, ".col", b.Value("blayout"))
	b = one(t, "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", "mma.f16")
	require.Equal(t, ".col", b.Value("alayout"))
}

// one resolves an opcode that has a single meaning.
func one(t *testing.T, opcode, form string) *Bound {
	t.Helper()
	bound, err := Resolve(opcode)
	require.NoError(t, err)
	require.Len(t, bound, 1)
	require.Equal(t, form, bound[0].Form.ID)
	return bound[0]
}

func TestSeveralMeanings(t *testing.T) {
	for opcode, ids := range map[string][]string{
		"min.f32":                      {"min.f32", "min.f32.3in"},
		"mov.b64":                      {"mov.scalar", "mov.funcaddr", "mov.pack"},
		"mov.f32":                      {"mov.scalar"},
		"call":                         {"call.direct", "call.indirect"},
		"ld.global.f32":                {"ld.weak"},
		"ld.global.nc.f32":             {"ld.global.nc"},
		"ld.param.u64":                 {"ld.param"},
		"ld.v8.f32":                    {"ld.256"},
		"ld.global.L1::evict_last.f32": {"ld.hints"},
		"atom.add.relaxed.cta.f64":     {"atom.scope"},
		"bar.sync":                     {"bar.sync"},
		"barrier.sync":                 {"barrier.sync"},
		"barrier.sync.aligned":         {"bar.sync"},
		"barrier.cluster.arrive":       {"barrier.cluster"},
		"cvt.rn.f16.f32":               {"cvt.f2f"},
		"cvt.rn.relu.f16.f32":          {"cvt.half.pack"},
		"cvt.f32.f32":                  {"cvt.round"},
		"cp.async.bulk.commit_group":   {"cp.async.bulk.commit_group"},
		"cp.async.commit_group":        {"cp.async.commit_group"},
		"vote.all.pred":                {"vote"},
		"vote.sync.all.pred":           {"vote.sync"},
		"div.f32":                      {"div.f32.legacy"},
		"membar.sys":                   {"membar"},
	} {
		forms, err := Match(opcode)
		require.NoError(t, err, opcode)
		var got []string
		for _, f := range forms {
			got = append(got, f.ID)
		}
		require.Equal(t, ids, got, opcode)
	}
}

func TestOperands(t *testing.T) {
	// 9.7.1.3: the destination of mul.wide has twice the width
	b := one(t, "mul.wide.s16", "mul.int")
	require.Equal(t, S32, b.Operands[0].Type)
	require.Equal(t, Write, b.Operands[0].Role)
	require.Equal(t, S16, b.Operands[1].Type)
	// 9.7.7.2: p[|q], and a negatable c
	b = one(t, "setp.eq.and.u32", "setp")
	require.Len(t, b.Operands, 4)
	require.NotNil(t, b.Operands[0].Pair)
	require.True(t, b.Operands[0].Pair.Optional)
	require.Equal(t, KPred|KSink, b.Operands[0].Kinds)
	require.True(t, b.Operands[3].Neg)
	// 9.7.9.6: d|p is not optional
	b = one(t, "lop3.or.b32", "lop3")
	require.False(t, b.Operands[0].Pair.Optional)
	require.Equal(t, KImm, b.Operands[4].Kinds)
	// 9.4.1: loads and stores take wider registers; .v4 has four elements
	b = one(t, "ld.global.v4.u8", "ld.weak")
	require.Equal(t, 4, b.Operands[0].Vec)
	require.True(t, b.Operands[0].Wider)
	require.Equal(t, KAddr, b.Operands[1].Kinds)
	require.Equal(t, []string{".unified"}, b.Operands[1].Suffix)
	// 9.7.9.8: a shift amount is .u32 whatever the type
	b = one(t, "shl.b64", "shl")
	require.Equal(t, U32, b.Operands[2].Type)
	// 9.7.15.1: the thread count is optional
	b = one(t, "bar.red.popc.u32", "bar.red")
	require.Equal(t, []string{"d", "a", "b", "c"}, operandNames(b))
	require.True(t, b.Operands[2].Optional)
	// a cache-policy comes with .L2::cache_hint and only with it
	require.Equal(t, []string{"d", "a", "b"}, operandNames(one(t, "atom.global.add.u32", "atom.int")))
	b = one(t, "atom.global.add.L2::cache_hint.u32", "atom.int")
	require.Equal(t, []string{"d", "a", "b", "cache-policy"}, operandNames(b))
	require.False(t, b.Operands[3].Optional)
	// 9.7.10.24: cvt.f16x2.f32 takes two inputs, cvt.rs of four a tuple
	require.Len(t, one(t, "cvt.rn.f16x2.f32", "cvt.half.pack").Operands, 3)
	b = one(t, "cvt.rs.satfinite.e4m3x4.f32", "cvt.rs")
	require.Equal(t, 4, b.Operands[1].Vec)
	require.Equal(t, B32, b.Operands[0].Type)
	// 9.7.12.3: coordinates are inside the brackets
	b = one(t, "tex.2d.v4.f32.f32", "tex")
	require.Equal(t, KTex, b.Operands[1].Kinds)
	require.True(t, b.Operands[1].Inner[1].Optional)
}

func operandNames(b *Bound) []string {
	var out []string
	for _, o := range b.Operands {
		out = append(out, o.Name)
	}
	return out
}

func TestRequires(t *testing.T) {
	for opcode, want := range map[string]Needs{
		"add.f32":                  {Version: 10, SM: 10},
		"add.rm.f32":               {Version: 10, SM: 20, Cause: ".rm"},       // 9.7.3.3
		"add.bf16":                 {Version: 78, SM: 90},                     // 9.7.4.1
		"min.NaN.f32":              {Version: 70, SM: 80, Cause: ".NaN"},      // 9.7.3.11
		"cvt.f32.bf16":             {Version: 71, SM: 80, Cause: ".f32.bf16"}, // 9.7.10.24
		"cvt.rn.bf16.f64":          {Version: 78, SM: 90, Cause: ".bf16.f64"}, // 9.7.10.24
		"atom.global.add.u64":      {Version: 12, SM: 12, Cause: ".add.u64"},  // 9.7.15.5
		"atom.shared.add.u64":      {Version: 20, SM: 20, Cause: ".add.shared.u64"},
		"atom.global.add.f64":      {Version: 50, SM: 60, Cause: ".f64"},
		"ld.global.u32":            {Version: 10, SM: 10},
		"ld.u32":                   {Version: 20, SM: 20, Cause: "!ss"}, // generic addressing
		"fence.acq_rel.cluster":    {Version: 78, SM: 90, Cause: ".cluster"},
		"wgmma.fence.sync.aligned": {Version: 80, SM: 90, Arch: "a", Family: 9},
		"mma.sp.sync.aligned.m16n8k64.row.col.f32.e5m2.e4m3.f32": {Version: 84, SM: 89, Cause: ".e4m3"}, // 9.7.16.6.3
		"mma.sp.sync.aligned.m16n8k64.row.col.f16.e5m2.e4m3.f16": {Version: 87, SM: 120, Cause: ".f16.e4m3"},
	} {
		bound, err := Resolve(opcode)
		require.NoError(t, err, opcode)
		require.Equal(t, want, bound[0].Requires(), opcode)
	}
}

// TestGone checks when legacy forms left PTX.
func TestGone(t *testing.T) {
	gone := formByID("div.f32.legacy").Gone // 9.7.3.8: from PTX ISA 1.4
	require.False(t, gone.For(13, 20))
	require.True(t, gone.For(14, 10))
	gone = formByID("vote").Gone // 9.7.15.9: from PTX ISA 6.4 for sm_70
	require.False(t, gone.For(63, 70))
	require.False(t, gone.For(64, 61))
	require.True(t, gone.For(64, 70))
	require.False(t, formByID("add.f32").Gone.For(91, 120))
	for _, f := range Forms() {
		for _, opcode := range strings.Fields(strings.NewReplacer("{", "", "}", "").Replace(f.As)) {
			_, err := Resolve(opcode)
			require.NoError(t, err, "%s stands for %s", f.ID, opcode)
		}
	}
}

// TestMemoIsBounded resolves more opcodes than are remembered.
func TestMemoIsBounded(t *testing.T) {
	cmp := strings.Fields("eq ne lt le gt ge")
	for i, n := 0, 0; n < 3*memoLimit; i++ {
		for _, c := range cmp {
			mods := []string{c, "ftz", "and", "f32"}
			rand.New(rand.NewPCG(uint64(n), 7)).Shuffle(4, func(a, b int) { mods[a], mods[b] = mods[b], mods[a] })
			_, err := Resolve("setp." + strings.Join(mods, "."))
			require.NoError(t, err)
			n++
		}
	}
	for n := range 3 * memoLimit {
		_, err := Resolve("add.s32" + strings.Repeat("x", n%50) + string(rune('a'+n%26)))
		require.Error(t, err)
	}
	require.LessOrEqual(t, len(theCatalog.memo), memoLimit)
}

// TestHostileOpcodes: no text in place of an opcode takes long or panics.
func TestHostileOpcodes(t *testing.T) {
	for _, opcode := range []string{"", ".", "..", "add.", "add..s32", ".s32", "add" + strings.Repeat(".ftz", 10000),
		strings.Repeat("a", 100000), "wmma.mma" + strings.Repeat(".row", 500), "add.\xff.s32", "setp.lt.lt.lt.lt.f32"} {
		_, err := Resolve(opcode)
		var e *OpcodeError
		require.True(t, errors.As(err, &e), "%.40q", opcode)
		require.LessOrEqual(t, e.Offset+e.Length, len(opcode))
		require.NotEmpty(t, e.Error())
		Complete(opcode)
		Hover(opcode)
	}
}

func BenchmarkResolve(b *testing.B) {
	opcodes := []string{"ld.param.u64", "setp.lt.and.ftz.f32", "fma.rn.f32",
		"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"}
	b.Run("known", func(b *testing.B) {
		for i := range b.N {
			Resolve(opcodes[i%len(opcodes)])
		}
	})
	b.Run("new", func(b *testing.B) {
		for i := range b.N {
			clear(theCatalog.memo)
			Resolve(opcodes[i%len(opcodes)])
		}
	})
	b.Run("first", func(b *testing.B) {
		for i := range b.N {
			theCatalog = catalog{}
			Resolve(opcodes[i%len(opcodes)])
		}
	})
	b.Run("refused", func(b *testing.B) {
		for range b.N {
			Resolve("ld.global.f16")
		}
	})
}

// TestManual resolves the opcodes of the manual's examples. Those marked as slips break the manual's own syntax lines
// or prose (conversions that lack their rounding, misspelt modifiers) and must be refused.
func TestManual(t *testing.T) {
	list := rows(t, "manual.tsv")
	require.Greater(t, len(list), 750)
	for _, row := range list {
		_, err := Resolve(row[0])
		if row[2] == "slip" {
			require.Error(t, err, row[0])
		} else {
			require.NoError(t, err, "%s: %s", row[1], row[0])
		}
	}
}

// TestTargets compares opcodes with targets: families and their members are those of Table 70 in 11.1.2, the lists of
// targets those at the end of each instruction's section.
func TestTargets(t *testing.T) {
	for _, c := range []struct{ opcode, on, notOn string }{
		{"add.s32", "10 53 90a 121f", ""},
		{"wgmma.fence.sync.aligned", "90a", "90 100a 120a"},
		{"setmaxnreg.inc.sync.aligned.u32", "90a 100a 100f 101f 103a 110f 120a 121f", "90 100 103 120"},
		{"tcgen05.wait::ld.sync.aligned", "100a 100f 103f 101a 110f 110a", "90a 100 110 120a 121f"},
		{"tcgen05.shift.cta_group::1.down", "100a 101a 103a 110a", "100f 110f 120a"},
		{"tcgen05.shift.cta_group::1.down", "107a", "107f"},
		{"tcgen05.alloc.exclusive.cta_group::1.sync.aligned.b32", "100a 103f 107f 110f", "100 120f"},
		{"tcgen05.mma.cta_group::1.kind::ti16", "107f 107a", "100a 103a 107 110a 120a"},
		{"tcgen05.mma.ws.sp.cta_group::1.kind::ti16", "107f 107a", "100a 103a 110f"},
		{"tcgen05.mma.cta_group::1.kind::f16.collector::a::use.collector::b::use", "107f 107a", "100a 103f 110a"},
		{"tcgen05.mma.cta_group::1.kind::f16.collector::a::use", "100f 107f 110f", "107 120f"},
		{"tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b", "107f 107a", "103a 110a"},
		{"tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X", "100a 101a 103a 107a 110a", "100f 107f 110f"},
		{"tcgen05.mma.sp.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X", "100a 103a", "100f 110f"},
		{"tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale.block16", "100a 100f 107f 110f", "100"},
		{"tcgen05.mma.sp.cta_group::1.kind::mxf4.block_scale", "100a 103a 107a 110a", "107f"},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster::16b.b64", "100f 110f", "100"},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.multicast::cluster::32b.b64", "107f", "103a 110f"},
		{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::mma::a.b64", "107f 107a",
			"103a 110a"},
		{"tcgen05.ld.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.f32.b2", "107a", "107f 103a 110a"},
		{"spcompress.b8.b2.sp::2:4.x4", "107a", "107f 103a 110a 120a"},
		{"spdecompress.b8.b2.sp::2:4.x4", "107a", "107f 103a 110a 120a"},
		{"redux.sync.max.NaN.f32", "100a 100f 103f", "101a 110a 120a 100"},
		{"cvt.rs.f16x2.f32", "100a 103a", "100f 110a 120a"},
		{"cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes", "100a 100f", "90a 100"},
		{"cp.async.bulk.tensor.2d.tile::gather4.shared::cta.global.mbarrier::complete_tx::bytes", "100 100a 120", "90a"},
		{"fence.proxy.alias", "70 100", "60"},
		{"multimem.ld_reduce.add.e4m3x4", "100a 100f 107f 110f 120a 121a", "90a 100 120f 121"},
		{"multimem.ld_reduce.add.acc::f16.v4.e5m2", "103f 110a 121a", "120f"},
		{"membar.proxy.alias", "60 70", "53"},
		{"cvt.rn.satfinite.e2m1x2.f32", "100a 101f 110f 120f 121a", "90a 100 120"},
	} {
		b, err := Resolve(c.opcode)
		require.NoError(t, err, c.opcode)
		need := b[0].Requires()
		for list, want := range map[string]bool{c.on: true, c.notOn: false} {
			for _, word := range strings.Fields(list) {
				sm, arch := split(word)
				require.Equal(t, want, need.On(sm, arch), "%s on sm_%s", c.opcode, word)
			}
		}
	}
}

// split takes a target apart: "100a" is 100 and "a".
func split(target string) (sm int, arch string) {
	digits := strings.TrimRight(target, "af")
	sm, _ = strconv.Atoi(digits)
	return sm, target[len(digits):]
}

// Logic and shift instructions have bit-size types (9.7.9), but shr is arithmetic for .s types; shfl.sync has .b32.
func TestBitTypesOnly(t *testing.T) {
	for _, m := range strings.Fields("and or xor not cnot lop3 shf shl popc clz brev bfi prmt fns shfl movmatrix") {
		require.True(t, BitTypesOnly(m), m)
	}
	for _, m := range strings.Fields("shr bfe bfind add mov ld setp selp bra bar nothing") {
		require.False(t, BitTypesOnly(m), m)
	}
}
