package ui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ui/workspace"
)

// Every preset has a place for every panel at every width, and what the preset is for is in sight.
func TestPresets(t *testing.T) {
	for _, width := range []int{800, 1024, 1280, 1440, 1920, 2560} {
		for name, inSight := range map[string][]string{
			Learn:  {editorPanel, stackPanel, chartPanel, "lanes"},
			Kernel: {editorPanel, "warps", "memory", accessPanel, "lanes"},
			Write:  {editorPanel, "problems", "launch"},
		} {
			l := preset(name, width)
			require.ElementsMatch(t, panelKeys(), l.Panels(), "%s at %d", name, width)
			if width >= wideScreen && name != Write {
				inSight = append(inSight, "registers")
			}
			if width >= wideScreen && name == Learn {
				require.Subset(t, l.Shown(), inSight)
				require.Len(t, l.Shown(), len(inSight)+1, "memory is beside the stack, and a picture below")
				continue
			}
			require.ElementsMatch(t, inSight, l.Shown(), "%s at %d", name, width)
		}
	}
	s := preset(Learn, 2560).Solve(2560, 1334, needs)
	for _, p := range s.Places {
		if p.Panel == "lanes" {
			require.Equal(t, 1914, p.W, "32 columns of 56 pixels, and 122 for names and the edge")
		}
	}
}

// At the sizes of common screens nothing scrolls: header (42), timeline (38) and status (32) leave this room.
func TestPresetsFit(t *testing.T) {
	for _, size := range []Room{{1024, 656}, {1280, 608}, {1366, 656}, {1440, 788}, {1920, 968}, {2560, 1328}} {
		for _, name := range []string{Learn, Kernel, Write} {
			s := preset(name, size.W).Solve(size.W, size.H, needs)
			require.Equal(t, size, Room{s.W, s.H}, "%s", name)
			for _, p := range s.Places {
				if p.Panel == "lanes" && name == Learn {
					require.GreaterOrEqual(t, p.H, 240)
				}
			}
		}
	}
}

func module(t *testing.T, text string) *ptx.Module {
	t.Helper()
	m, err := ptx.Parse("k.ptx", []byte(text))
	require.NoError(t, err)
	return m
}

func TestPresetForWhatWasOpened(t *testing.T) {
	const head = ".version 7.0\n.target sm_70\n.address_size 64\n"
	plain, shares := head+".entry k() { ret; }\n", head+".entry k() { .shared .b32 tile[64]; ret; }\n"
	warps := func(n int) *launch.Spec { return &launch.Spec{Entry: "k", Block: emu.Dim3{X: 32 * n}} }
	for _, c := range []struct {
		text string
		spec *launch.Spec
		want string
	}{
		{plain, warps(1), Learn}, {plain, warps(8), Learn},
		{shares, warps(1), Learn}, // one warp meets no other one there
		{shares, warps(2), Kernel},
		{plain, &launch.Spec{Entry: "k", Defaulted: true}, Kernel},
		{plain + strings.Repeat("//\n", longProgram), warps(1), Kernel},
		{" \n", nil, Write},
	} {
		m := &Model{Text: c.text, Lines: indexLines(c.text), Spec: c.spec}
		if strings.TrimSpace(c.text) != "" {
			m.Module = module(t, c.text)
		}
		require.Equal(t, c.want, presetFor(m), "%s %+v", c.text, c.spec)
	}
}

