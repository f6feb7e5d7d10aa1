// What is wrong in the text, as CodeMirror holds it.
import { forEachDiagnostic, setDiagnosticsEffect } from "@codemirror/lint";
import { RangeSet, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutterLineClass, keymap, WidgetType } from "@codemirror/view";
import { newText } from "./machine.js";

/**
 * Whether the text has these diagnostics already, in the ranges to which its changes have moved them. To set them costs a
 * transaction, even where there are none. Those that are set have what they show in "about".
 */
export function sameDiagnostics(state, next) {
  const left = new Map();
  const key = (from, to, { severity, message, about }) => JSON.stringify([from, to, severity, message, about]);
  for (const one of next) left.set(key(one.from, one.to, one), (left.get(key(one.from, one.to, one)) ?? 0) + 1);
  let same = true, count = 0;
  forEachDiagnostic(state, (one, from, to) => {
    const n = left.get(key(from, to, one)) ?? 0;
    same &&= n > 0;
    left.set(key(from, to, one), n - 1);
    count++;
  });
  return same && count === next.length;
}

// ---- lines with errors

/** The way out of an error, as a button in its line. */
class Way extends WidgetType {
  constructor(name) {
    super();
    this.name = name;
  }
  eq(other) { return this.name === other.name; }
  toDOM(view) {
    const place = document.createElement("span"), button = document.createElement("button");
    place.className = "ptx-way";
    Object.assign(button, { type: "button", tabIndex: -1, textContent: this.name, title: "Fix the error (Ctrl+.)" });
    button.onmousedown = (event) => event.preventDefault();
    button.onclick = () => fixLine(view, view.posAtDOM(place));
    place.append(button);
    return place;
  }
}

/** Applies the first fix of the line of a position. */
function fixLine(view, pos) {
  const line = view.state.doc.lineAt(pos);
  let first = null;
  forEachDiagnostic(view.state, ({ actions }, from, to) => {
    if (from >= line.from && from <= line.to && actions?.length) first ??= () => actions[0].apply(view, from, to);
  });
  if (first && !view.state.readOnly) first();
  return !!first;
}

const atError = Decoration.line({ class: "ptx-error" });
const besideError = new (class extends GutterMarker { elementClass = "ptx-error"; })();

function drawn({ doc, readOnly }, list) {
  const lines = new Map();
  for (const { from, severity, actions } of list) {
    if (severity !== "error") continue;
    const { from: start, to } = doc.lineAt(Math.min(from, doc.length));
    const { name } = lines.get(start) ?? {};
    lines.set(start, { to, name: name ?? actions?.[0]?.name });
  }
  return Decoration.set([...lines].flatMap(([from, { to, name }]) => [atError.range(from),
    ...(name && !readOnly ? [Decoration.widget({ widget: new Way(name), side: 1 }).range(to)] : [])]), true);
}

/** Lines with errors, and the way out of the first of each. They move with their text until its errors are known. */
const errorLines = StateField.define({
  create: () => Decoration.none,
  update(lines, tr) {
    lines = lines.map(tr.changes);
    for (const effect of tr.effects) {
      if (effect.is(newText)) lines = Decoration.none;
      if (effect.is(setDiagnosticsEffect)) lines = drawn(tr.state, effect.value);
    }
    return lines;
  },
  provide: (field) => [EditorView.decorations.from(field), gutterLineClass.compute([field], (state) => {
    const starts = [];
    for (const at = state.field(field).iter(); at.value; at.next()) {
      if (at.value === atError) starts.push(besideError.range(at.from));
    }
    return RangeSet.of(starts);
  })],
});

export const errors = [errorLines,
  keymap.of([{ key: "Mod-.", run: (view) => fixLine(view, view.state.selection.main.head) }])];
