package jit_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// Breakpoints of one warp or one CTA stop that and let all others pass, with both engines.
func TestBreaksOfOneWarp(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.entry k() { .reg .b32 %r; .reg .pred %p; mov.u32 %r, 0;
L:	add.u32 %r, %r, 1; bar.sync 0; setp.lt.u32 %p, %r, 10; @%p bra L; bar.sync 0; ret; }
`
	for i := range 4 {
		engine := []emu.Engine{emu.Interpreter, emu.Compiled}[i%2]
		of, want := -1, 20
		if i < 2 {
			of, want = 1, 10
		}
		m, err := ptx.Parse("two.ptx", []byte(text))
		require.NoError(t, err)
		d, err := emu.Load(m, emu.Options{Engine: engine})
		require.NoError(t, err)
		g, err := d.Launch(emu.Config{Entry: "k", Grid: emu.Dim3{X: 3}, Block: emu.Dim3{X: 64}})
		require.NoError(t, err)
		g.SetBreaksOf(1, of, map[*ptx.Inst]bool{m.Funcs[0].Insts[1]: true})
		stops := 0
		for done := false; !done; {
			if done, err = g.RunFor(1 << 20); err == nil {
				continue
			}
			require.ErrorIs(t, err, emu.ErrBreak)
			cta, warp, ok := g.Next()
			require.Equal(t, []any{1, true}, []any{cta, ok})
			require.Contains(t, []int{1, of + 1}, warp)
			require.True(t, g.AtBreak())
			stops++
		}
		require.Equal(t, want, stops, "once a round")
	}
}

// Of breakpoints at stores, atomics and barriers, only those stop that write one of the bytes asked for. Thread t of 64
// stores 4 bytes at out+4*t and adds to out+256+4*t where t is 40: word 33 is lane 1 of warp 1, word 104 is lane 8.
func TestBreaksWhereMemoryIsWritten(t *testing.T) {
	const text = `.version 7.0
.target sm_70
.address_size 64
.entry k(.param .u64 out) { .reg .b32 %r<2>; .reg .b64 %rd<3>; .reg .pred %p;
	ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r1;
	setp.eq.u32 %p, %r1, 40;
	bar.sync 0;
	@%p red.global.add.u32 [%rd1+256], 1;
	ret; }
`
	for _, c := range []struct {
		at, size int
		want     []string // warp and opcode of each stop
	}{
		{4 * 33, 4, []string{"1 st.global.u32"}},
		{4*33 + 3, 1, []string{"1 st.global.u32"}},
		{4*32 - 1, 2, []string{"0 st.global.u32", "1 st.global.u32"}},
		{4 * 104, 4, []string{"1 red.global.add.u32"}},
		{4 * 105, 4, nil}, // lane 9 would add there, but its guard is false
		{4 * 64, 160, nil},
	} {
		for _, options := range []emu.Options{{}, {Sanitize: emu.Racecheck}, {Engine: emu.Compiled}} {
			m, err := ptx.Parse("stores.ptx", []byte(text))
			require.NoError(t, err)
			d, err := emu.Load(m, options)
			require.NoError(t, err)
			out, err := d.Alloc(512)
			require.NoError(t, err)
			g, err := d.Launch(emu.Config{Entry: "k", Block: emu.Dim3{X: 64}, Args: [][]byte{emu.Ptr(out)}})
			require.NoError(t, err)
			all := map[*ptx.Inst]bool{}
			for _, in := range m.Funcs[0].Insts[4:] {
				all[in] = in.Opcode != "setp.eq.u32"
			}
			g.SetBreaks(all)
			emu.BreakWhereWritten(g, out+emu.Addr(c.at), c.size)
			var stops []string
			for done := false; !done; {
				if done, err = g.RunFor(1 << 20); err == nil {
					continue
				}
				require.ErrorIs(t, err, emu.ErrBreak)
				require.True(t, g.AtBreak())
				_, warp, _ := g.Next()
				stops = append(stops, fmt.Sprint(warp, " ", g.Warp(0, warp).PC.Opcode))
			}
			require.Equal(t, c.want, stops, "%d bytes at %d", c.size, c.at)
		}
	}
}
