package ui

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"warpscope/debug"
	counters "warpscope/emu/count"
	"warpscope/ui/workspace"
)

// These are the keys of what a visit leaves in the local storage. The text and the theme have separate keys, because
// the page's first paint reads them before the engine runs. A window that is not alone has keys of its own; see
// windows.go.
const (
	keyText     = "warpscope.text"
	keyTheme    = "warpscope.theme"    // "dark" or "light"; absent: as the system
	keySettings = "warpscope.settings" // settings as JSON
	keyPrevious = "warpscope.previous" // document as JSON: what an example or a link replaced
)

// settings is everything but the text and the theme. Fields that a later version does not know are ignored.
type settings struct {
	Example      string                      `json:"example,omitempty"`
	Original     textID                      `json:"original"`
	Began        textID                      `json:"began"` // the text with which this window was opened
	Breakpoints  []int                       `json:"breakpoints,omitempty"`
	Stops        []debug.Stop                `json:"stops,omitempty"` // all, breakpoints included
	Watches      []string                    `json:"watches,omitempty"`
	Lane         int                         `json:"lane,omitempty"`
	Filter       string                      `json:"filter,omitempty"`
	Pinned       []string                    `json:"pinned,omitempty"`
	Bits         Bits                        `json:"bits,omitempty"`
	Readings     map[string]Bits             `json:"readings,omitempty"`
	Upcoming     bool                        `json:"upcoming,omitempty"`
	Columns      []string                    `json:"columns,omitempty"`
	Tile         string                      `json:"tile,omitempty"`
	Region       string                      `json:"region,omitempty"`
	Chosen       bool                        `json:"chosen,omitempty"`
	MemoryTab    string                      `json:"memory,omitempty"`
	Tab          string                      `json:"tab,omitempty"`
	Panels       []string                    `json:"panels,omitempty"`
	Preset       string                      `json:"preset,omitempty"`
	PresetChosen bool                        `json:"presetChosen,omitempty"`
	Layouts      map[string]workspace.Layout `json:"layouts,omitempty"`
	Stride       Stride                      `json:"stride,omitempty"`
	Heat         string                      `json:"heat,omitempty"`
	CountsBy     string                      `json:"countsBy,omitempty"`
	Offer        bool                        `json:"offer,omitempty"` // the page offers to restore keyPrevious
}

