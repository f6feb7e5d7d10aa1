package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// example reads one of the examples by the beginning of its file name.
func example(t testing.TB, prefix string) (title, text string) {
	t.Helper()
	for _, e := range examples(t) {
		if strings.HasPrefix(e.File, prefix) {
			b, err := os.ReadFile(path.Join("../public/examples", e.File))
			require.NoError(t, err)
			return e.Title, string(b)
		}
	}
	require.Failf(t, "no example", "%s", prefix)
	return "", ""
}

type entry struct{ File, Title string }

func examples(t testing.TB) []entry {
	t.Helper()
	b, err := os.ReadFile("../public/examples/index.json")
	require.NoError(t, err)
	var list []entry
	require.NoError(t, json.Unmarshal(b, &list))
	return list
}

// load chooses an example and waits until it can run.
func (v *visit) load(prefix string) (text string) {
	v.t.Helper()
	title, text := example(v.t, prefix)
	v.find("combobox", "Example").choose(title)
	v.holds(fmt.Sprintf("document.title.startsWith(%q)", title))
	return text
}

// paste replaces the whole text, as a user does with Ctrl+A and Ctrl+V.
func (v *visit) paste(text string) {
	v.t.Helper()
	editor := v.find("textbox", "PTX source")
	call[any](editor, "e => e.focus()") // its middle can be under another panel
	v.press("a", input.ModifierCtrl)
	call[any](editor, `(e, text) => {
		const clipboardData = new DataTransfer();
		clipboardData.setData("text/plain", text);
		e.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
	}`, text)
}

// source is the whole text, as Ctrl+A and Ctrl+C take it.
func (v *visit) source() string {
	v.t.Helper()
	editor := v.find("textbox", "PTX source")
	editor.click()
	v.press("a", input.ModifierCtrl)
	return call[string](editor, `e => {
		const clipboardData = new DataTransfer();
		e.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true, cancelable: true }));
		return clipboardData.getData("text/plain");
	}`)
}

// goTo puts the cursor before the first word of a line.
func (v *visit) goTo(line int) {
	v.t.Helper()
	v.find("textbox", "PTX source").click()
	v.press(kb.Home, input.ModifierCtrl)
	for range line - 1 {
		v.press(kb.ArrowDown)
	}
	v.press(kb.Home)
}

// stack is the SIMT stack, top first: "line meets-at mask".
func (v *visit) stack() []string {
	v.t.Helper()
	return call[[]string](v.find("region", "SIMT stack"), `region => [...region.querySelectorAll("tbody tr")]
		.map(row => ["pc", "rpc", "mask"].map(cell => row.querySelector("." + cell).textContent.trim()).join(" "))`)
}

// standsAt waits for a SIMT stack.
func (v *visit) standsAt(want ...string) {
	v.t.Helper()
	v.eventually(fmt.Sprintf("the SIMT stack %q", want), func() (bool, string) {
		have := v.stack()
		return strings.Join(have, "\n") == strings.Join(want, "\n"), fmt.Sprintf("%q", have)
	})
}

// lanes is one attribute or the text of a register's cells, by lane.
func (v *visit) lanes(register, what string) []string {
	v.t.Helper()
	return call[[]string](v.find("region", "Lane grid"), `(region, register, what) => {
		const cells = [...region.querySelectorAll("[data-lane]")].filter(c => c.dataset.reg === register);
		const lanes = [];
		for (const c of cells) lanes[Number(c.dataset.lane)] = what === "text" ? c.innerText : c.dataset[what];
		return lanes;
	}`, register, what)
}

// mask is which lanes the grid shows as active.
func (v *visit) mask(register string) uint32 {
	v.t.Helper()
	var mask uint32
	for lane, active := range v.lanes(register, "active") {
		if active == "true" {
			mask |= 1 << lane
		}
	}
	return mask
}

