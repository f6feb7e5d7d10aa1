package emu

import (
	"fmt"
	"math"
	"strings"
	"unsafe"

	"warpscope/ptx"
)

// builtins are the functions that the CUDA driver provides to every kernel: a module declares them .extern.
var builtins = map[string]func(w *warp, in *inst, args []uint64, lane int) (uint64, *Fault){
	"vprintf":      vprintf,
	"malloc":       malloc,
	"free":         free,
	"__assertfail": assertFail,
}

// builtin calls a provided function lane by lane, in ascending order.
func (w *warp) builtin(in *inst, fn *function, f unsafe.Pointer, exec Mask) action {
	info := in.x.call
	fr := w.cur.frame
	w.cta.grid.state.progress = true
	var fault *Fault
	eachLane(exec, func(lane int) {
		if fault != nil {
			return
		}
		args := make([]uint64, len(info.args))
		for i := range info.args {
			args[i] = w.value(fr, &info.args[i], lane)[0]
		}
		v, bad := builtins[fn.builtin](w, in, args, lane)
		if bad != nil {
			bad.Lanes = exec
			fault = bad
			return
		}
		for i := range info.rets {
			w.setValue(fr, &info.rets[i], lane, pair{v})
		}
	})
	if fault != nil {
		w.fail(in, fault)
		return actFault
	}
	return actNext
}

// maxOutput bounds what a kernel may print, in bytes.
const maxOutput = 1 << 20

// read copies n bytes at a generic address, as the lane sees them.
func (w *warp) read(a Addr, n uint64, lane int) ([]byte, bool) {
	kind := w.segment(ptx.Generic, a, n, false)
	seg := &w.seg
	v := a + seg.add
	if kind != "" || v >= seg.size || seg.size-v < n {
		return nil, false
	}
	off := uint64(seg.base) + v + uint64(lane)*uint64(seg.stride)
	return w.cta.grid.dev.arena.bytes[off : off+n], true
}

// text reads a string that ends with a zero byte.
func (w *warp) text(a Addr, lane int) (string, bool) {
	var b strings.Builder
	for ; b.Len() < 1<<16; a++ {
		c, ok := w.read(a, 1, lane)
		if !ok {
			return "", false
		}
		if c[0] == 0 {
			return b.String(), true
		}
		b.WriteByte(c[0])
	}
	return b.String(), true
}

func badPointer(a Addr, what string) *Fault {
	return &Fault{Kind: IllegalAddress, Addr: a, Size: 1, Space: "generic", Detail: "; " + what}
}

// vprintf is the device side of printf: a format and a buffer of its arguments, each aligned to its size.
func vprintf(w *warp, in *inst, args []uint64, lane int) (uint64, *Fault) {
	format, ok := w.text(args[0], lane)
	if !ok {
		return 0, badPointer(args[0], "the format of vprintf")
	}
	var out strings.Builder
	at := args[1]
	next := func(size uint64) uint64 {
		at = (at + size - 1) &^ (size - 1)
		b, good := w.read(at, size, lane)
		at += size
		if !good {
			ok = false
			return 0
		}
		v, _ := readElement(unsafe.Pointer(&b[0]), uint32(size), false)
		return v
	}
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			out.WriteByte(format[i])
			continue
		}
		end := i + 1
		for end < len(format) && strings.IndexByte("diouxXeEfFgGaAcsp%", format[end]) < 0 {
			end++
		}
		if end == len(format) {
			out.WriteString(format[i:])
			break
		}
		w.printOne(&out, format[i:end+1], next, lane)
		i = end
	}
	if !ok {
		return 0, badPointer(at, "the arguments of vprintf")
	}
	g := w.cta.grid
	if len(g.output) < maxOutput {
		g.output = append(g.output, out.String()...)
	}
	return 0, nil
}

// printOne formats one conversion such as "%08.3f".
func (w *warp) printOne(out *strings.Builder, spec string, next func(uint64) uint64, lane int) {
	verb := spec[len(spec)-1]
	flags := strings.Trim(strings.TrimRight(spec[1:len(spec)-1], "lhzjt"), "")
	for strings.Contains(flags, "*") {
		flags = strings.Replace(flags, "*", fmt.Sprint(int32(next(4))), 1)
	}
	long := strings.ContainsAny(spec, "lzj")
	integer := func() uint64 {
		if long {
			return next(8)
		}
		return next(4)
	}
	switch verb {
	case '%':
		out.WriteByte('%')
	case 'd', 'i':
		v := int64(integer())
		if !long {
			v = int64(int32(v))
		}
		fmt.Fprintf(out, "%"+flags+"d", v)
	case 'u':
		fmt.Fprintf(out, "%"+flags+"d", integer())
	case 'o', 'x', 'X':
		fmt.Fprintf(out, "%"+flags+string(verb), integer())
	case 'c':
		fmt.Fprintf(out, "%"+flags+"c", rune(uint8(next(4))))
	case 's':
		s, ok := w.text(next(8), lane)
		if !ok {
			s = "(null)"
		}
		fmt.Fprintf(out, "%"+flags+"s", s)
	case 'p':
		fmt.Fprintf(out, "%#x", next(8))
	case 'a', 'A':
		fmt.Fprintf(out, "%"+flags+"x", math.Float64frombits(next(8)))
	default:
		printFloat(out, flags, verb, math.Float64frombits(next(8)))
	}
}

// printFloat formats like C: six digits by default, inf and nan in small letters.
func printFloat(out *strings.Builder, flags string, verb byte, v float64) {
	switch {
	case math.IsInf(v, 0) || math.IsNaN(v):
		word := strings.ToLower(fmt.Sprint(v))
		if !strings.Contains(flags, "+") {
			word = strings.TrimPrefix(word, "+")
		}
		width, _, _ := strings.Cut(strings.Trim(flags, "+0 "), ".")
		fmt.Fprintf(out, "%"+width+"s", word)
		return
	case verb == 'F':
		verb = 'f'
	case (verb == 'g' || verb == 'G') && !strings.Contains(flags, "."):
		flags += ".6"
	}
	fmt.Fprintf(out, "%"+flags+string(verb), v)
}

// malloc gives device memory, or null when there is none left.
func malloc(w *warp, in *inst, args []uint64, lane int) (uint64, *Fault) {
	if args[0] > uint64(w.cta.grid.dev.arena.limit) {
		return 0, nil
	}
	a, err := w.cta.grid.dev.reserve(int64(args[0]), "", ptx.GlobalSpace)
	if err != nil {
		return 0, nil
	}
	return a, nil
}

func free(w *warp, in *inst, args []uint64, lane int) (uint64, *Fault) {
	if args[0] == 0 {
		return 0, nil
	}
	if w.cta.grid.dev.Free(args[0]) != nil {
		return 0, badPointer(args[0], "free of something that malloc has not given")
	}
	return 0, nil
}

// assertFail is __assertfail(message, file, line, function, char size).
func assertFail(w *warp, in *inst, args []uint64, lane int) (uint64, *Fault) {
	text := func(i int) string {
		if i >= len(args) {
			return "?"
		}
		s, ok := w.text(args[i], lane)
		if !ok {
			return "?"
		}
		return s
	}
	line := uint64(0)
	if len(args) > 2 {
		line = args[2]
	}
	return 0, &Fault{Kind: AssertFail, Detail: fmt.Sprintf(": %s:%d: %s: assertion `%s`", text(1), uint32(line), text(3), text(0))}
}
