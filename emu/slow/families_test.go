package slow

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx/isa"
)

// straightLine are the sections whose instructions are functions of one lane's registers.
var straightLine = regexp.MustCompile(`^9\.7\.([1-8]\.|9\.(3|4|7|21|22)$)`)

// Every family of these sections has a model here, but those that the manual only bounds (emu/num/approx_test.go), old
// spellings of another opcode (testdata/values/legacy-approx.ptx), and addresses of functions.
func TestEveryStraightLineFamilyHasAModel(t *testing.T) {
	known := strings.Fields(families)
	for _, f := range isa.Forms() {
		if !straightLine.MatchString(f.Section) || slices.Contains(known, f.ID) || f.ID == "mov.funcaddr" {
			continue
		}
		if f.Gone != (isa.Gone{}) && f.As != "" {
			t.Logf("%s: today %s", f.ID, f.As)
			continue
		}
		for _, opcode := range f.Opcodes(50) {
			bounds, _ := isa.Resolve(opcode)
			b := bounds[slices.IndexFunc(bounds, func(b *isa.Bound) bool { return b.Form == f })]
			require.NotEmpty(t, emu.Bound(b), "%s of %s is exact and has no model", opcode, f.ID)
		}
		t.Logf("%s: bounded", f.ID)
	}
}
