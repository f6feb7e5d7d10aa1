// Package printf reads the conversions of C's printf and converts numbers as they say.
package printf

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Conversion is a conversion specification: %[flags][width][.precision][size]type.
type Conversion struct {
	Left, Plus, Space, Alt, Zero bool
	Width, Precision             int
	Size                         string
	Verb                         byte
}

// Values of width and precision that are not numbers.
const (
	Absent  = -1
	InArgs  = -2 // *: the next argument is the number
	maxWide = math.MaxInt32
)

// Parse reads the conversion at the start of a format. n is its length, or 0 if there is none.
func Parse(s []byte) (c Conversion, n int) {
	flags := map[byte]*bool{'-': &c.Left, '+': &c.Plus, ' ': &c.Space, '#': &c.Alt, '0': &c.Zero}
	i := 1
	for ; i < len(s) && flags[s[i]] != nil; i++ {
		*flags[s[i]] = true
	}
	c.Width, i = countIn(s, i, Absent)
	c.Precision = Absent
	if i < len(s) && s[i] == '.' {
		c.Precision, i = countIn(s, i+1, 0)
	}
	for _, size := range []string{"hh", "h", "ll", "l", "j", "z", "t", "L"} {
		if bytes.HasPrefix(s[i:], []byte(size)) {
			c.Size = size
			i += len(size)
			break
		}
	}
	if i == len(s) || strings.IndexByte("diouxXeEfFgGaAcsp%", s[i]) < 0 {
		return c, 0
	}
	c.Verb = s[i]
	return c, i + 1
}

// countIn reads a width or precision at s[i], which ends before s[end]. A number above maxWide counts as maxWide.
func countIn(s []byte, i, none int) (n, end int) {
	if i < len(s) && s[i] == '*' {
		return InArgs, i + 1
	}
	n = none
	for ; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		n = min(max(n, 0)*10+int(s[i]-'0'), maxWide)
	}
	return n, i
}

// Signed says whether the conversion is of a signed number.
func (c *Conversion) Signed() bool { return c.Verb == 'd' || c.Verb == 'i' }

// Field is a converted argument.
type Field struct {
	Prefix  string // sign and 0x
	Zeros   int    // before the body
	Body    string
	More    int    // zeros after the body
	Suffix  string // exponent
	Numeric bool   // the flag 0 fills the width with zeros
}

// sign is what comes before a signed number.
func (c *Conversion) sign(negative bool) string {
	switch {
	case negative:
		return "-"
	case c.Plus:
		return "+"
	case c.Space:
		return " "
	}
	return ""
}

// Integer converts a number, extended to 64 bits by its sign if the conversion is signed.
func (c *Conversion) Integer(v uint64) (f Field) {
	f.Numeric = c.Precision < 0
	base := 10
	switch c.Verb {
	case 'd', 'i':
		f.Prefix = c.sign(int64(v) < 0)
		if int64(v) < 0 {
			v = -v
		}
	case 'o':
		base = 8
	case 'x', 'X', 'p':
		base = 16
		if c.Alt && v != 0 {
			f.Prefix = "0x"
		}
	}
	if v != 0 || c.Precision != 0 {
		f.Body = strconv.FormatUint(v, base)
	}
	f.Zeros = max(c.Precision-len(f.Body), 0)
	if c.Verb == 'o' && c.Alt && f.Zeros == 0 && !strings.HasPrefix(f.Body, "0") {
		f.Zeros = 1
	}
	if c.Verb == 'X' {
		f.Prefix, f.Body = strings.ToUpper(f.Prefix), strings.ToUpper(f.Body)
	}
	return f
}

// maxDigits is more digits than a double has after its point: the smallest one, 2^-1074, has 1074. All further digits
// are zero.
const maxDigits = 1100

// Float converts a number as f, e, g or a.
func (c *Conversion) Float(v float64) (f Field) {
	negative := math.Signbit(v)
	v = math.Abs(v)
	precision := c.Precision
	if precision < 0 {
		precision = 6
	}
	switch verb := c.Verb | 0x20; {
	case math.IsInf(v, 0):
		f.Body = "inf"
	case v != v:
		f.Body = "nan"
	case verb == 'a':
		f = c.hexFloat(v)
	case verb == 'g':
		f = c.shorter(v, max(precision, 1))
	default:
		f = c.decimal(v, verb, precision)
	}
	f.Prefix = c.sign(negative) + f.Prefix
	f.Numeric = !math.IsInf(v, 0) && v == v
	if c.Verb < 'a' {
		f.Prefix, f.Body, f.Suffix = strings.ToUpper(f.Prefix), strings.ToUpper(f.Body), strings.ToUpper(f.Suffix)
	}
	return f
}

// decimal is %f and %e.
func (c *Conversion) decimal(v float64, verb byte, precision int) (f Field) {
	digits := min(precision, maxDigits)
	f.Body, f.More = strconv.FormatFloat(v, verb, digits, 64), precision-digits
	if at := strings.IndexByte(f.Body, 'e'); at >= 0 {
		f.Body, f.Suffix = f.Body[:at], f.Body[at:]
	}
	if c.Alt && precision == 0 {
		f.Body += "."
	}
	return f
}

// shorter is %g: like %e where the exponent is less than -4 or not less than the precision, else like %f. Without # it
// has no zeros at its end.
func (c *Conversion) shorter(v float64, precision int) Field {
	f := c.decimal(v, 'e', precision-1)
	exponent, _ := strconv.Atoi(f.Suffix[1:])
	if exponent >= -4 && exponent < precision {
		f = c.decimal(v, 'f', precision-1-exponent)
	}
	if !c.Alt {
		f.More = 0
		if strings.Contains(f.Body, ".") {
			f.Body = strings.TrimSuffix(strings.TrimRight(f.Body, "0"), ".")
		}
	}
	return f
}

// hexFloat is %a: a digit, hexadecimal digits of the fraction, and the power of two.
func (c *Conversion) hexFloat(v float64) Field {
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
	if c.Precision >= 0 && c.Precision < places { // to the nearest, ties to even
		digits = c.Precision
		cut := 4 * (places - digits)
		half, rest := uint64(1)<<(cut-1), m&(1<<cut-1)
		m >>= cut
		if rest > half || rest == half && m&1 != 0 {
			m++
		}
	}
	f := Field{Prefix: "0x", Suffix: fmt.Sprintf("p%+d", exponent), More: max(c.Precision-places, 0)}
	fraction := ""
	if digits > 0 {
		fraction = fmt.Sprintf("%0*x", digits, m&(1<<(4*digits)-1))
	}
	if c.Precision < 0 {
		fraction = strings.TrimRight(fraction, "0")
	}
	f.Body = strconv.FormatUint(m>>(4*digits), 16)
	if fraction != "" || f.More > 0 || c.Alt {
		f.Body += "." + fraction
	}
	return f
}
