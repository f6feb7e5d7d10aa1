package main

import (
	"fmt"
	"strings"

	"warpscope/emu/handlers"
)

// WebAssembly bodies of hot handlers, in Go's assembler. Go's compiler for WebAssembly loads arguments from the stack
// again for every lane, adds the offset to the address of every float outside of the instruction, moves bits between
// floats and integers through memory, and pays for every taken jump; written down directly, a lane is a handful of
// instructions.
//
// A lane's program is the handler's expression in postfix notation: a, b, c load an operand's element, a number is a
// 32-bit constant, everything else is an instruction.

// Rows in registers: R0 is the result's, R1, R2, R3 are those of a, b, c.

// WasmBody is the handler's function in assembly.
func (h handler) WasmBody() string {
	b := &asm{}
	b.row("R0", "to+16(FP)")
	for i := range h.Operands() {
		b.row(fmt.Sprintf("R%d", i+1), "in+8(FP)", fmt.Sprintf("$inst_%c", 'a'+i))
	}
	switch {
	case h.IsPred():
		h.wasmMask(b)
	case h.Fallback != "":
		h.wasmFma(b)
	case h.Result() == 'f':
		h.wasmFloats(b)
	default:
		for lane := range h.words() {
			b.op("Get R0", "I32WrapI64")
			h.wasmLane(b, lane)
			b.op(fmt.Sprintf("%s $%d", map[bool]string{true: "I64Store", false: "I32Store"}[handlers.Size(h.Result()) == 8],
				lane*handlers.Size(h.Result())))
		}
	}
	b.op("RET")
	return b.String()
}

// asm is assembly under construction.
type asm struct{ strings.Builder }

func (b *asm) op(lines ...string) {
	for _, l := range lines {
		b.WriteString("\t" + l + "\n")
	}
}

// row sets a register to the address of the row whose offset the loads lead to.
func (b *asm) row(reg string, loads ...string) {
	b.op("I32Load f+0(FP)")
	for _, l := range loads {
		b.op("I32Load " + l)
	}
	b.op("I32Add", "I64ExtendI32U", "Set "+reg)
}

// wasmLoad is the instruction that loads an element: extended to 64 bits when the handler computes in 64 bits.
func (h handler) wasmLoad(elem byte) string {
	wide := handlers.Size(h.Result()) == 8
	switch {
	case elem == 'f':
		return "F32Load"
	case elem == 'd':
		return "F64Load"
	case handlers.Size(elem) == 8:
		return "I64Load"
	case wide && elem == 'i':
		return "I64Load32S"
	case wide:
		return "I64Load32U"
	}
	return "I32Load"
}

// wasmLane computes one lane.
func (h handler) wasmLane(b *asm, lane int) {
	for _, word := range strings.Fields(h.Postfix) {
		switch i := strings.Index("abc", word); {
		case i >= 0:
			elem := h.Operands()[i]
			b.op(fmt.Sprintf("Get R%d", i+1), "I32WrapI64",
				fmt.Sprintf("%s $%d", h.wasmLoad(elem), lane*handlers.Size(elem)))
		case word[0] >= '0' && word[0] <= '9':
			b.op("I32Const $" + word)
		default:
			b.op(word)
		}
	}
}

// wasmMask collects 32 bools, the last lane's first, and stores them under the execution mask.
func (h handler) wasmMask(b *asm) {
	for lane := 31; lane >= 0; lane-- {
		h.wasmLane(b, lane)
		if lane < 31 {
			b.op("I32Or")
		}
		if lane > 0 {
			b.op("I32Const $1", "I32Shl")
		}
	}
	p := []string{"Get R0", "I32WrapI64", "I32Load $0"}
	b.op("I64ExtendI32U", "Set R4", "Get R0", "I32WrapI64", "Get R4", "I32WrapI64")
	b.op(p...)
	b.op("I32Xor", "I32Load f+0(FP)", "I32Load $const_execMask", "I32And")
	b.op(p...)
	b.op("I32Xor", "I32Store $0")
}

