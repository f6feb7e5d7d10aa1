package emu

import (
	"bytes"
	"fmt"
	"math"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/printf"
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
		c, n := printf.Parse(format)
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

// convert prints a conversion.
func (p *printer) convert(c printf.Conversion) {
	if c.Width == printf.InArgs {
		c.Width = int(int32(p.next(4)))
		if c.Width < 0 { // "taken as a - flag followed by a positive field width"
			c.Left, c.Width = true, -c.Width
		}
	}
	if c.Precision == printf.InArgs { // "a negative precision is taken as if it were omitted"
		c.Precision = max(int(int32(p.next(4))), printf.Absent)
	}
	switch c.Verb {
	case '%':
		p.write("%")
	case 'c':
		p.field(&c, printf.Field{Body: string([]byte{byte(p.next(4))})})
	case 's':
		p.field(&c, printf.Field{Body: p.string(&c)})
	case 'd', 'i', 'o', 'u', 'x', 'X':
		p.field(&c, c.Integer(p.integer(&c)))
	case 'p':
		c.Alt = true
		if v := p.next(p.pointer); v != 0 {
			p.field(&c, c.Integer(v))
		} else {
			p.field(&c, printf.Field{Body: "(nil)"})
		}
	default:
		p.field(&c, c.Float(math.Float64frombits(p.next(8))))
	}
}

func (p *printer) string(c *printf.Conversion) string {
	most := math.MaxInt
	if c.Precision >= 0 {
		most = c.Precision
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
	return string(s[:min(len(s), max(p.room, c.Width))]) // the rest is lost, and fills no width
}

// integer reads an argument of the size that the conversion names.
func (p *printer) integer(c *printf.Conversion) uint64 {
	v, width := uint64(0), 0
	switch c.Size {
	case "hh", "h", "":
		v, width = p.next(4), map[string]int{"hh": 8, "h": 16, "": 32}[c.Size]
	case "l", "z", "t":
		v, width = p.next(p.pointer), 8*p.pointer
	default:
		v, width = p.next(8), 64
	}
	v <<= 64 - width
	if c.Signed() {
		return uint64(int64(v) >> (64 - width))
	}
	return v >> (64 - width)
}

func (p *printer) field(c *printf.Conversion, f printf.Field) {
	pad := c.Width - len(f.Prefix) - f.Zeros - len(f.Body) - f.More - len(f.Suffix)
	zero := f.Numeric && c.Zero && !c.Left
	if !c.Left && !zero {
		p.fill(' ', pad)
	}
	p.write(f.Prefix)
	if zero {
		p.fill('0', pad)
	}
	p.fill('0', f.Zeros)
	p.write(f.Body)
	p.fill('0', f.More)
	p.write(f.Suffix)
	if c.Left {
		p.fill(' ', pad)
	}
}
