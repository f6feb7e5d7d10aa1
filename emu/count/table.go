package count

import (
	"fmt"
	"slices"
	"strconv"
)

// Counter is a counter with its name. Where Nsight Compute has the same counter, it has Nsight Compute's name.
type Counter struct {
	Name   string // of Nsight Compute, or our own
	Short  string // in expectations; "": it has none
	Unit   string
	Says   string
	Source string
	Ops    []Op // only accesses of these count; nil: all do
	Always bool // a run without counters knows its sum, too

	count func(c *Counts) int64
	per   func(c *Counts) int64 // of a ratio: what count is divided by; else nil
}

const (
	ncu      = "Nsight Compute, Metrics Reference"
	ncuTable = "Nsight Compute, Memory Tables"
	coalesce = "CUDA C++ Best Practices Guide, Coalesced Access to Global Memory"
	bankRule = "CUDA C++ Programming Guide, Compute Capability 5.x, Shared Memory"
	local    = "CUDA C++ Programming Guide, Device Memory Accesses"
	barrier  = "PTX ISA, 9.7.15.1 and 9.7.15.3"
	own      = "ours"
)

// Counters are all counters, in the order of tables.
var Counters = slices.Concat(execution, globalMemory, sharedMemory, rest)

var execution = []Counter{
	{Name: "smsp__inst_executed.sum", Short: "instructions", Unit: "warp instructions", Source: ncu, Always: true,
		Says:  "Instructions of PTX that warps have executed. An instruction whose guard is false in all lanes counts.",
		count: func(c *Counts) int64 { return c.Instructions }},
	{Name: "smsp__thread_inst_executed.sum", Short: "lanes", Unit: "lane instructions", Source: ncu, Always: true,
		Says:  "Warp instructions times active lanes. A lane whose guard is false is active.",
		count: func(c *Counts) int64 { return c.Lanes }},
	{Name: "smsp__thread_inst_executed_pred_on.sum", Unit: "lane instructions", Source: ncu,
		Says:  "The same without the lanes whose guard is false.",
		count: func(c *Counts) int64 { return c.Lanes - c.Off }},
	{Name: "smsp__thread_inst_executed_per_inst_executed.ratio", Short: "active_lanes", Unit: "lanes per instruction",
		Source: ncu, Always: true,
		Says:  "Active lanes of an instruction on average. 32 is the most.",
		count: func(c *Counts) int64 { return c.Lanes }, per: func(c *Counts) int64 { return c.Instructions }},
	{Name: "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", Unit: "lanes per instruction", Source: ncu,
		Says:  "The same without the lanes whose guard is false.",
		count: func(c *Counts) int64 { return c.Lanes - c.Off }, per: func(c *Counts) int64 { return c.Instructions }},
	{Name: "predicated_off", Short: "predicated_off", Unit: "lane instructions", Source: own,
		Says:  "Active lanes whose guard is false, over all instructions.",
		count: func(c *Counts) int64 { return c.Off }},
	{Name: "smsp__inst_executed_op_branch.sum", Short: "branches", Unit: "warp instructions", Source: ncu, Always: true,
		Says:  "Executions of `bra` and `brx.idx`. Calls and returns do not count.",
		count: func(c *Counts) int64 { return c.Branches }},
	{Name: "divergent", Short: "divergent", Unit: "warp instructions", Source: own, Always: true,
		Says:  "Branches after which active lanes of the warp went to different instructions.",
		count: func(c *Counts) int64 { return c.Divergent }},
}

var globalMemory = slices.Concat(
	byOp("l1tex__t_requests_pipe_lsu_mem_global_op_%s.sum", "requests", ncu,
		"Warp instructions that access global memory with this operation in at least one lane.",
		func(c *Counts) int64 { return c.Global.Requests }, nil),
	byOp("l1tex__t_sectors_pipe_lsu_mem_global_op_%s.sum", "sectors", coalesce,
		"Sectors of 32 bytes that the lanes of each request touch.",
		func(c *Counts) int64 { return c.Global.Parts }, nil),
	byOp("l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_%s.ratio", "sectors per request", ncuTable,
		"Sectors of a request on average.",
		func(c *Counts) int64 { return c.Global.Parts }, func(c *Counts) int64 { return c.Global.Requests }),
	[]Counter{
		{Name: "global_requests", Short: "global_requests", Unit: "requests", Source: own,
			Says:  "Requests to global memory of all operations.",
			count: func(c *Counts) int64 { return c.Global.Requests }},
		{Name: "memory_l2_theoretical_sectors_global", Short: "sectors", Unit: "sectors", Source: ncu,
			Says:  "Sectors of all requests to global memory. There are no caches: all of them count.",
			count: func(c *Counts) int64 { return c.Global.Parts }},
		{Name: "memory_l2_theoretical_sectors_global_ideal", Short: "ideal_sectors", Unit: "sectors", Source: ncu,
			Says: "Sectors that the same lanes would touch if lane i accessed element i of an array that begins at a sector. " +
				"Lanes that do not take part keep their places.",
			count: func(c *Counts) int64 { return c.Global.Ideal }},
		{Name: "sectors_per_request", Short: "sectors_per_request", Unit: "sectors per request", Source: own,
			Says:  "Sectors of a request to global memory on average, over all operations.",
			count: func(c *Counts) int64 { return c.Global.Parts }, per: func(c *Counts) int64 { return c.Global.Requests }},
		{Name: "ideal_sectors_per_request", Short: "ideal_sectors_per_request", Unit: "sectors per request", Source: own,
			Says:  "The ideal of it.",
			count: func(c *Counts) int64 { return c.Global.Ideal }, per: func(c *Counts) int64 { return c.Global.Requests }},
	})

