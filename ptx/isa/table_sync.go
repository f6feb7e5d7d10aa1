package isa

// atomGates are the requirements of the modifiers that atom and red share.
var atomGates = []Gate{
	{Mod: "!space", Version: 20, SM: 20}, {Mod: "scope", Version: 50, SM: 60}, {Mod: "sem", Version: 60, SM: 70},
	{Mod: ".cluster", Version: 78, SM: 90}, {Mod: ".shared", Version: 12, SM: 12},
	{Mod: ".shared::cta", Version: 78, SM: 30}, {Mod: ".shared::cluster", Version: 78, SM: 90},
	{Mod: ".L2::cache_hint", Version: 74, SM: 80},
	{Mod: ".add.u64", Version: 12, SM: 12},
	{Mod: ".cas.b64", Version: 12, SM: 12}, {Mod: ".exch.b64", Version: 12, SM: 12},
	{Mod: ".add.shared.u64", Version: 20, SM: 20},
	{Mod: ".cas.shared.b64", Version: 20, SM: 20}, {Mod: ".exch.shared.b64", Version: 20, SM: 20},
	{Mod: ".and.b64", Version: 31, SM: 32}, {Mod: ".or.b64", Version: 31, SM: 32},
	{Mod: ".xor.b64", Version: 31, SM: 32},
	{Mod: ".min.u64", Version: 31, SM: 32}, {Mod: ".max.u64", Version: 31, SM: 32},
	{Mod: ".min.s64", Version: 31, SM: 32}, {Mod: ".max.s64", Version: 31, SM: 32},
	{Mod: ".f32", Version: 20, SM: 20}, {Mod: ".f64", Version: 50, SM: 60},
	{Mod: ".f16x2", Version: 62, SM: 60}, {Mod: ".f16", Version: 63, SM: 70},
	{Mod: ".bf16", Version: 78, SM: 90}, {Mod: ".bf16x2", Version: 78, SM: 90},
	{Mod: ".sys.b128", Version: 84}, {Mod: ".noftz.f32", Version: 94, SM: 90},
}

// Value sets of atom and red: which operation takes which types (9.7.15.5).
const (
	atomArith = `
		.op   = { .min, .max };
		.type = { .u32, .s32, .u64, .s64 };
	`
	atomAdd = `
		.op   = { .add };
		.type = { .u32, .s32, .u64 };
	`
	atomWrap = `
		.op   = { .inc, .dec };
		.type = { .u32 };
	`
	atomBits = `
		.op   = { .and, .or, .xor };
		.type = { .b32, .b64 };
	`
	atomExch = `
		.op   = { .exch };
		.type = { .b32, .b64 };
	`
	atomCas = `
		.op   = { .cas };
		.type = { .b32, .b64 };
	`
	atomSets = `
		.scope = { .cta, .cluster, .gpu, .sys };
		.level::cache_hint = { .L2::cache_hint };
	`
	atomSpaces = `.space = { .global, .shared{::cta, ::cluster} };`
	atomSem    = `.sem = { .relaxed, .acquire, .release, .acq_rel };`
	redSem     = `.sem = { .relaxed, .release };`
	bitsNote   = `  // bitwise atomics take bit-size types`
	wrapNote   = `  // .inc and .dec take .u32 only`
	floatsAdd  = `  // floats only add`
	floatTypes = "\n.type = { .f32, .f64 };\n"
	noftzTypes = "\n.type = { .f16, .f16x2, .bf16, .bf16x2, .f32 };\n"

	// barriers have numbers from 0 to 15 and count whole warps (9.7.15.1)
	barrierOperands = "a=.u32<0..15> b=.u32<0..4294967264/32>"
)

// atomic writes the syntax lines of an atomic operation; sems are its beginnings, op its modifiers up to the type. A cache
// policy is for global memory only (9.7.15.5).
func atomic(sems []string, op, operands, note, set string) string {
	plain, hinted, hintNote := "", "", note
	if note == "" {
		hintNote = hintsOnly
	}
	for _, sem := range sems {
		plain += "\n" + sem + "{.space}" + op + ".type " + operands + ";" + note
		hinted += "\n" + sem + "{.space}" + op + ".level::cache_hint.type " + operands + ", cache-policy;" + hintNote
	}
	return plain + set + atomSpaces + "\n\n" + hinted + set + ".space = { .global };\n\n"
}

