package ui

import (
	"fmt"
	"html"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// stackHTML writes the rows of the table of entries or groups.
func stackHTML(rows []stackRow, grouped bool) string {
	var b strings.Builder
	for i := range rows {
		writeEntry(&b, &rows[i], i, grouped)
	}
	return b.String()
}

func writeEntry(b *strings.Builder, r *stackRow, index int, grouped bool) {
	title := r.Kind
	if r.Waits != "" {
		title += ", " + r.Waits
	}
	if r.Cause != "" {
		title += ", " + r.Cause
	}
	class, pushed, mark := "", "", r.mark()
	if index == 0 {
		class = "top" + map[string]string{"barrier": " at-barrier", "faulted": " at-fault"}[mark]
	}
	if r.Pushed {
		class = strings.TrimSpace(class + " pushed")
		pushed = "+ " + map[bool]string{true: "new", false: "pushed"}[grouped]
	}
	runs := mark == "active" || mark == "faulted"
	fmt.Fprintf(b, `<tr class="%s" title="%s" tabindex="0" data-entry="%d">`, class, html.EscapeString(title), index)
	fmt.Fprintf(b, `<td class="pc">%s</td><td class="lanes">%s</td><td class="mask">%s</td>`, r.PC,
		drawnMask(maskLook{r.Mask, r.Here, r.Failed, runs}), maskHex(r.Mask))
	fmt.Fprintf(b, `<td class="state %s"><i class="lane-mark %s"></i>%s</td><td class="rpc">%s</td>`, mark, mark, r.State,
		r.RPC)
	fmt.Fprintf(b, `<td class="because"><span class="news-word">%s</span>%s</td></tr>`, pushed,
		html.EscapeString(r.Because))
}

// stackNewsHTML writes the list of what the last step changed.
func stackNewsHTML(news []stackChangeRow) string {
	var b strings.Builder
	for _, n := range news {
		class := map[bool]string{true: "push", false: "pop"}[n.Push]
		b.WriteString(`<li class="` + class + `">` + html.EscapeString(n.Text) + `</li>`)
	}
	return b.String()
}

// mark is the class of the shape that marks what the lanes do.
func (r *stackRow) mark() string {
	switch {
	case r.Failed != 0:
		return "faulted"
	case r.State == runs:
		return "active"
	case r.State == atBarrier:
		return "barrier"
	}
	return "waiting"
}

// maskLook is what a drawn mask shows: its lanes, those that are at its line, those of them that failed, and whether
// they run.
type maskLook struct {
	mask, here, failed emu.Mask
	runs               bool
}

// drawnMask draws a mask with lane 0 on the left, as the lane grid does. Lanes that run are full bars, those that are
// here and wait are ruled, those still to come are outlined; lanes outside the mask are dashes.
func drawnMask(l maskLook) string {
	here := "here"
	if l.runs {
		here = "runs"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg viewBox="0 0 134 10" class="mask-bars" preserveAspectRatio="none" role="img" aria-label="%s">`,
		ptx.Plural(l.mask.Count(), "lane"))
	bar := map[bool]string{true: "h3v10h-3z", false: "h3v2h-3zm0 4h3v2h-3zm0 4h3v2h-3z"}[l.runs]
	for _, shape := range []struct {
		class, path string
		lanes       emu.Mask
	}{
		{here, bar, l.mask & l.here &^ l.failed},
		{"failed", bar, l.failed},
		{"later", "m.4 .4h2.2v9.2h-2.2z", l.mask &^ l.here},
		{"off", "m0 8h3v1.5h-3z", ^l.mask},
	} {
		b.WriteString(`<path class="` + shape.class + `" d="`)
		for lane := range 32 {
			if shape.lanes.Has(lane) {
				b.WriteString("M" + strconv.Itoa(lane*4+lane/8*2) + " 0" + shape.path)
			}
		}
		b.WriteString(`"/>`)
	}
	b.WriteString("</svg>")
	return b.String()
}
