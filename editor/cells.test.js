import assert from "node:assert/strict";
import { test } from "node:test";
import { writeCells } from "./cells.js";

/** A cell as far as writeCells uses one. */
const cell = (text = "") => ({
  className: "", dataset: {}, firstChild: text ? { data: text } : null,
  set textContent(value) { this.firstChild = value ? { data: value } : null; },
  get shown() { return this.firstChild?.data ?? ""; },
  removeAttribute(name) { delete this[name]; },
});

test("each change goes to its lane", () => {
  const head = cell("%r1"), cells = [cell("1"), cell("2"), cell(), cell("4")];
  const kept = cells[1].firstChild;
  writeCells({ children: [head, ...cells] }, "1\tt\t22\n1\tc\tglow \n2\tt\t3\n3\tt\t\n0\tn\tx 32\n3\ta\tfalse");
  assert.deepEqual([head, ...cells].map((one) => one.shown), ["%r1", "1", "22", "3", ""]);
  assert.equal(cells[1].firstChild, kept, "the text's node stays");
  assert.equal(cells[1].className, "glow ");
  assert.deepEqual(cells[0].dataset, { note: "x 32" });
  assert.deepEqual(cells[3].dataset, { active: "false" });
});

test("the header of an operand and the register of a row", () => {
  const head = { children: [cell("%r1"), cell("source")] }, cells = [cell("1"), cell("2")];
  cells[1].title = "%r1, lane 1: 2";
  const kept = head.children.map((one) => one.firstChild);
  writeCells({ children: [head, ...cells] }, "0\th\t[%rd1]\tout +\tbase\n0\tr\t%r2");
  assert.deepEqual(head.children.map((one) => [one.shown, one.title]), [["[%rd1]", "[%rd1]"], ["out +", "out +"]]);
  assert.deepEqual(head.children.map((one) => one.firstChild), kept, "the texts' nodes stay");
  assert.equal(head.children[1].className, "base");
  assert.deepEqual(cells.map((one) => one.dataset), [{ reg: "%r2" }, { reg: "%r2" }]);
  assert.equal(cells[1].title, undefined, "it was about another register");
});
