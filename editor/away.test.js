import test from "node:test";
import assert from "node:assert/strict";
import { EditorState } from "@codemirror/state";
import { awayWords } from "./away.js";
import { fields, places, setMarkers, setOthers } from "./machine.js";

// Of a warp whose lanes 24 to 27 run line 2, lanes 0 to 15 wait at line 4; of three other warps two wait at line 1.
const state = EditorState.create({ doc: "one\ntwo\nthree\nfour\n", extensions: fields }).update({ effects: [
  setMarkers([{ line: 2, mask: 0x0f000000, top: true }, { line: 4, mask: 0xffff }]),
  setOthers([{ line: 3, warps: 1, waiting: 0 }, { line: 1, warps: 2, waiting: 2 }])] }).state;

test("places are those of lanes and of other warps, in the order of the text", () => {
  assert.deepEqual(places(state), [ // the lines begin at 0, 4, 8 and 14
    { from: 0, unit: "warp", count: 2, waits: true }, { from: 4, unit: "lane", count: 4, waits: false },
    { from: 8, unit: "warp", count: 1, waits: false }, { from: 14, unit: "lane", count: 16, waits: true }]);
});

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
