package headless

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"warpscope/ptx"
)

// Unread says why a file could not be read.
type Unread struct {
	OK      bool    `json:"ok"`
	Verdict Verdict `json:"verdict"`
	Error   string  `json:"error"`
}

// entryOfReport is the result of one program: one of the three pointers is set.
type entryOfReport struct {
	File    string
	Line    int // of a snippet: the line before it
	Unread  *Unread
	Checked *Checked
	Result  *Result
}

func (e *entryOfReport) verdict() Verdict {
	switch {
	case e.Unread != nil:
		return e.Unread.Verdict
	case e.Checked != nil:
		return e.Checked.Verdict
	}
	return e.Result.Verdict
}

// MarshalJSON puts the file before its result.
func (e *entryOfReport) MarshalJSON() ([]byte, error) {
	var rest any = e.Result
	if e.Unread != nil {
		rest = e.Unread
	} else if e.Checked != nil {
		rest = e.Checked
	}
	head, err := json.Marshal(struct {
		File    string `json:"file"`
		Snippet int    `json:"snippet,omitempty"`
	}{e.File, e.Line})
	if err != nil {
		return nil, err
	}
	body, err := json.Marshal(rest)
	if err != nil {
		return nil, err
	}
	return append(append(head[:len(head)-1], ','), body[1:]...), nil
}

// report holds the results of a command.
type report struct {
	OK      bool             `json:"ok"`
	Passed  int              `json:"passed"`
	Failed  int              `json:"failed"`
	Skipped int              `json:"skipped"` // programs without a launch header, fragments
	Files   []*entryOfReport `json:"files"`

	status int
	test   bool // of the command test: a line a file, and a sum
	single bool // of the command run: JSON is the file's own
}

func (r *report) add(e *entryOfReport) {
	r.Files = append(r.Files, e)
	if exitOf[e.verdict()] == exitOK {
		r.Passed++
	} else {
		r.Failed++
	}
	r.status = max(r.status, exitOf[e.verdict()])
}

// report prints what was found, and gives the exit status.
func (t *tool) report(r *report) int {
	r.OK = r.status == exitOK
	switch {
	case t.JSON:
		if r.Files == nil {
			r.Files = []*entryOfReport{}
		}
		var v any = r
		if r.single {
			v = r.Files[0]
		}
		text, err := json.MarshalIndent(v, "", "  ")
		if err != nil {
			t.Err(err.Error() + "\n")
			return exitFailed
		}
		t.Out(string(text) + "\n")
	case t.GitHub:
		for _, e := range r.Files {
			t.annotate(e)
		}
	default:
		for _, e := range r.Files {
			t.describe(e, r.test)
		}
	}
	if r.test && !t.JSON && len(r.Files) > 0 {
		t.Out(fmt.Sprintf("%d passed, %d failed, %d without a launch header\n", r.Passed, r.Failed, r.Skipped))
	}
	return r.status
}

// where is "file:line:column".
func where(file string, line, column int) string {
	if line == 0 {
		return file
	}
	text := file + ":" + strconv.Itoa(line)
	if column > 0 {
		text += ":" + strconv.Itoa(column)
	}
	return text
}

// title names a program; a snippet by its line.
func (e *entryOfReport) title() string {
	if e.Line > 0 {
		return where(e.File, e.Line+1, 0)
	}
	return e.File
}

// describe prints the result of a program for people.
func (t *tool) describe(e *entryOfReport, test bool) {
	switch {
	case e.Unread != nil:
		t.Err(e.Unread.Error + "\n")
	case e.Checked != nil:
		t.diagnose(e.File, e.Checked.Diagnostics)
		if e.Checked.OK {
			t.Out(e.title() + ": ok\n")
		}
	default:
		t.diagnose(e.File, e.Result.Diagnostics)
		if test {
			t.describeTest(e)
		} else if e.Result.Verdict == Failed || exitOf[e.Result.Verdict] == exitOK {
			t.describeRun(e.Result)
		}
	}
}

func (t *tool) diagnose(file string, list []Diagnostic) {
	for _, d := range list {
		t.Err(fmt.Sprintf("%s: %s: %s [%s]\n", where(file, d.Line, d.Column), d.Severity, d.Message, d.Code))
		for _, n := range d.Notes {
			t.Err(fmt.Sprintf("    note: line %d: %s\n", n.Line, n.Message))
		}
		if d.Fix != "" {
			t.Err("    fix: " + d.Fix + "\n")
		}
	}
}

// describeRun prints what ran, what it printed, each expectation, and the verdict.
func (t *tool) describeRun(r *Result) {
	if r.Defaulted {
		t.Out("no launch header: grid, block and arguments are guessed\n")
	}
	t.Out(fmt.Sprintf("%s: %s, %s, %s\n", r.Entry, ptx.Plural(r.Stats.CTAs, "CTA"),
		ptx.Plural(r.Stats.Threads, "thread"), ptx.Plural(r.Stats.WarpInstructions, "warp instruction")))
	if r.Output != "" {
		t.Out(strings.TrimSuffix(r.Output, "\n") + "\n")
	}
	t.Out(r.problems(""))
	failed := 0
	for _, e := range r.Expectations {
		if e.Pass {
			t.Out("ok    " + e.place() + e.Text + "\n")
		} else if failed++; failed <= maxFailed {
			t.Out("FAIL  " + e.place() + r.miss(e) + "\n")
		}
	}
	t.Out(moreFailed("FAIL  ", failed))
	if r.account != nil {
		t.Out(countersText(r.account))
	}
	t.Out("arithmetic: " + r.Fidelity + "\n")
	if r.Models != nil {
		t.describeModels(r.Models)
	}
	if r.Schedules != nil {
		t.describeSchedules(r.Schedules)
	}
	t.Out(map[Verdict]string{OK: "PASS\n", Failed: "FAIL\n", Unchecked: "NOT CHECKED: " + unchecked + "\n"}[r.Verdict])
}

