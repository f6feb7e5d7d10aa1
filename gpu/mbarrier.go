package gpu

// Mbarrier is an mbarrier object (9.7.15.16.3): 64 bits of shared memory. The manual leaves their layout open. Here it
// is, from the lowest bit:
//
//	0-19   arrivals that the current phase waits for
//	20-39  arrivals that each phase expects
//	40-60  tx-count of the current phase, in two's complement
//	61-62  current phase, modulo 4
//	63     set
//
// mbarrier.arrive returns as state the object as it was before the arrival. Layout v1 has the same bits; the machine
// keeps its reports beside it.
type Mbarrier uint64

// MaxArrivals is the limit of both counts of arrivals, and of the tx-count in either direction. MaxArrivalsV1 is the
// limit of the arrivals of layout v1 (9.7.15.16.3).
const (
	MaxArrivals   = 1<<20 - 1
	MaxArrivalsV1 = 1<<9 - 1
)

// Pending returns the arrivals that the current phase waits for.
func (b Mbarrier) Pending() int64 { return int64(b & MaxArrivals) }

// Expected returns the arrivals that each phase expects.
func (b Mbarrier) Expected() int64 { return int64(b >> 20 & MaxArrivals) }

// Tx returns the tx-count of the current phase.
func (b Mbarrier) Tx() int64 { return int64(b<<3) >> 43 }

// Phase returns the current phase, modulo 4.
func (b Mbarrier) Phase() uint64 { return uint64(b >> 61 & 3) }

// NewMbarrier makes an object in a phase. pending and expected are counts of arrivals, and tx is in the unit of the
// tx-count.
func NewMbarrier(phase uint64, pending, expected, tx int64) Mbarrier {
	return Mbarrier(pending | expected<<20 | tx&(1<<21-1)<<40 | int64(phase&3)<<61 | -1<<63)
}
