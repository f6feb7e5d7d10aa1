package emu

import (
	"fmt"
	"sort"

	"warpscope/ptx"
)

// windows are the bases of the generic address windows (6.4.1.1). A generic address in the shared or local window is
// the window's base plus the address in that space; addresses of global, constant and parameter memory are generic
// addresses already. Functions have addresses below all windows.
type windows struct {
	code, shared, local, global Addr
	localEnd                    Addr
}

var (
	windows64 = windows{0x10000, 0x1_0000_0000, 0x1_8000_0000, 0x2_0000_0000, 0x1_9000_0000}
	windows32 = windows{0x10000, 0x0100_0000, 0x0800_0000, 0x1000_0000, 0x1000_0000}
)

const sharedWindow = 16 << 20 // bytes reserved for shared memory in the generic space

// allocation is a range of the arena that guest code may touch.
type allocation struct {
	off, size uint32
	name      string
	space     ptx.Space // GlobalSpace, ConstSpace or ParamSpace; the last two are read-only
}

// Device is a loaded module with its memory. It is not safe for concurrent use.
type Device struct {
	mod    *ptx.Module
	opts   Options
	arena  *arena
	win    windows
	allocs []allocation // sorted by offset
	last   int          // allocation found last
	prog   *program
	shadow *shadow
	ended  *Grid // the grid that ended last: its last CTA can still be looked at
}

// defaultMemory is the device memory when Options name none, in bytes.
const defaultMemory = 1 << 30

// Load lowers a module without errors and places its .global and .const variables. An instruction that is valid PTX
// but not emulated is reported as ptx.Diagnostics with code "not-emulated", before anything runs.
func Load(m *ptx.Module, opts Options) (*Device, error) {
	switch {
	case opts.Engine == JIT:
		return nil, fmt.Errorf("the compiled engine is not available yet")
	}
	if opts.MemoryLimit == 0 {
		opts.MemoryLimit = defaultMemory
	}
	if opts.Divergence == Auto {
		opts.Divergence = ByTarget(m.SM)
	}
	d := &Device{mod: m, opts: opts, arena: newArena(opts.MemoryLimit), win: windows64,
		shadow: newShadow(opts.Sanitize)}
	if m.AddressSize == 32 {
		d.win = windows32
		d.arena.limit = min(d.arena.limit, 1<<32-int64(windows32.global))
	}
	if _, ok := d.arena.alloc(pageSize); !ok {
		return nil, fmt.Errorf("a memory limit of %s is too small", ptx.Plural(opts.MemoryLimit, "byte"))
	}
	prog, err := lower(d, m)
	if err != nil {
		return nil, err
	}
	d.prog = prog
	return d, nil
}

// reserve makes an allocation.
func (d *Device) reserve(size int64, name string, space ptx.Space) (Addr, error) {
	// At least one byte after every allocation belongs to none, so that running over its end is noticed.
	off, ok := d.arena.alloc(size + 1)
	if !ok {
		return 0, fmt.Errorf("out of device memory: %s asked for, %d of %d in use", ptx.Plural(size, "byte"), d.arena.used, d.arena.limit)
	}
	i := sort.Search(len(d.allocs), func(i int) bool { return d.allocs[i].off > off })
	d.allocs = append(d.allocs, allocation{})
	copy(d.allocs[i+1:], d.allocs[i:])
	d.allocs[i] = allocation{off, uint32(size), name, space}
	d.shadow.forget(off, size)
	return d.win.global + Addr(off), nil
}

// Alloc reserves size bytes of global memory, 256-byte aligned, reading as zero.
func (d *Device) Alloc(size int) (Addr, error) {
	if size < 0 {
		return 0, fmt.Errorf("a size of %s", ptx.Plural(size, "byte"))
	}
	return d.reserve(int64(size), "", ptx.GlobalSpace)
}

// Free gives an allocation back.
func (d *Device) Free(a Addr) error {
	for _, al := range d.allocs {
		if d.win.global+Addr(al.off) == a && al.space == ptx.GlobalSpace && al.name == "" {
			d.unreserve(a)
			return nil
		}
	}
	return fmt.Errorf("address %#x is not the start of an allocation", a)
}

// unreserve undoes reserve; for an address that is reserved no longer it does nothing.
func (d *Device) unreserve(a Addr) {
	for i, al := range d.allocs {
		if d.win.global+Addr(al.off) == a {
			d.allocs = append(d.allocs[:i:i], d.allocs[i+1:]...)
			d.arena.release(al.off, int64(al.size)+1)
			d.last = 0
			return
		}
	}
}

