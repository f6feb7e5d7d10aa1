package machine

// Op says how an instruction is executed. Arithmetic is OpHandler or OpPure, and most other instructions are OpRun: for
// these, lowering has chosen a function. Warp.special tells all others apart.
type Op uint8

// The operations.
const (
	OpHandler Op = iota // Inst.Handler computes it
	OpLoad
	OpStore
	OpPure // Extra.Run, which neither fails nor makes lanes wait, and needs only registers
	OpBra
	OpNop // Extra.Run, if there is one, only notes findings
	OpBrx
	OpCall
	OpRet
	OpExit
	OpBar
	OpSleep
	OpAtom
	OpAtomWide // 128 bits, and vectors
	OpRun      // Extra.Run, which can fail or make lanes wait
	OpIndexed
	OpJump // OpBra, under a model whose policy looks at each branch
)

// Branches says whether an operation is a branch.
func (o Op) Branches() bool { return o == OpBra || o == OpBrx || o == OpJump }

// lastLineOp is the last of the operations that can be in the straight lines of Warp.Run.
const lastLineOp = OpPure

// ConstShift ends the keys of handlers that shift by a constant below 32. They need not clamp it.
const ConstShift = ".const"

// stop says why Warp.Run has returned.
type stop uint8

const (
	stopBudget stop = iota // n instructions have been executed
	stopBlocked
	stopYield
	stopEnded
	stopFault
	stopBreak
)

// action says what Warp.Run does after Warp.special.
type action uint8

const (
	actNext   action = iota // the next instruction
	actJumped               // the policy has changed the group, or no lane can go on
	actYield                // end the turn, so that other warps run
	actFault
)
