package emu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

const undefinedHead = `.version 8.0
.target sm_90
.address_size 64
.func (.reg .b32 %r) id(.reg .b32 %n) { mov.b32 %r, %n; ret; }
.func none(.reg .b32 %n) { .reg .b32 %m; .shared .b32 u; st.shared.b32 [u], %m; ret; }
.entry k() { .shared .align 16 .b32 s[64]; .reg .pred %p, %q; .reg .b32 %l, %a, %b, %c, %x; .reg .b64 %w, %e; ` +
	`.reg .v2 .b32 %v;
mov.u32 %l, %laneid; setp.lt.u32 %p, %l, 3;
`

// undefinedIn runs a body under initcheck and returns its findings about registers: "line: message".
func undefinedIn(t *testing.T, body string, model Divergence) string {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(undefinedHead+body+"\nexit; }\n"))
	require.NoError(t, err, body)
	d, err := Load(m, Options{Divergence: model, Sanitize: Initcheck})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()), body)
	var list []string
	for _, f := range g.Findings() {
		if f.Section == "5.1.1" {
			list = append(list, fmt.Sprintf("%d, %d: %s", f.Pos.Line, f.Other.Line, f.Message))
		}
	}
	return strings.Join(list, "\n")
}

// A register that a lane has never written is a finding where it decides something: an address, a guard, a store. The
// finding has the place of the read, and that of the write that did not happen, or of the declaration. The body begins
// in line 8, the declarations are in line 6.
func TestUndefinedValuesAreFound(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"st.shared.b32 [s], %x;",
			"8, 6: `st.shared.b32`: lanes 0-31 of warp 0 store %x, which they have never written: no instruction writes it"},
		{"@%p mov.b32 %x, 1;\nst.shared.b32 [s], %x;",
			"9, 8: `st.shared.b32`: lanes 3-31 of warp 0 store %x, which they have never written: " +
				"the way that they took leads past line 8, which writes it"},
		{"@%p bra L;\nmov.b32 %x, 1;\nL: st.shared.b32 [s], %x;",
			"10, 9: `st.shared.b32`: lanes 0-2 of warp 0 store %x"},
		{"@%q mov.b32 %x, 1;", "8, 6: `mov.b32`: lanes 0-31 of warp 0 ask the guard %q"},
		{"@%q bra L;\nL:", "8, 6: `bra`: lanes 0-31 of warp 0 ask the guard %q"},
		{"@!%p setp.eq.u32 %q, %l, 1;\n@%q exit;", "9, 8: `exit`: lanes 0-2 of warp 0 ask the guard %q"},
		{"mov.b32 %x, s;\n@%p mov.b32 %a, %x;\nst.shared.b32 [%a], 1;",
			"10, 9: `st.shared.b32`: lanes 3-31 of warp 0 take an address from %a"},
		{"st.shared.b32 [s], 0; ld.shared.b32 %x, [%a+4];",
			"8, 6: `ld.shared.b32`: lanes 0-31 of warp 0 take an address from %a"},
		{"ld.shared.b32 %x, s[%a];", "8, 6: `ld.shared.b32`: lanes 0-31 of warp 0 take an address from %a"},
		// through moves, arithmetic and comparisons
		{"add.u32 %a, %x, 1;\nmov.b32 %b, %a;\nst.shared.b32 [s], %b;",
			"8, 6: `add.u32`: lanes 0-31 of warp 0 read %x, which they have never written, and what `st.shared.b32` of line " +
				"10 " +
				"stores comes of it"},
		{"setp.eq.u32 %q, %x, 1;\n@%q bra L;\nL:",
			"8, 6: `setp.eq.u32`: lanes 0-31 of warp 0 read %x, which they have never written, and what `bra` of line 9 has " +
				"for a guard comes of it"},
		{"selp.b32 %a, %x, 7, %p;\nst.shared.b32 [s], %a;", "8, 6: `selp.b32`: lanes 0-2 of warp 0 read %x"},
		{"selp.b32 %a, 7, %x, %p;\nst.shared.b32 [s], %a;", "8, 6: `selp.b32`: lanes 3-31 of warp 0 read %x"},
		// vectors: one component is missing
		{"mov.b32 %v.x, 1;\nst.shared.v2.b32 [s], %v;", "9, 6: `st.shared.v2.b32`: lanes 0-31 of warp 0 store %v.y"},
		{"ld.shared.v2.b32 {%a, %b}, [s];\nst.shared.v2.b32 [s], {%a, %c};",
			"9, 6: `st.shared.v2.b32`: lanes 0-31 of warp 0 store %c"},
		{"atom.shared.add.u32 %a, [s], %x;", "8, 6: `atom.shared.add.u32`: lanes 0-31 of warp 0 store %x"},
		{"T: .branchtargets A;\nbrx.idx %x, T;\nA:", "9, 6: `brx.idx`: lanes 0-31 of warp 0 branch by %x"},
		// each activation of a function has registers of its own
		{"call none, (%l);", "5, 5: `st.shared.b32`: lanes 0-31 of warp 0 store %m"},
		{"@%p call (%a), id, (%l);\nst.shared.b32 [s], %a;", "9, 8: `st.shared.b32`: lanes 3-31 of warp 0 store %a"},
		// a loop that some lanes do not enter
		{"mov.b32 %a, %l;\nL: setp.gt.u32 %q, %a, 29;\n@%q bra E;\nmov.b32 %x, %a;\nadd.u32 %a, %a, 1;\nbra L;\n" +
			"E: st.shared.b32 [s], %x;",
			"14, 11: `st.shared.b32`: lanes 30-31 of warp 0 store %x"},
	} {
		for _, model := range []Divergence{Stack, Independent} {
			got := undefinedIn(t, c.body, model)
			require.True(t, strings.HasPrefix(got, c.want), "%s\n%v: %s", c.body, model, got)
		}
	}
}

