package emu_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// memoryLayouts are the layouts of an instruction whose operands, by their texts, have values.
func memoryLayouts(t *testing.T, target, text string, odd bool, values map[string]uint64) []emu.Layout {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 9.0\n.target "+target+"\n.address_size 64\n.visible .entry k()\n{\n"+
		".reg .b32 %d, %a, %i, %s; .reg .b64 %da, %db; .reg .f32 %f<128>; .reg .pred %p;\n"+text+"\nret;\n}\n"))
	require.NoError(t, err)
	in := m.Entries()[0].Insts[0]
	require.NotNil(t, in.Match, m.Diagnostics)
	list, err := emu.MemoryLayouts(in, emu.MatrixOperands{Module: m, Odd: odd,
		Value: func(i int) (uint64, bool) {
			if op := in.Operands[i]; op.Kind == ptx.OpImm {
				return op.Imm, true
			}
			v, ok := values[strings.Trim(m.Text(in.Operands[i].Span), "[]")]
			return v, ok
		}})
	require.NoError(t, err)
	return list
}

// A wgmma of 256 columns and 128-byte swizzling. A is K-major: eight rows of 128 bytes are a pattern, in which the
// chunks of 16 bytes of row r are exchanged by r. B is N-major: 64 columns of 128 bytes for each of eight k, where the
// pattern repeats after SBO for the next eight k, and after LBO for the next 64 columns (9.7.17.5.1.2.1.3).
func TestSwizzledLayoutsOfWgmma(t *testing.T) {
	const startA, startB, lbo, sbo = 1024, 16384, 2048, 1024
	desc := func(start uint64) uint64 { return start>>4 | lbo>>4<<16 | sbo>>4<<32 | 1<<62 }
	var d []string
	for i := range 128 {
		d = append(d, "%f"+string(rune('0' + i/100))[:1]+string(rune('0'+i/10%10))+string(rune('0'+i%10)))
	}
	text := strings.NewReplacer("%f00", "%f", "%f0", "%f").Replace("{" + strings.Join(d, ", ") + "}")
	list := memoryLayouts(t, "sm_90a", "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 "+text+
		", %da, %db, %p, 1, 1, 0, 1;", false, map[string]uint64{"%da": desc(startA), "%db": desc(startB)})
	require.Len(t, list, 2)
	memory := make([]byte, startB+4*lbo)
	at := func(row, col int) (a, b int) {
		r, k := row, col // of A
		a = startA + r/8*sbo + r%8*128 + (k/8^r%8)*16 + k%8*2
		k, n := row, col // of B
		return a, startB + n/64*lbo + k/8*sbo + k%8*128 + (n%64/8^k%8)*16 + n%8*2
	}
	for row := range 64 {
		for col := range 16 {
			a, _ := at(row, col)
			binary.LittleEndian.PutUint16(memory[a:], uint16(16*row+col))
		}
	}
	for row := range 16 {
		for col := range 256 {
			_, b := at(row, col)
			binary.LittleEndian.PutUint16(memory[b:], uint16(40000+256*row+col))
		}
	}
	a, b := list[0], list[1]
	require.Equal(t, []int{64, 16, 16, 256}, []int{a.Rows, a.Cols, b.Rows, b.Cols})
	for i, v := range a.Values(emu.Memory{Shared: memory}) {
		want, _ := at(i/16, i%16)
		require.Equal(t, emu.MemoryPlace{At: want}, a.Places[i])
		require.EqualValues(t, i, v)
	}
	for i, v := range b.Values(emu.Memory{Shared: memory}) {
		_, want := at(i/256, i%256)
		require.Equal(t, emu.MemoryPlace{At: want}, b.Places[i])
		require.EqualValues(t, 40000+i, v)
	}
	require.Nil(t, b.Values(emu.Memory{Shared: memory[:len(memory)-1]}), "the last byte is one of B")
}

// tensorMemory has what set writes: lane and column.
func tensorMemory(set map[[2]int]uint32) emu.Memory {
	return emu.Memory{Word: func(lane, col int) (uint32, bool) {
		w, ok := set[[2]int{lane, col}]
		return w, ok
	}}
}

