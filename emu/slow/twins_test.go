package slow

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand"
	"reflect"
	"slices"

	"warpscope/emu"
	"warpscope/emu/jit"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// Two machines run one launch, each in its way, and must be alike whenever they are looked at.

// driver lets a grid execute at most so many warp instructions, as Grid.RunFor does.
type driver func(g *emu.Grid, n int64) (done bool, err error)

// twin is one of the two machines.
type twin struct {
	*emu.Grid
	device *emu.Device
	drive  driver
	guards []mem.Allocation // memory that belongs to nothing
	calls  int64            // of compiled code
	ctas   int64            // that calls without a frame have executed as wholes
}

// way is how a twin runs.
type way struct {
	engine emu.Engine
	warm   int64  // for EngineAuto: instructions of a region before it is compiled, instead of its own number
	drive  driver // nil: Grid.RunFor
	host   opener // of compiled code; nil: that of programs
}

type opener = func(*mem.Arena) (mem.Host, error)

func (w way) twin(d *emu.Device, g *emu.Grid) *twin {
	t := &twin{Grid: g, device: d, drive: w.drive}
	if t.drive == nil {
		t.drive = (*emu.Grid).RunFor
	}
	if w.host == nil {
		w.host = mem.OpenHost
	}
	if host, err := w.host(&d.Mem.Arena); err == nil && w.engine != emu.Interpreter && d.Compiles() {
		d.SetEngine(jit.New(d, countedHost{host, t}, w.warm))
	}
	return t
}

// countedHost is a host that counts calls of compiled code.
type countedHost struct {
	mem.Host
	of *twin
}

func (h countedHost) Call(f mem.Func, frame, ctx, mask, budget uint32) uint32 {
	h.of.calls++
	v := h.Host.Call(f, frame, ctx, mask, budget)
	if frame == 0 {
		h.of.ctas += int64(v)
	}
	return v
}

const canary = 0xc5

// guard fills memory that no guest code can write: a block of its own, and what lies between the end of each
// allocation and the next block.
func (t *twin) guard() {
	const block = 256
	if off, ok := t.device.Mem.Alloc(block); ok {
		t.fill(off, block)
	}
	for _, al := range t.device.Mem.Allocations() {
		end := al.Off + al.Size
		t.fill(end, (al.Size+1+block-1)/block*block-al.Size)
	}
}

func (t *twin) fill(off, size uint32) {
	t.guards = append(t.guards, mem.Allocation{Off: off, Size: size})
	b := t.device.Mem.Bytes(off, size)
	for i := range b {
		b[i] = canary
	}
}

// trespass says what was written where nothing may be: in the guards, after the used part of the arena, which is zero,
// and beside the marks of pages, which are 0 or 1. Natively compiled code traps after them (emu/host).
func (t *twin) trespass() string {
	for _, al := range t.guards {
		for i, v := range t.device.Mem.Bytes(al.Off, al.Size) {
			if v != canary {
				return fmt.Sprintf("byte %#x of the arena, which belongs to nothing, is %#x", int(al.Off)+i, v)
			}
		}
	}
	marks := t.device.Mem.All()[t.device.Mem.MarksAt():]
	pages := t.device.Mem.MarksAt() >> mem.PageShift
	if i := slices.IndexFunc(marks[:pages], func(v byte) bool { return v > 1 }); i >= 0 {
		return fmt.Sprintf("mark %d is %#x", i, marks[i])
	}
	if i := notZero(marks[pages:]); i >= 0 {
		return fmt.Sprintf("mark %d, of no page, is %#x", int(pages)+i, marks[int(pages)+i])
	}
	arena := reflect.ValueOf(&t.device.Mem.Arena).Elem().FieldByName("bytes")
	used := uint32(t.device.Mem.Used())
	after := t.device.Mem.Bytes(used, uint32(arena.Len())-used)
	if i := notZero(after[:min(cap(after), 1<<20)]); i >= 0 {
		return fmt.Sprintf("byte %#x of the arena, after its used part, is %#x", int(used)+i, after[i])
	}
	return ""
}

// notZero is the place of the first byte that is not zero, or -1. Blocks that are zero are passed at once.
func notZero(b []byte) int {
	const block = 1 << 12
	for at := 0; at < len(b); at += block {
		part := b[at:min(at+block, len(b))]
		if bytes.Equal(part, zeros[:len(part)]) {
			continue
		}
		return at + slices.IndexFunc(part, func(v byte) bool { return v != 0 })
	}
	return -1
}

var zeros [1 << 12]byte

// clean clears what rows of frames hold only while an instruction runs: the execution mask and the scratch row.
func (t *twin) clean() {
	for _, c := range t.State.CTAs {
		for _, w := range c.Warps {
			frames := []*machine.Frame{w.Base}
			if !w.Ended {
				frames = append(frames, w.Cur.Frame)
			}
			for _, fr := range frames {
				clear(t.device.Mem.Bytes(fr.Off+row.ExecMask, row.FalsePred-row.ExecMask))
			}
		}
	}
}

