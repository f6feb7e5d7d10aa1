package browser

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/share"
)

// A register that lanes 8 to 31 have never written is about to be stored: its cells are dotted, and a note that screen
// readers find says so.
func TestUndefinedValuesAreMarked(t *testing.T) {
	text, err := os.ReadFile("../testdata/faults/unset-register.ptx")
	require.NoError(t, err)
	link := "#" + share.Encode(share.State{Text: string(text), Step: 7})
	for i, width := range []int64{1440, 390} {
		for _, dark := range themes(i == 1) {
			v := open(t, setting{page: link, width: width, height: 870, dark: dark}).ready()
			v.status("line 27", "%v = 7 (8 lanes), 1 (24 lanes)")
			const note = `document.querySelector(".panel-lanes [role=note]")`
			v.holds(note + ` !== null`)
			require.Equal(t, "Next line: lanes 8-31 store %v, which comes from line 27, where they had never written %v: "+
				"the value is undefined.", js[string](v, note+".textContent"))
			require.Equal(t, 24, js[int](v, `document.querySelectorAll('.lane-row [data-reg="%v"].undefined').length`))
			require.Equal(t, "dotted",
				js[string](v, `getComputedStyle(document.querySelector('[data-reg="%v"][data-lane="9"]')).outlineStyle`))
			v.settle()
			v.shot(fmt.Sprintf("undefined-%d-%v", width, dark))
		}
	}
}

// The lesson about shared memory opens with shared memory in view, at a step whose effect the status line tells.
func TestLessonsShowTheMemoryTheySpeakOf(t *testing.T) {
	v := open(t, setting{page: "lessons/11-shared-memory.html", script: noWorker})
	v.holds(`document.querySelectorAll("warpscope-ptx").length > 2`)
	for n, status := range []string{"bar.sync", "st.shared.u32"} {
		v.pressRun(n)
		v.holds(v.inFrame(n, fmt.Sprintf(`document.querySelector("[role=status]")?.textContent.includes(%q)`, status)))
		v.holds(v.inFrame(n, `document.querySelector(".panel-memory select")?.value === "shared"`))
		v.holds(v.inFrame(n, `/32/.test(document.querySelector(".panel-memory td")?.closest("table").textContent)`))
	}
	v.settle()
	v.shot("lesson-11")
}
