import test from "node:test";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { history, undo } from "@codemirror/commands";
import { foldedRanges } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { folding, foldOf, headRange, isFolded, leadRange, summary, toggleFold } from "./fold.js";
import { fields, newText } from "./machine.js";

const head = `//@ title   Add
//@ grid    4
//@ block   256
//@ arg     x    f32[1024] = iota
//@ arg     out  f32[1024]
//@ arg     n    u32 = 1000
//@ expect  out[0..2] == 0, 1, 2
//@ expect  out[999] == 999

.version 6.4
.target sm_70
.address_size 64`;
const program = `${head}

// adds
.visible .entry add()
{
    ret;
}
`;
const text = (lines) => EditorState.create({ doc: lines }).doc;
/** What does not fold. */
const stays = (lines) => lines.slice(headRange(text(lines))?.to ?? 0);

test("the head is all up to the last directive of the module", () => {
  const folds = [head, "// by a compiler\n\n.version 8.0\n.target sm_90a, debug // both",
    "//@ block 32\n// about it\n//@ grid 2"];
  for (const lines of folds) assert.equal(stays(lines + "\n// code\n.entry k()"), "\n// code\n.entry k()");
  const open = [".version 8.0\n.target sm_90\n.entry k()", // two lines need no fold
    ".entry k()\n//@ block 32\n.version 8.0\n.target sm_90",
    ".version 8.0\n.target sm_90 .entry k() {}\n.address_size 64", ""];
  for (const lines of open) assert.equal(stays(lines), lines);
});

test("no instruction, label or declaration of a lesson folds, and nothing of its head stays", () => {
  const folder = new URL("../public/lessons/", import.meta.url);
  let programs = 0;
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".md"))) {
    for (const [, code] of readFileSync(new URL(file, folder), "utf8").matchAll(/^```ptx.*\n([^]*?)^```/gm)) {
      const range = headRange(text(code));
      programs++;
      assert.match(code.slice(0, range.to), /\n\.address_size 64$/, file);
      assert.doesNotMatch(code.slice(range.to), /^(\/\/@|\.version|\.target|\.address_size)/m, file);
      assert.doesNotMatch(code.slice(0, range.to), /[;{}]\s*$/m, file);
    }
  }
  assert.ok(programs > 70, `${programs} programs`);
});

test("the summary says what the lines say", () => {
  const cases = [
    [head, "4 × 256 threads · 2 buffers · 1 value · 2 expectations · sm_70"],
    ["//@ block 8,8\n//@ grid 2,3,1\n//@ arg o u8x4[8,8] as image", "6 × 64 threads · 1 buffer"],
    ["//@ block 1024\n//@ model stack\n//@ expect fault address", "1,024 threads · 1 expectation · model stack"],
    ["//@ grid 1,2\n//@ buffer b u8[4]\n//@ arg p u64 = address(b)", "2 blocks · 1 buffer · 1 value"],
    ["//@ block 1\n//@ tensormap m = b box 4\n//@ texture t = b\n//@ symbol s u32[2] = 1, 2\n//@ sanitize racecheck",
      "1 thread · 1 variable · 1 tensor map · 1 texture · sanitize racecheck"],
    ["// by a compiler\n// for us\n//\n.version 8.0\n.target sm_90a, debug", "2 lines of comment · sm_90a"],
  ];
  for (const [lines, want] of cases) assert.equal(summary(lines), want);
});

const start = () => {
  const state = EditorState.create({ doc: program, extensions: [fields, history(), folding()] });
  return state.update({ effects: foldOf(headRange(state.doc)) }).state;
};
const folds = (state) => {
  const ranges = [];
  foldedRanges(state).between(0, 1e6, (from, to) => { ranges.push([from, to]); });
  return ranges;
};
const after = (spec) => start().update(spec).state;
const problem = (from, severity = "error") =>
  setDiagnostics(start(), [{ from, to: from + 1, severity, message: "no" }]);
const code = program.indexOf("ret");

test("folding leaves the text alone", () => {
  const state = start();
  assert.ok(isFolded(state));
  assert.equal(state.doc.toString(), program);
  assert.equal(state.sliceDoc(0, state.doc.length), program, "what is copied");
  assert.equal(undo({ state, dispatch: () => assert.fail("there is nothing to undo") }), false);
});

test("the head opens when the caret, a change or a diagnostic gets there", () => {
  const cases = [
    ["the caret at its begin", { selection: { anchor: 0 } }, false],
    ["the caret inside", { selection: { anchor: 20 } }, false],
    ["the caret at its end", { selection: { anchor: head.length } }, false],
    ["the caret below", { selection: { anchor: head.length + 1 } }, true],
    ["everything selected", { selection: { anchor: 0, head: program.length } }, true],
    ["typing before it", { changes: { from: 0, insert: "x" } }, false],
    ["typing at its end", { changes: { from: head.length, insert: "x" } }, false],
    ["a deletion that reaches into it", { changes: { from: head.length - 1, to: head.length + 2 } }, false],
    ["typing below", { changes: { from: code, insert: "x" }, selection: { anchor: code + 1 } }, true],
    ["an error inside", problem(30), false],
    ["a warning at its end", problem(head.length, "warning"), false],
    ["an error below", problem(code), true],
  ];
  for (const [name, spec, folded] of cases) assert.equal(folds(after(spec)).length, folded ? 1 : 0, name);
});

test("an edit below leaves the fold where it is", () => {
  const state = after({ changes: { from: code, to: code + 3, insert: "exit" } });
  assert.deepEqual(folds(state), [[0, head.length]]);
});

test("another text folds anew", () => {
  const next = "//@ block 64\n.version 8.0\n.target sm_90\n.entry k() { ret; }\n";
  const state = after({ changes: { from: 0, to: program.length, insert: next }, selection: { anchor: 0 },
    effects: [newText.of(null), ...foldOf(headRange(text(next)))] });
  assert.ok(isFolded(state));
});

test("comments alone fold away, and blank lines stay with the code", () => {
  const cases = [
    ["//@ title A\n//@ block 32\n//\n// about it\n\n.version 8.0\n", "\n\n.version 8.0\n"],
    ["// one\n\n// two\n.version 8.0", "\n.version 8.0"],
    ["// one\n// two\n\n.version 8.0", null], // two lines need no fold
    [".version 8.0\n//\n//\n//", null],
    ["// only\n// a\n// comment", null],
  ];
  for (const [lines, rest] of cases) {
    const range = leadRange(text(lines));
    assert.equal(range && lines.slice(range.to), rest, lines);
  }
});

test("what is folded away opens and folds again", () => {
  let state = EditorState.create({ doc: program, extensions: [fields, folding(leadRange, true)] });
  const lead = program.indexOf("\n\n.version");
  state = state.update({ effects: toggleFold(state, leadRange) }).state;
  assert.deepEqual(folds(state), [[0, lead]]);
  state = state.update({ effects: toggleFold(state, leadRange) }).state;
  assert.deepEqual(folds(state), []);
});