var sharedMemory = slices.Concat(
	byOp("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_%s.sum", "wavefronts", bankRule,
		"Conflict-free parts in which shared memory serves this operation. Each takes a turn.",
		func(c *Counts) int64 { return c.Shared.Parts }, nil),
	byOp("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_%s.sum", "wavefronts", bankRule,
		"Wavefronts beyond those that the same lanes need without conflicts.",
		func(c *Counts) int64 { return c.Shared.Parts - c.Shared.Ideal }, nil),
	[]Counter{
		{Name: "shared_requests", Short: "shared_requests", Unit: "requests", Source: own,
			Says:  "Warp instructions that access shared memory in at least one lane.",
			count: func(c *Counts) int64 { return c.Shared.Requests }},
		{Name: "memory_l1_wavefronts_shared", Short: "wavefronts", Unit: "wavefronts", Source: ncu,
			Says:  "Wavefronts of all operations on shared memory.",
			count: func(c *Counts) int64 { return c.Shared.Parts }},
		{Name: "memory_l1_wavefronts_shared_ideal", Short: "ideal_wavefronts", Unit: "wavefronts", Source: ncu,
			Says: "Wavefronts without conflicts: one a request, two where lanes access 8 bytes, four where they access 16. " +
				"A half or a quarter of the warp without lanes needs none.",
			count: func(c *Counts) int64 { return c.Shared.Ideal }},
		{Name: "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", Short: "bank_conflicts", Unit: "wavefronts",
			Source: bankRule,
			Says:   "Wavefronts beyond the ideal, of all operations on shared memory.",
			count:  func(c *Counts) int64 { return c.Shared.Parts - c.Shared.Ideal }},
	})

var rest = slices.Concat(
	byOp("l1tex__t_requests_pipe_lsu_mem_local_op_%s.sum", "requests", ncu,
		"Warp instructions that access local memory with this operation in at least one lane.",
		func(c *Counts) int64 { return c.Local.Requests }, nil)[:2],
	byOp("l1tex__t_sectors_pipe_lsu_mem_local_op_%s.sum", "sectors", local,
		"Sectors that these requests touch. A sector of local memory has one word of eight neighbouring lanes.",
		func(c *Counts) int64 { return c.Local.Parts }, nil)[:2],
	[]Counter{
		{Name: "local_requests", Short: "local_requests", Unit: "requests", Source: own,
			Says:  "Requests to local memory of all operations.",
			count: func(c *Counts) int64 { return c.Local.Requests }},
		{Name: "local_sectors", Short: "local_sectors", Unit: "sectors", Source: own,
			Says:  "Sectors of all requests to local memory.",
			count: func(c *Counts) int64 { return c.Local.Parts }},
		{Name: "atomics", Short: "atomics", Unit: "lane instructions", Source: own,
			Says:  "Lanes that have executed `atom` or `red`.",
			count: func(c *Counts) int64 { return c.Atomics }},
		{Name: "atomic_repeats", Short: "atomic_repeats", Unit: "lane instructions", Source: own,
			Says:  "Of these, lanes whose address a lower lane of the same request has, too: they take turns.",
			count: func(c *Counts) int64 { return c.Repeats }},
		{Name: "barriers", Short: "barriers", Unit: "arrivals", Source: barrier, Always: true,
			Says:  "Arrivals of warps at barriers of their CTA or cluster.",
			count: func(c *Counts) int64 { return c.Arrivals }},
		{Name: "barrier_waits", Short: "barrier_waits", Unit: "warp instructions", Source: own,
			Says: "Instructions that other warps executed while all lanes of a warp waited at a barrier or an mbarrier. They " +
				"follow from the emulator's order of warps, and are no time.",
			count: func(c *Counts) int64 { return c.Waits }},
	})

var opNames = map[Op]string{Load: "ld", Store: "st", Atomic: "atom", Reduction: "red"}

// byOp makes a counter for each operation.
func byOp(name, unit, source, says string, value, per func(c *Counts) int64) (list []Counter) {
	for op := Load; op <= Reduction; op++ {
		list = append(list, Counter{Name: fmt.Sprintf(name, opNames[op]), Unit: unit, Source: source, Says: says,
			Ops: []Op{op}, count: value, per: per})
	}
	return list
}

// Named finds a counter by its name or its short name.
func Named(name string) (c *Counter, ok bool) {
	i := slices.IndexFunc(Counters, func(c Counter) bool { return c.Name == name || c.Short == name && name != "" })
	if i < 0 {
		return nil, false
	}
	return &Counters[i], true
}

// ShortNames are the short names, in the order of Counters.
func ShortNames() (list []string) {
	for i := range Counters {
		if name := Counters[i].Short; name != "" {
			list = append(list, name)
		}
	}
	return list
}

// Of returns the counter's value over instructions. ok is false for a ratio where there is nothing to divide by.
func (c *Counter) Of(list []Inst) (v Value, ok bool) {
	for i := range list {
		in := &list[i]
		if c.Ops != nil && !slices.Contains(c.Ops, in.Op) {
			continue
		}
		v.Count += c.count(&in.Counts)
		if c.per != nil {
			v.Per += c.per(&in.Counts)
		}
	}
	if c.per == nil {
		v.Per = 1
	}
	return v, v.Per != 0
}

// Ratio says whether the counter is a ratio of two numbers.
func (c *Counter) Ratio() bool { return c.per != nil }

// Value is a number, or a ratio of two.
type Value struct{ Count, Per int64 }

// Float returns the value as a number.
func (v Value) Float() float64 { return float64(v.Count) / float64(v.Per) }

// String writes the value with two decimals at most.
func (v Value) String() string {
	if v.Count%v.Per == 0 {
		return strconv.FormatInt(v.Count/v.Per, 10)
	}
	return strconv.FormatFloat(v.Float(), 'f', 2, 64)
}
