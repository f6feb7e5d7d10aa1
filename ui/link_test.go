package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/share"
)

func link(s share.State) OpenLink { return OpenLink{"#" + share.Encode(s)} }

func TestALinkOpensWithAllItCarries(t *testing.T) {
	store, session, platform := newFakeStore()
	session.calls = nil
	store.Do(link(share.State{Text: "linked\n", Breakpoints: []int{3, 5}, Panels: []string{"memory", "nonsense"}, CTA: 2,
		Warp: 1, Lane: 7, Memory: "shared", Step: 40}))
	m := store.Model()
	require.Equal(t, "linked\n", m.Text)
	require.Equal(t, "", m.Example)
	require.Equal(t, []string{"memory"}, m.Panels)
	require.Equal(t, "memory", m.Tab)
	require.Equal(t, 7, m.Lane)
	require.Equal(t, "shared", m.Region)
	require.True(t, m.Chosen, "it stays when steps write elsewhere")
	require.Equal(t, int64(40), m.View.Tick)
	require.Equal(t, []int{3, 5}, m.View.Breakpoints)
	require.False(t, m.Running)
	require.False(t, m.Edited)
	require.Equal(t, "linked\n", platform.kept[keyText])
	// 39 instructions at full speed and past breakpoints; the last one is stepped, by the warp that made it.
	require.Equal(t, []string{"breakpoints [3 5]", "source kernel.ptx", "lane 7", "breakpoints []", "pause", "follow 2 1",
		"step", "breakpoints [3 5]"}, session.calls)

	state := store.State()
	state.CTA, state.Warp = 2, 1 // the fake session follows nothing
	require.Equal(t, share.State{Text: "linked\n", Breakpoints: []int{3, 5}, Panels: []string{"memory"}, CTA: 2, Warp: 1,
		Lane: 7, Memory: "shared", Step: 40}, state)
}

// 1,000 ticks are the whole run: a step beyond it is its end.
func TestALinkBeyondTheEnd(t *testing.T) {
	store, _, _ := newFakeStore()
	store.Do(link(share.State{Text: "linked\n", Breakpoints: []int{3}, Step: 5000}))
	require.Equal(t, debug.Finished, store.Model().View.Phase)
	require.Equal(t, []int{3}, store.Model().View.Breakpoints)
}

// A step that was counted when turns were shorter is another moment where warps, or groups of lanes, take turns.
func TestALinkFromTheTimeOfShorterTurns(t *testing.T) {
	old := func(step int64) OpenLink {
		return OpenLink{"#1" + share.Encode(share.State{Text: "linked\n", Step: step})[1:]}
	}
	for _, c := range []struct {
		link        OpenLink
		ctas, warps int
		model       emu.Divergence
		says        bool
	}{
		{old(400), 1, 2, emu.Stack, true},
		{old(400), 2, 1, emu.Stack, true},
		{old(400), 1, 1, emu.Independent, true},
		{old(400), 1, 1, emu.Stack, false},
		{old(100), 2, 2, emu.Independent, false},
		{link(share.State{Text: "linked\n", Step: 400}), 2, 2, emu.Independent, false},
	} {
		store, session, _ := newFakeStore()
		session.view.CTAs, session.view.WarpsPerCTA = c.ctas, c.warps
		session.view.State = &emu.WarpView{Model: c.model}
		store.Do(c.link)
		for store.Model().Running {
			store.platform.(*fakePlatform).frame()
		}
		want := ""
		if c.says {
			want = "This link was made when warps took shorter turns: its step 400 may be another moment of the run now."
		}
		require.Equal(t, want, store.Model().Problem, "%+v", c)
		require.Equal(t, "linked\n", store.Model().Text)
		store.Do(DismissNotice{})
		require.Empty(t, store.Model().Problem)
	}
	// A text with an error has no steps.
	store, _, _ := newFakeStore()
	store.Do(OpenLink{"#1" + share.Encode(share.State{Text: "bad\n", Step: 400})[1:]})
	require.Empty(t, store.Model().Problem)
}

func TestAFarStepIsReachedInSlicesAndCanBePaused(t *testing.T) {
	store, session, platform := newFakeStore()
	session.length, session.cost = 1<<60, 0.001
	store.Do(link(share.State{Text: "linked\n", Breakpoints: []int{3}, Step: 1_000_000}))
	require.True(t, store.Model().Running)
	for frames := 0; store.Model().Running; frames++ {
		require.Less(t, frames, 200)
		before := platform.now
		platform.frame()
		require.LessOrEqual(t, platform.now-before, 2*frameMS)
	}
	require.Equal(t, int64(1_000_000), store.Model().View.Tick)

	store.Do(link(share.State{Text: "linked again\n", Breakpoints: []int{4}, Step: 1 << 50}))
	platform.frame()
	store.Do(Pause{})
	require.False(t, store.Model().Running)
	require.Equal(t, []int{4}, store.Model().View.Breakpoints)
	store.Do(Run{})
	require.True(t, store.Model().Running)
	platform.frame()
	require.Nil(t, store.runner.goal, "the next run goes on to the end")
}

func TestALinkLosesNoText(t *testing.T) {
	store, _, platform := newFakeStore()
	store.Do(link(share.State{Text: "linked\n"}))
	require.False(t, store.Model().Offer, "an example needs no rescue")
	store.Do(Edit{"mine\n"})
	store.Do(link(share.State{Text: "second\n"}))
	require.True(t, store.Model().Offer)
	store.Do(link(share.State{Text: "third\n"}))
	require.True(t, store.Model().Offer, "still there after one more link")
	store, _, _ = visit(platform)
	require.Equal(t, "third\n", store.Model().Text)
	store.Do(RestoreText{})
	require.Equal(t, "mine\n", store.Model().Text)
}

