package ui

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// fakeSession counts ticks and remembers its calls. Texts that contain "bad" have an error there.
type fakeSession struct {
	calls  []string
	view   debug.View
	spec   *launch.Spec
	stops  []debug.Stop
	length int64 // ticks of a whole run
	clock  *fakePlatform
	cost   float64 // milliseconds per tick of RunFor
}

func (s *fakeSession) did(format string, args ...any) {
	s.calls = append(s.calls, fmt.Sprintf(format, args...))
	s.view.Version++
}

func (s *fakeSession) SetSource(name, text string) {
	s.did("source %s", name)
	s.view.Phase, s.view.Tick, s.view.Diagnostics = debug.Ready, 0, nil
	s.spec = &launch.Spec{Title: "T", Entry: "k", Grid: emu.Dim3{X: 1}, Block: emu.Dim3{X: 32}}
	if i := strings.Index(text, "bad"); i >= 0 {
		s.view.Phase, s.spec = debug.Invalid, nil
		bad := ptx.Span{Start: int32(i), End: int32(i + 3)}
		s.view.Diagnostics = ptx.Diagnostics{{Code: "c", Message: "this is bad", Span: bad,
			Fix: &ptx.Fix{Span: bad, Text: "good"}}}
	}
}
func (s *fakeSession) Try(name, text string) ptx.Diagnostics {
	trial := &fakeSession{}
	trial.SetSource(name, text)
	return trial.view.Diagnostics
}
func (s *fakeSession) Past() *debug.Session              { return nil }
func (s *fakeSession) SeekPast(int64) (debug.View, bool) { return debug.View{}, false }
func (s *fakeSession) Reset() {
	s.did("reset")
	s.view.Tick,
		s.view.Phase = 0, debug.Ready
}
func (s *fakeSession) Step()                       { s.did("step"); s.view.Tick++ }
func (s *fakeSession) StepBack()                   { s.did("back"); s.view.Tick-- }
func (s *fakeSession) Pause()                      { s.did("pause"); s.view.Phase = debug.Paused }
func (s *fakeSession) SeekTo(tick int64)           { s.did("seek %d", tick); s.view.Tick = tick }
func (s *fakeSession) Follow(cta, warp int)        { s.did("follow %d %d", cta, warp) }
func (s *fakeSession) FollowLane(lane int)         { s.did("lane %d", lane) }
func (s *fakeSession) Survey(ticks int64) bool     { return false }
func (s *fakeSession) Marks() ([]debug.Mark, bool) { return nil, false }
func (s *fakeSession) Turns() []debug.Turn         { return nil }
func (s *fakeSession) AskChart(debug.ChartAsk)     {}
func (s *fakeSession) NoChart()                    {}
func (s *fakeSession) Chart() *debug.Chart         { return nil }
func (s *fakeSession) Visit(m debug.Mark) {
	s.did("visit %d",
		m.Tick)
	s.view.Tick = m.Tick
}
func (s *fakeSession) Writer(debug.Cell) (c debug.Change, ok bool)     { return c, false }
func (s *fakeSession) NextChange(debug.Cell) (c debug.Change, ok bool) { return c, false }
func (s *fakeSession) Stops() []debug.Stop                             { return s.stops }
func (s *fakeSession) BreakLine(line int) int                          { return line }
func (s *fakeSession) SetStops(list []debug.Stop) {
	s.stops, s.view.Breakpoints = list, nil
	for _, stop := range list {
		if stop.Kind == debug.StopLine {
			s.view.Breakpoints = append(s.view.Breakpoints, stop.Line)
		}
	}
	s.did("breakpoints %v", s.view.Breakpoints)
}
func (s *fakeSession) Origin(c debug.Cell) debug.Origin          { return debug.Origin{Cell: c} }
func (s *fakeSession) Edit(c debug.Cell, value, hi uint64) error { return nil }
func (s *fakeSession) Future() bool                              { return false }
func (s *fakeSession) Edits() []debug.Edit                       { return nil }
func (s *fakeSession) Replay(list []debug.Edit) error            { return nil }
func (s *fakeSession) Watches(texts []string) []debug.Watch      { return nil }
func (s *fakeSession) SetBreakpoints(lines []int) {
	s.did("breakpoints %v", lines)
	s.view.Breakpoints, s.stops = lines, nil
	for _, line := range lines {
		s.stops = append(s.stops, debug.Stop{Line: line})
	}
}
func (s *fakeSession) Flow() *debug.Flow                            { return nil }
func (s *fakeSession) Access(line int, upcoming bool) *debug.Access { return nil }
func (s *fakeSession) Holding(upcoming bool) *debug.Holding         { return nil }
func (s *fakeSession) Count(ticks int64) bool                       { s.did("count"); return false }
func (s *fakeSession) Account() (*emu.Account, error)               { return nil, nil }
func (s *fakeSession) Live() emu.Live                               { return emu.Live{} }
func (s *fakeSession) StopCounting()                                {}
func (s *fakeSession) Draft() debug.View                            { return s.view }
func (s *fakeSession) View() debug.View                             { return s.view }
func (s *fakeSession) Module() *ptx.Module                          { return &ptx.Module{} }
func (s *fakeSession) Spec() *launch.Spec                           { return s.spec }

