package isa

import "strings"

// Value sets of bulk copies, and of tensor copies with the state spaces that they have. Those of bulkSets go first, so
// that they hold where a line has none of its own.
const (
	bulkSets = `
		.level::cache_hint = { .L2::cache_hint };
		.multicast = { .multicast::cluster{::16b, ::32b} };
		.report_mechanism = { .mbarrier::report::disabled, .mbarrier::report::validity::per_16bytes::80000000,
			.mbarrier::report::validity::per_16bytes::8000, .mbarrier::report::validity::per_16bytes::80,
			.mbarrier::report::validity::per_16bytes::8, .mbarrier::report::validity::per_element::ff };

	`
	loadSets  = `.src = { .global }; .completion_mechanism = { .mbarrier::complete_tx::bytes };`
	storeSets = `.dst = { .global }; .src = { .shared::cta }; .completion_mechanism = { .bulk_group };`
	prefetch  = `.src = { .global }; .level::eviction_priority = { .L2::evict_last };`
)

// bulkScopes are the scopes of memory orderings.
const bulkScopes = `.scope = { .cta, .cluster, .gpu, .sys };`

// tensorOperands are the tensor map with the coordinates, and what overrides its fields (Table 35).
const tensorOperands = "tensorMap=any tensorCoords=.s32*0 gAddrToOverride=.u64 tensorSizeToOverride=any*0 " +
	"tensorLowerStrideToOverride=.b32*0 tensorUpperStrideToOverride=.b16"

// bulkCopy writes a syntax line of a bulk copy twice: weak, and relaxed in a scope with the size that is atomic, in the
// places of SEM and TYPE (9.7.10.28.4.1).
func bulkCopy(line, sets string) string {
	text := ""
	for _, m := range [][2]string{{"{.weak}", ""}, {".relaxed.scope", ".b128"}} {
		text += strings.NewReplacer("SEM", m[0], "TYPE", m[1]).Replace(line) + "\n"
	}
	return text + sets + "\n\n"
}

// tensorModes writes a syntax line of a tensor copy once for each kind of load mode, in the place of MODE, because each
// has dimensions of its own (5.5.3.4, 5.5.4, 5.5.5); INFO is where modes with offsets take them. OVERRIDE and TENSOR are
// where the tensor's address may be overridden; sizes and strides may be only with the address, in tiles, and with masks
// of 32 bits (9.7.10.28.5.2).
func tensorModes(line, rows, im2col, sets string) string {
	const address, size = ".override::global_address", "[tensorMap, gAddrToOverride, tensorSizeToOverride, "
	info, base := "", "[tensorMap{, gAddrToOverride}, tensorCoords]"
	if strings.Contains(line, "INFO") {
		info = ", im2colInfo"
	}
	type mode struct{ slot, values, dims, override, tensor, info, note string }
	modes := []mode{
		{".load_mode", rows, ".2d", "{" + address + "}", base, "", "  // gather4 and scatter4 need .2d"},
		{".load_mode", im2col, ".3d, .4d, .5d", "{" + address + "}", base, info, "  // im2col needs .3d, .4d or .5d"},
		{"{.load_mode}", ".tile", ".1d, .2d, .3d, .4d, .5d", "{" + address + "}", base, "", ""},
		{"{.load_mode}", ".tile", ".1d", address + ".override::global_dim", size + "tensorCoords]", "",
			"  // .override::global_dim needs .1d"},
		{"{.load_mode}", ".tile", ".2d, .3d, .4d, .5d", address + ".override::global_dim_stride",
			size + "tensorLowerStrideToOverride, tensorUpperStrideToOverride, tensorCoords]", "",
			"  // .override::global_dim_stride needs .2d, .3d, .4d or .5d"},
	}
	text := ""
	for i, m := range modes {
		if m.values == "" {
			continue
		}
		places := strings.NewReplacer("MODE", m.slot, "OVERRIDE", m.override, "TENSOR", m.tensor, "INFO", m.info)
		text += places.Replace(line) + m.note + "\n.load_mode = { " + m.values + " }; .dim = { " + m.dims + " };" + sets
		if i >= 3 && strings.Contains(line, "{.multicast}") {
			text += ".multicast = { .multicast::cluster::32b };"
		}
		text += "\n\n"
	}
	return text
}

// orderGates are the requirements of memory orderings of bulk copies.
var orderGates = []Gate{
	{Mod: ".weak", Version: 93, Arch: "f", Family: 11}, {Mod: ".relaxed", Version: 93, Arch: "f", Family: 11},
	{Mod: ".cp_mask", Version: 86, SM: 100},
}

