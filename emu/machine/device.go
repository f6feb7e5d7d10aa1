package machine

import (
	"fmt"

	"warpscope/emu/mem"
	"warpscope/emu/shadow"
	"warpscope/emu/texture"
	"warpscope/gpu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// spaces gives the state space of each kind of allocation.
var spaces = [...]ptx.Space{mem.Global: ptx.GlobalSpace, mem.Const: ptx.ConstSpace, mem.Param: ptx.ParamSpace}

// defaultMemory is the device memory in bytes where Options name none.
const defaultMemory = 1 << 30

// NewDevice makes the device of a module, without its program. It returns an error when the memory limit is too small.
func NewDevice(m *ptx.Module, opts Options) (*Device, error) {
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
	return &Device{Mod: m, opts: opts, Mem: memory, Shadow: shadow.New(opts.Sanitize)}, nil
}

// Counting says whether the launches of the device keep counters.
func (d *Device) Counting() bool { return d.opts.Counters }

// Reserve makes an allocation of size bytes, which read as zero. It returns an error when the device is out of memory.
func (d *Device) Reserve(size int64, name string, kind mem.Kind) (Addr, error) {
	a, ok := d.Mem.Reserve(size, name, kind)
	if !ok {
		return 0, fmt.Errorf("out of device memory: %s asked for, %d of %d in use", ptx.Plural(size, "byte"), d.Mem.Used(),
			d.Mem.Limit())
	}
	d.Shadow.Forget(d.Mem.Off(a), size)
	return a, nil
}

// Alloc reserves size bytes of global memory, aligned to 256 bytes, which read as zero. It returns an error when size
// is negative or the device is out of memory.
func (d *Device) Alloc(size int) (Addr, error) {
	if size < 0 {
		return 0, fmt.Errorf("a size of %s", ptx.Plural(size, "byte"))
	}
	return d.Reserve(int64(size), "", mem.Global)
}

// MakeRoom prepares for allocations of size bytes in all. It allocates nothing, and saves time only.
func (d *Device) MakeRoom(size int64) { d.Mem.MakeRoom(size) }

// Free gives back what Alloc has reserved at an address. Any other address is an error.
func (d *Device) Free(a Addr) error {
	for _, al := range d.Mem.Allocations() {
		if d.Mem.Addr(al.Off) == a && al.Kind == mem.Global && al.Name == "" {
			d.Mem.Unreserve(a)
			return nil
		}
	}
	return fmt.Errorf("address %#x is not the start of an allocation", a)
}

// host returns the n bytes that a host access reaches. They must be in one allocation.
func (d *Device) host(a Addr, n int) ([]byte, error) {
	al := d.Mem.Find(a, uint64(n))
	if al == nil {
		return nil, fmt.Errorf("outside every allocation: %s at address %#x%s", ptx.Plural(n, "byte"), a, d.Nearest(a))
	}
	return d.Mem.Bytes(d.Mem.Off(a), uint32(n)), nil
}

// Write copies b to device memory at a. It returns an error when b does not fit into one allocation.
func (d *Device) Write(a Addr, b []byte) error {
	return d.Fill(a, len(b), func(to []byte) error {
		copy(to, b)
		return nil
	})
}

// Fill calls fill once with n bytes of device memory at a, for it to write, unless n is 0. It returns the error of
// fill, or one when the bytes are not in one allocation.
func (d *Device) Fill(a Addr, n int, fill func(to []byte) error) error {
	p, err := d.host(a, n)
	if err != nil || n == 0 {
		return err
	}
	d.Mem.Touch(d.Mem.Off(a), uint32(n))
	d.Shadow.Wrote(d.Mem.Off(a), uint32(n))
	return fill(p)
}

// Read fills b with device memory from a on. It returns an error when the bytes are not in one allocation.
func (d *Device) Read(a Addr, b []byte) error {
	p, err := d.host(a, len(b))
	copy(b, p)
	return err
}

// Symbol returns the address and the size in bytes of a module-scope .global or .const variable.
func (d *Device) Symbol(name string) (Addr, int, error) {
	for _, v := range d.Mod.Vars {
		if a, ok := d.Prog.Vars[v]; ok && v.Name == name {
			return a, int(VarSize(v)), nil
		}
	}
	return 0, 0, fmt.Errorf("the module has no .global or .const variable %q", name)
}

// Allocations lists the device memory in address order.
func (d *Device) Allocations() []gpu.Allocation {
	all := d.Mem.Allocations()
	out := make([]gpu.Allocation, len(all))
	for i := range all {
		out[i] = d.allocation(&all[i])
	}
	return out
}

// allocation returns an allocation as users see it.
func (d *Device) allocation(al *mem.Allocation) gpu.Allocation {
	return gpu.Allocation{Addr: d.Mem.Addr(al.Off), Size: int(al.Size), Name: al.Name, Space: spaces[al.Kind]}
}

// Variables lists the module's .global and .const variables in address order.
func (d *Device) Variables() (list []gpu.Allocation) {
	for _, al := range d.Mem.Allocations() {
		if al.Name != "" && al.Kind != mem.Param {
			list = append(list, d.allocation(&al))
		}
	}
	return list
}

// Nearest describes the allocation that an address was probably meant for, as the end of a message; "" when none is
// near.
func (d *Device) Nearest(a Addr) string {
	al, before, gap := d.Mem.Nearest(a)
	if al == nil {
		return ""
	}
	what := fmt.Sprintf("the %s at %#x", ptx.Plural(int(al.Size), "byte"), d.Mem.Addr(al.Off))
	if al.Name != "" {
		what = fmt.Sprintf("%s (%s at %#x)", al.Name, ptx.Plural(int(al.Size), "byte"), d.Mem.Addr(al.Off))
	}
	switch {
	case before:
		return fmt.Sprintf("; %s before %s", ptx.Plural(int64(gap), "byte"), what)
	case gap == 0:
		return "; it runs over the end of " + what
	}
	return fmt.Sprintf("; %s past the end of %s", ptx.Plural(int64(gap), "byte"), what)
}

// model returns the divergence model of the device's warps.
func (d *Device) model() *Model { return &Models[d.opts.Divergence] }

// VarSize returns the bytes of memory that a variable takes.
func VarSize(v *ptx.Var) int64 {
	if v.Type.Class() == isa.Opaque {
		return v.Size / int64(v.Type.Bytes()) * texture.EncodedSize
	}
	return v.Size
}

// AlignUp returns the smallest multiple of align that is not below n.
func AlignUp(n, align int64) int64 { return (n + align - 1) / align * align }