// differ compares everything that can be seen of two machines.
func differ(a, b *twin, errA, errB error) string {
	differs := func(what string, a, b any) string {
		if reflect.DeepEqual(a, b) {
			return ""
		}
		return fmt.Sprintf("%s: %+v, and %+v", what, a, b)
	}
	var faultA, faultB *emu.Fault
	errors.As(errA, &faultA)
	errors.As(errB, &faultB)
	for _, found := range []string{
		differs("error", fmt.Sprint(errA), fmt.Sprint(errB)), differs("fault", faultA, faultB),
		differs("tick", a.Tick(), b.Tick()), differs("end", a.Done(), b.Done()), differs("turn", next(a), next(b)),
		differs("statistics", a.Stats(), b.Stats()), differs("output", a.Output(), b.Output()),
		differs("findings", a.Findings(), b.Findings()), differCounts(a, b), differMemory(a, b), differWarps(a, b),
		a.trespass(), b.trespass(),
	} {
		if found != "" {
			return found
		}
	}
	a.clean()
	b.clean()
	if found := differs("hash", a.Hash(), b.Hash()); found != "" {
		return found + differWords(a, b)
	}
	return ""
}

// differWords says which word of the arenas is the first that differs.
func differWords(a, b *twin) string {
	x, y := a.device.Mem.Words(), b.device.Mem.Words()
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return fmt.Sprintf("; byte %#x of the arena begins a word: %#x, and %#x", 8*i, x[i], y[i])
		}
	}
	return ""
}

func next(t *twin) string { return fmt.Sprint(t.Next()) }

func differCounts(a, b *twin) string {
	x, y := a.Counted(), b.Counted()
	for pc := range x {
		if x[pc] != y[pc] {
			in := a.Prog.Code[pc].Src
			return fmt.Sprintf("line %d, %s, was executed %d times, and %d", a.Position(in).Line, in.Opcode, x[pc], y[pc])
		}
	}
	return ""
}

func differMemory(a, b *twin) string {
	x, y := a.device.Allocations(), b.device.Allocations()
	if !reflect.DeepEqual(x, y) {
		return fmt.Sprintf("allocations: %v, and %v", x, y)
	}
	for _, al := range x {
		off := a.device.Mem.Off(al.Addr)
		p, q := a.device.Mem.Bytes(off, uint32(al.Size)), b.device.Mem.Bytes(off, uint32(al.Size))
		if bytes.Equal(p, q) {
			continue
		}
		for i := range p {
			if p[i] != q[i] {
				return fmt.Sprintf("byte %d of the %d bytes at %#x: %#x, and %#x", i, al.Size, al.Addr, p[i], q[i])
			}
		}
	}
	return ""
}

// differWarps compares what people see of warps, and the shared and local memory of CTAs.
func differWarps(a, b *twin) string {
	for cta := range int(a.Stats().CTAs) {
		if !a.Warp(cta, 0).Resident && !b.Warp(cta, 0).Resident {
			continue
		}
		_, x := a.Shared(cta)
		if _, y := b.Shared(cta); !bytes.Equal(x, y) {
			return fmt.Sprintf("shared memory of CTA %d: %x, and %x", cta, x, y)
		}
		for warp := range warpsOf(a, cta) {
			if found := differWarp(a.Warp(cta, warp), b.Warp(cta, warp)); found != "" {
				return fmt.Sprintf("CTA %d, warp %d: %s", cta, warp, found)
			}
			for lane := range 32 {
				_, x := a.Local(cta, warp, lane)
				if _, y := b.Local(cta, warp, lane); !bytes.Equal(x, y) {
					return fmt.Sprintf("local memory of CTA %d, warp %d, lane %d: %x, and %x", cta, warp, lane, x, y)
				}
			}
		}
	}
	return ""
}

// warpsOf is how many warps a resident CTA has.
func warpsOf(t *twin, cta int) (n int) {
	for t.Warp(cta, n).Resident {
		n++
	}
	return n
}

func differWarp(a, b emu.WarpView) string {
	for i := range min(len(a.Regs), len(b.Regs)) {
		if r, q := &a.Regs[i], &b.Regs[i]; *r.Lo != *q.Lo || r.Written != q.Written || !reflect.DeepEqual(r.Hi, q.Hi) {
			for lane := range 32 {
				if r.Lo[lane] != q.Lo[lane] {
					return fmt.Sprintf("%s in lane %d: %#x, and %#x", r.Reg.Name, lane, r.Lo[lane], q.Lo[lane])
				}
			}
			return fmt.Sprintf("%s: written in %#x, and in %#x", r.Reg.Name, r.Written, q.Written)
		}
	}
	a.Regs, b.Regs = nil, nil
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return fmt.Sprintf("view: %+v, and %+v", a, b)
}

// cuts are where runs are interrupted and compared: up to most pieces, short ones and long ones, then the rest.
func cuts(seed int64, most, length int, rest int64) (list []int64) {
	r := rand.New(rand.NewSource(seed))
	for range r.Intn(most + 1) {
		list = append(list, 1+r.Int63n(1<<r.Intn(length)))
	}
	return append(list, rest)
}

// together runs both machines piece by piece, and says where they differ first; "" when they do not.
func together(a, b *twin, pieces []int64) string {
	for _, n := range pieces {
		_, errA := a.drive(a.Grid, n)
		_, errB := b.drive(b.Grid, n)
		if found := differ(a, b, errA, errB); found != "" {
			return fmt.Sprintf("after %d warp instructions, %s", a.Tick(), found)
		}
		if errA != nil || a.Done() {
			break
		}
	}
	return ""
}
