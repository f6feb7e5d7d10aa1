import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { breakpointLines, executions, fields, inLanes, newText, setBreakpoints, setHeat, setMarkers, setOthers, setStripes, short,
  toggled } from "./machine.js";

const start = (lines) => EditorState.create({ doc: "one\ntwo\nthree\nfour\n", extensions: fields })
  .update({ effects: setBreakpoints(lines) }).state;
const after = (state, spec) => breakpointLines(state.update(spec).state);

test("breakpoints move with their lines", () => {
  const state = start([2, 4]); // "two" begins at 4, "four" at 14
  assert.deepEqual(after(state, { changes: { from: 0, insert: "zero\n" } }), [3, 5], "a line above");
  assert.deepEqual(after(state, { changes: { from: 4, insert: "\n" } }), [3, 5], "Enter at the start of the line");
  assert.deepEqual(after(state, { changes: { from: 7, insert: "\n" } }), [2, 5], "Enter at its end");
  assert.deepEqual(after(state, { changes: { from: 4, insert: "x" } }), [2, 4], "typing at the start of the line");
  assert.deepEqual(after(state, { changes: { from: 4, to: 7, insert: "2" } }), [2, 4], "the line's text replaced");
});

test("breakpoints go with their lines", () => {
  const state = start([2, 4]);
  assert.deepEqual(after(state, { changes: { from: 3, to: 8 } }), [2], "line 2 and its line ends deleted");
  assert.deepEqual(after(state, { changes: { from: 4, to: 8 } }), [3], "line 2 deleted with one line end");
  assert.deepEqual(after(state, { changes: { from: 0, to: 19, insert: "a\nb\nc\nd\n" } }), [], "everything replaced");
  assert.deepEqual(after(state, { effects: newText.of(null) }), [], "another text");
});

test("breakpoints are set and toggled within the text", () => {
  assert.deepEqual(breakpointLines(start([4, 2, 2, 0, 99])), [2, 4]);
  const state = start([2]);
  assert.deepEqual(after(state, { effects: toggled(state, 2) }), []);
  assert.deepEqual(after(state, { effects: toggled(state, 1) }), [1, 2]);
});

test("counts are short", () => {
  const cases = [[0, "0"], [999, "999"], [1000, "1k"], [1299, "1.2k"], [45678, "45k"], [999999, "999k"],
    [3.19e6, "3.1M"], [2e9, "2G"], [4e12, "4T"]];
  for (const [count, want] of cases) assert.equal(short(count), want);
});

test("lanes are counted where they are apart", () => {
  const lines = (groups) => {
    const state = start([]).update({ effects: setMarkers(groups) }).state;
    const found = [];
    for (const set of state.facet(EditorView.decorations)) {
      set.between?.(0, state.doc.length, (from, _, { spec }) => {
        if (spec.class?.startsWith("ptx-at")) found.push([state.doc.lineAt(from).number, spec.attributes["data-lanes"]]);
      });
    }
    return found;
  };
  assert.deepEqual(lines([{ line: 2, mask: 0xf, top: true }, { line: 4, mask: 0xff0 }, { line: 4, mask: 1 << 31 }]),
    [[2, "4 lanes"], [4, "9 lanes"]]);
  assert.deepEqual(lines([{ line: 2, mask: 0xffffffff, top: true }]), [[2, undefined]], "together");
});

test("other warps are counted by line, and those beside the followed one are more of them", () => {
  const words = (state) => state.facet(EditorView.decorations).flatMap((set) => {
    const found = [];
    set.between?.(0, state.doc.length, (from, _, { spec }) => {
      const name = spec.attributes?.["data-warps"];
      if (name) found.push([state.doc.lineAt(from).number, name, spec.class.includes("ptx-wait")]);
    });
    return found;
  });
  const others = setOthers([{ line: 2, warps: 3, waiting: 1 },
    { line: 4, warps: 1, waiting: 1 }, { line: 99, warps: 1, waiting: 0 }]);
  const state = start([]).update({ effects: [setMarkers([{ line: 2, mask: 0xf, top: true }]), others] }).state;
  assert.deepEqual(words(state), [[2, "+3 warps", false], [4, "1 warp", true]]);
  const moved = state.update({ changes: { from: 0, insert: "zero\n" } }).state;
  assert.deepEqual(words(moved), [[3, "+3 warps", false], [5, "1 warp", true]]);
  assert.deepEqual(words(state.update({ effects: setOthers([]) }).state), []);
});

test("a line where all wait at a barrier is not one that runs", () => {
  const classes = (groups) => {
    const state = start([]).update({ effects: setMarkers(groups) }).state;
    const found = [];
    for (const set of state.facet(EditorView.decorations)) {
      set.between?.(0, state.doc.length, (from, _, { spec }) => {
        if (spec.class?.startsWith("ptx-at")) found.push(spec.class);
      });
    }
    return found;
  };
  assert.deepEqual(classes([{ line: 2, mask: 0xffffffff, top: true, bar: true }]), ["ptx-at ptx-at-top ptx-at-bar"]);
  assert.deepEqual(classes([{ line: 2, mask: 0xf, top: true, bar: true }, { line: 2, mask: 0xf0 }]), ["ptx-at ptx-at-top"]);
});

test("heat is told by what changes", () => {
  const heat = (state, changes) => state.update({ effects: setHeat(changes) }).state;
  let state = heat(start([]), { 1: 1, 2: 5 });
  assert.deepEqual([...executions(state)], [[1, 1], [2, 5]]);
  const same = heat(state, {});
  assert.equal(executions(same), executions(state), "no change, nothing to draw");
  state = heat(state, { 2: 4, 3: 1 });
  assert.deepEqual([...executions(state)], [[1, 1], [2, 4], [3, 1]], "a step back, and a new line");
  assert.deepEqual([...executions(heat(state, { 1: 0, 2: 0, 3: 0 }))], [], "back to the start");
  assert.deepEqual([...executions(state.update({ effects: newText.of(null) }).state)], [], "another text");
  assert.deepEqual([...executions(heat(state, null))], [], "another program");
});

test("a value has the room of its lanes", () => {
  assert.deepEqual([inLanes("0x1f", 1), inLanes("0x1f", 2), inLanes("0x100", 1), inLanes("·", 1), inLanes("-12", 1)],
    ["1f", "0x1f", "", "·", ""]);
});

test("marks keep their numbers where a text is pasted over another", () => {
  const state = start([]).update({ effects: [setMarkers([{ line: 3, mask: 1, top: true }]), setStripes({ 2: 5 })] }).state;
  const marks = (now) => now.facet(EditorView.decorations).flatMap((set) => {
    const list = [];
    for (const at = set.iter(); at.value; at.next()) list.push(`${now.doc.lineAt(at.from).number} ${at.value.spec.class}`);
    return list;
  }).sort();
  const want = ["2 ptx-stripe-5", "3 ptx-at ptx-at-top"];
  assert.deepEqual(marks(state), want);
  const paste = (insert) => marks(state.update({ changes: { from: 0, to: state.doc.length, insert } }).state);
  assert.deepEqual(paste("uno\ndue\ntre\nquattro\ncinque\n"), want);
  assert.deepEqual(paste("uno\n"), ["2 ptx-at ptx-at-top", "2 ptx-stripe-5"], "the last line, where there are fewer");
  assert.deepEqual(marks(state.update({ changes: { from: 0, insert: "zero\n" } }).state),
    ["3 ptx-stripe-5", "4 ptx-at ptx-at-top"], "lines that move take their marks along");
});
