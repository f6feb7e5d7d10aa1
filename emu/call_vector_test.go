package emu

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
)

// Vector registers as parameters and return values (5.4.2, 7.1), of every element type and length that there is: a
// function takes the first element of a vector to its end. It is called with vector registers, with tuples of scalar
// registers, by a prototype, and with a result of which the last element alone is wanted.
//
// families = `call.direct call.indirect`
func TestVectorRegistersInCalls(t *testing.T) {
	in := counting(1, 64)
	for _, typ := range strings.Fields("b8 u8 s8 b16 u16 s16 f16 b32 u32 s32 f32 f16x2 b64 u64 s64 f64") {
		size, ok := map[string]int{"f16x2": 4}[typ]
		if bits, err := strconv.Atoi(typ[1:]); !ok {
			require.NoError(t, err)
			size = bits / 8
		}
		for n := 2; n <= 4 && n*size <= 16; n += 2 {
			words, _, err := runWords(t, rotation(t, typ, n, size), Config{}, in)
			require.NoError(t, err)
			var out []byte
			for _, w := range words[:16] {
				out = machine.ByteOrder.AppendUint32(out, w)
			}
			whole := n * size
			want := append(append([]byte{}, in[size:whole]...), in[:size]...)
			for i := range 3 {
				require.Equal(t, want, out[16*i:][:whole], "call %d of .v%d .%s", i, n, typ)
			}
			require.Equal(t, in[:size], out[48:][:size], "the last element of .v%d .%s", n, typ)
		}
	}
}

// rotation is the program of TestVectorRegistersInCalls.
func rotation(t *testing.T, typ string, n, size int) string {
	move, access := "mov.b"+strconv.Itoa(8*size), ".b"+strconv.Itoa(8*size)
	if size == 1 {
		move = "cvt.u8.u8"
	}
	vec := fmt.Sprintf(".v%d", n)
	var body strings.Builder
	for i := range n {
		fmt.Fprintf(&body, "%s o.%c, i.%c; ", move, "xyzw"[i], "xyzw"[(i+1)%n])
	}
	registers := fmt.Sprintf(".reg %s .%s", vec, typ)
	sinks := strings.Repeat("_, ", n-1)
	return txtar.Text(t, "call_vector/vectors",
		"VECTOR", registers, "SCALAR", ".reg ."+typ, "TUPLE", tuple("s", n), "SINKS", sinks,
		"LD", "ld.global"+vec+access, "ST", "st.global"+vec+access, "ONE", "st.global"+access,
		"BODY", body.String())
}

// A vector among other parameters, of which one is a variable in memory, and constants in a tuple.
//
// families = `call.direct call.indirect`
func TestVectorsAmongOthers(t *testing.T) {
	words, _, err := runWords(t, txtar.Text(t, "call_vector/among"), Config{}, nil)
	require.NoError(t, err)
	// 100 + 7, 100 - 30, 100 * -2, 3; 5 + 107, and 2 of the constant.
	require.Equal(t, []int32{107, 70, -200, 3, 112, 2}, signed(words[:6]))
}

func signed(words []uint32) (out []int32) {
	for _, w := range words {
		out = append(out, int32(w))
	}
	return out
}
