package ptx

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// either is the first choice of a line: (a|b).
var either = regexp.MustCompile(`\(([^()]*\|[^()]*)\)`)

// choices are all instructions that a line of testdata/llvm.txt stands for.
func choices(line string) (all []string) {
	at := either.FindStringSubmatchIndex(line)
	if at == nil {
		return []string{line}
	}
	for _, word := range strings.Split(line[at[2]:at[3]], "|") {
		all = append(all, choices(line[:at[0]]+word+line[at[1]:])...)
	}
	return all
}

var bundle = regexp.MustCompile(`\bR(\d+)\b`)

// registers writes R3 out, {%r0, %r1, %r2}.
func registers(name string) string {
	n, _ := strconv.Atoi(name[1:])
	var names []string
	for i := range n {
		names = append(names, fmt.Sprint("%r", i))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// TestLLVM parses what LLVM writes: a second reader of the manual, whose authors also ran NVIDIA's assembler.
func TestLLVM(t *testing.T) {
	const declared = ".reg .b8 %rc<4>; .reg .b16 %rs<8>; .reg .b32 %r<160>; .reg .f32 %f<4>; .reg .b64 %rd<8>; " +
		".reg .pred %p<4>; .reg .f64 %fd<4>;"
	src, err := os.ReadFile("testdata/llvm.txt")
	require.NoError(t, err)
	var version, file string
	var targets []string
	parsed := 0
	for i, line := range strings.Split(string(src), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		if line[0] == '[' {
			head := strings.Fields(strings.Trim(line, "[]"))
			version, targets, file = head[0], strings.Split(head[1], ","), head[2]
			continue
		}
		line, without := strings.CutPrefix(line, "no ")
		wide := ""
		if strings.Contains(line, "%rq") {
			wide = ".reg .b128 %rq<4>;"
		}
		for _, target := range targets {
			for _, inst := range choices(line) {
				text := fmt.Sprintf(".version %s\n.target %s\n.address_size 64\n.entry k() { %s %s\n%s\nret; }\n", version,
					target, declared, wide, bundle.ReplaceAllStringFunc(inst, registers))
				_, err := Parse("llvm.ptx", []byte(text))
				if (err == nil) == without {
					t.Errorf("llvm.txt:%d (%s, %s): %s\n%v", i+1, file, target, inst, err)
				}
				parsed++
			}
		}
	}
	t.Logf("%d instructions", parsed)
}