func (s *fakeSession) RunFor(budget int64) bool {
	n := min(budget, s.length-s.view.Tick)
	s.view.Tick += n
	s.view.Version++
	s.clock.now += s.cost * float64(n)
	if s.view.Tick == s.length {
		s.view.Phase = debug.Finished
		return false
	}
	s.view.Phase = debug.Running
	return true
}

func (s *fakeSession) GoToFinding(index int, other bool) { s.did("finding %d %v", index, other) }

// Go takes two calls to get anywhere.
func (s *fakeSession) Go(j debug.Journey) bool {
	s.did("go %s%s", map[bool]string{true: "back "}[j.Back], debug.Goals[j.Goal])
	s.view.Phase = debug.Paused
	return len(s.calls) < 2 || s.calls[len(s.calls)-2] != s.calls[len(s.calls)-1]
}

// fakePlatform has a clock that only the test moves, and keeps everything in maps.
type fakePlatform struct {
	now     float64
	frames  []func()
	timers  []timer
	kept    map[string]string
	files   map[string]string
	slow    map[string]bool // files that arrive when answers are called
	answers []func()
	full    bool
	off     bool // the browser keeps nothing
	asks    bool
	window  string
	others  []*Store // of other windows with the same storage
	most    int      // programs, in addition to the current one, that there is room for; 0: any number

	downloads []string
	visited   string
	focused   string // panel
	picked    FillBuffer
	history   []string // fragments of the address
	dark      bool     // what is shown
	system    bool     // the system's theme is dark
	title     string
}

type timer struct {
	at float64
	f  func()
}

func newFakePlatform() *fakePlatform {
	return &fakePlatform{kept: map[string]string{}, files: map[string]string{
		"examples/index.json": `[{"file": "1.ptx", "title": "One"}, {"file": "2.ptx", "title": "Two"}]`,
		"examples/1.ptx":      "first\n",
		"examples/2.ptx":      "second\n",
	}}
}

func (p *fakePlatform) Now() float64   { return p.now }
func (p *fakePlatform) Frame(f func()) { p.frames = append(p.frames, f) }

func (p *fakePlatform) After(milliseconds int, f func()) func() {
	p.timers = append(p.timers, timer{p.now + float64(milliseconds), f})
	i := len(p.timers) - 1
	return func() { p.timers[i].f = nil }
}

// wait lets time pass.
func (p *fakePlatform) wait(milliseconds float64) {
	p.now += milliseconds
	for i := range p.timers {
		if f := p.timers[i].f; f != nil && p.timers[i].at <= p.now {
			p.timers[i].f = nil
			f()
		}
	}
}

// frame repaints once.
func (p *fakePlatform) frame() {
	frames := p.frames
	p.frames = nil
	for _, f := range frames {
		f()
	}
}

func (p *fakePlatform) Load(key string) (string, bool) { v, ok := p.kept[key]; return v, ok }
func (p *fakePlatform) Save(key, value string) error {
	if p.off {
		return ErrNoStorage
	}
	if p.full {
		return errors.New("QuotaExceededError")
	}
	beside := 0
	for k := range p.kept {
		if k != key && strings.HasPrefix(k, keyFile) {
			beside++
		}
	}
	if p.most > 0 && strings.HasPrefix(key, keyFile) && beside >= p.most {
		return errors.New("QuotaExceededError")
	}
	p.set(key, value, true)
	return nil
}

