package headless

import (
	"encoding/json"
	"fmt"
	"strings"

	"warpscope/ptx"
)

// formatted is the JSON of fmt for a file.
type formatted struct {
	File    string `json:"file"`
	Changed bool   `json:"changed"`
	Error   string `json:"error,omitempty"`
}

// format formats files. Without a flag it prints the formatted texts.
func (t *tool) format() int {
	status, list := exitOK, []formatted{}
	for _, p := range t.programs(false) {
		f := formatted{File: p.file}
		switch err := t.formatOne(p, &f); {
		case err != nil:
			f.Error = err.Error()
			status = exitUsage
			if !t.JSON {
				t.Err(f.Error + "\n")
			}
		case f.Changed && !t.Rewrite && (t.Names || t.Diff || t.JSON):
			status = max(status, exitFailed)
		}
		list = append(list, f)
	}
	if t.JSON {
		text, _ := json.MarshalIndent(map[string]any{"ok": status == exitOK, "files": list}, "", "  ")
		t.Out(string(text) + "\n")
	}
	return status
}

func (t *tool) formatOne(p *program, f *formatted) error {
	if p.err != nil {
		return p.err
	}
	if p.line > 0 {
		return fmt.Errorf("%s is not a PTX file", p.file)
	}
	out := ptx.Format(p.src)
	f.Changed = string(out) != string(p.src)
	if f.Changed && t.Names && !t.JSON {
		t.Out(p.file + "\n")
	}
	if f.Changed && t.Diff && !t.JSON {
		t.Out(diff(p.name(), string(p.src), string(out)))
	}
	switch {
	case t.Rewrite && p.file == "-":
		return fmt.Errorf("the standard input cannot be rewritten: leave out -w")
	case t.Rewrite && f.Changed:
		return t.Write(p.file, out)
	case !t.Rewrite && !t.Names && !t.Diff && !t.JSON:
		t.Out(string(out))
	}
	return nil
}

// edit is a line of a difference: ' ' for one that stays, '-' and '+'.
type edit struct {
	sign byte
	text string
}

// edits compares a text with its layout. Layout keeps lines in their order and drops blank ones only, so the two are
// walked side by side.
func edits(a, b []string) (list []edit) {
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			list = append(list, edit{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || strings.TrimSpace(a[i]) == "" && strings.TrimSpace(b[j]) != ""):
			list = append(list, edit{'-', a[i]})
			i++
		case i == len(a):
			list = append(list, edit{'+', b[j]})
			j++
		default:
			list = append(list, edit{'-', a[i]}, edit{'+', b[j]})
			i, j = i+1, j+1
		}
	}
	return list
}

// hunks are the ranges of edits to show: changes with three lines around them.
func hunks(list []edit) (ranges [][2]int) {
	const around = 3
	for i, e := range list {
		if e.sign == ' ' {
			continue
		}
		from, to := max(0, i-around), min(len(list), i+around+1)
		if n := len(ranges) - 1; n >= 0 && from <= ranges[n][1] {
			ranges[n][1] = to
		} else {
			ranges = append(ranges, [2]int{from, to})
		}
	}
	return ranges
}

// lines cuts a text after its line breaks.
func lines(text string) []string {
	list := strings.SplitAfter(text, "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	return list
}

// diff writes the difference of a text and its layout in the unified format.
func diff(name, before, after string) string {
	var out strings.Builder
	fmt.Fprintf(&out, "--- %s\n+++ %s (formatted)\n", name, name)
	list := edits(lines(before), lines(after))
	at, line := 0, [2]int{1, 1} // of both texts, at the edit
	for _, hunk := range hunks(list) {
		var body strings.Builder
		var count [2]int
		for ; at < hunk[1]; at++ {
			e := list[at]
			inside := at >= hunk[0]
			for side, other := range []byte{'+', '-'} {
				switch {
				case e.sign == other:
				case inside:
					count[side]++
				default:
					line[side]++
				}
			}
			if inside {
				body.WriteByte(e.sign)
				body.WriteString(e.text)
				if !strings.HasSuffix(e.text, "\n") {
					body.WriteString("\n\\ No newline at end of file\n")
				}
			}
		}
		fmt.Fprintf(&out, "@@ -%d,%d +%d,%d @@\n%s", line[0], count[0], line[1], count[1], body.String())
		line[0], line[1] = line[0]+count[0], line[1]+count[1]
	}
	return out.String()
}
