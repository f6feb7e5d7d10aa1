package ui

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"warpscope/ptx"
)

// Several programs can be open. The current one is stored as in older versions (keyText, keySettings), so the text of
// an older version is simply the first of them. The others have keys of their own, and so do those that were closed
// last.
const (
	keyFiles = "warpscope.files" // fileList as JSON
	keyFile  = "warpscope.file." // and the program's number: document as JSON
)

// maxClosed is how many closed programs are kept.
const maxClosed = 20

// File is an open program.
type File struct {
	ID    int    `json:"id"`
	Name  string `json:"name,omitempty"`  // given by the user or the file it came from
	Label string `json:"label,omitempty"` // its name when it was last shown
	From  string `json:"from,omitempty"`  // key of another window, from which it was taken over
}

// fileList says which programs are open.
type fileList struct {
	Open    []File `json:"open"`
	Current int    `json:"current"`          // number
	Closed  []File `json:"closed,omitempty"` // last closed last
	Next    int    `json:"next"`             // a number that is free
}

// index is the place of an open program, or -1.
func (l fileList) index(id int) int {
	return slices.IndexFunc(l.Open, func(f File) bool { return f.ID == id })
}

// name is the name of the current program, "" for none.
func (l fileList) name() string {
	if i := l.index(l.Current); i >= 0 {
		return l.Open[i].Name
	}
	return ""
}

// fileKey is the key of a program that is not the current one.
func fileKey(id int) string { return keyFile + strconv.Itoa(id) }

// Actions on programs.
type (
	NewFile    struct{}
	OpenFile   struct{ Name, Text string }
	PickFiles  struct{} // asks the user for files
	SaveFile   struct{} // hands the program to the user
	TurnTo     struct{ ID int }
	CloseFile  struct{ ID int }
	ReopenFile struct{}
	RenameFile struct {
		ID   int
		Name string
	}
	EditName      struct{ ID int } // 0: no name is being edited
	DismissClosed struct{}
	ShowHelp      struct{ On bool }
)

func (s *Store) loadFiles() {
	list := fileList{Open: []File{{ID: 1}}, Current: 1, Next: 2}
	if stored, ok := s.load(keyFiles); ok {
		var kept fileList
		if decode(stored, &kept) && kept.index(kept.Current) >= 0 {
			list = kept
		}
	}
	for _, f := range slices.Concat(list.Open, list.Closed) {
		list.Next = max(list.Next, f.ID+1)
	}
	s.model.Files = list
}

// setFiles publishes and stores the list of programs.
func (s *Store) setFiles(list fileList) {
	s.update(func(m *Model) { m.Files = list })
	s.save(keyFiles, encode(list))
}

// fileAction applies actions on whole programs.
func (s *Store) fileAction(action Action) bool {
	switch a := action.(type) {
	case NewFile:
		s.openNew("", document{Original: identify("")})
	case OpenFile:
		switch {
		case isData(a.Name, a.Text):
			s.update(func(m *Model) {
				m.Notice = a.Name + " holds no text. Drop it on an argument of the launch form, and it fills that buffer."
			})
		case isSource(a.Name):
			s.addSource(a.Name, a.Text)
		default:
			s.openNew(a.Name, document{Text: a.Text, Original: identify(a.Text)})
		}
	case PickFiles:
		s.platform.PickFiles(func(name, text string) { s.Do(OpenFile{name, text}) })
	case SaveFile:
		s.parseNow()
		s.platform.Download(fileName(s.label()), s.text)
		s.saved = identify(s.text)
	case TurnTo:
		s.turnTo(a.ID)
	case CloseFile:
		s.closeFile(a.ID)
	case ReopenFile:
		s.reopen()
	case RenameFile:
		s.rename(a.ID, a.Name)
	case EditName:
		s.update(func(m *Model) { m.Naming = a.ID })
	case DismissClosed:
		s.update(func(m *Model) { m.JustClosed = "" })
	case ShowHelp:
		s.update(func(m *Model) { m.Help = a.On })
	default:
		return false
	}
	return true
}

// label is the name of the current program.
func (s *Store) label() string { return s.model.label(s.model.Files.Current) }

// label is the name of a program: its own, else its title, else its kernel. For the current program these are up to
// date.
func (m *Model) label(id int) string {
	i := m.Files.index(id)
	if i < 0 {
		return ""
	}
	f := m.Files.Open[i]
	switch {
	case f.Name != "":
		return f.Name
	case id == m.Files.Current && m.Title != "":
		return m.Title
	case id == m.Files.Current && m.Spec != nil:
		return ptx.DisplayName(m.Spec.Entry)
	case f.Label != "":
		return f.Label
	}
	if id > 1 {
		return "Untitled " + strconv.Itoa(id)
	}
	return "Untitled"
}

// fileName is a name for the user's disk.
func fileName(label string) string {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r):
			return '-'
		}
		return r
	}, strings.TrimSpace(label))
	if clean = strings.Trim(clean, ". "); clean == "" {
		clean = "program"
	}
	if strings.HasSuffix(strings.ToLower(clean), ".ptx") {
		return clean
	}
	return clean + ".ptx"
}

