// What the machine shows in the text: breakpoints, where groups of lanes stand, and how often lines ran.
import { RangeSetBuilder, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter } from "@codemirror/view";

const setLines = StateEffect.define();
const setGroups = StateEffect.define();
const setCounts = StateEffect.define();
const setOthersAt = StateEffect.define();
const setTroubled = StateEffect.define();

/** Goes with a change that makes it another text: what belonged to the old one's lines goes. */
export const newText = StateEffect.define();

const unique = (list) => [...new Set(list)].sort((a, b) => a - b);
const lineStart = (doc, line) => doc.line(Math.max(1, Math.min(line, doc.lines))).from;

/**
 * Where the mark of a line is after a change. Where other lines take the line's place, as in a text that is pasted over
 * another, it keeps its number: who set the mark sets it again only if its number is another one.
 */
function follow(start, tr) {
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

// ---- where lanes stand

/** [{from, lanes, mask, top, bar}] by position. */
const groupField = StateField.define({
  create: () => [],
  update(groups, tr) {
    for (const effect of tr.effects) {
      if (effect.is(setGroups)) {
        return effect.value
          .filter(({ line }) => line >= 1 && line <= tr.newDoc.lines)
          .map(({ line, mask, top, bar }) => ({ from: lineStart(tr.newDoc, line), mask: mask >>> 0, top: !!top, bar: !!bar }));
      }
      if (effect.is(newText)) groups = [];
    }
    if (!tr.docChanged || !groups.length) return groups;
    return groups.map((group) => ({ ...group, from: follow(group.from, tr) }));
  },
  provide: (field) => EditorView.decorations.from(field, decorate),
});

/** One decoration a line: the group that runs next decides where several stand. Lanes are counted if they are apart. */
function decorate(groups) {
  const byLine = new Map();
  for (const { from, mask, top, bar } of groups) {
    const { lanes = 0, first = false, waits = true } = byLine.get(from) ?? {};
    byLine.set(from, { lanes: lanes + popcount(mask), first: first || top, waits: waits && !!bar });
  }
  const builder = new RangeSetBuilder();
  for (const from of unique([...byLine.keys()])) {
    const { lanes, first, waits } = byLine.get(from);
    const attributes = byLine.size > 1 ? { "data-lanes": counted(lanes, "lane") } : {};
    builder.add(from, from, Decoration.line({ class: `ptx-at${first ? " ptx-at-top" : ""}${waits ? " ptx-at-bar" : ""}`, attributes }));
  }
  return builder.finish();
}

export const setMarkers = (groups) => setGroups.of(groups);

const popcount = (mask) => mask.toString(2).replaceAll("0", "").length;

/** "1 lane", "2,048 times". */
const thousands = new Intl.NumberFormat("en"); // toLocaleString makes one each time
export const counted = (n, noun) => `${thousands.format(n)} ${noun}${n === 1 ? "" : "s"}`;

function groupSign(groups) {
  const top = groups.some((group) => group.top);
  const waits = groups.every((group) => group.bar);
  const title = groups.map(({ mask, top, bar }) => `${counted(popcount(mask), "lane")}, mask ` +
    mask.toString(16).padStart(8, "0") + (bar ? ", at a barrier" : top ? ", next to run" : "")).join("\n");
  return new Sign(waits ? "‖" : top ? "▶" : "○", waits || !top ? "ptx-stands" : "ptx-stands ptx-top", title);
}

function groupGutter() {
  const fields = [groupField, otherField];
  return gutter({
    class: "cm-standing",
    lineMarker(view, line) {
      const here = view.state.field(groupField).filter((group) => group.from === line.from);
      const others = view.state.field(otherField).find((one) => one.from === line.from);
      return here.length ? groupSign(here) : others ? othersSign(others) : null;
    },
    lineMarkerChange: ({ startState, state }) => fields.some((field) => startState.field(field) !== state.field(field)),
    initialSpacer: () => new Sign("▶", "ptx-stands"),
  });
}

// ---- where other warps are

/** [{from, warps, waiting}] by position, one a line. */
const otherField = StateField.define({
  create: () => [],
  update(others, tr) {
    for (const effect of tr.effects) {
      if (effect.is(setOthersAt)) {
        if (!effect.value.length && !others.length) return others;
        return effect.value.filter(({ line }) => line >= 1 && line <= tr.newDoc.lines)
          .map(({ line, warps, waiting }) => ({ from: lineStart(tr.newDoc, line), warps, waiting }));
      }
      if (effect.is(newText)) others = [];
    }
    return tr.docChanged && others.length ? others.map((one) => ({ ...one, from: follow(one.from, tr) })) : others;
  },
  provide: (field) => EditorView.decorations.compute([field, groupField], (state) => {
    const followed = new Set(state.field(groupField).map(({ from }) => from));
    return Decoration.set(state.field(field).map(({ from, warps, waiting }) => Decoration.line({
      class: waiting === warps ? "ptx-others ptx-wait" : "ptx-others",
      attributes: { "data-warps": (followed.has(from) ? "+" : "") + counted(warps, "warp") },
    }).range(from)), true);
  }),
});

export const setOthers = (list) => setOthersAt.of(list);

/** What is said of lanes and of warps. */
export const standing = [groupField, otherField];

/** Where lanes of the followed warp and other warps are, in order: {from, unit, count, waits}. */
export const places = (state) => [
  ...state.field(groupField).map(({ from, mask, top, bar }) =>
    ({ from, unit: "lane", count: popcount(mask), waits: !top || bar })),
  ...state.field(otherField).map(({ from, warps, waiting }) =>
    ({ from, unit: "warp", count: warps, waits: warps === waiting })),
].sort((a, b) => a.from - b.from);

function othersSign({ warps, waiting }) {
  const title = `${counted(warps, "warp")} here` + (waiting ? `, ${waiting === warps ? "waiting" : waiting + " waiting"}` : "");
  return waiting === warps ? new Sign("‖", "ptx-stands", title) : new Sign("▷", "ptx-stands ptx-others", title);
}

// ---- where the run has stopped, and what was noted

/** [{from, fault, words}] by position, one a line. */
const troubleField = StateField.define({
  create: () => [],
  update(troubles, tr) {
    for (const effect of tr.effects) {
      if (effect.is(setTroubled)) {
        if (!effect.value.length && !troubles.length) return troubles;
        return effect.value
          .filter(({ line }) => line >= 1 && line <= tr.newDoc.lines)
          .map(({ line, fault, words }) => ({ from: lineStart(tr.newDoc, line), fault: !!fault, words: words ?? "" }))
          .sort((a, b) => a.from - b.from);
      }
      if (effect.is(newText)) troubles = [];
    }
    if (!tr.docChanged || !troubles.length) return troubles;
    return troubles.map((one) => ({ ...one, from: follow(one.from, tr) }));
  },
  provide: (field) => EditorView.decorations.from(field, (troubles) => Decoration.set(troubles.map(troubled), true)),
});

function troubled({ from, fault, words }) {
  return Decoration.line({
    class: fault ? "ptx-fault" : "ptx-finding",
    attributes: { [fault ? "data-fault" : "data-finding"]: words },
  }).range(from);
}

export const setTroubles = (list) => setTroubled.of(list);

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

// ---- how often lines ran

/** Executions by line, and their greatest; null while there are none. An edit makes them history. */
const countField = StateField.define({
  create: () => null,
  update(heat, tr) {
    for (const effect of tr.effects) {
      if (effect.is(setCounts)) heat = effect.value && heated(heat, Object.entries(effect.value.changes), effect.value.unit);
      if (effect.is(newText)) heat = null;
    }
    return heat;
  },
});

/** The counts after some lines have others, of which 0 is none. unit is "" for executions. */
function heated(heat, changes, unit) {
  if (!changes.length) return heat;
  const counts = new Map(heat?.counts);
  for (const [line, count] of changes) {
    if (count) counts.set(Number(line), Number(count));
    else counts.delete(Number(line));
  }
  let most = 0;
  for (const count of counts.values()) most = Math.max(most, count);
  return most ? { counts, most, unit } : null;
}

export const executions = (state) => state.field(countField)?.counts ?? new Map();

/** Null for no counts at all. */
export const setHeat = (changes, unit = "") => setCounts.of(changes && { changes, unit });

/** 999, 1.2k, 45k, 3.1M: never more than four characters. */
export function short(count) {
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (count >= unit) {
      const value = count / unit;
      return (value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value)) + letter;
    }
  }
  return String(count < 10 ? Math.floor(count * 10) / 10 : Math.floor(count));
}

