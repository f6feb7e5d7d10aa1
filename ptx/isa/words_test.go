package isa

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpecialRegisters(t *testing.T) {
	names := map[string][]string{ // rows of the list that mean several registers
		"10.23": {"%clock", "%clock_hi"},
		"10.25": {"%pm0", "%pm3", "%pm7"},
		"10.26": {"%pm0_64", "%pm7_64"},
		"10.27": {"%envreg0", "%envreg31"},
		"10.28": {"%globaltimer", "%globaltimer_lo", "%globaltimer_hi"},
		"10.29": {"%reserved_smem_offset_begin", "%reserved_smem_offset_end", "%reserved_smem_offset_cap",
			"%reserved_smem_offset_0", "%reserved_smem_offset_1"},
	}
	list := rows(t, "sregs.tsv")
	require.Len(t, list, 36)
	for _, row := range list {
		if row[0] == "WARP_SZ" { // a constant
			continue
		}
		want := names[row[1]]
		if want == nil {
			name, _, _ := strings.Cut(row[0], "{")
			want = []string{name}
		}
		for _, name := range want {
			s, ok := LookupSReg(name)
			require.True(t, ok, name)
			require.Equal(t, row[1], s.Section, name)
			require.Equal(t, row[2], fmt.Sprint(s.Tier), name)
			require.NotEmpty(t, s.Summary)
		}
	}
	_, ok := LookupSReg("%envreg32")
	require.False(t, ok)
	// chapter 10: vectors of four, 64-bit ones, the predicate
	for name, want := range map[string]string{"%tid": ".u32 4", "%nctaid": ".u32 4", "%clusterid": ".u32 4",
		"%laneid": ".u32 1", "%gridid": ".u64 1", "%clock64": ".u64 1", "%globaltimer": ".u64 1",
		"%globaltimer_hi": ".u32 1", "%envreg3": ".b32 1", "%is_explicit_cluster": ".pred 1", "%pm4_64": ".u64 1",
		"%perctamemoryoffset": ".u64 1", "%perctamemorysize": ".u32 1"} {
		s, ok := LookupSReg(name)
		require.True(t, ok, name)
		require.Equal(t, want, fmt.Sprint(s.Type, " ", s.Vec), name)
	}
	require.Equal(t, 8+8+32+39, len(SRegs())) // %pm, %pm_64, %envreg and the rest
}

func TestDirectives(t *testing.T) {
	list := rows(t, "directives.tsv")
	require.Len(t, list, 60)
	require.Len(t, Directives(), 60)
	for i, row := range list {
		d := Directives()[i]
		require.Equal(t, row, []string{d.ID, d.Section, fmt.Sprint(d.Tier)})
		require.True(t, strings.HasSuffix(d.Summary, "."), d.ID)
	}
	require.Len(t, LookupDirective(".param"), 3)
	require.Len(t, LookupDirective(".maxntid"), 1)
	require.Empty(t, LookupDirective(".maxtid"))
}

func TestComplete(t *testing.T) {
	require.Equal(t, []string{"selp", "set", "setmaxnreg", "setp"}, Complete("se"))
	// nothing but rounding, flushing, saturation and the float type can follow (9.7.3.3, 9.7.4.1, 9.7.5.1)
	require.Equal(t, []string{".f16", ".f16x2", ".f32", ".f32x2", ".rm", ".rn", ".rp", ".rz", ".sat"},
		Complete("add.ftz."))
	require.Equal(t, []string{".f16", ".f16x2", ".f32", ".f32x2"}, Complete("add.ftz.f"))
	require.Equal(t, []string{".f32", ".f32x2", ".f64", ".ftz"}, Complete("add.rm.f"))
	require.Equal(t, []string{".b32", ".down"}, intersect(Complete("shfl.sync."), ".b32", ".down", ".s32"))
	require.Equal(t, []string{".s32"}, intersect(Complete("cvt.rzi."), ".s32", ".b32")) // cvt has no bit-size types
	require.Empty(t, intersect(Complete("setp.lo."), ".s32", ".f32"))
	require.Empty(t, Complete("add.s32.f"))
	require.Empty(t, Complete("nosuch."))
	// opcodes that are complete but for further modifiers
	require.Equal(t, []string{".sat"}, intersect(Complete("add.f32."), ".sat", ".relu"))
	// with every proposal the opcode is complete, or can be completed further
	for _, prefix := range []string{"ld.", "ld.global.", "atom.shared.", "cvt.", "cvt.rn.", "mma.sync.aligned.",
		"setp.lt.", "bar.", "mul.", "ex2.approx."} {
		for _, m := range Complete(prefix) {
			opcode := strings.TrimSuffix(prefix, ".") + m
			_, err := Resolve(opcode)
			require.True(t, err == nil || len(Complete(opcode+".")) > 0, opcode)
		}
	}
}

func intersect(list []string, with ...string) []string {
	var out []string
	for _, w := range with {
		for _, l := range list {
			if l == w {
				out = append(out, w)
			}
		}
	}
	return out
}

func TestHover(t *testing.T) {
	add := Hover("add.rm.f32")
	require.Equal(t, "add.f32", add[0].Title)
	require.Equal(t, []string{"add{.rnd}{.ftz}{.sat}.f32 d, a, b"}, add[0].Syntax)
	require.Equal(t, "PTX ISA 1.0, sm_20", add[0].Requirement())
	require.Equal(t, "9.7.3.3", add[0].Section)

	all := Hover("div") // integers, approximations, IEEE, then the forms of older modules
	require.Equal(t, "div.int", all[0].Title)
	require.Contains(t, all[len(all)-1].Until, "1.4")

	require.Equal(t, "%tid", Hover("%tid.x")[0].Title)
	require.Equal(t, []string{".sreg .v4 .u32 %tid"}, Hover("%tid")[0].Syntax)
	require.Len(t, Hover(".param"), 3)
	require.Equal(t, "11.4.2", Hover(".maxntid")[0].Section)
	require.Nil(t, Hover("nosuch"))
	require.Nil(t, Hover("%nosuch"))
	for _, f := range Forms() {
		if len(firstWords(f)) > 0 {
			require.NotEmpty(t, Hover(f.Mnemonic), f.ID)
		}
	}
}

func TestVocabulary(t *testing.T) {
	w := Vocabulary()
	require.Subset(t, w.Mnemonics, []string{"add", "membar", "fence", "vadd4", "prefetchu", "barrier"})
	require.Subset(t, w.Modifiers, []string{".ftz", ".shared::cta", ".L1::evict_last", ".gt", ".m16n8k16"})
	require.NotContains(t, w.Modifiers, ".type")
	require.NotContains(t, w.Modifiers, ".f32")
	require.Subset(t, w.Types, []string{".f32", ".pred", ".e4m3x2"})
	require.Subset(t, w.Directives, []string{".maxntid", ".reg", ".attribute", ".managed"})
	require.Subset(t, w.Registers, []string{"%tid", "%pm7_64"})
}

// The editor's modifiers are read without compiling the forms, and are those that the compiled forms take.
func TestModifiersAreThoseOfTheLines(t *testing.T) {
	c := &theCatalog
	c.index()
	want := map[string]bool{}
	for _, mnemonic := range c.mnemonics("") {
		for _, l := range c.linesOf(mnemonic) {
			for _, e := range l.elements {
				for _, value := range e.values {
					want[value] = e.order != typeOrder
				}
			}
		}
	}
	require.Equal(t, trueKeys(want), Vocabulary().Modifiers)
}
