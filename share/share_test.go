package share

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each file has a link in its first line, made with zlib, and the contents of the link below. Files are added with each
// version and never changed.
func TestLinksOfEveryVersion(t *testing.T) {
	files, err := filepath.Glob("testdata/v*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		b, err := os.ReadFile(file)
		require.NoError(t, err)
		link, contents, _ := strings.Cut(string(b), "\n")
		var want State
		require.NoError(t, json.Unmarshal([]byte(contents), &want))
		got, err := Decode("#" + link)
		require.NoError(t, err, file)
		require.Equal(t, want, got, file)

		again, err := Decode(Encode(want))
		require.NoError(t, err, file)
		require.Equal(t, want, again, file)
	}
}

// A turn ended after 128 instructions when the first version was in use: from step 128 on another warp may run.
func TestStepsOfTheFirstVersion(t *testing.T) {
	for step, short := range map[int64]bool{0: false, 1: false, 127: false, 128: true, 5000: true} {
		want := State{Text: "x", Step: step}
		link := Encode(want)
		require.Equal(t, step > 0, strings.HasPrefix(link, "2."), "without a step nothing is new")
		got, err := Decode(link)
		require.NoError(t, err)
		require.Equal(t, want, got)

		old, err := Decode("1" + link[1:])
		require.NoError(t, err)
		want.ShortTurns = short
		require.Equal(t, want, old)
		require.Equal(t, link, Encode(old), "shared again, the step is today's")
	}
}

// Links are written for addresses: nothing in them needs escaping.
func TestAlphabet(t *testing.T) {
	link := Encode(State{Text: "<script>alert(1)</script> \x00 \u2028 \"'`%#&"})
	require.Regexp(t, `^1\.[A-Za-z0-9_-]+$`, link)
}

func payload(t *testing.T, json string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, 9)
	require.NoError(t, err)
	_, err = io.WriteString(w, json)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return "1." + base64.RawURLEncoding.EncodeToString(b.Bytes())
}

// bomb unpacks to 1 GB: a letter and its repetition, 258 at a time.
func bomb() string {
	w := &bitWriter{}
	w.bits(1, 1)
	w.bits(1, 2)
	for _, c := range []byte(`{"text":"a`) {
		w.symbol(int(c))
	}
	for range 1 << 30 / maxMatch {
		w.match(maxMatch, 1)
	}
	w.symbol(endOfBlock)
	w.bits(0, 7)
	return "1." + base64.RawURLEncoding.EncodeToString(w.out)
}

func TestHostileLinks(t *testing.T) {
	good := Encode(State{Text: ".version 7.0\n.target sm_70\n// 32 lanes, 32 lanes, 32 lanes"})
	for _, c := range []struct{ name, link, sentence string }{
		{"nothing", "", "not a Warpscope link"},
		{"a heading", "#usage", "not a Warpscope link"},
		{"markup", "#<img src=x onerror=alert(1)>", "not a Warpscope link"},
		{"markup as payload", "#1.<img src=x onerror=alert(1)>", "damaged"},
		{"version 0", "0." + good[2:], "not a Warpscope link"},
		{"a leading zero", "01." + good[2:], "not a Warpscope link"},
		{"a later version", "7." + good[2:], "format 7"},
		{"an absurd version", "99999999999." + good[2:], "not a Warpscope link"},
		{"broken base64", "1.%%%", "damaged"},
		{"cut off", good[:len(good)/2], "damaged"},
		{"no deflate", "1.____", "damaged"},
		{"no payload", "1.", "damaged"},
		{"no JSON", payload(t, "PTX"), "damaged"},
		{"another JSON", payload(t, `[1, 2]`), "damaged"},
		{"a bomb", bomb(), "more than 4 MB"},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode(c.link)
		runtime.ReadMemStats(&after)
		require.ErrorContains(t, err, c.sentence, c.name)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20), c.name)
		require.NotContains(t, err.Error(), "<", c.name)
	}
}

func TestAbsurdValuesAreDropped(t *testing.T) {
	s, err := Decode(payload(t, `{"text":"x","breaks":[-1,0,3],"model":"<b>","lane":99,"warp":-1,"cta":-7,"step":-1}`))
	require.NoError(t, err)
	require.Equal(t, State{Text: "x", Breakpoints: []int{3}}, s)
	s, err = Decode(payload(t, `{"text":"x","stops":[{"kind":"nonsense"},{"line":0},{"kind":"barrier"}]}`))
	require.NoError(t, err)
	require.Equal(t, []Stop{{Kind: "barrier"}}, s.Stops)
	s, err = Decode(payload(t, `{"text":"x","later":{"a":1}}`))
	require.NoError(t, err, "what a later version adds is no harm")
	require.Equal(t, "x", s.Text)
}

