package launch

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// Prepared is a launch that is ready to run. The code that drives Grid sets Err when Grid returns an error, and can ask
// for a Report at any time.
type Prepared struct {
	Module  *ptx.Module
	Spec    *Spec
	Device  *emu.Device
	Grid    *emu.Grid
	Buffers []Buffer // in the parameters' order
	Err     error    // what ended the run: a *emu.Fault, emu.ErrMaxSteps, the context's error, or nil

	conditions []condition // of Spec.Expects
	symbols    *Symbols    // nil until asked for
	initcheck  bool        // buffers that the header fills with zeros are written
}

// Buffer is a device buffer of a launch.
type Buffer struct {
	Arg  *Arg
	Addr emu.Addr
}

// Prepare checks the launch, loads the module, fills the buffers and makes the grid. Nothing runs. Errors are
// ptx.Diagnostics; nothing is allocated before the whole header is known to be good.
func Prepare(m *ptx.Module, s *Spec, o emu.Options) (*Prepared, error) {
	p := &Prepared{Module: m, Spec: s}
	var errs ptx.Diagnostics
	p.check(o, &errs)
	if len(errs) > 0 {
		return nil, m.Located(errs)
	}
	if o.Divergence == emu.Auto {
		o.Divergence = s.Model
	}
	if o.Engine == emu.EngineAuto {
		o.Engine = s.Engine
	}
	o.Sanitize |= s.Sanitize
	o.Counters = o.Counters || slices.ContainsFunc(p.conditions, func(c condition) bool {
		counter, ok := c.(counterCondition)
		return ok && counter.counts()
	})
	p.initcheck = o.Sanitize&emu.Initcheck != 0
	o.Kernel = s.Entry
	d, err := emu.Load(m, o)
	if err != nil {
		return nil, p.refused(err)
	}
	p.Device = d
	config, err := p.config()
	if err != nil {
		return nil, err
	}
	if p.Grid, err = d.Launch(config); err != nil {
		return nil, p.refused(err)
	}
	p.observe()
	return p, nil
}

// refused gives an error of the machine its place in the header, or the name of the setting that is there instead.
func (p *Prepared) refused(err error) error {
	var found ptx.Diagnostics
	if errors.As(err, &found) {
		return p.Module.Located(found)
	}
	at, message := p.Spec.entrySpan, err.Error()
	keys := []string{"block", "grid", "shared"}
	switch {
	case errors.Is(err, emu.ErrNoEngine):
		keys = []string{"engine"}
	case strings.Contains(message, "cluster"):
		keys = []string{"cluster", "block", "grid", "shared"}
	case strings.Contains(message, "shared memory"):
		keys = []string{"shared", "block", "grid"}
	}
	for _, key := range keys {
		if name, ok := p.Spec.settings[key]; ok {
			at, message = ptx.Span{}, name+": "+message
			break
		}
		if s, ok := p.Spec.spans[key]; ok {
			at = s
			break
		}
	}
	return p.Module.Located(ptx.Diagnostics{{Code: "launch-refused", Message: message, Span: at}})
}

// check looks for errors without allocating anything.
func (p *Prepared) check(o emu.Options, errs *ptx.Diagnostics) {
	s := p.Spec
	fail := func(code string, at ptx.Span, message string) {
		*errs = append(*errs, ptx.Diagnostic{Code: code, Message: message, Span: at})
	}
	for key, shape := range map[string]emu.Dim3{"grid": s.Grid, "block": s.Block, "cluster": s.Cluster} {
		if why := checkShape(key, shape); why != "" {
			fail("header-shape", s.spans[key], why)
		}
	}
	limit := o.MemoryLimit
	if limit == 0 {
		limit = defaultMemory
	}
	total := int64(0)
	for i := range s.Args {
		a := &s.Args[i]
		if _, ok := ParseElem(a.Type); !ok {
			fail("header-type", a.Span, fmt.Sprintf("argument %s has no type %q", a.Name, short(a.Type)))
			return
		}
		bytes, fits := a.size()
		total += bytes
		if !fits || total > limit {
			const message = "%s of %s makes %s bytes of buffers, but the device has %s: make it smaller"
			fail("header-memory", a.Span, fmt.Sprintf(message, a.Name, a.typeText(), ptx.Thousands(total), ptx.Thousands(limit)))
			return
		}
	}
	for _, e := range s.Expects {
		c := &cursor{src: e.Text, errs: errs}
		from := len(*errs)
		cond, _ := c.expectation(p.Module, s)
		p.conditions = append(p.conditions, cond)
		for i := from; i < len(*errs); i++ { // spans are relative to the text
			at := &(*errs)[i].Span
			at.Start, at.End = at.Start+e.Span.Start, at.End+e.Span.Start
		}
	}
}

