package machine

import (
	"unsafe"

	"warpscope/emu/row"
)

// Predicates is where setp and its like put what they have found (9.7.7.2): p = t BoolOp c and q = u BoolOp c, where u
// is !t but for packed halves.
type Predicates struct {
	P, Q    row.Operand
	Combine func(t, c uint32) uint32 // nil: there is no BoolOp
	C       row.Operand
}

func (r *Predicates) Store(f unsafe.Pointer, exec Mask, t, u uint32) {
	if r.Combine != nil {
		c := r.C.Lanes(f)
		t, u = r.Combine(t, c), r.Combine(u, c)
	}
	r.P.SetLanes(f, exec, t)
	r.Q.SetLanes(f, exec, u)
}
