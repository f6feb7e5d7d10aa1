package headless_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/headless"
	"warpscope/launch"
)

// open opens a file of the repository.
func open(t *testing.T, file string) *headless.Session {
	t.Helper()
	src, err := os.ReadFile("../" + file)
	require.NoError(t, err)
	s := headless.Open(file, src, launch.Settings{})
	require.True(t, s.Found().OK, "%v", s.Found().Diagnostics)
	return s
}

// answer is the JSON of an answer, asked until it is there.
func answer(t *testing.T, s *headless.Session, question string, args ...any) map[string]any {
	t.Helper()
	for {
		a, more := s.Ask(fmt.Appendf(nil, question, args...))
		if more {
			continue
		}
		text, err := json.Marshal(a)
		require.NoError(t, err)
		var m map[string]any
		require.NoError(t, json.Unmarshal(text, &m))
		return m
	}
}

// mirrored is two CTAs that mirror floats through shared memory: out[n] of the first is 2 * in[31 - n], and in[n] is
// 1 + n/2.
const mirrored = `//@ grid 2
//@ block 32
//@ arg in f32[32] = iota(1, 0.5)
//@ arg out f32[64]
.version 8.0
.target sm_80
.address_size 64
.shared .f32 tile[32], other;
.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .u32 %n, %at; .reg .b32 %v; .reg .f32 %f, %g; .reg .u64 %in, %out; .reg .pred %p;
	mov.u32 %n, %laneid;
	ld.param.u64 %in, [in];
	ld.param.u64 %out, [out];
	mad.wide.u32 %in, %n, 4, %in;
	mov.u32 %at, %ctaid.x;
	mad.lo.u32 %at, %at, 32, %n;
	mad.wide.u32 %out, %at, 4, %out;
	ld.global.b32 %v, [%in];
	mov.b32 %f, %v;
	add.f32 %f, %f, %f;
	mov.u32 %at, tile;
	mad.lo.u32 %at, %n, 4, %at;
	st.shared.f32 [%at], %f;
	st.shared.f32 [other], %f;
	xor.b32 %at, %at, 124;
	setp.lt.u32 %p, %n, 32;
@%p	ld.shared.f32 %g, [%at];
	st.global.f32 [%out], %g;
	ret;
}
`

// out[5] is from tile[26], which is 2 * 14, and in[26] is 14. Each value is written by its type, and each place by its
// name: at the end, too, when no shared memory is left.
func TestOriginsHaveTypesAndNames(t *testing.T) {
	s := headless.Open("mirrored.ptx", []byte(mirrored), launch.Settings{})
	answer(t, s, `{"Do": "run"}`)
	found := map[string]string{}
	var collect func(o map[string]any)
	collect = func(o map[string]any) {
		found[o["name"].(string)] = o["value"].(string)
		if note, ok := o["note"]; ok {
			found["note"] = o["name"].(string) + " = " + o["value"].(string) + ", " + note.(string)
		}
		for _, source := range o["sources"].([]any) {
			collect(source.(map[string]any))
		}
	}
	collect(answer(t, s, `{"Do": "origin", "What": "out[5]"}`))
	for name, value := range map[string]string{"out+20": "28", "tile+104": "28", "in+104": "14",
		"note": "%p = 1, which the guard @%p asks for"} {
		require.Equal(t, value, found[name], name)
	}
}

