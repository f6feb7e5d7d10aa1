package ptx

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const moduleHead = ".version 8.0\n.target sm_80\n.address_size 64\n"

// shapes are texts of about a megabyte, with the memory that a line of each can take: a fiftieth more than it does, so
// one more word in each operand or instruction is too much.
func shapes() map[string]sample {
	kernel := func(body string) string {
		return moduleHead + ".visible .entry k()\n{\n.reg .u32 a;\n.reg .pred p;\n" + body + "ret;\n}\n"
	}
	var loops strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&loops, "L%d: add.u32 a, a, 1;\nsetp.lt.u32 p, a, 9;\n@p bra L%d;\n", i, i)
	}
	call := "call f, (a" + strings.Repeat(", a", 299) + ");\n"
	f := ".func f(.reg .u32 x0"
	for i := 1; i < 300; i++ {
		f += fmt.Sprintf(", .reg .u32 x%d", i)
	}
	calls := kernel(strings.Repeat(call, 1_000))
	return map[string]sample{
		"dense code": {282, kernel(strings.Repeat("add.u32 a,a,a;\n", 60_000))},
		"loops":      {310, kernel(loops.String())},
		"long calls": {17_800, strings.Replace(calls, ".visible", f+") { ret; }\n.visible", 1)},
		"one tuple":  {2_560_000, kernel("mov.b64 {" + strings.Repeat("a,", 500_000) + "a}, 0;\n")},
		"loads":      {244, kernel(strings.Repeat("ld.global.u32 a, [a+4];\nmov.u32 a, %tid.x;\n", 20_000))},
		"pairs":      {346, kernel(strings.Repeat("add.u32 a, a, 17;\nsetp.lt.u32 p|p, a, 3;\n", 20_000))},
	}
}

type sample struct {
	most int64 // bytes a line
	text string
}

// held is the memory that a module keeps.
func held(text string) (bytes int64, m *Module) {
	before := heapBytes()
	m, _ = Parse("test.ptx", []byte(text))
	return heapBytes() - before, m
}

func heapBytes() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// A parsed module takes a few times the memory of its text.
func TestMemoryOfModules(t *testing.T) {
	for name, s := range shapes() {
		bytes, m := held(s.text)
		lines := int64(strings.Count(s.text, "\n"))
		t.Logf("%-10s %4.1f times the text, %d bytes a line", name, float64(bytes)/float64(len(s.text)), bytes/lines)
		require.LessOrEqual(t, bytes/lines, s.most, name)
		runtime.KeepAlive(m)
	}
}
