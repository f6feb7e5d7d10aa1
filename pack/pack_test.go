package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// One segment has the bytes of all, and zeros between them.
func TestDataIsJoined(t *testing.T) {
	const magic = "\x00asm\x01\x00\x00\x00"
	const types = "\x01\x04\x01\x60\x00\x00" // another section stays
	// Two segments: "ab" at 8, "c" at 200, whose address takes two bytes.
	module := magic + types + "\x0b\x0f\x02" + "\x00\x41\x08\x0b\x02ab" + "\x00\x41\xc8\x01\x0b\x01c"
	got, _, _, err := joinData([]byte(module))
	require.NoError(t, err)
	image := "ab" + strings.Repeat("\x00", 190) + "c" // 193 bytes: c1 01
	require.Equal(t, magic+types+"\x0b\xc8\x01"+"\x01\x00\x41\x08\x0b\xc1\x01"+image, string(got))

	// Out of order, one over the other: "abcd" at 8, then "X" at 9, then "y" at 7.
	module = magic + "\x0b\x16\x03" + "\x00\x41\x08\x0b\x04abcd" + "\x00\x41\x09\x0b\x01X" + "\x00\x41\x07\x0b\x01y"
	got, _, _, err = joinData([]byte(module))
	require.NoError(t, err)
	require.Equal(t, magic+"\x0b\x0b"+"\x01\x00\x41\x07\x0b\x05"+"yaXcd", string(got))

	same, _, _, err := joinData([]byte("no module"))
	require.NoError(t, err)
	require.Equal(t, "no module", string(same))

	for name, bad := range map[string]string{
		"passive segment":   magic + "\x0b\x05\x01\x01\x02ab",
		"section too short": magic + "\x0b\x7f\x01",
		"segment too short": magic + "\x0b\x06\x01\x00\x41\x08\x0b\x02",
	} {
		_, _, _, err := joinData([]byte(bad))
		require.Error(t, err, name)
	}
}

// Many zeros part segments, but not those of a part that stays whole.
func TestManyZerosAreLeftOut(t *testing.T) {
	zeros := make([]byte, longZeros)
	image := slices.Concat([]byte{1}, zeros, []byte{2}, zeros[1:], []byte{3}, zeros, []byte{4}, zeros)
	at := []int{0, longZeros + 1, 3*longZeros + 2}
	require.Equal(t, []segment{{at[0], image[:1]}, {at[1], image[at[1] : at[1]+longZeros+1]}, {at[2], image[at[2]:]}},
		cut(image, part{}))
	require.Equal(t, []segment{{0, image[:1]}, {at[1], image[at[1]:]}}, cut(image, part{start: at[1], end: at[2]}))
}

// program does what reads the tables of functions: it grows stacks, collects garbage in deep calls, also through
// reflection, recovers from panics, looks at its callers, and counts goroutines but for the runtime's own.
const program = `package main

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
)

func deep(n int) []byte {
	if n == 0 {
		runtime.GC()
		return nil
	}
	b := []byte(strings.Repeat("x", n%7))
	return append(deep(n-1), b...)
}

func caller() (name string, line int) {
	pc, _, line, _ := runtime.Caller(1)
	return runtime.FuncForPC(pc).Name(), line
}

func fails() (err any) {
	defer func() { err = recover() }()
	var list []int
	return list[len(deep(3))]
}

type value struct{ n int }

func (v value) get() int { return v.n + len(deep(v.n)) }

var getter interface{ get() int } = (*value)(nil)

func nilValue() (err any) {
	defer func() { err = recover() }()
	return getter.get()
}

// reflected calls a made function and a method value; both collect garbage while their arguments live on the stack.
func reflected() string {
	concat := func(args []reflect.Value) []reflect.Value {
		deep(100)
		return []reflect.Value{reflect.ValueOf(args[0].String() + args[1].String())}
	}
	made := reflect.MakeFunc(reflect.TypeFor[func(a, b string) string](), concat).Interface().(func(a, b string) string)
	method := reflect.ValueOf(Method{strings.Repeat("m", 2)}).Method(0).Interface().(func(string) string)
	return made(strings.Repeat("a", 2), strings.Repeat("b", 2)) + method(strings.Repeat("n", 2))
}

type Method struct{ s string }

func (m Method) Join(s string) string {
	deep(100)
	return m.s + s
}

func deferred() (n int) {
	for i := range 3 {
		defer func() { n = 10*n + i }()
	}
	defer func() { _ = recover() }()
	panic(deep(5))
}

func main() {
	done := make(chan int)
	go func() { done <- len(deep(50_000)) }()
	name, line := caller()
	fmt.Println(<-done, fails(), "/", nilValue(), "/", reflected(), deferred(), runtime.NumGoroutine(), name, line)
}
`

