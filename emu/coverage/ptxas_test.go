package coverage

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// The tests TestPtxas… ask NVIDIA's assembler which statements are legal, and hold its answers against the parser's.
// They need WARPSCOPE_PTXAS, the path of a ptxas, and were written against ptxas 12.5 (PTX ISA 8.5, up to sm_90a).
// WARPSCOPE_PTXAS_OPCODES is how many opcodes of a syntax line they ask about, WARPSCOPE_PTXAS_FORMS a regular
// expression of the forms, WARPSCOPE_PTXAS_EXAMPLES how many differences of a kind they show. They take minutes. Where
// the two differ for a reason, the list differences (ptxas_known_test.go) says which.

// The newest that ptxas 12.5 knows.
const (
	askVersion = 85
	askSM      = 90
	askArch    = "a"
	askTarget  = "sm_90a"
)

// question is one statement for a .version and .target, and what is wrong with it by both; "" is nothing.
type question struct {
	version      int
	target       string
	form, text   string
	ours, theirs string
}

// where is the version and target.
func (q *question) where() string { return fmt.Sprint(q.version, " ", q.target) }

// assembler asks ptxas.
type assembler struct{ path, dir string }

func newAssembler(t *testing.T) *assembler {
	path := os.Getenv("WARPSCOPE_PTXAS")
	if path == "" {
		t.Skip("WARPSCOPE_PTXAS does not name a ptxas")
	}
	return &assembler{path, t.TempDir()}
}

