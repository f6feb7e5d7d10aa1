// Package real_test runs what real compilers made of the kernels in src and compares every result with the same
// source's native run, bit for bit. See README.md.
package real_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

func TestModulesComputeWhatTheirSourcesComputeNatively(t *testing.T) {
	modules, err := filepath.Glob("ptx/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, modules)
	for _, path := range modules {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".ptx"), func(t *testing.T) {
			t.Parallel()
			report := run(t, path)
			want := readExpected(t, filepath.Join("expect", kernelOf(path)+".txt"))
			require.NotEmpty(t, want)
			for _, b := range want {
				got, ok := report.Buffers[b.name]
				require.True(t, ok, "no buffer %s", b.name)
				compare(t, b, got)
			}
			for _, e := range report.Expectations {
				require.True(t, e.Pass, "line %d: %s: got %s", e.Line, e.Text, e.Got)
			}
			require.True(t, report.OK())
		})
	}
}

// kernelOf is the kernel's name in a module's file name.
func kernelOf(path string) string {
	name, _, _ := strings.Cut(filepath.Base(path), ".")
	return name
}

func run(t *testing.T, path string) *launch.Report {
	t.Helper()
	src, err := os.ReadFile(path)
	require.NoError(t, err)
	m, err := ptx.Parse(path, src)
	require.NoError(t, err)
	spec, err := launch.FromSource(m)
	require.NoError(t, err)
	require.Equal(t, kernelOf(path), spec.Entry)
	report, err := launch.Run(context.Background(), m, spec, emu.Options{Divergence: emu.Independent})
	require.NoError(t, err)
	stack, err := launch.Run(context.Background(), m, spec, emu.Options{Divergence: emu.Stack})
	require.NoError(t, err)
	require.Equal(t, stack.Buffers, report.Buffers, "the divergence models differ")
	if report.Fault != nil {
		require.NoError(t, report.Fault)
	}
	return report
}

// A buffer is what one argument must hold after the run.
type buffer struct {
	name    string
	element int // bytes
	data    []byte
}

// readExpected reads a sidecar file: "buffer name type count" lines, each followed by the bytes as little-endian words.
func readExpected(t *testing.T, path string) []buffer {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var buffers []buffer
	var words []byte // of the last buffer
	finish := func() {
		if n := len(buffers); n > 0 {
			last := &buffers[n-1]
			require.LessOrEqual(t, len(last.data), len(words), "%s of %s is too short", last.name, path)
			copy(last.data, words)
		}
		words = nil
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) == 4 && fields[0] == "buffer" {
			finish()
			bits, err := strconv.Atoi(fields[2][1:])
			require.NoError(t, err)
			count, err := strconv.Atoi(fields[3])
			require.NoError(t, err)
			buffers = append(buffers, buffer{fields[1], bits / 8, make([]byte, count*bits/8)})
			continue
		}
		for _, f := range fields {
			w, err := strconv.ParseUint(f, 16, 32)
			require.NoError(t, err)
			words = binary.LittleEndian.AppendUint32(words, uint32(w))
		}
	}
	finish()
	return buffers
}

// compare reports the first elements that differ, as bits.
func compare(t *testing.T, want buffer, got []byte) {
	t.Helper()
	require.Len(t, got, len(want.data), want.name)
	var differences []string
	count := 0
	for at := 0; at < len(got); at += want.element {
		g, w := got[at:at+want.element], want.data[at:at+want.element]
		if string(g) == string(w) {
			continue
		}
		if count++; count <= 4 {
			differences = append(differences, fmt.Sprintf("%s[%d] is %s, want %s",
				want.name, at/want.element, bitsOf(g), bitsOf(w)))
		}
	}
	require.Zero(t, count, "%s; %d of %d elements differ", strings.Join(differences, ", "), count,
		len(got)/want.element)
}

// bitsOf shows a little-endian element as a hexadecimal number.
func bitsOf(b []byte) string {
	s := "0x"
	for i := len(b) - 1; i >= 0; i-- {
		s += hex.EncodeToString(b[i : i+1])
	}
	return s
}

func TestEverySourceHasModulesOfBothCompilers(t *testing.T) {
	sources, err := filepath.Glob("src/*.c")
	require.NoError(t, err)
	for _, source := range sources {
		name := strings.TrimSuffix(filepath.Base(source), ".c")
		if name == "host" {
			continue
		}
		for _, version := range []string{"19", "22"} {
			for _, level := range []string{"O0", "O2", "O3"} {
				require.FileExists(t, filepath.Join("ptx", name+".clang"+version+"-"+level+".ptx"))
			}
		}
		require.FileExists(t, filepath.Join("expect", name+".txt"))
	}
}

func TestModulesAreMadeFromTheseSources(t *testing.T) {
	sums, err := os.ReadFile("sources.sha256")
	require.NoError(t, err)
	listed := map[string]bool{}
	for line := range strings.Lines(string(sums)) {
		fields := strings.Fields(line)
		require.Len(t, fields, 2)
		text, err := os.ReadFile(fields[1])
		require.NoError(t, err)
		sum := sha256.Sum256(text)
		require.Equal(t, fields[0], hex.EncodeToString(sum[:]), "%s has changed: run regenerate.sh", fields[1])
		listed[fields[1]] = true
	}
	sources, err := filepath.Glob("src/*.[ch]")
	require.NoError(t, err)
	for _, source := range sources {
		require.True(t, listed[filepath.ToSlash(source)], "%s is new: run regenerate.sh", source)
	}
}
