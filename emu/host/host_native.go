//go:build !js

package host

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"warpscope/emu/mem"
)

// native is a mem.Host on wazero.
type native struct {
	arena  *mem.Arena
	config wazero.RuntimeConfig
	env    *environment // nil until something is compiled
	funcs  []api.Function
	stack  [4]uint64 // arguments and result of a call
}

// environment is a runtime with the memory that modules import. It does not refer to its host, whose end is its own.
type environment struct {
	ctx     context.Context // has the environment as the allocator of memories, and as what modules import
	runtime wazero.Runtime
	memory  api.Module
	bytes   []byte // of the arena
}

// shared is what the runtimes of all hosts share: wazero's own code, and that of modules that more than one has
// compiled. A module's code is released when the last runtime that has it is closed.
var shared = wazero.NewCompilationCache()

func open(a *mem.Arena) (mem.Host, error) {
	if err := works(); err != nil {
		return nil, err
	}
	return &native{arena: a, config: compiler}, nil
}

// Interpreted is a host without a compiler: slower than the machine's own interpreter where code runs for long, and
// much faster where, as in a test, code runs once. Under js/wasm it is the only host that there is.
func Interpreted(a *mem.Arena) (mem.Host, error) {
	return &native{arena: a, config: wazero.NewRuntimeConfigInterpreter()}, nil
}

// compiler is how programs run code.
var compiler = wazero.NewRuntimeConfigCompiler().WithCompilationCache(shared)

// works says, once in a process, why nothing can be compiled here.
var works = sync.OnceValue(func() error {
	e, err := newEnvironment(compiler)
	if err != nil {
		return err
	}
	return e.runtime.Close(e.ctx)
})

// memoryModule exports a memory without pages and without a limit as "memory".
var memoryModule = []byte("\x00asm\x01\x00\x00\x00" + "\x05\x03\x01\x00\x00" + "\x07\x0a\x01\x06memory\x02\x00")

func newEnvironment(config wazero.RuntimeConfig) (e *environment, err error) {
	defer func() { // wazero tells a machine without a compiler by a panic
		if why := recover(); why != nil {
			e, err = nil, fmt.Errorf("no code can be compiled on %s/%s: %v", runtime.GOOS, runtime.GOARCH, why)
		}
	}()
	e = &environment{ctx: context.Background()}
	e.runtime = wazero.NewRuntimeWithConfig(e.ctx,
		config.WithCoreFeatures(api.CoreFeaturesV2).WithDebugInfoEnabled(false))
	e.memory, err = e.runtime.InstantiateWithConfig(experimental.WithMemoryAllocator(e.ctx, e), memoryModule,
		wazero.NewModuleConfig().WithName("env"))
	return e, err
}

// Allocate implements experimental.MemoryAllocator.
func (e *environment) Allocate(_, _ uint64) experimental.LinearMemory { return e }

// Reallocate implements experimental.LinearMemory: the memory's bytes are those of the arena.
func (e *environment) Reallocate(size uint64) []byte { return e.bytes[:size:size] }

// Free implements experimental.LinearMemory. The arena owns its bytes.
func (e *environment) Free() {}

// see makes the memory the bytes of an arena, which has grown or is new.
func (e *environment) see(bytes []byte) {
	const page = 1 << 16
	grown := len(bytes) - len(e.bytes)
	e.bytes = bytes
	if _, ok := e.memory.Memory().Grow(uint32(grown / page)); !ok {
		panic(fmt.Sprintf("the arena has %d bytes, which wazero does not take", len(bytes)))
	}
}

// Base implements mem.Host.
func (h *native) Base() uint32 { return 0 }

// Compile implements mem.Host.
func (h *native) Compile(module []byte, functions int) ([]mem.Func, error) {
	if h.env == nil {
		env, err := newEnvironment(h.config)
		if err != nil {
			return nil, err
		}
		h.env = env
		runtime.AddCleanup(h, func(r wazero.Runtime) { r.Close(context.Background()) }, env.runtime)
	}
	h.look()
	m, err := h.env.runtime.InstantiateWithConfig(h.env.ctx, module, wazero.NewModuleConfig().WithName(""))
	if err != nil {
		return nil, err
	}
	list := make([]mem.Func, functions)
	for i := range list {
		f := m.ExportedFunction(fmt.Sprint("f", i))
		if f == nil {
			return nil, fmt.Errorf("the module exports no function f%d", i)
		}
		list[i] = mem.Func(len(h.funcs))
		h.funcs = append(h.funcs, f)
	}
	return list, nil
}

// look lets the memory follow the arena. The arena moves only when it grows.
func (h *native) look() {
	if bytes := h.arena.All(); len(bytes) != len(h.env.bytes) {
		h.env.see(bytes)
	}
}

// Call implements mem.Host. A trap is a defect of what has compiled the code, and a panic.
func (h *native) Call(f mem.Func, frame, ctx, mask, budget uint32) uint32 {
	h.look()
	h.stack = [4]uint64{uint64(frame), uint64(ctx), uint64(mask), uint64(budget)}
	if err := h.funcs[f].CallWithStack(h.env.ctx, h.stack[:]); err != nil {
		panic(fmt.Sprintf("compiled code: %v", err))
	}
	return uint32(h.stack[0])
}
