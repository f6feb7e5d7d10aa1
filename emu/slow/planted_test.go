package slow

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/host"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/launch"
	"warpscope/ptx"
)

// plant is a driver that does something to the grid after the first piece. It says whether it could.
func plant(planted *bool, do func(g *emu.Grid) bool) driver {
	return func(g *emu.Grid, n int64) (bool, error) {
		done, err := g.RunFor(n)
		if !*planted {
			*planted = do(g)
		}
		return done, err
	}
}

// hidden is a field that its package keeps for itself.
func hidden(of any, name string) reflect.Value {
	v := reflect.ValueOf(of).Elem().FieldByName(name)
	return reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem()
}

// resident is the first warp that is still there.
func resident(g *emu.Grid) (*machine.Warp, unsafe.Pointer) {
	for _, c := range g.State.CTAs {
		for _, w := range c.Warps {
			if !w.Ended {
				return w, g.Mem.At(w.Cur.Frame.Off)
			}
		}
	}
	return nil, nil
}

// planted are differences between two machines, each of which only its own comparison can find.
var planted = []struct {
	name  string
	found string // what the comparison says
	do    func(g *emu.Grid) bool
}{
	{"a bit of a register", ` in lane 3: `, func(g *emu.Grid) bool {
		w, f := resident(g)
		if w == nil {
			return false
		}
		slot := w.Cur.Frame.Fn.Regs[len(w.Cur.Frame.Fn.Regs)-1]
		if slot.Bits == 1 {
			*row.Pred(f, slot.Off) ^= 8
			return true
		}
		*(*byte)(unsafe.Add(f, slot.Off+3*max(32, uint32(slot.Bits))/8)) ^= 1
		return true
	}},
	{"a bit of a buffer", ` of the 4096 bytes at `, func(g *emu.Grid) bool {
		for _, al := range g.Mem.Allocations() {
			if al.Size == globalSize {
				g.Mem.Bytes(al.Off, al.Size)[1234] ^= 0x40
			}
		}
		return true
	}},
	{"a byte after a buffer", `which belongs to nothing`, func(g *emu.Grid) bool {
		for _, al := range g.Mem.Allocations() {
			if al.Size == accSize {
				g.Mem.Bytes(al.Off, al.Size+8)[al.Size+7] = 1
			}
		}
		return true
	}},
	{"a byte after the used memory", `after its used part`, func(g *emu.Grid) bool {
		g.Mem.Bytes(uint32(g.Mem.Used()), 100)[99] = 1
		return true
	}},
	{"shared memory", `shared memory of CTA `, func(g *emu.Grid) bool {
		if len(g.State.CTAs) == 0 || g.State.CTAs[0].SharedSize == 0 {
			return false
		}
		g.State.CTAs[0].SharedBytes()[17] ^= 1
		return true
	}},
	{"a counter that is missing", ` was executed `, func(g *emu.Grid) bool {
		pc := slices.IndexFunc(g.Counts, func(c machine.Count) bool { return c != machine.Count{} })
		g.Counts[pc] = machine.Count{}
		return true
	}},
	{"lanes counted twice", `statistics: `, func(g *emu.Grid) bool {
		g.Counters.LaneInstructions += 32
		return true
	}},
	{"the other warp is next", `turn: `, func(g *emu.Grid) bool {
		if len(g.State.CTAs) == 0 || len(g.State.CTAs[0].Warps) < 2 {
			return false
		}
		g.State.CTAs[0].Cur ^= 1
		return true
	}},
	{"a turn that is longer by one instruction", `hash: `, func(g *emu.Grid) bool {
		if g.Done() {
			return false
		}
		left := hidden(&g.State, "left")
		left.SetInt(left.Int() + 1)
		return true
	}},
	{"one more instruction", `tick: `, func(g *emu.Grid) bool {
		if g.Done() || g.Fault != nil {
			return false
		}
		was := g.Tick()
		_, _ = g.RunFor(1)
		return g.Tick() > was
	}},
	{"a word of a frame that no view shows", ` of the arena begins a word`, func(g *emu.Grid) bool {
		w, f := resident(g)
		if w == nil {
			return false
		}
		*row.U32s(f, w.Cur.Frame.Fn.Consts[0].Off) = [32]uint32{9: 99}
		return true
	}},
	{"memory that is written without a mark", ` of the 4096 bytes at `, func(g *emu.Grid) bool {
		start := g.Snapshot()
		for _, al := range g.Mem.Allocations() {
			if al.Size == globalSize {
				g.Mem.Bytes(al.Off, al.Size)[0] ^= 1
			}
		}
		g.Restore(start)
		return true
	}},
	{"output", `output: `, func(g *emu.Grid) bool {
		g.Printed = append(slices.Clone(g.Printed), '!')
		return true
	}},
	{"a finding that is missing", `findings: `, func(g *emu.Grid) bool {
		if len(g.Findings()) == 0 {
			return false
		}
		hidden(g, "findings").SetZero()
		return true
	}},
}

