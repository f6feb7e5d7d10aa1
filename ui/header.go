package ui

import (
	"slices"
	"strconv"
	"strings"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
)

// FieldError is an entry of the launch form that does not fit. The field keeps the entry, and the text does not change.
type FieldError struct {
	EditHeader
	Problem string
}

// of is the error if it belongs to this field, else nil.
func (f *FieldError) of(key, arg string) *FieldError {
	if f == nil || f.Key != key || f.Name != arg {
		return nil
	}
	return f
}

// editSpec is the launch with one field of the form changed, or a sentence that says what the field accepts. Arguments
// have the fields "arg", which is the initial value, "type" and "elements".
func (s *Store) editSpec(e EditHeader) (spec launch.Spec, problem string) {
	spec = *s.model.Spec
	switch e.Key {
	case "entry":
		if next := spec.WithEntry(s.model.Module, e.Value); next != nil {
			spec = *next
		}
	case "grid", "block", "cluster":
		shape, ok := parseShape(e.Value)
		if e.Key == "cluster" && e.Value == "" {
			shape, ok = emu.Dim3{}, true
		}
		if !ok {
			return spec, "A " + e.Key + " is x, or x,y or x,y,z: whole numbers from 1. The text is as it was."
		}
		switch e.Key {
		case "grid":
			spec.Grid = shape
		case "block":
			spec.Block = shape
		default:
			spec.Cluster = shape
		}
	case "model":
		spec.Model, _ = emu.ModelNamed(e.Value)
	case "engine":
		spec.Engine, _ = emu.EngineNamed(e.Value)
	case "shared":
		bytes, err := strconv.Atoi(e.Value)
		if err != nil || bytes < 0 {
			return spec, "Shared memory is a number of bytes. The text is as it was."
		}
		spec.Shared = bytes
	case "arg":
		return withInit(spec, e)
	case "type", "elements":
		return s.retyped(spec, e)
	}
	return spec, ""
}

// withInit is a launch with another initial value of an argument. The value is looked at alone first: on its line it
// is followed by other words.
func withInit(spec launch.Spec, e EditHeader) (next launch.Spec, problem string) {
	spec.Args = slices.Clone(spec.Args)
	for i := range spec.Args {
		a := &spec.Args[i]
		if a.Name != e.Name {
			continue
		}
		if why := a.Refuses(e.Value); why != "" {
			return spec, stays + why
		}
		a.Init = e.Value
	}
	return spec, ""
}

// retyped is a launch with another type or another number of elements of an argument.
func (s *Store) retyped(spec launch.Spec, e EditHeader) (next launch.Spec, problem string) {
	if e.Key == "elements" && !areElements(e.Value) {
		return spec, "The elements are a number, or numbers with commas between them: whole numbers from 1. " +
			"The text is as it was."
	}
	changed, why := spec.Retyped(s.model.Module, e.Name, s.entered("type", e), s.entered("elements", e))
	switch {
	case changed != nil:
		return *changed, ""
	case e.Key == "elements":
		return spec, "The elements stay: " + why
	}
	return spec, "The type stays: " + why
}

// areElements says whether a field has numbers of elements: "1024", "64,64", "" for a value.
func areElements(text string) bool {
	_, ok := wholeNumbers(strings.Split(text, ","))
	return ok || text == ""
}

// wholeNumbers reads numbers from 1.
func wholeNumbers(parts []string) (list []int, ok bool) {
	for _, part := range parts {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}

// entered is the contents of a field of an argument's type during an edit: a type that did not fit the number of
// elements counts when that number is entered next.
func (s *Store) entered(key string, e EditHeader) string {
	if e.Key == key {
		return e.Value
	}
	if wrong := s.model.FieldError.of(key, e.Name); wrong != nil && (key == "type" || areElements(wrong.Value)) {
		return wrong.Value
	}
	for i := range s.model.Spec.Args {
		if a := &s.model.Spec.Args[i]; a.Name == e.Name && key == "type" {
			return a.Type
		} else if a.Name == e.Name {
			return elementsText(a)
		}
	}
	return ""
}

// elementsText is an argument's shape in the form: "1024", "64,64", "" for a value.
func elementsText(a *launch.Arg) string {
	parts := make([]string, len(a.Dims))
	for i, d := range a.Dims {
		parts[i] = strconv.Itoa(d)
	}
	return strings.Join(parts, ",")
}

const stays = "The text stays as it was: "

// refused says why a field's entry does not fit the launch; "" if it fits. A choice is never refused: another kernel
// may need another block, which comes with the next entry. No entry is refused while the text has errors already.
func (s *Store) refused(e EditHeader, text string) string {
	choice := e.Key == "entry" || e.Key == "model" || e.Key == "engine"
	if choice || text == s.text || s.model.View.Phase == debug.Invalid || s.model.Stale {
		return ""
	}
	if errs := s.session.Try(s.name(), text); len(errs) > 0 {
		return stays + errs[0].Message
	}
	return ""
}

// editHeader writes a field of the launch form into the text's header, if its entry fits. After a choice the header can
// be wrong; then its diagnostics say so, and the form keeps the choice.
func (s *Store) editHeader(e EditHeader) {
	if s.model.Running {
		s.pause()
	}
	entered := s.model.Spec // kept while the header is wrong after a choice
	s.parseNow()
	if s.model.Spec != nil {
		entered = s.model.Spec
	}
	if entered == nil || s.model.ReadOnly {
		return
	}
	s.update(func(m *Model) { m.Spec = entered })
	spec, problem := s.editSpec(e)
	text := launch.ApplyHeader(s.text, &spec)
	if problem == "" {
		problem = s.refused(e, text)
	}
	if problem != "" {
		s.update(func(m *Model) { m.Notice, m.FieldError = problem, &FieldError{e, problem} })
		return
	}
	s.update(func(m *Model) {
		if m.FieldError != nil && m.Notice == m.FieldError.Problem {
			m.Notice = ""
		}
		m.FieldError = nil
	})
	s.replaceText(text)
	if s.model.Spec == nil || s.model.Stale {
		s.update(func(m *Model) { m.Spec = &spec })
	}
}

// parseShape reads "4", "8,8", "8 x 8" or "2 2 2".
func parseShape(text string) (emu.Dim3, bool) {
	text = strings.NewReplacer("x", ",", "×", ",").Replace(text)
	parts := strings.Fields(text)
	if strings.Contains(text, ",") {
		parts = strings.Split(text, ",")
	}
	sizes, ok := wholeNumbers(parts)
	if !ok || len(sizes) < 1 || len(sizes) > 3 {
		return emu.Dim3{}, false
	}
	shape := [3]int{1, 1, 1}
	copy(shape[:], sizes)
	return emu.Dim3{X: shape[0], Y: shape[1], Z: shape[2]}, true
}

// clusterText is a cluster's shape; "" when the launch names none.
func clusterText(d emu.Dim3) string {
	if d == (emu.Dim3{}) {
		return ""
	}
	return dims(d)
}

// noForm says why there is no launch form.
func noForm(m *Model) string {
	if launch.OnlyTheLaunch(m.View.Diagnostics.Errors()) {
		return "The launch header does not fit the program: Problems says what is wrong."
	}
	if m.blank() {
		return "The launch can be set when there is a program."
	}
	return "The launch can be set when the text has no errors."
}