// wasmFloats makes results that are NaN canonical: the sum of the row is a NaN if one of them is.
func (h handler) wasmFloats(b *asm) {
	for lane := range 32 {
		b.op("Get R0", "I32WrapI64")
		h.wasmLane(b, lane)
		b.op(fmt.Sprintf("Tee F%d", lane%4), fmt.Sprintf("F32Store $%d", 4*lane))
		if lane >= 4 {
			b.op(fmt.Sprintf("Get F%d", 4+lane%4))
		}
		b.op(fmt.Sprintf("Get F%d", lane%4))
		if lane >= 4 {
			b.op("F32Add")
		}
		b.op(fmt.Sprintf("Set F%d", 4+lane%4))
	}
	b.op("Get F4", "Get F5", "F32Add", "Get F6", "Get F7", "F32Add", "F32Add", "Tee F0", "Get F0", "F32Ne", "If")
	for lane := range 32 {
		at := fmt.Sprintf("$%d", 4*lane)
		b.op("Get R0", "I32WrapI64", "I32Const $0x7fffffff", "Get R0", "I32WrapI64", "I32Load "+at,
			"Get R0", "I32WrapI64", "F32Load "+at, "Tee F0", "Get F0", "F32Ne", "Select", "I32Store "+at)
	}
	b.op("End")
}

// wasmFma computes groups of 8 lanes and stores those that need not be done exactly; see fmaLanes. The sign of R5 is
// set for a NaN, an infinity or a tiny result that is not zero, and bit 31 of R6 for a halfway point.
func (h handler) wasmFma(b *asm) {
	const group = 8
	for lane := 0; lane < 32; lane += group {
		b.op("I64Const $0", "Set R5", "I64Const $0", "Set R6")
		for i := range group {
			h.wasmLane(b, lane+i)
			b.op("Tee F16", "F32DemoteF64", fmt.Sprintf("Set F%d", i), "Get F16", "I64ReinterpretF64", "Tee R4")
			b.op("I64Const $0x10000000", "I64Xor", "I64Const $0x1fffffff", "I64And", "I64Const $1", "I64Sub")
			b.op("Get R6", "I64Or", "Set R6")
			b.op("Get R4", "I64Const $1", "I64Shl", "Tee R4", fmt.Sprintf("I64Const $%d", int64(897)<<53), "I64Sub")
			b.op("I64Const $0", "Get R4", "I64Sub", "Get R4", "I64Or", "I64And", "Get R5", "I64Or", "Set R5")
		}
		b.op("Get R5", "Get R6", "I64Or", "I64Const $0", "I64LtS", "If")
		b.op("Get R7", fmt.Sprintf("I64Const $%d", 1<<(lane/group)), "I64Or", "Set R7", "Else")
		for i := range group {
			b.op("Get R0", "I32WrapI64", fmt.Sprintf("Get F%d", i), fmt.Sprintf("F32Store $%d", 4*(lane+i)))
		}
		b.op("End")
	}
	b.op("Get SP", "Get R7", "I64Store32 ret+24(FP)")
}

// WasmSelect takes elements from one row or the other. Lanes that branch together often are neighbours: groups of 8
// that all take from the same row are copied.
func (data) WasmSelect(bits int) string {
	const group = 8
	b := &asm{}
	for i, arg := range []string{"to+8", "from+12", "other+16"} {
		b.row(fmt.Sprintf("R%d", i), arg+"(FP)")
	}
	b.op("I64Load32U p+20(FP)", "Set R3")
	for lane := 0; lane < 32; lane += group {
		b.op("Get R3", fmt.Sprintf("I64Const $%d", lane), "I64ShrU", "I64Const $0xff", "I64And", "Tee R4", "I64Eqz", "If")
		b.copy("R2", lane*bits/8, group*bits/8)
		b.op("Else", "Get R4", "I64Const $0xff", "I64Eq", "If")
		b.copy("R1", lane*bits/8, group*bits/8)
		b.op("Else")
		for i := range group {
			at := fmt.Sprintf("$%d", (lane+i)*bits/8)
			load := fmt.Sprintf("I%dLoad %s", bits, at)
			b.op("Get R0", "I32WrapI64", "Get R1", "I32WrapI64", load, "Get R2", "I32WrapI64", load)
			b.op("Get R4", "I32WrapI64", fmt.Sprintf("I32Const $%d", 1<<i), "I32And", "Select")
			b.op(fmt.Sprintf("I%dStore %s", bits, at))
		}
		b.op("End", "End")
	}
	b.op("RET")
	return b.String()
}

