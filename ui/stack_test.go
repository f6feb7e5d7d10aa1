package ui

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
)

// What the text of the program holds is no HTML.
func TestStackHTML(t *testing.T) {
	rows := []stackRow{
		{PC: "4", RPC: "9", Mask: 3, Here: 3, State: runs, Kind: "branch", Cause: `pushed by line 2: bra <"L">`,
			Because: "bra <L> 2", Pushed: true},
		{PC: "9", RPC: "end", Mask: 0xf, Here: 0xc, Failed: 4, State: "1 of 2 made the fault", Kind: "reconv"},
	}
	text := stackHTML(rows, false)
	require.Contains(t, text, `<tr class="top pushed" title="branch, pushed by line 2: bra &lt;&#34;L&#34;&gt;" `+
		`tabindex="0" data-entry="0">`)
	require.Contains(t, text, `<td class="because"><span class="news-word">+ pushed</span>bra &lt;L&gt; 2</td></tr>`)
	require.Contains(t, text, `<tr class="" title="reconv" tabindex="0" data-entry="1"><td class="pc">9</td>`)
	require.Contains(t, text, `<td class="state faulted"><i class="lane-mark faulted"></i>1 of 2 made the fault</td>`)
	require.Contains(t, stackHTML(rows, true), "+ new")

	drawn := drawnMask(maskLook{mask: 0b111, here: 0b011, failed: 0b010, runs: true})
	require.Contains(t, drawn, `aria-label="3 lanes"`)
	require.Contains(t, drawn, `<path class="runs" d="M0 0h3v10h-3z"/><path class="failed" d="M4 0h3v10h-3z"/>`+
		`<path class="later" d="M8 0m.4 .4h2.2v9.2h-2.2z"/>`)
}

func TestSentenceHTML(t *testing.T) {
	require.Equal(t, "<code>@%p bra L</code> &lt; 3", sentenceHTML("`@%p bra L` < 3"))
	require.Equal(t, "a ` alone", sentenceHTML("a ` alone"))
}

// Under independent scheduling the rows are groups, and say for which lanes they wait.
func TestGroupsOfIndependentLanes(t *testing.T) {
	m := stackModel()
	s := m.View.State
	s.Model = emu.Independent
	s.Stack[1].Wait, s.Stack[1].For = emu.WaitMembers, 0xf
	s.Stack[2].Wait, s.Stack[2].For = emu.WaitConverge, 0xfffffffe
	var words []string
	for _, r := range stackRows(m) {
		words = append(words, r.Kind+": "+r.Waits)
	}
	require.Equal(t, []string{"branch: ", "at a warp operation: waits for lanes 0-3", "meet: waits for lanes 1-31"}, words)
	rows := stackRows(m)
	require.Equal(t, []string{"runs", "waits for 4 lanes", "1 of 32 here"}, // lane 0 has come, the others have not
		[]string{rows[0].State, rows[1].State, rows[2].State})
	require.Equal(t, emu.Mask(1), rows[2].Here)
	require.Equal(t, "new group 0000000f: 4 lanes go on at line 3", stackNews(m)[3].Text)
	title, order := m.model().Title, m.model().Order
	require.Equal(t, []string{"Groups of lanes", "independent, running first"}, []string{title, order})
	require.Equal(t, "made by line 2: @p bra L", stackRows(m)[0].Cause)
	require.Equal(t, "Groups", pageTabs(m)[2].label)
}

// A refused launch has no warp; then the words are those of the model that .target decides.
func TestWordsOfARefusedLaunch(t *testing.T) {
	for target, c := range map[string]struct{ title, tab, lane string }{
		"sm_70": {"Groups of lanes", "Groups", "in another group"},
		"sm_60": {"SIMT stack", "Stack", "waiting on the stack"},
	} {
		text := "//@ block 32\n.version 6.4\n.target " + target + "\n.address_size 64\n.visible .entry k() { ret; }\n"
		var store *Store
		for _, text := range []string{text, "//@ blok 32\n" + text} {
			store = realStore(text)
			require.Equal(t, c.title, store.Model().model().Title, text)
			require.Equal(t, c.tab, pageTabs(store.Model())[2].label, text)
			require.Equal(t, c.lane, LaneWaiting.words(store.Model().model()), text) // in the legend
		}
		require.Nil(t, store.Model().View.State)
	}
}

// The words about a lane that is elsewhere follow the model: on the stack it waits; else it is in a group, or waits for
// lanes that it will meet.
func TestWordsOfLanesElsewhere(t *testing.T) {
	m := stackModel()
	w := m.View.State
	w.Active = 0xf
	m.Lane = 4
	require.Equal(t, "waiting on the stack", selectedWords(m))
	w.Model = emu.Independent
	require.Equal(t, "in another group", selectedWords(m))
	w.Stack[1].Wait, w.Stack[1].For = emu.WaitMembers, 0xf
	require.Equal(t, "waits for lanes 0-3", selectedWords(m))
	w.Stack[1].Mask = 0xffffffe0 // lane 4 has come to where it meets the others
	w.Stack[2].Wait, w.Stack[2].For = emu.WaitConverge, 0xffffffef
	require.Equal(t, "waits to meet lanes 0-3,5-31", selectedWords(m))
	m.Lane = 3
	require.Equal(t, "active", selectedWords(m))
}

// For a recursion of thousands of calls only the top of the stack is drawn, and a note says so.
func TestDeepStacksAreCutShort(t *testing.T) {
	m := &Model{View: debug.View{State: &emu.WarpView{Stack: make([]emu.StackEntry, 4097)}}}
	require.Len(t, stackRows(m), maxStack)
	require.Equal(t, "The first 100 of 4,097 are shown.", stackNote(m))
	m.View.State = &emu.WarpView{Stack: make([]emu.StackEntry, maxStack)}
	require.Equal(t, "", stackNote(m))
	m.View.State = &emu.WarpView{Present: emu.FullMask, Exited: emu.FullMask}
	require.Equal(t, "All lanes of this warp have ended.", stackNote(m))
	m.View.State = nil
	require.Equal(t, "No lane of this warp is running.", stackNote(m))
}

// Lanes that wait at a barrier are at its line, in the stack as in the warps: line 9, not the next one.
func TestStackAtABarrier(t *testing.T) {
	s, model := opened(t, small("//@ block 64\n"))
	s.Step()
	s.Step()
	s.Follow(0, 0)
	row := stackRows(model())[0]
	require.Equal(t, atBarrier, row.State)
	require.Equal(t, "9", row.PC)
}

// Lanes in a function meet where it returns, those of the kernel at its end.
func TestStackInAFunction(t *testing.T) {
	text, err := os.ReadFile("../public/examples/08-function-call.ptx")
	require.NoError(t, err)
	s, model := opened(t, string(text))
	for s.View().State.Func.Entry {
		s.Step()
	}
	rows := stackRows(model())
	require.Equal(t, []string{"return", "end"}, []string{rows[0].RPC, rows[len(rows)-1].RPC})
}
