package gpu

import "errors"

// Addr is a generic device address (6.4.1.1).
type Addr = uint64

// Dim3 is a shape, or an index in a shape, with up to three dimensions.
type Dim3 struct{ X, Y, Z int }

// Linear returns the number of the element at a place of the shape d, x fastest.
func (d Dim3) Linear(at Dim3) int { return (at.Z*d.Y+at.Y)*d.X + at.X }

// Index returns the place of element n of the shape d, x fastest. It is the inverse of Linear.
func (d Dim3) Index(n int) Dim3 { return Dim3{n % d.X, n / d.X % d.Y, n / d.X / d.Y} }

// Component returns the component that a special register's name ends with: x, y or z.
func (d Dim3) Component(name string) uint64 {
	return uint64([...]int{d.X, d.Y, d.Z}[name[len(name)-1]-'x'])
}

// Checks is a set of sanitizers. Memcheck and Synccheck are always on; the others cost time and memory (see
// emu/shadow/shadow.go).
type Checks uint8

// The sanitizers.
const (
	Memcheck Checks = 1 << iota
	Racecheck
	Initcheck
	Synccheck

	AlwaysOn = Memcheck | Synccheck
)

// Config describes one launch of a kernel.
type Config struct {
	Entry       string
	Grid, Block Dim3     // zero components count as 1
	Cluster     Dim3     // in CTAs; the zero value leaves the shape to the kernel
	SharedBytes int      // dynamic shared memory per CTA
	Args        [][]byte // one per kernel parameter, little-endian, exactly the parameter's size
	MaxSteps    int64    // warp instructions; 0 means no limit
}

// Stats are the counters of a grid so far.
type Stats struct {
	WarpInstructions  int64
	LaneInstructions  int64 // warp instructions times active lanes; a lane whose guard is false counts as active
	Branches          int64
	DivergentBranches int64
	Barriers          int64 // arrivals of warps
	Threads           int64 // of the whole grid
	CTAs, CTAsDone    int64
}

// ErrMaxSteps is what Run returns when Config.MaxSteps is reached.
var ErrMaxSteps = errors.New("the step limit is reached")