// copy moves a part of a row to the row at R0.
func (b *asm) copy(from string, at, size int) {
	for end := at + size; at < end; at += 8 {
		b.op("Get R0", "I32WrapI64", "Get "+from, "I32WrapI64", fmt.Sprintf("I64Load $%d", at), fmt.Sprintf("I64Store $%d", at))
	}
}

// WasmLoad checks all lanes' addresses and, when they are good, loads.
func (data) WasmLoad(bits, addr int) string {
	b := &asm{}
	b.row("R0", "in+8(FP)", "$inst_d")
	b.addresses(bits, addr, "add+24(FP)", "limit+32(FP)", "ret+40(FP)")
	b.op("I64Load mem+16(FP)", "Get R2", "I64Add", "Set R2")
	for lane := range 32 {
		b.op("Get R0", "I32WrapI64")
		b.place(addr, lane)
		b.op(fmt.Sprintf("I%dLoad $0", bits), fmt.Sprintf("I%dStore $%d", bits, lane*bits/8))
	}
	b.op("Get SP", "I64Const $1", "I64Store8 ret+40(FP)", "RET")
	return b.String()
}

// WasmStore checks all lanes' addresses and, when they are good, stores and marks their pages.
func (data) WasmStore(bits, addr int) string {
	b := &asm{}
	b.row("R0", "in+8(FP)", "$inst_d")
	b.addresses(bits, addr, "add+40(FP)", "limit+48(FP)", "ret+56(FP)")
	b.op("I64Load mem+16(FP)", "Set R3", "I64Load dirty+24(FP)", "Set R4", "I64Load32U skip+32(FP)", "Set R5")
	for lane := range 32 {
		b.place(addr, lane)
		b.op("I64ExtendI32U", "Tee R6", "Get R5", "I64Add", "I64Const $const_pageShift", "I64ShrU", "Get R4", "I64Add", "I32WrapI64")
		b.op("I32Const $1", "I32Store8 $0")
		b.op("Get R6", "Get R3", "I64Add", "I32WrapI64", "Get R0", "I32WrapI64")
		b.op(fmt.Sprintf("I%dLoad $%d", bits, lane*bits/8), fmt.Sprintf("I%dStore $0", bits))
	}
	b.op("Get SP", "I64Const $1", "I64Store8 ret+56(FP)", "RET")
	return b.String()
}

// addresses sets R1 to the row of addresses and R2 to what is added to them. It leaves the function with false when a
// place exceeds the limit or is not aligned.
func (b *asm) addresses(bits, addr int, add, limit, ret string) {
	b.row("R1", "in+8(FP)", "$inst_a")
	b.op("I64Load "+add, "Set R2", "I64Load "+limit, "Set R3")
	load := map[int]string{32: "I64Load32U", 64: "I64Load"}[addr]
	for lane := range 32 {
		b.op("Get R1", "I32WrapI64", fmt.Sprintf("%s $%d", load, lane*addr/8), "Get R2", "I64Add", "Tee R6")
		b.op("Get R4", "I64Or", "Set R4", "Get R3", "Get R6", "I64Sub", "Get R5", "I64Or", "Set R5")
	}
	b.op("Get R4", "Get R5", "I64Or", "I64Const $0", "I64LtS", "Get R4", fmt.Sprintf("I64Const $%d", bits/8-1), "I64And",
		"I64Eqz", "I32Eqz", "I32Or", "If", "Get SP", "I64Const $0", "I64Store8 "+ret, "RET", "End")
}

// place pushes a lane's address + R2.
func (b *asm) place(addr, lane int) {
	b.op("Get R1", "I32WrapI64", fmt.Sprintf("I32Load $%d", lane*addr/8), "Get R2", "I32WrapI64", "I32Add")
}
