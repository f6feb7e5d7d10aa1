package isa

// The shapes of wgmma (9.7.17.2): 64 rows, a multiple of 8 or, for integers, mostly of 16 columns, and a depth.
const (
	floatK8 = `
		.shape = { .m64n8k8, .m64n16k8, .m64n24k8, .m64n32k8, .m64n40k8, .m64n48k8, .m64n56k8, .m64n64k8, .m64n72k8,
		.m64n80k8, .m64n88k8, .m64n96k8, .m64n104k8, .m64n112k8, .m64n120k8, .m64n128k8, .m64n136k8, .m64n144k8,
		.m64n152k8, .m64n160k8, .m64n168k8, .m64n176k8, .m64n184k8, .m64n192k8, .m64n200k8, .m64n208k8,
		.m64n216k8, .m64n224k8, .m64n232k8, .m64n240k8, .m64n248k8, .m64n256k8 };
	`
	floatK16 = `
		.shape = { .m64n8k16, .m64n16k16, .m64n24k16, .m64n32k16, .m64n40k16, .m64n48k16, .m64n56k16, .m64n64k16,
		.m64n72k16, .m64n80k16, .m64n88k16, .m64n96k16, .m64n104k16, .m64n112k16, .m64n120k16, .m64n128k16,
		.m64n136k16, .m64n144k16, .m64n152k16, .m64n160k16, .m64n168k16, .m64n176k16, .m64n184k16, .m64n192k16,
		.m64n200k16, .m64n208k16, .m64n216k16, .m64n224k16, .m64n232k16, .m64n240k16, .m64n248k16, .m64n256k16 };
	`
	floatK32 = `
		.shape = { .m64n8k32, .m64n16k32, .m64n24k32, .m64n32k32, .m64n40k32, .m64n48k32, .m64n56k32, .m64n64k32,
		.m64n72k32, .m64n80k32, .m64n88k32, .m64n96k32, .m64n104k32, .m64n112k32, .m64n120k32, .m64n128k32,
		.m64n136k32, .m64n144k32, .m64n152k32, .m64n160k32, .m64n168k32, .m64n176k32, .m64n184k32, .m64n192k32,
		.m64n200k32, .m64n208k32, .m64n216k32, .m64n224k32, .m64n232k32, .m64n240k32, .m64n248k32, .m64n256k32 };
	`
	floatK64 = `
		.shape = { .m64n8k64, .m64n16k64, .m64n24k64, .m64n32k64, .m64n40k64, .m64n48k64, .m64n56k64, .m64n64k64,
		.m64n72k64, .m64n80k64, .m64n88k64, .m64n96k64, .m64n104k64, .m64n112k64, .m64n120k64, .m64n128k64,
		.m64n136k64, .m64n144k64, .m64n152k64, .m64n160k64, .m64n168k64, .m64n176k64, .m64n184k64, .m64n192k64,
		.m64n200k64, .m64n208k64, .m64n216k64, .m64n224k64, .m64n232k64, .m64n240k64, .m64n248k64, .m64n256k64 };
	`
	intK32 = `
		.shape = { .m64n8k32, .m64n16k32, .m64n24k32, .m64n32k32, .m64n48k32, .m64n64k32, .m64n80k32, .m64n96k32,
		.m64n112k32, .m64n128k32, .m64n144k32, .m64n160k32, .m64n176k32, .m64n192k32, .m64n208k32, .m64n224k32,
		.m64n240k32, .m64n256k32 };
	`
	intK64 = `
		.shape = { .m64n8k64, .m64n16k64, .m64n24k64, .m64n32k64, .m64n48k64, .m64n64k64, .m64n80k64, .m64n96k64,
		.m64n112k64, .m64n128k64, .m64n144k64, .m64n160k64, .m64n176k64, .m64n192k64, .m64n208k64, .m64n224k64,
		.m64n240k64, .m64n256k64 };
	`
	bitK256 = `
		.shape = { .m64n8k256, .m64n16k256, .m64n24k256, .m64n32k256, .m64n48k256, .m64n64k256, .m64n80k256, .m64n96k256,
		.m64n112k256, .m64n128k256, .m64n144k256, .m64n160k256, .m64n176k256, .m64n192k256, .m64n208k256,
		.m64n224k256, .m64n240k256, .m64n256k256 };
	`
)

// wgmmaOperands are the operands of wgmma.mma_async, dense and sparse.
const wgmmaOperands = "d=matrix!!*0 a=matrix*0 a-desc,b-desc=.b64 sp-meta=.b32-imm sp-sel=.u32# " +
	"scale-d=pred<0..1> imm-scale-a,imm-scale-b=.s32#<-1..1/2> imm-trans-a,imm-trans-b=.s32#<0..1>"

