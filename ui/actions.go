package ui

import (
	"warpscope/debug"
	"warpscope/ui/workspace"
)

// Action is something that the user wants. Components send actions; only the store applies them.
type Action any

// Commands to the machine.
type (
	Run          struct{}
	Pause        struct{}
	StepOnce     struct{}
	StepBack     struct{}
	Reset        struct{}
	Seek         struct{ Tick int64 }
	Visit        struct{ Mark debug.Mark }
	RunAgain     struct{} // to the step at which the reader was before the text changed
	Follow       struct{ CTA, Warp int }
	SelectLane   struct{ Lane int }
	ToggleBreak  struct{} // at the editor's cursor
	Breakpoints  struct{ Lines []int }
	EditorIsHere struct{ Editor Editor }
)

// Changes of the text.
type (
	Edit          struct{ Text string } // typed in the editor
	LoadExample   struct{ File string }
	RestoreText   struct{} // bring back what an example replaced
	DismissNotice struct{}
	OpenLink      struct{ Fragment string }         // of an address; see package share
	EditHeader    struct{ Key, Name, Value string } // a launch form field; Name is the argument's; see editSpec
	ApplyFix      struct{ Index int }               // of the diagnostic, or ofFault
)

// Choices of what is shown.
type (
	SetFilter   struct{ Text string }
	FilterWarps struct{ Key string } // of a chip; "" shows all
	TogglePin   struct{ Reg string }
	SetBits     struct{ As Bits }
	SetReading  struct { // of one register
		Reg string
		As  Bits
	}
	ShowUpcoming  struct{ On bool }    // in the strip: what runs next, not what just ran
	ToggleFold    struct{}             // of the lane grid
	ToggleColumn  struct{ Key string } // of the registers panel
	SelectTile    struct{ Reg string }
	SelectRegion  struct{ Name string }
	SetMemoryTab  struct{ Tab string }
	SetMemoryType struct{ Type string } // of the chosen region; "" for its own
	GoToMemory    struct{ Text string } // an address, name[index], …; see goToMemory
	FindMemory    struct{ Text string } // the next element with this value
	CompareMemory struct{ Now bool }    // with the memory at this step; else with that before the last step
	SetPage       struct{ Page int }
	SelectTab     struct{ Tab string }
	ToggleTheme   struct{}
	SetTheme      struct{ Dark bool }
	SystemTheme   struct{ Dark bool }       // the system's theme has changed
	SetShare      struct{ Form *ShareForm } // nil closes the dialog
	ChoosePanels  struct{ Panels []string } // of embeds
	HeadFolds     struct {
		Lines  int
		Folded bool
	} // the editor says how many lines of comment come before the program
	ToggleHead struct{}               // open or fold them
	Reveal     struct{ From, To int } // byte range in the text
	RevealLine struct{ Line int }
)

// News of other windows.
type (
	Stored   struct{ Key, Before, After string } // another window has stored a value; After is "" if it removed one
	Returned struct{}                            // the page was frozen, and is shown again
)

// Changes of the workspace.
type (
	SetRoom     struct{ Room Room }   // the window has another size
	SetPreset   struct{ Name string } // Learn, Kernel or Write
	ResetLayout struct{}              // back to the preset
	ShowPanel   struct{ Panel string }
	TogglePanel struct{ Panel string } // shows it, or closes the drawer that shows it
	CloseDrawer struct{}
	Maximise    struct{ Panel string } // or gives the others their places back
	FoldPanel   struct{ Panel string } // or opens it again
	MovePanel   struct {
		Panel, Target string
		Side          workspace.Side
	}
	MoveLine struct { // a separator; see workspace.Line
		Path   []int
		To, By int // a length, or by how much it changes
	}
	Dragging  struct{ Drop *workspace.Drop } // a tab over a place; nil when it has left
	OpenMenu  struct{ Panel string }         // "" closes it
	NextPanel struct{ Back bool }            // gives it the focus; the page does that, not the store
)
