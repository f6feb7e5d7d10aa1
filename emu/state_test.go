package emu

import (
	"fmt"
	"hash/maphash"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// constant are types of which nothing changes after they were made: a snapshot shares them.
var constant = []reflect.Type{
	reflect.TypeFor[machine.Program](), reflect.TypeFor[machine.Inst](), reflect.TypeFor[machine.Function](),
	reflect.TypeFor[machine.Frame](),
	reflect.TypeFor[machine.GroupProduct](), reflect.TypeFor[ptx.Module](), reflect.TypeFor[ptx.Inst](),
	reflect.TypeFor[ptx.Var](),
	reflect.TypeFor[Fault](),
}

// kept are the fields that a snapshot does not put back, each with the reason.
var kept = map[string]string{
	"Device.Mod":        "constant",
	"Device.Prog":       "constant",
	"Device.opts":       "constant",
	"Device.engine":     "keeps nothing between calls but code",
	"Arena.bytes":       "Words compares them",
	"Arena.words":       "Words compares them",
	"Arena.dirty":       "what was written since the last snapshot",
	"Arena.saved":       "pages of the last snapshot",
	"Arena.limit":       "constant",
	"Arena.changes":     "only grows: it says that allocations have come or gone",
	"Memory.Win":        "constant",
	"Memory.last":       "where Find looks first",
	"Device.reach":      "where memory is, which of() looks at again",
	"Device.ended":      "a later launch sets it, and the grid that it names has ended",
	"Grid.Counts":       "LineCounts compares them",
	"Grid.breaks":       "breakpoints are the user's",
	"Grid.observer":     "who is told of arrivals, as the caller chose",
	"Grid.max":          "constant",
	"Grid.Entry":        "constant",
	"Grid.Prog":         "constant",
	"Grid.Mem":          "the device's",
	"Grid.passBreak":    "RunFor sets it when it begins",
	"Grid.Record":       "of the step in progress",
	"Grid.spare":        "their state is gone",
	"Grid.batch":        "is filled anew for each call",
	"Grid.phases":       "is filled anew for each call",
	"Grid.ends":         "what is known of the run, wherever the grid is in it",
	"Grid.lines":        "the program's",
	"Grid.shape":        "constant",
	"Grid.launchMemory": "constant",
	"Grid.sharedLayout": "constant",

	"framePool.templates": "constant, made when first needed",

	"CTA.Grid":        "constant",
	"CTA.Mem":         "the device's",
	"CTA.underWay":    "worked out again",
	"Warp.Mem":        "the device's",
	"Warp.inProgress": "means nothing between instructions",
	"Warp.LSU":        "means nothing between instructions",
	"Shadow.age":      "of snapshots: it only grows, so that pages are not mistaken for new ones",
	"Page.age":        "of snapshots",
	"Lanes.Host":      "the warp itself",

	"Late.Reads": "constant, but for what is worked out from it",
}

// shared are the fields whose contents are constant: clones share them, and only the field itself changes.
var shared = map[string]string{
	"counting.ended":        "it only grows",
	"running.Printed":       "what was printed is never changed, only appended to",
	"AsyncOp.Moves":         "see asyncOp",
	"AsyncOp.Data":          "see asyncOp",
	"AsyncOp.Tensor":        "see asyncOp",
	"TensorOp.Reads":        "constant",
	"Late.writes":           "the program's",
	"GroupReads.A":          "read once",
	"GroupReads.B":          "read once",
	"IssuedProduct.Columns": "constant",
	"WarpOrder.facts":       "see causal.Facts",
	"CTAOrder.facts":        "see causal.Facts",
	"barrier.told":          "see causal.Facts",
	"clusterLanes.Told":     "see causal.Facts",
	"Clock.pages":           "chains of messages are constant; clones have pages of their own",
	"heard.chain":           "see causal.chain",
	"Shadow.pages":          "a page is copied before it is changed, see shadow.Shadow.Page",
}

// Place is a field of the machine's state, and one of its values there.
type Place struct {
	Field string // Type.field
	value reflect.Value
}

// State is all that is reachable from a grid.
type State struct {
	Values []uint64
	Places []Place         // where values can be changed
	Fields map[string]bool // that there are
	Filled map[string]bool // slices and maps: whether they have contents
	Used   map[string]bool // entries of kept and shared

	path []any // of the value in turn
	look int   // the value whose path is asked for
	at   string
	seen map[unsafe.Pointer]int
}

var seed = maphash.MakeSeed()

// StateOf is the state of a grid.
func StateOf(g *Grid) *State { return stateOf(g, -1) }

// PathOf is where a grid's state has its i-th value.
func PathOf(g *Grid, i int) string { return stateOf(g, i).at }

func stateOf(g *Grid, look int) *State {
	s := &State{look: look, seen: map[unsafe.Pointer]int{}, Fields: map[string]bool{}, Filled: map[string]bool{},
		Used: map[string]bool{}}
	s.visit(reflect.ValueOf(g), "grid", "", true)
	for i, word := range g.Mem.Words() {
		s.in(i, func() { s.value(word) })
	}
	for line, n := range g.LineCounts() {
		s.in(fmt.Sprintf("line %d", line), func() { s.value(uint64(n)) })
	}
	return s
}

func (s *State) value(v uint64) {
	if s.look == len(s.Values) {
		s.at = fmt.Sprint(s.path...)
	}
	s.Values = append(s.Values, v)
}

// in visits a part.
func (s *State) in(part any, visit func()) {
	s.path = append(s.path, "/", part)
	visit()
	s.path = s.path[:len(s.path)-2]
}

// visit takes a part in. Open says whether it can be changed without changing what is constant.
func (s *State) visit(v reflect.Value, part any, field string, open bool) {
	if v.CanAddr() {
		v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem() // as if all fields were exported
	}
	s.in(part, func() { s.kind(v, field, open) })
}

func (s *State) kind(v reflect.Value, field string, open bool) {
	leaf := func(bits uint64) {
		s.value(bits)
		if open && v.CanSet() && field != "" {
			s.Places = append(s.Places, Place{field, v})
		}
	}
	switch v.Kind() {
	case reflect.Bool:
		leaf(uint64(row.Bit(v.Bool())))
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		leaf(uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		leaf(v.Uint())
	case reflect.String:
		leaf(maphash.String(seed, v.String()))
	case reflect.Func:
		if v.IsNil() {
			s.value(0)
		} else {
			leaf(uint64(v.Pointer()))
		}
	case reflect.Pointer:
		s.pointer(v, field, open, leaf)
	case reflect.Interface:
		s.visit(v.Elem(), v.Elem().Type(), field, open)
	case reflect.Struct:
		s.fields(v, open)
	case reflect.Array:
		for i := range v.Len() {
			s.visit(v.Index(i), i, field, open)
		}
	case reflect.Slice:
		leaf(uint64(v.Len()))
		s.Filled[field] = s.Filled[field] || v.Len() > 0
		for i := range v.Len() {
			s.visit(v.Index(i), i, field, open && shared[field] == "")
		}
	case reflect.Map:
		leaf(uint64(v.Len()))
		s.Filled[field] = s.Filled[field] || v.Len() > 0
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(keyOf(a), keyOf(b)) })
		for _, k := range keys {
			s.visit(k, "key", "", false)
			s.visit(v.MapIndex(k), keyOf(k), field, open && shared[field] == "")
		}
	default:
		panic("no state is of the type " + v.Type().String())
	}
}