/** 1 to 4 by the logarithm: loops differ by orders of magnitude. */
const level = (count, most) => most <= 1 || count <= 1 ? 1 : 1 + Math.round(3 * Math.log(count) / Math.log(most));

function heatGutter() {
  return gutter({
    class: "cm-heat",
    lineMarker(view, line) {
      const heat = view.state.field(countField);
      const count = heat?.counts.get(view.state.doc.lineAt(line.from).number);
      if (!count) return null;
      const sign = heat.unit ? new Sign(short(count), "", `${thousands.format(count)} ${heat.unit}`)
        : new Sign(short(count) + "×", "", `executed ${counted(count, "time")}`);
      sign.elementClass = `ptx-heat-${level(count, heat.most)}`;
      return sign;
    },
    lineMarkerChange: (update) => update.startState.field(countField) !== update.state.field(countField),
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

/** A value in the room of so many lanes, two letters each: hex loses its 0x; "" if it does not fit. */
export function inLanes(text, lanes) {
  return [text, text.replace(/^0x/, "")].find((t) => t.length <= 2 * lanes) ?? "";
}

/** The fields, and the gutters that stand left and right of the line numbers. */
export const fields = [breakpointField, groupField, otherField, countField, troubleField, lineClasses(setStriped),
  lineClasses(setLitLines)];
export const before = [breakpointGutter(), troubleGutter(), groupGutter()];
export const after = [heatGutter()];
