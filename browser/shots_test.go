package browser

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/require"
)

// screen is a state of the page to look at, and how a visit gets there from the one before.
type screen struct {
	name string
	show func(v *visit)
}

// TestShots takes pictures for looking at: every preset, state, panel and dialog, at three widths in both themes.
// WARPSCOPE_SHOT names a part of the screens' names, to take some again.
func TestShots(t *testing.T) {
	wantsShots(t)
	for _, size := range [][2]int64{{1440, 900}, {1024, 768}, {390, 844}, {2560, 1440}} {
		t.Run(fmt.Sprint(size[0]), func(t *testing.T) {
			v := open(t, setting{width: size[0], height: size[1]}).ready()
			for _, group := range [][]screen{learnScreens, panelScreens, kernelScreens, troubleScreens, dialogScreens} {
				if wants(group) {
					v.shoots(group, size[0])
				}
			}
		})
	}
}

// wants says whether one of the screens is to be taken.
func wants(group []screen) bool {
	part := os.Getenv("WARPSCOPE_SHOT")
	for _, s := range group {
		if strings.Contains(s.name, part) {
			return true
		}
	}
	return false
}

// shoots takes a group's pictures, each in both themes. One that cannot be shown does not keep away the next.
func (v *visit) shoots(group []screen, width int64) {
	t := v.t.(*testing.T)
	for _, s := range group {
		t.Run(s.name, func(t *testing.T) {
			v.t = t
			s.show(v)
			if !strings.Contains(s.name, os.Getenv("WARPSCOPE_SHOT")) {
				return
			}
			for _, theme := range []string{"light", "dark"} {
				v.media("", "prefers-color-scheme", theme)
				v.settle()
				v.shot(fmt.Sprintf("%s-%d-%s", s.name, width, theme))
			}
		})
	}
	v.t = t
	v.media("", "prefers-color-scheme", "light")
}

// inPreset chooses an arrangement where there is a choice.
func (v *visit) inPreset(name string) {
	v.t.Helper()
	if len(v.query("combobox", "Layout")) == 1 {
		v.find("combobox", "Layout").choose(name)
	}
}

// front shows a panel, which a phone may call by another name.
func (v *visit) front(name string) {
	v.t.Helper()
	if short := map[string]string{"Lane grid": "Lanes", "SIMT stack": "Stack"}[name]; short != "" &&
		len(v.query("tab", name)) == 0 {
		name = short
	}
	v.panel(name)
}

// ended waits for the end of a run, whatever it is.
func (v *visit) ended() {
	v.t.Helper()
	v.button("Run")
	v.holds(`/^(Finished|Stopped)/.test(document.querySelector("[role=status]").innerText)`)
	v.settle() // for the marks
}

// learnScreens are a run of nested branches, from the first look to the end.
var learnScreens = []screen{
	{"learn-1-first", func(v *visit) {}},
	{"learn-2-start", func(v *visit) { v.load("05-") }},
	{"learn-3-steps", func(v *visit) { v.steps(6) }},
	{"learn-4-diverged", func(v *visit) {
		for range 10 {
			v.button("Step")
		}
	}},
	{"learn-5-finished", func(v *visit) { v.ended() }},
	{"learn-6-past", func(v *visit) { v.seek(16) }},
}

// panelScreens are the panels in front, one after the other, in the middle of nested branches.
var panelScreens = append([]screen{
	{"panel-0", func(v *visit) {
		v.load("05-")
		v.ended()
		v.seek(16)
		v.front("Watch")
		for _, e := range []string{"%v + 1", "popc(active)", "%w * 2"} {
			v.write("New expression", e)
			v.settle()
		}
		v.front("Breakpoints")
		v.find("combobox", "Stop when").choose("When changed")
		v.write("Line, register or memory", "out[5]")
	}},
}, fronts("Registers", "SIMT stack", "Memory", "Launch", "Problems", "Output", "Statistics", "Warps", "Divergence",
	"Watch", "Control flow", "Access", "Counters", "Who holds what", "Breakpoints")...)

// fronts are screens of panels.
func fronts(names ...string) (list []screen) {
	for _, name := range names {
		file := "panel-" + strings.ReplaceAll(strings.ToLower(name), " ", "-")
		list = append(list, screen{file, func(v *visit) { v.front(name) }})
	}
	return list
}

