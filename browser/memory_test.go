package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// under is a kernel with one buffer under header lines, with directives before it and statements in it.
func under(lines, directives, body string) string {
	return lines + header + directives + ".visible .entry k(.param .u64 buf) {\n" + body + "    ret;\n}\n"
}

const mallocLoop = `    .reg .pred %p; .reg .b64 %d;
L:  { .param .b64 n; .param .b64 r; st.param.b64 [n], 1; call (r), malloc, (n); ld.param.b64 %d, [r]; }
    setp.ne.u64 %p, %d, 0;
    @%p bra L;
`

// A program that asks for more memory than there is ends in a sentence, and the page lives on. How long each takes is
// in the log; the goal is two seconds on an idle machine.
func TestMemoryRunsOutInASentence(t *testing.T) {
	const buf = "//@ arg buf u8[64]\n"
	v := open(t, setting{}).ready()
	for _, c := range []struct{ name, text, status string }{
		{"a variable of 1 GB", under(buf, ".global .b8 g[1000000000];\n", ""), "out of device memory: 1,000,000,000 bytes"},
		{"a buffer of 1 GB", under("//@ arg buf u8[1000000000] = 7\n", "", ""), "the device has 268,435,456"},
		{"with an expectation", under("//@ arg buf u8[1000000000] = 7\n//@ expect buf == 7\n", "", ""),
			"the device has 268,435,456"},
		{"iota", under("//@ arg buf f64[130000000] = iota\n", "", ""), "1,040,000,000 bytes of buffers"},
		{"malloc until null", under("//@ block 32\n"+buf,
			".extern .func (.param .b64 r) malloc (.param .b64 n);\n", mallocLoop), "Finished"},
		{"recursion", under("//@ block 1024\n"+buf, ".func f() {\n    call f;\n    ret;\n}\n", "    call f;\n"),
			"stack overflow"},
		{"as much as there is", under("//@ arg buf u32[60000000]\n", "", ""), "Finished"},
		{"with values", under("//@ arg buf u32[60000000] = 7\n//@ expect buf == 7\n", "", ""), "The expectation is met."},
	} {
		t.Run(c.name, func(t *testing.T) {
			v.t = t
			start := time.Now()
			v.paste(c.text)
			v.button("Run")
			v.status(c.status)
			t.Logf("%v until %q", time.Since(start).Round(time.Millisecond), v.status())
			v.paste(c.text + "\n") // as one who types: each text is another program
			v.paste(c.text)
			require.Equal(t, c.text, v.source())
		})
		v.t = t
	}
	v.load("04-")
	v.button("Run")
	v.status("Finished")
	require.False(t, strings.Contains(js[string](v, "document.body.innerText"), "stopped unexpectedly"))
}

// Four thousand CTAs that never end: the run answers.
func TestEndlessGridInThePage(t *testing.T) {
	v := open(t, setting{}).ready()
	v.paste(under("//@ title Endless\n//@ grid 100000\n//@ block 1024\n//@ arg buf u32[64]\n", "", "L:  bra L;\n"))
	v.region("Launch", "Endless")
	v.button("Run")
	v.status("Running")
	time.Sleep(5 * time.Second)
	v.button("Pause")
	v.eventually("the run to stop", func() (bool, string) {
		status := v.status()
		return !strings.HasPrefix(status, "Running"), status
	})
	v.load("04-")
	v.button("Run")
	v.status("Finished")
}

// Twenty thousand expectations that fail: a hundred are drawn, the others are counted.
func TestManyFailedExpectations(t *testing.T) {
	v := open(t, setting{}).ready()
	start := time.Now()
	v.paste(under("//@ title Many\n//@ arg buf u32[1]\n"+strings.Repeat("//@ expect buf[0] == 1\n", 20_000), "", ""))
	v.region("Launch", "Many")
	t.Logf("%v until it is loaded", time.Since(start).Round(time.Millisecond))
	start = time.Now()
	v.button("Run")
	v.status("20,000 of 20,000 expectations not met")
	v.region("Output", "Another 19,900 expectations failed.")
	v.region("Problems", "19,900 more problems.")
	t.Logf("%v until all is drawn", time.Since(start).Round(time.Millisecond))
	require.Equal(t, 200, js[int](v, `document.querySelectorAll(".expectation, .problem").length`))
	v.load("04-")
	v.button("Run")
	v.status("Finished")
}