// defaultMemory is the device's memory when the options name none, in bytes.
const defaultMemory = 1 << 30

// config makes the buffers and the kernel's arguments.
func (p *Prepared) config() (emu.Config, error) {
	s := p.Spec
	c := emu.Config{Entry: s.Entry, Grid: s.Grid, Block: s.Block, Cluster: s.Cluster, SharedBytes: s.Shared}
	addrs := make([]emu.Addr, len(s.Args))
	fail := func(a *Arg, code string, err error) (emu.Config, error) {
		at := ptx.Diagnostic{Code: code, Message: a.Name + ": " + err.Error(), Span: a.Span}
		return c, p.Module.Located(ptx.Diagnostics{at})
	}
	total := int64(0)
	for i := range s.Args {
		bytes, _ := s.Args[i].size()
		total += bytes
	}
	p.Device.MakeRoom(total)
	for i := range s.Args {
		a := &s.Args[i]
		if !a.Buffer {
			continue
		}
		var err error
		if a.bound {
			addrs[i], err = p.bind(a)
		} else {
			addrs[i], err = p.Device.Alloc(a.Size())
		}
		if err != nil {
			return fail(a, "header-memory", err)
		}
		if descriptions[a.Key] == 0 {
			p.Buffers = append(p.Buffers, Buffer{a, addrs[i]})
		}
	}
	for i := range s.Args {
		a := &s.Args[i]
		var data []byte
		var err error
		if a.Buffer {
			err = p.fill(a, addrs, addrs[i])
		} else {
			data, err = p.contents(a, addrs)
		}
		switch {
		case err != nil:
			return fail(a, "header-value", err)
		case a.Key == keyBuffer || a.bound:
		case a.Buffer:
			c.Args = append(c.Args, p.pointer(i, addrs[i]))
		default:
			c.Args = append(c.Args, data)
		}
	}
	return c, nil
}

// places are the launch's buffers, for addresses among values.
func (p *Prepared) places(addrs []emu.Addr) *places {
	return &places{p.Spec.Args, addrs, p.Module.AddressSize}
}

// contents are the initial bytes of an argument.
func (p *Prepared) contents(a *Arg, addrs []emu.Addr) ([]byte, error) {
	args := p.Spec.Args
	if descriptions[a.Key] > 0 {
		return a.encode(args, func(of *Arg) emu.Addr {
			for i := range args {
				if &args[i] == of {
					return addrs[i]
				}
			}
			return 0
		})
	}
	data, _, err := a.contents(p.places(addrs))
	return data, err
}

// fill writes the initial bytes of a buffer into its memory, which reads as zeros.
func (p *Prepared) fill(a *Arg, addrs []emu.Addr, at emu.Addr) error {
	if descriptions[a.Key] > 0 || a.Data != nil {
		data, err := p.contents(a, addrs)
		if err != nil {
			return err
		}
		return p.Device.Write(at, data)
	}
	if a.Init == "" && (a.bound || !p.initcheck) {
		return nil
	}
	return p.Device.Fill(at, a.Size(), func(to []byte) error { // zeros by intention count as written, too
		_, err := a.fill(to, p.places(addrs))
		return err
	})
}

// pointer is an address as large as its parameter.
func (p *Prepared) pointer(param int, addr emu.Addr) []byte {
	b := make([]byte, 8)
	putBits(b, 8, addr)
	for _, f := range p.Module.Entries() {
		if f.Name == p.Spec.Entry && param < len(f.Params) && f.Params[param].Size < 8 {
			return b[:f.Params[param].Size]
		}
	}
	return b
}

