// Byte offsets of UTF-8, as Go counts, to and from UTF-16 positions, as CodeMirror counts.

/** The bytes of text[from:to] in UTF-8. A lone surrogate counts as U+FFFD, three bytes, which is what encoders make. */
export function utf8Length(text, from = 0, to = text.length) {
  let bytes = to - from;
  for (let i = from; i < to; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (isPair(text, i, to)) (bytes += 2), i++; // two units, four bytes
    else bytes += 2;
  }
  return bytes;
}

function isPair(text, i, to) {
  return (text.charCodeAt(i) & 0xfc00) === 0xd800 && i + 1 < to && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
}

/** The UTF-16 index of the character that holds the given byte of text; its length when there is none. */
function indexOfByte(text, byte) {
  let at = 0;
  for (let i = 0; i < text.length; i++) {
    const pair = isPair(text, i, text.length);
    const unit = text.charCodeAt(i);
    at += pair ? 4 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    if (at > byte) return i;
    if (pair) i++;
  }
  return text.length;
}

/** For each document the byte offset of every line's start; null for a document of ASCII alone. */
const tables = new WeakMap();

function table(doc) {
  let starts = tables.get(doc);
  if (starts !== undefined) return starts;
  starts = new Float64Array(doc.lines + 1);
  let line = 0;
  let at = 0;
  for (const text of doc.iterLines()) {
    starts[line++] = at;
    at += utf8Length(text) + 1;
  }
  starts[line] = at;
  if (at - 1 === doc.length) starts = null;
  tables.set(doc, starts);
  return starts;
}

/** Position in a CodeMirror Text -> byte offset. */
export function toByte(doc, pos) {
  pos = Math.max(0, Math.min(pos, doc.length));
  const starts = table(doc);
  if (!starts) return pos;
  const line = doc.lineAt(pos);
  return starts[line.number - 1] + utf8Length(line.text, 0, pos - line.from);
}

/** Byte offset -> position in a CodeMirror Text; clamped to the text, and to the start of a character. */
export function fromByte(doc, byte) {
  byte = Math.max(0, byte);
  const starts = table(doc);
  if (!starts) return Math.min(byte, doc.length);
  let low = 0;
  let high = doc.lines - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle] <= byte) low = middle;
    else high = middle - 1;
  }
  const line = doc.line(low + 1);
  return line.from + indexOfByte(line.text, byte - starts[low]);
}
