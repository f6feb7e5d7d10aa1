package emu

import (
	"fmt"

	"warpscope/emu/mem"
	"warpscope/ptx"
)

// spaces are the state spaces of the kinds of allocations.
var spaces = [...]ptx.Space{mem.Global: ptx.GlobalSpace, mem.Const: ptx.ConstSpace, mem.Param: ptx.ParamSpace}

// Device is a loaded module with its memory. It is not safe for concurrent use.
type Device struct {
	mod    *ptx.Module
	opts   Options
	mem    *mem.Memory
	prog   *program
	shadow *shadow
	ended  *Grid // the grid that ended last: its last CTA can still be looked at
}

// defaultMemory is the device memory when Options name none, in bytes.
const defaultMemory = 1 << 30

// Load lowers a module without errors and places its .global and .const variables. An instruction that is valid PTX
// but not emulated is reported as ptx.Diagnostics with code "not-emulated", before anything runs.
func Load(m *ptx.Module, opts Options) (*Device, error) {
	d, err := newDevice(m, opts)
	if err != nil {
		return nil, err
	}
	d.prog, err = lower(d, m)
	if err != nil {
		return nil, err
	}
	return d, nil
}

// newDevice makes the device of a module, without its program.
func newDevice(m *ptx.Module, opts Options) (*Device, error) {
	if opts.MemoryLimit == 0 {
		opts.MemoryLimit = defaultMemory
	}
	if opts.Divergence == Auto {
		opts.Divergence = ByTarget(m.SM)
	}
	limit, win := opts.MemoryLimit, mem.Windows64
	if m.AddressSize == 32 {
		win = mem.Windows32
		limit = min(limit, 1<<32-int64(win.Global))
	}
	memory, ok := mem.New(limit, win)
	if !ok {
		return nil, fmt.Errorf("a memory limit of %s is too small", ptx.Plural(opts.MemoryLimit, "byte"))
	}
	return &Device{mod: m, opts: opts, mem: memory, shadow: newShadow(opts.Sanitize)}, nil
}

// reserve makes an allocation.
func (d *Device) reserve(size int64, name string, kind mem.Kind) (Addr, error) {
	a, ok := d.mem.Reserve(size, name, kind)
	if !ok {
		return 0, fmt.Errorf("out of device memory: %s asked for, %d of %d in use", ptx.Plural(size, "byte"), d.mem.Used(),
			d.mem.Limit())
	}
	d.shadow.forget(d.mem.Off(a), size)
	return a, nil
}

// Alloc reserves size bytes of global memory, 256-byte aligned, reading as zero.
func (d *Device) Alloc(size int) (Addr, error) {
	if size < 0 {
		return 0, fmt.Errorf("a size of %s", ptx.Plural(size, "byte"))
	}
	return d.reserve(int64(size), "", mem.Global)
}

// Free gives an allocation back.
func (d *Device) Free(a Addr) error {
	for _, al := range d.mem.Allocations() {
		if d.mem.Addr(al.Off) == a && al.Kind == mem.Global && al.Name == "" {
			d.mem.Unreserve(a)
			return nil
		}
	}
	return fmt.Errorf("address %#x is not the start of an allocation", a)
}

// host finds the bytes of a host access.
func (d *Device) host(a Addr, n int) ([]byte, error) {
	al := d.mem.Find(a, uint64(n))
	if al == nil {
		return nil, fmt.Errorf("outside every allocation: %s at address %#x%s", ptx.Plural(n, "byte"), a, d.nearest(a))
	}
	return d.mem.Bytes(d.mem.Off(a), uint32(n)), nil
}

// Write copies b to device memory, bounds-checked like a kernel's own access.
func (d *Device) Write(a Addr, b []byte) error {
	p, err := d.host(a, len(b))
	if err != nil || len(b) == 0 {
		return err
	}
	copy(p, b)
	d.mem.Touch(d.mem.Off(a), uint32(len(b)))
	d.shadow.wrote(d.mem.Off(a), uint32(len(b)))
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
	all := d.mem.Allocations()
	out := make([]Allocation, len(all))
	for i := range all {
		out[i] = d.allocation(&all[i])
	}
	return out
}

func (d *Device) allocation(al *mem.Allocation) Allocation {
	return Allocation{Addr: d.mem.Addr(al.Off), Size: int(al.Size), Name: al.Name, Space: spaces[al.Kind]}
}

// Variables lists the module's .global and .const variables in address order.
func (d *Device) Variables() (list []Allocation) {
	for _, al := range d.mem.Allocations() {
		if al.Name != "" && al.Kind != mem.Param {
			list = append(list, d.allocation(&al))
		}
	}
	return list
}

// nearest describes the allocation that an address probably was meant for.
func (d *Device) nearest(a Addr) string {
	al, before, gap := d.mem.Nearest(a)
	if al == nil {
		return ""
	}
	what := fmt.Sprintf("the %s at %#x", ptx.Plural(int(al.Size), "byte"), d.mem.Addr(al.Off))
	if al.Name != "" {
		what = fmt.Sprintf("%s (%s at %#x)", al.Name, ptx.Plural(int(al.Size), "byte"), d.mem.Addr(al.Off))
	}
	switch {
	case before:
		return fmt.Sprintf("; %s before %s", ptx.Plural(int64(gap), "byte"), what)
	case gap == 0:
		return "; it runs over the end of " + what
	}
	return fmt.Sprintf("; %s past the end of %s", ptx.Plural(int64(gap), "byte"), what)
}

// model is the divergence model of its warps.
func (d *Device) model() *Model { return &Models[d.opts.Divergence] }
