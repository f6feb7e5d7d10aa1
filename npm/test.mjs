// Tests of the JavaScript module and of the command in Node, on the package that build.sh npm lays out. What the Go
// command says of the same programs is what both must say.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync, mkdtempSync, cpSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const examples = readdirSync(path.join(root, "public/examples")).filter((name) => name.endsWith(".ptx"));
const example = (name) => readFileSync(path.join(root, "public/examples", name), "utf8");
const command = path.join(root, ".build/warpscope");

/** The module alone with the engine, as the site serves them. */
const alone = mkdtempSync(path.join(tmpdir(), "warpscope-"));
for (const name of ["warpscope.mjs", "warpscope.wasm"]) cpSync(path.join(root, "public", name), path.join(alone, name));
const { createWarpscope } = await import(pathToFileURL(path.join(alone, "warpscope.mjs")));

const go = (...args) => spawnSync(command, args, { encoding: "utf8", cwd: root, maxBuffer: 1 << 28 });
const npm = (...args) => spawnSync(process.execPath, [path.join(root, ".build/npm/cli.mjs"), ...args],
  { encoding: "utf8", cwd: root, maxBuffer: 1 << 28 });

/** A result with numbers as the command prints them. */
function printed(result) {
  const { layout, ...rest } = result;
  const number = (v) => typeof v === "bigint" ? String(v)
    : Number.isNaN(v) ? "nan" : v === Infinity ? "inf" : v === -Infinity ? "-inf" : v;
  rest.buffers = Object.fromEntries(Object.entries(result.buffers).map(([name, values]) =>
    [name, { ...layout[name], values: Array.from(values, number) }]));
  return rest;
}

/** 32-bit floats are written with as few digits as tell them apart. */
const rounded = (buffers) => {
  for (const b of Object.values(buffers)) {
    if (b.type.startsWith("f32")) b.values = b.values.map((v) => typeof v === "number" ? Math.fround(v) : v);
    if (b.type.startsWith("f16")) b.values = b.values.map((v) => typeof v === "number" ? nearestHalf(v) : v);
  }
  return buffers;
};

/** The nearest number with 11 bits: enough for normal f16 values. */
const nearestHalf = (v) => {
  if (v === 0) return v;
  const unit = 2 ** (Math.max(Math.floor(Math.log2(Math.abs(v))), -14) - 10);
  return Math.round(v / unit) * unit;
};

const kernel = (body, parameters = "") => `.version 7.8
.target sm_80
.address_size 64
.visible .entry k(${parameters})
{
${body}
}
`;

/** out[i] = in[i] for one element type of the given size, by one thread each. */
const copy = (type, register, size) => kernel(`
    .reg .b32 %i; .reg .${register} %v; .reg .b64 %a, %b, %o;
    mov.u32 %i, %tid.x;
    mul.wide.u32 %o, %i, ${size};
    ld.param.u64 %a, [in];
    ld.param.u64 %b, [out];
    add.s64 %a, %a, %o;
    add.s64 %b, %b, %o;
    ld.global.${type} %v, [%a];
    st.global.${type} [%b], %v;
    ret;`, ".param .u64 in, .param .u64 out");

const endless = kernel("    .reg .b32 %r;\n    mov.u32 %r, 0;\nagain:\n    add.u32 %r, %r, 1;\n    bra again;");

test("results are the command's, for every example", async () => {
  const ws = await createWarpscope();
  for (const name of examples) {
    const said = JSON.parse(go("run", "-json", path.join("public/examples", name)).stdout);
    delete said.file;
    const result = printed(await ws.run(example(name)));
    assert.equal(result.ok, true, name);
    rounded(said.buffers);
    assert.deepEqual(result, said, name);
  }
});

test("diagnostics are the command's", async () => {
  const ws = await createWarpscope();
  for (const folder of ["errors", "ok"]) {
    for (const name of readdirSync(path.join(root, "ptx/testdata", folder))) {
      const file = path.join("ptx/testdata", folder, name);
      const said = JSON.parse(go("check", "-json", file).stdout).files[0];
      delete said.file;
      assert.deepEqual(ws.check(readFileSync(path.join(root, file), "utf8")), said, file);
    }
  }
});

