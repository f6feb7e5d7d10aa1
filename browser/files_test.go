package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// programs are the names of the open programs, the present one in brackets.
func (v *visit) programs() string {
	v.t.Helper()
	return js[string](v, `[...document.querySelectorAll(".file [role=tab]")]
		.map(tab => tab.ariaSelected === "true" ? "[" + tab.innerText + "]" : tab.innerText).join(" | ")`)
}

func (v *visit) opened(want string) {
	v.t.Helper()
	v.eventually("programs "+want, func() (bool, string) {
		have := v.programs()
		return have == want, have
	})
}

// drop lets files fall on the middle of the page.
func (v *visit) drop(files ...string) {
	v.t.Helper()
	for _, kind := range []input.DispatchDragEventType{input.DragEnter, input.DragOver, input.Drop} {
		v.run(input.DispatchDragEvent(kind, 600, 300, &input.DragData{Files: files, DragOperationsMask: 1}))
	}
}

const twice = `//@ title   Twice
//@ arg     out  u32[32]
//@ expect  out[5] == 10
.version 6.4
.target sm_70
.address_size 64
.visible .entry twice(.param .u64 out)
{
    .reg .b32 %i, %v;
    .reg .b64 %a, %o;
    mov.u32 %i, %tid.x;
    shl.b32 %v, %i, 1;
    mul.wide.u32 %o, %i, 4;
    ld.param.u64 %a, [out];
    add.s64 %a, %a, %o;
    st.global.u32 [%a], %v;
    ret;
}
`

func writeFiles(t *testing.T, texts map[string]string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	for name, text := range texts {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644))
	}
	return folder
}

func TestProgramsAreKeptApart(t *testing.T) {
	v := open(t, setting{}).ready()
	first := v.load("04-")
	v.opened("[If and else: one warp, two paths]")
	v.goTo(28)
	v.press("x")
	edited := strings.Replace(first, "    mov.u32", "    xmov.u32", 1)
	v.button("New program")
	v.opened("If and else: one warp, two paths | [Untitled 2]")
	require.Empty(t, v.source())
	v.paste(twice)
	v.opened("If and else: one warp, two paths | [Twice]")
	v.button("Run")
	v.region("Output", "1 of 1 expectation met")

	// undoing reaches only what was done here
	for range 3 {
		v.press("z", input.ModifierCtrl)
	}
	require.Empty(t, v.source())
	v.press("y", input.ModifierCtrl)
	require.Equal(t, twice, v.source())
	v.find("tab", "If and else: one warp, two paths").click()
	require.Equal(t, edited, v.source())
	v.press("z", input.ModifierCtrl)
	require.Equal(t, first, v.source())
	v.press("y", input.ModifierCtrl)

	v.reload()
	v.opened("[If and else: one warp, two paths] | Twice")
	require.Equal(t, edited, v.source())
	v.find("tab", "Twice").click()
	require.Equal(t, twice, v.source())
	v.button("Run")
	v.status("Finished")
}

// TestCardsStayWithTheirProgram opens another program while the list of completions is in sight, and while the editor
// is about to place the list anew: both ask where it belongs, and the other text has no such place.
func TestCardsStayWithTheirProgram(t *testing.T) {
	v := open(t, setting{}).ready()
	first := v.load("04-")
	v.goTo(28)
	v.press("x")
	list := `document.querySelector(".cm-tooltip-autocomplete")`
	v.holds(list)
	js[any](v, `(() => {
		const view = document.querySelector(".cm-content").cmTile.view, setState = view.setState;
		view.setState = (state) => {
			view.measure = () => {};
			view.scrollDOM.dispatchEvent(new Event("scroll")); // the list is to be placed anew, in the next frame
			delete view.measure;
			setState.call(view, state);
		};
	})()`)
	call[any](v.find("button", "New program"), "e => e.click()") // no pointer, which would close the list
	v.opened("If and else: one warp, two paths | [Untitled 2]")
	v.holds("!" + list)
	v.find("tab", "If and else: one warp, two paths").click()
	v.opened("[If and else: one warp, two paths] | Untitled 2")
	require.Equal(t, strings.Replace(first, "    mov.u32", "    xmov.u32", 1), v.source())
	require.False(t, js[bool](v, "!!"+list), "the list of then is in sight again")
}

