package tensor

// Move is a piece of a copy: bytes that lie together in shared and in global memory.
type Move struct {
	Shared uint32 // address in shared memory, after swizzling
	Size   uint32
	Global uint64 // address; 0 outside of the tensor, where a load writes Fill
}

// Moves are what a copy moves.
type Moves struct {
	List      []Move
	Low, High uint64 // global memory that is touched, from Low to before High; none when High is 0
}

// Moves works out a copy from or to an address of shared memory. What is outside of the tensor is in the list of loads
// only.
func (b *Box) Moves(shared uint32) Moves {
	m := mover{Box: b}
	for i, r := range b.list() {
		m.row(shared+uint32(i)*b.RowBytes(), r)
	}
	return m.Moves
}

// mover turns rows into moves.
type mover struct {
	*Box
	Moves
}

// row adds the moves of a row at an address of shared memory.
func (m *mover) row(shared uint32, r row) {
	outside := false
	addr := m.addr + uint64(r[0]/m.grain)*m.strides[0]
	for i := 1; i < m.rank; i++ {
		outside = outside || r[i] < 0 || r[i] >= m.dims[i]
		addr += uint64(r[i]) * m.strides[i]
	}
	units, first := m.width/m.per, r[0]/m.per
	from, to := min(max(-first, 0), units), min(max(m.dims[0]/m.per-first, 0), units) // inside the tensor
	if outside || from >= to {
		from, to = units, units
	}
	m.fill(shared, 0, from)
	m.inner(shared, from, to, addr)
	m.fill(shared, to, units)
}

// fill adds what lies outside of the tensor.
func (m *mover) fill(shared uint32, from, to int64) {
	if m.Load && from < to {
		m.pieces(shared+uint32(from)*m.shared, uint32(to-from)*m.shared, 0)
	}
}

// inner adds what lies inside.
func (m *mover) inner(shared uint32, from, to int64, addr uint64) {
	if from >= to {
		return
	}
	start, end := addr+uint64(from)*uint64(m.global), addr+uint64(to)*uint64(m.global)
	if m.High == 0 {
		m.Low = start
	}
	m.Low, m.High = min(m.Low, start), max(m.High, end)
	if !m.Padded() {
		m.pieces(shared+uint32(from)*m.shared, uint32(end-start), start)
		return
	}
	for u := from; u < to; u++ { // padding between the units
		m.pieces(shared+uint32(u)*m.shared, m.global, addr+uint64(u)*uint64(m.global))
	}
}

// pieces adds moves between an address of shared memory and one of global memory, or 0, cut where swizzling exchanges
// chunks.
func (m *mover) pieces(shared, size uint32, global uint64) {
	chunk := m.chunk()
	for size > 0 {
		n := min(size, chunk-shared%chunk)
		m.List = append(m.List, Move{Shared: m.swizzled(shared), Size: n, Global: global})
		shared, size = shared+n, size-n
		if global != 0 {
			global += uint64(n)
		}
	}
}
