package emu

import "strings"

// gaps is what is valid PTX but not emulated, with the reason: the only list of this kind. The diagnostic
// "not-emulated" and docs/coverage.md quote it; a test compares it with what the emulator really does. A form that is
// emulated in part is here for the rest.
var gaps = []struct{ reason, forms string }{
	{"two elements of each four, with their places, are neither chosen nor put back yet",
		"spcompress spdecompress tcgen05.ld.spcompress"},
	{"an allocation that owns the right to allocate is not emulated yet", "tcgen05.alloc.exclusive"},
	{"the manual has only a picture of the table in tensor memory that B is looked up in", "tcgen05.mma.lut"},
	{"when a product has read A is not told apart from when it is complete", "tcgen05.commit.sync_restrict"},
}

// FunctionGaps are functions outside the module that are not emulated, by the beginning of their names.
var FunctionGaps = []struct{ Reason, Prefix string }{
	{deviceRuntime, "cuda"},
	{deviceRuntime, "__cudaCDP"},
}

const deviceRuntime = "belongs to the device runtime of CUDA: kernels that launch kernels are not emulated"

// GapReason says why a form, or some of its opcodes, is not emulated; "" when nothing of it is missing.
func GapReason(form string) string {
	for _, g := range gaps {
		for _, id := range strings.Fields(g.forms) {
			if id == form {
				return g.reason
			}
		}
	}
	return ""
}
