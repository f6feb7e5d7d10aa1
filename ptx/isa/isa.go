package isa

import (
	"fmt"
	"slices"
)

// Versions of the PTX ISA, times ten.
const (
	Latest       = 94 // the newest that is known, with its targets
	TableVersion = 94 // the newest whose instructions are all in the table
)

// Form is one form family of the instruction table.
type Form struct {
	ID       string // stable key, as in docs/coverage.md: "add.int"
	Section  string // section of the manual: "9.7.1.1"
	Mnemonic string // the first word of the opcode: "add", "cp"
	Syntax   string // syntax lines and value sets in the manual's notation
	Operands string // types and roles of the operands named in Syntax; see operands.go
	Version  int    // first PTX ISA version, times ten: 78 is 7.8
	SM       int    // lowest target: 90 is sm_90
	Arch     string // "f": only targets with suffix f or a have it; "a": only those with suffix a (11.1.2)
	Family   int    // with Arch: the last architecture family that has it, 11 for sm_11x; 0: all that followed
	Lacks    int    // with Arch: a target after SM that does not have it, nor later ones of its family; 0: none
	Gates    []Gate // further requirements of single modifiers
	Tier     int    // 1 every learner needs it … 4 special
	Effect   Effect // what else it touches besides its destinations
	Gone     Gone   // when it was taken out of PTX
	As       string // legacy forms: for each syntax line the opcode of today that means the same, braces as in Syntax
	Summary  string // one line, our words
	Example  string // one valid statement
}

// Gone says since when a form no longer exists: from this PTX version on, and for targets from SM on. The zero Gone
// means that the form is still there.
type Gone struct{ Version, SM int }

// For says whether a module with this version and target can no longer use the form.
func (g Gone) For(version, sm int) bool {
	return g.Version != 0 && version >= g.Version && sm >= g.SM
}

// Gate is a requirement that only some modifiers of a form carry (".rm" on add.f32 needs sm_20).
type Gate struct {
	// ".rm", ".rm.f64" (both, types in order), "rnd" (that slot is filled), "!ss" (that slot is empty), "@e" (the optional
	// operand e is there, or the p of d|p)
	Mod     string
	From    int64 // "@e": only for constants from here on
	Version int   // 0: as the form
	SM      int   // 0: as the form
	Arch    string
	Family  int
	Lacks   int
	Also    int // with Family: a later family whose architecture-specific targets have it
}

// Effect says what an instruction touches besides its destination registers.
type Effect uint16

// The effects.
const (
	ReadsMemory Effect = 1 << iota
	WritesMemory
	Branches // changes the pc: bra, brx, call, ret, exit
	Barrier  // may wait for other threads
	CrossLane
	ReadsCarry
	WritesCarry
	NoEffect  // accepted, has no effect in an emulator: hints, prefetches
	Divides   // the last operand must not be 0: the value would be unspecified (9.7.1.9, 9.7.1.10)
	Unwatched // racecheck does not look at the memory that it accesses; docs/interpretations.md says why
)

// Bound is an opcode bound to one syntax line of a form.
type Bound struct {
	Form     *Form
	Line     int       // which syntax line of the form, from 0
	Mods     []string  // the modifiers in the order of the syntax line, each with its dot
	Types    []Type    // those modifiers that are types, in order
	Operands []Operand // what the line allows for each operand, in order
	slots    map[string]string
	key      string
	needs    Needs
}

// Take removes the first of some modifiers that is in a list, and returns it, or "" where none is.
func Take(from *[]string, mods ...string) string {
	for _, m := range mods {
		if i := slices.Index(*from, m); i >= 0 {
			*from = slices.Delete(*from, i, i+1)
			return m
		}
	}
	return ""
}

// HasAny says whether the opcode carries one of these modifiers.
func (b *Bound) HasAny(modifiers ...string) bool { return slices.ContainsFunc(modifiers, b.Has) }

// Has says whether the opcode carries this modifier (".sat").
func (b *Bound) Has(mod string) bool {
	for _, have := range b.Mods {
		if have == mod {
			return true
		}
	}
	return false
}

// Value is the modifier that fills a slot, by the manual's name for it: Value("CmpOp") is ".lt"; "" when it is empty.
func (b *Bound) Value(slot string) string { return b.slots[slot] }

// Type is the type that fills a named slot ("type", "dtype", "atype"); NoType when it is empty.
func (b *Bound) Type(slot string) Type { t, _ := ParseType(b.slots[slot]); return t }

// Key is the canonical spelling of the opcode: mnemonic, then the modifiers that are not types in alphabetical order,
// then the types in order. "setp.lt.and.ftz.f32" has the key "setp.and.ftz.lt.f32". Arithmetic is registered by key.
func (b *Bound) Key() string { return b.key }

// Role says whether an operand is read, written or both.
type Role uint8

// The roles.
const (
	Read Role = 1 << iota
	Write
)

// Kind is a set of the operand kinds that a place accepts.
type Kind uint16

// The operand kinds.
const (
	KReg  Kind = 1 << iota // register (or one component of a vector register)
	KImm                   // constant or constant expression
	KVec                   // {a, b, c} or a vector register
	KAddr                  // [address]
	KSym                   // name of a variable or function: its address
	KSReg                  // special register
	KSink                  // _
	KLabel
	KFunc
	KPred // predicate register; may be negated when Operand.Neg
	KTex  // [tex, {coordinates}] and the like
)

// Operand is what a syntax line allows in one place.
type Operand struct {
	Name     string // as in the manual: d, a, b, membermask
	Role     Role
	Kinds    Kind
	Type     Type // it must agree with this (9.4, Table 26); NoType: unconstrained, or the instruction's own rule
	Vec      int  // elements when the opcode has .v2/.v4/.v8 or the form takes a fixed tuple; 1 scalar; 0 any
	Wider    bool // a wider register is allowed (9.4.1, Tables 27 and 28)
	Optional bool
	Neg      bool      // may be negated: with ! when it is a predicate, with - otherwise
	Pair     *Operand  // the q of p|q, the p of d|p; nil when the syntax has none; Optional when it may be left out
	Suffix   []string  // what may follow it: ".unified" on an address, the selectors of video instructions
	Inner    []Operand // KTex: the parts inside the brackets
	Range    *Range    // what a constant may be; nil: anything
}

// Range is the constants that an operand may be: from Low to High in steps of Step.
type Range struct{ Low, High, Step int64 }

// Has says whether a constant is one of them.
func (r *Range) Has(n int64) bool { return r.Low <= n && n <= r.High && (n-r.Low)%r.Step == 0 }

// String says it in words.
func (r *Range) String() string {
	switch {
	case r.Low == r.High:
		return fmt.Sprint(r.Low)
	case r.Low+r.Step == r.High:
		return fmt.Sprintf("%d or %d", r.Low, r.High)
	case r.Step > 1:
		return fmt.Sprintf("a multiple of %d from %d to %d", r.Step, r.Low, r.High)
	}
	return fmt.Sprintf("%d to %d", r.Low, r.High)
}
