package ptx

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
)

const verdictHead = ".version 8.5\n.target sm_90a\n.address_size 64\n"

// program is a text, and whether we and ptxas 12.5 accept it.
type program struct {
	name, text   string
	ours, theirs bool
}

// verdicts reads testdata/verdicts.txt, whose bodies the kernel in verdicts.txtar surrounds.
func verdicts(t *testing.T) (all []program) {
	kernel := verdictHead + txtar.Text(t, "verdicts/kernel")
	src, err := os.ReadFile("testdata/verdicts.txt")
	require.NoError(t, err)
	p := program{}
	for i, line := range strings.Split(string(src), "\n") {
		rule, reason, _ := strings.Cut(strings.TrimPrefix(line, "["), "] ")
		switch {
		case line == "" || line[0] == '#':
			continue
		case line == "[accepted]":
			p.ours, p.theirs = true, true
		case line == "[refused]":
			p.ours, p.theirs = false, false
		case line[0] == '[':
			require.NotEmpty(t, reason, line)
			p.theirs = rule == "accepted by ptxas alone"
			p.ours = !p.theirs
		default:
			p.name = fmt.Sprintf("verdicts.txt:%d: %s", i+1, line)
			p.text = strings.ReplaceAll(line, `\n`, "\n")
			if rest, module := strings.CutPrefix(p.text, "M "); module {
				p.text = verdictHead + rest
			} else if !strings.HasPrefix(p.text, ".version") {
				p.text = strings.Replace(kernel, "BODY", p.text, 1)
			}
			all = append(all, p)
		}
	}
	return all
}

// TestVerdicts compares the parser with the verdicts of ptxas when the list was made.
func TestVerdicts(t *testing.T) {
	for _, p := range verdicts(t) {
		_, err := Parse("v.ptx", []byte(p.text))
		require.Equal(t, p.ours, err == nil, "%s: %v", p.name, err)
	}
}

// assembler runs the ptxas that WARPSCOPE_PTXAS names; without one the test is skipped.
type assembler struct{ path, dir string }

func newAssembler(t *testing.T) *assembler {
	a := &assembler{os.Getenv("WARPSCOPE_PTXAS"), t.TempDir()}
	if a.path == "" {
		t.Skip("WARPSCOPE_PTXAS names no ptxas")
	}
	return a
}

var (
	targetWord = regexp.MustCompile(`(?m)^\s*\.target[ \t]+(sm_\d+[af]?)`)
	// unknown are words about programs for other machines or newer versions, about which ptxas cannot be asked.
	unknown = regexp.MustCompile(`Unsupported \.version|not defined for option 'gpu-name'|32-Bit compilation`)
	// linking are words about modules that are not whole programs: ptxas is asked about them again as modules.
	linking = regexp.MustCompile(`Unresolved extern|--compile-only`)
)

// ask says whether ptxas accepts a text, and gives its messages. Targets below sm_50, which it no longer knows, run as
// sm_50.
func (a *assembler) ask(number int, text string) (accepted, asked bool, says string) {
	target := "sm_90a"
	if m := targetWord.FindStringSubmatch(text); m != nil {
		target = m[1]
	}
	if len(target) == 5 && target < "sm_50" {
		target = "sm_50"
	}
	file := filepath.Join(a.dir, fmt.Sprint(number, ".ptx"))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return false, false, err.Error()
	}
	args := []string{"-O0", "-arch=" + target, "-o", filepath.Join(a.dir, fmt.Sprint(number, ".bin")), file}
	out, err := exec.Command(a.path, args...).CombinedOutput()
	if linking.Match(out) {
		out, err = exec.Command(a.path, append([]string{"-c"}, args...)...).CombinedOutput()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || unknown.Match(out) {
		return false, false, string(out)
	}
	return err == nil, true, strings.ReplaceAll(string(out), file, "")
}