// kernelScreens are a matrix product with 32 warps, and a kernel of Triton with its source.
var kernelScreens = []screen{
	{"kernel-1-start", func(v *visit) {
		v.load("18-")
		v.inPreset("Kernel")
		v.front("Warps")
	}},
	{"kernel-2-steps", func(v *visit) { v.steps(6) }},
	{"kernel-3-middle", func(v *visit) {
		v.ended()
		v.seek(5212)
	}},
	{"kernel-4-memory", func(v *visit) { v.front("Memory") }},
	{"kernel-5-access", func(v *visit) { v.front("Access") }},
	{"kernel-6-counters", func(v *visit) { v.front("Counters") }},
	{"kernel-7-finished", func(v *visit) {
		v.seek(10080)
		v.front("Lanes")
	}},
	{"kernel-8-mma", func(v *visit) {
		v.load("23-")
		v.steps(12)
		v.front("Who holds what")
	}},
	{"kernel-9-source", func(v *visit) {
		softmax, err := os.ReadFile("../testdata/control/triton-softmax.ptx")
		require.NoError(v.t, err)
		v.paste(string(softmax))
		v.settle()
		v.steps(8)
		v.front("Source")
	}},
	{"write-1", func(v *visit) {
		v.load("05-")
		v.inPreset("Write")
	}},
	{"write-2-error", func(v *visit) {
		v.paste(strings.Replace(misaligned, "add.s64", "ad.s64", 1))
		v.panel("Problems")
		v.region("Problems", "13:")
	}},
}

// troubleScreens are what can go wrong.
var troubleScreens = []screen{
	{"trouble-1-fault", func(v *visit) {
		v.load("05-")
		v.inPreset("Learn")
		v.paste(beyondTheEnd)
		v.holds(`document.title.startsWith("Beyond")`)
		v.ended()
	}},
	{"trouble-2-memory", func(v *visit) { v.front("Memory") }},
	{"trouble-3-problems", func(v *visit) { v.front("Problems") }},
	{"trouble-4-stale", func(v *visit) {
		v.paste(strings.Replace(beyondTheEnd, "mul.wide", "mul.wid", 1))
		v.status("Cannot run")
	}},
	{"trouble-5-again", func(v *visit) {
		v.paste(beyondTheEnd + "// more\n")
		v.status("Ready")
	}},
	{"trouble-6-field", func(v *visit) {
		v.paste(beyondTheEnd)
		v.front("Launch")
		v.find("textbox", "Block").fill("many")
		v.holds(`document.querySelector("[aria-invalid=true]")`)
	}},
	{"trouble-7-finding", func(v *visit) {
		v.load("42-")
		v.front("Problems")
		v.ended()
	}},
}

// dialogScreens are what opens over the page.
var dialogScreens = []screen{
	{"dialog-1-palette", func(v *visit) {
		v.load("05-")
		v.steps(9)
		v.press("k", input.ModifierCtrl)
		v.run(input.InsertText("div"))
	}},
	{"dialog-2-share", func(v *visit) {
		v.closeDialog()
		v.hand("Link")
	}},
	{"dialog-3-embed", func(v *visit) { v.hand("<warpscope-ptx>") }},
	{"dialog-4-help", func(v *visit) {
		v.closeDialog()
		v.command("keyboard help")
	}},
	{"dialog-5-compare", func(v *visit) {
		v.closeDialog()
		text := v.load("18-")
		v.paste(strings.Replace(text, "add.u32         %k, %k, 1", "add.u32         %k, %k, 2", 1))
		v.command("compare")
		v.holds(`document.querySelector(".compare > table")?.textContent.includes("Warp instructions")`)
	}},
	{"dialog-6-goto", func(v *visit) {
		v.closeDialog()
		v.load("05-")
		v.ended()
		v.button("Go to")
	}},
	{"dialog-7-cell", func(v *visit) {
		v.press("\u001b")
		v.seek(21)
		v.front("Lanes")
		v.fire("contextmenu", lane26)
		v.holds(`document.querySelector("#popup")?.textContent.includes("Who wrote this?")`)
	}},
	{"dialog-8-origin", func(v *visit) { v.item("Where does") }},
	{"dialog-9-layout", func(v *visit) {
		v.closeDialog()
		v.front("Statistics")
		if len(v.query("button", "Arrange Statistics")) == 1 {
			v.button("Arrange Statistics")
		}
	}},
}

// wantsShots skips a test that only makes pictures where none are wanted. The reason is printed without -v, too.
func wantsShots(t *testing.T) {
	t.Helper()
	if os.Getenv("WARPSCOPE_SHOTS") == "" {
		const why = "WARPSCOPE_SHOTS names no folder"
		fmt.Printf("skipped: %s: %s\n", t.Name(), why)
		t.Skip(why)
	}
}
