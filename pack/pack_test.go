package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unpack is what the page does, run by Node after public/unpack.js: the SHA-256 of what becomes of a file.
const unpack = `
const fs = require("fs"), crypto = require("crypto");
const packed = fs.readFileSync(process.argv[1]), size = Number(process.argv[2]);
let at = 0;
const stream = new ReadableStream({ pull(to) {
	if (at >= packed.length) return to.close();
	to.enqueue(new Uint8Array(packed.subarray(at, at += size)));
} });
new Response(unpacking(stream, () => {})).arrayBuffer().then(
	(bytes) => console.log(crypto.createHash("sha256").update(Buffer.from(bytes)).digest("hex")),
	(error) => console.log(String(error)));
`

func unpackedHash(t *testing.T, packed []byte, chunk string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	file := filepath.Join(t.TempDir(), "packed")
	require.NoError(t, os.WriteFile(file, packed, 0o644))
	script, err := os.ReadFile("../public/unpack.js")
	require.NoError(t, err)
	out, err := exec.Command(node, "-e", string(script)+unpack, file, chunk).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	compress(&b, data)
	return b.Bytes()
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Texts that use every kind of symbol, all lengths and distances near and far.
func texts() map[string][]byte {
	random := rand.New(rand.NewSource(1))
	noise := make([]byte, 100_000)
	random.Read(noise)
	var copies []byte
	copies = append(copies, noise[:5000]...)
	for len(copies) < 600_000 {
		from, n := random.Intn(len(copies)), 1+random.Intn(random.Intn(400)+1)
		copies = append(copies, copies[from:min(from+n, len(copies))]...)
		if random.Intn(3) == 0 {
			copies = append(copies, byte(random.Intn(256)))
		}
	}
	var records []byte // a stride with one field that grows
	for i := range 20_000 {
		records = append(records, byte(i), byte(i>>8), 0, 0, 7, 0, 0, 0, byte(random.Intn(4)), 1)
	}
	return map[string][]byte{
		"empty": {}, "one byte": {42}, "short": []byte("abcabcabcabcx"), "zeros": make([]byte, 300_000),
		"noise": noise, "copies": copies, "records": records,
	}
}

func TestUnpacksToTheSame(t *testing.T) {
	for name, data := range texts() {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, hashOf(data), unpackedHash(t, packed(data), "1000"))
		})
	}
	t.Run("byte by byte", func(t *testing.T) {
		data := texts()["records"]
		require.Equal(t, hashOf(data), unpackedHash(t, packed(data), "1"))
	})
}

func TestPacksSmall(t *testing.T) {
	data := texts()
	require.Less(t, len(packed(data["zeros"])), 200)
	require.Less(t, len(packed(data["noise"])), len(data["noise"])*102/100)
	// Two bits a record are random, and a counter grows.
	require.Less(t, len(packed(data["records"])), 20_000*2/8*3)
}

func TestDamageIsNoticed(t *testing.T) {
	whole := packed(texts()["copies"])
	require.Contains(t, unpackedHash(t, whole[:len(whole)/2], "1000"), "ends early")
	require.Contains(t, unpackedHash(t, []byte("not lzma, but long enough"), "1000"), "unknown format")
	require.Contains(t, unpackedHash(t, nil, "1000"), "ends early")
}

// One segment has the bytes of all, and zeros between them.
func TestDataIsJoined(t *testing.T) {
	const magic = "\x00asm\x01\x00\x00\x00"
	const types = "\x01\x04\x01\x60\x00\x00" // another section stays
	// Two segments: "ab" at 8, "c" at 200, whose address takes two bytes.
	module := magic + types + "\x0b\x0f\x02" + "\x00\x41\x08\x0b\x02ab" + "\x00\x41\xc8\x01\x0b\x01c"
	got, err := joinData([]byte(module))
	require.NoError(t, err)
	image := "ab" + strings.Repeat("\x00", 190) + "c" // 193 bytes: c1 01
	require.Equal(t, magic+types+"\x0b\xc8\x01"+"\x01\x00\x41\x08\x0b\xc1\x01"+image, string(got))

	// Out of order, one over the other: "abcd" at 8, then "X" at 9, then "y" at 7.
	module = magic + "\x0b\x16\x03" + "\x00\x41\x08\x0b\x04abcd" + "\x00\x41\x09\x0b\x01X" + "\x00\x41\x07\x0b\x01y"
	got, err = joinData([]byte(module))
	require.NoError(t, err)
	require.Equal(t, magic+"\x0b\x0b"+"\x01\x00\x41\x07\x0b\x05"+"yaXcd", string(got))

	same, err := joinData([]byte("no module"))
	require.NoError(t, err)
	require.Equal(t, "no module", string(same))

	for name, bad := range map[string]string{
		"passive segment":   magic + "\x0b\x05\x01\x01\x02ab",
		"section too short": magic + "\x0b\x7f\x01",
		"segment too short": magic + "\x0b\x06\x01\x00\x41\x08\x0b\x02",
	} {
		_, err := joinData([]byte(bad))
		require.Error(t, err, name)
	}
}

// program does what reads the tables of functions: it grows stacks, collects garbage in deep calls, recovers from
// panics and looks at its callers.
const program = `package main

import (
	"fmt"
	"runtime"
	"strings"
)

func deep(n int) []byte {
	if n == 0 {
		runtime.GC()
		return nil
	}
	b := []byte(strings.Repeat("x", n%7))
	return append(deep(n-1), b...)
}

func caller() (name string, line int) {
	pc, _, line, _ := runtime.Caller(1)
	return runtime.FuncForPC(pc).Name(), line
}

func fails() (err any) {
	defer func() { err = recover() }()
	var list []int
	return list[len(deep(3))]
}

func main() {
	done := make(chan int)
	go func() { done <- len(deep(50_000)) }()
	name, line := caller()
	fmt.Println(<-done, fails(), name, line)
}
`

// Packed, a program of Go's does the same, and no longer knows its lines.
func TestProgramsRunWithoutLines(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module program\n\ngo 1.26\n"), 0o644))
	build := exec.Command("go", "build", "-o", "a.wasm")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOWORK=off", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))

	module, err := os.ReadFile(filepath.Join(dir, "a.wasm"))
	require.NoError(t, err)
	smaller, err := joinData(module)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "b.wasm"), smaller, 0o644))

	// 50,000 is 7142 rounds of 0+1+…+6 and 1+2+3+4+5+6 for the last six: 7142*21 + 21.
	const want = "150003 runtime error: index out of range [6] with length 0 main.main "
	require.Equal(t, want+"32", runInNode(t, dir, "a.wasm"))
	require.Equal(t, want+"0", runInNode(t, dir, "b.wasm"))
}

func runInNode(t *testing.T, dir, file string) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	require.NoError(t, err)
	runner := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec_node.js")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	command := exec.Command(node, "--stack-size=8192", runner, filepath.Join(dir, file))
	command.Env = []string{"HOME=" + dir} // Go's loader has room for little
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}
