import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { ensureSyntaxTree } from "@codemirror/language";
import { highlightTree } from "@lezer/highlight";
import { highlighting, ptx } from "./language.js";

const words = {
  mnemonics: ["add", "setp", "mov", "ld", "bra", "ret"],
  modifiers: [".lt", "sat", ".global", ".nc", ".shared::cta"],
  types: [".u32", ".f32", ".pred"],
  directives: [".version", ".reg", ".global", ".entry", ".visible"],
  registers: ["%tid", "%clock64", "%envreg<32>"],
};

/** Tokens as "text:kind". */
function tokens(text) {
  const state = EditorState.create({ doc: text, extensions: ptx(words) });
  const found = [];
  highlightTree(ensureSyntaxTree(state, text.length, 1000), highlighting, (from, to, style) => {
    found.push(`${text.slice(from, to)}:${style.replace("ptx-", "")}`);
  });
  return found;
}

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
