package slow

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// launched is what a batch of programs runs on: input registers for each lane.
type launched struct {
	target string
	lanes  int
	in     [][classes][inputs]uint64
}

// launch makes inputs. Most warps have a few lanes, since the model is slow; some are full, for what the emulator does
// differently then.
func (m *maker) launch(number int) *launched {
	l := &launched{target: m.target, lanes: 4}
	if number%8 == 0 {
		l.lanes = 32
	}
	l.in = make([][classes][inputs]uint64, l.lanes)
	for lane := range l.in {
		for c := range classes {
			for k := range inputs {
				if c == predicate {
					l.in[lane][c][k] = uint64(m.Intn(2))
				} else {
					l.in[lane][c][k] = m.value(widths[c])
				}
			}
		}
	}
	return l
}

// wrong is a result that the model does not allow.
type wrong struct {
	program, statement, lane int
	text, got, want          string
}

func (w *wrong) String() string {
	return fmt.Sprintf("%s\nlane %d, statement %d: got %s, want %s", w.text, w.lane, w.statement, w.got, w.want)
}

// A slot is 8 bytes of the output buffer for each of 32 lanes.
const slot = 8 * 32

// prologue is the text of a kernel up to where its inputs are loaded.
func prologue(target string) string {
	var b strings.Builder
	b.WriteString(".version 9.4\n.target " + target + "\n.address_size 64\n" +
		".entry k(.param .u64 in, .param .u64 out)\n{\n" +
		"\t.reg .b64 %in, %out, %lane; .reg .b32 %t; .reg .pred %stop;\n")
	for c, name := range names {
		typ := ".pred"
		if class(c) != predicate {
			typ = fmt.Sprintf(".b%d", widths[c])
		}
		fmt.Fprintf(&b, "\t.reg %s %%%s<%d>, %%%sx<%d>;\n", typ, name, inputs, name, results)
	}
	b.WriteString("\tld.param.b64 %in, [in];\n\tld.param.b64 %out, [out];\n\tmov.u32 %t, %tid.x;\n" +
		"\tmul.wide.u32 %lane, %t, 8;\n\tadd.s64 %in, %in, %lane;\n\tadd.s64 %out, %out, %lane;\n")
	for c := range classes {
		for k := range inputs {
			at, r := (int(c)*inputs+k)*slot, register{c, k}
			if c == predicate {
				fmt.Fprintf(&b, "\tld.global.b32 %%t, [%%in+%d];\n\tsetp.ne.b32 %v, %%t, 0;\n", at, r)
			} else {
				fmt.Fprintf(&b, "\tld.global.b%d %v, [%%in+%d];\n", widths[c], r, at)
			}
		}
	}
	return b.String()
}

// store writes a register to a slot of the output.
func store(b *strings.Builder, r register, to int) {
	if r.class == predicate {
		fmt.Fprintf(b, "selp.b32 %%t, 1, 0, %v;\nst.global.b32 [%%out+%d], %%t;\n", r, to*slot)
		return
	}
	fmt.Fprintf(b, "st.global.b%d [%%out+%d], %v;\n", widths[r.class], to*slot, r)
}

const epilogue = "\tret;\n}\n"

// module is the text of a kernel that loads its inputs, runs programs one after the other and stores every result.
func module(batch []program, target string) (text string, slots int) {
	var b strings.Builder
	b.WriteString(prologue(target))
	for _, p := range batch {
		for _, s := range p {
			b.WriteString(s.String())
			b.WriteByte('\n')
			for _, r := range s.to {
				if r.index >= 0 {
					store(&b, r, slots)
				}
				slots++
			}
		}
	}
	return b.String() + epilogue, slots
}

// run executes a batch and returns the first result that the model does not allow.
func run(t testing.TB, batch []program, l *launched) *wrong {
	text, slots := module(batch, l.target)
	return compareAll(batch, l, execute(t, parse(t, text), l, slots, emu.Options{}))
}

// parse reads a text without errors.
func parse(t testing.TB, text string) *ptx.Module {
	m, err := ptx.Parse("random.ptx", []byte(text))
	if err != nil {
		for _, d := range m.Diagnostics.Errors()[:1] {
			require.NoError(t, err, strings.Split(text, "\n")[m.Position(int(d.Span.Start)).Line-1])
		}
	}
	return m
}