func TestFirstVisit(t *testing.T) {
	v := open(t, setting{}).ready()
	v.region("Editor", "1 × 32 threads", "4 expectations", ".version 6.4")
	v.button("Run")
	v.status("Finished", "32 threads")
	v.region("Output", "4 of 4 expectations met")
	v.region("Problems", "No problems")
	for _, name := range []string{"Editor", "Lane grid", "Registers", "SIMT stack", "Memory", "Problems", "Output",
		"Launch", "Statistics"} {
		v.find("region", name)
	}
	for _, name := range []string{"Run", "Pause", "Step", "Step back", "Reset"} {
		v.find("button", name)
	}
	v.find("combobox", "Warp")
}

func TestExamplesRunInThePage(t *testing.T) {
	v := open(t, setting{}).ready()
	require.GreaterOrEqual(t, len(examples(t)), 14)
	for i, e := range examples(t) {
		if i%3 != 0 { // all of them run natively, and in Node
			continue
		}
		t.Run(e.File, func(t *testing.T) {
			v.t = t
			text := v.load(e.File)
			n := strings.Count("\n"+text, "\n//@ expect")
			require.Positive(t, n, "examples check themselves")
			v.button("Run")
			v.status("Finished")
			v.region("Output", fmt.Sprintf("%d of %d expectation", n, n), " met")
		})
	}
	v.t = t
}

// 32 warps of 22 instructions: 7 up to the branch, 14 that only threads below n execute, and ret. The branch of the
// last warp diverges, but its other side is empty.
func TestStatusCounts(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("02-")
	v.button("Run")
	v.status("Finished: 1,024 threads, 704 warp instructions")
}

func TestDivergenceStepByStep(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	v.standsAt("28 end ffffffff")
	for range 3 {
		v.button("Step")
	}
	// bra other: lanes 0 to 11 fall through and run first, 12 to 31 jump, all meet again at line 37.
	v.standsAt("32 37 00000fff", "35 37 fffff000", "37 end ffffffff")
	v.status("line 30", "20 of 32 lanes", "37")
	require.Equal(t, uint32(0xfff), v.mask("%lane"))

	v.button("Step") // mul.lo.u32 %v, %lane, 10
	v.standsAt("33 37 00000fff", "35 37 fffff000", "37 end ffffffff")
	values := v.lanes("%v", "text")
	require.Len(t, values, 32)
	for lane, want := range map[int]int64{0: 0, 1: 10, 11: 110} {
		got, err := strconv.ParseInt(strings.TrimPrefix(values[lane], "0x"), 16, 64)
		require.NoError(t, err)
		require.Equal(t, want, got, "lane %d", lane)
	}

	v.button("Step") // bra join: those lanes wait at the reconvergence point
	v.standsAt("35 37 fffff000", "37 end ffffffff")
	require.Equal(t, uint32(0xfffff000), v.mask("%lane"))
	v.button("Step") // add.u32 %v, %lane, 1000
	v.standsAt("37 end ffffffff")
	require.Equal(t, uint32(0xffffffff), v.mask("%lane"))

	v.button("Step back")
	v.standsAt("35 37 fffff000", "37 end ffffffff")
	for range 3 {
		v.button("Step back")
	}
	v.standsAt("30 end ffffffff")
	v.button("Run")
	v.status("Finished")
	v.button("Step back") // the last instruction was ret, by all lanes
	v.standsAt("42 end ffffffff")
	v.button("Reset")
	v.standsAt("28 end ffffffff")
}

func TestNestedDivergence(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("05-")
	v.goTo(55) // mov.u32 %v, 4: after bra five
	v.press(kb.F9)
	v.button("Run")
	v.status("line 55")
	v.standsAt("55 60 0f000000", "58 60 f0000000", "60 62 ff000000", "62 64 ffff0000", "64 end ffffffff")
}

