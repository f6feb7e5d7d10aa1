package emu

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/ptx"
)

// printf in a kernel works like that of C. The CUDA C++ Programming Guide describes it ("Formatted Output"). C leaves
// some cases undefined. Here text that is not a conversion, such as %n, is printed as it is and takes no argument. A
// null pointer for %s prints as "(null)", as in the GNU library.

// maxOutput bounds what a kernel may print, in bytes.
const maxOutput = 1 << 20

// readable is the memory that a lane can read from a generic address on, to the end of the allocation or window.
func readable(w *machine.Warp, a Addr, lane int) []byte {
	kind := w.LSU.Segment(ptx.Generic, a, 1, false)
	seg := &w.LSU.Seg
	v := a + seg.Add
	if kind != "" || v >= seg.Size {
		return nil
	}
	off := seg.Base + uint32(v) + uint32(lane)*seg.Stride
	return w.Mem.Bytes(off, uint32(seg.Size-v))
}

// textAt reads a string that ends with a zero byte, or after most bytes. If the memory ends first, or if there is none,
// it returns a fault, whose message calls the string what.
func textAt(w *machine.Warp, a Addr, most, lane int, what string) (s []byte, fault *Fault) {
	s = readable(w, a, lane)
	if s == nil && most > 0 {
		return nil, badPointer(a, 1, what+" is not in memory that this lane can read")
	}
	s = s[:min(len(s), most)]
	if end := bytes.IndexByte(s, 0); end >= 0 {
		return s[:end], nil
	}
	if len(s) < most {
		return nil, badPointer(a+Addr(len(s)), 1, what+" runs over the end of its memory: no zero byte ends it")
	}
	return s, nil
}

func badPointer(a Addr, size int, why string) *Fault {
	return &Fault{Kind: IllegalAddress, Addr: a, Size: size, Space: "generic", Detail: "; " + why}
}

// vprintf is the device side of printf. It takes a format and a buffer of arguments, each aligned to its size. It
// returns the number of arguments, or -1 if there is no format.
func vprintf(w *machine.Warp, args []uint64, lane int) (uint64, *Fault) {
	if args[0] == 0 {
		return math.MaxUint32, nil
	}
	format, fault := textAt(w, args[0], math.MaxInt, lane, "the format of vprintf")
	if fault != nil {
		return 0, fault
	}
	g := w.CTA.Grid
	p := printer{w: w, lane: lane, at: args[1], pointer: g.Prog.Mod.AddressSize / 8, room: maxOutput - len(g.Printed)}
	if p.print(format); p.fault != nil {
		return 0, p.fault
	}
	g.Printed = append(g.Printed, p.out...)
	return uint64(p.args), nil
}

// printer prints one format.
type printer struct {
	w       *machine.Warp
	lane    int
	at      Addr // where the next argument is
	args    int  // arguments read
	pointer int  // size in bytes
	out     []byte
	room    int // bytes that can still be printed; the others are lost
	fault   *Fault
}

func (p *printer) write(s string) {
	n := min(len(s), p.room)
	p.out = append(p.out, s[:n]...)
	p.room -= n
}

func (p *printer) fill(c byte, n int) {
	n = min(max(n, 0), p.room)
	p.out = append(p.out, bytes.Repeat([]byte{c}, n)...)
	p.room -= n
}

// print prints text and conversions until one of them fails.
func (p *printer) print(format []byte) {
	for len(format) > 0 && p.fault == nil {
		text := bytes.IndexByte(format, '%')
		if text < 0 {
			text = len(format)
		}
		if text > 0 {
			p.write(string(format[:min(text, p.room)]))
			format = format[text:]
			continue
		}
		c, n := parseConversion(format)
		if n == 0 {
			p.write("%")
			n = 1
		} else {
			p.convert(c)
		}
		format = format[n:]
	}
}

// next reads an argument.
func (p *printer) next(size int) uint64 {
	p.args++
	p.at = (p.at + Addr(size) - 1) &^ (Addr(size) - 1)
	b := readable(p.w, p.at, p.lane)
	if len(b) < size {
		if p.fault == nil {
			p.fault = badPointer(p.at, size, fmt.Sprintf("vprintf looks for argument %d of its format here", p.args))
		}
		return 0
	}
	p.at += Addr(size)
	v, _ := mem.ReadElement(unsafe.Pointer(&b[0]), uint32(size), false)
	return v
}

// conversion is a conversion specification: %[flags][width][.precision][size]type.
type conversion struct {
	left, plus, space, alt, zero bool
	width, precision             int
	size                         string
	verb                         byte
}

