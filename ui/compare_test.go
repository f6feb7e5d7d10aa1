package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each thread i of 4 stores 2 i; the other version stores 2 i + (i == 3).
const doubled = `//@ block 4
//@ arg out u32[4]
//@ expect out[3] == 6
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %i, %v;
	.reg .b64 %a, %o;
	mov.u32 %i, %tid.x;
	shl.b32 %v, %i, 1;
	mul.wide.u32 %o, %i, 4;
	ld.param.u64 %a, [out];
	add.s64 %a, %a, %o;
	st.global.u32 [%a], %v;
	ret;
}
`

func TestCompareVersions(t *testing.T) {
	other := strings.Replace(doubled, "	mul.wide",
		"	.reg .pred %p;\n	setp.eq.u32 %p, %i, 3;\n	@%p add.u32 %v, %v, 1;\n	mul.wide", 1)
	store, platform := sourceStore(t, other)
	store.Do(OpenFile{"b.ptx", doubled})
	store.Do(ShowCompare{true})
	c := store.Model().Compared
	require.Equal(t, []File{{ID: 2, Label: "k.ptx"}}, c.Choices[len(c.Choices)-1:])
	store.Do(CompareWith{2})
	require.True(t, store.Model().Compared.Running)
	for store.Model().Compared.Running {
		platform.now += 1
		platform.frame()
	}
	c = store.Model().Compared
	require.Empty(t, c.Problem)
	row := func(name string) comparedRow {
		for _, r := range c.Rows {
			if strings.HasPrefix(r.Name, name) {
				return r
			}
		}
		require.Fail(t, "no row", name)
		return comparedRow{}
	}
	require.Equal(t, comparedRow{"Ends", "normally", "normally", false}, row("Ends"))
	require.Equal(t, comparedRow{"Expectations that hold", "0 of 1", "1 of 1", true}, row("Expect"))
	require.Equal(t, comparedRow{"Warp instructions", "9", "7", true}, row("Warp"))
	require.Equal(t, comparedRow{"out: 1 of 4 elements, first [3]", "7", "6", true}, row("out"))
	removed := 0
	for _, e := range c.Edits {
		require.NotEqual(t, byte('+'), e.Sign)
		if e.Sign == '-' {
			removed++
		}
	}
	require.Equal(t, 3, removed)
	store.Do(ShowCompare{false})
	require.Nil(t, store.Model().Compared)
}

func TestCompareWithTheExample(t *testing.T) {
	store, platform := sourceStore(t, "x")
	platform.files["examples/1.ptx"] = doubled
	store.Do(LoadExample{"1.ptx"})
	store.Do(Edit{doubled + "nonsense\n"})
	store.Do(ShowCompare{true})
	platform.frame()
	c := store.Model().Compared
	require.Equal(t, 0, c.With)
	require.Equal(t, "The example as it was", c.Choices[0].Label)
	require.False(t, c.Running)
	require.Contains(t, c.Problem, "nonsense")
	require.True(t, strings.HasPrefix(c.Problem, "Untitled:"), c.Problem)
	require.Equal(t, byte('+'), c.Edits[len(c.Edits)-1].Sign)
}

// Each version has a buffer that the other has not: 4 elements of 4 bytes, and 8 of 2.
func TestCompareOtherBuffers(t *testing.T) {
	with := func(arg, name string) string {
		text := strings.Replace(doubled, ".param .u64 out", ".param .u64 out, .param .u64 "+name, 1)
		return strings.Replace(text, ".version", "//@ arg "+arg+"\n.version", 1)
	}
	other, this := newTrial("a", with("x u32[4]", "x")), newTrial("b", with("y u16[8]", "y"))
	for _, trial := range []*trial{other, this} {
		trial.advance(100)
	}
	rows, problem := compared(other, this)
	require.Empty(t, problem)
	require.Equal(t, []comparedRow{{"y", "none", "16 bytes", true}, {"x", "16 bytes", "none", true}}, rows[len(rows)-2:])
}

// A version that cannot run is called by its name: here the one in the other tab, which has no buffer.
func TestCompareNamesTheBroken(t *testing.T) {
	store, platform := sourceStore(t, strings.Replace(doubled, "//@ arg", "// arg", 1))
	store.Do(OpenFile{"b.ptx", doubled})
	store.Do(ShowCompare{true})
	store.Do(CompareWith{2})
	platform.frame()
	require.True(t, strings.HasPrefix(store.Model().Compared.Problem, "k.ptx:"), store.Model().Compared.Problem)
}

func TestNothingToCompareWith(t *testing.T) {
	store, _, _ := newFakeStore()
	store.Do(ShowCompare{true})
	require.Nil(t, store.Model().Compared)
	require.Contains(t, store.Model().status(), "no other program")
}
