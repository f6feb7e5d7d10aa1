package machine

// Op is a decoded operation. Arithmetic is OpHandler or OpPure, and most of what is more than that is OpRun: lowering
// has chosen the function. warp.special tells the others apart.
type Op uint8

const (
	OpHandler Op = iota // inst.handler computes it
	OpLoad
	OpStore
	OpPure // extra.run, which neither fails nor makes lanes wait, and needs only registers
	OpBra
	OpNop // extra.run, if there is one, is for what notes findings
	OpBrx
	OpCall
	OpRet
	OpExit
	OpBar
	OpSleep
	OpAtom
	OpAtomWide // 128 bits, and vectors
	OpRun      // extra.run, which may fail or make lanes wait
	OpIndexed
)

// lastLineOp is the last of the ops that may stand in the straight lines of warp.run.
const lastLineOp = OpPure

// ConstShift ends the keys of handlers that shift by a constant below 32, which needs no clamping.
const ConstShift = ".const"

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