// Values of width and precision that are not numbers.
const (
	absent  = -1
	inArgs  = -2 // *: the next argument is the number
	maxWide = math.MaxInt32
)

// parseConversion reads the conversion at the start of a format. n is its length, or 0 if there is none.
func parseConversion(s []byte) (c conversion, n int) {
	flags := map[byte]*bool{'-': &c.left, '+': &c.plus, ' ': &c.space, '#': &c.alt, '0': &c.zero}
	i := 1
	for ; i < len(s) && flags[s[i]] != nil; i++ {
		*flags[s[i]] = true
	}
	c.width, i = countIn(s, i, absent)
	c.precision = absent
	if i < len(s) && s[i] == '.' {
		c.precision, i = countIn(s, i+1, 0)
	}
	for _, size := range []string{"hh", "h", "ll", "l", "j", "z", "t", "L"} {
		if bytes.HasPrefix(s[i:], []byte(size)) {
			c.size = size
			i += len(size)
			break
		}
	}
	if i == len(s) || strings.IndexByte("diouxXeEfFgGaAcsp%", s[i]) < 0 {
		return c, 0
	}
	c.verb = s[i]
	return c, i + 1
}

// countIn reads a width or precision at s[i], which ends before s[end]. A number above maxWide counts as maxWide.
func countIn(s []byte, i, none int) (n, end int) {
	if i < len(s) && s[i] == '*' {
		return inArgs, i + 1
	}
	n = none
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		n = min(max(n, 0)*10+int(s[i]-'0'), maxWide)
	}
	return n, i
}

// convert prints a conversion.
func (p *printer) convert(c conversion) {
	if c.width == inArgs {
		c.width = int(int32(p.next(4)))
		if c.width < 0 { // "taken as a - flag followed by a positive field width"
			c.left, c.width = true, -c.width
		}
	}
	if c.precision == inArgs { // "a negative precision is taken as if it were omitted"
		c.precision = max(int(int32(p.next(4))), absent)
	}
	switch c.verb {
	case '%':
		p.write("%")
	case 'c':
		p.field(&c, field{body: string([]byte{byte(p.next(4))})})
	case 's':
		p.field(&c, field{body: p.string(&c)})
	case 'd', 'i', 'o', 'u', 'x', 'X':
		p.field(&c, c.integer(p.integer(&c)))
	case 'p':
		c.alt = true
		if v := p.next(p.pointer); v != 0 {
			p.field(&c, c.integer(v))
		} else {
			p.field(&c, field{body: "(nil)"})
		}
	default:
		p.field(&c, c.float(math.Float64frombits(p.next(8))))
	}
}

func (p *printer) string(c *conversion) string {
	most := math.MaxInt
	if c.precision >= 0 {
		most = c.precision
	}
	a := p.next(p.pointer)
	if a == 0 {
		if most < len("(null)") {
			return ""
		}
		return "(null)"
	}
	if p.fault != nil {
		return ""
	}
	var s []byte
	s, p.fault = textAt(p.w, a, most, p.lane, fmt.Sprintf("the string that argument %d of vprintf points to", p.args))
	return string(s[:min(len(s), max(p.room, c.width))]) // the rest is lost, and fills no width
}

// integer reads an argument of the size that the conversion names.
func (p *printer) integer(c *conversion) uint64 {
	v, width := uint64(0), 0
	switch c.size {
	case "hh", "h", "":
		v, width = p.next(4), map[string]int{"hh": 8, "h": 16, "": 32}[c.size]
	case "l", "z", "t":
		v, width = p.next(p.pointer), 8*p.pointer
	default:
		v, width = p.next(8), 64
	}
	v <<= 64 - width
	if c.signed() {
		return uint64(int64(v) >> (64 - width))
	}
	return v >> (64 - width)
}

func (c *conversion) signed() bool { return c.verb == 'd' || c.verb == 'i' }

// field is a converted argument.
type field struct {
	prefix  string // sign and 0x
	zeros   int    // before the body
	body    string
	more    int    // zeros after the body
	suffix  string // exponent
	numeric bool   // the flag 0 fills the width with zeros
}

func (p *printer) field(c *conversion, f field) {
	pad := c.width - len(f.prefix) - f.zeros - len(f.body) - f.more - len(f.suffix)
	zero := f.numeric && c.zero && !c.left
	if !c.left && !zero {
		p.fill(' ', pad)
	}
	p.write(f.prefix)
	if zero {
		p.fill('0', pad)
	}
	p.fill('0', f.zeros)
	p.write(f.body)
	p.fill('0', f.more)
	p.write(f.suffix)
	if c.left {
		p.fill(' ', pad)
	}
}