// document is a text with the choices that belong to it.
type document struct {
	Text        string `json:"text"`
	Example     string `json:"example,omitempty"`
	Original    textID `json:"original"`
	Breakpoints []int  `json:"breakpoints,omitempty"`

	Stops   []debug.Stop `json:"stops,omitempty"` // all, breakpoints included
	Watches []string     `json:"watches,omitempty"`
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

// decode reads what encode wrote; anything else leaves v as it is.
func decode(s string, v any) bool { return s != "" && json.Unmarshal([]byte(s), v) == nil }

func (s *Store) loadSettings() {
	if theme, ok := s.load(keyTheme); ok {
		s.model.Dark = theme == themeName(true)
	}
	var set settings
	if stored, ok := s.load(keySettings); !ok || !decode(stored, &set) {
		return
	}
	m := s.model
	m.Example, s.original, s.began = set.Example, set.Original, set.Began
	m.Lane, m.Filter, m.Pinned, m.Tile = set.Lane&31, set.Filter, set.Pinned, set.Tile
	m.Region, m.Chosen = set.Region, set.Chosen
	m.Bits = oneOf(set.Bits, readings...)
	m.Readings, m.Upcoming, m.Columns = known(set.Readings), set.Upcoming, set.Columns
	m.MemoryTab = oneOf(set.MemoryTab, MemoryTable, MemoryHex, MemoryImage)
	m.Tab = oneOf(set.Tab, tabNames()...)
	m.Panels = set.Panels
	m.Stride = oneOf(set.Stride, StrideWarp, StrideAny, StrideSource)
	if _, ok := counters.Named(set.Heat); ok {
		m.Heat = set.Heat
	}
	m.CountsBy = oneOf(set.CountsBy, byLine, byWarp, byKernel)
	s.loadLayouts(set)
	m.Offer = set.Offer && s.hasKey(keyPrevious)
	m.Watches = set.Watches
	s.setStops(set.Breakpoints, set.Stops)
	m.View.Breakpoints, m.Stops = set.Breakpoints, s.session.Stops()
}

// known are the stored readings without those that this version does not have.
func known(stored map[string]Bits) map[string]Bits {
	maps.DeleteFunc(stored, func(_ string, as Bits) bool { return !slices.Contains(readings, as) })
	return stored
}

// oneOf is the value if it is allowed, else the first allowed one.
func oneOf[T comparable](value T, allowed ...T) T {
	for _, a := range allowed {
		if value == a {
			return value
		}
	}
	return allowed[0]
}

func (s *Store) saveSettings() {
	m := s.model
	s.save(keySettings, encode(settings{
		Example: m.Example, Original: s.original, Began: s.began, Breakpoints: m.View.Breakpoints, Lane: m.Lane,
		Filter: m.Filter, Pinned: m.Pinned, Bits: m.Bits, Readings: m.Readings,
		Upcoming: m.Upcoming, Columns: m.Columns, Tile: m.Tile, Region: m.Region, Chosen: m.Chosen,
		MemoryTab: m.MemoryTab, Tab: m.Tab, Panels: m.Panels, Offer: m.Offer,
		Preset: m.Preset, PresetChosen: m.PresetChosen, Layouts: m.Layouts,
		Stride: m.Stride, Heat: m.Heat, CountsBy: m.CountsBy, Stops: m.Stops, Watches: m.Watches,
	}))
}

func themeName(dark bool) string {
	if dark {
		return "dark"
	}
	return "light"
}

func (s *Store) hasKey(key string) bool { _, ok := s.load(key); return ok }

func (s *Store) saveText() { s.save(keyText, s.text) }

// save stores a value; if that is not possible, the page says so.
func (s *Store) save(key, value string) {
	problem := ""
	if err := s.keep(key, value); err != nil {
		problem = "This browser does not keep the text (" + strings.TrimSpace(err.Error()) +
			"): copy it elsewhere before you close the page."
	}
	if key == keyText && problem != s.model.Unsaved {
		s.update(func(m *Model) { m.Unsaved = problem })
	}
}

// maxKept is what browsers give a site: five million characters in all.
const maxKept = 5 << 20

// key is the key of a value of this window. All windows share the theme.
func (s *Store) key(key string) string {
	if key == keyTheme {
		return key
	}
	return key + s.window
}

// keep stores a value. A value that the browser refuses is held for as long as the page is open; the error says why.
func (s *Store) keep(key, value string) error {
	err := errors.New("it is too long")
	if len(value) <= maxKept {
		err = s.platform.Save(s.key(key), value)
	}
	if err == nil {
		delete(s.held, s.key(key))
	} else {
		s.held[s.key(key)] = value
	}
	s.guard()
	return err
}

func (s *Store) load(key string) (value string, ok bool) {
	if value, ok = s.held[s.key(key)]; ok {
		return value, true
	}
	return s.platform.Load(s.key(key))
}

func (s *Store) forget(key string) {
	delete(s.held, s.key(key))
	s.platform.Forget(s.key(key))
}

// isHeld says whether a value is lost with the page, because the browser has not stored it.
func (s *Store) isHeld(key string) bool { _, held := s.held[s.key(key)]; return held }

// guard makes the browser ask before the page is closed, as long as something typed would be lost.
func (s *Store) guard() {
	ask := s.isHeld(keyText) && s.ownText() && !s.saved.is(s.text) || s.isHeld(keyPrevious) && s.model.Offer
	for key := range s.held {
		ask = ask || strings.HasPrefix(key, keyFile)
	}
	if ask != s.asking {
		s.asking = ask
		s.platform.Ask(ask)
	}
}

// ownText says whether the text is the user's own.
func (s *Store) ownText() bool { return s.document().own() }

// own says whether the document has a text that was typed: it is neither blank nor original.
func (d document) own() bool { return strings.TrimSpace(d.Text) != "" && !d.Original.is(d.Text) }

// Open loads the text of the last visit, or the first example, and the list of examples.
func (s *Store) Open() {
	stored, ok := s.load(keyText)
	if s.window == "" {
		s.began = identify(stored)
	}
	if ok {
		s.setText(stored)
		s.update(func(m *Model) { m.Edited = !s.original.is(s.text) })
		s.choosePreset()
	}
	s.platform.Fetch("examples/index.json", func(index string, err error) {
		var examples []Example
		if err != nil || !decode(index, &examples) {
			s.update(func(m *Model) { m.Notice = "The list of examples could not be loaded; everything else works." })
			return
		}
		s.update(func(m *Model) { m.Examples = examples })
		s.sayMissing()
		if !ok && len(examples) > 0 && s.text == "" && s.wanted == "" {
			s.loadExample(examples[0].File)
		}
	})
}

// loadExample opens an example in a tab of its own. It takes the tab of another text in which nothing was changed,
// unless that has a name: it came from a file.
// If there is no room for one more program, an edited text is kept, and the page offers to restore it.
func (s *Store) loadExample(file string) {
	if file == "" {
		return
	}
	if s.text != "" && s.missing.file != "" { // the user has chosen another
		s.missing = missing{}
		s.sayMissing()
	}
	if id := s.openExample(file); id > 0 {
		s.turnTo(id)
		s.showBeginning()
		return
	}
	if strings.Trim(strings.TrimSuffix(file, ".ptx"), "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || s.unlisted(file) {
		s.noExample(file, errors.New("names of examples have small letters, digits and hyphens"))
		return
	}
	first := s.wanted == "" && s.text == ""
	s.wanted = file
	s.platform.Fetch("examples/"+file, func(text string, err error) {
		if s.wanted != file || first && s.text != "" { // another has been chosen since, or a text has begun
			return
		}
		if err != nil {
			s.noExample(file, err)
			return
		}
		if s.model.Running {
			s.pause()
		}
		s.wanted = ""
		d, same := document{Text: text, Example: file, Original: identify(text)}, s.text == text
		if !s.ownText() && s.model.Files.name() == "" || !s.openNew("", d) {
			offer := s.setAside() || s.model.Offer
			s.open(d)
			s.original = identify(s.text)
			s.update(func(m *Model) { m.Offer, m.Edited = offer, false })
			s.saveSettings()
		}
		if same {
			s.showBeginning()
		}
		s.platform.SetAddress(exampleAddress(file), !first)
	})
}

// showBeginning brings the instruction that runs next into sight. The editor stays where it is in a text that it has.
func (s *Store) showBeginning() { s.markEditor(debug.View{}) }

// noExample says that an example cannot be had, such as one that an old link names, and why. The user's text stays; a
// page that has none yet begins with the first example.
func (s *Store) noExample(file string, why error) {
	s.wanted, s.missing = "", missing{file, why}
	s.sayMissing()
	list := s.model.Examples
	if s.text == "" && len(list) > 0 && list[0].File != file {
		s.loadExample(list[0].File)
		return
	}
	s.platform.SetAddress(exampleAddress(s.model.Example), false)
}

// missing is an example that could not be had.
type missing struct {
	file string
	why  error
}

// sayMissing says so. Once the list of examples has come, it is known whether there is such an example at all.
func (s *Store) sayMissing() {
	sentence, file := "", s.missing.file
	switch name := strings.TrimSuffix(file, ".ptx"); {
	case file == "":
	case s.unlisted(file):
		sentence = "There is no example “" + name + "”."
	default:
		sentence = "The example “" + name + "” could not be loaded: " + s.missing.why.Error() + "."
	}
	if sentence != s.model.Missing {
		s.update(func(m *Model) { m.Missing = sentence })
	}
}

// unlisted says whether the list of examples has come, and has no such file.
func (s *Store) unlisted(file string) bool {
	list := s.model.Examples
	return len(list) > 0 && !slices.ContainsFunc(list, func(e Example) bool { return e.File == file })
}

// openExample is the number of the program beside the current one that is this example, unchanged; 0 for none.
func (s *Store) openExample(file string) int {
	for _, f := range s.model.Files.Open {
		if f.ID == s.model.Files.Current {
			continue
		}
		if d := s.stored(f.ID); d.Example == file && d.Original.is(d.Text) {
			return f.ID
		}
	}
	return 0
}

func (s *Store) document() document {
	m := s.model
	return document{s.text, m.Example, s.original, m.View.Breakpoints, m.Stops, m.Watches}
}

// open makes a document the current one.
func (s *Store) open(d document) {
	s.original = d.Original
	s.update(func(m *Model) {
		m.Example, m.Region, m.Chosen, m.Page, m.Watches, m.AtHand = d.Example, "", false, 0, d.Watches, ""
	})
	s.setStops(d.Breakpoints, d.Stops)
	s.setText(d.Text)
	if s.editor != nil {
		s.editor.SetBreakpoints(d.Breakpoints)
	}
	s.choosePreset()
}

// restore restores the text that an example or a link replaced.
func (s *Store) restore() {
	var d document
	stored, ok := s.load(keyPrevious)
	if !ok || !decode(stored, &d) {
		return
	}
	offer := false
	if !s.ownText() {
		s.open(d)
	} else if !s.openNew("", d) { // there is no room for one more, so they change places
		_ = s.keep(keyPrevious, encode(s.document()))
		s.open(d)
		offer = true
	}
	s.update(func(m *Model) { m.Offer, m.Edited, m.OfferHeld = offer, !s.original.is(s.text), s.isHeld(keyPrevious) })
	s.saveSettings()
}
