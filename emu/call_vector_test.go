package emu

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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
			words, _, err := runWords(t, rotation(typ, n, size), Config{}, in)
			require.NoError(t, err)
			var out []byte
			for _, w := range words[:16] {
				out = le.AppendUint32(out, w)
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
func rotation(typ string, n, size int) string {
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
	return strings.NewReplacer("VECTOR", registers, "SCALAR", ".reg ."+typ, "TUPLE", tuple("s", n), "SINKS", sinks,
		"LD", "ld.global"+vec+access, "ST", "st.global"+vec+access, "ONE", "st.global"+access,
		"BODY", body.String()).Replace(`
.version 8.0
.target sm_80
.address_size 64
.func (VECTOR o) f(VECTOR i) { BODY ret; }
.visible .entry k(.param .u64 in, .param .u64 out)
{
	VECTOR v, w, u; SCALAR %s<4>, %last; .reg .b64 %p, %q, %f;
	ld.param.u64 %p, [in]; ld.param.u64 %q, [out];
	LD v, [%p]; LD TUPLE, [%p];
	call (w), f, (v);
	ST [%q], w;
	mov.u64 %f, f;
P:	.callprototype (VECTOR _) _ (VECTOR _);
	call (u), %f, (TUPLE), P;
	ST [%q+16], u;
	call (TUPLE), f, (v);
	ST [%q+32], TUPLE;
	call ({SINKS%last}), f, (v);
	ONE [%q+48], %last;
	ret;
}
`)
}

// A vector among other parameters, of which one is a variable in memory, and constants in a tuple.
//
// families = `call.direct call.indirect`
func TestVectorsAmongOthers(t *testing.T) {
	words, _, err := runWords(t, `.version 8.0
.target sm_80
.address_size 64
.func (.reg .v4 .s32 o) f(.reg .s32 a, .reg .v2 .s32 v, .param .b32 m, .reg .v2 .f32 g) {
	.reg .s32 %m; ld.param.s32 %m, [m];
	add.s32 o.x, a, v.x; sub.s32 o.y, a, v.y; mul.lo.s32 o.z, a, %m; cvt.rni.s32.f32 o.w, g.y; ret;
}
.visible .entry k(.param .u64 in, .param .u64 out) {
	.reg .b64 %q; .reg .s32 %a, %b; .reg .v4 .s32 r; .reg .v2 .f32 g; .param .b32 m;
	ld.param.u64 %q, [out]; mov.s32 %a, 100; mov.s32 %b, 7; mov.f32 g.x, 1.0; mov.f32 g.y, 0f40400000; // 3.0
	st.param.s32 [m], -2;
	call (r), f, (%a, {%b, 30}, m, g);
	st.global.v4.s32 [%q], r;
	call ({%a, _, _, %b}), f, (5, {r.x, r.y}, m, {g.y, 2.0});
	st.global.s32 [%q+16], %a; st.global.s32 [%q+20], %b;
	ret; }`, Config{}, nil)
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
