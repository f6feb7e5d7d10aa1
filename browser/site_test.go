package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// sitePages are the pages beside the playground; one lesson is tested for all where tests take long.
var sitePages = []string{"lessons/index.html", "lessons/04-divergence.html", "lessons/09-early-hardware.html",
	"gallery.html",
	"coverage.html", "about.html", "bench.html"}

// noWorker keeps the service worker away, which would fetch the whole site in each visit.
const noWorker = `Object.defineProperty(Navigator.prototype, "serviceWorker", { value: undefined })`

// Each page opens without a message, has the same head, overflows on no screen and is readable in both themes.
func TestSitePages(t *testing.T) {
	for _, page := range sitePages {
		t.Run(page, func(t *testing.T) {
			v := open(t, setting{page: page, width: 360, height: 740, script: noWorker})
			v.find("navigation", "Site")
			v.find("main", "")
			require.NotEmpty(t, js[string](v, `document.querySelector("h1").textContent`))
			require.Equal(t, 1, js[int](v, `document.querySelectorAll("[aria-current=page]").length`))
			for _, width := range []int64{360, 768, 1440} {
				v.run(emulation.SetDeviceMetricsOverride(width, 800, 1, false))
				wide := js[float64](v, "new Promise(requestAnimationFrame).then(() => document.documentElement.scrollWidth)")
				require.LessOrEqual(t, wide, float64(width), "at %d pixels", width)
			}
			require.Empty(t, js[[]string](v, contrastScript))
			v.find("button", "Dark theme").click()
			require.Empty(t, js[[]string](v, contrastScript))
		})
	}
}

// task is the n-th program that is there to be changed, as an element of the page.
const task = `document.querySelectorAll("[data-task]")[%d]`

// solve puts the solution's text into the n-th task and runs it.
func (v *visit) solve(n int) {
	v.t.Helper()
	js[any](v, fmt.Sprintf(`(() => {
		const program = `+task+`.querySelector("warpscope-ptx");
		program.source = document.querySelectorAll("details warpscope-ptx")[%[1]d].source;
		return program.run();
	})()`, n))
}

// An exercise that passes is marked, stays marked, and counts in the list of lessons; the progress can be taken along.
func TestLessonProgress(t *testing.T) {
	v := open(t, setting{page: "lessons/01-lanes.html", script: noWorker})
	v.holds(`customElements.get("warpscope-ptx")`)
	require.Equal(t, 2, js[int](v, `document.querySelectorAll("[data-task]").length`))
	state := js[map[string]any](v, fmt.Sprintf(task, 1)+`.querySelector("warpscope-ptx").run()`)
	require.EqualValues(t, "failed", state["phase"])
	v.solve(0)
	v.holds(fmt.Sprintf(task, 0) + `.classList.contains("solved")`)
	require.Equal(t, "Solved", js[string](v, fmt.Sprintf(task, 0)+`.querySelector(".task-state").textContent`))
	require.False(t, js[bool](v, fmt.Sprintf(task, 1)+`.classList.contains("solved")`))
	v.solve(1) // in a frame that has run another text
	v.holds(fmt.Sprintf(task, 1) + `.classList.contains("solved")`)

	v.goToPage("lessons/01-lanes.html")
	v.holds(fmt.Sprintf(task, 0) + `.classList.contains("solved")`)
	v.goToPage("lessons/index.html")
	v.holds(`document.querySelector("#progress-text").textContent.startsWith("2 of ")`)
	v.holds(`document.querySelector(".lesson-done").textContent === "✓ solved"`)

	exported := js[string](v, `new Promise((resolve) => {
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => { blob.text().then(resolve); return make(blob); };
		HTMLAnchorElement.prototype.click = () => {};
		document.querySelector("#progress-export").click();
	})`)
	require.Contains(t, exported, `"01-lanes/affine"`)
	v.choose("progress.json", strings.Replace(exported, "01-lanes/affine", "02-predication/absolute", 1))
	v.holds(`document.querySelector("#progress-text").textContent.startsWith("3 of ")`)
	v.choose("other.json", `{"version": 1, "solved": {"<b>": "2026-01-01", "03-x/y": "<b>"}}`)
	v.holds(`document.querySelector("#progress-note").textContent.startsWith("0 solved")`)
	v.choose("notes.txt", "hello")
	v.holds(`document.querySelector("#progress-note").textContent.includes("notes.txt is not")`)
}

