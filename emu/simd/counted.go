package simd

import (
	"unsafe"

	"warpscope/emu/count"
	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// Parameters and locals of counted, after ctx: the instruction, its pc, and the end of the line, a length at first;
// then of a part of the line its begin, its end, and its first access, by its number and by its address; an access; two
// addresses; where the part ends if all of it is executed; and how rows differ.
const (
	cntInst = 1 + iota
	cntPC
	cntEnd
	cntFrom
	cntTo
	cntFirst
	cntList
	cntAccess
	cntAt
	cntSum
	cntWhole
	cntApart
	cntDiffer
)

// Offsets of an access.
const (
	accessLike  = uint32(unsafe.Offsetof(machine.AccessPlan{}.Like))
	accessMem   = uint32(unsafe.Offsetof(machine.AccessPlan{}.Mem))
	accessShape = uint32(unsafe.Offsetof(machine.AccessPlan{}.Shape))
	shapeStep   = accessShape + uint32(unsafe.Offsetof(count.Shape{}.Step))
	shapeSpace  = accessShape + uint32(unsafe.Offsetof(count.Shape{}.Space))
	shapeLanes  = accessShape + uint32(unsafe.Offsetof(count.Shape{}.Lanes))
	shapeRow    = accessShape + uint32(unsafe.Offsetof(count.Shape{}.Row))
	memWide     = uint32(unsafe.Offsetof(machine.Access{}.Wide))
	memAddr     = uint32(unsafe.Offsetof(machine.Access{}.Addr) + unsafe.Offsetof(row.Operand{}.Off))
	globalOf    = uint32(unsafe.Offsetof(count.Counts{}.Global))
)

// counted writes f(course, inst, pc, n), which executes the n instructions of a line from the one at a pc on, as
// function 0 does, and counts what its accesses take. stride is the distance between instructions. It returns how many
// it has executed. It goes no further than to a part with an access that is not known to take what it took the last
// time.
func counted(stride uint32) wasm.Function {
	var c wasm.Code
	c.Get(cntPC)
	c.Tee(cntFrom)
	c.Get(cntEnd)
	c.Op(wasm.I32Add)
	c.Set(cntEnd)
	c.Block() // ends where no more can be executed
	c.Loop()
	c.Get(cntEnd)
	table(&c, unsafe.Offsetof(row.Course{}.Parts), cntFrom)
	c.Tee(cntTo)
	c.Get(cntTo)
	c.Get(cntEnd)
	c.Op(wasm.I32GtS, wasm.Select)
	c.Set(cntTo)
	table(&c, unsafe.Offsetof(row.Course{}.Next), cntFrom)
	c.Tee(cntFirst)
	accessNumber(&c)
	c.Set(cntList)
	eachAccess(&c, func() { known(&c) })
	c.Get(ctx)
	c.Mem(wasm.I32Load, 4, uint32(unsafe.Offsetof(row.Course{}.Frame)))
	c.Get(cntInst)
	c.Get(cntFrom)
	c.Get(cntPC)
	c.Op(wasm.I32Sub)
	c.I32(int32(stride))
	c.Op(wasm.I32Mul, wasm.I32Add)
	word(&c, unsafe.Offsetof(row.Course{}.Active))
	c.Get(cntTo)
	c.Get(cntFrom)
	c.Op(wasm.I32Sub)
	c.Arg(wasm.Call, 0)
	c.Get(cntFrom)
	c.Op(wasm.I32Add)
	c.Get(cntTo)
	c.Set(cntWhole)
	c.Set(cntTo)
	eachAccess(&c, func() { addTaken(&c) })
	c.Get(cntTo)
	c.Tee(cntFrom)
	c.Get(cntWhole)
	c.Op(wasm.I32Eq)
	c.Get(cntTo)
	c.Get(cntEnd)
	c.Op(wasm.I32LtS, wasm.I32And)
	c.Arg(wasm.BrIf, 0)
	c.Op(wasm.End, wasm.End)
	c.Get(cntFrom)
	c.Get(cntPC)
	c.Op(wasm.I32Sub)
	return wasm.Function{Params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32}, Code: c.Bytes, Locals: []wasm.Locals{
		{N: cntApart - cntFrom, Type: wasm.I32}, {N: 2, Type: wasm.Vector}}}
}

// eachAccess writes what is done with each access of the part, two blocks below it.
func eachAccess(c *wasm.Code, do func()) {
	c.Get(cntList)
	c.Set(cntAccess)
	c.Block()
	c.Loop()
	ofAccess(c, accessPC)
	c.Get(cntTo)
	c.Op(wasm.I32GeS)
	c.Arg(wasm.BrIf, 1)
	do()
	c.Get(cntAccess)
	c.I32(int32(accessSize))
	c.Op(wasm.I32Add)
	c.Set(cntAccess)
	c.Arg(wasm.Br, 0)
	c.Op(wasm.End, wasm.End)
}

