// PTX for CodeMirror: a tokenizer over the words of the instruction table, handed over by the engine.
import { HighlightStyle, StreamLanguage } from "@codemirror/language";
import { Tag } from "@lezer/highlight";

/** The kinds of token; each is a token name and CSS class ptx-KIND and a custom property --ptx-KIND. */
const kinds = ["mnemonic", "modifier", "type", "directive", "special", "register", "label", "number", "string",
  "comment", "header", "guard"];

const tags = Object.fromEntries(kinds.map((kind) => [`ptx-${kind}`, Tag.define(kind)]));

export const highlighting = HighlightStyle.define(Object.entries(tags).map(([name, tag]) => ({ tag, class: name })));

/** "%envreg<32>" stands for %envreg0 … %envreg31. */
const stem = (register) => register.replace(/<.*>$/, "").replace(/\d+$/, "");
const undotted = (word) => word.replace(/^\./, "");

/** The words of the table as sets, with and without their dots alike. */
function vocabulary({ mnemonics = [], modifiers = [], types = [], directives = [], registers = [] } = {}) {
  return {
    mnemonics: new Set(mnemonics.map(undotted)),
    modifiers: new Set(modifiers.map(undotted)),
    types: new Set(types.map(undotted)),
    directives: new Set(directives.map(undotted)),
    registers: new Set(registers.map(stem)),
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

export function ptx(lists) {
  const words = vocabulary(lists);
  return StreamLanguage.define({
    name: "ptx",
    startState: () => ({ comment: false, fresh: true, after: null }),
    copyState: (state) => ({ ...state }),
    token(stream, state) {
      if (stream.sol()) {
        state.after = null;
        // Statements rarely run over lines, and after a directive's line a new one begins.
        state.fresh = true;
      }
      const kind = next(stream, state, words);
      return kind && `ptx-${kind}`;
    },
    tokenTable: tags,
    languageData: {
      commentTokens: { line: "//", block: { open: "/*", close: "*/" } },
      closeBrackets: { brackets: ["(", "[", "{", '"'] },
      wordChars: "%$.",
    },
  });
}
