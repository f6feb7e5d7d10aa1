package ui

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"warpscope/debug"
	"warpscope/launch"
	"warpscope/ptx"
)

// Store applies actions to the session and to the model. Only one goroutine uses it, that of the browser's events.
type Store struct {
	session  Session
	platform Platform
	editor   Editor // nil until the editor's component is mounted
	changed  func() // the page rerenders

	model *Model
	calm  *Model // see Calm
	stir  func() // nil when the machine has not moved for calmDelay
	pace  pace
	text  string // as the editor holds it; model.Text follows after a pause
	kept  string // the text that was stored when it was typed

	cancelCheck   func() // nil when the session knows the text
	cancelPrepare func() // nil when the model has what the machine holds
	cancelSurvey  func() // nil when no marks are looked for
	surveyed      int64  // ticks at a time
	cancelCount   func() // nil when nothing is being counted
	counted       countKey
	other         bool // the text that is being parsed is another program's
	pasted        bool // the edit that is not shown yet has replaced the text
	parseMS       float64
	prepareMS     float64
	runner        runner
	original      textID // of the chosen example's text
	saved         textID // of the text that the user saved last
	wanted        string // the example that is being loaded
	missing       missing

	asked   *debug.ChartAsk // of the session; nil: for no chart
	charted float64         // when the chart was drawn last

	cursor int               // the editor's line with the cursor
	window string            // what the keys of this window end in; "" for the first
	began  textID            // the text that this window was opened with
	held   map[string]string // what the browser did not store, by key
	asking bool              // before the page is closed
}

// parseDelay is how long after the last keystroke the text is parsed, in milliseconds. After prepareDelay more, its
// launch is prepared, and lanes and memory are those of the new text. What took long waits longer, up to longestDelay:
// so many times as long as it took.
const (
	parseDelay   = 150
	parseWaits   = 2
	prepareDelay = 350
	prepareWaits = 20
	longestDelay = 2000
)

// pauseFor is how long a pause must be for something that took so many milliseconds the last time.
func pauseFor(delay, times int, took float64) int {
	return max(delay, min(longestDelay, int(float64(times)*took)))
}

// longText is the size from which a text is neither stored nor parsed before the typing pauses, in bytes.
const longText = 1 << 18

// NewStore makes a store with the settings of the last visit. Open then loads the text.
func NewStore(session Session, platform Platform) *Store {
	s := &Store{session: session, platform: platform, changed: func() {}, held: map[string]string{}}
	s.runner = newRunner()
	s.model = &Model{Bits: AsHex, MemoryTab: MemoryTable, Tab: "lanes", Preset: Learn, CountsBy: byLine,
		Dark: platform.PrefersDark()}
	s.nameWindow()
	s.loadSettings()
	s.loadFiles()
	s.adopt()
	platform.SetTheme(s.model.Dark)
	return s
}

// Model is the current model.
func (s *Store) Model() *Model {
	s.catchUp()
	return s.model
}

// calmDelay is how long the machine must not move until panels that others cover are drawn, in milliseconds. typedDelay
// is how long nothing must be typed.
const (
	calmDelay  = 200
	typedDelay = 1000
)

// Calm is the model that covered panels show. It follows the machine when that has not moved for a while: covered
// panels can be read, but to draw them at each step would take longer than the step.
func (s *Store) Calm() *Model {
	if s.stir == nil {
		s.calm = s.model
	}
	return s.calm
}

// moved says that the machine has moved, and will again before a delay if this goes on.
func (s *Store) moved(delay int) {
	s.Calm()
	if s.stir != nil {
		s.stir()
	}
	s.stir = s.platform.After(delay, func() {
		s.stir = nil
		s.changed()
	})
}

// OnChange sets the function that is called after each new model.
func (s *Store) OnChange(f func()) { s.changed = f }

// update publishes a changed copy of the model.
func (s *Store) update(change func(m *Model)) {
	next := *s.model
	change(&next)
	s.model = &next
	s.changed()
}

// refresh publishes the session's new view, and tells the editor where lanes are.
func (s *Store) refresh() {
	if s.cancelPrepare != nil {
		s.prepare()
		return
	}
	before, file := s.model.View, s.model.SourceFile
	view := s.session.View()
	if s.model.Stale {
		s.update(func(m *Model) { m.View.Breakpoints, m.Stops = view.Breakpoints, s.session.Stops() })
		return
	}
	s.moved(calmDelay)
	s.update(func(m *Model) {
		m.View = view
		s.ask(m)
		s.charts(m, before.Tick)
		m.Notice, m.Rate = "", 0
		followWrites(m)
		showFault(m)
		m.Recent = recent(m, before.Tick)
		followSource(m, before.Line)
	})
	s.markEditor(before)
	if s.model.SourceFile != file {
		s.markSources()
	}
	s.recount()
	s.showMarks()
	s.surveySoon()
}

