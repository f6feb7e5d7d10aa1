package emu

import (
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// gap is some forms that are not emulated, or, where it names modifiers, their opcodes with one of these.
type gap struct{ reason, forms, mods string }

// gaps is what is valid PTX but not emulated, with the reason: the only list of this kind. The diagnostic
// "not-emulated" and docs/coverage.md quote it; a test compares it with what the emulator really does.
var gaps = []gap{
	{"the host makes the logical endpoints that it needs with the driver, and a launch here has none (9.7.11.3)",
		"fabric.try_get fabric.try_put fabric.try_red fabric.try_pullred fabric.submit fabric.wait fabric.try_get.tensor " +
			"fabric.try_put.tensor fabric.try_red.tensor fabric.try_atom", ""},
	{"only pictures show how the indices in B are packed, and where their table lies in tensor memory",
		"tcgen05.mma.lut", ""},
}

// gapsOf are the gaps of each form.
var gapsOf = func() map[string][]*gap {
	of := map[string][]*gap{}
	for i := range gaps {
		for _, id := range strings.Fields(gaps[i].forms) {
			of[id] = append(of[id], &gaps[i])
		}
	}
	return of
}()

// gapOf is the gap that an opcode is in, or nil.
func gapOf(b *isa.Bound) *gap {
	for _, g := range gapsOf[b.Form.ID] {
		if g.mods == "" || slices.ContainsFunc(strings.Fields(g.mods), b.Has) {
			return g
		}
	}
	return nil
}

// FunctionGaps are functions outside the module that are not emulated, by the beginning of their names.
var FunctionGaps = []struct{ Reason, Prefix string }{
	{deviceRuntime, "cuda"},
	{deviceRuntime, "__cudaCDP"},
}

const deviceRuntime = "belongs to the device runtime of CUDA: kernels that launch kernels are not emulated"

// GapReason says why a form, or some of its opcodes, is not emulated; "" when nothing of it is missing.
func GapReason(form string) string {
	var reasons []string
	for _, g := range gapsOf[form] {
		reasons = append(reasons, g.reason)
	}
	return strings.Join(reasons, "; ")
}
