package docs

import (
	"warpscope/emu"
	"warpscope/ptx/isa"
)

// Row says what Warpscope does with something outside instructions, or with a modifier that changes nothing.
type Row struct{ Name, Section, Here string }

// Table is a table of the coverage matrix after those of instructions.
type Table struct {
	Title, What string
	Rows        []Row
}

// Outside are the tables of everything but instructions.
func Outside() []Table {
	var gaps []Row
	for _, g := range emu.FunctionGaps {
		gaps = append(gaps, Row{"functions `" + g.Prefix + "…`", "", "not emulated: " + g.Reason})
	}
	return []Table{
		{"Not emulated besides instructions", "what", gaps},
		{"Directives and declarations", "directive", Directives()},
		{"Options of .target", "option", targetOptions},
		{"Modifiers that change no result", "modifier", noEffect},
	}
}

// here is what becomes of each directive, declaration and lexical element, by its row in the table of directives.
var here = map[string]string{
	"version":      "decides which instructions exist; what is newer than it is refused",
	"target":       "decides which instructions exist; the highest of several is what runs",
	"address_size": "32 or 64 bits; the generic windows differ",
	"entry":        "can be launched",
	"func":         "can be called, also recursively",
	"alias":        "the same function by another name",
	"branchtargets": "an index beyond the list is a fault when it is used; " +
		"its labels may also come before it",
	"calltargets":   "checked against the call; a function that is not on the list can still be called",
	"callprototype": "checked against the call",
	"maxnreg":       "no effect: there is no limit to registers",
	"maxntid":       "a launch with more threads is refused",
	"reqntid":       "a launch with another shape is refused",
	"minnctapersm":  "no effect: there are no multiprocessors to share",
	"maxnctapersm":  "no effect: there are no multiprocessors to share",
	"noreturn": "no effect when it runs: " +
		"a function marked so can still return. Return parameters are refused",
	"pragma":                      "no effect: strings are for NVIDIA's backend, and unknown ones are ignored there too",
	"pragma.nounroll":             "no effect: nothing is unrolled",
	"pragma.used_bytes_mask":      "no effect: a load loads everything",
	"pragma.enable_smem_spilling": "no effect: nothing is spilled",
	"pragma.frequency":            "no effect: nothing is laid out by frequency",
	"pragma.mma_throughput":       "no effect: nothing is optimised",
	"abi_preserve":                "no effect: calls preserve every register",
	"abi_preserve_control":        "no effect: calls preserve every register",
	"minperctamemory": "each CTA of the grid has a slice: the size, rounded up to a multiple of 1024 bytes. " +
		"The slices of all CTAs follow one another",
	"dwarf":                          "skipped: no effect",
	"section":                        "skipped but for its braces: no effect",
	"file":                           "kept for programs that use the parser; no effect when it runs",
	"loc":                            "kept for programs that use the parser; no effect when it runs",
	"nv_intermediate_source_section": "skipped but for its structure: no effect",
	"loc_intermediate":               "kept for programs that use the parser; no effect when it runs",
	"extern": "dynamic shared memory as an array without size. Other variables are made here, all zero; " +
		"a call of a function without a body is refused",
	"visible":           "no effect: there is one module, in which everything can be seen",
	"weak":              "no effect: there is no other module that it could give way to",
	"common":            "no effect: there is no other module to share the variable with",
	"reqnctapercluster": "a launch with another shape is refused",
	"explicitcluster":   "a launch without a cluster shape is refused",
	"maxclusterrank":    "a launch with larger clusters is refused",
	"blocksareclusters": "the grid of a launch counts clusters",
	"language":          "no effect: a function is what its text says",
	"reg":               "each thread has its own, zero before it is written; the page tells which lanes have written it",
	"sreg":              "read by mov and cvt",
	"const":             "read-only; .const[bank] is one memory with the rest",
	"global":            "one memory for all threads, zero where nothing else is said",
	"local":             "each thread has its own",
	"param.kernel":      "the arguments of a launch",
	"param.ptr":         "the page proposes an array of that alignment; nothing else depends on it",
	"param.func":        "passed by value",
	"shared":            "each CTA has its own",
	"tex":               "the same as .global .texref",
	"types":             "all of them",
	"vectors":           "all of them",
	"initializers":      "all of them, with generic() and mask()",
	"align":             "kept to",
	"paramnames":        "all of them, made when they are first named",
	"attribute.managed": "no effect: host and device see one memory anyway",
	"attribute.unified": "no effect: host and device see one memory anyway",
	"texref":            "bound to textures, samplers and surfaces at launch",
	"comments":          "skipped",
	"preprocessor":      "#line and other lines that cpp leaves are skipped; #define, #include and #if are refused",
	"constants":         "computed in 64 bits",
}

