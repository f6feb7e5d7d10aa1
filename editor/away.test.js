import test from "node:test";
import assert from "node:assert/strict";
import { awayWords } from "./away.js";

test("words for what is out of view count lanes and warps, and name up to three lines", () => {
  const at = (line, unit, count, waits) => ({ line, unit, count, waits });
  assert.equal(awayWords([at(31, "warp", 2, false)]), "2 warps at line 31");
  assert.equal(awayWords([at(60, "lane", 1, true)]), "1 lane waits at line 60");
  assert.equal(awayWords([at(62, "lane", 8, true), at(64, "lane", 16, true)]), "24 lanes wait at lines 62, 64");
  assert.equal(awayWords([at(62, "lane", 8, true), at(62, "lane", 8, true)]), "16 lanes wait at line 62");
  assert.equal(awayWords([at(1, "warp", 1000, true), at(2, "warp", 1, false), at(3, "warp", 1, true)]),
    "1,002 warps at lines 1, 2, 3");
  assert.equal(awayWords([1, 2, 3, 4].map((line) => at(line, "warp", 1, true))), "4 warps wait at 4 lines");
  assert.equal(awayWords([at(7, "warp", 3, false), at(9, "lane", 5, true)]),
    "5 lanes wait at line 9 · 3 warps at line 7");
});
