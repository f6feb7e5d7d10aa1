// Brings the page up: shows the text at once, downloads the engine with honest progress, starts it, and says in a
// sentence what is wrong when that cannot be done.
//
// The text shown before the engine runs is what the engine stored last (localStorage "warpscope.text"), else the first
// example of examples/index.json. When the engine is there, the page's root carries data-engine="running".
(() => {
  "use strict";

  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  /** Old browsers unpack nothing; they get the engine as it is. */
  const streams = typeof TransformStream === "function";
  root.dataset.boot = "loading";
  root.dataset.theme = stored("warpscope.theme") ||
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  /** What the last visit left; null when there was none or storage is switched off. */
  function stored(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  /** Says a sentence that must not be missed: in the frame while it stands, else above everything. */
  function note(sentence) {
    const p = document.createElement("p");
    p.className = "boot-note";
    p.setAttribute("role", "alert");
    p.textContent = sentence;
    const frame = byId("boot-text");
    if (frame) {
      frame.before(p);
      byId("boot-progress").parentElement.remove();
      byId("app").removeAttribute("aria-busy");
    } else {
      document.body.append(p);
    }
  }

  /** An error whose message is a sentence for the reader of the page. */
  class Sentence extends Error {}

  async function showText() {
    let text = stored("warpscope.text");
    if (text === null) {
      const index = await (await fetch("examples/index.json")).json();
      text = await (await fetch("examples/" + index[0].file)).text();
    }
    const pre = byId("boot-text");
    if (pre) pre.textContent = text.slice(0, 20000);
  }

  function showProgress(bytes, total) {
    const bar = byId("boot-progress");
    if (!bar) return;
    const percent = Math.floor(100 * bytes / total);
    bar.value = percent;
    byId("boot-label").textContent = percent < 100 ? `Loading the engine: ${percent} %` : "Starting the engine …";
  }

  async function download(file) {
    let response;
    try {
      response = await fetch(file);
    } catch {
      throw new Sentence(location.protocol === "file:"
        ? "This page must come from a web server: browsers do not let it load its parts from files. Open " +
          "warpscope.html instead, which has everything inside, or serve the folder with any static file server."
        : "The engine could not be downloaded. Please check the connection and reload the page.");
    }
    if (!response.ok) {
      throw new Sentence(`The engine, ${file}, could not be downloaded: the server answers ${response.status}. ` +
        "If this is your own copy of the site, build it with ./build.sh.");
    }
    return response;
  }

  /** Compiles while unpacking while downloading. The type that streaming asks for does not depend on the server. */
  async function compile(response) {
    if (!streams) return WebAssembly.compile(await response.arrayBuffer());
    const headers = { "content-type": "application/wasm" };
    const engine = new Response(unpacking(response.body, showProgress), { headers });
    if (WebAssembly.compileStreaming) return WebAssembly.compileStreaming(engine);
    return WebAssembly.compile(await engine.arrayBuffer());
  }

  /** Deferred scripts have run when the document's content counts as loaded. */
  const scriptsRan = new Promise((resolve) => {
    if (document.readyState === "complete") resolve();
    else document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });

  async function start() {
    if (typeof WebAssembly !== "object") {
      throw new Sentence("Warpscope needs WebAssembly, which this browser lacks or has switched off (a lockdown mode " +
        "does that). Please use a current version of Firefox, Chrome, Edge or Safari.");
    }
    const [response] = await Promise.all([download(streams ? "warpscope.wasm.lzma" : "warpscope.wasm"), scriptsRan]);
    if (typeof unpacking !== "function" || typeof Go !== "function" || typeof WarpscopeEditor !== "object") {
      throw new Sentence("Parts of the page are missing: unpack.js, wasm_exec.js or editor.js could not be loaded. If " +
        "this is your own copy of the site, build it with ./build.sh.");
    }
    const go = new Go();
    const instance = await WebAssembly.instantiate(await compile(response), go.importObject);
    const ended = go.run(instance); // returns when main waits for events: the first screen is drawn
    performance.mark("warpscope-running");
    root.dataset.engine = "running";
    root.dataset.boot = "done";
    await ended;
    root.dataset.engine = "ended";
    throw new Sentence("The engine stopped unexpectedly. Your text is kept: reload the page to go on.");
  }

  showText().catch(() => { /* the engine shows the text, or says why it cannot */ });
  start().catch((error) => {
    root.dataset.boot = "failed";
    note(error instanceof Sentence ? error.message
      : `The engine could not be started: ${error && error.message || error}. Reload the page, or try another browser.`);
  });
})();
