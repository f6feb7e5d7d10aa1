// The editor: CodeMirror 6 behind one small object, made for a program on the other side of a language border.
//
//   WarpscopeEditor.create(parent, options) -> handle
//   WarpscopeEditor.orphan(save)   the program has ended: save(text) is called now, and after each change of the user's
//                                  instead of onChange
//
// Conventions: lines count from 1. Offsets are bytes of the text's UTF-8, half-open ranges {from, to}; the editor
// converts from and to its own UTF-16. Callbacks are called synchronously and may be left out. The text that the
// editor holds is the truth: it knows only "\n" as a line end and no invalid Unicode, so use what create's getDoc and
// setDoc return, not what was handed in, when offsets matter.
//
// options:
//   doc            string, the first text
//   language       {mnemonics, modifiers, types, directives, registers}: strings of words with spaces between them, as
//                  in the instruction table: "add sub", ".sat" (or "sat"), ".f32", ".reg", "%tid"
//   label          accessible name of the text box; "PTX source"
//   hint           what an empty text box says in grey; "" if nothing
//   plain          boolean: the text is not PTX
//   dark           boolean
//   breakpoints    array of lines
//   fold           boolean: the head of a program folds into one line (fold.js), at first and in each text of setDoc
//                  until it is opened
//   foldAway       boolean: the comments before the program fold away, because the page has a line of its own for them
//   onFold(lines, folded)    how many lines that are, and whether they are folded
//   onChange(text)           the user changed the text (typing, paste, undo, a fix); not called for setDoc
//   onBreakpoints(lines)     the list changed: a click in the gutter, F9, or lines moved by an edit; not called for
//                            setBreakpoints
//   onCursor(line, offset)   the cursor moved
//   hover(offset)            asked under the pointer, and by Ctrl+I at the cursor;
//                            -> null or {from, to, title, text, syntax: [string], section, example, value,
//                               lanes: [{from, to, text}], facts: [{name, text, press}], links: [{text, href}]};
//                               all but the range
//                            optional
//   complete(offset, explicit) -> null or {from, options: [{label, detail, info, kind, apply}]}; from is where the word
//                            begins; explicit is true when the user asked (Ctrl+Space); kind is one of "mnemonic",
//                            "modifier", "type", "directive", "register", "variable", "function", "label", "snippet";
//                            apply is the text to insert where it differs from label
//
// handle:
//   getDoc() -> string
//   setDoc(text) -> string        replaces the text in one undoable step, keeps the history; returns the text as held.
//                                 The first text of an editor that has held none yet cannot be undone
//   setDiagnostics(list)          [{from, to, severity: "error"|"warning"|"info", message, code, section,
//                                   notes: [{from, to, message}], fix: {from, to, text, message}}]
//   show({markers, others, troubles, heat, unit, reveal, stripes, lit})   what the machine shows. It makes a transaction,
//                                 which costs a part of a step, only where troubles, stripes or lit lines are others:
//     markers   [{line, mask, top, bar}]: where groups of lanes are, and which wait at a barrier; mask is an unsigned
//                32-bit number
//     others    [{line, warps, waiting}]: where other warps are, and how many of them wait there
//     troubles  [{line, fault, words}]: where the run has stopped (fault), or something was noted
//     heat      {line: count}: counts of the lines that have another count than before, 0 for none; {} for no others; null for
//               none at all
//     unit      what heat counts; "" for executions
//     reveal    a line that is scrolled into view
//     stripes, lit  as for mark
//   mark({stripes, lit})          {line: colour from 0 to 7}: which lines come from one line of the source; lines that
//                                 stand out. What is left out stays
//   setBreakpoints(lines)         breakpoints() -> lines
//   toggleBreakpoint(line)        as F9 does; without a line, at the cursor
//   toggleFold()                  opens what is folded, or folds it
//   revealLine(line)              scrolls the line into view where it is not
//   select(from, to)              selects, scrolls and focuses (a click on a problem)
//   line() -> number              the cursor's line
//   turn(from, to, text) -> string  leaves one text, known by a key, for another; each has its own history
//   focus()   setReadOnly(bool)   setTheme(dark: bool)   setLanguage(language)   destroy()
//
// Colours come from CSS custom properties of the page; theme.js names them with their fallbacks.
import { autocompletion, closeBrackets, closeBracketsKeymap, closeCompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, isolateHistory, redoDepth, undoDepth } from "@codemirror/commands";
import { bracketMatching } from "@codemirror/language";
import { nextDiagnostic, previousDiagnostic, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, StateEffect, StateField, Transaction } from "@codemirror/state";
import { closeHoverTooltips, drawSelection, EditorView, highlightActiveLineGutter, highlightSpecialChars, hoverTooltip,
  keymap, lineNumbers, placeholder, rectangularSelection, showTooltip } from "@codemirror/view";
