package ptx

import (
	"encoding/binary"
	"math"

	"warpscope/ptx/isa"
)

// maxInit bounds the bytes that an initialiser's nesting may skip over, as in x[1000000000] = {1}: Init holds only
// the bytes up to the last one given.
const maxInit = 1 << 28

// filler writes an initialiser's values into Var.Init.
type filler struct {
	p    *parser
	v    *Var
	elem int64   // bytes of one scalar
	dims []int64 // array dimensions and, last, the vector length
}

// initialiser parses "= value" or "= { … }" (5.4.4).
func (p *parser) initialiser(v *Var) bool {
	at := p.next()
	switch {
	case v.Linkage == Extern:
		p.report("bad-initializer", at.span(), "an .extern variable has no initialiser")
	case v.Space != GlobalSpace && v.Space != ConstSpace:
		p.report("bad-initializer", at.span(), "only .global and .const variables can be initialised, not %s", v.Space)
	case v.Type.Class() == isa.Opaque:
		return p.opaqueInitialiser(v)
	case v.Type == isa.F16 || v.Type == isa.F16x2 || v.Type == isa.Pred:
		p.report("bad-initializer", at.span(), "%s variables cannot be initialised; declare %s and give the bits", v.Type,
			bitsOf(v.Type))
	}
	f := &filler{p: p, v: v, elem: int64(v.Type.Bytes()), dims: append([]int64(nil), v.Dims...)}
	if v.Vec > 1 {
		f.dims = append(f.dims, int64(v.Vec))
	}
	v.Init = []byte{}
	end, ok := int64(0), false
	switch {
	case p.tok.kind == '{' && len(f.dims) == 0:
		p.unexpected("a value: only arrays and vectors have braces", "bad-initializer")
	case p.tok.kind == '{':
		end, ok = f.list(0, 0)
	case len(f.dims) > 0:
		p.unexpected("'{' with the values of the array", "bad-initializer")
	default:
		end, ok = f.elem, f.scalar(0)
	}
	if len(v.Dims) > 0 && v.Dims[0] == 0 {
		if ok && end == 0 {
			p.report("bad-initializer", p.prev.span(), "no values, and so no size for %s", v.Name)
		}
		stride := f.size(1)
		v.Dims[0] = (end + stride - 1) / stride
		v.Size = v.Dims[0] * stride
	}
	return ok
}

func bitsOf(t isa.Type) string {
	switch t.Bits() {
	case 8:
		return ".b8"
	case 16:
		return ".b16"
	case 64:
		return ".b64"
	}
	return ".b32"
}

// opaqueInitialiser parses { field = value, … } of textures, samplers and surfaces (5.3.2).
func (p *parser) opaqueInitialiser(v *Var) bool {
	if p.tok.kind != '{' {
		p.unexpected("'{' with the fields", "bad-initializer")
		return false
	}
	p.next()
	for p.tok.kind != '}' {
		name := p.tok
		if name.kind != tokIdent {
			p.unexpected("the name of a property", "bad-initializer")
			return false
		}
		p.next()
		if !p.expect('=', " after the property") {
			return false
		}
		v.Fields = append(v.Fields, Field{p.text(name), p.text(p.tok)})
		p.next()
		if !p.accept(',') {
			break
		}
	}
	return p.expect('}', " after the properties")
}

// size is the bytes that one element at this nesting level takes.
func (f *filler) size(level int) int64 {
	n := f.elem
	for _, d := range f.dims[min(level, len(f.dims)):] {
		n *= max(d, 1)
	}
	return n
}

// list parses a brace-enclosed list at a nesting level, beginning at an offset; the result is where it ended.
func (f *filler) list(level int, base int64) (end int64, ok bool) {
	p := f.p
	open := p.tok
	if !p.enter() {
		return base, false
	}
	defer p.leave()
	p.next()
	limit := base + f.size(level)
	if level == 0 && f.dims[0] == 0 {
		limit = maxVariable
	}
	at, said, inner := base, false, level+1 < len(f.dims)
	for p.tok.kind != '}' || p.prev.kind == ',' {
		if at >= limit && !said {
			said = true
			p.report("bad-initializer", p.tok.span(), "more values than %s has elements", f.v.Name).
				note(f.v.Span, "declared here")
		}
		if p.tok.kind == '{' {
			if !inner {
				p.report("bad-initializer", p.tok.span(), "too many braces: %s has %s", f.v.Name,
					Plural(len(f.dims), "dimension")).note(open.span(), "inside this list")
				return at, false
			}
			if _, ok := f.list(level+1, at); !ok {
				return at, false
			}
			at += f.size(level + 1)
		} else {
			if inner {
				p.unexpected("'{': the braces follow the dimensions", "bad-initializer").section("5.4.4")
				return at, false
			}
			if !f.scalar(at) {
				return at, false
			}
			at += f.elem
		}
		if !p.accept(',') {
			break
		}
	}
	if !inner && f.v.Vec > 1 && at < limit {
		p.report("bad-initializer", Span{open.start, p.tok.end}, "a vector has a value for each of its %d elements", f.v.Vec)
	}
	return at, p.expect('}', " after the values")
}

// scalar parses one value and writes it at an offset.
func (f *filler) scalar(at int64) bool {
	p := f.p
	start := p.tok
	switch {
	case start.kind == tokIdent && !p.is("WARP_SZ"):
		r, ok := f.address()
		return ok && f.relocate(start, at, r)
	case start.kind == tokNumber && p.peek().kind == '(':
		return f.masked(at)
	}
	v, ok := p.expression()
	if !ok {
		return false
	}
	f.put(at, f.convert(v, Span{start.start, p.prev.end}))
	return true
}

