package emu

import "strings"

// gaps is what is valid PTX but not emulated, with the reason: the only list of this kind. The diagnostic
// "not-emulated" and docs/coverage.md quote it; a test compares it with what the emulator really does. A form that is
// emulated in part is here for the rest.
var gaps = []struct{ reason, forms string }{}

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