// builtProgram is the program as Go's linker writes it for the browser.
func builtProgram(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module program\n\ngo 1.26\n"), 0o644))
	build := exec.Command("go", "build", "-o", "a.wasm")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	module, err := os.ReadFile(filepath.Join(dir, "a.wasm"))
	require.NoError(t, err)
	return module
}

// A program takes no more bytes than from xz, with the same parameters of the format and the most effort. The page gets
// back what it was.
func TestPacksAsSmallAsXz(t *testing.T) {
	joined, functions, _, err := joinData(builtProgram(t))
	require.NoError(t, err)
	module := rewriteCode(joined, functions)
	ours := packed(module)
	require.True(t, bytes.Equal(joined, restoredInNode(t, ours, "100000")))

	xz, err := exec.LookPath("xz")
	if err != nil {
		t.Skip("xz is not here")
	}
	command := exec.Command(xz, "--format=lzma", "--lzma1=preset=9e,lc=3,lp=0,pb=0", "--stdout")
	command.Stdin = bytes.NewReader(module)
	theirs, err := command.Output()
	require.NoError(t, err)
	require.LessOrEqual(t, len(ours), len(theirs))
	t.Logf("%d bytes, from xz %d", len(ours), len(theirs))
}

// Packed, a program of Go's does the same, and no longer knows the names and lines of its functions.
func TestProgramsRunWithoutTraces(t *testing.T) {
	dir := t.TempDir()
	module := builtProgram(t)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.wasm"), module, 0o644))
	smaller, _, known, err := joinData(module)
	require.NoError(t, err)
	require.True(t, known)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.wasm"), smaller, 0o644))

	// The deferred calls make 2, 21 and 210.
	// 50,000 is 7142 rounds of 0+1+…+6 and 1+2+3+4+5+6 for the last six: 7142*21 + 21.
	want := "150003 runtime error: index out of range [6] with length 0 / " +
		"value method main.value.get called using nil *value pointer / aabbmmnn 210 1 "
	require.Equal(t, want+"main.main 70", runInNode(t, dir, "a.wasm"))
	want = strings.NewReplacer("main.value.get", "some.type.method", "*value", "*type").Replace(want)
	require.Equal(t, want+" 0", runInNode(t, dir, "b.wasm"))
}

func runInNode(t *testing.T, dir, file string) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	runner := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	command := exec.Command(node, "--stack-size=8192", runner, filepath.Join(dir, file))
	command.Env = []string{"HOME=" + dir} // Go's loader has room for little
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

// What another Go release would make of the program: the header of its table of functions has another magic number.
func TestUnknownTablesAreSaid(t *testing.T) {
	module := builtProgram(t)
	at := bytes.Index(module, magic)
	require.Positive(t, at)
	module[at]--
	_, _, known, err := joinData(module)
	require.NoError(t, err)
	require.False(t, known)

	file := func(name string) string { return filepath.Join(t.TempDir(), name) }
	from := file("other.wasm") // has no table at all
	const content = "\x00asm\x01\x00\x00\x00" + "\x0b\x08\x01\x00\x41\x08\x0b\x02ab"
	require.NoError(t, os.WriteFile(from, []byte(content), 0o644))
	var notes strings.Builder
	require.NoError(t, pack(from, file("packed"), file("script"), &notes))
	require.Regexp(t, `^pack: .* does not know .*other\.wasm.*Go release.*\n$`, notes.String())

	require.NoError(t, os.WriteFile(from, []byte("no module"), 0o644))
	notes.Reset()
	require.NoError(t, pack(from, file("packed"), file("script"), &notes))
	require.Empty(t, notes.String())
}
