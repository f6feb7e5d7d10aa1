package emu

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

// lastLineOp is the last of the ops that may stand in the straight lines of warp.run.
const lastLineOp = opPure

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