// unchecked says what the verdict of this name means.
const unchecked = "the launch is guessed, and no expectation says what must come out"

// problems are the fault, the limit and the findings of a run, a line each.
func (r *Result) problems(indent string) string {
	text := ""
	if r.Fault != nil {
		text += indent + "fault: " + r.Fault.Message + "\n"
		if r.Fault.Fix != "" {
			text += indent + "    fix: " + r.Fault.Fix + "\n"
		}
	}
	if r.Stopped != "" {
		text += indent + "stopped: " + r.Stopped + "\n"
	}
	for _, f := range r.Findings {
		text += fmt.Sprintf("%sfinding: line %d: %s\n", indent, f.Line, f.Message)
	}
	return text
}

// miss says what an expectation missed. The fault that ended a run has a line of its own, and long lists are shortened.
func (r *Result) miss(e Expectation) string {
	const most = 120 // bytes of the expectation
	text, got := e.Text, e.Got
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	if r.Fault != nil && got == r.Fault.Message {
		got = "not checked, because of the fault"
		if strings.HasPrefix(text, "fault ") {
			got = "another fault ended the run"
		}
	}
	return text + ": " + got
}

func (e *Expectation) place() string {
	if e.Line == 0 {
		return ""
	}
	return fmt.Sprintf("line %d: ", e.Line)
}

// describeTest prints a line, and below it what is wrong.
func (t *tool) describeTest(e *entryOfReport) {
	r := e.Result
	if r.OK {
		t.Out("ok    " + e.title() + "\n")
		return
	}
	t.Out("FAIL  " + e.title() + "\n")
	if r.Verdict != Failed {
		t.Out("      " + map[Verdict]string{NotPTX: "not PTX", NotEmulated: "not emulated yet",
			BadLaunch: "cannot be launched so"}[r.Verdict] + "\n")
		return
	}
	const indent = "      "
	t.Out(r.problems(indent))
	failed := 0
	for _, x := range r.Expectations {
		if x.Pass {
			continue
		}
		if failed++; failed <= maxFailed {
			t.Out(indent + x.place() + r.miss(x) + "\n")
		}
	}
	t.Out(moreFailed(indent, failed))
}

// maxFailed bounds the failed expectations that are listed one by one.
const maxFailed = 100

// moreFailed is a line that counts the others.
func moreFailed(indent string, failed int) string {
	if failed <= maxFailed {
		return ""
	}
	return indent + ptx.Plural(failed-maxFailed, "more expectation") + "\n"
}

// annotate prints what is wrong as GitHub's annotations.
func (t *tool) annotate(e *entryOfReport) {
	if e.Unread != nil {
		t.note("error", e.File, Place{}, "", e.Unread.Error)
		return
	}
	var list []Diagnostic
	if e.Checked != nil {
		list = e.Checked.Diagnostics
	} else {
		list = e.Result.Diagnostics
	}
	for _, d := range list {
		level := map[string]string{"error": "error", "warning": "warning"}[d.Severity]
		if level == "" {
			level = "notice"
		}
		t.note(level, e.File, d.Place, d.Code, d.Message)
	}
	r := e.Result
	if r != nil && r.Verdict == Unchecked {
		t.note("notice", e.File, Place{Line: e.Line + 1}, string(Unchecked), unchecked)
	}
	if r == nil || r.OK {
		return
	}
	if f := r.Fault; f != nil {
		t.note("error", e.File, Place{Line: f.Line, Column: f.Column}, "fault "+f.Kind, f.Message)
	}
	if r.Stopped != "" {
		t.note("error", e.File, Place{Line: e.Line + 1}, "stopped", r.Stopped)
	}
	for _, f := range r.Findings {
		if !f.Expected {
			t.note("error", e.File, Place{Line: f.Line, Column: f.Column}, f.Check, f.Message)
		}
	}
	if r.Schedules != nil {
		for _, d := range r.Schedules.Differ {
			t.note("error", e.File, Place{Line: 1}, fmt.Sprintf("schedule %d", d.Schedule), strings.Join(d.What, "\n"))
		}
	}
	for _, x := range r.Expectations {
		if !x.Pass {
			t.note("error", e.File, Place{Line: x.Line}, "expectation", r.miss(x))
		}
	}
}

// The characters that end a command or a property of one.
var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// note prints "::error file=…,line=…::message".
func (t *tool) note(level, file string, at Place, title, message string) {
	text := "::" + level + " file=" + inProperty.Replace(file)
	for _, p := range []struct {
		name  string
		value int
	}{{"line", at.Line}, {"col", at.Column}, {"endLine", at.EndLine}, {"endColumn", at.EndColumn}} {
		if p.value > 0 {
			text += fmt.Sprintf(",%s=%d", p.name, p.value)
		}
	}
	if title != "" {
		text += ",title=" + inProperty.Replace(title)
	}
	t.Out(text + "::" + inMessage.Replace(message) + "\n")
}