test("the command in Node is the command", () => {
  for (const args of [["test", "public/examples"], ["check", "ptx/testdata", "nowhere"], ["test", "-json", "testdata/faults"],
    ["fmt", "-l", "ptx/testdata"], ["run", "-github", "testdata/faults/" + readdirSync(path.join(root, "testdata/faults"))[0]],
    ["help"], ["walk"], ["check", ...Array(300).fill("public/examples/01-hello-lanes.ptx")]]) {
    const a = go(...args);
    const b = npm(...args);
    const said = args.join(" ").slice(0, 60);
    assert.equal(b.stdout, a.stdout, said);
    assert.equal(b.stderr.replace("nowhere: no such", "nowhere: No such"), a.stderr.replace("nowhere: no such", "nowhere: No such"), said);
    assert.equal(b.status, a.status, said);
  }
  const piped = spawnSync(process.execPath, [path.join(root, ".build/npm/cli.mjs"), "fmt", "-"],
    { input: ".version   7.0\n", encoding: "utf8" });
  assert.equal(piped.stdout, ".version 7.0\n");
});

test("check", async () => {
  const ws = await createWarpscope();
  assert.deepEqual(ws.check(kernel("ret;", ".param .u64 a, .param .f32 b")), {
    ok: true, verdict: "ok", diagnostics: [], header: false, entry: "k", entries: [{ name: "k", params: [
      { name: "a", type: ".u64", align: 8, size: 8 }, { name: "b", type: ".f32", align: 4, size: 4 }] }],
  });
  const { ok, verdict, diagnostics } = ws.check(kernel("    moo.u32 %r1, 5;"));
  assert.deepEqual([ok, verdict, diagnostics[0].severity, diagnostics[0].line, diagnostics[0].column,
    diagnostics[0].endLine, diagnostics[0].endColumn], [false, "not-ptx", "error", 6, 5, 6, 12]);
});

test("grid, block and arguments in place of the header's", async () => {
  const ws = await createWarpscope();
  const source = example("02-vector-add.ptx");
  for (const grid of [1, [1], [1, 1, 1], { x: 1 }, "1"]) {
    const r = await ws.run(source, { grid, block: 64 });
    assert.deepEqual([r.grid, r.block, r.stats.threads, r.ok], [[1, 1, 1], [64, 1, 1], 64, false]);
    assert.deepEqual(r.expectations.map((e) => e.pass), [true, false, true]);
  }
  // out = x + y for the first n elements
  const r = await ws.run(source, {
    args: { x: Float32Array.from({ length: 1024 }, (_, i) => i * 2), y: "iota", n: 3 },
    expect: ["out[0..2] == 0, 3, 6", "out[3..1023] == 0"],
  });
  assert.ok(r.buffers.out instanceof Float32Array);
  assert.deepEqual([...r.buffers.out.subarray(0, 4)], [0, 3, 6, 0]);
  assert.deepEqual(r.expectations.slice(-2).map((e) => e.pass), [true, true]);

  // values in order are those of the kernel that the header names
  const second = "//@ entry k\n//@ block 2\n//@ arg in u32[2]\n//@ arg out u32[2]\n" +
    copy("u32", "b32", 4).replace(".visible", ".visible .entry first(.param .u32 n) { ret; }\n.visible");
  assert.deepEqual((await ws.run(second, { args: [[5, 6]] })).buffers.out, new Uint32Array([5, 6]));

  // without a header, by order or by name, with lists that decide lengths
  const three = copy("u32", "b32", 4);
  for (const args of [[[7, 8, 9], new Uint32Array(3)], { in: [7, 8, 9], out: "u32[3]" },
    { in: new Float64Array([7, 8, 9]), out: "u32[3]" }]) {
    const r = await ws.run(three, { block: 3, args, expect: Array.isArray(args) ? "out == 7, 8, 9" : undefined });
    assert.equal(r.ok, true, JSON.stringify(r.diagnostics));
    if (!(args.in instanceof Float64Array)) assert.deepEqual(r.buffers.out, new Uint32Array([7, 8, 9]));
  }
  assert.equal((await ws.run(source, { entry: "vecadd", shared: 64, model: "stack", sanitize: ["memcheck"] })).ok, true);
  assert.equal((await ws.run(source, { engine: "interpreter" })).ok, true);
  const { diagnostics: [engine] } = await ws.run(source, { engine: "fast" });
  assert.match(engine.message, /expected "auto" or "interpreter" or "compiled", found "fast"/);
});

