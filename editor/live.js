// What changes with each step: where groups of lanes and other warps are, and how often lines ran. A transaction would
// cost a seventh of the step's script, since the editor then asks all of its parts and makes the changed lines anew. So
// these marks are put on the lines and into the gutters that the page has, and again after each update of the editor.
//
//   live               the extension
//   liveOf(view)       the marks of an editor
//   before, after      the gutters left and right of the line numbers
//   placed, carried    where marks are in a text, and after a transaction
//   lineMarks, places  what is written on lines, and what is said of them
//   changed            changes counts of lines
//   lineMoves, moved   how a transaction moves lines, and counts that stay with theirs
import { EditorView, GutterMarker, gutter, ViewPlugin } from "@codemirror/view";
import { writeText } from "./cells.js";
import { follow, lineStart, newText } from "./machine.js";
import { counted, popcount, short, thousands } from "./words.js";

// ---- where they are

/** Marks with the place where their line begins. Lines that the text does not have have no marks. */
export const placed = (doc, list) => list.filter(({ line }) => line >= 1 && line <= doc.lines)
  .map((one) => ({ ...one, from: lineStart(doc, one.line) }));

export function carried(list, tr) {
  if (tr.effects.some((effect) => effect.is(newText))) return [];
  return tr.docChanged && list.length ? list.map((one) => ({ ...one, from: follow(one.from, tr) })) : list;
}

// ---- what is written on lines

/**
 * Classes and words of lines by their beginnings: {from: {classes, lanes, warps}}. Where several groups are, the one
 * that runs next decides. Lanes are counted if they are apart.
 */
export function lineMarks(groups, others) {
  const marks = new Map();
  for (const [from, here] of byLine(groups)) {
    const classes = ["ptx-at"];
    if (here.some(({ top }) => top)) classes.push("ptx-at-top");
    if (here.every(({ bar }) => bar)) classes.push("ptx-at-bar");
    marks.set(from, { classes, lanes: counted(lanesOf(here), "lane") });
  }
  if (marks.size === 1) for (const mark of marks.values()) mark.lanes = "";
  for (const { from, warps, waiting } of others) {
    const mark = marks.get(from) ?? { classes: [], lanes: "" };
    const more = mark.classes.length ? "+" : "";
    mark.classes.push("ptx-others", ...waiting === warps ? ["ptx-wait"] : []);
    marks.set(from, { ...mark, warps: more + counted(warps, "warp") });
  }
  return marks;
}

const lanesOf = (groups) => groups.reduce((sum, { mask }) => sum + popcount(mask), 0);

function byLine(groups) {
  const lines = new Map();
  for (const group of groups) lines.set(group.from, [...lines.get(group.from) ?? [], group]);
  return lines;
}

/** Where lanes of the followed warp and other warps are, in order: {from, unit, count, waits}. */
export const places = (groups, others) => [
  ...groups.map(({ from, mask, top, bar }) => ({ from, unit: "lane", count: popcount(mask), waits: !top || !!bar })),
  ...others.map(({ from, warps, waiting }) => ({ from, unit: "warp", count: warps, waits: warps === waiting })),
].sort((a, b) => a.from - b.from);

// ---- signs in the gutters

const noSign = { text: "", className: "", title: "" };

function groupSign(groups) {
  const top = groups.some((group) => group.top);
  const waits = groups.every((group) => group.bar);
  const title = groups.map(({ mask, top, bar }) => `${counted(popcount(mask), "lane")}, mask ` +
    (mask >>> 0).toString(16).padStart(8, "0") + (bar ? ", at a barrier" : top ? ", next to run" : "")).join("\n");
  const className = waits || !top ? "ptx-stands" : "ptx-stands ptx-top";
  return { text: waits ? "‖" : top ? "▶" : "○", className, title };
}

function othersSign({ warps, waiting }) {
  const wait = waiting === warps ? ", waiting" : waiting ? `, ${waiting} waiting` : "";
  const title = `${counted(warps, "warp")} here${wait}`;
  return waiting === warps ? { text: "‖", className: "ptx-stands", title }
    : { text: "▷", className: "ptx-stands ptx-others", title };
}

/** 1 to 4 by the logarithm: loops differ by orders of magnitude. */
const level = (count, most) => most <= 1 || count <= 1 ? 1 : 1 + Math.round(3 * Math.log(count) / Math.log(most));

/** Changes counts of lines, 0 for none; null is none at all. Returns the greatest. */
export function changed(counts, changes) {
  if (!changes) counts.clear();
  for (const [line, count] of Object.entries(changes ?? {})) {
    if (count) counts.set(Number(line), Number(count));
    else counts.delete(Number(line));
  }
  let most = 0;
  for (const count of counts.values()) most = Math.max(most, count);
  return most;
}

/** How a transaction moves lines: those after line at move by so many. */
export function lineMoves(tr) {
  const moves = [], { doc } = tr.startState;
  let shift = 0; // of the changes before
  tr.changes.iterChanges((from, to, _from, _to, inserted) => {
    const first = doc.lineAt(from), last = doc.lineAt(to), by = inserted.lines - 1 - (last.number - first.number);
    const whole = to === last.from; // the last line itself moves
    if (by) moves.push({ at: last.number + shift - (whole ? 1 : 0), by });
    shift += by;
  });
  return moves;
}

/** Counts by where their lines are after some moves. */
export function moved(counts, moves) {
  if (!moves.length) return counts;
  const line = (number) => moves.reduce((n, { at, by }) => n > at ? Math.max(n + by, at + Math.min(by, 0)) : n, number);
  return new Map([...counts].map(([number, count]) => [line(number), count]));
}

