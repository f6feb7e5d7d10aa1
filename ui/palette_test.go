package ui

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
)

// The lessons and sections that the tests' site has.
const fakeContents = `{"lessons": [{"file": "lessons/04-divergence.html", "title": "Divergence and the SIMT stack"}],
	"sections": [{"number": "9.7.13.3", "title": "Control Flow Instructions: bra"},
		{"number": "3.1", "title": "A Set of SIMT Multiprocessors"}]}`

func searched(t *testing.T, query string) (*Store, *fakePlatform) {
	t.Helper()
	store, _, platform := newFakeStore()
	platform.files["contents.json"] = fakeContents
	store.Do(ShowPalette{true})
	store.Do(Search{query})
	return store, platform
}

func names(p *Palette, k kind) (list []string) {
	for _, f := range p.Found {
		if f.Kind == k {
			list = append(list, f.Name)
		}
	}
	return list
}

func TestPaletteFindsEveryKind(t *testing.T) {
	store, _ := searched(t, "diverg")
	p := store.Model().Palette
	require.Equal(t, []string{"Next divergence", "Previous divergence"}, names(p, kindCommand))
	require.Equal(t, []string{"Divergence and the SIMT stack"}, names(p, kindLesson))
	store, _ = searched(t, "one")
	require.Equal(t, []string{"One"}, names(store.Model().Palette, kindExample))
	store, _ = searched(t, "lanes")
	require.Equal(t, "Lanes", names(store.Model().Palette, kindPanel)[0])
	store, _ = searched(t, "add.cc")
	p = store.Model().Palette
	require.Equal(t, []string{"add.cc"}, names(p, kindInstruction))
	require.Equal(t, "add.cc", p.Found[p.At].Name)
	store, _ = searched(t, "simt 3.1")
	require.Equal(t, []string{"A Set of SIMT Multiprocessors"}, names(store.Model().Palette, kindSection))
	store, _ = searched(t, "no such thing")
	require.Empty(t, store.Model().Palette.Found)
	store.Do(Point{By: 1})
	store.Do(Choose{0})
	require.NotNil(t, store.Model().Palette)
}

// Lessons are found by that word and their number, and other choices by what they are.
func TestPaletteFindsLessonsByNumber(t *testing.T) {
	for _, query := range []string{"lesson", "lessons", "less", "lesson 1"} {
		store, _ := searched(t, query)
		require.Equal(t, []string{"Divergence and the SIMT stack"}, names(store.Model().Palette, kindLesson), query)
	}
	store, _ := searched(t, "lesson 3")
	require.Empty(t, names(store.Model().Palette, kindLesson), "the site of the tests has one")
	store, _, platform := newFakeStore()
	platform.files["contents.json"] = `{"lessons": [{"file": "1.html", "title": "32 lanes, one instruction"},
		{"file": "2.html", "title": "Guards"}, {"file": "3.html", "title": "Loops"}]}`
	store.Do(ShowPalette{true})
	store.Do(Search{"lesson 3"})
	p := store.Model().Palette
	require.Equal(t, "Loops", p.Found[p.At].Name, "not the one with a 3 in its name")
	store, _ = searched(t, "examples one")
	require.Equal(t, []string{"One"}, names(store.Model().Palette, kindExample))
	store, platform = searched(t, "page lessons")
	store.Do(ChoosePointed{})
	require.Equal(t, "lessons/index.html", platform.visited)
}

// What the menus of panels do with places the palette does, too.
func TestPaletteArranges(t *testing.T) {
	find := func(query string) *Store {
		store, _ := searched(t, "")
		store.Do(SetRoom{Room{1440, 794}})
		store.Do(ShowPalette{true})
		store.Do(Search{query})
		return store
	}
	store := find("maximise lanes")
	store.Do(ChoosePointed{})
	require.Equal(t, "lanes", store.Model().layout().Max)
	store.Do(ShowPalette{true})
	store.Do(Search{"restore"})
	require.Equal(t, []string{"Restore Lanes"}, names(store.Model().Palette, kindCommand))
	store.Do(Search{"reset layout"})
	store.Do(ChoosePointed{})
	require.Empty(t, store.Model().layout().Max)

	store = find("fold editor")
	store.Do(ChoosePointed{})
	require.True(t, store.Model().layout().Folded(editorPanel))
	store.Do(ShowPalette{true})
	store.Do(Search{"unfold"})
	require.Equal(t, []string{"Unfold Editor"}, names(store.Model().Palette, kindCommand))
	require.NotContains(t, names(find("fold").Model().Palette, kindCommand), "Fold Registers", "it is covered")
	store, _ = searched(t, "maximise")
	require.Empty(t, names(store.Model().Palette, kindCommand), "there are no places")
}

