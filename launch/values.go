package launch

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// ParseValue gives the bits of a number in a type; why says to people what is wrong with it.
func ParseValue(t isa.Type, text string) (bits uint64, why string) {
	if hex, ok := cutHex(text); ok {
		v, err := strconv.ParseUint(hex, 16, 64)
		if err != nil || t.Bits() < 64 && v>>t.Bits() != 0 {
			return 0, text + " has more than the " + strconv.Itoa(t.Bits()) + " bits of " + typeName(t)
		}
		return v, ""
	}
	if t.Class() == isa.Float {
		return parseFloat(t, text)
	}
	return parseInt(t, text)
}

func cutHex(text string) (string, bool) {
	if len(text) > 2 && (text[:2] == "0x" || text[:2] == "0X") && strings.Trim(text[2:], "0123456789abcdefABCDEF") == "" {
		return text[2:], true
	}
	return "", false
}

func typeName(t isa.Type) string { return strings.TrimPrefix(t.String(), ".") }

func parseInt(t isa.Type, text string) (uint64, string) {
	n := t.Bits()
	mask := ^uint64(0) >> (64 - n)
	digits := strings.TrimLeft(text, "+-")
	if digits == "" || len(text) > len(digits)+1 || strings.Trim(digits, "0123456789") != "" {
		return 0, fmt.Sprintf("%q is not an integer, but the type is %s", short(text), typeName(t))
	}
	limit := mask // largest magnitude
	negative := text[0] == '-'
	switch {
	case negative && t.Class() == isa.Unsigned:
		limit = 0
	case negative:
		limit = mask>>1 + 1
	case t.Class() == isa.Signed:
		limit = mask >> 1
	}
	v, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || v > limit {
		return 0, fmt.Sprintf("%s does not fit %s (%s)", short(text), typeName(t), intRange(t))
	}
	if negative {
		v = -v
	}
	return v & mask, ""
}

func intRange(t isa.Type) string {
	n := uint(t.Bits())
	low, high := "0", strconv.FormatUint(^uint64(0)>>(64-n), 10)
	if t.Class() != isa.Unsigned {
		low = "-" + strconv.FormatUint(1<<(n-1), 10)
	}
	if t.Class() == isa.Signed {
		high = strconv.FormatUint(1<<(n-1)-1, 10)
	}
	return low + " to " + high
}

func parseFloat(t isa.Type, text string) (uint64, string) {
	v, ok := special(text)
	if !ok {
		digits := strings.TrimLeft(text, "+-")
		width := 64
		if t == isa.F32 {
			width = 32
		}
		var err error
		v, err = strconv.ParseFloat(text, width)
		if digits == "" || strings.Trim(digits, "0123456789.eE+-") != "" || err != nil && !math.IsInf(v, 0) {
			return 0, fmt.Sprintf("%q is not a number", short(text))
		}
	}
	if why := outsideNarrow(t, text, v); why != "" {
		return 0, why
	}
	bits := fromFloat(t, v)
	if !ok && math.IsInf(toFloat(t, bits), 0) {
		return 0, fmt.Sprintf("%s is too large for %s; write inf if that is meant", short(text), typeName(t))
	}
	return bits, ""
}

// outsideNarrow says why a narrow type (5.2.3) does not have a number; "" if it has the number or rounds to it. Types
// without infinity would turn every number that is too large into the largest one.
func outsideNarrow(t isa.Type, text string, v float64) string {
	has := func(v float64) bool { back := toFloat(t, fromFloat(t, v)); return back == v || back != back && v != v }
	largest := toFloat(t, fromFloat(t, math.Inf(1)))
	switch {
	case t.Bits() > 8 || t.Class() != isa.Float:
	case v < 0 && !has(-1):
		return fmt.Sprintf("%s is negative, and %s has no sign", short(text), typeName(t))
	case v != v && !has(v):
		return typeName(t) + " has no nan"
	case math.IsInf(v, 0) && !has(v):
		return typeName(t) + " has no infinity"
	case !has(math.Inf(1)) && math.Abs(v) > largest:
		return fmt.Sprintf("%s is too large for %s, whose largest number is %s", short(text), typeName(t),
			FormatValue(t, fromFloat(t, largest), 0))
	case t == isa.UE8M0 && !has(v):
		return fmt.Sprintf("%s is no power of two from 2^-127 to 2^127, which are the numbers of ue8m0", short(text))
	}
	return ""
}

