package isa

import "strings"

// Value sets of fabric operations. They report failures to an mbarrier.
const (
	fabricFetch = `.completion_mechanism = { .mbarrier::complete_tx::bytes }; .report = { .mbarrier::report::fabric };
		.dst = { .shared::cta }; .sem = { .relaxed }; .scope = { .sys };`
	fabricSend = `.completion_mechanism = { .mbarrier::complete_tx::16B }; .report = { .mbarrier::report::fabric };
		.src = { .shared::cta }; .sem = { .relaxed }; .scope = { .sys };`
	fabricHint = `.level::cache_hint = { .L2::cache_hint };`
	// The syntax lines of tensors write .tiled and .l2::cache_hint, most of their examples .tile and .L2::cache_hint.
	fabricTensors = `.load_mode = { .tile, .tiled }; .level::cache_hint = { .L2::cache_hint, .l2::cache_hint };`

	fabricMinMax = ".u32, .s32, .u64, .s64, .f16, .bf16"
)

// counted writes a syntax line of an operation that sends twice: HANDLE is where it is sent to, and COUNTED where it says
// that a counter there counts bytes (9.7.11.4.3).
func counted(line, sets string) string {
	return strings.NewReplacer("COUNTED", "", "HANDLE", "dstLeId, dstDataOff").Replace(line) + "\n" +
		strings.NewReplacer("COUNTED", ".counted::bytes", "HANDLE", "dstLeId, dstDataOff, dstCounterOff").Replace(line) +
		"\n" + sets + "\n\n"
}

// fabricTensor writes a syntax line of an operation on a tensor with the tensor map's sizes and with others, in the places
// of ATTRIBUTE and INFO (Table 34).
func fabricTensor(line, sets string) string {
	text := ""
	for _, m := range [][3]string{
		{"", ".1d, .2d, .3d, .4d, .5d", ""},
		{".override::global_dim", ".1d", "tensorSizeToOverride, "},
		{".override::global_dim_stride", ".2d, .3d, .4d, .5d",
			"tensorSizeToOverride, tensorLowerStrideToOverride, tensorUpperStrideToOverride, "},
	} {
		line := strings.NewReplacer("ATTRIBUTE", m[0], "INFO", m[2]).Replace(line)
		text += strings.NewReplacer("COUNTED", "", "COUNTER", "").Replace(line) + "\n"
		if strings.Contains(line, "COUNTED") {
			text += strings.NewReplacer("COUNTED", ".counted::bytes", "COUNTER", "counterOff, ").Replace(line) + "\n"
		}
		text += ".dim = { " + m[1] + " };" + sets + "\n\n"
	}
	return text
}

// fabricGates are the requirements that fabric operations share.
var fabricGates = []Gate{{Mod: "level::cache_hint", Version: 94}}

