package browser

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/layertree"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"
)

// BenchmarkStep is what a step costs the page's main thread, in milliseconds of its CPU time, from the key to the
// second frame after it, with the focus in the editor. What measuring takes, its questions to the page and the two
// frames that it waits for, is measured without a step after each step, and its median is subtracted. The mouse is
// above the page: the browser looks for what is below it after each layout, and this counts.
func BenchmarkStep(b *testing.B) {
	for _, program := range stepped {
		for _, layout := range []string{"Learn", "Kernel", "Write"} {
			b.Run(program.name+"/"+layout, func(b *testing.B) {
				v := open(b, setting{}).ready()
				v.stepping(program, layout)
				var forward, back costs
				for b.Loop() {
					forward.add(v, 20)
					back.add(v, 20, input.ModifierShift)
				}
				forward.report(b, "")
				back.report(b, "back-")
			})
		}
	}
}

// A step puts all layers of the page together. What is sticky in a box that scrolls is one, and a mask makes more.
func TestFewLayers(t *testing.T) {
	v := open(t, setting{}).ready()
	var mu sync.Mutex
	layers := 0
	chromedp.ListenTarget(v.ctx, func(event any) {
		if e, ok := event.(*layertree.EventLayerTreeDidChange); ok && len(e.Layers) > 0 {
			mu.Lock()
			layers = len(e.Layers)
			mu.Unlock()
		}
	})
	v.stepping(steppedProgram{"wide", "", wideKernel, 400}, "Kernel")
	v.run(layertree.Enable())
	v.press(kb.F10)
	v.eventually("layers", func() (bool, string) {
		mu.Lock()
		defer mu.Unlock()
		return layers > 0, ""
	})
	mu.Lock()
	require.Less(t, layers, 30)
	mu.Unlock()

	head := `getComputedStyle(document.querySelector(".panel-memory tbody th")).position === "sticky"`
	require.False(t, js[bool](v, head))
	js[any](v, `document.querySelector(".panel-memory table").style.minWidth = "200rem"`)
	js[any](v, `document.querySelector(".panel-memory .body").scrollLeft = 50`)
	v.holds(head) // now there is something to stay beside
	js[any](v, `document.querySelector(".panel-memory .body").scrollLeft = 0`)
	v.holds("!(" + head + ")")
}

// TestStepComparesFewElements counts for how many elements the virtual DOM asks the page in 20 steps: twice for each
// that it compares. In Learn, all that a step changes is drawn without it, but for the words on where to go next.
// Covered panels, which are drawn when the machine has not moved for a while, are not of a step: on a slow machine that
// while passes between two steps.
func TestStepComparesFewElements(t *testing.T) {
	v := open(t, setting{}).ready()
	v.stepping(stepped[0], "Learn")
	js[any](v, `(() => {
		window.asked = 0;
		const { get } = Object.getOwnPropertyDescriptor(Element.prototype, "classList");
		const own = () => new Error().stack.includes("editor.js"); // the editor's questions are its own
		Object.defineProperty(Element.prototype, "classList", {
			get() { asked += own() ? 0 : 1; return get.call(this); }
		});
		const { setTimeout } = window;
		window.setTimeout = (f, ms) => setTimeout(f, ms < 200 ? ms : 1e9);
	})()`)
	sentence := "document.querySelector('footer [role=status]').innerText"
	before := js[string](v, sentence)
	for range 20 {
		v.press(kb.F10)
		v.drawn()
	}
	require.NotEqual(t, before, js[string](v, sentence))
	require.Less(t, js[int](v, "asked"), 2*20*10)
}

type steppedProgram struct {
	name, example string
	text          func() string
	first         int // the step to begin with
}

var stepped = []steppedProgram{
	{"nested", "05-", nil, 5},
	{"matrix", "18-", nil, 400},
	{"life", "22-", nil, 400},
	{"wide", "", wideKernel, 4600},
	{"triton", "", tritonMatmul, 6000},
}

