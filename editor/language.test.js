import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { colours, naming, ptx, vocabulary } from "./language.js";

const words = {
  mnemonics: "add setp mov ld bra ret",
  modifiers: ".lt sat .global .nc .shared::cta",
  types: ".u32 .f32 .pred",
  directives: ".version .reg .global .entry .visible",
  registers: "%tid %clock64 %envreg<32>",
};

const kindOf = ({ class: name }) => name.replace("ptx-", "");

/** Tokens of a part of a state as "text:kind". */
function tokensOf(state, { from, to }) {
  const found = [];
  colours(state, [{ from, to }], vocabulary(words)).between(from, to, (start, end, { spec }) => {
    found.push(`${state.sliceDoc(start, end)}:${kindOf(spec)}`);
  });
  return found;
}

const open = (text) => EditorState.create({ doc: text, extensions: ptx(words) });
const tokens = (text) => tokensOf(open(text), { from: 0, to: text.length });

const cases = [
  ["opcode with modifiers and types", "setp.lt.u32 %p1, %r2, 3;",
    ["setp:mnemonic", ".lt:modifier", ".u32:type", "%p1:register", "%r2:register", "3:number"]],
  ["a word that the table lacks is not coloured", "sept.lq.u32 x;", [".u32:type"]],
  ["guard before an opcode", "@!%p1 bra $L1;", ["@!%p1:guard", "bra:mnemonic", "$L1:label"]],
  ["special registers, numbered ones too", "mov.u32 %r1, %tid.x; mov.u32 %r1, %envreg7;",
    ["mov:mnemonic", ".u32:type", "%r1:register", "%tid.x:special", "mov:mnemonic", ".u32:type", "%r1:register",
      "%envreg7:special"]],
  ["one word as directive and as modifier", ".global .u32 ld; ld.global.nc.u32 %r1, [ld];",
    [".global:directive", ".u32:type", "ld:mnemonic", ".global.nc:modifier", ".u32:type", "%r1:register"]],
  ["modifier with a sub-space", "ld.shared::cta.f32 %f1, [%r1+4];",
    ["ld:mnemonic", ".shared::cta:modifier", ".f32:type", "%f1:register", "%r1:register", "4:number"]],
  ["label", "add: add.u32 %r1;", ["add:label", "add:mnemonic", ".u32:type", "%r1:register"]],
  ["literals", "mov.f32 %f1, 0f3F800000; 0xFFU 1.5e-3 0b101 017",
    ["mov:mnemonic", ".f32:type", "%f1:register", "0f3F800000:number", "0xFFU:number", "1.5e-3:number", "0b101:number",
      "017:number"]],
  ["comments over lines", "/* add\nadd */ add.u32 // add",
    ["/* add:comment", "add */:comment", "add:mnemonic", ".u32:type", "// add:comment"]],
  ["launch header", "//@ grid 4", ["//@ grid 4:header"]],
  ["component of a vector register", "mov.u32 %r1, %v.x;",
    ["mov:mnemonic", ".u32:type", "%r1:register", "%v.x:register"]],
];

for (const [name, text, want] of cases) {
  test(name, () => {
    assert.deepEqual(tokens(text), want);
  });
}

// Each line is coloured by itself; only comments reach over lines. After any edit the lines have the colours that they
// have in the whole text, read from its beginning.
const edits = [
  ["a comment opens", "add\nadd\nadd", 0, 0, "/*"],
  ["and closes", "/* add\nadd\nadd", 10, 10, "*/"],
  ["within a comment", "/* add\nadd\nadd */ add", 8, 8, "x\ny"],
  ["a comment's beginning goes", "add\n/* add\nadd */ add", 4, 6, ""],
  ["its end goes", "/* add */\nadd", 7, 8, ""],
  ["its beginning is hidden", "add /* add\nadd", 4, 4, "// "],
  ["and appears", "// /* add\nadd", 0, 3, ""],
  ["in a string that ends", 'add "/*"\nadd', 4, 5, ""],
  ["a line end goes", "// add\nadd /* ret */ ret", 6, 7, ""],
  ["text goes in front of a comment", "add\n/* ret\nret */", 0, 0, "ret\n"],
  ["an open comment grows", "add /* ret", 10, 10, "\nret"],
  ["two comments", "/* a */ add /* b\nb */ add\nadd", 25, 25, " /* c"],
];

for (const [name, text, from, to, insert] of edits) {
  test(`edit: ${name}`, () => {
    const edited = open(text).update({ changes: { from, to, insert } }).state;
    const lines = Array.from({ length: edited.doc.lines }, (_, i) => tokensOf(edited, edited.doc.line(i + 1)));
    assert.deepEqual(lines.flat(), tokens(edited.doc.toString()));
  });
}

test("a line in the middle of a long text has its colours at once", () => {
  const state = open(`/* ${"x\n".repeat(20_000)}*/\n${"add.u32 %r1;\n".repeat(20_000)}`);
  const line = state.doc.line(39_000);
  assert.deepEqual(tokensOf(state, line), ["add:mnemonic", ".u32:type", "%r1:register"]);
});

// Completion is asked for where a name begins: the bar is the caret.
const names = [
  ["add|.u32 %r1, %r2;", true], ["add.|", true], ["add.u|", true], ["add.u32 %|", true], ["add.u32 %r1|", true],
  ["@|", true], ["@!%p|", true], ["$L|", true], ["a b_1|", true],
  ["add.u32 |", false], ["add.u32 %r1,|", false], ["mov.u32 %r1, 12|", false], ["mov.u32 %r1, %r2;|", false], ["|", false],
  ["// a|", false], ["add.u32 %r1; // see a|", false], ["//@ grid a|", false], ["/* a|\n */", false],
  ["/* a\n b| */", false], ["/* a */ b|", true], ['.section "//", a|', true],
];

test("a name is being typed", () => {
  for (const [text, want] of names) {
    assert.equal(naming(open(text.replace("|", "")), text.indexOf("|")), want, text);
  }
});
