import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { setDiagnostics } from "@codemirror/lint";
import { sameDiagnostics } from "./diagnostics.js";

const wrong = (from, to, more = {}) => ({ from, to, severity: "error", message: "no such word", about: "x", ...more });

/** A text of ten characters with these diagnostics. */
function holding(list) {
  const state = EditorState.create({ doc: "0123456789" });
  return state.update(setDiagnostics(state, list)).state;
}

test("no diagnostics are the same as none", () => {
  assert.equal(sameDiagnostics(EditorState.create({ doc: "0123456789" }), []), true);
  assert.equal(sameDiagnostics(holding([wrong(2, 4)]), []), false);
  assert.equal(sameDiagnostics(holding([]), [wrong(2, 4)]), false);
});

test("diagnostics are compared where the changes of the text have moved them", () => {
  const before = holding([wrong(2, 4), wrong(6, 8)]);
  const after = before.update({ changes: { from: 5, insert: "ab" } }).state;
  assert.equal(sameDiagnostics(after, [wrong(2, 4), wrong(8, 10)]), true);
  assert.equal(sameDiagnostics(after, [wrong(2, 4), wrong(6, 8)]), false);
  assert.equal(sameDiagnostics(after, [wrong(2, 4)]), false);
});

test("a diagnostic whose text was deleted is set again", () => {
  const after = holding([wrong(2, 4)]).update({ changes: { from: 2, to: 4 } }).state;
  assert.equal(sameDiagnostics(after, [wrong(2, 4)]), false);
});

test("other words, another severity or another fix are another diagnostic", () => {
  for (const more of [{ message: "another" }, { severity: "warning" }, { about: "y" }]) {
    assert.equal(sameDiagnostics(holding([wrong(2, 4)]), [wrong(2, 4, more)]), false);
  }
});