func TestClosedProgramComesBack(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	v.button("New program")
	v.paste(twice)
	v.opened("If and else: one warp, two paths | [Twice]")
	v.button("Close Twice")
	v.opened("[If and else: one warp, two paths]")
	v.holds(`document.body.innerText.includes("“Twice” is closed")`)
	v.button("Undo")
	v.opened("If and else: one warp, two paths | [Twice]")
	require.Equal(t, twice, v.source())

	// by keyboard, and after a reload
	v.find("tab", "Twice").click() // renames
	v.find("textbox", "Name of the program")
	v.press(kb.Escape)
	call[any](v.find("tab", "Twice"), "e => e.focus()")
	v.press(kb.ArrowLeft)
	v.opened("[If and else: one warp, two paths] | Twice")
	v.press(kb.ArrowRight)
	v.opened("If and else: one warp, two paths | [Twice]")
	v.press(kb.Delete)
	v.opened("[If and else: one warp, two paths]")
	v.reload()
	v.button("Reopen the program that was closed last")
	require.Equal(t, twice, v.source())
}

func TestProgramsHaveNames(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	v.find("tab", "If and else: one warp, two paths").click()
	field := v.find("textbox", "Name of the program")
	require.True(t, call[bool](field, "e => document.activeElement === e && e.selectionEnd > 0"))
	v.run(input.InsertText("mine"))
	v.press(kb.Enter)
	v.opened("[mine]")
	v.reload()
	v.opened("[mine]")
	call[any](v.find("tab", "mine"), "e => e.focus()")
	v.press(kb.F2)
	v.find("textbox", "Name of the program").fill("")
	v.opened("[If and else: one warp, two paths]")
}

// The text of a version with one program is there, as the first tab.
func TestStoredTextOfEarlierVersions(t *testing.T) {
	v := open(t, setting{script: fmt.Sprintf(`localStorage.getItem("warpscope.files") ??
		localStorage.setItem("warpscope.text", %q);`, twice)}).ready()
	v.opened("[Twice]")
	require.Equal(t, twice, v.source())
}

func TestDroppedFilesOpen(t *testing.T) {
	folder := writeFiles(t, map[string]string{"twice.ptx": twice, "other.ptx": misaligned})
	v := open(t, setting{}).ready()
	before := v.load("04-")
	v.drop(filepath.Join(folder, "twice.ptx"), filepath.Join(folder, "other.ptx"))
	v.opened("If and else: one warp, two paths | twice.ptx | [other.ptx]")
	require.Equal(t, misaligned, v.source())
	v.find("tab", "twice.ptx").click()
	v.button("Run")
	v.status("Finished")
	v.region("Output", "1 of 1 expectation met")
	v.find("tab", "If and else: one warp, two paths").click()
	require.Equal(t, before, v.source())
}

// While a file is held over the page, the page says what a drop there does: the row of a buffer takes it, else it is
// opened. A file that is not what its name says is refused in a sentence.
func TestDropSaysWhatItDoes(t *testing.T) {
	folder := writeFiles(t, map[string]string{"nines.bin": strings.Repeat("\x09\x00\x00\x00", 8), "bad.npy": "abcd",
		"bad.png": "abcd"})
	v := open(t, setting{}).ready()
	v.paste(twice)
	v.panel("Launch")
	type point struct{ X, Y float64 }
	at := js[point](v, `(r => ({X: r.x + 20, Y: r.y + 10}))(
		document.querySelector("tr[data-arg=out]").getBoundingClientRect())`)
	drag := func(file string, x, y float64, kinds ...input.DispatchDragEventType) {
		for _, kind := range kinds {
			v.run(input.DispatchDragEvent(kind, x, y, &input.DragData{Files: []string{filepath.Join(folder, file)},
				DragOperationsMask: 1}))
		}
	}
	says := func(words string) {
		v.holds(`getComputedStyle(document.body, "::after").content === ` + words)
	}
	drag("nines.bin", 600, 300, input.DragEnter, input.DragOver)
	says(`'"Drop to open"'`)
	drag("nines.bin", at.X, at.Y, input.DragOver, input.DragOver) // the first one enters the row
	says(`'"Drop to fill out"'`)
	drag("nines.bin", at.X, at.Y, input.Drop)
	v.holds(`document.querySelector("tr[data-arg=out] td.arg input").value === "9"`)
	says(`"none"`)
	for file, why := range map[string]string{"bad.npy": "does not begin as NumPy's files do",
		"bad.png": "the browser cannot read this picture"} {
		drag(file, at.X, at.Y, input.DragEnter, input.DragOver, input.DragOver, input.Drop)
		v.region("Launch", why)
		v.holds(`document.querySelector("tr[data-arg=out] td.arg input").value === "9"`)
	}
}