// The condition is false for a lane whose b is 0: lane 0 at once, the divisors of 34 after one round.
func TestBreakpoint(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("06-")
	v.goTo(39) // rem.u32 %r, %a, %b
	v.press(kb.F9)
	v.button("Run")
	v.status("line 39")
	require.Equal(t, uint32(0xfffffffe), v.mask("%b"))
	v.button("Run")
	v.status("line 39")
	v.eventually("the second round", func() (bool, string) {
		mask := v.mask("%b")
		return mask == 0xffffffff&^(1<<0|1<<1|1<<2|1<<17), fmt.Sprintf("%08x", mask)
	})
	v.goTo(39)
	v.press(kb.F9)
	v.button("Run")
	v.status("Finished")
	v.region("Output", "5 of 5 expectations met")
}

func TestErrorIsUnderlinedAndListed(t *testing.T) {
	v := open(t, setting{}).ready()
	text := v.load("02-")
	v.goTo(52) // the line after add.rn.f32
	v.press(kb.F9)
	v.goTo(51)
	v.press("x")
	v.region("Problems", "51:", "xadd")
	v.holds(`[...document.querySelectorAll(".cm-lintRange-error")].map(e => e.textContent).join("").includes("xadd")`)
	require.Equal(t, strings.Replace(text, "    add.rn.f32", "    xadd.rn.f32", 1), v.source(), "nothing else changed")
	v.button("Run")
	v.status("Cannot run", "line 51")

	v.goTo(51)
	v.press(kb.Delete)
	v.region("Problems", "No problems")
	require.Equal(t, text, v.source())
	v.button("Run") // the breakpoint is still there
	v.status("line 52")
}

// 4 blocks of 64 threads: out[999] is no longer written, the other two expectations hold.
func TestBlockSize(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("02-")
	v.panel("Launch")
	v.find("textbox", "Block").fill("64")
	v.eventually("the header to follow", func() (bool, string) {
		text := v.source()
		return strings.Contains(text, "//@ block   64"), text
	})
	v.button("Run")
	v.status("Finished: 256 threads")
	v.region("Output", "2 of 3 expectations met")
	v.find("textbox", "Block").fill("256")
	v.button("Run")
	v.status("Finished: 1,024 threads")
	v.region("Output", "3 of 3 expectations met")
}

func TestReloadLosesNothing(t *testing.T) {
	v := open(t, setting{}).ready()
	text := v.load("06-")
	v.goTo(39)
	v.press(kb.F9)
	v.press("x")
	v.region("Problems", "39:")
	want := strings.Replace(text, "    rem.u32", "    xrem.u32", 1)
	v.reload()
	require.Equal(t, want, v.source())
	v.goTo(39)
	v.press(kb.Delete)
	v.region("Problems", "No problems")
	v.button("Run")
	v.status("line 39")
}

func TestUndoWorksAcrossExamples(t *testing.T) {
	v := open(t, setting{}).ready()
	first := v.load("04-")
	v.goTo(28)
	v.press("x")
	edited := strings.Replace(first, "    mov.u32", "    xmov.u32", 1)
	require.Equal(t, edited, v.source())
	second := v.load("05-")
	require.Equal(t, second, v.source())
	js[any](v, `document.querySelector(".file [role=tab]").click()`) // the second example has a tab of its own
	v.holds(`document.title.startsWith("If and else")`)
	require.Equal(t, edited, v.source())
	call[any](v.find("textbox", "PTX source"), "e => e.focus()")
	v.press("z", input.ModifierCtrl)
	require.Equal(t, first, v.source())
}

const misaligned = `//@ title   Misaligned
//@ arg     out  u32[64]
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %rd2, %r1;
    add.s64 %rd1, %rd1, %rd2;
    st.global.u32 [%rd1], %r1;
    ret;
}
`

// Lane i stores 4 bytes at out+i: all lanes but every fourth are misaligned.
func TestFaultIsExplainedAndUndone(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(misaligned)
	v.region("Launch", "Misaligned")
	v.button("Run")
	v.status("Stopped at line 14", "isaligned")
	v.region("Problems", "14:")
	v.standsAt("14 end ffffffff")
	v.button("Step back") // the store has not been tried yet
	v.region("Problems", "No problems")
	v.standsAt("14 end ffffffff")
	v.button("Step back")
	v.standsAt("13 end ffffffff")
	v.button("Step")
	v.button("Step")
	v.status("line 14", "isaligned")
}