// An exercise is solved by the lesson's launch: a reader's text that expects something else, or that launches another
// block, does not solve it. Spaces, a title, comments and lines of the reader's own do not matter.
func TestLessonsCountOnlyTheirOwnExpectations(t *testing.T) {
	v := open(t, setting{page: "lessons/01-lanes.html", script: noWorker})
	v.holds(`customElements.get("warpscope-ptx")`)
	try := func(words string) string {
		js[any](v, fmt.Sprintf(`(() => {
			const program = `+task+`.querySelector("warpscope-ptx"), text = (%s);
			program.source = text(document.querySelector("details warpscope-ptx").source, program.textContent);
			return program.run();
		})()`, 0, words))
		return js[string](v, fmt.Sprintf(task, 0)+`.querySelector(".task-state").textContent`)
	}
	require.Equal(t, "Not solved: your text lacks the line //@ expect out[0..3] == 7, 10, 13, 16",
		try(`(solution, own) => own.replace("== 7, 10, 13, 16", "== 0, 1, 2, 3").replace("== 100", "== 31")`))
	require.Equal(t, "Not solved: your text lacks the line //@ expect out[31] == 100",
		try(`(solution) => solution.replace(/.*expect.*100\n/, "")`))
	require.Equal(t, "Not solved yet", try("(solution, own) => own"))
	require.Equal(t, "Solved", try(
		`(solution) => "// mine\n" + solution.replace("//@ block   32", "  //@ block 32\n//@ sanitize all")`))
}

// pasteInTask replaces the whole text of the n-th task, as a reader does in its frame.
func (v *visit) pasteInTask(n int, text string) {
	v.t.Helper()
	inTask := func(words string) {
		js[any](v, fmt.Sprintf("(() => { const frame = "+task+`.querySelector("iframe");
			const { DataTransfer, ClipboardEvent } = frame.contentWindow;
			const editor = frame.contentDocument.querySelector(".cm-content"); %s })()`, n, words))
	}
	inTask("frame.focus(); editor.focus();")
	v.press("a", input.ModifierCtrl)
	inTask(fmt.Sprintf(`const clipboardData = new DataTransfer();
		clipboardData.setData("text/plain", %q);
		editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));`, text))
	v.holds(fmt.Sprintf(task+`.querySelector("warpscope-ptx").source === %q`, n, text))
}

// What a reader makes of an exercise is there after a reload, until it is the lesson's text again, or forgotten.
func TestLessonsKeepTheReadersTexts(t *testing.T) {
	const page, other = "lessons/01-lanes.html", "// mine\n"
	v := open(t, setting{page: page, script: noWorker})
	source := fmt.Sprintf(task, 0) + `.querySelector("warpscope-ptx").source`
	reset := fmt.Sprintf(task, 0) + `.querySelector(".task-head button")`
	kept := `Object.keys(localStorage).filter((key) => key.startsWith("warpscope.exercise.")).join()`
	begin := func() {
		t.Helper()
		v.goToPage(page)
		v.holds(fmt.Sprintf(`customElements.get("warpscope-ptx") && %s !== "" && %s`, source, reset))
	}
	begin()
	original := js[string](v, source)
	edit := func(text string) {
		t.Helper()
		js[any](v, fmt.Sprintf(task, 0)+`.querySelector("warpscope-ptx").run().then(() => null)`)
		v.pasteInTask(0, text)
	}
	require.True(t, js[bool](v, reset+".hidden"))
	edit(other + original)
	require.Equal(t, "warpscope.exercise.01-lanes/affine", js[string](v, kept))
	begin()
	require.Equal(t, other+original, js[string](v, source))
	require.False(t, js[bool](v, reset+".hidden"))
	edit(original)
	require.Equal(t, "", js[string](v, kept))
	require.True(t, js[bool](v, reset+".hidden"))

	edit(other)
	js[any](v, "window.confirm = () => true; "+reset+".click()")
	require.Equal(t, original, js[string](v, source))
	require.Equal(t, "", js[string](v, kept))

	edit(other)
	v.goToPage("lessons/index.html")
	js[any](v, `window.confirm = () => true; document.querySelector("#progress-clear").click()`)
	require.Equal(t, "", js[string](v, kept))
	js[any](v, `localStorage.setItem("warpscope.exercise.01-lanes/affine",
		JSON.stringify({ original: "the text of another version", text: "// mine" }))`)
	begin()
	require.Equal(t, original, js[string](v, source))
}

