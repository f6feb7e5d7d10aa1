package isa

import "strings"

// Opcodes lists opcodes that the form accepts, written as its syntax lines write them. It lists all opcodes of a line
// that has at most limit of them, else limit of them, spread evenly over the values of all slots. Braces and guards
// have no opcodes.
func (f *Form) Opcodes(limit int) []string {
	if len(firstWords(f)) == 0 {
		return nil
	}
	var out []string
	seen := map[string]bool{}
	for _, l := range compile(f) {
		total := l.count()
		step := 1
		if total > limit {
			step = coprime(total*5/8, total)
		}
		for n, at := 0, 0; n < min(limit, total); n, at = n+1, (at+step)%total {
			if s := l.opcode(at); !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return out
}

// coprime is the next number from n on that has no divisor in common with total: stepping by it reaches everything.
func coprime(n, total int) int {
	for n = max(n, 1); ; n++ {
		a, b := n, total
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return n
		}
	}
}

// groups are the elements of each optional group, in order of the groups' numbers.
func (l *line) groups() [][]int {
	var out [][]int
	for e := range l.elements {
		if g := l.elements[e].group; g > len(out) {
			out = append(out, []int{e})
		} else if g > 0 {
			out[g-1] = append(out[g-1], e)
		}
	}
	return out
}

// count is the number of opcodes of a line: the choices of the mandatory elements, times those of each group, whose
// absence is one of them.
func (l *line) count() int {
	total := 1
	for e := range l.elements {
		if l.elements[e].group == 0 {
			total *= len(l.elements[e].values)
		}
	}
	for _, group := range l.groups() {
		n := 1
		for _, e := range group {
			n *= len(l.elements[e].values)
		}
		total *= n + 1
	}
	return total
}

// opcode is the line's opcode with a number, counted from 0.
func (l *line) opcode(number int) string {
	digit := func(base int) int {
		d := number % base
		number /= base
		return d
	}
	chosen := make([]string, len(l.elements))
	for e := range l.elements {
		if el := &l.elements[e]; el.group == 0 {
			chosen[e] = el.values[digit(len(el.values))]
		}
	}
	for _, group := range l.groups() {
		n := 1
		for _, e := range group {
			n *= len(l.elements[e].values)
		}
		d := digit(n + 1)
		if d == n {
			continue
		}
		for _, e := range group {
			values := l.elements[e].values
			chosen[e] = values[d%len(values)]
			d /= len(values)
		}
	}
	return l.mnemonic + strings.Join(chosen, "")
}