const endless = `.version 6.4
.target sm_70
.address_size 64
.visible .entry forever()
{
    .reg .b32 %r<2>;
    mov.u32 %r1, 0;
loop:
    add.u32 %r1, %r1, 1;
    bra loop;
}
`

func TestPauseStopsAnEndlessRun(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(endless)
	v.panel("Launch")
	v.region("Launch", "forever")
	v.button("Run")
	v.status("Running")
	v.settle()
	frames := js[int](v, `(async () => {
		const press = [...document.querySelectorAll("button")].find(b => b.getAttribute("aria-label") === "Pause");
		press.click();
		let frames = 0;
		while (document.querySelector("[role=status]").innerText.startsWith("Running")) {
			await new Promise(requestAnimationFrame);
			frames++;
		}
		return frames;
	})()`)
	require.LessOrEqual(t, frames, 6, "frames until Pause answers, a tenth of a second of sixty")
	v.button("Step back")
	v.button("Step")
	v.status("line")
}

func TestKeyboard(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	v.goTo(28)
	for range 3 {
		v.press(kb.F10)
	}
	v.standsAt("32 37 00000fff", "35 37 fffff000", "37 end ffffffff")
	v.press(kb.F10, input.ModifierShift)
	v.standsAt("30 end ffffffff")
	// A browser that fills a form in sends events of this name without keys.
	js[any](v, `document.querySelector("input").dispatchEvent(new Event("keydown", { bubbles: true }))`)
	v.press(kb.Enter, input.ModifierCtrl)
	v.status("Finished")
	require.Contains(t, v.source(), "%lane, 12;\n@%high", "Ctrl+Enter enters no line")
	v.press(kb.F5)
	v.status("Finished")
}

// Tab alone goes through all panels that hold something to act on.
func TestTabReachesEveryPanel(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	v.button("Run")
	v.status("Finished")
	js[any](v, "document.activeElement.blur()")
	reached := map[string]bool{}
	for range 300 {
		v.press(kb.Tab)
		reached[js[string](v, `document.activeElement.closest("[role=region], section, header")?.ariaLabel ?? ""`)] = true
	}
	for _, name := range []string{"Editor", "Lane grid", "SIMT stack", "Divergence"} {
		require.True(t, reached[name], "%s; reached %v", name, reached)
	}
}

// From sm_70 on lanes that branch apart are groups: one has the lock, the others want it, and the panel says who waits.
func TestGroupsOfLanes(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("30-")
	for range 10 {
		v.button("Step")
	}
	v.status("31 of 32 lanes")
	v.standsAt("38 42 fffffffe", "42 end ffffffff")
	v.region("SIMT stack", "Groups of lanes", "independent, running first", "1 of 32 here")
	v.button("Run")
	v.status("Finished")
	v.panel("Launch")
	v.find("combobox", "Divergence").choose("SIMT stack")
	v.button("Run")
	v.status("divergence deadlock")
}

// A phone shows one panel: the picture at the end of a run that draws, lanes again when the reader steps or chooses
// them.
func TestPhoneShowsThePicture(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	shows := func(tab string) { v.holds(fmt.Sprintf(`document.getElementById("app").dataset.tab == %q`, tab)) }
	shows("lanes")
	v.button("Run")
	v.status("Finished")
	shows("memory")
	v.button("Step back")
	shows("lanes")
	v.button("Run")
	v.status("Finished")
	shows("memory")
	v.panel("Lanes")
	shows("lanes")
}

// A panel that the palette brings to the front has its tab in sight.
func TestPhoneTabComesIntoSight(t *testing.T) {
	v := open(t, setting{width: 390, height: 844}).ready()
	for _, panel := range []string{"Who holds what", "Lanes"} {
		v.command(strings.ToLower(panel))
		v.holds(`(() => {
			const at = document.querySelector(".tabs [aria-pressed=true]"), box = at.getBoundingClientRect();
			return at.textContent === "` + panel + `" && box.left > -1 && box.right < 391;
		})()`)
	}
}