// set changes a value, and notifies the other windows.
func (p *fakePlatform) set(key, value string, there bool) {
	before := p.kept[key]
	if p.kept[key] = value; !there {
		delete(p.kept, key)
	}
	for _, other := range p.others {
		if before != value && other.concerned(key) {
			other.Do(Stored{key, before, value})
		}
	}
}
func (p *fakePlatform) Forget(key string)     { p.set(key, "", false) }
func (p *fakePlatform) Keys() []string        { return slices.Collect(maps.Keys(p.kept)) }
func (p *fakePlatform) Window() string        { return p.window }
func (p *fakePlatform) SetWindow(name string) { p.window = name }
func (p *fakePlatform) Ask(on bool)           { p.asks = on }
func (p *fakePlatform) PickFiles(f func(name, text string)) {
	f("picked.ptx", "picked\n")
}
func (p *fakePlatform) Download(name, text string) { p.downloads = append(p.downloads, name+": "+text) }
func (p *fakePlatform) DownloadBytes(name string, data []byte) {
	p.downloads = append(p.downloads, name+": "+string(data))
}
func (p *fakePlatform) DownloadPicture(name string, width, height int, rgba []byte) {
	p.downloads = append(p.downloads, fmt.Sprintf("%s: %dx%d %x", name, width, height, rgba))
}
func (p *fakePlatform) PickContents(f func(FillBuffer)) { f(p.picked) }
func (p *fakePlatform) Fetch(path string, f func(string, error)) {
	answer := func() { f("", errors.New("the server answers 404")) }
	if text, ok := p.files[path]; ok {
		answer = func() { f(text, nil) }
	}
	if p.slow[path] {
		p.answers = append(p.answers, answer)
		return
	}
	answer()
}
func (p *fakePlatform) Visit(href string) { p.visited = href }
func (p *fakePlatform) SetAddress(fragment string, further bool) {
	if !further && len(p.history) > 0 {
		p.history = p.history[:len(p.history)-1]
	}
	if n := len(p.history); n == 0 || p.history[n-1] != fragment {
		p.history = append(p.history, fragment)
	}
}
func (p *fakePlatform) FocusPanel(key string) { p.focused = key }
func (p *fakePlatform) PrefersDark() bool     { return p.system }
func (p *fakePlatform) SetTheme(dark bool)    { p.dark = dark }
func (p *fakePlatform) SetTitle(title string) { p.title = title }

func newFakeStore() (*Store, *fakeSession, *fakePlatform) {
	platform := newFakePlatform()
	return visit(platform)
}

// visit opens the page with the contents of the platform's storage.
func visit(platform *fakePlatform) (*Store, *fakeSession, *fakePlatform) {
	session := &fakeSession{clock: platform, length: 1000}
	store := NewStore(session, platform)
	store.Open()
	return store, session, platform
}

// warp is a warp with the registers %r1 (.u32, lane numbers), %p1 (even lanes) and %rd1 (a pointer to x, lane × 4).
func warp() *emu.WarpView {
	w := &emu.WarpView{Resident: true, Present: emu.FullMask, Active: emu.FullMask}
	add := func(name string, t isa.Type, value func(lane int) uint64) {
		r := emu.RegView{Reg: &ptx.Reg{Name: name, Type: t, Vec: 1}, Elem: -1, Written: emu.FullMask, Lo: new([32]uint64)}
		for lane := range r.Lo {
			r.Lo[lane] = value(lane)
		}
		w.Regs = append(w.Regs, r)
	}
	add("%r1", isa.U32, func(lane int) uint64 { return uint64(lane) })
	add("%p1", isa.Pred, func(lane int) uint64 { return uint64(1 - lane%2) })
	add("%rd1", isa.U64, func(lane int) uint64 { return 0x1000 + uint64(4*lane) })
	return w
}

func warpModel() *Model {
	return &Model{Bits: AsHex, View: debug.View{Phase: debug.Paused, State: warp(), Memory: []debug.Region{
		{Name: "x", Space: ptx.GlobalSpace, Addr: 0x1000, Type: "u32", Dims: []int{32}, Bytes: make([]byte, 128)},
	}}}
}
