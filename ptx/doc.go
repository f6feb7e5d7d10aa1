// Package ptx turns PTX text (PTX ISA 9.4) into a checked module.
//
// Parse works in one pass over the text. The scanner makes tokens on demand; the parser follows chapters 4, 5, 7 and 11
// of the manual and never fails: it reports what it expected and found, skips to a semicolon, a brace or a directive,
// and goes on. Names are resolved where they are used, because PTX declares before use; labels can come later, so they
// are resolved when their block ends. A register is made when an instruction first names it, so %r<1000000> costs
// nothing.
//
// Each instruction is bound, as soon as it is parsed, to a form of the table in package isa: its opcode to the syntax
// lines that accept it, its operands to the first of these lines that they fit (9.4). An instruction that fits none is
// explained against the line that came nearest. When a function's body ends, its basic blocks and their immediate
// post-dominators give every branch its reconvergence point.
//
// Everything that can be said about a module is a Diagnostic with a stable code; codes.go lists them all. Hover and
// Complete answer an editor's questions about a module, even about one with errors.
package ptx
