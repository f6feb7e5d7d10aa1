package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// TestWrittenPartsStay steps with the focus in a table that the step changes. The cell or row with the focus keeps it,
// and shows what is new.
func TestWrittenPartsStay(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(twice)
	v.opened("[Twice]")
	v.find("combobox", "Layout").choose("Kernel")
	for _, place := range []struct {
		tab, focus, shown string
		back              int // so many steps from the end, the next one changes it
	}{
		{"Memory", `.panel-memory td[data-offset="20"]`, "10", 2},
		{"Groups of lanes", `.panel-stack tr[data-entry="0"]`, "", 2},
		{"Registers", `.panel-registers td[data-register="%a"]`, "out", 4},
	} {
		v.button("Run")
		v.status("Finished")
		for range place.back {
			v.press(kb.F10, input.ModifierShift)
		}
		v.settle()
		v.find("tab", place.tab).click()
		js[any](v, "window.cell = document.querySelector('"+place.focus+"'); cell.focus()")
		before := js[string](v, "cell.innerText")
		v.press(kb.F10)
		require.True(t, js[bool](v, "document.activeElement === cell"), place.focus)
		after := js[string](v, "cell.innerText")
		require.NotEqual(t, before, after)
		require.Contains(t, after, place.shown)
	}
}
