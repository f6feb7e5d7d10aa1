package browser

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The benchmark, with one block of each kernel: every cell becomes a number, and the tables can be copied.
func TestBenchmarkFillsItsTables(t *testing.T) {
	v := open(t, setting{page: "bench.html?small", width: 390, height: 844, script: noWorker})
	require.Equal(t, 16, js[int](v, `document.querySelectorAll("#bench td").length`), "4 x 3 and 4 numbers")
	v.find("button", "Run the benchmark").click()
	for n := 4; n <= 16; n += 3 { // the page's own first, then those of each kernel
		v.eventually(fmt.Sprint(n, " numbers"), func() (bool, string) {
			said := js[string](v, `document.querySelector("#bench-status").textContent`)
			const filled = `[...document.querySelectorAll("#bench td")].filter((cell) => cell.textContent !== "").length`
			return js[int](v, filled) >= n, said
		})
	}
	v.holds(`!document.querySelector("#bench-run").disabled`)
	require.Contains(t, js[string](v, `document.querySelector("#bench-status").textContent`), "Done")
	cells := js[[]string](v, `[...document.querySelectorAll("#bench td")].map((cell) => cell.textContent)`)
	for i, cell := range cells {
		var number float64
		_, err := fmt.Sscanf(cell, "%g", &number)
		require.NoError(t, err, "cell %d: %q", i, cell)
		require.Greater(t, number, 0.0, "cell %d", i)
	}
	require.LessOrEqual(t, js[float64](v, `document.documentElement.scrollWidth`), 390.0)
	v.find("button", "Copy as Markdown")
}
