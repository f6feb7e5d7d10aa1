package isa

import "strings"

// Value sets of wmma (9.7.16.4): the shapes of floating-point and 8-bit products, and where tiles lie.
const (
	wmmaShapes  = `.shape = { .m16n16k16, .m8n32k16, .m32n8k16 };`
	wmmaLayouts = `
		.layout = .alayout = .blayout = { .row, .col };
	`
	wmmaSets = wmmaLayouts + `
		.ss = { .global, .shared{::cta} };
	`
	mmaOperands = "d=matrix!*0 a,b,c=matrix*0"
	spOperands  = mmaOperands + " e=.b32-imm f=.u32#"
	scaleTail   = "scale-a-data, {byte-id-a, thread-id-a}, scale-b-data, {byte-id-b, thread-id-b};"
	scaleSpecs  = " scale-a-data,scale-b-data=.b32 byte-id-a,thread-id-a,byte-id-b,thread-id-b=.u16"
	sameNote    = `  // D and C have one type`
	narrowTypes = `.atype = .btype = { .e4m3, .e5m2, .e3m2, .e2m3, .e2m1 };`
)

// sameTypes writes syntax lines once for each type that C and D share (9.7.16.5.14).
func sameTypes(lines ...string) string {
	text := strings.Join(lines, "\n")
	return "\n\n" + text + "\n.dtype = .ctype = { .f16 };\n\n" + text + "\n.dtype = .ctype = { .f32 };\n\n"
}

// nvf4Lines are the two syntax lines of .kind::mxf4nvf4, whose .ue4m3 goes with .scale_vec::4X only (Table 45).
func nvf4Lines(op, operands string) string {
	line := op + ".kind.block_scale.scale_vec_size.f32.e2m1.e2m1.f32.stype " + operands + scaleTail + `
			.kind = { .kind::mxf4nvf4 };
			`
	return line + `.scale_vec_size = { .scale_vec::2X, .scale_vec::4X };
			.stype = { .ue8m0 };

			` + line + `.scale_vec_size = { .scale_vec::4X };
			.stype = { .ue4m3 };`
}

// sparseLines are the syntax lines of sparse products of floating-point types, for .sp and for .sp::ordered_metadata.
func sparseLines(op string) string {
	return sameTypes(op+".sync.aligned.m16n8k16.row.col.dtype.f16.f16.ctype d, a, b, c, e, f;"+sameNote,
		op+".sync.aligned.m16n8k32.row.col.dtype.f16.f16.ctype d, a, b, c, e, f;"+sameNote,
		op+".sync.aligned.f8shape.row.col.dtype.f8type.f8type.ctype d, a, b, c, e, f;"+sameNote) +
		strings.ReplaceAll(`OP.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32     d, a, b, c, e, f;
			OP.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32     d, a, b, c, e, f;
			OP.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32      d, a, b, c, e, f;
			OP.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32     d, a, b, c, e, f;
			.f8shape = { .m16n8k32, .m16n8k64 };
			.f8type = { .e4m3, .e5m2 };

			OP.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e, f;
			.shape = { .m16n8k32, .m16n8k64 };
			.atype = .btype = { .u8, .s8 };

			OP.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c, e, f;
			.shape = { .m16n8k64, .m16n8k128 };
			.atype = .btype = { .u4, .s4 };`, "OP", op)
}

// wmmaGates are the requirements of wmma's types and shapes.
var wmmaGates = []Gate{
	{Mod: ".aligned", Version: 63},
	{Mod: ".m8n32k16", Version: 61}, {Mod: ".m32n8k16", Version: 61}, {Mod: ".s32", Version: 63, SM: 72},
	{Mod: ".u8", Version: 63, SM: 72}, {Mod: ".s8", Version: 63, SM: 72}, {Mod: ".u4", Version: 63, SM: 75},
	{Mod: ".s4", Version: 63, SM: 75}, {Mod: ".b1", Version: 63, SM: 75}, {Mod: ".m8n8k32", Version: 63, SM: 75},
	{Mod: ".m8n8k128", Version: 63, SM: 75}, {Mod: ".m8n8k4", Version: 70, SM: 80},
	{Mod: ".m16n16k8", Version: 70, SM: 80}, {Mod: ".bf16", Version: 70, SM: 80}, {Mod: ".tf32", Version: 70, SM: 80},
	{Mod: ".f64", Version: 70, SM: 80}, {Mod: ".and", Version: 71, SM: 80}, {Mod: ".shared::cta", Version: 78},
}

