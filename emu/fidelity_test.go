package emu

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// The bounds of the manual, by opcode.
func TestBounds(t *testing.T) {
	for opcode, want := range map[string]string{
		"add.f32":               "",
		"div.rn.f32":            "",
		"prefetch.L1":           "",
		"div.full.ftz.f32":      "2 ulp",          // 9.7.3.8
		"rcp.approx.f32":        "1 ulp",          // 9.7.3.13
		"rcp.approx.ftz.f64":    "20 bits",        // 9.7.3.14
		"sqrt.approx.f32":       "2^-23",          // 9.7.3.15
		"rsqrt.approx.ftz.f32":  "2^-22.9",        // 9.7.3.16
		"rsqrt.approx.f64":      "no bound given", // 9.7.3.16
		"ex2.approx.f32":        "2 ulp",          // 9.7.3.21
		"tanh.approx.f32":       "2^-11",          // 9.7.3.22
		"tanh.approx.f16x2":     "±2^-10.987",
		"tanh.approx.bf16":      "±2^-8", // 9.7.4.9
		"ex2.approx.f16":        "2^-9.9",
		"ex2.approx.ftz.bf16x2": "2^-7", // 9.7.4.10
		"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32": "order of additions and rounding open", // 9.7.16.5.14
		"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32":   "",
		// The Note of 9.7.17.5.2 has .e4m3 and .e5m2 with sums in .f32.
		"wgmma.mma_async.sync.aligned.m64n8k32.f32.e5m2.e4m3": "GPUs add with less than single precision",
		"wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e4m3": "order of additions and rounding open",
		"wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16":   "order of additions and rounding open",
	} {
		bounds, err := isa.Resolve(opcode)
		require.NoError(t, err)
		require.Equal(t, want, Bound(bounds[0]), opcode)
	}
}

// Only what was executed counts, once for each opcode.
func TestInexactListsWhatWasExecuted(t *testing.T) {
	m, err := ptx.Parse("k.ptx", []byte(txtar.Text(t, "fidelity/inexact")))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 64}})
	require.NoError(t, err)
	require.Empty(t, InexactOf(g))
	require.NoError(t, g.Run(t.Context()))
	require.Equal(t, []Inexact{{Opcode: "ex2.approx.f32", Bound: "2 ulp", Section: "9.7.3.21", Line: 10, Count: 4}},
		InexactOf(g))
}