// refreshBreakpoints is refresh for lines that typing moves: it does not prepare a launch.
func (s *Store) refreshBreakpoints() {
	if s.cancelPrepare == nil {
		s.refresh()
		return
	}
	lines := s.session.Draft().Breakpoints
	s.update(func(m *Model) { m.View.Breakpoints, m.Stops = lines, s.session.Stops() })
}

func (s *Store) markEditor(before debug.View) {
	if s.editor == nil {
		return
	}
	reveal, view := 0, &s.model.View
	if !s.model.Running && (view.Line != before.Line || view.Tick != before.Tick) {
		reveal = view.Line
	}
	s.editor.Show(s.model, reveal)
}

// Do applies an action.
func (s *Store) Do(action Action) {
	defer s.guard()
	defer s.recount()
	if s.waits(action) {
		return
	}
	s.apply(action)
	s.tendChart()
}

func (s *Store) apply(action Action) {
	if s.command(action) || s.journeyAction(action) || s.watchAction(action) || s.countAction(action) ||
		s.holdsAction(action) || s.cellAction(action) || s.chartAction(action) || s.textAction(action) ||
		s.fileAction(action) || s.windowAction(action) || s.paletteAction(action) || s.sourceAction(action) ||
		s.bufferAction(action) || s.compareAction(action) || s.modelsAction(action) || s.arrange(action) {
		return
	}
	s.show(action)
	s.saveSettings()
}

// command applies an action on the machine.
func (s *Store) command(action Action) bool {
	switch a := action.(type) {
	case Run:
		s.run()
	case Pause:
		s.pause()
	case Reset:
		s.move(s.session.Reset)
	case Seek:
		s.seek(a.Tick)
	case RunAgain:
		s.runAgain()
	case Visit:
		s.visit(a.Mark)
	case Follow:
		s.session.Follow(a.CTA, a.Warp)
		s.refresh()
	case SelectLane:
		s.session.FollowLane(a.Lane)
		s.update(func(m *Model) { m.Lane = a.Lane & 31 })
		s.refresh()
		s.saveSettings()
	case ToggleBreak:
		if s.editor != nil {
			s.editor.ToggleBreakpoint()
		}
	case Breakpoints:
		s.setBreakpoints(slices.Clone(a.Lines))
		s.saveSettings()
	default:
		return false
	}
	return true
}

// move stops a run, gives the session the current text, and then moves the machine.
func (s *Store) move(f func()) {
	if s.model.Running {
		s.pause()
	}
	s.parseNow()
	if s.model.View.Phase == debug.Invalid || s.model.Stale {
		s.explainInvalid()
		return
	}
	s.model = s.model.leftBehind()
	f()
	s.refreshInFrame()
}

// cannotRun distinguishes wrong texts from wrong launches.
func cannotRun(errs ptx.Diagnostics) string {
	if launch.OnlyTheLaunch(errs) {
		return "Cannot launch"
	}
	return "Cannot run"
}

// explainInvalid says why nothing can run.
func (s *Store) explainInvalid() {
	sentence := "This text cannot run yet."
	if s.model.blank() {
		sentence = s.model.noProgram()
	}
	if n := s.model.errors(); n > 0 {
		for _, d := range s.model.View.Diagnostics {
			if d.Severity == 0 {
				at := s.model.Lines.position(d.Span.Start)
				which := "error"
				if n > 1 {
					which = ptx.Plural(n, "error") + ", the first"
				}
				sentence = fmt.Sprintf("%s: %s at line %s: %s", cannotRun(s.model.View.Diagnostics.Errors()), which,
					count(int64(at.Line)), d.Message)
				break
			}
		}
	}
	s.update(func(m *Model) { m.Notice = sentence })
}

// textAction applies an action on the text.
func (s *Store) textAction(action Action) bool {
	switch a := action.(type) {
	case EditorIsHere:
		s.meetEditor(a.Editor)
	case Edit:
		s.edit(a.Text)
	case LoadExample:
		s.loadExample(a.File)
	case RestoreText:
		s.restore()
	case DismissNotice:
		s.missing = missing{}
		s.update(func(m *Model) { m.Offer, m.Problem, m.Missing = false, "", "" })
		s.saveSettings()
	case OpenLink:
		s.openLink(a.Fragment)
	case EditHeader:
		s.editHeader(a)
	case ApplyFix:
		s.applyFix(a.Index)
	case HeadFolds:
		s.update(func(m *Model) { m.Head = a })
	case ToggleHead:
		s.toggleHead()
	case Reveal:
		if s.editor != nil {
			s.editor.Select(a.From, a.To)
		}
	case RevealLine:
		if s.editor != nil {
			span := s.model.Lines.lineSpan(a.Line, len(s.model.Text))
			s.editor.Select(int(span.Start), int(span.Start))
		}
	default:
		return false
	}
	return true
}

