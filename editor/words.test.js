import test from "node:test";
import assert from "node:assert/strict";
import { inLanes, popcount, short } from "./words.js";

test("counts are short", () => {
  const cases = [[0, "0"], [999, "999"], [1000, "1k"], [1299, "1.2k"], [45678, "45k"], [999999, "999k"],
    [3.19e6, "3.1M"], [2e9, "2G"], [4e12, "4T"]];
  for (const [count, want] of cases) assert.equal(short(count), want);
});

test("lanes of a mask are counted whatever its sign", () => {
  assert.deepEqual([popcount(0xf0), popcount(1 << 31), popcount(0xffffffff)], [4, 1, 32]);
});

test("a value has the room of its lanes", () => {
  assert.deepEqual([inLanes("0x1f", 1), inLanes("0x1f", 2), inLanes("0x100", 1), inLanes("·", 1), inLanes("-12", 1)],
    ["1f", "0x1f", "", "·", ""]);
});
