package slow

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

// Random control flow: blocks of statements that branch anywhere, forward and back, into and out of loops. Each lane by
// itself is easy to follow; that 32 of them together, under either model of divergence, do what each does alone is what
// the emulator's scheduling is about.

// flowFamilies have one answer for all operands, so that a lane can be followed without looking at the emulator.
const flowFamilies = "add.int sub.int mul.int mad.int min.int max.int sad and or xor not cnot lop3 shf shl shr prmt " +
	"bfe bfi popc clz brev bfind setp selp add.cc addc subc"

// blockEnd says how a block is left when its condition holds; otherwise the next block follows.
type blockEnd uint8

const (
	goOn    blockEnd = iota // no condition: the next block follows
	jump                    // to a block
	anyJump                 // without a condition
	leave                   // exit: what the lane has computed is not stored
	back                    // ret, the same at the top of a kernel
)

type flowBlock struct {
	body      program
	end       blockEnd
	condition register
	negated   bool
	to        int
}

// flow is a random control-flow graph; a lane that has entered fuel blocks stores its registers and ends.
type flow struct {
	blocks []flowBlock
	fuel   int
}

func (m *maker) flow() *flow {
	f := &flow{fuel: 5 + m.Intn(40)}
	n := 3 + m.Intn(10)
	for k := range n {
		b := flowBlock{to: m.Intn(n + 1), negated: m.Intn(2) == 0}
		m.made = [classes]int{results, results, results, results, results}
		for range m.Intn(4) {
			b.body = append(b.body, m.statement(m.forms[m.Intn(len(m.forms))], true))
		}
		b.condition = m.register(predicate)
		switch r := m.Intn(20); {
		case k == n-1 || r < 3:
		case r < 5:
			b.end = anyJump
		case r == 5:
			b.end = leave
		case r == 6:
			b.end = back
		default:
			b.end = jump
		}
		f.blocks = append(f.blocks, b)
	}
	return f
}

// text are the statements of the graph.
func (f *flow) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "mov.u32 %%t, %d;\n", f.fuel)
	for k := range f.blocks {
		block := &f.blocks[k]
		fmt.Fprintf(&b, "block%d:\nsub.s32 %%t, %%t, 1;\nsetp.lt.s32 %%stop, %%t, 0;\n@%%stop bra block%d;\n", k,
			len(f.blocks))
		for _, s := range block.body {
			b.WriteString(s.String() + "\n")
		}
		guard := "@" + block.condition.String()
		if block.negated {
			guard = "@!" + block.condition.String()
		}
		switch block.end {
		case jump:
			fmt.Fprintf(&b, "%s bra block%d;\n", guard, block.to)
		case anyJump:
			fmt.Fprintf(&b, "bra block%d;\n", block.to)
		case leave:
			fmt.Fprintf(&b, "%s exit;\n", guard)
		case back:
			fmt.Fprintf(&b, "%s ret;\n", guard)
		}
	}
	fmt.Fprintf(&b, "block%d:\n", len(f.blocks))
	return b.String()
}

// follow runs one lane; stored says that it came to the end, where registers are stored.
func (f *flow) follow(s *state) (stored bool) {
	fuel := f.fuel
	for k := 0; k < len(f.blocks); {
		if fuel--; fuel < 0 {
			return true
		}
		b := &f.blocks[k]
		for _, st := range b.body {
			s.run(st)
		}
		holds := (s.registers[predicate][b.condition.index] != 0) != b.negated
		switch {
		case b.end == anyJump, b.end == jump && holds:
			k = b.to
		case (b.end == leave || b.end == back) && holds:
			return false
		default:
			k++
		}
	}
	return true
}

// run executes a statement whose results have no choice.
func (s *state) run(st *statement) {
	list := s.eval(st)
	for n, r := range st.to {
		if r.index >= 0 && list != nil {
			s.registers[r.class][r.index] = list[n].Bits & ones(widths[r.class])
		}
	}
}

// whole is the kernel's text; every register has a slot.
func (f *flow) whole() (text string, slots int) {
	var b strings.Builder
	b.WriteString(prologue(targets[0]) + f.text())
	for c := range classes {
		for k := range inputs + results {
			store(&b, register{c, k}, slots)
			slots++
		}
	}
	return b.String() + epilogue, slots
}

// alone is the output of lanes that run one by one.
func (f *flow) alone(l *launched, slots int) []byte {
	out := make([]byte, slots*slot)
	for lane := range l.in {
		var s state
		for c := range classes {
			copy(s.registers[c][:], l.in[lane][c][:])
		}
		if !f.follow(&s) {
			continue
		}
		at := 8 * lane
		for c := range classes {
			for _, v := range s.registers[c] {
				binary.LittleEndian.PutUint64(out[at:], v)
				at += slot
			}
		}
	}
	return out
}

// compare runs the graph under models of divergence, and says what differs from what its lanes do one by one.
func (f *flow) compare(t testing.TB, l *launched, models ...emu.Divergence) string {
	text, slots := f.whole()
	m, want := parse(t, text), f.alone(l, slots)
	for _, model := range models {
		out := execute(t, m, l, slots, emu.Options{Divergence: model})
		for at := 0; at < len(out) && !bytes.Equal(out, want); at += 8 {
			got, want := binary.LittleEndian.Uint64(out[at:]), binary.LittleEndian.Uint64(want[at:])
			if got != want {
				const each = inputs + results // registers of a class
				r := register{class(at / slot / each), at / slot % each}
				return fmt.Sprintf("%s, lane %d: %v is %#x, want %#x\n%s", model, at%slot/8, r, got, want, f.text())
			}
		}
	}
	return ""
}

// TestRandomControlFlow compares all models of divergence with lanes that run alone.
func TestRandomControlFlow(t *testing.T) {
	total := max(1, *programs/100)
	if runtime.GOOS == "js" || testing.Short() {
		total = min(total, 100)
	}
	m := newMaker(t, *seed+1, strings.Fields(flowFamilies), targets[0])
	ends := 0
	for range total {
		f := m.flow()
		l := m.launch(0) // full warps
		if bad := f.compare(t, l, emu.Divergences()...); bad != "" {
			bad = f.shrink(t, l, bad)
			require.Fail(t, "lanes together differ from lanes alone", "seed %d\n%s", *seed, bad)
		}
		ends += len(f.blocks)
	}
	t.Logf("%d control-flow graphs of %d blocks under all models, seed %d", total, ends, *seed)
}

// shrink leaves out statements and branches as long as something stays wrong.
func (f *flow) shrink(t testing.TB, l *launched, bad string) string {
	for k := range f.blocks {
		b := &f.blocks[k]
		for n := len(b.body) - 1; n >= 0; n-- {
			old := b.body
			b.body = slices.Delete(slices.Clone(old), n, n+1)
			if again := f.compare(t, l, emu.Divergences()...); again != "" {
				bad = again
			} else {
				b.body = old
			}
		}
		if old := b.end; old != goOn {
			b.end = goOn
			if again := f.compare(t, l, emu.Divergences()...); again != "" {
				bad = again
			} else {
				b.end = old
			}
		}
	}
	return bad
}
