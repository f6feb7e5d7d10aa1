// Package wasm writes WebAssembly modules as bytes: the part of the binary format that compiled warps need.
package wasm

import "math/bits"

// Code is the body of a function in the making. Its methods append instructions.
type Code struct{ Bytes []byte }

// unsigned appends v as LEB128.
func (c *Code) unsigned(v uint64) {
	for v >= 0x80 {
		c.Bytes = append(c.Bytes, byte(v)|0x80)
		v >>= 7
	}
	c.Bytes = append(c.Bytes, byte(v))
}

// signed appends v as signed LEB128.
func (c *Code) signed(v int64) {
	for v < -64 || v > 63 {
		c.Bytes = append(c.Bytes, byte(v)|0x80)
		v >>= 7
	}
	c.Bytes = append(c.Bytes, byte(v)&0x7f)
}

// Op appends instructions without immediates.
func (c *Code) Op(ops ...Op) {
	for _, o := range ops {
		if o >= vector {
			c.Bytes = append(c.Bytes, 0xfd)
			c.unsigned(uint64(o - vector))
			continue
		}
		if o >= saturating {
			c.Bytes = append(c.Bytes, 0xfc)
			c.unsigned(uint64(o - saturating))
			continue
		}
		c.Bytes = append(c.Bytes, byte(o))
	}
}

// Arg appends an instruction with one unsigned immediate: a local, a label, a lane.
func (c *Code) Arg(o Op, n uint32) {
	c.Op(o)
	c.unsigned(uint64(n))
}

// Get pushes a local.
func (c *Code) Get(local uint32) { c.Arg(LocalGet, local) }

// Set pops a local.
func (c *Code) Set(local uint32) { c.Arg(LocalSet, local) }

// Tee sets a local to the top of the stack, which stays.
func (c *Code) Tee(local uint32) { c.Arg(LocalTee, local) }

// I32 pushes a constant.
func (c *Code) I32(v int32) {
	c.Op(I32Const)
	c.signed(int64(v))
}

// I64 pushes a constant.
func (c *Code) I64(v int64) {
	c.Op(I64Const)
	c.signed(v)
}

// V128 pushes a vector of two 64-bit words, low one first.
func (c *Code) V128(lo, hi uint64) {
	c.Op(V128Const)
	for _, v := range [2]uint64{lo, hi} {
		for i := range 8 {
			c.Bytes = append(c.Bytes, byte(v>>(8*i)))
		}
	}
}

// Shuffle picks 16 bytes of two vectors.
func (c *Code) Shuffle(from [16]byte) {
	c.Op(I8x16Shuffle)
	c.Bytes = append(c.Bytes, from[:]...)
}

// Mem appends a load or a store. size is the alignment that is promised, in bytes.
func (c *Code) Mem(o Op, size, offset uint32) {
	c.Op(o)
	c.unsigned(uint64(bits.TrailingZeros32(size)))
	c.unsigned(uint64(offset))
}

// MemLane appends a load or a store of one lane.
func (c *Code) MemLane(o Op, size, offset uint32, lane byte) {
	c.Mem(o, size, offset)
	c.Bytes = append(c.Bytes, lane)
}

// Block opens a block without results.
func (c *Code) Block() { c.open(Block) }

// Loop opens a loop.
func (c *Code) Loop() { c.open(Loop) }

// If opens what happens when the popped i32 is not 0.
func (c *Code) If() { c.open(If) }

func (c *Code) open(o Op) { c.Bytes = append(c.Bytes, byte(o), 0x40) }

// EachBit appends a loop over the bits of an i32 local that are set, from the lowest on, which must be one at least. do
// writes what is done with the number of a bit, which is in another local. Afterwards the first is 0.
func (c *Code) EachBit(set, bit uint32, do func()) {
	c.Loop()
	c.Get(set)
	c.Op(I32Ctz)
	c.Set(bit)
	do()
	c.Get(set)
	c.Get(set)
	c.I32(1)
	c.Op(I32Sub, I32And)
	c.Tee(set)
	c.Arg(BrIf, 0)
	c.Op(End)
}

// Table appends a br_table.
func (c *Code) Table(labels []uint32, other uint32) {
	c.Arg(BrTable, uint32(len(labels)))
	for _, l := range labels {
		c.unsigned(uint64(l))
	}
	c.unsigned(uint64(other))
}

// Locals says how many locals of a type a function has.
type Locals struct {
	N    uint32
	Type byte
}

// Function is a function of a module. Its one result has the type of its first parameter.
type Function struct {
	Params []byte // their types
	Locals []Locals
	Code   []byte // without the final end
}

// Module encodes a module with functions of which it exports the first ones, as f0, f1, …. It imports its memory as
// "env" "memory".
func Module(exported int, functions []Function) []byte {
	m := Code{Bytes: []byte("\x00asm\x01\x00\x00\x00")}
	var s Code
	s.unsigned(uint64(len(functions)))
	for _, f := range functions {
		s.Bytes = append(s.Bytes, 0x60, byte(len(f.Params)))
		s.Bytes = append(append(s.Bytes, f.Params...), 1, f.Params[0])
	}
	m.section(1, &s)
	s.Bytes = append(s.Bytes, "\x01\x03env\x06memory\x02\x00\x01"...)
	m.section(2, &s)
	s.unsigned(uint64(len(functions)))
	for i := range functions {
		s.unsigned(uint64(i))
	}
	m.section(3, &s)
	s.unsigned(uint64(exported))
	for i := range exported {
		name := "f" + decimal(i)
		s.unsigned(uint64(len(name)))
		s.Bytes = append(append(s.Bytes, name...), 0)
		s.unsigned(uint64(i))
	}
	m.section(7, &s)
	s.unsigned(uint64(len(functions)))
	for _, f := range functions {
		var b Code
		b.unsigned(uint64(len(f.Locals)))
		for _, l := range f.Locals {
			b.unsigned(uint64(l.N))
			b.Bytes = append(b.Bytes, l.Type)
		}
		s.unsigned(uint64(len(b.Bytes) + len(f.Code) + 1))
		s.Bytes = append(append(append(s.Bytes, b.Bytes...), f.Code...), byte(End))
	}
	m.section(10, &s)
	return m.Bytes
}

// section appends a section and empties its bytes.
func (c *Code) section(id byte, s *Code) {
	c.Bytes = append(c.Bytes, id)
	c.unsigned(uint64(len(s.Bytes)))
	c.Bytes = append(c.Bytes, s.Bytes...)
	s.Bytes = s.Bytes[:0]
}

func decimal(i int) string {
	if i < 10 {
		return string(rune('0' + i))
	}
	return decimal(i/10) + decimal(i%10)
}
