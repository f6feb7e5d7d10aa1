package simd

import (
	"warpscope/emu/jit/wasm"
	"warpscope/emu/row"
	"warpscope/emu/vector"
)

// parts are those of all operations that row.Run knows, and of accesses to memory.
func parts(s Setting) []*part {
	var list []*part
	for n := range row.Operations {
		if op := &row.Operations[n]; op.How != 0 {
			list = append(list, operation(uint16(n), uint32(len(op.Rows)-1), s))
		}
	}
	return append(list, accesses(s.Reached)...)
}

// operation is the part of an operation with so many operands.
func operation(number uint16, operands uint32, s Setting) *part {
	p, o := &part{number: number, vectors: 1}, &vector.Operations[number]
	for i := range operands {
		p.operand(i)
	}
	switch o.Kind {
	case vector.Words, vector.Floats:
		p.each(o, min(operands, 2), 8)
	case vector.Longs:
		p.each(o, min(operands, 2), 16)
	case vector.Widen:
		p.widen(o, min(operands, 2))
	case vector.ShiftWords:
		p.clamped(o.Do[1])
	case vector.ShiftConst:
		p.shift(o.Do[0])
	case vector.Scalars:
		p.eachLane(o.Do[0])
	case vector.CompareWords, vector.CompareFloats:
		p.compare(o, 8)
	case vector.CompareLongs, vector.CompareUnsigned:
		p.compare(o, 16)
	default: // fma
		if s.Relaxed {
			p.each(&vector.Operation{Kind: vector.Floats, Do: []wasm.Op{wasm.F32x4RelaxedMadd}}, operands, 8)
		} else {
			p.sum()
		}
	}
	return p.end()
}

// each is an operation on rows of so many vectors.
func (p *part) each(o *vector.Operation, operands, many uint32) {
	for n := range many {
		p.Get(to)
		for i := range operands {
			p.load(i, n)
		}
		p.Op(o.Do...)
		if o.Add != 0 {
			p.load(2, n)
			p.Op(o.Add)
		}
		if o.Kind == vector.Floats {
			p.canonical(vectors)
		}
		p.store(n)
	}
}

// shift is a shift by a constant below 32, which all lanes of the row B have.
func (p *part) shift(op wasm.Op) {
	p.Get(rowB)
	p.Mem(wasm.I32Load, 4, 0)
	p.Set(temp)
	for n := range uint32(8) {
		p.Get(to)
		p.load(0, n)
		p.Get(temp)
		p.Op(op)
		p.store(n)
	}
}

// clamped is a shift by numbers of which those from 32 on mean 32. Vectors can be shifted by one number only.
func (p *part) clamped(op wasm.Op) {
	for lane := range uint32(32) {
		p.Get(to)
		p.Get(rowA)
		p.Mem(wasm.I32Load, 4, 4*lane)
		p.Get(rowB)
		p.Mem(wasm.I32Load, 4, 4*lane)
		p.Tee(temp)
		if op == wasm.I32ShrS { // by 31 at most
			p.I32(31)
			p.Get(temp)
			p.I32(32)
			p.Op(wasm.I32LtU, wasm.Select, op)
		} else {
			p.Op(op)
			p.I32(0)
			p.Get(temp)
			p.I32(32)
			p.Op(wasm.I32LtU, wasm.Select)
		}
		p.Mem(wasm.I32Store, 4, 4*lane)
	}
}

// eachLane is an operation on one operand that vectors do not have.
func (p *part) eachLane(op wasm.Op) {
	for lane := range uint32(32) {
		p.Get(to)
		p.Get(rowA)
		p.Mem(wasm.I32Load, 4, 4*lane)
		p.Op(op)
		p.Mem(wasm.I32Store, 4, 4*lane)
	}
}

// widen makes lanes of 64 bits of lanes of 32. The result may lie where an operand is, so operands are read first.
func (p *part) widen(o *vector.Operation, operands uint32) {
	p.vectors = 8 * operands
	for n := range 8 * operands {
		p.load(n/8, n%8)
		p.Set(vectors + n)
	}
	for n := range uint32(16) {
		p.Get(to)
		for i := range operands {
			p.Get(vectors + 8*i + n/2)
		}
		p.Op(o.Do[n%2])
		if o.Add != 0 {
			p.load(2, n)
			p.Op(o.Add)
		}
		p.store(n)
	}
}

// compare makes a mask of two rows of so many vectors: the result's lanes that execute take it.
func (p *part) compare(o *vector.Operation, many uint32) {
	p.Get(to)
	for n := range many {
		for i, op := range o.Do {
			for operand := range uint32(2) {
				if p.load(operand, n); o.Kind == vector.CompareUnsigned {
					p.V128(1<<63, 1<<63)
					p.Op(wasm.V128Xor)
				}
			}
			if p.Op(op); i > 0 {
				p.Op(wasm.V128Or)
			}
		}
		if many == 8 {
			p.Op(wasm.I32x4Bitmask)
		} else {
			p.Op(wasm.I64x2Bitmask)
		}
		if n > 0 {
			p.I32(int32(32 / many * n))
			p.Op(wasm.I32Shl, wasm.I32Or)
		}
	}
	// old ^ (old ^ new) & exec
	old := func() {
		p.Get(to)
		p.Mem(wasm.I32Load, 4, 0)
	}
	old()
	p.Op(wasm.I32Xor)
	p.Get(frame)
	p.Mem(wasm.I32Load, 4, row.ExecMask)
	p.Op(wasm.I32And)
	old()
	p.Op(wasm.I32Xor)
	p.Mem(wasm.I32Store, 4, 0)
}