func special(text string) (v float64, ok bool) {
	switch strings.ToLower(text) {
	case "nan":
		return math.NaN(), true
	case "inf", "+inf":
		return math.Inf(1), true
	case "-inf":
		return math.Inf(-1), true
	}
	return 0, false
}

// value reads one number.
func (c *cursor) value(t isa.Type) (bits uint64, ok bool) {
	c.skip()
	at := c.pos
	text := c.token()
	if text == "" || text == "+" || text == "-" {
		c.pos = at
		return 0, c.failHere("header-value", "a number")
	}
	bits, why := ParseValue(t, text)
	if why != "" {
		return 0, c.fail("header-value", c.from(at), "%s", why)
	}
	return bits, true
}

// values writes the bits of successive components, from number first on.
type values func(to []uint64, first int)

// initial reads initial values. It reports a list or text that is too long.
func (c *cursor) initial(e Elem, a *Arg) (v values, ok bool) {
	c.skip()
	start := c.pos
	switch word := c.word(); {
	case word == "iota":
		return c.iota(e.Type)
	case word == "random":
		return c.random(e.Type)
	case word == "text":
		return c.text(e.Type, a)
	case word != "" && strings.Trim(word[:1], "0123456789") != "" && !beginsField(word):
		c.pos = start
		return nil, c.failHere("header-value", `a number, a list, iota, random(seed), address(x) or text "…"`)
	}
	c.pos = start
	return c.list(e, a)
}

func isSpecial(word string) bool { _, ok := special(word); return ok }

// iota reads what follows the word: nothing, "(start)" or "(start, step)".
func (c *cursor) iota(t isa.Type) (values, bool) {
	if t == isa.UE8M0 {
		return nil, c.failHere("header-value", "a list, as the numbers of ue8m0 are powers of two, not iota")
	}
	start, _ := ParseValue(t, "0")
	step, _ := ParseValue(t, "1")
	if c.accept("(") {
		var ok bool
		if start, ok = c.value(t); !ok {
			return nil, false
		}
		if c.accept(",") {
			if step, ok = c.value(t); !ok {
				return nil, false
			}
		}
		if !c.accept(")") {
			return nil, c.failHere("header-value", `")", as in iota(start, step)`)
		}
	}
	if t.Class() == isa.Float {
		from, by := toFloat(t, start), toFloat(t, step)
		if t == isa.F32 { // as most are: without calls
			return func(to []uint64, first int) {
				for i := range to {
					to[i] = uint64(math.Float32bits(float32(from + float64(first+i)*by)))
				}
			}, true
		}
		return func(to []uint64, first int) {
			for i := range to {
				to[i] = fromFloat(t, from+float64(first+i)*by)
			}
		}, true
	}
	mask := ^uint64(0) >> (64 - t.Bits())
	return func(to []uint64, first int) {
		for i := range to {
			to[i] = (start + uint64(first+i)*step) & mask
		}
	}, true
}

// random reads "(seed)". The numbers come in order; see the package comment for the generator.
func (c *cursor) random(t isa.Type) (values, bool) {
	if t == isa.UE8M0 {
		return nil, c.failHere("header-value", "a list, as the numbers of ue8m0 are powers of two, not random")
	}
	if !c.accept("(") {
		return nil, c.failHere("header-value", `"(": random needs a seed, as in random(1)`)
	}
	if c.skip(); c.rest() == "" || !strings.Contains("+-0123456789", c.rest()[:1]) {
		return nil, c.failHere("header-value", "a seed, as in random(1)")
	}
	seed, ok := c.value(isa.B64)
	if !ok {
		return nil, false
	}
	if !c.accept(")") {
		return nil, c.failHere("header-value", `")"`)
	}
	const gamma = 0x9e3779b97f4a7c15
	return func(to []uint64, first int) {
		for i := range to {
			to[i] = splitMix64(seed + uint64(first+i+1)*gamma) // output i depends on nothing else
		}
		scale(t, to)
	}, true
}

func splitMix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// scale maps numbers of 64 random bits to a type.
func scale(t isa.Type, list []uint64) {
	if t.Class() != isa.Float {
		for i := range list {
			list[i] >>= 64 - t.Bits()
		}
		return
	}
	p := randomBits[t]
	unit := math.Ldexp(1, -p)
	for i, z := range list {
		list[i] = fromFloat(t, float64(z>>(64-p))*unit)
	}
}