// putAway stores the current program under its own key. If that is not possible, no other program can take its place.
// Closed programs make room for it, unless it is too long in any case.
func (s *Store) putAway() bool {
	text := encode(s.document())
	for {
		err := s.keep(fileKey(s.model.Files.Current), text)
		if err == nil || errors.Is(err, ErrNoStorage) { // no place is better than this page
			return true
		}
		delete(s.held, s.key(fileKey(s.model.Files.Current))) // it stays the current program
		if len(text) > maxKept || !s.forgetClosed() {
			s.update(func(m *Model) {
				m.Notice = "There is no room to keep another program (" + err.Error() + "): save this one and close it first."
			})
			return false
		}
	}
}

// forgetClosed makes room by dropping a closed program; false if there is none.
func (s *Store) forgetClosed() bool {
	list := s.model.Files
	if len(list.Closed) == 0 {
		return false
	}
	s.forget(fileKey(list.Closed[0].ID))
	list.Closed = slices.Clone(list.Closed[1:])
	s.setFiles(list)
	return true
}

// withClosed is the list with one more closed program and, if it is full, without the oldest.
func (s *Store) withClosed(list fileList, f File) fileList {
	list.Closed = append(slices.Clone(list.Closed), f)
	for len(list.Closed) > maxClosed {
		s.forget(fileKey(list.Closed[0].ID))
		list.Closed = list.Closed[1:]
	}
	return list
}

// take makes a document the current program. The editor keeps a history of changes for each program.
func (s *Store) take(list fileList, id int, d document) {
	if s.model.Running {
		s.pause()
	}
	s.wanted = "" // an example that is still loading belongs to another program
	from := list.Current
	list.Open = slices.Clone(list.Open)
	s.parseNow() // its title may be new
	if i := list.index(list.Current); i >= 0 {
		list.Open[i].Label = s.label()
	}
	list.Current = id
	s.update(func(m *Model) { m.Files, m.Naming, m.JustClosed = list, 0, "" })
	if s.editor != nil {
		d.Text = s.editor.Turn(from, id, d.Text)
	}
	s.open(d)
	s.update(func(m *Model) { m.Edited = !s.original.is(s.text) })
	s.platform.SetAddress(exampleAddress(d.Example), d.Example != "")
	s.saveSettings()
	s.save(keyFiles, encode(list))
}

// openNew opens one more program; false if there is no room to store the current one.
func (s *Store) openNew(name string, d document) bool {
	blank := strings.TrimSpace(s.text) == "" && name != ""
	if !blank && !s.putAway() {
		return false
	}
	list := s.model.Files
	f := File{ID: list.Next, Name: name}
	if blank { // the new program replaces an empty one
		s.forget(fileKey(list.Current))
		list.Open = slices.DeleteFunc(slices.Clone(list.Open), func(f File) bool { return f.ID == list.Current })
	}
	list.Open = append(slices.Clip(list.Open), f)
	list.Next++
	s.take(list, f.ID, d)
	return true
}

// stored is a program that is not the current one.
func (s *Store) stored(id int) (d document) {
	if text, ok := s.load(fileKey(id)); ok {
		decode(text, &d)
	}
	return d
}

func (s *Store) turnTo(id int) {
	list := s.model.Files
	if list.index(id) < 0 || id == list.Current || !s.putAway() {
		return
	}
	s.take(s.model.Files, id, s.stored(id))
}

// closeFile closes a program, which can be opened again. An empty program replaces the last one.
func (s *Store) closeFile(id int) {
	list := s.model.Files
	i := list.index(id)
	if i < 0 {
		return
	}
	kept := id != list.Current || s.putAway()
	if !kept && !s.original.is(s.text) && !s.saved.is(s.text) {
		return
	}
	list = s.model.Files // without the programs that made room
	s.parseNow()
	closed := list.Open[i]
	closed.Label = s.model.label(id)
	list.Open = slices.Delete(slices.Clone(list.Open), i, i+1)
	if len(list.Open) == 0 {
		list.Open = []File{{ID: list.Next}}
		list.Next++
	}
	if kept {
		list = s.withClosed(list, closed)
	} else {
		s.forget(fileKey(id))
	}
	if id == list.Current {
		next := list.Open[min(i, len(list.Open)-1)].ID
		s.take(list, next, s.stored(next))
	} else {
		s.setFiles(list)
	}
	if kept {
		s.update(func(m *Model) { m.JustClosed, m.Elsewhere = closed.Label, false })
	}
}

// reopen opens the program that was closed last. It is read first, because it may have to make room for the current
// program.
func (s *Store) reopen() {
	closed := s.model.Files.Closed
	if len(closed) == 0 {
		return
	}
	f := closed[len(closed)-1]
	d := s.stored(f.ID)
	if !s.putAway() {
		return
	}
	list := s.model.Files
	list.Closed = slices.DeleteFunc(slices.Clone(list.Closed), func(c File) bool { return c.ID == f.ID })
	f.From = ""
	list.Open = append(slices.Clone(list.Open), f)
	s.take(list, f.ID, d)
}

// rename gives a program a name; after an empty one, its title is its name again.
func (s *Store) rename(id int, name string) {
	list := s.model.Files
	list.Open = slices.Clone(list.Open)
	for i := range list.Open {
		if list.Open[i].ID == id {
			list.Open[i].Name = strings.TrimSpace(name)
		}
	}
	s.update(func(m *Model) { m.Naming = 0 })
	s.setFiles(list)
}

// retire makes a document a closed program, so that it is not lost.
func (s *Store) retire(f File, d document) error {
	list := s.model.Files
	f.ID = list.Next
	list.Next++
	err := s.keep(fileKey(f.ID), encode(d))
	s.setFiles(s.withClosed(list, f))
	return err
}
