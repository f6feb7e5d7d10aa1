package debug

import (
	"warpscope/launch"
	"warpscope/launch/expr"
	"warpscope/ptx/isa"
)

// at is the environment of a warp.
func (s *Session) at(cta, warp int) *launch.Env {
	return &launch.Env{Of: s.prepared, Warp: s.look(cta, warp), Tick: s.Tick()}
}

// Elements finds a buffer or variable by its name. It returns its first element as a cell, the type and the number of
// elements.
func (s *Session) Elements(name string, cta int) (c Cell, typ string, count int64, ok bool) {
	a, ok := s.prepared.Array(name, cta)
	return Cell{CTA: cta, Addr: a.Addr, Space: a.Space, Size: a.Size}, a.Type, a.Count, ok
}

// Watch is a watched expression and its values in the followed warp.
type Watch struct {
	Text   string
	Same   bool // one value for the warp
	Values [32]string
	Error  string
}

// nameAddresses says where the values of a register point, as the lanes do.
func (w *Watch) nameAddresses(r expr.Row, places Places) {
	for lane, v := range r.Lanes {
		if name := places.name(v); name != "" && v > 1<<16 && r.None>>lane&1 == 0 {
			w.Values[lane] = name
		}
	}
}

// Watches computes expressions in the followed warp.
func (s *Session) Watches(texts []string) []Watch {
	s.Prepare()
	list := make([]Watch, len(texts))
	for i, text := range texts {
		w := &list[i]
		w.Text = text
		e, err := expr.Parse(text)
		if err != nil {
			w.Error = err.Error()
			continue
		}
		if s.phase == Invalid {
			w.Error = "nothing is loaded"
			continue
		}
		r, err := e.Eval(s.at(s.cta, s.warp))
		if err != nil {
			w.Error = err.Error()
			continue
		}
		w.Same = r.Same
		for lane := range w.Values {
			w.Values[lane] = r.Text(lane)
		}
		if _, typ := s.register(text, s.cta, s.warp); typ.Bits() == s.module.AddressSize && typ.Class() != isa.Float {
			w.nameAddresses(r, s.extents(s.cta, s.warp, s.lane))
		}
	}
	return list
}