// bulkGates are the requirements of the modifiers that bulk and tensor copies share.
var bulkGates = append([]Gate{
	{Mod: ".shared::cta.global.mbarrier::complete_tx::bytes", Version: 86}, {Mod: ".ignore_oob", Version: 92},
	{Mod: ".multicast::cluster::16b", Version: 94},
	{Mod: ".multicast::cluster::32b", Version: 94, SM: 107, Arch: "f", Family: 10},
	{Mod: "report_mechanism", Version: 94, SM: 107, Arch: "f", Family: 10},
	{Mod: "level::eviction_priority", Version: 94, SM: 107, Arch: "f", Family: 10},
	{Mod: ".override::global_address", Version: 94, SM: 107, Arch: "f", Family: 10},
	{Mod: ".im2col_no_offs::w", Version: 94, SM: 107, Arch: "f", Family: 10},
}, orderGates...)

// copyForms are address mapping and asynchronous copies (9.7.10.26 to 9.7.10.29).
var copyForms = []Form{
	{ID: "mapa", Section: "9.7.10.26", Mnemonic: "mapa", Tier: 3, Version: 78, SM: 90,
		Syntax: `mapa.space.type d, a, b;
			mapa.type       d, g, b;
			.space = { .shared::cluster };
			.type  = { .u32, .u64 };`,
		Operands: "d=type! a,g=type+sym b=.u32",
		Summary:  "Maps an address of shared memory into another CTA of the cluster.",
		Example:  "mapa.shared::cluster.u64 d1, %reg1, cta;"},
	{ID: "getctarank", Section: "9.7.10.27", Mnemonic: "getctarank", Tier: 3, Version: 78, SM: 90,
		Syntax: `getctarank.space.type d, a;
			getctarank.type       d, g;
			.space = { .shared::cluster };
			.type  = { .u32, .u64 };`,
		Operands: "d=.u32! a=type+sym g=type",
		Summary:  "Rank of the CTA to which an address of shared memory belongs.",
		Example:  "getctarank.shared::cluster.u32 d1, addr;"},
	{ID: "cp.async", Section: "9.7.10.28.3.1", Mnemonic: "cp", Tier: 2, Version: 70, SM: 80,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `cp.async.cop.ss.global{.level::cache_hint}{.level::prefetch_size}
				[dst], [src], cp-size{, src-size}{, cache-policy};
			cp.async.cop.ss.global{.level::cache_hint}{.level::prefetch_size}
				[dst], [src], cp-size{, ignore-src}{, cache-policy};
			.cop = { .ca, .cg };
			.ss  = { .shared{::cta} };
			.level::cache_hint = { .L2::cache_hint };
			.level::prefetch_size = { .L2::64B, .L2::128B, .L2::256B };`,
		Gates: []Gate{{Mod: ".L2::cache_hint", Version: 74}, {Mod: "level::prefetch_size", Version: 74},
			{Mod: ".shared::cta", Version: 78}, {Mod: "@ignore-src", Version: 75}},
		Operands: "dst,src=any cp-size=.u32# src-size=.u32 ignore-src=pred",
		Summary:  "Starts a copy of 4, 8 or 16 bytes from global to shared memory.",
		Example:  "cp.async.ca.shared.global [shrd], [gbl + 4], 4;"},
	{ID: "cp.async.commit_group", Section: "9.7.10.28.3.2", Mnemonic: "cp", Tier: 2, Version: 70, SM: 80,
		Syntax:  `cp.async.commit_group;`,
		Summary: "Closes the current group of cp.async copies.",
		Example: "cp.async.commit_group;"},
	{ID: "cp.async.wait", Section: "9.7.10.28.3.3", Mnemonic: "cp", Tier: 2, Version: 70, SM: 80,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `cp.async.wait_group N;
			cp.async.wait_all;`,
		Operands: "N=.u32#",
		Summary:  "Waits until at most N of the newest groups are pending, or until all copies are complete.",
		Example:  "cp.async.wait_group 2;"},
	{ID: "cp.async.bulk", Section: "9.7.10.28.4.1", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: bulkSets + bulkCopy(`cp.async.bulkSEM.dst.src.completion_mechanism{.report_mechanism}{.level::cache_hint}TYPE
				[dstMem], [srcMem], size, [mbar]{, cache-policy};`, loadSets+`.dst = { .shared::cta };`+bulkScopes) +
			bulkCopy(`cp.async.bulkSEM.dst.src.completion_mechanism{.report_mechanism}{.level::cache_hint}.ignore_oobTYPE
				[dstMem], [srcMem], size, ignoreBytesLeft, ignoreBytesRight, [mbar]{, cache-policy};`,
				loadSets+`.dst = { .shared::cta }; .report_mechanism = { .mbarrier::report::disabled };`+bulkScopes) +
			bulkCopy(`cp.async.bulkSEM.dst.src.completion_mechanism{.report_mechanism}{.multicast}{.level::cache_hint}TYPE
				[dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};`, loadSets+`.dst = { .shared::cluster };`+bulkScopes) +
			bulkCopy(`cp.async.bulkSEM.dst.src.completion_mechanismTYPE [dstMem], [srcMem], size, [mbar];`,
				`.dst = { .shared::cluster }; .src = { .shared::cta }; .scope = { .cta, .cluster };
					.completion_mechanism = { .mbarrier::complete_tx::bytes };`) +
			bulkCopy(`cp.async.bulkSEM.dst.src.completion_mechanism{.level::cache_hint}{.cp_mask}TYPE
				[dstMem], [srcMem], size{, cache-policy}{, byteMask};`, storeSets+bulkScopes),
		Gates:    bulkGates,
		Operands: "dstMem,srcMem=any byteMask=.u16 ignoreBytesLeft,ignoreBytesRight=.u32<0..15>",
		Summary:  "Starts a copy of a block of bytes between global and shared memory.",
		Example:  "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar];"},
	{ID: "cp.reduce.async.bulk", Section: "9.7.10.28.4.2", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: `cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.add.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.scope = { .cta, .cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.type  = { .u32, .s32, .u64 };

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.scope = { .cta, .cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.redOp = { .min, .max };
			.type  = { .u32, .s32 };

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.scope = { .cta, .cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.redOp = { .inc, .dec };
			.type  = { .u32 };

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.scope = { .cta, .cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.redOp = { .and, .or, .xor };
			.type  = { .b32 };

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism{.level::cache_hint}.add.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.scope = { .cta, .cluster, .gpu, .sys };
			.completion_mechanism = { .bulk_group };
			.type  = { .u32, .s32, .u64, .f32, .f64 };

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism{.level::cache_hint}.redOp.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.scope = { .cta, .cluster, .gpu, .sys };
			.completion_mechanism = { .bulk_group };
			.redOp = { .min, .max };
			.type  = { .u32, .s32, .u64, .s64, .f16, .bf16 };

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism{.level::cache_hint}.redOp.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.scope = { .cta, .cluster, .gpu, .sys };
			.completion_mechanism = { .bulk_group };
			.redOp = { .inc, .dec };
			.type  = { .u32 };

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism{.level::cache_hint}.redOp.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.scope = { .cta, .cluster, .gpu, .sys };
			.completion_mechanism = { .bulk_group };
			.redOp = { .and, .or, .xor };
			.type  = { .b32, .b64, .s32 };  // .s32 in an example only

			cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism{.level::cache_hint}.add.noftz.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.scope = { .cta, .cluster, .gpu, .sys };
			.completion_mechanism = { .bulk_group };
			.type  = { .f16, .bf16, .f32 };

			.src   = { .shared::cta };
			.level::cache_hint = { .L2::cache_hint };`,
		Gates:    []Gate{{Mod: ".relaxed", Version: 93}, {Mod: ".noftz.f32", Version: 94}},
		Operands: "dstMem,srcMem=any",
		Summary:  "Starts a reduction of a block of values into memory.",
		Example:  "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [dstMem], [srcMem], size;"},
	{ID: "cp.async.bulk.prefetch", Section: "9.7.10.28.4.3", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: NoEffect,
		Syntax: `cp.async.bulk.prefetch.L2.src{.level::cache_hint} [srcMem], size{, cache-policy};
			cp.async.bulk.prefetch.L2.src.level::eviction_priority [srcMem], size;
			.level::cache_hint = { .L2::cache_hint };` + prefetch,
		Gates:    bulkGates,
		Operands: "srcMem=any",
		Summary:  "Asks for a block to be brought into the L2 cache; no visible effect.",
		Example:  "cp.async.bulk.prefetch.L2.global [srcMem], size;"},
	{ID: "multimem.cp.async.bulk", Section: "9.7.10.28.4.4", Mnemonic: "multimem", Tier: 4, Version: 91, SM: 90,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: bulkCopy(`multimem.cp.async.bulkSEM.dst.src.completion_mechanism{.cp_mask}TYPE
			[dstMem], [srcMem], size{, byteMask};`, storeSets+bulkScopes),
		Gates:    orderGates,
		Operands: "dstMem,srcMem=any byteMask=.u16",
		Summary:  "Starts a copy to all places that a multimem address names.",
		Example:  "multimem.cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size;"},
	{ID: "multimem.cp.reduce.async.bulk", Section: "9.7.10.28.4.5", Mnemonic: "multimem", Tier: 4, Version: 91, SM: 90,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: `multimem.cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.add.type [dstMem], [srcMem], size;
			.type = { .u32, .s32, .u64, .f32, .f64 };

			multimem.cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size;
			.redOp = { .min, .max };
			.type = { .u32, .s32, .u64, .s64, .f16, .bf16 };

			multimem.cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size;
			.redOp = { .inc, .dec };
			.type = { .u32 };

			multimem.cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size;
			.redOp = { .and, .or, .xor };
			.type = { .b32, .b64 };

			multimem.cp.reduce.async.bulk{.relaxed.scope}.dst.src.completion_mechanism.add.noftz.type [dstMem], [srcMem], size;
			.type = { .f16, .bf16, .f32 };

			` + storeSets + bulkScopes,
		Gates:    []Gate{{Mod: ".relaxed", Version: 93}, {Mod: ".noftz.f32", Version: 94}},
		Operands: "dstMem,srcMem=any",
		Summary:  "Starts a reduction into all places that a multimem address names.",
		Example:  "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [dstMem], [srcMem], size;"},
	{ID: "cp.async.bulk.tensor", Section: "9.7.10.28.5.3", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: bulkSets + tensorModes("cp.async.bulk.tensor.dim.dst.srcMODE.completion_mechanism{.report_mechanism}{.cta_group}"+
			"{.level::cache_hint}OVERRIDE [dstMem], TENSOR, [mbar]INFO{, cache-policy};", ".tile::gather4",
			".im2col, .im2col::w, .im2col::w::128", loadSets+".dst = { .shared::cta };") +
			tensorModes("cp.async.bulk.tensor.dim.dst.srcMODE.completion_mechanism{.report_mechanism}{.multicast}{.cta_group}"+
				"{.level::cache_hint}OVERRIDE [dstMem], TENSOR, [mbar]INFO{, ctaMask}{, cache-policy};", ".tile::gather4",
				".im2col, .im2col::w, .im2col::w::128", loadSets+".dst = { .shared::cluster };") +
			tensorModes("cp.async.bulk.tensor.dim.dst.srcMODE.completion_mechanism{.level::cache_hint}OVERRIDE "+
				"TENSOR, [srcMem]{, cache-policy};", ".tile::scatter4", ".im2col_no_offs, .im2col_no_offs::w", storeSets) +
			".cta_group = { .cta_group::1, .cta_group::2 };",
		Gates: append([]Gate{
			{Mod: "cta_group", Version: 86, SM: 100, Arch: "f", Family: 11}, {Mod: ".tile::gather4", Version: 86, SM: 100},
			{Mod: ".shared::cluster.tile::gather4", Arch: "f"}, {Mod: ".shared::cluster.im2col::w", Arch: "f"},
			{Mod: ".tile::scatter4", Version: 86, SM: 100, Arch: "f", Family: 11}, {Mod: ".im2col::w", Version: 86, SM: 100},
			{Mod: ".im2col::w::128", Version: 86, SM: 100, Arch: "f", Family: 11}}, bulkGates...),
		Operands: "dstMem,srcMem=any im2colInfo=.u16*0 " + tensorOperands,
		Summary:  "Starts a copy of a tensor tile that a tensor map describes.",
		Example: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [sMem], [tMap, " +
			"{c0, c1}], [mbar];"},
	{ID: "cp.reduce.async.bulk.tensor", Section: "9.7.10.28.5.4", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: tensorModes("cp.reduce.async.bulk.tensor.dim.dst.src.redOpMODE.completion_mechanism{.level::cache_hint}OVERRIDE "+
			"TENSOR, [srcMem]{, cache-policy};", "", ".im2col_no_offs, .im2col_no_offs::w", storeSets) + `
			.redOp = { .add, .min, .max, .inc, .dec, .and, .or, .xor };
			.level::cache_hint = { .L2::cache_hint };`,
		Gates:    bulkGates,
		Operands: "srcMem=any " + tensorOperands,
		Summary:  "Starts a reduction into a tensor tile that a tensor map describes.",
		Example:  "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [tMap, {c0, c1}], [sMem];"},
	{ID: "cp.async.bulk.prefetch.tensor", Section: "9.7.10.28.5.5", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: NoEffect,
		Syntax: tensorModes("cp.async.bulk.prefetch.tensor.dim.L2.srcMODE{.level::cache_hint}OVERRIDE TENSORINFO{, cache-policy};",
			".tile::gather4", ".im2col, .im2col::w, .im2col::w::128", prefetch) +
			tensorModes("cp.async.bulk.prefetch.tensor.dim.L2.srcMODE.level::eviction_priorityOVERRIDE TENSORINFO;",
				".tile::gather4", ".im2col, .im2col::w, .im2col::w::128", prefetch) + `
			.level::cache_hint = { .L2::cache_hint };`,
		Gates: append([]Gate{{Mod: ".tile::gather4", Version: 86, SM: 100, Arch: "f", Family: 11},
			{Mod: ".im2col::w", Version: 86, SM: 100, Arch: "f", Family: 11},
			{Mod: ".im2col::w::128", Version: 86, SM: 100, Arch: "f", Family: 11}}, bulkGates...),
		Operands: "im2colInfo=.u16*0 " + tensorOperands,
		Summary:  "Asks for a tensor tile to be brought into the L2 cache; no visible effect.",
		Example:  "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [tMap, {c0}];"},
	{ID: "cp.async.bulk.commit_group", Section: "9.7.10.28.6.1", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Syntax:  `cp.async.bulk.commit_group;`,
		Summary: "Closes the current group of bulk copies.",
		Example: "cp.async.bulk.commit_group;"},
	{ID: "cp.async.bulk.wait_group", Section: "9.7.10.28.6.2", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect:   ReadsMemory | WritesMemory,
		Syntax:   `cp.async.bulk.wait_group{.read} N;`,
		Operands: "N=.u32#",
		Summary:  "Waits until at most N of the newest bulk groups are pending; .read only for their sources.",
		Example:  "cp.async.bulk.wait_group.read 0;"},
	{ID: "tensormap.replace", Section: "9.7.10.29", Mnemonic: "tensormap", Tier: 3, Version: 83, SM: 90, Arch: "f",
		Effect: WritesMemory,
		Syntax: `tensormap.replace.mode.field1{.ss}.b1024.type [addr], new_val;
			.field1 = { .global_address };
			.type   = { .b64 };

			tensormap.replace.mode.field1{.ss}.b1024.type [addr], new_val;
			.field1 = { .rank };
			.type   = { .b32 };

			tensormap.replace.mode.field2{.ss}.b1024.type [addr], ord, new_val;
			.field2 = { .global_stride };
			.type   = { .b64 };

			tensormap.replace.mode.field2{.ss}.b1024.type [addr], ord, new_val;
			.field2 = { .box_dim, .global_dim, .element_stride };
			.type   = { .b32 };

			tensormap.replace.mode.field3{.ss}.b1024.type [addr], elemtype;
			.field3 = { .elemtype };
			.type   = { .b32 };

			tensormap.replace.mode.field3{.ss}.b1024.type [addr], interleave_layout;
			.field3 = { .interleave_layout };
			.type   = { .b32 };

			tensormap.replace.mode.field3{.ss}.b1024.type [addr], swizzle_mode;
			.field3 = { .swizzle_mode };
			.type   = { .b32 };

			tensormap.replace.mode.field3{.ss}.b1024.type [addr], swizzle_atomicity;
			.field3 = { .swizzle_atomicity };
			.type   = { .b32 };

			tensormap.replace.mode.field3{.ss}.b1024.type [addr], fill_mode;
			.field3 = { .fill_mode };
			.type   = { .b32 };

			.mode = { .tile };
			.ss   = { .global, .shared::cta };`,
		Gates: []Gate{{Mod: ".swizzle_atomicity", Version: 86, SM: 100}, {Mod: "@elemtype", From: 13, Version: 87, SM: 100},
			{Mod: "@swizzle_mode", From: 4, Version: 88, SM: 103, Arch: "a", Family: 10}},
		Operands: "addr=any new_val=type ord=.u32#<0..4> elemtype=type#<0..15> interleave_layout=type#<0..2> " +
			"swizzle_mode=type#<0..4> swizzle_atomicity=type#<0..3> fill_mode=type#<0..1>", // Table 36
		Summary: "Changes one field of a tensor map.",
		Example: "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sMem], new_val;"},
}
