// Runnable PTX in any page: <script src=".../embed.js" defer></script> defines <warpscope-ptx>.
//
// The element's text, or the file that src names, is a PTX program with its launch header. Until a reader presses Run
// the program is shown as text, and nothing is loaded; then a frame of embed.html, beside this script, takes its place.
// Attributes, methods, events and the messages between page and frame are described in docs/embedding.md.
//
// The script needs nothing from the page's policy but itself (script-src) and the frame (frame-src). The frame's
// address is embed.html beside the script, or what data-frame of the script element says.
(() => {
  "use strict";
  if (customElements.get("warpscope-ptx")) return;

  const script = document.currentScript;
  const here = script && script.src || location.href;
  const frameAddress = new URL(script && script.dataset.frame || "embed.html", here);
  const playground = new URL(script && script.dataset.playground || "index.html", here);
  /** Frames from files have no origin: "null". */
  const frameOrigin = frameAddress.protocol === "file:" ? "null" : frameAddress.origin;
  const maxHeight = 20000;
  const darkness = matchMedia("(prefers-color-scheme: dark)");

  // ---- links ---------------------------------------------------------------------------------------------------

  /** Bytes as blocks that are not compressed, for browsers that cannot. */
  function storedBlocks(bytes) {
    const parts = [];
    for (let at = 0; at === 0 || at < bytes.length; at += 0xffff) {
      const part = bytes.subarray(at, at + 0xffff);
      const size = part.length;
      parts.push(Uint8Array.of(at + 0xffff >= bytes.length ? 1 : 0, size, size >> 8, ~size, ~size >> 8), part);
    }
    return new Blob(parts).arrayBuffer();
  }

  /** The fragment of a state: version 1 of docs/share-format.md. */
  async function encode(state) {
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    const packed = typeof CompressionStream === "function"
      ? new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer()
      : storedBlocks(bytes);
    let binary = "";
    for (const byte of new Uint8Array(await packed)) binary += String.fromCharCode(byte);
    return "1." + btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  }

  // ---- the program as text -------------------------------------------------------------------------------------

  /** What is what in a PTX text, in the order in which it is tried. */
  const tokens = new RegExp([
    /(?<header>^\/\/@.*)/, /(?<comment>\/\/.*|\/\*[^]*?\*\/)/, /(?<string>"(?:[^"\\\n]|\\.)*")/,
    /(?<guard>@!?%?[\w$]+)/, /(?<register>%[\w$]+(?:\.[xyzw])?)/, /(?<label>^[ \t]*[A-Za-z_$%][\w$%]*:(?!:))/,
    /(?<directive>(?<![\w.])\.[a-z_]\w*)/, /(?<number>\b(?:0[xXfFdD][0-9a-fA-F]+|\d[\d.]*(?:e[+-]?\d+)?)U?\b)/,
    /(?<opcode>(?<=^|[;{}:]|@!?%?[\w$]+)[ \t]*[a-z]\w*(?:(?:\.|::)\w+)+)/,
  ].map((part) => part.source).join("|"), "gm");

  /** The text as elements; never as markup. */
  function highlighted(text) {
    const pieces = [];
    let at = 0;
    if (text.length > 100000) return [text];
    for (const match of text.matchAll(tokens)) {
      const kind = Object.keys(match.groups).find((name) => match.groups[name] !== undefined);
      pieces.push(text.slice(at, match.index), element("span", kind, match[0]));
      at = match.index + match[0].length;
    }
    return [...pieces, text.slice(at)];
  }

  function element(name, className, text) {
    const node = document.createElement(name);
    if (className) node.className = className;
    if (text !== undefined) node.textContent = text;
    return node;
  }

  /** The program inside an element: of its code block where it has one, with line breaks that are elements. */
  function textInside(host) {
    const code = (host.querySelector("pre code, pre") || host).cloneNode(true);
    for (const br of code.querySelectorAll("br")) br.replaceWith("\n");
    return tidy(code.textContent);
  }

  /** Without the blank lines around, and without the indentation that all lines have. */
  function tidy(text) {
    const lines = text.replace(/\r\n?/g, "\n").replace(/^(?:[ \t]*\n)+|\s+$/g, "").split("\n");
    const indents = lines.filter((line) => line.trim()).map((line) => /^[ \t]*/.exec(line)[0].length);
    const common = Math.min(...indents, 1000);
    return lines.map((line) => line.slice(Math.min(common, line.length))).join("\n") + "\n";
  }

  async function download(src) {
    const response = await fetch(new URL(src, document.baseURI));
    if (!response.ok) throw new Error(`the server answers ${response.status}`);
    const text = await response.text();
    if (/^\s*<(!doctype|html)/i.test(text)) throw new Error("the server answers with a web page");
    return tidy(text);
  }

  // As launch.Title finds it; a test compares the two.
  const title = (text) => (/^\/\/@\s*title\s+(.*\S)/m.exec(text) || [])[1] || "PTX";

  // ---- looks ---------------------------------------------------------------------------------------------------

  const colours = {
    light: `--bg: #fff; --panel: #f5f6f8; --line: #c3c9d2; --fg: #1a1f27; --muted: #5a6473; --accent: #0d7268;
      --on-accent: #fff; --number: #2a6b3f; --type: #664a9e; --guard: #a5380b; --label: #7a5200; --error: #b3261e;
      color-scheme: light;`,
    dark: `--bg: #14171b; --panel: #1b1f25; --line: #424a56; --fg: #e2e6ec; --muted: #98a2b1; --accent: #52c7b8;
      --on-accent: #06231f; --number: #8fcb9b; --type: #b7a0e8; --guard: #f0a277; --label: #d9b878; --error: #ff9289;
      color-scheme: dark;`,
  };
  const looks = `
    :host { display: block; position: relative; margin: 1em 0; max-width: 100%; ${colours.light} }
    :host([hidden]) { display: none; }
    @media (prefers-color-scheme: dark) { :host(:not([theme="light"])) { ${colours.dark} } }
    :host([theme="dark"]) { ${colours.dark} }
    .box { border: 1px solid var(--line); border-radius: 8px; overflow: hidden; background: var(--bg); color: var(--fg);
      text-align: left; display: flex; flex-direction: column; box-sizing: border-box; }
    .bar { display: flex; align-items: center; gap: 12px; padding: 7px 10px;
      background: var(--panel); border-bottom: 1px solid var(--line); font: 13px/1.4 system-ui, sans-serif; }
    .title { font-weight: 650; flex: 1; min-width: 0; overflow-wrap: anywhere; }
    button { display: inline-flex; align-items: center; gap: 6px; height: 28px; padding: 0 12px; border: 0;
      border-radius: 5px; background: var(--accent); color: var(--on-accent); font: 600 13px system-ui, sans-serif;
      cursor: pointer; }
    button::before { content: ""; border: solid transparent; border-width: 5px 0 5px 8px;
      border-left-color: currentColor; }
    button:hover { filter: brightness(1.08); }
    button[disabled] { opacity: .7; cursor: progress; }
    a { color: var(--accent); font-size: 12px; text-underline-offset: 2px; white-space: nowrap; }
    :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    pre { margin: 0; padding: 10px 12px; overflow: auto; max-height: var(--warpscope-code-height, 430px);
      flex: 1 1 auto; tab-size: 4; white-space: pre;
      font: 12.5px/19px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    .header, .comment { color: var(--muted); } .header { font-weight: 600; }
    .string, .number { color: var(--number); } .register { color: var(--fg); }
    .guard { color: var(--guard); } .label { color: var(--label); } .directive { color: var(--type); }
    .opcode { color: var(--accent); }
    .news { margin: 0; padding: 6px 12px; font: 13px/1.4 system-ui, sans-serif; color: var(--muted);
      border-top: 1px solid var(--line); }
    .news:empty { display: none; }
    .news.error { color: var(--error); }
    @media (pointer: coarse) { button { height: 36px; } a { padding: 9px 0; } }
    ::slotted(iframe) { display: block !important; width: 100% !important; max-width: none !important;
      margin: 0 !important; border: 0 !important; border-radius: 8px; background: var(--bg); }
    :host([loading]) ::slotted(iframe) { position: absolute; inset: 0; opacity: 0; pointer-events: none; }`;

  /** One sheet for all elements: it needs no inline style, which a page's policy may forbid. */
  let sheet = null;
  function dress(root) {
    if (!sheet) {
      sheet = new CSSStyleSheet();
      sheet.replaceSync(looks);
    }
    root.adoptedStyleSheets = [sheet];
  }

  // ---- the element ---------------------------------------------------------------------------------------------

  const inView = typeof IntersectionObserver === "function" ? new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      inView.unobserve(target);
      target.run().catch(() => {});
    }
  }, { threshold: 0.2 }) : null;

  /** Before that an element's text may still be on its way through the parser. */
  const parsed = new Promise((resolve) => {
    if (document.readyState !== "loading") resolve();
    else document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });

  /** The words that attributes may have. Others are left out, and their author is told so. */
  const words = {
    panels: ["lanes", "registers", "stack", "memory", "launch", "problems", "output", "statistics"],
    model: ["stack", "independent"], theme: ["auto", "light", "dark"],
  };

  function advise(host) {
    for (const [name, known] of Object.entries(words)) {
      const strange = (host.getAttribute(name) || "").split(/[\s,+]+/).filter((word) => word && !known.includes(word));
      if (strange.length > 0) {
        console.warn(`<warpscope-ptx ${name}>: ${strange.join(", ")} is none of ${known.join(", ")}`, host);
      }
    }
  }

  const phases = ["ready", "running", "paused", "finished", "failed", "faulted", "invalid"];

  class WarpscopePTX extends HTMLElement {
    static observedAttributes = ["src", "theme", "height"];

    #text = null; // null until it is known
    #whenText = null;
    #parts = null;
    #frame = null;
    #opening = null; // settles when the frame has opened the program
    #opened = null; // its resolve and reject
    #waiting = new Map(); // commands that have not been answered, by their number
    #count = 0;
    #pressed = false;
    #state = null;
    #sending = Promise.resolve(); // settles when the frame has the program that was set last
    #hearing = null;

    connectedCallback() {
      darkness.addEventListener("change", this.#recolour);
      if (!this.#parts) {
        this.#draw();
        advise(this);
        const early = Object.getOwnPropertyDescriptor(this, "source"); // set before this script ran
        delete this.source;
        if (early) this.#text = String(early.value);
        if (this.#text === null) this.#read();
        else this.source = this.#text;
      }
      if (this.hasAttribute("run") && inView) inView.observe(this);
    }

    /** Also before an element is moved: a frame does not survive that. */
    disconnectedCallback() {
      darkness.removeEventListener("change", this.#recolour);
      if (inView) inView.unobserve(this);
      if (this.#frame) this.#close();
    }

    attributeChangedCallback(name, before, after) {
      if (!this.#parts || before === after) return;
      if (name === "src") {
        this.#read();
      } else if (name === "theme") {
        this.#recolour();
      } else if (name === "height") {
        this.#fit();
      }
    }

    /** The program. The reader may have changed it. */
    get source() {
      return this.#text === null ? "" : this.#text;
    }

    set source(text) {
      this.#text = String(text);
      this.#whenText = Promise.resolve();
      if (!this.#parts) return; // it is shown when the element comes into a document
      this.#show(this.#text);
      if (this.#frame) {
        this.#sending = this.#sending.then(() => this.#link()).then((link) => this.#ask("open", link)).catch(() => {});
      }
    }

    /** What the machine said last: {phase, step, status, line, fault, expectations}; null before it was loaded. */
    get state() {
      return this.#state;
    }

    /** Runs to the end, or opens at the step that the attribute names. Settles when the machine stands still. */
    async run() {
      if (!this.#opening && Number(this.getAttribute("step")) > 0) return this.#command("state");
      return this.#command("run");
    }

    /** Executes one warp instruction. */
    step() {
      return this.#command("step");
    }

    /** Undoes one warp instruction. */
    stepBack() {
      return this.#command("stepBack");
    }

    #draw() {
      const root = this.attachShadow({ mode: "open" });
      dress(root);
      const box = element("div", "box");
      const bar = element("div", "bar");
      const button = element("button", "", "Run");
      const link = element("a", "", "Open in playground");
      const pre = element("pre");
      const news = element("p", "news");
      button.type = "button";
      button.addEventListener("click", () => this.run().catch(() => {}));
      link.href = playground.href;
      link.target = "_blank";
      link.rel = "noopener";
      pre.tabIndex = 0;
      news.setAttribute("role", "status");
      const name = element("span", "title");
      bar.append(name, link, button);
      box.append(bar, pre, news);
      const slot = element("slot");
      slot.name = "frame";
      root.append(box, slot);
      this.#parts = { box, name, button, link, pre, news };
      this.#fit();
    }

    #read() {
      const src = this.getAttribute("src");
      const reading = !src ? parsed.then(() => textInside(this)) : download(src);
      const current = this.#whenText = reading.then((text) => {
        if (current === this.#whenText) this.source = text;
      });
      current.catch((error) => this.#say(`${src} could not be loaded: ${error.message}.`, true));
    }

    #show(text) {
      this.#text = text;
      const { name, pre, link } = this.#parts;
      name.textContent = title(text);
      pre.setAttribute("aria-label", `PTX: ${title(text)}`);
      pre.replaceChildren(...highlighted(text));
      this.#link().then((fragment) => { link.href = `${playground.href}#${fragment}`; });
    }

    #say(sentence, isError) {
      const { news } = this.#parts;
      news.textContent = sentence;
      news.className = isError ? "news error" : "news";
    }

    #panels() {
      return (this.getAttribute("panels") || "lanes").split(/[\s,+]+/).filter(Boolean);
    }

    /** The fragment of what a reader would see first. */
    #link() {
      const number = (name) => Math.max(0, Math.floor(Number(this.getAttribute(name)) || 0));
      const state = { text: this.#text, panels: this.#panels(), cta: number("cta"), warp: number("warp"),
        lane: number("lane"), step: number("step") };
      const model = this.getAttribute("model");
      return encode(model ? { ...state, model } : state);
    }

    #recolour = () => {
      if (this.#opening) this.#command(this.#dark() ? "dark" : "light").catch(() => {});
    };

    #dark() {
      const theme = this.getAttribute("theme");
      return theme === "dark" || theme !== "light" && darkness.matches;
    }

    #fixed() {
      const height = parseInt(/^\s*\d+\s*(px\s*)?$/.exec(this.getAttribute("height")), 10);
      return height > 0 ? Math.min(Math.max(height, 160), maxHeight) : 0;
    }

    /** Gives box and frame the height that the attribute wants. */
    #fit() {
      const height = this.#fixed();
      this.#parts.box.style.height = height ? `${height}px` : "";
      if (this.#frame && height) this.#frame.style.height = `${height}px`;
    }

    // ---- the frame ---------------------------------------------------------------------------------------------

    /** Loads the frame once; gives the machine's state when the program is open in it. */
    #open() {
      if (!this.isConnected) return Promise.reject(new Error("the element is in no document"));
      if (!this.#opening) {
        this.#opening = new Promise((resolve, reject) => { this.#opened = { resolve, reject }; });
        this.#opening.catch(() => {});
        this.#load();
      }
      return this.#opening;
    }

    async #load() {
      const { button } = this.#parts;
      this.#pressed = this.shadowRoot.activeElement === button; // it loses the focus, which the frame then gets
      button.disabled = true;
      this.#say("Loading …");
      try {
        await this.#whenText;
      } catch (error) {
        this.#opened.reject(error);
        this.#opening = null; // another press tries again
        button.disabled = false;
        this.#read();
        return;
      }
      const address = new URL(frameAddress);
      address.searchParams.set("panels", this.#panels().join(" "));
      address.searchParams.set("theme", this.#dark() ? "dark" : "light");
      address.searchParams.set("host", location.protocol === "file:" ? "null" : origin);
      if (this.hasAttribute("readonly")) address.searchParams.set("readonly", "");
      if (this.#fixed()) address.searchParams.set("fixed", "");
      address.hash = await this.#link();
      const frame = element("iframe");
      frame.slot = "frame";
      frame.title = `Warpscope: ${title(this.#text)}`;
      frame.allow = "clipboard-write";
      frame.src = address.href;
      this.#frame = frame;
      this.#hearing = (event) => this.#hear(event);
      addEventListener("message", this.#hearing);
      // Not in the shadow tree: frames there do not find each other, and each would load the engine anew.
      this.toggleAttribute("loading", true);
      this.append(frame);
    }

    #close() {
      removeEventListener("message", this.#hearing);
      this.#frame.remove();
      this.#frame = this.#opening = this.#state = null;
      for (const { reject } of this.#waiting.values()) reject(new Error("the element was removed"));
      this.#waiting.clear();
      this.removeAttribute("loading");
      this.#parts.box.style.display = "";
      this.#parts.button.disabled = false;
      this.#say("");
    }

    /** The frame takes the place of the text. */
    #reveal() {
      this.removeAttribute("loading");
      this.#parts.box.style.display = "none";
      if (this.#pressed && document.activeElement === document.body) this.#frame.focus({ preventScroll: true });
      this.#fit();
    }

    /** A message of the frame: from no other window, from its origin, and of the form that is agreed. */
    #hear({ source, origin: from, data }) {
      if (!this.#frame || source !== this.#frame.contentWindow || from !== frameOrigin) return;
      if (typeof data !== "object" || data === null || data.warpscope !== 1) return;
      const { type, id } = data;
      if (type === "size" && Number.isFinite(data.height)) {
        if (!this.#fixed()) this.#frame.style.height = `${Math.min(Math.max(data.height, 60), maxHeight)}px`;
      } else if (type === "loading" && Number.isFinite(data.percent)) {
        this.#say(data.percent < 100 ? `Loading the engine: ${Math.floor(data.percent)} %` : "Starting …");
      } else if (type === "failed" && typeof data.sentence === "string") {
        this.#say(data.sentence, true);
        this.#opened.reject(new Error(data.sentence));
      } else if (type === "source" && typeof data.text === "string") {
        this.#text = data.text;
      } else if (["ready", "state", "done"].includes(type) && phases.includes(data.phase)) {
        this.#tell(type, id, this.#checked(data));
      }
    }

    /** What a frame says about its machine, field by field. */
    #checked({ phase, step, status, line, fault, expectations }) {
      const list = Array.isArray(expectations) ? expectations : [];
      return {
        phase, step: Number(step) || 0, status: String(status), line: Number(line) || 0,
        fault: fault ? { kind: String(fault.kind), message: String(fault.message), line: Number(fault.line) || 0,
          column: Number(fault.column) || 0 } : null,
        expectations: list.map(({ text, pass, got }) =>
          ({ text: String(text), pass: pass === true, got: String(got) })),
      };
    }

    #tell(type, id, state) {
      this.#state = state;
      const event = (name, detail) =>
        this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
      if (type === "ready") {
        this.#reveal();
        this.#opened.resolve(state);
        event("ready", state);
      } else if (type === "done") {
        const command = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (command) command.resolve(state);
        return;
      }
      if (["finished", "failed", "faulted"].includes(state.phase)) {
        event(state.phase === "faulted" ? "fault" : "finished", state);
        if (state.expectations.length > 0) {
          event("expectations", { ok: state.expectations.every(({ pass }) => pass), list: state.expectations });
        }
      }
    }

    /** Asks the frame for something; settles with the machine's state when it has been done. */
    async #command(type) {
      await this.#open();
      await this.#sending;
      return this.#ask(type);
    }

    async #ask(type, link) {
      await this.#open();
      return new Promise((resolve, reject) => {
        const id = ++this.#count;
        this.#waiting.set(id, { resolve, reject });
        const target = frameOrigin === "null" ? "*" : frameOrigin;
        this.#frame.contentWindow.postMessage({ warpscope: 1, type, id, link }, target);
      });
    }
  }

  customElements.define("warpscope-ptx", WarpscopePTX);

  // data-blocks of the script element selects code blocks that become elements by themselves.
  const blocks = script && script.dataset.blocks;
  if (blocks) {
    const convert = () => {
      for (const block of document.querySelectorAll(blocks)) {
        if (block.closest("warpscope-ptx")) continue;
        const made = document.createElement("warpscope-ptx");
        for (const name of ["panels", "theme", "height", "model"]) {
          if (script.dataset[name]) made.setAttribute(name, script.dataset[name]);
        }
        const outer = block.closest("pre") || block;
        outer.replaceWith(made);
        made.append(outer);
      }
    };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", convert, { once: true });
    else convert();
  }
})();
