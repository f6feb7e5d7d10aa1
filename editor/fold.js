// The head of a program folds into one line: the launch header, comments, and the directives .version, .target and
// .address_size. It opens by a click, when the caret or a diagnostic gets there, and when its text changes.
//
//   headRange(doc)      the lines that fold, {from, to}; null where fewer than three would
//   summary(text)       those lines in a few words: "4 × 256 threads · 3 buffers · 2 expectations · sm_70"
//   folding             the extension; Ctrl+Shift+[ and Ctrl+Shift+] fold and unfold
//   headFold(doc)       the effects that fold the head of a new text
//   isFolded(state)     says that the head is folded
import { codeFolding, foldedRanges, foldEffect, foldKeymap, foldService, unfoldEffect } from "@codemirror/language";
import { forEachDiagnostic, setDiagnosticsEffect } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { keymap } from "@codemirror/view";
import { newText } from "./machine.js";

/** A line of the head: directives of the module, a comment, or nothing. */
const headLine = /^\s*(?:\.(?:version\s+[\d.]+|target\s+\w+(?:\s*,\s*\w+)*|address_size\s+\d+)\s*)*(?:\/\/.*)?$/;
/** Comments that follow the last of these belong to the code below. */
const lastLine = /^\s*(?:\/\/@|\.)/;

export function headRange(doc) {
  let last = 0;
  for (let n = 1; n <= doc.lines && headLine.test(doc.line(n).text); n++) {
    if (lastLine.test(doc.line(n).text)) last = n;
  }
  return last < 3 ? null : { from: 0, to: doc.line(last).to };
}

// ---- in a few words

/** What header lines are counted as, in the order in which they are named. */
const counted = [
  [/^\/\/@\s*(?:arg\s+\S+\s+[^\s=[]+\s*\[|buffer\s)/, "buffer"], [/^\/\/@\s*arg\s+\S+\s+[^\s=[]+\s*(?:=|$)/, "value"],
  [/^\/\/@\s*symbol\s/, "variable"], [/^\/\/@\s*tensormap\s/, "tensor map"], [/^\/\/@\s*texture\s/, "texture"],
  [/^\/\/@\s*surface\s/, "surface"], [/^\/\/@\s*sampler\s/, "sampler"], [/^\/\/@\s*expect\s/, "expectation"],
  [/^\/\/(?!@).*\w/, "line of comment", "lines of comment"],
];

const plural = (n, one, many = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** How many of "8,8", or 1 where the header does not say. */
const product = (shape) => (shape?.match(/\d+/g) ?? []).reduce((all, n) => all * Number(n), 1);

function threads(grid, block) {
  if (!block) return grid && plural(product(grid), "block");
  const [blocks, size] = [product(grid), plural(product(block), "thread")];
  return blocks === 1 ? size : `${blocks.toLocaleString("en")} × ${size}`;
}

export function summary(text) {
  const lines = text.split("\n").map((line) => line.trim());
  const setting = (key) => text.match(new RegExp(`^\\s*//@\\s*${key}\\s+(.*\\S)`, "m"))?.[1];
  const counts = counted.map(([pattern, ...words]) => [lines.filter((line) => pattern.test(line)).length, ...words]);
  const [model, sanitize] = [setting("model"), setting("sanitize")];
  return [
    threads(setting("grid"), setting("block")),
    ...counts.filter(([n]) => n > 0).map((count) => plural(...count)),
    model && `model ${model}`,
    sanitize && `sanitize ${sanitize}`,
    text.match(/^\s*\.target\s+(\w+)/m)?.[1],
  ].filter(Boolean).join(" · ");
}

// ---- the fold

/** The head's fold; null while it is open. */
function fold(state) {
  let found = null;
  foldedRanges(state).between(0, 0, (from, to) => { found = { from, to }; });
  return found;
}

export const isFolded = (state) => fold(state) !== null;

export function headFold(doc) {
  const range = headRange(doc);
  return range ? [foldEffect.of(range)] : [];
}

function hasProblem(state, { to }) {
  let found = false;
  forEachDiagnostic(state, (_, from) => { found ||= from <= to; });
  return found;
}

const foldable = foldService.of((state, lineStart) => {
  const range = lineStart === 0 ? headRange(state.doc) : null;
  return range && !hasProblem(state, range) ? range : null;
});

/** Nothing that the user does to the head, and nothing that is wrong in it, happens out of sight. */
const opening = EditorState.transactionExtender.of((tr) => {
  const range = fold(tr.startState);
  if (!range || tr.effects.some((effect) => effect.is(newText))) return null;
  const from = tr.changes.mapPos(range.from, 1), to = tr.changes.mapPos(range.to, -1); // as a fold is mapped
  let touched = tr.selection?.ranges.some(({ head }) => head <= to) ?? false;
  tr.changes.iterChangedRanges((start) => { touched ||= start <= range.to; });
  for (const effect of tr.effects) {
    if (effect.is(setDiagnosticsEffect)) touched ||= effect.value.some((problem) => problem.from <= to);
  }
  return touched ? { effects: unfoldEffect.of({ from, to }) } : null;
});

/** A button in the place of the lines. It goes when it is pressed, and the focus goes on into the text. */
function placeholder(view, onclick, words) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "ptx-fold";
  button.textContent = words;
  button.title = "Show the launch header";
  button.setAttribute("aria-label", `Launch header, folded: ${words}`);
  button.onclick = (event) => {
    onclick(event);
    view.focus();
  };
  return button;
}

export const folding = [
  codeFolding({
    preparePlaceholder: (state, { from, to }) => summary(state.sliceDoc(from, to)),
    placeholderDOM: placeholder,
  }),
  foldable, opening, keymap.of(foldKeymap),
];