// Directives are the rows of everything outside instructions, in the table's order.
func Directives() []Row {
	var out []Row
	for _, d := range isa.Directives() {
		name := "`" + d.Name + "`"
		if d.ID == "pragma" || d.Name != ".pragma" {
			out = append(out, Row{name, d.Section, here[d.ID]})
			continue
		}
		out = append(out, Row{name + " `" + d.Syntax + "`", d.Section, here[d.ID]})
	}
	return out
}

// Explained is how many directives have an explanation.
func Explained() int { return len(here) }

// targetOptions are the words of .target that do not name an architecture (11.1.2).
var targetOptions = []Row{
	{"`texmode_unified`", "11.1.2", "no effect: tex takes a sampler of its own, or the texture's, in either mode"},
	{"`texmode_independent`", "11.1.2", "no effect: tex takes a sampler of its own, or the texture's, in either mode"},
	{"`debug`", "11.1.2", "no effect when it runs; from PTX ISA 3.0 on a module without DWARF data is refused"},
	{"`map_f64_to_f32`", "11.1.2", "allows .f64 instructions on sm_10 to sm_12, and is refused from sm_13 on. No effect " +
		"when it runs: they compute in double precision, and a warning says so. The manual leaves open which half of the " +
		"storage is used and how products and quotients round"},
}

// noEffect are modifiers that are accepted and change no result here. Instructions without effect are marked in the
// tables of instructions.
var noEffect = []Row{
	{"`.ca` `.cg` `.cs` `.lu` `.cv` `.wb` `.wt`", "9.7.10.1", "there are no caches"},
	{"`.L1::…` `.L2::…` and cache-policy operands", "9.7.10.2", "there are no caches"},
	{"`.nc`", "9.7.10.9", "there are no caches: the load reads what is in memory now. racecheck reports what the grid " +
		"has written"},
	{"`.weak` `.relaxed` `.acquire` `.release` `.acq_rel` `.sc`", "8.4",
		"memory is sequentially consistent. racecheck goes by them, and loads that are not weak mark loops in which " +
			"lanes may wait for others"},
	{"`.cta` `.cluster` `.gpu` `.sys` as scopes", "8.5",
		"every thread sees every access when it happens. racecheck goes by them"},
	{"`.volatile` `.mmio`", "8.4", "every access is performed. racecheck goes by them, and such loads mark loops in " +
		"which lanes may wait for others"},
	{"`.unified` after an address", "9.7.10.8", "host and device see one memory anyway"},
	{"`.noftz`", "9.7.15.5", "says what half-precision atomics do anyway"},
	{"`.aligned` on anything but bar, barrier and barrier.cluster", "9.7.16",
		"these instructions wait for the warp anyway"},
	{"`.cta` of bar and barrier", "9.7.15.1", "says what they do anyway"},
	{"`.collector::…`", "9.7.18.10", "matrices are read from where they are"},
	{"suspendTimeHint of mbarrier.try_wait", "9.7.15.16.19", "no time passes"},
}