test("typed arrays by element type", async () => {
  const ws = await createWarpscope();
  const inf = Infinity;
  for (const [type, access, register, size, values, array] of [
    ["u8", "u8", "b32", 1, "1, 255", new Uint8Array([1, 255])],
    ["s8", "s8", "b32", 1, "1, -128", new Int8Array([1, -128])],
    ["b8", "b8", "b32", 1, "1, 0xff", new Uint8Array([1, 255])],
    ["u16", "u16", "b16", 2, "1, 65535", new Uint16Array([1, 65535])],
    ["s16", "s16", "b16", 2, "1, -32768", new Int16Array([1, -32768])],
    ["b16", "b16", "b16", 2, "1, 0xffff", new Uint16Array([1, 65535])],
    ["u32", "u32", "b32", 4, "1, 4294967295", new Uint32Array([1, 4294967295])],
    ["s32", "s32", "b32", 4, "1, -2147483648", new Int32Array([1, -2147483648])],
    ["b32", "b32", "b32", 4, "1, 0xffffffff", new Uint32Array([1, 4294967295])],
    ["u64", "u64", "b64", 8, "1, 18446744073709551615", new BigUint64Array([1n, 18446744073709551615n])],
    ["s64", "s64", "b64", 8, "1, -9223372036854775808", new BigInt64Array([1n, -9223372036854775808n])],
    ["b64", "b64", "b64", 8, "1, 0xffffffffffffffff", new BigUint64Array([1n, 18446744073709551615n])],
    ["f32", "f32", "f32", 4, "0.1, -inf", new Float32Array([0.1, -inf])],
    ["f64", "f64", "f64", 8, "0.1, nan", new Float64Array([0.1, NaN])],
    // 0x3555 is 1/3 as f16: (1 + 0x155/1024) / 4; the least subnormal is 2^-24. 0x3eab as bf16: (1 + 0x2b/128) / 4.
    ["f16", "b16", "b16", 2, "0x3555, 0x0001", new Float32Array([(1 + 0x155 / 1024) / 4, 2 ** -24])],
    ["bf16", "b16", "b16", 2, "0x3eab, 0xff80", new Float32Array([(1 + 0x2b / 128) / 4, -inf])],
    // 448 is 2^8 * 1.75, the largest e4m3; 2^-16 the least e5m2
    ["e4m3", "b8", "b32", 1, "448, nan", new Float32Array([448, NaN])],
    ["e5m2", "b8", "b32", 1, "0.0000152587890625, -inf", new Float32Array([2 ** -16, -inf])],
    ["f32x2", "f32", "f32", 4, "1, 2", new Float32Array([1, 2])],
  ]) {
    const n = type.endsWith("x2") ? 1 : 2;
    const header = `//@ block 2\n//@ arg in ${type}[${n}] = ${values}\n//@ arg out ${type}[${n}]\n`;
    const r = await ws.run(header + copy(access, register, size));
    assert.deepEqual(r.diagnostics, [], type);
    assert.equal(r.buffers.out.constructor, array.constructor, type);
    assert.deepEqual(Array.from(r.buffers.out), Array.from(array), type);
    assert.deepEqual(r.layout.out, { type, dims: [n] });
    // back in: as they came, and as a plain list
    for (const again of [r.buffers.out, Array.from(r.buffers.out)]) {
      const back = await ws.run(header + copy(access, register, size), { args: { in: again } });
      assert.deepEqual(Array.from(back.buffers.out), Array.from(array), `${type} again`);
    }
  }
  // a typed array gives a buffer without a header its type
  const r = await ws.run(copy("f64", "f64", 8), { block: 2, args: { in: new Float64Array([1.5, -2]), out: new Float64Array(2) } });
  assert.deepEqual(r.buffers.out, new Float64Array([1.5, -2]));
});

