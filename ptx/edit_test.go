package ptx

import (
	"bytes"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// twins compares two graphs of values: pointers of one must correspond to pointers of the other.
type twins struct {
	pairs map[[2]uintptr]bool
	other map[uintptr]uintptr
	path  []string
}

// differ is where two modules differ, or "".
func differ(a, b *Module) string {
	w := &twins{pairs: map[[2]uintptr]bool{}, other: map[uintptr]uintptr{}}
	if w.same(reflect.ValueOf(a), reflect.ValueOf(b)) {
		return ""
	}
	return strings.Join(w.path, "")
}

var boundType = reflect.TypeFor[*isa.Bound]()

// same walks two values. Where they differ, path says where.
func (w *twins) same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Pointer:
		return w.samePointer(a, b)
	case reflect.Struct:
		for i := range a.NumField() {
			name := a.Type().Field(i).Name
			if name != "guesses" && !w.at("."+name, a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice, reflect.Array:
		if a.Len() != b.Len() {
			w.path = append(w.path, fmt.Sprintf(": lengths %d, %d", a.Len(), b.Len()))
			return false
		}
		if a.Kind() == reflect.Slice && a.Type().Elem().Kind() == reflect.Uint8 {
			return bytes.Equal(a.Bytes(), b.Bytes())
		}
		for i := range a.Len() {
			if !w.same(a.Index(i), b.Index(i)) {
				w.path = slices.Insert(w.path, 0, fmt.Sprintf("[%d]", i))
				return false
			}
		}
		return true
	case reflect.Map:
		for _, key := range a.MapKeys() {
			if !b.MapIndex(key).IsValid() || !w.at(fmt.Sprintf("[%v]", key), a.MapIndex(key), b.MapIndex(key)) {
				return false
			}
		}
		return a.Len() == b.Len()
	}
	if !a.Equal(b) {
		w.path = append(w.path, fmt.Sprintf(": %v, %v", a, b))
		return false
	}
	return true
}

func (w *twins) at(step string, a, b reflect.Value) bool {
	if w.same(a, b) {
		return true
	}
	w.path = slices.Insert(w.path, 0, step)
	return false
}

func (w *twins) samePointer(a, b reflect.Value) bool {
	if a.IsNil() || b.IsNil() || a.Pointer() == b.Pointer() {
		return a.IsNil() == b.IsNil()
	}
	if a.Type() == boundType {
		return a.Interface().(*isa.Bound).Key() == b.Interface().(*isa.Bound).Key()
	}
	p, q := a.Pointer(), b.Pointer()
	if w.pairs[[2]uintptr{p, q}] {
		return true
	}
	shared := a.Type() == reflect.TypeFor[*rarePart]() // operands share them, within what is parsed together
	if twin, met := w.other[p]; met && twin != q && !shared {
		w.path = append(w.path, ": one pointer for two")
		return false
	}
	w.pairs[[2]uintptr{p, q}], w.other[p] = true, q
	return w.same(a.Elem(), b.Elem())
}

// scraps are texts that an edit inserts.
var scraps = []string{
	";", "{", "}", "/*", "*/", "//", "\n", "\"", ".", "@", "(", ")", " ", "1", "r", "ret;\n", "exit;\n",
	"add.u32 %r1, %r1, 1;\n", ".reg .pred %q<3>;\n", "L:\n", "bra L;\n", ".shared .align 4 .b8 s[4096];\n",
	"%r2", "_", "<", "<9>", ".visible .entry e() { ret; }\n", ".func f;\n", ".global .u32 g = 5;\n",
	"// says\n", "//@ grid 2\n", "@@DWARF x\n", "#if\n", ".file 1 \"a\"\n", ".target sm_90\n", "call f;\n",
	"cvt.u64.u32 %rd1, %r1;\n", ".loc 1 2 3\n", ".extern .func (.param .b32 r) v();\n", "trap;\n",
	"{\n .reg .b32 t;\n}\n", "mov.u32 %r1, g;\n", ".pragma \"nounroll\";\n", "\x00", "é", ".maxntid 32",
	".noreturn ", ".func stop() { ret; }\n", ".func f() { .reg .u32 a; bad; ret; }\n",
}

// edited is a text with one random change.
func edited(r *rand.Rand, text string) string {
	at := r.Intn(len(text) + 1)
	if r.Intn(8) == 0 { // near the head, or between functions
		at = r.Intn(min(len(text), 200) + 1)
		if i := strings.LastIndex(text[:r.Intn(len(text)+1)], "\n.visible"); i >= 0 && r.Intn(2) == 0 {
			at = i
		}
	}
	line := text[at:]
	if i := strings.IndexByte(line, '\n'); i >= 0 {
		line = line[:i+1]
	}
	switch r.Intn(6) {
	case 0:
		return text[:at] + text[min(len(text), at+1+r.Intn(3)):]
	case 1:
		return text[:at] + text[at+len(line):]
	case 2:
		return text[:at] + line + text[at:]
	case 3:
		return text[:at] + string(rune(' '+r.Intn(95))) + text[at:]
	case 4:
		from := r.Intn(len(text) + 1)
		return text[:at] + text[from:min(len(text), from+r.Intn(60))] + text[at:]
	}
	return text[:at] + scraps[r.Intn(len(scraps))] + text[at:]
}

// TestEditedIsParse makes random changes in compilers' programs: parsing the change gives what parsing everything
// gives, down to the last place, and mostly without parsing everything.
func TestEditedIsParse(t *testing.T) {
	files, err := filepath.Glob("../testdata/real/ptx/*.ptx")
	require.NoError(t, err)
	r := rand.New(rand.NewSource(1))
	edits := 5_000
	if runtime.GOOS == "js" {
		edits = 400 // it is slower there, and no different
	}
	quick, total := 0, 0
	for n := 0; total < edits; n++ {
		src, err := os.ReadFile(files[n%len(files)])
		require.NoError(t, err)
		if len(src) > 12_000 {
			continue
		}
		texts := []string{withFunctions(string(src))}
		if n%3 == 0 {
			texts[0] += ".func caller() { .reg .u32 a; mov.u32 a, 1; bad; call stop; }\n.func stop() { trap; }\n"
		}
		m, _ := Parse("a.ptx", []byte(texts[0]))
		for range 40 {
			if k := len(texts) - 1; k > 0 && (k > 5 || r.Intn(2) == 0) {
				texts = texts[:k]
			} else {
				texts = append(texts, edited(r, texts[k]))
			}
			text := []byte(texts[len(texts)-1])
			p := m.reparse(text)
			if p != nil {
				quick++
				_ = p.diagnose()
				m = p.m
			} else {
				m, _ = Parse("a.ptx", text)
			}
			if total++; p != nil {
				want, _ := Parse("a.ptx", text)
				where := differ(want, m)
				require.Empty(t, where, "%s, edit %d:\n%s", files[n%len(files)], total, text)
			}
		}
	}
	t.Logf("%d of %d changes parsed alone", quick, total)
	require.Greater(t, quick, total/3, "most parses would be of the whole text")
}

// Changes that reach beyond themselves, or nearly do.
func TestEditedReaches(t *testing.T) {
	for _, c := range []struct {
		name, text, old, new string
		alone                bool // only the change is parsed
	}{
		{"a body", ".func f() { ret; } .func g() { ret; }", "{ ret; } .func g", "{ exit; ret; } .func g", false},
		{"the first of two definitions", ".func f() { ret; } .func f() { exit; } .func g() { call f; ret; }",
			"ret; } .func f", "bar.sync 0; ret; } .func f", true},
		{"a second definition", ".func f() { ret; } .func f() { exit; } .func g() { call f; ret; }", "exit;",
			"bad; exit;", true},
		{"a function after two definitions", ".func f() { ret; } .func f() { bad; } .func g() { call f; ret; }",
			"call f;", "worse;\ncall f;", true},
		{"a second definition of a kernel",
			".entry k(.param .u32 a) { ret; } .entry k(.param .u64 b) { .reg .u64 r; ret; } .entry l() { ret; }",
			".reg .u64 r; ret;", ".reg .u64 r;\nld.param.u64 r, [b]; ret;", true},
		{"a callee from which lanes return as before", ".func f() { ret; } .func g() { call f; ret; }", "{ ret; }",
			"{ bar.sync 0; ret; }", true},
		{"a callee from which no lane returns any more", ".func f() { ret; } .func g() { call f; ret; }", "{ ret; }",
			"{ exit; }", false},
		{"a later name", ".func f() { .reg .u32 a; ret; } .global .u32 later;", "ret", "mov.u32 a, later; ret",
			true},
		{"a function declared and called", ".func f; .func g() { call f; ret; } .func f { exit; }", "call f;",
			"call f; call f;", false},
		{"its definition", ".func f; .func g() { call f; ret; } .func f { exit; }", "exit;", "exit; exit;", true},
		{"a newline that ends a declaration", ".func f() \n.func g() { ret; }", "() \n", "() ", false},
		{"a comment between functions", ".func f() { ret; } // one\n.func g() { ret; }", "one", "two\n", true},
		{"a comment that ends nowhere", ".func f() { ret; } // one\n.func g() { ret; }", "// one", "/* one", false},
		{"a comment within the head", "", ".target", "/* why */ .target", false},
		{"a header line", "", ".version", "//@ grid 2\n.version", true},
		{"a header line of another file", "", ".version", "#include\n.version", false},
		{"a brace", ".func f() { ret; } .func g() { ret; }", "ret", "ret; } .func h() { ret", false},
		{"no change", ".func f() { ret; }", "ret", "ret", true},
		{"a line of DWARF data", ".func f() { ret; }", "ret;", "ret;\n@@DWARF x\n", false},
		{"parameters", ".func f(.reg .u32 a) { .reg .u32 b; ret; }", "ret;", "mov.u32 b, a; ret;", true},
		{"a set of variables of the module", ".global .u32 v<3>; .func f() { .reg .u64 a; ret; }", "ret;",
			"mov.u64 a, v1; ret;", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := ".version 8.0\n.target sm_80\n.address_size 64\n" + c.text
			require.Contains(t, text, c.old)
			changed := []byte(strings.Replace(text, c.old, c.new, 1))
			want, _ := Parse("a.ptx", changed)
			m, _ := Parse("a.ptx", []byte(text))
			require.Equal(t, c.alone, m.reparse(changed) != nil)
			m, _ = Parse("a.ptx", []byte(text))
			got, err := m.Edited(changed)
			require.Empty(t, differ(want, got))
			require.Equal(t, len(want.Diagnostics.Errors()) > 0, err != nil)
		})
	}
}