// TestPlantedDifferencesAreFound: whatever one machine does otherwise, the comparison names it.
func TestPlantedDifferencesAreFound(t *testing.T) {
	a := newAuthor(t)
	for _, p := range planted {
		done := false
		for seed := int64(0); !done; seed++ {
			require.Less(t, seed, int64(500), "%s: no kernel lets it be planted", p.name)
			k := a.kernel(seed)
			found, err := k.check(emu.Independent, reference, way{drive: plant(&done, p.do), host: host.Interpreted}, nil)
			require.NoError(t, err)
			if done {
				require.Contains(t, found, p.found, "%s, seed %d", p.name, seed)
			} else {
				require.Empty(t, found)
			}
		}
	}
}

// Faults of another lane, at another address or with another text are different faults.
func TestPlantedFaultsAreFound(t *testing.T) {
	a := newAuthor(t)
	for _, change := range []func(f *emu.Fault){
		func(f *emu.Fault) { f.Lanes ^= 1 }, func(f *emu.Fault) { f.Addr++ }, func(f *emu.Fault) { f.Detail += "." },
		func(f *emu.Fault) { f.Pos.Line++ },
	} {
		other := way{host: host.Interpreted, drive: func(g *emu.Grid, n int64) (bool, error) {
			done, err := g.RunFor(n)
			if f, ok := err.(*emu.Fault); ok {
				wrong := *f
				change(&wrong)
				g.Fault = &wrong
				return done, &wrong
			}
			return done, err
		}}
		found := ""
		for seed := int64(0); found == "" && seed < 500; seed++ {
			var err error
			found, err = a.kernel(seed).check(emu.Stack, reference, other, nil)
			require.NoError(t, err)
		}
		require.Regexp(t, `(error|fault): `, found)
	}
}

// wrongInLane5 is an engine with a defect: its xor.b32 flips a bit of lane 5 where that lane is not alone.
var wrongInLane5 = stepping(func(g *emu.Grid, s emu.Step) {
	if s.Inst.Opcode != "xor.b32" || !s.Exec.Has(5) || s.Exec.Count() == 1 || len(s.Regs) == 0 {
		return
	}
	for _, c := range g.State.CTAs {
		if c.Index != s.CTAIndex || c.Warps[s.Warp].Ended {
			continue
		}
		fr := c.Warps[s.Warp].Cur.Frame
		for _, slot := range fr.Fn.Regs {
			if slot.Reg == s.Regs[0].Reg {
				row.U32s(g.Mem.At(fr.Off), slot.Off)[5] ^= 1 << 31
			}
		}
	}
})

// TestShrinkLeavesTheDefect: of the first kernel in which the defect shows, little more is left than the instruction
// that is wrong; and a kernel without that instruction runs right.
func TestShrinkLeavesTheDefect(t *testing.T) {
	a, other := newAuthor(t), way{drive: wrongInLane5}
	for seed := int64(0); ; seed++ {
		require.Less(t, seed, int64(500))
		k := a.kernel(seed)
		found, err := k.check(emu.Stack, reference, other, nil)
		require.NoError(t, err)
		if found == "" {
			continue
		}
		found = k.shrink(emu.Stack, reference, other)
		require.NotEmpty(t, found)
		var body strings.Builder
		printAll(&body, k.body)
		require.Contains(t, k.text(), "xor.b32")
		require.LessOrEqual(t, strings.Count(body.String(), "\n"), 4, k.text())
		return
	}
}

// A kernel is the same whenever it is written, ends by itself, and has a header that launches it as the test does.
func TestKernelsComeFromTheirSeeds(t *testing.T) {
	a, b := newAuthor(t), newAuthor(t)
	for seed := range int64(20) {
		b.kernel(seed + 100)
		require.Equal(t, a.kernel(seed).text(), b.kernel(seed).text())
	}
	k := a.kernel(7)
	m, err := ptx.Parse("random.ptx", []byte(k.text()))
	require.NoError(t, err)
	x, err := k.twin(m, emu.Stack, reference)
	require.NoError(t, err)
	require.NoError(t, x.Run(context.Background()))
	require.Empty(t, x.trespass())
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	report, err := launch.Run(context.Background(), m, spec, emu.Options{Divergence: emu.Stack})
	require.NoError(t, err)
	require.Equal(t, x.Stats(), report.Stats, "the header's launch")
}
