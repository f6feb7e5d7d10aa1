// PTX for CodeMirror: a tokenizer over the words of the instruction table, handed over by the engine. Only the lines on
// the screen are coloured, with the screen: all that one line needs of those before it is whether a comment is open.
import { StringStream } from "@codemirror/language";
import { EditorState, RangeSetBuilder, StateField } from "@codemirror/state";
import { Decoration, ViewPlugin } from "@codemirror/view";

/** The kinds of token; each has a CSS class ptx-KIND and a custom property --ptx-KIND. */
const kinds = ["mnemonic", "modifier", "type", "directive", "special", "register", "label", "number", "string",
  "comment", "header", "guard"];

const marks = Object.fromEntries(kinds.map((kind) => [kind, Decoration.mark({ class: `ptx-${kind}` })]));

/** "%envreg<32>" stands for %envreg0 … %envreg31. */
const stem = (register) => register.replace(/<.*>$/, "").replace(/\d+$/, "");
const undotted = (word) => word.replace(/^\./, "");

/** The words of the table as sets, with and without their dots alike. */
export function vocabulary({ mnemonics = "", modifiers = "", types = "", directives = "", registers = "" } = {}) {
  const set = (words, form) => new Set(words.split(" ").map(form));
  return {
    mnemonics: set(mnemonics, undotted),
    modifiers: set(modifiers, undotted),
    types: set(types, undotted),
    directives: set(directives, undotted),
    registers: set(registers, stem),
  };
}

/** Bits of floats, hexadecimal, binary; then decimal floats and integers. */
const number = new RegExp("^(?:" + [/0[fF][0-9a-fA-F]{8}/, /0[dD][0-9a-fA-F]{16}/, /0[xX][0-9a-fA-F]+U?/, /0[bB][01]+U?/,
  /\d+\.\d*(?:[eE][+-]?\d+)?/, /\d+(?:[eE][+-]?\d+)?U?/, /\.\d+(?:[eE][+-]?\d+)?/].map((r) => r.source).join("|") + ")");
const word = /^(?:[a-zA-Z][\w$]*|[_$%][\w$]+|[_$%])/;

/** What ".name" means depends on what stands directly before it: an opcode, a register, or nothing. */
function dotted(name, after, words) {
  if (after === "register" || after === "special") return after;
  if (words.types.has(name)) return "type";
  const inOpcode = after === "mnemonic" || after === "modifier" || after === "type";
  if (!inOpcode && words.directives.has(name)) return "directive";
  return words.modifiers.has(name) ? "modifier" : null;
}

function name(text, stream, state, words) {
  if (text[0] === "%") return words.registers.has(stem(text)) || words.registers.has(text) ? "special" : "register";
  // A label stands first in its statement, and so does a mnemonic; "L: add" has both.
  if (state.fresh && stream.match(/^\s*:(?!:)/, false)) return "label";
  if (state.fresh && words.mnemonics.has(text)) return "mnemonic";
  return text[0] === "$" ? "label" : null;
}

function blockComment(stream, state) {
  if (stream.match(/^.*?\*\//)) state.comment = false;
  else stream.skipToEnd();
  return "comment";
}

function next(stream, state, words) {
  const after = state.after;
  state.after = null;
  if (state.comment) return blockComment(stream, state);
  if (stream.eatSpace()) return null;
  if (stream.match(/^\/\/@/)) return stream.skipToEnd(), "header";
  if (stream.match("//")) return stream.skipToEnd(), "comment";
  if (stream.match("/*")) return (state.comment = true), blockComment(stream, state);
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return "string";

  const fresh = state.fresh;
  // After a guard the statement's opcode is still to come.
  if (stream.match(/^@!?(?:[%$_]?[\w$]+)?(?:\.[xyzwrgba]\b)?/)) return "guard";
  if (stream.match(/^[;}:]/)) return (state.fresh = true), null;
  if (stream.eat("{")) return null; // a block's, where a statement may begin, or a tuple's, where none does
  let kind;
  const dot = stream.match(/^\.([a-zA-Z_][\w$]*(?:::\w+)*)/);
  if (dot) {
    kind = dotted(dot[1], after, words);
    // A directive ends where its line does: ".version 8.0" has no semicolon.
    state.fresh = fresh && after === null && kind === "directive";
  } else if (stream.match(number)) {
    kind = "number";
  } else {
    const text = stream.match(word);
    kind = text ? name(text[0], stream, state, words) : (stream.next(), null);
    state.fresh = false;
  }
  state.after = kind;
  return kind;
}

/** Longer lines have no colours. */
const longestLine = 10_000;

/** Calls add(from, to, kind) for each token of a line; gives whether a comment is open after it. */
function tokenize(text, comment, words, add) {
  // Statements rarely run over lines, and after a directive's line a new one begins.
  const state = { comment, fresh: true, after: null };
  const stream = new StringStream(text, 4, 2);
  let begin = 0;
  let last = null;
  while (!stream.eol()) {
    stream.start = stream.pos;
    const kind = next(stream, state, words);
    if (kind === last) continue; // neighbours of one kind are one token
    if (last) add(begin, stream.start, last);
    [begin, last] = [stream.start, kind];
  }
  if (last) add(begin, text.length, last);
  return state.comment;
}

/** What hides the beginning of a comment, and comments of several lines. */
const hiding = /\/\/.*|"(?:[^"\\\n]|\\.)*"?|\/\*[^]*?(?:\*\/|$)/g;