// The example runs 12 warp instructions: mov, setp, bra; mul and bra for lanes 0 to 11, add for the others; six
// together.
func TestSessionAnswersAboutARun(t *testing.T) {
	s := open(t, "public/examples/04-if-else.ptx")
	at := answer(t, s, `{"Do": "seek", "Step": 4}`)
	require.Equal(t, []any{true, "paused", 4.0, 33.0, "bra join"},
		[]any{at["ok"], at["phase"], at["step"], at["line"], at["next"]})
	require.Len(t, at["groups"], 2)
	w := answer(t, s, `{"Do": "writer", "What": "%%v", "Lane": 3}`)["write"].(map[string]any)
	require.Equal(t, []any{4.0, 32.0, 3.0, "mul.lo.u32 %v, %lane, 10", "0x0000001e"}, // 3 * 10
		[]any{w["step"], w["line"], w["lane"], w["text"], w["new"]})
	require.Nil(t, answer(t, s, `{"Do": "writer", "What": "%%v", "Lane": 20}`)["write"], "it comes to its side later")

	answer(t, s, `{"Do": "run"}`)
	require.Equal(t, "finished", answer(t, s, `{"Do": "state"}`)["phase"])
	o := answer(t, s, `{"Do": "origin", "What": "out[20]"}`)
	require.Equal(t, []any{"1020", 11.0}, []any{o["value"], o["write"].(map[string]any)["step"]})
	v := o["sources"].([]any)[1].(map[string]any) // after the address
	require.Equal(t, []any{"%v", 6.0}, []any{v["name"], v["write"].(map[string]any)["step"]})
	lane := v["sources"].([]any)[0].(map[string]any)
	require.Equal(t, []any{"%lane", "0x00000014", 1.0},
		[]any{lane["name"], lane["value"], lane["write"].(map[string]any)["step"]})

	answer(t, s, `{"Do": "seek", "Step": 4}`)
	next := answer(t, s, `{"Do": "next", "What": "out[3]"}`)["write"].(map[string]any)
	require.Equal(t, []any{11.0, "0", "30"}, []any{next["step"], next["old"], next["new"]})
	values := answer(t, s, `{"Do": "watch", "Texts": ["%%v + 1", "popc(active)", "%%w"]}`)["watches"].([]any)
	require.Equal(t, "31", values[0].(map[string]any)["values"].([]any)[3])
	require.Equal(t, []any{"12"}, values[1].(map[string]any)["values"])
	require.Contains(t, values[2].(map[string]any)["problem"], "%w")

	stops := answer(t, s, `{"Do": "stops", "Stops": [{"line": 37, "if": "lane == 31"}, {"kind": "read", "what": "nix"}]}`)
	require.Contains(t, stops["stops"].([]any)[1].(map[string]any)["problem"], "nix")
	require.Equal(t, 37.0, answer(t, s, `{"Do": "run"}`)["line"])
	require.Equal(t, 3.0, answer(t, s, `{"Do": "go", "Goal": "divergence", "Back": true}`)["step"])
	answer(t, s, `{"Do": "seek", "Step": 4}`)
	require.Equal(t, true, answer(t, s, `{"Do": "edit", "What": "%%v", "Lane": 3, "Value": "7"}`)["ok"])
	require.Equal(t, 12.0, answer(t, s, `{"Do": "seek", "Step": 12}`)["step"], "past the stop")
	out := answer(t, s, `{"Do": "watch", "Texts": ["out[3]"]}`)["watches"].([]any)[0]
	require.Equal(t, []any{"7"}, out.(map[string]any)["values"])
}

func TestSessionDrawsPictures(t *testing.T) {
	s := open(t, "public/examples/04-if-else.ptx")
	answer(t, s, `{"Do": "run"}`)
	c := answer(t, s, `{"Do": "chart"}`)
	moments := c["moments"].([]any)
	require.Len(t, moments, 12)
	apart := moments[3].(map[string]any) // before mul
	blocks := apart["blocks"].([]any)
	require.Equal(t, []any{"other", 12.0}, []any{c["blocks"].([]any)[int(blocks[20].(float64))].(map[string]any)["name"],
		float64(len(apart["active"].([]any)))})
	require.NotEqual(t, blocks[0], blocks[20])

	f := answer(t, s, `{"Do": "flow"}`)
	edges := f["edges"].([]any)
	lanes := 0.0
	for _, e := range edges[:2] { // out of the first block
		lanes += e.(map[string]any)["lanes"].(float64)
	}
	require.Equal(t, 32.0, lanes)
	require.Equal(t, 12.0, answer(t, s, `{"Do": "counters"}`)["kernel"].(map[string]any)["smsp__inst_executed.sum"])
	a := answer(t, s, `{"Do": "access", "Line": 41}`)
	require.Equal(t, []any{11.0, ".global", 4.0, 4.0}, []any{a["step"], a["space"], a["parts"], a["ideal"]}) // 128 bytes
	require.Len(t, a["sectors"], 4)

	m := open(t, "public/examples/49-ldmatrix.ptx")
	for answer(t, m, `{"Do": "step"}`)["phase"] == "paused" {
		if h := answer(t, m, `{"Do": "holds"}`); h["ok"] == true && strings.HasPrefix(h["text"].(string), "ldmatrix") {
			one := h["matrices"].([]any)[0].(map[string]any)
			e := one["elements"].([]any)[8*3+4].(map[string]any) // row 3, columns 4 and 5: lane 4*3 + 4/2 (9.7.16.5.15)
			require.Equal(t, 14.0, e["lane"])
			return
		}
	}
	t.Fatal("no ldmatrix")
}

