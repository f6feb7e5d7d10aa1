package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/share"
)

// open names the open programs, the current one in brackets.
func openFiles(m *Model) string {
	var names []string
	for _, f := range m.Files.Open {
		name := m.label(f.ID)
		if f.ID == m.Files.Current {
			name = "[" + name + "]"
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// The text of a version without several programs is the first of them.
func TestOneProgramBecomesTheFirst(t *testing.T) {
	platform := newFakePlatform()
	platform.kept[keyText] = "typed long ago\n"
	store, _, _ := visit(platform)
	require.Equal(t, "typed long ago\n", store.text)
	require.Equal(t, "[k]", openFiles(store.Model()))
	store.Do(NewFile{})
	require.Empty(t, store.text)
	require.False(t, store.Model().Edited)
	store.Do(TurnTo{1})
	require.Equal(t, "typed long ago\n", store.text)
}

func TestProgramsSurviveAReload(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(Edit{"mine\n"})
	store.Do(Breakpoints{[]int{1}})
	store.Do(OpenFile{"other.ptx", "other\n"})
	require.Equal(t, "k [other.ptx]", openFiles(store.Model()))
	require.Empty(t, store.Model().View.Breakpoints)
	store.Do(Edit{"other, edited\n"})

	store, _, _ = visit(platform) // the old page got no event
	require.Equal(t, "k [other.ptx]", openFiles(store.Model()))
	require.Equal(t, "other, edited\n", store.text)
	require.True(t, store.Model().Edited)
	store.Do(TurnTo{1})
	require.Equal(t, "mine\n", store.text)
	require.Equal(t, []int{1}, store.Model().View.Breakpoints)
	require.Equal(t, "1.ptx", store.Model().Example)
	store.Do(TurnTo{2})
	require.Equal(t, "other, edited\n", store.text)
	require.Equal(t, "other, edited\n", platform.kept[keyText], "what the first paint shows")
}

// A file of numbers is no program: it belongs on an argument.
func TestDataIsNotOpenedAsAProgram(t *testing.T) {
	store, _, _ := newFakeStore()
	was := openFiles(store.Model())
	for name, text := range map[string]string{"x.bin": "12", "y.NPY": "12", "picture.png": "12", "z": "a\x00b"} {
		store.Do(OpenFile{name, text})
		require.Equal(t, was, openFiles(store.Model()))
		require.Contains(t, store.Model().Notice, name+" holds no text. Drop it on an argument")
	}
	store.Do(OpenFile{"numbers", "12"})
	require.NotEqual(t, was, openFiles(store.Model()))
}

// A file that was opened stays in its tab when an example is chosen, though nothing was typed in it.
func TestExamplesLeaveOpenedFiles(t *testing.T) {
	store, _, _ := newFakeStore()
	store.Do(OpenFile{"twice.ptx", "twice\n"})
	was := openFiles(store.Model())
	store.Do(LoadExample{"2.ptx"})
	require.NotEqual(t, "twice\n", store.text)
	require.Len(t, store.Model().Files.Open, strings.Count(was, " ")+2, was)
	require.Contains(t, openFiles(store.Model()), "twice.ptx ")
	i := slices.IndexFunc(store.Model().Files.Open, func(f File) bool { return f.Name == "twice.ptx" })
	store.Do(TurnTo{store.Model().Files.Open[i].ID})
	require.Equal(t, "twice\n", store.text)
}

func TestClosedProgramsCanBeReopened(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(OpenFile{"a.ptx", "a\n"})
	store.Do(Edit{"a, edited\n"})
	store.Do(OpenFile{"b.ptx", "b\n"})
	store.Do(CloseFile{2}) // not the current one
	require.Equal(t, "k [b.ptx]", openFiles(store.Model()))
	require.Equal(t, "a.ptx", store.Model().JustClosed)
	store.Do(CloseFile{3})
	require.Equal(t, "[k]", openFiles(store.Model()))
	require.Equal(t, "first\n", store.text)

	store, _, _ = visit(platform)
	store.Do(ReopenFile{})
	require.Equal(t, "k [b.ptx]", openFiles(store.Model()))
	store.Do(ReopenFile{})
	require.Equal(t, "k b.ptx [a.ptx]", openFiles(store.Model()))
	require.Equal(t, "a, edited\n", store.text)
	store.Do(ReopenFile{}) // nothing is left
	require.Equal(t, "k b.ptx [a.ptx]", openFiles(store.Model()))

	for _, id := range []int{1, 2, 3} {
		store.Do(CloseFile{id})
	}
	require.Len(t, store.Model().Files.Open, 1)
	require.Empty(t, store.text, "in place of the last comes an empty one")
}

func TestNothingTypedIsLost(t *testing.T) {
	store, _, _ := newFakeStore()
	store.Do(Edit{"mine\n"})
	store.Do(link(share.State{Text: "second\n"})) // the page offers to restore mine
	store.Do(Edit{"second, edited\n"})
	store.Do(RestoreText{}) // together with the text typed since
	require.Equal(t, "mine\n", store.text)
	require.Len(t, store.Model().Files.Open, 2)
	store.Do(TurnTo{1})
	require.Equal(t, "second, edited\n", store.text)

	store.Do(link(share.State{Text: "first\n"}))
	store.Do(Edit{"again\n"})
	store.Do(link(share.State{Text: "second\n"})) // "second, edited" is no longer the one on offer
	store.Do(ReopenFile{})
	require.Equal(t, "second, edited\n", store.text)
	store.Do(RestoreText{})
	require.Equal(t, "again\n", store.text)
}

func TestFullStorageKeepsThePresentProgram(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(OpenFile{"a.ptx", "a\n"})
	store.Do(Edit{"a, edited\n"})
	platform.full = true
	store.Do(TurnTo{1})
	require.Equal(t, "a, edited\n", store.text)
	require.Contains(t, store.Model().status(), "no room")
	store.Do(CloseFile{2})
	require.Equal(t, "a, edited\n", store.text, "it could not be reopened")
	store.Do(SaveFile{})
	require.Equal(t, []string{"a.ptx: a, edited\n"}, platform.downloads)
	store.Do(CloseFile{2})
	require.Equal(t, "[k]", openFiles(store.Model()))
}

// A closed program makes room for the current one even if it is the one to be opened again.
func TestReopenedProgramMakesRoom(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(OpenFile{"a.ptx", "a\n"})
	store.Do(Edit{"a, edited\n"})
	store.Do(CloseFile{2})
	platform.most = 1
	store.Do(ReopenFile{})
	require.Equal(t, "a, edited\n", store.text)
	require.Equal(t, "k [a.ptx]", openFiles(store.Model()))
	require.Empty(t, store.Model().Files.Closed)
}

// Nothing is deleted for a text that cannot be stored in any case, and nothing remains that is in no list.
func TestWhatIsForgotten(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(OpenFile{"a.ptx", "a\n"})
	store.Do(OpenFile{"b.ptx", "b\n"})
	store.Do(CloseFile{2})
	store.Do(Edit{strings.Repeat("/", maxKept+1)})
	store.Do(TurnTo{1})
	require.Equal(t, "k [b.ptx]", openFiles(store.Model()))
	require.Contains(t, store.Model().status(), "no room")
	require.Len(t, store.Model().Files.Closed, 1)

	store.Do(Edit{"b\n"})
	for range 2 * maxClosed { // link after link over edited texts
		store.Do(Edit{"typed\n"})
		store.Do(link(share.State{Text: "second\n"}))
	}
	require.Len(t, store.Model().Files.Closed, maxClosed)
	keys := 0
	for key := range platform.kept {
		if strings.HasPrefix(key, keyFile) {
			keys++
		}
	}
	require.LessOrEqual(t, keys, maxClosed+2)
}

// A text that the page offers to restore can be restored even without room for one more program: the two change places.
func TestOfferedTextComesBackWithoutRoom(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(Edit{"mine\n"})
	store.Do(link(share.State{Text: "second\n"}))
	store.Do(Edit{"second, edited\n"})
	platform.full = true
	store.Do(RestoreText{})
	require.Equal(t, "mine\n", store.text)
	require.True(t, store.Model().Offer)
	require.True(t, store.Model().OfferHeld)
	store.Do(RestoreText{})
	require.Equal(t, "second, edited\n", store.text)
	require.True(t, store.Model().Offer)
	platform.full = false
	store.Do(RestoreText{})
	require.Equal(t, "mine\n", store.text)
	require.False(t, store.Model().Offer)
	require.Len(t, store.Model().Files.Open, 2)
}

func TestNamesOfPrograms(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(PickFiles{})
	require.Equal(t, "k [picked.ptx]", openFiles(store.Model()))
	store.Do(EditName{2})
	require.Equal(t, 2, store.Model().Naming)
	store.Do(RenameFile{2, "  sums: a/b "})
	require.Zero(t, store.Model().Naming)
	require.Equal(t, "k [sums: a/b]", openFiles(store.Model()))
	store.Do(SaveFile{})
	require.Equal(t, []string{"sums- a-b.ptx: picked\n"}, platform.downloads)
	store.Do(RenameFile{2, ""})
	require.Equal(t, "k [k]", openFiles(store.Model()))

	for label, want := range map[string]string{"": "program.ptx", "..": "program.ptx", "A.PTX": "A.PTX",
		"Größe 2×2": "Größe 2×2.ptx", "a\x00b": "a-b.ptx"} {
		require.Equal(t, want, fileName(label))
	}

	// an opened file replaces an empty program
	store.Do(NewFile{})
	store.Do(OpenFile{"c.ptx", "c\n"})
	require.Equal(t, "k k [c.ptx]", openFiles(store.Model()))
}

func TestStoredListOfProgramsMayBeAnything(t *testing.T) {
	for _, kept := range []string{"", "null", "[]", `{"open":[],"current":1}`, `{"open":[{"id":3}],"current":1}`, "{"} {
		platform := newFakePlatform()
		platform.kept[keyFiles] = kept
		store, _, _ := visit(platform)
		require.Equal(t, "[k]", openFiles(store.Model()), kept)
		require.Equal(t, "first\n", store.text)
	}
}
