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
  /** In a sandbox without allow-same-origin a page has no origin, and neither have its frames. */
  const sandboxed = self.origin === "null" && location.protocol !== "file:";
  /** Frames from files have no origin: "null". */
  const frameOrigin = sandboxed || frameAddress.protocol === "file:" ? "null" : frameAddress.origin;
  const lowest = 160, maxHeight = 20000; // pixels

  /** Before that an element's text may still be on its way through the parser. */
  const parsed = new Promise((resolve) => {
    if (document.readyState !== "loading") resolve();
    else document.addEventListener("DOMContentLoaded", resolve, { once: true });
  });

  // ---- the page's theme ----------------------------------------------------------------------------------------

  const darkness = matchMedia("(prefers-color-scheme: dark)");

  /** 0 for black, 1 for white; of rgb() or of a notation that begins with the lightness. */
  function lightness(colour) {
    const [a, b, c] = colour.match(/[\d.]+/g).map(Number);
    return /^rgb/.test(colour) ? (0.2126 * a + 0.7152 * b + 0.0722 * c) / 255 : a > 1 ? a / 100 : a;
  }

  /** Says that the page is dark around an element: its color-scheme says so, or its text is light. */
  function isDarkAround(host) {
    const { colorScheme, color } = getComputedStyle(host.parentElement || document.documentElement);
    const dark = /\bdark\b/.test(colorScheme);
    return dark === /\blight\b/.test(colorScheme) ? lightness(color) > 0.5 : dark;
  }

  /** What is called when the page's theme may have changed; a transition of colours takes its time. */
  const recolouring = new Set();
  const recolour = () => recolouring.forEach((f) => f());
  const recolourSoon = () => [0, 400, 1000].forEach((time) => setTimeout(recolour, time));
  darkness.addEventListener("change", recolourSoon);
  addEventListener("load", recolour); // style sheets may have been late
  parsed.then(() => {
    const observer = new MutationObserver(recolourSoon);
    for (const node of [document.documentElement, document.body]) observer.observe(node, { attributes: true });
  });

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

  /** The fragment of a state, as docs/share-format.md has it: version 2, or 1 without a step. */
  async function encode(state) {
    const bytes = new TextEncoder().encode(JSON.stringify(state));
    const packed = typeof CompressionStream === "function"
      ? new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer()
      : storedBlocks(bytes);
    let binary = "";
    for (const byte of new Uint8Array(await packed)) binary += String.fromCharCode(byte);
    return (state.step ? "2." : "1.") + btoa(binary).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
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

  /** As long as a heading may be; the playground cuts titles there too. */
  const longestTitle = 120;

  function heading(text) {
    const whole = title(text);
    return whole.length > longestTitle ? whole.slice(0, longestTitle) + "\u2026" : whole;
  }

  // ---- looks ---------------------------------------------------------------------------------------------------

  const colours = {
    light: `--bg: #fff; --panel: #f5f6f7; --line: #c6ccd4; --fg: #15191e; --muted: #5e6774; --accent: #15191e;
      --on-accent: #fff; --number: #15191e; --type: #655a7d; --guard: #655a7d; --label: #15191e; --error: #b3261e;
      color-scheme: light;`,
    dark: `--bg: #14171b; --panel: #1b1f24; --line: #464e5a; --fg: #e9ecf0; --muted: #929baa; --accent: #e9ecf0;
      --on-accent: #14171b; --number: #e9ecf0; --type: #b3a6cf; --guard: #b3a6cf; --label: #e9ecf0; --error: #ff9289;
      color-scheme: dark;`,
  };
  const looks = `
    :host { display: block; position: relative; margin: 1em 0; max-width: 100%; }
    :host([hidden]) { display: none; }
    .all { ${colours.light} }
    .all.dark { ${colours.dark} }
    .box { border: 1px solid var(--line); border-radius: 8px; overflow: hidden; overflow: clip; background: var(--bg);
      color: var(--fg); text-align: left; display: flex; flex-direction: column; box-sizing: border-box; }
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
    pre { margin: 0; padding: 10px 12px; overflow: auto; max-height: var(--warpscope-code-height, 628px);
      flex: 1 1 auto; tab-size: 4; white-space: pre;
      font: 12.5px/19px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
    .header, .comment { color: var(--muted); } .header { font-weight: 600; }
    .string, .number { color: var(--number); } .register { color: var(--fg); }
    .guard { color: var(--guard); } .label { color: var(--label); } .directive { color: var(--type); }
    .opcode { color: var(--accent); }
    .news { margin: 0; padding: 6px 12px; font: 13px/1.4 system-ui, sans-serif; color: var(--muted);
      border-top: 1px solid var(--line); position: sticky; bottom: 0; background: var(--bg); }
    .news:empty { display: none; }
    .news.error { color: var(--error); }
    @media (pointer: coarse) { button { height: 36px; } a { padding: 9px 0; } }
    @media print { .all.dark { ${colours.light} } .bar :is(button, a) { display: none; } .box { height: auto !important; }
      pre { max-height: none; overflow: visible; white-space: pre-wrap; } }
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

  /** The words that attributes may have. Others are left out, and their author is told so. */
  const words = {
    panels: ["lanes", "registers", "stack", "memory", "launch", "problems", "output", "statistics", "warps",
      "divergence", "watch", "flow", "access", "counters", "holds", "breakpoints"],
    model: ["stack", "independent", "frontier"], theme: ["auto", "light", "dark"],
    header: ["folded", "open"],
  };

  /** At what a run stops, as links have it: "34; 40 if popc(active) < 8; divergence; change out[5]". */
  function stopsOf(host) {
    const list = [];
    for (const text of (host.getAttribute("breakpoints") || "").split(";").map((one) => one.trim()).filter(Boolean)) {
      const found = /^(?:(\d+)|(divergence|barrier|finding)|(read|write|change)\s+(\S+))(?:\s+if\s+(.+))?$/.exec(text);
      if (!found) {
        console.warn(`<warpscope-ptx breakpoints>: ${text} is no line, divergence, barrier, finding, or read, write or ` +
          "change with a register or memory", host);
        continue;
      }
      const [, line, event, access, what, condition] = found;
      const lines = host.source.trimEnd().split("\n").length;
      if (line > lines) {
        console.warn(`<warpscope-ptx breakpoints>: there is no line ${line}: the program has ${lines}`, host);
        continue;
      }
      list.push({ ...(line ? { line: Number(line) } : { kind: event || access }), ...(what && { what }),
        ...(condition && { if: condition }) });
    }
    return list;
  }

  function advise(host) {
    for (const [name, known] of Object.entries(words)) {
      const strange = (host.getAttribute(name) || "").split(/[\s,+]+/).filter((word) => word && !known.includes(word));
      if (strange.length > 0) {
        console.warn(`<warpscope-ptx ${name}>: ${strange.join(", ")} is none of ${known.join(", ")}`, host);
      }
    }
    for (const name of ["step", "cta", "warp", "lane", "height"]) {
      const text = host.getAttribute(name) || "", least = name === "height" ? lowest : 0;
      const most = name === "lane" ? 31 : Infinity;
      const number = Number(name === "height" ? text.replace(/px\s*$/, "") : text);
      if (text && !(Number.isInteger(number) && number >= least && number <= most)) {
        const end = most === Infinity ? "on" : `to ${most}`;
        console.warn(`<warpscope-ptx ${name}>: ${text} is no whole number from ${least} ${end}`, host);
      }
    }
  }

  /** Frames that the policy of this page has refused. */
  let refused = false;
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI }) => {
    if (effectiveDirective === "frame-src" && blockedURI.startsWith(frameAddress.origin)) refused = true;
  });

  /** A sentence about a frame that does not speak: the server of this page's own site can be asked for the reason. */
  async function whyNoFrame() {
    const { origin: site, href } = frameAddress;
    if (refused) return `The content security policy of this page forbids the frame: frame-src has to name ${site}.`;
    let why = "it may be missing there, or the server forbids frames (X-Frame-Options, frame-ancestors)";
    if (site === self.origin) {
      const response = await fetch(href).catch(() => null);
      const header = (name) => response && response.headers.get(name) || "";
      const [rule] = /frame-ancestors[^;]*/.exec(header("Content-Security-Policy")) || [header("X-Frame-Options")];
      if (response && !response.ok) why = `the server answers ${response.status}`;
      else if (rule) why = `the server's headers forbid frames (${rule})`;
    }
    return `The frame ${href} could not be loaded: ${why}.`;
  }

  const phases = ["ready", "running", "paused", "finished", "failed", "faulted", "invalid"];

  class WarpscopePTX extends HTMLElement {
    static observedAttributes = ["src", "theme", "height"];

    #dark = false;
    #text = null; // null until it is known
    #whenText = null;
    #parts = null;
    #frame = null;
    #opening = null; // settles when the frame has opened the program
    #opened = null; // its resolve and reject
    #heard = false; // the frame has said something
    #waiting = new Map(); // commands that have not been answered, by their number
    #count = 0;
    #pressed = false;
    #state = null;
    #sending = Promise.resolve(); // settles when the frame has the program that was set last
    #hearing = null;

    connectedCallback() {
      recolouring.add(this.#recolour);
      if (!this.#parts) {
        this.#draw();
        advise(this);
        const early = Object.getOwnPropertyDescriptor(this, "source"); // set before this script ran
        delete this.source;
        if (early) this.#text = String(early.value);
        if (this.#text === null) this.#read();
        else this.source = this.#text;
      }
      this.#recolour();
      if (this.hasAttribute("run") && inView) inView.observe(this);
    }

    /** Also before an element is moved: a frame does not survive that. */
    disconnectedCallback() {
      recolouring.delete(this.#recolour);
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
    get run() {
      return async () => {
        if (!this.#opening && Number(this.getAttribute("step")) > 0) return this.#command("state");
        return this.#command("run");
      };
    }

    /** Attributes that are methods as well: Vue and React set what they find in an element as a property. */
    set run(wanted) {
      this.toggleAttribute("run", wanted !== false && wanted !== null && wanted !== undefined);
    }

    /** Executes one warp instruction. */
    get step() {
      return () => this.#command("step");
    }

    set step(number) {
      this.setAttribute("step", number);
    }

    /** Undoes one warp instruction. */
    stepBack() {
      return this.#command("stepBack");
    }

    #draw() {
      const root = this.attachShadow({ mode: "open" });
      dress(root);
      const all = element("div", "all");
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
      all.append(box, slot);
      root.append(all);
      this.#parts = { all, box, name, button, link, pre, news };
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
      name.textContent = heading(text);
      pre.setAttribute("aria-label", `PTX: ${heading(text)}`);
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
      const memory = this.getAttribute("memory");
      const watches = (this.getAttribute("watch") || "").split(";").map((text) => text.trim()).filter(Boolean);
      const stops = stopsOf(this);
      return encode({ ...state, ...(model && { model }), ...(memory && { memory }),
        ...(watches.length > 0 && { watches }),
        ...(stops.length > 0 && { stops, breaks: stops.flatMap(({ line }) => line || []) }) });
    }

    #recolour = () => {
      const theme = this.getAttribute("theme");
      const dark = theme === "dark" || theme !== "light" && isDarkAround(this);
      if (dark === this.#dark) return;
      this.#dark = dark;
      this.#parts.all.classList.toggle("dark", dark);
      if (this.#opening) this.#command(dark ? "dark" : "light").catch(() => {});
    };

    #fixed() {
      const height = parseInt(/^\s*\d+\s*(px\s*)?$/.exec(this.getAttribute("height")), 10);
      return height > 0 ? Math.min(Math.max(height, lowest), maxHeight) : 0;
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
      this.#say("Loading \u2026");
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
      address.searchParams.set("theme", this.#dark ? "dark" : "light");
      address.searchParams.set("host", location.protocol === "file:" ? "null" : origin);
      if (this.getAttribute("header") === "open") address.searchParams.set("header", "open");
      if (this.hasAttribute("readonly")) address.searchParams.set("readonly", "");
      if (this.#fixed()) address.searchParams.set("fixed", "");
      address.hash = await this.#link();
      const frame = element("iframe");
      frame.slot = "frame";
      frame.title = `Warpscope: ${heading(this.#text)}`;
      frame.allow = "clipboard-write";
      frame.src = address.href;
      this.#frame = frame;
      this.#hearing = (event) => this.#hear(event);
      addEventListener("message", this.#hearing);
      // Not in the shadow tree: frames there do not find each other, and each would load the engine anew.
      this.toggleAttribute("loading", true);
      this.#watch(frame);
      this.append(frame);
    }

    /** Gives a frame up that says nothing: it is not loaded, or what is loaded is not ours. */
    #watch(frame) {
      this.#heard = false;
      const silent = () => this.#frame === frame && !this.#heard;
      const giveUp = async () => {
        const sentence = silent() && await whyNoFrame();
        if (silent()) this.#fail(sentence);
      };
      frame.addEventListener("load", () => setTimeout(giveUp, 2000));
      setTimeout(giveUp, 30000);
    }

    /** The text comes back, with what is wrong; another press on the button tries again. */
    #fail(sentence) {
      this.#close(sentence);
      this.#show(this.#text);
      this.#parts.button.textContent = "Try again";
      this.#say(sentence, true);
    }

    #close(why = "the element was removed") {
      removeEventListener("message", this.#hearing);
      this.#frame.remove();
      this.#opened.reject(new Error(why));
      this.#frame = this.#opening = this.#state = null;
      for (const { reject } of this.#waiting.values()) reject(new Error(why));
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
      this.#heard = true;
      if (type === "size" && Number.isFinite(data.height)) {
        if (!this.#fixed()) this.#frame.style.height = `${Math.min(Math.max(data.height, 60), maxHeight)}px`;
      } else if (type === "loading" && Number.isFinite(data.percent)) {
        this.#say(data.percent < 100 ? `Loading the engine: ${Math.floor(data.percent)} %` : "Starting \u2026");
      } else if (type === "failed" && typeof data.sentence === "string") {
        this.#fail(data.sentence);
      } else if (type === "source" && typeof data.text === "string") {
        if (data.text === this.#text) return; // a script has set it
        this.#text = data.text;
        this.#event("edited", this.#state);
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

    #event(name, detail) {
      this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
    }

    #tell(type, id, state) {
      this.#state = state;
      if (type === "ready") {
        this.#reveal();
        this.#opened.resolve(state);
        this.#event("ready", state);
      } else if (type === "done") {
        const command = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (command) command.resolve(state);
        return;
      }
      if (["finished", "failed", "faulted"].includes(state.phase)) {
        this.#event(state.phase === "faulted" ? "fault" : "finished", state);
        if (state.expectations.length > 0) {
          this.#event("expectations", { ok: state.expectations.every(({ pass }) => pass), list: state.expectations });
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

  // data-blocks of the script element selects code blocks that become elements by themselves, now and whenever the
  // page gets new ones: many sites follow their links without loading a page.
  /** What site generators make of a block of the language ptx. */
  const usualBlocks = "code.language-ptx, .language-ptx code, .highlight-ptx pre, pre.ptx";
  const asked = script && "blocks" in script.dataset && (script.dataset.blocks || usualBlocks);
  const blocks = asked && isSelector(asked) && asked;

  function isSelector(text) {
    try {
      document.createDocumentFragment().querySelector(text);
      return true;
    } catch {
      console.warn(`Warpscope: data-blocks="${text.slice(0, 80)}" is not a CSS selector: no block is converted.`);
      return false;
    }
  }

  function convert() {
    for (const block of document.querySelectorAll(blocks)) {
      if (block.closest("warpscope-ptx")) continue;
      const made = document.createElement("warpscope-ptx");
      const outer = block.closest("pre") || block;
      const around = [block, outer, outer.parentElement, outer.parentElement.parentElement, script].filter(Boolean);
      for (const name of ["panels", "height", "header", "model", "memory", "watch", "breakpoints", "step", "cta", "warp", "lane", "run",
        "readonly"]) {
        const owner = around.find((node) => name in node.dataset);
        if (owner) made.setAttribute(name, owner.dataset[name]);
      }
      if (script.dataset.theme) made.setAttribute("theme", script.dataset.theme); // around the block it is the page's
      outer.replaceWith(made);
      made.append(outer);
    }
  }

  if (blocks) {
    let due = false;
    const convertSoon = () => {
      if (!due) requestAnimationFrame(() => { due = false; convert(); });
      due = true;
    };
    parsed.then(() => {
      convert();
      new MutationObserver(convertSoon).observe(document.documentElement, { childList: true, subtree: true });
    });
  }
})();