// Where D lies (9.7.18.10.5): the row of a lane and, of the layouts in which the columns are cut, the part.
func TestLayoutsOfTensorProducts(t *testing.T) {
	const none = uint64(1 << 46)
	for _, c := range []struct {
		opcode   string
		m, n     int
		addr     uint64 // of D
		odd      bool
		firstRow int
		place    func(row, col int) (lane, column int)
	}{
		{"cta_group::1.kind::f16", 128, 256, 32, false, 0, // D
			func(row, col int) (int, int) { return row, 32 + col }},
		{"cta_group::1.kind::f16", 64, 64, 16<<16 | 32, false, 0, // F: 16 rows in half of a warp's lanes
			func(row, col int) (int, int) { return row/16*32 + 16 + row%16, 32 + col }},
		{"cta_group::2.kind::f16", 256, 64, 0, true, 128, // A
			func(row, col int) (int, int) { return row, col }},
		{"cta_group::2.kind::f16", 128, 64, 0, true, 64, // B: the second half of the columns in warps 2 and 3
			func(row, col int) (int, int) { return row + col/32*64, col % 32 }},
		{"ws.cta_group::1.kind::f16", 64, 128, 0, false, 0, // E: the same
			func(row, col int) (int, int) { return row + col/64*64, col % 64 }},
		{"ws.cta_group::1.kind::f16", 32, 256, 0, false, 0, // G: a quarter of the columns in each warp
			func(row, col int) (int, int) { return row + col/64*32, col % 64 }},
	} {
		idesc := uint64(1<<4 | c.n/8<<17 | c.m/16<<24)
		list := memoryLayouts(t, "sm_100a", "tcgen05.mma."+c.opcode+" [%d], [%a], %db, %i, %p;", c.odd,
			map[string]uint64{"%d": c.addr, "%a": c.addr&^0xffff + 300, "%db": none, "%i": idesc})
		d, a := list[0], list[1]
		require.Equal(t, []int{c.firstRow, c.firstRow, c.n}, []int{d.FirstRow, a.FirstRow, d.Cols}, c.opcode)
		words := map[[2]int]uint32{}
		for i := range d.Places {
			lane, column := c.place(i/d.Cols, i%d.Cols)
			words[[2]int{lane, column}] = uint32(i + 1)
			// A has its row in the same lane, two elements in a column.
			for k := range 8 {
				words[[2]int{lane, 300 + k}] = uint32(32*(i/d.Cols) + 2*k + (32*(i/d.Cols)+2*k+1)<<16)
			}
		}
		for i, v := range d.Values(tensorMemory(words)) {
			lane, column := c.place(i/d.Cols, i%d.Cols)
			require.Equal(t, emu.MemoryPlace{Lane: lane, At: column}, d.Places[i], c.opcode)
			require.EqualValues(t, i+1, v)
		}
		for part, a := range list[1 : len(list)-1] { // one for each part of D, and B after them
			lane, _ := c.place(9, part*c.n/(len(list)-2))
			require.Equal(t, emu.MemoryPlace{Lane: lane, At: 302, Bit: 16}, a.Places[9*16+5], c.opcode)
			for i, v := range a.Values(tensorMemory(words)) {
				require.EqualValues(t, 32*(i/16)+i%16, v)
			}
		}
		delete(words, [2]int{d.Places[5].Lane, d.Places[5].At})
		require.Nil(t, d.Values(tensorMemory(words)), "a column that is not allocated")
		b := list[len(list)-1]
		if c.odd {
			require.Equal(t, []int{c.n / 2, c.n / 2}, []int{b.FirstCol, b.Cols})
		}
	}
}