// fabricForms are operations on the memory of other devices, which handles name (9.7.11).
var fabricForms = []Form{
	{ID: "fabric.try_get", Section: "9.7.11.5.1", Mnemonic: "fabric", Tier: 4, Version: 93, SM: 100,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `fabric.try_get.async.dst.completion_mechanism.report{.level::cache_hint}.sem.scope.b128
				[dst], [srcLeId, srcDataOff], size, [bar]{, cache-policy};
			` + fabricFetch + fabricHint,
		Gates:    fabricGates,
		Operands: "dst,bar=any srcLeId=.u32 srcDataOff=.u64",
		Summary:  "Starts a copy from another device's memory, which may fail.",
		Example: "fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 " +
			"[dstSmem], [srcLeId, srcLeOff], 0x100, [mbar];"},
	{ID: "fabric.try_put", Section: "9.7.11.5.2", Mnemonic: "fabric", Tier: 4, Version: 93, SM: 100,
		Effect: ReadsMemory | WritesMemory,
		Syntax: counted(`fabric.try_put.async{.multimem}.src.completion_mechanism.reportCOUNTED{.level::cache_hint}.sem.scope.b128
				[HANDLE], [src], size, [bar]{, cache-policy};`, fabricSend+fabricHint) +
			`fabric.try_put.async{.multimem}.src.completion_mechanism.report{.level::cache_hint}.cp_mask.sem.scope.b128
				[dstLeId, dstDataOff], [src], size, [bar], bytemask{, cache-policy};`,
		Gates:    fabricGates,
		Operands: "src,bar=any dstLeId=.u32 dstDataOff,dstCounterOff=.u64 bytemask=.u16",
		Summary:  "Starts a copy into another device's memory, which may fail.",
		Example: "fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.b128 " +
			"[dstLeId, dstLeOffData], [srcSmem], 0x100, [mbar];"},
	{ID: "fabric.try_red", Section: "9.7.11.5.3", Mnemonic: "fabric", Tier: 4, Version: 93, SM: 100,
		Effect: ReadsMemory | WritesMemory,
		Syntax: fabricReduction(".and, .xor, .or", ".b32, .b64") + fabricReduction(".min, .max", fabricMinMax) +
			fabricReduction(".add", ".u32, .u64, .f16, .bf16, .f32, .f64"),
		Gates:    fabricGates,
		Operands: "src,bar=any dstLeId=.u32 dstDataOff,dstCounterOff=.u64",
		Summary:  "Starts a reduction into another device's memory, which may fail.",
		Example: "fabric.try_red.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.add.u32 " +
			"[dstLeId, dstLeOffData], [srcSmem], size, [mbar];"},
	{ID: "fabric.try_pullred", Section: "9.7.11.5.4", Mnemonic: "fabric", Tier: 4, Version: 93, SM: 100,
		Effect: ReadsMemory | WritesMemory | CrossLane,
		Syntax: pullReduction(".redOp", ".redOp = { .and, .xor, .or }; .type = { .b32, .b64 };") +
			pullReduction(".redOp", ".redOp = { .min, .max }; .type = { "+fabricMinMax+", .e4m3, .e5m2 };") +
			pullReduction(".add", ".type = { .u32, .u64, .f16, .bf16, .f32 };") +
			pullReduction(".add.acc::f16", ".type = { .e4m3, .e5m2 };") +
			pullReduction(".add.acc::f32", ".type = { .f16, .bf16 };"),
		Gates: []Gate{{Mod: ".acc::f16", Arch: "f", Family: 11, Also: 12}, {Mod: ".acc::f32", Arch: "f", Family: 11, Also: 12},
			{Mod: ".e4m3", Arch: "f", Family: 11, Also: 12}, {Mod: ".e5m2", Arch: "f", Family: 11, Also: 12}},
		Operands: "dst,bar=any srcLeId=.u32 srcDataOff=.u64 imm-membermask=.u32#<4294967295>",
		Summary:  "Starts loads from several devices, whose values are reduced.",
		Example: "fabric.try_pullred.async.multimem.mbarrier::complete_tx::bytes.mbarrier::report::fabric.shared::cta.f32.add.sync" +
			".relaxed.sys [dst], [leId, offset], size, [mbar], 0xFFFFFFFF;"},
	{ID: "fabric.submit", Section: "9.7.11.5.5", Mnemonic: "fabric", Tier: 4, Version: 93, SM: 100,
		Syntax: `fabric.submit{.submitop};
			.submitop = { .op_restrict::fetching };`,
		Summary: "Submits the thread's fabric operations so far.",
		Example: "fabric.submit;"},
	{ID: "fabric.wait", Section: "9.7.11.5.6", Mnemonic: "fabric", Tier: 4, Version: 93, SM: 100,
		Effect:  ReadsMemory,
		Syntax:  `fabric.wait.sync_restrict::reads;`,
		Summary: "Waits until submitted fabric operations have read shared memory.",
		Example: "fabric.wait.sync_restrict::reads;"},
	{ID: "fabric.try_get.tensor", Section: "9.7.11.5.7", Mnemonic: "fabric", Tier: 4, Version: 94, SM: 107, Arch: "f", Family: 10,
		Effect: ReadsMemory | WritesMemory,
		Syntax: fabricTensor("fabric.try_get.async.tensor.dim.dst{.load_mode}.completion_mechanism.report{.level::cache_hint}"+
			".override::global_addressATTRIBUTE.sem.scope.b128 "+
			"[dstMem], [tensorMap, tensorMapLeId, tensorMapOff, INFOtensorCoords], [mbar]{, cache-policy};",
			fabricTensors+fabricFetch),
		Operands: "dstMem=any " + fabricTensorOperands,
		Summary:  "Starts a copy of a tensor tile from another device's memory, which may fail.",
		Example: "fabric.try_get.async.tensor.1d.shared::cta.tiled.mbarrier::complete_tx::bytes.mbarrier::report::fabric" +
			".override::global_address.relaxed.sys.b128 [dstSmem], [tensorDesc, overrideLeId, overrideLeOff, {u}], [mbar];"},
	{ID: "fabric.try_put.tensor", Section: "9.7.11.5.8", Mnemonic: "fabric", Tier: 4, Version: 94, SM: 107, Arch: "f", Family: 10,
		Effect: ReadsMemory | WritesMemory,
		Syntax: fabricTensor("fabric.try_put.async.tensor{.multimem}.dim.src{.load_mode}.completion_mechanism.reportCOUNTED"+
			"{.level::cache_hint}.override::global_addressATTRIBUTE.sem.scope.b128 "+
			"[tensorMap, tensorMapLeId, tensorMapOff, COUNTERINFOtensorCoords], [src], size, [mbar]{, cache-policy};",
			fabricTensors+fabricSend),
		Operands: "src=any counterOff=.u64 " + fabricTensorOperands,
		Summary:  "Starts a copy of a tensor tile into another device's memory, which may fail.",
		Example: "fabric.try_put.async.tensor.1d.shared::cta.tile.mbarrier::complete_tx::16B.mbarrier::report::fabric" +
			".override::global_address.relaxed.sys.b128 [tensorDesc, leId, off, {u}], [srcSmem], numBytes, [mbar];"},
	{ID: "fabric.try_red.tensor", Section: "9.7.11.5.9", Mnemonic: "fabric", Tier: 4, Version: 94, SM: 107, Arch: "f", Family: 10,
		Effect: ReadsMemory | WritesMemory,
		Syntax: fabricTensor("fabric.try_red.async.tensor{.multimem}.dim.src{.load_mode}.completion_mechanism.reportCOUNTED"+
			"{.level::cache_hint}.override::global_addressATTRIBUTE.sem.scope.redOp "+
			"[tensorMap, tensorMapLeId, tensorMapOff, COUNTERINFOtensorCoords], [src], size, [mbar]{, cache-policy};",
			fabricTensors+fabricSend+".redOp = { .and, .xor, .or, .add, .min, .max };"),
		Operands: "src=any counterOff=.u64 " + fabricTensorOperands,
		Summary:  "Starts a reduction into a tensor tile in another device's memory, which may fail.",
		Example: "fabric.try_red.async.tensor.1d.shared::cta.tile.mbarrier::complete_tx::16B.mbarrier::report::fabric" +
			".override::global_address.relaxed.sys.max [tensorDesc, leId, off, {u}], [srcSmem], numBytes, [mbar];"},
	{ID: "fabric.try_atom", Section: "9.7.11.5.10", Mnemonic: "fabric", Tier: 4, Version: 94, SM: 100,
		Effect: ReadsMemory | WritesMemory,
		Syntax: fabricAtomic(".and, .xor, .or", ".b32, .b64") + fabricAtomic(".exch, .cas", ".b32, .b64, .b128") +
			fabricAtomic(".min, .max", ".u32, .u64, .f16x2, .bf16x2") +
			fabricAtomic(".add", ".u32, .u64, .f16x2, .bf16x2, .f32, .f64"),
		Operands: "dstLeId=.u32 dstDataOff=.u64 smem_dst,smem_src=any",
		Summary:  "Starts an atomic operation on another device's memory, which may fail.",
		Example: "fabric.try_atom.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys.and.b32 " +
			"[dstLeId, dstLeOffData], [dstSmem], [srcSmem], [mbar];"},
}

