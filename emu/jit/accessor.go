package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// accessor writes the code of one access.
type accessor struct {
	*body
	in    *machine.Inst
	ac    *machine.Access
	pc    int32
	size  uint32        // of all elements together
	list  []row.Operand // the elements; nil for one of a row's width, which in.D is
	store bool
	some  bool // not all lanes access
}

// segment pushes the address of the range that can be accessed.
func (a *accessor) segment() {
	a.Get(locCtx)
	switch a.ac.Space {
	case ptx.SharedSpace:
		a.Mem(wasm.I32Load, 4, call.Shared)
	case ptx.LocalSpace:
		a.Mem(wasm.I32Load, 4, call.Local)
	default:
		a.Mem(wasm.I32Load, 4, a.r.site(a.pc).window+call.WinSeg)
	}
}

// sum pushes what turns an address into an offset in the range, as an i64.
func (a *accessor) sum() {
	if a.ac.Space == ptx.SharedSpace || a.ac.Space == ptx.LocalSpace {
		a.I64(int64(a.ac.Off))
		return
	}
	a.Get(locCtx)
	a.Mem(wasm.I64Load, 8, a.r.site(a.pc).window+call.WinAdd)
}

// highest pushes the highest offset of an access, as an i64.
func (a *accessor) highest() {
	a.Get(locCtx)
	switch a.ac.Space {
	case ptx.SharedSpace, ptx.LocalSpace:
		size := map[ptx.Space]uint32{ptx.SharedSpace: call.SharedSize, ptx.LocalSpace: call.LocalSize}[a.ac.Space]
		a.Mem(wasm.I64Load32U, 4, size)
		a.I64(int64(a.size))
		a.Op(wasm.I64Sub)
	default:
		a.Mem(wasm.I64Load, 8, a.r.site(a.pc).window+call.WinLimit) // of one element
		if a.size > a.ac.Size {
			a.I64(int64(a.size - a.ac.Size))
			a.Op(wasm.I64Sub)
		}
	}
}

// missIf stops before the access if the i32 on the stack is not 0. The engine then looks where it goes.
func (a *accessor) missIf() {
	a.If()
	a.Get(locCtx)
	a.I32(1)
	a.Mem(wasm.I32Store, 4, call.Miss)
	a.exit(a.pc)
	a.Op(wasm.End)
}

// mark marks the page of the byte at locTemp plus an offset as written. Shared memory needs no marks.
func (a *accessor) mark(off uint32) {
	if a.ac.Space == ptx.SharedSpace {
		return
	}
	a.Get(locTemp)
	a.I32(int32(off))
	a.Op(wasm.I32Add)
	a.I32(12)
	a.Op(wasm.I32ShrU)
	a.context(call.Marks)
	a.Op(wasm.I32Add)
	a.I32(1)
	a.Mem(wasm.I32Store8, 1, 0)
}

// changes says that memory changes.
func (a *accessor) changes() {
	a.Get(locCtx)
	a.I32(call.StoresPlain)
	a.Mem(wasm.I32Store, 4, call.Plain)
}
