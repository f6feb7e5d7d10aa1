package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/share"
)

// beside is one more window of a browser.
func beside(platforms ...*fakePlatform) *fakePlatform {
	p := newFakePlatform()
	p.kept = platforms[0].kept
	return p
}

// hears notifies the windows of a browser of each other's changes.
func hears(platform *fakePlatform, others ...*Store) { platform.others = others }

// closed lists the texts of the closed programs, last closed last.
func closedTexts(s *Store) []string {
	var texts []string
	for _, f := range s.Model().Files.Closed {
		texts = append(texts, s.stored(f.ID).Text)
	}
	return texts
}

// twoWindows opens a page twice, the second with the storage of the first.
func twoWindows() (a, b *Store, pa, pb *fakePlatform) {
	a, _, pa = newFakeStore()
	pb = beside(pa)
	b, _, _ = visit(pb)
	hears(pa, b)
	hears(pb, a)
	return a, b, pa, pb
}

func TestTwoWindowsLoseNoText(t *testing.T) {
	a, b, pa, pb := twoWindows()
	a.Do(Edit{"from a\n"})
	b.Do(Edit{"from b\n"})
	a.Do(Edit{"from a, more\n"})
	require.Equal(t, "from a, more\n", a.text)
	require.Equal(t, "from b\n", b.text)

	a.Leave()
	hears(pb)
	a, _, _ = visit(pa) // reloaded
	require.Equal(t, "from a, more\n", a.text)
	a.Leave()
	b.Leave() // both are closed, in either order

	third, _, _ := visit(beside(pa))
	texts := append(closedTexts(third), third.text)
	require.ElementsMatch(t, []string{"from a, more\n", "from b\n"}, texts)
	third.Do(ReopenFile{})
	require.Equal(t, texts[0], third.text)
	for key := range pa.kept {
		require.NotContains(t, key, windowMark, "all is taken over")
	}
}

// A window that is killed gets no event.
func TestKilledWindowLosesNoText(t *testing.T) {
	a, b, pa, _ := twoWindows()
	b.Do(Edit{"from b\n"})
	a.Do(Edit{"from a\n"})
	b.Do(Edit{"from b, more\n"})
	third, _, _ := visit(beside(pa))
	require.ElementsMatch(t, []string{"from a\n", "from b, more\n"}, append(closedTexts(third), third.text))
	require.True(t, third.Model().Elsewhere, "and the page says so")
}

// The programs of the two windows stay separate, although both count from the same number.
func TestTwoWindowsWithProgramsOfTheirOwn(t *testing.T) {
	a, b, pa, _ := twoWindows()
	a.Do(OpenFile{"a.ptx", "a\n"})
	a.Do(Edit{"a, edited\n"})
	b.Do(OpenFile{"b.ptx", "b\n"})
	b.Do(Edit{"b, edited\n"})
	for _, s := range []*Store{a, b} {
		s.Do(TurnTo{1})
		require.Equal(t, "first\n", s.text)
		s.Do(TurnTo{2})
	}
	require.Equal(t, "a, edited\n", a.text)
	require.Equal(t, "b, edited\n", b.text)
	a.Do(TurnTo{1})
	b.Do(TurnTo{1})
	third, _, _ := visit(beside(pa))
	var texts []string
	for _, f := range third.Model().Files.Open {
		texts = append(texts, third.stored(f.ID).Text)
	}
	texts = append(texts, closedTexts(third)...)
	require.Contains(t, texts, "a, edited\n")
	require.Contains(t, texts, "b, edited\n")
}

// A text taken over from a window that is still open is a copy: the window goes on.
func TestWindowThatIsStillOpen(t *testing.T) {
	a, b, pa, pb := twoWindows()
	a.Do(OpenFile{"a.ptx", "a\n"})
	a.Do(Edit{"a, edited\n"})
	b.Do(Edit{"from b\n"}) // has keys of its own now
	b.Do(NewFile{})
	b.Do(Edit{"new in b\n"})
	pc := beside(pa)
	hears(pc, a, b)
	c, _, _ := visit(pc)
	require.Equal(t, "a, edited\n", c.text)
	require.ElementsMatch(t, []string{"from b\n", "new in b\n"}, closedTexts(c))
	b.Do(TurnTo{1})
	require.Equal(t, "from b\n", b.text)
	b.Do(Edit{"from b, more\n"})
	b.Leave()
	b, _, _ = visit(pb)
	require.Equal(t, "from b, more\n", b.text)
	b.Do(TurnTo{2})
	require.Equal(t, "new in b\n", b.text)

	c, _, _ = visit(pc) // the copies are brought up to date, and none is added twice
	require.ElementsMatch(t, []string{"from b, more\n", "new in b\n"}, closedTexts(c))
}

