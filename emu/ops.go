package emu

import "unsafe"

//go:generate go run ./gen -dir .

// op is a decoded operation. Arithmetic is opHandler or opPure, and most of what is more than that is opRun: lowering
// has chosen the function. warp.special tells the others apart.
type op uint8

const (
	opHandler op = iota // inst.handler computes it
	opLoad
	opStore
	opPure // extra.run, which neither fails nor makes lanes wait, and needs only registers
	opBra
	opNop // extra.run, if there is one, is for what notes findings
	opBrx
	opCall
	opRet
	opExit
	opBar
	opSleep
	opAtom
	opAtomWide // 128 bits, and vectors
	opRun      // extra.run, which may fail or make lanes wait
	opIndexed
)

// How runRows executes an instruction without the rest of the emulator: inst.row, 0 when it cannot. All but rowCall
// need all lanes.
const (
	rowCall       = 1 + iota // calls the handler
	rowFma                   // hFmaF32
	rowLoad32at32            // a load from shared memory of 32 or 64 bits, with addresses of 32 or 64 bits
	rowLoad32at64
	rowLoad64at32
	rowLoad64at64
)

// lastLineOp is the last of the ops that may stand in the straight lines of warp.run.
const lastLineOp = opPure

// handler computes one instruction in all 32 lanes of a frame. Its result goes to row to; handlers whose result is a
// mask store it there under the execution mask that the loop leaves at execMask.
type handler func(f unsafe.Pointer, in *rowInst, to uint32)

// genOp is a handler with the row widths of its result and operands (1: 32 bits, 2: 64 bits, 0: mask).
type genOp struct {
	run  handler
	rows []uint8
	row  uint8 // inst.row
}

// constShift ends the keys of handlers that shift by a constant below 32, which needs no clamping.
const constShift = ".const"

// stop says why warp.run returned.
type stop uint8

const (
	stopBudget stop = iota // n instructions have been executed
	stopBlocked
	stopYield
	stopEnded
	stopFault
	stopBreak
)

// action says how the loop goes on after warp.special.
type action uint8

const (
	actNext   action = iota // the next instruction
	actJumped               // the policy has changed the group, or no lane can go on
	actYield                // let other warps run
	actFault
)