function heatSign(count, most, unit) {
  if (!count) return noSign;
  return { text: short(count) + (unit ? "" : "×"), className: `ptx-heat-${level(count, most)}`,
    title: unit ? `${thousands.format(count)} ${unit}` : `executed ${counted(count, "time")}` };
}

/** A column of signs, one for each line that the page has. The editor knows their lines and not what they show. */
class Column {
  /** signOf(line) is the sign of a line. */
  constructor(signOf) {
    Object.assign(this, { signOf, spans: new Map() });
  }

  span(line) {
    const span = document.createElement("span");
    this.spans.set(line, { span, sign: noSign });
    this.write(line);
    return span;
  }

  gone(line, span) {
    if (this.spans.get(line)?.span === span) this.spans.delete(line);
  }

  write(line) {
    const shown = this.spans.get(line), { text, className, title } = this.signOf(line);
    if (shown.sign.text !== text) writeText(shown.span, text);
    if (shown.sign.className !== className) shown.span.className = className;
    if (shown.sign.title !== title) shown.span.title = title;
    shown.sign = { text, className, title };
  }

  draw() {
    for (const line of this.spans.keys()) this.write(line);
  }
}

class Sign extends GutterMarker {
  constructor(column, line) {
    super();
    Object.assign(this, { column, line });
  }
  eq(other) {
    return this.column === other.column && this.line === other.line;
  }
  toDOM() {
    return this.column.span(this.line);
  }
  destroy(span) {
    this.column.gone(this.line, span);
  }
}

const column = (name) => gutter({
  class: `cm-${name}`,
  lineMarker: (view, { from }) => new Sign(liveOf(view)[name], view.state.doc.lineAt(from).number),
});

// ---- of an editor

class Live {
  constructor(view) {
    this.view = view;
    this.marked = []; // elements of lines
    this.standing = new Column((line) => this.signs.get(line) ?? noSign);
    this.heat = new Column((line) => heatSign(this.shown.get(line), this.most, this.unit));
    this.forget();
  }

  forget() {
    Object.assign(this, { groups: [], others: [], signs: new Map(), counts: new Map(), most: 0, unit: "", moves: [] });
    this.shown = this.counts;
  }

  /** Shows groups of lanes and other warps, and counts of lines that have changed, 0 for none; null if none is left. */
  show(markers, others, heat, unit) {
    const { doc } = this.view.state;
    this.groups = placed(doc, markers);
    this.others = placed(doc, others);
    if (markers.length || !heat || Object.keys(heat).length) this.moves = []; // it is about the text as it is now
    this.most = changed(this.counts, heat);
    this.unit = unit;
    this.shown = moved(this.counts, this.moves);
    this.draw();
  }

  update({ transactions }) {
    for (const tr of transactions) {
      if (tr.effects.some((effect) => effect.is(newText))) this.forget();
      this.groups = carried(this.groups, tr);
      this.others = carried(this.others, tr);
      this.follow(tr);
    }
  }

  /** Counts stay with their lines until the program counts for the text as it is then. */
  follow(tr) {
    const moves = tr.docChanged && this.counts.size ? lineMoves(tr) : [];
    if (!moves.length) return;
    this.moves = [...this.moves, ...moves];
    this.shown = moved(this.counts, this.moves);
  }

  /** Puts the marks where they are now. */
  draw() {
    const { doc } = this.view.state, line = (from) => doc.lineAt(from).number;
    this.signs = new Map([...this.others.map((one) => [line(one.from), othersSign(one)]),
      ...[...byLine(this.groups)].map(([from, here]) => [line(from), groupSign(here)])]);
    this.standing.draw();
    this.heat.draw();
    this.drawLines();
  }

  drawLines() {
    const marked = new Map();
    for (const [from, mark] of lineMarks(this.groups, this.others)) {
      const line = this.line(from);
      if (line) marked.set(line, mark);
    }
    const lines = new Set([...this.marked, ...marked.keys()]);
    const changes = [...lines].flatMap((line) => changesOf(line, marked.get(line)));
    this.marked = [...marked.keys()];
    // The editor watches its lines for what is typed; of this it need not know.
    if (changes.length) this.view.observer.ignore(() => changes.forEach((change) => change()));
  }

  /** The element of the line that begins there; null where the page has none. */
  line(from) {
    const { view } = this, { viewport } = view;
    if (from < viewport.from || from > viewport.to || view.lineBlockAt(from).from !== from) return null;
    const { node } = view.domAtPos(from);
    return (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement).closest(".cm-line");
  }
}

const marking = ["ptx-at", "ptx-at-top", "ptx-at-bar", "ptx-others", "ptx-wait"];

/** What is to be done for a line to show a mark, or none. */
function changesOf(line, { classes = [], lanes = "", warps = "" } = {}) {
  const wrong = marking.filter((name) => line.classList.contains(name) !== classes.includes(name));
  const words = [["data-lanes", lanes], ["data-warps", warps]]
    .filter(([name, text]) => (line.getAttribute(name) ?? "") !== text);
  return [...wrong.map((name) => () => line.classList.toggle(name)),
    ...words.map(([name, text]) => () => text ? line.setAttribute(name, text) : line.removeAttribute(name))];
}

const plugin = ViewPlugin.fromClass(Live);
export const liveOf = (view) => view.plugin(plugin);
/** Marks are drawn again after each update: it may have made other lines. */
export const live = [plugin, EditorView.updateListener.of(({ view }) => liveOf(view).draw())];
export const before = column("standing"), after = column("heat");