// What was arranged is there at the next visit, for each preset of its own; a reset forgets it.
func TestLayoutIsRemembered(t *testing.T) {
	platform := newFakePlatform()
	visit := func() *Store {
		store := NewStore(&fakeSession{clock: platform}, platform)
		store.Do(SetRoom{Room{1440, 788}})
		return store
	}
	store := visit()
	store.Do(ShowPanel{"registers"})
	store.Do(MovePanel{"memory", "registers", workspace.Center})
	store.Do(SetPreset{Kernel})
	store.Do(Maximise{"lanes"})

	store = visit()
	require.Equal(t, Kernel, store.Model().Preset)
	require.Equal(t, []string{"lanes"}, store.Model().layout().Shown())
	store.Do(ResetLayout{})
	require.Contains(t, store.Model().layout().Shown(), editorPanel)
	store.Do(SetPreset{Learn})
	require.Contains(t, store.Model().layout().Peers("registers"), "memory")

	store = visit()
	require.Equal(t, Learn, store.Model().Preset)
	require.Contains(t, store.Model().layout().Peers("registers"), "memory")
	store.Do(SetPreset{Kernel})
	require.Contains(t, store.Model().layout().Shown(), editorPanel)
}

// A kernel that is pasted over the text gets the layout for kernels; an edit of a few lines changes nothing, and
// neither does anything after the reader has chosen.
func TestPresetOfAPastedKernel(t *testing.T) {
	const kernel = ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n\tret;\n}\n"
	p := newFakePlatform()
	s := NewStore(debugSession(), p)
	s.Open()
	s.open(document{Text: "//@ block 32\n" + kernel})
	edit := func(text string) string {
		s.Do(Edit{text})
		p.wait(parseDelay)
		p.wait(prepareDelay)
		return s.Model().Preset
	}
	require.Equal(t, Learn, edit(kernel), "the header has gone, but the program is the same")
	require.Equal(t, Kernel, edit(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry other(.param .u32 n)\n"+
		"{\n\t.reg .u32 %r;\n\tld.param.u32 %r, [n];\n\tadd.u32 %r, %r, 1;\n\tret;\n}\n"))
	s.open(document{})
	require.Equal(t, Write, s.Model().Preset, "there is nothing yet that could run")
	require.Equal(t, Write, edit("//@ block 32\n"), "it is being written")
	require.Equal(t, Learn, edit("//@ block 32\n"+kernel))
	s.Do(SetPreset{Learn})
	require.Equal(t, Learn, edit(kernel))
}

func TestReportsOpenTheDrawer(t *testing.T) {
	store := NewStore(&fakeSession{clock: newFakePlatform()}, newFakePlatform())
	store.Do(SetRoom{Room{1440, 788}})
	shows := func() []string { return store.Model().layout().Shown() }
	before := shows()
	store.Do(TogglePanel{"problems"})
	require.Contains(t, shows(), "problems")
	store.Do(TogglePanel{"output"})
	require.Contains(t, shows(), "output")
	store.Do(TogglePanel{"output"})
	require.Equal(t, before, shows())
}

// A panel's menu does by keyboard what dragging its tab does; no entry is dead.
func TestPanelMenu(t *testing.T) {
	store := NewStore(&fakeSession{clock: newFakePlatform()}, newFakePlatform())
	store.Do(SetRoom{Room{1440, 788}})
	for _, panel := range []string{editorPanel, "lanes", stackPanel, "memory", "problems"} {
		for _, item := range panelMenu(store.Model(), panel) {
			if _, reset := item.Action.(ResetLayout); reset {
				continue
			}
			store.Do(ResetLayout{})
			store.Do(ShowPanel{panel})
			before := fmt.Sprintf("%+v", store.Model().screen())
			store.Do(item.Action)
			require.NotEqual(t, before, fmt.Sprintf("%+v", store.Model().screen()), "%s: %s", panel, item.Label)
		}
		store.Do(ResetLayout{})
	}
}

