package machine

import (
	"warpscope/gpu"
)

// Lanes wait for other warps at one of the 16 barriers of their CTA, 0 to 15, or at one of these.
const (
	AtMbarrier = 16 + iota // mbarrier objects, in mbarrier.try_wait
	AtCluster              // the barrier of their cluster
	AtTensor               // columns of tensor memory or the other CTA of their pair, in tcgen05.alloc and its like
	AtGroup                // the other warps of their warpgroup, in wgmma.fence
)

// WaitAt makes the lanes of exec wait after the instruction in progress. at is 0 to 15, or one of AtMbarrier and so on.
func (w *Warp) WaitAt(at int, in *Inst, exec Mask) {
	n := len(w.waits.list)
	if n == cap(w.waits.list) {
		w.waits.list = append(w.waits.list, Waiting{})
	}
	w.waits.list = w.waits.list[:n+1]
	o := &w.waits.list[n]
	if o.At, o.lanes = at, exec; o.In != in || o.frame != w.Cur.Frame { // stores of pointers cost more
		o.In, o.frame = in, w.Cur.Frame
	}
	w.waits.suspended = w.waits.suspended || at == AtMbarrier
	w.Policy.Block(&w.lanes, exec, at < AtMbarrier)
	w.waited = true
}

// EndWaits wakes the lanes whose wait is over, and says whether there were some.
func (w *Warp) EndWaits(over func(*Waiting) bool) bool {
	var lanes Mask
	n := 0
	w.waits.suspended = false
	for i := range w.waits.list {
		o := &w.waits.list[i]
		if over(o) {
			lanes |= o.lanes
			continue
		}
		w.waits.suspended = w.waits.suspended || o.At == AtMbarrier
		if i > n {
			w.waits.list[n] = *o
		}
		n++
	}
	if w.waits.list = w.waits.list[:n]; lanes == 0 {
		return false
	}
	w.Policy.Wake(&w.lanes, lanes)
	return true
}

// atBarrier returns the lanes that wait for other warps, and where the last of them wait.
func (w *Warp) atBarrier() (lanes Mask, at int) {
	for _, o := range w.waits.list {
		lanes, at = lanes|o.lanes, o.At
	}
	return lanes, at
}

// wait returns the verb for lanes that wait.
func wait(lanes Mask) string { return gpu.Verb(lanes, "waits", "wait") }
