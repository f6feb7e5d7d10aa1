package ptx

import (
	"strconv"
	"strings"
)

// Demangle reads a C++ name as the Itanium C++ ABI writes it (5.1, External Names): "_Z7reduce3IiLj512EEvPT_" is
// "reduce3<int, 512>", and "_ZZ6matmulPfE4tile" is "tile". The parameters' types are left out. It gives "" for a name
// that is not mangled, or mangled in a way that it does not know.
func Demangle(name string) string {
	mangled, ok := strings.CutPrefix(name, "_Z")
	if !ok {
		return ""
	}
	d := demangler{in: mangled}
	text := d.name()
	if d.failed {
		return ""
	}
	return text
}

// DisplayName is a symbol's name for people: demangled if it is a C++ name, and without template arguments if they are
// long.
func DisplayName(name string) string {
	const long = 48
	text := Demangle(name)
	switch {
	case text == "":
		return name
	case len(text) <= long:
		return text
	}
	var out strings.Builder
	depth := 0
	for _, r := range text {
		if r == '<' {
			if depth++; depth == 1 {
				out.WriteString("<…>")
			}
		}
		if depth == 0 {
			out.WriteRune(r)
		}
		if r == '>' {
			depth--
		}
	}
	return out.String()
}

// demangler walks a mangled name. Anything that it does not know sets failed, and then its results do not count.
type demangler struct {
	in     string   // what is left
	subs   []string // the meanings of S_, S0_ …
	depth  int
	failed bool
}

// Limits that only hostile names reach.
const (
	maxNameDepth  = 64
	maxNameLength = 4096
)

func (d *demangler) fail() string {
	d.failed, d.in = true, ""
	return ""
}

func (d *demangler) peek() byte {
	if d.in == "" {
		return 0
	}
	return d.in[0]
}

func (d *demangler) accept(prefix string) bool {
	rest, ok := strings.CutPrefix(d.in, prefix)
	if ok {
		d.in = rest
	}
	return ok
}

// remember adds a text to those that substitutions can name.
func (d *demangler) remember(text string) string {
	if len(text) > maxNameLength {
		return d.fail()
	}
	d.subs = append(d.subs, text)
	return text
}

// until reads with read up to an E.
func (d *demangler) until(read func() string) []string {
	var list []string
	for !d.accept("E") {
		if d.in == "" || len(list) > maxNameLength {
			d.fail()
			return nil
		}
		list = append(list, read())
	}
	return list
}

func (d *demangler) name() string {
	if d.depth++; d.depth > maxNameDepth {
		return d.fail()
	}
	defer func() { d.depth-- }()
	switch {
	case d.accept("N"):
		return d.nested()
	case d.accept("Z"): // something within a function, whose name is left out
		d.name()
		d.until(d.typ)
		if d.accept("s") {
			return "text"
		}
		return d.name()
	}
	text := ""
	if d.peek() == 'S' && !strings.HasPrefix(d.in, "St") {
		text = d.substitution()
	} else {
		if d.accept("St") {
			text = "std::"
		}
		text += d.unqualified("")
		if d.peek() == 'I' {
			d.remember(text)
		}
	}
	if d.peek() == 'I' {
		text += d.templateArgs()
	}
	return text
}

func (d *demangler) nested() string {
	d.in = strings.TrimLeft(d.in, "rVKRO")
	text := ""
	for !d.accept("E") {
		before := text
		switch c := d.peek(); {
		case d.accept("St"):
			text = "std"
			continue
		case c == 'S':
			text = d.substitution()
			continue
		case c == 'I':
			text += d.templateArgs()
		case c == 'T':
			text = d.typ()
			continue
		default:
			part := d.unqualified(text)
			if text != "" && part != "" {
				part = "::" + part
			}
			text = before + part
		}
		if d.failed || len(text) > maxNameLength {
			return d.fail()
		}
		if d.peek() != 'E' {
			d.remember(text)
		}
	}
	return text
}

// unqualified is one component of a name; of is the class that a constructor belongs to.
func (d *demangler) unqualified(of string) string {
	d.accept("L") // internal linkage
	switch c := d.peek(); {
	case c >= '0' && c <= '9':
		return d.identifier()
	case d.accept("Ul"):
		d.until(d.typ)
		d.number()
		d.accept("_")
		return "{lambda}"
	case d.accept("Ut"):
		d.number()
		d.accept("_")
		return "{unnamed}"
	case (c == 'C' || c == 'D') && len(d.in) > 1 && of != "":
		d.in = d.in[2:]
		of = of[strings.LastIndex(of, ":")+1:]
		if c == 'D' {
			return "~" + of
		}
		return of
	}
	return d.fail()
}