// toggleHead opens the launch header's text and its form, or folds the text.
func (s *Store) toggleHead() {
	opening := s.model.Head.Folded
	if s.editor != nil {
		s.editor.ToggleFold()
	}
	if l := s.model.layout(); opening && l.Max == "" && !l.Shows("launch") {
		s.arrange(ShowPanel{"launch"})
	}
}

// meetEditor gives a new editor what the page already has. From now on the text in the editor counts.
func (s *Store) meetEditor(editor Editor) {
	s.editor = newSparing(editor)
	if s.text == "" {
		return
	}
	breakpoints := s.model.View.Breakpoints
	if held := editor.SetText(s.text); held != s.text {
		s.setText(held)
	}
	s.editor.SetBreakpoints(breakpoints)
	s.editor.SetDiagnostics(s.model)
	s.editor.Show(s.model, 0)
	s.markSources()
	if s.model.View.Tick > 0 {
		s.markEditor(debug.View{})
	}
}

// edit takes a text that the user has changed. It is stored at once, and parsed when the typing pauses.
func (s *Store) edit(text string) {
	s.pasted = s.pasted || mostlyNew(s.text, text)
	s.text = text
	if s.model.Running {
		s.pause()
	}
	if len(text) < longText {
		s.saveText()
		s.kept = text
	}
	if edited := !s.original.is(text); edited != s.model.Edited {
		s.update(func(m *Model) { m.Edited = edited })
	}
	s.stopTimers()
	if strings.TrimSpace(text) == "" { // nothing runs in it: its marks go at once
		s.parse()
		return
	}
	s.cancelCheck = s.platform.After(pauseFor(parseDelay, parseWaits, s.parseMS), s.check)
}

// stopTimers forgets what was to happen when the typing pauses.
func (s *Store) stopTimers() {
	for _, cancel := range []*func(){&s.cancelCheck, &s.cancelPrepare} {
		if *cancel != nil {
			(*cancel)()
			*cancel = nil
		}
	}
}

// Fresh is the model of the text in the editor; a huge text is not parsed early for it.
func (s *Store) Fresh() *Model {
	if len(s.text) < longText {
		s.check()
	}
	return s.model
}

// check gives the session the current text, unless it has it already, and shows what is wrong with it. The machine's
// panels follow when the typing pauses for longer.
func (s *Store) check() {
	if s.cancelCheck == nil {
		return
	}
	s.stopTimers()
	s.moved(typedDelay)
	s.setSource(func(m *Model) {
		draft := s.session.Draft()
		m.View.Diagnostics = draft.Diagnostics
		if draft.Phase == debug.Invalid || m.View.Phase == debug.Invalid || m.Stale {
			m.View.Status = draft.Status
		}
	})
	if s.editor != nil {
		s.editor.SetDiagnostics(s.model)
	}
	s.cancelPrepare = s.platform.After(pauseFor(prepareDelay, prepareWaits, s.prepareMS), s.prepare)
}

// parseNow shows the machine at the start of the current text, unless it is shown already.
func (s *Store) parseNow() {
	switch {
	case s.cancelCheck != nil:
		s.parse()
	case s.cancelPrepare != nil:
		s.prepare()
	}
}

func (s *Store) parse() {
	s.stopTimers()
	s.setSource(func(*Model) {})
	s.prepare()
}

// setSource gives the session the current text, and publishes what it says of it, with what else changes.
func (s *Store) setSource(change func(m *Model)) {
	start := s.platform.Now()
	if s.kept != s.text {
		s.saveText()
	}
	s.kept = ""
	s.session.SetSource(s.name(), s.text)
	title := s.model.Title
	s.update(func(m *Model) {
		m.Text, m.Lines, m.Title = s.text, indexLines(s.text), heading(launch.Title(s.text))
		m.Typed = s.session.Module()
		m.Sources, m.Pointed = newSources(m.Typed, m.Lines), 0
		change(m)
	})
	s.markSources()
	if s.model.Title != title || s.other {
		s.platform.SetTitle(s.model.Title)
	}
	s.parseMS = s.platform.Now() - start
}

