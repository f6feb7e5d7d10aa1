package launch

import (
	"cmp"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// A kernel without a header gets the block that .reqntid or .maxntid names, else one warp, or 256 threads if it has
// more than one axis. Its integers are 32 and its buffers have 32 × 32 elements, so it stays inside them whether it
// takes the integers for a length or for the sides of a matrix. It gets all the dynamic shared memory of its target, if
// it uses any.
const (
	madeUpInteger  = "32"
	madeUpElements = 1024
)

// madeUp gives an argument for each parameter by its type and use. Parameters that end up in addresses get buffers,
// which count up if they are read and are zeros if they are only written; others get values.
func madeUp(m *ptx.Module, f *ptx.Func) []Arg {
	uses := pointerUses(m, f)
	args := make([]Arg, len(f.Params))
	for i, p := range f.Params {
		args[i] = Arg{Name: p.Name, Span: p.Span, label: paramLabel(f, p), madeUp: true}
		makeUp(&args[i], m, p, uses[p])
	}
	return args
}

// Guessed says whether the launch, or an argument of it, is guessed.
func (s *Spec) Guessed() bool {
	return s.Defaulted || slices.ContainsFunc(s.Args, func(a Arg) bool { return a.madeUp })
}

func makeUp(a *Arg, m *ptx.Module, p *ptx.Param, use *use) {
	isAddress := use != nil && len(p.Dims) == 0 && p.Vec <= 1 && p.Size >= int64(m.AddressSize/8) && p.Size <= 8
	elem, known := ParseElem(strings.TrimPrefix(p.Type.String(), "."))
	switch {
	case isAddress:
		a.Type, a.Buffer, a.Dims = use.elem.String(), true, []int{madeUpElements}
		if use.read {
			a.Init = "iota"
		}
		return
	case len(p.Dims) > 0 || p.Vec > 1 || !known || int64(elem.Size()) != p.Size:
		a.Type, a.Dims = "u8", []int{int(p.Size)} // a structure: zeros
	default:
		a.Type, a.Init = elem.String(), madeUpInteger
		if elem.Type.Class() == isa.Float {
			a.Init = "1"
		}
	}
	if p.Size > 0 {
		a.Data, _ = a.Contents()
	}
}

// madeUpBlock is a square or a cube for a kernel that distinguishes its threads by more than %tid.x (10.1), because
// such kernels work on tiles. The block that .maxntid names comes first if it has several axes or fewer threads than
// the square. For other kernels it is the block that .maxntid names, or the given one.
func madeUpBlock(f *ptx.Func, given emu.Dim3) emu.Dim3 {
	axes := 1
	for _, in := range f.Insts {
		for i := range in.Operands {
			if o := &in.Operands[i]; o.SReg() != nil && o.SReg().Name == "%tid" {
				axes = max(axes, int(o.Elem)+1)
			}
		}
	}
	shape := [...]emu.Dim3{given, {X: 16, Y: 16, Z: 1}, {X: 8, Y: 8, Z: 4}}[min(axes, 3)-1]
	most := mostThreads(f)
	switch {
	case f.ReqNTID[0] > 0:
		return given
	case f.MaxNTID[0] == 0 || axes > 1 && f.MaxNTID[1] <= 1 && f.MaxNTID[2] <= 1 && shape.X*shape.Y*shape.Z <= most:
		return shape
	}
	largest := atLeastOne(emu.Dim3{X: f.MaxNTID[0], Y: f.MaxNTID[1], Z: f.MaxNTID[2]})
	if checkShape("block", largest) != "" {
		return emu.Dim3{X: most, Y: 1, Z: 1}
	}
	return largest
}

// madeUpGrid makes the grid one cluster, where the kernel has clusters (11.7). If it leaves their shape to the launch,
// they have one CTA.
func (b *builder) madeUpGrid(s *Spec, f *ptx.Func) {
	c := s.Cluster
	if c == (emu.Dim3{}) {
		c = emu.Dim3{X: f.ReqNCTAPerCluster[0], Y: f.ReqNCTAPerCluster[1], Z: f.ReqNCTAPerCluster[2]}
		if c == (emu.Dim3{}) && f.ExplicitCluster {
			s.Cluster = atLeastOne(c)
		}
	}
	if b.h.grid == (emu.Dim3{}) && !f.BlocksAreClusters {
		s.Grid = atLeastOne(c)
	}
}

// sharedUse gives an unsized shared array (.extern .shared) that the kernel or a function that it may call uses, or
// nil; whether they name it, because a module can declare one and its code can know that it is at 0; and the bytes that
// are left for it by the arrays with a size.
func sharedUse(m *ptx.Module, kernel *ptx.Func) (unsized *ptx.Var, named bool, most int) {
	calls := slices.ContainsFunc(kernel.Insts, func(in *ptx.Inst) bool { return in.Call != nil })
	used, accesses := map[*ptx.Var]bool{}, false
	sized, align := int64(0), int64(16) // bytes, with what alignment may cost
	use := func(ops []ptx.Operand) {
		for i := range ops {
			v := ops[i].Var
			if v == nil || v.Space != ptx.SharedSpace || used[v] {
				continue
			}
			if used[v] = true; v.Size == 0 {
				unsized, align = cmp.Or(unsized, v), max(align, v.Align)
			} else {
				sized += v.Size + v.Align
			}
		}
	}
	for _, f := range m.Funcs {
		if f != kernel && (f.Entry || !calls) {
			continue
		}
		for _, in := range f.Insts {
			accesses = accesses || strings.Contains(in.Opcode, ".shared")
			if use(in.Operands); in.Call != nil {
				use(in.Call.Args)
			}
		}
	}
	named = unsized != nil
	for _, v := range m.Vars {
		if accesses && v.Space == ptx.SharedSpace && v.Size == 0 {
			unsized = cmp.Or(unsized, v)
		}
	}
	if sized > 0 {
		sized += align
	}
	return unsized, named, int(max(0, sharedLimit(m.SM)-sized)) / 16 * 16
}

// sharedLimit is the most shared memory that a CTA can ask for, in bytes: the table of compute capabilities in the CUDA
// programming guide.
func sharedLimit(sm int) int64 {
	switch {
	case sm >= 120:
		return 99 << 10
	case sm >= 90:
		return maxShared
	case sm == 86 || sm == 89:
		return 99 << 10
	case sm >= 80:
		return 163 << 10
	case sm >= 75:
		return 64 << 10
	case sm >= 70:
		return 96 << 10
	}
	return 48 << 10
}

// use is how a kernel uses the memory that a parameter points to.
type use struct {
	elem Elem
	read bool
}

// slot is a place in memory through which values pass: [base+off], where base is a register or variable.
type slot struct {
	base any
	off  int64
}

// flow follows the kernel's parameters through registers, parameters of calls and stack slots into addresses. It
// ignores the order of instructions and treats every register of address arithmetic as a pointer.
type flow struct {
	m    *ptx.Module
	from map[any]map[*ptx.Param]bool // by *ptx.Reg, *ptx.Var or slot: the parameters whose value may be there
	uses map[*ptx.Param]*use
	grew bool
}

// pointerUses finds the parameters whose value is used as an address.
func pointerUses(m *ptx.Module, kernel *ptx.Func) map[*ptx.Param]*use {
	f := &flow{m: m, from: map[any]map[*ptx.Param]bool{}, uses: map[*ptx.Param]*use{}}
	for _, p := range kernel.Params {
		f.from[p] = map[*ptx.Param]bool{p: true}
		if p.Ptr != nil {
			f.uses[p] = &use{elem: Elem{isa.B32, 1}, read: true}
		}
	}
	const rounds = 16 // values take only a few steps backwards through the text
	f.grew = true
	for i := 0; f.grew && i < rounds; i++ {
		f.grew = false
		for _, fn := range m.Funcs {
			if fn == kernel || !fn.Entry {
				for _, in := range fn.Insts {
					f.step(in)
				}
			}
		}
	}
	return f.uses
}

func (f *flow) step(in *ptx.Inst) {
	mnemonic, _, _ := strings.Cut(in.Opcode, ".")
	ops := in.Operands
	switch mnemonic {
	case "mov", "cvta", "add", "sub", "selp":
		for i := 1; i < len(ops) && i < 3; i++ {
			f.move(place(&ops[0]), place(&ops[i]))
		}
	case "mad":
		if len(ops) == 4 {
			f.move(place(&ops[0]), place(&ops[3]))
		}
	case "call":
		f.call(in.Call)
	case "ld", "ldu":
		if len(ops) > 1 {
			f.move(place(&ops[0]), place(&ops[1]))
		}
	case "st":
		if len(ops) > 1 {
			f.move(place(&ops[0]), place(&ops[1]))
		}
	}
	if in.Match == nil || in.Match.Form == nil {
		return
	}
	for i := range ops {
		if ops[i].Kind == ptx.OpAddr && ops[i].Reg != nil {
			f.access(in, ops[i].Reg)
		}
	}
}

// place is where an operand's value is kept, nil when it has none.
func place(o *ptx.Operand) any {
	switch {
	case o.Kind == ptx.OpReg && o.Reg != nil:
		return o.Reg
	case o.Kind == ptx.OpAddr && o.Reg != nil:
		return slot{o.Reg, o.Off()}
	case (o.Kind == ptx.OpAddr || o.Kind == ptx.OpVar) && o.Var != nil && o.Var.Space == ptx.ParamSpace && o.Off() == 0:
		return o.Var
	case o.Kind == ptx.OpAddr && o.Var != nil:
		return slot{o.Var, o.Off()}
	}
	return nil
}

func (f *flow) move(to, from any) {
	if to == nil || from == nil {
		return
	}
	for p := range f.from[from] {
		if f.from[to] == nil {
			f.from[to] = map[*ptx.Param]bool{}
		}
		if !f.from[to][p] {
			f.from[to][p], f.grew = true, true
		}
	}
}

func (f *flow) call(c *ptx.Call) {
	if c == nil {
		return
	}
	targets := c.Targets
	if c.Target.Func() != nil {
		targets = []*ptx.Func{c.Target.Func()}
	}
	for _, fn := range targets {
		for i := range c.Args {
			if i < len(fn.ParamRegs) && fn.ParamRegs[i] != nil {
				f.move(fn.ParamRegs[i], place(&c.Args[i]))
			} else if i < len(fn.Params) && fn.Params[i] != nil {
				f.move(fn.Params[i], place(&c.Args[i]))
			}
		}
	}
}

// access notes that a register is the base of an address.
func (f *flow) access(in *ptx.Inst, base *ptx.Reg) {
	for p := range f.from[base] {
		if f.uses[p] == nil {
			f.uses[p] = &use{elem: Elem{isa.B32, 1}}
			if types := in.Match.Types; len(types) > 0 {
				if e, ok := ParseElem(types[len(types)-1].String()[1:]); ok {
					f.uses[p].elem = e
				}
			}
		}
		f.uses[p].read = f.uses[p].read || in.Match.Form.Effect&isa.ReadsMemory != 0
	}
}
