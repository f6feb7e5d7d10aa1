package slow

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// straightLine are the sections whose instructions are functions of one lane's registers: arithmetic, comparison and
// logic, and of 9.7.10 mov, prmt, cvt and cvt.pack.
var straightLine = regexp.MustCompile(`^9\.7\.([1-9]\.|10\.(3|4|7|24|25)$)`)

// bounded are the families whose results the manual only bounds: 9.7.3.8 to 9.7.3.22, 9.7.4.9 and 9.7.4.10.
const bounded = `div.approx.f32 div.full.f32 rcp.approx.f32 rcp.approx.ftz.f64 sqrt.approx.f32 rsqrt.approx
	rsqrt.approx.ftz.f64 sin.approx cos.approx lg2.approx ex2.approx.f32 tanh.approx.f32 tanh.half ex2.half`

// modelled are the families of the instruction table that Eval knows, by ID: all of these sections but those that the
// manual only bounds (emu/num/approx_test.go), old spellings of another opcode (testdata/values/legacy-approx.ptx), and
// addresses of functions.
func modelled() (families []string) {
	for _, f := range isa.Forms() {
		old := f.Gone != (isa.Gone{}) && f.As != ""
		if straightLine.MatchString(f.Section) && !old && f.ID != "mov.funcaddr" &&
			!slices.Contains(strings.Fields(bounded), f.ID) {
			families = append(families, f.ID)
		}
	}
	return families
}

// The families without a model are in the table, and the sections with models are those that the table gives.
func TestFamiliesAreOfTheTable(t *testing.T) {
	known := map[string]bool{}
	for _, f := range isa.Forms() {
		known[f.ID] = true
	}
	for _, id := range strings.Fields(bounded) {
		require.True(t, known[id], id)
	}
	require.Subset(t, modelled(), strings.Fields("add.int madc fma.f64 add.bf16 fma.mixed fma.x4 slct setp.half shr "+
		"mov.scalar mov.pack prmt cvt.int cvt.pack"))
}
