package ptx

import (
	"bytes"
	"strconv"
	"strings"
)

// registerTypes are the types of registers by the names that compilers give them.
var registerTypes = map[string]string{"%p": ".pred", "%rc": ".b8", "%rs": ".b16", "%r": ".b32", "%rd": ".b64",
	"%rq": ".b128", "%f": ".f32", "%fd": ".f64"}

// undeclared reports a name that nothing declares, with a way to declare it or the nearest name that something does.
func (p *parser) undeclared(t token, what string) {
	name := p.text(t)
	d := p.report("undeclared", t.span(), "%s is not declared: no such %s", name, what)
	if p.fn != nil && p.declares(d, name) {
		return
	}
	near := p.nearest(name, p.scope.visible)
	if near == "" && strings.HasPrefix(name, "%") {
		near = closest(name, func(yield func(string)) {
			for _, s := range specialRegisters() {
				yield(s.Name)
			}
		})
	}
	if near != "" {
		d.Message += "; did you mean " + near + "?"
		d.fix(t.span(), near, "write %s", near)
	}
}

// maxDeclared bounds the sets that a fix declares.
const maxDeclared = 10000

// declares offers a declaration of a register with a number: its set becomes larger, or the function gets a set of the
// type that its name tells (5.4.6). False for other names.
func (p *parser) declares(d *Diagnostic, name string) bool {
	prefix := strings.TrimRight(name, "0123456789")
	n, err := strconv.Atoi(name[len(prefix):])
	if err != nil || n >= maxDeclared || strconv.Itoa(n) != name[len(prefix):] {
		return false
	}
	set := prefix + "<" + strconv.Itoa(n+1) + ">"
	for s := p.scope; s != nil; s = s.parent {
		old := s.byName[prefix]
		if old == nil || old.space != RegSpace || old.count == 0 {
			continue
		}
		at := old.span
		if end := bytes.IndexByte(p.src[at.End:], '>'); end >= 0 { // the span is that of the name
			at.End += int32(end) + 1
		}
		d.Message += "; " + p.m.Text(at) + " ends before it"
		d.fix(at, set, "declare %s", set)
		return true
	}
	typ, known := registerTypes[prefix]
	if !known || p.fn.Body.Start == 0 {
		return false
	}
	text := ".reg " + typ + " " + set + ";"
	at := Span{p.fn.Body.Start + 1, p.fn.Body.Start + 1}
	d.fix(at, "\n\t"+text, "insert %s", text)
	return true
}
