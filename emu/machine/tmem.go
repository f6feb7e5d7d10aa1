package machine

import (
	"fmt"

	"warpscope/emu/causes"
	"warpscope/emu/matrix"
)

// Tensor memory (9.7.18.1) has 128 lanes of 512 columns of 32 bits for each CTA, and on sm_107 64 columns more for
// exclusive allocations (Table 58). An address has the lane in its upper half and the column in the lower. In the arena
// it is stored column by column, from the CTA's first allocation on.
const (
	TensorLanes   = matrix.TensorLanes
	TensorShared  = 512 // columns for allocations that are not exclusive
	TensorColumns = 576
	TensorUnit    = 32 // columns: allocations are multiples of it
)

// readsFrom calls visit for each 16 bytes that the operation reads from a CTA's shared memory. at is their arena
// offset.
func (o *AsyncOp) readsFrom(c *CTA, visit func(by *TensorOp, at uint32)) {
	self := AsyncOp{CTA: c.Index}
	for i := range o.Tensor {
		op := &o.Tensor[i]
		if len(op.Reads) == 0 || !SameTensor(c.Grid, o, &self) {
			continue
		}
		for _, r := range op.Reads {
			r.EachPiece(func(addr uint32) bool {
				visit(op, c.SharedOff+addr)
				return true
			})
		}
	}
}

// Word returns a cell of tensor memory. The pointer is valid until memory grows.
func (c *CTA) Word(lane, col int) *uint32 {
	return (*uint32)(c.Mem.At(c.Tensor.Off + uint32(col*TensorLanes+lane)*4))
}

// Tensor returns a copy of a CTA's tensor memory, lane by lane, up to the last column that is allocated. floats says
// that the last product had results in single precision.
func (g *Grid) Tensor(cta int) (columns int, bytes []byte, floats bool) {
	c := g.cta(cta)
	if c == nil || c.Tensor.Off == 0 {
		return 0, nil, false
	}
	for i, u := range c.Tensor.Units {
		if u != 0 {
			columns = (i + 1) * TensorUnit
		}
	}
	for lane := range TensorLanes {
		for col := range columns {
			bytes = ByteOrder.AppendUint32(bytes, *c.Word(lane, col))
		}
	}
	return columns, bytes, c.Tensor.Floats
}

// leftColumns notes that a CTA ends while it has columns, which "must be explicitly deallocated", and operations that
// no commit tracks.
func (c *CTA) leftColumns() {
	for _, o := range c.Tensor.Issued {
		c.Grid.note(o.In, causes.Tensor, c.Index,
			fmt.Sprintf("CTA %d,%d,%d ended, and no tcgen05.commit has tracked `%s` of lane %d "+
				"of warp %d: it never happens", c.id.X, c.id.Y, c.id.Z, o.In.Src.Opcode, o.By.Lane, o.By.Warp))
	}
	for i, u := range c.Tensor.Units {
		if u != 0 {
			c.Grid.note(c.Tensor.From, causes.Tensor, c.Index,
				fmt.Sprintf("CTA %d,%d,%d ended without tcgen05.dealloc of the "+
					"columns from %d on", c.id.X, c.id.Y, c.id.Z, i*TensorUnit))
			return
		}
	}
}

// releaseTensor gives the tensor memory back to the device.
func (c *CTA) releaseTensor() {
	if c.Tensor.Off != 0 {
		c.Mem.Release(c.Tensor.Off, TensorLanes*TensorColumns*4)
	}
}
