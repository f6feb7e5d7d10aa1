package emu

// group is the lanes of a warp that run together: they share a pc.
type group struct {
	pc, rpc int32 // next instruction; reconvergence point or noPC
	mask    Mask
	frame   *frame
	kind    EntryKind
	cause   int32 // pc of the instruction that pushed it, or noPC
	wait    WaitKind
	missing Mask // lanes that it waits for, of the same warp
}

// lanes is what a policy edits of a warp.
type lanes struct {
	cur     group // the lanes that run next
	live    Mask  // lanes that have not exited
	ended   bool
	blocked bool // none can go on before another warp does something
	host    host
}

// host is what a policy asks of the machine.
type host interface {
	// giveFrame takes back a frame that the last of its lanes have left.
	giveFrame(fr *frame)
	// recordStack notes an entry, or a group, that is new or gone.
	recordStack(push bool, g group)
	// sameOperation says whether two groups are at the same warp operation.
	sameOperation(a, b *group) bool
}

// policy decides which lanes of a warp run when they branch apart. Only its implementations edit pcs and masks: the
// loop advances the pc of l.cur and reports everything else. After each call l.cur is the group that runs next, with
// a pc that is not its reconvergence point, or the warp has ended.
type policy interface {
	// split sends lanes to several targets; sides are disjoint and cover the group. The first runs first.
	split(l *lanes, at fork, sides []side)
	// reconverge is called when l.cur.pc has reached l.cur.rpc.
	reconverge(l *lanes)
	// call enters a function, which starts at a pc, with the lanes of exec; the others wait after the call.
	call(l *lanes, exec Mask, callee *frame, start int32, spins spinning)
	// leave takes lanes out of the current call: ret. When the last one has left, the caller's lanes run on.
	leave(l *lanes, exec Mask)
	// exit takes lanes out for good, which are not live any more.
	exit(l *lanes, exec Mask)
	// block makes the lanes of exec wait for other warps after the instruction at l.cur.pc: those of their CTA at a
	// barrier, or any. It sets l.blocked when no other lanes can run instead.
	block(l *lanes, exec Mask, barrier bool)
	// wake lets lanes that block has stopped go on.
	wake(l *lanes, exec Mask)
	// meet is called before an operation for which the lanes of members come together. It gives the lanes of l.cur that
	// execute it now and groups that do so elsewhere; or false: those of exec wait for others, and l.cur has changed.
	meet(l *lanes, members, exec Mask) (now Mask, away []group, ok bool)
	// turn is called when the warp's turn begins, and when it is passed over because it is blocked.
	turn(l *lanes)
	// release is called when nothing else of the CTA can run; it says whether some lanes that waited run on.
	release(l *lanes) bool
	// entries shows the state to people, top first.
	entries(l *lanes) []group
	// frames calls f for the frames of the lanes that have not exited, perhaps more than once for one frame.
	frames(l *lanes, f func(fr *frame))
	clone() policy
	// bytes is the memory that a clone takes, where each frame that it keeps takes so much.
	bytes(frame int64) int64
}

// fork is a place where lanes branch apart.
type fork struct {
	reconv int32 // pc of the reconvergence point, or noPC
	spins  spinning
}

// side is one way out of a fork.
type side struct {
	pc   int32
	mask Mask
}
