package ptx

import (
	"slices"
	"strings"
)

// checkTuples checks the tuples whose lengths the opcode decides: fragments of matrices and coordinates of tensors.
func (p *parser) checkTuples(in *Inst) {
	for i := range in.Operands {
		op, slot := &in.Operands[i], &in.Match.Operands[i]
		list := op.List()
		if len(list) == 0 || len(slot.Inner) == 0 {
			p.checkTuple(in, op, slot.Name)
			continue
		}
		for k := range list { // [tensorMap, tensorCoords]: the last is the last, whatever is left out before it
			p.checkTuple(in, &list[k], slot.Inner[len(slot.Inner)-len(list)+k].Name)
		}
	}
}

// checkTuple checks the length of one tuple.
func (p *parser) checkTuple(in *Inst, op *Operand, name string) {
	want, have := in.Match.Tuple(name), 1
	if op.Kind == OpVec {
		have = len(op.List())
	}
	switch {
	case name == "tensorSizeToOverride" && slices.ContainsFunc(op.List(), over16):
		p.report("type-mismatch", op.Span, "the elements of %s of %s are registers of 8 or 16 bits", name, in.Opcode).
			section("9.7.10.28.5.2.2")
		return
	case want == 0 || want == have || op.Kind == OpMissing:
		return
	case name == "r", name == "q":
		name = "the fragment"
	case strings.HasSuffix(in.Match.Form.Mnemonic, "mma"):
		name = strings.ToUpper(name)
	}
	p.report("bad-operand", op.Span, "%s of %s is a tuple of length %d, not %d", name, in.Opcode, want, have).
		section(in.Match.Form.Section)
}

// over16 says whether a register has more than 16 bits.
func over16(op Operand) bool { return op.Kind == OpReg && op.Reg.Type.Bits() > 16 }

// checkCopySize: cp.async copies 4, 8 or 16 bytes, past the first cache 16 only (9.7.10.28.3.1).
func (p *parser) checkCopySize(in *Inst) {
	if in.Match.Form.ID != "cp.async" || len(in.Operands) < 3 || in.Operands[2].Kind != OpImm {
		return
	}
	op := &in.Operands[2]
	switch n := op.Imm; {
	case in.Match.Has(".cg") && n != 16:
		p.report("bad-operand", op.Span, "cp.async.cg copies 16 bytes, not %d; cp.async.ca copies 4, 8 or 16", n).
			section(in.Match.Form.Section)
	case n != 4 && n != 8 && n != 16:
		p.report("bad-operand", op.Span, "cp.async copies 4, 8 or 16 bytes, not %d", n).section(in.Match.Form.Section)
	case len(in.Operands) > 3 && in.Operands[3].Kind == OpImm && in.Operands[3].Imm > n:
		p.report("bad-operand", in.Operands[3].Span, "cp.async copies %d bytes, and src-size says %d of them come from src",
			n, int64(in.Operands[3].Imm)).section(in.Match.Form.Section)
	}
}
