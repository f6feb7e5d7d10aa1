// Package simt is the models of how lanes of a warp that branch apart are scheduled (3.2). They edit pcs and masks, and
// know nothing of instructions, registers and memory.
package simt

import "warpscope/gpu"

// NoPC is past the function's end.
const NoPC int32 = -1

// Spinning says what may keep lanes from coming to a fork's reconvergence point.
type Spinning uint8

// What may keep them.
const (
	NoSpin     Spinning = iota // nothing that depends on other lanes
	SpinAhead                  // a loop on the way that may wait for what other lanes do, or a call that leads to one
	SpinAround                 // such a loop, and the branch is a way out of it
)

// Group is the lanes of a warp that run together: they share a pc. F is the handle of a frame, the activation of a
// function that they are in.
type Group[F comparable] struct {
	PC, RPC int32 // next instruction; reconvergence point or NoPC
	Mask    gpu.Mask
	Frame   F
	Kind    gpu.EntryKind
	Cause   int32 // pc of the instruction that pushed it, or NoPC
	Wait    gpu.WaitKind
	Missing gpu.Mask // lanes that it waits for, of the same warp
}

// Lanes is what a policy edits of a warp.
type Lanes[F comparable] struct {
	Cur     Group[F] // the lanes that run next
	Live    gpu.Mask // lanes that have not exited
	Ended   bool
	Blocked bool // none can go on before another warp does something
	Host    Host[F]
}

// Host is what a policy asks of the machine.
type Host[F comparable] interface {
	// GiveFrame takes back a frame that the last of its lanes have left.
	GiveFrame(fr F)
	// RecordStack notes an entry, or a group, that is new or gone.
	RecordStack(push bool, g Group[F])
	// SameOperation says whether two groups are at the same warp operation.
	SameOperation(a, b *Group[F]) bool
}

// Policy decides which lanes of a warp run when they branch apart. Only its implementations edit pcs and masks: the
// loop advances the pc of l.Cur and reports everything else. After each call l.Cur is the group that runs next, with
// a pc that is not its reconvergence point, or the warp has ended.
type Policy[F comparable] interface {
	// Split sends lanes to several targets; sides are disjoint and cover the group. The first runs first.
	Split(l *Lanes[F], at Fork, sides []Side)
	// Reconverge is called when l.Cur.PC has reached l.Cur.RPC.
	Reconverge(l *Lanes[F])
	// Call enters a function, which starts at a pc, with the lanes of exec; the others wait after the call.
	Call(l *Lanes[F], exec gpu.Mask, callee F, start int32, spins Spinning)
	// Leave takes lanes out of the current call: ret. When the last one has left, the caller's lanes run on.
	Leave(l *Lanes[F], exec gpu.Mask)
	// Exit takes lanes out for good, which are not live any more.
	Exit(l *Lanes[F], exec gpu.Mask)
	// Block makes the lanes of exec wait for other warps after the instruction at l.Cur.PC: those of their CTA at a
	// barrier, or any. It sets l.Blocked when no other lanes can run instead.
	Block(l *Lanes[F], exec gpu.Mask, barrier bool)
	// Wake lets lanes that Block has stopped go on.
	Wake(l *Lanes[F], exec gpu.Mask)
	// Meet is called before an operation for which the lanes of members come together. It gives the lanes of l.Cur that
	// execute it now and groups that do so elsewhere; or false: those of exec wait for others, and l.Cur has changed.
	Meet(l *Lanes[F], members, exec gpu.Mask) (now gpu.Mask, away []Group[F], ok bool)
	// Turn is called when the warp's turn begins, and when it is passed over because it is blocked.
	Turn(l *Lanes[F])
	// Release is called when nothing else of the CTA can run; it says whether some lanes that waited run on.
	Release(l *Lanes[F]) bool
	// Entries shows the state to people, top first.
	Entries(l *Lanes[F]) []Group[F]
	// Frames calls f for the frames of the lanes that have not exited, perhaps more than once for one frame.
	Frames(l *Lanes[F], f func(fr F))
	// Clone is a copy that changes apart from the original.
	Clone() Policy[F]
	// Bytes is the memory that a clone takes, where each frame that it keeps takes so much.
	Bytes(frame int64) int64
}

// Fork is a place where lanes branch apart.
type Fork struct {
	Reconv int32 // pc of the reconvergence point, or NoPC
	Spins  Spinning
}

// Side is one way out of a fork.
type Side struct {
	PC   int32
	Mask gpu.Mask
}
