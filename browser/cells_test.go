package browser

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/stretchr/testify/require"
)

// widths has values of every length, after 19 steps.
const widths = `//@ title Widths of values
//@ block 32
.version 8.0
.target sm_70
.address_size 64
.visible .entry widths()
{
	.reg .b32 %h<9>;
	.reg .u32 %u<9>;
	.reg .s32 %s<3>;
	.reg .f32 %f<5>;
	.reg .f64 %d<3>;
	.reg .b64 %q<3>;
	.reg .u64 %w<2>;
	.reg .pred %p<2>;
	mov.b32 %h1, 0xf;
	mov.b32 %h2, 0xab;
	mov.b32 %h3, 0xabc;
	mov.b32 %h4, 0xabcd;
	mov.b32 %h5, 0xabcde;
	mov.b32 %h6, 0xabcdef;
	mov.b32 %h7, 0xabcdef1;
	mov.b32 %h8, 0xabcdef12;
	mov.u32 %u1, 12345;
	mov.u32 %u2, 123456;
	mov.u32 %u3, 4294967295;
	mov.s32 %s1, -2147483648;
	mov.f32 %f1, 0f3dcccccd;
	mov.f32 %f2, 0f3eaaaaab;
	mov.f32 %f3, 0f80800001;
	mov.f64 %d1, 0d8010000000000001;
	mov.b64 %q1, 0xfedcba9876543210;
	mov.u64 %w1, 18446744073709551615;
	setp.ne.b32 %p1, %h1, 0;
	ret;
}
`

// misfits lists the values of the lane grid that leave their cells, by a pixel of distance to the next, or whose lines
// have no room.
const misfits = `[...document.querySelectorAll(".lane-row [role=gridcell]")].flatMap(cell => {
	const box = DOMRect.fromRect(cell.getBoundingClientRect());
	const text = cell.ownerDocument.createRange();
	text.selectNodeContents(cell);
	// A joined cell ends where the last of its lanes does; the texts of the others are not seen.
	let end = cell;
	while (cell.classList.contains("join") && !end.classList.contains("last")) end = end.nextElementSibling;
	box.width = end.getBoundingClientRect().right - box.left;
	const out = !cell.classList.contains("hidden") && [...text.getClientRects()].some(r =>
		r.width > 0 && r.left < r.right &&
		(r.left < box.left + 1 || r.right > box.right - 1 || r.top < box.top - .5 || r.bottom > box.bottom + .5));
	return out ? [cell.dataset.reg + " " + cell.dataset.lane + ": " + cell.textContent] : [];
})`

func TestValuesNeverTouch(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(widths)
	v.holds(`document.title.startsWith("Widths")`)
	for range 19 {
		v.button("Step")
	}
	page := docsPage("warpscope/embed.js", embedOf("step=19", widths))
	e := open(t, setting{page: "page.html", docs: map[string]string{"page.html": page}})
	js[any](e, `document.querySelector("warpscope-ptx").run()`)
	for _, width := range []int64{1440, 1000, 700, 360} {
		for where, visit := range map[string]*visit{"playground": v, "embed": e} {
			visit.run(emulation.SetDeviceMetricsOverride(width, 1000, 1, false))
			visit.settle()
			expression := misfits
			if visit == e {
				expression = e.inFrame(0, misfits)
			}
			require.Empty(t, js[[]string](visit, expression), "%s at %d pixels", where, width)
		}
	}
	// In a phone's tiles each register gets its turn.
	for _, reg := range []string{"%h3", "%h8", "%s1", "%f3", "%d1", "%q1"} {
		js[any](v, `(select => { select.value = "`+reg+`"; select.dispatchEvent(new Event("change", { bubbles: true })); })(
			document.querySelector(".tile-choice select"))`)
		v.settle()
		require.Empty(t, js[[]string](v, misfits), "%s in tiles", reg)
	}
}

// Hex digits that need two lines have four in the second, or 0x in the first, with air between lanes, and columns stay
// where they are.
func TestHexDigitsInTwoLines(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(`//@ title Halves
//@ block 32
.version 8.0
.target sm_70
.address_size 64
.visible .entry halves()
{
	.reg .b32 %r, %h8, %h7, %h5, %h3;
	.reg .pred %p;
	mov.u32 %r, %laneid;
	setp.eq.u32 %p, %r, 3;
	add.u32 %h8, %r, 0x40e00000;
	add.u32 %h7, %r, 0x2142000;
	add.u32 %h5, %r, 0x12340;
	add.u32 %h3, %r, 0x780;
	@%p mov.u32 %h8, 1; // one lane has a short value
	ret;
}
`)
	v.holds(`document.title.startsWith("Halves")`)
	for range 7 {
		v.button("Step")
	}
	lines := func(reg string) string { // what each line of lane 7's cell has
		return js[string](v, `(() => {
			const cell = document.querySelectorAll(".lane-rows [data-reg='`+reg+`']")[7], text = cell.firstChild;
			const range = document.createRange(), box = cell.getBoundingClientRect(), tops = {};
			for (let i = 0; i < text.length; i++) {
				range.setStart(text, i), range.setEnd(text, i + 1);
				const { top, left, right } = range.getBoundingClientRect();
				if (left <= box.left || right >= box.right) return "out of its cell";
				tops[top] = (tops[top] ?? "") + text.data[i];
			}
			return Object.values(tops).join(" ");
		})()`)
	}
	for _, width := range []int64{1440, 1100, 1024} {
		v.run(emulation.SetDeviceMetricsOverride(width, 1000, 1, false))
		v.settle()
		cells := `[...document.querySelectorAll(".lane-rows [data-reg='%h8']")]`
		v.holds(cells + `.length === 32 && ` + cells + `[7].textContent === "40e00007"`)
		require.Equal(t, "40e0 0007", lines("%h8"), width)
		require.Equal(t, "214 2007", lines("%h7"), width)
		require.Equal(t, "0x1 2347", lines("%h5"), width)
		require.Equal(t, map[bool]string{true: "0x787", false: "0x 787"}[width == 1440], lines("%h3"), width)
		heads := `[...document.querySelectorAll(".lane-head [data-column]")]`
		v.holds(heads + `.every((head, i) => Math.abs(head.getBoundingClientRect().left -
			` + cells + `[i].getBoundingClientRect().left) < 1)`)
	}
	v.run(emulation.SetDeviceMetricsOverride(390, 844, 1, true))
	v.settle()
	for reg, want := range map[string]string{"%h8": "40e0 0007", "%h7": "214 2007", "%h5": "0x1 2347", "%h3": "0x787"} {
		v.find("combobox", "Register").choose(reg)
		v.settle()
		require.Equal(t, want, lines(reg), "a phone's tile")
	}
}

// Values of a watched expression that do not fit side by side take more lines: none is cut, so that 64 reads as 6.
func TestWatchedValuesAreWhole(t *testing.T) {
	v := open(t, setting{width: 1024, height: 768}).ready()
	v.inPreset("Kernel")
	v.load("05-")
	v.ended()
	v.panel("Watch")
	v.seek(5)
	v.write("New expression", "lane * 97 + 1000")
	v.holds(`document.querySelectorAll(".watch-values .run").length === 32`)
	v.holds(`[...document.querySelectorAll(".watch-values .run")].every(e => e.scrollWidth <= e.clientWidth)`)
}
