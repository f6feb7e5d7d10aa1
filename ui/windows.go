package ui

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"warpscope/launch"
)

// Several windows can show the playground. They share what is stored until one of them changes the text. The others are
// notified and go on with keys of their own, so that no window overwrites what was typed in another. A window keeps its
// keys when it is reloaded. The texts that a window with keys of its own leaves behind become closed programs of the
// next first window.
//
// The keys of such a window end in this and a number.
const windowMark = "@"

// windowAction applies an action that reports a change in another window.
func (s *Store) windowAction(action Action) bool {
	switch a := action.(type) {
	case Stored:
		s.hear(a)
	case Returned:
		s.follow()
		if stored, ok := s.platform.Load(s.key(keyText)); ok && stored != s.text && !s.isHeld(keyText) {
			s.part()
		}
	default:
		return false
	}
	return true
}

// concerned says whether a key concerns this window.
func (s *Store) concerned(key string) bool {
	return key == keyTheme || key == s.key(keyText) || key == s.key(keyFiles) ||
		s.window != "" && strings.HasSuffix(key, s.window)
}

func (s *Store) hear(a Stored) {
	switch {
	case a.Key == keyTheme && a.After != "":
		s.show(SetTheme{a.After == themeName(true)})
	case a.After == "" && s.window != "" && strings.HasSuffix(a.Key, s.window): // another window took this one for closed
		_ = s.platform.Save(a.Key, a.Before)
	case a.Key == s.key(keyFiles):
		s.follow()
	case a.Key == s.key(keyText) && a.After != s.text:
		s.part()
	}
}

// follow notes which programs another window with the same keys has closed.
func (s *Store) follow() {
	var theirs fileList
	if stored, ok := s.platform.Load(s.key(keyFiles)); !ok || !decode(stored, &theirs) {
		return
	}
	list := s.model.Files
	list.Next = max(list.Next, theirs.Next)
	list.Closed = slices.DeleteFunc(theirs.Closed, func(f File) bool { return list.index(f.ID) >= 0 })
	s.update(func(m *Model) { m.Files = list })
}

// part gives this window keys of its own, and takes the open programs there.
func (s *Store) part() {
	list := s.model.Files
	list.Closed = nil // they keep their keys
	carried := map[string]string{}
	keys := []string{keyPrevious}
	for _, f := range list.Open {
		if f.ID != list.Current {
			keys = append(keys, fileKey(f.ID))
		}
	}
	for _, key := range keys {
		if value, ok := s.load(key); ok {
			carried[key] = value
		}
		delete(s.held, s.key(key))
	}
	s.window = windowMark + strconv.FormatUint(uint64(rand.Uint32()), 36)
	s.platform.SetWindow(s.window)
	for _, key := range keys {
		if value, ok := carried[key]; ok {
			_ = s.keep(key, value) // a value that is not stored is held, as before
		}
	}
	s.setFiles(list)
	s.Leave()
}

// nameWindow is the name that this window had before it was reloaded.
func (s *Store) nameWindow() {
	if s.window = s.platform.Window(); s.window != "" && !s.hasKey(keyText) { // another window has taken it over
		s.window = ""
		s.platform.SetWindow("")
	}
}

// adopt takes over what other windows left. A window that is still open puts back what is taken from it. Until then
// there are copies, so no text is lost.
func (s *Store) adopt() {
	if s.window != "" {
		return
	}
	keys := s.platform.Keys()
	slices.Sort(keys)
	var failed error
	for _, key := range keys {
		name, window, other := strings.Cut(key, windowMark)
		if other && strings.HasPrefix(name, "warpscope.") && failed == nil {
			failed = s.takeOver(key, s.left(name, windowMark+window))
		}
	}
	for _, key := range keys {
		if strings.Contains(key, windowMark) && strings.HasPrefix(key, "warpscope.") && failed == nil {
			s.platform.Forget(key)
		}
	}
}

// left is the document under a key of another window; an empty one if there is none.
func (s *Store) left(key, window string) (d document) {
	var set settings
	if stored, ok := s.platform.Load(keySettings + window); ok {
		decode(stored, &set)
	}
	value, _ := s.platform.Load(key + window)
	switch {
	case key == keyText && !set.Began.is(value):
		return document{value, set.Example, set.Original, set.Breakpoints, set.Stops, set.Watches}
	case key == keyPrevious && set.Offer, strings.HasPrefix(key, keyFile):
		decode(value, &d)
	}
	return d
}

// takeOver makes a document of another window a closed program, if it was typed and is not here.
func (s *Store) takeOver(key string, d document) error {
	present, _ := s.load(keyText)
	if !d.own() || d.Text == present {
		return nil
	}
	list := s.model.Files
	for _, f := range slices.Concat(list.Open, list.Closed) {
		if f.ID != list.Current && s.stored(f.ID).Text == d.Text {
			return nil
		}
	}
	label := cmp.Or(heading(launch.Title(d.Text)), "Untitled")
	s.update(func(m *Model) { m.JustClosed, m.Elsewhere = label, true })
	for _, f := range list.Closed {
		if f.From == key { // the same, with later changes
			return s.keep(fileKey(f.ID), encode(d))
		}
	}
	return s.retire(File{Label: label, From: key}, d)
}
