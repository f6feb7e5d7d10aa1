package ptx

// codeInfo documents a diagnostic code: its severity, the section of the manual that usually decides, one sentence,
// and a module that produces it. A test runs every example.
type codeInfo struct {
	severity    Severity
	section     string
	Description string
	Example     string // a module; or, when it does not begin with ".version", the body of a kernel, see exampleModule
}

// exampleHead and exampleTail surround examples that are bodies.
const exampleHead = `.version 8.0
.target sm_80
.address_size 64
.global .b32 g[4];
.const .b32 c;
.func (.param .b32 r) twice(.param .b32 a) { ret; }
.visible .entry k(.param .u64 p)
{
	.reg .pred %p<4>; .reg .b8 %rc<4>; .reg .b16 %rs<4>; .reg .b32 %r<8>; .reg .u32 %u<4>; .reg .f32 %f<8>;
	.reg .b64 %rd<8>; .reg .f64 %fd<4>; .reg .v4 .f32 %v;
	.shared .b32 s[4];
`
const exampleTail = "\n\tret;\n}\n"

// exampleModule is the full text of an example.
func (c codeInfo) exampleModule() string {
	if len(c.Example) > 8 && c.Example[:8] == ".version" || c.Example == "" || c.Example[0] == '#' {
		return c.Example
	}
	return exampleHead + "\t" + c.Example + exampleTail
}

const head = ".version 8.0\n.target sm_80\n.address_size 64\n"

