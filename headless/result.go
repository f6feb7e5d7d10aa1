package headless

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// Verdict is the result of a program, in one word.
type Verdict string

// The verdicts.
const (
	OK          Verdict = "ok"
	Unchecked   Verdict = "unchecked"  // nothing went wrong, but the launch is guessed, and nothing is expected
	Failed      Verdict = "failed"     // an unexpected fault or finding, a missed expectation, or a limit
	Unreadable  Verdict = "unreadable" // the file cannot be read
	BadLaunch   Verdict = "bad-launch" // PTX, but a launch header, an argument or an option does not fit it
	NotPTX      Verdict = "not-ptx"
	NotEmulated Verdict = "not-emulated" // PTX that is not emulated yet
)

// Place is a place in a text: lines and columns count from 1, columns in bytes; the end is exclusive. All are 0 where a
// setting is wrong, for it has no place in the text.
type Place struct {
	Line      int `json:"line"`
	Column    int `json:"column"`
	EndLine   int `json:"endLine"`
	EndColumn int `json:"endColumn"`
}

// Note is another place that matters for a diagnostic.
type Note struct {
	Message string `json:"message"`
	Place
}

// Diagnostic is a ptx.Diagnostic as others see it.
type Diagnostic struct {
	Severity string `json:"severity"`
	Code     string `json:"code"`
	Message  string `json:"message"`
	Place
	Section string `json:"section,omitempty"`
	Notes   []Note `json:"notes,omitempty"`
	Fix     string `json:"fix,omitempty"`
}

// Parameter is a parameter of a kernel.
type Parameter struct {
	Name  string `json:"name"`
	Type  string `json:"type"` // ".u64"
	Align int64  `json:"align"`
	Size  int64  `json:"size"`
}

// Entry is a kernel.
type Entry struct {
	Name   string      `json:"name"`
	Params []Parameter `json:"params"`
}

// Checked is the result of Check.
type Checked struct {
	OK          bool         `json:"ok"`
	Verdict     Verdict      `json:"verdict"`
	Diagnostics []Diagnostic `json:"diagnostics"`
	Entries     []Entry      `json:"entries"`
	Header      bool         `json:"header"` // there is a launch header
	Entry       string       `json:"entry"`  // the kernel that a run launches; "" when none can be
}

// Fault is an emu.Fault as others see it.
type Fault struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	CTA     [3]int `json:"cta"`
	Warp    int    `json:"warp"`
	Lanes   []int  `json:"lanes"`
	Space   string `json:"space,omitempty"`
	Address string `json:"address,omitempty"` // hexadecimal
	Size    int    `json:"size,omitempty"`
	Fix     string `json:"fix,omitempty"` // a change of the launch that may help
}

// Expectation is an expectation with its outcome.
type Expectation struct {
	Text string `json:"text"`
	Pass bool   `json:"pass"`
	Got  string `json:"got"`
	Line int    `json:"line"` // 0 for one that is no header line
}

