package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/pack/lzma"
)

// bytesOf are bytes written in hexadecimal, with spaces anywhere.
func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	require.NoError(t, err)
	return b
}

// moduleOf is a module with a code section of some functions, and a section before and after it.
func moduleOf(functions ...[]byte) []byte {
	code := []byte{byte(len(functions))}
	for _, f := range functions {
		code = append(binary.AppendUvarint(code, uint64(len(f))), f...)
	}
	module := []byte("\x00asm\x01\x00\x00\x00" + "\x01\x04\x01\x60\x00\x00" + "\x0a")
	module = append(binary.AppendUvarint(module, uint64(len(code))), code...)
	return append(module, "\x0b\x01\x00"...)
}

// restoredInNode is what the page makes of packed bytes that come in pieces of a size or, where that is 0, at once.
func restoredInNode(t *testing.T, packed []byte, size string) []byte {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	script, err := os.ReadFile("../public/unpack.js")
	require.NoError(t, err)
	command := exec.Command(node, "-e", string(script)+`
		const packed = new Uint8Array(require("fs").readFileSync(0)), size = Number(process.argv[1]);
		const say = (bytes) => process.stdout.write(new Uint8Array(bytes));
		const fail = (error) => process.stdout.write(String(error));
		let at = 0;
		const stream = () => new ReadableStream({ pull(to) {
			if (at >= packed.length) return to.close();
			to.enqueue(packed.slice(at, at += size));
		} });
		if (size > 0) new Response(unpacking(stream(), () => {})).arrayBuffer().then(say, fail);
		else try { say(unpacked(packed)); } catch (error) { fail(error); }`, size)
	command.Stdin = bytes.NewReader(packed)
	out, err := command.Output()
	require.NoError(t, err)
	return out
}

func packed(data []byte) []byte {
	var b bytes.Buffer
	lzma.Compress(&b, data)
	return b.Bytes()
}

// A function as Go compiles it, of index 1: two numbers lead to its beginning, one to each of two more points, at which
// two blocks end. It calls function 5, jumps to the last point, and calls function 6 from inside an if.
const (
	goFunction = `01 01 7f` + // one local, an i32
		` 03 40 02 40 02 40 02 40 20 00` + // loop block block block; local.get 0
		` 0e 03 00 00 01 02` + // br_table: numbers 0 and 1 lead to point 0, 2 to point 1, 3 to point 2
		` 0b 42 82 80 84 80 01 10 05` + // end; i64.const 1001 0002 hexadecimal, the number of point 1; call 5
		` 0d 02 0b` + // br_if to the loop; end: point 1
		` 04 40 42 82 80 84 80 01 10 06 0d 02 0b` + // if; i64.const, number 2 again; call 6; br_if to the loop; end
		` 41 03 21 00 0c 01` + // i32.const 3; local.set 0; br to the loop
		` 0b 0b 0b` // end: point 2; end of the loop and of the function

	// What becomes of it. The loop is block 1 from outside, and all branches lead there.
	goSymbols = `01 01 7f 03 40 02 40 02 40 02 40 20 00` +
		` 09 03 02 01 01` + // three points: 2, 1 and 1 numbers lead to them
		` 0b 06 10 05` + // the address of the next point
		` 0d 01 0b` +
		` 04 40 07 00 10 06 0d 01 0b` + // an address whose number is the last one
		` 08 02 0c 01` + // a jump one point further: 1 is folded to 2
		` 0b 0b 0b`
)

func TestFunctionsOfGoAreRewritten(t *testing.T) {
	f, want := bytesOf(t, goFunction), bytesOf(t, goSymbols)
	var g grammar
	g.codes()
	require.Equal(t, want, g.append(nil, newBody(1, f)))
	require.Equal(t, f, restored(1, want, nil))
}

// 40 times local.get 1, drop: first the operand, which is always 1, then the two instructions become one symbol. Two of
// those would save less than 32 bytes. The first code that is no instruction's is 0.
func TestWhatRepeatsGetsATemplate(t *testing.T) {
	function := "\x00" + strings.Repeat("\x20\x01\x1a", 40) + "\x0b" // 122 bytes
	// 143 bytes, of which 8 + 6 + 2 + 1 are before the function's size.
	module := moduleOf([]byte(function))
	head := "\x8f\x01" + "\x01" + "\x00\x03\x20\x01\x1a" + "\x11" + "\x01"
	rewritten := "\x00" + strings.Repeat("\x00", 40) + "\x0b" // 42 bytes
	want := "\x00pak" + "\x0a\x00\x00\x00" + head + string(module[:17]) + "\x54" + rewritten + "\x00\x00" + "\x0b\x01\x00"
	require.Equal(t, want, string(rewriteCode(module, part{})))
	require.Equal(t, module, restoredInNode(t, packed([]byte(want)), "0"))
}

