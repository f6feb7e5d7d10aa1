package emu

import (
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
			text = "[avar]"
			if b.Form.Mnemonic == "ld" && !b.Has(".param::func") {
				text = "[kvar]"
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
