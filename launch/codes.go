package launch

import (
	"slices"

	"warpscope/ptx"
)

// Code documents one kind of diagnostic of this package.
type Code struct {
	Name    string
	Summary string
	Example string // a module whose launch has it
}

// kernel is the module that the examples launch.
const kernel = `.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 n)
{
    ret;
}
`

// Codes are the diagnostics of launch headers. A test runs the examples.
var Codes = []Code{
	{"header-syntax", "A header line does not have the form its key requires (see the package comment of launch).",
		"//@ arg\n" + kernel},
	{"header-key", "A header line starts with a word that is not a key.",
		"//@ blok 32\n" + kernel},
	{"header-duplicate", "A key, or an argument, is in the header twice.",
		"//@ grid 1\n//@ grid 2\n" + kernel},
	{"header-word", "A word that model, engine or sanitize does not know.",
		"//@ model queue\n" + kernel},
	{"header-shape", "A grid, block or size of shared memory is malformed or beyond the limits of the machine.",
		"//@ block 2048\n" + kernel},
	{"header-type", "An argument's type or dimensions are unknown, or do not fit an image.",
		"//@ arg n u33 = 1\n" + kernel},
	{"header-value", "A value is malformed or does not fit its type, or there are too many.",
		"//@ arg n u32 = -1\n" + kernel},
	{"header-memory", "The buffers need more memory than the device has.",
		"//@ arg out f32[1000000000]\n//@ arg n u32 = 1\n" + kernel},
	{"header-entry", "There is no such kernel, or none at all, or it has no body.",
		"//@ entry j\n" + kernel},
	{"header-argument", "The arguments do not fit the kernel's parameters: one is missing, unknown, or of the wrong size.",
		"//@ arg out f32[32]\n" + kernel},
	{"header-tensormap", "A tensor map is malformed, does not fit its buffer, or is one that the driver would refuse.",
		"//@ buffer x f16[64,64]\n//@ tensormap out = x box 16,3000\n//@ arg n u32 = 1\n" + kernel},
	{"header-texture", "A texture, surface or sampler is malformed or does not fit its buffer.",
		"//@ buffer i u8[64,64]\n//@ texture out = i filter linear\n//@ arg n u32 = 1\n" + kernel},
	{"header-symbol", "A symbol line names no .global or .const variable of the module, or one of another size.",
		"//@ symbol c u32 = 1\n//@ arg out f32[32]\n//@ arg n u32 = 1\n" + kernel},
	{"header-expect", "An expectation is malformed or about something that the launch does not have.",
		"//@ arg out f32[32]\n//@ arg n u32 = 1\n//@ expect out[32] == 1\n" + kernel},
	{"header-shared", "Warning: the kernel uses an unsized shared array, and the header says nothing of dynamic shared " +
		"memory. Remark: there is no header, and the array gets all that there is.",
		"//@ block 64\n.version 6.4\n.target sm_70\n.extern .shared .b8 tile[];\n" +
			".entry k { .reg .b32 %r; ld.shared.b32 %r, [tile]; ret; }\n"},
	{"header-late", "Warning: a header line is after the first directive, where it is not read.",
		"//@ arg out f32[32]\n//@ arg n u32 = 1\n" + kernel + "//@ block 64\n"},
	{"header-unseen", "Remark: sanitize asks for racecheck, and the program has instructions whose accesses that does " +
		"not look at.",
		"//@ sanitize racecheck\n.version 8.6\n.target sm_100\n.address_size 64\n.entry k { .reg .b64 %n; " +
			".shared .b8 b[16]; mov.b64 %n, 16; st.bulk.shared::cta [b], %n, 0; ret; }\n"},
	{"launch-refused", "The machine refuses the launch: its shape contradicts the kernel's directives, for example.",
		"//@ block 64\n.version 6.4\n.target sm_70\n.entry k .reqntid 32 { ret; }\n"},
}

// Owns says whether a code is one of these: the PTX may be right, but not its launch.
func Owns(code string) bool {
	return slices.ContainsFunc(Codes, func(c Code) bool { return c.Name == code })
}

// OnlyTheLaunch says whether a module could be launched in another way.
func OnlyTheLaunch(errs ptx.Diagnostics) bool {
	return len(errs) > 0 && !slices.ContainsFunc(errs, func(d ptx.Diagnostic) bool { return !Owns(d.Code) })
}