test("a launch that does not fit is not a program that is not PTX", async () => {
  const ws = await createWarpscope();
  const bare = copy("u32", "b32", 4);
  const verdict = async (source, options) => (await ws.run(source, options)).verdict;
  assert.equal(await verdict("//@ block 32\n" + bare), "bad-launch"); // parameters without arguments
  assert.equal(ws.check("//@ block 32\n" + bare).verdict, "bad-launch");
  assert.equal(await verdict(bare, { grid: 0 }), "bad-launch");
  assert.equal(await verdict(bare, { args: { nothing: 1 } }), "bad-launch");
  assert.equal(await verdict(bare, { args: [1, 2, 3] }), "bad-launch");
  assert.equal(await verdict(bare, { speed: 1 }), "bad-launch");
  assert.equal(await verdict(bare.replace("ld.global", "ld.moon")), "not-ptx");
  // guessed arguments
  const guessed = await ws.run(bare, { block: 4 });
  assert.deepEqual([guessed.ok, guessed.verdict], [true, "unchecked"]);
  assert.equal(await verdict(bare, { expect: "out[3] == 3" }), "ok"); // iota is copied
  assert.equal(await verdict(bare, { args: { in: [1, 2], out: "u32[2]" }, block: 2 }), "ok");
});

test("counters, models and schedules are the command's", async () => {
  const ws = await createWarpscope();
  const name = "04-if-else.ptx";
  const said = JSON.parse(go("run", "-json", "-counters", "-models", "-schedules", "3", path.join("public/examples", name)).stdout);
  delete said.file;
  const result = await ws.run(example(name), { counters: true, models: true, schedules: 3 });
  assert.deepEqual(printed(result), said);
  assert.equal(said.models.runs.length, 3);
  assert.deepEqual(said.schedules, { tried: 3, differ: [] });
  const seeded = await ws.run(example(name), { schedule: 7 });
  assert.deepEqual([seeded.ok, (await ws.run(example(name), { schedules: -1 })).verdict], [true, "bad-launch"]);
});

test("a session answers questions about a run", async () => {
  const ws = await createWarpscope();
  const s = await ws.open(example("04-if-else.ptx"));
  assert.deepEqual([s.ok, s.verdict, s.entry], [true, "ok", "ifelse"]);
  const end = await s.run();
  assert.deepEqual([end.ok, end.phase, end.step], [true, "finished", 12]);
  const { write } = await s.writer("%v", { lane: 20 }); // 20 + 1000
  assert.deepEqual([write.step, write.line, write.new], [6, 35, "0x000003fc"]);
  assert.equal((await s.seek(write.step)).line, 37);
  const [origin, chart, flow, counters] = await Promise.all([s.origin("%v", { lane: 3 }), s.chart(), s.flow(), s.counters()]);
  assert.deepEqual([origin.write.step, origin.sources.map((one) => one.name)], [4, ["%lane", "10"]]);
  assert.equal(chart.blocks[chart.moments[5].blocks[20]].name, "other");
  assert.deepEqual(flow.edges.slice(0, 2).map(({ lanes }) => lanes).sort(), [12, 20]);
  assert.equal(counters.kernel["smsp__inst_executed.sum"], 6);
  assert.equal((await s.stops([{ line: 39, if: "lane == 31" }])).stops[0].problem, undefined);
  assert.equal((await s.run()).line, 39);
  assert.equal((await s.edit("%v", 7, { lane: 3 })).ok, true);
  assert.equal((await s.go("line", { line: 42 })).line, 42);
  assert.deepEqual((await s.watch("out[3]")).watches, [{ text: "out[3]", values: ["7"] }]);
  assert.equal((await s.access({ line: 41 })).sectors.length, 4); // 32 words of 4 bytes, in sectors of 32

  // A run leaves others their turn, and sessions are apart. What makes no sense has an answer.
  const forever = await ws.open(endless);
  assert.equal((await forever.run({ signal: AbortSignal.timeout(50) })).phase, "paused");
  assert.ok((await forever.state()).step > 0);
  assert.equal((await s.state()).line, 42);
  for (const wrong of [s.writer("%nix"), s.writer("%v", { warp: 99 }), s.writer(Object.create(null)), s.seek("soon"), s.seek(1n),
    s.go(), s.finding(3), s.holds(null), s.edit("%v", "much", null), s.stops(5), (await ws.open("junk")).run(),
    (await ws.open(example("04-if-else.ptx"), { grid: 0 })).state()]) {
    const { ok, problem } = await wrong;
    assert.deepEqual([ok, typeof problem], [false, "string"]);
  }
  await s.close();
  assert.deepEqual(await s.state(), { ok: false, problem: "the session is closed" });
});

