// The editor: CodeMirror 6 behind one small object, made for a program on the other side of a language border.
//
//   WarpscopeEditor.create(parent, options) -> handle
//
// Conventions: lines count from 1. Offsets are bytes of the text's UTF-8, half-open ranges {from, to}; the editor
// converts from and to its own UTF-16. Callbacks are called synchronously and may be left out. The text that the
// editor holds is the truth: it knows only "\n" as a line end and no invalid Unicode, so use what create's getDoc and
// setDoc return, not what was handed in, when offsets matter.
//
// options:
//   doc            string, the first text
//   language       {mnemonics, modifiers, types, directives, registers}: arrays of strings, as in the instruction
//                  table: "add", ".sat" (or "sat"), ".f32", ".reg", "%tid"
//   label          accessible name of the text box; "PTX source"
//   dark           boolean
//   breakpoints    array of lines
//   onChange(text)           the user changed the text (typing, paste, undo, a fix); not called for setDoc
//   onBreakpoints(lines)     the list changed: a click in the gutter, F9, or lines moved by an edit; not called for
//                            setBreakpoints
//   onCursor(line, offset)   the cursor moved
//   hover(offset)            -> null or {from, to, title, text, syntax: [string], section, example}; all but the range
//                            optional
//   complete(offset, explicit) -> null or {from, options: [{label, detail, info, kind, apply}]}; from is where the word
//                            begins; explicit is true when the user asked (Ctrl+Space); kind is one of "mnemonic",
//                            "modifier", "type", "directive", "register", "variable", "function", "label", "snippet";
//                            apply is the text to insert where it differs from label
//
// handle:
//   getDoc() -> string
//   setDoc(text) -> string        replaces the text in one undoable step, keeps the history; returns the text as held
//   setDiagnostics(list)          [{from, to, severity: "error"|"warning"|"info", message, code, section,
//                                   notes: [{from, to, message}], fix: {from, to, text, message}}]
//   setMarkers(list)              [{line, mask, top}]: where groups of lanes stand; mask is an unsigned 32-bit number
//   setHeat(counts)               {line: count} or null: executions per line
//   setBreakpoints(lines)         breakpoints() -> lines
//   toggleBreakpoint(line)        as F9 does; without a line, at the cursor
//   revealLine(line)              scrolls the line into view where it is not
//   select(from, to)              selects, scrolls and focuses (a click on a problem)
//   line() -> number              the cursor's line
//   focus()   setReadOnly(bool)   setTheme(dark: bool)   setLanguage(language)   destroy()
//
// Colours come from CSS custom properties of the page; theme.js names them with their fallbacks.
