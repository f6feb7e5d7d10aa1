package machine

import (
	"slices"

	"warpscope/emu/simt"
)

// Divergence chooses how lanes of a warp that branch apart are scheduled: a row of Models.
type Divergence uint8

// The divergence models that other code names.
const (
	Auto        Divergence = iota // by .target: see ByTarget
	Stack                         // a SIMT stack: lanes that branch apart wait for each other
	Independent                   // independent thread scheduling: every lane makes progress
)

func (d Divergence) String() string { return Models[d].Name }

// ByTarget is the model of hardware with this compute capability, such as 70 for sm_70: independent thread scheduling
// from there on (3.2).
func ByTarget(sm int) Divergence {
	if sm < 70 {
		return Stack
	}
	return Independent
}

// Model is what there is to say of a divergence model. Its policy is in a file of its own.
type Model struct {
	Name  string // in launch headers, links and attributes, and on the command line
	Label string // in the launch form

	// Progress: each group of lanes that is apart from others goes on by itself. Without it lanes are entries of a stack
	// whose top alone runs, and the lanes of a warp run in step.
	Progress bool

	Elsewhere           string // what lanes do that are not at the next instruction
	Tab                 string // of the panel that shows the entries, or groups
	Title, Order, Table string // its title, how it is sorted, and both for those who hear it

	policy func() policy // makes that of a warp
}

// Models are the divergence models by their Divergence. Auto is the choice of one.
var Models = []Model{
	Auto: {Name: "auto", Label: "by .target"},
	Stack: {
		Name: "stack", Label: "SIMT stack", Elsewhere: "waiting on the stack",
		Tab: "Stack", Title: "SIMT stack", Order: "top first", Table: "SIMT stack, top first",
		policy: simt.NewStack[*Frame],
	},
	Independent: {
		Name: "independent", Label: "independent", Elsewhere: "in another group", Progress: true,
		Tab: "Groups", Title: "Groups of lanes", Order: "independent, running first",
		Table:  "Groups of lanes, the running one first",
		policy: simt.NewIndependent[*Frame],
	},
}

// Divergences are the models that a program can choose from, in the order of Models.
func Divergences() (list []Divergence) {
	for d := Auto + 1; int(d) < len(Models); d++ {
		list = append(list, d)
	}
	return list
}

// ModelNames are their names.
func ModelNames() (names []string) {
	for _, d := range Divergences() {
		names = append(names, d.String())
	}
	return names
}

// ModelNamed finds the model of a name.
func ModelNamed(name string) (d Divergence, ok bool) {
	i := slices.Index(ModelNames(), name)
	return Divergence(i + 1), i >= 0
}