test("a fault is a result", async () => {
  const ws = await createWarpscope();
  const r = await ws.run("//@ arg in u32[16]\n//@ arg out u32[32]\n" + copy("u32", "b32", 4));
  // 32 threads read 16 elements: lanes 16 to 31 are outside; two header lines, and line 14 of the program
  assert.equal(r.ok, false);
  assert.equal(r.fault.kind, "OutOfBounds");
  assert.deepEqual([r.fault.line, r.fault.cta, r.fault.warp, r.fault.space], [16, [0, 0, 0], 0, ".global"]);
  assert.deepEqual(r.fault.lanes, Array.from({ length: 16 }, (_, i) => 16 + i));
  assert.match(r.fault.address, /^0x2[0-9a-f]+$/);
  assert.match(r.fault.message, /^line 16: out of bounds/);
});

test("limits", async () => {
  const ws = await createWarpscope();
  const steps = await ws.run(endless, { steps: 5000 });
  assert.equal(steps.stopped, "the step limit is reached");
  assert.equal(steps.stats.warpInstructions, 5000);
  const time = await ws.run(endless, { timeout: 30 });
  assert.equal(time.stopped, "the time limit is reached");
  assert.equal(time.ok, false);

  let others = 0;
  const timer = setInterval(() => { others++; }, 1);
  const aborted = await ws.run(endless, { signal: AbortSignal.timeout(200) });
  clearInterval(timer);
  assert.equal(aborted.stopped, "it was aborted");
  assert.ok(others > 3, `a run leaves others their turn: ${others}`);
});

test("wrong options are results", async () => {
  const ws = await createWarpscope();
  const source = example("02-vector-add.ptx");
  for (const [options, says] of [
    [{ gird: 4 }, "no option gird"], [{ grid: 0 }, "grid"], [{ grid: {} , block: 5000 }, "block"],
    [{ args: { z: 1 } }, '"z"'], [{ args: [1, 2, 3, 4, 5] }, "5 values for 4 parameters"], [{ args: { n: null } }, "n:"],
    [{ args: { n: Symbol.iterator.description } }, "n:"], [{ args: 5 }, "args is"], [{ steps: -1 }, "steps"],
    [{ timeout: "soon" }, "timeout"], [{ entry: "none" }, "none"], [{ expect: "what" }, "what"],
    [{ args: { x: new Uint8Array(0) } }, "no elements"],
  ]) {
    const r = await ws.run(source, options);
    assert.equal(r.ok, false);
    assert.ok(r.diagnostics.some((d) => d.message.includes(says)), `${says}: ${JSON.stringify(r.diagnostics)}`);
    assert.deepEqual(r.buffers, {});
  }
});

test("hostile input gives results in time", async () => {
  const ws = await createWarpscope();
  const size = 2 << 20;
  let seed = 1;
  const noise = Uint8Array.from({ length: 10 << 20 }, () => (seed = seed * 48271 % 2147483647) & 255);
  for (const [name, source] of Object.entries({
    noise,
    "noise as text": new TextDecoder("latin1").decode(noise),
    braces: "{".repeat(10 << 20),
    "one word": ".version 7.0\n.target sm_80\n" + "a".repeat(size),
    semicolons: ".version 7.0\n.target sm_80\n.entry k() {" + ";".repeat(size),
    parentheses: ".version 7.0\n.target sm_80\n.global .u32 x = " + "(".repeat(size),
    "a comment": "/*" + "*".repeat(size),
    "header lines": "//@ arg x u32[4]\n".repeat(size / 17),
    "half a character": "\ud800".repeat(1000),
    nothing: "",
    "no text": undefined,
    "a number": 42,
    zeros: new Uint8Array(size),
  })) {
    const before = performance.now();
    const checked = ws.check(source);
    assert.equal(checked.ok, false, name);
    assert.ok(checked.diagnostics.length > 0 && checked.diagnostics.length < 1000, name);
    const r = await ws.run(source);
    assert.equal(r.ok, false, name);
    assert.equal(r.fault, null);
    const took = performance.now() - before;
    assert.ok(took < 60000, `${name} took ${took} ms`);
  }
  const huge = await ws.run("//@ arg in u8[1000000000]\n//@ arg out u8[70000000]\n" + copy("u8", "b32", 1));
  assert.equal(typeof huge.ok, "boolean");
  const recursion = await ws.run(kernel("call f;\nret;").replace(".visible", ".func f() { call f; ret; }\n.visible"));
  assert.equal(recursion.fault?.kind, "StackOverflow", JSON.stringify(recursion.diagnostics));
  assert.equal((await ws.run(example("01-hello-lanes.ptx"))).ok, true, "the engine still works");
});

