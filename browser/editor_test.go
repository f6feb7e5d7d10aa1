package browser

import (
	"io"
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// editorAlone opens a page that holds the editor bundle and nothing else, under the site's own policy.
func editorAlone(t *testing.T, options string) *visit {
	t.Helper()
	index, err := os.ReadFile("../public/index.html")
	require.NoError(t, err)
	policy := regexp.MustCompile(`<meta http-equiv.*>`).Find(index)
	require.NotNil(t, policy)
	v := open(t, setting{page: "alone.html", handler: with("/alone.html", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		io.WriteString(w, "<!doctype html>"+string(policy)+`<link rel="icon" href="favicon.svg">`+
			`<script src="editor.js"></script><div id="here"></div>`)
	})})
	js[bool](v, `(() => {
		window.told = { changes: [], breakpoints: [], hovered: [], completed: [] };
		window.editor = WarpscopeEditor.create(document.querySelector("#here"), Object.assign({
			onChange: (text) => told.changes.push(text),
			onBreakpoints: (lines) => told.breakpoints.push(lines),
			language: { mnemonics: "add ret", modifiers: ".sat", types: ".s32", directives: ".reg", registers: "%tid" },
		}, `+options+`));
		return true;
	})()`)
	return v
}

func TestEditorUndoesAcrossTexts(t *testing.T) {
	v := editorAlone(t, `{doc: "one"}`)
	require.Equal(t, "two\nlines", js[string](v, `editor.setDoc("two\r\nlines")`), "line ends are normalised")
	js[string](v, `editor.setDoc("three")`)
	require.Empty(t, js[[]string](v, "told.changes"), "the program's own changes are not told")
	v.find("textbox", "PTX source").click()
	v.press("z", input.ModifierCtrl)
	require.Equal(t, "two\nlines", js[string](v, "editor.getDoc()"))
	v.press("z", input.ModifierCtrl)
	require.Equal(t, "one", js[string](v, "editor.getDoc()"))
	require.Equal(t, []string{"two\nlines", "one"}, js[[]string](v, "told.changes"))
	v.press("y", input.ModifierCtrl)
	require.Equal(t, "two\nlines", js[string](v, "editor.getDoc()"))
}

// Undoing goes back to the first text, not to the empty editor that it came into.
func TestFirstTextIsNotUndone(t *testing.T) {
	v := open(t, setting{}).ready()
	first := v.source()
	require.Contains(t, first, ".version")
	v.find("textbox", "PTX source").click()
	v.press("z", input.ModifierCtrl)
	require.Equal(t, first, v.source())
	v.press("x")
	require.NotEqual(t, first, v.source())
	v.press("z", input.ModifierCtrl)
	v.press("z", input.ModifierCtrl)
	require.Equal(t, first, v.source())

	v = editorAlone(t, `{}`)
	v.find("textbox", "PTX source").click()
	v.press("x")
	v.press("z", input.ModifierCtrl)
	js[string](v, `editor.setDoc("one")`) // what was typed and undone is older than this text
	v.press("z", input.ModifierCtrl)
	require.Empty(t, js[string](v, "editor.getDoc()"))
}

func TestEditorCountsBytes(t *testing.T) {
	// "// 😀 ≤ ß" is 2+1+4+1+3+1+2 = 14 bytes, the line end the fifteenth; "add" begins at byte 15.
	v := editorAlone(t, `{doc: "// 😀 ≤ ß\nadd.s32 x;", onCursor: (line, offset) => { told.cursor = [line, offset]; }}`)
	js[any](v, `editor.setDiagnostics([
		{from: 3, to: 7, severity: "warning", message: "four bytes"},
		{from: 15, to: 22, severity: "error", message: "the opcode", code: "some-code", section: "9.7.1.1",
			notes: [{from: 0, to: 2, message: "see here"}], fix: {from: 18, to: 22, text: ".u32", message: "Use .u32"}}])`)
	require.Equal(t, "😀", js[string](v, `document.querySelector(".cm-lintRange-warning").textContent`))
	require.Equal(t, "add.s32",
		js[string](v, `[...document.querySelectorAll(".cm-lintRange-error")].map(e => e.textContent).join("")`))

	js[any](v, "editor.select(15, 18)")
	require.Equal(t, []int{2, 18}, js[[]int](v, "told.cursor"))
	require.Equal(t, "add", js[string](v, "getSelection().toString()"))
}