// Elements of 4 bits are packed at the start of 16 bytes with .kind::f8f6f4 (9.7.18.10.4.4), and are two in a byte with
// .kind::mxf4. In tensor memory the former have a byte each, which they are in the middle of.
func TestLayoutsOfNarrowElements(t *testing.T) {
	const lbo, sbo = 128, 256
	const desc = uint64(lbo>>4<<16 | sbo>>4<<32 | 1<<46)
	memory := make([]byte, 128/8*sbo)
	list := memoryLayouts(t, "sm_100a", "tcgen05.mma.cta_group::1.kind::f8f6f4 [%d], %da, %db, %i, %p;", false,
		map[string]uint64{"%d": 0, "%da": desc, "%db": desc, "%i": 1<<4 | 5<<7 | 5<<10 | 1<<17 | 8<<24})
	a := list[1]
	for i := range 128 * 32 {
		row, k := i/32, i%32
		at := row/8*sbo + row%8*16 + k/16*lbo + k%16/2
		memory[at] |= byte((row*5+k)%16) << (k % 2 * 4)
		require.Equal(t, emu.MemoryPlace{At: at, Bit: k % 2 * 4}, a.Places[i])
	}
	for i, v := range a.Values(emu.Memory{Shared: memory}) {
		require.EqualValues(t, (i/32*5+i%32)%16, v)
	}
	list = memoryLayouts(t, "sm_100a", "tcgen05.mma.cta_group::1.kind::f8f6f4 [%d], [%a], %db, %i, %p;", false,
		map[string]uint64{"%d": 0, "%a": 8, "%db": desc, "%i": 1<<4 | 5<<7 | 5<<10 | 1<<17 | 8<<24})
	words := map[[2]int]uint32{}
	for row := range 128 {
		for k := range 32 {
			words[[2]int{row, 8 + k/4}] |= uint32((row*5+k)%16) << (k%4*8 + 2)
		}
	}
	require.Equal(t, emu.MemoryPlace{Lane: 2, At: 9, Bit: 26}, list[1].Places[2*32+7])
	for i, v := range list[1].Values(tensorMemory(words)) {
		require.EqualValues(t, (i/32*5+i%32)%16, v)
	}
	list = memoryLayouts(t, "sm_100a", "tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%d], %da, %db, %i, [%s], "+
		"[%s], %p;", false, map[string]uint64{"%d": 0, "%da": desc, "%db": desc, "%i": 1<<7 | 1<<10 | 1<<17 | 1<<23 | 1<<27,
		"%s": 64})
	a = list[1]
	require.Equal(t, []int{128, 64}, []int{a.Rows, a.Cols})
	require.Equal(t, emu.MemoryPlace{At: 2*sbo + 3*16 + lbo + 2, Bit: 4}, a.Places[19*64+37]) // 37 = 32 + 2*2 + 1
}

// Rows of 64x128b go to two pairs of warps: with ::01_23 the first 32 to warps 0 and 1, the others to warps 2 and 3
// (9.7.18.9.2). Rows of 4 bits are packed in shared memory, 16 elements in 8 of 16 bytes.
func TestLayoutsOfTensorCopies(t *testing.T) {
	const lbo, sbo = 128, 256
	values := map[string]uint64{"%da": uint64(lbo>>4<<16 | sbo>>4<<32 | 1<<46), "%d": 40}
	list := memoryLayouts(t, "sm_100a", "tcgen05.cp.cta_group::1.64x128b.warpx2::01_23 [%d], %da;", false, values)
	require.Len(t, list, 3)
	require.Equal(t, []int{64, 4, 64, 4}, []int{list[0].Rows, list[0].Cols, list[1].Rows, list[1].Cols})
	memory := make([]byte, 8*sbo)
	words := map[[2]int]uint32{}
	for row := range 64 {
		for col := range 4 {
			at := row/8*sbo + row%8*16 + col*4
			binary.LittleEndian.PutUint32(memory[at:], uint32(100*row+col))
			require.Equal(t, emu.MemoryPlace{At: at}, list[0].Places[4*row+col])
			for n := range 2 {
				lane := row%32 + row/32*64 + 32*n
				words[[2]int{lane, 40 + col}] = uint32(1000*row + 10*col + n)
				require.Equal(t, emu.MemoryPlace{Lane: lane, At: 40 + col}, list[1+n].Places[4*row+col])
			}
		}
	}
	source, second := list[0].Values(emu.Memory{Shared: memory}), list[2].Values(tensorMemory(words))
	for i := range 64 * 4 {
		require.EqualValues(t, 100*(i/4)+i%4, source[i])
		require.EqualValues(t, 1000*(i/4)+10*(i%4)+1, second[i])
	}
	list = memoryLayouts(t, "sm_100a", "tcgen05.cp.cta_group::1.128x256b.b8x16.b4x16_p64 [%d], %da;", false, values)
	require.Equal(t, emu.MemoryPlace{At: sbo + 16 + lbo + 2, Bit: 4}, list[0].Places[9*32+16+5])
}