test("engines are isolated, and leave no trace", async () => {
  const before = Object.getOwnPropertyNames(globalThis);
  const engines = await Promise.all([createWarpscope(), createWarpscope(), createWarpscope()]);
  const results = await Promise.all(engines.flatMap((ws, i) => [
    ws.run(endless, { steps: 300000 + i }), ws.run(example(examples[i])), ws.run(example(examples[i + 3]))]));
  engines.forEach((_, i) => {
    assert.equal(results[3 * i].stats.warpInstructions, 300000 + i);
    assert.equal(results[3 * i + 1].ok && results[3 * i + 2].ok, true);
  });
  assert.deepEqual(Object.getOwnPropertyNames(globalThis), before);
});

test("the engine from elsewhere", async () => {
  const bytes = readFileSync(path.join(alone, "warpscope.wasm"));
  for (const wasm of [bytes, pathToFileURL(path.join(alone, "warpscope.wasm")), await WebAssembly.compile(bytes)]) {
    assert.equal((await createWarpscope({ wasm })).check("").ok, false);
  }
  await assert.rejects(createWarpscope({ wasm: "nothing.wasm" }));
});

test("the engine where development servers leave it", async () => {
  // Vite bundles what a project depends on into node_modules/.vite/deps, without the files beside it.
  const modules = path.join(mkdtempSync(path.join(tmpdir(), "warpscope-")), "node_modules");
  cpSync(path.join(root, ".build/npm"), path.join(modules, "warpscope"), { recursive: true });
  cpSync(path.join(root, "public/warpscope.mjs"), path.join(modules, ".vite/deps/warpscope.mjs"));
  const moved = await import(pathToFileURL(path.join(modules, ".vite/deps/warpscope.mjs")));
  assert.equal((await moved.createWarpscope()).check("").verdict, "not-ptx");
  await assert.rejects(createWarpscope({ wasm: pathToFileURL(path.join(root, "public/index.html")) }),
    /index\.html is not the engine: say with createWarpscope\(\{ wasm \}\)/);
  assert.doesNotMatch(readFileSync(path.join(root, "public/warpscope.mjs"), "utf8"), /import\([^)]*"node:/);
});

test("test and fmt", async () => {
  const ws = await createWarpscope();
  const result = await ws.test({ "a.ptx": example("01-hello-lanes.ptx"), "b.ptx": kernel("ret;"), "c.ptx": "junk",
    "d.ptx": "//@ expect output \"hello\"\n" + kernel("ret;") });
  assert.deepEqual([result.ok, result.passed, result.failed, result.skipped], [false, 1, 2, 1]);
  assert.deepEqual(result.results.map((r) => [r.file, r.verdict]), [["a.ptx", "ok"], ["c.ptx", "not-ptx"], ["d.ptx", "failed"]]);
  assert.equal(ws.fmt(".entry k(){\nret ; // ü\n}"), ".entry k(){\n    ret;                                        // ü\n}\n");
});

test("the package", () => {
  const { version } = JSON.parse(readFileSync(path.join(root, "npm/package.json"), "utf8"));
  assert.equal(npm("version").stdout, `warpscope ${version}\n`);
  // installed elsewhere, it is found by its name, and its command runs
  const project = mkdtempSync(path.join(tmpdir(), "warpscope-"));
  cpSync(path.join(root, ".build/npm"), path.join(project, "node_modules/warpscope"), { recursive: true });
  writeFileSync(path.join(project, "try.mjs"), `
    import { createWarpscope } from "warpscope";
    const ws = await createWarpscope();
    console.log(ws.version, ws.check("").ok);
  `);
  assert.equal(execFileSync(process.execPath, ["try.mjs"], { cwd: project, encoding: "utf8" }), `${version} false\n`);
});
