package matrix

import (
	"errors"
	"fmt"
)

// Swizzling spreads rows of 32, 64 or 128 bytes over the banks of shared memory. In units of 16 bytes, the place in a
// row is xored with the row's number in a pattern of 2, 4 or 8 rows of 128 bytes: Swizzle<1, 4, 3>, <2, 4, 3> and
// <3, 4, 3> of the layouts in 9.7.17.5.1.2 and 9.7.18.3.3, and of tensor copies (5.5.6).

// Swizzle moves an address of shared memory: lines of 128 bytes that differ in mask exchange units of 1<<unit bytes.
// The pattern begins at line base.
func Swizzle(addr, base, mask uint32, unit int) uint32 { return addr ^ (addr>>7-base)&mask<<unit }

// Descriptor is A or B in shared memory, as a matrix descriptor gives it. A line is a row of A or a column of B, and k
// counts along it. Addresses are bytes from the start of the CTA's shared memory.
type Descriptor struct {
	start, lbo, sbo uint32 // bytes: matrix, leading and stride dimension offsets
	width           uint32 // swizzle
	base            uint32
	linesFirst      bool // MN-major: neighbouring lines are neighbours; else K-major
	wideAtoms       bool // 128 bytes, in atoms of 32
	bits            int  // of an element
	packed          int  // bits that an element of a byte really has, or 0; see Pack
	absolute        bool // rows of 48 bytes go on at lbo where 128 bytes end (9.7.18.3.1.2)
}

// descriptorField is an address or an offset of so many bits in a matrix descriptor: units of 16 bytes.
func descriptorField(d uint64, bit, bits int) uint32 { return uint32(d>>bit) & (1<<bits - 1) << 4 }

// Wgmma reads a descriptor of wgmma (9.7.17.5.1.2.2); bits is the width of elements. mnMajor: neighbouring lines are
// neighbours in memory, and not the elements of a line.
func Wgmma(d uint64, bits int, mnMajor bool) Descriptor {
	return Descriptor{start: descriptorField(d, 0, 14), lbo: descriptorField(d, 16, 14), sbo: descriptorField(d, 32, 14),
		width: [...]uint32{16, 128, 64, 32}[d>>62], base: uint32(d>>49) & 7, linesFirst: mnMajor, bits: bits}
}

// Tcgen05 reads a shared memory descriptor of tcgen05 (9.7.18.4.1), as Wgmma does. The start and the leading dimension
// have a bit more since PTX ISA 9.4. The error says what the manual forbids.
func Tcgen05(d uint64, bits int, mnMajor bool) (Descriptor, error) {
	m := Descriptor{start: descriptorField(d, 0, 15), lbo: descriptorField(d, 16, 15), sbo: descriptorField(d, 32, 14),
		base: uint32(d>>49) & 7, linesFirst: mnMajor, bits: bits, absolute: d>>52&1 != 0}
	m.width = [...]uint32{16, 128, 128, 0, 64, 0, 32, 0}[d>>61]
	m.wideAtoms = d>>61 == 1
	switch {
	case m.width == 0:
		return m, fmt.Errorf("the swizzling mode %d is none", d>>61)
	case d&(1<<15|1<<31) != 0:
		return m, errors.New("bits 15 and 31 must be 0")
	case d>>46&7 != 1:
		return m, errors.New("bits 46 to 48 must be 0b001")
	case d>>53&255 != 0:
		return m, errors.New("bits 53 to 60 must be 0")
	case m.wideAtoms && !mnMajor:
		return m, errors.New("swizzling of 32-byte atoms is for matrices that are M- or N-major")
	}
	return m, nil
}

// Pack says that elements have so many bits, 6 or 4, but a byte each in the layout: 16 neighbours are packed at the
// start of 16 bytes (9.7.18.9.1, 9.7.18.10.4.4).
func (m *Descriptor) Pack(width int) {
	if width < 8 {
		m.packed = width
	}
}

// checkProduct applies the rules that tcgen05.mma adds for lines of k elements. Rows of more than 32 bytes that
// swizzling leaves in rows of shared memory must end there. Those of 48 bytes may also go on at the address that stands
// for the leading dimension (9.7.18.3.1.2).
func (m *Descriptor) checkProduct(k int, sm103a bool) error {
	size := uint32(k * m.bits / 8)
	over := size > 32 && !m.linesFirst && m.width > 16 && m.start%m.width+size > m.width
	switch {
	case m.linesFirst && m.wideAtoms != (m.bits == 32): // Table 65
		return errors.New("M- and N-major matrices of .kind::tf32, and only they, have 128-byte swizzling of 32-byte atoms")
	case m.absolute && !sm103a:
		return errors.New("the leading dimension as an absolute address is for .target sm_103a only")
	case m.absolute && (m.width != 128 || m.linesFirst || m.wideAtoms || m.base != 0 || size != 48):
		return errors.New("the leading dimension is an absolute address for K-major rows of 48 bytes, with 128-byte " +
			"swizzling and base offset 0")
	case m.absolute && over && m.lbo%128+m.start%128+size > 256:
		return fmt.Errorf("the second part of its rows, at %#x, goes beyond 128 bytes", m.lbo)
	case over && !m.absolute:
		return fmt.Errorf("a row of %d bytes at %#x goes beyond %d bytes, which are swizzled", size, m.start, m.width)
	}
	return nil
}

