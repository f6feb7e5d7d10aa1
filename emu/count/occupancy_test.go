package count_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"warpscope/emu/count"
)

// The limits are those of the CUDA C++ Programming Guide; a comment has the arithmetic of each.
func TestOccupancy(t *testing.T) {
	for _, c := range []struct {
		capability, registers, shared, threads int
		warps, shares, regs                    int // blocks by each
		blocks                                 int
		percent                                float64
	}{
		// 8 warps a block: 64/8 = 8. A warp takes 32*32 = 1024 registers: 16 a quarter, 64 warps, 8 blocks.
		{90, 32, 0, 256, 8, 32, 8, 8, 100},
		// 33*32 = 1056 rounds up to 1280: 16384/1280 = 12 a quarter, 48 warps, 6 blocks of 8 warps: 48 of 64.
		{90, 33, 0, 256, 8, 32, 6, 6, 75},
		// 255*32 = 8160 rounds up to 8192: 2 a quarter, 8 warps, one block of 8.
		{90, 255, 0, 256, 8, 32, 1, 1, 12.5},
		// The same in blocks of 1024 threads: 32 warps of 8192 are more than the 65536 of a block.
		{90, 255, 0, 1024, 2, 32, 0, 0, 0},
		// 48 KiB and 1 KiB of the system: 228/49 = 4 blocks of 4 warps: 16 of 64.
		{90, 32, 48 << 10, 128, 16, 4, 16, 4, 25},
		// The same on 8.6: 100/49 = 2, of 48 warps.
		{86, 32, 48 << 10, 128, 12, 2, 16, 2, 100 * 8. / 48},
		// Before 8.0 the system takes nothing: 96/48 = 2, and 64/4 = 16 by warps.
		{70, 32, 48 << 10, 128, 16, 2, 16, 2, 12.5},
		// One warp a block: 16 blocks are all that 7.5 takes: 16 of 32 warps.
		{75, 32, 0, 32, 32, 16, 64, 16, 50},
		// 100 bytes and the system's 1024 round up to 1152: 233472/1152 = 202, but 32 blocks are all that 9.0 takes.
		{90, 16, 100, 32, 64, 32, 128, 32, 50},
		// 227 KiB: one block.
		{100, 32, 227 << 10, 1024, 2, 1, 2, 1, 50},
		// More than a block may have.
		{120, 32, 100 << 10, 128, 12, 0, 16, 0, 0},
		// 48 warps in blocks of 32: one block, 32 of 48.
		{120, 32, 0, 1024, 1, 24, 2, 1, 100 * 32. / 48},
	} {
		sm, ok := count.SMOf(c.capability)
		require.True(t, ok, "%v", c)
		o := sm.Occupancy(c.registers, c.shared, c.threads)
		assert.Equal(t, [4]int{c.warps, c.shares, c.regs, c.blocks}, [4]int{o.ByWarps, o.ByShared, o.ByRegisters, o.Blocks},
			"%v", c)
		assert.InDelta(t, c.percent, o.Percent(), 1e-9, "%v", c)
	}
}

func TestLimitedBy(t *testing.T) {
	for want, c := range map[string][4]int{
		"warps, registers": {90, 32, 0, 256}, "registers": {90, 33, 0, 256}, "shared memory": {86, 32, 48 << 10, 128},
		"blocks": {75, 32, 0, 32},
	} {
		sm, _ := count.SMOf(c[0])
		o := sm.Occupancy(c[1], c[2], c[3])
		assert.Equal(t, want, o.LimitedBy())
	}
}

func TestCapabilities(t *testing.T) {
	for target, want := range map[int]int{72: 70, 75: 75, 88: 87, 103: 100, 121: 120} {
		sm, ok := count.SMOf(target)
		assert.True(t, ok, target)
		assert.Equal(t, want, sm.Capability, "sm_%d", target)
	}
	for _, target := range []int{30, 130} {
		_, ok := count.SMOf(target)
		assert.False(t, ok, target)
	}
	for i := 1; i < len(count.SMs); i++ {
		assert.Less(t, count.SMs[i-1].Capability, count.SMs[i].Capability)
	}
}