// Finding is something that a program should not do. An expectation may name its check.
type Finding struct {
	Check    string `json:"check"`
	Message  string `json:"message"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	CTA      [3]int `json:"cta"`
	Expected bool   `json:"expected"`
	Other    int    `json:"otherLine,omitempty"` // of the other witness
	Section  string `json:"section,omitempty"`   // of the manual
}

// Stats are the counters of a run.
type Stats struct {
	WarpInstructions  int64 `json:"warpInstructions"`
	LaneInstructions  int64 `json:"laneInstructions"`
	Branches          int64 `json:"branches"`
	DivergentBranches int64 `json:"divergentBranches"`
	Barriers          int64 `json:"barriers"`
	Threads           int64 `json:"threads"`
	CTAs              int64 `json:"ctas"`
	CTAsDone          int64 `json:"ctasDone"`
}

// Buffer is the contents of a buffer at the end.
type Buffer struct {
	Type string // of an element: "f32", "u8x4"
	Dims []int
	Data []byte // little-endian
}

// Result is the result of a run. OK is false when nothing could run; Diagnostics then say why.
type Result struct {
	OK           bool               `json:"ok"`
	Verdict      Verdict            `json:"verdict"`
	Diagnostics  []Diagnostic       `json:"diagnostics"`
	Title        string             `json:"title"`
	Entry        string             `json:"entry"`
	Grid         [3]int             `json:"grid"`
	Block        [3]int             `json:"block"`
	Defaulted    bool               `json:"defaulted"` // there is no launch header: the launch is guessed
	Fault        *Fault             `json:"fault"`
	Stopped      string             `json:"stopped"` // why the run was cut short, or ""
	Buffers      map[string]*Buffer `json:"buffers"`
	Output       string             `json:"output"`
	Expectations []Expectation      `json:"expectations"`
	Findings     []Finding          `json:"findings"`
	Fidelity     string             `json:"fidelity"` // "all exact", or what is only within the manual's bounds
	Stats        Stats              `json:"stats"`
	Counters     *Counters          `json:"counters,omitempty"`  // where Options ask for them
	Schedules    *Schedules         `json:"schedules,omitempty"` // of a run that has tried others
	Models       *Models            `json:"models,omitempty"`    // of a run that has tried all

	account *emu.Account
}

// MarshalJSON writes the numbers: nan and infinities, and integers of 64 bits, as strings.
func (b *Buffer) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	e, ok := launch.ParseElem(b.Type)
	if !ok {
		return nil, errors.New("no type " + b.Type)
	}
	dims, err := json.Marshal(b.Dims)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(&out, `{"type":%q,"dims":%s,"values":[`, b.Type, dims)
	numbers := b.numbers(e)
	e.Lanes = 1
	if e.Type.Class() == isa.Bits { // as unsigned numbers
		e, _ = launch.ParseElem("u" + strings.TrimPrefix(e.String(), "b"))
	}
	kind := e.Type.String()
	word := strings.HasSuffix(kind, "64") && kind != ".f64"
	for i := range numbers {
		if i > 0 {
			out.WriteByte(',')
		}
		text := launch.FormatNth(e, b.Data, i)
		if word || strings.HasSuffix(text, "nan") || strings.HasSuffix(text, "inf") {
			text = `"` + text + `"`
		}
		out.WriteString(text)
	}
	out.WriteString("]}")
	return out.Bytes(), nil
}

// numbers counts the numbers of a buffer; none when the kernel has freed it.
func (b *Buffer) numbers(e launch.Elem) int {
	if len(b.Data) == 0 {
		return 0
	}
	n := e.Lanes
	for _, d := range b.Dims {
		n *= d
	}
	return n
}

// Array gives the numbers as an array of another language can hold them, vectors flat, and their type: floats of less
// than 32 bits as f32.
func (b *Buffer) Array() (typ string, data []byte) {
	e, _ := launch.ParseElem(b.Type)
	t, data := launch.Widened(e.Type, b.Data, b.numbers(e))
	return strings.TrimPrefix(t.String(), "."), data
}

func place(m *ptx.Module, s ptx.Span) Place {
	from, to := m.Position(int(s.Start)), m.Position(int(s.End))
	return Place{from.Line, from.Column, to.Line, to.Column}
}

func diagnostics(m *ptx.Module, list ptx.Diagnostics) []Diagnostic {
	out := make([]Diagnostic, len(list))
	for i, d := range list {
		out[i] = Diagnostic{Severity: d.Severity.String(), Code: d.Code, Message: d.Message, Place: place(m, d.Span),
			Section: d.Section}
		for _, n := range d.Notes {
			out[i].Notes = append(out[i].Notes, Note{n.Message, place(m, n.Span)})
		}
		if d.Fix != nil {
			out[i].Fix = d.Fix.Message
		}
	}
	return out
}

func entries(m *ptx.Module) []Entry {
	list := []Entry{}
	for _, f := range m.Entries() {
		e := Entry{f.Name, make([]Parameter, len(f.Params))}
		for i, p := range f.Params {
			e.Params[i] = Parameter{p.Name, p.Type.String(), p.Align, p.Size}
		}
		list = append(list, e)
	}
	return list
}

func triple(d emu.Dim3) [3]int { return [3]int{d.X, d.Y, d.Z} }

func fault(r *launch.Report) *Fault {
	f := r.Fault
	if f == nil {
		return nil
	}
	out := &Fault{Kind: string(f.Kind), Message: f.Error(), Line: f.Pos.Line, Column: f.Pos.Column, CTA: triple(f.CTA),
		Warp: f.Warp, Lanes: []int{}, Space: f.Space, Size: f.Size}
	for lane := range 32 {
		if f.Lanes.Has(lane) {
			out.Lanes = append(out.Lanes, lane)
		}
	}
	if f.Space != "" {
		out.Address = fmt.Sprintf("%#x", f.Addr)
	}
	if r.Fix != nil {
		out.Fix = r.Fix.Message
	}
	return out
}

func findings(r *launch.Report) []Finding {
	out := make([]Finding, len(r.Findings))
	for i, f := range r.Findings {
		word := launch.ChecksText(f.Check)
		expected := slices.ContainsFunc(r.Expectations, func(e launch.Expectation) bool {
			words := strings.Fields(strings.ToLower(e.Text))
			return len(words) == 2 && words[0] == "finding" && words[1] == word
		})
		out[i] = Finding{word, f.Message, f.Pos.Line, f.Pos.Column, triple(f.CTA), expected, f.Other.Line,
			f.Section}
	}
	return out
}
