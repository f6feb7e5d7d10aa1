// Package simd writes the interpreter's loop over straight lines in WebAssembly SIMD: what row.Run does, 4 lanes at a
// time. It can be used where a host runs code in this program's own memory, as JavaScript engines do.
package simd

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
)

// Module returns a module of two functions. f0(frame, in, exec, n) executes up to n instructions from the one at in, in
// the lanes of exec, as row.Run does. It returns how many it has executed; the next one is left to others. f1(course)
// is row.Straight.
func Module(s Setting) []byte {
	parts := parts(s)
	list := []wasm.Function{loop(s, parts), course(s, uint32(len(parts))+2)}
	for _, p := range parts {
		list = append(list, p.function())
	}
	return wasm.Module(2, append(list, counted(s.Stride)))
}

// Parameters and locals of the loop.
const (
	locExec = 2 + iota
	locLeft
	locTo
	locDone
	locStopped
	locVector
)

// loop writes f0. Each case of a table calls a part.
func loop(s Setting, parts []*part) wasm.Function {
	var c wasm.Code
	c.Block()
	c.Loop()
	c.Get(locDone)
	c.Get(locLeft)
	c.Op(wasm.I32Eq)
	c.Arg(wasm.BrIf, 1)
	result(&c)
	call(&c, parts)
	c.Get(locStopped)
	c.Arg(wasm.BrIf, 1)
	blend(&c)
	c.Get(inst)
	c.I32(int32(s.Stride))
	c.Op(wasm.I32Add)
	c.Set(inst)
	c.Get(locDone)
	c.I32(1)
	c.Op(wasm.I32Add)
	c.Set(locDone)
	c.Arg(wasm.Br, 0)
	c.Op(wasm.End, wasm.End)
	c.Get(locDone)
	return wasm.Function{Params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32}, Code: c.Bytes, Locals: []wasm.Locals{
		{N: locVector - locTo, Type: wasm.I32}, {N: 1, Type: wasm.Vector}}}
}

// result sets locTo to the place of the result: the row D, or the scratch row where some lanes do not take it.
func result(c *wasm.Code) {
	c.Get(frame)
	field(c, atD)
	c.I32(row.Scratch)
	c.Get(locExec)
	c.I32(-1)
	c.Op(wasm.I32Eq)
	c.Get(inst)
	c.Mem(wasm.I32Load8U, 1, atWidth)
	c.Op(wasm.I32Eqz, wasm.I32Or, wasm.Select, wasm.I32Add)
	c.Set(locTo)
}

// call sets locStopped to what the part of the instruction returns, and to 1 where there is none.
func call(c *wasm.Code, parts []*part) {
	cases := uint32(len(parts))
	var byNumber, byHow, byAccess []uint32
	for i, p := range parts {
		list, n := &byNumber, int(p.number)
		switch {
		case p.how != 0:
			list, n = &byHow, int(p.how)
		case p.number >= row.FirstAccess:
			list, n = &byAccess, n-row.FirstAccess
		}
		for len(*list) <= n {
			*list = append(*list, cases)
		}
		(*list)[n] = uint32(i)
	}
	// Blocks end in the order of the cases; the last one is that of all others.
	c.Block()
	for range cases + 1 {
		c.Block()
	}
	c.Get(inst)
	c.Mem(wasm.I32Load8U, 1, atHow)
	c.Tee(locStopped)
	c.I32(1)
	c.Op(wasm.I32Sub)
	c.I32(row.ByFma)
	c.Op(wasm.I32LtU)
	c.If()
	number(c)
	c.Table(deeper(byNumber), cases+1)
	c.Op(wasm.End)
	c.Get(locExec) // accesses are those of all lanes
	c.I32(-1)
	c.Op(wasm.I32Ne)
	c.Arg(wasm.BrIf, cases)
	c.Get(locStopped)
	c.If()
	c.Get(locStopped)
	c.Table(deeper(byHow), cases+1)
	c.Op(wasm.End)
	number(c)
	c.I32(row.FirstAccess)
	c.Op(wasm.I32Sub)
	c.Table(byAccess, cases)
	for i := range parts {
		c.Op(wasm.End)
		c.Get(frame)
		c.Get(inst)
		c.Get(locTo)
		c.Arg(wasm.Call, uint32(i)+2) // after f0 and f1
		c.Set(locStopped)
		c.Arg(wasm.Br, cases-uint32(i))
	}
	c.Op(wasm.End)
	c.I32(1)
	c.Set(locStopped)
	c.Op(wasm.End)
}

func number(c *wasm.Code) {
	c.Get(inst)
	c.Mem(wasm.I32Load16U, 2, atNumber)
}

// deeper are the same labels one block deeper.
func deeper(labels []uint32) (list []uint32) {
	for _, l := range labels {
		list = append(list, l+1)
	}
	return list
}

// blend copies the scratch row to the row D in the lanes of exec, if the result is there.
func blend(c *wasm.Code) {
	c.Get(locTo)
	c.Get(frame)
	c.I32(row.Scratch)
	c.Op(wasm.I32Add, wasm.I32Eq)
	c.If()
	c.Get(frame)
	field(c, atD)
	c.Op(wasm.I32Add)
	c.Set(locTo)
	c.Get(locExec)
	c.Op(wasm.I32x4Splat)
	c.Set(locVector)
	c.Get(inst)
	c.Mem(wasm.I32Load8U, 1, atWidth)
	c.I32(1)
	c.Op(wasm.I32Eq)
	c.If()
	for n := range uint32(8) {
		take(c, 16*n, 1<<(4*n)|2<<(4*n)<<32, 4<<(4*n)|8<<(4*n)<<32, wasm.I32x4Ne)
	}
	c.Op(wasm.Else)
	for n := range uint32(16) {
		take(c, 16*n, 1<<(2*n), 2<<(2*n), wasm.I64x2Ne)
	}
	c.Op(wasm.End, wasm.End)
}

// take copies 16 bytes in the lanes whose bit is set in locVector.
func take(c *wasm.Code, at uint32, lo, hi uint64, differ wasm.Op) {
	c.Get(locTo)
	c.Get(frame)
	c.Mem(wasm.V128Load, 4, row.Scratch+at)
	c.Get(locTo)
	c.Mem(wasm.V128Load, 4, at)
	c.Get(locVector)
	c.V128(lo, hi)
	c.Op(wasm.V128And)
	c.V128(0, 0)
	c.Op(differ, wasm.V128Bitselect)
	c.Mem(wasm.V128Store, 4, at)
}
