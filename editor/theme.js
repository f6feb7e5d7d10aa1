// The editor's looks. Colours are custom properties of the page with fallbacks that suit a light page; what the page
// does not define stays readable.
import { EditorView } from "@codemirror/view";

const color = {
  bg: "var(--editor-bg, var(--bg, #fff))",
  fg: "var(--fg, #1b1f24)",
  muted: "var(--muted, #5b6570)",
  accent: "var(--accent, #0b62c4)",
  line: "var(--line, #d5d9de)",
  panel: "var(--panel, #f5f6f8)",
  error: "var(--error, #b3261e)",
  warning: "var(--warning, #8a5a00)",
  selection: "var(--selection, color-mix(in srgb, var(--accent, #0b62c4) 25%, transparent))",
  current: "var(--current-line, color-mix(in srgb, var(--accent, #0b62c4) 14%, transparent))",
  other: "var(--other-line, color-mix(in srgb, var(--warning, #8a5a00) 14%, transparent))",
};

const mono = 'var(--mono, ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace)';
const underline = (kind) => ({ backgroundImage: "none", textDecoration: `underline wavy ${color[kind]}`,
  textDecorationSkipInk: "none", textUnderlineOffset: "3px" });

const errorSoft = "var(--error-soft, #fdeae8)";
const faultSign = { width: ".5625rem", height: ".5625rem", background: color.error,
  clipPath: "polygon(50% 0, 100% 50%, 50% 100%, 0 50%)" };

const frame = {
  "&": { height: "100%", color: color.fg, backgroundColor: color.bg, fontSize: "var(--editor-size, .8125rem)" },
  "&.cm-focused": { outline: "none" },
  // The frame of the focus is around the gutters as well.
  "&.cm-focused::after": { content: '""', position: "absolute", inset: "0", zIndex: "250", pointerEvents: "none",
    border: `1.5px solid ${color.accent}` },
  ".cm-scroller": { fontFamily: mono, lineHeight: "1.5" },
  ".cm-content": { caretColor: color.fg },
  ".cm-placeholder": { color: color.muted },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: color.fg },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: color.selection },
  ".cm-selectionMatch": { backgroundColor: "transparent", outline: `1px solid ${color.line}` },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "transparent", outline: `1px solid ${color.muted}` },
  ".cm-activeLine": { backgroundColor: "transparent" },
  ".cm-gutters": { backgroundColor: color.panel, color: color.muted, borderRight: `1px solid ${color.line}` },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: color.fg },
};

