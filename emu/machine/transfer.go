package machine

import (
	"fmt"
	"slices"

	"warpscope/emu/causes"
	"warpscope/emu/mem"
)

// Asynchronous operations other than cp.async are under way from their instruction until a thread waits for them. Like
// cp.async they happen as late as the manual allows: when a wait needs them, or when the CTA that started them or whose
// memory they write ends. A wait is that of a thread for its bulk group, or that of any thread for the mbarrier that
// they signal. So a program that forgets to wait sees old data every time, and the access that comes too early is noted
// as a finding.

// DeliverDue makes the operations happen that are due, in the order in which they were started.
func DeliverDue(g *Grid, due func(o *AsyncOp) bool) {
	var now []AsyncOp
	g.Async = slices.DeleteFunc(g.Async, func(o AsyncOp) bool {
		if !due(&o) {
			return false
		}
		now = append(now, o)
		return true
	})
	if len(now) == 0 {
		return
	}
	g.AddFlying(-len(now))
	for i := range now {
		makeTransfer(g, &now[i])
	}
}

// DeliverTo makes all operations happen that signal the mbarrier at an arena offset.
func DeliverTo(g *Grid, at uint32) {
	// Operations on tensor memory happen in the order of their instructions.
	last, i := -1, -1
	var of AsyncOp
	for k, o := range g.Async {
		if o.Mbarrier == at && o.Tensor != nil {
			last, of = k, o
		}
	}
	DeliverDue(g, func(o *AsyncOp) bool {
		i++
		return o.Mbarrier == at || i < last && o.Tensor != nil && SameTensor(g, o, &of)
	})
	copiesTo(g, at)
}

// ReadSource reads what an operation is going to write, unless it has done so.
func ReadSource(g *Grid, o *AsyncOp) {
	if o.Read {
		return
	}
	for _, m := range o.Moves {
		if m.From == 0 {
			for i := range m.Size {
				o.Data = append(o.Data, o.Fill[i&7])
			}
			continue
		}
		from := g.Mem.Bytes(m.From, o.Reads(m))
		o.Report.look(m.From, from)
		if o.Packs {
			from = mem.PackSixes(from)
		}
		o.Data = append(o.Data, from...)
	}
	o.Read = true
}

// makeTransfer makes an operation happen: it writes the data and signals the mbarrier.
func makeTransfer(g *Grid, o *AsyncOp) {
	now := !o.Read // what was read before can have changed since
	ReadSource(g, o)
	at := 0
	for _, m := range o.Moves {
		data := o.Data[at:][:m.Size]
		at += int(m.Size)
		overwrittenMaps(g, m.To, m.Size)
		g.Record.Memory(g, m.To, m.Size, o.Lane, func() {
			to := g.Mem.Bytes(m.To, m.Size)
			switch {
			case o.Fold != nil:
				mem.Fold(o.Fold, int(o.Size), to, data)
			case m.Mask != 0:
				for i := range to {
					if m.Mask>>(i&15)&1 == 0 {
						to[i] = data[i]
					}
				}
			default:
				copy(to, data)
			}
		})
		if now && m.From != 0 && o.Fold == nil && m.Mask == 0 && !o.Packs {
			g.Record.from(g, m.From, m.Size)
		}
	}
	for _, op := range o.Tensor {
		op.Do(g.cta(o.CTA))
	}
	if o.Mbarrier == 0 {
		return
	}
	change := MbarrierChange{Tx: -int64(o.Tx), Arrive: o.Arrive, Report: o.Report.found}
	if why := ChangeMbarrier(g, o.Mbarrier, change); why != "" {
		g.note(o.In, causes.Mbarrier, o.CTA, fmt.Sprintf("%s has written, but at its mbarrier: %s", DescribeTransfer(g, o),
			why))
	}
}

// landTransfers makes all operations happen that an ending CTA has started, or that read or write its shared memory.
func landTransfers(g *Grid, c *CTA) {
	c.leftColumns()
	if len(g.Async) == 0 {
		return
	}
	own := mem.Span(c.SharedOff, uint32(c.SharedSize))
	mine := own.Overlaps
	DeliverDue(g, func(o *AsyncOp) bool {
		reads, writes := mine(o.From), mine(o.To)
		if o.Pair && len(o.Tensor) > 0 && o.CTA != c.Index && g.cta(o.CTA).Partner() == c {
			g.note(o.In, causes.End, o.CTA,
				fmt.Sprintf("CTA %d,%d,%d ended, but %s was still to work on its tensor memory: "+
					"no thread waited", c.id.X, c.id.Y, c.id.Z, DescribeTransfer(g, o)))
			return true
		}
		if reads || writes {
			what := map[bool]string{true: "was still to read from", false: "was still to write to"}[reads]
			g.note(o.In, causes.End, o.CTA, fmt.Sprintf("CTA %d,%d,%d ended, but %s %s its shared memory: no thread waited",
				c.id.X, c.id.Y, c.id.Z, DescribeTransfer(g, o), what))
		}
		return reads || writes || o.CTA == c.Index || mine(mem.Span(o.Mbarrier, 8))
	})
}