func (d *demangler) number() int {
	end := 0
	for end < len(d.in) && d.in[end] >= '0' && d.in[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(d.in[:end])
	if err != nil {
		n = 0
	}
	d.in = d.in[end:]
	return n
}

// identifier is a name after its length, without the tags of an ABI; "" for an anonymous namespace (nvcc's begin with
// _INTERNAL_), or for the hash that Rust puts last.
func (d *demangler) identifier() string {
	n := d.number()
	if n == 0 || n > len(d.in) {
		return d.fail()
	}
	text := d.in[:n]
	d.in = d.in[n:]
	for d.accept("B") {
		d.identifier()
	}
	isHash := n == 17 && text[0] == 'h' && strings.Trim(text[1:], "0123456789abcdef") == ""
	if isHash || strings.HasPrefix(text, "_GLOBAL__N") || strings.HasPrefix(text, "_INTERNAL_") {
		return ""
	}
	return text
}

func (d *demangler) templateArgs() string {
	d.accept("I")
	return "<" + strings.Join(d.until(d.templateArg), ", ") + ">"
}

func (d *demangler) templateArg() string {
	switch {
	case d.accept("L_Z"):
		text := d.name()
		d.until(d.typ)
		return text
	case d.accept("L"):
		return d.literal()
	case d.accept("J"):
		return strings.Join(d.until(d.templateArg), ", ")
	}
	return d.typ()
}

func (d *demangler) literal() string {
	isBool := d.peek() == 'b'
	d.typ()
	value, rest, ok := strings.Cut(d.in, "E")
	if !ok {
		return d.fail()
	}
	d.in = rest
	if negative, ok := strings.CutPrefix(value, "n"); ok {
		return "-" + negative
	}
	if isBool {
		return strconv.FormatBool(value != "0")
	}
	return value
}

// substitution is S_, S0_, … or a short form of something in std.
func (d *demangler) substitution() string {
	d.accept("S")
	digits, rest, ok := strings.Cut(d.in, "_")
	if short, known := standard[d.peek()]; known {
		d.in = d.in[1:]
		return short
	}
	if !ok {
		return d.fail()
	}
	i := 0
	if digits != "" {
		n, err := strconv.ParseUint(digits, 36, 16)
		if err != nil {
			return d.fail()
		}
		i = int(n) + 1
	}
	if d.in = rest; i >= len(d.subs) {
		return d.fail()
	}
	return d.subs[i]
}

var standard = map[byte]string{'a': "std::allocator", 'b': "std::basic_string", 's': "std::string"}

// builtins are the types of one letter.
var builtins = map[byte]string{
	'v': "void", 'w': "wchar_t", 'b': "bool", 'c': "char", 'a': "signed char", 'h': "unsigned char", 's': "short",
	't': "unsigned short", 'i': "int", 'j': "unsigned int", 'l': "long", 'm': "unsigned long", 'x': "long long",
	'y': "unsigned long long", 'n': "__int128", 'o': "unsigned __int128", 'f': "float", 'd': "double",
	'e': "long double", 'g': "__float128", 'z': "...",
}

// extendedTypes begin with D.
var extendedTypes = []struct{ code, text string }{
	{"DF16_", "_Float16"}, {"DF16b", "__bf16"}, {"Dh", "half"}, {"Dn", "nullptr_t"}, {"Di", "char32_t"},
	{"Ds", "char16_t"}, {"Du", "char8_t"}, {"Da", "auto"},
}

func (d *demangler) typ() string {
	if d.depth++; d.depth > maxNameDepth {
		return d.fail()
	}
	defer func() { d.depth-- }()
	if text, ok := builtins[d.peek()]; ok {
		d.in = d.in[1:]
		return text
	}
	for _, t := range extendedTypes {
		if d.accept(t.code) {
			return t.text
		}
	}
	switch c := d.peek(); {
	case d.accept("Dp"):
		return d.typ()
	case d.accept("T"):
		d.number()
		d.accept("_")
		return d.remember("T")
	case d.accept("u"):
		return d.remember(d.identifier())
	case c == 'S' && !strings.HasPrefix(d.in, "St"):
		text := d.substitution()
		if d.peek() == 'I' {
			text = d.remember(text + d.templateArgs())
		}
		return text
	case c == 'N' || c == 'S' || c == 'Z' || c >= '0' && c <= '9':
		return d.remember(d.name())
	}
	return d.remember(d.compound())
}

// compound is a type that is made of others.
func (d *demangler) compound() string {
	switch {
	case d.accept("P"):
		return d.typ() + "*"
	case d.accept("R"):
		return d.typ() + "&"
	case d.accept("O"):
		return d.typ() + "&&"
	case d.accept("K"):
		return qualified("const", d.typ())
	case d.accept("V"):
		return qualified("volatile", d.typ())
	case d.accept("A"):
		n := d.number()
		d.accept("_")
		return d.typ() + "[" + strconv.Itoa(n) + "]"
	case d.accept("Dv"):
		n := d.number()
		d.accept("_")
		return d.typ() + "x" + strconv.Itoa(n)
	case d.accept("U"):
		d.identifier()
		return d.typ()
	case d.accept("M"):
		class := d.typ()
		return d.typ() + " " + class + "::*"
	case d.accept("F"):
		if list := d.until(d.typ); len(list) > 0 {
			return list[0] + "(" + strings.Join(list[1:], ", ") + ")"
		}
	}
	return d.fail()
}

func qualified(word, text string) string {
	if strings.HasSuffix(text, "*") {
		return text + " " + word
	}
	return word + " " + text
}
