package ui

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"warpscope/ptx/isa"
)

// The palette finds whatever the site has by a few letters of its name: commands, panels, examples, lessons,
// instructions, and sections of the manual.

// kind is what a choice of the palette is, in the palette's order.
type kind int

const (
	kindCommand kind = iota
	kindPanel
	kindExample
	kindLesson
	kindInstruction
	kindSection
)

var kindNames = [...]string{"Commands", "Panels", "Examples", "Lessons", "Instructions", "Sections of the manual"}

// choice is one thing that the palette finds.
type choice struct {
	Kind   kind
	Name   string
	More   string // beside the name, and searched too
	Keys   string
	Action Action // or
	Href   string // an address
}

// Actions of the palette.
type (
	ShowPalette   struct{ On bool }
	Search        struct{ Query string }
	Point         struct{ By int } // from one of what was found to another
	Choose        struct{ At int }
	ChoosePointed struct{}
	VisitPage     struct{ Href string }
)

// Palette is the state of the open palette.
type Palette struct {
	Query string
	Found []found
	At    int // the one that Enter chooses: at first the best of all
	all   []choice
}

// found is a choice that has all words of the query, and where: ranges of bytes in its name.
type found struct {
	choice
	Marks [][2]int
	rank  int
}

// sitePages are the other pages of the site, which the header has links to.
var sitePages = []tab{{"lessons/index.html", "Lessons"}, {"gallery.html", "Examples"}, {"coverage.html", "Coverage"},
	{"about.html", "About"}}

// contents are the lessons and the manual's sections, which come from the site when the palette is opened first.
type contents struct {
	Lessons []struct {
		File  string `json:"file"`
		Title string `json:"title"`
	} `json:"lessons"`
	Sections []struct {
		Number string `json:"number"`
		Title  string `json:"title"`
	} `json:"sections"`
}

// paletteAction applies an action of the palette.
func (s *Store) paletteAction(action Action) bool {
	p := s.model.Palette
	switch a := action.(type) {
	case ShowPalette:
		s.showPalette(a.On)
	case Search:
		if p == nil {
			return true
		}
		s.update(func(m *Model) { m.Palette = p.search(a.Query) })
	case Point:
		if p != nil && len(p.Found) > 0 {
			n := len(p.Found)
			next := *p
			next.At = (p.At + a.By + n) % n
			s.update(func(m *Model) { m.Palette = &next })
		}
	case ChoosePointed: // the list on the screen may be that of an earlier query
		if p != nil && p.At < len(p.Found) {
			s.choose(p.Found[p.At].choice)
		}
	case Choose:
		if p != nil && a.At < len(p.Found) {
			s.choose(p.Found[a.At].choice)
		}
	default:
		return false
	}
	return true
}

func (s *Store) choose(c choice) {
	s.showPalette(false)
	if c.Href != "" {
		s.platform.Visit(c.Href)
		return
	}
	s.Do(c.Action)
	if show, ok := c.Action.(ShowPanel); ok {
		s.platform.FocusPanel(show.Panel)
	}
}

func (s *Store) showPalette(on bool) {
	if !on {
		s.update(func(m *Model) { m.Palette = nil })
		return
	}
	show := func() {
		query := ""
		if s.model.Palette != nil {
			query = s.model.Palette.Query
		}
		s.update(func(m *Model) { m.Palette = (&Palette{all: choices(m)}).search(query) })
	}
	show()
	if s.model.Contents.Lessons == nil {
		s.platform.Fetch("contents.json", func(text string, err error) {
			var c contents
			if err != nil || !decode(text, &c) {
				return // offline, all the rest is found
			}
			s.update(func(m *Model) { m.Contents = c })
			if s.model.Palette != nil {
				show()
			}
		})
	}
}

// choices are all that the palette finds.
func choices(m *Model) []choice {
	list := append(commands(), placeCommands(m)...)
	for _, key := range panelKeys() {
		list = append(list, choice{Kind: kindPanel, Name: m.panelTitle(key), Action: ShowPanel{key}})
	}
	for _, preset := range presetNames {
		list = append(list, choice{Kind: kindPanel, Name: preset.label + " layout", Action: SetPreset{preset.key}})
	}
	for _, e := range m.Examples {
		list = append(list, choice{Kind: kindExample, Name: cmp.Or(e.Title, e.File), Action: LoadExample{e.File}})
	}
	for i, l := range m.Contents.Lessons {
		list = append(list, choice{Kind: kindLesson, Name: l.Title, More: "Lesson " + strconv.Itoa(i+1), Href: l.File})
	}
	for _, f := range isa.Forms() {
		list = append(list, choice{Kind: kindInstruction, Name: f.ID, More: f.Summary, Href: "coverage.html#" + f.ID})
	}
	for _, c := range m.Contents.Sections {
		list = append(list, choice{Kind: kindSection, Name: c.Title, More: c.Number, Href: manualAddress(c.Title)})
	}
	return list
}

