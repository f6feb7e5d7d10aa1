package isa

import (
	"strings"
)

// A Form's Syntax is compiled here. It is written as the manual writes it, one statement to a semicolon:
//
//	setp.CmpOp{.ftz}.type  p[|q], a, b;      // a syntax line; the comment is quoted when an opcode misses this line
//	.type = { .u16, .u32 };                  // a value set: .type above is a slot, and these are what may fill it
//
// In the opcode, `.name` is a slot when the form has a value set of that name and a fixed modifier otherwise, `{…}`
// is optional as a whole, and `.shared{::cta, ::cluster}` stands for `.shared`, `.shared::cta` and `.shared::cluster`,
// in lines and in sets alike. A blank line starts a block: a value set holds in its own block first, elsewhere only
// where that name has no set of its own.
//
// In the operands, `[a]` is an address, `[a, b]` an address with coordinates, `{a, b}` a tuple, `d|p` and `p[|q]`
// pairs, `{!}c` and `{-}c` may be negated, `{, x}` is optional, `(x)` a parameter list, `_` the sink, and `a{.sel}` may
// carry a suffix. Some optional operands are there exactly when a modifier is: see comesWith.

// element is one place in the modifiers of a syntax line.
type element struct {
	slot   string   // name of the slot, "" for a fixed modifier
	values []string // what is allowed here, each with its dot
	group  int      // 0: mandatory; elements with the same positive group come together or not at all
	order  order
}

// order is the class of modifiers among which order means something: types, the layouts of A and B, the state spaces
// that a copy goes to and comes from, and a cache policy's first and second priority.
type order uint8

const (
	anyOrder order = iota
	typeOrder
	layoutOrder
	spaceOrder
	priorityOrder
	numOrders
)

func orderOf(mod string) order {
	if _, typ := ParseType(mod); typ {
		return typeOrder
	}
	switch mod {
	case ".row", ".col":
		return layoutOrder
	case ".global", ".shared", ".shared::cta", ".shared::cluster", ".local", ".const", ".param", ".param::entry",
		".param::func":
		return spaceOrder
	case ".L2::evict_first", ".L2::evict_last", ".L2::evict_normal", ".L2::evict_unchanged":
		return priorityOrder
	}
	return anyOrder
}

func (e *element) accepts(mod string) bool {
	for _, v := range e.values {
		if v == mod {
			return true
		}
	}
	return false
}

// line is one compiled syntax line.
type line struct {
	form     *Form
	index    int
	mnemonic string
	elements []element
	operands []opPattern
	text     string // the line as written, without its comment
	note     string // its comment
}

// statement is a syntax line or a value set with its comment.
type statement struct {
	text, note string
	block      int
}

// statements splits a Syntax into its statements; a comment belongs to the statement that ends on its line.
func statements(syntax string) []statement {
	var out []statement
	var b strings.Builder
	block := 0
	for _, row := range strings.Split(syntax, "\n") {
		code, note, _ := strings.Cut(row, "//")
		code = strings.TrimSpace(code)
		if code == "" {
			block++
			continue
		}
		first := len(out)
		for {
			text, rest, ends := strings.Cut(code, ";")
			b.WriteString(text)
			if !ends {
				break
			}
			out = append(out, statement{text: strings.TrimSpace(b.String()), block: block})
			b.Reset()
			code = rest
		}
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		if n := len(out); n > first {
			out[n-1].note = strings.TrimSpace(note)
		}
	}
	if rest := strings.TrimSpace(b.String()); rest != "" {
		out = append(out, statement{text: rest, block: block})
	}
	return out
}

// valueSets holds the value sets of a form by block and name.
type valueSets map[int]map[string][]string

func (v valueSets) find(block, blocks int, name string) []string {
	if set, ok := v[block][name]; ok {
		return set
	}
	for b := range blocks {
		if set, ok := v[b][name]; ok {
			return set
		}
	}
	return nil
}

