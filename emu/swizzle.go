package emu

// Swizzling spreads rows of 32, 64 or 128 bytes over the banks of shared memory. In units of 16 bytes, the place in a
// row is xored with the row's number in a pattern of 2, 4 or 8 rows of 128 bytes: Swizzle<1, 4, 3>, <2, 4, 3> and
// <3, 4, 3> of the layouts in 9.7.15.5.1.2 and 9.7.16.3.3, and of tensor copies (5.5.6).

// swizzle moves an address of shared memory: lines of 128 bytes that differ in mask exchange units of 1<<unit bytes. The
// pattern begins at line base.
func swizzle(addr, base, mask uint32, unit int) uint32 { return addr ^ (addr>>7-base)&mask<<unit }

// smemMatrix is A or B in shared memory, as a matrix descriptor gives it. line is a row of A or a column of B.
type smemMatrix struct {
	start, lbo, sbo uint32 // bytes: matrix, leading and stride dimension offsets
	width           uint32 // swizzle
	base            uint32
	linesFirst      bool // MN-major: neighbouring lines are neighbours; else K-major
	wideAtoms       bool // 128 bytes, in atoms of 32
	bits            int  // of an element
	absolute        bool // rows of 48 bytes go on at lbo where 128 bytes end (9.7.16.3.1.2)
}

// descriptorField is an address or an offset in a matrix descriptor: units of 16 bytes.
func descriptorField(d uint64, bit int) uint32 { return uint32(d>>bit) & 0x3fff << 4 }

// groupMatrix reads a descriptor of wgmma (9.7.15.5.1.2.2).
func groupMatrix(d uint64, bits int, linesFirst bool) smemMatrix {
	return smemMatrix{start: descriptorField(d, 0), lbo: descriptorField(d, 16), sbo: descriptorField(d, 32),
		width: [...]uint32{16, 128, 64, 32}[d>>62], base: uint32(d>>49) & 7, linesFirst: linesFirst, bits: bits}
}

// at is the address of an element, and its bit there. The canonical layouts of 9.7.15.5.1.2.1.3 are in units of T
// elements, 16 bytes.
func (m *smemMatrix) at(line, k int) (addr uint32, bit int) {
	n := line
	if !m.linesFirst {
		n = k
	}
	along := uint32(n * m.bits / 8) // bytes in the direction of neighbours
	var offset uint32
	switch {
	case m.linesFirst && m.width == 16: // ((T,1,m),(8,k)):((1,T,SBO),(1T,LBO))
		offset = along/16*m.sbo + uint32(k%8)*16 + uint32(k/8)*m.lbo + along%16
	case m.wideAtoms: // Swizzle<2, 5, 2> on ((T,8,m),(4,k)):((1,T,LBO),(8T,SBO)) (9.7.16.10.6, Table 55)
		offset = along/128*m.lbo + uint32(k%4)*128 + uint32(k/4)*m.sbo + along%128
		return swizzle(m.start+offset, m.base, 3, 5), n * m.bits % 8
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
	return swizzle(m.start+offset, m.base, m.width>>4-1, 4), n * m.bits % 8
}

// read gathers lines from first on, k elements of each. Words of single bits are elements of 32 bits.
func (m *smemMatrix) read(c *cta, first, lines, k int, out []uint64) {
	mem := c.grid.dev.arena.bytes[c.sharedOff:][:c.sharedSize]
	for line := range lines {
		for i := range k {
			addr, bit := m.at(first+line, i)
			v := uint64(0)
			for b := range max(m.bits/8, 1) {
				v |= uint64(mem[addr+uint32(b)]) << (8 * b)
			}
			out[line*k+i] = v >> bit & (1<<m.bits - 1)
		}
	}
}

// outside is an address of these lines beyond the CTA's shared memory, if there is one.
func (m *smemMatrix) outside(c *cta, first, lines, k int) (addr uint32, found bool) {
	for line := range lines {
		for i := range k {
			if at, _ := m.at(first+line, i); int64(at)+int64(max(m.bits/8, 1)) > c.sharedSize {
				return at, true
			}
		}
	}
	return 0, false
}

// checkReads notes a product or copy that reads what copies under way are still to write, or what threads have stored
// without a fence behind it.
func (m *smemMatrix) checkReads(w *warp, in *inst, lane, first, lines, k int) {
	if w.cta.grid.flying == 0 && w.cta.unfenced == nil {
		return
	}
	m.chunks(first, lines, k, func(addr uint32) bool {
		addr += w.cta.sharedOff
		return !w.checkRange(in, lane, addr, 16, false) && !w.checkFenced(in, lane, addr, 16)
	})
}

// chunks visits the addresses of the 16-byte pieces of lines, until visit returns false.
func (m *smemMatrix) chunks(first, lines, k int, visit func(addr uint32) bool) {
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