// CheckCopy applies the rule that tcgen05.cp adds.
func (m *Descriptor) CheckCopy() error {
	if m.absolute {
		return errors.New("the leading dimension is an absolute address for tcgen05.mma only")
	}
	return nil
}

// at is the address of an element, and its bit there.
func (m *Descriptor) at(line, k int) (addr uint32, bit int) {
	n := line
	if !m.linesFirst {
		n = k
	}
	return m.byteAt(line, k, uint32(n*m.bits/8)), n * m.bits % 8
}

// byteAt is the address of an element, or of a byte of it: along counts bytes in the direction of neighbours. The
// canonical layouts of 9.7.17.5.1.2.1.3 are in units of T elements, 16 bytes.
func (m *Descriptor) byteAt(line, k int, along uint32) uint32 {
	var offset uint32
	switch {
	case m.linesFirst && m.width == 16: // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
		offset = along/16*m.sbo + uint32(k%8)*16 + uint32(k/8)*m.lbo + along%16
	case m.wideAtoms: // Swizzle<2, 5, 2> on ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO)) (9.7.18.10.6, Table 67)
		offset = along/128*m.lbo + uint32(k%4)*128 + uint32(k/4)*m.sbo + along%128
		return Swizzle(m.start+offset, m.base, 3, 5)
	case m.linesFirst: // ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO))
		offset = along/m.width*m.lbo + uint32(k%8)*m.width + uint32(k/8)*m.sbo + along%m.width
	case m.width == 16: // ((8,m),(T,2k)):((1T,SBO),(1,LBO))
		offset = uint32(line/8)*m.sbo + uint32(line%8)*16 + along/16*m.lbo + along%16
	default: // ((8,m),(T,2k)):((wT,SBO),(1,T))
		offset = uint32(line/8)*m.sbo + uint32(line%8)*m.width + along
		if room := 128 - m.start%128; m.absolute && along >= room {
			offset += m.lbo - m.start - room
		}
	}
	return Swizzle(m.start+offset, m.base, m.width>>4-1, 4)
}

// Place is where an element begins: the address, and the bit there.
func (m *Descriptor) Place(line, k int) (addr uint32, bit int) {
	if addr, bit = m.at(line, k); m.packed > 0 {
		bit = int(addr&15) * m.packed
		addr, bit = addr&^15+uint32(bit/8), bit%8
	}
	return addr, bit
}

// Read gathers lines from first on, k elements of each, from the bytes of shared memory. Words of single bits are
// elements of 32 bits. Packed elements get a byte each, as products of bytes want them: 6 bits in the lower bits, 4 in
// the middle.
func (m *Descriptor) Read(shared []byte, first, lines, k int, out []uint64) {
	size := m.bits
	if m.packed > 0 {
		size = m.packed
	}
	for line := range lines {
		for i := range k {
			addr, bit := m.Place(first+line, i)
			v := uint64(0)
			for b := range max(size/8, 1) {
				v |= uint64(shared[addr+uint32(b)]) << (8 * b)
			}
			if size < 8 && bit+size > 8 {
				next := addr + 1
				if m.packed == 0 { // it may be in another 16 bytes
					next = m.byteAt(first+line, i, uint32(i*size/8+1))
				}
				v |= uint64(shared[next]) << 8
			}
			if v = v >> bit & (1<<size - 1); m.packed == 4 {
				v <<= 2
			}
			out[line*k+i] = v
		}
	}
}

// Outside is an address of these lines beyond a shared memory of some bytes, if there is one.
func (m *Descriptor) Outside(size int64, first, lines, k int) (addr uint32, found bool) {
	for line := range lines {
		for i := range k {
			if at, _ := m.at(first+line, i); int64(at)+int64(max(m.bits/8, 1)) > size {
				return at, true
			}
		}
	}
	return 0, false
}

// Chunks visits the addresses of the 16-byte pieces of lines, until visit returns false.
func (m *Descriptor) Chunks(first, lines, k int, visit func(addr uint32) bool) {
	lineStep, kStep := 1, max(128/m.bits, 1)
	if m.linesFirst {
		lineStep, kStep = kStep, 1
	}
	for line := first; line < first+lines; line += lineStep {
		for i := 0; i < k; i += kStep {
			if addr, _ := m.at(line, i); !visit(addr &^ 15) {
				return
			}
		}
	}
}