func TestABrokenLinkChangesNothing(t *testing.T) {
	store, session, _ := newFakeStore()
	before := *store.Model()
	session.calls = nil
	store.Do(OpenLink{"#1.<b>"})
	require.Contains(t, store.Model().Problem, "damaged")
	require.Equal(t, before.Text, store.Model().Text)
	require.Empty(t, session.calls)
	store.Do(DismissNotice{})
	require.Empty(t, store.Model().Problem)
}

// The model of a link is written into the header, where it can be seen.
func TestALinksModelGoesIntoTheHeader(t *testing.T) {
	store, _, _ := newFakeStore()
	store.Do(link(share.State{Text: "//@ entry k\n.version 6.4\n", Model: "stack"}))
	require.Contains(t, store.Model().Text, "//@ model")
	require.Contains(t, store.Model().Text, "stack\n")
	require.False(t, store.Model().Edited)

	for _, model := range emu.ModelNames() {
		store, _, _ := newFakeStore()
		store.Do(link(share.State{Text: "//@ entry k\n.version 6.4\n", Model: model}))
		require.Regexp(t, `(?m)^//@ model +`+model+`$`, store.Model().Text)
	}
	const text = "//@ entry k\n.version 6.4\n"
	for _, name := range []string{"", "auto", "sideways", "stack\n//@ grid 9"} {
		store.Do(link(share.State{Text: text, Model: name}))
		require.Equal(t, text, store.Model().Text, name)
	}
}

func TestEmbedOptions(t *testing.T) {
	query := func(values map[string]string) func(string) (string, bool) {
		return func(name string) (string, bool) { v, ok := values[name]; return v, ok }
	}
	o := embedOptions(query(map[string]string{"panels": "stack, lanes stack <b>", "readonly": "",
		"host": "https://docs.example"}), "#1.x")
	require.Equal(t, EmbedOptions{Panels: []string{"stack", "lanes"}, ReadOnly: true, Fold: true,
		Host: "https://docs.example", Link: "1.x"}, o)
	o = embedOptions(query(map[string]string{"panels": "none of ours", "header": "open"}), "")
	require.False(t, o.Fold)
	require.Equal(t, []string{"lanes"}, o.Panels)
	require.False(t, o.ReadOnly)
}

func TestEmbedCommands(t *testing.T) {
	for name, want := range map[string]Action{"run": Run{}, "step": StepOnce{}, "stepBack": StepBack{},
		"open": OpenLink{"1.x"}, "dark": SetTheme{true}, "light": SetTheme{false}, "state": nil} {
		action, known := embedCommand(name, "1.x")
		require.True(t, known, name)
		require.Equal(t, want, action, name)
	}
	_, known := embedCommand("eval", "")
	require.False(t, known)
}

func TestReadOnly(t *testing.T) {
	store, _, _ := newFakeStore()
	store.model.ReadOnly = true
	store.setText("x bad")
	store.Do(ApplyFix{0})
	require.Equal(t, "x bad", store.text)
	store.setText("x")
	store.Do(EditHeader{Key: "block", Value: "64"})
	require.Equal(t, "x", store.text)
}

const (
	testSite = "https://docs.example/w/"
	testPage = testSite + "index.html"
)

func TestSnippets(t *testing.T) {
	state := share.State{Text: ".reg .b32 %r<4>; // \"&\"\n\nret;\n", Step: 12, Warp: 1,
		Panels: []string{"lanes", "stack"}}
	f := ShareForm{As: AsLink, Now: true, Theme: "auto"}
	snippet := func() string { return f.snippet(testPage, testSite, "A [b] <c> \"d\"", state) }
	opened := func(text string) share.State {
		_, fragment, _ := strings.Cut(text, "#")
		s, err := share.Decode(strings.TrimRight(fragment, ")"))
		require.NoError(t, err)
		return s
	}
	require.True(t, strings.HasPrefix(snippet(), testPage+"#2."))
	require.Equal(t, state, opened(snippet()))

	f.As, f.Now = AsMarkdown, false
	require.True(t, strings.HasPrefix(snippet(), `[A \[b\] &lt;c> "d"](`+testPage+"#1."), snippet())
	require.Zero(t, opened(snippet()).Step)

	f = ShareForm{As: AsElement, Now: true, ReadOnly: true, AtOnce: true, Theme: "dark", Height: "300"}
	require.Equal(t, `<script src="https://docs.example/w/embed.js" defer></script>
<warpscope-ptx panels="lanes stack" step="12" warp="1" theme="dark" height="300" readonly run>

<pre>
.reg .b32 %r&lt;4&gt;; // &#34;&amp;&#34;

ret;
</pre>

</warpscope-ptx>
`, snippet())

	f = ShareForm{As: AsFrame, Theme: "light", Height: "many"}
	require.Regexp(t, `^<iframe src="https://docs\.example/w/embed\.html\?`+
		`panels=lanes\+stack&amp;theme=light&amp;fixed#1\.`+
		`[\w-]+" title="A \[b\] &lt;c&gt; &#34;d&#34;" width="100%" height="640" loading="lazy" frameborder="0"></iframe>$`,
		snippet())
}

func TestPanelsAreChosenInTheOrderOfTheTabs(t *testing.T) {
	require.Equal(t, []string{"lanes", "memory"}, toggledPanel([]string{"memory"}, "lanes"))
	require.Equal(t, []string{"memory"}, toggledPanel([]string{"lanes", "memory"}, "lanes"))
	require.Equal(t, []string{"lanes"}, toggledPanel([]string{"lanes"}, "lanes"), "one stays")
}
