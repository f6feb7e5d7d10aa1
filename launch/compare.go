package launch

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

type toleranceKind uint8

const (
	noTolerance toleranceKind = iota
	inUlp                     // units in the last place
	absolute
	percent // of the expected value
)

type tolerance struct {
	kind  toleranceKind
	limit float64
	text  string
}

// tolerance reads what follows ±: "2ulp", "1e-6" or "0.1%".
func (c *cursor) tolerance() (tolerance, bool) {
	c.skip()
	at := c.pos
	text := c.token()
	number, ulp := strings.CutSuffix(text, "ulp")
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v < 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		c.pos = at
		return tolerance{}, c.failHere("header-expect", `a tolerance such as "2ulp", "1e-6" or "0.1%"`)
	}
	switch {
	case ulp || c.acceptWord("ulp") || c.acceptWord("ulps"):
		return tolerance{inUlp, v, number + "ulp"}, true
	case c.accept("%"):
		return tolerance{percent, v, number + "%"}, true
	}
	return tolerance{absolute, v, number}, true
}

// elementsCondition compares elements of a buffer.
type elementsCondition struct {
	arg  *Arg
	at   box
	want []want // one for all, one per component of a vector, or one per component of each element
	tol  tolerance
}

const shownValues = 8

func (e *elementsCondition) eval(o *outcome) (bool, string) {
	elem := e.arg.Elem()
	data := o.buffers[e.arg.Name]
	var shown []string
	first, wrong := "", 0
	for k := range e.at.count {
		n := e.at.element(k)
		if k < shownValues {
			shown = append(shown, e.show(data, n, k))
		}
		for lane := range elem.Lanes {
			w := e.want[(k*elem.Lanes+lane)%len(e.want)]
			got := component(data, elem.Type, n*elem.Lanes+lane)
			if matches(elem.Type, got, w, e.tol) {
				continue
			}
			if wrong++; wrong == 1 {
				first = e.difference(n, lane, got, w)
			}
		}
	}
	if wrong == 0 {
		if e.at.count > shownValues {
			shown = append(shown, "…")
		}
		return true, strings.Join(shown, ", ")
	}
	if wrong > 1 {
		first += fmt.Sprintf(" (%s of %s differ)", ptx.Thousands(int64(wrong)), ptx.Plural(e.at.count*elem.Lanes, "number"))
	}
	return false, first
}

// show writes a scalar that was found, in hexadecimal if a hexadecimal number is expected.
func (e *elementsCondition) show(data []byte, n, k int) string {
	elem := e.arg.Elem()
	if w := e.want[k%len(e.want)]; w.exact && elem.Lanes == 1 {
		return FormatHex(elem.Type, component(data, elem.Type, n), 0)
	}
	return FormatNth(elem, data, n)
}

func (e *elementsCondition) difference(element, lane int, got uint64, w want) string {
	t := e.arg.Elem().Type
	place := e.arg.Name + indexText(e.arg, element)
	if e.arg.Elem().Lanes > 1 {
		place += "." + "xyzw"[lane:lane+1]
	}
	found, expected := FormatValue(t, got, 0), FormatValue(t, w.bits, 0)
	if w.exact || found == expected {
		found, expected = FormatHex(t, got, 0), FormatHex(t, w.bits, 0)
	}
	text := fmt.Sprintf("%s is %s, expected %s", place, found, expected)
	if e.tol.kind != noTolerance {
		text += " ± " + e.tol.text
	}
	return text
}

// indexText is "[3,4]" for an element's number.
func indexText(a *Arg, element int) string {
	parts := make([]string, len(a.Dims))
	for i, d := range a.Dims {
		parts[i] = strconv.Itoa(element % d)
		element /= d
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// matches compares the bits that were found with those wanted.
func matches(t isa.Type, got uint64, w want, tol tolerance) bool {
	switch {
	case got == w.bits:
		return true
	case t.Class() == isa.Float:
		return matchesFloat(t, got, w, tol)
	case tol.kind == noTolerance:
		return false
	}
	return withinInt(t, got, w.bits, tol)
}

func matchesFloat(t isa.Type, got uint64, w want, tol tolerance) bool {
	a, b := toFloat(t, got), toFloat(t, w.bits)
	switch {
	case w.nan:
		return math.IsNaN(a)
	case w.exact && tol.kind == noTolerance || math.IsNaN(a) || math.IsNaN(b):
		return false
	case a == b:
		return true
	}
	switch tol.kind {
	case inUlp:
		return ulps(t, got, w.bits) <= tol.limit
	case absolute:
		return math.Abs(a-b) <= tol.limit
	case percent:
		return math.Abs(a-b) <= math.Abs(b)*tol.limit/100 && !math.IsInf(b, 0)
	}
	return false
}

// ulps is the number of values of the type from one to the other; +0 and -0 are one value. Infinity is the value after
// the largest number.
func ulps(t isa.Type, a, b uint64) float64 {
	x, y := ordinal(t, a), ordinal(t, b)
	if x < y {
		x, y = y, x
	}
	return float64(uint64(x) - uint64(y))
}

// ordinal numbers the values of a floating-point type in their order, zero being 0.
func ordinal(t isa.Type, bits uint64) int64 {
	sign := fromFloat(t, math.Copysign(0, -1)) // none in the scale factors
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}

func withinInt(t isa.Type, got, want uint64, tol tolerance) bool {
	got, want = t.Extend(got), t.Extend(want)
	above := got > want
	size := float64(want)
	if t.Class() == isa.Signed {
		above = int64(got) > int64(want)
		size = math.Abs(float64(int64(want)))
	}
	diff := want - got
	if above {
		diff = got - want
	}
	if tol.kind == percent {
		return float64(diff) <= size*tol.limit/100
	}
	return float64(diff) <= tol.limit
}
