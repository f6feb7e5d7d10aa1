package simd

import (
	"unsafe"

	"warpscope/emu/jit/wasm"
	"warpscope/emu/machine"
	"warpscope/emu/row"
)

// Parameters and locals of course. The first parameter is the address of a row.Course.
const (
	ctx = iota
	_
	_
	_
	curFrame
	curActive
	curPC
	curLeft
	curMore
	curInst
	curLine
	curDone
	curExec
	curOff
	afterCourse
)

// course writes f1, which does what row.Straight promises. Function 0 is the loop over a straight line, and counter is
// the number of the one that counts as well.
func course(s Setting, counter uint32) wasm.Function {
	var c wasm.Code
	kept := []kept{{curPC, unsafe.Offsetof(row.Course{}.PC)}, {curLeft, unsafe.Offsetof(row.Course{}.Left)},
		{curMore, unsafe.Offsetof(row.Course{}.More)}}
	for _, k := range append(kept, constant...) {
		word(&c, k.at)
		c.Set(k.local)
	}
	c.Block()
	c.Loop()
	c.Get(curPC)
	word(&c, unsafe.Offsetof(row.Course{}.RPC))
	c.Op(wasm.I32Eq)
	c.Arg(wasm.BrIf, 1)
	word(&c, unsafe.Offsetof(row.Course{}.Code))
	c.Get(curPC)
	c.I32(int32(s.Stride))
	c.Op(wasm.I32Mul, wasm.I32Add)
	c.Set(curInst)
	c.Get(curLeft)
	c.I32(0)
	c.Op(wasm.I32LeS)
	c.If()
	turn(&c)
	c.Op(wasm.End)
	instField(&c, unsafe.Offsetof(machine.Inst{}.Line))
	c.Tee(curLine)
	c.I32(0)
	c.Op(wasm.I32GtS)
	c.If()
	wholeLine(&c, counter)
	c.Arg(wasm.Br, 1)
	c.Op(wasm.End)
	branch(&c)
	c.Arg(wasm.Br, 0)
	c.Op(wasm.End, wasm.End)
	for _, k := range kept {
		c.Get(ctx)
		c.Get(k.local)
		c.Mem(wasm.I32Store, 4, uint32(k.at))
	}
	c.Get(curDone)
	return wasm.Function{Params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32}, Code: c.Bytes,
		Locals: []wasm.Locals{{N: afterCourse - curFrame, Type: wasm.I32}}}
}

// kept is a local that is a field of the row.Course.
type kept struct {
	local uint32
	at    uintptr
}

// constant are those that course does not change.
var constant = []kept{{curFrame, unsafe.Offsetof(row.Course{}.Frame)},
	{curActive, unsafe.Offsetof(row.Course{}.Active)}}

// turn adds to what is left the instructions that a turn goes on with, as machine's stretch does. It ends the loop, two
// blocks up, where there are none, or more than the budget has.
func turn(c *wasm.Code) {
	// In the middle of a block the rest of a line, or one instruction.
	instField(c, unsafe.Offsetof(machine.Inst{}.Line))
	c.I32(1)
	instField(c, unsafe.Offsetof(machine.Inst{}.Line))
	c.Op(wasm.Select)
	c.Set(curLine)
	instByte(c, unsafe.Offsetof(machine.Inst{}.Leader))
	c.If()
	instField(c, unsafe.Offsetof(machine.Inst{}.Private))
	c.I32(0)
	word(c, unsafe.Offsetof(row.Course{}.Turn))
	c.Get(curLeft)
	c.Get(curMore)
	c.Op(wasm.I32Add, wasm.I32Add)
	c.I32(machine.LastTurn)
	c.Op(wasm.I32GtS, wasm.Select)
	c.Set(curLine)
	c.Op(wasm.End)
	c.Get(curLine)
	c.Op(wasm.I32Eqz)
	c.Get(curLine)
	c.Get(curMore)
	c.Op(wasm.I32GtS, wasm.I32Or)
	c.Arg(wasm.BrIf, 2)
	c.Get(curLeft)
	c.Get(curLine)
	c.Op(wasm.I32Add)
	c.Set(curLeft)
	c.Get(curMore)
	c.Get(curLine)
	c.Op(wasm.I32Sub)
	c.Set(curMore)
}

// instByte and instField push a field of the instruction.
func instByte(c *wasm.Code, at uintptr) {
	c.Get(curInst)
	c.Mem(wasm.I32Load8U, 1, uint32(at))
}

func instField(c *wasm.Code, at uintptr) {
	c.Get(curInst)
	c.Mem(wasm.I32Load, 4, uint32(at))
}

// word pushes a word of the row.Course.
func word(c *wasm.Code, at uintptr) {
	c.Get(ctx)
	c.Mem(wasm.I32Load, 4, uint32(at))
}

