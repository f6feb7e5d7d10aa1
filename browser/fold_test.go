package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// foldButton is the line that the head of a program is folded into.
const foldButton = `document.querySelector(".ptx-fold")`

// endsInSight lists the programs of a page whose last line is out of sight: before Run when they have at most 32 lines,
// and after Run when at most 30, with the embed at the top of the window.
const endsInSight = `(async () => {
	const hidden = [];
	const programs = [...document.querySelectorAll("warpscope-ptx")];
	for (const details of document.querySelectorAll("details")) details.open = true;
	for (const [n, e] of programs.entries()) {
		const lines = e.source.trimEnd().split("\n").length;
		const pre = e.shadowRoot.querySelector("pre");
		if (lines <= 32 && pre.scrollHeight > pre.clientHeight) hidden.push("program " + n + " before Run");
		if (lines > 30) continue;
		await e.run();
		e.scrollIntoView();
		const inside = e.querySelector("iframe").contentDocument;
		const scroller = inside.querySelector(".cm-scroller").getBoundingClientRect();
		const end = () => [...inside.querySelectorAll(".cm-line")].filter((line) => line.textContent === "}").pop();
		for (let frame = 0; !end() && frame < 5; frame++) await new Promise(requestAnimationFrame); // the frame grows
		const last = end();
		if (!last) {
			hidden.push("program " + n + " is not drawn to its end");
			continue;
		}
		const bottom = last.getBoundingClientRect().bottom;
		if (bottom > scroller.bottom || bottom + e.getBoundingClientRect().top > innerHeight) {
			hidden.push("program " + n + " after Run");
		}
	}
	return hidden;
})()`

func TestLessonsShowTheEndOfTheirPrograms(t *testing.T) {
	for _, lesson := range []string{"01-lanes", "02-predication", "04-divergence"} {
		v := open(t, setting{page: "lessons/" + lesson + ".html", script: noWorker, width: 1280, height: 1000})
		v.holds(`document.querySelector("warpscope-ptx").source`)
		require.Empty(t, js[[]string](v, endsInSight), lesson)
	}
}

// typeInFrame puts the caret at the end of the line with the text "here" in the n-th embed's frame, and types.
func (v *visit) typeInFrame(n int, here, text string) {
	v.t.Helper()
	spot := js[[]float64](v, v.inFrame(n, fmt.Sprintf(`(() => {
		const line = [...document.querySelectorAll(".cm-line")].find((one) => one.textContent.includes(%q));
		document.defaultView.frameElement.scrollIntoView();
		const outer = document.defaultView.frameElement.getBoundingClientRect(), inner = line.getBoundingClientRect();
		return [outer.x + inner.x + 20, outer.y + inner.y + inner.height / 2];
	})()`, here)))
	v.run(chromedp.MouseClickXY(spot[0], spot[1]))
	v.press(kb.End)
	for _, key := range text {
		v.press(string(key))
	}
}

// affine is the first exercise of the first lesson.
const affine = `document.querySelectorAll("warpscope-ptx")[2]`

// A folded head says what is in it; the text, its lines' numbers and what is typed below are as if it were open.
func TestFoldedHeadOfAnExercise(t *testing.T) {
	v := open(t, setting{page: "lessons/01-lanes.html", script: noWorker, width: 1280, height: 1000})
	v.holds(affine + `.source`)
	source := js[string](v, affine+`.source`)
	js[any](v, affine+`.run()`)
	require.Equal(t, "Launch header, folded: 32 threads · 1 buffer · 2 expectations · sm_70",
		js[string](v, v.inFrame(2, foldButton+`.ariaLabel`)))
	require.Equal(t, []string{"1", "10", "11"}, js[[]string](v, v.inFrame(2,
		`[...document.querySelectorAll(".cm-lineNumbers .cm-gutterElement")].slice(1, 4).map((e) => e.textContent)`)))

	v.typeInFrame(2, "change this line", "!")
	want := fmt.Sprintf(affine+`.source === %q.replace("this line", "this line!")`, source)
	v.holds(want)
	require.True(t, js[bool](v, v.inFrame(2, foldButton+` !== null`)), "typing below does not open it")

	// Tab goes from the text to the button; Enter opens it, and the caret is in the text again.
	v.press(kb.Tab)
	v.holds(v.inFrame(2, `document.activeElement === `+foldButton))
	v.press(kb.Enter)
	v.holds(v.inFrame(2, foldButton+` === null && document.activeElement.matches(".cm-content")`))
	require.Contains(t, js[string](v, v.inFrame(2, `document.querySelector(".cm-line").textContent`)), "//@ title")
	v.holds(want)

	// On the first line the editor's own keys fold it again.
	v.press(kb.Home, input.ModifierCtrl)
	v.press("{", input.ModifierCtrl, input.ModifierShift) // what Shift makes of "["
	v.holds(v.inFrame(2, foldButton))
	v.holds(want)
}

// The head opens by a click, when the caret goes up into it, and when something in it is wrong; or it was never folded.
func TestFoldedHeadOpens(t *testing.T) {
	_, text := example(t, "04-")
	body := embedOf(`header="open"`, text) + strings.Repeat(embedOf("", text), 3)
	v := open(t, setting{page: "page.html", docs: map[string]string{
		"page.html": docsPage("warpscope/embed.js", body)}})
	isOpen := func(n int) {
		t.Helper()
		v.holds(v.inFrame(n, foldButton+` === null && document.querySelector(".cm-line").textContent.startsWith("//@")`))
	}
	for n := range 4 {
		js[any](v, fmt.Sprintf(`document.querySelectorAll("warpscope-ptx")[%d].step()`, n))
		if n > 0 {
			v.holds(v.inFrame(n, foldButton))
		}
	}
	isOpen(0)

	spot := js[[]float64](v, v.inFrame(1, `(() => {
		document.defaultView.frameElement.scrollIntoView();
		const outer = document.defaultView.frameElement.getBoundingClientRect();
		const inner = `+foldButton+`.getBoundingClientRect();
		return [outer.x + inner.x + inner.width / 2, outer.y + inner.y + inner.height / 2];
	})()`))
	v.run(chromedp.MouseClickXY(spot[0], spot[1]))
	isOpen(1)
	v.holds(v.inFrame(1, `document.activeElement.matches(".cm-content")`))
	v.press("x") // goes into the text
	v.holds(`document.querySelectorAll("warpscope-ptx")[1].source === ` + quoted("x"+text))

	js[any](v, v.inFrame(2, `document.querySelector(".cm-content").focus()`))
	v.press(kb.ArrowDown) // from the text's begin to the line after the head
	v.holds(v.inFrame(2, foldButton))
	v.press(kb.ArrowUp)
	isOpen(2)

	js[any](v, `document.querySelectorAll("warpscope-ptx")[3].source =
		"//@ blok 32\n//@ grid 1\n.version 6.4\n.target sm_70\n"`)
	isOpen(3)
}
