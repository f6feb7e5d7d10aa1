package machine

import "warpscope/gpu"

// MbarrierRef is what a CTA knows of an object in its shared memory.
type MbarrierRef struct {
	Off   uint32       // from the start of shared memory
	Phase int64        // number of the current phase; the object itself holds it modulo 4
	Is    gpu.Mbarrier // its value after the last mbarrier operation
	Seen  bool         // a thread has seen that the last phase is complete
	Init  *Inst        // the instruction that has initialised it
	Last  *Inst        // the arrival before, if there was one

	V1          bool  // layout v1, which operations report to (9.7.15.16.2)
	Conditional int64 // the conditional phase, which stays behind where any have reported (9.7.15.16.5.2)
	Reported    bool  // an operation of the current phase has
	Before      bool  // one of the phase before has
}

// MaxArrivals bounds the object's arrivals.
func (r *MbarrierRef) MaxArrivals() int64 {
	if r.V1 {
		return gpu.MaxArrivalsV1
	}
	return gpu.MaxArrivals
}

// complete goes to the next phase (9.7.15.16.8).
func (r *MbarrierRef) complete() {
	r.Phase++
	r.Seen = false
	if !r.Reported {
		r.Conditional++
	}
	r.Before, r.Reported = r.Reported, false
}