// fabricTensorOperands are those of operations on tensors.
const fabricTensorOperands = "tensorMap=any tensorMapLeId=.u32 tensorMapOff=.u64 tensorCoords=.s32*0 " +
	"tensorSizeToOverride=any*0 tensorLowerStrideToOverride=.b32*0 tensorUpperStrideToOverride=.b16"

// fabricReduction writes the syntax lines of some operations of try_red on some types.
func fabricReduction(ops, types string) string {
	return counted(`fabric.try_red.async{.multimem}.src.completion_mechanism.reportCOUNTED{.level::cache_hint}.sem.scope.redOp.type
		[HANDLE], [src], size, [bar]{, cache-policy};`, ".redOp = { "+ops+" }; .type = { "+types+" };"+fabricSend+fabricHint)
}

// pullReduction writes the syntax line of an operation of try_pullred.
func pullReduction(op, sets string) string {
	return "fabric.try_pullred.async.multimem.dst.completion_mechanism.report.sem.scope" + op + `.type.sync
		[dst], [srcLeId, srcDataOff], size, [bar], imm-membermask;` + "\n" + sets + fabricFetch + "\n\n"
}

// fabricAtomic writes the syntax line of some operations of try_atom on some types.
func fabricAtomic(ops, types string) string {
	return `fabric.try_atom.async.src.completion_mechanism.report{.level::cache_hint}.sem.scope.redOp.type
		[dstLeId, dstDataOff], [smem_dst], [smem_src], [mbar]{, cache-policy};` + "\n.redOp = { " + ops + " }; .type = { " + types +
		" };" + fabricSend + fabricHint + "\n\n"
}
