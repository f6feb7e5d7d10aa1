import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { setDiagnostics } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { errors, sameDiagnostics } from "./diagnostics.js";

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

/** Lines with errors and the buttons at their ends: "2", "9 write add". */
function marked(state) {
  const list = [];
  for (const set of state.facet(EditorView.decorations)) {
    for (const at = set.iter(); at.value; at.next()) {
      const { class: name, widget } = at.value.spec;
      if (name === "ptx-error" || widget?.name) list.push([at.from, widget?.name].join(" ").trim());
    }
  }
  return list;
}

test("lines with errors are marked, with the first way out of each", () => {
  const start = EditorState.create({ doc: "one\ntwo\nsix", extensions: errors });
  const fix = (name) => ({ actions: [{ name }] });
  const state = start.update(setDiagnostics(start, [wrong(4, 5), wrong(5, 6, fix("write to")), wrong(6, 7, fix("no")),
    wrong(0, 1, { severity: "warning", ...fix("rename") }), wrong(11, 99)])).state;
  assert.deepEqual(marked(state), ["4", "7 write to", "8"]);
  const moved = state.update({ changes: { from: 0, insert: "zero\n" } }).state;
  assert.deepEqual(marked(moved), ["9", "12 write to", "13"]);
  assert.deepEqual(marked(state.update(setDiagnostics(state, [])).state), []);
});
