package isa

import "strings"

// The state spaces of tensor copies and what tells that they are complete.
const (
	loadSets  = `.src = { .global }; .completion_mechanism = { .mbarrier::complete_tx::bytes };`
	storeSets = `.dst = { .global }; .src = { .shared::cta }; .completion_mechanism = { .bulk_group };`
)

// tensorModes writes a syntax line of a tensor copy once for each kind of load mode, in the place of MODE, because each
// has dimensions of its own (5.5.3.4, 5.5.4, 5.5.5); INFO is where modes with offsets take them.
func tensorModes(line, rows, im2col, sets string) string {
	info := ""
	if strings.Contains(line, "INFO") {
		info = ", im2colInfo"
	}
	text := ""
	for _, m := range [][5]string{
		{".load_mode", rows, ".2d", "", "  // gather4 and scatter4 need .2d"},
		{".load_mode", im2col, ".3d, .4d, .5d", info, "  // im2col needs .3d, .4d or .5d"},
		{"{.load_mode}", ".tile", ".1d, .2d, .3d, .4d, .5d", "", ""},
	} {
		if m[1] != "" {
			text += strings.ReplaceAll(strings.ReplaceAll(line, "MODE", m[0]), "INFO", m[3]) + m[4] +
				"\n.load_mode = { " + m[1] + " }; .dim = { " + m[2] + " };" + sets + "\n\n"
		}
	}
	return text
}

