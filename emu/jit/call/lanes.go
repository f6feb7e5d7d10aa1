package call

import "warpscope/emu/jit/wasm"

// Folds are the helpers that fold the words of a row in the lanes of exec.
var Folds = map[string]*Helper{
	"add.u32": folding(wasm.I32x4Add, 0), "add.s32": folding(wasm.I32x4Add, 0),
	"min.u32": folding(wasm.I32x4MinU, 1<<32-1), "max.u32": folding(wasm.I32x4MaxU, 0),
	"min.s32": folding(wasm.I32x4MinS, 1<<31-1), "max.s32": folding(wasm.I32x4MaxS, 1<<31),
	"and.b32": folding(wasm.V128And, 1<<32-1), "or.b32": folding(wasm.V128Or, 0), "xor.b32": folding(wasm.V128Xor, 0),
}

// folding is a helper that folds. The other lanes have a value that changes nothing.
func folding(do wasm.Op, neutral uint64) *Helper {
	const values, exec, sum = 0, 1, 2
	neutral |= neutral << 32
	return &Helper{
		Params: []byte{wasm.I32, wasm.I32},
		Locals: []wasm.Locals{{N: 1, Type: wasm.Vector}},
		Write: func(w *wasm.Code) {
			for g := range uint32(8) {
				w.Get(values)
				w.Mem(wasm.V128Load, 16, 16*g)
				w.V128(neutral, neutral)
				w.Get(exec)
				w.Op(wasm.I32x4Splat)
				lo, hi := uint64(1)<<(4*g)|uint64(2)<<(4*g+32), uint64(4)<<(4*g)|uint64(8)<<(4*g+32)
				w.V128(lo, hi)
				w.Op(wasm.V128And)
				w.V128(lo, hi)
				w.Op(wasm.I32x4Eq, wasm.V128Bitselect)
				if g > 0 {
					w.Get(sum)
					w.Op(do)
				}
				w.Set(sum)
			}
			for _, apart := range [...]byte{8, 4} {
				var from [16]byte
				for i := range from {
					from[i] = (byte(i) + apart) % 16
				}
				w.Get(sum)
				w.Get(sum)
				w.Get(sum)
				w.Shuffle(from)
				w.Op(do)
				w.Set(sum)
			}
			w.Get(sum)
			w.Op(wasm.I32x4ExtractLane)
			w.Bytes = append(w.Bytes, 0)
		},
	}
}

// Shuffles are the helpers for the modes up, down, bfly and idx.
var Shuffles = [4]*Helper{shuffling(0), shuffling(1), shuffling(2), shuffling(3)}

// shuffling is a helper that puts into the context, for the lanes of exec, the words that they read of the row a, and
// as Range which are in range. b and c are the rows of the other operands. The result is 0 if all read from lanes of
// exec. 9.7.10.6 has the pseudo-code.
func shuffling(mode int) *Helper {
	const a, b, c, exec, ctx, left, lane, seg, most, from, in, read, ok = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12
	return &Helper{
		Params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		Locals: []wasm.Locals{{N: 8, Type: wasm.I32}},
		Write: func(w *wasm.Code) {
			word := func(at uint32) {
				w.Get(at)
				w.Get(lane)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
			}
			w.Get(exec)
			w.Set(left)
			w.EachBit(left, lane, func() {
				word(c)
				w.Mem(wasm.I32Load, 4, 0)
				bounds(w, lane, seg, most)
				word(b)
				w.Mem(wasm.I32Load, 4, 0)
				w.I32(31)
				w.Op(wasm.I32And)
				w.Set(from) // b
				source(w, mode, lane, seg, from)
				w.Tee(from)
				w.Get(most)
				w.Op([...]wasm.Op{wasm.I32GeS, wasm.I32LeS, wasm.I32LeS, wasm.I32LeS}[mode])
				w.Set(in)
				w.Get(from)
				w.Get(lane)
				w.Get(in)
				w.Op(wasm.Select)
				w.Set(from)
				addBit(w, ok, lane, func() { w.Get(in) })
				addBit(w, read, from, func() { w.I32(1) })
				word(ctx)
				w.Get(a)
				w.Get(from)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem(wasm.I32Load, 4, 0)
				w.Mem(wasm.I32Store, 4, Offs)
			})
			w.Get(ctx)
			w.Get(ok)
			w.Mem(wasm.I32Store, 4, Range)
			w.Get(read)
			w.Get(exec)
			w.I32(-1)
			w.Op(wasm.I32Xor, wasm.I32And)
		},
	}
}

// bounds pops c of 9.7.10.6 and sets seg, the bits of the lane that choose a segment, and most, the
// lane of the segment that none reads beyond.
func bounds(w *wasm.Code, lane, seg, most uint32) {
	w.Tee(most) // c, so far
	w.I32(8)
	w.Op(wasm.I32ShrU)
	w.I32(31)
	w.Op(wasm.I32And)
	w.Set(seg)
	w.Get(lane) // most = lane & seg | c & 31 & ~seg
	w.Get(seg)
	w.Op(wasm.I32And)
	w.Get(most)
	w.I32(31)
	w.Get(seg)
	w.Op(wasm.I32Xor, wasm.I32And, wasm.I32Or)
	w.Set(most)
}

// source pushes the lane that a lane reads from; by is the operand b.
func source(w *wasm.Code, mode int, lane, seg, by uint32) {
	w.Get(lane)
	switch mode {
	case 0:
		w.Get(by)
		w.Op(wasm.I32Sub)
	case 1:
		w.Get(by)
		w.Op(wasm.I32Add)
	case 2:
		w.Get(by)
		w.Op(wasm.I32Xor)
	case 3: // lane & seg | b & ~seg
		w.Get(seg)
		w.Op(wasm.I32And)
		w.Get(by)
		w.I32(31)
		w.Get(seg)
		w.Op(wasm.I32Xor, wasm.I32And, wasm.I32Or)
	}
}

// addBit adds what push pushes, which is 0 or 1, to a set of lanes.
func addBit(w *wasm.Code, set, lane uint32, push func()) {
	w.Get(set)
	push()
	w.Get(lane)
	w.Op(wasm.I32Shl, wasm.I32Or)
	w.Set(set)
}

// differ says for the lanes of exec whether elements of a row differ from those in memory, whose offsets are in the
// context.
func differ(size uint32) *Helper {
	const values, exec, ctx, seg, shift, stride, lane = 0, 1, 2, 3, 4, 5, 6
	load, unequal := Loaders(size, size == 8)[0], wasm.I32Ne
	if size == 8 {
		unequal = wasm.I64Ne
	}
	return &Helper{
		Params: []byte{wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32, wasm.I32},
		Locals: []wasm.Locals{{N: 1, Type: wasm.I32}},
		Write: func(w *wasm.Code) {
			w.EachBit(exec, lane, func() {
				w.Get(values)
				w.Get(lane)
				w.Get(shift)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem(load, size, 0)
				w.Get(ctx)
				w.Get(lane)
				w.I32(2)
				w.Op(wasm.I32Shl, wasm.I32Add)
				w.Mem(wasm.I32Load, 4, Offs)
				w.Get(seg)
				w.Get(lane)
				w.Get(stride)
				w.Op(wasm.I32Mul, wasm.I32Add, wasm.I32Add)
				w.Mem(load, size, 0)
				w.Op(unequal)
				w.If()
				w.I32(1)
				w.Op(wasm.Return, wasm.End)
			})
			w.I32(0)
		},
	}
}

var Differs = map[uint32]*Helper{1: differ(1), 2: differ(2), 4: differ(4), 8: differ(8)}
