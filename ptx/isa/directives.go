package isa

import "strings"

// Directive is one row of what is not an instruction: directives, declarations and lexical elements.
type Directive struct {
	ID      string // stable key, as in docs/coverage.md
	Name    string // as written: ".maxntid"; for rows without a word of their own, what it is called
	Section string
	Syntax  string // what follows the name
	Version int    // first PTX ISA version, times ten
	SM      int    // lowest target
	Tier    int
	Summary string
}

// directives are the rows in the order of chapter 11, then those of chapters 5 and 4.
var directives = []Directive{
	{"version", ".version", "11.1.1", "major.minor", 10, 10, 1,
		"Names the PTX ISA version; the first directive of a module."},
	{"target", ".target", "11.1.2", "sm_XX[a|f], texmode_*, debug, map_f64_to_f32", 10, 10, 1,
		"Names the target architecture and its options; right after .version."},
	{"address_size", ".address_size", "11.1.3", "32|64", 23, 10, 1,
		"Width of addresses: 32 bits, also when absent, or 64."},
	{"entry", ".entry", "11.2.1", "name (params) body", 10, 10, 1, "Defines a kernel."},
	{"func", ".func", "11.2.2", "(ret) name (params) body", 10, 10, 1, "Declares or defines a device function."},
	{"alias", ".alias", "11.2.3", "fAlias, fAliasee;", 63, 30, 2, "Gives a function a second name."},
	{"branchtargets", ".branchtargets", "11.3.1", "label list", 21, 20, 1,
		"Lists the labels that a brx.idx can branch to."},
	{"calltargets", ".calltargets", "11.3.2", "function list", 21, 20, 3,
		"Lists the functions that an indirect call can reach."},
	{"callprototype", ".callprototype", "11.3.3", "(ret) _ (params)", 21, 20, 3,
		"Gives the signature of an indirect call."},
	{"maxnreg", ".maxnreg", "11.4.1", "n", 13, 10, 1, "Limits the registers per thread."},
	{"maxntid", ".maxntid", "11.4.2", "nx{,ny{,nz}}", 13, 10, 1,
		"Bounds the number of threads of a CTA: the product of the numbers."},
	{"reqntid", ".reqntid", "11.4.3", "nx{,ny{,nz}}", 21, 10, 1,
		"Fixes the shape of the CTA: other launches are refused."},
	{"minnctapersm", ".minnctapersm", "11.4.4", "n", 20, 10, 1,
		"Asks for at least so many CTAs on a multiprocessor; a hint."},
	{"maxnctapersm", ".maxnctapersm", "11.4.5", "n", 13, 10, 4, "Deprecated: an occupancy hint."},
	{"noreturn", ".noreturn", "11.4.6", "", 64, 30, 2, "Promises that the function does not return."},
	{"pragma", ".pragma", "11.4.7", `"string"`, 20, 10, 1,
		"Passes a hint to the backend, at module, entry or statement level."},
	{"pragma.nounroll", ".pragma", "12.1", `"nounroll"`, 20, 20, 1, "Asks for a loop not to be unrolled."},
	{"pragma.used_bytes_mask", ".pragma", "12.2", `"used_bytes_mask mask"`, 83, 50, 2,
		"Says which bytes of the next load are used."},
	{"pragma.enable_smem_spilling", ".pragma", "12.3", `"enable_smem_spilling"`, 90, 75, 3,
		"Allows registers to be spilled to shared memory."},
	{"pragma.frequency", ".pragma", "12.4", `"frequency n"`, 90, 10, 3, "Says how often a block is executed."},
	{"pragma.mma_throughput", ".pragma", "12.5", `"mma_throughput"`, 93, 10, 3,
		"Asks for loops of a kernel to be optimised for matrix products."},
	{"abi_preserve", ".abi_preserve", "11.4.8", "N", 90, 80, 3,
		"Number of registers that the function preserves for its caller."},
	{"abi_preserve_control", ".abi_preserve_control", "11.4.9", "N", 90, 80, 3,
		"Number of control registers that the function preserves for its caller."},
	{"minperctamemory", ".minperctamemory", "11.4.10", "size", 94, 80, 3,
		"Asks for global memory of each CTA's own, of at least so many bytes."},
	{"dwarf", "@@DWARF", "11.5.1", "dwarf strings", 12, 10, 4, "Debug data of PTX 1.x."},
	{"section", ".section", "11.5.2", "name { data }", 20, 10, 1, "Holds a section of DWARF debug data."},
	{"file", ".file", "11.5.3", `index "name"{, time, size}`, 10, 10, 1, "Gives a number to a source file for .loc."},
	{"loc", ".loc", "11.5.4", "file line col{, function_name .., inlined_at ..}", 10, 10, 1,
		"Source file, line and column of the instructions that follow."},
	{"loc_intermediate", ".loc_intermediate", "11.5.5", "file line col", 94, 10, 3,
		"Place in the intermediate language of the instruction that follows; right after its .loc."},
	{"nv_intermediate_source_section", ".nv_intermediate_source_section", "11.5.6",
		"{ .code_block { .ir_name: \"name\" .sourceFileName: file .source_begin text .source_end } .. }", 94, 10, 3,
		"Holds the source of intermediate languages."},
	{"extern", ".extern", "11.6.1", "identifier", 10, 10, 1,
		"The symbol is defined in another module, or is dynamic shared memory."},
	{"visible", ".visible", "11.6.2", "identifier", 10, 10, 1, "The symbol can be used from other modules."},
	{"weak", ".weak", "11.6.3", "identifier", 31, 10, 2, "The symbol gives way to one that is not weak."},
	{"common", ".common", "11.6.4", "identifier", 50, 20, 3, "Variables of this name in several modules become one."},
	{"reqnctapercluster", ".reqnctapercluster", "11.7.1", "nx{,ny{,nz}}", 78, 90, 3,
		"Fixes the shape of the cluster in CTAs."},
	{"explicitcluster", ".explicitcluster", "11.7.2", "", 78, 90, 3, "The launch has to name a cluster shape."},
	{"maxclusterrank", ".maxclusterrank", "11.7.3", "n", 78, 90, 3, "Bounds the number of CTAs in a cluster."},
	{"blocksareclusters", ".blocksareclusters", "11.8.1", "", 90, 90, 3,
		"The grid of a launch counts clusters, not CTAs."},
	{"language", ".language", "11.8.2", `"name"|code, ..`, 93, 10, 3,
		"Names the languages that a function was written in."},
	{"reg", ".reg", "5.1.1", "type names, %r<n>", 10, 10, 1, "Declares registers; %r<100> declares %r0 to %r99."},
	{"sreg", ".sreg", "5.1.2", "predefined", 10, 10, 1, "The space of the predefined, read-only special registers."},
	{"const", ".const", "5.1.3.1", ".align type name[] = init", 10, 10, 1,
		"Declares constant variables: read-only for kernels, at most 64 KB."},
	{"global", ".global", "5.1.4", ".align .attribute type name[] = init", 10, 10, 1,
		"Declares variables in global memory, which all threads share."},
	{"local", ".local", "5.1.5", ".align type name[]", 10, 10, 1,
		"Declares variables in memory of the thread alone: its stack."},
	{"param.kernel", ".param", "5.1.6.1", "in .entry list", 10, 10, 1,
		"Declares a parameter of a kernel; kernels only read it."},
	{"param.ptr", ".param .ptr", "5.1.6.3", ".space .align N", 22, 10, 1,
		"Says what a pointer parameter points to: state space and alignment."},
	{"param.func", ".param", "5.1.6.4", "in .func list or local", 20, 20, 1,
		"Declares a parameter or result of a device function, or room for the arguments of a call."},
	{"shared", ".shared", "5.1.7", ".align type name[]", 10, 10, 1, "Declares variables in memory that the CTA shares."},
	{"tex", ".tex", "5.1.8", ".u32/.u64 name", 10, 10, 4, "Deprecated: declares a texture."},
	{"types", "fundamental types", "5.2.1", ".s8-.s64 .u8-.u64 .f16 .f16x2 .f32 .f64 .b8-.b128 .pred", 10, 10, 1,
		"The types of registers, variables and instructions."},
	{"vectors", ".v2 .v4", "5.4.2", "any fundamental type up to 128 bits", 10, 10, 1,
		"Makes a variable a vector of two or four elements."},
	{"initializers", "= { ... }", "5.4.4", "const and global only", 10, 10, 1,
		"Initial value of a variable in .const or .global; generic(x) is a generic address, mask(x) picks bits of one."},
	{"align", ".align", "5.4.5", "power of two", 10, 10, 1, "Aligns a variable to a power of two in bytes."},
	{"paramnames", "name<n>", "5.4.6", "", 10, 10, 1, "Declares n names, from name0 to name(n-1)."},
	{"attribute.managed", ".attribute .managed", "5.4.8", "(.managed)", 40, 30, 3,
		"The variable lies in unified memory, which the host can use as well."},
	{"attribute.unified", ".attribute .unified", "5.4.8", "(.unified(u1, u2))", 80, 90, 4,
		"The variable or function has the same address on the host and on all devices."},
	{"texref", ".texref .samplerref .surfref", "5.3.2", "opaque", 15, 10, 4,
		"Opaque handles of textures, samplers and surfaces."},
	{"comments", "// and /* */", "4.2", "", 10, 10, 1, "Comments reach to the end of the line, or between the marks."},
	{"preprocessor", "#define #include #if #line ...", "4.1", "", 10, 10, 2,
		"Lines that begin with # belong to the C preprocessor."},
	{"constants", "integer, float (0f/0d), predicate constants", "4.5.1", "", 10, 10, 1,
		"Numbers, and expressions of them, are computed in 64 bits; 0f and 0d give the bits of a float."},
}

// Directives returns the rows. They are shared: do not change them.
func Directives() []Directive { return directives }

// LookupDirective finds the rows of a word such as ".param": several when it means different things in different
// places.
func LookupDirective(word string) []Directive {
	var out []Directive
	for _, d := range directives {
		for _, name := range strings.Fields(d.Name) {
			if name == word {
				out = append(out, d)
				break
			}
		}
	}
	return out
}
