package debug

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// stored are the matrices of an instruction that are in shared memory and in tensor memory.
type stored struct {
	matrices []Matrix
	after    []string // sentences about them
}

// words joins sentences to those about the matrices.
func (m *stored) words(list []string) string { return strings.Join(append(list, m.after...), " ") }

// inMemory finds the matrices of the followed lane's operation, or of that of the first lane that executes the
// instruction: each lane issues one of its own (9.7.18.5). Their values are what memory holds now. at has the registers
// that place them.
func (s *Session) inMemory(i *Instruction, at *emu.WarpView) (list stored) {
	in, lane := i.Inst, s.lane
	if !i.Exec.Has(lane) && i.Exec != 0 {
		lane = bits.TrailingZeros32(uint32(i.Exec))
	}
	layouts, err := emu.MemoryLayouts(in, emu.MatrixOperands{Module: s.module, Odd: pairs(in) && s.odd(),
		Value: func(operand int) (uint64, bool) { return operandValue(&in.Operands[operand], at, lane) }})
	if err != nil {
		list.after = append(list.after, "It is a fault: "+err.Error()+".")
	}
	if len(layouts) == 0 {
		return list
	}
	memory, regions := s.memory(), s.view.Places()
	for _, l := range layouts {
		m := Matrix{Layout: l, Values: l.Values(memory), regions: regions}
		if r := s.region("shared"); r != nil {
			m.Shared = r.Addr
		}
		m.Known = m.Values != nil
		list.matrices = append(list.matrices, m)
	}
	list.after = append(storedSentences(in, list.matrices), list.after...)
	return list
}

// pairs says whether an instruction is for a pair of CTAs.
func pairs(in *ptx.Inst) bool { return in.Match.Has(".cta_group::2") }

// odd says whether the followed CTA is the odd one of its pair: CTAs of a cluster start one after the other, by rank.
func (s *Session) odd() bool {
	w := emu.Warps(s.history.grid)
	return emu.StartOrder(w.Grid, w.Cluster, s.cta)%2 == 1
}

// storedSentences say who reads D, when it is written, and what a CTA of a pair has.
func storedSentences(in *ptx.Inst, list []Matrix) (words []string) {
	for i := range list {
		if m := &list[i]; m.Home == emu.InTensor && m.Write {
			words = append(words, "Warps whose number modulo 4 is w read lanes 32 w to 32 w + 31 of tensor memory.",
				m.Name[:1]+" is written when a thread waits for the mbarrier of a tcgen05.commit; until then it is what it was.")
			break
		}
	}
	if pairs(in) && in.Match.Form.ID != "tcgen05.cp" {
		for i := range list {
			m := &list[i]
			words = append(words, fmt.Sprintf("This CTA has rows %d–%d and columns %d–%d of %s.", m.FirstRow,
				m.FirstRow+m.Rows-1, m.FirstCol, m.FirstCol+m.Cols-1, m.Name))
		}
	}
	return words
}

// operandValue is the value of an operand in a lane; known is false if it is in no register that the lane has written,
// and no number.
func operandValue(op *ptx.Operand, at *emu.WarpView, lane int) (v uint64, known bool) {
	switch {
	case op.Reg != nil:
		r := findReg(at, op.Reg, int(op.Elem))
		if r == nil || !r.Written.Has(lane) {
			return 0, false
		}
		v = r.Lo[lane]
		if op.Kind == ptx.OpAddr {
			v += uint64(op.Off())
		}
		return v, true
	case op.Kind == ptx.OpImm, op.Kind == ptx.OpAddr && op.Var == nil:
		return op.Imm, true
	}
	return 0, false
}

// region is the last region of a name, or nil: the whole of shared memory comes after a variable of that name.
func (s *Session) region(name string) *Region {
	for i := len(s.view.Memory) - 1; i >= 0; i-- {
		if s.view.Memory[i].Name == name {
			return &s.view.Memory[i]
		}
	}
	return nil
}

// memory is what the followed CTA's shared memory and tensor memory hold.
func (s *Session) memory() emu.Memory {
	m := emu.Memory{Word: func(int, int) (uint32, bool) { return 0, false }}
	if r := s.region("shared"); r != nil {
		m.Shared = r.Bytes
	}
	if r := s.region(TensorMemory); r != nil {
		columns, lanes := r.Dims[0], r.Dims[1]
		m.Word = func(lane, col int) (uint32, bool) {
			if lane >= lanes || col >= columns {
				return 0, false
			}
			return binary.LittleEndian.Uint32(r.Bytes[4*(lane*columns+col):]), true
		}
	}
	return m
}

// PlaceName says where an element is: "lane 5, %a2, upper half", "ta+52" or "lane 41, column 3 of tensor memory, which
// warp 1 reads".
func (m *Matrix) PlaceName(element int) string {
	if m.Home == emu.InRegisters {
		return m.HolderName(m.Holders[element])
	}
	switch p := m.Places[element]; m.Home {
	case emu.InTensor:
		return fmt.Sprintf("%s%s, which warp %d reads", tensorName(uint64(p.Lane)<<16|uint64(p.At)),
			bitsName(p.Bit, m.Type.Bits(), 32), p.Lane/32)
	default:
		return m.SharedName(p.At) + bitsName(p.Bit, m.Type.Bits(), 8)
	}
}

// SharedName is an address in the CTA's shared memory.
func (m *Matrix) SharedName(at int) string {
	if name := m.regions.name(m.Shared + emu.Addr(at)); name != "" {
		return name
	}
	return fmt.Sprintf("shared+%d", at)
}

// bitsName says which bits of a word an element has, if it does not fill it.
func bitsName(bit, size, word int) string {
	if size >= word {
		return ""
	}
	return fmt.Sprintf(", bits %d to %d", bit, bit+size-1)
}

// extentOf says from where to where the matrices of an operand are, if there are some in the list.
func extentOf(list []Matrix, operand int) string {
	var m *Matrix
	var first, last emu.MemoryPlace
	for i := range list {
		if list[i].Operand != operand {
			continue
		}
		if m == nil {
			m = &list[i]
			first, last = m.Places[0], m.Places[0]
		}
		for _, p := range list[i].Places {
			first = emu.MemoryPlace{Lane: min(first.Lane, p.Lane), At: min(first.At, p.At)}
			last = emu.MemoryPlace{Lane: max(last.Lane, p.Lane), At: max(last.At, p.At)}
		}
	}
	switch {
	case m == nil:
		return ""
	case m.Home == emu.InTensor:
		return fmt.Sprintf(": lanes %d–%d, columns %d–%d", first.Lane, last.Lane, first.At, last.At)
	}
	return fmt.Sprintf(": %s to %s", m.SharedName(first.At), m.SharedName(last.At+max(m.Type.Bits()/8, 1)-1))
}