func TestFilesAreOpenedAndSaved(t *testing.T) {
	folder := writeFiles(t, map[string]string{"twice.ptx": twice})
	v := open(t, setting{}).ready()
	v.load("04-")
	chosen := make(chan *page.EventFileChooserOpened, 1)
	chromedp.ListenTarget(v.ctx, func(e any) {
		if e, ok := e.(*page.EventFileChooserOpened); ok {
			chosen <- e
		}
	})
	v.run(page.SetInterceptFileChooserDialog(true))
	v.button("Open file")
	e := <-chosen
	v.run(dom.SetFileInputFiles([]string{filepath.Join(folder, "twice.ptx")}).WithBackendNodeID(e.BackendNodeID))
	v.opened("If and else: one warp, two paths | [twice.ptx]")

	saved := t.TempDir()
	v.run(chromedp.ActionFunc(func(ctx context.Context) error {
		c := chromedp.FromContext(ctx)
		whole := cdp.WithExecutor(ctx, c.Browser)
		info, err := target.GetTargetInfo().WithTargetID(c.Target.TargetID).Do(whole)
		if err != nil {
			return err
		}
		return cdpbrowser.SetDownloadBehavior(cdpbrowser.SetDownloadBehaviorBehaviorAllow).WithDownloadPath(saved).
			WithBrowserContextID(info.BrowserContextID).Do(whole)
	}))
	v.goTo(1)
	v.press("x")
	v.press("s", input.ModifierCtrl)
	v.eventually("the file", func() (bool, string) {
		text, _ := os.ReadFile(filepath.Join(saved, "twice.ptx"))
		return string(text) == "x"+twice, string(text)
	})
}

const several = `.version 6.4
.target sm_70
.address_size 64
.visible .entry nothing() { ret; }
.visible .entry fill(.param .u64 out, .param .u32 n, .param .f32 f, .param .align 4 .b8 s[12])
{
    .reg .b32 %i, %n; .reg .b64 %a, %o; .reg .pred %p;
    mov.u32 %i, %tid.x;
    ld.param.u32 %n, [n];
    setp.ge.u32 %p, %i, %n;
@%p ret;
    ld.param.u64 %a, [out];
    mul.wide.u32 %o, %i, 4;
    add.s64 %a, %a, %o;
    st.global.u32 [%a], %i;
    ret;
}
`

// Arguments that fit the parameters: a pointer gets a buffer, an integer 32, a float 1, a structure zeros.
func TestEntriesAreChosen(t *testing.T) {
	for _, width := range []int64{1440, 360} {
		v := open(t, setting{width: width, height: 800}).ready()
		v.paste(several)
		v.panel("Launch")
		v.region("Launch", "no launch header")
		v.find("combobox", "Entry").choose("fill")
		v.holds(`document.querySelector("[aria-label='Elements of out']")?.value === "1024"`)
		text := v.source()
		for _, line := range []string{"//@ entry    fill", "//@ arg      out u32[1024]", "//@ arg      n u32 = 32",
			"//@ arg      f f32 = 1", "//@ arg      s u8[12]"} {
			require.Contains(t, text, line)
		}
		v.button("Run")
		v.status("Finished: 32 threads")
		v.panel("Launch")
		v.find("combobox", "Entry").choose("nothing")
		v.button("Run")
		v.status("Finished: 32 threads, 1 warp instruction")
	}
}

func TestKeyboardHelp(t *testing.T) {
	v := open(t, setting{}).ready()
	v.load("04-")
	v.goTo(8)
	v.press(kb.End)
	v.run(input.InsertText("?"))
	require.Contains(t, v.source(), "//?", "in the editor it is a letter")
	js[any](v, "document.activeElement.blur()")
	v.press("?")
	v.find("dialog", "Keyboard help")
	require.Contains(t, v.find("dialog", "Keyboard help").text(), "Shift+F10")
	v.press(kb.Escape)
	v.holds(`!document.querySelector("dialog[open]")`)
	v.button("Keyboard help")
	v.find("dialog", "Keyboard help")
	v.button("Close")
	v.holds(`!document.querySelector("dialog[open]")`)
}

