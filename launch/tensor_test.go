package launch

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

func tensorKernel(t testing.TB) string { return txtar.Text(t, "tensor/tensorKernel") }

func tensorSpec(t *testing.T, header string) (*ptx.Module, *Spec, error) {
	t.Helper()
	m, err := ptx.Parse("t.ptx", []byte(header+tensorKernel(t)))
	require.NoError(t, err)
	s, err := FromSource(m)
	return m, s, err
}

func TestTensorMapLines(t *testing.T) {
	const buffer = "//@ arg out u32[2]\n//@ buffer x u32[32,4] = iota\n"
	for _, c := range [][2]string{
		// Element (4, 1) of 32 x 4 is 36, (4, 2) is 68.
		{"tm = x box 8,2", "out == 36, 68"},
		{"tm = x u32[32,4] box 8,2 step 1,1 stride 128 fill zero swizzle none atom 16B", "out == 36, 68"},
		// 16 x 8 from element 16 on, rows of 64 bytes: (4, 1) is 16 + 16 + 4.
		{"tm = x u32[16,7] stride 64 offset 64 box 8,2", "out == 36, 52"},
		{"tm = x f32[16,7] stride 64 offset 64 box 8,2 fill nan", "out == 36, 52"},
		// The second row is the row after the next.
		{"tm = x box 8,3 step 1,2", "out == 36, 100"},
		{"tm = x u8[128,4] box 32,2", "out == 0x22212120, 0"},
	} {
		header := buffer + "//@ tensormap " + c[0] + "\n//@ expect " + c[1] + "\n"
		if strings.HasPrefix(c[0], "tm = x u8") {
			header = "//@ arg out u32[2]\n//@ buffer x u32[32,4] = 0x22212120\n//@ tensormap " + c[0] +
				"\n//@ expect out == 0x22212120\n"
		}
		m, s, err := tensorSpec(t, header)
		require.NoError(t, err, c[0])
		require.Equal(t, header+tensorKernel(t), ApplyHeader(header+tensorKernel(t), s))
		r, err := Run(context.Background(), m, s, emu.Options{})
		require.NoError(t, err)
		require.True(t, r.OK(), "%s: %v %v", c[0], r.Expectations, r.Fault)
	}
}

func TestTensorMapMistakes(t *testing.T) {
	for _, c := range [][2]string{
		{"tm = y box 8,2", `no buffer is named "y"`},
		{"tm = out box 8,2", "the box has 2 dimensions, the tensor 1 dimension"},
		{"tm = x box 8", "the box has 1 dimension, the tensor 2 dimensions"},
		{"tm = x box 3,2", "a row of the box has 12 bytes"},
		{"tm = x box 8,2 swizle 32B", `pixels, found "swizle"`},
		{"tm = x box 8,2 swizzle 48B", "expected none, 32B, 64B, 128B, 96B"},
		{"tm = x u32[64,4] box 8,2", "the tensor has 1,024 bytes, the buffer x 512"},
		{"tm = x q32[64,4] box 8,2", `no elements of type "q32"`},
		{"tm = x box 8,a", "expected a number"},
		{"tm = x box 8,2 lower 1,2,3,4", "either a box, or im2col"},
		{"tm = x im2col box 8", "either a box, or im2col"},
		{"tm = x box 8,2 offset -16", "-16 is not from 0 to"},
		{"tm = x box 8,2 offset 16,16", "offset is one number"},
		{"tm = x box 8,4294967298", "4294967298 is not from 0 to 4294967295"},
		{"tm = x box 8,2 box 8,1", "box is here twice"},
		{"tm = x im2col lower 70000", "70000 is not from -32768 to 32767"},
		{"tm = x box 8,2 interleave 16B", "interleave layouts need a tensor of 3 to 5 dimensions"},
		{"tm = x box 8,2 interleave 64B", `expected none, 16B, 32B, found "64B"`},
		{"tm = x im2col lower -1,2,3,4 upper 1", "im2col takes 1 number"},
		{"tm", `expected a kernel parameter and "="`},
		{"tm = x im2col lower -1 upper -1", "im2col takes 1 number in lower"},
		{"tm = x box 16,2 swizzle 32B", "32-byte swizzling allows at most 32"},
		{"tn = x box 8,2", `has no parameter "tn"`},
		{"tm = x box 8,2\n//@ arg tm u64 = 1", "is in the header twice"},
		{"tm = x box 8,2\n//@ buffer z u32 = 1", "a buffer has a length"},
		{"tm = x box 8,2\n//@ expect z[0] == 1", `no buffer is named "z"`},

		{"tm = x u32[8,4,4] im2col lower 0 upper 0 channels 4", "im2col needs channels and pixels"},
		{"tm = x im2col im2col::w", `pixels, found "im2col`},
		{"tm = x u32[8,4,4] box 6,2,1 interleave 16B", "the box has 6 channels: slices have 4"},
		{"tm = x u32[8,4,4] box 8,2,1 interleave 32B", "32-byte interleaving goes with 32-byte swizzling only"},
		{"tm = x u32[9,4,4] box 8,2,1 interleave 16B", "the tensor has 768 bytes, the buffer x 512"},
		{"tm = x u32[8,4,4] im2col::w lower 0,0 upper 0 channels 4 pixels 8",
			"im2col::w takes 1 number in lower and in upper"},
		{"tm = x u32[8,4,4] im2col::w lower 0 upper -4 channels 4 pixels 8 swizzle 32B",
			"the bounding box is empty: from 0 to -1"},
		{"tm = x u32[8,4,4] im2col::w lower 0 upper 0 channels 4 pixels 8 interleave 16B",
			"im2col::w does not take interleave layouts"},
	} {
		line, want := c[0], c[1]
		_, _, err := tensorSpec(t, "//@ arg out u32[2]\n//@ buffer x u32[32,4] = iota\n//@ tensormap "+line+"\n")
		require.ErrorContains(t, err, want, line)
	}
}
