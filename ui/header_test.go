package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/launch"
)

// realStore is a store with a real session.
func realStore(text string) *Store {
	store := NewStore(debug.New(emu.Options{}), newFakePlatform())
	store.Open()
	store.Do(Edit{text})
	store.parseNow()
	return store
}

func halfKernel(t testing.TB) string { return txtar.Text(t, "header/halfKernel") }

func TestArgumentTypesCanBeEdited(t *testing.T) {
	store := realStore("//@ arg p b32[1024]   =   iota\n//@ arg n u32 = 5\n" + halfKernel(t))
	require.NotNil(t, store.Model().Spec)
	store.Do(EditHeader{Key: "type", Name: "p", Value: "f16"})
	require.Contains(t, store.text, "//@ arg p f16[1024] = iota\n//@ arg n u32 = 5\n")
	store.Do(EditHeader{Key: "elements", Name: "p", Value: "64, 2"})
	require.Contains(t, store.text, "//@ arg p f16[64,2] = iota\n")
	require.Nil(t, store.Model().FieldError)

	// an entry that does not fit stays in its field, and the text does not change
	before := store.text
	for _, c := range []struct{ key, name, value, problem string }{
		{"type", "p", "f61", `The type stays: unknown type "f61": did you mean "f16"?`},
		{"type", "n", "f64", "The type stays: n has 4 bytes (.u32), f64 has 8 bytes"},
		{"elements", "n", "7", "The elements stay: n is a buffer, but its parameter (.u32) cannot hold an address: " +
			"drop the [7]"},
		{"elements", "p", "", "The elements stay: p has 8 bytes (.u64), f16 has 2 bytes; " +
			"for a buffer write its length, as in f16[32]"},
		{"elements", "p", "-3", "The elements are a number, or numbers with commas between them: whole numbers from 1. " +
			"The text is as it was."},
		{"grid", "", "3,x", "A grid is x, or x,y or x,y,z: whole numbers from 1. The text is as it was."},
		{"grid", "", "3,,2", "A grid is x, or x,y or x,y,z: whole numbers from 1. The text is as it was."},
		{"grid", "", "many", "A grid is x, or x,y or x,y,z: whole numbers from 1. The text is as it was."},
	} {
		store.Do(EditHeader{Key: c.key, Name: c.name, Value: c.value})
		require.Equal(t, before, store.text)
		wrong := store.Model().FieldError.of(c.key, c.name)
		require.NotNil(t, wrong, c)
		require.Equal(t, c.problem, wrong.Problem)
		require.Equal(t, c.value, wrong.Value)
		require.Nil(t, store.Model().FieldError.of("type", "q"))
		require.NotNil(t, store.Model().Spec)
	}
	// a type that needs another number of elements is accepted with that number
	store.Do(EditHeader{Key: "elements", Name: "p", Value: ""})
	require.Equal(t, before, store.text)
	store.Do(EditHeader{Key: "type", Name: "p", Value: "u64"})
	require.Contains(t, store.text, "//@ arg p u64 = iota\n")
	require.Nil(t, store.Model().FieldError)
	// typing in the text removes the message
	store.Do(EditHeader{Key: "type", Name: "p", Value: "f61"})
	require.NotNil(t, store.Model().FieldError)
	store.Do(Edit{store.text + "\n"})
	store.parseNow()
	require.Nil(t, store.Model().FieldError)
}

func TestShapes(t *testing.T) {
	for _, text := range []string{"4,2,3", "4 x 2 x 3", "4×2×3", "4 2 3", " 4, 2,3 "} {
		shape, ok := parseShape(text)
		require.True(t, ok, text)
		require.Equal(t, emu.Dim3{X: 4, Y: 2, Z: 3}, shape, text)
	}
	for _, text := range []string{"", "x", "4x", "x4", "4,0", "1,1,1,1", "-4", "4.5"} {
		_, ok := parseShape(text)
		require.False(t, ok, text)
	}
}

// An initial value is judged alone: on its line other words follow it.
func TestTheInitialValueOfAnImage(t *testing.T) {
	store := realStore("//@ arg p u32[8,8] as image = iota\n//@ arg n u32 = 5\n" + halfKernel(t))
	before := store.text
	for _, c := range [][2]string{{"random(", "expected a seed, as in random(1), found the end of the line"},
		{"random(x)", `expected a seed, as in random(1), found "x"`},
		{"1,", "expected a number, found the end of the line"}} {
		store.Do(EditHeader{Key: "arg", Name: "p", Value: c[0]})
		require.Equal(t, before, store.text)
		wrong := store.Model().FieldError.of("arg", "p")
		require.NotNil(t, wrong)
		require.Equal(t, "The text stays as it was: "+c[1], wrong.Problem)
	}
	store.Do(EditHeader{Key: "arg", Name: "p", Value: "random(3)"})
	require.Contains(t, store.text, "random(3)")
	require.Nil(t, store.Model().FieldError)
	require.True(t, store.Model().Spec.Args[0].Image)
}