// wgmmaForms are the asynchronous warpgroup matrix instructions (9.7.17).
var wgmmaForms = []Form{
	{ID: "wgmma.mma_async", Section: "9.7.17.5.2", Mnemonic: "wgmma", Tier: 3, Version: 80, SM: 90, Arch: "a", Family: 9,
		Effect: ReadsMemory | Unwatched,
		Syntax: `
			wgmma.mma_async.sync.aligned.shape.dtype.f16.f16
				d, a-desc, b-desc, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
			wgmma.mma_async.sync.aligned.shape.dtype.f16.f16
				d, a, b-desc, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-b;
			.dtype = { .f16, .f32 };` + floatK16 +
			`
			wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16
				d, a-desc, b-desc, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
			wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16
				d, a, b-desc, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-b;` + floatK16 +
			`
			wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32
				d, a-desc, b-desc, {!}scale-d, imm-scale-a, imm-scale-b;
			wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32
				d, a, b-desc, {!}scale-d, imm-scale-a, imm-scale-b;` + floatK8 +
			`
			wgmma.mma_async.sync.aligned.shape.dtype.atype.btype
				d, a-desc, b-desc, {!}scale-d, imm-scale-a, imm-scale-b;
			wgmma.mma_async.sync.aligned.shape.dtype.atype.btype
				d, a, b-desc, {!}scale-d, imm-scale-a, imm-scale-b;
			.dtype = { .f16, .f32 };
			.atype = .btype = { .e4m3, .e5m2 };` + floatK32 +
			`
			wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype
				d, a-desc, b-desc, {!}scale-d;
			wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype
				d, a, b-desc, {!}scale-d;
			.atype = .btype = { .s8, .u8 };` + intK32 +
			`
			wgmma.mma_async.sync.aligned.shape.s32.b1.b1.op.popc
				d, a-desc, b-desc, {!}scale-d;
			wgmma.mma_async.sync.aligned.shape.s32.b1.b1.op.popc
				d, a, b-desc, {!}scale-d;
			.op = { .and };` + bitK256,
		Gates:    []Gate{{Mod: ".u8.s8", Version: 84}, {Mod: ".s8.u8", Version: 84}},
		Operands: wgmmaOperands,
		Summary:  "Starts D = A*B+D of a warpgroup, with A in registers or shared memory and B in shared memory.",
		Example:  "wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.u8.satfinite {d0, d1, d2, d3}, descA, descB, p;"},
	{ID: "wgmma.mma_async.sp", Section: "9.7.17.6.3", Mnemonic: "wgmma", Tier: 3, Version: 82, SM: 90, Arch: "a", Family: 9,
		Effect: ReadsMemory | Unwatched,
		Syntax: `
			wgmma.mma_async.sp.sync.aligned.shape.dtype.f16.f16
				d, a-desc, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
			wgmma.mma_async.sp.sync.aligned.shape.dtype.f16.f16
				d, a, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-b;
			.dtype = { .f16, .f32 };` + floatK32 +
			`
			wgmma.mma_async.sp.sync.aligned.shape.f32.bf16.bf16
				d, a-desc, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-a, imm-trans-b;
			wgmma.mma_async.sp.sync.aligned.shape.f32.bf16.bf16
				d, a, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b, imm-trans-b;` + floatK32 +
			`
			wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32
				d, a-desc, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b;
			wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32
				d, a, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b;` + floatK16 +
			`
			wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype
				d, a-desc, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b;
			wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype
				d, a, b-desc, sp-meta, sp-sel, {!}scale-d, imm-scale-a, imm-scale-b;
			.dtype = { .f16, .f32 };
			.atype = .btype = { .e4m3, .e5m2 };` + floatK64 +
			`
			wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype
				d, a-desc, b-desc, sp-meta, sp-sel, {!}scale-d;
			wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype
				d, a, b-desc, sp-meta, sp-sel, {!}scale-d;
			.atype = .btype = { .s8, .u8 };` + intK64,
		Gates:    []Gate{{Mod: ".u8.s8", Version: 84}, {Mod: ".s8.u8", Version: 84}},
		Operands: wgmmaOperands,
		Summary:  "wgmma.mma_async with a sparse A.",
		Example:  "wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.u8.u8 {d0, d1, d2, d3}, descA, descB, spMeta, 0, p;"},
	{ID: "wgmma.fence", Section: "9.7.17.7.1", Mnemonic: "wgmma", Tier: 3, Version: 80, SM: 90, Arch: "a", Family: 9,
		Effect:  NoEffect,
		Syntax:  `wgmma.fence.sync.aligned;`,
		Summary: "Orders register accesses before the warpgroup's asynchronous products.",
		Example: "wgmma.fence.sync.aligned;"},
	{ID: "wgmma.commit_group", Section: "9.7.17.7.2", Mnemonic: "wgmma", Tier: 3, Version: 80, SM: 90, Arch: "a", Family: 9,
		Syntax:  `wgmma.commit_group.sync.aligned;`,
		Summary: "Closes the current group of asynchronous products.",
		Example: "wgmma.commit_group.sync.aligned;"},
	{ID: "wgmma.wait_group", Section: "9.7.17.7.3", Mnemonic: "wgmma", Tier: 3, Version: 80, SM: 90, Arch: "a", Family: 9,
		Syntax:   `wgmma.wait_group.sync.aligned N;`,
		Operands: "N=.u32#<0..4294967295>",
		Summary:  "Waits until at most N of the newest groups are pending.",
		Example:  "wgmma.wait_group.sync.aligned 0;"},
}