// hold asks about many programs and reports those with another verdict of ptxas.
func (a *assembler) hold(t *testing.T, programs []program) {
	var wait sync.WaitGroup
	var lock sync.Mutex
	next, asked := 0, 0
	for range runtime.NumCPU() {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for {
				lock.Lock()
				i := next
				next++
				lock.Unlock()
				if i >= len(programs) {
					return
				}
				accepted, known, says := a.ask(i, programs[i].text)
				lock.Lock()
				if known {
					asked++
				}
				if known && accepted != programs[i].theirs {
					t.Errorf("%s\nptxas accepts it: %v. %s", programs[i].name, accepted, says)
				}
				lock.Unlock()
			}
		}()
	}
	wait.Wait()
	t.Logf("%d of %d programs are for versions and targets that this ptxas knows", asked, len(programs))
}

func TestPtxasVerdicts(t *testing.T) { newAssembler(t).hold(t, verdicts(t)) }

// onlyWarned are codes of warnings about programs that ptxas refuses: docs/interpretations.md says why we do not.
var onlyWarned = map[string]bool{"guarded-block": true, "integer-for-float": true, "undeclared-function": true,
	"narrow-address":    true,
	"too-much-constant": true, "future-version": true, "future-target": true}

// onlyHere are codes of errors that ptxas does not report: a target newer than the version, whose programs it compiles,
// and a variable of 2 TB.
var onlyHere = map[string]bool{"needs-newer-version": true, "too-large": true}

// exampleAccepted says whether ptxas accepts the example of a diagnostic.
func exampleAccepted(code string) bool {
	return codes[code].severity != Error && !onlyWarned[code] || onlyHere[code]
}

// TestPtxasCodes asks about the example of every diagnostic.
func TestPtxasCodes(t *testing.T) {
	a := newAssembler(t)
	var all []program
	for code, c := range codes {
		all = append(all, program{name: code, text: c.exampleModule(), theirs: exampleAccepted(code)})
	}
	a.hold(t, all)
}

// differing are files on which ptxas and we differ.
var differing = map[string]string{
	"float-compares-integer-constant.ptx": "the manual's own example",
	"guarded-block.ptx":                   "the manual's prose has guards in front of blocks",
	"legacy-approx.ptx": "rcp.f64 is rcp.rn.f64 up to PTX ISA 1.3 (9.7.3.13); " +
		"ptxas takes it for rcp.approx",
	"nvcc-11-debug.ptx":   "ptxas looks for a function's labels only",
	"nvcc-1.4-open64.ptx": "ptxas crashes on module-scoped .local variables",
	"nvcc-1.x-debug.ptx":  "the debug option and data of PTX 1.x",
	"optix-6-rt.ptx":      "OptiX declares none of its functions",
	"optix-7.ptx":         "OptiX declares none of its functions",
}

// TestPtxasFiles asks about every PTX text of the repository: files, and programs in Markdown.
func TestPtxasFiles(t *testing.T) {
	a := newAssembler(t)
	var all []program
	for _, pattern := range []string{"../public/examples/*.ptx", "../bench/*.ptx", "../testdata/*/*.ptx",
		"../testdata/real/ptx/*.ptx", "testdata/*/*.ptx", "../public/lessons/*.md", "../docs/*.md", "../README.md"} {
		files, err := filepath.Glob(pattern)
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
		for _, file := range files {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			p := program{name: file, text: string(src), theirs: !strings.Contains(pattern+file, "errors")}
			if differing[filepath.Base(file)] != "" {
				p.theirs = !p.theirs
			}
			if filepath.Ext(file) == ".md" {
				all = append(all, snippets(p)...)
			} else {
				all = append(all, p)
			}
		}
	}
	a.hold(t, all)
}

var snippet = regexp.MustCompile("(?ms)^[ \t]*\\.version [0-9].*?(?:^[ \t]*```|</)")

// snippets are the programs in a text.
func snippets(p program) (all []program) {
	for _, at := range snippet.FindAllStringIndex(p.text, -1) {
		text := p.text[at[0]:at[1]]
		text = strings.TrimRight(strings.TrimSuffix(text, "</"), " \t`")
		line := 1 + strings.Count(p.text[:at[0]], "\n")
		all = append(all, program{name: fmt.Sprintf("%s:%d", p.name, line), text: text, theirs: p.theirs})
	}
	return all
}
