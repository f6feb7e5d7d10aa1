package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// node is an element found by its role and accessible name.
type node struct {
	v          *visit
	role, name string
	id         cdp.BackendNodeID
}

// query lists the elements that assistive technology knows by this role and name; an empty name means any.
func (v *visit) query(role, name string) []node {
	v.t.Helper()
	v.drawn()
	var found []node
	v.run(chromedp.ActionFunc(func(ctx context.Context) error {
		document, err := dom.GetDocument().WithDepth(0).Do(ctx)
		if err != nil {
			return err
		}
		query := accessibility.QueryAXTree().WithNodeID(document.NodeID).WithRole(role)
		if name != "" {
			query = query.WithAccessibleName(name)
		}
		nodes, err := query.Do(ctx)
		for _, n := range nodes {
			if !n.Ignored && n.BackendDOMNodeID != 0 {
				found = append(found, node{v, role, name, n.BackendDOMNodeID})
			}
		}
		if gone(err) {
			return nil
		}
		return err
	}))
	return found
}

// gone says that the page has meanwhile drawn another element in place of the one asked about.
func gone(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "Could not find node") ||
		strings.Contains(err.Error(), "No node with given id") || strings.Contains(err.Error(), "Node with given id"))
}

// panel brings a panel to the front: by its tab in the workspace, or where the phone layout shows one at a time.
func (v *visit) panel(name string) {
	v.t.Helper()
	if tabs := v.query("tab", name); len(tabs) == 1 {
		tabs[0].click()
		return
	}
	drawer := `[...document.querySelectorAll(".report[aria-expanded=false]")].find(b => b.checkVisibility() &&
		b.getAttribute("aria-controls") === "panel-` + strings.ToLower(name) + `")`
	if js[bool](v, "Boolean("+drawer+")") {
		js[any](v, drawer+".click()")
		return
	}
	if tabs := v.query("button", name); len(tabs) == 1 {
		tabs[0].click()
	}
}

// find waits for the one element of this role and name. Asking for all elements costs the page about 25 ms, asking
// about one less than 1 ms, and most are asked for again and again.
func (v *visit) find(role, name string) node {
	v.t.Helper()
	key := [2]string{role, name}
	if n, ok := v.found[key]; ok && n.still() {
		return n
	}
	var found []node
	v.eventually(fmt.Sprintf("%s %q", role, name), func() (bool, string) {
		found = v.query(role, name)
		return len(found) == 1, fmt.Sprintf("%d of them", len(found))
	})
	if v.found == nil {
		v.found = map[[2]string]node{}
	}
	v.found[key] = found[0]
	return found[0]
}

// still says that the element is in the page and has its role and name as before.
func (n node) still() bool {
	n.v.t.Helper()
	same := false
	n.v.run(chromedp.ActionFunc(func(ctx context.Context) error {
		nodes, err := accessibility.GetPartialAXTree().WithBackendNodeID(n.id).WithFetchRelatives(false).Do(ctx)
		if err == nil && len(nodes) == 1 && !nodes[0].Ignored {
			same = value(nodes[0].Role) == n.role && (n.name == "" || value(nodes[0].Name) == n.name)
		}
		return ctx.Err()
	}))
	return same
}

// value is a text that assistive technology gets.
func value(v *accessibility.Value) (text string) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &text)
	}
	return text
}

// call runs a function with the element as its first argument; more arguments follow as JSON.
func call[T any](n node, function string, args ...any) T {
	n.v.t.Helper()
	n.v.drawn()
	var result T
	try := func(id cdp.BackendNodeID) error {
		return n.v.try(chromedp.ActionFunc(func(ctx context.Context) error {
			value, err := callOn(ctx, id, function, args)
			if err != nil || len(value) == 0 {
				return err
			}
			return json.Unmarshal(value, &result)
		}))
	}
	err := try(n.id)
	if gone(err) {
		err = try(n.v.find(n.role, n.name).id)
	}
	require.NoError(n.v.t, err)
	return result
}

func callOn(ctx context.Context, id cdp.BackendNodeID, function string, args []any) ([]byte, error) {
	object, err := dom.ResolveNode().WithBackendNodeID(id).Do(ctx)
	if err != nil {
		return nil, err
	}
	params := []*runtime.CallArgument{{ObjectID: object.ObjectID}}
	for _, arg := range args {
		value, err := json.Marshal(arg)
		if err != nil {
			return nil, err
		}
		params = append(params, &runtime.CallArgument{Value: value})
	}
	answer, exception, err := runtime.CallFunctionOn(function).WithObjectID(object.ObjectID).WithArguments(params).
		WithReturnByValue(true).WithAwaitPromise(true).Do(ctx)
	if err == nil && exception != nil {
		err = exception
	}
	if err != nil {
		return nil, err
	}
	return answer.Value, nil
}

// text is what the element shows.
func (n node) text() string { n.v.t.Helper(); return call[string](n, "e => e.innerText") }

