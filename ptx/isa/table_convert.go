package isa

// scalable writes a conversion's syntax line without a scale factor and with one, which the qualifier announces.
func scalable(head, qualifier, types, operands string) string {
	return head + types + " " + operands + ";\n" + head + qualifier + types + " " + operands + ", scale-factor;\n"
}

// narrowing writes the lines of conversions of pairs to a set of narrow types, and from it to .f16x2.
func narrowing(set string) string {
	const head, qualifier = "cvt.frnd2.satfinite{.relu}{.pzo}", ".scaled::n1::ue8m0"
	return scalable(head, qualifier, set+".f32", "d, a, b") + scalable(head, qualifier, set+".fp16x2type", "d, a") +
		"cvt.rn{.relu}.f16x2" + set + " d, a;\n"
}

const (
	narrowSets = ".frnd2 = { .rn, .rz };\n.fp16x2type = { .f16x2, .bf16x2 };"
	widening   = "cvt.rn{.relu}{.satfinite}"
	oneScale   = "d=bits(1)!^ a=bits(2)^ b=.f32^ scale-factor=.b8^"
)

// narrow94 are the gates of what 9.4 added to conversions to narrow types.
var narrow94 = []Gate{{Mod: ".pzo", Version: 94, SM: 107, Arch: "f", Family: 10},
	{Mod: ".scaled::n1::ue8m0", Version: 94, SM: 107, Arch: "f", Family: 10}}