// The two places of a race are those that its program names.
func TestSessionFindsBothPlaces(t *testing.T) {
	s := open(t, "testdata/bugs/race-shared-stmatrix.ptx")
	answer(t, s, `{"Do": "run"}`)
	list := answer(t, s, `{"Do": "findings"}`)["findings"].([]any)
	require.Len(t, list, 1)
	f := list[0].(map[string]any)
	lines := []any{f["at"].(map[string]any)["line"], f["with"].(map[string]any)["line"]}
	require.ElementsMatch(t, []any{36.0, 38.0}, lines)
	first := answer(t, s, `{"Do": "finding", "Index": 0}`)
	other := answer(t, s, `{"Do": "finding", "Index": 0, "Other": true}`)
	require.Less(t, other["step"], first["step"])
}

// Any question has an answer, whatever it says, and so has a session of any text.
func TestSessionWithstandsAnyQuestion(t *testing.T) {
	var wild []string
	for _, n := range []string{"-1", "0", "31", "32", "1000000", "9223372036854775807", "-9223372036854775808"} {
		for _, what := range []string{"%v", "%", "%v.x", "out[3]", "out[99]", "out[", "0xffffffffffffffff", "barrier 99",
			"stack",
			"active", "", "\x00"} {
			text, _ := json.Marshal(what)
			wild = append(wild, fmt.Sprintf(`"Step": %s, "CTA": %[1]s, "Warp": 0, "Lane": %[1]s, "Line": %[1]s, "Index": %[1]s,
				"From": %[1]s, "To": %[1]s, "What": %s, "Value": %[2]s, "Texts": [%[2]s], "Goal": "line",
				"Stops": [{"line": %[1]s, "what": %[2]s, "kind": "read", "if": %[2]s}]`, n, text))
		}
	}
	texts := []string{"", "junk", ".version 8.0\n.target sm_90\n.entry k() { ret; }",
		"//@ block 0\n.version 8.0\n.target sm_90\n.entry k() { ret; }"}
	src, err := os.ReadFile("../public/examples/04-if-else.ptx")
	require.NoError(t, err)
	for _, text := range append(texts, string(src)) {
		s := headless.Open("a.ptx", []byte(text), launch.Settings{})
		for _, do := range []string{"state", "step", "back", "run", "seek", "go", "finding", "follow", "stops", "watch",
			"edit",
			"writer", "next", "origin", "findings", "chart", "flow", "counters", "access", "holds", "nothing"} {
			for i := range wild {
				if text != string(src) && i > 3 {
					break
				}
				a := answer(t, s, `{"Do": %q, `+strings.ReplaceAll(wild[i], "%", "%%")+`}`, do)
				require.Contains(t, a, "ok", do)
			}
		}
	}
	s := headless.Open("a.ptx", src, launch.Settings{})
	for _, question := range []string{"", "null", "[]", `{"Do": 1}`, `{"Step": 1.5}`, `{"Do": "run", "Budget": -1}`} {
		_, err := json.Marshal(answer(t, s, "%s", question))
		require.NoError(t, err)
	}
}