// execute runs a kernel on inputs and gives its output.
func execute(t testing.TB, m *ptx.Module, l *launched, slots int, o emu.Options) []byte {
	d, err := emu.Load(m, o)
	require.NoError(t, err)
	in := make([]byte, int(classes)*inputs*slot)
	for lane := range l.in {
		for c := range classes {
			for k, v := range l.in[lane][c] {
				binary.LittleEndian.PutUint64(in[(int(c)*inputs+k)*slot+8*lane:], v)
			}
		}
	}
	out := make([]byte, max(slots, 1)*slot)
	from, err := d.Alloc(len(in))
	require.NoError(t, err)
	to, err := d.Alloc(len(out))
	require.NoError(t, err)
	require.NoError(t, d.Write(from, in))
	g, err := d.Launch(emu.Config{Entry: "k", Block: emu.Dim3{X: l.lanes}, Args: [][]byte{emu.Ptr(from), emu.Ptr(to)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(t.Context()))
	require.NoError(t, d.Read(to, out))
	return out
}

// state are the registers of a lane as the model has them.
type state struct {
	registers [classes][inputs + results]uint64
	carry     bool
}

func compareAll(batch []program, l *launched, out []byte) *wrong {
	for lane := range l.in {
		var s state
		for c := range classes {
			copy(s.registers[c][:], l.in[lane][c][:])
		}
		at := 8 * lane
		for k, p := range batch {
			for n, st := range p {
				if got, want, ok := s.step(st, out[at:]); !ok {
					return &wrong{program: k, statement: n, lane: lane, got: got, want: want}
				}
				at += len(st.to) * slot
			}
		}
	}
	return nil
}

// value is what an operand holds.
func (s *state) value(a argument) uint64 {
	switch {
	case a.text != "":
		return a.constant
	case a.negated:
		return s.registers[a.class][a.index] ^ 1
	}
	return s.registers[a.class][a.index]
}

// eval computes a statement's results; none when its guard is false.
func (s *state) eval(st *statement) (list []Result) {
	if st.guard.index >= 0 && (s.registers[predicate][st.guard.index] != 0) == st.guardNegated {
		return nil
	}
	var in []uint64
	for _, a := range st.sources() {
		in = append(in, s.value(a))
	}
	list, s.carry = Eval(st.bound, in, len(st.to), s.carry)
	return list
}

// step runs a statement and compares each result with its slot. The state goes on with what the emulator has, since
// the model may leave it open.
func (s *state) step(st *statement, out []byte) (got, want string, ok bool) {
	list := s.eval(st)
	var after []uint64
	for n, r := range st.to {
		after = append(after, 0)
		if r.index < 0 {
			continue
		}
		bits := binary.LittleEndian.Uint64(out[n*slot:])
		expect := exactly(s.registers[r.class][r.index])
		if list != nil {
			expect = list[n]
		}
		expect.Bits &= ones(widths[r.class])
		if !expect.Accepts(bits) {
			return fmt.Sprintf("%v = %#x", r, bits), fmt.Sprintf("%#x", expect.Bits), false
		}
		after[n] = bits
	}
	for n, r := range st.to {
		if r.index >= 0 {
			s.registers[r.class][r.index] = after[n]
		}
	}
	return "", "", true
}

// shrink leaves out statements as long as something stays wrong, and writes down what the lane's registers held.
func shrink(t testing.TB, p program, l *launched, bad *wrong) *wrong {
	if again := run(t, []program{p}, l); again != nil {
		bad = again
		p = p[:bad.statement+1]
		for n := len(p) - 2; n >= 0; n-- {
			shorter := append(append(program{}, p[:n]...), p[n+1:]...)
			if again := run(t, []program{shorter}, l); again != nil {
				p, bad = shorter[:again.statement+1], again
			}
		}
	}
	var b strings.Builder
	for n, s := range p {
		if n <= bad.statement {
			b.WriteString(s.String() + "\n")
		}
	}
	shown := map[register]bool{}
	for _, s := range p {
		for _, a := range append(s.sources(), argument{register: s.guard}) {
			if a.text == "" && a.index >= 0 && a.index < inputs && !shown[a.register] {
				shown[a.register] = true
				fmt.Fprintf(&b, "%v = %#x\n", a.register, l.in[bad.lane][a.class][a.index])
			}
		}
	}
	bad.text = b.String()
	return bad
}
