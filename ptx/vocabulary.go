package ptx

import "warpscope/ptx/isa"

// Words are the words of PTX by kind, sorted, for an editor's colours. Modifiers, types and directives have their dots.
type Words = isa.Words

// Vocabulary collects the words of the instruction table, the special registers and the directives.
func Vocabulary() Words { return isa.Vocabulary() }