// convertForms are cvt and cvt.pack (9.7.10.24, 9.7.10.25). Which conversions round, and so need or refuse a rounding
// modifier, is said by having a syntax line for each kind of type pair.
var convertForms = []Form{
	{ID: "cvt.int", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 1, Version: 10, SM: 10,
		Syntax: `cvt.dtype.atype   d, a;  // between integers nothing rounds, and .sat is for results that may not fit
			.dtype = .atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .u8 };
			.atype = { .u16, .u32, .u64, .s8, .s16, .s32, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .s8 };
			.atype = { .u8, .u16, .u32, .u64, .s16, .s32, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .u16 };
			.atype = { .u32, .u64, .s8, .s16, .s32, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .s16 };
			.atype = { .u16, .u32, .u64, .s32, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .u32 };
			.atype = { .u64, .s8, .s16, .s32, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .s32 };
			.atype = { .u32, .u64, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .u64 };
			.atype = { .s8, .s16, .s32, .s64 };

			cvt.sat.dtype.atype d, a;  // .sat is for results that may not fit the destination type
			.dtype = { .s64 };
			.atype = { .u64 };`,
		Operands: "d=dtype!^ a=atype^+sreg",
		Summary:  "Converts between integer types: chops, or extends by the source type; .sat clamps.",
		Example:  "cvt.u64.u32 d, a;"},
	{ID: "cvt.f2i", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 1, Version: 10, SM: 10,
		Syntax: `cvt.irnd{.ftz}{.sat}.dtype.f32 d, a;  // float to integer needs an integer rounding modifier
			cvt.irnd{.sat}.dtype.atype     d, a;  // float to integer needs an integer rounding modifier; .ftz is for .f32
			cvt.irnd.dtype.bf16            d, a;  // float to integer needs an integer rounding modifier; .sat is not for .bf16
			.irnd  = { .rni, .rzi, .rmi, .rpi };
			.dtype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 };
			.atype = { .f16, .f64 };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}, {Mod: ".bf16", Version: 78, SM: 90}},
		Operands: "d=1!^ a=2^+sreg",
		Summary:  "Rounds a floating-point number to an integer, clamped to the destination type.",
		Example:  "cvt.rzi.s32.f32 i, f;"},
	{ID: "cvt.i2f", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 1, Version: 10, SM: 10,
		Syntax: `cvt.frnd{.ftz}{.sat}.f32.atype d, a;  // integer to float needs a rounding modifier, even when exact
			cvt.frnd{.sat}.dtype.atype     d, a;  // integer to float needs a rounding modifier, even when exact
			cvt.frnd.bf16.atype            d, a;  // integer to float needs a rounding modifier, even when exact
			.frnd  = { .rn, .rz, .rm, .rp };
			.dtype = { .f16, .f64 };
			.atype = { .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64 };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}, {Mod: ".bf16", Version: 78, SM: 90}},
		Operands: "d=1!^ a=2^+sreg",
		Summary:  "Converts an integer to a floating-point number, rounded once.",
		Example:  "cvt.rn.f32.s32 f, i;"},
	{ID: "cvt.f2f", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 1, Version: 10, SM: 10,
		Syntax: `cvt{.ftz}{.sat}.f32.f16       d, a;  // widening is exact: no rounding modifier
			cvt{.ftz}.f32.bf16            d, a;  // widening is exact: no rounding modifier
			cvt{.sat}.f64.f16             d, a;  // widening is exact: no rounding modifier
			cvt.f64.bf16                  d, a;  // widening is exact: no rounding modifier
			cvt{.ftz}{.sat}.f64.f32       d, a;  // widening is exact: no rounding modifier
			cvt.frnd{.ftz}{.sat}.f16.f32  d, a;  // narrowing rounds: a rounding modifier is needed
			cvt.frnd{.sat}.f16.f64        d, a;  // narrowing rounds: a rounding modifier is needed
			cvt.frnd.f16.bf16             d, a;  // .bf16 to .f16 loses range: a rounding modifier is needed
			cvt.frnd{.ftz}{.sat}.f32.f64  d, a;  // narrowing rounds: a rounding modifier is needed
			cvt.frnd.bf16.f16             d, a;  // .f16 to .bf16 loses precision: a rounding modifier is needed
			cvt.frnd.bf16.f64             d, a;  // narrowing rounds: a rounding modifier is needed
			cvt.drnd.bf16.f32             d, a;
			cvt.frnd.ftz.bf16.f32         d, a;
			.frnd = { .rn, .rz, .rm, .rp };
			.drnd = { .rm, .rp };`,
		Gates: []Gate{{Mod: ".f64", SM: 13}, {Mod: ".f32.bf16", Version: 71, SM: 80},
			{Mod: ".ftz.f32.bf16", Version: 78, SM: 90}, {Mod: ".f64.bf16", Version: 78, SM: 90},
			{Mod: ".f16.bf16", Version: 78, SM: 90}, {Mod: ".bf16.f16", Version: 78, SM: 90},
			{Mod: ".bf16.f64", Version: 78, SM: 90}, {Mod: ".bf16.f32", Version: 70, SM: 80}},
		Operands: "d=1!^ a=2^",
		Summary:  "Converts between floating-point types; narrowing rounds once.",
		Example:  "cvt.rn.f32.f64 f, d;"},
	{ID: "cvt.round", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 1, Version: 10, SM: 10,
		Syntax: `cvt{.irnd}{.ftz}{.sat}.f32.f32 d, a;  // same type: only rounding to an integer (.rni .rzi .rmi .rpi)
			cvt{.irnd}{.sat}.f16.f16       d, a;  // same type: only rounding to an integer (.rni .rzi .rmi .rpi)
			cvt{.irnd}{.sat}.f64.f64       d, a;  // same type: only rounding to an integer (.rni .rzi .rmi .rpi)
			cvt{.irnd}.bf16.bf16           d, a;  // same type: only rounding to an integer (.rni .rzi .rmi .rpi)
			.irnd = { .rni, .rzi, .rmi, .rpi };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}, {Mod: ".bf16", Version: 78, SM: 90}},
		Operands: "d=1!^ a=2^",
		Summary:  "Rounds to an integral value of the same type, or only flushes or saturates.",
		Example:  "cvt.rni.f32.f32 x, y;"},
	{ID: "cvt.half.pack", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 2, Version: 70, SM: 80,
		Syntax: `cvt.frnd2.relu{.satfinite}{.pzo}.f16.f32      d, a;
			cvt.frnd2.satfinite{.pzo}.f16.f32             d, a;
			cvt.frnd2.pzo.f16.f32                         d, a;
			cvt.frnd2{.relu}{.satfinite}{.pzo}.f16x2.f32  d, a, b;  // two values round to nearest or toward zero
			cvt.frnd2{.relu}{.satfinite}{.pzo}.bf16.f32   d, a;
			cvt.frnd2{.relu}{.satfinite}{.pzo}.bf16x2.f32 d, a, b;  // two values round to nearest or toward zero
			.frnd2 = { .rn, .rz };`,
		Gates:    []Gate{{Mod: ".satfinite", Version: 81}, narrow94[0]},
		Operands: "d=1!^ a,b=.f32",
		Summary:  "Narrows one or two .f32 values to half precision or bfloat16; the first goes to the upper half.",
		Example:  "cvt.rn.f16x2.f32 d, a, b;"},
	{ID: "cvt.rs", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 4, Version: 87, SM: 100, Arch: "a", Family: 10,
		Syntax: `cvt.rs{.relu}{.satfinite}.f16x2.f32  d, a, b, rbits;
			cvt.rs{.relu}{.satfinite}.bf16x2.f32 d, a, b, rbits;
			cvt.rs{.relu}.satfinite.f8x4type.f32 d, {a, b, e, f}, rbits;
			cvt.rs{.relu}.satfinite.f4x4type.f32 d, {a, b, e, f}, rbits;
			cvt.rs{.relu}.satfinite.f6x4type.f32 d, {a, b, e, f}, rbits;
			.f8x4type = { .e4m3x4, .e5m2x4 };
			.f4x4type = { .e2m1x4 };
			.f6x4type = { .e2m3x4, .e3m2x4 };`,
		Operands: "d=bits(1)!^ a,b,e,f=.f32 rbits=.b32",
		Summary:  "Narrows .f32 values with stochastic rounding by the given random bits.",
		Example:  "cvt.rs.f16x2.f32 d, a, b, rbits;"},
	{ID: "cvt.tf32", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 2, Version: 70, SM: 80,
		Syntax: `cvt.rna{.satfinite}.tf32.f32          d, a;
			cvt.frnd2{.satfinite}{.relu}{.pzo}.tf32.f32 d, a;
			.frnd2 = { .rn, .rz };`,
		Gates: []Gate{{Mod: "frnd2", Version: 78, SM: 90}, {Mod: ".satfinite", Version: 81},
			{Mod: ".rn.satfinite", Version: 86, SM: 100}, {Mod: ".rz.satfinite", Version: 86, SM: 100}, narrow94[0]},
		Operands: "d=.b32! a=.f32",
		Summary:  "Narrows .f32 to the 19 significant bits of tf32.",
		Example:  "cvt.rna.tf32.f32 d, a;"},
	{ID: "cvt.fp8", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 3, Version: 78, SM: 89,
		Syntax: narrowing(".f8x2type") + ".f8x2type = { .e4m3x2, .e5m2x2 };\n" + narrowSets,
		Gates: append([]Gate{{Mod: ".e4m3x2.bf16x2", Version: 91, SM: 100, Arch: "f"},
			{Mod: ".e5m2x2.bf16x2", Version: 91, SM: 100, Arch: "f"},
			{Mod: ".rz", Version: 94, SM: 107, Arch: "f", Family: 10}}, narrow94...),
		Operands: oneScale,
		Summary:  "Converts pairs to and from 8-bit floating-point formats.",
		Example:  "cvt.rn.satfinite.e4m3x2.f32 d, a, b;"},
	{ID: "cvt.fp6fp4", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 4, Version: 86, SM: 100, Arch: "f",
		Syntax: narrowing(".f4x2type") + narrowing(".f6x2type") +
			".f4x2type = { .e2m1x2 };\n.f6x2type = { .e2m3x2, .e3m2x2 };\n" + narrowSets,
		Gates: append([]Gate{{Mod: "fp16x2type", Version: 91},
			{Mod: ".rz", Version: 94, SM: 107, Arch: "f", Family: 10}}, narrow94...),
		Operands: oneScale,
		Summary:  "Converts pairs to and from 6-bit and 4-bit floating-point formats.",
		Example:  "cvt.rn.satfinite.e2m1x2.f32 d, a, b;"},
	{ID: "cvt.narrow.bf16x2", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 3, Version: 92, SM: 100, Arch: "f",
		Syntax: scalable(widening, ".scaled::n2::ue8m0", ".bf16x2.ntype", "d, a") +
			scalable("cvt.rn{.satfinite}", ".scaled::n2::ue8m0", ".bf16x2.ue5m3x2", "d, a") +
			".ntype = { .e4m3x2, .e5m2x2, .e2m1x2, .e2m3x2, .e3m2x2 };",
		Gates:    []Gate{{Mod: ".ue5m3x2", Version: 94, SM: 107, Arch: "f", Family: 10}},
		Operands: "d=bits(1)!^ a=bits(2)^ scale-factor=.b16",
		Summary:  "Widens pairs of 8-, 6- or 4-bit floating-point numbers to bfloat16, times an optional scale for each.",
		Example:  "cvt.rn.bf16x2.e4m3x2 d, a;"},
	{ID: "cvt.ue5m3", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 4, Version: 94, SM: 107, Arch: "f", Family: 10,
		Syntax: `cvt.frnd4{.satfinite}.ue5m3x2.f32                          d, a, b;
			cvt.frnd2{.satfinite}.scaled::n1::ue8m0.ue5m3x2.f32        d, a, b, scale-factor;
			cvt.frnd4{.satfinite}.ue5m3x2.fp16x2type                   d, a;
			cvt.frnd2{.satfinite}.scaled::n1::ue8m0.ue5m3x2.fp16x2type d, a, scale-factor;
			cvt.rn.f16x2.ue5m3x2                                       d, a;
			.frnd4 = { .rn, .rz, .rp };
			` + narrowSets,
		Operands: oneScale,
		Summary:  "Converts pairs to and from 8-bit scale factors without a sign, with three bits of mantissa.",
		Example:  "cvt.rp.satfinite.ue5m3x2.f32 d, a, b;"},
	{ID: "cvt.ue8m0", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 4, Version: 86, SM: 100, Arch: "f",
		Syntax: `cvt.frnd3{.satfinite}.ue8m0x2.f32    d, a, b;
			cvt.frnd3{.satfinite}.ue8m0x2.bf16x2 d, a;
			cvt.rn.bf16x2.ue8m0x2                d, a;
			.frnd3 = { .rz, .rp };`,
		Operands: "d=bits(1)!^ a=bits(2)^ b=.f32^",
		Summary:  "Converts pairs to and from power-of-two scale factors.",
		Example:  "cvt.rz.satfinite.ue8m0x2.bf16x2 d, a;"},
	{ID: "cvt.s2f6", Section: "9.7.10.24", Mnemonic: "cvt", Tier: 4, Version: 91, SM: 100, Arch: "a",
		Syntax: scalable("cvt.frnd2.satfinite{.relu}", ".scaled::n2::ue8m0", ".s2f6x2.f32", "d, a, b") +
			scalable("cvt.frnd2.satfinite{.relu}", ".scaled::n2::ue8m0", ".s2f6x2.bf16x2", "d, a") +
			scalable(widening, ".scaled::n2::ue8m0", ".bf16x2.s2f6x2", "d, a") +
			".frnd2 = { .rn, .rz };",
		Gates:    []Gate{{Mod: ".rz", Version: 94}},
		Operands: "d=bits(1)!^ a=bits(2)^ b=.f32^ scale-factor=.b16",
		Summary:  "Converts pairs to and from 8-bit fixed point with an optional scale.",
		Example:  "cvt.rn.satfinite.s2f6x2.f32 d, a, b;"},
	{ID: "cvt.pack", Section: "9.7.10.25", Mnemonic: "cvt", Tier: 2, Version: 65, SM: 72,
		Syntax: `cvt.pack.sat.convertType.abType       d, a, b;  // cvt.pack always saturates
			.convertType = { .u16, .s16 };
			.abType      = { .s32 };

			cvt.pack.sat.convertType.abType.cType d, a, b, c;  // cvt.pack always saturates
			.convertType = { .u2, .s2, .u4, .s4, .u8, .s8 };
			.abType      = { .s32 };
			.cType       = { .b32 };`,
		Gates: []Gate{{Mod: ".u4", SM: 75}, {Mod: ".s4", SM: 75}, {Mod: ".u2", SM: 75},
			{Mod: ".s2", SM: 75}},
		Operands: "d=.b32! a,b=.s32^ c=.b32^",
		Summary:  "Clamps two integers to a narrow type and packs them: b low, a above it, then c.",
		Example:  "cvt.pack.sat.s16.s32 d, a, b;"},
}
