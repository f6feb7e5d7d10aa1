package browser

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// The panel Control flow at step 16 of example 05 (debug/flow_test.go has the counts), its keys, and the dialog Models.
func TestControlFlowAndModels(t *testing.T) {
	v := open(t, setting{script: axeScript(t)}).ready()
	v.load("05-")
	v.panel("Control flow")
	v.button("Run")
	v.status("Finished")
	v.seek(16)
	const running = `document.querySelector("#panel-flow .block.run")`
	v.holds(running + `?.getAttribute("aria-label").startsWith("Block 55–56, 4 run, ")`)
	v.holds(`document.querySelectorAll("#panel-flow .block.wait").length === 3`)
	v.holds(`[...document.querySelectorAll("#panel-flow .lanes")].map(e => e.textContent).filter(Boolean).join(" ") ===
		"16 16 8 8 8 8 16 8 8 8 4 4"`)
	v.holds(`document.querySelectorAll("#panel-flow .edge.cold").length === 4`)

	js[any](v, running+`.focus()`)
	v.press(kb.ArrowUp)
	v.holds(`document.activeElement.getAttribute("aria-label")?.startsWith("Block last 53–54, ")`)
	v.press(kb.ArrowLeft)
	v.holds(`document.activeElement.getAttribute("aria-label")?.startsWith("Block 50–51, ")`)
	v.press(kb.Enter)
	v.holds(`document.querySelector(".cm-activeLine")?.innerText.includes("mov.u32") ||
		document.activeElement.closest(".cm-editor")`)
	js[any](v, `[...document.querySelectorAll("#panel-flow .tools button")].find(e => e.innerText === "Code").click()`)
	v.holds(`[...document.querySelectorAll("#panel-flow text.code")].some(e => e.textContent === "@%q bra two")`)

	v.accessiblePart("control flow", "#panel-flow")

	v.command("models side")
	v.holds(`document.querySelector("dialog.models[open]")`)
	v.accessiblePart("models", "dialog.models")
	js[any](v, `[...document.querySelectorAll("dialog.models button")].find(e => e.innerText === "Run all").click()`)
	v.holds(`[...document.querySelectorAll(".model-side .outcome")].filter(e =>
		e.innerText === "finished, 5 of 5 expectations met").length === 3`)
	require.Contains(t, js[string](v, `document.querySelector(".model-words").innerText`),
		"All models execute the same warp instructions")
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]")`)
}
