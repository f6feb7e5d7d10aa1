package browser

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/pack/lzma"
)

// with answers for one path of the site, and leaves the others to public/.
func with(path string, answer http.HandlerFunc) http.Handler {
	files := http.FileServer(http.Dir("../public"))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			answer(w, r)
			return
		}
		files.ServeHTTP(w, r)
	})
}

// alert waits for the sentence that says why the engine cannot run.
func (v *visit) alert() string {
	v.t.Helper()
	return v.find("alert", "").text()
}

// noteFirstScreen keeps what the page shows at the moment when the engine runs.
const noteFirstScreen = `new MutationObserver((_, observer) => {
	if (document.documentElement.dataset.engine !== "running") return;
	observer.disconnect();
	globalThis.firstScreen = {
		text: document.querySelector(".cm-content").textContent,
		drawn: ["lanes", "registers"].filter((panel) => document.querySelector("#slot-" + panel + " > .panel")).join(),
	};
}).observe(document, { subtree: true, attributes: true, attributeFilter: ["data-engine"] })`

// The first paint has the first example's text. The engine begins with the same text, and with the panels that can be
// seen; Registers, which Lane grid covers, follow.
func TestFirstPaintBeforeTheEngine(t *testing.T) {
	release := make(chan struct{})
	engine := func(w http.ResponseWriter, r *http.Request) {
		engine, err := os.ReadFile("../public/warpscope.wasm.lzma")
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Write(engine[:len(engine)/2])
		w.(http.Flusher).Flush()
		<-release
		w.Write(engine[len(engine)/2:])
	}
	v := open(t, setting{script: noteFirstScreen, handler: with("/warpscope.wasm.lzma", engine)})
	v.holds(`document.querySelector("#boot-progress").value > 10 && document.querySelector("#boot-progress").value < 90`)
	v.holds(`/^Loading the engine: \d\d %$/.test(document.querySelector("#boot-label").innerText)`)
	v.holds(`document.querySelector("#boot-text").innerText.includes("//@ title")`)
	close(release)
	v.ready()
	v.holds(`firstScreen.text.includes(".version") && firstScreen.drawn === "lanes"`)
	v.holds(`document.querySelector("#slot-registers > .panel") !== null`)
}

func TestAnyTypeWillDo(t *testing.T) {
	engine := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		http.ServeFile(w, r, "../public/warpscope.wasm.lzma")
	}
	open(t, setting{handler: with("/warpscope.wasm.lzma", engine)}).ready()
}

func TestWithoutStreams(t *testing.T) {
	const alone = "delete globalThis.Worker; "
	open(t, setting{fresh: true, script: alone + "delete WebAssembly.compileStreaming"}).ready()
	open(t, setting{fresh: true, script: alone + "delete globalThis.TransformStream"}).ready()
}

// countWorkers notes the workers that a page makes.
const countWorkers = `globalThis.workers = 0; globalThis.Worker = class extends Worker {
	constructor(address) { super(address); workers++; }
};`

// The page's own thread neither unpacks nor compiles: a worker does, or, where there can be none, the page.
func TestEngineIsCompiledInAWorker(t *testing.T) {
	v := open(t, setting{fresh: true, script: countWorkers}).ready()
	v.holds(`workers === 1`)
	open(t, setting{fresh: true, script: "delete globalThis.Worker"}).ready()
	noScript := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Sec-Fetch-Dest") == "worker" {
			http.NotFound(w, r)
			return
		}
		http.FileServer(http.Dir("../public")).ServeHTTP(w, r)
	})
	v = open(t, setting{script: countWorkers, handler: noScript, expected: func(message string) bool {
		return strings.Contains(message, "404")
	}}).ready()
	v.holds(`workers === 1`)
}

func packed(module string) string {
	var b strings.Builder
	lzma.Compress(&b, []byte(module))
	return b.String()
}

func TestSentenceInsteadOfABlank(t *testing.T) {
	engine := func(file string, status int, body string) http.Handler {
		return with(file, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			w.Write([]byte(body))
		})
	}
	gone := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		w.WriteHeader(http.StatusNotFound)
	}
	ending := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		source, err := os.ReadFile("../public/wasm_exec.js")
		if err == nil {
			w.Write(append(source, "Go.prototype.run = async () => {};"...))
		}
	}
	cases := []struct {
		name     string
		setting  setting
		sentence string
	}{
		{"no WebAssembly", setting{script: "delete globalThis.WebAssembly"}, "Warpscope needs WebAssembly"},
		{"engine missing", setting{handler: engine("/warpscope.wasm.lzma", 404, "")}, "the server answers 404"},
		{"engine broken", setting{handler: engine("/warpscope.wasm.lzma", 200, "not lzma")},
			"The engine could not be started"},
		{"another module", setting{handler: engine("/warpscope.wasm.lzma", 200, packed("\x00asm\x01\x00\x00\x00"))},
			"The engine could not be started"},
		{"another module at once", setting{handler: engine("/warpscope.wasm.lzma", 200, packed("\x00asm\x01\x00\x00\x00")),
			script: "delete globalThis.Worker; delete globalThis.TransformStream"}, "The engine could not be started"},
		{"engine ends", setting{handler: with("/wasm_exec.js", ending)}, "Your text is kept: reload the page"},
		{"no editor", setting{handler: with("/editor.js", gone)}, "wasm_exec.js or editor.js could not be loaded"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			// We cannot silence the browser's own message about a missing file.
			c.setting.expected = func(message string) bool { return strings.Contains(message, "404") }
			v := open(t, c.setting)
			require.Contains(t, v.alert(), c.sentence)
			v.holds(`document.querySelector("#boot-text").innerText.includes("//@ title")`)
		})
	}
}

// The page's policy lets the engine compile code.
func TestPageCanCompileCode(t *testing.T) {
	v := open(t, setting{}).ready()
	v.holds(`new Go().importObject["warpscope.jit"].works() === 1`)
}

// The policy is what keeps a shared program from ever reaching another host.
func TestPolicyForbidsOtherHosts(t *testing.T) {
	v := open(t, setting{expected: func(message string) bool {
		return strings.Contains(message, "Content Security Policy")
	}})
	v.ready()
	attempts := map[string]string{
		"fetch": `fetch("http://192.0.2.1/").then(() => "done", () => "refused")`,
		"inline": `(() => {
			const s = document.createElement("script");
			s.textContent = "window.inline = 1";
			document.head.append(s);
			return window.inline ? "done" : "refused";
		})()`,
		"image": `new Promise(resolve => {
			const i = new Image();
			i.onload = () => resolve("done");
			i.onerror = () => resolve("refused");
			i.src = "http://192.0.2.1/x.png";
		})`,
	}
	for name, attempt := range attempts {
		require.Equal(t, "refused", js[string](v, attempt), name)
	}
	v.mu.Lock()
	v.requests = nil // attempted and refused
	v.mu.Unlock()
}
