package expr

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
)

// Env gives an expression its values.
type Env interface {
	// Register returns the values of a register or special register, named with its percent sign.
	Register(name string) (Row, bool)
	// Name returns the value of a name such as tick.
	Name(name string) (Row, bool)
	// Element returns the element number index of a buffer or variable. known is false if there is no such buffer;
	// inside is false outside it.
	Element(buffer string, index int64) (k Kind, value uint64, inside, known bool)
	// Active is the lanes that any and all ask.
	Active() uint32
}

// Eval computes an expression in all lanes. The error is an *Error.
func (e *Expr) Eval(env Env) (Row, error) { return e.root.eval(env) }

// Holds says in which active lanes an expression is true.
func (e *Expr) Holds(env Env) (lanes uint32, err error) {
	r, err := e.Eval(env)
	if err != nil {
		return 0, err
	}
	return r.True() & env.Active(), nil
}

// Sides says what the sides of a comparison are in a lane; "" for another expression.
func (e *Expr) Sides(env Env, lane int) string {
	n := e.root
	if !slices.Contains([]string{"==", "!=", "<", "<=", ">", ">="}, n.op) {
		return ""
	}
	var list []string
	for _, arg := range n.args {
		if r, err := arg.eval(env); err == nil && arg.op != "number" {
			list = append(list, strings.TrimSpace(e.Text[arg.start:arg.end])+" is "+r.Text(lane))
		}
	}
	return strings.Join(list, ", ")
}

func (n *node) eval(env Env) (Row, error) {
	switch n.op {
	case "number":
		return n.value, nil
	case "register":
		if r, ok := env.Register(n.name); ok {
			return r, nil
		}
		return Row{}, errorAt(n.start, n.end, "there is no register %s here", n.name)
	case "name":
		if r, ok := env.Name(n.name); ok {
			return r, nil
		}
		return Row{}, errorAt(n.start, n.end, "there is no value named %s: it may be a buffer, %s[0]", n.name, n.name)
	}
	args := make([]Row, len(n.args))
	for i, arg := range n.args {
		var err error
		if args[i], err = arg.eval(env); err != nil {
			return Row{}, err
		}
	}
	switch {
	case n.op == "element":
		return n.element(env, &args[0])
	case n.op == "call":
		return n.call(env, &args[0])
	case len(args) == 1:
		return n.unary(&args[0])
	}
	return n.binary(&args[0], &args[1])
}

func (n *node) element(env Env, index *Row) (Row, error) {
	if index.Kind == Float {
		return Row{}, errorAt(n.args[0].start, n.args[0].end, "an index is an integer")
	}
	out := Row{Same: index.Same, None: index.None}
	for lane, i := range index.Lanes {
		k, value, inside, known := env.Element(n.name, int64(i))
		if !known {
			return Row{}, errorAt(n.start, n.start+len(n.name), "there is no buffer or function named %s", n.name)
		}
		if out.Kind, out.Lanes[lane] = k, value; !inside {
			out.None |= 1 << lane
		}
	}
	return out, nil
}

func (n *node) call(env Env, arg *Row) (Row, error) {
	active := env.Active()
	switch n.name {
	case "any":
		return truth(arg.True()&active != 0), nil
	case "all":
		return truth(arg.True()&active == active), nil
	case "ballot":
		return Uniform(Unsigned, uint64(arg.True()&active)), nil
	case "popc":
		if arg.Kind == Float {
			return Row{}, errorAt(n.args[0].start, n.args[0].end, "popc counts the bits of an integer")
		}
		return arg.each(Unsigned, func(v uint64) (uint64, bool) { return uint64(bits.OnesCount64(v)), true }), nil
	}
	k, _, ok := As(n.name, 0)
	if !ok || n.name == "pred" {
		return Row{}, errorAt(n.start, n.start+len(n.name),
			"there is no function %s: there are any, all, ballot, popc and types such as u32, s32 and f32", n.name)
	}
	if arg.Kind == Float {
		return Row{}, errorAt(n.args[0].start, n.args[0].end, "%s reads the bits of an integer", n.name)
	}
	return arg.each(k, func(v uint64) (uint64, bool) {
		_, v, _ = As(n.name, v)
		return v, true
	}), nil
}

func truth(b bool) Row {
	if b {
		return Uniform(Bool, 1)
	}
	return Uniform(Bool, 0)
}