// The pages say it when the browser keeps nothing: its storage is full, or not there.
func TestLessonsSayWhatIsNotKept(t *testing.T) {
	const refused = "this browser's storage is full or not allowed."
	for name, script := range map[string]string{
		"full":   `Storage.prototype.setItem = () => { throw new DOMException("", "QuotaExceededError"); };`,
		"denied": `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("", "Security"); } });`,
	} {
		t.Run(name, func(t *testing.T) {
			v := open(t, setting{page: "lessons/01-lanes.html", script: noWorker + "\n" + script})
			v.holds(`customElements.get("warpscope-ptx")`)
			v.solve(0)
			v.holds(fmt.Sprintf(task, 0) + `.classList.contains("solved")`)
			require.Equal(t, "Solved. This is not kept: "+refused,
				js[string](v, fmt.Sprintf(task, 0)+`.querySelector(".task-state").textContent`))
			v.pasteInTask(0, "// mine")
			v.holds(fmt.Sprintf(task+`.querySelector(".task-state").textContent === "Solved. Your text is not kept: %s"`, 0,
				refused))
			v.goToPage("lessons/index.html")
			v.holds(`document.querySelector("#progress-text").textContent.startsWith("0 of ")`)
			require.Equal(t, "New ones are not kept: "+refused,
				js[string](v, `document.querySelector("#progress-kept").textContent`))
			forgotten := map[string]string{"full": "Forgotten.", "denied": "Nothing was kept: " + refused}
			require.Equal(t, forgotten[name], js[string](v, `(() => {
				window.confirm = () => true;
				document.querySelector("#progress-clear").click();
				return document.querySelector("#progress-note").textContent;
			})()`))
			v.choose("progress.json", `{"version": 1, "solved": {"01-lanes/double": "2026-01-01"}}`)
			v.holds(`document.querySelector("#progress-note").textContent === "Nothing is added: ` + refused + `"`)
		})
	}
}

// choose gives a file to the import of the list of lessons.
func (v *visit) choose(name, content string) {
	v.t.Helper()
	js[any](v, fmt.Sprintf(`(() => {
		const input = document.querySelector("#progress-import"), data = new DataTransfer();
		data.items.add(new File([%q], %q));
		input.files = data.files;
		input.dispatchEvent(new Event("change"));
	})()`, content, name))
}

func (v *visit) goToPage(page string) {
	v.t.Helper()
	v.run(chromedp.Navigate(v.url + page))
}

// What a lesson says of the lane grid is there: the text and the page are held against each other.
func TestLessonsSayWhatTheGridShows(t *testing.T) {
	var v *visit
	steps := func(lesson string, n, count int, says string) {
		v = open(t, setting{page: "lessons/" + lesson + ".html", script: noWorker})
		v.holds(`customElements.get("warpscope-ptx")`)
		require.Contains(t, strings.Join(strings.Fields(js[string](v, `document.body.textContent`)), " "), says)
		js[any](v, fmt.Sprintf(`(async () => {
			for (let i = 0; i < %d; i++) await document.querySelectorAll("warpscope-ptx")[%d].step();
		})()`, count, n))
	}
	row := func(n int, name string) string {
		return v.inFrame(n, fmt.Sprintf(`[...document.querySelectorAll(".lane-row")].map((row) => row.textContent).
			findLast((text) => text.startsWith(%q))`, name))
	}
	steps("01-lanes", 0, 4, "out+ beside the register’s name")
	v.holds(row(0, "%address") + `.includes("out+")`)
	// A lesson's stack on a phone: lanes and bars, no masks.
	steps("04-divergence", 0, 1, "a narrow panel has no room for them")
	masks := v.inFrame(0, `[...document.querySelectorAll("th")].
		some((th) => th.textContent === "mask" && th.checkVisibility())`)
	v.holds(masks)
	v.run(emulation.SetDeviceMetricsOverride(390, 844, 1, true))
	v.holds("!" + masks)
	steps("05-loops", 0, 1, "their %n is -1 or 0 by now")
	v.holds(row(0, "%n") + `.includes("4294967…012")`)
	// After add, which lanes 0 to 11 have executed, sub is next: its guard is false there.
	steps("02-predication", 0, 1, "about the instruction that runs next")
	v.holds(v.inFrame(0, `document.querySelectorAll(".lane-state.guarded").length === 12 &&
		document.querySelectorAll(".lane-state.active").length === 20`))
}

