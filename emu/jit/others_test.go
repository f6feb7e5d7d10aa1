package jit_test

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/jit"
	"warpscope/emu/mem"
	"warpscope/ptx"
)

// counter counts calls of compiled code.
type counter struct {
	mem.Host
	calls int
}

func (c *counter) Call(f mem.Func, frame, ctx, mask, budget uint32) uint32 {
	c.calls++
	return c.Host.Call(f, frame, ctx, mask, budget)
}

// inCalls runs a kernel "k" of one CTA with buffers of so many words, under both engines, which must agree. It returns
// the last buffer and how often compiled code was called. in is what each of the other buffers begins with.
func inCalls(t *testing.T, text string, model emu.Divergence, threads int, buffers int, in []uint32) (out []uint32,
	calls int) {
	t.Helper()
	return inWarmCalls(t, text, model, threads, buffers, in, 0)
}

// inWarmCalls is inCalls with code that is compiled when it is warm.
func inWarmCalls(t *testing.T, text string, model emu.Divergence, threads int, buffers int, in []uint32, warm int64) (
	out []uint32, calls int) {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(".version 8.0\n.target sm_90\n.address_size 64\n"+text))
	require.NoError(t, err)
	var grids [2]*emu.Grid
	for i := range grids {
		d, err := emu.Load(m, emu.Options{Divergence: model, Engine: emu.Interpreter})
		require.NoError(t, err)
		host := &counter{}
		if i == 1 {
			host.Host, err = mem.OpenHost(&d.Mem.Arena)
			require.NoError(t, err)
			d.SetEngine(jit.New(d, host, warm))
		}
		var args [][]byte
		var last emu.Addr
		for n := range buffers {
			last, err = d.Alloc(4 * len(in))
			require.NoError(t, err)
			var bytes []byte
			for _, v := range in {
				bytes = binary.LittleEndian.AppendUint32(bytes, v+uint32(100*n))
			}
			if n+1 < buffers {
				require.NoError(t, d.Write(last, bytes))
			}
			args = append(args, emu.Ptr(last))
		}
		grids[i], err = d.Launch(emu.Config{Entry: "k", Block: emu.Dim3{X: threads}, Args: args})
		require.NoError(t, err)
		require.NoError(t, grids[i].Run(t.Context()))
		bytes := make([]byte, 4*len(in))
		require.NoError(t, d.Read(last, bytes))
		out = out[:0]
		for n := range in {
			out = append(out, binary.LittleEndian.Uint32(bytes[4*n:]))
		}
		calls = host.calls
	}
	require.Equal(t, grids[0].Stats(), grids[1].Stats())
	require.Equal(t, grids[0].Counted(), grids[1].Counted())
	require.Equal(t, grids[0].Hash(), grids[1].Hash())
	return out, calls
}

// In each of 1,000 rounds even lanes read one buffer and odd lanes another one, and all store the same as before.
func TestLanesInTwoAllocations(t *testing.T) {
	const kernel = `.entry k(.param .u64 a, .param .u64 b, .param .u64 out) {
	.reg .b64 %a, %b, %o, %i; .reg .b32 %t, %v, %n; .reg .pred %p;
	ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %o, [out];
	mov.u32 %t, %tid.x;
	mul.wide.u32 %i, %t, 4;
	add.u64 %o, %o, %i;
	and.b32 %v, %t, 1; setp.eq.u32 %p, %v, 0;
	selp.b64 %a, %a, %b, %p;
	add.u64 %a, %a, %i;
	mov.u32 %n, 0;
LOOP:
	ld.global.u32 %v, [%a];
	st.global.u32 [%o], %v;
	add.u32 %n, %n, 1;
	setp.lt.u32 %p, %n, 1000;
	@%p bra LOOP;
	ret;
}`
	for _, threads := range []int{64, 50} {
		in, want := make([]uint32, threads), make([]uint32, threads)
		for i := range in {
			in[i] = uint32(i * i)
			want[i] = in[i] + uint32(100*(i%2))
		}
		out, calls := inCalls(t, kernel, emu.Divergences()[0], threads, 3, in)
		require.Equal(t, want, out)
		// Two warps take 5 * 1,000 instructions each, in turns of 256: 40 turns, and few other reasons to stop.
		require.Less(t, calls, 80)
	}
}