// sparseGates are the requirements of sparse mma's types and kinds.
var sparseGates = []Gate{
	{Mod: ".e4m3", Version: 84, SM: 89}, {Mod: ".e5m2", Version: 84, SM: 89},
	{Mod: ".m16n8k32.e4m3", Version: 87, SM: 120}, {Mod: ".m16n8k32.e5m2", Version: 87, SM: 120},
	{Mod: ".f16.e4m3", Version: 87, SM: 120}, {Mod: ".f16.e5m2", Version: 87, SM: 120},
	{Mod: "kind", Version: 87, SM: 120, Arch: "f"}, {Mod: ".scale_vec::4X.ue8m0", Version: 91},
	{Mod: ".kind::mxf4", Arch: "a"}, {Mod: ".kind::mxf4nvf4", Arch: "a"},
}

// matrixForms are the warp-level matrix instructions (9.7.16).
var matrixForms = []Form{
	{ID: "wmma.load", Section: "9.7.16.4.3", Mnemonic: "wmma", Tier: 2, Version: 60, SM: 70,
		Effect: ReadsMemory | CrossLane,
		Syntax: `wmma.load.a.sync.aligned.layout.shape{.ss}.atype r, [p]{, stride};
			wmma.load.b.sync.aligned.layout.shape{.ss}.btype r, [p]{, stride};
			wmma.load.c.sync.aligned.layout.shape{.ss}.ctype r, [p]{, stride};
			.atype = .btype = { .f16, .s8, .u8, .bf16 };
			.ctype = { .f16, .f32, .s32 };
			` + wmmaShapes + `

			wmma.load.a.sync.aligned.layout.shape{.ss}.atype r, [p]{, stride};
			wmma.load.b.sync.aligned.layout.shape{.ss}.btype r, [p]{, stride};
			wmma.load.c.sync.aligned.layout.shape{.ss}.ctype r, [p]{, stride};
			.atype = .btype = { .tf32 };
			.ctype = { .f32 };
			.shape = { .m16n16k8 };

			wmma.load.a.sync.aligned.layout.shape{.ss}.atype r, [p]{, stride};
			wmma.load.b.sync.aligned.layout.shape{.ss}.btype r, [p]{, stride};
			wmma.load.c.sync.aligned.layout.shape{.ss}.ctype r, [p]{, stride};
			.atype = .btype = .ctype = { .f64 };
			.shape = { .m8n8k4 };

			wmma.load.a.sync.aligned.row.shape{.ss}.atype    r, [p]{, stride};
			wmma.load.b.sync.aligned.col.shape{.ss}.btype    r, [p]{, stride};
			wmma.load.c.sync.aligned.layout.shape{.ss}.ctype r, [p]{, stride};
			.atype = .btype = { .s4, .u4 };
			.ctype = { .s32 };
			.shape = { .m8n8k32 };

			wmma.load.a.sync.aligned.row.shape{.ss}.atype    r, [p]{, stride};
			wmma.load.b.sync.aligned.col.shape{.ss}.btype    r, [p]{, stride};
			wmma.load.c.sync.aligned.layout.shape{.ss}.ctype r, [p]{, stride};
			.atype = .btype = { .b1 };
			.ctype = { .s32 };
			.shape = { .m8n8k128 };
			` + wmmaSets,
		Gates:    wmmaGates,
		Operands: "r=matrix!*0 p=any stride=.u32",
		Summary:  "Loads a matrix tile into registers spread over the warp.",
		Example:  "wmma.load.a.sync.aligned.m16n16k16.row.f16 {x0, x1, x2, x3, x4, x5, x6, x7}, [ptr], s;"},
	{ID: "wmma.store", Section: "9.7.16.4.4", Mnemonic: "wmma", Tier: 2, Version: 60, SM: 70,
		Effect: WritesMemory | CrossLane,
		Syntax: `wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
			.type  = { .f16, .f32, .s32 };
			` + wmmaShapes + `

			wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
			.type  = { .s32 };
			.shape = { .m8n8k32, .m8n8k128 };

			wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
			.type  = { .f32 };
			.shape = { .m16n16k8 };

			wmma.store.d.sync.aligned.layout.shape{.ss}.type [p], r{, stride};
			.type  = { .f64 };
			.shape = { .m8n8k4 };
			` + wmmaSets,
		Gates:    wmmaGates,
		Operands: "r=matrix*0 p=any stride=.u32",
		Summary:  "Stores a matrix tile from registers spread over the warp.",
		Example:  "wmma.store.d.sync.aligned.m16n16k16.row.f32 [ptr], {d0, d1, d2, d3, d4, d5, d6, d7};"},
	{ID: "wmma.mma", Section: "9.7.16.4.5", Mnemonic: "wmma", Tier: 2, Version: 60, SM: 70, Effect: CrossLane,
		Syntax: `wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype d, a, b, c;
			.dtype = .ctype = { .f16, .f32 };
			` + wmmaShapes + `

			wmma.mma.sync.aligned.alayout.blayout.shape.s32.atype.btype.s32{.satfinite} d, a, b, c;  // A and B have one type
			.atype = .btype = { .s8 };
			` + wmmaShapes + `

			wmma.mma.sync.aligned.alayout.blayout.shape.s32.atype.btype.s32{.satfinite} d, a, b, c;  // A and B have one type
			.atype = .btype = { .u8 };
			` + wmmaShapes + `

			wmma.mma.sync.aligned.alayout.blayout.shape.f32.atype.btype.f32 d, a, b, c;
			.atype = .btype = { .bf16 };
			` + wmmaShapes + `

			wmma.mma.sync.aligned.alayout.blayout.shape.f32.atype.btype.f32 d, a, b, c;
			.atype = .btype = { .tf32 };
			.shape = { .m16n16k8 };

			wmma.mma.sync.aligned.alayout.blayout.shape{.rnd}.f64.f64.f64.f64 d, a, b, c;
			.shape = { .m8n8k4 };
			.rnd   = { .rn, .rz, .rm, .rp };

			wmma.mma.sync.aligned.row.col.shape.s32.atype.btype.s32{.satfinite} d, a, b, c;  // A and B have one type
			.atype = .btype = { .s4 };
			.shape = { .m8n8k32 };

			wmma.mma.sync.aligned.row.col.shape.s32.atype.btype.s32{.satfinite} d, a, b, c;  // A and B have one type
			.atype = .btype = { .u4 };
			.shape = { .m8n8k32 };

			wmma.mma.op.popc.sync.aligned.row.col.shape.s32.atype.btype.s32 d, a, b, c;
			.atype = .btype = { .b1 };
			.shape = { .m8n8k128 };
			.op    = { .xor, .and };
			` + wmmaSets,
		Gates:    wmmaGates,
		Operands: mmaOperands,
		Summary:  "D = A*B+C of matrix tiles spread over the warp.",
		Example: "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {d0, d1, d2, d3, d4, d5, d6, d7}, " +
			"{a0, a1, a2, a3, a4, a5, a6, a7}, {b0, b1, b2, b3, b4, b5, b6, b7}, {c0, c1, c2, c3, c4, c5, c6, c7};"},
	{ID: "wmma.legacy", Section: "9.7.16.4.5", Mnemonic: "wmma", Tier: 4, Version: 60, SM: 70, Effect: CrossLane,
		Gone: Gone{Version: 63},
		Syntax: `wmma.load.a.sync.layout.shape{.ss}.atype        r, [p]{, stride};  // from PTX ISA 6.3 wmma needs .aligned
			wmma.load.b.sync.layout.shape{.ss}.btype        r, [p]{, stride};  // from PTX ISA 6.3 wmma needs .aligned
			wmma.load.c.sync.layout.shape{.ss}.ctype        r, [p]{, stride};  // from PTX ISA 6.3 wmma needs .aligned
			wmma.store.d.sync.layout.shape{.ss}.type        [p], q{, stride};  // from PTX ISA 6.3 wmma needs .aligned
			wmma.mma.sync.alayout.blayout.shape.dtype.ctype{.satfinite} d, a, b, c;
			.atype = .btype = { .f16 };
			.dtype = .ctype = .type = { .f16, .f32 };
			.ss    = { .global, .shared };
			` + wmmaShapes + wmmaLayouts,
		Gates:    wmmaGates,
		Operands: mmaOperands + " r=matrix!*0 q=matrix*0 p=any stride=.u32",
		Summary:  "wmma without .aligned, as PTX 6.0 to 6.2 wrote it.",
		Example:  "wmma.load.a.sync.row.m16n16k16.f16 {x0, x1, x2, x3, x4, x5, x6, x7}, [ptr], s;"},
	{ID: "wmma.satfinite.legacy", Section: "9.7.16.4.5", Mnemonic: "wmma", Tier: 4, Version: 60, SM: 70,
		Effect: CrossLane,
		Gone:   Gone{Version: 65},
		Syntax: `wmma.mma.sync.aligned.alayout.blayout.shape.dtype.ctype.satfinite
				d, a, b, c;  // .satfinite is for integers
			.dtype = .ctype = { .f16, .f32 };
			` + wmmaShapes + wmmaSets,
		Gates:    wmmaGates,
		Operands: mmaOperands,
		Summary:  "Saturating floating-point wmma.mma, taken out of PTX in version 6.5.",
		Example: "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {d0, d1, d2, d3, d4, d5, d6, d7}, " +
			"{a0, a1, a2, a3, a4, a5, a6, a7}, {b0, b1, b2, b3, b4, b5, b6, b7}, {c0, c1, c2, c3, c4, c5, c6, c7};"},
	{ID: "mma.f16", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 2, Version: 64, SM: 70, Effect: CrossLane,
		Syntax: `mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d, a, b, c;  // C of .f32 needs D of .f32
			.dtype = { .f16, .f32 };
			.ctype = { .f16 };

			mma.sync.aligned.m8n8k4.alayout.blayout.dtype.f16.f16.ctype d, a, b, c;  // C of .f32 needs D of .f32
			.dtype = .ctype = { .f32 };
			` + sameTypes("mma.sync.aligned.m16n8k8.row.col.dtype.f16.f16.ctype  d, a, b, c;  // this shape takes .row.col only",
			"mma.sync.aligned.m16n8k16.row.col.dtype.f16.f16.ctype d, a, b, c;  // this shape takes .row.col only") + `
			.alayout = .blayout = { .row, .col };`,
		Gates:    []Gate{{Mod: ".m16n8k8", Version: 65, SM: 75}, {Mod: ".m16n8k16", Version: 70, SM: 80}},
		Operands: mmaOperands,
		Summary:  "D = A*B+C of half-precision tiles spread over the warp.",
		Example: "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, " +
			"b1}, {c0, c1, c2, c3};"},
	{ID: "mma.bf16tf32", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 2, Version: 70, SM: 80, Effect: CrossLane,
		Syntax: `mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32  d, a, b, c;
			mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32  d, a, b, c;
			mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32  d, a, b, c;
			mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 d, a, b, c;`,
		Operands: mmaOperands,
		Summary:  "D = A*B+C of bfloat16 or tf32 tiles spread over the warp.",
		Example: "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, " +
			"b1}, {c0, c1, c2, c3};"},
	{ID: "mma.f64", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 3, Version: 70, SM: 80, Effect: CrossLane,
		Syntax: `mma.sync.aligned.shape.row.col{.rnd}.f64.f64.f64.f64 d, a, b, c;
			.shape = { .m8n8k4, .m16n8k4, .m16n8k8, .m16n8k16 };
			.rnd   = { .rn, .rz, .rm, .rp };`,
		Gates: []Gate{{Mod: ".m16n8k4", Version: 78, SM: 90}, {Mod: ".m16n8k8", Version: 78, SM: 90},
			{Mod: ".m16n8k16", Version: 78, SM: 90}},
		Operands: mmaOperands,
		Summary:  "D = A*B+C of double-precision tiles spread over the warp.",
		Example:  "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {d0, d1}, {a0}, {b0}, {c0, c1};"},
	{ID: "mma.int8", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 2, Version: 65, SM: 75, Effect: CrossLane,
		Syntax: `mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c;
			.shape = { .m8n8k16, .m16n8k16, .m16n8k32 };
			.atype = .btype = { .u8, .s8 };`,
		Gates:    []Gate{{Mod: ".m16n8k16", Version: 70, SM: 80}, {Mod: ".m16n8k32", Version: 70, SM: 80}},
		Operands: mmaOperands,
		Summary:  "D = A*B+C of 8-bit integer tiles spread over the warp.",
		Example: "mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, b1}, " +
			"{c0, c1, c2, c3};"},
	{ID: "mma.int4", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 3, Version: 65, SM: 75, Effect: CrossLane,
		Syntax: `mma.sync.aligned.shape.row.col{.satfinite}.s32.atype.btype.s32 d, a, b, c;
			.shape = { .m8n8k32, .m16n8k32, .m16n8k64 };
			.atype = .btype = { .u4, .s4 };`,
		Gates:    []Gate{{Mod: ".m16n8k32", Version: 70, SM: 80}, {Mod: ".m16n8k64", Version: 70, SM: 80}},
		Operands: mmaOperands,
		Summary:  "D = A*B+C of 4-bit integer tiles spread over the warp.",
		Example:  "mma.sync.aligned.m8n8k32.row.col.satfinite.s32.u4.s4.s32 {d0, d1}, {a0}, {b0}, {c0, c1};"},
	{ID: "mma.b1", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 3, Version: 70, SM: 75, Effect: CrossLane,
		Syntax: `mma.sync.aligned.shape.row.col.s32.b1.b1.s32.bitOp.popc d, a, b, c;
			.bitOp = { .xor, .and };
			.shape = { .m8n8k128, .m16n8k128, .m16n8k256 };`,
		Gates:    []Gate{{Mod: ".m16n8k128", SM: 80}, {Mod: ".m16n8k256", SM: 80}, {Mod: ".and", Version: 71, SM: 80}},
		Operands: mmaOperands,
		Summary:  "Counts of matching bits of one-bit tiles, accumulated.",
		Example: "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {d0, d1, d2, d3}, {a0, a1}, {b0}, " +
			"{c0, c1, c2, c3};"},
	{ID: "mma.fp8", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 3, Version: 84, SM: 89, Effect: CrossLane,
		Syntax: sameTypes("mma.sync.aligned.shape.row.col.dtype.atype.btype.ctype d, a, b, c;"+sameNote) + `
			.shape = { .m16n8k16, .m16n8k32 };
			.atype = .btype = { .e4m3, .e5m2 };`,
		Gates:    []Gate{{Mod: ".m16n8k16", Version: 87}, {Mod: ".f16", Version: 87}},
		Operands: mmaOperands,
		Summary:  "D = A*B+C of 8-bit floating-point tiles spread over the warp.",
		Example: "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32 {d0, d1, d2, d3}, {a0, a1, a2, a3}, {b0, " +
			"b1}, {c0, c1, c2, c3};"},
	{ID: "mma.f8f6f4", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 4, Version: 87, SM: 120, Arch: "f",
		Effect: CrossLane,
		Syntax: sameTypes("mma.sync.aligned.m16n8k32.row.col.kind.dtype.atype.btype.ctype d, a, b, c;"+sameNote) + `
			.kind  = { .kind::f8f6f4 };
			` + narrowTypes,
		Operands: mmaOperands,
		Summary:  "D = A*B+C of 8-, 6- or 4-bit floating-point tiles.",
		Example: "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e3m2.e2m3.f32 {d0, d1, d2, d3}, {a0, a1, " +
			"a2, a3}, {b0, b1}, {c0, c1, c2, c3};"},
	{ID: "mma.blockscale", Section: "9.7.16.5.14", Mnemonic: "mma", Tier: 4, Version: 87, SM: 120, Arch: "f",
		Effect: CrossLane,
		Syntax: `mma.sync.aligned.m16n8k64.row.col.kind.block_scale{.scale_vec_size}.f32.e2m1.e2m1.f32.stype
				d, a, b, c, ` + scaleTail + `
			.kind = { .kind::mxf4 };
			.scale_vec_size = { .scale_vec::2X };
			.stype = { .ue8m0 };

			` + nvf4Lines("mma.sync.aligned.m16n8k64.row.col", "d, a, b, c, ") + `

			mma.sync.aligned.m16n8k32.row.col.kind.block_scale{.scale_vec_size}.f32.atype.btype.f32.stype
				d, a, b, c, ` + scaleTail + `
			.kind = { .kind::mxf8f6f4 };
			.scale_vec_size = { .scale_vec::1X };
			.stype = { .ue8m0 };
			` + narrowTypes,
		Gates: []Gate{{Mod: ".scale_vec::4X.ue8m0", Version: 91}, {Mod: ".kind::mxf4", Arch: "a"},
			{Mod: ".kind::mxf4nvf4", Arch: "a"}},
		Operands: mmaOperands + scaleSpecs,
		Summary:  "D = A*B+C of narrow floating-point tiles with scale factors per block.",
		Example: "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {d0, d1, d2, d3}, " +
			"{a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}, sa, {2, 1}, sb, {2, 3};"},
	{ID: "ldmatrix", Section: "9.7.16.5.15", Mnemonic: "ldmatrix", Tier: 2, Version: 65, SM: 75,
		Effect: ReadsMemory | CrossLane,
		Syntax: `ldmatrix.sync.aligned.shape.num{.trans}{.ss}.type r, [p];
			.shape = { .m8n8 };
			.num   = { .x1, .x2, .x4 };
			.ss    = { .shared{::cta} };
			.type  = { .b16 };`,
		Gates:    []Gate{{Mod: ".shared::cta", Version: 78}},
		Operands: "r=.b32!*0 p=any",
		Summary:  "Loads 8x8 matrices of 16-bit elements from shared memory, rows addressed by lanes.",
		Example:  "ldmatrix.sync.aligned.m8n8.x4.b16 {d0, d1, d2, d3}, [addr];"},
	{ID: "ldmatrix.b8", Section: "9.7.16.5.15", Mnemonic: "ldmatrix", Tier: 4, Version: 86, SM: 100, Arch: "f",
		Effect: ReadsMemory | CrossLane,
		Syntax: `ldmatrix.sync.aligned.m16n16.num.trans{.ss}.b8                r, [p];  // .m16n16 needs .trans
			ldmatrix.sync.aligned.m16n16.num.trans{.ss}.dst_fmt.src_fmt   r, [p];  // .m16n16 needs .trans
			.num = { .x1, .x2 };

			ldmatrix.sync.aligned.m8n16.num{.ss}.dst_fmt.src_fmt          r, [p];
			.num = { .x1, .x2, .x4 };

			.ss      = { .shared{::cta} };
			.dst_fmt = { .b8x16 };
			.src_fmt = { .b6x16_p32, .b4x16_p64 };`,
		Operands: "r=.b32!*0 p=any",
		Summary:  "Loads matrices of 8-, 6- or 4-bit elements from shared memory.",
		Example:  "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {d0, d1}, [addr];"},
	{ID: "ldmatrix.s4", Section: "9.7.16.5.15", Mnemonic: "ldmatrix", Tier: 4, Version: 94, SM: 90, Arch: "f",
		Effect: ReadsMemory | CrossLane,
		Syntax: `ldmatrix.sync.aligned.m8n16.num{.ss}.s8.s4 r, [p];
			.num = { .x1, .x2, .x4 };
			.ss  = { .shared{::cta} };`,
		Operands: "r=.b32!*0 p=any",
		Summary:  "Loads 8x16 matrices of signed 4-bit elements from shared memory, each extended to eight bits.",
		Example:  "ldmatrix.sync.aligned.m8n16.x1.shared::cta.s8.s4 {d}, [addr];"},
	{ID: "stmatrix", Section: "9.7.16.5.16", Mnemonic: "stmatrix", Tier: 3, Version: 78, SM: 90,
		Effect: WritesMemory | CrossLane,
		Syntax: `stmatrix.sync.aligned.shape.num{.trans}{.ss}.type [p], r;
			.shape = { .m8n8 };
			.num   = { .x1, .x2, .x4 };
			.ss    = { .shared{::cta} };
			.type  = { .b16 };`,
		Operands: "r=.b32*0 p=any",
		Summary:  "Stores 8x8 matrices of 16-bit elements to shared memory, rows addressed by lanes.",
		Example:  "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [addr], {r0, r1};"},
	{ID: "stmatrix.b8", Section: "9.7.16.5.16", Mnemonic: "stmatrix", Tier: 4, Version: 86, SM: 100, Arch: "f",
		Effect: WritesMemory | CrossLane,
		Syntax: `stmatrix.sync.aligned.shape.num.trans{.ss}.type [p], r;  // .m16n8 needs .trans
			.shape = { .m16n8 };
			.num   = { .x1, .x2, .x4 };
			.ss    = { .shared{::cta} };
			.type  = { .b8 };`,
		Operands: "r=.b32*0 p=any",
		Summary:  "Stores matrices of 8-bit elements to shared memory.",
		Example:  "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [addr], {r0};"},
	{ID: "movmatrix", Section: "9.7.16.5.17", Mnemonic: "movmatrix", Tier: 2, Version: 78, SM: 75, Effect: CrossLane,
		Syntax: `movmatrix.sync.aligned.shape.trans.type d, a;
			.shape = { .m8n8 };
			.type  = { .b16 };`,
		Operands: "d=.b32! a=.b32-imm",
		Summary:  "Transposes an 8x8 matrix of 16-bit elements spread over the warp.",
		Example:  "movmatrix.sync.aligned.m8n8.trans.b16 d, a;"},
	{ID: "mma.sp", Section: "9.7.16.6.3", Mnemonic: "mma", Tier: 3, Version: 71, SM: 80, Effect: CrossLane,
		Syntax:   sparseLines("mma.sp"),
		Gates:    sparseGates,
		Operands: spOperands,
		Summary:  "D = A*B+C with a sparse A, whose places e and f tell.",
		Example: "mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {d0, d1}, {a0, a1}, {b0, b1}, {c0, c1}, " +
			"e, 0x1;"},
	{ID: "mma.sp.ordered", Section: "9.7.16.6.3", Mnemonic: "mma", Tier: 4, Version: 85, SM: 80, Effect: CrossLane,
		Syntax: sparseLines("mma.sp::ordered_metadata") +
			sameTypes("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind.dtype.atype.btype.ctype d, a, b, c, e, f;"+
				sameNote+"\n.kind = { .kind::f8f6f4 };"+narrowTypes) + `
			mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind.block_scale{.scale_vec_size}.f32.e2m1.e2m1.f32.stype
				d, a, b, c, e, f, ` + scaleTail + `
			.kind = { .kind::mxf4 };
			.scale_vec_size = { .scale_vec::2X };
			.stype = { .ue8m0 };

			` + nvf4Lines("mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col", "d, a, b, c, e, f, ") + `

			mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind.block_scale{.scale_vec_size}.f32.atype.btype.f32.stype
				d, a, b, c, e, f, ` + scaleTail + `
			.kind = { .kind::mxf8f6f4 };
			.scale_vec_size = { .scale_vec::1X };
			.stype = { .ue8m0 };
			` + narrowTypes,
		Gates:    sparseGates,
		Operands: spOperands + scaleSpecs,
		Summary:  "mma.sp with ordered metadata, also of narrow types.",
		Example: "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {d0, d1}, {a0, a1}, " +
			"{b0, b1}, {c0, c1}, e, 0x1;"},
}
