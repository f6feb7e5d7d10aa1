package ui

import (
	"encoding/json"
	"errors"
	"strings"
)

// What a visit leaves behind, in the local storage. The text and the theme stand alone: the page's first paint reads
// them before the engine runs.
const (
	keyText     = "warpscope.text"
	keyTheme    = "warpscope.theme"    // "dark" or "light"; absent: as the system
	keySettings = "warpscope.settings" // settings as JSON
	keyPrevious = "warpscope.previous" // document as JSON: what an example or a link replaced
)

// settings is everything but the text and the theme. Fields that a later version does not know are ignored.
type settings struct {
	Example     string   `json:"example,omitempty"`
	Original    textID   `json:"original"`
	Breakpoints []int    `json:"breakpoints,omitempty"`
	Lane        int      `json:"lane,omitempty"`
	Filter      string   `json:"filter,omitempty"`
	Pinned      []string `json:"pinned,omitempty"`
	Bits        Bits     `json:"bits,omitempty"`
	Tile        string   `json:"tile,omitempty"`
	Region      string   `json:"region,omitempty"`
	Chosen      bool     `json:"chosen,omitempty"`
	MemoryTab   string   `json:"memory,omitempty"`
	Tab         string   `json:"tab,omitempty"`
	Panels      []string `json:"panels,omitempty"`
	Offer       bool     `json:"offer,omitempty"` // keyPrevious is offered back
}

// document is a text with what belongs to it.
type document struct {
	Text        string `json:"text"`
	Example     string `json:"example,omitempty"`
	Original    textID `json:"original"`
	Breakpoints []int  `json:"breakpoints,omitempty"`
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
	if theme, ok := s.platform.Load(keyTheme); ok {
		s.model.Dark = theme == themeName(true)
	}
	var set settings
	if stored, ok := s.platform.Load(keySettings); !ok || !decode(stored, &set) {
		return
	}
	m := s.model
	m.Example, s.original = set.Example, set.Original
	m.Lane, m.Filter, m.Pinned, m.Tile = set.Lane&31, set.Filter, set.Pinned, set.Tile
	m.Region, m.Chosen = set.Region, set.Chosen
	m.Bits = oneOf(set.Bits, AsHex, AsUnsigned, AsSigned, AsFloat)
	m.MemoryTab = oneOf(set.MemoryTab, MemoryTable, MemoryHex, MemoryImage)
	m.Tab = oneOf(set.Tab, tabNames()...)
	m.Panels = set.Panels
	m.Offer = set.Offer && s.hasKey(keyPrevious)
	s.session.SetBreakpoints(set.Breakpoints)
	m.View.Breakpoints = set.Breakpoints
}

// oneOf is the value if it is one of those, else the first of them.
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
		Example: m.Example, Original: s.original, Breakpoints: m.View.Breakpoints, Lane: m.Lane, Filter: m.Filter,
		Pinned: m.Pinned, Bits: m.Bits, Tile: m.Tile, Region: m.Region, Chosen: m.Chosen,
		MemoryTab: m.MemoryTab, Tab: m.Tab, Panels: m.Panels, Offer: m.Offer,
	}))
}

func themeName(dark bool) string {
	if dark {
		return "dark"
	}
	return "light"
}

func (s *Store) hasKey(key string) bool { _, ok := s.platform.Load(key); return ok }

func (s *Store) saveText() { s.save(keyText, s.text) }

// save keeps a value, and says in the page when that is not possible.
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

func (s *Store) keep(key, value string) error {
	if len(value) > maxKept {
		return errors.New("it is too long")
	}
	return s.platform.Save(key, value)
}

// Open brings in the text of the last visit, or the first example, and the list of examples.
func (s *Store) Open() {
	stored, ok := s.platform.Load(keyText)
	if ok {
		s.setText(stored)
		s.update(func(m *Model) { m.Edited = !s.original.is(s.text) })
	}
	s.platform.Fetch("examples/index.json", func(index string, err error) {
		var examples []Example
		if err != nil || !decode(index, &examples) {
			s.update(func(m *Model) { m.Notice = "The list of examples could not be loaded; everything else works." })
			return
		}
		s.update(func(m *Model) { m.Examples = examples })
		if !ok && len(examples) > 0 && s.text == "" {
			s.loadExample(examples[0].File)
		}
	})
}

// loadExample replaces the text. An edited text is kept, and the page offers it back.
func (s *Store) loadExample(file string) {
	if file == "" {
		return
	}
	s.wanted = file
	s.platform.Fetch("examples/"+file, func(text string, err error) {
		if s.wanted != file { // another has been chosen since
			return
		}
		if err != nil {
			s.update(func(m *Model) { m.Notice = "The example could not be loaded: " + err.Error() })
			return
		}
		if s.model.Running {
			s.pause()
		}
		offer := s.setAside()
		s.open(document{Text: text, Example: file})
		s.original = identify(s.text)
		s.update(func(m *Model) { m.Offer, m.Edited = offer, false })
		s.saveSettings()
	})
}

func (s *Store) document() document {
	return document{s.text, s.model.Example, s.original, s.model.View.Breakpoints}
}

// open makes a document the present one.
func (s *Store) open(d document) {
	s.original = d.Original
	s.update(func(m *Model) { m.Example, m.Region, m.Chosen, m.Page = d.Example, "", false, 0 })
	s.session.SetBreakpoints(d.Breakpoints)
	s.setText(d.Text)
	if s.editor != nil {
		s.editor.SetBreakpoints(d.Breakpoints)
	}
}

// restore brings back the text that an example or a link replaced.
func (s *Store) restore() {
	var d document
	stored, ok := s.platform.Load(keyPrevious)
	if !ok || !decode(stored, &d) {
		return
	}
	if strings.TrimSpace(s.text) != "" && !s.original.is(s.text) { // by now there is another text to be kept
		if !s.openNew("", d) {
			return
		}
	} else {
		s.open(d)
	}
	s.update(func(m *Model) { m.Offer, m.Edited = false, !s.original.is(s.text) })
	s.saveSettings()
}
