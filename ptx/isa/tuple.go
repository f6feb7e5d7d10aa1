package isa

import (
	"strconv"
	"strings"
)

// Shape is M, N and K of an opcode with a shape as .m16n8k16; otherwise zeros.
func (b *Bound) Shape() (m, n, k int) {
	for _, mod := range b.Mods {
		ms, rest, _ := strings.Cut(strings.TrimPrefix(mod, ".m"), "n")
		ns, ks, ok := strings.Cut(rest, "k")
		if !ok {
			continue
		}
		m, errM := strconv.Atoi(ms)
		n, errN := strconv.Atoi(ns)
		if k, errK := strconv.Atoi(ks); errM == nil && errN == nil && errK == nil {
			return m, n, k
		}
	}
	return 0, 0, 0
}

// MatrixTypes are the types of D, A, B and C of a product. wmma.mma of .f16 names only D and C, wgmma has no C, and
// what moves a matrix has one type.
func (b *Bound) MatrixTypes() (d, a, bt, c Type) {
	switch t := b.Types; len(t) {
	case 1:
		return t[0], t[0], t[0], t[0]
	case 2:
		return t[0], F16, F16, t[1]
	case 3:
		return t[0], t[1], t[2], t[0]
	default:
		return t[0], t[1], t[2], t[3]
	}
}

// packed is the type of the registers that hold a matrix (9.7.16.4.1, 9.7.16.5.1 to 9.7.16.5.13, 9.7.17.5.1): halves in
// pairs, floats and sums as they are, bytes as integers; for everything else bits. The exceptions are those of ptxas.
func (b *Bound) packed(name string) Type {
	d, a, bt, c := b.MatrixTypes()
	t := a
	switch name {
	case "b":
		t = bt
	case "c":
		t = c
	case "d":
		t = d
	}
	mnemonic, sparse := b.Form.Mnemonic, b.Sparse()
	unchecked := mnemonic == "mma" && sparse // by ptxas
	switch t {
	case F16:
		return F16x2
	case BF16:
		if !unchecked {
			return BF16x2 // of which there are no registers, as there are none of .tf32
		}
	case TF32:
		if !unchecked {
			return TF32
		}
	case E4M3, E5M2:
		if mnemonic == "wgmma" {
			return F16x2
		}
	case F32:
		if !unchecked || a.Bits() == 8 {
			return F32
		}
	case S8, U8:
		if mnemonic != "wgmma" && !sparse && name != "r" {
			return S32
		}
	case F64, S32:
		return t
	}
	return B32
}

// selectors is how many values the sparsity selector has: 1, 2 or 4 of four lanes give the metadata of two rows of A
// (9.7.16.6.1, 9.7.17.6.1).
func (b *Bound) selectors() int64 {
	_, _, k := b.Shape()
	switch _, a, _, _ := b.MatrixTypes(); a {
	case TF32:
		return int64(32 / k)
	case S4, U4:
		return int64(128 / k)
	}
	return int64(max(64/k, 1))
}

// Sparse says whether half of A is stored (9.7.16.6, 9.7.17.6).
func (b *Bound) Sparse() bool { return b.Has(".sp") || b.Has(".sp::ordered_metadata") }

// Tuple is the number of elements of the operand with this name where the opcode decides it (*0 in the table): the
// part of a matrix that one thread holds, the coordinates of a tensor. It is 0 when the opcode does not decide.
func (b *Bound) Tuple(name string) int {
	switch b.Form.Mnemonic {
	case "mma", "wmma":
		return b.fragment(name)
	case "wgmma":
		switch _, n, _ := b.Shape(); name {
		case "d": // 64 rows among 128 threads (9.7.17.5.1)
			return n * b.Types[0].Bits() / 64
		case "a": // what is stored of 64 rows has 32 bytes each
			return 4
		}
	case "ldmatrix", "stmatrix":
		if n := b.Repeated(); name == "r" && b.Has(".m16n16") {
			return 2 * n // 16 x 16 bytes take two registers
		} else if name == "r" {
			return n
		}
	case "tcgen05":
		return b.tensorMemory(name)
	case "spcompress", "spdecompress":
		return b.compressed(name)
	case "cp", "applypriority", "fabric":
		return b.tensor(name)
	case "tex":
		switch {
		case name == "d" && b.Has(".v2"):
			return 2 // packed .f16x2
		case name == "d":
			return 4
		case name == "dPdx", name == "dPdy": // an element for each dimension, and in 3d one that is ignored (9.7.12.3)
			switch b.Value("geom") {
			case ".1d", ".a1d":
				return 1
			case ".2d", ".a2d":
				return 2
			case ".3d":
				return 4
			}
		}
	}
	return 0
}

