package emu

import (
	"context"
	"strings"
	"testing"
	"warpscope/emu/causes"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// found runs the body of kernel k in module text head and gives its only finding, or nil.
func found(t *testing.T, model Divergence, threads int, body string) *Finding {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n"+
		".global .b32 g[4]; .shared .b32 s[4];\n"+
		".entry k() { .local .b32 loc[4]; .reg .pred %p; .reg .b64 %a, %b; .reg .b32 %l, %v, %z; mov.u32 %l, %laneid; "+
		"mov.u32 %z, 0; setp.lt.u32 %p, %l, 16;\n"+body+"\nret; }"))
	require.NoError(t, err)
	d, err := Load(m, Options{Divergence: model})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: threads}, MaxSteps: 1 << 22})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()), body)
	switch list := g.Findings(); len(list) {
	case 0:
		return nil
	case 1:
		return &list[0]
	default:
		require.Fail(t, "several findings", "%s: %v", body, list)
		return nil
	}
}

// Undefined and unspecified behaviour does not end the run; it is a finding.
func TestUndefinedResultsAreFound(t *testing.T) {
	for _, c := range []struct {
		body    string
		check   Checks
		section string
		words   string // "" for no finding
	}{
		// 9.7.1.9, 9.7.1.10: division by zero
		{"@%p div.u32 %v, 7, %z;", Memcheck, "9.7.1.9", "`div.u32` divides by zero in lanes 0-15 of warp 0"},
		{"rem.s32 %v, %l, %l;", Memcheck, "9.7.1.10", "`rem.s32` divides by zero in lane 0 of warp 0"},
		{"@!%p div.s32 %v, 7, %l;", 0, "", ""}, // lanes 16 to 31
		{"div.rn.f32 %v, 0f3f800000, 0f00000000; min.u32 %v, %l, %z;", 0, "", ""},
		// 9.7.10.23: a generic address that is not of the space
		{"mov.u64 %a, g; cvta.global.u64 %a, %a; cvta.to.shared.u64 %b, %a;", Memcheck, "9.7.10.23",
			"no generic address of shared memory"},
		{"mov.u64 %a, s; cvta.shared.u64 %a, %a; cvta.to.global.u64 %b, %a;", Memcheck, "9.7.10.23",
			"no generic address of global memory"},
		{"mov.u64 %a, loc; cvta.local.u64 %a, %a; cvta.to.const.u64 %b, %a;", Memcheck, "9.7.10.23",
			"no generic address of const memory"},
		{"mov.u64 %a, g; cvta.to.const.u64 %b, %a;", Memcheck, "9.7.10.23", "no generic address of const memory"},
		{"mov.u64 %a, s; cvta.to.shared.u64 %b, %a; add.u64 %a, %a, 4; @%p cvta.to.shared.u64 %b, %a;", Memcheck, "9.7.10.23",
			"in lanes 0-15 of warp 0: 0x4 is no generic address"}, // is one already
		{"mov.u64 %a, s; cvta.shared.u64 %a, %a; cvta.to.shared.u64 %b, %a;", 0, "", ""},
		{"mov.u64 %a, loc; cvta.local.u64 %a, %a; cvta.to.local.u64 %b, %a;", 0, "", ""},
		{"mov.u64 %a, g; cvta.to.global.u64 %b, %a; mov.u64 %a, 0; cvta.to.global.u64 %b, %a; cvta.to.shared.u64 %b, %a;",
			0, "", ""},
		// 9.7.10.6: a register of a lane that takes no part
		{"@%p bra L; exit; L: shfl.sync.idx.b32 %v, %l, 20, 31, -1;", Synccheck, "9.7.10.6",
			"lanes 0-15 of warp 0 read from lane 20, which takes no part in it"},
		{"@%p shfl.sync.bfly.b32 %v, %l, 16, 31, 0xffff;", Synccheck, "9.7.10.6",
			"lanes 0-15 of warp 0 read from lanes 16-31, which take no part in it"},
		{"selp.b32 %v, 0xffff, 0xffff0000, %p; shfl.sync.idx.b32 %z, %l, 3, 31, %v;", Synccheck, "9.7.10.6",
			"lanes 16-31 of warp 0 read from lane 3"}, // lane 3 is in the mask of lanes 0 to 15 only
		// A sum over a part of a warp: lanes 8 to 15 discard the value that they read.
		{"@%p shfl.sync.down.b32 %v, %l, 8, 31, 0xffff;", 0, "", ""},
		{"@%p shfl.sync.down.b32 %v, %l, 8, 0x100f, 0xffff;", 0, "", ""}, // segments of 16: the upper 8 keep their own
		{"selp.b32 %v, 0xffff, 0xffff0000, %p; shfl.sync.bfly.b32 %z, %l, 8, 31, %v;", 0, "", ""},
	} {
		for _, model := range []Divergence{Stack, Independent} {
			f := found(t, model, 32, c.body)
			if c.words == "" {
				require.Nil(t, f, c.body)
				continue
			}
			require.NotNil(t, f, c.body)
			require.Contains(t, f.Message, c.words)
			require.Equal(t, c.check, f.Check, c.body)
			require.Equal(t, c.section, f.Section, c.body)
		}
	}
}

