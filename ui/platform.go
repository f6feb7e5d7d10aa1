package ui

import "errors"

// Platform is the part of the browser that the store needs.
type Platform interface {
	Now() float64   // milliseconds, monotonic
	Frame(f func()) // before the next repaint
	After(milliseconds int, f func()) (cancel func())
	Load(key string) (value string, ok bool) // of the local storage
	Save(key, value string) error            // fails when storage is full, or with ErrNoStorage
	Forget(key string)
	Keys() []string                      // of the local storage
	Window() string                      // the last value of SetWindow in this window before it was reloaded
	SetWindow(name string)               // for as long as the window is open
	Ask(on bool)                         // whether the user is asked before the page is closed
	PickFiles(f func(name, text string)) // asks the user for files; f is called for each
	Download(name, text string)          // gives the user a file
	DownloadBytes(name string, data []byte)
	DownloadPicture(name string, width, height int, rgba []byte) // as a .png
	PickContents(f func(FillBuffer))                             // asks the user for the file of a buffer
	Fetch(path string, f func(text string, err error))
	Visit(href string)                        // goes to another page
	SetAddress(fragment string, further bool) // of the page: a further entry of the history, or in place of this one
	FocusPanel(key string)
	PrefersDark() bool
	SetTheme(dark bool)
	SetTitle(title string) // of the document; "" for none of its own
}

// ErrNoStorage says that the browser stores nothing for this page: cookies are blocked, or it is in a sandbox.
var ErrNoStorage = errors.New("it blocks the storage of this site")

// Editor is the text editor. Lines count from 1, offsets are bytes.
type Editor interface {
	SetText(text string) string            // replaces the text in one undoable step; returns it as held
	Turn(from, to int, text string) string // from one program to another, each with its own history of changes
	SetDiagnostics(m *Model)
	Show(m *Model, reveal int) // where lanes are, what is wrong there, and how often lines ran; and a line, or 0
	SetBreakpoints(lines []int)
	ToggleBreakpoint()
	SetStripes(colours map[int]int) // by line: which come from one line of the source
	SetLit(lines []int)             // stand out
	RevealLine(line int)
	ToggleFold() // opens the comments before the program, or folds them away
	Select(from, to int)
	SetDark(dark bool)
}

// EditorOptions are the options of an editor.
type EditorOptions struct {
	Text          string
	Dark          bool
	Breakpoints   []int
	ReadOnly      bool
	Fold          bool // the head of the program is one line until it is opened
	FoldAway      bool // the comments before the program fold away; OnFold says how many lines they are
	OnFold        func(lines int, folded bool)
	OnChange      func(text string)
	OnBreakpoints func(lines []int)
	OnCursor      func(line int)
	Send          func(Action)
	Card          func(offset int) (hoverCard, bool)
	Model         func() *Model // of the text that the editor holds, for hover and completion
}