func keyOf(k reflect.Value) string {
	if k.Kind() == reflect.Pointer {
		return fmt.Sprint(k.Pointer())
	}
	return fmt.Sprint(k)
}

// pointer takes in what a pointer points to, once; of constants it takes the pointer itself.
func (s *State) pointer(v reflect.Value, field string, open bool, leaf func(uint64)) {
	at := v.UnsafePointer()
	number, seen := s.seen[at]
	switch fr, ok := v.Interface().(*machine.Frame); {
	case ok && fr != nil: // a run that is repeated makes an equal one
		leaf(activations(fr))
	case slices.Contains(constant, v.Type().Elem()):
		leaf(uint64(uintptr(at)))
	case at == nil:
		leaf(0)
	case seen:
		s.value(uint64(number))
	default:
		s.seen[at] = len(s.seen) + 1
		s.visit(v.Elem(), "*", field, open)
	}
}

// activations hashes what a frame and its callers' frames hold.
func activations(fr *machine.Frame) (sum uint64) {
	for fr != nil {
		v := reflect.ValueOf(fr).Elem()
		sum = maphash.Comparable(seed, [6]any{sum, fr.Fn, fr.Off, fr.Local, v.FieldByName("call").Int(),
			v.FieldByName("depth").Int()})
		fr = (*machine.Frame)(v.FieldByName("caller").UnsafePointer())
	}
	return sum
}

