package emu

import (
	"fmt"
	"math"

	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/ptx/isa"
)

// builtins are the functions that the emulator provides.
var builtins = map[string]*machine.Builtin{
	"vprintf":      {Run: vprintf, Returns: []isa.Type{isa.B32}, Params: []isa.Type{isa.B64, isa.B64}},
	"malloc":       {Run: malloc, Returns: []isa.Type{isa.B64}, Params: []isa.Type{isa.B64}},
	"free":         {Run: free, Returns: nil, Params: []isa.Type{isa.B64}},
	"__assertfail": {Run: assertFail, Returns: nil, Params: []isa.Type{isa.B64, isa.B64, isa.B32, isa.B64, isa.B64}},
}

// malloc gives device memory, or null when there is none left.
func malloc(w *machine.Warp, args []uint64, _ int) (uint64, *Fault) {
	g := w.CTA.Grid
	if args[0] <= uint64(g.Mem.Limit()) {
		if a, err := g.Dev.Reserve(int64(args[0]), "", mem.Global); err == nil {
			return a, nil
		}
	}
	g.State.Refused = true
	return 0, nil
}

func free(w *machine.Warp, args []uint64, _ int) (uint64, *Fault) {
	if args[0] == 0 {
		return 0, nil
	}
	if w.CTA.Grid.Dev.Free(args[0]) != nil {
		return 0, badPointer(args[0], 1, "free of something that malloc has not given")
	}
	return 0, nil
}

// assertFail is __assertfail(message, file, line, function, size of a character).
func assertFail(w *machine.Warp, args []uint64, lane int) (uint64, *Fault) {
	text := func(i int) string {
		s, fault := textAt(w, args[i], math.MaxInt, lane, "")
		if fault != nil {
			return "?"
		}
		return string(s)
	}
	return 0, &Fault{Kind: AssertFail, Detail: fmt.Sprintf(": %s:%d: %s: assertion `%s`", text(1), uint32(args[2]),
		text(3), text(0))}
}
