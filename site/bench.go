package main

import (
	"fmt"
	"strings"

	"warpscope/bench"
)

// measured are the kernels that the benchmark runs, with what each shows.
var measured = []struct{ Name, Shows string }{
	{"hash", "a loop over integers"},
	{"mandel", "a loop whose lanes leave it at different times"},
	{"saxpy", "a pass over memory"},
	{"matmul", "shared memory and barriers"},
}

// kernel is a program of the benchmark as the page shows it.
type kernel struct{ Name, Shows, Text string }

// writeBench makes the page that measures the engine in the reader's browser.
func writeBench(public string) error {
	var list []kernel
	for _, one := range measured {
		text, err := bench.Kernels.ReadFile(one.Name + ".ptx")
		if err != nil {
			return fmt.Errorf("the benchmark: %w", err)
		}
		list = append(list, kernel{one.Name, one.Shows, strings.TrimSpace(string(text))})
	}
	p := page{Title: "Benchmark", Section: "About", Embeds: true,
		Summary: "How fast Warpscope is in this browser: four kernels under both engines, and the page itself."}
	return writePage(public, "bench.html", p, "bench.html", list)
}
