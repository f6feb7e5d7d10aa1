// Package isa is the PTX ISA 9.4 as data: the types, the special registers, and one table of instruction forms from
// which the parser, the editor, lowering, coverage and the tests all derive what they know.
//
// A Form is one row: a family of opcodes with one meaning. Its Syntax is written in the manual's own notation and is
// interpreted, not expanded: Resolve matches an opcode such as "setp.lt.and.ftz.f32" against the patterns of its
// mnemonic, taking modifiers as a set (compilers and the manual's own examples vary their order), types and the layouts
// .row and .col in order. Patterns are compiled when a mnemonic is first asked for; answers are remembered.
//
// # Adding a row
//
// A new instruction is one Form in the table_*.go of its chapter, at the manual's place:
//
//	{ID: "clz", Section: "9.7.1.16", Mnemonic: "clz", Tier: 1, Version: 20, SM: 20,
//		Syntax: `clz.type d, a;
//			.type = { .b32, .b64 };`,
//		Operands: "d=.u32! a=type",
//		Summary:  "Counts leading zeros; the result is 32 bits wide.",
//		Example:  "clz.b32 cnt, x;"},
//
// Syntax: copy the manual's lines and value sets, with a semicolon after each; pattern.go has the notation. Where the
// prose restricts combinations (which comparison for which type, which conversions round), write a syntax line for each
// kind, so that Resolve refuses the rest, and put the rule after the line as a comment: the error of a refused opcode
// quotes the comment of the nearest line. An opcode should resolve to one row, unless rows differ in their operands.
//
// Operands: type and role of every name in the syntax lines; operands.go has the notation.
//
// Version and SM are those of the plain form. What single modifiers need beyond that goes into Gates. A form that PTX
// no longer has gets Gone, and in As the opcode of today that means the same.
//
// The tests then check that the row's example resolves to it, in any order of modifiers, and that no name, set or gate
// is misspelt. A row that stands for a family of its own also goes into testdata/families.tsv. The manual's syntax
// lines go into testdata/space.txt as they are, with what its prose forbids as rules: the table has these opcodes and
// no others.
package isa
