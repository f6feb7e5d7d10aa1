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
	Frontier                      // thread frontiers: the lanes that are first in the text run
)

// String returns the model's name.
func (d Divergence) String() string { return Models[d].Name }

// ByTarget returns the model of hardware with a compute capability, such as 70 for sm_70: independent thread scheduling
// from there on (3.2).
func ByTarget(sm int) Divergence {
	if sm < 70 {
		return Stack
	}
	return Independent
}

// Model is a divergence model as headers, links and the page name and describe it. Its policy is in a file of its own.
type Model struct {
	Name  string // in launch headers, links and attributes, and on the command line
	Label string // in the launch form

	// Progress says that each group of lanes that is apart from others goes on by itself. Without it, groups are entries
	// of a stack, of which only the top runs, and the lanes of a warp run in step.
	Progress bool

	// Groups says that the entries are groups: no lane is in two, and lanes at a barrier wait there while the others of
	// their warp go on. On a stack the whole warp waits, and lower entries hold the lanes of those above.
	Groups bool

	// jumps says that the policy looks at each branch that is taken, those that all lanes take included.
	jumps bool

	Elsewhere           string // what the lanes do that are not at the next instruction
	Tab                 string // label of the tab of the panel that shows the entries, or groups
	Title, Order, Table string // the panel's title, its order, and both as a screen reader says them

	policy func() policy // makes the policy of a warp
}

// Models are the divergence models, indexed by their Divergence. Auto chooses one of the others.
var Models = []Model{
	Auto: {Name: "auto", Label: "by .target"},
	Stack: {
		Name: "stack", Label: "SIMT stack", Elsewhere: "waiting on the stack",
		Tab: "Stack", Title: "SIMT stack", Order: "top first", Table: "SIMT stack, top first",
		policy: simt.NewStack[*Frame],
	},
	Independent: {
		Name: "independent", Label: "independent", Elsewhere: "in another group", Progress: true,
		Groups: true, Tab: "Groups", Title: "Groups of lanes", Order: "independent, running first",
		Table:  "Groups of lanes, the running one first",
		policy: simt.NewIndependent[*Frame],
	},
	Frontier: {
		Name: "frontier", Label: "thread frontiers", Elsewhere: "waiting further on", Groups: true, jumps: true,
		Tab: "Groups", Title: "Groups of lanes", Order: "thread frontier, first line first",
		Table:  "Groups of lanes, the running one first",
		policy: simt.NewFrontier[*Frame],
	},
}

// Divergences lists the models that a program can choose from, in the order of Models.
func Divergences() (list []Divergence) {
	for d := Auto + 1; int(d) < len(Models); d++ {
		list = append(list, d)
	}
	return list
}

// ModelNames lists the names of these models.
func ModelNames() (names []string) {
	for _, d := range Divergences() {
		names = append(names, d.String())
	}
	return names
}

// ModelNamed finds a model by its name. ok is false when there is none.
func ModelNamed(name string) (d Divergence, ok bool) {
	i := slices.Index(ModelNames(), name)
	return Divergence(i + 1), i >= 0
}
