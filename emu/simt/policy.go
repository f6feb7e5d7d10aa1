// Package simt has the policies that schedule the lanes of a warp when they branch apart (3.2). A policy edits pcs and
// masks, and knows nothing of instructions, registers and memory.
package simt

import "warpscope/gpu"

// NoPC is the pc after a function's end.
const NoPC int32 = -1

// Spinning says what can keep lanes from coming to the reconvergence point of a fork.
type Spinning uint8

// The values of Spinning.
const (
	NoSpin     Spinning = iota // nothing that depends on other lanes
	SpinAhead                  // a loop on the way that can wait for what other lanes do, or a call that leads to one
	SpinAround                 // such a loop, and the branch is a way out of it
)

// Group is lanes of a warp that run together: they share a pc. F identifies a frame, the activation of a function that
// they are in.
type Group[F comparable] struct {
	PC, RPC int32 // next instruction; reconvergence point, or NoPC
	Mask    gpu.Mask
	Frame   F
	Kind    gpu.EntryKind
	Cause   int32 // pc of the instruction that pushed it, or NoPC
	Wait    gpu.WaitKind
	Missing gpu.Mask // lanes of the same warp that it waits for
}

// Lanes is the part of a warp that a policy edits.
type Lanes[F comparable] struct {
	Cur     Group[F] // the lanes that run next
	Live    gpu.Mask // lanes that have not exited
	Ended   bool     // all lanes have exited
	Blocked bool     // no lane can go on before another warp does something
	Host    Host[F]
}

// Host is what a policy needs of the machine.
type Host[F comparable] interface {
	// GiveFrame takes back a frame whose last lanes have left it.
	GiveFrame(fr F)
	// RecordStack records that an entry, or a group, is new (push) or gone.
	RecordStack(push bool, g Group[F])
	// SameOperation says whether two groups are at the same warp operation.
	SameOperation(a, b *Group[F]) bool
}

// Policy decides which lanes of a warp run when they branch apart. Only policies edit pcs and masks: the run loop
// advances the pc of l.Cur, and calls the policy for everything else. After each call, l.Cur is the group that runs
// next, with a pc that is not its reconvergence point, or the warp has ended.
type Policy[F comparable] interface {
	// Split sends lanes to several targets. The sides are disjoint and cover the group. The first side runs first, then
	// the second, and so on.
	Split(l *Lanes[F], at Fork, sides []Side)
	// Reconverge is called when l.Cur.PC has reached l.Cur.RPC.
	Reconverge(l *Lanes[F])
	// Call enters a function, which starts at the pc start, with the lanes of exec. The others wait after the call.
	Call(l *Lanes[F], exec gpu.Mask, callee F, start int32, spins Spinning)
	// Leave takes lanes out of the current call, for ret. When the last lane has left, the caller's lanes go on.
	Leave(l *Lanes[F], exec gpu.Mask)
	// Exit takes lanes out of the warp. They are no longer in l.Live.
	Exit(l *Lanes[F], exec gpu.Mask)
	// Block makes the lanes of exec wait for other warps after the instruction at l.Cur.PC. With barrier they are at a
	// barrier of their CTA. Block sets l.Blocked when no other lanes can run instead.
	Block(l *Lanes[F], exec gpu.Mask, barrier bool)
	// Wake lets lanes go on that Block has stopped.
	Wake(l *Lanes[F], exec gpu.Mask)
	// Meet is called before an operation for which the lanes of members come together. It returns the lanes of l.Cur that
	// execute it now, and the groups that execute it elsewhere. ok is false when the lanes of exec wait for others; l.Cur
	// has then changed.
	Meet(l *Lanes[F], members, exec gpu.Mask) (now gpu.Mask, away []Group[F], ok bool)
	// Turn is called when the warp's turn begins, and when the warp is passed over because it is blocked.
	Turn(l *Lanes[F])
	// Release is called when nothing else in the CTA can run. It lets waiting lanes go on, and says whether there were
	// some.
	Release(l *Lanes[F]) bool
	// Entries returns the state as people see it, top first.
	Entries(l *Lanes[F]) []Group[F]
	// Frames calls f for the frames of the lanes that have not exited, and can do so more than once for one frame.
	Frames(l *Lanes[F], f func(fr F))
	// Reset makes the policy one of a warp that has not run.
	Reset()
	// Clone returns a copy. Changes of one do not affect the other.
	Clone() Policy[F]
	// Bytes returns the bytes that a clone takes. frame is the size of each frame that it keeps.
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
