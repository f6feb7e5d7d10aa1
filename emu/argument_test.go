package emu

import (
	"context"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/gpu"
	"warpscope/ptx"
)

// A parameter that people edit is another one from then on, for warps that run and for CTAs that start later; going
// back undoes it.
func TestEditedArguments(t *testing.T) {
	d := load(t, `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{ .reg .b64 %o; .reg .b32 %n, %c;
  ld.param.u64 %o, [out]; mov.u32 %c, %ctaid.x; mad.wide.u32 %o, %c, 4, %o;
  ld.param.u32 %n, [n];
  st.global.u32 [%o], %n;
  ret; }`)
	out, err := d.Alloc(8)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 1}, Args: [][]byte{Ptr(out), {7, 0, 0, 0}}})
	require.NoError(t, err)
	_, err = g.Step()
	require.NoError(t, err)
	early := g.Snapshot()
	for _, n := range []byte{7, 9, 7} {
		if n == 9 {
			for _, a := range d.Allocations() {
				if a.Space == ptx.ParamSpace { // n is after the eight bytes of out
					require.NoError(t, g.Edit(gpu.Edit{Addr: a.Addr + 8, Bytes: []byte{9}}))
				}
			}
		}
		require.NoError(t, g.Run(context.Background()))
		b := make([]byte, 8)
		require.NoError(t, d.Read(out, b))
		require.Equal(t, []byte{n, 0, 0, 0, n, 0, 0, 0}, b)
		g.Restore(early)
	}
}

// The same program gets other arguments with each launch. It reads them by name and through their address, as a
// structure's members and with a guard, and a step shows the registers that it writes.
func TestArgumentsAreOfTheLaunch(t *testing.T) {
	d := load(t, `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n, .param .align 8 .b8 s[16])
{ .reg .b64 %o, %x, %p; .reg .b32 %n, %m, %a, %t; .reg .pred %q;
  ld.param.u64 %o, [out];
  ld.param.u32 %n, [n];
  mov.b64 %p, n; cvta.param.u64 %p, %p; ld.u32 %m, [%p];
  mov.u32 %t, %tid.x; setp.eq.u32 %q, %t, 1; mov.b32 %a, 5;
  @%q ld.param.u32 %a, [s+4];
  ld.param.u64 %x, [s+8];
  mad.wide.u32 %o, %t, 24, %o;
  st.global.u32 [%o], %n; st.global.u32 [%o+4], %m; st.global.u32 [%o+8], %a; st.global.u64 [%o+16], %x;
  ret; }`)
	out, err := d.Alloc(48)
	require.NoError(t, err)
	for _, n := range []uint32{7, 1 << 31} {
		members := binary.LittleEndian.AppendUint64(nil, uint64(n+1)<<32)
		members = binary.LittleEndian.AppendUint64(members, uint64(n)<<20|3)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 2},
			Args: [][]byte{Ptr(out), binary.LittleEndian.AppendUint32(nil, n), members}})
		require.NoError(t, err)
		_, err = g.Step()
		require.NoError(t, err)
		s, err := g.Step() // ld.param.u32 %n
		require.NoError(t, err)
		require.Len(t, s.Regs, 1)
		require.Equal(t, "%n", s.Regs[0].Reg.Name)
		require.EqualValues(t, 3, s.Regs[0].Lanes)
		require.EqualValues(t, n, s.Regs[0].New[1])
		require.NoError(t, g.Run(context.Background()))
		b := make([]byte, 48)
		require.NoError(t, d.Read(out, b))
		for lane, a := range []uint32{5, n + 1} {
			at := b[24*lane:]
			require.Equal(t, n, binary.LittleEndian.Uint32(at))
			require.Equal(t, n, binary.LittleEndian.Uint32(at[4:]))
			require.Equal(t, a, binary.LittleEndian.Uint32(at[8:]))
			require.Equal(t, uint64(n)<<20|3, binary.LittleEndian.Uint64(at[16:]))
		}
	}
}