// sign is what comes before a signed number.
func (c *conversion) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case c.plus:
		return "+"
	case c.space:
		return " "
	}
	return ""
}

func (c *conversion) integer(v uint64) (f field) {
	f.numeric = c.precision < 0
	base := 10
	switch c.verb {
	case 'd', 'i':
		f.prefix = c.sign(int64(v) < 0)
		if int64(v) < 0 {
			v = -v
		}
	case 'o':
		base = 8
	case 'x', 'X', 'p':
		base = 16
		if c.alt && v != 0 {
			f.prefix = "0x"
		}
	}
	if v != 0 || c.precision != 0 {
		f.body = strconv.FormatUint(v, base)
	}
	f.zeros = max(c.precision-len(f.body), 0)
	if c.verb == 'o' && c.alt && f.zeros == 0 && !strings.HasPrefix(f.body, "0") {
		f.zeros = 1
	}
	if c.verb == 'X' {
		f.prefix, f.body = strings.ToUpper(f.prefix), strings.ToUpper(f.body)
	}
	return f
}

// maxDigits is more digits than a double has after its point: the smallest one, 2^-1074, has 1074. All further digits
// are zero.
const maxDigits = 1100

func (c *conversion) float(v float64) (f field) {
	negative := math.Signbit(v)
	v = math.Abs(v)
	precision := c.precision
	if precision < 0 {
		precision = 6
	}
	switch verb := c.verb | 0x20; {
	case math.IsInf(v, 0):
		f.body = "inf"
	case v != v:
		f.body = "nan"
	case verb == 'a':
		f = c.hexFloat(v)
	case verb == 'g':
		f = c.shorter(v, max(precision, 1))
	default:
		f = c.decimal(v, verb, precision)
	}
	f.prefix = c.sign(negative) + f.prefix
	f.numeric = !math.IsInf(v, 0) && v == v
	if c.verb < 'a' {
		f.prefix, f.body, f.suffix = strings.ToUpper(f.prefix), strings.ToUpper(f.body), strings.ToUpper(f.suffix)
	}
	return f
}

// decimal is %f and %e.
func (c *conversion) decimal(v float64, verb byte, precision int) (f field) {
	digits := min(precision, maxDigits)
	f.body, f.more = strconv.FormatFloat(v, verb, digits, 64), precision-digits
	if at := strings.IndexByte(f.body, 'e'); at >= 0 {
		f.body, f.suffix = f.body[:at], f.body[at:]
	}
	if c.alt && precision == 0 {
		f.body += "."
	}
	return f
}

// shorter is %g: like %e where the exponent is less than -4 or not less than the precision, else like %f. Without # it
// has no zeros at its end.
func (c *conversion) shorter(v float64, precision int) field {
	f := c.decimal(v, 'e', precision-1)
	exponent, _ := strconv.Atoi(f.suffix[1:])
	if exponent >= -4 && exponent < precision {
		f = c.decimal(v, 'f', precision-1-exponent)
	}
	if !c.alt {
		f.more = 0
		if strings.Contains(f.body, ".") {
			f.body = strings.TrimSuffix(strings.TrimRight(f.body, "0"), ".")
		}
	}
	return f
}

// hexFloat is %a: a digit, hexadecimal digits of the fraction, and the power of two.
func (c *conversion) hexFloat(v float64) field {
	const places = 13 // hexadecimal, of the 52 bits
	b := math.Float64bits(v)
	m, exponent := b&(1<<52-1), int(b>>52)-1023
	switch {
	case b == 0:
		exponent = 0
	case b>>52 == 0:
		exponent = -1022
	default:
		m |= 1 << 52
	}
	digits := places
	if c.precision >= 0 && c.precision < places { // to the nearest, ties to even
		digits = c.precision
		cut := 4 * (places - digits)
		half, rest := uint64(1)<<(cut-1), m&(1<<cut-1)
		m >>= cut
		if rest > half || rest == half && m&1 != 0 {
			m++
		}
	}
	f := field{prefix: "0x", suffix: fmt.Sprintf("p%+d", exponent), more: max(c.precision-places, 0)}
	fraction := ""
	if digits > 0 {
		fraction = fmt.Sprintf("%0*x", digits, m&(1<<(4*digits)-1))
	}
	if c.precision < 0 {
		fraction = strings.TrimRight(fraction, "0")
	}
	f.body = strconv.FormatUint(m>>(4*digits), 16)
	if fraction != "" || f.more > 0 || c.alt {
		f.body += "." + fraction
	}
	return f
}
