//go:build !js

package ui

// Without a browser nothing is drawn; models and stores work all the same.

type noPainter struct{}

func (noPainter) paint(*Model, LaneGrid) {}

func newCellPainter(string, Send) cellPainter { return noPainter{} }

func drawPicture(string, int, int, []byte) {}

func newEditor(string, EditorOptions) Editor { return noEditor{} }

type noEditor struct{}

func (noEditor) SetText(text string) string { return text }
func (noEditor) SetDiagnostics(*Model)      {}
func (noEditor) SetMarkers(*Model)          {}
func (noEditor) SetHeat(map[int]int64)      {}
func (noEditor) SetBreakpoints([]int)       {}
func (noEditor) ToggleBreakpoint()          {}
func (noEditor) RevealLine(int)             {}
func (noEditor) Select(int, int)            {}
func (noEditor) SetDark(bool)               {}
