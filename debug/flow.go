package debug

import (
	"fmt"
	"slices"

	"warpscope/emu"
	"warpscope/emu/count"
	"warpscope/ptx"
)

// Flow is the control-flow graph of the function that the followed warp is in. What never changes while the text stays
// is in Shape.
type Flow struct {
	*Shape
	Counted bool    // the counts are those of the current step
	Runs    []int64 // by block: warp instructions that have begun it
	Lanes   []int64 // by block: lanes of these
	Taken   []int64 // by edge: lanes that have gone along it, or Unknown
	Groups  []FlowGroup
}

// Unknown is the count of an edge of brx.idx that cannot be told from another one.
const Unknown = -1

// Shape is the basic blocks of a function and the edges between them.
type Shape struct {
	Func   string
	Colour int         // of the first block; those of the others follow
	Blocks []FlowBlock // in the order of the text; the function starts with the first one
	Edges  []FlowEdge  // by their source, then in the order of its targets; falling through comes last

	f *ptx.Func
}

// FlowBlock is a basic block.
type FlowBlock struct {
	Name        string // its label, or ""
	First, Last int    // lines
	Code        []FlowLine
	Joins       bool // it is the reconvergence point of a branch
	Ends        bool // lanes can leave the function from here
}

// FlowLine is an instruction of a block.
type FlowLine struct {
	Line int
	Text string
}

// FlowEdge leads from the end of a block to the start of another one.
type FlowEdge struct {
	From, To int
	Jump     bool // by a branch; else lanes fall through
}

// FlowGroup is lanes of the followed warp that are in a block.
type FlowGroup struct {
	Block int
	Line  int
	Lanes emu.Mask
	Runs  bool // they execute the next instruction
	Bar   bool // they wait for other warps
}

// Flow is the graph at the current step, with the counts as far as Count has come; nil when there is no warp to follow.
func (s *Session) Flow() *Flow {
	s.Prepare()
	if s.phase == Invalid {
		return nil
	}
	w := s.lookBack(s.cta, s.warp)
	f := w.Func
	if f == nil {
		at := slices.IndexFunc(s.module.Funcs, func(f *ptx.Func) bool { return f.Entry && f.Name == s.spec.Entry })
		if at < 0 {
			return nil
		}
		f = s.module.Funcs[at]
	}
	if len(f.Blocks) == 0 {
		return nil
	}
	if s.shape == nil || s.shape.f != f {
		s.shape = s.newShape(f)
	}
	flow := &Flow{Shape: s.shape}
	flow.place(s, &w)
	flow.count(s)
	return flow
}

// newShape is the graph of a function.
func (s *Session) newShape(f *ptx.Func) *Shape {
	g := &Shape{Func: ptx.DisplayName(f.Name), Colour: FirstColour(f, slices.Index(s.module.Funcs, f)), f: f}
	for i := range f.Blocks {
		b := &f.Blocks[i]
		var block FlowBlock
		for _, in := range f.Insts[b.Start:b.End] {
			line := s.line(in)
			if in.Implicit() {
				continue
			}
			if block.First == 0 {
				block.First = line
			}
			block.Last = max(block.Last, line)
			block.Code = append(block.Code, FlowLine{line, s.code(in)})
		}
		for _, l := range f.Labels {
			if l.Target == b.Start {
				block.Name = l.Name
			}
		}
		block.Ends = len(b.Succs()) == 0 || b.RunsOut
		g.Blocks = append(g.Blocks, block)
		g.Edges = append(g.Edges, edgesOf(f, i)...)
	}
	for i := range f.Blocks {
		last := f.Insts[f.Blocks[i].End-1]
		if at := last.Reconv(); len(last.Targets()) > 0 && len(edgesOf(f, i)) > 1 && at < len(f.Insts) {
			if k := blockAt(f, at); k >= 0 {
				g.Blocks[k].Joins = true
			}
		}
	}
	return g
}

// edgesOf are the edges out of a block.
func edgesOf(f *ptx.Func, block int) (list []FlowEdge) {
	b := &f.Blocks[block]
	add := func(to int, jump bool) {
		if !slices.ContainsFunc(list, func(e FlowEdge) bool { return e.To == to }) {
			list = append(list, FlowEdge{block, to, jump})
		}
	}
	jumps := len(f.Insts[b.End-1].Targets()) > 0
	for _, node := range b.Succs() {
		if node >= len(f.Blocks) { // the table of a brx.idx
			for _, to := range f.Next(node) {
				add(to, true)
			}
			continue
		}
		add(node, jumps && slices.Contains(f.Insts[b.End-1].Targets(), f.Blocks[node].Start))
	}
	return list
}

// blockAt is the block that an instruction is in, or -1.
func blockAt(f *ptx.Func, index int) int {
	return slices.IndexFunc(f.Blocks, func(b ptx.Block) bool { return b.Start <= index && index < b.End })
}

