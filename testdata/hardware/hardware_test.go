// Package hardware_test compares the emulator with recordings of an NVIDIA GPU, and the kernels that are recorded with
// the model of emu/slow. See README.md.
package hardware_test

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/slow"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// readEdges are the values of edges.txt by width.
func readEdges(t *testing.T) map[int][]uint64 {
	text, err := os.ReadFile("edges.txt")
	require.NoError(t, err)
	edges := map[int][]uint64{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		words := strings.Fields(line)
		width, err := strconv.Atoi(words[0])
		require.NoError(t, err)
		for _, w := range words[1:] {
			v, err := strconv.ParseUint(w, 16, 64)
			require.NoError(t, err)
			edges[width] = append(edges[width], v)
		}
	}
	return edges
}

// mix is SplitMix64.
func mix(x uint64) uint64 {
	z := x + 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// value is an operand of a vector: as record.py computes it.
func value(edges map[int][]uint64, o operand, i int) uint64 {
	e := edges[o.width]
	if n := len(e); i < n*n {
		switch o.place {
		case 0:
			return e[i%n]
		case 1:
			return e[i/n]
		}
		return e[(7*i+i/n+3*o.place)%n]
	}
	r := mix(uint64(i<<16 | o.place<<8 | o.width))
	near, kind := mix(r)%8, r>>62
	switch {
	case o.width == 16 && kind == 2:
		r = r&0x83ff | (12+near%6)<<10
	case o.width == 16 && kind == 3:
		r = r&0x807f | (124+near)<<7
	case o.width == 32 && kind >= 2:
		r = r&0x807fffff | (124+near)<<23
	case o.width == 64 && kind >= 2:
		r = r&0x800fffffffffffff | (1020+near)<<52
	}
	return r & (^uint64(0) >> (64 - o.width))
}

func columnOf(edges map[int][]uint64, o operand) []byte {
	b := make([]byte, 0, column)
	for i := range cases {
		b = binary.LittleEndian.AppendUint64(b, value(edges, o, i))
	}
	return b
}

// vectors is a vector kernel that the emulator has run.
type vectors struct {
	module  *ptx.Module
	columns []operand
	results []string
	in, out []byte
}

// execute runs a kernel on its vectors.
func execute(t *testing.T, path string, edges map[int][]uint64) *vectors {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	v := &vectors{}
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case strings.HasPrefix(line, "//: operand "):
			width, err := strconv.Atoi(words[3])
			require.NoError(t, err)
			v.columns = append(v.columns, operand{strings.Index(letters, words[2]), width})
			v.in = append(v.in, columnOf(edges, v.columns[len(v.columns)-1])...)
		case strings.HasPrefix(line, "//: result "):
			v.results = append(v.results, words[2]+" "+words[3])
		}
	}
	v.out = make([]byte, len(v.results)*column)
	v.module, err = ptx.Parse(path, text)
	require.NoError(t, err)
	d, err := emu.Load(v.module, emu.Options{})
	require.NoError(t, err)
	from, err := d.Alloc(len(v.in))
	require.NoError(t, err)
	to, err := d.Alloc(len(v.out))
	require.NoError(t, err)
	require.NoError(t, d.Write(from, v.in))
	g, err := d.Launch(emu.Config{Entry: "vectors", Grid: emu.Dim3{X: cases / block}, Block: emu.Dim3{X: block},
		Args: [][]byte{emu.Ptr(from), emu.Ptr(to)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(t.Context()))
	require.NoError(t, d.Read(to, v.out))
	return v
}

// at is a word of a column.
func at(columns []byte, n, i int) uint64 { return binary.LittleEndian.Uint64(columns[n*column+8*i:]) }

// expected are the results of one vector by the model; known says which of them it knows: all but those that the
// manual only bounds.
func (v *vectors) expected(i int) (want []slow.Result, known []bool) {
	registers := map[*ptx.Reg]slow.Result{}
	bounded := map[*ptx.Reg]bool{}
	carry := false
	for _, in := range v.module.Funcs[0].Insts {
		ops := in.Operands
		switch in.Match.Form.Mnemonic {
		case "ld":
			if a := ops[1]; a.Reg != nil {
				registers[ops[0].Reg] = slow.Result{Bits: at(v.in, int(a.Off())/column, i)}
			}
			continue
		case "st":
			want = append(want, registers[ops[1].Reg])
			known = append(known, !bounded[ops[1].Reg])
			continue
		case "ret", "mov":
			continue
		}
		if emu.Bound(in.Match) != "" {
			bounded[ops[0].Reg] = true
			continue
		}
		var values []uint64
		for _, op := range ops[1:] {
			if op.Kind == ptx.OpReg {
				values = append(values, registers[op.Reg].Bits)
			} else {
				values = append(values, op.Imm)
			}
		}
		var list []slow.Result
		list, carry = slow.Eval(in.Match, values, 1, carry)
		bits := ops[0].Reg.Type.Bits()
		list[0].Bits &= ^uint64(0) >> (64 - bits)
		registers[ops[0].Reg], bounded[ops[0].Reg] = list[0], false
		if ops[0].Second() != nil {
			registers[ops[0].Second().Reg] = list[1]
		}
	}
	return want, known
}

func kernelFiles(t *testing.T) []string {
	files, err := filepath.Glob("*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	return files
}

// TestKernelsAgainstTheModel: the emulator's results of every third vector are the model's, and so each kernel is
// a valid program that stores what its header says.
func TestKernelsAgainstTheModel(t *testing.T) {
	edges := readEdges(t)
	compared := 0
	for _, path := range kernelFiles(t) {
		if path == "full.ptx" {
			continue
		}
		v := execute(t, path, edges)
		for i := 0; i < cases; i += 3 {
			want, known := v.expected(i)
			require.Len(t, want, len(v.results), path)
			for n := range want {
				if got := at(v.out, n, i); known[n] {
					compared++
					require.True(t, want[n].Accepts(got), "%s: %s of vector %d: got %#x, want %#x", path, v.results[n], i, got,
						want[n].Bits)
				}
			}
		}
	}
	t.Logf("%d results compared", compared)
}

// recording is a file that record.py has written.
type recording struct {
	head    map[string]string // device, compute, driver, kernel
	sum     string            // of the kernel's text
	results map[string][]byte // by name and width
	hashes  []string          // of a full recording
	block   uint64
}

func readRecording(t *testing.T, path string) *recording {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	r := &recording{head: map[string]string{}, results: map[string][]byte{}}
	var name string
	var body strings.Builder
	finish := func() {
		if name == "" {
			return
		}
		packed, err := base64.StdEncoding.DecodeString(body.String())
		require.NoError(t, err)
		z, err := zlib.NewReader(bytes.NewReader(packed))
		require.NoError(t, err)
		r.results[name], err = io.ReadAll(z)
		require.NoError(t, err)
		body.Reset()
	}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		word, rest, found := strings.Cut(lines.Text(), " ")
		switch {
		case word == "result":
			finish()
			name = rest
		case word == "full":
			_, size, _ := strings.Cut(rest, " ")
			r.block, err = strconv.ParseUint(size, 10, 64)
			require.NoError(t, err)
		case word == "kernel":
			r.head[word], r.sum, _ = strings.Cut(rest, " ")
		case found:
			r.head[word] = rest
		case name != "":
			body.WriteString(word)
		default:
			r.hashes = append(r.hashes, word)
		}
	}
	finish()
	return r
}

// recordings reads those of one kind, or skips the test.
func recordings(t *testing.T, full bool) map[string]*recording {
	files, err := filepath.Glob("recordings/*.txt")
	require.NoError(t, err)
	list := map[string]*recording{}
	for _, path := range files {
		if strings.HasPrefix(filepath.Base(path), "full-") == full {
			r := readRecording(t, path)
			text, err := os.ReadFile(r.head["kernel"])
			require.NoError(t, err)
			sum := sha256.Sum256(text)
			require.Equal(t, r.sum, hex.EncodeToString(sum[:]), "%s: the kernel has changed since: record it again", path)
			list[path] = r
		}
	}
	if len(list) == 0 {
		t.Skip("no recording yet")
	}
	return list
}

// TestRecordings: what a GPU computed is what the emulator computes, where the manual leaves one answer.
func TestRecordings(t *testing.T) {
	edges := readEdges(t)
	for path, r := range recordings(t, false) {
		t.Logf("%s: %s, compute capability %s, %s", path, r.head["device"], r.head["compute"], r.head["driver"])
		v := execute(t, r.head["kernel"], edges)
		same := map[string]int{}
		for i := range cases {
			want, known := v.expected(i)
			for n, name := range v.results {
				size := len(r.results[name]) / cases
				require.NotZero(t, size, "%s has no %s", path, name)
				var word [8]byte
				copy(word[:], r.results[name][i*size:(i+1)*size])
				there, here := binary.LittleEndian.Uint64(word[:]), at(v.out, n, i)
				if there == here {
					same[name]++
				} else if known[n] && !want[n].Accepts(there) {
					t.Errorf("%s of vector %d: the GPU has %#x, we have %#x", name, i, there, here)
				}
			}
		}
		for _, name := range v.results {
			if same[name] < cases {
				t.Logf("%s: %d of %d are the same", name, same[name], cases)
			}
		}
	}
}

// TestFullRecordings: of the approximate functions in emu's list of recorded ones, the inputs of some blocks give what
// a GPU gave. Of the others, it counts.
func TestFullRecordings(t *testing.T) {
	const some = 256 // every so many blocks
	text, err := os.ReadFile("full.ptx")
	require.NoError(t, err)
	m, err := ptx.Parse("full.ptx", text)
	require.NoError(t, err)
	for path, r := range recordings(t, true) {
		opcode := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), "full-"), ".txt")
		same, compared := 0, 0
		for n := 0; n < len(r.hashes); n += some {
			compared++
			if r.hashes[n] == hashOf(t, m, opcode, uint64(n)*r.block, r.block) {
				same++
			}
		}
		bounds, err := isa.Resolve(opcode)
		require.NoError(t, err)
		if emu.Bound(bounds[0]) == "" {
			require.Equal(t, compared, same, opcode)
		}
		t.Logf("%s: %d of %d blocks are the same", opcode, same, compared)
	}
}

// hashOf is the hash of a block of a function's results.
func hashOf(t *testing.T, m *ptx.Module, opcode string, first, count uint64) string {
	d, err := emu.Load(m, emu.Options{})
	require.NoError(t, err)
	to, err := d.Alloc(int(4 * count))
	require.NoError(t, err)
	entry := ""
	for n, o := range fullOpcodes {
		if o == opcode {
			entry = fmt.Sprintf("f%d", n)
		}
	}
	g, err := d.Launch(emu.Config{Entry: entry, Grid: emu.Dim3{X: int(count / block)}, Block: emu.Dim3{X: block},
		Args: [][]byte{emu.U32(uint32(first)), emu.Ptr(to)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(t.Context()))
	out := make([]byte, 4*count)
	require.NoError(t, d.Read(to, out))
	sum := sha256.Sum256(out)
	return hex.EncodeToString(sum[:])[:16]
}
