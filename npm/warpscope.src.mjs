// Warpscope without a page, in browsers and in Node: build.sh makes public/warpscope.mjs of this file and of Go's
// loader. Beside it lies the engine, warpscope.wasm, the same that the page runs. docs/headless.md is the reference,
// warpscope.d.ts the types.

import loadGo from "wasm_exec";

const beside = new URL("warpscope.wasm", import.meta.url);
/** Vite's development server moves modules to a folder of its own, and leaves the files beside them where they were. */
const engineURL = beside.pathname.includes("/.vite/deps/")
  ? new URL(beside.href.replace(/\.vite\/deps\/.*/, "warpscope/warpscope.wasm")) : beside;
/** In a variable: bundlers for browsers complain about a module of Node that they see in an import. */
const nodeFiles = "node:fs/promises";

// ---- the engine ----------------------------------------------------------------------------------------------------

/** Compiled code by its address: engines share it. */
const compiled = new Map();

async function read(url) {
  if (url.protocol === "file:" && globalThis.process?.versions?.node) {
    const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ nodeFiles);
    return readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the engine, ${url}, could not be loaded: the server answers ${response.status}`);
  return response.arrayBuffer();
}

/** Gives a WebAssembly.Module for an address, bytes, a response or a module. */
async function compile(wasm) {
  if (wasm instanceof WebAssembly.Module) return wasm;
  if (wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)) return WebAssembly.compile(wasm);
  if (typeof Response === "function" && wasm instanceof Response) return WebAssembly.compile(await wasm.arrayBuffer());
  const url = new URL(wasm, engineURL);
  if (!compiled.has(url.href)) {
    const module = read(url).then((bytes) => {
      if (bytesOf(bytes).subarray(0, 4).join() !== "0,97,115,109") { // \0asm
        throw new Error(`${url} is not the engine: say with createWarpscope({ wasm }) where warpscope.wasm is`);
      }
      return WebAssembly.compile(bytes);
    });
    module.catch(() => compiled.delete(url.href));
    compiled.set(url.href, module);
  }
  return compiled.get(url.href);
}

/** What Go sees as its global object: enough for the engine, shared with nothing else. */
function surroundings(say) {
  const { Object, Array, Uint8Array, Error, Date, TextEncoder, TextDecoder, performance, crypto } = globalThis;
  return {
    Object, Array, Uint8Array, Error, Date, TextEncoder, TextDecoder, performance, crypto,
    document: {}, // asked about, never used
    fs: {
      constants: { O_WRONLY: -1, O_RDWR: -1, O_CREAT: -1, O_TRUNC: -1, O_APPEND: -1, O_EXCL: -1, O_DIRECTORY: -1 },
      writeSync(_, bytes) {
        say(new TextDecoder().decode(bytes));
        return bytes.length;
      },
      write(_, bytes, offset, length, position, done) {
        say(new TextDecoder().decode(bytes.subarray(offset, offset + length)));
        done(null, length);
      },
    },
  };
}

/** Prepares an instance; start it with the instance that was made with its imports. */
function prepare() {
  let said = "";
  const scope = surroundings((text) => { said = (said + text).slice(0, 2000); });
  // Timers of an engine that has ended come to nothing, and none keeps Node from ending.
  scope.setTimeout = (f, milliseconds) => {
    const timer = setTimeout(() => go.exited || f(), milliseconds);
    timer.unref?.();
    return timer;
  };
  const Go = loadGo(scope);
  const go = new Go();
  go.argv = ["warpscope", "api"];
  go.exit = () => {};
  return {
    imports: go.importObject,
    start(instance) {
      go.run(instance); // returns when Go waits for calls
      const { warpscope } = scope;
      if (!warpscope) throw new Error(`the engine does not start: ${said}`);
      return {
        api: warpscope,
        dead: () => go.exited,
        lastWords: () => said.split("\n").find((line) => line.startsWith("fatal error:") || line.startsWith("panic:")) ?? "",
      };
    },
  };
}

// ---- what goes in --------------------------------------------------------------------------------------------------

const encoder = new TextEncoder();

const bytesOf = (source) =>
  ArrayBuffer.isView(source) ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : source instanceof ArrayBuffer ? new Uint8Array(source) : encoder.encode(String(source ?? ""));

/** Element types of typed arrays. */
const typeNames = new Map([
  [Int8Array, "s8"], [Uint8Array, "u8"], [Uint8ClampedArray, "u8"], [Int16Array, "s16"], [Uint16Array, "u16"],
  [Int32Array, "s32"], [Uint32Array, "u32"], [BigInt64Array, "s64"], [BigUint64Array, "u64"], [Float32Array, "f32"],
  [Float64Array, "f64"],
]);

const known = new Set(["entry", "grid", "block", "cluster", "shared", "model", "engine", "sanitize", "args", "expect", "steps",
  "timeout", "signal", "counters", "models", "schedules", "schedule"]);

const shape = (value) =>
  Array.isArray(value) ? value.join(",")
    : value !== null && typeof value === "object" ? [value.x ?? 1, value.y ?? 1, value.z ?? 1].join(",") : String(value);

/** A number as launch headers write it. */
const text = (value) => typeof value === "boolean" ? String(Number(value)) : String(value).replace("Infinity", "inf");

function argument(Name, value, arrays) {
  const one = { Name, Text: "", Type: "", List: false, Data: -1 };
  if (value instanceof ArrayBuffer || value instanceof DataView) {
    one.Data = arrays.push(bytesOf(value)) - 1;
  } else if (ArrayBuffer.isView(value)) {
    for (const [type, name] of typeNames) if (value instanceof type) one.Type = name;
    one.Data = arrays.push(bytesOf(value)) - 1;
  } else if (Array.isArray(value)) {
    one.Text = value.map(text).join(", ");
    one.List = true;
  } else {
    one.Text = text(value);
  }
  return one;
}

/** What the engine is told of a run's options; a sentence when there is something wrong with them. */
function settings(options, check) {
  const Lines = [];
  const Values = [];
  const arrays = [];
  const unknown = Object.keys(options).find((key) => !known.has(key));
  if (unknown !== undefined) return { problem: `there is no option ${unknown}: there are ${[...known].join(", ")}` };
  for (const key of ["entry", "shared", "model", "engine"]) if (options[key] !== undefined) Lines.push(`${key} ${options[key]}`);
  for (const key of ["grid", "block", "cluster"]) if (options[key] !== undefined) Lines.push(`${key} ${shape(options[key])}`);
  if (options.sanitize !== undefined) Lines.push(`sanitize ${[options.sanitize].flat().join(" ")}`);
  for (const expected of [options.expect ?? []].flat()) Lines.push(`expect ${expected}`);
  const args = options.args ?? {};
  if (typeof args !== "object") return { problem: "args is an object of values by name, or a list of values" };
  if (Array.isArray(args)) {
    const { entries, entry } = check();
    const kernel = entries.find(({ name }) => name === (options.entry ?? entry)) ?? entries[0];
    const most = kernel?.params.length ?? 0;
    if (args.length > most) {
      const ending = (n) => (n === 1 ? "" : "s");
      return { problem: `args has ${args.length} value${ending(args.length)} for ${most} parameter${ending(most)}` };
    }
    args.forEach((value, i) => Values.push(argument(kernel.params[i].name, value, arrays)));
  } else {
    for (const [name, value] of Object.entries(args)) {
      if (value !== undefined) Values.push(argument(name, value, arrays));
    }
  }
  const Steps = Math.trunc(Number(options.steps ?? 0));
  const Timeout = Number(options.timeout ?? 0);
  if (!(Steps >= 0 && Steps <= Number.MAX_SAFE_INTEGER)) return { problem: "steps is a number from 0 up" };
  if (!(Timeout >= 0 && Timeout < 1e12)) return { problem: "timeout is a number of milliseconds" };
  const [Schedules, Schedule] = [options.schedules ?? 0, options.schedule ?? 0].map(Number);
  if (![Schedules, Schedule].every((n) => Number.isSafeInteger(n) && n >= 0)) {
    return { problem: "schedules and schedule are whole numbers from 0 up" };
  }
  return { json: JSON.stringify({ Lines, Values, Steps, Timeout, Counters: options.counters === true,
    Models: options.models === true, Schedules, Schedule }), arrays };
}

// ---- what comes out ------------------------------------------------------------------------------------------------

const arrayTypes = {
  u8: Uint8Array, s8: Int8Array, b8: Uint8Array, u16: Uint16Array, s16: Int16Array, b16: Uint16Array,
  u32: Uint32Array, s32: Int32Array, b32: Uint32Array, u64: BigUint64Array, s64: BigInt64Array, b64: BigUint64Array,
  f32: Float32Array, f64: Float64Array,
};

/** The typed array for a buffer; vectors are flat. Of floats below 32 bits the engine gives the values. */
const typed = ({ array, data }) => new arrayTypes[array](data.buffer);

const trouble = (code, message) =>
  [{ severity: "error", code, message, line: 1, column: 1, endLine: 1, endColumn: 1 }];

const unchecked = (code, message) =>
  ({ ok: false, verdict: "failed", diagnostics: trouble(code, message), entries: [], header: false,
    entry: "" });

const notRun = (verdict, code, message) => ({
  ok: false, verdict, diagnostics: trouble(code, message), title: "", entry: "", grid: [1, 1, 1],
  block: [1, 1, 1], defaulted: false, fault: null, stopped: "", buffers: {}, layout: {}, output: "", expectations: [],
  findings: [], fidelity: "",
  stats: { warpInstructions: 0, laneInstructions: 0, branches: 0, divergentBranches: 0, barriers: 0, threads: 0,
    ctas: 0, ctasDone: 0 },
});

// ---- the interface -------------------------------------------------------------------------------------------------

/** Lets everything else on this thread have its turn. */
const pause = typeof setImmediate === "function" ? () => new Promise((resolve) => { setImmediate(resolve); })
  : () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** How long a run keeps the thread, in milliseconds. */
const turn = 12;

/**
 * Starts an engine. Engines share nothing but compiled code; call again for another.
 * @param {{ wasm?: string | URL | BufferSource | Response | WebAssembly.Module }} [options] where the engine is
 */
export async function createWarpscope(options = {}) {
  const module = await compile(options.wasm ?? engineURL);
  let engine = null;

  async function restart() {
    const fresh = prepare();
    engine = fresh.start(await WebAssembly.instantiate(module, fresh.imports));
  }
  await restart();

  /** An engine that has run out of memory is replaced by a new one; false where that takes a moment. */
  function alive() {
    if (!engine.dead()) return true;
    try {
      const fresh = prepare();
      engine = fresh.start(new WebAssembly.Instance(module, fresh.imports));
      return true;
    } catch { // browsers make large instances only asynchronously
      restart().catch(() => {});
      return false;
    }
  }

  /** Calls the engine. Its end, and its defects, come out as exceptions of this module. */
  function call(name, ...args) {
    const { api, dead, lastWords } = engine;
    let result;
    try {
      result = api[name](...args);
    } catch (error) {
      if (!dead()) throw error;
    }
    if (dead()) throw new Error(`the engine gave up and was started anew: ${lastWords() || "it ran out of memory"}`);
    if (result !== null && typeof result === "object" && "error" in result) throw new Error(result.error);
    return result;
  }

  function check(source) {
    try {
      if (!alive()) return unchecked("engine", "the engine is being started anew: try again");
      return JSON.parse(call("check", bytesOf(source)));
    } catch (error) {
      return unchecked("engine", error.message);
    }
  }

  /** Executes parts of so many steps until one gives a result, or until it is aborted. Others have their turn. */
  async function inParts(part, signal) {
    const at = engine;
    let steps = 1024;
    let since = performance.now();
    for (;;) {
      const before = performance.now();
      const result = part(steps);
      if (result) return result;
      const now = performance.now();
      steps = Math.max(64, Math.min(2 ** 30, Math.trunc(steps * Math.min(2, turn / 2 / Math.max(now - before, 0.01)))));
      if (signal?.aborted) return null;
      if (now - since < turn) continue;
      await pause();
      if (at !== engine || at.dead()) throw new Error("the engine was started anew while the program ran");
      since = performance.now();
    }
  }

  async function drive(source, json, arrays, signal) {
    const run = call("start", bytesOf(source), json, arrays);
    await inParts((steps) => call("advance", run, steps), signal);
    return call("finish", run, signal?.aborted ? "it was aborted" : "");
  }

  async function run(source, options = {}) {
    const set = settings(options ?? {}, () => check(source));
    if (set.problem) return notRun("bad-launch", "option", set.problem);
    try {
      if (!alive()) await restart();
      const { result, buffers } = await drive(source, set.json, set.arrays, options?.signal);
      return {
        ...JSON.parse(result),
        buffers: Object.fromEntries(buffers.map((b) => [b.name, typed(b)])),
        layout: Object.fromEntries(buffers.map((b) => [b.name, { type: b.type, dims: b.dims }])),
      };
    } catch (error) {
      return notRun("failed", "engine", error.message);
    }
  }

  /** Runs the programs that have a launch header, one after the other. */
  async function test(programs, options = {}) {
    const results = [];
    let skipped = 0;
    for (const [file, source] of programs instanceof Map ? programs : Object.entries(programs)) {
      const { ok, header } = check(source);
      if (ok && !header) skipped++;
      else results.push({ file, ...await run(source, options) });
    }
    const passed = results.filter((one) => one.ok).length;
    return { ok: passed === results.length, passed, failed: results.length - passed, skipped, results };
  }

  function fmt(source) {
    try {
      if (alive()) return new TextDecoder("utf-8", { ignoreBOM: true }).decode(call("format", bytesOf(source)));
    } catch { /* the text stays as it is */ }
    return typeof source === "string" ? source : new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytesOf(source));
  }

  /** Opens a program for questions about its run. */
  async function open(source, options = {}) {
    const set = settings(options ?? {}, () => check(source));
    let at = null;
    let session = 0;
    let found = { ...unchecked("option", set.problem), verdict: "bad-launch" };
    try {
      if (!set.problem) {
        if (!alive()) await restart();
        const opened = call("open", bytesOf(source), set.json, set.arrays);
        [at, session, found] = [engine, opened.session, JSON.parse(opened.found)];
      }
    } catch (error) {
      found = unchecked("engine", error.message);
    }
    return { ...found, ...questions(async (question, signal) => {
      if (session === 0) return { ok: false, problem: at ? "the session is closed" : found.diagnostics[0].message };
      if (at !== engine || at.dead()) return { ok: false, problem: "the engine was started anew: open the program again" };
      const answer = await inParts((Budget) => call("ask", session, JSON.stringify({ ...question, Budget })), signal);
      if (answer !== null) return JSON.parse(answer);
      call("ask", session); // pauses
      return JSON.parse(call("ask", session, JSON.stringify({ Do: "state" })));
    }, () => {
      if (session !== 0 && at === engine && !at.dead()) call("close", session);
      session = 0;
    }) };
  }

  return { version: engine.api.version, check, run, test, fmt, open };
}

/** The methods of a session. They are answered one after the other; none throws or rejects. */
function questions(put, close) {
  let last = null;
  const after = (f) => {
    last = Promise.resolve(last).then(f).catch((error) => ({ ok: false, problem: String(error?.message ?? error) }));
    return last;
  };
  const ask = (Do, question, options) => after(() => put({ Do, ...question?.() }, options?.signal));
  const place = (where) => ({ CTA: where?.cta, Warp: where?.warp, Lane: where?.lane });
  const cell = (Do, what, where) => ask(Do, () => ({ What: String(what), ...place(where) }));
  return {
    state: () => ask("state"),
    step: () => ask("step"),
    back: () => ask("back"),
    run: (options) => ask("run", null, options),
    seek: (Step, options) => ask("seek", () => ({ Step }), options),
    go: (Goal, options) => ask("go", () => ({ Goal, Back: options?.back, Line: options?.line }), options),
    finding: (Index, options) => ask("finding", () => ({ Index, Other: options?.other })),
    follow: (where) => ask("follow", () => place(where)),
    stops: (Stops) => ask("stops", () => ({ Stops })),
    watch: (texts) => ask("watch", () => ({ Texts: [texts].flat() })),
    edit: (what, value, where) => ask("edit", () => ({ What: String(what), Value: text(value), ...place(where) })),
    writer: (what, where) => cell("writer", what, where),
    nextWriter: (what, where) => cell("next", what, where),
    origin: (what, where) => cell("origin", what, where),
    findings: () => ask("findings"),
    chart: (span) => ask("chart", () => ({ From: span?.from, To: span?.to, All: span?.all })),
    flow: () => ask("flow"),
    counters: () => ask("counters"),
    access: (which) => ask("access", () => ({ Line: which?.line, Upcoming: which?.upcoming })),
    holds: (which) => ask("holds", () => ({ Upcoming: which?.upcoming })),
    close: () => after(close),
  };
}

export default createWarpscope;