func TestEditorOffersFixes(t *testing.T) {
	v := editorAlone(t, `{doc: "// ß\nadd.s32 x;"}`) // "add" begins at byte 6, ".s32" at 9
	js[any](v, `editor.setDiagnostics([{from: 6, to: 13, severity: "error", message: "the opcode", code: "some-code",
		section: "9.7.1.1", notes: [{from: 0, to: 2, message: "see here"}],
		fix: {from: 9, to: 13, text: ".u32", message: "Use .u32"}}])`)
	js[any](v, `(() => {
		const r = document.querySelector(".cm-lintRange-error").getBoundingClientRect();
		window.spot = [r.x + 3, r.y + r.height / 2];
	})()`)
	spot := js[[]float64](v, "spot")
	v.run(chromedp.MouseEvent(input.MouseMoved, spot[0], spot[1]))
	v.holds(`document.querySelector(".cm-diagnostic")`)
	box := js[string](v, `document.querySelector(".cm-diagnostic").innerText`)
	for _, want := range []string{"the opcode", "some-code · PTX ISA 9.7.1.1", "line 1: see here"} {
		require.Contains(t, box, want)
	}
	js[any](v, `document.querySelector(".cm-diagnosticAction").dispatchEvent(new MouseEvent("mousedown"))`)
	require.Equal(t, "// ß\nadd.u32 x;", js[string](v, "editor.getDoc()"))
	require.Equal(t, []string{"// ß\nadd.u32 x;"}, js[[]string](v, "told.changes"))
}

// The line of an error has its fix as a button, at the right edge, and by key.
func TestEditorFixesALine(t *testing.T) {
	v := editorAlone(t, `{doc: "add.s32 x;" + " ".repeat(400) + "// far away"}`)
	wrong := `editor.setDiagnostics([{from: 0, to: 7, severity: "error", message: "the opcode",
		fix: {from: 3, to: 7, text: ".u32", message: "Use .u32"}}])`
	js[any](v, wrong)
	v.holds(`document.querySelector(".cm-line.ptx-error")`)
	v.holds(`document.querySelector(".cm-trouble .ptx-error")`)
	edge := js[float64](v, `document.querySelector(".cm-scroller").getBoundingClientRect().right -
		document.querySelector(".ptx-way button").getBoundingClientRect().right`)
	require.True(t, edge >= 0 && edge < 30, "%g pixels from the edge", edge)
	v.find("button", "Use .u32").click()
	v.holds(`editor.getDoc().startsWith("add.u32 x;")`)

	js[any](v, `editor.setDoc("add.s32 x;")`)
	require.Zero(t, js[int](v, `document.querySelectorAll(".ptx-error").length`), "it is another text")
	js[any](v, wrong)
	v.find("textbox", "PTX source").click()
	v.press(".", input.ModifierCtrl)
	v.holds(`editor.getDoc() === "add.u32 x;"`)

	js[any](v, `editor.setReadOnly(true); editor.setDoc("add.s32 y;")`)
	js[any](v, wrong)
	v.holds(`document.querySelector(".cm-line.ptx-error") && !document.querySelector(".ptx-way")`)
}

func TestEditorBreakpoints(t *testing.T) {
	v := editorAlone(t, `{doc: "one\ntwo\nthree", breakpoints: [3]}`)
	require.Equal(t, []int{3}, js[[]int](v, "editor.breakpoints()"))
	v.find("textbox", "PTX source").click()
	v.press(kb.Home, input.ModifierCtrl)
	v.press(kb.F9)
	require.Equal(t, []int{1, 3}, js[[]int](v, "editor.breakpoints()"))
	v.press(kb.Enter)
	require.Equal(t, []int{2, 4}, js[[]int](v, "editor.breakpoints()"), "breakpoints move with their lines")
	gutter := js[[]float64](v, `(() => {
		const line = document.querySelectorAll(".cm-line")[2].getBoundingClientRect();
		const gutter = document.querySelector(".cm-breakpoints").getBoundingClientRect();
		return [gutter.x + gutter.width / 2, line.y + line.height / 2];
	})()`)
	v.run(chromedp.MouseClickXY(gutter[0], gutter[1]))
	require.Equal(t, [][]int{{1, 3}, {2, 4}, {2, 3, 4}}, js[[][]int](v, "told.breakpoints"))
	js[any](v, "editor.setBreakpoints([1])")
	require.Len(t, js[[][]int](v, "told.breakpoints"), 3, "the program's own changes are not told")
	require.Equal(t, 1, js[int](v, `document.querySelectorAll(".ptx-breakpoint").length - 1`), "one beside the spacer")
}