// A window in which nothing was typed leaves nothing.
func TestIdleWindowLeavesNothing(t *testing.T) {
	a, _, pa := newFakeStore()
	a.Do(Edit{"typed before\n"})
	pb := beside(pa)
	b, _, _ := visit(pb)
	hears(pa, b)
	a.Do(Edit{"typed before, and on\n"})
	b.Leave()
	third, _, _ := visit(beside(pa))
	require.Equal(t, "typed before, and on\n", third.text)
	require.Empty(t, closedTexts(third))
}

// A page that was frozen was not notified of changes.
func TestSleepingWindow(t *testing.T) {
	a, _, pa := newFakeStore()
	a.Do(Edit{"from a\n"})
	b, _, _ := visit(beside(pa))
	b.Do(Edit{"from b\n"})
	b.Leave()
	a.Do(Returned{})
	a.Do(Edit{"from a, more\n"})
	third, _, _ := visit(beside(pa))
	require.ElementsMatch(t, []string{"from a, more\n", "from b\n"}, append(closedTexts(third), third.text))
}

func TestThemeOfAllWindows(t *testing.T) {
	a, b, _, _ := twoWindows()
	b.Do(Edit{"from b\n"})
	a.Do(ToggleTheme{})
	require.True(t, b.Model().Dark)
}

// If nothing can be stored, everything works as long as the page is open, and the page says so.
func TestWithoutStorage(t *testing.T) {
	platform := newFakePlatform()
	platform.off = true
	store, _, _ := visit(platform)
	require.Contains(t, store.Model().Unsaved, "does not keep the text (it blocks the storage of this site)")
	require.False(t, platform.asks, "nothing has been typed")
	store.Do(Edit{"mine\n"})
	require.True(t, platform.asks)
	store.Do(link(share.State{Text: "second\n"}))
	require.True(t, store.Model().OfferHeld)
	store.Do(OpenFile{"a.ptx", "a\n"})
	store.Do(TurnTo{1})
	require.Equal(t, "second\n", store.text)
	store.Do(RestoreText{})
	require.Equal(t, "mine\n", store.text)
	store.Do(CloseFile{2})
	store.Do(ReopenFile{})
	require.Equal(t, "a\n", store.text)
	require.Empty(t, platform.kept)
}

// A text that the browser refuses to store is held, can be restored, and is not dropped for the next one.
func TestRefusedCopyComesBack(t *testing.T) {
	for name, replace := range map[string]Action{
		"example": LoadExample{"2.ptx"}, "link": link(share.State{Text: "linked\n"}),
	} {
		store, _, platform := newFakeStore()
		store.Do(Edit{"mine\n"})
		platform.full = true
		store.Do(replace)
		require.True(t, store.Model().Offer, name)
		require.True(t, store.Model().OfferHeld, name)
		require.True(t, platform.asks, name)
		store.Do(Edit{"mine too\n"})
		store.Do(replace)
		store.Do(RestoreText{})
		require.Equal(t, "mine too\n", store.text, name)
		require.Equal(t, []string{"mine\n"}, closedTexts(store), name)
		platform.full = false
		store.Do(Edit{"and now\n"})
		require.Empty(t, store.Model().Unsaved)
		require.Equal(t, "and now\n", platform.kept[keyText])
	}
}

// The text that another window left is deleted there only when it is stored here.
func TestNothingIsTakenOverWithoutRoom(t *testing.T) {
	a, b, pa, _ := twoWindows()
	a.Do(Edit{"from a\n"})
	b.Do(Edit{"from b\n"})
	pc := beside(pa)
	pc.full = true
	visit(pc)
	fourth, _, _ := visit(beside(pa))
	require.ElementsMatch(t, []string{"from a\n", "from b\n"}, append(closedTexts(fourth), fourth.text))
}

func TestStrangeKeysDoNoHarm(t *testing.T) {
	platform := newFakePlatform()
	for _, key := range []string{"warpscope.text@x", "warpscope.settings@x", "warpscope.files@x", "warpscope.file.1@x",
		"warpscope.previous@x", "warpscope.file.@", "other@x", "warpscope.@"} {
		platform.kept[key] = "{" + strings.Repeat("\x00", 3)
	}
	platform.window = "@gone"
	store, _, _ := visit(platform)
	require.Equal(t, "first\n", store.text)
	require.Contains(t, platform.kept, "other@x")
	require.Empty(t, platform.window)
	store.Do(Stored{}) // everything was cleared
	require.Equal(t, "first\n", store.text)
}