// compile reads the Syntax of a form into its lines.
func compile(f *Form) []*line {
	all := statements(f.Syntax)
	sets := valueSets{}
	for _, s := range all {
		if !strings.HasPrefix(s.text, ".") {
			continue
		}
		if sets[s.block] == nil {
			sets[s.block] = map[string][]string{}
		}
		names, values := valueSet(s.text)
		for _, name := range names {
			sets[s.block][name] = values
		}
	}
	var lines []*line
	for _, s := range all {
		if strings.HasPrefix(s.text, ".") {
			continue
		}
		opcode, operands := cutOpcode(s.text)
		l := &line{form: f, index: len(lines), text: s.text, note: s.note}
		l.mnemonic, l.elements = compileOpcode(opcode, func(name string) []string {
			return sets.find(s.block, all[len(all)-1].block+1, name)
		})
		p := &opParser{text: operands}
		l.operands = p.items()
		lines = append(lines, l)
	}
	return lines
}

// valueSet reads ".ftype = .btype = { .f32, .f64 }".
func valueSet(text string) (names, values []string) {
	before, body, _ := strings.Cut(text, "{")
	for _, name := range strings.Split(before, "=") {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names, setValues(strings.TrimSuffix(strings.TrimSpace(body), "}"))
}

// setValues reads the inside of a value set; the manual leaves out the dots of .CmpOp and .BoolOp.
func setValues(body string) []string {
	var out []string
	for _, item := range splitTop(body) {
		if !strings.HasPrefix(item, ".") {
			item = "." + item
		}
		out = append(out, subQualified(item)...)
	}
	return out
}

// subQualified expands ".shared{::cta, ::cluster}".
func subQualified(item string) []string {
	head, subs, ok := strings.Cut(item, "{")
	if !ok {
		return []string{item}
	}
	out := []string{head}
	for _, sub := range strings.Split(strings.TrimSuffix(subs, "}"), ",") {
		out = append(out, head+strings.TrimSpace(sub))
	}
	return out
}

// splitTop splits at commas outside braces and drops empty parts.
func splitTop(s string) []string {
	var out []string
	depth, start := 0, 0
	for i := 0; i <= len(s); i++ {
		if i == len(s) || s[i] == ',' && depth == 0 {
			if item := strings.TrimSpace(s[start:i]); item != "" {
				out = append(out, item)
			}
			start = i + 1
			continue
		}
		switch s[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
	}
	return out
}

// cutOpcode splits a syntax line at the first space outside braces.
func cutOpcode(text string) (opcode, operands string) {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			depth--
		case ' ', '\t':
			if depth == 0 {
				return text[:i], strings.TrimSpace(text[i:])
			}
		}
	}
	return text, ""
}

// compileOpcode reads "add{.rnd}{.ftz}.f32".
func compileOpcode(opcode string, find func(string) []string) (mnemonic string, elements []element) {
	i := strings.IndexAny(opcode, ".{")
	if i < 0 {
		return opcode, nil
	}
	mnemonic = opcode[:i]
	group, groups := 0, 0
	for i < len(opcode) {
		switch {
		case opcode[i] == '{':
			groups++
			group = groups
			i++
		case opcode[i] == '}':
			group = 0
			i++
		case opcode[i] == '.':
			end := i + modifierLen(opcode[i:])
			e := element{values: find(opcode[i:end]), group: group}
			if e.values == nil {
				e.values = subQualified(opcode[i:end])
			} else {
				e.slot = opcode[i+1 : end]
			}
			e.order = orderOf(e.values[0])
			elements = append(elements, e)
			i = end
		default:
			i++
		}
	}
	return mnemonic, elements
}

// modifierLen is the length of the modifier that a text begins with: ".ftz", ".shared::cta", or
// ".shared{::cta, ::cluster}".
func modifierLen(text string) int {
	end := 1
	for end < len(text) && (isWord(text[end]) || text[end] == ':') {
		end++
	}
	if strings.HasPrefix(text[end:], "{::") {
		end += strings.IndexByte(text[end:], '}') + 1
	}
	return end
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