func TestEditorShowsTheMachine(t *testing.T) {
	v := editorAlone(t, `{doc: "one\ntwo\nthree\nfour"}`)
	js[any](v, `editor.show({heat: {"1": 1, "2": 1234567, "4": 12},
		markers: [{line: 2, mask: 0xfffffff0, top: true}, {line: 4, mask: 0xf, top: false}]})`)
	require.Equal(t, []string{"two"}, js[[]string](v,
		`[...document.querySelectorAll(".ptx-at-top")].map(e => e.innerText)`))
	require.Equal(t, []string{"two", "four"}, js[[]string](v,
		`[...document.querySelectorAll(".ptx-at")].map(e => e.innerText)`))
	require.Equal(t, "28 lanes, mask fffffff0, next to run",
		js[string](v, `document.querySelector(".ptx-stands.ptx-top").title`))
	counts := `[...document.querySelectorAll(".cm-heat .cm-gutterElement")].map(e => e.innerText)`
	require.Equal(t, []string{"1×", "1.2M×", "", "12×"}, js[[]string](v, counts))
	js[any](v, `editor.show({heat: {"1": 0, "3": 2}, markers: [{line: 1, mask: 1, top: true}]})`)
	require.Equal(t, []string{"", "1.2M×", "2×", "12×"}, js[[]string](v, counts))
	require.Equal(t, []string{"one"}, js[[]string](v, `[...document.querySelectorAll(".ptx-at")].map(e => e.innerText)`))
}

func TestEditorAsksForHoverAndCompletion(t *testing.T) {
	v := editorAlone(t, `{
		doc: "// ß\nadd.s32 x;\n",
		hover(offset) {
			told.hovered.push(offset);
			return offset >= 6 && offset < 13
				? {from: 6, to: 13, title: "add", text: "Adds.", syntax: ["add.type d, a, b;"], section: "9.7.1.1"} : null;
		},
		complete(offset, explicit) {
			told.completed.push([offset, explicit]);
			return {from: offset - 1, options: [
				{label: "add", detail: "9.7.1.1", kind: "mnemonic"}, {label: "and", kind: "mnemonic"},
			]};
		},
	}`)
	spot := js[[]float64](v, `(() => {
		const r = document.querySelector(".ptx-mnemonic").getBoundingClientRect();
		return [r.x + 3, r.y + r.height / 2];
	})()`)
	v.run(chromedp.MouseEvent(input.MouseMoved, spot[0], spot[1]))
	v.holds(`document.querySelector(".ptx-hover")`)
	require.Equal(t, "add\nAdds.\nadd.type d, a, b;\nPTX ISA 9.7.1.1",
		js[string](v, `document.querySelector(".ptx-hover").innerText.replace(/\n+/g, "\n")`))
	require.Equal(t, 6, js[int](v, "told.hovered[0]"))

	v.find("textbox", "PTX source").click()
	v.press(kb.End, input.ModifierCtrl)
	v.press("a")
	v.find("listbox", "Completions")
	require.Equal(t, []any{float64(18), false}, js[[]any](v, "told.completed[0]")) // 6 + 10 + 1 bytes, and the "a"
	// a list that has just opened ignores Enter, so that it does not swallow a line end
	v.settle()
	v.press(kb.Enter)
	require.Equal(t, "// ß\nadd.s32 x;\nadd", js[string](v, "editor.getDoc()"))
}

// A letter in place of several lines: the console stays quiet, and one step undoes it.
func TestTypingOverSeveralLines(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste("one\ntwo\nthree\nfour\n")
	over := func(key string) {
		v.goTo(1)
		v.press(kb.ArrowDown, input.ModifierShift)
		v.press(kb.ArrowDown, input.ModifierShift)
		v.press(key)
	}
	over("q")
	require.Equal(t, "qthree\nfour\n", v.source())
	v.press("z", input.ModifierCtrl)
	require.Equal(t, "one\ntwo\nthree\nfour\n", v.source())
	over("(") // brackets go around what is selected
	require.Equal(t, "(one\ntwo\n)three\nfour\n", v.source())
}
