package ptx

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var marker = regexp.MustCompile(`(ERROR|WARNING|INFO) ("(?:[^"\\]|\\.)*")`)

// TestErrors parses testdata/errors/*.ptx. Each line's comments name the messages that must appear there, as regular
// expressions of "message [code]"; there must be no others.
func TestErrors(t *testing.T) {
	files, err := filepath.Glob("testdata/errors/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			m, _ := Parse(file, src)
			want := map[int][]string{}
			for i, line := range strings.Split(string(src), "\n") {
				for _, match := range marker.FindAllStringSubmatch(line, -1) {
					text, err := strconv.Unquote(match[2])
					require.NoError(t, err)
					want[i+1] = append(want[i+1], strings.ToLower(match[1])+": .*"+text)
				}
			}
			for _, d := range m.Diagnostics {
				line := m.Position(int(d.Span.Start)).Line
				found := false
				for i, w := range want[line] {
					if regexp.MustCompile(w).MatchString(d.String()) {
						want[line] = append(want[line][:i:i], want[line][i+1:]...)
						found = true
						break
					}
				}
				if !found {
					t.Errorf("unexpected: %s", d)
				}
			}
			for line, ws := range want {
				for _, w := range ws {
					t.Errorf("%s:%d: no message matches %q", file, line, w)
				}
			}
		})
	}
}

// TestCodes runs every code's example.
func TestCodes(t *testing.T) {
	for code, c := range codes {
		t.Run(code, func(t *testing.T) {
			require.NotEmpty(t, c.Description)
			require.NotEmpty(t, c.Example)
			m, err := Parse(code, []byte(c.exampleModule()))
			require.Equal(t, c.severity == Error, err != nil)
			var found []string
			for _, d := range m.Diagnostics {
				found = append(found, d.String())
				if d.Code == code {
					require.Equal(t, c.severity, d.Severity)
					return
				}
			}
			t.Errorf("the example does not give it, but %q", found)
		})
	}
}

// TestCodesAreDocumented: every code that the sources report is in the table.
func TestCodesAreDocumented(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	use := regexp.MustCompile(`\b(?:report|error)\("([a-z-]+)"`)
	for _, file := range files {
		src, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, match := range use.FindAllSubmatch(src, -1) {
			require.Contains(t, codes, string(match[1]), file)
		}
	}
}