// wideKernel has 4 warps, 64 registers that are all alive, and a loop that writes each.
func wideKernel() string {
	var starts, sums strings.Builder
	for i := range 60 {
		if i > 0 {
			fmt.Fprintf(&starts, "\tadd.u32 %%r%d, %%r0, %d;\n", i, i)
		}
		fmt.Fprintf(&sums, "\tmad.lo.u32 %%r%d, %%r%d, 3, %%r%d;\n", i, (i+1)%60, i)
	}
	return `//@ title  Wide
//@ block  128
//@ arg    out u32[128]
.version 8.0
.target sm_80
.address_size 64
.visible .entry wide(.param .u64 out)
{
	.reg .pred %p;
	.reg .b32 %r<60>, %k;
	.reg .b64 %a, %o;
	mov.u32 %k, 0;
	mov.u32 %r0, %tid.x;
` + starts.String() + `loop:
` + sums.String() + `	add.u32 %k, %k, 1;
	setp.lt.u32 %p, %k, 20;
	@%p bra loop;
	ld.param.u64 %a, [out];
	mul.wide.u32 %o, %r0, 0;
	add.u64 %a, %a, %o;
	st.global.u32 [%a], %r0;
	ret;
}
`
}

// stepping loads a program and goes to the step where measuring begins.
func (v *visit) stepping(program steppedProgram, layout string) {
	v.t.Helper()
	if program.text == nil {
		v.load(program.example)
	} else {
		text := program.text()
		_, title, _ := strings.Cut(text, "//@ title ")
		title, _, _ = strings.Cut(strings.TrimSpace(title), "\n")
		v.paste(text)
		v.holds(fmt.Sprintf("document.title.startsWith(%q)", title))
	}
	v.find("combobox", "Layout").choose(layout)
	v.settle()
	v.button("Run")
	v.status("inished")
	v.seek(program.first)
	v.settle()
	require.Equal(v.t, program.first,
		js[int](v, `+document.querySelector("[aria-label='Go to step']").value.replace(",", "")`))
	call[any](v.find("textbox", "PTX source"), "e => e.focus()")
	v.settle()
	// No screen reader is there: what find asked for is dropped, else the page would keep it up to date.
	v.run(accessibility.Enable(), accessibility.Disable(),
		performance.Enable().WithTimeDomain(performance.EnableTimeDomainThreadTicks))
}

// costs are the parts of each step's time. Idle is that of as many frames in which nothing happens.
type costs struct{ all, script, layout, style, idle []float64 }

// add makes steps, back with the shift key.
func (c *costs) add(v *visit, n int, modifiers ...input.Modifier) {
	v.t.Helper()
	press := func() { v.press(kb.F10, modifiers...) }
	v.grow(press) // the first after a change of direction is not counted
	for range n {
		m := v.grow(press)
		c.all, c.script = append(c.all, m["TaskDuration"]), append(c.script, m["ScriptDuration"])
		c.layout, c.style = append(c.layout, m["LayoutDuration"]), append(c.style, m["RecalcStyleDuration"])
		c.idle = append(c.idle, v.grow(func() {})["TaskDuration"])
	}
}

// grow is what the page's metrics grow by until two frames are drawn, in milliseconds.
func (v *visit) grow(f func()) map[string]float64 {
	v.t.Helper()
	before := v.metrics()
	f()
	v.acted = true
	v.drawn()
	after := v.metrics()
	for name := range after {
		after[name] -= before[name]
	}
	return after
}

func (v *visit) metrics() map[string]float64 {
	v.t.Helper()
	all := map[string]float64{}
	v.run(chromedp.ActionFunc(func(ctx context.Context) error {
		list, err := performance.GetMetrics().Do(ctx)
		for _, one := range list {
			all[one.Name] = 1000 * one.Value
		}
		return err
	}))
	return all
}

func (c *costs) report(b *testing.B, prefix string) {
	median := func(list []float64) float64 { slices.Sort(list); return list[len(list)/2] }
	idle := median(c.idle)
	b.ReportMetric(median(c.all)-idle, prefix+"ms")
	b.ReportMetric(c.all[0]-idle, prefix+"best")
	b.ReportMetric(c.all[len(c.all)*9/10]-idle, prefix+"p90")
	b.ReportMetric(median(c.script), prefix+"script")
	b.ReportMetric(median(c.style)+median(c.layout), prefix+"style+layout")
	b.ReportMetric(idle, prefix+"idle")
}