// withFunctions is a compiler's program with two more functions that its kernels can see.
func withFunctions(text string) string {
	head := strings.Index(text, ".address_size")
	head += strings.IndexByte(text[head:], '\n') + 1
	return text[:head] + `
.extern .func never;
.global .align 4 .b8 g[16] = {1, 2};
.func (.reg .u32 out) f(.reg .u32 in, .param .b32 p)
{
	.reg .b32 %t<4>;
	ld.param.u32 %t1, [p];
	.reg .pred q; setp.eq.u32 q, %t1, in;
	add.u32 out, in, %t1;
	ret;
}
.func stop() { exit; }
// between two functions
.func caller() {
	.reg .b32 a; .reg .b64 x;
	call (a), f, (a, 3);
	.param .b32 s;
	P: .callprototype (.reg .u32 r) _ (.reg .u32 i, .param .b32 j);
	mov.u64 x, f;
	call (a), x, (a, s), P;
	{ .reg .b32 a; mov.u32 a, %tid.x; }
	call stop;
}
` + text[head:]
}

// BenchmarkEdited is a keystroke in the middle of long programs, with and without parsing all of them.
func BenchmarkEdited(b *testing.B) {
	src, err := os.ReadFile("../testdata/real/ptx/matrix_inverse.clang19-O3.ptx")
	require.NoError(b, err)
	body := string(src[bytes.Index(src, []byte(".visible .entry")):])
	for _, lines := range []int{2_000, 20_000} {
		text := ".version 6.4\n.target sm_70\n.address_size 64\n"
		for n := 0; n*strings.Count(body, "\n") < lines; n++ {
			text += strings.ReplaceAll(body, "matrix_inverse", fmt.Sprintf("inverse_%d", n))
		}
		middle := strings.Index(text[len(text)/2:], "\tadd.") + len(text)/2
		texts := [][]byte{[]byte(text), []byte(text[:middle] + "\n" + text[middle:])}
		b.Run(fmt.Sprintf("%d/parse", lines), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				_, _ = Parse("long.ptx", texts[i%2])
			}
		})
		b.Run(fmt.Sprintf("%d/edited", lines), func(b *testing.B) {
			m, _ := Parse("long.ptx", texts[1])
			for i := 0; b.Loop(); i++ {
				m, _ = m.Edited(texts[i%2])
			}
		})
	}
}