// wholeLine executes a straight line. It ends the loop, two blocks up, where it has not come to the line's end. counter
// is the function that counts.
func wholeLine(c *wasm.Code, counter uint32) {
	c.Get(curLine)
	c.Get(curLeft)
	c.Op(wasm.I32GtS)
	c.Arg(wasm.BrIf, 2)
	c.Get(curFrame)
	c.Get(curActive)
	c.Mem(wasm.I32Store, 4, row.ExecMask)
	callLine(c, counter)
	c.I32(0)
	c.Set(curDone)
	c.Get(curLeft)
	c.Get(curLine)
	c.Op(wasm.I32Sub)
	c.Set(curLeft)
	executed(c, unsafe.Offsetof(machine.Count{}.Lines))
	whereCounted(c, func() { countLanes(c, unsafe.Offsetof(machine.InstCounts{}.Lines), curActive) })
	// The lanes note at the line's end that they have executed it.
	c.Get(curFrame)
	instField(c, unsafe.Offsetof(machine.Inst{}.Seen))
	c.Op(wasm.I32Add)
	c.Tee(curExec)
	c.Get(curExec)
	c.Mem(wasm.I32Load, 4, 0)
	c.Get(curActive)
	c.Op(wasm.I32Or)
	c.Mem(wasm.I32Store, 4, 0)
	c.Get(curPC)
	c.Get(curLine)
	c.Op(wasm.I32Add)
	c.Set(curPC)
}

// callLine calls the function that executes the line, and ends the loop, two blocks up, where it has not come to the
// line's end. What counts takes time, so it executes only lines that have accesses.
func callLine(c *wasm.Code, counter uint32) {
	c.I32(0)
	c.Set(curDone) // whether the line has accesses to count
	whereCounted(c, func() {
		table(c, unsafe.Offsetof(row.Course{}.Next), curPC)
		accessNumber(c)
		c.Mem(wasm.I32Load, 4, accessPC)
		c.Get(curPC)
		c.Get(curLine)
		c.Op(wasm.I32Add, wasm.I32LtS)
		c.Set(curDone)
	})
	c.Get(curDone)
	c.If()
	c.Get(ctx)
	c.Get(curInst)
	c.Get(curPC)
	c.Get(curLine)
	c.Arg(wasm.Call, counter)
	c.Tee(curDone)
	c.Get(curLine)
	c.Op(wasm.I32Ne)
	c.If()
	partOfLine(c)
	c.Arg(wasm.Br, 4)
	c.Op(wasm.End)
	c.Op(wasm.Else)
	c.Get(curFrame)
	c.Get(curInst)
	c.Get(curActive)
	c.Get(curLine)
	c.Arg(wasm.Call, 0)
	c.Tee(curDone)
	c.Get(curLine)
	c.Op(wasm.I32Ne)
	c.Arg(wasm.BrIf, 3)
	c.Op(wasm.End)
}

// partOfLine counts the curDone instructions of a line that were executed each by itself, and goes on after them.
func partOfLine(c *wasm.Code) {
	c.Get(curPC)
	c.Get(curDone)
	c.Op(wasm.I32Add)
	c.Set(curLine)
	c.Get(curLeft)
	c.Get(curDone)
	c.Op(wasm.I32Sub)
	c.Set(curLeft)
	c.I32(0)
	c.Set(curDone)
	c.Block()
	c.Loop()
	c.Get(curPC)
	c.Get(curLine)
	c.Op(wasm.I32GeS)
	c.Arg(wasm.BrIf, 1)
	executed(c, unsafe.Offsetof(machine.Count{}.Each))
	inst := machine.InstCounts{}
	countLanes(c, unsafe.Offsetof(inst.Counts)+unsafe.Offsetof(inst.Counts.Lanes), curActive)
	c.Get(curPC)
	c.I32(1)
	c.Op(wasm.I32Add)
	c.Set(curPC)
	c.Arg(wasm.Br, 0)
	c.Op(wasm.End, wasm.End)
}

// executed adds 1 to a number of the instruction at the pc.
func executed(c *wasm.Code, at uintptr) {
	word(c, unsafe.Offsetof(row.Course{}.Counts))
	c.Get(curPC)
	c.I32(int32(unsafe.Sizeof(machine.Count{})))
	c.Op(wasm.I32Mul, wasm.I32Add)
	c.Tee(curExec)
	c.Get(curExec)
	c.Mem(wasm.I64Load, 8, uint32(at))
	c.I64(1)
	c.Op(wasm.I64Add)
	c.Mem(wasm.I64Store, 8, uint32(at))
}

// whereCounted writes what is done where lanes are counted.
func whereCounted(c *wasm.Code, do func()) {
	word(c, unsafe.Offsetof(row.Course{}.Insts))
	c.If()
	do()
	c.Op(wasm.End)
}