func TestTheFormWritesAMadeUpHeaderWithItsTypes(t *testing.T) {
	store := realStore(halfKernel(t))
	require.True(t, store.Model().Spec.Defaulted)
	store.Do(EditHeader{Key: "type", Name: "p", Value: "e4m3"})
	require.Contains(t, store.text, "//@ shared   98304\n//@ arg      p e4m3[1024] = iota\n")
	require.Equal(t, "e4m3", store.Model().Spec.Args[0].Type)
}

// Clearing the field removes the line, as its title says.
func TestAClusterCanBeCleared(t *testing.T) {
	text := "//@ arg p b32[32]\n//@ arg n u32 = 5\n" + strings.Replace(halfKernel(t), "sm_70", "sm_90", 1)
	text = strings.Replace(text, ".version 6.4", ".version 8.0", 1)
	store := realStore(text)
	store.Do(EditHeader{Key: "cluster", Value: "1"})
	require.Contains(t, store.text, "//@ cluster  1\n")
	store.Do(EditHeader{Key: "cluster", Value: ""})
	require.Equal(t, text, store.text)
	require.Equal(t, emu.Dim3{}, store.Model().Spec.Cluster)
}

// An entry that the launch refuses stays in its field, whether the mistake is against the grammar, the sizes or the
// machine. The run stays where it was.
func TestEntriesAreTriedFirst(t *testing.T) {
	store := realStore("//@ arg p b32[32] = iota\n//@ arg n u32 = 5\n//@ shared 8192\n" + halfKernel(t))
	store.Do(StepOnce{})
	before := store.text
	for _, c := range []struct{ key, name, value, problem string }{
		{"block", "", "2000", "block 2000 is too large: the dimensions are at most 1024, 1024 and 64"},
		{"grid", "", "1000000000000", "grid 1000000000000 is too large: the dimensions are at most 2147483647,"},
		{"shared", "", "99999999", "99999999 bytes of shared memory are too many"},
		{"cluster", "", "3", "clusters need a .target of sm_90 or later"},
		{"elements", "p", "100000000000", "p of b32[100000000000] makes 400,000,000,000 bytes of buffers"},
		{"arg", "p", "rubbish", `"rubbish"`},
		{"arg", "n", "-x", `"-x"`},
	} {
		store.Do(EditHeader{Key: c.key, Name: c.name, Value: c.value})
		require.Equal(t, before, store.text)
		wrong := store.Model().FieldError.of(c.key, c.name)
		require.NotNil(t, wrong, c)
		require.Contains(t, wrong.Problem, "The text stays as it was: ")
		require.Contains(t, wrong.Problem, c.problem)
		require.Equal(t, c.value, wrong.Value)
		require.Equal(t, wrong.Problem, store.Model().Notice)
		require.NotNil(t, store.Model().Spec)
		require.EqualValues(t, 1, store.Model().View.Tick)
	}
	store.Do(EditHeader{Key: "arg", Name: "n", Value: "7"})
	require.Contains(t, store.text, "//@ arg n u32 = 7\n")
	require.Nil(t, store.Model().FieldError)
	// what the text has already, after a wrong entry, leaves nothing wrong, neither at the field nor in the status
	store.Do(EditHeader{Key: "grid", Value: "many"})
	require.NotEmpty(t, store.Model().Notice)
	store.Do(EditHeader{Key: "grid", Value: "1"})
	require.Nil(t, store.Model().FieldError)
	require.Empty(t, store.Model().Notice)
}

// Another kernel may need another block: the choice is accepted, and so is the entry that repairs the header.
func TestAChoiceIsTakenAsItIs(t *testing.T) {
	store := realStore("//@ block 32\n.version 6.4\n.target sm_70\n.address_size 64\n" +
		".visible .entry k() { ret; }\n.visible .entry wide() .reqntid 64 { ret; }\n")
	store.Do(EditHeader{Key: "entry", Value: "wide"})
	require.Contains(t, store.text, "//@ entry    wide\n")
	require.True(t, store.Model().Stale)
	require.Equal(t, "wide", store.Model().Spec.Entry, "the form keeps the choice")
	store.Do(EditHeader{Key: "shared", Value: "16"})
	require.Contains(t, store.text, "//@ shared   16\n")
	store.Do(EditHeader{Key: "block", Value: "64"})
	require.Contains(t, store.text, "//@ block 64\n")
	require.Equal(t, debug.Ready, store.Model().View.Phase)
}