// each computes a function of the value of each lane. Where it gives no value, the lane has none.
func (r *Row) each(k Kind, f func(uint64) (uint64, bool)) Row {
	out := Row{Kind: k, Same: r.Same, None: r.None}
	for lane, v := range r.Lanes {
		value, ok := f(v)
		if out.Lanes[lane] = value; !ok {
			out.None |= 1 << lane
		}
	}
	return out
}

func (n *node) unary(a *Row) (Row, error) {
	switch {
	case n.op == "unary !":
		t := a.True()
		out := Row{Kind: Bool, Same: a.Same, None: a.None}
		for lane := range out.Lanes {
			out.Lanes[lane] = uint64(^t >> lane & 1)
		}
		return out, nil
	case n.op == "unary -" && a.Kind == Float:
		return a.each(Float, func(v uint64) (uint64, bool) { return v ^ 1<<63, true }), nil
	case n.op == "unary -":
		return a.each(Signed, func(v uint64) (uint64, bool) { return -v, true }), nil
	case a.Kind == Float:
		return Row{}, errorAt(n.start, n.end, "~ needs an integer")
	}
	return a.each(a.Kind, func(v uint64) (uint64, bool) { return ^v, true }), nil
}

func (n *node) binary(a, b *Row) (Row, error) {
	out := Row{Same: a.Same && b.Same, None: a.None | b.None}
	switch n.op {
	case "||", "&&": // a lane without a value is false
		t := a.True() & b.True()
		if n.op == "||" {
			t = a.True() | b.True()
		}
		out.None = 0
		for lane := range out.Lanes {
			out.Lanes[lane] = uint64(t >> lane & 1)
		}
		return out, nil
	case "==", "!=", "<", "<=", ">", ">=":
		for lane := range out.Lanes {
			if compare(n.op, a.Kind, a.Lanes[lane], b.Kind, b.Lanes[lane]) {
				out.Lanes[lane] = 1
			}
		}
		return out, nil
	}
	switch {
	case a.Kind == Float || b.Kind == Float:
		out.Kind = Float
	case a.Kind == Signed || b.Kind == Signed && n.op != "<<" && n.op != ">>":
		out.Kind = Signed
	default:
		out.Kind = Unsigned
	}
	for lane := range out.Lanes {
		x, y := a.Lanes[lane], b.Lanes[lane]
		var ok bool
		if out.Kind == Float {
			var v float64
			if v, ok = floats(n.op, number(a.Kind, x), number(b.Kind, y)); !ok {
				return Row{}, errorAt(n.start, n.end, "%s needs integers", n.op)
			}
			out.Lanes[lane] = math.Float64bits(v)
		} else if out.Lanes[lane], ok = integers(n.op, out.Kind, x, y); !ok {
			out.None |= 1 << lane
		}
	}
	return out, nil
}

// number is a value as a float64.
func number(k Kind, v uint64) float64 {
	switch k {
	case Float:
		return math.Float64frombits(v)
	case Signed:
		return float64(int64(v))
	}
	return float64(v)
}

// compare compares two values of any kinds. NaN differs from everything.
func compare(op string, ka Kind, a uint64, kb Kind, b uint64) bool {
	order := 0
	switch negA, negB := ka == Signed && int64(a) < 0, kb == Signed && int64(b) < 0; {
	case ka == Float || kb == Float:
		x, y := number(ka, a), number(kb, b)
		if x != x || y != y {
			return op == "!="
		}
		order = cmp.Compare(x, y)
	case negA != negB:
		if order = 1; negA {
			order = -1
		}
	default:
		order = cmp.Compare(a, b)
	}
	switch op {
	case "==":
		return order == 0
	case "!=":
		return order != 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	}
	return order >= 0
}

func floats(op string, a, b float64) (float64, bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "/":
		return a / b, true
	}
	return 0, false
}

// integers computes with wrapping 64-bit integers. Shifts by 64 and more leave nothing, or copies of the sign.
func integers(op string, k Kind, a, b uint64) (uint64, bool) {
	switch op {
	case "+":
		return a + b, true
	case "-":
		return a - b, true
	case "*":
		return a * b, true
	case "&":
		return a & b, true
	case "|":
		return a | b, true
	case "^":
		return a ^ b, true
	case "<<":
		return a << b, true
	case ">>":
		if k == Signed {
			return uint64(int64(a) >> b), true
		}
		return a >> b, true
	}
	if b == 0 {
		return 0, false
	}
	switch {
	case k == Signed && op == "/":
		return uint64(int64(a) / int64(b)), true
	case k == Signed:
		return uint64(int64(a) % int64(b)), true
	case op == "/":
		return a / b, true
	}
	return a % b, true
}