// drawn waits, after a click or a key, until the page has drawn what came of it at once: a test that looks sooner sees
// the page as it was. A page that the click has left cannot be asked.
func (v *visit) drawn() {
	v.t.Helper()
	if !v.acted {
		return
	}
	v.acted = false
	ctx, cancel := context.WithTimeout(v.ctx, 2*time.Second)
	defer cancel()
	_ = chromedp.Run(ctx, chromedp.Evaluate(`new Promise(drawn => {
		requestAnimationFrame(() => requestAnimationFrame(drawn));
		setTimeout(drawn, 1000); // a window in the background may have no frames
	})`, nil, awaiting))
}

// click clicks the middle of the element as a mouse does, once the page has drawn what is on its way: the element could
// move between the question where it is and the click.
func (n node) click() {
	n.v.t.Helper()
	n.v.acted = true
	at := call[struct{ X, Y float64 }](n, `e => {
		e.scrollIntoView({ block: "nearest", inline: "nearest" });
		// The middle of the part that shows: a text may be longer than the box that scrolls it.
		let { left, top, right, bottom } = e.getBoundingClientRect();
		for (let box = e.parentElement; box; box = box.parentElement) {
			const { overflow, display } = getComputedStyle(box);
			if (overflow === "visible" || display === "contents") continue;
			const clip = box.getBoundingClientRect();
			left = Math.max(left, clip.left), right = Math.min(right, clip.right);
			top = Math.max(top, clip.top), bottom = Math.min(bottom, clip.bottom);
		}
		return { X: (left + right) / 2, Y: (top + bottom) / 2 };
	}`)
	n.v.run(chromedp.MouseClickXY(at.X, at.Y))
	n.v.acted = true
}

// press presses a key, with modifiers, wherever the focus is. One event carries the key and its text, so that a page
// that handles the key also keeps the text from being entered.
func (v *visit) press(key string, modifiers ...input.Modifier) {
	v.t.Helper()
	code, known := kb.Keys[[]rune(key)[0]]
	require.True(v.t, known, "key %q", key)
	down := input.DispatchKeyEvent(input.KeyDown).WithKey(code.Key).WithCode(code.Code).
		WithWindowsVirtualKeyCode(code.Windows).WithNativeVirtualKeyCode(code.Native)
	if len(modifiers) == 0 {
		down = down.WithText(code.Text).WithUnmodifiedText(code.Unmodified)
	}
	up := *down
	up.Type, up.Text, up.UnmodifiedText = input.KeyUp, "", ""
	for _, m := range modifiers {
		down.Modifiers |= m
	}
	up.Modifiers = down.Modifiers
	v.run(down, &up)
	v.acted = true
}

// fill replaces what a text field holds, by keyboard.
func (n node) fill(text string) {
	n.v.t.Helper()
	n.click()
	n.v.press("a", input.ModifierCtrl)
	n.v.run(input.InsertText(text))
	n.v.press(kb.Tab)
}

// choose picks the option of a combobox whose text is, or begins with, the given one.
func (n node) choose(option string) {
	n.v.t.Helper()
	chosen := call[bool](n, `(e, text) => {
		const option = [...e.options].find(o => o.text === text) ?? [...e.options].find(o => o.text.startsWith(text));
		if (!option) return false;
		e.focus();
		e.value = option.value;
		e.dispatchEvent(new Event("input", { bubbles: true }));
		e.dispatchEvent(new Event("change", { bubbles: true }));
		return true;
	}`, option)
	n.v.acted = true
	require.True(n.v.t, chosen, "combobox %q has no option %q", n.name, option)
}

// button clicks the button of that name once it can be clicked.
func (v *visit) button(name string) {
	v.t.Helper()
	var b node
	v.eventually("button "+name+" to be enabled", func() (bool, string) {
		b = v.find("button", name)
		return call[bool](b, "e => !e.disabled && e.getAttribute('aria-disabled') !== 'true'"), "disabled"
	})
	b.click()
}

// region is the text of a region, once it shows everything wanted.
func (v *visit) region(name string, wanted ...string) string {
	v.t.Helper()
	return v.shows("region", name, wanted...)
}

// status is the status sentence, once it contains everything wanted.
func (v *visit) status(wanted ...string) string {
	v.t.Helper()
	return v.shows("status", "", wanted...)
}

func (v *visit) shows(role, name string, wanted ...string) string {
	v.t.Helper()
	var text string
	v.eventually(fmt.Sprintf("%s %q to show %q", role, name, wanted), func() (bool, string) {
		text = v.find(role, name).text()
		for _, want := range wanted {
			if !strings.Contains(text, want) {
				return false, text
			}
		}
		return true, text
	})
	return text
}

// ready waits until the engine has drawn its first screen.
func (v *visit) ready() *visit {
	v.t.Helper()
	v.holds(`document.documentElement.dataset.engine === "running"`)
	v.find("button", "Run")
	return v
}

// reload loads the page again in the same profile.
func (v *visit) reload() {
	v.t.Helper()
	v.run(chromedp.Reload())
	v.ready()
}

// settle gives what a keystroke set off the time to happen, where nothing visible says that it has.
func (v *visit) settle() { time.Sleep(400 * time.Millisecond) }
