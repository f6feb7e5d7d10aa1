package isa

// mbarrierGates are the requirements of the modifiers that the mbarrier operations share.
var mbarrierGates = []Gate{
	{Mod: ".shared::cta", Version: 78}, {Mod: ".shared::cluster", Version: 80, SM: 90},
	{Mod: ".expect_tx", Version: 80, SM: 90}, {Mod: "sem", Version: 80}, {Mod: ".cluster", Version: 80, SM: 90},
	{Mod: ".relaxed", Version: 86, SM: 90}, {Mod: ".parity", Version: 71}, {Mod: "layout", Version: 93, SM: 90},
	{Mod: ".phase_type::primary", Version: 93, SM: 90}, {Mod: ".phase_type::conditional", Version: 93, SM: 90},
	{Mod: ".multicast::cluster::32b", Version: 94, SM: 107, Arch: "f", Family: 10},
}

// arriveGates has one more: for a count where it may be left out, which is without .noComplete.
var arriveGates = append([]Gate{{Mod: "@count", Version: 78, SM: 90}}, mbarrierGates...)

// waitSets are the value sets of the instructions that wait.
const waitSets = `
	.sem   = { .acquire, .relaxed };
	.scope = { .cta, .cluster };
	.ss    = { .shared{::cta} };`

// mbarrierForms are the mbarrier operations (9.7.15.16) and the rows after them (9.7.15.17 to 9.7.15.19).
var mbarrierForms = []Form{
	{ID: "mbarrier.init", Section: "9.7.15.16.12", Mnemonic: "mbarrier", Tier: 3, Version: 70, SM: 80,
		Effect: WritesMemory,
		Syntax: `mbarrier.init{.layout}{.ss}.b64 [addr], count;
			.layout = { .layout::v0 };
			.ss     = { .shared{::cta} };`,
		Gates:    mbarrierGates,
		Operands: "addr=any",
		Summary:  "Makes an mbarrier that expects count arrivals in each phase.",
		Example:  "mbarrier.init.shared::cta.b64 [shMem], 12;"},
	{ID: "mbarrier.init.v1", Section: "9.7.15.16.12", Mnemonic: "mbarrier", Tier: 3, Version: 93, SM: 90,
		Effect: WritesMemory,
		Syntax: `mbarrier.init.layout{.ss}.b64 [addr], count;
			.layout = { .layout::v1 };
			.ss     = { .shared{::cta} };`,
		Operands: "addr=any count=.u32<1..511>",
		Summary:  "Makes an mbarrier to which operations can report; it expects count arrivals in each phase.",
		Example:  "mbarrier.init.layout::v1.shared::cta.b64 [shMem], 4;"},
	{ID: "mbarrier.inval", Section: "9.7.15.16.13", Mnemonic: "mbarrier", Tier: 3, Version: 70, SM: 80,
		Effect: WritesMemory,
		Syntax: `mbarrier.inval{.ss}.b64 [addr];
			.ss = { .shared{::cta} };`,
		Gates:    mbarrierGates,
		Operands: "addr=any",
		Summary:  "Ends the life of an mbarrier, so that its memory can be used again.",
		Example:  "mbarrier.inval.shared.b64 [shMem];"},
	{ID: "mbarrier.expect_tx", Section: "9.7.15.16.14", Mnemonic: "mbarrier", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `mbarrier.expect_tx{.sem.scope}{.space}.b64 [addr], txCount;
			.space = { .shared{::cta} };

			mbarrier.expect_tx{.sem.scope}{.space}{.multicast}.b64 [addr], txCount{, ctaMask};
			.space = { .shared::cluster };

			.sem   = { .relaxed };
			.scope = { .cta, .cluster };
			.multicast = { .multicast::cluster::32b };`,
		Gates:    mbarrierGates,
		Operands: "addr=any txCount=.u32",
		Summary:  "Makes the current phase expect more bytes of asynchronous copies.",
		Example:  "mbarrier.expect_tx.b64 [addr], 32;"},
	{ID: "mbarrier.complete_tx", Section: "9.7.15.16.15", Mnemonic: "mbarrier", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `mbarrier.complete_tx{.sem.scope}{.space}.b64 [addr], txCount;
			.space = { .shared{::cta} };

			mbarrier.complete_tx{.sem.scope}{.space}{.multicast}.b64 [addr], txCount{, ctaMask};
			.space = { .shared::cluster };

			.sem   = { .relaxed };
			.scope = { .cta, .cluster };
			.multicast = { .multicast::cluster::32b };`,
		Gates:    mbarrierGates,
		Operands: "addr=any txCount=.u32",
		Summary:  "Counts bytes as arrived, as an asynchronous copy does.",
		Example:  "mbarrier.complete_tx.b64 [addr], 32;"},
	{ID: "mbarrier.arrive", Section: "9.7.15.16.16", Mnemonic: "mbarrier", Tier: 3, Version: 70, SM: 80,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `mbarrier.arrive{.sem.scope}{.ss}.b64                      state, [addr]{, count};
			mbarrier.arrive{.sem.scope}{.cs}{.multicast}.b64           _, [addr]{, count}{, ctaMask};
			mbarrier.arrive.expect_tx{.sem.scope}{.ss}.b64             state, [addr], txCount;
			mbarrier.arrive.expect_tx{.sem.scope}{.cs}{.multicast}.b64 _, [addr], txCount{, ctaMask};
			mbarrier.arrive.noComplete{.release.cta}{.ss}.b64          state, [addr], count;
			.sem   = { .release, .relaxed };
			.scope = { .cta, .cluster };
			.ss    = { .shared{::cta} };
			.cs    = { .shared::cluster };
			.multicast = { .multicast::cluster::32b };`,
		Gates:    arriveGates,
		Operands: "state=.b64!~ addr=any txCount=.u32",
		Summary:  "Arrives at an mbarrier; the result is the phase before.",
		Example:  "mbarrier.arrive.shared.b64 %r0, [shMem];"},
	{ID: "mbarrier.arrive_drop", Section: "9.7.15.16.17", Mnemonic: "mbarrier", Tier: 3, Version: 70, SM: 80,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `mbarrier.arrive_drop{.sem.scope}{.ss}.b64                      state, [addr]{, count};
			mbarrier.arrive_drop{.sem.scope}{.cs}{.multicast}.b64           _, [addr]{, count}{, ctaMask};
			mbarrier.arrive_drop.expect_tx{.sem.scope}{.ss}.b64             state, [addr], txCount;
			mbarrier.arrive_drop.expect_tx{.sem.scope}{.cs}{.multicast}.b64 _, [addr], txCount{, ctaMask};
			mbarrier.arrive_drop.noComplete{.release.cta}{.ss}.b64          state, [addr], count;
			.sem   = { .release, .relaxed };
			.scope = { .cta, .cluster };
			.ss    = { .shared{::cta} };
			.cs    = { .shared::cluster };
			.multicast = { .multicast::cluster::32b };`,
		Gates:    arriveGates,
		Operands: "state=.b64!~ addr=any txCount=.u32",
		Summary:  "Arrives at an mbarrier and leaves the later phases.",
		Example:  "mbarrier.arrive_drop.shared.b64 %r0, [shMem];"},
	{ID: "cp.async.mbarrier.arrive", Section: "9.7.15.16.18", Mnemonic: "cp", Tier: 3, Version: 70, SM: 80,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `cp.async.mbarrier.arrive{.noinc}{.ss}.b64 [addr];
			.ss = { .shared{::cta} };`,
		Gates:    mbarrierGates,
		Operands: "addr=any",
		Summary:  "Makes an mbarrier track the thread's cp.async copies so far.",
		Example:  "cp.async.mbarrier.arrive.shared.b64 [shMem];"},
	{ID: "mbarrier.test_wait", Section: "9.7.15.16.19", Mnemonic: "mbarrier", Tier: 3, Version: 70, SM: 80,
		Effect: ReadsMemory,
		Syntax: `mbarrier.test_wait{.phase_type::primary}{.sem.scope}{.ss}.b64 waitComplete, [addr], state;
			mbarrier.test_wait.parity{.phase_type}{.sem.scope}{.ss}.b64   waitComplete, [addr], phaseParity;
			.phase_type = { .phase_type::primary, .phase_type::conditional };
			` + waitSets,
		Gates:    mbarrierGates,
		Operands: "waitComplete=pred! addr=any state=.b64 phaseParity=.u32",
		Summary:  "Tests whether a phase of an mbarrier is complete.",
		Example:  "mbarrier.test_wait.shared.b64 complete, [shMem], state;"},
	{ID: "mbarrier.test_wait.report", Section: "9.7.15.16.19", Mnemonic: "mbarrier", Tier: 3, Version: 93, SM: 90,
		Effect: ReadsMemory,
		Syntax: `mbarrier.test_wait.phase_type::primary{.sem.scope}{.ss}.b64
				waitComplete|reportPredicate{, reportValue}, [addr], state;
			mbarrier.test_wait.parity.phase_type::primary{.sem.scope}{.ss}.b64
				waitComplete|reportPredicate{, reportValue}, [addr], phaseParity;
			` + waitSets,
		Gates:    mbarrierGates,
		Operands: "waitComplete,reportPredicate=pred! reportValue=.b8! addr=any state=.b64 phaseParity=.u32",
		Summary:  "Tests whether a phase of an mbarrier is complete, and whether any operation of it has reported.",
		Example:  "mbarrier.test_wait.phase_type::primary.shared::cta.b64 complete|report, value, [shMem], state;"},
	{ID: "mbarrier.try_wait", Section: "9.7.15.16.19", Mnemonic: "mbarrier", Tier: 3, Version: 78, SM: 90,
		Effect: ReadsMemory | Barrier,
		Syntax: `mbarrier.try_wait{.phase_type::primary}{.sem.scope}{.ss}.b64 waitComplete, [addr], state{, suspendTimeHint};
			mbarrier.try_wait.parity{.phase_type}{.sem.scope}{.ss}.b64   waitComplete, [addr], phaseParity{, suspendTimeHint};
			.phase_type = { .phase_type::primary, .phase_type::conditional };
			` + waitSets,
		Gates:    mbarrierGates,
		Operands: "waitComplete=pred! addr=any state=.b64 phaseParity=.u32 suspendTimeHint=.u32",
		Summary:  "Waits for a while until a phase of an mbarrier is complete.",
		Example:  "mbarrier.try_wait.parity.shared::cta.b64 complete, [shMem], phase;"},
	{ID: "mbarrier.try_wait.report", Section: "9.7.15.16.19", Mnemonic: "mbarrier", Tier: 3, Version: 93, SM: 90,
		Effect: ReadsMemory | Barrier,
		Syntax: `mbarrier.try_wait.phase_type::primary{.sem.scope}{.ss}.b64
				waitComplete|reportPredicate{, reportValue}, [addr], state{, suspendTimeHint};
			mbarrier.try_wait.parity.phase_type::primary{.sem.scope}{.ss}.b64
				waitComplete|reportPredicate{, reportValue}, [addr], phaseParity{, suspendTimeHint};
			` + waitSets,
		Gates:    mbarrierGates,
		Operands: "waitComplete,reportPredicate=pred! reportValue=.b8! addr=any state=.b64 phaseParity=.u32 suspendTimeHint=.u32",
		Summary:  "Waits for a while until a phase of an mbarrier is complete, and says whether any operation of it has reported.",
		Example:  "mbarrier.try_wait.phase_type::primary.shared::cta.b64 complete|report, value, [shMem], state;"},
	{ID: "mbarrier.pending_count", Section: "9.7.15.16.20", Mnemonic: "mbarrier", Tier: 3, Version: 70, SM: 80,
		Syntax: `mbarrier.pending_count{.layout}.b64 pending, state;
			.layout = { .layout::v0 };`,
		Gates:    mbarrierGates,
		Operands: "pending=.u32! state=.b64",
		Summary:  "Number of arrivals that a phase was still waiting for.",
		Example:  "mbarrier.pending_count.b64 %r1, state;"},
	{ID: "mbarrier.check_layout", Section: "9.7.15.16.21", Mnemonic: "mbarrier", Tier: 4, Version: 93, SM: 90,
		Effect: ReadsMemory,
		Syntax: `mbarrier.check_layout.layout{.ss}.b64 p, [addr];
			.layout = { .layout::v0, .layout::v1 };
			.ss     = { .shared::cta };`,
		Operands: "p=pred! addr=any",
		Summary:  "Tests whether an mbarrier has this layout.",
		Example:  "mbarrier.check_layout.layout::v1.shared::cta.b64 p, [shMem];"},
	{ID: "tensormap.cp_fenceproxy", Section: "9.7.15.17", Mnemonic: "tensormap", Tier: 3, Version: 83, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned
				[dst], [src], size;
			.scope = { .cta, .cluster, .gpu, .sys };`,
		Operands: "dst,src=any size=.u32#<128>",
		Summary:  "Copies a tensor map to global memory and makes it usable.",
		Example: "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned " +
			"[gbl], [sMem], 128;"},
	{ID: "clusterlaunchcontrol.try_cancel", Section: "9.7.15.18", Mnemonic: "clusterlaunchcontrol", Tier: 4,
		Version: 86, SM: 100, Effect: WritesMemory,
		Syntax: `clusterlaunchcontrol.try_cancel.async{.space}.completion_mechanism{.multicast::cluster::all}.b128
				[addr], [mbar];
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.space = { .shared::cta };`,
		Gates:    []Gate{{Mod: ".multicast::cluster::all", Arch: "f"}},
		Operands: "addr=any",
		Summary:  "Asks to take over the work of a cluster that has not started.",
		Example:  "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.b128 [addr], [mbar];"},
	{ID: "clusterlaunchcontrol.query_cancel", Section: "9.7.15.19", Mnemonic: "clusterlaunchcontrol", Tier: 4,
		Version: 86, SM: 100,
		Syntax: `clusterlaunchcontrol.query_cancel.is_canceled.pred.b128        p, response;
			clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {xdim, ydim, zdim, wdim}, response;
			clusterlaunchcontrol.query_cancel.ctaid.b32.b128              d, response;
			.ctaid = { .get_first_ctaid{::x, ::y, ::z} };`,
		Operands: "p=pred! d=.b32! xdim,ydim,zdim,wdim=.b32! response=.b128",
		Summary:  "Reads the answer of try_cancel.",
		Example:  "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, handle;"},
}