// copyForms are address mapping and asynchronous copies (9.7.9.23 to 9.7.9.28).
var copyForms = []Form{
	{ID: "mapa", Section: "9.7.9.23", Mnemonic: "mapa", Tier: 3, Version: 78, SM: 90,
		Syntax: `mapa.space.type d, a, b;
			mapa.type       d, g, b;
			.space = { .shared::cluster };
			.type  = { .u32, .u64 };`,
		Operands: "d=type! a,g=type+sym b=.u32",
		Summary:  "Maps an address of shared memory into another CTA of the cluster.",
		Example:  "mapa.shared::cluster.u64 d1, %reg1, cta;"},
	{ID: "getctarank", Section: "9.7.9.24", Mnemonic: "getctarank", Tier: 3, Version: 78, SM: 90,
		Syntax: `getctarank.space.type d, a;
			getctarank.type       d, g;
			.space = { .shared::cluster };
			.type  = { .u32, .u64 };`,
		Operands: "d=.u32! a=type+sym g=type",
		Summary:  "Rank of the CTA to which an address of shared memory belongs.",
		Example:  "getctarank.shared::cluster.u32 d1, addr;"},
	{ID: "cp.async", Section: "9.7.9.25.3.1", Mnemonic: "cp", Tier: 2, Version: 70, SM: 80,
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
	{ID: "cp.async.commit_group", Section: "9.7.9.25.3.2", Mnemonic: "cp", Tier: 2, Version: 70, SM: 80,
		Syntax:  `cp.async.commit_group;`,
		Summary: "Closes the current group of cp.async copies.",
		Example: "cp.async.commit_group;"},
	{ID: "cp.async.wait", Section: "9.7.9.25.3.3", Mnemonic: "cp", Tier: 2, Version: 70, SM: 80,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `cp.async.wait_group N;
			cp.async.wait_all;`,
		Operands: "N=.u32#",
		Summary:  "Waits until at most N of the newest groups are pending, or until all copies are complete.",
		Example:  "cp.async.wait_group 2;"},
	{ID: "cp.async.bulk", Section: "9.7.9.25.4.1", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `cp.async.bulk.dst.src.completion_mechanism{.level::cache_hint}
				[dstMem], [srcMem], size, [mbar]{, cache-policy};
			.dst = { .shared::cta };
			.src = { .global };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };

			cp.async.bulk.dst.src.completion_mechanism{.multicast}{.level::cache_hint}
				[dstMem], [srcMem], size, [mbar]{, ctaMask}{, cache-policy};
			.dst = { .shared::cluster };
			.src = { .global };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.multicast = { .multicast::cluster };

			cp.async.bulk.dst.src.completion_mechanism [dstMem], [srcMem], size, [mbar];
			.dst = { .shared::cluster };
			.src = { .shared::cta };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };

			cp.async.bulk.dst.src.completion_mechanism{.level::cache_hint}{.cp_mask}
				[dstMem], [srcMem], size{, cache-policy}{, byteMask};
			.dst = { .global };
			.src = { .shared::cta };
			.completion_mechanism = { .bulk_group };

			.level::cache_hint = { .L2::cache_hint };`,
		Gates: []Gate{{Mod: ".shared::cta.global.mbarrier::complete_tx::bytes", Version: 86},
			{Mod: ".cp_mask", Version: 86, SM: 100}},
		Operands: "dstMem,srcMem=any byteMask=.u16",
		Summary:  "Starts a copy of a block of bytes between global and shared memory.",
		Example:  "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [dstMem], [srcMem], size, [mbar];"},
	{ID: "cp.reduce.async.bulk", Section: "9.7.9.25.4.2", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `cp.reduce.async.bulk.dst.src.completion_mechanism.add.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.type  = { .u32, .s32, .u64 };

			cp.reduce.async.bulk.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.redOp = { .min, .max };
			.type  = { .u32, .s32 };

			cp.reduce.async.bulk.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.redOp = { .inc, .dec };
			.type  = { .u32 };

			cp.reduce.async.bulk.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size, [mbar];
			.dst   = { .shared::cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };
			.redOp = { .and, .or, .xor };
			.type  = { .b32 };

			cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.add.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.completion_mechanism = { .bulk_group };
			.type  = { .u32, .s32, .u64, .f32, .f64 };

			cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.redOp.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.completion_mechanism = { .bulk_group };
			.redOp = { .min, .max };
			.type  = { .u32, .s32, .u64, .s64, .f16, .bf16 };

			cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.redOp.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.completion_mechanism = { .bulk_group };
			.redOp = { .inc, .dec };
			.type  = { .u32 };

			cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.redOp.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.completion_mechanism = { .bulk_group };
			.redOp = { .and, .or, .xor };
			.type  = { .b32, .b64, .s32 };  // .s32 in an example only

			cp.reduce.async.bulk.dst.src.completion_mechanism{.level::cache_hint}.add.noftz.type
				[dstMem], [srcMem], size{, cache-policy};
			.dst   = { .global };
			.completion_mechanism = { .bulk_group };
			.type  = { .f16, .bf16 };

			.src   = { .shared::cta };
			.level::cache_hint = { .L2::cache_hint };`,
		Operands: "dstMem,srcMem=any",
		Summary:  "Starts a reduction of a block of values into memory.",
		Example:  "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [dstMem], [srcMem], size;"},
	{ID: "cp.async.bulk.prefetch", Section: "9.7.9.25.4.3", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: NoEffect,
		Syntax: `cp.async.bulk.prefetch.L2.src{.level::cache_hint} [srcMem], size{, cache-policy};
			.src = { .global };
			.level::cache_hint = { .L2::cache_hint };`,
		Operands: "srcMem=any",
		Summary:  "Asks for a block to be brought into the L2 cache; no visible effect.",
		Example:  "cp.async.bulk.prefetch.L2.global [srcMem], size;"},
	{ID: "multimem.cp.async.bulk", Section: "9.7.9.26", Mnemonic: "multimem", Tier: 4, Version: 91, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `multimem.cp.async.bulk.dst.src.completion_mechanism{.cp_mask} [dstMem], [srcMem], size{, byteMask};
			.dst = { .global };
			.src = { .shared::cta };
			.completion_mechanism = { .bulk_group };`,
		Gates:    []Gate{{Mod: ".cp_mask", SM: 100}},
		Operands: "dstMem,srcMem=any byteMask=.u16",
		Summary:  "Starts a copy to all places behind a multimem address.",
		Example:  "multimem.cp.async.bulk.global.shared::cta.bulk_group [dstMem], [srcMem], size;"},
	{ID: "multimem.cp.reduce.async.bulk", Section: "9.7.9.27", Mnemonic: "multimem", Tier: 4, Version: 91, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.add.type [dstMem], [srcMem], size;
			.type = { .u32, .s32, .u64, .f32, .f64 };

			multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size;
			.redOp = { .min, .max };
			.type = { .u32, .s32, .u64, .s64, .f16, .bf16 };

			multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size;
			.redOp = { .inc, .dec };
			.type = { .u32 };

			multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.redOp.type [dstMem], [srcMem], size;
			.redOp = { .and, .or, .xor };
			.type = { .b32, .b64 };

			multimem.cp.reduce.async.bulk.dst.src.completion_mechanism.add.noftz.type [dstMem], [srcMem], size;
			.type = { .f16, .bf16 };

			.dst = { .global };
			.src = { .shared::cta };
			.completion_mechanism = { .bulk_group };`,
		Operands: "dstMem,srcMem=any",
		Summary:  "Starts a reduction into all places behind a multimem address.",
		Example:  "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f64 [dstMem], [srcMem], size;"},
	{ID: "cp.async.bulk.tensor", Section: "9.7.9.27.1.2", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: tensorModes("cp.async.bulk.tensor.dim.dst.srcMODE.completion_mechanism{.cta_group}{.level::cache_hint} "+
			"[dstMem], [tensorMap, tensorCoords], [mbar]INFO{, cache-policy};", ".tile::gather4",
			".im2col, .im2col::w, .im2col::w::128", loadSets+".dst = { .shared::cta };") +
			tensorModes("cp.async.bulk.tensor.dim.dst.srcMODE.completion_mechanism{.multicast}{.cta_group}{.level::cache_hint} "+
				"[dstMem], [tensorMap, tensorCoords], [mbar]INFO{, ctaMask}{, cache-policy};", ".tile::gather4",
				".im2col, .im2col::w, .im2col::w::128", loadSets+".dst = { .shared::cluster };") +
			tensorModes("cp.async.bulk.tensor.dim.dst.srcMODE.completion_mechanism{.level::cache_hint} "+
				"[tensorMap, tensorCoords], [srcMem]{, cache-policy};", ".tile::scatter4", ".im2col_no_offs", storeSets) + `
			.multicast = { .multicast::cluster };
			.cta_group = { .cta_group::1, .cta_group::2 };
			.level::cache_hint = { .L2::cache_hint };`,
		Gates: []Gate{{Mod: ".shared::cta.global.mbarrier::complete_tx::bytes", Version: 86},
			{Mod: "cta_group", Version: 86, SM: 100, Arch: "f", Family: 11}, {Mod: ".tile::gather4", Version: 86, SM: 100},
			{Mod: ".shared::cluster.tile::gather4", Arch: "f"}, {Mod: ".shared::cluster.im2col::w", Arch: "f"},
			{Mod: ".tile::scatter4", Version: 86, SM: 100, Arch: "f", Family: 11}, {Mod: ".im2col::w", Version: 86, SM: 100},
			{Mod: ".im2col::w::128", Version: 86, SM: 100, Arch: "f", Family: 11}},
		Operands: "dstMem,srcMem,tensorMap=any tensorCoords=.s32*0 im2colInfo=.u16*0",
		Summary:  "Starts a copy of a tensor tile that a tensor map describes.",
		Example: "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [sMem], [tMap, " +
			"{c0, c1}], [mbar];"},
	{ID: "cp.reduce.async.bulk.tensor", Section: "9.7.9.27.1.3", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: tensorModes("cp.reduce.async.bulk.tensor.dim.dst.src.redOpMODE.completion_mechanism{.level::cache_hint} "+
			"[tensorMap, tensorCoords], [srcMem]{, cache-policy};", "", ".im2col_no_offs", storeSets) + `
			.redOp = { .add, .min, .max, .inc, .dec, .and, .or, .xor };
			.level::cache_hint = { .L2::cache_hint };`,
		Operands: "srcMem,tensorMap=any tensorCoords=.s32*0",
		Summary:  "Starts a reduction into a tensor tile that a tensor map describes.",
		Example:  "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [tMap, {c0, c1}], [sMem];"},
	{ID: "cp.async.bulk.prefetch.tensor", Section: "9.7.9.27.1.4", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect: NoEffect,
		Syntax: tensorModes("cp.async.bulk.prefetch.tensor.dim.L2.srcMODE{.level::cache_hint} "+
			"[tensorMap, tensorCoords]INFO{, cache-policy};", ".tile::gather4", ".im2col, .im2col::w, .im2col::w::128", "") + `
			.src = { .global };
			.level::cache_hint = { .L2::cache_hint };`,
		Gates: []Gate{{Mod: ".tile::gather4", Version: 86, SM: 100, Arch: "f", Family: 11},
			{Mod: ".im2col::w", Version: 86, SM: 100, Arch: "f", Family: 11},
			{Mod: ".im2col::w::128", Version: 86, SM: 100, Arch: "f", Family: 11}},
		Operands: "tensorMap=any tensorCoords=.s32*0 im2colInfo=.u16*0",
		Summary:  "Asks for a tensor tile to be brought into the L2 cache; no visible effect.",
		Example:  "cp.async.bulk.prefetch.tensor.1d.L2.global.tile [tMap, {c0}];"},
	{ID: "cp.async.bulk.commit_group", Section: "9.7.9.27.2.1", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Syntax:  `cp.async.bulk.commit_group;`,
		Summary: "Closes the current group of bulk copies.",
		Example: "cp.async.bulk.commit_group;"},
	{ID: "cp.async.bulk.wait_group", Section: "9.7.9.27.2.2", Mnemonic: "cp", Tier: 3, Version: 80, SM: 90,
		Effect:   ReadsMemory | WritesMemory,
		Syntax:   `cp.async.bulk.wait_group{.read} N;`,
		Operands: "N=.u32#",
		Summary:  "Waits until at most N of the newest bulk groups are pending; .read only for their sources.",
		Example:  "cp.async.bulk.wait_group.read 0;"},
	{ID: "tensormap.replace", Section: "9.7.9.28", Mnemonic: "tensormap", Tier: 3, Version: 83, SM: 90, Arch: "f",
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
			"swizzle_mode=type#<0..4> swizzle_atomicity=type#<0..3> fill_mode=type#<0..1>", // Table 33
		Summary: "Changes one field of a tensor map.",
		Example: "tensormap.replace.tile.global_address.shared::cta.b1024.b64 [sMem], new_val;"},
}
