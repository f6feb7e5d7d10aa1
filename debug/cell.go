package debug

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Named finds a cell by the name that people write, as a lane of a warp sees it: a register (%r4, %v.x), elements of a
// buffer or variable (out[5], out[5..9], out), a byte at a generic address (0x2000c), "stack", "active", or
// "barrier 0". The type is that of a register or an element; problem says why there is no such cell.
func (s *Session) Named(what string, cta, warp, lane int) (c Cell, t isa.Type, problem string) {
	if problem = s.NoLane(cta, warp, lane); problem != "" {
		return c, t, problem
	}
	what = strings.TrimSpace(what)
	id, isBarrier := strings.CutPrefix(what, "barrier ")
	switch n, err := strconv.ParseUint(cmp.Or(id, "-"), 0, 64); {
	case what == "stack":
		c.Stack = true
	case what == "active":
		c.Active = true
	case isBarrier && (err != nil || n > 15): // 9.7.15.1: 16 barriers
		return c, t, fmt.Sprintf("%q is no barrier: there are barrier 0 to barrier 15", what)
	case isBarrier:
		c.Barrier = int(n) + 1
	case strings.HasPrefix(what, "0x") && err == nil:
		c, t = Cell{Addr: n, Size: 1}, isa.U8
	case strings.HasPrefix(what, "%"):
		if c, t = s.register(what, cta, warp); c.Reg == nil {
			return c, t, fmt.Sprintf("there is no register %s", what)
		}
	default:
		var typ string
		if c, typ, problem = s.elementsNamed(what, cta); problem != "" {
			return c, t, problem
		}
		t, _ = isa.ParseType("." + typ)
	}
	c.CTA, c.Warp, c.Lane = cta, warp, lane
	return c, t, ""
}

// NoLane says why the launch has no such lane; "" if it has one.
func (s *Session) NoLane(cta, warp, lane int) string {
	s.Prepare()
	if s.phase == Invalid {
		return "nothing is loaded"
	}
	ctas, warps := s.counts()
	for _, one := range []struct {
		name      string
		at, count int
	}{{"CTA", cta, ctas}, {"warp", warp, warps}, {"lane", lane, 32}} {
		if one.at < 0 || one.at >= one.count {
			return fmt.Sprintf("there is no %s %d: there are %d, from 0 on", one.name, one.at, one.count)
		}
	}
	return ""
}

// register finds a register by its name, in the function that a warp is in before others.
func (s *Session) register(name string, cta, warp int) (c Cell, t isa.Type) {
	funcs := s.module.Funcs
	if f := emu.WarpHead(s.history.grid, cta, warp).Func; f != nil {
		funcs = append([]*ptx.Func{f}, funcs...)
	}
	base, component, _ := strings.Cut(name, ".")
	for _, f := range funcs {
		if i := slices.IndexFunc(f.Regs, func(reg *ptx.Reg) bool { return reg.Name == name }); i >= 0 {
			return Cell{Reg: f.Regs[i], Elem: -1}, f.Regs[i].Type
		}
		elem := strings.Index("xyzw", component)
		i := slices.IndexFunc(f.Regs, func(reg *ptx.Reg) bool { return reg.Name == base && elem < reg.Vec })
		if i >= 0 && len(component) == 1 && elem >= 0 {
			return Cell{Reg: f.Regs[i], Elem: elem}, f.Regs[i].Type
		}
	}
	return c, t
}
