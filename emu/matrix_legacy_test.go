package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// .satfinite of floating-point wmma.mma, as PTX had it before 6.5: in the destination, +infinity becomes the largest
// number, -infinity its negative, NaN +0 (satf of mma_sync in CUDA C++). All elements of A are a, of B b, of C c, so
// that all elements of D are 16 a b + c.
//
// families = `wmma.legacy wmma.satfinite.legacy`
func TestWmmaSaturation(t *testing.T) {
	const f1, f2, fNeg1, big, inf, nan = 0x3c00, 0x4000, 0xbc00, 0x7bff, 0x7c00, 0x7e00
	const inf32, max32, nan32 = 0x7f800000, 0x7f7fffff, 0x7fc00000
	for _, c := range []struct {
		d, c       string
		va, vb, vc uint32
		want       uint32
		without    uint32
	}{
		{"f32", "f32", f1, f2, math.Float32bits(5), math.Float32bits(37), math.Float32bits(37)},
		{"f32", "f32", f1, f1, inf32, max32, inf32},
		{"f32", "f32", inf, fNeg1, 0, max32 | 1<<31, inf32 | 1<<31},
		{"f32", "f32", f1, f1, nan32, 0, 0x7fffffff},
		{"f32", "f32", inf, f1, inf32 | 1<<31, 0, 0x7fffffff}, // infinity less infinity
		{"f32", "f32", f1, f1, max32, max32, max32},           // 16 is far below the last bit
		{"f16", "f16", f1, f2, 0x4500, 0x50a0, 0x50a0},        // 32 + 5 = 37 = 2^5 (1 + 5/32)
		{"f16", "f16", big, f1, 0, big, inf},                  // 16 times 65504 is too much
		{"f16", "f16", big, fNeg1, 0, big | 1<<15, inf | 1<<15},
		{"f16", "f16", nan, f1, big, 0, 0x7fff},
		{"f16", "f32", f1, f1, inf32 | 1<<31, big | 1<<15, inf | 1<<15},
		{"f32", "f16", f1, f1, inf, max32, inf32},
	} {
		for mods, want := range map[string]uint32{"6.4 .aligned .satfinite": c.want, "6.4 .aligned ": c.without,
			"6.0  .satfinite": c.want, "6.2  ": c.without} {
			part := strings.Split(mods, " ")
			n := func(of string) int { return map[string]int{"f16": 4, "f32": 8}[of] }
			body := ".reg .b32 %a, %b, %c, %o, %r<8>; .reg .b64 %p, %q;\n"
			for i, v := range []uint32{c.va | c.va<<16, c.vb | c.vb<<16, c.vc} {
				if i == 2 && c.c == "f16" {
					v |= v << 16
				}
				body += fmt.Sprintf("mov.b32 %%%c, %#x;\n", 'a'+i, v)
			}
			repeated := func(reg string, n int) string { return "{" + strings.TrimSuffix(strings.Repeat(reg+",", n), ",") + "}" }
			body += fmt.Sprintf("wmma.mma.sync%s.row.col.m16n16k16.%s.%s%s %s, %s, %s, %s;\n", part[1], c.d, c.c, part[2],
				tuple("r", n(c.d)), repeated("%a", 8), repeated("%b", 8), repeated("%c", n(c.c)))
			body += "ld.param.u64 %p, [out]; mov.u32 %o, %laneid; mul.wide.u32 %q, %o, 32; add.s64 %p, %p, %q;\n"
			for i := range n(c.d) {
				body += fmt.Sprintf("st.global.b32 [%%p+%d], %%r%d;\n", 4*i, i)
			}
			m, err := ptx.Parse("old.ptx", []byte(".version "+part[0]+"\n.target sm_70\n.address_size 64\n"+
				".visible .entry k(.param .u64 out)\n{\n"+body+"ret;\n}\n"))
			require.NoError(t, err)
			d, err := Load(m, Options{})
			require.NoError(t, err)
			at, err := d.Alloc(1024)
			require.NoError(t, err)
			g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}, Args: [][]byte{Ptr(at)}})
			require.NoError(t, err)
			require.NoError(t, g.Run(context.Background()))
			out := make([]byte, 1024)
			require.NoError(t, d.Read(at, out))
			if c.d == "f16" {
				want |= want << 16
			}
			for lane := range 32 {
				for i := range n(c.d) {
					require.Equal(t, want, binary.LittleEndian.Uint32(out[32*lane+4*i:]), "%+v %s", c, mods)
				}
			}
		}
	}
}
