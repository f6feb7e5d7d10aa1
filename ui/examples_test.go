package ui

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// An example opens in a tab of its own. It takes the place of one in which nothing was changed, and only of that.
func TestExamplesOpenInTabs(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(LoadExample{"2.ptx"})
	require.Len(t, store.Model().Files.Open, 1)
	require.Equal(t, "second\n", store.text)

	store.Do(Edit{"mine\n"})
	store.Do(LoadExample{"1.ptx"})
	require.Len(t, store.Model().Files.Open, 2)
	require.Equal(t, "first\n", store.text)
	require.False(t, store.Model().Offer, "nothing was replaced")
	store.Do(TurnTo{1})
	require.Equal(t, "mine\n", store.text)
	require.Equal(t, "2.ptx", store.Model().Example)

	store.Do(LoadExample{"1.ptx"}) // it is open
	require.Len(t, store.Model().Files.Open, 2)
	require.Equal(t, "first\n", store.text)

	store.Do(OpenFile{"a.ptx", "a\n"})
	store.Do(LoadExample{"1.ptx"})
	require.Len(t, store.Model().Files.Open, 3)

	store.Do(Edit{"full\n"})
	platform.full = true
	store.Do(LoadExample{"2.ptx"})
	require.True(t, store.Model().Offer, "there is no room for one more")
}

// The address names the example that is shown. Each example is an entry of the history; other programs are not.
func TestAddressOfExamples(t *testing.T) {
	store, _, platform := newFakeStore()
	require.Equal(t, []string{"#example=1"}, platform.history)
	store.Do(LoadExample{"2.ptx"})
	require.Equal(t, []string{"#example=1", "#example=2"}, platform.history)
	store.Do(OpenFile{"a.ptx", "a\n"})
	require.Equal(t, []string{"#example=1", ""}, platform.history)
	store.Do(TurnTo{1})
	require.Equal(t, []string{"#example=1", "", "#example=2"}, platform.history)

	file, ok := addressedExample("#example=05-nested-divergence")
	require.True(t, ok)
	require.Equal(t, "05-nested-divergence.ptx", file)
	require.Equal(t, "#example=05-nested-divergence", exampleAddress(file))
	for _, wrong := range []string{"", "#embed", "#2.abc"} {
		_, ok := addressedExample(wrong)
		require.False(t, ok, wrong)
	}
}

// revealingEditor notes the line that came into sight last.
type revealingEditor struct {
	countedEditor
	line int
}

func (e *revealingEditor) Show(m *Model, reveal int) { e.line = cmp.Or(reveal, e.line) }

func (e *revealingEditor) Turn(from, to int, text string) string { return text }

// An example that is chosen again begins again: its first instruction, in line 7, comes into sight, wherever the reader
// has been in its text. The editor does this for another text only.
func TestExampleChosenAgain(t *testing.T) {
	p := newFakePlatform()
	p.files["examples/1.ptx"], p.files["examples/2.ptx"] = small(""), small("//@ block 64\n")
	store := NewStore(debugSession(), p)
	store.Open()
	store.Do(LoadExample{"1.ptx"})
	editor := &revealingEditor{}
	store.meetEditor(editor)
	store.Do(LoadExample{"1.ptx"})
	require.Equal(t, 7, editor.line)

	store.Do(Edit{store.text + "// mine\n"})
	editor.line = 0
	store.Do(LoadExample{"2.ptx"})
	require.Equal(t, 0, editor.line, "another text begins at its beginning")
	store.Do(TurnTo{store.Model().Files.Open[0].ID})
	require.Equal(t, 0, editor.line, "another program is where it was")
	store.Do(LoadExample{"2.ptx"})
	require.Equal(t, 8, editor.line, "it is open, and was chosen again")
}

// The address of a first visit names another example than the first: only that is opened.
func TestFirstVisitOfAnExample(t *testing.T) {
	platform := newFakePlatform()
	store := NewStore(&fakeSession{clock: platform, length: 1000}, platform)
	store.Do(LoadExample{"2.ptx"})
	store.Open()
	require.Equal(t, "second\n", store.text)
	require.Equal(t, []string{"#example=2"}, platform.history)
}

// An address with an example that does not exist is answered by a sentence. What the user has stays; where that is
// nothing, the first example comes. Names that could lead elsewhere are not fetched.
func TestAddressOfNoExample(t *testing.T) {
	for _, file := range []string{"99-none.ptx", "../1.ptx", ".ptx"} {
		store, _, platform := newFakeStore()
		store.Do(Edit{"mine\n"})
		store.Do(LoadExample{file})
		require.Equal(t, "There is no example “"+strings.TrimSuffix(file, ".ptx")+"”.", store.Model().Missing)
		require.Equal(t, "mine\n", store.text)
		require.Equal(t, []string{"#example=1"}, platform.history)
		store.Do(DismissNotice{})
		require.Empty(t, store.Model().Missing)

		platform = newFakePlatform()
		platform.files["examples/../1.ptx"] = "of elsewhere"
		store = NewStore(&fakeSession{clock: platform, length: 1000}, platform)
		store.Open()
		store.Do(LoadExample{file})
		require.Equal(t, "first\n", store.text, "%s after the list has come", file)

		platform = newFakePlatform()
		platform.slow = map[string]bool{"examples/index.json": true}
		store = NewStore(&fakeSession{clock: platform, length: 1000}, platform)
		store.Open()
		store.Do(LoadExample{file})
		require.Empty(t, store.text)
		platform.answers[0]()
		require.Equal(t, "first\n", store.text, "%s before the list", file)
		require.Equal(t, "There is no example “"+strings.TrimSuffix(file, ".ptx")+"”.", store.Model().Missing)
		store.Do(LoadExample{"2.ptx"})
		require.Empty(t, store.Model().Missing, "the user has chosen another")
	}
}