function commentsOf(doc) {
  const text = doc.toString();
  if (!text.includes("/*")) return [];
  return [...text.matchAll(hiding)].filter(([found]) => found.startsWith("/*"))
    .map(({ 0: found, index }) => ({ from: index, to: index + found.length }));
}

/** The /* comments *\/ of the text, in order. They are searched for again when an edit may make, end or hide one. */
const commentField = StateField.define({
  create: (state) => commentsOf(state.doc),
  update(comments, { docChanged, changes, startState, newDoc }) {
    if (!docChanged) return comments;
    const { doc } = startState;
    const lines = (text, from, to) => text.sliceString(text.lineAt(from).from, text.lineAt(to).to);
    const matters = comments.length ? /[/*"]/ : /\/\*/;
    let again = comments.at(-1)?.to === doc.length; // it may be open
    changes.iterChangedRanges((from, to, newFrom, newTo) => {
      again ||= matters.test(lines(newDoc, newFrom, newTo)) || comments.length && matters.test(lines(doc, from, to));
    });
    if (again) return commentsOf(newDoc);
    return comments.map(({ from, to }) => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) }));
  },
});

/** Whether the characters before a position begin a name, outside of comments. */
export function naming(state, pos) {
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  if (before.length > longestLine || !beginsName.test(before)) return false;
  if (state.field(commentField, false)?.some(({ from, to }) => from < pos && pos <= to)) return false;
  return ![...before.matchAll(hiding)].some(([found]) => found.startsWith("//"));
}

/** A name, or the character that one follows; not the digits of a number. */
const beginsName = /(?<![\w$%])[a-zA-Z_$%][\w$]*$|[.%@!]$/;

/** The tokens of some ranges of a text, as decorations. */
export function colours(state, ranges, words) {
  const builder = new RangeSetBuilder();
  const comments = state.field(commentField);
  let done = -1;
  for (const range of ranges) {
    let line = state.doc.lineAt(Math.max(range.from, done + 1));
    let open = comments.some(({ from, to }) => from < line.from && line.from < to);
    for (;;) {
      const { from, text } = line;
      if (from > done && text.length <= longestLine) {
        open = tokenize(text, open, words, (start, end, kind) => builder.add(from + start, from + end, marks[kind]));
      }
      done = line.to;
      if (line.to >= range.to || line.number === state.doc.lines) break;
      line = state.doc.line(line.number + 1);
      if (text.length > longestLine) open = comments.some((one) => one.from < line.from && line.from < one.to);
    }
  }
  return builder.finish();
}

const data = {
  commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
  closeBrackets: { brackets: ["(", "[", "{", '"'] },
  wordChars: "%$.",
};

export function ptx(lists) {
  const words = vocabulary(lists);
  const paint = (view) => colours(view.state, view.visibleRanges, words);
  const plugin = ViewPlugin.fromClass(class {
    constructor(view) {
      this.decorations = paint(view);
    }
    update({ docChanged, viewportChanged, view }) {
      if (docChanged || viewportChanged) this.decorations = paint(view);
    }
  }, { decorations: (plugin) => plugin.decorations });
  return [commentField, plugin, EditorState.languageData.of(() => [data])];
}