func (s *State) fields(v reflect.Value, open bool) {
	t := v.Type()
	if !v.CanAddr() { // of a map
		c := reflect.New(t).Elem()
		c.Set(v)
		v = c
	}
	for i, name := range fieldNames(t) {
		s.Fields[name] = true
		if kept[name] != "" {
			s.Used[name] = true
			continue
		}
		s.Used[name] = s.Used[name] || shared[name] != ""
		s.visit(v.Field(i), name, name, open)
	}
}

var namesOf = map[reflect.Type][]string{}

// fieldNames are Type.field of the fields of a struct, without type parameters.
func fieldNames(t reflect.Type) []string {
	if names := namesOf[t]; names != nil {
		return names
	}
	of, _, _ := strings.Cut(t.Name(), "[")
	var names []string
	for i := range t.NumField() {
		names = append(names, of+"."+t.Field(i).Name)
	}
	namesOf[t] = names
	return names
}

// Change gives a place another value.
func (p Place) Change() {
	v := p.value
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(v.Int() ^ 1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(v.Uint() ^ 1)
	case reflect.String:
		v.SetString(v.String() + "!")
	case reflect.Func:
		v.SetZero()
	case reflect.Pointer:
		other := reflect.New(v.Type().Elem())
		if !v.IsNil() {
			other.Elem().Set(v.Elem())
		}
		if fr, ok := other.Interface().(*machine.Frame); ok {
			fr.Local++ // an equal frame is the same state
		}
		v.Set(other)
	case reflect.Slice:
		more := reflect.New(v.Type().Elem()).Elem()
		if v.Len() > 0 {
			more = v.Index(v.Len() - 1)
		}
		setFrames(more)
		v.Set(reflect.Append(v.Slice3(0, v.Len(), v.Len()), more))
	case reflect.Map:
		other := reflect.MakeMap(v.Type())
		for _, k := range v.MapKeys()[min(1, v.Len()):] {
			other.SetMapIndex(k, v.MapIndex(k))
		}
		if v.Len() == 0 {
			other.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
		}
		v.Set(other)
	}
}

// setFrames gives a made-up value frames where it has none: those of lanes are always there.
func setFrames(v reflect.Value) {
	switch {
	case v.Type() == reflect.TypeFor[*machine.Frame]() && v.IsNil():
		reflect.NewAt(v.Type(),
			v.Addr().UnsafePointer()).Elem().Set(reflect.ValueOf(&machine.Frame{Fn: &machine.Function{Frame: 1}}))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			setFrames(v.Field(i))
		}
	}
}

// Exceptions are the entries of kept and shared.
func Exceptions() []string {
	return append(slices.Sorted(maps.Keys(kept)), slices.Sorted(maps.Keys(shared))...)
}