// scalars writes them for the operations on integers that atom and red share.
func scalars(sems []string, operands string) string {
	return atomic(sems, ".op", operands, "", atomArith) + atomic(sems, ".op", operands, "", atomAdd) +
		atomic(sems, ".op", operands, wrapNote, atomWrap) +
		atomic(sems, ".op", operands, bitsNote, atomBits)
}

// The beginnings of atom and red with a memory ordering, a scope, or both.
var (
	atomScoped = []string{"atom.sem{.scope}", "atom.scope"}
	redScoped  = []string{"red.sem{.scope}", "red.scope"}
)

// swaps writes the syntax lines of exchange and of compare-and-swap, which takes no cache policy.
func swaps(sems []string) string {
	text := atomic(sems, ".op", "d, [a], b", bitsNote, atomExch)
	for _, sem := range sems {
		text += "\n" + sem + "{.space}.op.type d, [a], b, c;" + bitsNote
	}
	return text + atomCas + atomSpaces + "\n\n"
}

// syncForms are the synchronisation and communication instructions (9.7.15.1 to 9.7.15.15, 9.7.15.17 to 9.7.15.19).
var syncForms = []Form{
	{ID: "bar.sync", Section: "9.7.15.1", Mnemonic: "bar", Tier: 1, Version: 10, SM: 10, Effect: Barrier,
		Syntax: `bar{.cta}.sync             a{, b};
			barrier{.cta}.sync.aligned a{, b};`,
		Gates:    []Gate{{Mod: ".cta", Version: 78}, {Mod: ".aligned", Version: 60, SM: 30}},
		Operands: barrierOperands,
		Summary:  "Waits until all threads of the CTA, or b of them, have arrived at barrier a; the whole warp takes part.",
		Example:  "bar.sync 0;"},
	{ID: "barrier.sync", Section: "9.7.15.1", Mnemonic: "barrier", Tier: 1, Version: 60, SM: 30, Effect: Barrier,
		Syntax:   `barrier{.cta}.sync a{, b};`,
		Gates:    []Gate{{Mod: ".cta", Version: 78}},
		Operands: barrierOperands,
		Summary:  "Waits at barrier a; lanes of a warp may come from different places.",
		Example:  "barrier.sync 0;"},
	{ID: "bar.arrive", Section: "9.7.15.1", Mnemonic: "bar", Tier: 2, Version: 20, SM: 20, Effect: Barrier,
		Syntax: `bar{.cta}.arrive                a, b;
			barrier{.cta}.arrive{.aligned} a, b;`,
		Gates:    []Gate{{Mod: ".cta", Version: 78}},
		Operands: "a=.u32<0..15> b=.u32<32..4294967264/32>",
		Summary:  "Arrives at barrier a without waiting; the count b is needed.",
		Example:  "bar.arrive 0, 64;"},
	{ID: "bar.red", Section: "9.7.15.1", Mnemonic: "bar", Tier: 2, Version: 20, SM: 20, Effect: Barrier,
		Syntax: `bar{.cta}.red.popc.u32               d, a{, b}, {!}c;
			bar{.cta}.red.op.pred                p, a{, b}, {!}c;
			barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, {!}c;
			barrier{.cta}.red.op{.aligned}.pred  p, a{, b}, {!}c;
			.op = { .and, .or };`,
		Gates:    []Gate{{Mod: ".cta", Version: 78}},
		Operands: "d=.u32! p=pred! c=pred " + barrierOperands,
		Summary:  "Waits at barrier a and combines a predicate over all its threads.",
		Example:  "bar.red.and.pred r0, 1, p;"},
	{ID: "bar.warp.sync", Section: "9.7.15.2", Mnemonic: "bar", Tier: 1, Version: 60, SM: 30,
		Effect:  Barrier | CrossLane,
		Syntax:  `bar.warp.sync membermask;`,
		Summary: "Waits until all lanes of the mask have arrived.",
		Example: "bar.warp.sync 0xffffffff;"},
	{ID: "barrier.cluster", Section: "9.7.15.3", Mnemonic: "barrier", Tier: 3, Version: 78, SM: 90, Effect: Barrier,
		Syntax: `barrier.cluster.arrive{.sem}{.aligned};
			barrier.cluster.wait{.acquire}{.aligned};
			.sem = { .release, .relaxed };`,
		Gates:   []Gate{{Mod: ".acquire", Version: 80}, {Mod: "sem", Version: 80}},
		Summary: "Arrives at, or waits for, the barrier of the cluster.",
		Example: "barrier.cluster.arrive;"},
	{ID: "fence", Section: "9.7.15.4", Mnemonic: "fence", Tier: 2, Version: 60, SM: 70, Effect: NoEffect,
		Syntax: `fence{.sem}.scope;
			.sem   = { .sc, .acq_rel, .acquire, .release };
			.scope = { .cta, .cluster, .gpu, .sys };`,
		Gates: []Gate{{Mod: ".cluster", Version: 78, SM: 90}, {Mod: ".acquire", Version: 86, SM: 90},
			{Mod: ".release", Version: 86, SM: 90}},
		Summary: "Orders memory accesses before it with those after it, within a scope.",
		Example: "fence.sc.gpu;"},
	{ID: "fence.restrict", Section: "9.7.15.4", Mnemonic: "fence", Tier: 3, Version: 80, SM: 90, Effect: NoEffect,
		Syntax: `fence.acquire.sync_restrict::shared::cluster.cluster;
			fence.release.sync_restrict::shared::cta.cluster;
			fence.op_restrict.release.cluster;
			.op_restrict = { .mbarrier_init };`,
		Gates: []Gate{{Mod: ".sync_restrict::shared::cluster", Version: 86},
			{Mod: ".sync_restrict::shared::cta", Version: 86}},
		Summary: "Fence for only some kinds of accesses.",
		Example: "fence.mbarrier_init.release.cluster;"},
	{ID: "fence.proxy", Section: "9.7.15.4", Mnemonic: "fence", Tier: 3, Version: 75, SM: 60, Effect: NoEffect,
		Syntax: `fence.proxy.proxykind;
			fence.proxy.async{.space};
			membar.proxy.kind;
			membar.proxy.async{.space};
			fence.proxy.tensormap::generic.release.scope;
			fence.proxy.tensormap::generic.acquire.scope [addr], size;
			fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster;
			fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;
			fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;
			fence.proxy.alias.sem_alias.sys;
			fence.proxy.to_proxykind::from_proxykind_fabric.alias.sem_fabric.sys;
			.sem_alias = .sem_fabric = { .acquire, .release };
			.to_proxykind::from_proxykind_fabric = { .generic::fabric, .fabric::generic, .fabric::fabric };
			.proxykind = .kind = { .alias };
			.space     = { .global, .shared::cta, .shared::cluster };
			.scope     = { .cta, .cluster, .gpu, .sys };`,
		Gates: []Gate{{Mod: "proxykind", SM: 70}, {Mod: ".async", Version: 80, SM: 90}, {Mod: ".tensormap::generic", Version: 83, SM: 90},
			{Mod: ".async::generic", Version: 86, SM: 90}, {Mod: "sem_alias", Version: 94, SM: 90},
			{Mod: "to_proxykind::from_proxykind_fabric", Version: 93, SM: 100},
			{Mod: ".sync_restrict::shared::cluster::read", Version: 94, SM: 90}},
		Operands: "addr=any size=.u32#<128>",
		Summary:  "Orders accesses that go different ways to memory.",
		Example:  "fence.proxy.async;"},
	{ID: "membar", Section: "9.7.15.4", Mnemonic: "membar", Tier: 1, Version: 14, SM: 10, Effect: NoEffect,
		Syntax: `membar.level;
			.level = { .cta, .gl, .sys };`,
		Gates:   []Gate{{Mod: ".sys", Version: 20, SM: 20}},
		Summary: "Older name of fence.sc at CTA, device or system scope.",
		Example: "membar.gl;"},
	{ID: "atom.int", Section: "9.7.15.5", Mnemonic: "atom", Tier: 1, Version: 11, SM: 11,
		Effect:   ReadsMemory | WritesMemory,
		Syntax:   scalars([]string{"atom"}, "d, [a], b") + swaps([]string{"atom"}) + atomSets,
		Gates:    atomGates,
		Operands: "d=type!~ a=any b,c=type",
		Summary:  "Reads memory, combines it with b, writes it back as one operation, and returns the old value.",
		Example:  "atom.global.add.u32 d, [a], 1;"},
	{ID: "atom.float", Section: "9.7.15.5", Mnemonic: "atom", Tier: 1, Version: 20, SM: 20,
		Effect:   ReadsMemory | WritesMemory,
		Syntax:   atomic([]string{"atom"}, ".add", "d, [a], b", floatsAdd, floatTypes) + atomSets,
		Gates:    atomGates,
		Operands: "d=type!~ a=any b=type",
		Summary:  "Atomic floating-point addition.",
		Example:  "atom.global.add.f32 d, [a], 1.0;"},
	{ID: "atom.scope", Section: "9.7.15.5", Mnemonic: "atom", Tier: 2, Version: 50, SM: 60,
		Effect: ReadsMemory | WritesMemory,
		Syntax: scalars(atomScoped, "d, [a], b") + swaps(atomScoped) +
			atomic(atomScoped, ".add", "d, [a], b", floatsAdd, floatTypes) + atomSets + atomSem,
		Gates:    atomGates,
		Operands: "d=type!~ a=any b,c=type",
		Summary:  "Atomic operation with a memory ordering, a scope, or both.",
		Example:  "atom.relaxed.sys.global.add.u32 d, [a], 1;"},
	{ID: "atom.half", Section: "9.7.15.5", Mnemonic: "atom", Tier: 2, Version: 62, SM: 60,
		Effect: ReadsMemory | WritesMemory,
		Syntax: atomic([]string{"atom{.sem}{.scope}"}, ".add.noftz", "d, [a], b",
			"  // half-precision atomics need .add.noftz", noftzTypes) + atomSets + atomSem,
		Gates:    atomGates,
		Operands: "d=type!~ a=any b=type",
		Summary:  "Atomic addition of half precision or bfloat16, packed values element by element, or of .f32 with subnormals.",
		Example:  "atom.global.add.noftz.f16x2 d, [a], b;"},
	{ID: "atom.cas16", Section: "9.7.15.5", Mnemonic: "atom", Tier: 2, Version: 63, SM: 70,
		Effect:   ReadsMemory | WritesMemory,
		Syntax:   "atom{.sem}{.scope}{.space}.cas.b16 d, [a], b, c;\n" + atomSpaces + atomSets + atomSem,
		Gates:    atomGates,
		Operands: "d=.b16!~ a=any b,c=.b16",
		Summary:  "Atomic compare-and-swap of 16 bits.",
		Example:  "atom.global.cas.b16 d, [a], b, c;"},
	{ID: "atom.128", Section: "9.7.15.5", Mnemonic: "atom", Tier: 3, Version: 83, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: "atom{.sem}{.scope}{.space}.cas.b128 d, [a], b, c;\n" + atomSpaces + "\n\n" +
			atomic([]string{"atom{.sem}{.scope}"}, ".exch", "d, [a], b", "", "\n.type = { .b128 };") + atomSets + atomSem,
		Gates:    atomGates,
		Operands: "d=.b128!~ a=any b,c=.b128",
		Summary:  "Atomic compare-and-swap or exchange of 128 bits.",
		Example:  "atom.exch.b128 d, [a], b;"},
	{ID: "atom.vec", Section: "9.7.15.5", Mnemonic: "atom", Tier: 3, Version: 81, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `atom{.sem}{.scope}{.global}.add{.noftz}{.level::cache_hint}.vec.f32 d, [a], b{, cache-policy};
			.vec = { .v2, .v4 };

			atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.half_word_type d, [a], b{, cache-policy};
			.vec = { .v2, .v4, .v8 };
			.half_word_type = { .f16, .bf16 };

			atom{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.packed_type d, [a], b{, cache-policy};
			.vec = { .v2, .v4 };
			.packed_type = { .f16x2, .bf16x2 };

			.op = { .add, .min, .max };` + atomSets + atomSem,
		Gates:    atomGates,
		Operands: "d=1!*~ a=any b=1*",
		Summary:  "Atomic operation on each element of a vector in global memory.",
		Example:  "atom.global.v4.f32.add {d0, d1, d2, d3}, [a], {b0, b1, b2, b3};"},
	{ID: "red.int", Section: "9.7.15.6", Mnemonic: "red", Tier: 1, Version: 12, SM: 11,
		Effect:   ReadsMemory | WritesMemory,
		Syntax:   scalars([]string{"red"}, "[a], b") + atomSets,
		Gates:    atomGates,
		Operands: "a=any b=type",
		Summary:  "Combines b into memory as one operation; no result.",
		Example:  "red.global.add.u32 [a], 1;"},
	{ID: "red.float", Section: "9.7.15.6", Mnemonic: "red", Tier: 1, Version: 20, SM: 20,
		Effect:   ReadsMemory | WritesMemory,
		Syntax:   atomic([]string{"red"}, ".add", "[a], b", floatsAdd, floatTypes) + atomSets,
		Gates:    atomGates,
		Operands: "a=any b=type",
		Summary:  "Adds a floating-point number into memory as one operation.",
		Example:  "red.global.add.f32 [a], 1.0;"},
	{ID: "red.scope", Section: "9.7.15.6", Mnemonic: "red", Tier: 2, Version: 50, SM: 60,
		Effect: ReadsMemory | WritesMemory,
		Syntax: scalars(redScoped, "[a], b") + atomic(redScoped, ".add", "[a], b", floatsAdd, floatTypes) +
			atomSets + redSem,
		Gates:    atomGates,
		Operands: "a=any b=type",
		Summary:  "Reduction into memory with a memory ordering, a scope, or both.",
		Example:  "red.relaxed.gpu.global.add.u32 [a], 1;"},
	{ID: "red.half", Section: "9.7.15.6", Mnemonic: "red", Tier: 2, Version: 62, SM: 60,
		Effect: ReadsMemory | WritesMemory,
		Syntax: atomic([]string{"red{.sem}{.scope}"}, ".add.noftz", "[a], b",
			"  // half-precision reductions need .add.noftz", noftzTypes) + atomSets + redSem,
		Gates:    atomGates,
		Operands: "a=any b=type",
		Summary:  "Adds half precision, bfloat16, or .f32 with subnormals into memory as one operation per element.",
		Example:  "red.global.add.noftz.f16x2 [a], b;"},
	{ID: "red.vec", Section: "9.7.15.6", Mnemonic: "red", Tier: 3, Version: 81, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `red{.sem}{.scope}{.global}.add{.noftz}{.level::cache_hint}.vec.f32 [a], b{, cache-policy};
			.vec = { .v2, .v4 };

			red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.half_word_type [a], b{, cache-policy};
			.vec = { .v2, .v4, .v8 };
			.half_word_type = { .f16, .bf16 };

			red{.sem}{.scope}{.global}.op.noftz{.level::cache_hint}.vec.packed_type [a], b{, cache-policy};
			.vec = { .v2, .v4 };
			.packed_type = { .f16x2, .bf16x2 };

			.op = { .add, .min, .max };` + atomSets + redSem,
		Gates:    atomGates,
		Operands: "a=any b=1*",
		Summary:  "Reduction of each element of a vector into global memory.",
		Example:  "red.global.v8.f16.add.noftz [a], {b0, b1, b2, b3, b4, b5, b6, b7};"},
	{ID: "red.async", Section: "9.7.15.7", Mnemonic: "red", Tier: 3, Version: 81, SM: 90,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: `red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b, [mbar];
			.op   = { .inc, .dec };
			.type = { .u32 };

			red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b, [mbar];
			.op   = { .min, .max };
			.type = { .u32, .s32 };

			red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b, [mbar];
			.op   = { .and, .or, .xor };
			.type = { .b32 };

			red.async.sem.scope{.ss}.completion_mechanism.op.type [a], b, [mbar];
			.op   = { .add };
			.type = { .u32, .s32, .u64 };

			.sem   = { .relaxed };
			.scope = { .cluster };
			.ss    = { .shared::cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };`,
		Operands: "a=any b=type",
		Summary:  "Asynchronous reduction into shared memory of the cluster, tracked by an mbarrier.",
		Example:  "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.min.u32 [addr], b, [mbar_addr];"},
	{ID: "red.async.global", Section: "9.7.15.7", Mnemonic: "red", Tier: 3, Version: 87, SM: 100,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `red.async.mmio.sem.scope{.ss}.add.type [a], b;  // .mmio goes with .sys
			.scope = { .sys };

			red.async.sem.scope{.ss}.add.type [a], b;
			.scope = { .gpu, .sys };

			.sem   = { .release };
			.ss    = { .global };
			.type  = { .u32, .s32, .u64, .s64 };`,
		Operands: "a=any b=type",
		Summary:  "Asynchronous addition into global memory with release ordering.",
		Example:  "red.async.mmio.release.sys.global.add.u32 [addr], b;"},
	{ID: "multimem.red.async", Section: "9.7.15.8", Mnemonic: "multimem", Tier: 4, Version: 93, SM: 100,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `multimem.red.async.sem.scope{.ss}.add.type [a], b;
			.sem   = { .release };
			.scope = { .gpu, .sys };
			.ss    = { .global };
			.type  = { .u32, .s32, .u64 };`,
		Operands: "a=any b=type",
		Summary:  "Asynchronous addition into all places that a multimem address names, with release ordering.",
		Example:  "multimem.red.async.release.gpu.global.add.u32 [mm_addr], src_u32;"},
	{ID: "vote", Section: "9.7.15.9", Mnemonic: "vote", Tier: 4, Version: 12, SM: 12, Effect: CrossLane,
		Gone: Gone{Version: 64, SM: 70},
		Syntax: `vote.mode.pred  d, {!}a;
			vote.ballot.b32 d, {!}a;
			.mode = { .all, .any, .uni };`,
		Gates:    []Gate{{Mod: ".ballot", Version: 20, SM: 20}},
		Operands: "d=1! a=pred",
		Summary:  "Deprecated: vote.sync without its member mask.",
		Example:  "vote.all.pred p, q;"},
	{ID: "vote.sync", Section: "9.7.15.10", Mnemonic: "vote", Tier: 1, Version: 60, SM: 30, Effect: CrossLane,
		Syntax: `vote.sync.mode.pred  d, {!}a, membermask;
			vote.sync.ballot.b32 d, {!}a, membermask;
			.mode = { .all, .any, .uni };`,
		Operands: "d=1! a=pred",
		Summary:  "Combines a predicate over the lanes of the mask: all, any, all equal, or as bits.",
		Example:  "vote.sync.ballot.b32 r1, p, 0xffffffff;"},
	{ID: "match.sync", Section: "9.7.15.11", Mnemonic: "match", Tier: 2, Version: 60, SM: 70, Effect: CrossLane,
		Syntax: `match.any.sync.type d, a, membermask;
			match.all.sync.type d[|p], a, membermask;
			.type = { .b32, .b64 };`,
		Operands: "d=.b32!~ p=pred!~ a=type",
		Summary:  "Finds the lanes of the mask that hold the same value.",
		Example:  "match.any.sync.b32 d, a, 0xffffffff;"},
	{ID: "activemask", Section: "9.7.15.12", Mnemonic: "activemask", Tier: 1, Version: 62, SM: 30, Effect: CrossLane,
		Syntax:   `activemask.b32 d;`,
		Operands: "d=.b32!",
		Summary:  "Mask of the lanes that execute this instruction now.",
		Example:  "activemask.b32 %r1;"},
	{ID: "redux.sync", Section: "9.7.15.13", Mnemonic: "redux", Tier: 2, Version: 70, SM: 80, Effect: CrossLane,
		Syntax: `redux.sync.op.type dst, src, membermask;
			.op   = { .add, .min, .max };
			.type = { .u32, .s32 };

			redux.sync.op.type dst, src, membermask;  // .and, .or and .xor take .b32
			.op   = { .and, .or, .xor };
			.type = { .b32 };`,
		Operands: "dst=type! src=type",
		Summary:  "Reduces a value over the lanes of the mask; every lane gets the result.",
		Example:  "redux.sync.add.s32 dst, src, 0xff;"},
	{ID: "redux.sync.f32", Section: "9.7.15.13", Mnemonic: "redux", Tier: 3, Version: 86, SM: 100, Arch: "f", Family: 10,
		Effect: CrossLane,
		Syntax: `redux.sync.op{.abs}{.NaN}.f32 dst, src, membermask;
			.op = { .min, .max };`,
		Operands: "dst=.f32! src=.f32",
		Summary:  "Smallest or largest single-precision value over the lanes of the mask.",
		Example:  "redux.sync.min.abs.NaN.f32 dst, src, 0xff;"},
	{ID: "griddepcontrol", Section: "9.7.15.14", Mnemonic: "griddepcontrol", Tier: 3, Version: 78, SM: 90,
		Effect: NoEffect,
		Syntax: `griddepcontrol.action;
			.action = { .launch_dependents, .wait };`,
		Summary: "Lets dependent grids start, or waits for the grids that this one depends on.",
		Example: "griddepcontrol.launch_dependents;"},
	{ID: "elect.sync", Section: "9.7.15.15", Mnemonic: "elect", Tier: 3, Version: 80, SM: 90, Effect: CrossLane,
		Syntax:   `elect.sync d|p, membermask;`,
		Operands: "d=.b32!~ p=pred!",
		Summary:  "Chooses one lane of the mask as leader: p is true there, d is its number everywhere.",
		Example:  "elect.sync _|%p0, 0xffffffff;"},
}