// An aligned barrier that the lanes of a warp execute at two places is undefined (9.7.15.1). barrier.sync without
// .aligned is not, and lanes may exit without meeting a barrier.
func TestDivergentAlignedBarriers(t *testing.T) {
	const twoSites = "@%p bra L; BAR 0; bra M; L: BAR 0; M:"
	for _, c := range []struct {
		bar, body, words string
	}{
		{"bar.sync", twoSites, "while lanes 16-31 wait at `bar.sync` of line 6"},
		{"barrier.sync.aligned", twoSites, "`barrier.sync.aligned` is executed by lanes 0-15 of warp 0"},
		{"barrier.sync", twoSites, ""},
		{"bar.sync", "@%p BAR 0; BAR 0;", "not by lanes 16-31, where its guard is false"},
		{"bar.sync", "@!%p bra L; BAR 0; L:", ""}, // what `if (…) return;` in front of a barrier looks like
		{"bar.sync", "@%p bra L; exit; L: BAR 0;", ""},
		{"bar.sync", "@%p bra L; nanosleep.u32 1; L: BAR 0;", ""},
	} {
		body := strings.ReplaceAll(c.body, "BAR", c.bar)
		f := found(t, Independent, 64, body)
		if c.words == "" {
			require.Nil(t, f, body)
			continue
		}
		require.NotNil(t, f, body)
		require.Contains(t, f.Message, c.words)
		require.Contains(t, f.Message, "barrier.sync without .aligned")
		require.Equal(t, Synccheck, f.Check)
		require.Equal(t, "9.7.15.1", f.Section)
	}
	require.Equal(t, 6, found(t, Independent, 32, strings.ReplaceAll(twoSites, "BAR", "bar.sync")).Other.Line)
}

// Before sm_70 one lane's arrival counts for its warp, and the other side passes the barrier later.
func TestDivergentBarriersOnTheStack(t *testing.T) {
	const body = ".reg .pred %p; .reg .b32 %l; mov.u32 %l, %laneid; setp.lt.u32 %p, %l, 16; "
	for text, want := range map[string]string{
		"@%p bra L; bar.sync 0; bra M; L: bar.sync 0; M: ret;": "while lanes 0-15 will come to a barrier later",
		"@%p bra L; bar.sync 0; L: ret;":                       "",
		"@%p bra L; membar.cta; L: bar.sync 0; ret;":           "",
	} {
		m, err := ptx.Parse("test.ptx", []byte(".version 6.0\n.target sm_60\n.address_size 64\n.entry k() { "+body+text+" }"))
		require.NoError(t, err)
		d, err := Load(m, Options{})
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		if want == "" {
			require.Empty(t, g.Findings(), text)
			continue
		}
		require.Len(t, g.Findings(), 1, text)
		require.Contains(t, g.Findings()[0].Message, want)
		require.NotContains(t, g.Findings()[0].Message, "without .aligned") // it would not help there
	}
}

func TestEveryCauseCountsForACheck(t *testing.T) {
	for why, kind := range causes.Table {
		require.NotZero(t, kind.Check, "cause %d", why)
	}
}
