package ui

import (
	"fmt"
	"strconv"
	"strings"

	"warpscope/launch"
)

// editHeader rewrites one launch header line of a text, or adds it after the header's last line. A text without a
// header gets a whole one, so that nothing but the edited field changes.
func editHeader(text string, spec *launch.Spec, e EditHeader) string {
	if spec == nil {
		return text
	}
	lines := strings.Split(text, "\n")
	found, last := -1, -1
	for i, line := range lines {
		words := headerWords(line)
		if words == nil {
			if trimmed := strings.TrimSpace(line); trimmed != "" && !strings.HasPrefix(trimmed, "//") {
				break
			}
			continue
		}
		last = i
		if words[0] == e.Key && (e.Key != "arg" || len(words) > 1 && words[1] == e.Name) {
			found = i
		}
	}
	switch {
	case last < 0:
		return strings.Join(wholeHeader(spec, e), "\n") + "\n" + text
	case found >= 0:
		end := ""
		if strings.HasSuffix(lines[found], "\r") {
			end = "\r"
		}
		lines[found] = headerLine(spec, e) + end
	default:
		lines = append(lines[:last+1], append([]string{headerLine(spec, e)}, lines[last+1:]...)...)
	}
	return strings.Join(lines, "\n")
}

// headerWords are the words of a header line; nil for other lines.
func headerWords(line string) []string {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), "//@")
	if !ok {
		return nil
	}
	return append(strings.Fields(rest), "")
}

// headerLine writes the line for one field.
func headerLine(spec *launch.Spec, e EditHeader) string {
	if e.Key != "arg" {
		return fmt.Sprintf("//@ %-8s %s", e.Key, e.Value)
	}
	for i := range spec.Args {
		if spec.Args[i].Name == e.Name {
			arg := spec.Args[i]
			arg.Init = e.Value
			return argLine(&arg)
		}
	}
	return "//@ arg " + e.Name + " " + e.Value
}

func argLine(a *launch.Arg) string {
	line := fmt.Sprintf("//@ arg      %s %s", a.Name, argType(a))
	if a.Init != "" {
		line += " = " + a.Init
	}
	if a.Image {
		line += " as image"
	}
	return line
}

// wholeHeader writes a header that says what the defaults did, but for the edited field.
func wholeHeader(spec *launch.Spec, e EditHeader) []string {
	fields := []EditHeader{{Key: "entry", Value: spec.Entry}, {Key: "grid", Value: dims(spec.Grid)},
		{Key: "block", Value: dims(spec.Block)}}
	if spec.Shared > 0 || e.Key == "shared" {
		fields = append(fields, EditHeader{Key: "shared", Value: strconv.Itoa(spec.Shared)})
	}
	for i := range spec.Args {
		fields = append(fields, EditHeader{Key: "arg", Name: spec.Args[i].Name, Value: spec.Args[i].Init})
	}
	lines := make([]string, len(fields))
	for i, f := range fields {
		if f.Key == e.Key && f.Name == e.Name {
			f.Value = e.Value
		}
		lines[i] = headerLine(spec, f)
	}
	return lines
}
