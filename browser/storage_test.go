package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// works edits a text, opens an example beside it, and goes back to it.
func (v *visit) works() {
	v.t.Helper()
	text := v.load("04-")
	v.goTo(1)
	v.press("x")
	v.load("05-")
	js[any](v, `document.querySelector(".file [role=tab]").click()`)
	require.Equal(v.t, "x"+text, v.source())
	v.load("04-")
	v.button("Run")
	v.status("Finished")
}

// Where cookies are blocked, reading the name of a storage throws.
func TestStorageIsBlocked(t *testing.T) {
	blocked := `for (const name of ["localStorage", "sessionStorage", "indexedDB"])
		Object.defineProperty(window, name, { get() { throw new DOMException("Access is denied", "SecurityError"); } });`
	none := `for (const name of ["localStorage", "sessionStorage", "indexedDB"])
		Object.defineProperty(window, name, { value: null });`
	for name, script := range map[string]string{"blocked": blocked, "none": none} {
		t.Run(name, func(t *testing.T) {
			v := open(t, setting{script: script}).ready()
			v.holds(`document.querySelector(".notice").innerText.startsWith("This browser does not keep the text (it blocks")`)
			v.works()
			v.holds(`document.querySelector(".notice").innerText.startsWith("This browser does not keep the text (it blocks")`)
		})
	}
}

// A sandbox gives a page an origin of its own, without any storage.
func TestSandboxedPage(t *testing.T) {
	files := http.FileServer(http.Dir("../public"))
	v := open(t, setting{handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "sandbox allow-scripts")
		w.Header().Set("Access-Control-Allow-Origin", "*") // its own parts are of another origin
		files.ServeHTTP(w, r)
	}), expected: func(message string) bool { return strings.Contains(message, "manifest") }}).ready()
	v.holds(`document.querySelector(".notice").innerText.startsWith("This browser does not keep the text (it blocks")`)
	v.works()
}

// Another page of the origin has filled the storage, but for a few thousand characters.
func TestStorageIsFull(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	js[any](v, `(() => {
		for (let size = 1 << 22; size >= 1 << 12; size >>= 1) {
			try {
				for (let i = 0; ; i++) localStorage.setItem("other " + size + " " + i, "x".repeat(size));
			} catch { }
		}
	})()`)
	long := twice + "// " + strings.Repeat("long ", 20_000) + "\n"
	v.paste(long)
	v.holds(`document.querySelector(".notice").innerText.startsWith("This browser does not keep the text")`)
	v.goTo(1)
	v.press("x")
	v.load("05-")
	v.holds(`document.querySelector(".notice").innerText.includes("yours is saved until you close this page")`)
	require.True(t, js[bool](v, "onbeforeunload({}) !== undefined"), "closing the page asks first")
	v.button("Bring my text back")
	require.Equal(t, "x"+long, v.source())
	v.load("06-")
	js[any](v, "localStorage.clear()")
}

// Text typed after the engine has stopped is kept, and the console is quiet.
func TestTypingAfterTheEngineStopped(t *testing.T) {
	stopped := func(message string) bool {
		return strings.Contains(message, "panic:") || strings.Contains(message, "goroutine") ||
			strings.Contains(message, "exit code") || strings.HasPrefix(message, "log")
	}
	v := open(t, setting{expected: stopped}).ready()
	text := v.load("04-")
	v.goTo(1)
	v.press("a")
	js[any](v, `performance.now = () => "no number", null`) // Go panics
	v.button("Run")
	v.holds(`document.querySelector("[role=alert]").innerText === "The engine stopped unexpectedly. " +
		"Your text is kept: reload the page to go on."`)
	v.mu.Lock()
	v.console = nil
	v.expected = nil
	v.mu.Unlock()
	js[any](v, "delete performance.now, null")
	v.find("textbox", "PTX source").click()
	v.press(kb.Home, input.ModifierCtrl)
	for _, key := range []string{"b", "c", kb.Enter} {
		v.press(key)
	}
	v.press(" ", input.ModifierCtrl)
	v.find("button", "Step").click()
	v.settle()
	v.silent()
	v.mu.Lock()
	v.console = nil
	v.mu.Unlock()
	v.reload()
	require.Equal(t, "bc\na"+text, v.source())
}

// close closes a window as a user does.
func (v *visit) close() {
	v.t.Helper()
	id := chromedp.FromContext(v.ctx).Target.TargetID
	browser := cdp.WithExecutor(chromium, chromedp.FromContext(chromium).Browser)
	require.NoError(v.t, target.CloseTarget(id).Do(browser))
	v.eventually("the window to close", func() (bool, string) {
		infos, err := target.GetTargets().Do(browser)
		require.NoError(v.t, err)
		for _, info := range infos {
			if info.TargetID == id {
				return false, info.URL
			}
		}
		return true, ""
	})
}

func TestTwoWindowsKeepBothTexts(t *testing.T) {
	first := open(t, setting{fresh: true}).ready()
	text := first.load("04-")
	second := first.tab(setting{}).ready()
	typeIn := func(v *visit, key string) {
		v.goTo(1)
		v.press(key)
		v.settle()
	}
	typeIn(first, "a")
	typeIn(second, "b")
	typeIn(first, "c")
	second.reload()
	require.Equal(t, "b"+text, second.source(), "reloading keeps a window's own text")
	require.Equal(t, "ca"+text, first.source())

	idle := first.tab(setting{page: "lessons/index.html"}) // keeps the profile
	first.close()
	second.close()
	third := idle.tab(setting{}).ready()
	texts := []string{third.source()}
	third.button("Open it")
	third.holds(`document.querySelectorAll(".file [role=tab]").length === 2`)
	texts = append(texts, third.source())
	require.ElementsMatch(t, []string{"ca" + text, "b" + text}, texts)
}
