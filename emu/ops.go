package emu

//go:generate go run ./gen -dir .

// op is a decoded operation. The interpreter's loop switches over it.
type op uint16

// The hand-written ops. Those from opBar on run through warp.special.
const (
	opNop op = iota
	opMov32
	opMov64
	opSelp32
	opSelp64
	opF1 // num kernels, lane by lane
	opF2
	opF3
	opLoad
	opStore
	opBra
	// below: rare enough for a method call
	opBrx
	opCall
	opRet
	opExit
	opBar
	opBarWarp
	opTrap
	opSleep
	opPredLogic
	opSetp     // any comparison with a kernel
	opSetpX2   // packed halves: two results
	opPredTest // testp
	opCarry
	opPack
	opUnpack
	opCvta
	opIsspacep
	opAtom
	opShfl
	opVote
	opMatch
	opRedux
	opElect
	opActivemask
	opClock
	opFour // four-operand pure functions: lop3, bfi
	opMov128
	opSelpPred
	numPlainOps
)

// genOp is a generated handler: its op, and the row widths of result and operands (1: 32 bits, 2: 64 bits, 0: mask).
type genOp struct {
	op   op
	rows []uint8
}

// stop says why warp.run returned.
type stop uint8

const (
	stopBudget stop = iota
	stopBlocked
	stopYield
	stopEnded
	stopFault
	stopBreak
)

// action says how the loop goes on after warp.special.
type action uint8

const (
	actNext    action = iota // the next instruction
	actJumped                // the policy has changed the group
	actBlocked               // wait at a barrier, pc behind it
	actYield                 // let other warps run
	actFault
)