// Lines of the newer kinds survive edits of the form.
func TestTheFormKeepsSymbolsAndFields(t *testing.T) {
	header := "//@ symbol v b8[16] = u64 address(p, 8), u32 7\n//@ arg p b32[1024]\n//@ arg n u32 = 5\n"
	module := ".version 6.4\n.target sm_70\n.address_size 64\n.global .align 8 .b8 v[16];\n" +
		".visible .entry k(.param .u64 p, .param .u32 n) { ret; }\n"
	store := realStore(header + module)
	store.Do(EditHeader{Key: "block", Value: "64"})
	require.Contains(t, store.text, "//@ symbol v b8[16] = u64 address(p, 8), u32 7\n")
	store.Do(EditHeader{Key: "arg", Name: "v", Value: "u64 address(p, 16), at 12 e4m3 448"})
	require.Contains(t, store.text, "//@ symbol v b8[16] = u64 address(p, 16), at 12 e4m3 448\n")
	store.Do(EditHeader{Key: "type", Name: "v", Value: "u64[2]"})
	require.Contains(t, store.text, "//@ symbol v u64[2] = u64 address(p, 16), at 12 e4m3 448\n")
	store.Do(EditHeader{Key: "elements", Name: "v", Value: "1"})
	require.Equal(t, "The elements stay: the fields take 13 bytes, v has 8 bytes", store.Model().FieldError.Problem)
}

func TestFaultsOfferTheirFix(t *testing.T) {
	store := realStore("//@ arg p b32[32]\n//@ arg n u32 = 5\n//@ shared 64\n" + halfKernel(t))
	store.Do(StepOnce{})
	for store.Model().View.Phase == debug.Paused {
		store.Do(StepOnce{})
	}
	require.Equal(t, debug.Faulted, store.Model().View.Phase)
	list, _ := problemList(store.Model())
	require.Equal(t, "fault", list[0].Severity)
	require.Contains(t, store.Model().status(), "Launch → Shared")
	require.Equal(t, "give the CTA all shared memory that there is: //@ shared 98304", list[0].Fix)
	store.Do(ApplyFix{list[0].Index})
	require.Contains(t, store.text, "//@ shared 98304\n")
	for range 5 {
		store.Do(StepOnce{})
	}
	require.Equal(t, debug.Finished, store.Model().View.Phase)
	store.Do(ApplyFix{ofFault}) // there is none any more
	require.Contains(t, store.text, "//@ shared 98304\n")
}

func TestABadLaunchIsNoBadText(t *testing.T) {
	store := realStore("//@ arg p b32[32]\n" + halfKernel(t))
	require.Equal(t, "The launch header does not fit the program: Problems says what is wrong.", noForm(store.Model()))
	store.Do(Run{})
	require.Contains(t, store.Model().status(), "Cannot launch: error at line 6: kernel k needs an argument")
	store = realStore("//@ blok 3\n" + halfKernel(t) + "bad")
	require.Equal(t, "The launch can be set when the text has no errors.", noForm(store.Model()))
}

// A link contains the header unchanged.
func TestLinksCarryFields(t *testing.T) {
	text := "//@ symbol v b8[16] = u64 address(p, 8), at 12 e4m3 448\n//@ arg p e2m1[64] = 1, -6\n" +
		".version 6.4\n.target sm_70\n.address_size 64\n.global .align 8 .b8 v[16];\n.entry k(.param .u64 p) { ret; }\n"
	sender := realStore(text)
	receiver := realStore("")
	receiver.Do(link(sender.State()))
	require.Equal(t, text, receiver.text)
	require.NotNil(t, receiver.Model().Spec)
	require.Equal(t, sender.Model().Spec.Header(), receiver.Model().Spec.Header())
}

// Buffers of one type that follow each other share it; many are counted.
func TestBuffersInTheLaunchLine(t *testing.T) {
	arg := func(name, typ string, dims ...int) launch.Arg { return launch.Arg{Name: name, Type: typ, Dims: dims} }
	a, b, c, n := arg("a", "f32", 32, 32), arg("b", "f32", 32, 32), arg("c", "u8", 4), arg("n", "u32")
	require.Equal(t, "a b f32[32,32], c u8[4]", bufferWords([]launch.Arg{a, n, b, c}))
	require.Equal(t, "4 buffers", bufferWords([]launch.Arg{a, b, c, a}))
	require.Equal(t, "", bufferWords([]launch.Arg{n}))
}