// A program of a lesson runs in place, opened where the text wants it.
func TestLessonOpensAtItsStep(t *testing.T) {
	v := open(t, setting{page: "lessons/04-divergence.html", script: noWorker})
	state := js[map[string]any](v, `document.querySelector("warpscope-ptx").run()`)
	require.EqualValues(t, 2, state["step"])
	require.EqualValues(t, "paused", state["phase"])
	state = js[map[string]any](v, `document.querySelector("warpscope-ptx").step()`)
	require.Contains(t, state["status"], "12 of 32 lanes")
}

// A number of a section leads to its instruction; the search narrows the matrix down.
func TestCoveragePage(t *testing.T) {
	v := open(t, setting{page: "coverage.html#s9.7.12.3", script: noWorker})
	v.holds(`document.querySelector("#bra").open`)
	v.find("searchbox", "Search").fill("brx.idx")
	v.holds(`document.querySelectorAll(".family:not([hidden])").length < 6`)
	require.Equal(t, "visible", js[string](v, `document.getElementById("brx.idx").checkVisibility() ? "visible" : `+
		`"hidden"`))
	v.find("combobox", "Show").choose("not emulated yet")
	v.holds(`document.querySelector("#coverage-found").textContent.startsWith("0 of ")`)
	counts := js[[]string](v, `[...document.querySelectorAll(".counts strong")].map((e) => e.textContent)`)
	require.GreaterOrEqual(t, len(counts), 4)
}

// A card of the gallery opens its example in the playground.
func TestGalleryOpensExamples(t *testing.T) {
	title, _ := example(t, "05-")
	v := open(t, setting{page: "gallery.html", script: noWorker})
	require.Equal(t, len(examples(t)), js[int](v, `document.querySelectorAll(".card").length`))
	v.holds(`[...document.images].filter((i) => i.complete && i.loading !== "lazy").every((i) => i.naturalWidth > 0)`)
	v.run(chromedp.Navigate(js[string](v, `document.getElementById("05-nested-divergence").querySelector("a").href`)))
	v.ready()
	v.holds(fmt.Sprintf("document.title.startsWith(%q)", title))
}

// The keyboard reaches everything, beginning with a way around the head; the theme is the playground's.
func TestSiteKeyboard(t *testing.T) {
	v := open(t, setting{page: "lessons/index.html", script: noWorker})
	v.holds(`document.querySelector(".theme")`)
	var names []string
	for range 9 {
		v.press(kb.Tab, 0)
		names = append(names, js[string](v, `document.activeElement.getAttribute("aria-label") || `+
			`document.activeElement.textContent`))
	}
	require.Equal(t, []string{"Skip to the text", "Warpscope", "Playground", "Lessons", "Examples", "Coverage", "About",
		"Dark theme", "Export"}, names)
	v.find("button", "Dark theme").click()
	v.find("button", "Light theme")
	v.goToPage("index.html")
	v.holds(`document.querySelector(".toolbar") && document.documentElement.dataset.theme === "dark"`)
}

// TestSiteShots takes pictures for looking at.
func TestSiteShots(t *testing.T) {
	wantsShots(t)
	for _, size := range []struct{ width, height int64 }{{1440, 900}, {390, 844}} {
		for _, theme := range []string{"light", "dark"} {
			for _, page := range sitePages {
				v := open(t, setting{width: size.width, height: size.height, dark: theme == "dark", page: page})
				v.settle()
				name := strings.NewReplacer("/", "-", ".html", "").Replace(page)
				v.shot(fmt.Sprintf("%d-%s-site-%s", size.width, theme, name))
				if strings.Contains(page, "04-") {
					js[any](v, `document.querySelector("warpscope-ptx").run().then((s) => `+
						`document.querySelector("warpscope-ptx").step())`)
					js[any](v, `document.querySelector("warpscope-ptx").scrollIntoView()`)
					v.settle()
					v.shot(fmt.Sprintf("%d-%s-site-%s-run", size.width, theme, name))
					js[any](v, `document.querySelector("[data-task]").scrollIntoView()`)
					v.settle()
					v.shot(fmt.Sprintf("%d-%s-site-%s-task", size.width, theme, name))
				}
			}
		}
	}
}
