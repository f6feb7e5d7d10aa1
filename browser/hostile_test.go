package browser

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/stretchr/testify/require"
)

const header = ".version 6.4\n.target sm_70\n.address_size 64\n"

// The page says soon what is wrong with any text that is pasted, and lives on.
func TestHostileText(t *testing.T) {
	noise := make([]byte, 100_000)
	rand.New(rand.NewSource(1)).Read(noise)
	// As a browser shows such a file; "\n" is the one line end that the editor knows.
	text := strings.ReplaceAll(strings.ToValidUTF8(string(noise), "\ufffd"), "\r", "\n")
	kernel := func(directives string) string {
		return directives + header + ".visible .entry k() {\n    ret;\n}\n"
	}
	cases := []struct {
		name, text string
		problem    string // what Problems must say; "" when the text is right and only its launch is not
		status     string // what the status says after Run
	}{
		{"random bytes", text, ":", "Cannot run"},
		{"10 MB of statements", header + ".visible .entry k() {\n" + strings.Repeat("    bar.snc 0;\n", 10_000_000/15) +
			"}\n",
			":", "Cannot run"},
		{"100,000 nested braces", header + ".visible .entry k() " + strings.Repeat("{", 100_000) +
			strings.Repeat("}", 100_000) + "\n", "nest", "Cannot run"},
		{"2^31 CTAs", kernel("//@ grid 2147483648\n"), "grid", ""},
		{"a buffer larger than memory", "//@ arg out u32[100000000000]\n" + header +
			".visible .entry k(.param .u64 out) {\n    ret;\n}\n", "out", ""},
	}
	v := open(t, setting{}).ready()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			v.t = t
			v.paste(misaligned)
			v.region("Problems", "No problems")
			took := v.untilProblem(c.text) // the goal is 2000, on an idle machine
			v.region("Problems", c.problem)
			if c.status != "" {
				v.button("Run")
				v.status(c.status)
			}
			require.Equal(t, c.text, v.source(), "the text is kept")
			t.Logf("%.0f ms until the problem is shown", took)
		})
		v.t = t
		v.load("04-")
		v.button("Run")
		v.status("Finished")
	}
}

// untilProblem pastes a text and measures, in the page, how long it takes until Problems lists something.
func (v *visit) untilProblem(text string) (milliseconds float64) {
	v.t.Helper()
	editor := v.find("textbox", "PTX source")
	editor.click()
	v.press("a", input.ModifierCtrl)
	call[any](editor, "(e, text) => { window.pasted = text; }", text)
	return call[float64](editor, `async (e) => {
		const clipboardData = new DataTransfer();
		clipboardData.setData("text/plain", window.pasted);
		const problems = document.querySelector("[role=region][aria-label=Problems]");
		const start = performance.now();
		e.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
		while (problems.innerText.includes("No problems") && performance.now() - start < 20000) {
			await new Promise(requestAnimationFrame);
		}
		return performance.now() - start;
	}`)
}

// A million registers cost nothing while no instruction names them.
func TestMillionRegisters(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste("//@ title Many\n" + header + `.visible .entry k() {
    .reg .b32 %r<1000000>;
    mov.u32 %r999999, 7;
    ret;
}
`)
	v.region("Launch", "Many")
	v.button("Run")
	v.status("Finished")
}

// The largest grid that the ISA allows in x: progress is shown and Pause answers.
func TestHugeGrid(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(fmt.Sprintf("//@ title Huge\n//@ grid %d\n", 1<<31-1) + header + ".visible .entry k() {\n    ret;\n}\n")
	v.region("Launch", "Huge")
	v.button("Run")
	v.eventually("progress", func() (bool, string) {
		text := js[string](v, "document.body.innerText")
		return strings.Contains(text, "of 2,147,483,647 CTAs"), ""
	})
	v.button("Pause")
	v.eventually("the run to stop", func() (bool, string) {
		status := v.status()
		return !strings.HasPrefix(status, "Running"), status
	})
}
