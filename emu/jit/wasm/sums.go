package wasm

// Which bytes of two vectors Shuffle picks: words of 4 lanes of 64 bits, and the upper half in the place of the lower.
var (
	LowerWords = [16]byte{0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27}
	UpperWords = [16]byte{4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31}
	UpperHalf  = [16]byte{8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15}
)

// SumLocals is how many locals ExactSum needs after its operands.
const SumLocals = 6

// ExactSum pushes fma.rn.f32 of 4 lanes (9.7.3.6): the locals from a on are its three operands, and others that it
// uses. In double precision the product is exact.
func (c *Code) ExactSum(a uint32) {
	product, addend, sum, temp := a+3, a+4, a+5, a+7 // sum and temp are two each
	for half := range uint32(2) {
		for n := range uint32(3) {
			c.Get(a + n)
			if half == 1 {
				c.Get(a + n)
				c.Shuffle(UpperHalf)
			}
			c.Op(F64x2PromoteLowF32x4)
			switch n {
			case 1:
				c.Op(F64x2Mul)
				c.Tee(product)
			case 2:
				c.Tee(addend)
			}
		}
		c.Op(F64x2Add)
		c.Set(sum + half)
		c.RoundToOdd(product, addend, sum+half, temp)
	}
	c.Narrow([2]uint32{sum, sum + 1})
}

// RoundToOdd corrects a sum of doubles: where it is not exact and its last bit is 0, it becomes its neighbour on the
// side of the exact sum. Rounding that to fewer bits gives what rounding the exact sum gives (Boldo and Melquiond). The
// error of the sum is exact, too (Knuth).
func (c *Code) RoundToOdd(x, y, sum, temp uint32) {
	// part = sum - x; err = (x - (sum - part)) + (y - part)
	part, err := temp, temp+1
	c.Get(sum)
	c.Get(x)
	c.Op(F64x2Sub)
	c.Set(part)
	c.Get(x)
	c.Get(sum)
	c.Get(part)
	c.Op(F64x2Sub, F64x2Sub)
	c.Get(y)
	c.Get(part)
	c.Op(F64x2Sub, F64x2Add)
	c.Set(err)
	// sum += (sign of err ^ sign of sum) | 1, as integers, where err is not 0 and the last bit is 0
	c.Get(sum)
	c.Get(err)
	c.Get(sum)
	c.Op(V128Xor)
	c.I32(63)
	c.Op(I64x2ShrS)
	c.V128(1, 1)
	c.Op(V128Or)
	c.Get(err)
	c.Op(F64x2Abs)
	c.V128(0, 0)
	c.Op(F64x2Gt, V128And)
	c.Get(sum)
	c.V128(1, 1)
	c.Op(V128And)
	c.V128(0, 0)
	c.Op(I64x2Eq, V128And, I64x2Add)
	c.Set(sum)
}

// Narrow pushes 4 single-precision numbers, which are in two locals in double precision.
func (c *Code) Narrow(pair [2]uint32) {
	for _, v := range pair {
		c.Get(v)
		c.Op(F32x4DemoteF64x2Zero)
	}
	c.Shuffle([16]byte{0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23})
}
