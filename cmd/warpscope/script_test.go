package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/headless"
)

// A script in testdata is a list of invocations and the files that they find:
//
//	# a comment
//	$ check a.ptx          arguments; double quotes hold words together
//	< text                 a line of standard input
//	| text                 a line of what it must print; "…" matches anything
//	! text                 the same for standard error
//	= 3                    the exit status; 0 when absent
//	-- a.ptx --            a file, up to the next such line
type script struct {
	calls []call
	files map[string]string
}

type call struct {
	line         int
	args         []string
	in, out, err string
	status       int
}

var word = regexp.MustCompile(`"[^"]*"|\S+`)

func readScript(t *testing.T, file string) script {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	s := script{files: map[string]string{}}
	name := ""
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		if begin, ok := strings.CutPrefix(line, "-- "); ok && strings.HasSuffix(begin, " --") {
			name = strings.TrimSuffix(begin, " --")
			s.files[name] = ""
			continue
		}
		if name != "" {
			s.files[name] += line + "\n"
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		sign, rest := line[0], strings.TrimPrefix(line[1:], " ")
		if sign == '$' {
			c := call{line: i + 1}
			for _, w := range word.FindAllString(rest, -1) {
				c.args = append(c.args, strings.ReplaceAll(w, `"`, ""))
			}
			s.calls = append(s.calls, c)
			continue
		}
		require.NotEmpty(t, s.calls, "%s:%d", file, i+1)
		c := &s.calls[len(s.calls)-1]
		switch sign {
		case '<':
			c.in += rest + "\n"
		case '|':
			c.out += rest + "\n"
		case '!':
			c.err += rest + "\n"
		case '=':
			c.status, err = strconv.Atoi(rest)
			require.NoError(t, err)
		default:
			require.Failf(t, "what is this", "%s:%d: %s", file, i+1, line)
		}
	}
	return s
}

// agree compares what was printed with what must be.
func agree(t *testing.T, want, have string, place ...any) {
	t.Helper()
	if !strings.Contains(want, "…") {
		require.Equal(t, want, have, place...)
		return
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(want), "…", "(?s:.*?)")
	require.Regexp(t, "^"+pattern+"$", have, place...)
}

func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, file := range files {
		files[i], err = filepath.Abs(file)
		require.NoError(t, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			s := readScript(t, file)
			t.Chdir(t.TempDir())
			for name, text := range s.files {
				require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
				require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
			}
			for _, c := range s.calls {
				for range 2 { // twice: what is printed depends on the files alone
					var out, errs bytes.Buffer
					status := headless.Command(c.args, &system{strings.NewReader(c.in), &out, &errs})
					agree(t, c.out, out.String(), "%s:%d: printed; errors: %s", file, c.line, errs.String())
					agree(t, c.err, errs.String(), "%s:%d: errors", file, c.line)
					require.Equal(t, c.status, status, "%s:%d: exit status", file, c.line)
					if strings.Contains(strings.Join(c.args, " "), "-w") {
						break // the files are others now
					}
				}
			}
		})
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, nil, {"walk"}, {"run"}, {"run", "-x", "-"}} {
		var out, errs bytes.Buffer
		status := headless.Command(args, &system{strings.NewReader(""), &out, &errs})
		if len(args) > 0 && strings.HasSuffix(args[0], "help") {
			require.Zero(t, status)
			require.Contains(t, out.String(), "usage: warpscope check")
			require.Empty(t, errs.String())
		} else {
			require.Equal(t, 2, status)
			require.Contains(t, errs.String(), "usage: warpscope ")
			require.Empty(t, out.String())
		}
	}
}

// TestHelpOfCommands: the help of a command has a line for each flag that docs/headless.md says it has, and no other.
func TestHelpOfCommands(t *testing.T) {
	text, err := os.ReadFile("../../docs/headless.md")
	require.NoError(t, err)
	commands := []string{"check", "run", "test", "explain", "fmt"}
	want := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| (`-.*?) \\| ([a-z, ]+) \\|").FindAllStringSubmatch(string(text), -1) {
		of := strings.Split(row[2], ", ")
		if row[2] == "all" {
			of = commands
		}
		for _, flag := range regexp.MustCompile("`(-[a-z]+)").FindAllStringSubmatch(row[1], -1) {
			for _, command := range of {
				want[command] = append(want[command], flag[1])
			}
		}
	}
	for _, command := range commands {
		for _, args := range [][]string{{command, "-h"}, {command, "a.ptx", "-help"}, {"help", command}} {
			var out, errs bytes.Buffer
			require.Zero(t, headless.Command(args, &system{strings.NewReader(""), &out, &errs}))
			require.Empty(t, errs.String())
			require.Contains(t, out.String(), "usage: warpscope "+command+" ")
			var has []string
			for _, line := range regexp.MustCompile(`(?m)^  (-[a-z]+) .*\w`).FindAllStringSubmatch(out.String(), -1) {
				has = append(has, line[1])
			}
			require.ElementsMatch(t, want[command], has, command)
		}
	}
}

// Of very many failed expectations a hundred are told one by one, and the others counted.
func TestManyFailedExpectations(t *testing.T) {
	text := "//@ arg out u32[1]\n" + strings.Repeat("//@ expect out[0] == 1\n", 20_000) +
		".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n    ret;\n}\n"
	for command, end := range map[string]string{
		"run":  "\nFAIL  19,900 more expectations\narithmetic: all exact\nFAIL\n",
		"test": "\n      19,900 more expectations\n",
	} {
		var out, errs bytes.Buffer
		file := filepath.Join(t.TempDir(), "many.ptx")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		require.Equal(t, 1, headless.Command([]string{command, file}, &system{strings.NewReader(""), &out, &errs}))
		require.Contains(t, out.String(), end)
		require.Equal(t, 100, strings.Count(out.String(), "out[0] is 0, expected 1"), out.String()[:500])
	}
}
