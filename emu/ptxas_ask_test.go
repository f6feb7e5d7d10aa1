package emu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warpscope/ptx/isa"
)

// TestPtxasOpcodes: ptxas has the opcodes that the table has.
func TestPtxasOpcodes(t *testing.T) {
	a := newAssembler(t)
	perLine := setting("WARPSCOPE_PTXAS_OPCODES", 20)
	var all []*question
	for _, f := range isa.Forms() {
		for _, text := range handmade[f.ID] {
			all = append(all, &question{version: askVersion, target: askTarget, form: f.ID, text: text})
		}
		if handmade[f.ID] != nil {
			continue
		}
		for _, opcode := range f.Opcodes(perLine) {
			for _, b := range boundsOf(f, opcode) {
				version, target := newest(b)
				if version == 0 {
					continue
				}
				long, short := ptxasStatement(b, opcode, true), ptxasStatement(b, opcode, false)
				all = append(all, &question{version: version, target: target, form: f.ID, text: long})
				if long != short {
					all = append(all, &question{version: version, target: target, form: f.ID, text: short})
				}
			}
		}
	}
	a.compare(t, all)
}

// boundsOf are the syntax lines of a form that have the opcode.
func boundsOf(f *isa.Form, opcode string) []*isa.Bound {
	var out []*isa.Bound
	bounds, _ := isa.Resolve(opcode)
	for _, b := range bounds {
		if b.Form == f {
			out = append(out, b)
		}
	}
	return out
}

// newest is the newest version and target of ptxas that have the opcode; 0 when it has none.
func newest(b *isa.Bound) (version int, target string) {
	n, gone := b.Requires(), b.Form.Gone
	switch {
	case n.Version > askVersion || !n.On(askSM, askArch):
		return 0, ""
	case gone.SM > 50:
		return askVersion, "sm_60"
	case gone.SM > 0:
		return askVersion, "sm_13"
	case gone.Version >= 60:
		return gone.Version - 1, "sm_70"
	case gone.Version > 0:
		return gone.Version - 1, "sm_13"
	}
	return askVersion, askTarget
}

// texelSizes are how many elements name a texel, and its derivatives and offsets (9.7.10.3, 9.7.11.1).
var texelSizes = map[string]struct{ place, slope int }{".1d": {1, 1}, ".2d": {2, 2}, ".3d": {4, 4}, ".a1d": {2, 1},
	".a2d": {4, 2}, ".cube": {4, 4}, ".acube": {4, 4}, ".2dms": {4, 2}, ".a2dms": {4, 2}}

// ptxasStatement is a statement as ptxas wants it: with coordinates of the right length, addresses of parameters that are
// names, and selectors.
func ptxasStatement(b *isa.Bound, opcode string, long bool) string {
	w := &operandWriter{bound: b, long: long}
	var ops []string
	for i := range b.Operands {
		o := &b.Operands[i]
		if o.Optional && !long {
			continue
		}
		text := w.operand(o)
		geometry := texelSizes[b.Value("geom")]
		switch {
		case geometry.place > 0 && o.Kinds&(isa.KTex|isa.KAddr) != 0:
			text = "[%b64x0, " + w.tuple(geometry.place) + "]"
		case o.Name == "dPdx" || o.Name == "dPdy" || o.Name == "e" && geometry.place > 0:
			text = w.tuple(geometry.slope)
		case o.Kinds&isa.KAddr != 0 && (b.Has(".param") || b.Has(".param::entry") || b.Has(".param::func")):
			text = "[kvar]"
			if b.Form.Mnemonic == "st" || b.Has(".param::func") {
				text = "[avar]"
			}
		case len(o.Suffix) > 0 && o.Suffix[0] == ".dsel":
			text += ".b0"
		}
		ops = append(ops, text)
	}
	return strings.TrimSpace(opcode+" "+strings.Join(ops, ", ")) + ";"
}

// tuple is n registers of 32 bits.
func (w *operandWriter) tuple(n int) string {
	var list []string
	for range n {
		list = append(list, w.register(isa.B32))
	}
	if n == 1 {
		return list[0]
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// TestPtxasGates: what an opcode needs is what ptxas asks for, and one version or target less is not enough.
func TestPtxasGates(t *testing.T) {
	a := newAssembler(t)
	var all []*question
	for _, f := range isa.Forms() {
		if handmade[f.ID] != nil {
			continue
		}
		seen := map[string]bool{}
		for _, opcode := range f.Opcodes(setting("WARPSCOPE_PTXAS_OPCODES", 40)) {
			for _, b := range boundsOf(f, opcode) {
				n := b.Requires()
				key := fmt.Sprint(n, gatesOf(b))
				if seen[key] || n.Version > askVersion || !n.On(askSM, askArch) {
					continue
				}
				seen[key] = true
				for _, m := range around(n, f.Gone) {
					all = append(all, &question{version: m.version, target: m.target, form: f.ID, text: ptxasStatement(b, opcode, false)})
				}
			}
		}
	}
	a.compare(t, all)
}

// gatesOf are the gates that an opcode passes.
func gatesOf(b *isa.Bound) string {
	var out []string
	for _, g := range b.Form.Gates {
		passes := b.Value(g.Mod) != ""
		switch g.Mod[0] {
		case '!':
			passes = b.Value(g.Mod[1:]) == ""
		case '.':
			passes = !slices.ContainsFunc(strings.Split(g.Mod[1:], "."), func(m string) bool { return !b.Has("." + m) })
		}
		if passes {
			out = append(out, g.Mod)
		}
	}
	return strings.Join(out, " ")
}

// machine is a version and a target.
type machine struct {
	version int
	target  string
}

// exists says whether the version has the target.
func (m machine) exists() bool {
	q := question{version: m.version, target: m.target}
	q.askUs()
	return q.ours == ""
}

// versions and targets up to those of ptxas 12.5, in their order.
var (
	askVersions = []int{10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43, 50, 60, 61, 62, 63, 64, 65, 70, 71,
		72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 83, 84, 85}
	askTargets = strings.Fields(`sm_10 sm_11 sm_12 sm_13 sm_20 sm_30 sm_32 sm_35 sm_37 sm_50 sm_52 sm_53 sm_60 sm_61 sm_62 sm_70
		sm_72 sm_75 sm_80 sm_86 sm_87 sm_89 sm_90 sm_90a`)
)

// around are the lowest version and target that have what is needed, and for each of the two the one below it; for what
// is gone also the last version that had it, and versions that do not.
func around(n isa.Needs, gone isa.Gone) []machine {
	at := slices.Index(askTargets, n.Target())
	version := slices.Index(askVersions, n.Version)
	if at < 0 || version < 0 {
		return nil
	}
	for !(machine{askVersions[version], askTargets[at]}).exists() {
		version++
	}
	out := []machine{{askVersions[version], askTargets[at]}}
	if version > 0 && askVersions[version] == n.Version {
		out = append(out, machine{askVersions[version-1], askTargets[at]})
	}
	if at > 0 {
		out = append(out, machine{askVersions[version], askTargets[at-1]})
	}
	if last := slices.Index(askVersions, gone.Version); last > 0 {
		target := askTargets[max(at, slices.Index(askTargets, fmt.Sprint("sm_", gone.SM)))]
		out = append(out, machine{askVersions[last-1], target}, machine{askVersions[last], target}, machine{askVersion, target})
	}
	return slices.DeleteFunc(out, func(m machine) bool { return !m.exists() })
}
