package emu

import (
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// differences are where ptxas 12.5 and the parser differ and keep to it: version, target and statement, who refuses
// them and how, and why.
var differences = []struct{ text, who, answer, why string }{
	{`  cvta\S*\.u32 `, "ptxas", "32-Bit|32-bit", "ptxas 12 has no 32-bit addresses"},
	{`  multimem\.`, "ptxas", "requires (order|scope) with",
		"9.7.9.14: ordering and scope are optional, each by itself; .red says what the scope is then"},
	{`  multimem\.ld_reduce\S*\.m(in|ax)\.acc::f32`, "ptxas", "Illegal reduction operation",
		"9.7.9.14: .acc_prec may stand behind every .op"},
	{`  membar\.proxy\.async`, "ptxas", "Illegal modifier", "9.7.13.4: membar.proxy is a synonym for fence.proxy"},
	{`  cp\.reduce\.async\.bulk\S*\.(and|or|xor)\.s32`, "ptxas", "Incorrect type",
		"9.7.9.25.4.2: an example of the manual"},
	{`  rcp\.f64 `, "ptxas", "modifier required", "9.7.3.13: rcp.rn.f64 in PTX 1.0 to 1.3"},

	{`  (addc|subc|madc\.(lo|hi))\.[us]16 `, "us", "not-allowed", "9.7.2: carries are of 32 and 64 bits"},
	{`  cvt\.(bf16\.f16|f16\.bf16) `, "us", "missing", "9.7.9.21: what is not exact rounds"},
	{`  cvt\.(ftz\.)?r[nzmp]\.(ftz\.)?f(32|64)\.bf16 `, "us", "not-allowed", "9.7.9.21: what is exact does not round"},
	{`  fma\.r[zmp]\.(oob\.)?(relu\.)?bf16`, "us", "not-allowed", "9.7.4.4: half precision rounds to nearest"},
	{`  fma\.rn\.(oob\.sat|sat\.oob)`, "us", "not-allowed", "9.7.4.4: .oob goes with .relu alone"},
	{`  rcp\.r[nzmp]\.ftz\.f64`, "us", "not-allowed", "9.7.3.13: rcp.f64 supports subnormal numbers"},
	{`  (getctarank|mapa|setmaxnreg)\S*\.s(32|64) `, "us", "not-allowed", "9.7.9.23, 9.7.9.24, 9.7.19.5: unsigned types"},
	{`  set\.(lo|ls|hi|hs)\.\S*b?f16\.u`, "us", "not-allowed", "9.7.7.1 does not list them"},
	{`  sust\.p\.\S*\.(wb|wt|cs|cg)`, "us", "not-allowed", "9.7.11.2: cache operators are for sust.b"},
	{`  testp\.f|  vote\.sync\.pred|  w?mma\.load\.[ab]\S*\.m16n16k16\.\w`, "us", "missing",
		"what is missing has no default"},
	{`  w?g?mma(_async|\.)|  wgmma\.\w+_group\.sync |  wgmma\.(fence|commit_group)\.sync;`, "us", "missing|not-allowed",
		"9.7.14, 9.7.15: .aligned and types stand in the syntax; ptxas overlooks types too many and .aligned missing"},
	{`  (multimem|tensormap|fence\.proxy\.tensormap)`, "us", "not-allowed",
		"modifiers that mean nothing; ptxas overlooks them"},

	{` gvar\+4[,;]`, "us", "bad-operand", "6.4.4: an address is an operand of mov; ptxas takes it where it is a sum"},
	{`  (\w+\.)+v2\.b(16|32|64) `, "us", "bad-operand|type-mismatch",
		"6.4.3: a vector moves to a vector; ptxas repeats a scalar"},
	{`  (\w+\.)*(bf16|e4m3x2)[x2]*\.?\w* |  cvt\S*bf16|  movmatrix|  ldmatrix|  multimem|  setp\S*\.f16x2`,
		"us", "bad-operand|type-mismatch",
		"what ptxas expands by macros it does not check; f16x2 and bf16x2 compare into p|q (9.7.7.2)"},
	{`  cvt\.(rn\.\S*satfinite|pack)`, "us", "type-mismatch", "9.4.1 is for cvt's first lines"},
	{`  (bar|barrier)\S* .*0x100000000`, "us", "bad-operand", "9.7.13.1: there are 16 barriers"},
	{`  (bar|barrier|vote|(mov|and|not)\.pred|cvt)\S* .*%f16x2x1`, "us", "type-mismatch", "a predicate is a predicate"},
	{`  (atom\.\S*\.(and|exch)|st\.async)`, "us", "operand|mismatch",
		"9.7.13.5, 9.7.9.12: as many operands as are described"},
	{`  red\.\S* _`, "us", "bad-operand", "9.7.13.6: an address; ptxas reads it as a result that nobody wants"},
	{`  v(add|sub|absdiff|min|max|shl|shr|set)\.`, "us", "operand|mismatch", "9.7.18.1: a third operand wants a selector at d or an operation"},
	{`  fns`, "us", "mismatch", "9.7.1.17: base is a number"},
	{`  (cp\.(reduce\.)?async\.bulk|createpolicy|mbarrier|su(st|red)|tex|txq|getctarank|fence\.proxy)`, "us",
		"bad-operand|mismatch", "vectors for scalars and back, and constants in places of addresses; ptxas expands these itself"},
	{`  (v\w+|vmad)\.\S* .*%v2x1\.x`, "ptxas", "Video|selector|Argument|Vector|symbol|modifier", "9.7.18.1: ptxas takes .x for a selector"},
	{`  (set|redux|isspacep|istypep|match|mapa|tex|txq|suq|createpolicy|mbarrier|tensormap|prefetchu|multimem|cvt)`, "ptxas",
		"^(Argument|Vector|Operand|Sink|Result|State space|Illegal vector|Immediate|Non-generic|ptxas fatal)",
		"9.4: these may be any register of the size; more elements, offsets and sinks than ptxas takes are harmless"},
	{`\[64\]`, "ptxas", "Immediate addresses|State space", "6.4.1: a constant is an address"},
	{`%f16x2x1`, "ptxas", "mismatch", "9.4: as wide as what is there, and rarely declared"},
	{`  (add|min|max|sub)\S*\.[us]16x2 |  cvt\S*\.(e4m3x2|e5m2x2|bf16)|  cvt\.pack`, "ptxas", "mismatch|Special register",
		"9.4, 9.4.1, chapter 10: types agree by size, destinations may be wider, cvt reads special registers"},

	{`sm_12  .*\.f64`, "us", "needs-newer-target", "11.1.2: sm_12 has no double precision"},
	{`sm_20  .*\.shared::cta`, "us", "needs-newer-target", "::cta needs sm_30 wherever it is described"},
	{`  (bar\.cta\.|cp\.async\.c.\.shared::cta|lop3|nanosleep|activemask|cvt\.pack|` +
		`membar\.proxy|fence\.proxy|neg\.ftz\.f16|mma\.sync\.aligned\.m8n8k4|mma\.sp::ordered|` +
		`cvt\.rn\.satfinite\.relu\.e4m3x2|cvt\.ftz\.f32\.bf16|txq\.num|tld4|` +
		`wgmma\.mma_async\.sp|multimem\.ld_reduce|rcp\.approx\.ftz\.f64|rsqrt\.approx\.ftz\.f64|atom\.global\.min|` +
		`sqrt\.rn\.f64|div\.rn\.f64|ldu\.global\.f64)`, "us", "needs-newer",
		"the section's notes say since when; ptxas is more generous, and no compiler writes them for less"},
	{`sm_10  (tex\.cube|suq\.memory)`, "us", "a register in the place", "9.7.10.3: sm_20 and PTX ISA 3.1"},
	{`sm_89  cvt\S*\.e[45]m[23]x2`, "ptxas", "requires", "9.7.9.21: sm_89 has them from PTX ISA 8.1, sm_90 from 7.8 on"},
	{`sm_1.  ldu`, "ptxas", "requires .target sm_20", "9.7.9.10: ldu.f64 requires sm_13"},
	{`12 sm_10  subc?\.`, "ptxas", "1.3", "9.7.2.3: introduced in PTX ISA 1.2"},
	{`^14 sm_1.  cvt.*\.ftz`, "ptxas", "does not apply", "9.7.9.21 knows no such limit"},
	{`^1. sm_1.  ld\.param`, "ptxas", "kernel parameter list", "the frame of the question, not the statement"},
}

// knownPatterns are the list's regular expressions.
var knownPatterns = sync.OnceValue(func() [][2]*regexp.Regexp {
	var out [][2]*regexp.Regexp
	for _, d := range differences {
		out = append(out, [2]*regexp.Regexp{regexp.MustCompile(d.text), regexp.MustCompile(d.answer)})
	}
	return out
})

// known says whether a difference is one of the list.
func (q *question) known() bool {
	who, answer := "ptxas", q.theirs
	if q.theirs == "" {
		who, answer = "us", q.ours
	}
	for i, p := range knownPatterns() {
		if differences[i].who == who && p[0].MatchString(q.where()+"  "+q.text) && p[1].MatchString(answer) {
			return true
		}
	}
	return false
}

// TestKnownDifferences: their list is well formed.
func TestKnownDifferences(t *testing.T) {
	for _, d := range differences {
		require.Contains(t, []string{"us", "ptxas"}, d.who)
		require.NotEmpty(t, d.why)
	}
	require.NotPanics(t, func() { knownPatterns() })
}