// countLanes adds the lanes of a local to a number of the instruction at the pc.
func countLanes(c *wasm.Code, at uintptr, lanes uint32) {
	word(c, unsafe.Offsetof(row.Course{}.Insts))
	c.Get(curPC)
	c.I32(int32(unsafe.Sizeof(machine.InstCounts{})))
	c.Op(wasm.I32Mul, wasm.I32Add)
	c.Set(curExec)
	addLanes(c, curExec, at, lanes)
}

// addLanes adds the number of a local's lanes to a number at an offset from another local.
func addLanes(c *wasm.Code, base uint32, at uintptr, lanes uint32) {
	c.Get(base)
	c.Get(base)
	c.Mem(wasm.I64Load, 8, uint32(at))
	c.Get(lanes)
	c.Op(wasm.I32Popcnt, wasm.I64ExtendI32U, wasm.I64Add)
	c.Mem(wasm.I64Store, 8, uint32(at))
}

// countBranch counts a branch, whose lanes that jump are in curLine, as WarpCounts.inst does.
func countBranch(c *wasm.Code) {
	inst, warp := machine.InstCounts{}, machine.WarpCounts{}
	ofInst, ofWarp := unsafe.Offsetof(inst.Counts), unsafe.Offsetof(warp.Counts)
	countLanes(c, ofInst+unsafe.Offsetof(inst.Counts.Lanes), curActive)
	c.Get(curActive)
	c.Get(curLine)
	c.I32(-1)
	c.Op(wasm.I32Xor, wasm.I32And)
	c.Set(curOff)
	addLanes(c, curExec, ofInst+unsafe.Offsetof(inst.Counts.Off), curOff)
	word(c, unsafe.Offsetof(row.Course{}.Warp))
	c.Set(curExec)
	addLanes(c, curExec, ofWarp+unsafe.Offsetof(warp.Counts.Off), curOff)
	c.I32(1)
	c.Set(curOff)
	addLanes(c, curExec, ofWarp+unsafe.Offsetof(warp.Counts.Branches), curOff)
}

// branch goes where a branch goes on which all lanes agree. It ends the loop, one block up, at all else.
func branch(c *wasm.Code) {
	instByte(c, unsafe.Offsetof(machine.Inst{}.Op))
	c.I32(int32(machine.OpBra))
	c.Op(wasm.I32Ne)
	instByte(c, unsafe.Offsetof(machine.Inst{}.Held))
	c.Op(wasm.I32Or)
	c.Arg(wasm.BrIf, 1)
	c.Get(curFrame)
	instField(c, unsafe.Offsetof(machine.Inst{}.Guard))
	c.Op(wasm.I32Add)
	c.Mem(wasm.I32Load, 4, 0)
	instField(c, unsafe.Offsetof(machine.Inst{}.Neg))
	c.Op(wasm.I32Xor)
	c.Get(curActive)
	c.Op(wasm.I32And)
	c.Tee(curLine) // the lanes that jump
	c.I32(0)
	c.Op(wasm.I32Ne)
	c.Get(curLine)
	c.Get(curActive)
	c.Op(wasm.I32Ne, wasm.I32And)
	c.Arg(wasm.BrIf, 1)
	c.Get(curFrame)
	c.Get(curLine)
	c.Mem(wasm.I32Store, 4, row.ExecMask)
	executed(c, unsafe.Offsetof(machine.Count{}.Each))
	whereCounted(c, func() { countBranch(c) })
	c.Get(curLeft)
	c.I32(1)
	c.Op(wasm.I32Sub)
	c.Set(curLeft)
	instField(c, unsafe.Offsetof(machine.Inst{}.Target))
	c.Get(curPC)
	c.I32(1)
	c.Op(wasm.I32Add)
	c.Get(curLine)
	c.Op(wasm.Select)
	c.Set(curPC)
	word(c, unsafe.Offsetof(row.Course{}.Once))
	c.If()
	c.I32(-1)
	c.Set(curDone)
	c.Arg(wasm.Br, 2)
	c.Op(wasm.End)
}

// Offsets of an access.
const (
	accessSize = uint32(unsafe.Sizeof(machine.AccessPlan{}))
	accessPC   = uint32(unsafe.Offsetof(machine.AccessPlan{}.PC))
)

// table pushes the word for a pc of a table whose address is in the row.Course.
func table(c *wasm.Code, at uintptr, pc uint32) {
	word(c, at)
	c.Get(pc)
	c.I32(4)
	c.Op(wasm.I32Mul, wasm.I32Add)
	c.Mem(wasm.I32Load, 4, 0)
}

// accessNumber turns the number of an access into its address.
func accessNumber(c *wasm.Code) {
	c.I32(int32(accessSize))
	c.Op(wasm.I32Mul)
	word(c, unsafe.Offsetof(row.Course{}.Accesses))
	c.Op(wasm.I32Add)
}