// commands are those with a key, and the others.
func commands() []choice {
	var list []choice
	for _, group := range Keys {
		for _, k := range group.Keys {
			switch k.Action.(type) {
			case nil, ShowPalette, NextPanel: // of the page, with the focus where it is
			default:
				list = append(list, choice{Kind: kindCommand, Name: k.Does, Keys: k.Keys, Action: k.Action})
			}
		}
	}
	add := func(name string, action Action) {
		list = append(list, choice{Kind: kindCommand, Name: name, Action: action})
	}
	for _, d := range destinations {
		if keysOf(d.Action) == "" {
			list = append(list, d)
		}
	}
	for _, s := range strides {
		add("Step executes: "+s.Words, SetStride{s.Stride})
	}
	add("New program", NewFile{})
	add("Reopen the program that was closed last", ReopenFile{})
	add("Compare with another version of the program", ShowCompare{true})
	add("Models side by side", ShowModels{true})
	add("Light or dark theme", ToggleTheme{})
	add("Draw the whole run", ShowSpan{})
	add("Draw all warps over time", ChartAll{true})
	add("Draw the lanes of the followed warp over time", ChartAll{false})
	add("Reset this layout: give the panels their places back", ResetLayout{})
	for _, page := range sitePages {
		list = append(list, choice{Kind: kindCommand, Name: "Page: " + page.label, Href: page.key})
	}
	return list
}

// placeCommands are those with which panels in front fill the workspace, fold, or come back.
func placeCommands(m *Model) (list []choice) {
	if m.Room.W == 0 {
		return nil
	}
	for _, p := range m.screen().Places {
		if !p.Front {
			continue
		}
		for _, item := range panelMenu(m, p.Panel) {
			switch item.Action.(type) {
			case Maximise, FoldPanel:
				name := item.Label + " " + m.panelTitle(p.Panel)
				list = append(list, choice{Kind: kindCommand, Name: name, Action: item.Action})
			}
		}
	}
	return list
}

// search finds what has all words of a query. Of each kind the best come first, and few of them.
func (p *Palette) search(query string) *Palette {
	next := &Palette{Query: query, all: p.all}
	words := strings.Fields(strings.ToLower(query))
	most := [...]int{kindCommand: 80, kindPanel: 30, kindExample: 12, kindLesson: 30, kindInstruction: 12,
		kindSection: 12}
	byKind := make([][]found, len(kindNames))
	for _, c := range p.all {
		if len(words) == 0 && c.Kind > kindPanel {
			continue
		}
		if f, ok := c.match(words); ok {
			byKind[c.Kind] = append(byKind[c.Kind], f)
		}
	}
	for k, list := range byKind {
		left := most[k]
		for rank := 0; rank <= worstRank*len(words); rank++ {
			for i := range list {
				if list[i].rank == rank && left > 0 {
					next.Found = append(next.Found, list[i])
					left--
				}
			}
		}
	}
	for i, f := range next.Found {
		if f.rank < next.Found[next.At].rank {
			next.At = i
		}
	}
	return next
}

// worstRank is that of a word that is not in the name.
const worstRank = 4

// is says whether a word is what a choice is: "lesson", "lessons".
func (k kind) is(word string) bool {
	name, _, _ := strings.Cut(strings.ToLower(kindNames[k]), " ")
	return strings.TrimSuffix(word, "s") == strings.TrimSuffix(name, "s")
}

// match looks for every word, in the name, beside it and in what the choice is. The rank is 0 where the name is the
// word; it is higher where the name only begins with a word, where a word of the name does, where it is within, and
// where it is not in the name.
func (c choice) match(words []string) (f found, ok bool) {
	f.choice = c
	name := strings.ToLower(c.Name)
	if len(name) != len(c.Name) { // letters that change their size: no marks would fit
		name = c.Name
	}
	hit := make([]bool, len(name)) // by byte
	for _, word := range words {
		at := strings.Index(name, word)
		for i := at; i >= 0; { // better at the beginning of a word
			if before, _ := utf8.DecodeLastRuneInString(name[:i]); i == 0 || !unicode.IsLetter(before) {
				at = i
				break
			}
			next := strings.Index(name[i+1:], word)
			if next < 0 {
				break
			}
			i += 1 + next
		}
		switch {
		case at < 0 && !strings.Contains(strings.ToLower(c.More+" "+c.Keys), word) && !c.Kind.is(word):
			return f, false
		case at < 0:
			f.rank += worstRank
			continue
		case name == word:
		case at == 0:
			f.rank++
		case !unicode.IsLetter(rune(name[at-1])):
			f.rank += 2
		default:
			f.rank += 3
		}
		for i := range len(word) {
			hit[at+i] = true
		}
	}
	if strings.EqualFold(strings.Join(words, " "), c.More) { // "lesson 3", not the lesson on 32 lanes
		f.rank = 0
	}
	for i := range hit {
		switch n := len(f.Marks); {
		case !hit[i]:
		case i > 0 && hit[i-1]:
			f.Marks[n-1][1] = i + 1
		default:
			f.Marks = append(f.Marks, [2]int{i, i + 1})
		}
	}
	return f, true
}

// manualAddress is the place of a section in NVIDIA's manual on the web, whose anchors are made from titles.
func manualAddress(title string) string {
	var anchor strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			anchor.WriteRune(r)
		case anchor.Len() > 0 && !strings.HasSuffix(anchor.String(), "-"):
			anchor.WriteByte('-')
		}
	}
	return "https://docs.nvidia.com/cuda/parallel-thread-execution/#" + strings.Trim(anchor.String(), "-0123456789")
}