func TestLaunchLine(t *testing.T) {
	m := &Model{Head: HeadFolds{22, true}, Spec: &launch.Spec{Grid: emu.Dim3{X: 2, Y: 2}, Block: emu.Dim3{X: 16, Y: 16},
		Args: []launch.Arg{{Name: "a", Type: "f32", Dims: []int{32, 32}}, {Name: "n", Type: "u32"}}}}
	m.Spec.Expects = make([]launch.Expect, 3)
	line := launchLine(m)
	require.Equal(t, "2,2 × 16,16 threads", line.Threads)
	require.Equal(t, "a f32[32,32]", line.Buffers)
	require.Equal(t, "3 expectations", line.Expects)
	for model, want := range map[emu.Divergence]string{emu.Stack: "SIMT stack", emu.Independent: "independent",
		emu.Frontier: "thread frontiers"} {
		m.View.State = &emu.WarpView{Model: model}
		require.Equal(t, want, launchLine(m).Model)
	}
	require.Equal(t, 22, line.Lines)
	for range 3 {
		m.Spec.Args = append(m.Spec.Args, m.Spec.Args[0])
	}
	require.Equal(t, "4 buffers", launchLine(m).Buffers)
	m.Spec = nil
	require.Equal(t, "not known: the text has errors", launchLine(m).Threads)
}

func TestParseStep(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "5,212": 5212, " 12 ": 12} {
		step, ok := parseStep(text)
		require.True(t, ok)
		require.Equal(t, want, step)
	}
	for _, text := range []string{"", "-1", "1.5", "end"} {
		_, ok := parseStep(text)
		require.False(t, ok, text)
	}
}

// What is done to the places of panels by keyboard is said in words.
func TestArrangingIsSpoken(t *testing.T) {
	store := NewStore(debug.New(emu.Options{}), newFakePlatform())
	for _, c := range []struct {
		action Action
		words  string
	}{
		{Maximise{"lanes"}, "Lanes fills the workspace."},
		{Maximise{"lanes"}, "Lanes is back in its place."},
		{FoldPanel{"lanes"}, "Lanes is folded."},
		{FoldPanel{"lanes"}, "Lanes is unfolded."},
		{MovePanel{"memory", "lanes", workspace.Center}, "Memory is now: tab beside Lanes."},
		{MovePanel{"memory", "memory", workspace.Right}, "Memory has a place of its own, at the right."},
		{ShowPanel{"memory"}, ""}, // it has the focus
		{MovePanel{"memory", "lanes", workspace.Below}, "Memory is now: below Lanes."},
		{SetPreset{Kernel}, "The layout is Kernel."},
		{ResetLayout{}, "All panels are in their first places."},
	} {
		store.Do(c.action)
		require.Equal(t, c.words, store.Model().Arranged)
	}
}

// At 1440 pixels the warps' chips are beside the tabs of Kernel; what has no room is below them, and no tab is cut.
func TestToolsHaveRoom(t *testing.T) {
	store, _, _ := newFakeStore()
	m := store.Model()
	at := func(panel string, width int) bool {
		p := workspace.Place{Panel: panel, Rect: workspace.Rect{W: width, H: 300}}
		for _, places := range [][]string{{"warps", stackPanel, "registers", watchPanel, stopsPanel, "launch", sourcePanel},
			{"memory", countersPanel, "statistics"}, {accessPanel, chartPanel, flowPanel, holdsPanel}} {
			if slices.Contains(places, panel) {
				p.Tabs = places
			}
		}
		return crowded(m, &p)
	}
	require.False(t, at("warps", 864))
	require.True(t, at("warps", 604))
	require.False(t, at("registers", 864))
	require.True(t, at("registers", 604))
	require.True(t, at(flowPanel, 414))
	require.False(t, at(accessPanel, 290), "it has no tools")
	require.False(t, at("memory", 448))
	require.True(t, at("memory", 314))
}

// A program that draws has its picture in sight. A reader's own arrangement stays.
func TestPictureIsInSight(t *testing.T) {
	store, _ := sourceStore(t, fillable)
	store.Do(SetRoom{Room{1440, 788}})
	store.Do(SetPreset{Learn})
	require.True(t, store.Model().layout().Shows("divergence"))
	store.setText(strings.Replace(fillable, "u32[4] = 3, 4", "u8x4[2,2] as image", 1))
	require.True(t, store.Model().layout().Shows("memory"))
	store.Do(ShowPanel{"divergence"})
	require.True(t, store.Model().layout().Shows("divergence"))
	require.False(t, store.Model().layout().Shows("memory"))
}
