// What the machine shows in the text and a step rarely changes: breakpoints, where the run has stopped, and where lines
// come from. live.js has the rest.
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";

const setLines = StateEffect.define();
const setTroubled = StateEffect.define();

/** Goes with a change that makes it another text: what belonged to the old one's lines goes. */
export const newText = StateEffect.define();

const unique = (list) => [...new Set(list)].sort((a, b) => a - b);
export const lineStart = (doc, line) => doc.line(Math.max(1, Math.min(line, doc.lines))).from;

/**
 * Where the mark of a line is after a change. Where other lines take the line's place, as in a text that is pasted over
 * another, it keeps its number: who set the mark sets it again only if its number is another one.
 */
export function follow(start, tr) {
  const { number } = tr.startState.doc.lineAt(start);
  return replaces(tr, (from, to) => from <= start && start < to) ? lineStart(tr.newDoc, number) :
    tr.newDoc.lineAt(tr.changes.mapPos(start, 1)).from;
}

/** Says whether a change puts several lines in the place of text that a test accepts. */
function replaces(tr, test) {
  let found = false;
  tr.changes.iterChanges((from, to, _from, _to, inserted) => {
    found ||= inserted.lines > 1 && test(from, to);
  });
  return found;
}

// ---- breakpoints

/** Starts of the lines with a breakpoint, in order. They move with their lines and go with them. */
const breakpointField = StateField.define({
  create: () => [],
  update(starts, tr) {
    for (const effect of tr.effects) {
      if (effect.is(newText)) starts = [];
      if (effect.is(setLines)) {
        return unique(effect.value.filter((line) => line >= 1 && line <= tr.newDoc.lines)
          .map((line) => lineStart(tr.newDoc, line)));
      }
    }
    return tr.docChanged && starts.length ? moved(starts, tr) : starts;
  },
});

function moved(starts, tr) {
  const kept = starts.filter((start) => !removed(tr.startState.doc.lineAt(start), tr.changes));
  return unique(kept.map((start) => tr.newDoc.lineAt(tr.changes.mapPos(start, 1)).from));
}

/** A line is gone when a change takes all of its text and a line end with it. */
function removed(line, changes) {
  let gone = false;
  changes.iterChangedRanges((from, to) => {
    gone ||= from <= line.from && to >= line.to && to - from > line.length;
  });
  return gone;
}

export const breakpointLines = (state) =>
  state.field(breakpointField).map((start) => state.doc.lineAt(start).number);

export const setBreakpoints = (lines) => setLines.of(lines);

export function toggled(state, line) {
  const lines = breakpointLines(state);
  return setLines.of(lines.includes(line) ? lines.filter((other) => other !== line) : [...lines, line]);
}

class Sign extends GutterMarker {
  constructor(text, className, title = "") {
    super();
    Object.assign(this, { text, className, title });
  }
  eq(other) {
    return this.text === other.text && this.className === other.className && this.title === other.title;
  }
  toDOM() {
    const span = document.createElement("span");
    span.className = this.className;
    span.textContent = this.text;
    if (this.title) span.title = this.title;
    return span;
  }
}

const breakpointSign = new Sign("●", "ptx-breakpoint", "Breakpoint");

function breakpointGutter() {
  return gutter({
    class: "cm-breakpoints",
    renderEmptyElements: true,
    lineMarker: (view, line) => view.state.field(breakpointField).includes(line.from) ? breakpointSign : null,
    lineMarkerChange: (update) => update.startState.field(breakpointField) !== update.state.field(breakpointField),
    initialSpacer: () => breakpointSign,
    domEventHandlers: {
      mousedown(view, line) {
        view.dispatch({ effects: toggled(view.state, view.state.doc.lineAt(line.from).number) });
        return true;
      },
    },
  });
}

// ---- where the run has stopped, and what was noted

/** [{from, fault, words}] by position, one a line. */
const troubleField = StateField.define({
  create: () => [],
  update(troubles, tr) {
    for (const effect of tr.effects) {
      if (effect.is(setTroubled)) {
        return troublesIn(tr.newDoc, effect.value);
      }
      if (effect.is(newText)) troubles = [];
    }
    if (!tr.docChanged || !troubles.length) return troubles;
    return troubles.map((one) => ({ ...one, from: follow(one.from, tr) }));
  },
  provide: (field) => EditorView.decorations.from(field, (troubles) => Decoration.set(troubles.map(troubled), true)),
});

const troublesIn = (doc, list) => list.filter(({ line }) => line >= 1 && line <= doc.lines)
  .map(({ line, fault, words }) => ({ from: lineStart(doc, line), fault: !!fault, words: words ?? "" }))
  .sort((a, b) => a.from - b.from);

/** The effects that show a list of troubles: none where it is shown. */
export function setTroubles(state, list) {
  const same = JSON.stringify(troublesIn(state.doc, list)) === JSON.stringify(state.field(troubleField));
  return same ? [] : [setTroubled.of(list)];
}

function troubled({ from, fault, words }) {
  return Decoration.line({
    class: fault ? "ptx-fault" : "ptx-finding",
    attributes: { [fault ? "data-fault" : "data-finding"]: words },
  }).range(from);
}

function troubleGutter() {
  return gutter({
    class: "cm-trouble",
    lineMarker(view, line) {
      const here = view.state.field(troubleField).find((one) => one.from === line.from);
      if (!here) return null;
      return here.fault ? new Sign("", "ptx-fault-sign", "The run has stopped here") :
        new Sign("", "ptx-finding-sign", `A finding of ${here.words} is here`);
    },
    lineMarkerChange: (update) => update.startState.field(troubleField) !== update.state.field(troubleField),
  });
}

// ---- where lines come from

/** Classes of lines by their numbers: {line: class}. */
const lineClasses = (effect) => StateField.define({
  create: () => Decoration.none,
  update(classes, tr) {
    classes = replaces(tr, (from, to) => to > from) ? followed(classes, tr) : classes.map(tr.changes);
    for (const each of tr.effects) {
      if (each.is(newText)) classes = Decoration.none;
      if (each.is(effect)) {
        classes = Decoration.set(Object.entries(each.value)
          .filter(([line]) => line >= 1 && line <= tr.newDoc.lines)
          .map(([line, name]) => Decoration.line({ class: name }).range(lineStart(tr.newDoc, Number(line)))));
      }
    }
    return classes;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function followed(classes, tr) {
  const list = [];
  for (const at = classes.iter(); at.value; at.next()) list.push(at.value.range(follow(at.from, tr)));
  return Decoration.set(list, true);
}

const setStriped = StateEffect.define();
const setLitLines = StateEffect.define();

/** {line: colour}: lines with one colour come from one line of the source. */
export const setStripes = (colours) => setStriped.of(
  Object.fromEntries(Object.entries(colours ?? {}).map(([line, colour]) => [line, `ptx-stripe-${colour}`])));

export const setLit = (lines) => setLitLines.of(Object.fromEntries(lines.map((line) => [line, "ptx-lit"])));

/** The fields, and the gutters that stand left and right of the line numbers. */
export const fields = [breakpointField, troubleField, lineClasses(setStriped),
  lineClasses(setLitLines)];
export const before = [breakpointGutter(), troubleGutter()];
