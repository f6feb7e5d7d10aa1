package ui

import (
	"fmt"
	"html"
	"strconv"
	"strings"
)

// glyphJoined is two lines that meet: a conflict.
const glyphJoined = "M2 2h2.2L8 10.5 11.8 2H14L9 14H7z"

// accessHTML writes what the panel shows of one access: its head, its picture, and what would cure its costs.
func accessHTML(m *Model) []string {
	var h accessHead
	var p accessPicture
	if m.Access != nil {
		h, p = newAccessHead(m.Access), newAccessPicture(m.Access, m.View.Places())
	}
	return []string{accessHeadHTML(m, &h), accessPictureHTML(&h, &p, m.Lane),
		fmt.Sprintf(`<p class="access-cure%s">%s</p>`, and("empty", h.Cure == ""), html.EscapeString(h.Cure))}
}

// and is one more class of an element if it has it.
func and(class string, has bool) string {
	if has {
		return " " + class
	}
	return ""
}

func accessHeadHTML(m *Model, h *accessHead) string {
	follow := `<button type="button" class="link` + and("empty", m.AccessLine == 0) +
		`" data-access="0">Follow the steps</button>`
	if m.Access == nil {
		why := html.EscapeString(noAccess(m))
		return `<div class="access-head"><span class="muted">` + why + `</span>` + follow + `</div>`
	}
	return fmt.Sprintf(`<div class="access-head"><strong class="verdict-words%s"><svg viewBox="0 0 16 16" class="glyph" `+
		`aria-hidden="true"><path d="%s"></path></svg>%s</strong><span class="muted">%s</span><span class="access-why">%s`+
		`</span><div class="access-what"><code>%s</code><span class="muted">%s, %s</span>%s</div></div>`,
		and("costly", h.Costly), glyphJoined, h.Verdict, h.Ideal, html.EscapeString(h.Why),
		html.EscapeString(h.Code), h.Line, h.When, follow)
}

// accessPictureHTML has lanes above, banks or sectors below, and a line for each lane.
func accessPictureHTML(h *accessHead, p *accessPicture, followed int) string {
	if len(p.Places) == 0 {
		return `<div class="access-picture empty"></div>`
	}
	var lanes, places, labels strings.Builder
	for lane := range 32 {
		label := ""
		if lane%4 == 0 || lane == followed {
			label = strconv.Itoa(lane)
		}
		fmt.Fprintf(&lanes, `<span class="lane%s">%s</span>`, and("followed", lane == followed), label)
	}
	for i := range p.Places {
		writePlace(&places, &labels, &p.Places[i])
	}
	if p.Each != "" {
		labels.Reset()
		labels.WriteString(`<span class="each">` + p.Each + `</span>`)
	}
	below := map[string]string{"bank": "words", "sector": "bytes"}[p.Unit]
	row := func(class, name, cells string) string {
		return `<div class="access-row` + class + `"><span class="muted">` + name + `</span>` + cells + `</div>`
	}
	return `<div class="access-picture" role="img" aria-label="` + html.EscapeString(h.words(p)) + `">` +
		row("", "lane", lanes.String()) + accessLinesHTML(p, followed) + row(" access-places", p.Unit, places.String()) +
		row("", below, labels.String()) + `<div class="access-names"><span>` + html.EscapeString(p.From) + `</span><span>` +
		html.EscapeString(p.To) + `</span></div></div>`
}

// writePlace writes a bank or a sector, with a bar for the part of it that is used, and the label below it.
func writePlace(places, labels *strings.Builder, place *accessPlace) {
	bar := ""
	if place.Used {
		bar = fmt.Sprintf(`<svg viewBox="0 0 1 1" preserveAspectRatio="none"><rect width="%.4g" height="1"></rect></svg>`,
			place.Full)
	}
	apart := and("apart", place.Apart)
	fmt.Fprintf(places, `<span class="place%s%s" title="%s">%s</span>`, and("used", place.Used), apart,
		html.EscapeString(place.Words), bar)
	fmt.Fprintf(labels, `<span class="label%s">%s</span>`, apart, place.Label)
}

// accessLinesHTML has the lines of the picture: those without a conflict, those with one, and the followed lane's.
func accessLinesHTML(p *accessPicture, followed int) string {
	var d [3]strings.Builder
	for _, line := range p.Lines {
		kind := 0
		switch {
		case line.Lane == followed:
			kind = 2
		case line.Apart:
			kind = 1
		}
		fmt.Fprintf(&d[kind], "M%d 0L%.4g 10", 10*line.Lane+5, 320*line.X/float64(len(p.Places)))
	}
	paths := ""
	for i, class := range []string{"alone", "apart", "followed"} {
		paths += `<path class="` + class + `" vector-effect="non-scaling-stroke" d="` + d[i].String() + `"></path>`
	}
	return `<svg viewBox="0 0 320 10" class="access-lines" preserveAspectRatio="none" aria-hidden="true">` + paths +
		`</svg>`
}

// accessRowHTML writes a row of the table of all accesses.
func accessRowHTML(m *Model, r *accessRow, index int) string {
	code := html.EscapeString(r.Code)
	return fmt.Sprintf(`<tr class="access%s" aria-rowindex="%d"><td><button type="button" class="link" `+
		`aria-pressed="%t" data-access="%d" title="Show this line's last access"><span>%d</span></button></td>`+
		`<td class="code" title="%s">%s</td><td>%s</td><td>%s <span class="muted">%s</span></td>`+
		`<td class="per%s">%s</td><td>%s</td></tr>`,
		and("on", m.Access != nil && m.Access.Line == r.Line), index+2, m.AccessLine == r.Line, r.Line, r.Line, code,
		code, count(r.Requests), count(r.Parts), r.Unit, and("costly", r.Costly), r.PerRequest, r.Ideals)
}
