package browser

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The module in a page that is not ours: two engines, a run that leaves the page its turn, nothing left over.
func TestModuleInAPage(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("../public")))
	mux.HandleFunc("/theirs.html", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`<!doctype html><title>Theirs</title><link rel="icon" href="data:,">`))
	})
	v := open(t, setting{page: "theirs.html", handler: mux})
	v.holds(`document.readyState === "complete"`)
	_, vector := example(t, "02-")
	type outcome struct {
		OK       bool
		First    float64
		Type     string
		Fault    string
		Parallel []bool
		Waited   bool
		Traces   []string
		Bad      string
	}
	got := js[outcome](v, `(async (vector) => {
		const before = new Set(Object.getOwnPropertyNames(globalThis));
		const { createWarpscope } = await import("./warpscope.mjs");
		const [a, b] = await Promise.all([createWarpscope(), createWarpscope()]);
		const run = await a.run(vector);
		const fault = await b.run(vector.replace("x    f32[1024]", "x    f32[16]"));
		const parallel = await Promise.all([a.run(vector), b.run(vector), a.run(vector)]);
		let turns = 0;
		const timer = setInterval(() => turns++, 1);
		const endless = ".version 7.0\n.target sm_80\n.entry k() { .reg .b32 %r; again: add.u32 %r, %r, 1; bra again; }";
		await a.run(endless, { timeout: 600 });
		clearInterval(timer);
		return {
			ok: run.ok, first: run.buffers.out[0], type: run.buffers.out.constructor.name, fault: fault.fault?.kind ?? "",
			parallel: parallel.map((r) => r.ok), waited: turns > 1,
			traces: Object.getOwnPropertyNames(globalThis).filter((name) => !before.has(name)),
			bad: a.check("junk").diagnostics[0].code,
		};
	})(`+quoted(vector)+`)`)
	require.Equal(t, outcome{OK: true, First: 2.5, Type: "Float32Array", Fault: "OutOfBounds",
		Parallel: []bool{true, true, true}, Waited: true, Traces: []string{}, Bad: "no-version"}, got)
}

// A server that does not know the ending .mjs sends a type that browsers take for no module.
func TestModuleFromAServerWithoutMJS(t *testing.T) {
	pages := map[string]string{"theirs.html": `<!doctype html><title>Theirs</title><link rel="icon" href="data:,">`}
	site := headed(docs(pages), func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasSuffix(r.URL.Path, ".mjs") {
			w.Header().Set("Content-Type", "application/octet-stream")
		}
		return false
	})
	v := open(t, setting{handler: site, page: "theirs.html", expected: func(string) bool { return true }})
	v.holds(`document.title === "Theirs"`)
	start := `import("./warpscope/warpscope%s").then(({ createWarpscope }) => createWarpscope())
		.then((ws) => ws.check("").verdict)
		.catch(() => "refused")`
	require.Equal(t, "refused", js[string](v, strings.Replace(start, "%s", ".mjs", 1)))
	require.Equal(t, "not-ptx", js[string](v, strings.Replace(start, "%s", ".js", 1)))
}

// quoted is a text as JavaScript writes it.
func quoted(text string) string {
	return "`" + strings.NewReplacer("\\", "\\\\", "`", "\\`", "$", "\\$").Replace(text) + "`"
}
