globalThis.log=[];
// Brings the page up: shows the text at once, downloads the engine with honest progress, starts it, and says in a
// sentence what is wrong when that cannot be done.
//
// The text shown before the engine runs is what the engine stored last (localStorage "warpscope.text", and the name of
// the window where it has one), else the first example of examples/index.json. When the engine is there, the page's
// root carries data-engine="running".
//
// Where the root carries data-embed, the page is a frame in somebody's documentation (frame.js): the text comes with
// its address, and what is said here is told to the page around it as well.
(() => {
  "use strict";

  const byId = (id) => document.getElementById(id);
  const root = document.documentElement;
  root.dataset.boot = "loading";
  const framed = root.dataset.embed !== undefined;
  const tell = globalThis.warpscopeTell || (() => {});
  root.dataset.theme = root.dataset.theme || stored("warpscope.theme") ||
    (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

  /** What the last visit left; null when there was none or storage is switched off. */
  function stored(key) {
    if (framed) return null;
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  }

  /** What this window's keys end in. */
  function windowName() {
    try {
      return sessionStorage.getItem("warpscope.window") ?? "";
    } catch {
      return "";
    }
  }

  /** Says a sentence that must not be missed: in the frame while there is one, else above everything. */
  function note(sentence) {
    tell({ type: "failed", sentence });
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

  /** Texts that the engine asks for as well, by address; it has them at once. What the page's address names comes first. */
  const fetched = {};
  globalThis.warpscopeFetched = location.hash ? {} : fetched;

  async function fetchText(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    return (fetched[address] = await response.text());
  }

  async function showText() {
    if (framed || /^#\d+\./.test(location.hash)) return; // the text comes with the address
    const show = (text) => {
      const pre = byId("boot-text");
      if (pre) pre.textContent = text.slice(0, 20000);
    };
    const last = stored("warpscope.text" + windowName()) ?? stored("warpscope.text");
    if (last !== null) show(last);
    const [first] = JSON.parse(await fetchText("examples/index.json"));
    if (last === null) show(await fetchText("examples/" + first.file));
  }

  let told = -1;
  function showProgress(bytes, total) {
    const bar = byId("boot-progress");
    const percent = Math.floor(100 * bytes / total);
    if (!bar || percent === told) return;
    tell({ type: "loading", percent });
    told = percent;
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
        : self.origin === "null" ? "The engine could not be downloaded: this page is in a sandbox. Its frame needs " +
          "allow-same-origin, or the server has to allow every origin (Access-Control-Allow-Origin: *)."
        : "The engine could not be downloaded. Please check the connection and reload the page.");
    }
    if (!response.ok) {
      throw new Sentence(`The engine, ${file}, could not be downloaded: the server answers ${response.status}. ` +
        "If this is your own copy of the site, build it with ./build.sh.");
    }
    return response;
  }

  /** Deferred scripts have run when the document's content counts as loaded. */
  const scriptsRan = new Promise((resolve) => {
    if (document.readyState === "complete") resolve();
    else document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });

  /** Whether a service worker answers this page. In a sandbox the very name throws. */
  function kept() {
    try {
      return Boolean(navigator.serviceWorker?.controller);
    } catch {
      return false;
    }
  }

  async function load({ version }) {
    const file = "warpscope.wasm.lzma";
    if (typeof compiling !== "function") throw partsMissing();
    return kept() && version && await compilingKept(file, version) || compiling(await download(file), showProgress);
  }

  const partsMissing = () => new Sentence("Parts of the page are missing: unpack.js, wasm_exec.js or editor.js could " +
    "not be loaded. If this is your own copy of the site, build it with ./build.sh.");

  /**
   * Another frame on the page around this one, or that page, with the engine of this site, loaded or on its way: the
   * very one that this page would load. A frame from before an update has another.
   */
  function neighbour({ site, version }) {
    for (let i = -1; version && i < parent.length; i++) {
      const other = i < 0 ? parent : parent[i];
      try {
        const theirs = other !== window && other.warpscopeEngine;
        if (theirs && theirs.site === site && theirs.version === version) return other;
      } catch { /* a page of another origin */ }
    }
    return null;
  }

  /** What the neighbour gets; null when that fails, or when it is closed before it has it. */
  function borrowed(other) {
    return new Promise((resolve) => {
      const watch = setInterval(() => other.closed && done(null), 100);
      const done = (module) => {
        clearInterval(watch);
        resolve(module);
      };
      other.warpscopeEngine.module.then(done, () => done(null));
    });
  }

  /** The compiled engine. The frames of one page share one: it is downloaded and compiled once. */
  async function engine(wanted) {
    const other = neighbour(wanted);
    return other && await borrowed(other) || load(wanted);
  }

  /** Ends when the engine does: by itself, or with an exception that went through it. Then nothing calls it again. */
  function run(go, instance) {
    const resume = go._resume;
    return new Promise((resolve, reject) => {
      const end = () => {
        go._resume = () => {};
        go._scheduledTimeouts.clear(); // their callbacks insist on an answer
        resolve();
      };
      go._resume = () => {
        try {
          resume.call(go);
        } catch (error) {
          end();
          throw error;
        }
      };
      go.run(instance).then(end, reject);
    });
  }

  /** Keeps what is typed from now on, since the engine does not, and says whether that works. */
  function keepTyping() {
    const put = framed ? (text) => tell({ type: "source", text })
      : (text) => localStorage.setItem("warpscope.text" + windowName(), text);
    const loss = "This browser does not keep your text: copy it before you reload the page.";
    let news = "Your text is kept: reload the page to go on.";
    let told = false;
    WarpscopeEditor.orphan((text) => {
      try {
        put(text);
      } catch {
        if (told && news !== loss) note(loss);
        news = loss;
      }
    });
    told = true;
    return news;
  }

  async function start() {
    if (typeof WebAssembly !== "object") {
      throw new Sentence("Warpscope needs WebAssembly, which this browser lacks or has switched off (a lockdown mode " +
        "does that). Please use a current version of Firefox, Chrome, Edge or Safari.");
    }
    const wanted = { site: new URL(".", location).href, version: globalThis.warpscopeVersion };
    globalThis.warpscopeEngine = { ...wanted, module: engine(wanted) };
    const [module] = await Promise.all([globalThis.warpscopeEngine.module, scriptsRan]);
    if (typeof Go !== "function" || typeof WarpscopeEditor !== "object") throw partsMissing();
    const go = new Go();
    const instance = await WebAssembly.instantiate(module, go.importObject);
    const ended = run(go, instance); // returns when main waits for events: the first screen is drawn
    performance.mark("warpscope-running");
    root.dataset.engine = "running";
    root.dataset.boot = "done";
    await ended;
    root.dataset.engine = "ended";
    throw new Sentence(`The engine stopped unexpectedly. ${keepTyping()}`);
  }

  /** What a browser says about a policy names 'unsafe-eval', which allows far more than is needed. */
  function reason(error) {
    if (error instanceof Sentence) return error.message;
    const said = String(error && error.message || error);
    if (/unsafe-eval|\bCSP\b|content security policy/i.test(said)) {
      return "The engine could not be started: the content security policy that the server sends with Warpscope's " +
        "files forbids WebAssembly. Its script-src needs 'wasm-unsafe-eval', and no more than that.";
    }
    return `The engine could not be started: ${said}. Reload the page, or try another browser.`;
  }

  showText().catch(() => { /* the engine shows the text, or says why it cannot */ });
  start().catch((error) => {
    root.dataset.boot = "failed";
    note(reason(error));
  });
})();
