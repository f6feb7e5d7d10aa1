package launch

import (
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/emu/count"
)

// counterCondition is an expectation about a counter, such as "sectors_per_request <= 4".
type counterCondition struct {
	counter *count.Counter
	comparison
	line int // 0: the whole kernel
}

// findingsCondition is an expectation about the number of findings.
type findingsCondition struct{ comparison }

func (e findingsCondition) eval(o *outcome) (bool, string) {
	return e.holds(float64(len(o.findings))), strconv.Itoa(len(o.findings))
}

// comparison is what a number must be.
type comparison struct {
	operator string
	limit    float64
}

// comparisons are the operators, longer ones before their beginnings.
var comparisons = []string{"==", "!=", "<=", ">=", "<", ">"}

// counters parses what follows a counter's name.
func (c *cursor) counters(of *count.Counter) (condition, bool) {
	cond := counterCondition{counter: of}
	var ok bool
	if cond.comparison, ok = c.comparison(); !ok {
		return nil, false
	}
	if c.acceptWord("at") {
		if !c.acceptWord("line") {
			return nil, c.failHere("header-expect", `"line" after "at"`)
		}
		if cond.line, ok = c.count("header-expect", "the number of a line"); !ok {
			return nil, false
		}
	}
	return cond, c.end("header-expect", "the number")
}

// comparison parses an operator and a number.
func (c *cursor) comparison() (e comparison, ok bool) {
	for _, op := range comparisons {
		if c.accept(op) {
			e.operator = op
			break
		}
	}
	if e.operator == "" {
		return e, c.failHere("header-expect", "one of "+strings.Join(comparisons, " ")+" after the counter")
	}
	c.skip()
	at := c.pos
	var err error
	if e.limit, err = strconv.ParseFloat(c.number(), 64); err != nil {
		c.pos = at
		return e, c.failHere("header-expect", "a number from 0 up")
	}
	return e, true
}

// number reads digits with a point.
func (c *cursor) number() string {
	at := c.pos
	for c.pos < len(c.src) && strings.IndexByte("0123456789.", c.src[c.pos]) >= 0 {
		c.pos++
	}
	return c.src[at:c.pos]
}

// counts says whether an expectation needs a run that keeps counters. Every run knows some sums, and how often it has
// executed each line.
func (e counterCondition) counts() bool {
	return !e.counter.Always || e.line != 0 && e.counter.Short != "instructions"
}

func (e counterCondition) eval(o *outcome) (bool, string) {
	var list []count.Inst
	switch {
	case o.account != nil:
		list = o.account.At(e.line)
	case e.line != 0:
		list = []count.Inst{{Counts: count.Counts{Instructions: o.lines()[e.line]}}}
	default:
		list = []count.Inst{{Counts: alwaysCounted(o.stats)}}
	}
	v, ok := e.counter.Of(list)
	if !ok {
		return false, "nothing to divide by: there are no " + strings.SplitAfterN(e.counter.Unit, " per ", 2)[1] + "s"
	}
	return e.holds(v.Float()), v.String()
}

func (e comparison) holds(v float64) bool {
	switch e.operator {
	case "==":
		return v == e.limit
	case "!=":
		return v != e.limit
	case "<=":
		return v <= e.limit
	case ">=":
		return v >= e.limit
	case "<":
		return v < e.limit
	}
	return v > e.limit
}

// alwaysCounted are the counters that every run has.
func alwaysCounted(s *emu.Stats) count.Counts {
	return count.Counts{Instructions: s.WarpInstructions, Lanes: s.LaneInstructions, Branches: s.Branches,
		Divergent: s.DivergentBranches, Arrivals: s.Barriers}
}
