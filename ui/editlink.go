package ui

import (
	"encoding/binary"

	"warpscope/debug"
	"warpscope/ptx"
	"warpscope/share"
)

// sharedEdits are the values that the user has set up to a step, for a link.
func sharedEdits(session Session, until int64) (list []share.Edit) {
	for _, e := range session.Edits() {
		if e.Tick > until {
			break
		}
		shared := share.Edit{Step: e.Tick, CTA: e.CTA, Warp: e.Warp, Lane: e.Lane, Addr: e.Addr, Value: e.Bytes}
		if e.Reg != nil {
			shared.Func, shared.Reg, shared.Elem = functionOf(session.Module(), e.Reg), e.Reg.Name, max(e.Elem, 0)
			shared.Value = binary.LittleEndian.AppendUint64(nil, e.Value)
			if e.Hi != 0 {
				shared.Value = binary.LittleEndian.AppendUint64(shared.Value, e.Hi)
			}
		}
		list = append(list, shared)
	}
	return list
}

// functionOf is the name of the function that has a register.
func functionOf(m *ptx.Module, reg *ptx.Reg) string {
	for _, f := range m.Funcs {
		for _, r := range f.Regs {
			if r == reg {
				return f.Name
			}
		}
	}
	return ""
}

// makeEdits makes those of a link that come next, all at one step, and says which cannot be made.
func makeEdits(session Session, g *goal) (problem string) {
	for g.at = g.edits[0].Step; len(g.edits) > 0 && g.edits[0].Step == g.at; g.edits = g.edits[1:] {
		e, ok := linkedEdit(session.Module(), &g.edits[0])
		if !ok {
			problem = "it has no register " + g.edits[0].Reg
		} else if err := session.Replay([]debug.Edit{e}); err != nil {
			problem = err.Error()
		}
	}
	return problem
}

// linkedEdit is an edit of a link as one of the machine.
func linkedEdit(m *ptx.Module, shared *share.Edit) (e debug.Edit, ok bool) {
	e.Tick, e.CTA, e.Warp, e.Lane = shared.Step, shared.CTA, shared.Warp, shared.Lane
	e.Elem, e.Addr = shared.Elem, shared.Addr
	if shared.Reg == "" {
		e.Bytes = shared.Value
		return e, true
	}
	value := append(shared.Value[:len(shared.Value):len(shared.Value)], make([]byte, 16)...)
	e.Value, e.Hi = binary.LittleEndian.Uint64(value), binary.LittleEndian.Uint64(value[8:])
	for _, f := range m.Funcs {
		for _, r := range f.Regs {
			if f.Name == shared.Func && r.Name == shared.Reg {
				e.Reg = r
				return e, true
			}
		}
	}
	return e, false
}

// edited makes the edits of a link that come next, and says whether the way goes on from there.
func (s *Store) edited(g *goal) (on bool) {
	if problem := makeEdits(s.session, g); problem != "" {
		s.update(func(m *Model) { m.Problem = "The program does not take a value that the link sets: " + problem + "." })
		g.edits = nil
	}
	if g.leave(g.at); g.left == 0 && len(g.edits) == 0 {
		return false
	}
	if !s.model.Running {
		s.session.SetStops(nil)
		s.run()
	} else if !s.runner.waiting {
		s.runner.waiting = true
		s.platform.Frame(s.slice)
	}
	return true
}
