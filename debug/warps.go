package debug

import (
	"fmt"
	"sort"

	"warpscope/emu"
	"warpscope/ptx"
)

// Doing says what a warp is doing.
type Doing uint8

// What warps do, the most remarkable first: that is what a picture of several warps shows.
const (
	DoesFault    Doing = iota // it has stopped the grid
	DoesWait                  // for other warps
	DoesRun                   // it executes the next instruction
	DoesDiverged              // it can run; its lanes are apart
	DoesReady                 // it can run
	DoesEnded
	DoesCome // it has not started
	doings
)

// Warps are all warps of a grid and what they do.
type Warps struct {
	emu.WarpTable
	faulted   bool
	cta, warp int // of the fault, or of the warp that runs next; -1 for none
}

// Tile is what a warp is doing.
type Tile struct {
	CTA, Warp int
	Doing     Doing
	PC        *ptx.Inst // next instruction, or the one at which it waits; nil for none
	Mask      emu.Mask  // lanes that execute it
	Live      emu.Mask  // lanes that have not exited
	Waiting   emu.Mask  // lanes that wait for other warps
	At        int       // where: 0 to 15, emu.AtMbarrier and so on
}

// warps are the warps of the grid now.
func (s *Session) warps() Warps {
	w := warpsOf(s.history.grid)
	if s.phase == Faulted {
		fault := s.prepared.Fault()
		w.faulted, w.cta, w.warp = true, s.index(fault.CTA), fault.Warp
	}
	return w
}

// warpsOf are the warps of a grid that has not faulted.
func warpsOf(g *emu.Grid) Warps {
	w := Warps{WarpTable: emu.Warps(g), cta: -1, warp: -1}
	if cta, warp, ok := g.Next(); ok {
		w.cta, w.warp = cta, warp
	}
	return w
}

// Total is the number of warps.
func (w *Warps) Total() int { return w.Grid.X * w.Grid.Y * w.Grid.Z * w.PerCTA }

// At is the warp with a number: CTA by CTA, those of one by their index.
func (w *Warps) At(n int) Tile { return w.Tile(n/w.PerCTA, n%w.PerCTA) }

// Tile is what a warp is doing.
func (w *Warps) Tile(cta, warp int) Tile {
	if i, ok := w.resident(cta); ok {
		return w.tile(&w.Resident[i+warp])
	}
	t := Tile{CTA: cta, Warp: warp, Doing: DoesCome}
	if w.HasStarted(cta) {
		t.Doing = DoesEnded
	}
	if w.faulted && cta == w.cta && warp == w.warp {
		t.Doing = DoesFault
	}
	return t
}

// resident is where the states of a CTA's warps begin.
func (w *Warps) resident(cta int) (i int, ok bool) {
	order := func(cta int) int { return emu.StartOrder(w.Grid, w.Cluster, cta) }
	at := order(cta)
	n := sort.Search(len(w.Resident)/w.PerCTA, func(i int) bool { return order(w.Resident[i*w.PerCTA].CTA) >= at })
	i = n * w.PerCTA
	return i, i < len(w.Resident) && w.Resident[i].CTA == cta
}

func (w *Warps) tile(s *emu.WarpState) Tile {
	t := Tile{CTA: s.CTA, Warp: s.Index, PC: s.PC, Mask: s.Active, Live: s.Live, Waiting: s.Waiting, At: s.At}
	this := s.CTA == w.cta && s.Index == w.warp
	switch {
	case this && w.faulted:
		t.Doing = DoesFault
	case s.Ended:
		t.Doing = DoesEnded
	case this:
		t.Doing = DoesRun
	case s.Blocked:
		t.Doing, t.Mask = DoesWait, 0
	case s.Active != s.Live:
		t.Doing = DoesDiverged
	default:
		t.Doing = DoesReady
	}
	return t
}

// EachResident visits the warps of resident CTAs.
func (w *Warps) EachResident(do func(Tile)) {
	for i := range w.Resident {
		do(w.tile(&w.Resident[i]))
	}
}

// Count is how many warps do the same; At is -1 unless all wait at one place.
type Count struct {
	Doing Doing
	At    int
	N     int
}

// Counts says how many warps do what, those that run first. Those that wait are counted by where they wait.
func (w *Warps) Counts() (list []Count) {
	if w.PerCTA == 0 {
		return nil
	}
	var at [emu.AtGroup + 1]int
	var n [doings]int
	w.EachResident(func(t Tile) {
		if t.Doing == DoesWait {
			at[t.At]++
		} else {
			n[t.Doing]++
		}
	})
	n[DoesEnded] += w.Started*w.PerCTA - len(w.Resident)
	n[DoesCome] = w.Total() - w.Started*w.PerCTA
	if w.faulted && n[DoesFault] == 0 {
		n[DoesFault], n[DoesCome] = 1, n[DoesCome]-1 // no memory was left for its CTA
	}
	for _, d := range [...]Doing{DoesFault, DoesRun, DoesWait, DoesDiverged, DoesReady, DoesEnded, DoesCome} {
		if n[d] > 0 {
			list = append(list, Count{d, -1, n[d]})
		}
		for place, n := range at {
			if n > 0 && d == DoesWait {
				list = append(list, Count{d, place, n})
			}
		}
	}
	return list
}

// Words says what these warps do: "at barrier 0", "ended".
func (c Count) Words() string {
	switch c.Doing {
	case DoesFault:
		return "faulted"
	case DoesRun:
		return "runs"
	case DoesDiverged:
		return "diverged"
	case DoesReady:
		return "ready"
	case DoesEnded:
		return "ended"
	case DoesCome:
		return "to come"
	}
	switch c.At {
	case emu.AtMbarrier:
		return "at an mbarrier"
	case emu.AtCluster:
		return "at the cluster's barrier"
	case emu.AtTensor:
		return "for tensor memory"
	case emu.AtGroup:
		return "for the warpgroup"
	}
	return fmt.Sprintf("at barrier %d", c.At)
}

// Words says what the warp does.
func (t *Tile) Words() string { return Count{t.Doing, t.At, 1}.Words() }

// kept is a warp that has ended, with its last registers, at the tick up to which its CTA was there.
type kept struct {
	view    emu.WarpView
	tick    int64
	edition int
}

// lookBack is a warp as it is, or with its last registers if its CTA has ended. While the run goes on, it does not look
// for them.
func (s *Session) lookBack(cta, warp int) emu.WarpView {
	v := s.look(cta, warp)
	h := s.history
	if v.Resident || !v.Ended || s.phase == Running {
		return v
	}
	now, edition := h.tick(), h.edition
	k := &s.kept
	if k.view.Func == nil || k.view.CTAIndex != cta || k.view.Index != warp || k.tick > now || k.edition != edition {
		at := h.lastAlive(cta, warp, now)
		h.seek(at)
		*k = kept{s.look(cta, warp), at, edition}
		h.seek(now)
		w := &k.view
		w.Resident, w.Ended, w.PC, w.Stack, w.Undefined = false, true, nil, nil, nil
		w.Active, w.AtBarrier, w.Exited = 0, 0, w.Present
	}
	return k.view
}

// followLast follows the warp that executed the last instruction of the run, unless the user has chosen one.
func (s *Session) followLast() {
	if s.phase == Finished && !s.chosen {
		last := emu.Warps(s.history.grid)
		s.cta, s.warp = last.LastCTA, last.LastWarp
	}
}
