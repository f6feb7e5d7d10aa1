import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { carried, changed, lineMarks, lineMoves, moved, placed, places } from "./live.js";
import { newText } from "./machine.js";

// Its lines begin at 0, 4, 8 and 14.
const text = EditorState.create({ doc: "one\ntwo\nthree\nfour\n" });
const at = (list) => placed(text.doc, list);
const marks = (groups, others = []) => [...lineMarks(at(groups), at(others))]
  .map(([from, { classes, lanes, warps = "" }]) => [from, classes.join(" "), lanes, warps]);

test("lanes are counted where they are apart", () => {
  assert.deepEqual(marks([{ line: 2, mask: 0xf, top: true }, { line: 4, mask: 0xff0 }, { line: 4, mask: 1 << 31 }]),
    [[4, "ptx-at ptx-at-top", "4 lanes", ""], [14, "ptx-at", "9 lanes", ""]]);
  assert.deepEqual(marks([{ line: 2, mask: 0xffffffff, top: true }]), [[4, "ptx-at ptx-at-top", "", ""]], "together");
  assert.deepEqual(marks([{ line: 99, mask: 1, top: true }, { line: 0, mask: 1 }]), [], "lines that the text does not have");
});

test("other warps are counted by line, and those beside the followed one are more of them", () => {
  const others = [{ line: 2, warps: 3, waiting: 1 }, { line: 4, warps: 1, waiting: 1 }];
  assert.deepEqual(marks([{ line: 2, mask: 0xf, top: true }], others),
    [[4, "ptx-at ptx-at-top ptx-others", "", "+3 warps"], [14, "ptx-others ptx-wait", "", "1 warp"]]);
});

test("a line where all wait at a barrier is not one that runs", () => {
  const classes = (groups) => marks(groups).map(([, names]) => names);
  assert.deepEqual(classes([{ line: 2, mask: 0xffffffff, top: true, bar: true }]), ["ptx-at ptx-at-top ptx-at-bar"]);
  assert.deepEqual(classes([{ line: 2, mask: 0xf, top: true, bar: true }, { line: 2, mask: 0xf0 }]), ["ptx-at ptx-at-top"]);
});

test("places are those of lanes and of other warps, in the order of the text", () => {
  // Of a warp whose lanes 24 to 27 run line 2, lanes 0 to 15 wait at line 4; of three other warps two wait at line 1.
  assert.deepEqual(places(at([{ line: 2, mask: 0x0f000000, top: true }, { line: 4, mask: 0xffff }]),
    at([{ line: 3, warps: 1, waiting: 0 }, { line: 1, warps: 2, waiting: 2 }])), [
    { from: 0, unit: "warp", count: 2, waits: true }, { from: 4, unit: "lane", count: 4, waits: false },
    { from: 8, unit: "warp", count: 1, waits: false }, { from: 14, unit: "lane", count: 16, waits: true }]);
});

test("marks move with their lines, and go with another text", () => {
  const from = (spec) => carried(at([{ line: 3, mask: 1 }]), text.update(spec)).map((one) => one.from);
  assert.deepEqual(from({ changes: { from: 0, insert: "zero\n" } }), [13]);
  assert.deepEqual(from({ changes: { from: 10, insert: "x" } }), [8], "typing in the line");
  assert.deepEqual(from({ changes: { from: 0, to: 19, insert: "uno\ndue\ntre\nquattro\n" } }), [8],
    "a text pasted over another: the line keeps its number");
  assert.deepEqual(from({ changes: { from: 0, to: 19, insert: "uno\n" } }), [4], "the last line, where there are fewer");
  assert.deepEqual(from({ effects: newText.of(null) }), []);
});

test("counts stay with their lines", () => {
  const counts = new Map([[2, "two"], [3, "three"], [4, "four"]]);
  const at = (spec) => [...moved(counts, lineMoves(text.update(spec))).entries()]
    .map(([line, name]) => `${name} ${line}`).join();
  assert.equal(at({ changes: { from: 5, insert: "x" } }), "two 2,three 3,four 4", "typing in a line");
  assert.equal(at({ changes: { from: 8, insert: "zero\nzero\n" } }), "two 2,three 5,four 6", "lines before the third");
  assert.equal(at({ changes: { from: 10, insert: "\n" } }), "two 2,three 3,four 5", "Enter within the third");
  assert.equal(at({ changes: { from: 8, to: 14 } }), "two 2,four 3", "the third is gone");
  assert.equal(at({ changes: [{ from: 0, insert: "a\n" }, { from: 14, insert: "b\n" }] }), "two 3,three 4,four 6");
});

test("counts are told by what changes", () => {
  const counts = new Map(), list = (changes) => [changed(counts, changes), ...counts];
  assert.deepEqual(list({ 1: 1, 2: 5 }), [5, [1, 1], [2, 5]], "the greatest, and all of them");
  assert.deepEqual(list({}), [5, [1, 1], [2, 5]]);
  assert.deepEqual(list({ 2: 4, 3: 1 }), [4, [1, 1], [2, 4], [3, 1]], "a step back, and a new line");
  assert.deepEqual(list({ 1: 0, 2: 0, 3: 0 }), [0], "back to the start");
  changed(counts, { 7: 1 });
  assert.deepEqual(list(null), [0], "another program");
});