// Fault is the fault that ended the run, or nil. It names the launch's buffers where the machine knows only addresses.
func (p *Prepared) Fault() *emu.Fault {
	var fault *emu.Fault
	if !errors.As(p.Err, &fault) {
		return nil
	}
	f := *fault
	for i := range p.Buffers {
		b := &p.Buffers[i]
		nameless := fmt.Sprintf("the %s at %#x", ptx.Plural(b.Arg.Size(), "byte"), b.Addr)
		f.Detail = strings.ReplaceAll(f.Detail, nameless,
			fmt.Sprintf("%s (%s)", b.Arg.Name, ptx.Plural(b.Arg.Size(), "byte")))
		inside := f.Size > 0 && f.Addr >= b.Addr && f.Addr-b.Addr < emu.Addr(b.Arg.Size())
		if inside && !strings.Contains(f.Detail, b.Arg.Name) {
			f.Detail = fmt.Sprintf(", %s+%d", b.Arg.Name, f.Addr-b.Addr) + f.Detail
		}
	}
	if p.wantsShared(&f) {
		f.Detail += fmt.Sprintf(` (%s of it for the unsized array %s: Launch → Shared, or "//@ shared BYTES", gives more)`,
			ptx.Plural(p.Spec.Shared, "byte"), p.Spec.unsized.Name)
	}
	f.Detail += p.nulls(&f)
	return &f
}

// nulls says which structure has null pointers because the launch is guessed, if that may be the cause of a fault.
func (p *Prepared) nulls(f *emu.Fault) string {
	args := p.Spec.Args
	i := slices.IndexFunc(args, func(a Arg) bool { return a.madeUp && !a.Buffer && a.Init == "" })
	if i < 0 || !f.NearNull() {
		return ""
	}
	return fmt.Sprintf(`; the launch is guessed, and %s is all zeros: a header gives its fields, for example `+
		`"//@ buffer x u32[%d]" and "//@ arg %s = u%d address(x), …"`, args[i].headerName(), madeUpElements,
		argText(&args[i]), p.Module.AddressSize)
}

// wantsShared says whether a fault is beyond a CTA's shared memory, and the launch could give the CTA more.
func (p *Prepared) wantsShared(f *emu.Fault) bool {
	expected := slices.ContainsFunc(p.conditions, func(c condition) bool {
		of, ok := c.(faultCondition)
		return ok && of.matches(f)
	})
	s := p.Spec
	return f.Kind == emu.OutOfBounds && s.unsized != nil && s.Shared < s.mostShared && !expected &&
		strings.Contains(f.Detail, "of shared memory")
}

// Fix is a change of the header or of the instruction that may prevent the fault, or nil.
func (p *Prepared) Fix() *ptx.Fix {
	var fault *emu.Fault
	if !errors.As(p.Err, &fault) {
		return nil
	}
	for _, cvta := range []string{emu.ToGeneric, emu.ToShared} {
		if fault.Inst != nil && strings.HasSuffix(fault.Detail, " with "+cvta) {
			return p.Module.Convert(fault.Inst, cvta)
		}
	}
	if !p.wantsShared(fault) {
		return nil
	}
	s := *p.Spec
	s.Shared = s.mostShared
	return difference(string(p.Module.Src), ApplyHeader(string(p.Module.Src), &s),
		fmt.Sprintf("give the CTA all shared memory that there is: //@ shared %d", s.Shared))
}

// difference is the change from one text to another.
func difference(from, to, message string) *ptx.Fix {
	start, end := 0, len(from)
	for start < min(len(from), len(to)) && from[start] == to[start] {
		start++
	}
	for n := len(to) - len(from); end > start && end+n > start && from[end-1] == to[end+n-1]; end-- {
	}
	return &ptx.Fix{Span: span(start, end), Text: to[start : end+len(to)-len(from)], Message: message}
}

// Findings are those of the run. They name the launch's buffers where the machine knows only addresses.
func (p *Prepared) Findings() []emu.Finding {
	found := p.Grid.Findings()
	for i := range found {
		found[i].Message = p.named(found[i].Message)
	}
	return found
}

// named writes those addresses in a text that are in buffers as "x+16".
func (p *Prepared) named(text string) string {
	words := strings.Split(text, " ")
	for i, word := range words {
		if !strings.HasPrefix(word, "0x") {
			continue
		}
		digits := strings.TrimRight(word, ",;:")
		a, err := strconv.ParseUint(digits, 0, 64)
		if err != nil {
			continue
		}
		for k := range p.Buffers {
			if b := &p.Buffers[k]; a >= b.Addr && a-b.Addr < emu.Addr(b.Arg.Size()) {
				words[i] = fmt.Sprintf("%s+%d", b.Arg.Name, a-b.Addr) + word[len(digits):]
			}
		}
	}
	return strings.Join(words, " ")
}

// Read copies a buffer from the device.
func (p *Prepared) Read(b *Buffer) []byte {
	out := make([]byte, b.Arg.Size())
	if err := p.Device.Read(b.Addr, out); err != nil {
		return nil // the kernel has freed it
	}
	return out
}