// codes is the table of every diagnostic code of this package.
var codes = map[string]codeInfo{
	// Text and structure.
	"bad-character":        {Error, "4.1", "Bytes that are not PTX.", "mov.u32 %r1, `1;"},
	"unterminated-comment": {Error, "4.2", "A /* without its */.", head + "/* no end"},
	"unterminated-string":  {Error, "4.2", "A string without its closing quote.", ".pragma \"nounroll;\n;"},
	"preprocessor": {Error, "4.1", "A directive that needs the C preprocessor.",
		"#define N 4\n" + head},
	"syntax":            {Error, "4.3", "Something else was expected here.", "add.u32 %r1 %r2, %r3;"},
	"missing-semicolon": {Error, "4.3.2", "A statement without its semicolon.", "mov.u32 %r1, 1\n\tret;"},
	"unclosed-brace":    {Error, "9.7.14.1", "A { without its }.", head + ".entry k() {\n\tret;\n"},
	"nesting-too-deep":  {Error, "", "More levels of nesting than any program has.", deepExample},
	"too-many-errors":   {Error, "", "Parsing stopped after the limit of errors.", manyExample},
	"too-large": {Error, "", "A file, variable or initialiser beyond all bounds.",
		head + ".global .b8 x[1099511627776][2];"},
	"bad-number": {Error, "4.5.1", "An invalid number.", "mov.u32 %r1, 0xfgh;"},
	"bad-expression": {Error, "4.5.5", "A constant expression that cannot be evaluated.",
		"mov.f32 %f1, 0F3f800000+1;"},
	"bad-value": {Error, "", "A constant outside the allowed range.",
		".version 8.0\n.target sm_80\n.address_size 16\n"},

	// Module directives.
	"cuda-source": {Error, "4.1", "A text in CUDA C++.",
		"#include <cuda.h>\n__global__ void k(int *a) { *a = 1; }\n"},
	"machine-code": {Error, "4.1", "A text in SASS, as cuobjdump -sass writes it.",
		"# cuobjdump -sass k.cubin\n        /*0000*/                   MOV R1, c[0x0][0x28] ;\n"},
	"python-source": {Error, "4.1", "A text in Python, such as a kernel of Triton.",
		"# a kernel\n@triton.jit\ndef k(a):\n    pass\n"},
	"llvm-source": {Error, "4.1", "A text in LLVM's intermediate language.",
		"# k.ll\ndefine ptx_kernel void @k() {\n  ret void\n}\n"},
	"no-version": {Error, "11.1.1", "A module that does not begin with .version.",
		"#comment\n.target sm_80\n"},
	"second-version": {Error, "11.1.1", "More than one .version.", head + ".version 8.1\n"},
	"future-version": {Warning, "11.1.1", "A version newer than any known here.",
		".version 9.9\n.target sm_80\n"},
	"future-target": {Warning, "11.1.2", "A target newer than any known here.",
		".version 9.4\n.target sm_130\n"},
	"no-target":      {Error, "11.1.2", "A module without .target.", ".version 8.0\n.global .u32 x;"},
	"unknown-target": {Error, "11.1.2", "Not a target or an option of .target.", ".version 8.0\n.target sm_81\n"},
	"unknown-directive": {Error, "4.3.1", "Not a directive, or not allowed here.",
		head + ".entri k() { ret; }"},
	"outside-function": {Error, "11.2", "An instruction at module scope.", head + "add.u32 a, b, c;"},
	"bad-directive": {Error, "11.4", "A directive that does not belong to this function.",
		head + ".func f() .maxntid 32 { ret; }"},
	"needs-directive": {Error, "11.4.10", "A special register of kernels that have a certain directive.",
		".version 9.4\n.target sm_80\n.entry k() { .reg .b32 n; mov.u32 n, %perctamemorysize; ret; }"},
	"bad-alias": {Error, "11.2.3", "An .alias that breaks the rules for aliases.",
		head + ".func g(); .alias f, g;"},
	"bad-linkage": {Error, "11.6", "A linking directive in the wrong place.",
		head + ".common .shared .u32 x;"},
	"minnctapersm-alone": {Warning, "11.4.4", ".minnctapersm without the CTA's size.",
		head + ".entry k() .minnctapersm 2 { ret; }"},
	"needs-newer-version": {Error, "", "A feature of a later PTX version than .version says.",
		".version 6.0\n.target sm_80\n"},
	"needs-newer-target": {Error, "11.1.2", "A feature that the .target does not have.",
		".version 8.0\n.target sm_20\n.func f() .noreturn { exit; }"},
	"removed-instruction": {Error, "", "A legacy instruction that this version and target no longer have.",
		"shfl.idx.b32 %r1, %r2, 0, 31;"},

	// Declarations.
	"bad-declaration": {Error, "5.4", "A declaration that breaks a rule of chapter 5.", ".local .pred q;"},
	"unknown-type":    {Error, "5.2.1", "Not a type or a state space.", ".reg .int x;"},
	"bad-alignment": {Error, "5.4.5", "An alignment that is not a power of two.",
		head + ".global .align 3 .b8 x[4];"},
	"bad-initializer": {Error, "5.4.4", "An initialiser that does not fit its variable.",
		head + ".global .u32 x[2] = {1, 2, 3};"},
	"duplicate-name": {Error, "5.4.1", "A name declared twice in one scope.", ".reg .u32 %r1;"},
	"reserved-name":  {Warning, "4.4", "A predefined name declared again.", ".reg .u32 %tid;"},
	"too-many-parameters": {Error, "11.2.1", "Kernel parameters larger than the version allows.",
		head + ".entry k(.param .b8 x[5000]) { ret; }"},
	"signature-mismatch": {Error, "7.1", "A call or declaration that does not fit the function.",
		"call (%r1), twice, (%r2, %r3);"},

	// Names.
	"undeclared": {Error, "4.4", "A name that is not declared.", "mov.u32 %r1, %q9;"},
	"undeclared-function": {Warning, "7.1", "A call of a function that the module neither declares nor defines.",
		"call (%r1), nowhere, (%r2);"},
	"undefined-label": {Error, "6.4.4", "A branch to a label that is not visible here.", "bra NOWHERE;"},
	"bad-component":   {Error, "6.4.3", "A component that the vector does not have.", "mov.f32 %f1, %f2.x;"},

	// Instructions.
	"unknown-instruction": {Error, "4.3.2", "Not an instruction of PTX ISA 9.4.",
		"addd.u32 %r1, %r2, %r3;"},
	"modifier-not-allowed": {Error, "", "A modifier that the instruction does not have.",
		"add.ftz.s32 %r1, %r2, %r3;"},
	"modifier-missing": {Error, "", "An instruction without a modifier that it must have.",
		"setp.u32 %p1, %r1, %r2;"},
	"operand-count": {Error, "", "Too few or too many operands.", "add.u32 %r1, %r2;"},
	"bad-operand":   {Error, "", "An operand of the wrong kind.", "add.u32 5, %r1, %r2;"},
	"type-mismatch": {Error, "9.4", "A register or constant whose type does not agree.",
		"add.f32 %f1, %f2, %u1;"},
	"bad-guard": {Error, "9.3", "A guard that is not a predicate register.", "@%r1 mov.u32 %r2, 1;"},
	"wrong-space": {Error, "5.1", "A variable accessed through another state space.",
		"ld.shared.u32 %r1, [g];"},
	"read-only-space": {Error, "5.1.3", "A store to memory that cannot be written.",
		"st.const.u32 [c], %r1;"},
	"parameter-access": {Error, "5.1.6.4",
		"A store to a parameter that is only read, or a load from one that is only written.",
		"st.param.u64 [p], %rd1;"},
	"out-of-bounds":            {Warning, "6.4.2", "A constant index outside the array.", "mov.u64 %rd1, g[9];"},
	"special-register-operand": {Error, "10", "A special register outside mov and cvt.", "add.u32 %r1, %tid.x, 1;"},
	"use-bit-type": {Error, "", "An arithmetic type where the instruction, or memory, has only bit-size types.",
		"and.u32 %r1, %r2, %r3;"},
	"cvt-no-rounding": {Error, "9.7.10.24", "A rounding modifier on an exact conversion.",
		"cvt.rn.f32.f16 %f1, %rs1;"},
	"cvt-needs-rounding": {Error, "9.7.10.24", "A conversion that rounds, without saying how.",
		"cvt.f32.s32 %f1, %r1;"},

	"bad-target-option": {Error, "11.1.2", "An option of .target that does not go with the module.",
		".version 8.0\n.target sm_80, map_f64_to_f32\n"},

	// Lints.
	"double-precision-kept": {Warning, "11.1.2", "Double precision in a module that maps it to single precision.",
		".version 1.4\n.target sm_10, map_f64_to_f32\n.entry k() { .reg .f64 %d<3>; add.f64 %d0, %d1, %d2; exit; }\n"},
	"guarded-block": {Warning, "9.7.14.2", "A guard on an instruction block.", "@%p1 { mov.u32 %r1, 1; }"},
	"integer-for-float": {Warning, "4.5.4", "An integer constant for a floating-point operand.",
		"setp.eq.f32 %p1, %f1, 0;"},
	"constant-truncated": {Warning, "4.5.1", "A constant wider than its type.", "mov.u16 %rs1, 70000;"},
	"shfl-clamp": {Warning, "9.7.10.6", "A shfl whose clamp keeps lanes from reading others.",
		"shfl.sync.down.b32 %r1, %r2, 1, 32, 0xffffffff;"},
	"empty-mask": {Warning, "9.7.10.6", "A member mask that names no lane.", "bar.warp.sync 0;"},
	"generic-variable": {Warning, "6.4.1", "A variable's name in an access without state space.",
		"ld.u32 %r1, [s];"},
	"narrow-address": {Warning, "6.4.1", "A 32-bit register for a generic or global address in a module of 64 bits.",
		"ld.global.u32 %r1, [%r2];"},
	"unified-missing": {Warning, "9.7.10.8", "A load from a variable in unified memory that does not say so.",
		".version 8.0\n.target sm_90\n.address_size 64\n.global .attribute(.unified(1, 2)) .f32 x;\n" +
			".entry k() { .reg .f32 %f; ld.global.f32 %f, [x]; }"},
	"misaligned-constant": {Warning, "6.4.1", "A constant address that is not aligned to the access.",
		"ld.global.u32 %r1, [g+2];"},
	"access-past-end": {Warning, "6.4.1", "A constant offset outside the variable.",
		"ld.global.u32 %r1, [g+16];"},
	"shift-amount": {Warning, "9.7.9.8", "A constant shift by the width or more.", "shl.b32 %r1, %r2, 32;"},
	"too-much-constant": {Warning, "5.1.3", "More constant memory than a GPU has.",
		head + ".const .b8 x[65536]; .const .b8 y;"},
	"too-much-shared": {Warning, "5.1.7", "More shared variables than a CTA gets.",
		head + ".entry k() { .shared .b32 s[12289]; ret; }"},
	"duplicate-element": {Warning, "6.4.3", "One register twice in a destination tuple.",
		"ld.global.v2.u32 {%r1, %r1}, [%rd1];"},
	"unreachable": {Info, "", "Instructions that nothing can reach.", "bra L; mov.u32 %r1, 1; L:"},
}

// Codes lists every code with its description, for the documentation.
func Codes() map[string]string {
	m := map[string]string{}
	for code, c := range codes {
		m[code] = c.Description
	}
	return m
}

var deepExample = head + ".entry k() " + repeat("{", 300)
var manyExample = head + ".entry k() {\n" + repeat("add.u32;\n", maxDiagnostics+1) + "}"

func repeat(s string, n int) string {
	b := make([]byte, 0, len(s)*n)
	for range n {
		b = append(b, s...)
	}
	return string(b)
}
