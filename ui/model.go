package ui

import (
	"slices"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ui/workspace"
)

// Example is one entry of examples/index.json.
type Example struct {
	File  string `json:"file"`
	Title string `json:"title"`
}

// Model holds everything that the page shows. A published model never changes: the store copies it, changes the copy,
// and publishes the copy. Slices in it are replaced, never written to.
type Model struct {
	View   debug.View
	Text   string // as the session knows it: what the spans of diagnostics point into
	Lines  lineIndex
	Typed  *ptx.Module // of Text
	Module *ptx.Module // of the machine that View shows: while the user types, that of an earlier text
	Spec   *launch.Spec

	Running   bool
	Rate      float64 // warp instructions per second of the current or last run
	Notice    string  // a sentence of the page itself that is shown before View.Status; "" for none
	Problem   string  // a sentence that stays until it is dismissed; "" for none
	Missing   string  // that an example could not be had; "" for none
	Offer     bool    // the text that another one replaced can be restored
	OfferHeld bool    // … until the page is closed: the browser has not stored it
	Unsaved   string  // why the text cannot be kept, or ""
	Examples  []Example
	Example   string // file of the chosen example, "" for the user's own text
	Edited    bool   // the text differs from that example's
	Dark      bool

	FieldError *FieldError // the field of the launch form whose entry does not fit, or nil

	Stale bool  // the text has errors: View is that of the last good one, but for what is wrong
	Again again // where the reader was before the text changed

	Marks        []debug.Mark // of the timeline
	MarksVersion int          // grows when they change
	AllMarks     bool         // they are all of the run
	Turns        []debug.Turn // of CTAs, as far as they were looked for
	Surveyed     int64        // the end of the run for which nothing more is looked for

	Chart     *debug.Chart // of the panel Divergence, nil while it is covered
	ChartView chartView

	WarpFilter string // what the warps that are shown do; "" for all
	Lane       int
	Filter     string
	Pinned     []string
	Bits       Bits
	Readings   map[string]Bits // of registers that are not read by their types
	Fragments  map[string]Bits // of registers that hold parts of matrices in Module
	Upcoming   bool            // the strip is about the instruction that runs next
	Unfolded   bool            // the lane grid shows registers that no lane reads
	Columns    []string        // of the registers panel
	Tile       string          // register that the phone layout shows as tiles

	Recent string // register that a step wrote last, "" for none

	Region      string
	Chosen      bool // the user chose the region: it does not follow what steps write
	MemoryTab   string
	Page        int
	MemoryTypes map[string]string // by region: how it is read
	MemoryFound *memoryPlace      // that was asked for; nil for none
	MemoryWords string            // about what was asked for
	MemoryBase  *memoryBase       // with what the present is compared; nil for the memory before the last step
	Tab         string            // panel of the phone layout; see tab
	TabChosen   bool              // by the reader, since the run began

	Preset       string                      // of the workspace
	PresetChosen bool                        // by the reader: what is opened does not change it
	Layouts      map[string]workspace.Layout // presets that were changed
	Room         Room                        // of the workspace
	places       *solved                     // what these three come to, once it has been asked for
	Drop         *workspace.Drop             // where the tab that is dragged would go; else nil
	Menu         string                      // the panel whose menu is open; "" for none
	Arranged     string                      // what was done last to the places of panels, for those who hear it

	Panels []string   // of an embed, or of the embeds that Share makes
	Share  *ShareForm // of the open dialog, else nil

	Sources    *sources          // where the text's lines come from; nil when it does not say
	SourceFile int               // the .file that the panel shows, when the reader chose one
	Given      map[string]string // source files that were dropped on the page, by name
	Pointed    int               // line of the text that the cursor was put in last

	Watches []string      // expressions
	Watched []debug.Watch // their values
	Stops   []debug.Stop  // at what a run stops
	NoStop  string        // why one could not be added, or ""

	Flow        *debug.Flow   // the control-flow graph; nil while it is not in sight
	accesses    *accessList   // what Account says of accesses, once it has been asked for
	Account     *emu.Account  // what the run has counted up to the step that View shows; nil where nothing asks for it
	NoCounts    string        // why it cannot be counted, or ""
	Live        emu.Live      // of the kernel, with Account
	Access      *debug.Access // that the panel shows; nil for none
	AccessLine  int           // whose access that is; 0 follows the steps
	AccessOrder order
	Holding     *debug.Holding // that the panel shows; nil for none
	Held        heldChoice     // what is drawn of it
	Heat        string         // the counter in the editor's gutter; "" for executions
	CountsBy    string         // what the table of counters has rows for
	CountOrder  order
	Occupancy   occupancyForm

	CellEdit *CellEdit   // the open dialog for a value, else nil
	Origin   *originTree // the open tree, else nil

	Stride Stride // what Step executes
	Popup  *Popup // the open menu of a button or a cell, else nil
	AtHand string // the register that the user has pointed at last

	Compared *Comparison    // the open comparison, else nil
	Models   *ModelsPicture // the open comparison of models of divergence, else nil
	Palette  *Palette       // the open palette, else nil
	Contents contents       // of the site, for the palette

	Files      fileList  // the open programs
	Title      string    // of the current one
	Naming     int       // number of the program whose name is being edited, 0 for none
	JustClosed string    // what can be opened again, until something else is done
	Elsewhere  bool      // … and was typed in another window
	Help       bool      // the dialog of keys is open
	ReadOnly   bool      // the text cannot be changed
	Embedded   bool      // a frame: it has neither files nor examples
	Head       HeadFolds // the comments before the program
	Fold       bool      // the launch header and the module's directives are folded at first
}

// The memory panel's forms.
const (
	MemoryTable = "table"
	MemoryHex   = "hex"
	MemoryImage = "image"
)

// shows says whether an embed has this panel.
func (m *Model) shows(panel string) bool { return slices.Contains(m.Panels, panel) }

// pinned says whether a row stays on top.
func (m *Model) pinned(reg string) bool { return slices.Contains(m.Pinned, reg) }

// lineOf is the source line of an instruction, 0 for none.
func (m *Model) lineOf(inst *ptx.Inst) int {
	switch {
	case inst == nil:
		return 0
	case m.former(inst):
		return m.Module.Position(int(inst.Span.Start)).Line
	}
	return m.Lines.position(inst.Span.Start).Line
}

// former says that an instruction is one of the last good text, whose machine is shown, and has its place there. Those
// of functions that have not changed since then have moved to the text that is shown.
func (m *Model) former(inst *ptx.Inst) bool {
	return m.Module != nil && m.Typed != nil && m.Module != m.Typed &&
		!slices.ContainsFunc(m.Typed.Funcs, func(f *ptx.Func) bool {
			return inst.Index < len(f.Insts) && f.Insts[inst.Index] == inst
		})
}

// renamed says whether the text no longer has the title of its example: then it is another program.
func (m *Model) renamed() bool {
	for _, e := range m.Examples {
		if e.File == m.Example && e.Title != "" {
			return !strings.Contains(m.Text[:min(len(m.Text), 4096)], e.Title)
		}
	}
	return false
}

// errors counts the diagnostics that prevent a run.
func (m *Model) errors() int {
	n := 0
	for _, d := range m.View.Diagnostics {
		if d.Severity == ptx.Error {
			n++
		}
	}
	return n
}

// status is the sentence of the status line.
func (m *Model) status() string {
	switch {
	case m.Notice != "":
		return m.Notice
	case m.Running:
		return "Running …"
	case m.View.Status != "":
		return m.View.Status
	}
	return "Ready."
}