const boxes = {
  ".cm-tooltip, .cm-panels": { backgroundColor: color.panel, color: color.fg, border: `1px solid ${color.line}` },
  ".cm-tooltip": { borderRadius: ".25rem", maxWidth: "min(40rem, 90vw)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: mono },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { background: color.accent, color: "var(--on-accent, #fff)" },
  ".cm-completionDetail": { color: "inherit", opacity: ".8" },
  ".cm-textfield": { backgroundColor: color.bg, color: color.fg, border: `1px solid ${color.line}` },
  ".cm-button": { backgroundImage: "none", backgroundColor: color.panel, color: color.fg,
    border: `1px solid ${color.line}` },
  ".cm-searchMatch": { backgroundColor: color.other },
  ".cm-searchMatch-selected": { backgroundColor: color.selection },
};

const problems = {
  ".cm-lintRange-error": underline("error"),
  ".cm-lintRange-warning": underline("warning"),
  ".cm-lintRange-info, .cm-lintRange-hint": underline("accent"),
  ".cm-lintPoint:after": { borderBottomColor: color.error },
  ".cm-line.ptx-error, .cm-line.ptx-error.ptx-at, .cm-gutterElement.ptx-error": { backgroundColor: errorSoft },
  ".cm-heat .ptx-error": { boxShadow: `-3px 0 ${errorSoft}` },
  ".cm-lineNumbers .ptx-error": { color: `${color.error} !important`, fontWeight: "700" },
  ".cm-trouble .ptx-error::before": { content: '""', ...faultSign },
  // No wider than nothing: the line stays as long as its text, and the button is at the right edge of what is in view.
  ".ptx-way": { float: "right", position: "sticky", right: "0", width: "0", height: "1.3em" },
  ".ptx-way > button": { position: "absolute", right: ".25rem", top: "0", height: "1.3em", padding: "0 .5em",
    font: "600 .6875rem/1 var(--sans, system-ui, sans-serif)", color: color.fg, backgroundColor: color.bg,
    border: `1px solid ${color.error}`, borderRadius: ".25rem", cursor: "pointer", whiteSpace: "nowrap" },
  ".ptx-way > button::after": { content: '""', position: "absolute", inset: "-.3rem" },
  ".cm-diagnostic": { padding: ".4rem .6rem", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeft: `3px solid ${color.error}` },
  ".cm-diagnostic-warning": { borderLeft: `3px solid ${color.warning}` },
  ".cm-diagnostic-info": { borderLeft: `3px solid ${color.accent}` },
  ".cm-diagnosticAction": { backgroundColor: color.accent, color: "var(--on-accent, #fff)", cursor: "pointer" },
  ".ptx-code, .ptx-note": { display: "block", color: color.muted, fontSize: ".9em" },
  ".ptx-hover": { padding: ".5rem .7rem", maxWidth: "31rem" },
  ".ptx-hover p": { margin: ".3rem 0 0" },
  ".ptx-hover pre": { margin: ".3rem 0 0", fontFamily: mono, whiteSpace: "pre-wrap" },
  ".ptx-hover .ptx-value": { font: `600 .875rem ${mono}` },
  ".ptx-hover .ptx-lanes": { display: "grid", gridTemplateColumns: "repeat(32, minmax(0, 1fr))", gap: "1px",
    width: "min(29rem, 80vw)", margin: ".3rem 0", font: `.6875rem/1rem ${mono}` },
  "@media (max-width: 760px)": { ".ptx-hover .ptx-lanes": { display: "none" } }, // 32 cells have no room for a number
  ".ptx-lanes > span": { overflow: "hidden", textAlign: "center", whiteSpace: "nowrap" },
  ".ptx-lanes > span:nth-child(odd)": { background: "var(--sel, #e9ecef)" },
  ".ptx-lanes > .ptx-run": { textAlign: "left", padding: "0 3px", borderRadius: "3px",
    background: "var(--sel, #e9ecef)" },
  ".ptx-facts": { display: "grid", gridTemplateColumns: "auto 1fr", gap: "2px 12px", margin: ".4rem 0 0" },
  ".ptx-facts dt": { color: color.muted },
  ".ptx-facts dd": { margin: "0", overflowWrap: "anywhere" },
  ".ptx-link": { font: "inherit", padding: "0", border: "0", background: "none", color: color.fg, cursor: "pointer",
    textDecoration: "underline", textAlign: "left", display: "inline", height: "auto",
    whiteSpace: "normal" },
  ".ptx-hover a": { color: "inherit" },
  ".ptx-hover .ptx-title": { fontFamily: mono, fontWeight: "600", margin: "0" },
};

const folds = {
  ".ptx-fold": { font: "inherit", fontFamily: "var(--sans, system-ui, sans-serif)", lineHeight: "inherit",
    height: "1.5em", padding: "0 .6em", border: "0", verticalAlign: "top", borderRadius: ".25rem", backgroundColor: color.panel, color: color.muted,
    cursor: "pointer" },
  ".ptx-fold:before": { content: '"▸ "' },
  ".ptx-fold:hover": { color: color.fg },
  ".ptx-fold:focus-visible": { outline: `2px solid ${color.accent}` },
  "@media (pointer: coarse)": { ".ptx-fold": { height: "2.2em" } },
};

/**
 * Words on a line: at the right edge of what is in view, in room of their own. They come before the text: after it, a
 * float would go below the longest line, which leaves no room.
 */
const label = { float: "right", position: "sticky", right: "0", width: "4.6rem", padding: "0 .5rem 0 1.1rem",
  marginRight: "-5rem", mask: "linear-gradient(90deg, #0000, #000 1rem)", // what it covers fades out
  textAlign: "right", whiteSpace: "nowrap", font: "600 .6875rem/1.7 var(--sans, system-ui, sans-serif)",
  height: "1.54em", pointerEvents: "none" };

const machine = {
  ".cm-breakpoints .cm-gutterElement": { width: "1em", paddingLeft: "2px", cursor: "pointer", textAlign: "center" },
  ".cm-breakpoints .cm-gutterElement:empty:hover:before": { content: '"●"', opacity: ".3" },
  ".ptx-breakpoint": { color: color.fg },
  ".cm-standing .cm-gutterElement": { width: ".9em", textAlign: "center" },
  ".ptx-stands": { color: color.warning },
  ".ptx-stands:not(.ptx-top)": { fontSize: ".8em", fontWeight: "700" },
  ".ptx-stands.ptx-others": { color: color.muted },
  ".ptx-stands.ptx-top": { color: `var(--run, ${color.accent})` },
  ".cm-line.ptx-at": { backgroundColor: color.other },
  // How many lanes are at the line.
  ".cm-line.ptx-at[data-lanes], .cm-line.ptx-fault, .cm-line.ptx-finding": { paddingRight: "5rem" },
  ".cm-line.ptx-at[data-lanes]:not(.ptx-fault, .ptx-finding)::before": { ...label, content: "attr(data-lanes)",
    color: "var(--wait)", backgroundColor: color.other },
  ".cm-line.ptx-at-top[data-lanes]:not(.ptx-fault, .ptx-finding)::before": { color: "var(--run)",
    backgroundColor: color.current },
  // How many other warps are there: words alone, in the room of the count of lanes.
  ".cm-line.ptx-others": { paddingRight: "5rem" },
  ".cm-line.ptx-others:not([data-lanes], .ptx-fault, .ptx-finding, .ptx-error)::before": { ...label, fontWeight: "400",
    content: "attr(data-warps)", color: color.muted, backgroundColor: color.bg },
  ".cm-line.ptx-others.ptx-at:not([data-lanes])::before": { backgroundColor: `${color.other} !important` },
  ".cm-line.ptx-others.ptx-at-top:not([data-lanes])::before": { backgroundColor: `${color.current} !important` },
  ".cm-line.ptx-wait:not([data-lanes])::before": { color: "var(--wait) !important" },
  ".cm-line.ptx-at-top": { backgroundColor: color.current },
  ".cm-line.ptx-at-bar": { backgroundColor: color.other },
  ".cm-line.ptx-at-bar[data-lanes]:not(.ptx-fault, .ptx-finding)::before": { color: "var(--wait)", backgroundColor: color.other },
  // Who is above or below what is in view.
  ".ptx-away": { position: "absolute", right: ".25rem", zIndex: "10", height: "1.25rem", padding: "0 .6rem",
    font: "600 .6875rem/1 var(--sans, system-ui, sans-serif)", color: color.fg, backgroundColor: color.bg,
    border: `1px solid var(--line2, ${color.muted})`, borderRadius: ".625rem", cursor: "pointer", whiteSpace: "nowrap" },
  ".ptx-away.above": { top: ".25rem" },
  "@media (pointer: coarse)": { ".ptx-away::after": { content: '""', position: "absolute", inset: "-.4rem" } },
  ".cm-trouble .cm-gutterElement": { display: "flex", alignItems: "center", padding: "0 1px", width: "11px" },
  ".ptx-fault-sign": faultSign,
  ".ptx-finding-sign": { width: ".5625rem", height: ".5rem", background: color.warning,
    clipPath: "polygon(50% 0, 100% 100%, 0 100%)" },
  ".cm-line.ptx-fault, .cm-line.ptx-fault.ptx-at-top": { backgroundColor: errorSoft },
  ".cm-line.ptx-fault:after": { ...label, content: "attr(data-fault)", color: color.error,
    backgroundColor: errorSoft },
  ".cm-line.ptx-finding:after": { ...label, content: "attr(data-finding)", color: color.warning,
    backgroundColor: color.bg },
  ".cm-heat .cm-gutterElement > *": { display: "block", boxSizing: "border-box", minWidth: "2.2em", height: "100%", padding: "0 .3em",
    textAlign: "right", fontVariantNumeric: "tabular-nums", fontSize: ".85em" },
};

/** Kinds of token; guards and mnemonics carry the accent, the rest stays calm. */
const tokens = {
  ".ptx-mnemonic": { color: "var(--ptx-mnemonic, var(--accent, #0b62c4))", fontWeight: "600" },
  ".ptx-modifier": { color: "var(--ptx-modifier, var(--accent, #0b62c4))" },
  ".ptx-type": { color: "var(--ptx-type, var(--type, #6a3fa0))" },
  ".ptx-directive": { color: "var(--ptx-directive, var(--type, #6a3fa0))" },
  ".ptx-special": { color: "var(--ptx-special, var(--warning, #8a5a00))" },
  ".ptx-register": { color: "var(--ptx-register, inherit)" },
  ".ptx-label": { color: "var(--ptx-label, var(--warning, #8a5a00))" },
  ".ptx-number": { color: "var(--ptx-number, var(--number, #1f6f43))" },
  ".ptx-string": { color: "var(--ptx-string, var(--number, #1f6f43))" },
  ".ptx-comment": { color: `var(--ptx-comment, ${color.muted})` },
  ".ptx-header": { color: `var(--ptx-header, ${color.muted})`, fontWeight: "600" },
  ".ptx-guard": { color: "var(--ptx-guard, var(--error, #b3261e))" },
};

export const theme = EditorView.theme({ ...frame, ...boxes, ...problems, ...folds, ...machine, ...tokens });
