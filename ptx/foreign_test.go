package ptx

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Another language pasted by mistake is one error, which says what to do.
func TestForeignTexts(t *testing.T) {
	for text, code := range map[string]string{
		"// add\n__global__ void add(float *a) {\n  a[threadIdx.x] += 1;\n}\n":                     "cuda-source",
		"#include <cstdio>\nint main() { asm(\".reg .pred p;\"); }\n":                              "cuda-source",
		"        /*0000*/                   MOV R1, c[0x0][0x28] ;     /* 0x00000a0000017a02 */\n": "machine-code",
		"S2R R0, SR_TID.X ;\nIMAD R0, R0, c[0x0][0x160], RZ ;\nEXIT ;\n":                           "machine-code",
		"\tFunction : k\n\t.headerflags @\"EF_CUDA_SM80\"\n":                                       "machine-code",
		"import triton\n@triton.jit\ndef add(x, y, n: tl.constexpr):\n    pass\n":                  "python-source",
		"target triple = \"nvptx64-nvidia-cuda\"\n\ndefine void @k() {\n  ret void\n}\n":           "llvm-source",
		"// __global__ void k()\nmov.u32 %r1, %tid.x;\n":                                           "no-version",
		"add.f32 %f1, %f2, %f3; // threadIdx.x <<< 2\n":                                            "no-version",
		".visible .entry k() { ret; }\n":                                                           "no-version",
	} {
		m, err := Parse("a.ptx", []byte(text))
		require.Error(t, err)
		require.Equal(t, code, m.Diagnostics[0].Code, text)
		if code != "no-version" {
			require.Len(t, m.Diagnostics, 1, text)
			require.Nil(t, m.Diagnostics[0].Fix)
		}
	}
}
