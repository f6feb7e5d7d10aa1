// The head of a program folds into one line: the launch header, comments, and the directives .version, .target and
// .address_size. It opens by a click, when the caret or a diagnostic gets there, and when its text changes.
//
//   headRange(doc)      the lines that fold, {from, to}; null where fewer than three would
//   leadRange(doc)      those that fold away where the page has a line of its own for them: comments alone
//   summary(text)       those lines in a few words: "4 × 256 threads · 3 buffers · 2 expectations · sm_70"
//   folding(range, away) the extension for either; Ctrl+Shift+[ and Ctrl+Shift+] fold and unfold. Where the head folds
//                       away nothing of it stays in the text
//   foldOf(range)       the effects that fold a range of a new text; none for null
//   toggleFold(state, range) the effects that open what is folded, or fold it
//   isFolded(state)     says that the head is folded
import {
  codeFolding, foldedRanges, foldEffect, foldKeymap, foldService, foldState, unfoldEffect,
} from "@codemirror/language";
import { forEachDiagnostic, setDiagnosticsEffect } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { Decoration, EditorView, keymap } from "@codemirror/view";
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

export function leadRange(doc) {
  let last = 0;
  while (last < doc.lines && /^\s*(?:\/\/.*)?$/.test(doc.line(last + 1).text)) last++;
  while (last > 0 && !doc.line(last).text.trim()) last--; // blank lines stay with the code
  return last < 3 || last === doc.lines ? null : { from: 0, to: doc.line(last).to };
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

export const foldOf = (range) => range ? [foldEffect.of(range)] : [];

export function toggleFold(state, range) {
  const open = fold(state);
  return open ? [unfoldEffect.of(open)] : foldOf(range(state.doc));
}

function hasProblem(state, { to }) {
  let found = false;
  forEachDiagnostic(state, (_, from) => { found ||= from <= to; });
  return found;
}

const foldable = (range) => foldService.of((state, lineStart) => {
  const found = lineStart === 0 ? range(state.doc) : null;
  return found && !hasProblem(state, found) ? found : null;
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

/** Nothing to see: the page says what is folded. */
function nothing() {
  const mark = document.createElement("span");
  mark.className = "ptx-fold-away";
  return mark;
}

/** The line that it leaves has no height (ui/editor.css). */
const noLine = EditorView.decorations.compute([foldState], (state) => {
  const away = fold(state);
  return away ? Decoration.set(Decoration.line({ class: "ptx-folded" }).range(away.from)) : Decoration.none;
});

export const folding = (range = headRange, away = false) => [
  codeFolding({
    preparePlaceholder: (state, { from, to }) => away ? null : summary(state.sliceDoc(from, to)),
    placeholderDOM: away ? nothing : placeholder,
  }),
  foldable(range), opening, keymap.of(foldKeymap), away ? noLine : [],
];
