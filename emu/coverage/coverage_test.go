package coverage

import (
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

// TestCoverage holds the list of gaps against what lowering finds out.
func TestCoverage(t *testing.T) {
	all, err := Families()
	require.NoError(t, err)
	var nothing []string
	for _, c := range all {
		id := c.Form.ID
		require.Empty(t, c.Invalid, "%s: no valid statement could be made for these", id)
		require.NotZero(t, c.Tried, id)
		if c.Form.Tier <= 2 {
			require.Equal(t, Fully, c.Emulated, "%s is of tier %d; missing: %v", id, c.Form.Tier, c.Missing)
		}
		if c.Emulated == Fully {
			require.Empty(t, c.Gap, "%s is emulated: take it out of the list of gaps", id)
		} else {
			require.NotEmpty(t, c.Gap, "%s is not emulated, or not all of it: %v", id, c.Missing)
		}
		if c.Fidelity == NoEffect {
			nothing = append(nothing, id)
		} else {
			require.Zero(t, c.nops, "%s: some of its opcodes do nothing", id)
		}
	}
	// What an emulator without caches, debugger, counters and concurrent grids has nothing to do for.
	require.Equal(t, []string{"prefetch", "prefetch.tensormap", "applypriority.async.bulk.tensor",
		"cp.async.bulk.prefetch.tensor", "fence", "fence.restrict",
		"fence.proxy", "membar", "griddepcontrol", "brkpt", "pmevent"}, nothing)
}

// TestNotes: every note names a form.
func TestNotes(t *testing.T) {
	forms := map[string]bool{}
	for _, f := range isa.Forms() {
		forms[f.ID] = true
	}
	for id := range notes {
		require.True(t, forms[id], "note on %s", id)
	}
}

// TestStatements: the samples have the operands of their syntax lines, and tuples as long as the manual says.
func TestStatements(t *testing.T) {
	for opcode, want := range map[string]string{
		"add.u32":             "add.u32 %b32x0, %b32x1, %b32x2;",
		"setp.lt.and.s32":     "setp.lt.and.s32 %p0|%p1, %b32x0, %b32x1, %p2;",
		"mul.wide.s16":        "mul.wide.s16 %b32x0, %b16x0, %b16x1;",
		"ld.global.v2.f64":    "ld.global.v2.f64 {%b64x0, %b64x1}, [%b64x2].unified;",
		"st.global.b8":        "st.global.b8 [%b64x0], %b8x0;",
		"bra.uni":             "bra.uni end;",
		"lop3.b32":            "lop3.b32 %b32x0, %b32x1, %b32x2, %b32x3, 1;",
		"cp.async.wait_all":   "cp.async.wait_all;",
		"bar.red.popc.u32":    "bar.red.popc.u32 %b32x0, %b32x1, %b32x2, %p0;",
		"shfl.sync.up.b32":    "shfl.sync.up.b32 %b32x0|%p0, %b32x1, %b32x2, %b32x3, %b32x4;",
		"fma.rn.bf16x2":       "fma.rn.bf16x2 %b32x0, %b32x1, %b32x2, %b32x3;",
		"cvt.rn.f16x2.e4m3x2": "cvt.rn.f16x2.e4m3x2 %b32x0, %b16x0;",
		// 9.7.16.5.4: A is one register of four .s8, B one, C and D two of .s32.
		"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32": "mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 " +
			"{%b32x0, %b32x1}, {%b32x2}, {%b32x3}, {%b32x4, %b32x5};",
		// 9.7.16.5.1: A and B are two registers of two .f16, C and D four of two .f16.
		"mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16": "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 " +
			"{%b32x0, %b32x1, %b32x2, %b32x3}, {%b32x4, %b32x5}, {%b32x6, %b32x7}, {%b32x8, %b32x9, %b32x10, %b32x11};",
	} {
		bounds, err := isa.Resolve(opcode)
		require.NoError(t, err)
		require.Equal(t, want, statement(bounds[0], opcode, true))
	}
}