import { folding, foldOf, headRange, isFolded, leadRange, toggleFold } from "./fold.js";
import { errors, sameDiagnostics } from "./diagnostics.js";
import { naming, ptx } from "./language.js";
import { away } from "./away.js";
import { writeCells, writeText } from "./cells.js";
import { after, before, live, liveOf } from "./live.js";
import * as machine from "./machine.js";
import { writeHTML, writeRow } from "./html.js";
import { fromByte, toByte } from "./offsets.js";
import { theme } from "./theme.js";
import { inLanes } from "./words.js";

/** More underlines than this help nobody and slow the editor down; Problems lists them all. */
const maxDiagnostics = 500;

/** Marks transactions that the program made, so that callbacks tell only what the user did. */
const byProgram = StateEffect.define();

function element(tag, className, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text) node.textContent = text;
  return node;
}

function hoverBox({ title, text, syntax, section, example, value, lanes, facts, links }) {
  const box = element("div", "ptx-hover");
  if (title) box.append(element("p", "ptx-title", title));
  if (value) box.append(element("p", "ptx-value", value));
  if (lanes?.length) box.append(laneRow(lanes));
  if (text) box.append(element("p", "", text));
  if (facts?.length) box.append(factList(facts));
  if (syntax?.length) box.append(element("pre", "", syntax.join("\n")));
  if (example) box.append(element("pre", "ptx-example", example));
  if (links?.length) box.append(linkLine(links));
  else if (section) box.append(element("p", "ptx-note", `PTX ISA ${section}`));
  return box;
}

/** The 32 lanes as one row: a cell for neighbours with the same value. A value without room is in the cell's title. */
function laneRow(runs) {
  const row = element("div", "ptx-lanes");
  for (const { from, to, text } of runs) {
    const cell = element("span", from === to ? "" : "ptx-run", inLanes(text, to - from + 1));
    cell.style.gridColumn = `${from + 1} / ${to + 2}`;
    cell.title = from === to ? `lane ${from}: ${text}` : `lanes ${from}-${to}: ${text}`;
    row.append(cell);
  }
  return row;
}

function factList(facts) {
  const list = element("dl", "ptx-facts");
  for (const { name, text, press } of facts) {
    const value = element("dd", "", press ? "" : text);
    if (press) {
      const button = element("button", "ptx-link", text);
      button.type = "button";
      button.onclick = () => press();
      value.append(button);
    }
    list.append(element("dt", "", name), value);
  }
  return list;
}

function linkLine(links) {
  const line = element("p", "ptx-note");
  for (const { text, href } of links) {
    const link = element("a", "", text);
    Object.assign(link, { href, target: "_blank", rel: "noopener" });
    line.append(line.childNodes.length ? " · " : "", link);
  }
  return line;
}

function hovering(hover) {
  const cardAt = ({ doc }, pos, make) => {
    const found = hover(toByte(doc, pos));
    return found && { pos: fromByte(doc, found.from), end: fromByte(doc, found.to), above: true,
      create: (view) => make(found, view) };
  };
  // A finger has no hover: its tap places the cursor, and a card would cover what it is to touch next. It asks by a long
  // press.
  let finger = false;
  const underPointer = (view, pos) => finger ? null : cardAt(view.state, pos, (found) => ({ dom: hoverBox(found) }));
  const fingers = EditorView.domEventHandlers({
    pointerdown({ pointerType }) { finger = pointerType === "touch"; },
    pointermove({ pointerType }) { finger = pointerType === "touch"; },
    contextmenu({ clientX: x, clientY: y }, view) {
      const pos = finger ? view.posAtCoords({ x, y }) : null;
      if (pos === null) return;
      // after the selection that a long press makes, which takes cards away
      setTimeout(() => view.dispatch({ effects: ask.of(cardAt(view.state, pos, focusedBox)) }), 50);
    },
  });
  return [hoverTooltip(underPointer, { hideOnChange: true }), fingers, askedCard, keymap.of([{ key: "Ctrl-i", run({ state, dispatch }) {
    const { head } = state.selection.main, line = state.doc.lineAt(head);
    let card = null;
    for (const pos of [head, head - 1, line.from + line.text.search(/\S/)]) {
      if (pos >= line.from && (card = cardAt(state, pos, focusedBox))) break;
    }
    dispatch({ effects: ask.of(card) });
    return true;
  } }])];
}

/** Shows a card by key, or takes it away. */
const ask = StateEffect.define();

