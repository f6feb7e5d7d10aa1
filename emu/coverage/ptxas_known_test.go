package coverage

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
	{`  multimem\.ld_reduce\S*\.m(in|ax)\.acc::f32`, "ptxas", "Illegal reduction operation",
		"9.7.10.15: .acc_prec may come after every .op"},
	{`  membar\.proxy\.async`, "ptxas", "Illegal modifier", "9.7.15.4: membar.proxy is a synonym for fence.proxy"},
	{`  cp\.reduce\.async\.bulk\S*\.(and|or|xor)\.s32`, "ptxas", "Incorrect type",
		"9.7.10.28.4.2: an example of the manual"},
	{`  rcp\.f64 `, "ptxas", "modifier required", "9.7.3.13: rcp.rn.f64 in PTX 1.0 to 1.3"},

	{`  (addc|subc|madc\.(lo|hi))\.[us]16 `, "us", "not-allowed", "9.7.2: carries are of 32 and 64 bits"},
	{`  cvt\.(bf16\.f16|f16\.bf16) `, "us", "missing", "9.7.10.24: what is not exact rounds"},
	{`  cvt\.(ftz\.)?r[nzmp]\.(ftz\.)?f(32|64)\.bf16 `, "us", "not-allowed", "9.7.10.24: what is exact does not round"},
	{`  fma\.r[zmp]\.(oob\.)?(relu\.)?bf16`, "us", "not-allowed", "9.7.4.4: half precision rounds to nearest"},
	{`  fma\.rn\.(oob\.sat|sat\.oob)`, "us", "not-allowed", "9.7.4.4: .oob goes with .relu alone"},
	{`  rcp\.r[nzmp]\.ftz\.f64`, "us", "not-allowed", "9.7.3.13: rcp.f64 supports subnormal numbers"},
	{`  (getctarank|mapa|setmaxnreg)\S*\.s(32|64) `, "us", "not-allowed",
		"9.7.10.26, 9.7.10.27, 9.7.21.5: unsigned types"},
	{`  set\.(lo|ls|hi|hs)\.\S*b?f16\.u`, "us", "not-allowed", "9.7.8.1 does not list them"},
	{`  sust\.p\.\S*\.(wb|wt|cs|cg)`, "us", "not-allowed", "9.7.13.2: cache operators are for sust.b"},
	{`  testp\.f|  vote\.sync\.pred|  w?mma\.load\.[ab]\S*\.m16n16k16\.\w`, "us", "missing",
		"what is missing has no default"},
	{`  w?g?mma(_async|\.)|  wgmma\.\w+_group\.sync |  wgmma\.(fence|commit_group)\.sync;`, "us", "missing|not-allowed",
		"9.7.16, 9.7.17: the syntax has .aligned and types; ptxas overlooks types too many and .aligned missing"},
	{`  multimem\.(st|red)\.`, "us", "^modifier-not-allowed: `\\.(acc::f(16|32)|red)`", "9.7.10.15: .acc is for loads"},
	{`  tensormap\.`, "us", "^modifier-not-allowed: `\\.(b1024|rank|elemtype|\\w+_(mode|layout|stride|dim|address))`",
		"9.7.10.29: a field and .b1024 come once, and in tensormap.replace"},
	{`  fence\.proxy\.tensormap`, "us", "^modifier-not-allowed: `\\.(global|shared::\\w+)`",
		"9.7.15.4: spaces are for .async"},

	{` gvar\+4[,;]`, "us", `^bad-operand: (gvar is a variable|.* not gvar\+4$)`,
		"6.4.4: an address is an operand of mov; ptxas takes it where it is a sum"},
	{`.`, "us", `^bad-operand: .* is a register((, a constant)? or a( special register| constant))?, not (\{|%v2x1$)`,
		"tuples for scalars, in instructions that ptxas expands by macros"},
	{`  (\w+\.)*(b?f16|e\dm\d|tf32)(x2)?[. ]`, "us", "^bad-operand: .* is a register, not _$",
		"a result that is not wanted"},
	{`  mov\.v[248]\.`, "us", `is a tuple \{…\} or a special register, not`,
		"6.4.3: a vector moves to a vector; ptxas repeats a scalar"},
	{`  mov\.b128 `, "us", `^bad-operand`, "registers are what it is copied from"},
	{`  cvt\.(r[nz]\.\S*satfinite|rz\.relu|pack)`, "us", "^type-mismatch: .* bits where",
		"9.4.1 is for cvt's first lines"},
	{`  (bar|barrier)\S* .*0x100000000`, "us", "^bad-operand: .* is .* to ", "9.7.15.1: there are 16 barriers"},
	{`  (bar|barrier|vote|(mov|and|or|xor|not)\.pred|cvt)\S* .*%f16x2x1`, "us", "^type-mismatch: %f16x2x1",
		"a predicate is a predicate"},
	{`  atom\.\S*\.(and|or|xor|exch)\.b`, "us", "^operand-count: .*, 4 given",
		"9.7.15.5: as many operands as are described"},
	{`  red\.\S* _`, "us", "^bad-operand: .*, not _",
		"9.7.15.6: an address; ptxas reads it as a result that is not wanted"},
	{`  v(add|sub|absdiff|min|max|shl|shr|set)\.`, "us", "^operand-count",
		"9.7.20.1: a third operand wants a selector at d or an operation"},
	{`  fns`, "us", "^type-mismatch: .*\\((base|offset)\\)", "9.7.1.18: base and offset are integers"},

	{`  cp\.(reduce\.)?async\.bulk`, "us", "^bad-operand: .*( is an address| multiple of 16 from| cannot be negated)",
		"9.7.10.28.4: addresses are in brackets, sizes are multiples of 16; ptxas does not look"},
	{`  cp\.async\.bulk\.prefetch\.tensor\S*\.im2col `, "us", "^operand-count", "9.7.10.28.5.5: .im2col has offsets"},
	{`  mbarrier\.`, "us", "^bad-operand: .* is 1 to 1048575", "9.7.15.16.3: counts have a range"},
	{`  (st\.async|sust)\.`, "us", `^bad-operand: .* is a tuple \{…\}, not`,
		"9.7.10.12, 9.7.13.2: as many elements as .v2 and .v4 say"},
	{`  sured\.`, "us", "^type-mismatch: .* bits where", "9.7.13.3: as wide as the type; ptxas cuts"},
	{`  multimem\.`, "us", `^(bad-operand: .*, not |type-mismatch: .* declared)`,
		"9.7.10.15: a result is a register and what is stored too"},
	{`  createpolicy\.`, "us", "^bad-operand: .* it cannot be the constant", "9.7.10.21: a result is a register"},
	{`  setp\S*\.b?f16x2`, "us", `^bad-operand: .* is a pair p\|q`, "9.7.8.2: two halves compare into two predicates"},
	{`  setp?\.\S*\.bf16`, "us", "^(type-mismatch|bad-operand: .* cannot be negated)",
		"9.4: bfloat16 is in registers of bits"},
	{`  cvt\.\S*e\dm\dx2`, "us", "^type-mismatch: a floating-point constant", "4.5.2: no constants of half precision"},
	{`  (\w+\.)+bf16(x2)? `, "us", "^type-mismatch: .* is declared", "9.4: bfloat16 is in registers of bits"},
	{`  getctarank\.u`, "us", "^bad-operand: svar is a variable", "9.7.10.27: a register, without .shared::cluster"},
	{`  fence\.proxy\.tensormap`, "us", "cannot hold an address", "6.4.1: an address is no float"},
	{`\.v2\.f64 .*\{1,2\}`, "us", "^integer-for-float", "ptxas crashes"},

	{`  (w?g?mma\S*|ldmatrix\S*) _`, "us", `^(bad-operand: .* is a tuple \{…\}, not _$|operand-count: wgmma)`,
		"a product that is not wanted"},
	{`(mma|matrix)\S* .*%p0`, "us",
		"^(type-mismatch: %p0 is declared .pred|operand-count: wgmma|bad-operand: .* cannot be negated)",
		"a predicate is a predicate"},
	{`(mma|matrix)\S* .*%tid\.x`, "us", "^(bad-operand: .*%tid|operand-count: wgmma)",
		"chapter 10: mov and cvt read special registers"},
	{`  movmatrix\S* _`, "us", "^bad-operand", "a result that is not wanted"},
	{`(mma|matrix)\S* .*0f3F800000`, "us", "^bad-operand: .* is a register, not 0f3F800000", "9.7.16: registers alone"},
	{`  (mma\.sp|wgmma)\S* .*0x100000000`, "us", `^bad-operand: .* is (0|0 or 1|0 to \d+), not`,
		"9.7.16.6.1: a selector has a range; ptxas looks at 32 bits"},
	{`  mma\.sp\S*\.m16n8k32\S*\.f32\.f16\.f16\.f32 .*, [23];`, "us", "^bad-operand: .* is 0 or 1, not",
		"9.7.16.6.1: selectors 0 and 1, as ptxas has it for sums in .f16"},
	{`  mma\.sp\S*\.[su][48]\.`, "us", `^bad-operand: .* is a tuple \{…\}, not [%0]`,
		"9.7.16.6.3: a tuple; ptxas expands by macros"},
	{`  wmma\.mma\S*\.[su]4\.`, "us", `^bad-operand: .* is a tuple \{…\}, not \{(\d|WARP_SZ)`, "9.7.16.4.5: registers"},
	{`  w?mma\.\S*\.f64`, "us", "^(type-mismatch: %[us]64x|integer-for-float)",
		"9.7.16.5: registers of .f64; ptxas expands by macros"},

	{`  (bmsk|createpolicy|cvt\.(pack|rna)|match|mbarrier|redux|tensormap|wgmma)\S* .*(%f(32|64)x|\d\.\d|0[fd]3F)`,
		"ptxas", "^Arguments mismatch", "9.4, Table 26: bits agree with floats of their size"},
	{`  cvt\.\S*(e\dm\dx2|tf32|bf16)|  cvt\S* .*%b(64|128)x9`, "ptxas", "^Arguments mismatch",
		"9.4, 9.4.1: types agree by size, destinations may be wider"},
	{`  w?mma\.\S* .*\{([^}]*, ?)?(-?\d[\w.]*|WARP_SZ)\}`, "ptxas", "^(Arguments mismatch|Unexpected instruction types)",
		"constants fit A and B where they fit C"},
	{`  wmma\.`, "ptxas", "^Arguments mismatch for instruction '(mov|_mma)'",
		"what its macros make of integers for floats and of addresses of 16 bits"},
	{`  wmma\.mma\S*\.([su]4|b1)\.`, "ptxas", "^Arguments mismatch",
		"9.4, Table 26: bits agree with floats of their size"},
	{`  mma\.sp\S*e\dm\d`, "ptxas", "^Arguments mismatch for instruction '(add|mov)'",
		"what its macros make of integers for floats"},
	{`  (mma\.sp|wmma)\S* \{.*_\}`, "ptxas", "^(Result discard mode|Sink '_' not allowed)",
		"6.4.3: an element that is not wanted"},
	{`  cvt\.pack\S* .*%(tid\.x|clock64)`, "ptxas", "^Special register argument",
		"chapter 10: cvt reads special registers"},
	{`  setp?\.\S*b?f16(x2)?(\.\w+)? .*, (1|-1|0|65536|0x100000000|WARP_SZ);`, "ptxas", "^Arguments mismatch",
		"9.7.8.1: a constant can be a predicate"},
	{`  isspacep\S* %p0, (1\.0|0[fd]3F)`, "ptxas", "^Arguments mismatch", "harmless: no address is a float"},
	{`  istypep\.`, "ptxas", "^Arguments mismatch", "9.7.10.24: it asks what an address is"},
	{`  (tex\.\S*f16x2|match\.any)\S* .*_`, "ptxas", "^Result discard mode", "6.4.3: what is not wanted"},
	{`  multimem\.\S* .*%v2x1`, "ptxas", "^Vector of size 2 is expected", "6.4.3: a vector is a tuple"},
	{`  prefetchu\.L1 \[svar\]`, "ptxas", "^Non-generic", "harmless"},
	{`  (v\w+|vmad)\.\S* .*%v2x1\.x`, "ptxas", "^(Incorrect video selector|Arguments mismatch|Vector operand is not)",
		"9.7.20.1: ptxas takes .x for a selector"},
	{`\[64\]`, "ptxas", "^Immediate addresses allowed only", "6.4.1: a constant is an address"},
	{`%f16x2x`, "ptxas", "^Arguments mismatch", "9.4: as wide as what is there, and rarely declared"},
	{`%v2x1\.[xy]`, "ptxas", "^ptxas fatal   : Ptx assembly aborted",
		"6.4.3: parts of vectors are registers; the macros of ptxas stumble"},

	{`sm_12  .*\.f64`, "us", "needs-newer-target", "11.1.2: sm_12 has no double precision"},
	{`sm_20  .*\.shared::cta`, "us", "needs-newer-target", "::cta needs sm_30 wherever it is described"},
	{`  (bar\.cta\.|cp\.async\.c.\.shared::cta|lop3|madc|nanosleep|activemask|cvt\.pack|` +
		`membar\.proxy|fence\.proxy|neg\.ftz\.f16|mma\.sync\.aligned\.m8n8k4|mma\.sp::ordered|` +
		`cvt\.rn\.satfinite\.relu\.e4m3x2|cvt\.ftz\.f32\.bf16|txq\.num|tld4|` +
		`wgmma\.mma_async\.sp|multimem\.ld_reduce|rcp\.approx\.ftz\.f64|rsqrt\.approx\.ftz\.f64|atom\.global\.min|` +
		`sqrt\.rn\.f64|div\.rn\.f64|ldu\.global\.f64)`, "us", "needs-newer",
		"the section's notes say since when; ptxas is more generous, and no compiler writes them for less"},
	{`sm_10  (tex\.cube|suq\.memory)`, "us", "a register in the place", "9.7.12.3: sm_20 and PTX ISA 3.1"},
	{`sm_89  cvt\S*\.e[45]m[23]x2`, "ptxas", "requires",
		"9.7.10.24: sm_89 has them from PTX ISA 8.1, sm_90 from 7.8 on"},
	{`sm_10  bar\.cta\.sync %`, "ptxas", "requires .target sm_20",
		"9.7.15.1: a register as number requires sm_20; ptxas asks for it with .cta only, and no target of .cta is older"},
	{`sm_1.  ldu`, "ptxas", "requires .target sm_20", "9.7.10.10: ldu.f64 requires sm_13"},
	{`12 sm_10  subc?\.`, "ptxas", "1.3", "9.7.2.3: introduced in PTX ISA 1.2"},
	{`^14 sm_1.  cvt.*\.ftz`, "ptxas", "does not apply", "9.7.10.24 knows no such limit"},
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
