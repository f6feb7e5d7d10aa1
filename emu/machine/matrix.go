package machine

import (
	"warpscope/emu/matrix"
	"warpscope/emu/row"
)

// Matrices that the lanes of a warp hold together (9.7.16): the registers of fragments, and mma. Package matrix has the
// layouts and the arithmetic.

// Frag is a fragment: a matrix in registers.
type Frag struct {
	matrix.Fragment
	Regs []row.Operand
}

// Product is D = A B + C.
type Product struct {
	A, B, C, D     Frag // B is transposed; a sparse A is what is stored of it
	Dot            matrix.Dot
	Sparsity       *Sparsity
	ScaleA, ScaleB *Scales
}

// Sparsity says where the stored elements of a sparse A are, and which register has the metadata.
type Sparsity struct {
	matrix.Sparsity
	Meta row.Operand
}

// Scales are the scale factors of A or B, and the registers that hold them.
type Scales struct {
	matrix.Scales
	Data, Byte, Thread row.Operand
}
