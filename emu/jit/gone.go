package jit

import (
	"slices"

	"warpscope/emu/jit/call"
	"warpscope/emu/machine"
)

// gone is what the policy must hear of a call.
type gone struct {
	machine.Gone
	code  []machine.Inst
	times [mostEvents]int64 // of events: what was left of the budget
}

// look takes it out of the context after a call that has stopped before a pc, and returns the lanes that are active
// there. was is those that were at its begin, and left what remains of the budget.
func (g *gone) look(ctx []byte, left int64, pc int32, was machine.Mask) (active machine.Mask) {
	g.Gone = machine.Gone{Parts: g.Parts[:0], Branches: int64(get(ctx, call.Branches))}
	if active = was; g.Branches > 0 {
		active = g.part(ctx, left, was)
	}
	return g.leave(ctx, left, pc, active)
}

// part takes in the branches at which lanes have parted, and returns those that are active now.
func (g *gone) part(ctx []byte, left int64, was machine.Mask) (active machine.Mask) {
	active = machine.Mask(get(ctx, call.Active))
	g.Missed = int64(int32(get(ctx, call.Missed)) - int32(left)*int32(was.Count()-active.Count()))
	size := get(ctx, call.Top)
	for at := uint32(0); at < size; at += call.LevelSize {
		level := ctx[call.Levels+at:]
		g.group(level[call.LevelGroup:], machine.Mask(get(level, call.LevelActive)))
		d := machine.Departure{Branch: int32(get(level, call.LevelBranch)), Taken: machine.Mask(get(level, call.LevelTaken))}
		d.Second = get(level, call.LevelSecond) == 0 && !leads(&g.code[d.Branch], d.Branch)
		g.Parts = append(g.Parts, d)
	}
	g.group(ctx[call.Group:], active)
	clear(ctx[call.Branches:call.Stay])
	clear(ctx[call.Top:call.Levels])
	return active
}

// group takes in what has become of a group. The lanes that are left of it are active.
func (g *gone) group(words []byte, active machine.Mask) {
	if lanes := machine.Mask(get(words, call.GroupGone)); lanes != 0 {
		g.Parts = append(g.Parts, departure(g.code, int32(get(words, call.GroupBranch)), lanes, active))
	}
	if get(words, call.GroupMet) != 0 {
		g.Parts = append(g.Parts, machine.Departure{Met: true})
	}
}

// departure is lanes that leave at a branch for its reconvergence point, while others stay.
func departure(code []machine.Inst, branch int32, lanes, others machine.Mask) machine.Departure {
	if in := &code[branch]; in.Target != in.Fork.Reconv {
		lanes = others
	}
	return machine.Departure{Branch: branch, Taken: lanes}
}

// leave notes the lanes that have left a loop, and returns those that are still active. They are at a pc, and left
// remains of the budget. was is those that were in the loop.
func (g *gone) leave(ctx []byte, left int64, pc int32, was machine.Mask) (active machine.Mask) {
	active = was
	n, size := 0, int(get(ctx, call.EventsSize))
	var first, rest event // those that left first, and all others, with the last branch
	for at := call.Events; at < call.Events+size; at += eventSize {
		ev := event{int64(int32(get(ctx, at))), int32(get(ctx, at+4)), machine.Mask(get(ctx, at+8))}
		if ev.left == left && pc == g.code[ev.branch].Fork.Reconv {
			continue // the last lanes
		}
		if !slices.Contains(g.times[:n], ev.left) {
			g.times[n] = ev.left
			n++
		}
		g.Missed += (ev.left - left) * int64(ev.lanes.Count())
		active &^= ev.lanes
		if first.lanes == 0 || ev.left >= first.left {
			if ev.left == first.left {
				ev.lanes |= first.lanes
			}
			first, ev = ev, first
		}
		if ev.left != first.left && ev.lanes != 0 && (rest.lanes == 0 || ev.left < rest.left) {
			rest = ev
		}
	}
	if n > 0 {
		others := was &^ first.lanes
		g.Branches += int64(n)
		g.Parts = append(g.Parts, departure(g.code, first.branch, first.lanes, others))
		if n > 1 {
			g.Parts = append(g.Parts, departure(g.code, rest.branch, others&^active, active))
		}
	}
	put(ctx, call.EventsSize, 0)
	return active
}

// event is lanes that have left a loop; see loop.
type event struct {
	left   int64
	branch int32
	lanes  machine.Mask
}
