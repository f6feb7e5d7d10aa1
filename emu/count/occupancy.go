package count

import (
	"fmt"
	"strings"
)

// SM is what a streaming multiprocessor of a compute capability has room for: CUDA C++ Programming Guide, Technical
// Specifications per Compute Capability. Of shared memory, the CUDA runtime takes a part of each block for itself from
// compute capability 8.0 on. The units in which memory is given out are those of the CUDA Occupancy Calculator.
type SM struct {
	Capability   int // 90 for 9.0
	Blocks       int // resident at a time
	Warps        int
	Registers    int // of 32 bits
	PerBlock     int // registers of a block at most
	Shared       int // bytes
	SharedBlock  int // bytes of a block at most
	SharedUnit   int // bytes
	SharedSystem int // bytes of each block that the system takes
}

const (
	kib            = 1024
	warpSize       = 32
	mostThreads    = 1024 // of a block
	mostRegisters  = 255  // of a thread
	registerUnit   = 256  // registers that a warp gets at a time
	allRegisters   = 64 * kib
	systemFrom80   = 1 * kib
	unitBefore     = 256
	unitFromAmpere = 128
)

// SMs lists the compute capabilities in ascending order. Those between have the limits of the one before them with the
// same major number.
var SMs = []SM{
	{50, 32, 64, allRegisters, 64 * kib, 64 * kib, 48 * kib, unitBefore, 0},
	{52, 32, 64, allRegisters, 64 * kib, 96 * kib, 48 * kib, unitBefore, 0},
	{53, 32, 64, allRegisters, 32 * kib, 64 * kib, 48 * kib, unitBefore, 0},
	{60, 32, 64, allRegisters, 64 * kib, 64 * kib, 48 * kib, unitBefore, 0},
	{61, 32, 64, allRegisters, 64 * kib, 96 * kib, 48 * kib, unitBefore, 0},
	{62, 32, 64, allRegisters, 32 * kib, 64 * kib, 48 * kib, unitBefore, 0},
	{70, 32, 64, allRegisters, 64 * kib, 96 * kib, 96 * kib, unitBefore, 0},
	{75, 16, 32, allRegisters, 64 * kib, 64 * kib, 64 * kib, unitBefore, 0},
	{80, 32, 64, allRegisters, 64 * kib, 164 * kib, 163 * kib, unitFromAmpere, systemFrom80},
	{86, 16, 48, allRegisters, 64 * kib, 100 * kib, 99 * kib, unitFromAmpere, systemFrom80},
	{87, 16, 48, allRegisters, 64 * kib, 164 * kib, 163 * kib, unitFromAmpere, systemFrom80},
	{89, 24, 48, allRegisters, 64 * kib, 100 * kib, 99 * kib, unitFromAmpere, systemFrom80},
	{90, 32, 64, allRegisters, 64 * kib, 228 * kib, 227 * kib, unitFromAmpere, systemFrom80},
	{100, 32, 64, allRegisters, 64 * kib, 228 * kib, 227 * kib, unitFromAmpere, systemFrom80},
	{110, 24, 48, allRegisters, 64 * kib, 228 * kib, 227 * kib, unitFromAmpere, systemFrom80},
	{120, 24, 48, allRegisters, 64 * kib, 100 * kib, 99 * kib, unitFromAmpere, systemFrom80},
}

// SMOf finds the limits of a target such as 90 for sm_90. ok is false where no limits are known.
func SMOf(capability int) (sm SM, ok bool) {
	for _, s := range SMs {
		if s.Capability <= capability && s.Capability/10 == capability/10 {
			sm, ok = s, true
		}
	}
	return sm, ok
}

// Name is the compute capability as the manual writes it: 9.0.
func (sm *SM) Name() string { return fmt.Sprintf("%d.%d", sm.Capability/10, sm.Capability%10) }

// Occupancy is how many blocks of a kernel fit on a multiprocessor at a time, and what each resource alone would allow.
type Occupancy struct {
	Blocks      int // the smallest of the four limits; 0: the kernel cannot be launched
	Warps       int // of these blocks
	Most        int // warps that the multiprocessor has room for
	ByBlocks    int // launch__occupancy_limit_blocks
	ByWarps     int // launch__occupancy_limit_warps
	ByRegisters int // launch__occupancy_limit_registers
	ByShared    int // launch__occupancy_limit_shared_mem
}

// Percent is the theoretical occupancy: resident warps of the warps that there is room for.
func (o *Occupancy) Percent() float64 { return 100 * float64(o.Warps) / float64(o.Most) }

// LimitedBy names what allows no more blocks.
func (o *Occupancy) LimitedBy() string {
	var list []string
	for _, limit := range []struct {
		blocks int
		name   string
	}{{o.ByBlocks, "blocks"}, {o.ByWarps, "warps"}, {o.ByRegisters, "registers"}, {o.ByShared, "shared memory"}} {
		if capped := limit.name == "shared memory" && limit.blocks == o.ByBlocks; limit.blocks == o.Blocks && !capped {
			list = append(list, limit.name)
		}
	}
	return strings.Join(list, ", ")
}

// Occupancy works out how many blocks fit, from the registers of a thread, the shared memory of a block in bytes and
// the threads of a block. The registers are those that the assembler gives, not those of PTX.
func (sm *SM) Occupancy(registers, shared, threads int) Occupancy {
	warps := (threads + warpSize - 1) / warpSize
	o := Occupancy{Most: sm.Warps, ByBlocks: sm.Blocks}
	if threads < 1 || threads > mostThreads {
		return o
	}
	o.ByWarps = sm.Warps / warps
	o.ByRegisters = sm.byRegisters(max(registers, 1), warps)
	o.ByShared = sm.Blocks // without shared memory it is no limit
	if of := roundUp(shared+sm.SharedSystem, sm.SharedUnit); of > 0 {
		o.ByShared = min(sm.Shared/of, sm.Blocks)
	}
	if shared > sm.SharedBlock {
		o.ByShared = 0
	}
	o.Blocks = min(o.ByBlocks, o.ByWarps, o.ByRegisters, o.ByShared)
	o.Warps = o.Blocks * warps
	return o
}

// byRegisters returns how many blocks the registers are enough for. Warps get registers in units, and the warps of a
// block are spread over the subpartitions, of which each has its share of the registers.
func (sm *SM) byRegisters(registers, warps int) int {
	ofWarp, parts := roundUp(registers*warpSize, registerUnit), 4
	if sm.Capability == 60 {
		parts = 2
	}
	if registers > mostRegisters || ofWarp*roundUp(warps, parts) > sm.PerBlock {
		return 0
	}
	return sm.Registers / parts / ofWarp * parts / warps
}

func roundUp(n, unit int) int { return (n + unit - 1) / unit * unit }