// ofAccess pushes a word of the access.
func ofAccess(c *wasm.Code, at uint32) {
	c.Get(cntAccess)
	c.Mem(wasm.I32Load, 4, at)
}

// known leaves the part, four blocks up, unless the access takes what it took the last time, or as much as an access
// before it in the part.
func known(c *wasm.Code) {
	ofAccess(c, accessLike)
	c.I32(0)
	c.Op(wasm.I32LtS)
	c.If()
	ofAccess(c, shapeLanes)
	word(c, unsafe.Offsetof(row.Course{}.Active))
	c.Op(wasm.I32Ne)
	c.Arg(wasm.BrIf, 4)
	ofAccess(c, accessMem)
	c.Mem(wasm.I32Load, 4, memAddr)
	word(c, unsafe.Offsetof(row.Course{}.Frame))
	c.Op(wasm.I32Add)
	c.Set(cntAt)
	ofAccess(c, accessMem)
	c.Mem(wasm.I32Load8U, 1, memWide)
	c.If()
	rowsApart(c, 16, wasm.V128Load64Splat, wasm.I64x2Sub)
	c.Op(wasm.Else)
	rowsApart(c, 8, wasm.V128Load32Splat, wasm.I32x4Sub)
	c.Op(wasm.End)
	c.Get(cntDiffer)
	c.Op(wasm.V128AnyTrue)
	c.Get(cntApart)
	c.Arg(wasm.I32x4ExtractLane, 0)
	ofAccess(c, shapeStep)
	c.I32(1)
	c.Op(wasm.I32Sub, wasm.I32And, wasm.I32Or)
	c.Arg(wasm.BrIf, 4)
	c.Op(wasm.Else)
	ofAccess(c, accessLike)
	c.Get(cntFirst)
	c.Op(wasm.I32LtS)
	c.Arg(wasm.BrIf, 4)
	c.Op(wasm.End)
}

// rowsApart sets cntApart to the distance between the first addresses of a row and of the row that is remembered, and
// cntDiffer to how the other distances differ from it.
func rowsApart(c *wasm.Code, groups uint32, first, sub wasm.Op) {
	c.Get(cntAt)
	c.Mem(first, 4, 0)
	c.Get(cntAccess)
	c.Mem(first, 4, shapeRow)
	c.Op(sub)
	c.Set(cntApart)
	for n := range groups {
		c.Get(cntAt)
		c.Mem(wasm.V128Load, 4, 16*n)
		c.Get(cntAccess)
		c.Mem(wasm.V128Load, 4, shapeRow+16*n)
		c.Op(sub)
		c.Get(cntApart)
		c.Op(wasm.V128Xor)
		if n > 0 {
			c.Op(wasm.V128Or)
		}
	}
	c.Set(cntDiffer)
}

// addTaken adds what the access takes to the counts of its instruction and of the warp.
func addTaken(c *wasm.Code) {
	ofAccess(c, accessLike)
	accessNumber(c)
	c.Get(cntAccess)
	ofAccess(c, accessLike)
	c.I32(0)
	c.Op(wasm.I32GeS, wasm.Select)
	ofAccess(c, shapeSpace)
	c.Op(wasm.I32Add)
	c.Set(cntAt)
	word(c, unsafe.Offsetof(row.Course{}.Insts))
	ofAccess(c, accessPC)
	c.I32(int32(unsafe.Sizeof(machine.InstCounts{})))
	c.Op(wasm.I32Mul, wasm.I32Add)
	addTraffic(c, uint32(unsafe.Offsetof(machine.InstCounts{}.Counts)))
	word(c, unsafe.Offsetof(row.Course{}.Warp))
	addTraffic(c, uint32(unsafe.Offsetof(machine.WarpCounts{}.Counts)))
}

// addTraffic adds the traffic at cntAt to counts of the same space, which are after an address on the stack.
func addTraffic(c *wasm.Code, after uint32) {
	const half = uint32(unsafe.Offsetof(count.Traffic{}.Ideal))
	ofAccess(c, shapeSpace)
	c.Op(wasm.I32Add)
	c.Set(cntSum)
	sum := func(load, add, store wasm.Op, at uint32) {
		c.Get(cntSum)
		c.Get(cntSum)
		c.Mem(load, 8, after+globalOf+at)
		c.Get(cntAt)
		c.Mem(load, 8, accessShape+at)
		c.Op(add)
		c.Mem(store, 8, after+globalOf+at)
	}
	sum(wasm.V128Load, wasm.I64x2Add, wasm.V128Store, 0) // requests and parts
	sum(wasm.I64Load, wasm.I64Add, wasm.I64Store, half)
}
