package debug

import (
	"errors"
	"math"

	"warpscope/emu"
	"warpscope/ptx"
)

// question is what a search looks for: certain instructions, before they execute or after.
type question struct {
	at        map[*ptx.Inst]bool
	cta, warp int      // of the warp that executes them; -1 means any
	addr      emu.Addr // those of them are left out that write none of size bytes there, if size is not 0
	size      int
	stop      func(cta, warp int) bool // the search ends before the instruction; nil: never
	before    func()                   // before a step that match is asked about; nil: nothing
	match     func(rec *emu.Step) bool // the search ends after the step; nil: never
	pass      int64                    // tick at which stop is not asked: a run goes on from there
}

// always ends a search before the first candidate.
func always(cta, warp int) bool { return true }

// asks says whether the warp that runs next is one that the question is about.
func (q *question) asks(cta, warp int) bool {
	return (q.cta < 0 || q.cta == cta) && (q.warp < 0 || q.warp == warp)
}

// answers says whether the step that faulted is an answer.
func (q *question) answers(rec *emu.Step) bool {
	return q.match != nil && rec != nil && q.at[rec.Inst] && (q.cta < 0 || q.cta == rec.CTAIndex) &&
		(q.warp < 0 || q.warp == rec.Warp) && q.match(rec)
}

// searchTicks are as many as last looks at in one piece: to run to a tick without candidates is faster.
const searchTicks = 1 << 20

// answer is a place in time that a search has found.
type answer struct {
	tick int64     // of the machine before the instruction if the question asks for that, else after it
	rec  *emu.Step // of the step; nil before the instruction
}

// last returns the last answer to a question at a tick before t, or nil. It looks at the intervals between snapshots,
// the latest first, as far back as tick least. The machine can be at any tick afterwards.
func (h *history) last(q question, t, least int64) *answer {
	if h.fault != nil && t >= h.faultTick {
		if q.answers(h.faultStep) {
			return &answer{h.faultTick, h.faultStep}
		}
		t = h.faultTick
	}
	for t > least {
		from := max(h.snaps[h.before(t)].Tick, least, t-searchTicks)
		h.glide(from, math.MaxInt64)
		if found := h.scan(q, t, true); found != nil {
			return found
		}
		t = from
	}
	return nil
}

// next returns the first answer to a question from here on, as far as tick until; nil if there is none. The machine is
// at the answer, or at until, or at the end of the run.
func (h *history) next(q question, until int64) *answer { return h.scan(q, until, false) }

// scan executes from here up to a tick and returns the first answer to a question, or the last one. Only the candidates
// are executed with a record.
func (h *history) scan(q question, until int64, last bool) (found *answer) {
	was := h.exchangeBreaks(breaks{q.at, q.cta, q.warp, q.addr, q.size})
	defer h.exchangeBreaks(was)
	for !h.faulted && !h.grid.Done() && h.tick() < until {
		h.useBreaks(true)
		err := h.advance(until-h.tick(), h.grid.AtBreak)
		if err == nil {
			continue
		}
		now := h.try(&q, err, last)
		if now == nil {
			continue
		}
		if found = now; !last {
			return found
		}
	}
	return found
}

// try looks at the candidate that the machine has come to, and executes it unless the search ends before it. err is why
// the machine has stopped: before the candidate, or in it by a fault.
func (h *history) try(q *question, err error, goOn bool) *answer {
	if !errors.Is(err, emu.ErrBreak) {
		if q.answers(h.faultStep) {
			return &answer{h.tick(), h.faultStep}
		}
		return nil
	}
	cta, warp, _ := h.grid.Next()
	asked := q.asks(cta, warp)
	if asked && q.stop != nil && h.tick() != q.pass && q.stop(cta, warp) {
		found := &answer{tick: h.tick()}
		if goOn {
			_ = h.advance(1, func() bool { return false })
		}
		return found
	}
	if !asked || q.match == nil {
		_ = h.advance(1, func() bool { return false })
		return nil
	}
	if q.before != nil {
		q.before()
	}
	rec, _ := h.step()
	if !q.match(&rec) {
		return nil
	}
	return &answer{h.tick(), &rec}
}