/** The card that a key has asked for. It goes when anything changes, and the focus that it had goes to the text. */
const askedCard = StateField.define({
  create: () => null,
  update(card, tr) {
    for (const effect of tr.effects) if (effect.is(ask)) return effect.value;
    return tr.docChanged || tr.selection || tr.effects.some((effect) => effect.is(byProgram)) ? null : card;
  },
  provide: (field) => [showTooltip.from(field), EditorView.updateListener.of(({ startState, state, view }) => {
    const gone = startState.field(field) && !state.field(field);
    if (gone && document.activeElement === document.body) view.focus();
  })],
});

/** A card as a dialog: it has the focus, so that screen readers read it and its links can be reached. */
function focusedBox(found, view) {
  const box = hoverBox(found);
  const close = () => view.dispatch({ effects: ask.of(null) });
  Object.assign(box, { tabIndex: -1, role: "dialog", ariaLabel: found.title || found.value });
  box.onclick = ({ target }) => target.closest("button") && close();
  box.onfocusout = ({ relatedTarget: to }) => to && !box.contains(to) && close();
  box.onkeydown = (event) => {
    if (event.key !== "Escape" && !(event.key === "i" && event.ctrlKey)) return;
    event.preventDefault();
    event.stopPropagation();
    close();
  };
  return { dom: box, mount: () => box.focus({ preventScroll: true }) };
}

/** The classes by which CodeMirror picks a completion's icon. */
const icons = { mnemonic: "keyword", modifier: "property", type: "type", directive: "keyword", register: "constant",
  variable: "variable", function: "function", label: "text", snippet: "text" };

function completing(complete) {
  const source = ({ state, pos, explicit }) => {
    if (!explicit && !naming(state, pos)) return null; // the question makes the program parse the text
    const found = complete(toByte(state.doc, pos), explicit);
    if (!found?.options.length) return null;
    const options = found.options.map(({ label, detail, info, kind, apply }) =>
      ({ label, detail, info, type: icons[kind], apply: apply || undefined }));
    // While the same word grows the list only narrows; a dot or a new word asks again.
    return { from: fromByte(state.doc, found.from), options, validFor: /^[.%$]?\w*$/ };
  };
  return autocompletion({ override: [source], icons: false, maxRenderedOptions: 60 });
}

/** What a diagnostic shows beyond its range and its message, by which two can be compared. */
function aboutOf(doc, start, { code, notes, fix }) {
  const places = (notes ?? []).map(({ from, message }) => [doc.lineAt(fromByte(doc, from)).number, message]);
  const change = fix && [fromByte(doc, fix.from) - start, fromByte(doc, fix.to) - start, fix.text, fix.message];
  return JSON.stringify([code, places, change]);
}

/** One diagnostic of ours as CodeMirror wants it. A point at the end of the text still needs a place to stand. */
function diagnostic(doc, { from, to, severity, message, code, section, notes, fix }) {
  const start = fromByte(doc, from);
  return {
    from: start,
    to: Math.max(start, fromByte(doc, to)),
    severity,
    message,
    about: aboutOf(doc, start, { code, notes, fix }),
    renderMessage() {
      const box = element("span", "", message);
      for (const note of notes ?? []) {
        box.append(element("span", "ptx-note", `line ${doc.lineAt(fromByte(doc, note.from)).number}: ${note.message}`));
      }
      const source = [code, section && `PTX ISA ${section}`].filter(Boolean).join(" · ");
      if (source) box.append(element("span", "ptx-code", source));
      return box;
    },
    actions: fix ? [fixAction(doc, start, fix)] : [],
  };
}

/** Applies the fix where its text now stands; does nothing when that text is no longer the same. */
function fixAction(doc, start, { from, to, text, message }) {
  const begin = fromByte(doc, from);
  const old = doc.sliceString(begin, fromByte(doc, to));
  const name = message || (text ? `Replace with “${text}”` : "Remove");
  return {
    name,
    apply(view, movedStart) {
      const at = begin + movedStart - start;
      if (at < 0 || view.state.sliceDoc(at, at + old.length) !== old) return;
      view.dispatch({ changes: { from: at, to: at + old.length, insert: text }, userEvent: "input.fix" });
      view.focus();
    },
  };
}

const f9 = {
  key: "F9",
  preventDefault: true,
  stopPropagation: true,
  run(view) {
    view.dispatch({ effects: machine.toggled(view.state, cursorLine(view.state)) });
    return true;
  },
};

