package machine

import (
	"slices"
	"unsafe"

	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/gpu"
	"warpscope/ptx"
)

// pass copies arguments to the parameters of a function, or its results to the caller.
func pass(w *Warp, from *Frame, src []Passed, to *Frame, dst []Passed, exec Mask) {
	recordPassed(w, from, src, to, dst, exec)
	for i := range min(len(src), len(dst)) {
		passValue(w, from, &src[i], to, &dst[i], exec)
	}
}

// recordPassed records registers and variables of an activation that are about to get values, and the places of these
// in the other one. What a provided function returns comes from no place.
func recordPassed(w *Warp, from *Frame, src []Passed, to *Frame, dst []Passed, exec Mask) {
	for i := 0; w.Rec != nil && i < len(dst); i++ {
		var places []gpu.Place
		if i < len(src) {
			places = placesOf(w, from, &src[i])
		}
		list := placesOf(w, to, &dst[i])
		for k, p := range list {
			own := places
			if len(own) == len(list) {
				own = own[k : k+1]
			}
			switch {
			case p.Var != nil:
				EachLane(exec, func(lane int) {
					w.Rec.Mem = append(w.Rec.Mem, gpu.MemWrite{Space: ptx.LocalSpace, Addr: p.Addr, Lane: lane, From: own,
						Old: slices.Clone(localBytes(w, to, p.Var, lane)[:p.Var.Size])})
				})
			case p.Reg != nil:
				w.CTA.Grid.Record.registers(w, to, []DstReg{{p.Reg, p.Elem, dst[i].Regs[k]}}, exec, own)
			}
		}
	}
}

// placesOf lists the registers, or the variable, of a passed value. A constant has a place without either.
func placesOf(w *Warp, fr *Frame, p *Passed) (list []gpu.Place) {
	if p.V != nil {
		at, _ := fr.variable(p.V)
		return []gpu.Place{{Var: p.V, Addr: w.Mem.Win.Local + at, Size: int(p.V.Size)}}
	}
	for _, op := range p.Regs {
		place := gpu.Place{}
		if slot := fr.slotAt(op.Off); slot != nil && !op.Sink {
			place.Reg, place.Elem = slot.Reg, slot.Elem
		}
		list = append(list, place)
	}
	return list
}

// passValue copies one argument or return value between frames of this warp, in the lanes of exec.
func passValue(w *Warp, from *Frame, src *Passed, to *Frame, dst *Passed, exec Mask) {
	switch {
	case src.V != nil && dst.V != nil:
		n := src.V.Size
		if dst.V.Size != 0 { // an unsized array takes what it gets (7.1)
			n = min(n, dst.V.Size)
		}
		EachLane(exec, func(lane int) {
			copy(localBytes(w, to, dst.V, lane)[:n], localBytes(w, from, src.V, lane)[:n])
		})
	case src.Bits <= 64 && len(src.Regs) == 1 && len(dst.Regs) == 1: // the usual case
		f, t, s, d := w.Mem.At(from.Off), w.Mem.At(to.Off), &src.Regs[0], &dst.Regs[0]
		EachLane(exec, func(lane int) { d.Set(t, lane, s.Get(f, lane)) })
	default:
		EachLane(exec, func(lane int) { setValue(w, to, dst, lane, valueOf(w, from, src, lane)) })
	}
}

// valueOf reads a passed value in one lane: a variable, or registers, with the first element of a vector lowest.
func valueOf(w *Warp, fr *Frame, p *Passed, lane int) (v row.Pair) {
	if p.V != nil {
		v[0], v[1] = mem.ReadElement(unsafe.Pointer(&localBytes(w, fr, p.V, lane)[0]), uint32(p.V.Size), false)
		return v
	}
	return row.Joined(p.Regs, p.Bits, w.Mem.At(fr.Off), lane)
}

// setValue writes a passed value in one lane.
func setValue(w *Warp, fr *Frame, p *Passed, lane int, v row.Pair) {
	if p.V != nil {
		mem.WriteElement(unsafe.Pointer(&localBytes(w, fr, p.V, lane)[0]), uint32(p.V.Size), v[0], v[1])
		return
	}
	row.SetJoined(p.Regs, p.Bits, w.Mem.At(fr.Off), lane, v)
}

// variable returns the place of a .local or .param variable in the local memory of an activation's lanes.
func (fr *Frame) variable(v *ptx.Var) (at Addr, ok bool) {
	off, ok := fr.Fn.LocalOff[v]
	return Addr(fr.Local + off), ok
}

// localBytes returns one lane's local memory from a variable on.
func localBytes(w *Warp, fr *Frame, v *ptx.Var, lane int) []byte {
	at, _ := fr.variable(v)
	return w.localOf(lane)[at:]
}
