package main

import "encoding/binary"

// restored undoes newBody and grammar for one function, as public/unpack.js does.
func restored(index int, rewritten []byte, templates map[byte][]byte) []byte {
	r := &restorer{in: &wasm{rest: rewritten}, place: newPlace(index)}
	for range r.copied() {
		r.copied()
		r.copied() // a type is less than 0x80
	}
	for len(r.in.rest) > 0 {
		code := r.in.bytes(1)[0]
		template, ok := templates[code]
		if !ok {
			r.instruction(code)
			continue
		}
		r.template = &wasm{rest: template}
		for len(r.template.rest) > 0 {
			r.instruction(r.template.bytes(1)[0])
		}
		r.template = nil
	}
	return r.out
}

// restorer is a function as it is restored.
type restorer struct {
	in       *wasm
	template *wasm // the rest of the template that is read; nil where instructions come from in
	place    *place
	out      []byte
}

// operand takes the next operand.
func (r *restorer) operand() []byte {
	if r.template != nil {
		if fixed := r.template.bytes(1); fixed[0] != holeByte {
			return fixed
		}
	}
	return r.in.number()
}

func (r *restorer) unsigned() int {
	v, _ := binary.Uvarint(r.operand())
	return int(v)
}

func (r *restorer) unfolded() int {
	v := r.unsigned()
	return v>>1 ^ -(v & 1)
}

// copied copies an operand, and gives its value.
func (r *restorer) copied() int {
	o := r.operand()
	r.out = append(r.out, o...)
	v, _ := binary.Uvarint(o)
	return int(v)
}

// outside passes a template's hole: what belongs there is more than a number.
func (r *restorer) outside() {
	if r.template != nil {
		r.template.bytes(1)
	}
}

func (r *restorer) instruction(op byte) {
	if op < opNext || op > opPoints {
		r.out = append(r.out, op)
	}
	switch op {
	case opBlock, opBlock + 1, opIf:
		r.place.depth++
		r.copied()
	case end:
		r.place.end()
	case opBr, opBrIf:
		r.out = binary.AppendUvarint(r.out, uint64(r.place.label(r.unsigned())))
	case opBrTable:
		r.outside()
		outer := r.template
		r.template = nil
		for range r.copied() + 1 {
			r.copied()
		}
		r.template = outer
	case opFloat, opDouble:
		r.outside()
		r.out = append(r.out, r.in.bytes(4<<(op-opFloat))...)
	case opMore:
		r.copies(moreOperands(byte(r.copied())))
	case opNext:
		r.address(r.place.start(r.place.point + 1))
	case opAddress:
		r.address(r.place.last + r.unfolded())
	case opJump:
		r.out = appendSigned(append(r.out, i32Const), int64(r.place.start(r.place.point+r.unfolded())))
		r.out = append(r.out, setsNumber...)
	case opPoints:
		r.points()
	default:
		r.copies(operandCount(op))
	}
}

func (r *restorer) copies(count int) {
	for range count {
		r.copied()
	}
}

func (r *restorer) address(number int) {
	r.place.last = number
	r.out = appendSigned(append(r.out, opLong), int64(r.place.address(number)))
}

func (r *restorer) points() {
	r.outside()
	starts := []int{0}
	for range r.in.unsigned() {
		starts = append(starts, starts[len(starts)-1]+r.in.unsigned())
	}
	r.out = binary.AppendUvarint(append(r.out, opBrTable), uint64(starts[len(starts)-1]-1))
	for label, next := range starts[1:] {
		for range next - starts[label] {
			r.out = binary.AppendUvarint(r.out, uint64(label))
		}
	}
	r.place.begin(starts)
}
