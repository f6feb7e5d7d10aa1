package gpu

import (
	"fmt"

	"warpscope/ptx"
)

// RegView is one register of a warp, with its values in all 32 lanes. Lanes that have never written it read zero.
type RegView struct {
	Reg     *ptx.Reg
	Elem    int         // component of a vector register, or -1
	Written Mask        // lanes that have written it
	Dead    Mask        // lanes in which the value it has now is not read again
	Lo      *[32]uint64 // views share it: nothing in it changes
	Hi      *[32]uint64 // upper halves of 128-bit registers
}

// Allocation is a piece of device memory.
type Allocation struct {
	Addr  Addr
	Size  int    // in bytes
	Name  string // of a module variable, else ""
	Space ptx.Space
}

// MbarrierView is the state of an mbarrier object.
type MbarrierView struct {
	CTA                   int  // linear index of the CTA whose shared memory it is in
	Addr                  Addr // generic, as that CTA sees it
	Phase                 int64
	Pending, Expected, Tx int

	V1          bool  // layout v1, which operations report to
	Conditional int64 // with layout v1: the conditional phase, which stays behind where any have reported
	Reported    bool  // with layout v1: an operation of the current phase has reported
}

// String describes the object: "phase 0, 1 of 4 arrivals pending".
func (v MbarrierView) String() string {
	s := fmt.Sprintf("phase %d, %d of %s pending", v.Phase, v.Pending, ptx.Plural(v.Expected, "arrival"))
	switch {
	case v.Tx > 0:
		s += ", " + ptx.Plural(v.Tx, "byte") + " expected"
	case v.Tx < 0:
		s += ", " + ptx.Plural(-v.Tx, "byte") + " more than expected"
	}
	if v.V1 {
		s += fmt.Sprintf("; layout v1, conditional phase %d", v.Conditional)
	}
	if v.Reported {
		s += ", an operation has reported"
	}
	return s
}

// SharedVar is a shared variable and its place in shared memory.
type SharedVar struct {
	Var *ptx.Var
	Off int64 // bytes from the start of the CTA's shared memory
}

// TensorWrite is a part of a CTA's tensor memory that a step has written: Lanes lanes from Lane on, and Columns columns
// from Column on. CTA is the CTA's linear index.
type TensorWrite struct{ CTA, Lane, Lanes, Column, Columns int }