// prepare shows the machine of the text that the session knows.
func (s *Store) prepare() {
	s.stopTimers()
	start := s.platform.Now()
	view := s.session.View()
	s.prepareMS = s.platform.Now() - start
	charted := s.model.inView(chartPanel)
	s.update(func(m *Model) {
		s.takeView(m, view)
		s.ask(m)
		s.charts(m, m.View.Tick)
		m.Notice, m.FieldError = "", nil
		if !m.Stale {
			m.Page, m.Rate = 0, 0
			chooseRegion(m)
		}
	})
	if s.pasted && (presetFor(s.model) == Kernel || s.model.Preset == Write) {
		s.choosePreset()
	}
	s.pasted = false
	if s.model.inView(chartPanel) != charted { // another program can have another panel in sight
		s.markSources()
	}
	if s.editor != nil {
		s.editor.SetDiagnostics(s.model)
		s.editor.Show(s.model, 0)
	}
	s.recount()
	s.showMarks()
	if s.model.Stale {
		s.surveySoon() // the edit has stopped it
	}
}

// Leave stores what is not stored yet, because the page may not come back.
func (s *Store) Leave() {
	s.saveText()
	s.saveSettings()
}

// name is the text's name in messages.
func (s *Store) name() string {
	if s.model.Example != "" {
		return s.model.Example
	}
	return "kernel.ptx"
}

// setText puts a text into the editor and parses it at once.
func (s *Store) setText(text string) {
	s.other = true
	s.putText(text)
	s.other = false
}

// putText is setText for a text of the same program.
func (s *Store) putText(text string) {
	if s.editor != nil {
		text = s.editor.SetText(text)
	}
	s.text = text
	s.parse()
}

// replaceText is setText for a change of the current text: breakpoints move with their lines.
func (s *Store) replaceText(text string) {
	if text == s.text {
		return
	}
	lines := moveLines(s.model.View.Breakpoints, s.text, text)
	s.session.SetBreakpoints(lines)
	s.putText(text)
	if s.editor != nil {
		s.editor.SetBreakpoints(lines)
	}
	s.update(func(m *Model) { m.Edited = !s.original.is(s.text) })
	s.saveSettings()
}

func (s *Store) applyFix(index int) {
	fix, diagnostics := s.model.View.Fix, s.model.View.Diagnostics
	switch {
	case index == ofFault && s.cancelPrepare == nil && !s.model.Stale:
	case index == ofFault:
		return // it is the fault of an earlier text
	case index < len(diagnostics):
		fix = diagnostics[index].Fix
	default:
		return
	}
	if s.model.ReadOnly || fix == nil || s.text != s.model.Text {
		return
	}
	if int(fix.Span.End) > len(s.text) || fix.Span.Start > fix.Span.End {
		return
	}
	s.replaceText(s.text[:fix.Span.Start] + fix.Text + s.text[fix.Span.End:])
}

// show applies an action on what is shown.
func (s *Store) show(action Action) {
	dark := s.model.Dark
	s.update(func(m *Model) {
		switch a := action.(type) {
		case SetFilter:
			m.Filter = a.Text
		case FilterWarps:
			m.WarpFilter = a.Key
		case TogglePin:
			m.Pinned = toggled(m.Pinned, a.Reg)
		case SetBits:
			m.Bits = a.As
		case SetReading:
			m.Readings = maps.Clone(m.Readings)
			if m.Readings == nil {
				m.Readings = map[string]Bits{}
			}
			if m.Readings[a.Reg] = a.As; a.As == ByType {
				delete(m.Readings, a.Reg)
			}
		case ShowUpcoming:
			m.Upcoming = a.On
		case ToggleFold:
			m.Unfolded = !m.Unfolded
		case ToggleColumn:
			m.Columns = toggled(m.columns(), a.Key)
		case SelectTile:
			m.Tile = a.Reg
		case SelectRegion:
			m.Region, m.Chosen, m.Page = a.Name, true, 0
			chooseRegion(m)
		case SetMemoryType, GoToMemory, FindMemory, CompareMemory:
			m.memoryAction(action)
		case SetMemoryTab:
			m.MemoryTab, m.Page = a.Tab, 0
		case SetPage:
			m.Page = max(0, a.Page)
		case SelectTab:
			m.Tab, m.TabChosen = a.Tab, true
		case ToggleTheme:
			m.Dark = !m.Dark
		case SetShare:
			m.Share = a.Form
		case ChoosePanels:
			m.Panels = a.Panels
		case SetTheme:
			m.Dark = a.Dark
		case SystemTheme:
			if !s.hasKey(keyTheme) { // the user has not chosen one
				m.Dark = a.Dark
			}
		}
	})
	if _, chosen := action.(ToggleTheme); chosen {
		s.save(keyTheme, themeName(s.model.Dark))
	}
	if s.model.Dark != dark {
		s.platform.SetTheme(s.model.Dark)
		if s.editor != nil {
			s.editor.SetDark(s.model.Dark)
		}
	}
}

// toggled is the list without the word, or with it at its end.
func toggled(list []string, word string) []string {
	if i := slices.Index(list, word); i >= 0 {
		return slices.Delete(slices.Clone(list), i, i+1)
	}
	return append(slices.Clone(list), word)
}
