// Package share is the format of links: a program, and the view of it, in the fragment of an address.
//
// A fragment is a version number, a dot and a payload: a JSON object (State), compressed with DEFLATE and written in
// base64url without padding. docs/share-format.md is the description for others. Every version that was ever written is
// read forever: testdata/ holds links of each.
package share

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
)

// State is what a link carries. The launch, with its inputs, is the program's header and so part of the text.
type State struct {
	Text        string   `json:"text"`
	Breakpoints []int    `json:"breaks,omitempty"` // lines
	Model       string   `json:"model,omitempty"`  // name of a divergence model, in place of what the header says
	Panels      []string `json:"panels,omitempty"`
	CTA         int      `json:"cta,omitempty"` // the followed warp
	Warp        int      `json:"warp,omitempty"`
	Lane        int      `json:"lane,omitempty"`
	Memory      string   `json:"memory,omitempty"` // region that the memory panel shows
	Step        int64    `json:"step,omitempty"`   // warp instructions executed

	// Stops are all at what a run stops, breakpoints included, if there is more to say of them than lines.
	Stops   []Stop   `json:"stops,omitempty"`
	Watches []string `json:"watches,omitempty"` // expressions

	// Edits are the values that the user has set on the way there, by step.
	Edits []Edit `json:"edits,omitempty"`

	// ShortTurns: Step was counted when warps took shorter turns, and is so large that it may be another moment now.
	ShortTurns bool `json:"-"`
}

// Stop is a breakpoint, a watchpoint or an event.
type Stop struct {
	Kind      string `json:"kind,omitempty"` // one of StopKinds; "" is a line
	Line      int    `json:"line,omitempty"`
	What      string `json:"what,omitempty"` // the register or the memory of a watchpoint
	Condition string `json:"if,omitempty"`
	Off       bool   `json:"off,omitempty"`
}

// StopKinds are the kinds of stops.
var StopKinds = []string{"", "divergence", "barrier", "finding", "read", "write", "change"}

// Edit is a value that the user has set before the instruction after a step: of a register, or of bytes of memory.
type Edit struct {
	Step  int64  `json:"step,omitempty"`
	CTA   int    `json:"cta,omitempty"`
	Warp  int    `json:"warp,omitempty"`
	Lane  int    `json:"lane,omitempty"`
	Func  string `json:"func,omitempty"` // with the register
	Reg   string `json:"reg,omitempty"`  // "" for memory
	Elem  int    `json:"elem,omitempty"` // component of a vector register
	Addr  uint64 `json:"addr,omitempty"` // generic, as the lane sees it
	Value []byte `json:"value"`          // little-endian
}

const (
	editVersion  = "3" // as 2, with edits
	firstVersion = "1" // a step counts under the schedule that let a warp's turn end after shortTurn instructions
	version      = "2" // a step counts under today's
	shortTurn    = 128 // up to here the two are the same

	// MaxText bounds what a link unpacks to, in bytes.
	MaxText = 4 << 20
	// maxList bounds the lists in a link.
	maxList = 1000
)

// Encode is the fragment of a state, without "#". It has the first version that has all of it, which more readers know.
func Encode(s State) string {
	b, err := json.Marshal(s)
	if err != nil { // no value of State has no JSON
		return ""
	}
	v := version
	switch {
	case len(s.Edits) > 0:
		v = editVersion
	case s.Step == 0:
		v = firstVersion
	}
	return v + "." + base64.RawURLEncoding.EncodeToString(deflate(b))
}

