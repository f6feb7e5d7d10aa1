package num

import "warpscope/ptx/isa"

// buildMixedPair: the packed forms of 9.7.5. Either a, a pair of .f16 or .bf16, is widened and the result is .f32x2, or
// a pair of .f32 is narrowed toward zero from the exact result, or c is converted to the other half-precision type.
func buildMixedPair(o *opcode) *Kernel {
	first, second, last := o.types[0], o.types[1], o.types[len(o.types)-1]
	switch {
	case first == isa.F32x2 && last == isa.F32x2 && (second == isa.F16x2 || second == isa.BF16x2):
		return widenedPair(o, laneOf(second))
	case len(o.types) != 3:
		return nil
	case second == isa.F32x2 && last == isa.F32x2 && (first == isa.F16x2 || first == isa.BF16x2):
		return narrowedPair(o, laneOf(first))
	case o.mnemonic == "mul" && first == second && (first == isa.F16x2 && last == isa.BF16x2 ||
		first == isa.BF16x2 && last == isa.F16x2):
		m, from := half{f: laneOf(first)}, half{f: laneOf(last)}
		one := func(a, c uint64) uint64 { return m.out(m.in(a) * m.in(m.out(from.in(c)))) }
		return &Kernel{F2: func(a, c uint64) uint64 { return one(a>>16, c>>16)<<16 | one(a, c) }}
	}
	return nil
}

// widenedPair: add, sub and fma of .f32x2, whose operand a is of format h.
func widenedPair(o *opcode, h *format) *Kernel {
	r, explicit := o.rounding()
	m := f32{r: r}
	wide := func(a uint64) float32 { return float32(h.decode(a & h.mask())) }
	var one func(a, b, c uint64) uint64
	switch {
	case len(o.types) == 4 && o.mnemonic == "fma" && explicit && o.types[2] == isa.F32x2:
		one = func(a, b, c uint64) uint64 { return m.out(m.fma(wide(a), m.in(b), m.in(c))) }
		return &Kernel{F3: func(a, b, c uint64) uint64 { return one(a>>16, b>>32, c>>32)<<32 | one(a, b, c) }}
	case len(o.types) == 3 && o.mnemonic == "add":
		one = func(a, _, c uint64) uint64 { return m.out(m.add(wide(a), m.in(c))) }
	case len(o.types) == 3 && o.mnemonic == "sub":
		one = func(a, _, c uint64) uint64 { return m.out(m.add(wide(a), -m.in(c))) }
	default:
		return nil
	}
	return &Kernel{F2: func(a, c uint64) uint64 { return one(a>>16, 0, c>>32)<<32 | one(a, 0, c) }}
}

// narrowedPair: add, sub and mul of .f32x2 with a result of format h. To .f16x2 it flushes inputs and results.
func narrowedPair(o *opcode, h *format) *Kernel {
	if !o.take("rz") || h == &fmtF16 && !o.take("ftz") {
		return nil
	}
	in := f32{ftz: h == &fmtF16}
	var exact func(x, y float64) float64
	switch o.mnemonic {
	case "add":
		exact = oddSum
	case "sub":
		exact = func(x, y float64) float64 { return oddSum(x, -y) }
	case "mul":
		exact = func(x, y float64) float64 { return x * y }
	default:
		return nil
	}
	one := func(a, c uint64) uint64 {
		d := h.encode(exact(float64(in.in(a)), float64(in.in(c))), rz)
		if in.ftz {
			return h.flush(d)
		}
		return d
	}
	return &Kernel{F2: func(a, c uint64) uint64 { return one(a>>32, c>>32)<<16 | one(a, c) }}
}

// buildFours: 9.7.6, four numbers of narrow types. Products and sums are exact or odd, and rounded once.
func buildFours(o *opcode) *Kernel {
	o.take("rn")
	f := laneOf(o.types[0])
	w := floatWriter{f: f, satfinite: o.take("satfinite")}
	if !w.satfinite {
		w.f = f.open()
	}
	types := append(o.types[1:len(o.types):len(o.types)], o.types[0]) // of the operands, where c has the type of d
	if o.mnemonic == "mul" {
		types = o.types[1:]
	}
	var in [3]fourth
	for i, t := range types {
		if i == len(in) || !in[i].of(t) {
			return nil
		}
	}
	four := func(one func(i uint) float64) (d uint64) {
		for i := range uint(4) {
			a := w.write(one(i))
			if f.isNaN(a) {
				a = f.nan
			}
			d |= a << (8 * i)
		}
		return d
	}
	switch {
	case o.mnemonic == "fma" && len(types) == 3:
		return &Kernel{F3: func(a, b, c uint64) uint64 {
			return four(func(i uint) float64 { return oddSum(in[0].get(a, i)*in[1].get(b, i), in[2].get(c, i)) })
		}}
	case len(types) != 2:
		return nil
	case o.mnemonic == "add":
		return &Kernel{F2: func(a, c uint64) uint64 {
			return four(func(i uint) float64 { return oddSum(in[0].get(a, i), in[1].get(c, i)) })
		}}
	case o.mnemonic == "sub":
		return &Kernel{F2: func(a, c uint64) uint64 {
			return four(func(i uint) float64 { return oddSum(in[0].get(a, i), -in[1].get(c, i)) })
		}}
	case o.mnemonic == "mul":
		return &Kernel{F2: func(a, c uint64) uint64 {
			return four(func(i uint) float64 { return in[0].get(a, i) * in[1].get(c, i) })
		}}
	}
	return nil
}

// fourth reads one of four numbers, which are step bits apart.
type fourth struct {
	decode func(uint64) float64
	step   uint
}

func (r fourth) get(a uint64, i uint) float64 { return r.decode(a >> (i * r.step)) }

// of takes the type of the four; false when it is none.
func (r *fourth) of(t isa.Type) bool {
	r.step = 8
	switch t {
	case isa.UE8M0x4:
		r.decode = Decoder(isa.UE8M0)
	case isa.E2M1P4x4:
		r.decode = Decoder(isa.E2M1)
	case isa.E2M1x4:
		r.decode, r.step = Decoder(isa.E2M1), 4
	case isa.E2M3x4:
		r.decode = Decoder(isa.E2M3)
	case isa.E3M2x4:
		r.decode = Decoder(isa.E3M2)
	case isa.E4M3x4:
		r.decode = Decoder(isa.E4M3)
	case isa.E5M2x4:
		r.decode = Decoder(isa.E5M2)
	}
	return r.decode != nil
}
