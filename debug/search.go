package debug

import (
	"errors"

	"warpscope/emu"
	"warpscope/ptx"
)

// question is what a search looks for: steps of certain instructions whose records match.
type question struct {
	at        map[*ptx.Inst]bool
	cta, warp int // the warp that takes the step; a cta of -1 means any warp
	match     func(*emu.Step) bool
}

// asks says whether the warp that runs next is one that the question is about.
func (q *question) asks(cta, warp int) bool { return q.cta < 0 || q.cta == cta && q.warp == warp }

// last returns the record of the last step before tick t that answers a question, or nil. It looks at the intervals
// between snapshots, the latest first, as far back as tick least. The machine can be at any tick afterwards.
func (h *history) last(q question, t, least int64) *emu.Step {
	if h.fault != nil && t >= h.faultTick {
		if rec := h.faultStep; q.at[rec.Inst] && q.asks(rec.CTAIndex, rec.Warp) && q.match(rec) {
			return rec
		}
		t = h.faultTick - 1
	}
	for t > least {
		i := h.before(t)
		from := max(h.snaps[i].Tick, least)
		h.seek(from)
		if found := h.scan(q, t, true); found != nil {
			return found
		}
		t = from
	}
	return nil
}

// next returns the record of the first step from here on, and before tick until, that answers a question; nil if there
// is none. The machine is after that step, or at until, or at the end of the run.
func (h *history) next(q question, until int64) *emu.Step { return h.scan(q, until, false) }

// scan executes from here up to a tick and returns the record of the first step that answers a question, or of the last
// one. Only the candidates are executed with a record.
func (h *history) scan(q question, until int64, last bool) (found *emu.Step) {
	breaks := h.breaks
	h.setBreaks(q.at)
	defer h.setBreaks(breaks)
	for !h.faulted && !h.grid.Done() && h.tick() < until {
		h.useBreaks(true)
		err := h.advance(until-h.tick(), h.grid.AtBreak)
		rec := h.faultStep
		switch cta, warp, ok := h.grid.Next(); {
		case err == nil:
			continue
		case !errors.Is(err, emu.ErrBreak): // the step that faults
		case ok && !q.asks(cta, warp):
			_ = h.advance(1, func() bool { return false })
			continue
		default:
			var step emu.Step
			step, _ = h.step()
			rec = &step
		}
		if q.at[rec.Inst] && q.asks(rec.CTAIndex, rec.Warp) && q.match(rec) {
			if found = rec; !last {
				return found
			}
		}
	}
	return found
}
