package machine

// Mbarrier is an mbarrier object (9.7.15.16.3): 64 bits of shared memory. The manual leaves their layout open. Here it
// is, from the lowest bit:
//
//	0-19   arrivals that the current phase waits for
//	20-39  arrivals that each phase expects
//	40-60  tx-count of the current phase, in two's complement
//	61-62  current phase, modulo 4
//	63     set
//
// mbarrier.arrive returns as state the object as it was before the arrival. Layout v1 has the same bits; MbarrierRef
// keeps its reports.
type Mbarrier uint64

// MaxArrivals is the limit of both counts of arrivals, and of the tx-count in either direction. MaxArrivalsV1 is the
// limit of the arrivals of layout v1 (9.7.15.16.3).
const (
	MaxArrivals   = 1<<20 - 1
	MaxArrivalsV1 = 1<<9 - 1
)

// Pending returns the arrivals that the current phase waits for.
func (b Mbarrier) Pending() int64 { return int64(b & MaxArrivals) }

func (b Mbarrier) expected() int64 { return int64(b >> 20 & MaxArrivals) }

func (b Mbarrier) tx() int64 { return int64(b<<3) >> 43 }

// Phase returns the current phase, modulo 4.
func (b Mbarrier) Phase() uint64 { return uint64(b >> 61 & 3) }

// NewMbarrier makes an object in a phase. pending and expected are counts of arrivals, and tx is in the unit of the
// tx-count.
func NewMbarrier(phase uint64, pending, expected, tx int64) Mbarrier {
	return Mbarrier(pending | expected<<20 | tx&(1<<21-1)<<40 | int64(phase&3)<<61 | -1<<63)
}

// MbarrierRef is what a CTA knows of an object in its shared memory.
type MbarrierRef struct {
	Off   uint32   // from the start of shared memory
	Phase int64    // number of the current phase; the object itself holds it modulo 4
	Is    Mbarrier // its value after the last mbarrier operation
	Seen  bool     // a thread has seen that the last phase is complete
	Init  *Inst    // the instruction that has initialised it
	Last  *Inst    // the arrival before, if there was one

	V1          bool  // layout v1, which operations report to (9.7.15.16.2)
	Conditional int64 // the conditional phase, which stays behind where any have reported (9.7.15.16.5.2)
	Reported    bool  // an operation of the current phase has
	Before      bool  // one of the phase before has
}

// MaxArrivals bounds the object's arrivals.
func (r *MbarrierRef) MaxArrivals() int64 {
	if r.V1 {
		return MaxArrivalsV1
	}
	return MaxArrivals
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
