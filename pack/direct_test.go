package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math/rand/v2"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDirectJumps has functions as Go's compiler writes them, and what must become of them. Points are named by number:
// here each has one.
func TestDirectJumps(t *testing.T) {
	const see = ` 10 05` // call 5, which has no return address, in the middle of a point
	for name, c := range map[string]struct{ from, to string }{
		"forward": {
			// loop, three blocks, table. Point 0: if local.get 1, jump to 2. 1: see. 2: see, return.
			`01 01 7f 03 40 02 40 02 40 02 40 20 00 0e 02 00 01 02 0b` +
				` 20 01 04 40 41 02 21 00 0c 03 0b 0b` + see + ` 0b` + see + ` 41 00 0f 0b 00 0b`,
			// One block, to whose end the branch leads. Only the first point is entered, so there is no table.
			`01 01 7f 02 40 20 01 0d 00` + see + ` 0b` + see + ` 41 00 0f 00 0b`,
		},
		"loop": {
			// Point 0: see. 1: see; if local.get 1, jump to 1. 2: return.
			`01 01 7f 03 40 02 40 02 40 02 40 20 00 0e 02 00 01 02 0b` +
				see + ` 0b` + see + ` 20 01 04 40 41 01 21 00 0c 02 0b 0b 41 00 0f 0b 00 0b`,
			`01 01 7f` + see + ` 03 40` + see + ` 20 01 0d 00 0b 41 00 0f 00 0b`,
		},
		"the condition is last": { // as Go turns loops around
			// 0: jump to 2. 1: see. 2: if local.get 1, jump to 1. 3: return. The loop begins with 2, goes on with 1.
			`01 01 7f 03 40 02 40 02 40 02 40 02 40 20 00 0e 03 00 01 02 03 0b` +
				` 41 02 21 00 0c 03 0b` + see + ` 0b 20 01 04 40 41 01 21 00 0c 02 0b 0b 41 00 0f 0b 00 0b`,
			// A block up to 3. A loop, which begins with 2: if local.get 1, on to 1, else to 3. 1: see; back.
			`01 01 7f 02 40 03 40 02 40 20 01 0d 00 0c 02 0b` + see + ` 0c 00 0b 0b 41 00 0f 00 0b`,
		},
		"a call in the loop": {
			// block (suspended), loop, blocks. 0: see. 1: i64.const address of 2; drop; call 6; br_if suspended. 2: if
			// local.get 1, jump to 1. 3: return.
			`01 01 7f 02 40 03 40 02 40 02 40 02 40 02 40 20 00 0e 03 00 01 02 03 0b` +
				see + ` 0b 42 82 80 80 80 01 1a 10 06 0d 03 0b 20 01 04 40 41 01 21 00 0c 02 0b 0b 41 00 0f 0b` +
				` 00 0b 41 01 0b`,
			// The call may suspend the function, so the way back still goes through the table. The last point needs no
			// block; its number leads where that before it does.
			`01 01 7f 02 40 03 40 02 40 02 40 02 40 20 00 0e 03 00 01 02 02 0b` +
				see + ` 0b 42 82 80 80 80 01 1a 10 06 0d 02 0b 20 01 04 40 41 01 21 00 0c 01 0b 41 00 0f 0b` +
				` 00 0b 41 01 0b`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, ok := direct(bytesOf(t, c.from))
			require.True(t, ok)
			require.Equal(t, bytesOf(t, c.to), got, "% x", got)
		})
	}
}

func TestWhatIsNoFunctionOfGoStays(t *testing.T) {
	for name, text := range map[string]string{
		"no jumps":                   `00 41 00 0b`,
		"a branch to the table":      `00 03 40 02 40 20 00 0e 00 00 0b 0c 00 0b 00 0b`,
		"a number that is no point":  `00 03 40 02 40 20 00 0e 00 00 0b 41 01 21 00 0c 00 0b 00 0b`,
		"a branch to another block":  `00 03 40 02 40 02 40 20 00 0e 01 00 01 0b 0c 00 0b 0b 00 0b`,
		"a table of its own":         `00 03 40 02 40 20 00 0e 00 00 0b 41 00 0e 00 00 0b 00 0b`,
		"an instruction of tomorrow": `00 03 40 02 40 20 00 0e 00 00 0b fd 00 0b 00 0b`,
		"it ends early":              `00 03 40 02 40 20 00 0e 00 00 0b 0b 00`,
		"a point is missing":         `00 03 40 02 40 02 40 20 00 0e 01 00 01 0b 0b 00 0b`,
	} {
		_, ok := direct(bytesOf(t, text))
		require.False(t, ok, name)
	}
	require.Equal(t, []byte("text"), directJumps([]byte("text")))
}

// maker makes a function of Go's form with random jumps, loops and calls that may suspend it. What it does is to tell
// which points it comes to: functions are see, ask and call of TestRandomJumps.
type maker struct {
	*rand.Rand
	starts []int // of each point, its first number
	level  int   // blocks around a point: those of points, and the loop
	out    []byte
}

const (
	see = iota
	ask
	call
	made
)

func (m *maker) add(b ...byte) { m.out = append(m.out, b...) }

func (m *maker) number(op byte, n int) { m.out = appendSigned(append(m.out, op), int64(n)) }

func (m *maker) calls(function byte, argument int) {
	m.number(i32Const, argument)
	m.add(0x10, function)
}

func (m *maker) jump(depth int) {
	m.number(i32Const, m.starts[m.IntN(len(m.starts))])
	m.add(opSet, 0, opBr)
	m.out = appendNumberTo(m.out, m.level+depth)
}

