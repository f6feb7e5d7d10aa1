package jit

import (
	"warpscope/emu/jit/call"
	"warpscope/emu/machine"
)

// The grid's watch of spinning warps wants to know whether memory changes. While nothing has changed for some time,
// compiled code compares what it stores with what is there, and says so as soon as something differs.

// plain is the value of call.Plain for a warp.
func plain(w *machine.Warp) uint32 {
	switch g := w.CTA.Grid; {
	case g.Prog.Proxies:
		return call.StoresHeld
	case g.State.Progress:
		return call.StoresPlain
	}
	return call.StoresQuiet
}