// convert turns a constant into the bits of the variable's type.
func (f *filler) convert(v value, at Span) uint64 {
	p, typ := f.p, f.v.Type
	if !v.float() {
		if typ.Class() != isa.Float {
			p.checkFits(v, typ, at)
			return v.bits
		}
		p.offerExact(p.report("integer-for-float", at, "an integer constant for the %s variable %s: taken as a number", typ,
			f.v.Name), at, typ)
		v = double(float64(int64(v.bits)))
	}
	if typ.Class() != isa.Float && typ.Class() != isa.Bits {
		p.report("type-mismatch", at, "a floating-point constant for the %s variable %s", typ, f.v.Name)
		return 0
	}
	return floatBits(v, typ.Bits())
}

// floatBits is a floating-point constant in a type of 32 or 64 bits.
func floatBits(v value, width int) uint64 {
	switch {
	case v.typ == isa.F32 && width == 64:
		return math.Float64bits(float64(math.Float32frombits(uint32(v.bits))))
	case v.typ == isa.F64 && width <= 32:
		return uint64(math.Float32bits(float32(v.f64())))
	}
	return v.bits
}

// masked parses mask(expression), the mask being one byte: 0xff00(sym+4) or 0xFF00(131187).
func (f *filler) masked(at int64) bool {
	p := f.p
	t := p.next()
	mask, ok := p.literal(t)
	if !ok || !p.expect('(', " after the mask") {
		return false
	}
	shift := uint(0)
	for shift < 56 && mask.bits>>shift != 0xff {
		shift += 8
	}
	if mask.bits != 0xff<<shift {
		p.report("bad-initializer", t.span(), "a mask selects one byte: 0xFF, 0xFF00, … 0xFF00000000000000")
		return false
	}
	p.needVersion(t.span(), "mask()", 71, 0, "5.4.4")
	if p.tok.kind == tokIdent && !p.is("WARP_SZ") {
		r, ok := f.address()
		r.Mask, r.Shift = mask.bits, shift
		return ok && p.expect(')', " after the address") && f.relocate(t, at, r)
	}
	v, ok := p.expression()
	if !ok || !p.expect(')', " after the expression") {
		return false
	}
	f.put(at, v.bits&mask.bits>>shift)
	return true
}

// address parses symbol {± n} or generic(symbol) {± n}.
func (f *filler) address() (r Reloc, ok bool) {
	p := f.p
	t := p.next()
	generic := p.text(t) == "generic" && p.accept('(')
	if generic {
		p.needVersion(t.span(), "generic()", 31, 0, "5.4.4")
		t = p.tok
		if !p.expect(tokIdent, " of a variable in generic()") {
			return r, false
		}
	}
	if !f.symbol(t, &r) {
		return r, false
	}
	r.Generic = r.Generic || generic
	if generic && !p.expect(')', " after generic(") || !f.offset(&r) {
		return r, false
	}
	if r.Func != nil && (generic || r.Addend != 0) {
		p.report("bad-initializer", t.span(), "the address of a function takes no generic() and no offset")
	}
	return r, true
}

// symbol finds what an address is the address of.
func (f *filler) symbol(t token, r *Reloc) bool {
	p := f.p
	sym, home := p.scope.lookup(p.text(t))
	switch {
	case sym != nil && sym.fn != nil:
		r.Func = sym.fn
	case sym != nil && (sym.vr != nil || sym.decl != nil && sym.decl.model != nil):
		r.Var = p.variable(sym, home)
		r.Generic = p.m.Version < 31 // 5.4.4, note on legacy code
		if r.Var.Space != GlobalSpace && r.Var.Space != ConstSpace {
			p.report("bad-initializer", t.span(), "%s is in %s space; initialisers may take addresses in .global and "+
				".const space only", r.Var.Name, r.Var.Space)
		}
	default:
		p.undeclared(t, "variable or function", "")
		return false
	}
	return true
}

// offset parses the constants added to an address.
func (f *filler) offset(r *Reloc) bool {
	for f.p.plus() {
		v, ok := f.p.binary(precedence['*'])
		if !ok {
			return false
		}
		r.Addend += int64(v.bits)
	}
	return true
}

// relocate records that an address goes to this offset.
func (f *filler) relocate(t token, at int64, r Reloc) bool {
	size := f.v.Type.Bits()
	ok := size == 64 || size == 32 || size == 8 && r.Mask != 0
	if !ok || f.v.Type.Class() != isa.Unsigned {
		f.p.report("bad-initializer", t.span(), "an address needs a variable of type .u32 or .u64 (.u8 with a mask), "+
			"not %s", f.v.Type)
		return true
	}
	r.Offset, r.Size = at, size/8
	f.v.Relocs = append(f.v.Relocs, r)
	f.put(at, 0)
	return true
}

// put writes the low bytes of a value at an offset.
func (f *filler) put(at int64, bits uint64) {
	end := at + f.elem
	if end > maxInit {
		if f.v.Init != nil && int64(len(f.v.Init)) < maxInit {
			f.p.report("too-large", f.v.Span, "initialisers reach at most %d bytes", maxInit)
			f.v.Init = make([]byte, maxInit)
		}
		return
	}
	if n := end - int64(len(f.v.Init)); n > 0 {
		f.v.Init = append(f.v.Init, make([]byte, n)...)
	}
	var word [16]byte
	binary.LittleEndian.PutUint64(word[:], bits)
	if f.elem > 8 && int64(bits) < 0 {
		binary.LittleEndian.PutUint64(word[8:], math.MaxUint64)
	}
	copy(f.v.Init[at:end], word[:])
}