// Ctrl+Enter belongs to the page: it runs the program.
const keys = keymap.of([
  f9,
  { key: "F8", run: nextDiagnostic, shift: previousDiagnostic },
  ...closeBracketsKeymap,
  ...defaultKeymap.filter(({ key }) => key !== "Mod-Enter"),
  ...searchKeymap,
  ...historyKeymap,
  ...completionKeymap,
]);

const cursorLine = (state) => state.doc.lineAt(state.selection.main.head).number;

/** The text was typed here last, and what takes it when the program has ended. */
let latest = null;
let keeper = null;

function orphan(save) {
  keeper = save;
  if (latest) save(latest.state.doc.toString());
}

/**
 * Typing over several lines. A browser that does this itself writes styles into what it joins; the page's policy
 * refuses them, and the console says so.
 */
const typingOver = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { state } = view;
    const { from, to } = state.selection.main;
    const several = state.doc.lineAt(from).number < state.doc.lineAt(to).number;
    if (!several || event.inputType !== "insertText" || event.isComposing || state.readOnly) return false;
    const change = state.replaceSelection(event.data);
    const typed = () => state.update(change, { userEvent: "input.type", scrollIntoView: true });
    const handlers = state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, from, to, event.data, typed))) view.dispatch(typed());
    event.preventDefault();
    return true;
  },
});

/** Tells the program what is folded, where that has changed. */
function foldTeller(onFold, range) {
  let told = "0 false";
  return (state) => {
    if (!onFold) return;
    const head = range(state.doc), folded = isFolded(state);
    const lines = head ? state.doc.lineAt(head.to).number : 0;
    if (told !== (told = `${lines} ${folded}`)) onFold(lines, folded);
  };
}

/** Tells the user's own doings to the program. */
function telling({ onChange, onBreakpoints, onCursor }, tellFold) {
  return EditorView.updateListener.of((update) => {
    tellFold(update.state);
    const programs = update.transactions.some((tr) => tr.effects.some((effect) => effect.is(byProgram)));
    if (update.docChanged && !programs) (keeper ?? onChange)?.(update.state.doc.toString());
    if (onBreakpoints && !programs) {
      const now = machine.breakpointLines(update.state);
      if (String(now) !== String(machine.breakpointLines(update.startState))) onBreakpoints(now);
    }
    if (onCursor && (update.selectionSet || update.docChanged)) {
      onCursor(cursorLine(update.state), toByte(update.state.doc, update.state.selection.main.head));
    }
  });
}

const darkness = (dark) => EditorView.darkTheme.of(!!dark);
const readOnly = (on) => [EditorState.readOnly.of(!!on)];

/** The words of find and replace, as the page writes its buttons. */
const findWords = { next: "Next", previous: "Previous", all: "All", "match case": "Match case",
  regexp: "Regular expression", "by word": "Whole words", replace: "Replace", "replace all": "Replace all" };

function create(parent, options = {}) {
  const language = new Compartment();
  const dark = new Compartment();
  const writable = new Compartment();
  const range = options.foldAway ? leadRange : options.fold ? headRange : null;
  const tellFold = foldTeller(options.onFold, range);
  const extensions = [
    keys,
    live, machine.fields, machine.before, before, lineNumbers(), after,
    highlightActiveLineGutter(), highlightSpecialChars(), history(), drawSelection(), rectangularSelection(),
    EditorState.allowMultipleSelections.of(true), EditorState.tabSize.of(4),
    bracketMatching(), closeBrackets(), highlightSelectionMatches(), search({ top: true }),
    EditorState.phrases.of(findWords),
    language.of(options.plain ? [] : ptx(options.language)), theme,
    dark.of(darkness(options.dark)), writable.of(readOnly(false)),
    EditorView.contentAttributes.of({ "aria-label": options.label ?? "PTX source", spellcheck: "false", tabindex: "0" }),
    options.hint ? placeholder(options.hint) : [],
    options.hover ? hovering(options.hover) : [],
    options.complete ? completing(options.complete) : [],
    range ? folding(range, !!options.foldAway) : [],
    typingOver, errors, away,
    telling(options, tellFold),
  ];
  const fresh = (doc) => {
    const state = EditorState.create({ doc, extensions });
    return range ? state.update({ effects: foldOf(range(state.doc)) }).state : state;
  };
  // With all that it shows at first: the browser lays the page out for each later transaction.
  const begun = fresh(options.doc ?? "").update({ effects: machine.setBreakpoints(options.breakpoints ?? []) });
  const view = new EditorView({ parent, state: begun.state });
  tellFold(view.state);
  if (options.onChange) latest = view;
  const dispatch = (spec) => view.dispatch({ ...spec, effects: [byProgram.of(null), ...[spec.effects ?? []].flat()] });
  return handle(view, dispatch, { fresh, language, dark, writable, range });
}

