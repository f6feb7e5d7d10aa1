package num

import (
	"slices"
	"strings"

	"warpscope/ptx/isa"
)

// recorded lists forms with a Bound whose recorded results, in testdata/hardware, all equal ours bit for bit. A test
// compares them.
const recorded = ``

// Recorded says whether every recorded result of a form equals ours bit for bit.
func Recorded(form string) bool { return slices.Contains(strings.Fields(recorded), form) }

// Bound returns the error that the manual allows an opcode, in words; "" where the manual leaves one answer. Sums of
// floating-point products of matrices have no bound: the manual requires at least the precision of the result, and
// leaves their order and rounding open (9.7.16.4.5, 9.7.16.5.14, 9.7.16.6.3, 9.7.17.5.2).
func Bound(b *isa.Bound) string {
	if Recorded(b.Form.ID) {
		return ""
	}
	switch b.Form.Mnemonic {
	case "mma", "wmma", "wgmma":
		product := b.Form.Mnemonic == "mma" || b.Has(".mma") || b.Has(".mma_async")
		switch eight := b.Has(".e4m3") || b.Has(".e5m2"); {
		case b.Form.ID == "wgmma.mma_async" && eight && b.Has(".f32"):
			return "GPUs add with less than single precision" // the Note of 9.7.17.5.2
		case product && len(b.Types) > 1 && b.Types[0].Class() == isa.Float:
			return "order of additions and rounding open"
		}
		return ""
	case "tex":
		if b.Types[1] == isa.F32 {
			return "filter weights of eight bits and their sum are the hardware's"
		}
		return ""
	}
	if strings.HasPrefix(b.Form.ID, "tcgen05.mma") && !b.Has(".kind::i8") && !b.Has(".kind::ti16") {
		return "order of additions and rounding open"
	}
	if k, ok := Lookup(b.Key()); ok {
		return k.Bound
	}
	return ""
}