// place puts the groups of the followed warp into their blocks: a lane is where the topmost entry that holds it is.
func (g *Flow) place(s *Session, w *emu.WarpView) {
	left := w.Present &^ w.Exited
	for i, e := range w.Stack {
		lanes := e.Mask & left
		left &^= lanes
		if lanes == 0 || e.PC == nil || e.Func != g.f {
			continue
		}
		next := FlowGroup{Block: blockAt(g.f, e.PC.Index), Line: s.line(e.PC), Lanes: lanes,
			Runs: i == 0 && e.Wait == emu.WaitNone && lanes&^w.AtBarrier != 0, Bar: lanes&^w.AtBarrier == 0}
		same := func(o FlowGroup) bool { return o.Block == next.Block && o.Runs == next.Runs && o.Bar == next.Bar }
		if k := slices.IndexFunc(g.Groups, same); k >= 0 {
			g.Groups[k].Lanes |= lanes
			continue
		}
		g.Groups = append(g.Groups, next)
	}
}

// count takes the counts of blocks and edges from those of their first and last instructions.
func (g *Flow) count(s *Session) {
	g.Runs, g.Lanes, g.Taken = make([]int64, len(g.Blocks)), make([]int64, len(g.Blocks)), make([]int64, len(g.Edges))
	counts, ok := s.countsOf(g.f)
	if g.Counted = ok; !ok {
		return
	}
	for i := range g.Blocks {
		first := counts[g.f.Blocks[i].Start]
		g.Runs[i], g.Lanes[i] = first.Instructions, first.Lanes
	}
	for i, e := range g.Edges {
		b := &g.f.Blocks[e.From]
		last := counts[b.End-1]
		switch in := g.f.Insts[b.End-1]; {
		case last.Instructions == 0:
		case in.Call != nil || e.Jump && len(in.Targets()) > 1:
			g.Taken[i] = Unknown // lanes can exit in the callee; a table has many ways
		case e.Jump && e.To == e.From+1: // the target is where the others fall through, too
			g.Taken[i] = last.Lanes
		case e.Jump:
			g.Taken[i] = last.Lanes - last.Off
		case in.Guard != nil:
			g.Taken[i] = last.Off
		default:
			g.Taken[i] = last.Lanes
		}
	}
	g.infer()
}

// infer finds the counts of edges that are the only unknown ones into their targets: lanes that have begun the target
// and have come no other way. The first block has lanes that have come from outside of the function.
func (g *Flow) infer() {
	for to := 1; to < len(g.Blocks); to++ {
		unknown, rest := -1, g.Lanes[to]
		for i, e := range g.Edges {
			switch {
			case e.To != to:
			case g.Taken[i] != Unknown:
				rest -= g.Taken[i]
			case g.Lanes[to] == 0:
				g.Taken[i] = 0
			case unknown >= 0:
				unknown = len(g.Edges)
			default:
				unknown = i
			}
		}
		if unknown >= 0 && unknown < len(g.Edges) {
			g.Taken[unknown] = max(rest, 0)
		}
	}
}

// countsOf are the counts of a function's instructions; ok is false where they are not counted up to the current step.
func (s *Session) countsOf(f *ptx.Func) (counts []count.Counts, ok bool) {
	a, _ := s.Account()
	if a == nil {
		return nil, false
	}
	first, ok := emu.FirstPC(s.counting.prepared.Grid, f)
	if !ok {
		return nil, false
	}
	counts = make([]count.Counts, len(f.Insts))
	for i := range a.Insts {
		if at := a.Insts[i].PC - first; at >= 0 && at < len(counts) {
			counts[at] = a.Insts[i].Counts
		}
	}
	return counts, true
}

// Title is a block's name and lines: "j1 44–45", "33–35".
func (b *FlowBlock) Title() string {
	lines := fmt.Sprint(b.First)
	switch {
	case b.First == 0:
		lines = "end"
	case b.Last != b.First:
		lines = fmt.Sprintf("%d–%d", b.First, b.Last)
	}
	if b.Name != "" {
		return b.Name + " " + lines
	}
	return lines
}

// Words are all that the graph says of a block: its name and lines, the lanes of the followed warp in it, and counts.
func (g *Flow) Words(block int) string {
	b := &g.Blocks[block]
	words := "Block " + b.Title()
	for _, o := range g.Groups {
		if o.Block == block {
			words += ", " + o.Words()
		}
	}
	switch {
	case !g.Counted:
		words += ", not counted yet"
	case g.Runs[block] == 0:
		words += ", never executed"
	default:
		words += fmt.Sprintf(", executed %s, %s", ptx.Plural(g.Runs[block], "time"), ptx.Plural(g.Lanes[block], "lane"))
	}
	if b.Joins {
		words += ", lanes meet here"
	}
	return words + "."
}

// Words say how many lanes do what: "4 run".
func (o *FlowGroup) Words() string {
	does := verb(o.Lanes, "wait")
	switch {
	case o.Runs:
		does = verb(o.Lanes, "run")
	case o.Bar:
		does += " at a barrier"
	}
	return fmt.Sprintf("%d %s", o.Lanes.Count(), does)
}
