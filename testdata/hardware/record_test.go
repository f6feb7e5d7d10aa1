package hardware_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// record runs record.py.
func record(t *testing.T, args ...string) string {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	cmd := exec.Command(python, append([]string{"record.py"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	return string(out)
}

// TestRecorderReadsTheKernels: without a GPU, record.py says what it would run.
func TestRecorderReadsTheKernels(t *testing.T) {
	out := record(t, "--check")
	require.Len(t, strings.Split(strings.TrimSpace(out), "\n"), len(kernelFiles(t)))
	require.Contains(t, out, "shf.ptx: 4 results of a.b32 b.b32 c.b32 for 640 vectors\n")
	require.Contains(t, out, "full.ptx: every input of rcp.approx.f32 ")
}

// TestRecorderMakesTheSameVectors as these tests.
func TestRecorderMakesTheSameVectors(t *testing.T) {
	edges := readEdges(t)
	var want strings.Builder
	for _, width := range []int{1, 8, 16, 32, 64} {
		for place := range letters {
			sum := sha256.Sum256(columnOf(edges, operand{place, width}))
			fmt.Fprintf(&want, "%c %d %s\n", letters[place], width, hex.EncodeToString(sum[:]))
		}
	}
	require.Equal(t, want.String(), record(t, "--vectors"))
}

// TestRecorderWithAFakeDriver: what record.py asks of a driver, and what it makes of the answers.
func TestRecorderWithAFakeDriver(t *testing.T) {
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	dir := t.TempDir()
	library := filepath.Join(dir, "cuda.so")
	out, err := exec.Command(compiler, "-shared", "-fPIC", "-o", library, "fake/cuda.c").CombinedOutput()
	require.NoError(t, err, string(out))

	said := record(t, "--driver", library, "--out", dir, "xor.ptx", "cvt.fp6fp4.ptx")
	require.Contains(t, said, "Fake, compute capability 9.0, CUDA 12.4")
	require.Contains(t, said, "cvt.fp6fp4.ptx is not for this device or driver: error 222: too new\n"+
		"1 of 2 kernels recorded\n")
	r := readRecording(t, filepath.Join(dir, "xor.txt"))
	require.Equal(t, "Fake", r.head["device"])
	require.Equal(t, "9.0", r.head["compute"])
	text, err := os.ReadFile("xor.ptx")
	require.NoError(t, err)
	sum := sha256.Sum256(text)
	require.Equal(t, hex.EncodeToString(sum[:]), r.sum)
	// The fake's results: those of the first column are the first operand, a predicate; others were never written.
	in := columnOf(readEdges(t), operand{0, 1})
	require.Len(t, r.results["xor.pred 1"], cases)
	for i, b := range r.results["xor.pred 1"] {
		require.Equal(t, in[8*i], b)
	}
	require.Equal(t, make([]byte, 8*cases), r.results["xor.b64 64"])

	said = record(t, "--driver", library, "--accept", "xor.ptx", "cvt.fp6fp4.ptx")
	require.Contains(t, said, "xor.ptx: accepted\ncvt.fp6fp4.ptx: refused, error 222: too new\n")

	file := filepath.Join(dir, "dump")
	record(t, "--driver", library, "--dump", "sin.approx.f32", "0x3f800000", "1000", file)
	dump, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Len(t, dump, 4000)
	require.Equal(t, uint32(0x3f800000+999), binary.LittleEndian.Uint32(dump[4*999:]))
}
