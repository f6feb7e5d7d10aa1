// Package gpu has the values that describe a machine to the packages that show it. They do not depend on how the
// machine works.
package gpu

import (
	"fmt"
	"math/bits"
	"strings"
)

// Mask is a set of lanes: bit i is lane i.
type Mask uint32

// FullMask is all 32 lanes.
const FullMask Mask = 0xffffffff

// Has says whether a lane is in the mask.
func (m Mask) Has(lane int) bool { return m>>uint(lane)&1 != 0 }

// Count returns how many lanes are in the mask.
func (m Mask) Count() int { return bits.OnesCount32(uint32(m)) }

// Lanes names the lanes in words: "lane 3", "lanes 0-15", "lanes 1,5,9".
func (m Mask) Lanes() string {
	var parts []string
	for i := 0; i < 32; i++ {
		if !m.Has(i) {
			continue
		}
		j := i
		for j < 31 && m.Has(j+1) {
			j++
		}
		if j > i {
			parts = append(parts, fmt.Sprintf("%d-%d", i, j))
		} else {
			parts = append(parts, fmt.Sprint(i))
		}
		i = j
	}
	if len(parts) == 1 && m.Count() == 1 {
		return "lane " + parts[0]
	}
	return "lanes " + strings.Join(parts, ",")
}

// FewLanes names the lanes where they are at most three stretches, and counts them otherwise: "23 lanes".
func (m Mask) FewLanes() string {
	if starts := m &^ (m << 1); starts.Count() > 3 {
		return fmt.Sprintf("%d lanes", m.Count())
	}
	return m.Lanes()
}

// EntryKind says why an entry is on the SIMT stack.
type EntryKind uint8

// The kinds of stack entries.
const (
	KindBase   EntryKind = iota // the first entry of the warp
	KindReconv                  // waits at a reconvergence point for the sides of a branch
	KindBranch                  // one side of a divergent branch
	KindCall                    // lanes inside a device function
)

// String returns the kind in one word.
func (k EntryKind) String() string { return [...]string{"base", "reconverge", "branch", "call"}[k] }

// WaitKind says why lanes do not run now.
type WaitKind uint8

// The reasons to wait.
const (
	WaitNone     WaitKind = iota // they run, or will run when it is their turn
	WaitTurn                     // on the SIMT stack, until the entries above are done
	WaitConverge                 // for lanes that will go on with them
	WaitMembers                  // for the other lanes of a membermask
	WaitBarrier                  // at a barrier of the CTA
)