// holds says whether size bytes at an offset of the arena are in the allocation. Sizes go up to 2^64 - 1.
func (al *allocation) holds(v, size uint64) bool {
	in := v - uint64(al.off)
	return in <= uint64(al.size) && size <= uint64(al.size)-in
}

// find is the allocation that holds the whole access, or nil.
func (d *Device) find(a Addr, size uint64) *allocation {
	v := a - d.win.global
	if a < d.win.global || v >= uint64(len(d.arena.bytes)) {
		return nil
	}
	if d.last < len(d.allocs) {
		if al := &d.allocs[d.last]; al.holds(v, size) {
			return al
		}
	}
	i := sort.Search(len(d.allocs), func(i int) bool { return uint64(d.allocs[i].off) > v }) - 1
	if i < 0 {
		return nil
	}
	if al := &d.allocs[i]; al.holds(v, size) {
		d.last = i
		return al
	}
	return nil
}

// host finds the bytes of a host access.
func (d *Device) host(a Addr, n int) ([]byte, error) {
	al := d.find(a, uint64(n))
	if al == nil {
		return nil, fmt.Errorf("outside every allocation: %s at address %#x%s", ptx.Plural(n, "byte"), a, d.nearest(a))
	}
	off := uint32(a - d.win.global)
	return d.arena.bytes[off : off+uint32(n)], nil
}

// Write copies b to device memory, bounds-checked like a kernel's own access.
func (d *Device) Write(a Addr, b []byte) error {
	p, err := d.host(a, len(b))
	if err != nil || len(b) == 0 {
		return err
	}
	copy(p, b)
	d.arena.touch(uint32(a-d.win.global), uint32(len(b)))
	d.shadow.wrote(uint32(a-d.win.global), uint32(len(b)))
	return nil
}

// Read copies device memory to b.
func (d *Device) Read(a Addr, b []byte) error {
	p, err := d.host(a, len(b))
	copy(b, p)
	return err
}

// Symbol is the address and size in bytes of a module-scope .global or .const variable.
func (d *Device) Symbol(name string) (Addr, int, error) {
	for _, v := range d.mod.Vars {
		if a, ok := d.prog.vars[v]; ok && v.Name == name {
			return a, int(varSize(v)), nil
		}
	}
	return 0, 0, fmt.Errorf("the module has no .global or .const variable %q", name)
}

// Allocations lists the device memory in address order.
func (d *Device) Allocations() []Allocation {
	out := make([]Allocation, len(d.allocs))
	for i, a := range d.allocs {
		out[i] = Allocation{Addr: d.win.global + Addr(a.off), Size: int(a.size), Name: a.name, Space: a.space}
	}
	return out
}

// Variables lists the module's .global and .const variables in address order.
func (d *Device) Variables() (list []Allocation) {
	for _, a := range d.allocs {
		if a.name != "" && (a.space == ptx.GlobalSpace || a.space == ptx.ConstSpace) {
			list = append(list, Allocation{Addr: d.win.global + Addr(a.off), Size: int(a.size), Name: a.name, Space: a.space})
		}
	}
	return list
}

// nearest describes the allocation that an address probably was meant for.
func (d *Device) nearest(a Addr) string {
	best, bestGap := -1, uint64(1<<63)
	before := false
	for i, al := range d.allocs {
		start := d.win.global + Addr(al.off)
		end := start + Addr(al.size)
		switch {
		case a < start && start-a < bestGap:
			best, bestGap, before = i, start-a, true
		case a >= end && a-end < bestGap:
			best, bestGap, before = i, a-end, false
		case a >= start && a < end:
			best, bestGap, before = i, 0, false
		}
	}
	if best < 0 || bestGap > 1<<20 {
		return ""
	}
	al := d.allocs[best]
	what := fmt.Sprintf("the %s at %#x", ptx.Plural(int(al.size), "byte"), d.win.global+Addr(al.off))
	if al.name != "" {
		what = fmt.Sprintf("%s (%s at %#x)", al.name, ptx.Plural(int(al.size), "byte"), d.win.global+Addr(al.off))
	}
	switch {
	case before:
		return fmt.Sprintf("; %s before %s", ptx.Plural(int64(bestGap), "byte"), what)
	case bestGap == 0:
		return "; it runs over the end of " + what
	}
	return fmt.Sprintf("; %s past the end of %s", ptx.Plural(int64(bestGap), "byte"), what)
}

// model is the divergence model of its warps.
func (d *Device) model() *Model { return &Models[d.opts.Divergence] }
