package emu

import (
	"context"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// twoKernels has a kernel that calls twice, which calls once, and one that calls by an address, which can be once's or
// never's.
const twoKernels = `.version 9.3
.target sm_100a
.address_size 64
.func (.reg .u32 r) once(.reg .u32 a);
.func (.reg .u32 r) twice(.reg .u32 a) { call (r), once, (a); call (r), once, (r); ret; }
.func (.reg .u32 r) once(.reg .u32 a) { add.u32 r, a, 7; ret; }
.func (.reg .u32 r) never(.reg .u32 a) { mov.u32 r, a; ret; }
.global .u64 f = never;
.entry calls(.param .u64 out) { .reg .b32 %v; .reg .b64 %o; ld.param.u64 %o, [out];
	mov.u32 %v, 5; call (%v), twice, (%v); st.global.u32 [%o], %v; ret; }
.entry indirect(.param .u64 out) { .reg .b32 %v; .reg .b64 %o, %f; ld.param.u64 %o, [out];
	P: .callprototype (.reg .u32 r) _ (.reg .u32 a);
	mov.u32 %v, 5; ld.global.u64 %f, [f]; call (%v), %f, (%v), P; st.global.u32 [%o], %v; ret; }
`

// With the name of a kernel, Load lowers what that can execute, and a launch does what it does otherwise.
func TestLoadLowersWhatAKernelNeeds(t *testing.T) {
	for _, c := range []struct {
		kernel, lowered string
		want            uint32 // 5 + 2 * 7; never returns its argument
	}{{"calls", "once twice calls", 19}, {"indirect", "once twice never indirect", 5}} {
		for _, kernel := range []string{"", c.kernel} {
			m, err := ptx.Parse("two.ptx", []byte(twoKernels))
			require.NoError(t, err)
			d, err := Load(m, Options{Kernel: kernel})
			require.NoError(t, err)
			var lowered []string
			for _, fn := range d.Prog.Funcs {
				if fn.Src.Defined {
					lowered = append(lowered, fn.Src.Name)
				}
			}
			if kernel != "" {
				require.Equal(t, c.lowered, strings.Join(lowered, " "))
			} else {
				require.Len(t, lowered, 5)
			}
			out, err := d.Alloc(4)
			require.NoError(t, err)
			g, err := d.Launch(Config{Entry: c.kernel, Block: Dim3{X: 1}, Args: [][]byte{Ptr(out)}})
			require.NoError(t, err)
			require.NoError(t, g.Run(context.Background()))
			b := make([]byte, 4)
			require.NoError(t, d.Read(out, b))
			require.Equal(t, c.want, binary.LittleEndian.Uint32(b), "%s with %q", c.kernel, kernel)
		}
	}
}

// What a function needs that no launch executes is told before the launch, in the order of the text.
func TestLoadLooksAtAllFunctions(t *testing.T) {
	const text = `.version 9.3
.target sm_100a
.address_size 64
.entry other() { fabric.wait.sync_restrict::reads; ret; }
.extern .func missing();
.entry another() { call missing; ret; }
.entry k() { ret; }
`
	for _, kernel := range []string{"", "k", "other"} {
		m, err := ptx.Parse("gap.ptx", []byte(text))
		require.NoError(t, err)
		_, err = Load(m, Options{Kernel: kernel})
		var found ptx.Diagnostics
		require.ErrorAs(t, err, &found)
		require.Len(t, found, 2)
		require.Equal(t, []string{"not-emulated", "undefined-function"}, []string{found[0].Code, found[1].Code})
		require.Equal(t, 4, m.Position(int(found[0].Span.Start)).Line)
		require.Equal(t, 6, m.Position(int(found[1].Span.Start)).Line)
	}
}
