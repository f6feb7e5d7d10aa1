import test from "node:test";
import assert from "node:assert/strict";
import { Text } from "@codemirror/state";
import { fromByte, toByte, utf8Length } from "./offsets.js";

const texts = {
  ascii: "add.s32 %r1;\nret;\n",
  twoBytes: "// Größe\nadd;",
  threeBytes: "// 1 ≤ 2 → ok\nmov;\n\n// ±",
  fourBytes: "// 😀 lanes\nmov 😀😀;\n😀",
  empty: "",
};

for (const [name, text] of Object.entries(texts)) {
  test(`positions agree with the encoder: ${name}`, () => {
    const doc = Text.of(text.split("\n"));
    for (let pos = 0; pos <= text.length; pos++) {
      // Inside a surrogate pair there is no offset to agree on.
      if (pos > 0 && /[\ud800-\udbff]/.test(text[pos - 1])) continue;
      const byte = new TextEncoder().encode(text.slice(0, pos)).length;
      assert.equal(toByte(doc, pos), byte, `toByte ${pos}`);
      assert.equal(fromByte(doc, byte), pos, `fromByte ${byte}`);
    }
  });
}

test("an offset inside a character means its start", () => {
  const doc = Text.of(["a😀b"]);
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map((byte) => fromByte(doc, byte)), [0, 1, 1, 1, 1, 3, 4]);
});

test("offsets outside the text are clamped", () => {
  for (const text of ["abc", "äbc"]) {
    const doc = Text.of([text]);
    assert.equal(fromByte(doc, 99), 3);
    assert.equal(fromByte(doc, -1), 0);
    assert.equal(toByte(doc, 99), new TextEncoder().encode(text).length);
  }
});

test("a lone surrogate has the length that the encoder gives it", () => {
  for (const text of ["\ud83d", "\ude00x", "a\ud83d"]) {
    assert.equal(utf8Length(text), new TextEncoder().encode(text).length);
  }
});
