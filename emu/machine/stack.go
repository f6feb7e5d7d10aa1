package machine

// alloca takes local memory behind what the functions under way have declared (9.7.19). Each lane has its own stack
// pointer, and the stack grows upwards: the manual's grows down, but no program can see that. What a function has
// allocated ends where it calls another one, and is given back when its lanes return.

// stackTops are the addresses behind what alloca has given in each lane; less than what frames need where it has given
// nothing.
type stackTops struct {
	Tops [32]int64
	end  int64 // the largest of them
}

// SetStackTop moves the stack pointer of some lanes.
func SetStackTop(w *Warp, lanes Mask, to func(lane int) int64) {
	EachLane(lanes, func(lane int) { w.Stack.Tops[lane] = to(lane) })
	w.Stack.end = 0
	for _, top := range w.Stack.Tops {
		w.Stack.end = max(w.Stack.end, top)
	}
}

// dropStack gives back what lanes have allocated in a frame.
func dropStack(w *Warp, lanes Mask, fr *Frame) {
	if w.Stack.end > fr.Local {
		SetStackTop(w, lanes, func(lane int) int64 { return min(w.Stack.Tops[lane], fr.Local) })
	}
}