// An operand that is a hole, one that is not, and a branch inside a template.
func TestTemplatesOfControl(t *testing.T) {
	templates := map[byte][]byte{0xe0: bytesOf(t, "02 40 20 80 0d 01 0b"), 0xe1: bytesOf(t, "fc 0a 80 00 43 80")}
	// block; local.get 300; br_if 0, which is the first block from outside; end; block again, as local.get 1, inside
	// another one, where that is 1; memory.copy 5 0; f32.const 1.0
	rewritten := bytesOf(t, "00 e0 ac 02 02 40 e0 01 0b e1 05 00 00 80 3f 0b")
	want := bytesOf(t, "00 02 40 20 ac 02 0d 00 0b 02 40 02 40 20 01 0d 01 0b 0b fc 0a 05 00 43 00 00 80 3f 0b")
	require.Equal(t, want, restored(0, rewritten, templates))
}

// Functions that are not as Go's compiler writes them: all is restored, and so is the rest of the module.
func TestModulesOfOthersAreRestored(t *testing.T) {
	functions := map[string]string{
		"unknown opcode":  "00 d2 05 1a 0b",                                                 // ref.func 5; drop
		"unknown group":   "00 fd 0c 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 1a 0b", // v128.const
		"opcode of ours":  "00 08 01 0b",                                                    // throw 1
		"long numbers":    "00 10 85 80 80 80 00 02 40 0c 80 80 00 0b 0b",                   // call 5; block; br 0; end
		"ends early":      "00 41",
		"falling table":   "00 02 40 02 40 20 00 0e 02 01 00 01 0b 0b 0b",
		"constants":       "00 43 00 00 80 3f 44 00 00 00 00 00 00 f0 3f 1a 1a 42 7f 1a 41 80 7f 1a 0b",
		"loads":           "00 41 08 28 02 80 01 1a 41 00 41 00 11 03 00 fc 06 fc 0b 00 0b",
		"two tables":      "00 02 40 20 00 0e 00 00 0b 02 40 20 00 0e 01 00 01 0b 0b",
		"label too large": "00 0c 05 0b",
		"many locals":     "02 ac 02 7f 01 7e 0b",
	}
	list := [][]byte{bytesOf(t, goFunction), bytesOf(t, goFunction)}
	for _, name := range slices.Sorted(maps.Keys(functions)) {
		f := bytesOf(t, functions[name])
		require.Equal(t, codeMark, string(rewriteCode(moduleOf(f), part{})[:4]), name)
		list = append(list, f)
	}
	// The first is as it is: five bytes, of which 11 is said.
	unknown := rewriteCode(moduleOf(bytesOf(t, functions["unknown opcode"])), part{})
	require.Contains(t, string(unknown), "\x0b\x00\xd2\x05\x1a\x0b")
	module := moduleOf(list...)
	rewritten := rewriteCode(module, part{})
	require.Equal(t, codeMark, string(rewritten[:4]))
	for _, size := range []string{"0", "1"} {
		require.Equal(t, module, restoredInNode(t, packed(rewritten), size), size)
	}
}

func TestOtherFilesStay(t *testing.T) {
	const magic = "\x00asm\x01\x00\x00\x00"
	for name, file := range map[string]string{
		"no module":       "no module",
		"no code":         magic + "\x01\x01\x00",
		"no functions":    magic + "\x0a\x01\x00",
		"long size":       magic + "\x0a\x05\x01\x82\x00\x00\x0b",
		"function cut":    magic + "\x0a\x03\x01\x09\x00",
		"more than said":  magic + "\x0a\x05\x01\x02\x00\x0b\x00",
		"section cut off": magic + "\x0a\x7f\x01",
	} {
		require.Equal(t, file, string(rewriteCode([]byte(file), part{})), name)
	}
}

// A damaged module neither hangs nor is taken for a whole one.
func TestDamagedCodeIsNoticed(t *testing.T) {
	rewritten := rewriteCode(moduleOf(bytesOf(t, goFunction)), part{})
	for name, damage := range map[string]func(b []byte) []byte{
		"end missing":  func(b []byte) []byte { return b[:len(b)-1] },
		"head missing": func(b []byte) []byte { return b[:10] },
		"too much":     func(b []byte) []byte { return append(b, 0) },
	} {
		got := restoredInNode(t, packed(damage(bytes.Clone(rewritten))), "0")
		require.Contains(t, string(got), "the packed engine is damaged", name)
	}
}