// randomBits are the bits that a number from 0 to 1 has in each type: its precision, if the type's least step allows
// it.
var randomBits = map[isa.Type]int{isa.F16: 11, isa.BF16: 8, isa.F32: 24, isa.F64: 53, isa.E4M3: 4, isa.UE4M3: 4,
	isa.E5M2: 3, isa.E3M2: 3, isa.E2M3: 3, isa.E2M1: 1}

// text reads a string whose bytes go to the buffer's start.
func (c *cursor) text(t isa.Type, a *Arg) (values, bool) {
	c.skip()
	at := c.pos
	s, ok := c.quoted("header-value")
	if !ok {
		return nil, false
	}
	if len(s) > a.Size() {
		return nil, c.fail("header-value", c.from(at), "the text has %s, %s has %s", ptx.Plural(len(s), "byte"), a.Name,
			ptx.Plural(a.Size(), "byte"))
	}
	return inMemory([]byte(s), t), true
}

// inMemory are components that are bytes already.
func inMemory(b []byte, t isa.Type) values {
	return func(to []uint64, first int) {
		for i := range to {
			to[i] = component(b, t, first+i)
		}
	}
}

// Contents are the initial bytes: Data, or what Init says, with zeros for addresses. Call it only for arguments that
// fit in memory.
func (a *Arg) Contents() ([]byte, error) {
	data, _, err := a.contents(nil)
	return data, err
}

// contents is Contents with known addresses, and says whether there are any.
func (a *Arg) contents(p *places) (data []byte, addressed bool, err error) {
	if a.Data == nil {
		data = make([]byte, a.Size())
		addressed, err = a.fill(data, p)
		return data, addressed, err
	}
	if len(a.Data) != a.Size() {
		return nil, false, fmt.Errorf("argument %s has %s of data and needs %d", a.Name,
			ptx.Plural(len(a.Data), "byte"), a.Size())
	}
	return a.Data, false, nil
}

// Preview lists the first numbers of a buffer's initial contents; "" if there are none to list: Init says nothing, says
// all of it, or depends on addresses.
func (a *Arg) Preview(most int) string {
	e := a.Elem()
	if a.Init == "" || len(a.Dims) == 0 {
		return ""
	}
	some, whole := *a, a.Len()*e.Lanes
	n := min(whole, most)
	some.Data, some.Dims = nil, []int{(n + e.Lanes - 1) / e.Lanes}
	data, addressed, err := some.contents(nil)
	if err != nil || addressed {
		return ""
	}
	words := make([]string, n)
	for i := range words {
		words[i] = FormatValue(e.Type, component(data, e.Type, i), 0)
	}
	text := strings.Join(words, ", ")
	if n < whole {
		text += ", …"
	}
	if text == a.Init {
		return ""
	}
	return text
}

// fill writes what Init says, if it says something, and says whether there are addresses.
func (a *Arg) fill(out []byte, p *places) (addressed bool, err error) {
	if a.Init == "" {
		return false, nil
	}
	e := a.Elem()
	var errs ptx.Diagnostics
	c := &cursor{src: a.Init, errs: &errs, places: p}
	v, ok := c.initial(e, a)
	if !ok || !c.end("header-value", "the values") {
		return c.addressed, fmt.Errorf("argument %s: %s", a.Name, errs[0].Message)
	}
	var block [256]uint64
	n, done := a.Len()*e.Lanes, len(out)
	if round := c.repeats * len(block); round > 0 && round < n && e.Type.Bits() >= 8 { // what follows is copied
		n, done = round, round*e.Type.Bits()/8
	}
	for first := 0; first < n; first += len(block) {
		some := block[:min(len(block), n-first)]
		v(some, first)
		putComponents(out[first*e.Type.Bits()/8:], e.Type, some)
	}
	for ; done < len(out); done *= 2 {
		copy(out[done:], out[:done])
	}
	return c.addressed, nil
}

// putComponents writes successive components. Those of half a byte come by twos, the lower half first.
func putComponents(b []byte, t isa.Type, list []uint64) {
	if t.Bits() == 32 {
		b = b[:4*len(list)]
		for i, v := range list {
			binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
		}
		return
	}
	clear(b[:(len(list)*t.Bits()+7)/8])
	for i, v := range list {
		setComponent(b, t, i, v)
	}
}

func putBits(b []byte, size int, v uint64) {
	switch size {
	case 1:
		b[0] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(v))
	default:
		binary.LittleEndian.PutUint64(b, v)
	}
}