// docs/share-format.md: a number that makes no sense counts as 0, and there is no breakpoint in line 0.
func TestNumbersWithoutSenseAre0(t *testing.T) {
	for _, c := range []struct {
		json string
		want State
	}{
		{`"breaks":[1.5,3,"4",null,2e0],"step":7`, State{Breakpoints: []int{3, 2}, Step: 7}},
		{`"step":1e30,"lane":5`, State{Lane: 5}},
		{`"lane":"7","warp":2`, State{Warp: 2}},
		{`"lane":null,"cta":{"x":1},"warp":[1],"step":true`, State{}},
		{`"step":99999999999999999999,"cta":0.5`, State{}},
		{`"step":9007199254740993,"lane":3.0`, State{Step: 9007199254740993, Lane: 3, ShortTurns: true}}, // 2^53 + 1, and 3
	} {
		c.want.Text = "x"
		got, err := Decode(payload(t, `{"text":"x",`+c.json+`}`))
		require.NoError(t, err, c.json)
		require.Equal(t, c.want.Text, got.Text, c.json)
		require.ElementsMatch(t, c.want.Breakpoints, got.Breakpoints, c.json)
		got.Breakpoints, c.want.Breakpoints = nil, nil
		require.Equal(t, c.want, got, c.json)
	}
}

// Programs that pass links on write some characters as %XX, and append parameters of their own.
func TestWhatOthersMakeOfLinks(t *testing.T) {
	want := State{Text: "// ???>>>~~~ \u00ff\u00fe", Step: 3}
	link := Encode(want)
	require.Contains(t, link, "_")
	for _, other := range []string{
		"#" + link + "&utm_source=mail&utm=1",
		"#" + link + "?fbclid=x.y",
		"#" + strings.Replace(link, ".", "%2E", 1),
		"#" + strings.NewReplacer(".", "%2e", "_", "%5F", "-", "%2D").Replace(link) + "%3D%3d",
	} {
		got, err := Decode(other)
		require.NoError(t, err, other)
		require.Equal(t, want, got, other)
	}
}

// texts are of kinds that compressors treat differently.
func texts(t *testing.T) map[string][]byte {
	t.Helper()
	noise := make([]byte, 100_000)
	rand.New(rand.NewSource(1)).Read(noise)
	example, err := os.ReadFile("../public/examples/19-bitonic-sort.ptx")
	require.NoError(t, err)
	far := append(append(bytes.Clone(noise[:300]), make([]byte, window-300)...), noise[:300]...)
	return map[string][]byte{"empty": nil, "one byte": {7}, "two": {1, 1}, "zeros": make([]byte, 70_000), "noise": noise,
		"program": example, "as far as matches reach": far}
}

func TestDeflateAgainstTheStandardLibrary(t *testing.T) {
	for name, text := range texts(t) {
		got, err := io.ReadAll(flate.NewReader(bytes.NewReader(deflate(text))))
		require.NoError(t, err, name)
		require.Equal(t, string(text), string(got), name)
	}
	program := texts(t)["program"]
	require.Less(t, len(deflate(program)), len(program)*6/10)
}

func TestInflateAgainstTheStandardLibrary(t *testing.T) {
	for name, text := range texts(t) {
		for _, level := range []int{flate.HuffmanOnly, flate.NoCompression, 1, 6, 9} {
			var b bytes.Buffer
			w, err := flate.NewWriter(&b, level)
			require.NoError(t, err)
			_, err = w.Write(text)
			require.NoError(t, err)
			require.NoError(t, w.Close())
			got, err := inflate(b.Bytes(), len(text))
			require.NoError(t, err, "%s at level %d", name, level)
			require.Equal(t, string(text), string(got), "%s at level %d", name, level)
			if len(text) > 0 {
				_, err = inflate(b.Bytes(), len(text)-1)
				require.Equal(t, errLarge, err, "%s at level %d", name, level)
				_, err = inflate(b.Bytes()[:b.Len()/2], len(text))
				require.Equal(t, errDamaged, err, "%s at level %d", name, level)
			}
		}
	}
}

// Any input gets an answer and no panic.
func TestNoise(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	good := deflate(texts(t)["program"])
	for range 2000 {
		b := make([]byte, r.Intn(400))
		r.Read(b)
		_, _ = inflate(b, 1<<16)
		b = bytes.Clone(good)
		b[r.Intn(len(b))] ^= 1 << r.Intn(8)
		_, _ = inflate(b, 1<<16)
	}
}
