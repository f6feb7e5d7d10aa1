import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { breakpointLines, fields, newText, setBreakpoints, setStripes, setTroubles, toggled } from "./machine.js";

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

test("marks keep their numbers where a text is pasted over another", () => {
  const stopped = setTroubles(start([]), [{ line: 3, fault: true, words: "trap" }]);
  const state = start([]).update({ effects: [...stopped, setStripes({ 2: 5 })] }).state;
  const marks = (now) => now.facet(EditorView.decorations).flatMap((set) => {
    const list = [];
    for (const at = set.iter(); at.value; at.next()) list.push(`${now.doc.lineAt(at.from).number} ${at.value.spec.class}`);
    return list;
  }).sort();
  const want = ["2 ptx-stripe-5", "3 ptx-fault"];
  assert.deepEqual(marks(state), want);
  const paste = (insert) => marks(state.update({ changes: { from: 0, to: state.doc.length, insert } }).state);
  assert.deepEqual(paste("uno\ndue\ntre\nquattro\ncinque\n"), want);
  assert.deepEqual(paste("uno\n"), ["2 ptx-fault", "2 ptx-stripe-5"], "the last line, where there are fewer");
  assert.deepEqual(marks(state.update({ changes: { from: 0, insert: "zero\n" } }).state),
    ["3 ptx-stripe-5", "4 ptx-fault"], "lines that move take their marks along");
});

test("where the run has stopped is told only where it is another place", () => {
  const state = start([]), at = [{ line: 3, fault: true, words: "trap" }];
  const now = state.update({ effects: setTroubles(state, at) }).state;
  assert.deepEqual([setTroubles(state, []).length, setTroubles(now, at).length, setTroubles(now, []).length], [0, 0, 1]);
});
