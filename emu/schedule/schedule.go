// Package schedule chooses legal schedules of a grid other than the usual one: CTAs start in another order and have
// other shares of time, the warps of a CTA take turns in another order, and turns have other lengths, down to one
// instruction.
//
// Every choice is a function of a seed and of state that the machine has anyway. So a run in a schedule is repeated
// exactly, every warp comes to its turn, and states of endless spins come back.
package schedule

// Seed names a schedule. 0 is the usual one.
type Seed uint64

// What is chosen.
const (
	turn = iota
	slice
	stride
	first
	backward
)

// pick returns a number below n for parts of the state.
func (s Seed) pick(n int, parts ...int) int {
	h := uint64(s)
	for _, p := range parts { // the finalizer of splitmix64
		h += uint64(p)*0xbf58476d1ce4e5b9 + 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return int(h % uint64(n))
}

// Turn returns the length of the turn that a warp begins at a pc, of usually so many instructions.
func (s Seed) Turn(usual int64, cta, warp, pc int) int64 {
	if s == 0 {
		return usual
	}
	return 1 << s.pick(9, turn, cta, warp, pc)
}

// Slice returns for how many instructions a resident CTA runs before another one does.
func (s Seed) Slice(usual int64, resident int) int64 {
	if s == 0 {
		return usual
	}
	return 1 << s.pick(17, slice, resident)
}

// Stride returns how far the next warp's index is from that of the last one, modulo n warps of a CTA. All warps come to
// their turn.
func (s Seed) Stride(n, cta int) int {
	if s == 0 || n < 3 {
		return 1
	}
	step := 1 + s.pick(n-1, stride, cta)
	for gcd(step, n) != 1 {
		step = step%(n-1) + 1
	}
	return step
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Permute turns a place in the usual order of n clusters into one in this schedule's, and back.
func (s Seed) Permute(n, place int, back bool) int {
	if s == 0 || n < 2 {
		return place
	}
	from := s.pick(n, first)
	switch {
	case s.pick(2, backward) == 1: // its own inverse
		return (n + from - place) % n
	case back:
		return (n + place - from) % n
	}
	return (place + from) % n
}
