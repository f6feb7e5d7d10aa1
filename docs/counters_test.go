package docs_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/count"
	"warpscope/internal/fresh"
)

const countersHead = `# Counters

What a run can count: made from the table in ` + "`emu/count/table.go` by `go test ./docs -update`" + `. A counter that
Nsight Compute has, too, has Nsight Compute's name here.

All of these are counts of what the program does. None is a time, and nothing here is measured on a GPU: the emulator
has no clock, no caches and no assembler. It counts instructions of PTX, of which an assembler makes fewer or more.
Sectors and wavefronts follow from addresses alone, so they are those of a GPU as far as the rules below describe it.

- **In the page**: the panels Counters and Access, and the numbers beside the lines (Gutter). They are counted while
  one of these is in sight: a second run of the program keeps them, up to the step that is shown.
- **On the command line**: ` + "`warpscope run -counters FILE`" + ` prints them for the kernel and for each line; with
  ` + "`-json`" + ` also for each warp.
- **In a launch header**: ` + "`//@ expect bank_conflicts == 0`" + `, with a short name or the whole one, one of
  ` + "`== != < <= > >=`" + ` and a number. ` + "`at line 12`" + ` at the end asks for that line alone. A ratio is the
  average over all requests. ` + "`findings`" + ` is the number of findings.
- **What runs where**: every run, compiled code included, knows the counters marked with *, and how often it has
  executed each line. They cost nothing: with expectations of these alone, such as ` + "`divergent == 0`" + ` or
  ` + "`instructions <= 8 at line 12`" + `, a run is as it is without. For all others, and for what ` +
	"`-counters`" + ` and the
  page show, the interpreter executes the run and counts, at most 1.5 times as long as without. Compiled code does not
  count sectors and banks: it would have to compare the lanes' addresses before each access.

Counted are ` + "`ld`, `ldu`, `st`, `atom` and `red`" + ` of global, shared and local memory, also through generic
addresses. Not counted are parameters, constants, textures, surfaces, asynchronous and bulk copies, ` + "`ldmatrix`" + `
and other instructions that move matrices.

| counter | in expectations | unit | what it counts | source |
| --- | --- | --- | --- | --- |
`

const countersRegisters = `
## Registers

The result names the first line before which most registers of the kernel's function are live: lanes can still read
them. A register of 64 bits counts as two of 32, one of 16 bits as one; predicates are apart. These are registers of
PTX. An assembler gives registers of its own, often fewer because it orders instructions anew, or more because addresses
and constants need some.

## Occupancy

How many blocks of a kernel fit on a multiprocessor follows from its limits, from the registers that the assembler gives
a thread, and from the shared memory and the threads of a block. The limits are those of the CUDA C++ Programming Guide,
Technical Specifications per Compute Capability; units of allocation are those of the CUDA Occupancy Calculator: 256
registers of a warp, and bytes of shared memory as in the table. Warps are spread over four subpartitions (two in 6.0),
each with its share of the registers. A thread has at most 255 registers, and a block 1024 threads.

| compute capability | blocks | warps | registers | of a block | shared memory | of a block | unit | of the system |
| --: | --: | --: | --: | --: | --: | --: | --: | --: |
`

func countersText() string {
	var b strings.Builder
	b.WriteString(countersHead)
	for _, c := range count.Counters {
		short := ""
		if c.Short != "" {
			short = "`" + c.Short + "`"
			if c.Always {
				short += " *"
			}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", c.Name, short, c.Unit, c.Says, c.Source)
	}
	b.WriteString(countersRegisters)
	for _, s := range count.SMs {
		fmt.Fprintf(&b, "| %d.%d | %d | %d | %d | %d | %d KiB | %d KiB | %d | %d |\n", s.Capability/10, s.Capability%10,
			s.Blocks, s.Warps, s.Registers, s.PerBlock, s.Shared>>10, s.SharedBlock>>10, s.SharedUnit, s.SharedSystem)
	}
	return b.String()
}

func TestCountersAreFresh(t *testing.T) {
	want := countersText()
	if *update {
		require.NoError(t, os.WriteFile("counters.md", []byte(want), 0o644))
	}
	have, err := os.ReadFile("counters.md")
	require.NoError(t, err)
	fresh.Require(t, "counters.md", remedy, want, string(have))
}

// Every counter has all that the table shows, and names are unique.
func TestCountersAreDescribed(t *testing.T) {
	seen := map[string]bool{"": true}
	for _, c := range count.Counters {
		require.NotEmpty(t, c.Unit, c.Name)
		require.NotEmpty(t, c.Source, c.Name)
		require.True(t, strings.HasSuffix(c.Says, "."), c.Name)
		require.False(t, seen[c.Name], c.Name)
		seen[c.Name] = true
		if c.Short != "" && c.Short != c.Name {
			require.False(t, seen[c.Short], c.Short)
			seen[c.Short] = true
		}
	}
}