// What was found exactly is pointed at, wherever its kind is; then what begins with the word.
func TestPaletteRanks(t *testing.T) {
	c := func(name string) choice { return choice{Kind: kindExample, Name: name} }
	p := &Palette{all: []choice{c("ladder"), c("an adder"), c("adder"), c("add")}}
	p = p.search("add")
	require.Equal(t, []string{"add", "adder", "an adder", "ladder"}, names(p, kindExample))
	p = &Palette{all: []choice{{Name: "Toggle add", Kind: kindCommand}, {Name: "add", Kind: kindInstruction}}}
	p = p.search("ADD")
	require.Equal(t, 1, p.At)
	require.Equal(t, [][2]int{{0, 3}}, p.Found[1].Marks)
	require.Equal(t, [][2]int{{7, 10}}, p.Found[0].Marks)
}

func TestPaletteMarks(t *testing.T) {
	f, ok := choice{Name: "Nested divergence: the stack"}.match([]string{"stack", "nest", "neste"})
	require.True(t, ok)
	require.Equal(t, [][2]int{{0, 5}, {23, 28}}, f.Marks)
	f, ok = choice{Name: "a banana", More: "9.7"}.match([]string{"an", "9.7"})
	require.True(t, ok)
	require.Equal(t, [][2]int{{3, 5}}, f.Marks)
	_, ok = choice{Name: "İx"}.match([]string{"x"}) // lower case has another length
	require.True(t, ok)
}

func TestPaletteChooses(t *testing.T) {
	store, platform := searched(t, "divergence and")
	store.Do(Choose{0})
	require.Nil(t, store.Model().Palette)
	require.Equal(t, "lessons/04-divergence.html", platform.visited)

	store, platform = searched(t, "control flow instructions bra")
	p := store.Model().Palette
	store.Do(Choose{p.At})
	require.Equal(t, "https://docs.nvidia.com/cuda/parallel-thread-execution/#control-flow-instructions-bra",
		platform.visited)

	store, _ = searched(t, "write layout")
	store.Do(ChoosePointed{})
	require.Equal(t, Write, store.Model().Preset)

	store, platform = searched(t, "registers")
	store.Do(ChoosePointed{})
	require.Equal(t, "registers", platform.focused)

	store, _ = searched(t, "two")
	store.Do(Choose{store.Model().Palette.At})
	require.Equal(t, "2.ptx", store.Model().Example)
}

func TestPaletteShowsCommandsAtFirst(t *testing.T) {
	store, _ := searched(t, "")
	p := store.Model().Palette
	require.Empty(t, names(p, kindInstruction))
	for _, name := range []string{"Run to the end, or to the next breakpoint", "Pause", "New program"} {
		require.Contains(t, names(p, kindCommand), name)
	}
	store.Do(Point{By: -1})
	require.Equal(t, len(p.Found)-1, store.Model().Palette.At)
	store.Do(Point{By: 1})
	require.Zero(t, store.Model().Palette.At)
}

// A journey is a run: it goes on for as long as there is more to look at.
func TestTravel(t *testing.T) {
	store, session, platform := newFakeStore()
	session.calls = nil
	store.Do(Travel{debug.Journey{Goal: debug.ToDivergence}})
	platform.frame()
	require.Equal(t, []string{"go divergence", "go divergence"}, session.calls)
	require.False(t, store.Model().Running)
	store.Do(Run{})
	platform.frame()
	require.Equal(t, debug.Finished, store.Model().View.Phase)
}

func TestNewKeys(t *testing.T) {
	require.Equal(t, Pause{}, keyAction("Escape", false, false))
	require.Equal(t, Reset{}, keyAction("F5", true, true))
	require.Equal(t, ShowPalette{true}, keyAction("k", false, true))
	require.Equal(t, ShowPalette{true}, keyAction("K", false, true))
	require.Equal(t, ShowHelp{true}, keyAction("?", true, false))
	require.Nil(t, keyAction("k", false, false))
}