func TestManyProgramsFitAPhone(t *testing.T) {
	v := open(t, setting{width: 360, height: 740}).ready()
	for range 6 {
		v.button("New program")
		v.paste(twice)
		v.eventually("the title", func() (bool, string) {
			have := v.programs()
			return strings.HasSuffix(have, "[Twice]"), have
		})
	}
	v.settle()
	require.LessOrEqual(t, js[float64](v, "document.documentElement.scrollWidth"), 360.0)
	require.True(t, js[bool](v, `(() => {
		const tab = document.querySelector(".file [role=tab][aria-selected=true]").getBoundingClientRect();
		return tab.left >= 0 && tab.right <= innerWidth;
	})()`), "the present program's tab can be seen")
	for _, name := range []string{"Open file", "Save file", "New program"} {
		box := call[[]float64](v.find("button", name), "e => { const b = e.getBoundingClientRect(); "+
			"return [b.left, b.right]; }")
		require.True(t, box[0] >= 0 && box[1] <= 360, "%s: %v", name, box)
	}
}

// The first tab that can be seen is whole, wherever the strip is scrolled to by the choice of a tab.
func TestFirstTabIsWhole(t *testing.T) {
	for _, width := range []int64{1440, 390} {
		v := open(t, setting{width: width, height: 844}).ready()
		v.load("05-")
		for _, prefix := range []string{"18-", "22-", "06-", "04-"} {
			v.button("New program")
			v.load(prefix)
		}
		for _, key := range []string{kb.End, kb.ArrowLeft, kb.ArrowLeft, kb.Home, kb.ArrowRight, kb.End} {
			js[any](v, `document.querySelector(".file.current [role=tab]").focus()`)
			v.press(key)
			v.settle()
			v.eventually("whole tabs", func() (bool, string) {
				saw := js[string](v, `(() => {
					const box = e => e.getBoundingClientRect(), strip = box(document.querySelector(".file-strip"));
					const at = e => [Math.round(box(e).left - strip.left), Math.round(box(e).right - strip.right)];
					const [left, right] = at(document.querySelector(".file.current"));
					const tabs = [...document.querySelectorAll(".file")].map(at);
					return (left >= 0 && right <= 0 && tabs.some(([left]) => left === 0) ? "whole" : "cut") +
						JSON.stringify({ left, right, tabs });
				})()`)
				return strings.HasPrefix(saw, "whole"), saw
			})
		}
		v.shot(fmt.Sprintf("tabs-%d", width))
	}
}

// TestFileShots takes pictures for looking at.
func TestFileShots(t *testing.T) {
	wantsShots(t)
	for _, size := range []struct{ width, height int64 }{{1440, 900}, {390, 844}} {
		for _, theme := range []string{"light", "dark"} {
			v := open(t, setting{width: size.width, height: size.height, dark: theme == "dark"}).ready()
			shot := func(state string) { v.settle(); v.shot(fmt.Sprintf("%d-%s-files-%s", size.width, theme, state)) }
			shot("1-first")
			v.button("New program")
			v.paste(twice)
			v.button("New program")
			v.paste(several)
			v.panel("Launch")
			v.settle()
			v.find("combobox", "Entry").choose("fill")
			shot("2-three")
			js[any](v, "document.activeElement.blur()")
			v.button("Close fill")
			shot("3-closed")
			js[any](v, "document.activeElement.blur()")
			v.press("?")
			shot("4-help")
			v.press(kb.Escape)
			js[any](v, `document.body.dataset.dropping = "Drop to open"`)
			shot("5-drop")
		}
	}
}

// Where the warp is stands in the editor's head as whole words, or does not.
func TestWordsInTheEditorsHead(t *testing.T) {
	v := open(t, setting{}).ready()
	v.button("New program")
	v.paste(twice)
	whole := func(parts int) {
		v.t.Helper()
		v.holds(`(() => {
			const facts = document.querySelector(".panel-editor .head .tools > div > .muted");
			const room = facts.getBoundingClientRect(), fits = r => r.left >= room.left - .5 && r.right <= room.right + .5;
			const parts = [...facts.children].filter(e => e.innerText).map(e => e.getBoundingClientRect());
			const seen = parts.filter(r => r.top < room.bottom);
			return seen.length >= ` + fmt.Sprint(parts) + ` && seen.every(fits);
		})()`)
	}
	for _, preset := range []string{"Write", "Learn", "Kernel"} {
		v.find("combobox", "Layout").choose(preset)
		v.region("Editor", "next: line 1")
		whole(map[string]int{"Write": 1}[preset])
	}
	v.size(1024, 768)
	whole(0)
}