const marking = ({ stripes, lit }) =>
  [...stripes ? [machine.setStripes(stripes)] : [], ...lit ? [machine.setLit(lit)] : []];

function handle(view, dispatch, { fresh, language, dark, writable, range }) {
  /** States of the texts that are not shown, by key: what can be undone, selection, folds. */
  const others = new Map();
  /** A head that was opened stays open, in the next text too. */
  const folds = () => range && (isFolded(view.state) || !range(view.state.doc));
  /** Before its first text, there is nothing in the editor that undoing could bring back. */
  const untouched = () => view.state.doc.length === 0 && undoDepth(view.state) + redoDepth(view.state) === 0;
  const lineFrom = (line) => view.state.doc.line(Math.max(1, Math.min(line, view.state.doc.lines))).from;
  const yMargin = 60;
  const revealing = (line) => EditorView.scrollIntoView(lineFrom(line), { y: "nearest", yMargin });
  return {
    getDoc: () => view.state.doc.toString(),
    setDoc(text) {
      if (text !== view.state.doc.toString()) {
        const next = view.state.toText(text);
        dispatch({
          changes: { from: 0, to: view.state.doc.length, insert: next },
          selection: { anchor: 0 },
          effects: [machine.newText.of(null), EditorView.scrollIntoView(0), ...(folds() ? foldOf(range(next)) : [])],
          annotations: [isolateHistory.of("full"), Transaction.userEvent.of("input.replace"),
            Transaction.addToHistory.of(!untouched())],
        });
      }
      return view.state.doc.toString();
    },
    turn(from, to, text) {
      // Themes and the like belong to the editor, not to a text.
      const settings = [language, dark, writable].map((one) => one.reconfigure(one.get(view.state)));
      // Cards close with their text: the editor would look for their places in the next text.
      closeCompletion(view);
      dispatch({ effects: [closeHoverTooltips, ask.of(null)] });
      others.set(from, view.state);
      const kept = others.get(to);
      others.delete(to);
      view.setState(kept?.doc.toString() === text ? kept : fresh(text));
      dispatch({ effects: [...settings, EditorView.scrollIntoView(view.state.selection.main)] });
      return view.state.doc.toString();
    },
    setDiagnostics(list) {
      const { doc } = view.state;
      const next = list.slice(0, maxDiagnostics).map((one) => diagnostic(doc, one));
      if (!sameDiagnostics(view.state, next)) view.dispatch(setDiagnostics(view.state, next));
    },
    show({ markers = [], others = [], troubles = [], heat = {}, unit = "", reveal, ...marks }) {
      const effects = [...machine.setTroubles(view.state, troubles), ...marking(marks)];
      if (effects.length) dispatch({ effects });
      liveOf(view).show(markers, others, heat, unit);
      const pills = view.plugin(away);
      pills.lookNow(); // and not in a frame of its own
      if (reveal && !pills.shows(lineFrom(reveal), yMargin)) {
        // To the middle: the text stays where it is for the next steps, and the editor measures itself again only here.
        dispatch({ effects: EditorView.scrollIntoView(lineFrom(reveal), { y: "center" }) });
        view.measure();
      }
    },
    mark: (marks) => dispatch({ effects: marking(marks) }),
    setBreakpoints(lines) {
      const same = String(lines ?? []) === String(machine.breakpointLines(view.state));
      if (!same) dispatch({ effects: machine.setBreakpoints(lines ?? []) });
    },
    breakpoints: () => machine.breakpointLines(view.state),
    toggleBreakpoint: (line) => view.dispatch({ effects: machine.toggled(view.state, line ?? cursorLine(view.state)) }),
    toggleFold: () => dispatch({ effects: range ? toggleFold(view.state, range) : [] }),
    revealLine: (line) => dispatch({ effects: revealing(line) }),
    select(from, to) {
      const { doc } = view.state;
      const selection = { anchor: fromByte(doc, from), head: fromByte(doc, to ?? from) };
      view.dispatch({ selection, effects: EditorView.scrollIntoView(selection.anchor, { y: "center" }) });
      view.focus();
    },
    line: () => cursorLine(view.state),
    focus: () => view.focus(),
    setReadOnly: (on) => dispatch({ effects: writable.reconfigure(readOnly(on)) }),
    setTheme: (isDark) => dispatch({ effects: dark.reconfigure(darkness(isDark)) }),
    setLanguage: (lists) => dispatch({ effects: language.reconfigure(ptx(lists)) }),
    destroy: () => view.destroy(),
  };
}

globalThis.WarpscopeEditor = { create, orphan, writeCells, writeHTML, writeRow, writeText };
