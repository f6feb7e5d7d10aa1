package jit

// A call of compiled code costs as much as the interpreter takes for a few instructions. Where calls that begin with a
// piece stop sooner than that, EngineAuto leaves the piece to the interpreter for some time.

const (
	payLook  = 32      // calls that are looked at together
	payRan   = 8       // instructions that a call must execute to pay, where they only compute
	payReach = 4       // instructions for which one counts that reaches memory or other lanes
	payPause = 1 << 12 // calls that are left out

	payTogether = 64 // instructions between branches at which lanes part, where the code for all lanes pays
)

// pay is what calls that begin with a piece have done.
type pay struct {
	least        int64 // instructions that a call must execute to pay
	calls, pause int32
	ran          int64
}

// newPay is for a piece with so many instructions that reach memory or other lanes.
func newPay(reaching int64) pay { return pay{least: max(payRan-payReach*reaching, 1)} }

// pauses says whether a call is left out.
func (p *pay) pauses() bool {
	if p.pause == 0 {
		return false
	}
	p.pause--
	return true
}

// note takes in a call.
func (p *pay) note(ran int64) {
	p.calls++
	p.ran += ran
	if p.calls < payLook {
		return
	}
	if p.ran < payLook*p.least {
		p.pause = payPause
	}
	p.calls, p.ran = 0, 0
}