// setting is a number that the environment may change.
func setting(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

const addFunc = ".func (.reg .b32 r) add1(.reg .b32 a) { add.u32 r, a, 1; ret; }"

// declared are what statements may name, by name: of the module, and of the kernel.
var declared = []struct{ name, module, kernel string }{
	{"add1", addFunc, ""}, {"callees", addFunc, "callees: .calltargets add1;"},
	{"nothing", ".func nothing() { ret; }", ""},
	{"%p", "", ".reg .pred %p<8>;"}, {"%b8x", "", ".reg .b8 %b8x<300>;"}, {"%b16x", "", ".reg .b16 %b16x<300>;"},
	{"%b32x", "", ".reg .b32 %b32x<300>;"}, {"%b64x", "", ".reg .b64 %b64x<300>;"},
	{"%b128x", "", ".reg .b128 %b128x<300>;"},
	{"%u8x", "", ".reg .u8 %u8x<300>;"}, {"%s8x", "", ".reg .s8 %s8x<300>;"},
	{"%u16x", "", ".reg .u16 %u16x<300>;"}, {"%s16x", "", ".reg .s16 %s16x<300>;"},
	{"%u32x", "", ".reg .u32 %u32x<300>;"}, {"%s32x", "", ".reg .s32 %s32x<300>;"},
	{"%u64x", "", ".reg .u64 %u64x<300>;"}, {"%s64x", "", ".reg .s64 %s64x<300>;"},
	{"%f16x", "", ".reg .f16 %f16x<300>;"}, {"%f32x", "", ".reg .f32 %f32x<300>;"}, {"%f64x", "", ".reg .f64 %f64x<300>;"},
	{"%f16x2x", "", ".reg .f16x2 %f16x2x<300>;"}, {"%v2x", "", ".reg .v2 .b32 %v2x<4>;"},
	{"gvar", ".global .align 16 .b8 gvar[256];", ""}, {"svar", ".shared .align 16 .b8 svar[256];", ""},
	{"cvar", ".const .align 16 .b8 cvar[256];", ""}, {"lvar", "", ".local .align 16 .b8 lvar[256];"},
	{"avar", "", ".param .align 16 .b8 avar[256];"},
	{"gtex", ".global .texref gtex;", ""}, {"gsurf", ".global .surfref gsurf;", ""},
	{"targets", "", "targets: .branchtargets start, end;"},
	{"proto", "", "proto: .callprototype (.reg .b32 r) _ (.reg .b32 a);"},
}

// moduleHead is the module's head, with what the statements name.
func moduleHead(all ...*question) string {
	q := all[0]
	s := fmt.Sprintf(".version %d.%d\n.target %s\n", q.version/10, q.version%10, q.target)
	if q.version >= 23 {
		s += ".address_size 64\n"
	}
	for _, d := range declared {
		named := func(q *question) bool { return strings.Contains(q.text, d.name) }
		if d.module != "" && !strings.Contains(s, d.module) && slices.ContainsFunc(all, named) {
			s += d.module + " "
		}
	}
	return s + "\n"
}

// kernel is the statement in a kernel of its own, on one line.
func (q *question) kernel(name string) string {
	s := ".entry " + name
	if strings.Contains(q.text, "kvar") {
		s += "(.param .align 16 .b8 kvar[256])"
	}
	s += " { "
	for _, d := range declared {
		if d.kernel != "" && strings.Contains(q.text, d.name) {
			s += d.kernel + " "
		}
	}
	return s + "start: " + q.text + " end: ret; }\n"
}

// askUs fills in our answer.
func (q *question) askUs() {
	m, err := ptx.Parse("q.ptx", []byte(moduleHead(q)+q.kernel("k")))
	var ds ptx.Diagnostics
	if errors.As(err, &ds) && len(ds.Errors()) > 0 {
		q.ours = ds.Errors()[0].Code + ": " + ds.Errors()[0].Message
	}
	for _, d := range m.Diagnostics { // these warnings say that ptxas refuses it
		if d.Code == "integer-for-float" || d.Code == "narrow-address" {
			q.ours = d.Code + ": " + d.Message
		}
	}
}

var complaint = regexp.MustCompile(`q\.ptx, line (\d+); *(?:error|fatal) *: *(.*)|Entry function 'k(\d+)' *(.*)`)

// ask fills in the answers of ptxas to questions for one version and target. It names what is wrong by line, but stops
// at some mistakes; then the lines that it has named are left out, and it is asked again.
func (a *assembler) ask(t *testing.T, all []*question) {
	const most = 100
	for ; len(all) > most; all = all[most:] {
		a.ask(t, all[:most])
	}
	for left := slices.Clone(all); len(left) > 0; {
		head := moduleHead(left...)
		var b strings.Builder
		b.WriteString(head)
		for i, q := range left {
			b.WriteString(q.kernel("k" + strconv.Itoa(i)))
		}
		out, err := a.run(t, b.String(), left[0].target)
		if err == nil {
			return
		}
		if crashed(err) && len(left) == 1 {
			return // it found nothing wrong before it went on to compile
		}
		if !blame(t, left, strings.Count(head, "\n")+1, out) {
			if len(left) > 1 {
				a.ask(t, left[:len(left)/2])
				a.ask(t, left[len(left)/2:])
				return
			}
			left[0].theirs = strings.TrimSpace(out[strings.LastIndex(strings.TrimSpace(out), "\n")+1:])
			if left[0].theirs == "" {
				left[0].theirs = err.Error()
			}
		}
		left = slices.DeleteFunc(left, func(q *question) bool { return q.theirs != "" })
	}
}

// run assembles a module; ptxas 12.5 compiles older targets for sm_50, after checking them.
func (a *assembler) run(t *testing.T, text, target string) (string, error) {
	file := filepath.Join(a.dir, "q.ptx")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	if n, _ := strconv.Atoi(strings.TrimRight(target[len("sm_"):], "af")); n < 50 {
		target = "sm_50"
	}
	out, err := exec.Command("timeout", "60", a.path, "-O0", "-arch="+target, "-o", "/dev/null", file).CombinedOutput()
	return string(out), err
}

// crashed says whether a program ended by a signal, which timeout turns into its own.
func crashed(err error) bool {
	var exit *exec.ExitError
	const refused = 255
	return errors.As(err, &exit) && exit.ExitCode() != refused && (exit.ExitCode() < 0 || exit.ExitCode() > 128)
}

// blame gives the complaints to the questions of their lines, and says whether there were any.
func blame(t *testing.T, all []*question, first int, out string) bool {
	any := false
	for _, m := range complaint.FindAllStringSubmatch(out, -1) {
		i, _ := strconv.Atoi(m[1] + m[3])
		if m[1] != "" {
			i -= first
		}
		require.True(t, 0 <= i && i < len(all), "ptxas complains about the frame:\n%s", out)
		any = true
		if text := m[2] + m[4]; !strings.Contains(all[i].theirs, text) {
			all[i].theirs = strings.TrimPrefix(all[i].theirs+"; "+text, "; ")
		}
	}
	return any
}

// compare asks both and reports where they differ.
func (a *assembler) compare(t *testing.T, all []*question) {
	require.NotEmpty(t, all, "WARPSCOPE_PTXAS_FORMS matches no form")
	groups := map[string][]*question{}
	var keys []string
	for _, q := range all {
		k := q.where()
		if groups[k] == nil {
			keys = append(keys, k)
		}
		groups[k] = append(groups[k], q)
	}
	for _, k := range keys {
		a.ask(t, groups[k])
	}
	report(t, all)
}

var quoted = regexp.MustCompile(`'[^']*'`)

// report gathers the differences that have one reason.
func report(t *testing.T, all []*question) {
	examples := setting("WARPSCOPE_PTXAS_EXAMPLES", 4)
	found := map[string][]string{}
	counts := map[string]int{}
	differ, kept := 0, 0
	for _, q := range all {
		q.askUs()
		if (q.ours == "") == (q.theirs == "") {
			continue
		}
		if differ++; q.known() {
			kept++
			continue
		}
		code, _, _ := strings.Cut(q.ours, ":")
		reason := q.form + ": " + code + " by us alone"
		why := q.ours
		if q.ours == "" {
			reason, why = q.form+": refused by ptxas alone: "+quoted.ReplaceAllString(q.theirs, "…"), q.theirs
		}
		if counts[reason]++; counts[reason] <= examples {
			found[reason] = append(found[reason], fmt.Sprintf("%s  %s  (%s)", q.where(), q.text, why))
		}
	}
	for reason, list := range found {
		t.Errorf("%s (%d)\n\t%s", reason, counts[reason], strings.Join(list, "\n\t"))
	}
	t.Logf("%d asked, %d differ, %d of them known", len(all), differ, kept)
}
