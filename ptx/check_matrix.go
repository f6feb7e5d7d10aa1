package ptx

import (
	"strconv"
	"strings"

	"warpscope/ptx/isa"
)

// checkFragments checks the lengths of the tuples of matrix instructions, which shape and types decide (9.7.14.4.1,
// 9.7.14.5.1 to 9.7.14.5.13, 9.7.15.5.1): what the 32 threads of a warp hold, or the 128 of a warpgroup, is the matrix.
func (p *parser) checkFragments(in *Inst, mnemonic string) {
	b := in.Match
	switch {
	case mnemonic == "ldmatrix" || mnemonic == "stmatrix":
		n := map[string]int{".x1": 1, ".x2": 2, ".x4": 4}[b.Value("num")]
		if b.Has(".m16n16") {
			n *= 2 // 16 x 16 bytes take two registers
		}
		tuple := &in.Operands[0]
		if mnemonic == "stmatrix" {
			tuple = &in.Operands[1]
		}
		p.checkLength(in, tuple, "the fragment", n)
		return
	case mnemonic == "wgmma" && len(b.Types) == 0:
		return
	}
	m, n, k := shapeOf(b)
	if m == 0 {
		return
	}
	ops, types := in.Operands, b.Types
	switch {
	case mnemonic == "wgmma":
		p.checkLength(in, &ops[0], "D", m*n*types[0].Bits()/(128*32))
	case mnemonic == "mma", b.Has(".mma"):
		d, a, bt, c := types[0], isa.F16, isa.F16, types[len(types)-1]
		if len(types) >= 4 {
			a, bt, c = types[1], types[2], types[3]
		}
		f := fragments{b, mnemonic == "wmma", m == 8 && n == 8 && k == 4 && a == isa.F16}
		stored := k
		if b.Has(".sp") || b.Has(".sp::ordered_metadata") {
			stored = k / 2
		}
		p.checkLength(in, &ops[0], "D", f.accumulator(d, m*n))
		p.checkLength(in, &ops[1], "A", f.multiplicand(a, m*stored))
		p.checkLength(in, &ops[2], "B", f.multiplicand(bt, n*k))
		p.checkLength(in, &ops[3], "C", f.accumulator(c, m*n))
	default: // wmma.load and wmma.store
		f := fragments{b, true, false}
		tuple, length := &ops[0], 0
		if b.Has(".store") {
			tuple = &ops[1]
		}
		switch {
		case b.Has(".a"):
			length = f.multiplicand(types[0], m*k)
		case b.Has(".b"):
			length = f.multiplicand(types[0], n*k)
		default:
			length = f.accumulator(types[0], m*n)
		}
		p.checkLength(in, tuple, "the fragment", length)
	}
}

// fragments knows how many registers hold a matrix.
type fragments struct {
	b    *isa.Bound
	wmma bool
	four bool // mma.m8n8k4 of .f16: four products side by side (9.7.14.5.1)
}

// multiplicand is for A or B with so many elements.
func (f fragments) multiplicand(t isa.Type, elements int) int {
	bits := t.Bits()
	switch {
	case f.wmma && t == isa.F16:
		return 8 // in every shape; elements are held twice
	case f.four:
		return 2
	case t == isa.F64:
		return elements / 32
	case f.b.Has(".kind::f8f6f4") || f.b.Has(".kind::mxf8f6f4"):
		bits = 8 // narrower elements are padded
	case t == isa.E3M2 || t == isa.E2M3:
		bits = 8
	}
	return max(elements*bits/1024, 1)
}

// accumulator is for C or D.
func (f fragments) accumulator(t isa.Type, elements int) int {
	switch {
	case f.four:
		return map[bool]int{true: 4, false: 8}[t == isa.F16]
	case t == isa.F64:
		return elements / 32
	}
	return elements * t.Bits() / 1024
}

func (p *parser) checkLength(in *Inst, op *Operand, what string, want int) {
	have := 1
	if op.Kind == OpVec {
		have = len(op.List)
	} else if op.Kind != OpReg || want == 1 {
		return
	}
	if have != want {
		p.report("bad-operand", op.Span, "%s of %s is a tuple of length %d, not %d", what, in.Opcode, want, have).
			section(in.Match.Form.Section)
	}
}

// shapeOf reads .m16n8k16; zeros when the opcode has no shape.
func shapeOf(b *isa.Bound) (m, n, k int) {
	for _, mod := range b.Mods {
		rest, ok := strings.CutPrefix(mod, ".m")
		if !ok {
			continue
		}
		ms, rest, okN := strings.Cut(rest, "n")
		ns, ks, okK := strings.Cut(rest, "k")
		if !okN || !okK {
			continue
		}
		m, errM := strconv.Atoi(ms)
		n, errN := strconv.Atoi(ns)
		k, errK := strconv.Atoi(ks)
		if errM == nil && errN == nil && errK == nil {
			return m, n, k
		}
	}
	return 0, 0, 0
}

// checkCopySize: cp.async copies 4, 8 or 16 bytes, past the first cache 16 only (9.7.9.25.3.1).
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
	}
}

// checkTensor: a tensor copy takes as many coordinates as its tensor has dimensions, or five for four rows; im2col takes
// two offsets less than dimensions, and im2col::w a halo and an offset (9.7.9.27.1.2).
func (p *parser) checkTensor(in *Inst) {
	b := in.Match
	if b.Value("dim") == "" {
		return
	}
	coords := int(b.Value("dim")[1] - '0')
	offsets := coords - 2
	switch mode := b.Value("load_mode"); mode {
	case ".tile::gather4", ".tile::scatter4":
		coords = 5
	case ".im2col::w", ".im2col::w::128":
		offsets = 2
	}
	for i := range in.Operands {
		op, name := &in.Operands[i], b.Operands[i].Name
		if name == "tensorMap" && len(op.List) > 0 {
			p.checkLength(in, &op.List[len(op.List)-1], "tensorCoords", coords)
		} else if name == "im2colInfo" {
			p.checkLength(in, op, "im2colInfo", offsets)
		}
	}
}
