package slow

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// straightLine are the sections whose instructions are functions of one lane's registers.
var straightLine = regexp.MustCompile(`^9\.7\.([1-8]\.|9\.(3|4|7|21|22)$)`)

// bounded are the families whose results the manual only bounds: 9.7.3.8 to 9.7.3.22, 9.7.4.9 and 9.7.4.10.
const bounded = `div.approx.f32 div.full.f32 rcp.approx.f32 rcp.approx.ftz.f64 sqrt.approx.f32 rsqrt.approx
	rsqrt.approx.ftz.f64 sin.approx cos.approx lg2.approx ex2.approx.f32 tanh.approx.f32 tanh.half ex2.half`

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
		require.Contains(t, strings.Fields(bounded), f.ID, "it has no model")
		t.Logf("%s: bounded", f.ID)
	}
}
