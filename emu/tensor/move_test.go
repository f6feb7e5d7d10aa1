package tensor

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// layout decodes a map.
func layout(t *testing.T, m Map) *Layout {
	t.Helper()
	b, err := m.Encode()
	require.NoError(t, err)
	l, err := Decode(b)
	require.NoError(t, err)
	return &l
}

// A tensor of 4 by 4 .f32 elements, 16 bytes a row, and a box of 4 by 2 at (2, 3): the first row has two elements
// inside, the second none.
func TestMoves(t *testing.T) {
	f32, _ := TypeNamed("f32")
	l := layout(t, Map{Type: f32, Address: 0x100, Dims: []uint64{4, 4}, Strides: []uint64{16},
		Box: []uint32{4, 2}, FillNaN: true})
	b := Box{Layout: l, Load: true, Dims: 2, At: [5]int64{2, 3}}
	require.NoError(t, b.Fits())
	require.NoError(t, b.Check())
	require.EqualValues(t, 32, b.Bytes())
	inside := Move{Shared: 0x80, Size: 8, Global: 0x100 + 3*16 + 2*4}
	require.Equal(t, Moves{List: []Move{inside, {Shared: 0x88, Size: 8}, {Shared: 0x90, Size: 16}}, Low: 0x138,
		High: 0x140},
		b.Moves(0x80))
	require.EqualValues(t, 0x7fffffff7fffffff, l.Fill())
	b.Load = false // what is outside is not written
	require.Equal(t, Moves{List: []Move{inside}, Low: 0x138, High: 0x140}, b.Moves(0x80))
	b.At = [5]int64{-1, 0}
	require.ErrorContains(t, b.Check(), "the coordinate -1 is negative")
}

// Rows of 32 bytes, swizzled (5.5.7): in odd lines of 128 bytes, neighbouring chunks of 16 change places. Row 4 is
// the first of line 1.
func TestMovesAreSwizzled(t *testing.T) {
	l := layout(t, Map{Dims: []uint64{32, 8}, Strides: []uint64{32}, Box: []uint32{32, 1}, Swizzle: Swizzle32B})
	b := Box{Layout: l, Load: true, Dims: 2, At: [5]int64{0, 4}}
	m := b.Moves(128)
	m.Low, m.High = 0, 0
	require.Equal(t, Moves{List: []Move{{128 + 16, 16, 128}, {128, 16, 128 + 16}}}, m)
}

// 16 elements of 4 bits are 8 bytes in global memory and 16 in shared memory (5.5.1.1.1).
func TestMovesArePadded(t *testing.T) {
	p64, _ := TypeNamed("b4x16_p64")
	l := layout(t, Map{Type: p64, Address: 0x1000, Dims: []uint64{128}, Box: []uint32{128}})
	b := Box{Layout: l, Load: true, Dims: 1}
	require.EqualValues(t, 128, b.Bytes())
	require.EqualValues(t, 64, l.Unpadded(128))
	m := b.Moves(0)
	require.Len(t, m.List, 8)
	require.Equal(t, Move{Shared: 7 * 16, Size: 8, Global: 0x1000 + 7*8}, m.List[7])
	b.Load = false
	require.ErrorContains(t, b.Fits(), "b4x16_p64 are not copied to global memory")
}

// The types of 9.7.10.28.5.4.
func TestReductions(t *testing.T) {
	of := func(name, op string) isa.Type {
		typ, ok := TypeNamed(name)
		require.True(t, ok)
		return Reductions(op)[typ]
	}
	require.Equal(t, isa.F16, of("f16", ".min"))
	require.Equal(t, isa.F32, of("f32", ".add"))
	require.Equal(t, isa.NoType, of("f32", ".min"))
	require.Equal(t, isa.NoType, of("u8", ".add"))
	require.Equal(t, isa.NoType, of("s64", ".add"))
	require.Equal(t, isa.B64, of("s64", ".xor"))
	require.Equal(t, isa.NoType, of("s32", ".inc"))
	require.Equal(t, isa.U32, of("u32", ".inc"))
}
