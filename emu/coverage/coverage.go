// Package coverage finds out what the emulator does with every form of the instruction table, and how near its results
// are to those of a GPU. It makes statements of each form and loads them. Only the notes are declared.
package coverage

import (
	"errors"
	"slices"

	"warpscope/emu"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Emulated says how much of a form the emulator executes.
type Emulated uint8

// The degrees.
const (
	NotEmulated Emulated = iota
	Partly
	Fully
)

// Fidelity says how close an instruction's results are to those of a GPU.
type Fidelity string

// The fidelities.
const (
	NoResults  Fidelity = "not emulated"
	NoEffect   Fidelity = "no effect here" // accepted; there is nothing for it to do in an emulator
	Exact      Fidelity = "exact"          // the manual leaves one answer
	AsRecorded Fidelity = "bit-identical to recorded hardware"
	InBound    Fidelity = "within the manual's bound"
)

// Family is what the emulator does with one form of the instruction table.
type Family struct {
	Form     *isa.Form
	Emulated Emulated
	Tried    int      // opcodes for which statements were made
	Missing  []string // those of them that are not emulated
	Invalid  []string // those for which no valid statement could be made
	Types    []isa.Type
	Fidelity Fidelity // of the emulated opcode that is furthest from hardware
	Inexact  int      // emulated opcodes whose results the manual only bounds
	Bounds   []string // what it bounds them by
	Gap      string   // why some are missing
	Note     string
	nops     int // statements that do nothing
}

// opcodesPerLine bounds how many opcodes of one syntax line are tried.
const opcodesPerLine = 200

// Families finds out about every form, in the manual's order.
func Families() ([]Family, error) {
	var out []Family
	for _, f := range isa.Forms() {
		c, err := familyOf(f)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// trial is one statement of a form and what became of it.
type trial struct {
	opcode, text string
	matched      *isa.Bound // nil: not valid, or taken for another form
	missing, nop bool
}

func familyOf(f *isa.Form) (Family, error) {
	c := Family{Form: f, Gap: emu.GapReason(f.ID), Note: notes[f.ID]}
	modules := samples(f)
	var all []*trial
	for i := range modules {
		if err := modules[i].run(f); err != nil {
			return c, err
		}
		all = append(all, modules[i].trials...)
	}
	c.sum(all)
	return c, nil
}

// sum turns trials into a verdict: an opcode is emulated when every valid statement with it is.
func (c *Family) sum(trials []*trial) {
	valid, missing := map[string]bool{}, map[string]bool{}
	emulated := 0
	var opcodes []string
	for _, t := range trials {
		if !slices.Contains(opcodes[max(len(opcodes)-1, 0):], t.opcode) {
			opcodes = append(opcodes, t.opcode)
		}
		if t.matched == nil {
			continue
		}
		if !valid[t.opcode] {
			c.note(t.matched)
			if b := emu.Bound(t.matched); b != "" && !t.missing {
				c.Inexact++
				c.Bounds = append(c.Bounds, b)
			}
		}
		valid[t.opcode] = true
		missing[t.opcode] = missing[t.opcode] || t.missing
		if !t.missing {
			emulated++
		}
		if t.nop {
			c.nops++
		}
	}
	slices.Sort(opcodes)
	for _, o := range slices.Compact(opcodes) {
		switch {
		case !valid[o]:
			c.Invalid = append(c.Invalid, o)
			continue
		case missing[o]:
			c.Missing = append(c.Missing, o)
		}
		c.Tried++
	}
	switch {
	case c.Tried > 0 && len(c.Missing) == 0:
		c.Emulated = Fully
	case c.Tried > len(c.Missing):
		c.Emulated = Partly
	}
	slices.Sort(c.Bounds)
	c.Bounds = slices.Compact(c.Bounds)
	c.Fidelity = c.fidelity(c.nops > 0 && c.nops == emulated)
	slices.Sort(c.Types)
}

// fidelity is a form's word.
func (c *Family) fidelity(nothingDone bool) Fidelity {
	switch {
	case c.Emulated == NotEmulated:
		return NoResults
	case nothingDone:
		return NoEffect
	case c.Inexact > 0:
		return InBound
	case emu.Recorded(c.Form.ID):
		return AsRecorded
	}
	return Exact
}

// note gathers an opcode's types.
func (c *Family) note(b *isa.Bound) {
	if b.Form.Mnemonic != c.Form.Mnemonic {
		return // an instruction inside braces or after a guard
	}
	for _, t := range b.Types {
		if !slices.Contains(c.Types, t) {
			c.Types = append(c.Types, t)
		}
	}
}

// run parses and lowers a sample. Statements that the parser refuses are left out, and the rest is tried again; so are
// those that are not emulated, to see which of the others do nothing.
func (s *sample) run(f *isa.Form) error {
	live := slices.Clone(s.trials)
	for len(live) > 0 {
		text, lines := s.module(live)
		m, err := ptx.Parse(f.ID, []byte(text))
		bad, err := atLines(m, err, lines)
		if err != nil {
			return err
		}
		if len(bad) > 0 {
			live = without(live, bad)
			continue
		}
		for _, in := range s.insts(m) {
			t := lines[m.Position(int(in.OpSpan.Start)).Line]
			if t != nil && (in.Match.Form == f || handmade[f.ID] != nil) {
				t.matched = in.Match
			}
		}
		d, err := emu.Load(m, emu.Options{})
		if bad, err = atLines(m, err, lines); err != nil {
			return err
		}
		if len(bad) == 0 {
			markNops(m, emu.Nops(d), lines)
			return nil
		}
		for t, code := range bad {
			if t.missing = true; code != "not-emulated" {
				t.matched = nil
			}
		}
		live = without(live, bad)
	}
	return nil
}

func without(list []*trial, drop map[*trial]string) []*trial {
	return slices.DeleteFunc(list, func(t *trial) bool { return drop[t] != "" })
}

// atLines finds the statements that errors are about, with the errors' codes. An error about anything else is returned.
func atLines(m *ptx.Module, err error, lines map[int]*trial) (map[*trial]string, error) {
	if err == nil {
		return nil, nil
	}
	var diags ptx.Diagnostics
	if !errors.As(err, &diags) {
		return nil, err
	}
	bad := map[*trial]string{}
	for _, d := range diags {
		if d.Severity != ptx.Error {
			continue
		}
		if t := lines[m.Position(int(d.Span.Start)).Line]; t != nil {
			bad[t] = d.Code
		}
	}
	if len(bad) == 0 {
		return nil, err
	}
	return bad, nil
}

// insts are the instructions of the sample's kernel.
func (s *sample) insts(m *ptx.Module) []*ptx.Inst {
	for _, fn := range m.Funcs {
		if fn.Name == sampleKernel {
			return fn.Insts
		}
	}
	return nil
}

// markNops marks the statements that were lowered to nothing.
func markNops(m *ptx.Module, nops []*ptx.Inst, lines map[int]*trial) {
	for _, in := range nops {
		if t := lines[m.Position(int(in.OpSpan.Start)).Line]; t != nil {
			t.nop = true
		}
	}
}