// Decode reads a fragment, with or without "#". The error is a sentence for the reader of the page.
func Decode(fragment string) (State, error) {
	fragment = escapes.Replace(strings.TrimPrefix(fragment, "#"))
	v, payload, found := strings.Cut(fragment, ".")
	if n, err := strconv.ParseUint(v, 10, 16); !found || err != nil || n == 0 || v[0] == '0' {
		return State{}, errors.New("What follows the # in this address is not a Warpscope link.")
	}
	if v != editVersion && v != version && v != firstVersion {
		return State{}, errors.New("This link has format " + v + ", which this Warpscope is too old for. " +
			"Reload the page, or open the link where it was made.")
	}
	if i := strings.IndexAny(payload, "&?"); i >= 0 { // a tracker has appended the rest
		payload = payload[:i]
	}
	packed, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(payload, "="))
	if err != nil {
		return State{}, damaged("it holds characters that no link has")
	}
	b, err := inflate(packed, MaxText)
	switch err {
	case nil:
	case errLarge:
		return State{}, errors.New("This link unpacks to more than " + strconv.Itoa(MaxText>>20) +
			" MB, which is no program to look at: it was not opened.")
	default:
		return State{}, damaged("its contents cannot be unpacked")
	}
	var s State
	if err := json.Unmarshal(b, &s); err != nil {
		return State{}, damaged("its contents are not what a link holds")
	}
	s = s.sane()
	s.ShortTurns = v == firstVersion && s.Step >= shortTurn
	return s, nil
}

// escapes are the characters of links that some programs write as %XX when they pass an address on.
var escapes = strings.NewReplacer("%2E", ".", "%2e", ".", "%2D", "-", "%2d", "-", "%5F", "_", "%5f", "_", "%3D", "=",
	"%3d", "=", "%26", "&", "%3F", "?", "%3f", "?")

// UnmarshalJSON takes numbers that make no sense as 0: they are no reason to refuse the program.
func (s *State) UnmarshalJSON(b []byte) error {
	type state State
	wire := struct {
		*state
		Breakpoints []number `json:"breaks"`
		CTA         number   `json:"cta"`
		Warp        number   `json:"warp"`
		Lane        number   `json:"lane"`
		Step        number   `json:"step"`
	}{state: (*state)(s)}
	if err := json.Unmarshal(b, &wire); err != nil {
		return err
	}
	for _, line := range wire.Breakpoints {
		s.Breakpoints = append(s.Breakpoints, int(line))
	}
	s.CTA, s.Warp, s.Lane, s.Step = int(wire.CTA), int(wire.Warp), int(wire.Lane), int64(wire.Step)
	return nil
}

// number is a whole number, and 0 for every other value of JSON.
type number int64

// UnmarshalJSON implements json.Unmarshaler.
func (n *number) UnmarshalJSON(b []byte) error {
	whole, err := strconv.ParseInt(string(b), 10, 64)
	if err != nil { // 2e0 is written otherwise, 1.5 and 1e30 are not whole numbers of 64 bits
		f, err := strconv.ParseFloat(string(b), 64)
		if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
			whole = int64(f)
		} else {
			whole = 0
		}
	}
	*n = number(whole)
	return nil
}

func damaged(how string) error {
	return errors.New("This link is damaged: " + how + ". Perhaps it was cut off when it was copied.")
}

// sane is the state without values that have no meaning here.
func (s State) sane() State {
	s.Breakpoints = s.Breakpoints[:min(len(s.Breakpoints), maxList)]
	s.Breakpoints = slices.DeleteFunc(s.Breakpoints, func(line int) bool { return line < 1 })
	s.Panels = s.Panels[:min(len(s.Panels), maxList)]
	s.Watches = s.Watches[:min(len(s.Watches), maxList)]
	s.Stops = slices.DeleteFunc(s.Stops[:min(len(s.Stops), maxList)], func(o Stop) bool {
		return !slices.Contains(StopKinds, o.Kind) || o.Kind == "" && o.Line < 1
	})
	if _, known := emu.ModelNamed(s.Model); !known {
		s.Model = ""
	}
	s.Edits = slices.DeleteFunc(s.Edits[:min(len(s.Edits), maxList)], func(e Edit) bool {
		return e.Step < 0 || e.Step > s.Step || e.CTA < 0 || e.Warp < 0 || e.Lane < 0 || e.Lane > 31 || e.Elem < 0 ||
			len(e.Value) == 0 || len(e.Value) > 16
	})
	slices.SortStableFunc(s.Edits, func(a, b Edit) int { return cmp.Compare(a.Step, b.Step) })
	s.CTA, s.Warp, s.Step = max(s.CTA, 0), max(s.Warp, 0), max(s.Step, 0)
	if s.Lane < 0 || s.Lane > 31 {
		s.Lane = 0
	}
	return s
}
