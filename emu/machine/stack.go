package machine

// alloca takes local memory after the variables of the functions under way (9.7.19). Each lane has its own stack
// pointer, and the stack grows upwards. The manual's stack grows down, but no program can see that. The memory that a
// function has allocated ends where it calls another one, and is given back when its lanes return.

// SetStackTop sets the stack pointer of some lanes to an address in local memory.
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
