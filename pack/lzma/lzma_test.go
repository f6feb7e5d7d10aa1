package lzma

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

// unpack is what the page does, run by Node after public/unpack.js: the SHA-256 of what becomes of a file, in chunks of
// a size or, where that is 0, at once.
const unpack = `
const fs = require("fs"), crypto = require("crypto");
const packed = fs.readFileSync(process.argv[1]), size = Number(process.argv[2]);
const say = (bytes) => console.log(crypto.createHash("sha256").update(Buffer.from(bytes)).digest("hex"));
const fail = (error) => console.log(String(error));
if (size === 0) {
	try { say(unpacked(packed)); } catch (error) { fail(error); }
	process.exit();
}
let at = 0;
const stream = new ReadableStream({ pull(to) {
	if (at >= packed.length) return to.close();
	to.enqueue(new Uint8Array(packed.subarray(at, at += size)));
} });
new Response(unpacking(stream, () => {})).arrayBuffer().then(say, fail);
`

func unpackedHash(t *testing.T, packed []byte, chunk string) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	file := filepath.Join(t.TempDir(), "packed")
	require.NoError(t, os.WriteFile(file, packed, 0o644))
	script, err := os.ReadFile("../../public/unpack.js")
	require.NoError(t, err)
	out, err := exec.Command(node, "-e", string(script)+unpack, file, chunk).CombinedOutput()
	require.NoError(t, err, string(out))
	return strings.TrimSpace(string(out))
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	Compress(&b, data)
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
	t.Run("byte by byte, and at once", func(t *testing.T) {
		data := texts()["records"]
		require.Equal(t, hashOf(data), unpackedHash(t, packed(data), "1"))
		require.Equal(t, hashOf(data), unpackedHash(t, packed(data), "0"))
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
