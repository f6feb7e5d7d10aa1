package isa

import (
	"fmt"
	"strings"
)

// Needs is what a module must declare before an opcode may be used.
type Needs struct {
	Version int    // .version times ten
	SM      int    // .target number
	Arch    string // "f": only family- and architecture-specific targets have it; "a": only the latter (11.1.2)
	Family  int    // the last architecture family that has it; 0: all
	Lacks   int    // a target after SM that does not have it, nor later ones of its family; 0: none
	Also    int    // a later family whose architecture-specific targets have it; 0: none
	Cause   string // the modifier that asks for most, or "" for the form itself
}

// Requires is the PTX version and target that the opcode needs, for its form and for its modifiers.
func (b *Bound) Requires() Needs { return b.needs }

// everywhere are the requirements of modifiers that mean the same in every form. PTX ISA 1.3 flushed without the
// modifier.
var everywhere = []Gate{{Mod: ".ftz", Version: 14}}

func (b *Bound) requires() Needs {
	n := Needs{Version: b.Form.Version, SM: b.Form.SM, Arch: b.Form.Arch, Family: b.Form.Family, Lacks: b.Form.Lacks}
	for _, g := range append(everywhere, b.Form.Gates...) {
		if !b.carries(g.Mod) {
			continue
		}
		if g.Version > n.Version || g.SM > n.SM || strictness(g.Arch) > strictness(n.Arch) {
			n.Cause = g.Mod
		}
		n.Version, n.SM = max(n.Version, g.Version), max(n.SM, g.SM)
		if strictness(g.Arch) > strictness(n.Arch) {
			n.Arch = g.Arch
		}
		if g.Family != 0 && (n.Family == 0 || g.Family < n.Family) {
			n.Family, n.Also = g.Family, g.Also
		}
		if g.Lacks != 0 {
			n.Lacks = g.Lacks
		}
	}
	return n
}

// OperandNeeds is what an operand requires beyond the opcode; most require nothing. from is the constant that the
// operand is, or 0.
func (b *Bound) OperandNeeds(operand string, from int64) (n Gate, ok bool) {
	for _, g := range b.Form.Gates {
		if g.Mod[0] == '@' && g.Mod[1:] == operand && from >= g.From {
			return g, true
		}
	}
	return Gate{}, false
}

// Target is the lowest target that the opcode needs; the family-specific sm_90f was never made.
func (n Needs) Target() string {
	arch := n.Arch
	if n.SM == 90 && arch == "f" {
		arch = "a"
	}
	return fmt.Sprintf("sm_%d%s", n.SM, arch)
}

// Targets is Target for people, with the target after it that the opcode is not on: "sm_107f, not sm_110f".
func (n Needs) Targets() string {
	if n.Lacks == 0 {
		return n.Target()
	}
	return fmt.Sprintf("%s, not sm_%d%s", n.Target(), n.Lacks, n.Arch)
}

// On says whether a target, such as 100 and "a", has the opcode (11.1.2). sm_101 is the old name of sm_110.
func (n Needs) On(sm int, arch string) bool {
	if sm == 101 {
		sm = 110
	}
	switch {
	case sm < n.SM:
		return false
	case n.Arch == "":
		return true
	}
	lacks := sm >= n.Lacks && sm/10 == n.Lacks/10
	own := strictness(arch) >= strictness(n.Arch) && (n.Family == 0 || sm/10 <= n.Family) && !lacks
	return own || arch == "a" && sm/10 == n.Also
}

// strictness orders the target suffixes: sm_100a has all that sm_100f has, and that all of sm_100.
func strictness(arch string) int {
	switch arch {
	case "a":
		return 2
	case "f":
		return 1
	}
	return 0
}

// carries says whether a gate applies: ".a.b" when the opcode has these modifiers, "slot" when that slot is filled,
// "!slot" when it is empty.
func (b *Bound) carries(gate string) bool {
	switch gate[0] {
	case '!':
		return b.slots[gate[1:]] == ""
	case '@':
		return false // OperandNeeds
	case '.':
		pos := 0
		for _, m := range strings.SplitAfter(gate[1:], ".") {
			m = "." + strings.TrimSuffix(m, ".")
			at := b.find(m, 0)
			if at < 0 {
				return false
			}
			if _, typ := ParseType(m); typ {
				if at = b.find(m, pos); at < 0 {
					return false
				}
				pos = at + 1
			}
		}
		return true
	}
	return b.slots[gate] != ""
}

// find is the index of a modifier at or after from; -1 when there is none.
func (b *Bound) find(mod string, from int) int {
	for i := from; i < len(b.Mods); i++ {
		if b.Mods[i] == mod {
			return i
		}
	}
	return -1
}