// Defined values, and undefined ones that are only copied, are no findings.
func TestDefinedValuesAreNotFound(t *testing.T) {
	for _, body := range []string{
		"@%p mov.b32 %x, 1;\n@%p st.shared.b32 [s], %x;",
		"@%p mov.b32 %x, 1;\n@!%p mov.b32 %x, 2;\nst.shared.b32 [s], %x;",
		"@%p bra L;\nmov.b32 %x, 1; bra E;\nL: mov.b32 %x, 2;\nE: st.shared.b32 [s], %x;",
		"@%p bra L;\nmov.b32 %x, 1;\nL: @%p bra E; st.shared.b32 [s], %x;\nE:",
		"mov.b32 %a, %x;",
		"mov.b32 %a, %x; mov.b32 %a, 1; st.shared.b32 [s], %a;",
		"add.u32 %a, %x, 1; @%p mov.b32 %a, 1; @!%p mov.b32 %a, 1; st.shared.b32 [s], %a;",
		"@%p mov.b32 %x, 1;\nselp.b32 %a, %x, 0, %p; st.shared.b32 [s], %a;",
		// compilers fill half a pair, and use that half
		"mov.b64 %w, {%l, %x}; mov.b64 {%a, %b}, %w; st.shared.b32 [s], %a;",
		"and.b32 %a, %x, 0; st.shared.b32 [s], %a;",
		"bfi.b32 %a, %l, %x, 0, 8; and.b32 %a, %a, 255; st.shared.b32 [s], %a;",
		"call (%a), id, (%l); st.shared.b32 [s], %a;",
		"call (%a), id, (%x);",
		"@%p mov.b32 %x, %l; shfl.sync.idx.b32 %a, %x, 0, 31, -1; st.shared.b32 [s], %a;",
		"mov.b32 %v.x, 1; st.shared.b32 [s], %v.x;",
		"ld.shared.v2.b32 %v, [s]; st.shared.b32 [s], %v.y;",
		"setp.lt.u32 %p|%q, %l, 4; @%q exit;",
		"elect.sync _|%q, -1; @%q exit;",
		"mov.b32 %a, 0;\nL: @%p bra S; add.u32 %x, %l, %a;\nS: add.u32 %a, %a, 1; setp.lt.u32 %q, %a, 4; @%q bra L;\n" +
			"@%p exit; st.shared.b32 [s], %x;",
		"@%p exit; mov.b32 %x, 1; st.shared.b32 [s], %x;",
	} {
		for _, model := range Divergences() {
			require.Empty(t, undefinedIn(t, body, model), body)
		}
	}
}

// Views and records show undefined values without a sanitizer, even after going back: lanes 3 to 31 are about to store
// what they never wrote.
func TestUndefinedValuesAreShown(t *testing.T) {
	m, err := ptx.Parse("test.ptx", []byte(undefinedHead+
		"@%p mov.b32 %x, 1;\nadd.u32 %a, %x, 1;\nst.shared.b32 [s], %a;\nexit; }\n"))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
	require.NoError(t, err)
	_, err = g.RunFor(3)
	require.NoError(t, err)
	require.Empty(t, g.Warp(0, 0).Undefined, "the sum decides nothing")
	snap := g.Snapshot()
	for range 2 {
		rec, err := g.Step()
		require.NoError(t, err)
		require.Empty(t, rec.Undefined)
		list := g.Warp(0, 0).Undefined
		require.Len(t, list, 1)
		u := list[0]
		require.Equal(t, "%a store 0xfffffff8 from %x at add.u32",
			fmt.Sprintf("%s %s %#x from %s at %s", u.Reg.Name, map[RegUse]string{UseStore: "store"}[u.Use], uint32(u.Lanes),
				u.From.Name, u.Origin.Opcode))
		rec, err = g.Step()
		require.NoError(t, err)
		require.Equal(t, list, rec.Undefined)
		require.Empty(t, g.Findings())
		require.Empty(t, g.Warp(0, 0).Undefined)
		g.Restore(snap)
	}
}