func appendNumberTo(out []byte, n int) []byte { return binary.AppendUvarint(out, uint64(n)) }

// jumpIf jumps if the host says so, and now and then from within another block.
func (m *maker) jumpIf(p int) {
	m.calls(ask, p)
	if m.IntN(4) == 0 {
		m.add(opBlock, noResult)
		m.calls(ask, p)
		m.add(opBrIf, 0)
		m.calls(see, 1000+p)
		m.add(end)
	}
	m.add(opIf, noResult)
	m.jump(1)
	m.add(end)
}

func (m *maker) point(p int) {
	m.calls(see, p)
	if m.IntN(4) == 0 {
		m.jumpIf(p)
	}
	switch m.IntN(8) {
	case 0, 1, 2:
		m.jumpIf(p)
	case 3:
		m.jump(0)
	case 4:
		m.jumpIf(p)
		m.jump(0)
	case 5:
		m.add(i32Const, 0, opReturn)
	case 6: // suspended or not, the function goes on with the next point
		if p+1 == len(m.starts) {
			return
		}
		m.number(i32Const, m.starts[p+1])
		m.add(0x10, call, opBrIf)
		m.out = appendNumberTo(m.out, m.level+1)
	}
}

func (m *maker) function(points int) []byte {
	var table []byte
	m.out, m.starts = nil, nil
	numbers := 0
	for p := range points {
		m.starts = append(m.starts, numbers)
		for range 1 + m.IntN(3)/2 {
			table = appendNumberTo(table, p)
			numbers++
		}
	}
	m.add(0, opBlock, noResult, opLoop, noResult)
	for range points {
		m.add(opBlock, noResult)
	}
	m.add(localGet, 0, opBrTable)
	m.out = append(appendNumberTo(m.out, numbers-1), table...)
	m.add(end)
	for p := range points {
		m.level = points - 1 - p
		m.point(p)
		m.add(end)
	}
	m.add(unreachable, end, i32Const, 1, end)
	return m.out
}

// moduleToRun imports see(i32), ask(i32) i32 and call(i32) i32, and exports the functions as faa, fab, …, each with an
// i32 for the number where it goes on, and a result that says whether it is suspended.
func moduleToRun(functions [][]byte) []byte {
	section := func(out []byte, id byte, count int, content []byte) []byte {
		content = append(appendNumberTo(nil, count), content...)
		return append(appendNumberTo(append(out, id), len(content)), content...)
	}
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = section(out, 1, 2, []byte("\x60\x01\x7f\x00\x60\x01\x7f\x01\x7f"))
	out = section(out, 2, 3, []byte("\x01e\x03see\x00\x00\x01e\x03ask\x00\x01\x01e\x04call\x00\x01"))
	var exports, code []byte
	for i, f := range functions {
		name := "f" + string(rune('a'+i/26)) + string(rune('a'+i%26))
		exports = append(append(exports, 3), name...)
		exports = appendNumberTo(append(exports, 0), made+i)
		code = append(appendNumberTo(code, len(f)), f...)
	}
	out = section(out, 3, len(functions), bytes.Repeat([]byte{1}, len(functions)))
	out = section(out, 7, len(functions), exports)
	return section(out, codeSection, len(functions), code)
}

// TestRandomJumps holds functions with direct jumps against themselves as Go's compiler would write them: under a host
// that answers at random, and suspends calls at random, both come to the same points.
func TestRandomJumps(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	const count = 600
	m := &maker{Rand: rand.New(rand.NewPCG(1, 2))}
	var functions, directs [][]byte
	loops, throughTable := 0, 0
	for range count {
		f := m.function(2 + m.IntN(14))
		d, ok := direct(f)
		require.True(t, ok)
		functions, directs = append(functions, f), append(directs, d)
		loops += bytes.Count(d, []byte{opLoop, noResult})
		throughTable += bytes.Count(d, setsNumber)
	}
	require.Greater(t, loops, count) // more than those around tables
	require.Positive(t, throughTable)
	module := moduleToRun(functions)
	require.Equal(t, moduleToRun(directs), directJumps(module))

	input, err := json.Marshal([][]byte{module, moduleToRun(directs)})
	require.NoError(t, err)
	command := exec.Command(node, "-e", `
		const modules = JSON.parse(require("fs").readFileSync(0, "utf8")).map((text) => Buffer.from(text, "base64"));
		const traces = modules.map((bytes) => {
			let state, trace, resume;
			const random = (n) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0, (state >>> 16) % n);
			const spend = (what) => { trace.push(what); if (trace.length > 300) throw "enough"; };
			const e = {
				see: spend,
				ask: (p) => { spend(-1 - p); return random(2); },
				call: (number) => { spend(5000 + number); resume = number; return random(3) === 0 ? 1 : 0; },
			};
			const exported = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e }).exports;
			return Object.keys(exported).map((name) => [1, 2, 3, 4].map((seed) => {
				state = seed; trace = []; resume = 0;
				try {
					while (exported[name](resume) !== 0) spend(9000);
				} catch (error) { trace.push(error === "enough" ? error : "trap"); }
				return trace.join();
			}));
		});
		let steps = 0;
		traces[0].forEach((of, i) => of.forEach((trace, seed) => {
			if (trace !== traces[1][i][seed]) { console.log("function", i, trace, "|", traces[1][i][seed]); process.exit(); }
			steps += trace.split(",").length;
		}));
		console.log(steps > 50000 ? "same" : "too few steps: " + steps);`)
	command.Stdin = bytes.NewReader(input)
	out, err := command.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Equal(t, "same\n", string(out))
}