// Coordinates is the least number of elements that the coordinates of a texture or surface have (9.7.12.1), with the
// padding of tuples to 2 or 4; 0 for instructions without coordinates.
func (b *Bound) Coordinates() int {
	switch b.Value("geom") {
	case "":
		return 0
	case ".1d":
		return 1
	case ".2d", ".a1d":
		return 2
	}
	return 4
}

// Repeated is the number in the slot .num: 4 of .x4.
func (b *Bound) Repeated() int {
	n, _ := strconv.Atoi(strings.TrimPrefix(b.Value("num"), ".x"))
	return n
}

// fragment is the number of registers that hold a matrix of mma or wmma (9.7.16.4.1, 9.7.16.5.1 to 9.7.16.5.13): the 32
// threads of a warp share its elements.
func (b *Bound) fragment(name string) int {
	if name == "r" || name == "q" { // wmma.load.a, wmma.store.d
		name = strings.TrimPrefix(b.Mods[1], ".")
	}
	m, n, k := b.Shape()
	t, at, bt, ct := b.MatrixTypes()
	elements, factor := m*n, false
	switch name {
	case "a":
		if t, elements, factor = at, m*k, true; b.Sparse() {
			elements /= 2
		}
	case "b":
		t, elements, factor = bt, n*k, true
	case "c":
		t = ct
	case "d":
	default:
		return 0
	}
	bits := t.Bits()
	switch {
	case t == F64:
		return elements / 32
	case factor && t == F16 && b.Form.Mnemonic == "wmma":
		return 8 // in every shape; elements are held twice
	case at == F16 && k == 4:
		bits *= 4 // four products side by side (9.7.16.5.1)
	case t == E3M2, t == E2M3, t == E2M1 && (b.Has(".kind::f8f6f4") || b.Has(".kind::mxf8f6f4")):
		bits = 8 // padded
	}
	return max(elements*bits/1024, 1)
}

// tensorMemory is for tcgen05.ld and .st, whose registers are those of .x1 repeated (Tables 59 and 61), and for masks
// of 128 lanes in each CTA (9.7.18.10.10.1).
func (b *Bound) tensorMemory(name string) int {
	switch {
	case name == "disable-output-lane" && b.Has(".cta_group::2"):
		return 8
	case name == "disable-output-lane":
		return 4
	case b.Has(".spcompress"):
		return b.compressed(name)
	case name != "r":
		return 0
	case b.Has(".16x256b"):
		return 4 * b.Repeated()
	case b.Has(".16x128b"):
		return 2 * b.Repeated()
	}
	return b.Repeated()
}

// compressed is for spcompress, spdecompress and tcgen05.ld.spcompress: registers of dense data, of the elements that
// are kept of them, and of their places (9.7.10.30, Table 37; 9.7.10.31, Table 39; 9.7.18.8.3, Table 60).
func (b *Bound) compressed(name string) int {
	of, to := b.Sparsity()
	n := b.Repeated()
	elements := b.Types[0].Bits()
	switch { // .num counts registers of what is kept, loaded elements, or groups
	case b.Form.Mnemonic == "spcompress":
		n = n * 32 / elements / of
	case b.Form.Mnemonic == "tcgen05":
		n /= to
	}
	bits := 0
	switch name {
	case "data":
		bits = to * elements * n
	case "cdata":
		bits = of * elements * n
	case "mdata":
		bits = of * b.Types[1].Bits() * n
	}
	return (bits + 31) / 32
}

// Sparsity says of .spfactor that so many elements of each so many are kept.
func (b *Bound) Sparsity() (kept, of int) {
	if n := Numbers(b.Value("spfactor")); len(n) == 2 { // .sp::2:4
		return n[0], n[1]
	}
	return 0, 0
}

// Numbers lists the decimal numbers in a modifier: 128 and 256 of .128x256b. Package fmt could read them, at 40 kB.
func Numbers(mod string) (list []int) {
	for _, digits := range strings.FieldsFunc(mod, func(r rune) bool { return r < '0' || r > '9' }) {
		n, _ := strconv.Atoi(digits)
		list = append(list, n)
	}
	return list
}

// tensor is for the copies of tensors (9.7.10.28.5.3): a coordinate for each dimension, or five for four rows; im2col
// has two offsets fewer than dimensions, im2col::w a halo and an offset.
func (b *Bound) tensor(name string) int {
	dim := b.Value("dim")
	if dim == "" {
		return 0
	}
	dims := int(dim[1] - '0')
	switch {
	case name == "tensorCoords" && (b.Has(".tile::gather4") || b.Has(".tile::scatter4")):
		return 5
	case name == "tensorCoords", name == "tensorSizeToOverride":
		return dims
	case name == "tensorLowerStrideToOverride": // the first dimension has none
		return dims - 1
	case name != "im2colInfo":
		return 0
	case b.Has(".im2col::w"), b.Has(".im2col::w::128"):
		return 2
	}
	return dims - 2
}
