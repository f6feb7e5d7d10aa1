package isa

// sregs are the special registers in the manual's order (chapter 10), numbered ones written out. WARP_SZ (4.5.1) is a
// constant, not a register: the expression parser knows it.
var sregs = []SReg{
	{"%tid", U32, 4, "10.1", 10, 10, 1, "Index of the thread in its CTA."},
	{"%ntid", U32, 4, "10.2", 10, 10, 1, "Shape of the CTA in threads."},
	{"%laneid", U32, 1, "10.3", 13, 10, 1, "Lane of the thread in its warp."},
	{"%warpid", U32, 1, "10.4", 13, 10, 1, "Warp of the thread in its CTA; may change while the thread runs."},
	{"%nwarpid", U32, 1, "10.5", 20, 20, 2, "Largest number of warps that a CTA can have ids for."},
	{"%ctaid", U32, 4, "10.6", 10, 10, 1, "Index of the CTA in the grid."},
	{"%nctaid", U32, 4, "10.7", 10, 10, 1, "Shape of the grid in CTAs."},
	{"%smid", U32, 1, "10.8", 13, 10, 2, "Multiprocessor that runs the thread; may change."},
	{"%nsmid", U32, 1, "10.9", 20, 20, 2, "Largest number of multiprocessor ids."},
	{"%gridid", U64, 1, "10.10", 10, 10, 2, "Number of this launch."},
	{"%is_explicit_cluster", Pred, 1, "10.11", 78, 90, 3, "True when the launch names a cluster shape."},
	{"%clusterid", U32, 4, "10.12", 78, 90, 3, "Index of the cluster in the grid."},
	{"%nclusterid", U32, 4, "10.13", 78, 90, 3, "Shape of the grid in clusters."},
	{"%cluster_ctaid", U32, 4, "10.14", 78, 90, 3, "Index of the CTA in its cluster."},
	{"%cluster_nctaid", U32, 4, "10.15", 78, 90, 3, "Shape of the cluster in CTAs."},
	{"%cluster_ctarank", U32, 1, "10.16", 78, 90, 3, "Linear rank of the CTA in its cluster."},
	{"%cluster_nctarank", U32, 1, "10.17", 78, 90, 3, "Number of CTAs in the cluster."},
	{"%lanemask_eq", U32, 1, "10.18", 20, 20, 1, "Mask with only this lane."},
	{"%lanemask_le", U32, 1, "10.19", 20, 20, 1, "Mask of this lane and those below."},
	{"%lanemask_lt", U32, 1, "10.20", 20, 20, 1, "Mask of the lanes below."},
	{"%lanemask_ge", U32, 1, "10.21", 20, 20, 1, "Mask of this lane and those above."},
	{"%lanemask_gt", U32, 1, "10.22", 20, 20, 1, "Mask of the lanes above."},
	{"%clock", U32, 1, "10.23", 10, 10, 1, "Low half of the cycle counter."},
	{"%clock_hi", U32, 1, "10.23", 50, 20, 1, "High half of the cycle counter."},
	{"%clock64", U64, 1, "10.24", 20, 20, 1, "Cycle counter."},
	{"%pm0", U32, 1, "10.25", 13, 10, 4, "Performance counter 0."},
	{"%pm1", U32, 1, "10.25", 13, 10, 4, "Performance counter 1."},
	{"%pm2", U32, 1, "10.25", 13, 10, 4, "Performance counter 2."},
	{"%pm3", U32, 1, "10.25", 13, 10, 4, "Performance counter 3."},
	{"%pm4", U32, 1, "10.25", 30, 20, 4, "Performance counter 4."},
	{"%pm5", U32, 1, "10.25", 30, 20, 4, "Performance counter 5."},
	{"%pm6", U32, 1, "10.25", 30, 20, 4, "Performance counter 6."},
	{"%pm7", U32, 1, "10.25", 30, 20, 4, "Performance counter 7."},
	{"%pm0_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 0, 64 bits."},
	{"%pm1_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 1, 64 bits."},
	{"%pm2_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 2, 64 bits."},
	{"%pm3_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 3, 64 bits."},
	{"%pm4_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 4, 64 bits."},
	{"%pm5_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 5, 64 bits."},
	{"%pm6_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 6, 64 bits."},
	{"%pm7_64", U64, 1, "10.26", 40, 50, 4, "Performance counter 7, 64 bits."},
	{"%envreg0", B32, 1, "10.27", 21, 10, 4, "Value 0 that the driver defines."},
	{"%envreg1", B32, 1, "10.27", 21, 10, 4, "Value 1 that the driver defines."},
	{"%envreg2", B32, 1, "10.27", 21, 10, 4, "Value 2 that the driver defines."},
	{"%envreg3", B32, 1, "10.27", 21, 10, 4, "Value 3 that the driver defines."},
	{"%envreg4", B32, 1, "10.27", 21, 10, 4, "Value 4 that the driver defines."},
	{"%envreg5", B32, 1, "10.27", 21, 10, 4, "Value 5 that the driver defines."},
	{"%envreg6", B32, 1, "10.27", 21, 10, 4, "Value 6 that the driver defines."},
	{"%envreg7", B32, 1, "10.27", 21, 10, 4, "Value 7 that the driver defines."},
	{"%envreg8", B32, 1, "10.27", 21, 10, 4, "Value 8 that the driver defines."},
	{"%envreg9", B32, 1, "10.27", 21, 10, 4, "Value 9 that the driver defines."},
	{"%envreg10", B32, 1, "10.27", 21, 10, 4, "Value 10 that the driver defines."},
	{"%envreg11", B32, 1, "10.27", 21, 10, 4, "Value 11 that the driver defines."},
	{"%envreg12", B32, 1, "10.27", 21, 10, 4, "Value 12 that the driver defines."},
	{"%envreg13", B32, 1, "10.27", 21, 10, 4, "Value 13 that the driver defines."},
	{"%envreg14", B32, 1, "10.27", 21, 10, 4, "Value 14 that the driver defines."},
	{"%envreg15", B32, 1, "10.27", 21, 10, 4, "Value 15 that the driver defines."},
	{"%envreg16", B32, 1, "10.27", 21, 10, 4, "Value 16 that the driver defines."},
	{"%envreg17", B32, 1, "10.27", 21, 10, 4, "Value 17 that the driver defines."},
	{"%envreg18", B32, 1, "10.27", 21, 10, 4, "Value 18 that the driver defines."},
	{"%envreg19", B32, 1, "10.27", 21, 10, 4, "Value 19 that the driver defines."},
	{"%envreg20", B32, 1, "10.27", 21, 10, 4, "Value 20 that the driver defines."},
	{"%envreg21", B32, 1, "10.27", 21, 10, 4, "Value 21 that the driver defines."},
	{"%envreg22", B32, 1, "10.27", 21, 10, 4, "Value 22 that the driver defines."},
	{"%envreg23", B32, 1, "10.27", 21, 10, 4, "Value 23 that the driver defines."},
	{"%envreg24", B32, 1, "10.27", 21, 10, 4, "Value 24 that the driver defines."},
	{"%envreg25", B32, 1, "10.27", 21, 10, 4, "Value 25 that the driver defines."},
	{"%envreg26", B32, 1, "10.27", 21, 10, 4, "Value 26 that the driver defines."},
	{"%envreg27", B32, 1, "10.27", 21, 10, 4, "Value 27 that the driver defines."},
	{"%envreg28", B32, 1, "10.27", 21, 10, 4, "Value 28 that the driver defines."},
	{"%envreg29", B32, 1, "10.27", 21, 10, 4, "Value 29 that the driver defines."},
	{"%envreg30", B32, 1, "10.27", 21, 10, 4, "Value 30 that the driver defines."},
	{"%envreg31", B32, 1, "10.27", 21, 10, 4, "Value 31 that the driver defines."},
	{"%globaltimer", U64, 1, "10.28", 31, 30, 2, "Nanosecond timer."},
	{"%globaltimer_lo", U32, 1, "10.28", 31, 30, 2, "Low half of the nanosecond timer."},
	{"%globaltimer_hi", U32, 1, "10.28", 31, 30, 2, "High half of the nanosecond timer."},
	{"%reserved_smem_offset_begin", B32, 1, "10.29", 76, 80, 3, "Start of the shared memory that the system reserves."},
	{"%reserved_smem_offset_end", B32, 1, "10.29", 76, 80, 3, "End of the shared memory that the system reserves."},
	{"%reserved_smem_offset_cap", B32, 1, "10.29", 76, 80, 3, "Total size of the shared memory that the system reserves."},
	{"%reserved_smem_offset_0", B32, 1, "10.29", 76, 80, 3, "Offset of reserved shared memory region 0."},
	{"%reserved_smem_offset_1", B32, 1, "10.29", 76, 80, 3, "Offset of reserved shared memory region 1."},
	{"%total_smem_size", U32, 1, "10.30", 41, 20, 2, "Bytes of shared memory of the CTA, static and dynamic."},
	{"%aggr_smem_size", U32, 1, "10.31", 81, 90, 3, "Bytes of shared memory with what the system reserves."},
	{"%dynamic_smem_size", U32, 1, "10.32", 41, 20, 1, "Bytes of dynamic shared memory of the launch."},
	{"%current_graph_exec", U64, 1, "10.33", 80, 50, 4, "Identifier of the graph that is executed."},
	{"%perctamemoryoffset", U64, 1, "10.34", 94, 80, 3,
		"Address of the CTA's slice of the global memory that CTAs have of their own."},
	{"%perctamemorysize", U32, 1, "10.35", 94, 80, 3,
		"Bytes of a CTA's slice of the global memory that CTAs have of their own."},
}

var sregByName = func() map[string]*SReg {
	m := make(map[string]*SReg, len(sregs))
	for i := range sregs {
		m[sregs[i].Name] = &sregs[i]
	}
	return m
}()

// LookupSReg finds a special register by its name, without component ("%tid", not "%tid.x").
func LookupSReg(name string) (*SReg, bool) { s, ok := sregByName[name]; return s, ok }

// SRegs returns the special registers in the manual's order. They are shared: do not change them.
func SRegs() []*SReg {
	out := make([]*SReg, len(sregs))
	for i := range sregs {
		out[i] = &sregs[i]
	}
	return out
}
