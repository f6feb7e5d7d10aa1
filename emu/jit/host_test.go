package jit_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"warpscope/emu/mem"
)

// testHost runs modules with wazero. The bytes of the arena are their memory.
type testHost struct {
	t     *testing.T
	arena *mem.Memory
	of    []byte // the memory of the instances below
	run   wazero.Runtime
	code  []module
}

type module struct {
	compiled  wazero.CompiledModule
	functions int
	calls     []api.Function
}

func (h *testHost) Base() uint32 { return 0 }

func (h *testHost) Compile(bytes []byte, functions int) (list []mem.Func, err error) {
	if h.run == nil {
		h.run = wazero.NewRuntime(context.Background())
		h.t.Cleanup(func() { h.run.Close(context.Background()) })
	}
	c, err := h.run.CompileModule(context.Background(), bytes)
	if err != nil {
		return nil, err
	}
	for i := range functions {
		list = append(list, mem.Func(len(h.code)<<8|i))
	}
	h.code = append(h.code, module{compiled: c, functions: functions})
	return list, nil
}

func (h *testHost) Call(f mem.Func, frame, ctx, mask, budget uint32) uint32 {
	if now := h.arena.All(); len(h.of) != len(now) || &h.of[0] != &now[0] {
		h.bind(now)
	}
	m := &h.code[f>>8]
	if m.calls == nil {
		ins, err := h.run.InstantiateModule(h.context(), m.compiled, wazero.NewModuleConfig().WithName(""))
		require.NoError(h.t, err)
		for i := range m.functions {
			m.calls = append(m.calls, ins.ExportedFunction(fmt.Sprintf("f%d", i)))
		}
	}
	stack := [4]uint64{uint64(frame), uint64(ctx), uint64(mask), uint64(budget)}
	require.NoError(h.t, m.calls[f&255].CallWithStack(context.Background(), stack[:]))
	return uint32(stack[0])
}

func (h *testHost) context() context.Context { return context.Background() }

// bind makes the memory of all instances the bytes of the arena.
func (h *testHost) bind(now []byte) {
	h.of = now
	for i := range h.code {
		h.code[i].calls = nil
	}
	if m := h.run.Module("env"); m != nil {
		require.NoError(h.t, m.Close(context.Background()))
	}
	ctx := experimental.WithMemoryAllocator(context.Background(), experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return linear(now) }))
	pages := len(now) >> 16
	env := append([]byte("\x00asm\x01\x00\x00\x00\x05\x05\x01\x00"),
		byte(pages)|0x80, byte(pages>>7)|0x80, byte(pages>>14))
	env = append(env, "\x07\x0a\x01\x06memory\x02\x00"...)
	_, err := h.run.InstantiateWithConfig(ctx, env, wazero.NewModuleConfig().WithName("env"))
	require.NoError(h.t, err)
}

// linear is the memory of an arena as wazero's.
type linear []byte

func (m linear) Reallocate(uint64) []byte { return m }
func (m linear) Free()                    {}
