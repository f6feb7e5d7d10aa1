package isa

// halfForms are the half-precision (9.7.4) and mixed-precision (9.7.5) instructions.
var halfForms = []Form{
	{ID: "add.half", Section: "9.7.4.1", Mnemonic: "add", Tier: 2, Version: 42, SM: 53,
		Syntax: `add{.rnd}{.ftz}{.sat}.type d, a, b;  // half precision rounds to nearest only
			.rnd  = { .rn };
			.type = { .f16, .f16x2 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Half-precision addition, one value or two packed ones.",
		Example:  "add.ftz.f16 d0, a0, b0;"},
	{ID: "add.bf16", Section: "9.7.4.1", Mnemonic: "add", Tier: 2, Version: 78, SM: 90,
		Syntax: `add{.rnd}.type d, a, b;
			.rnd  = { .rn };
			.type = { .bf16, .bf16x2 };`,
		Operands: "d=type! a,b=type",
		Summary:  "bfloat16 addition, one value or two packed ones.",
		Example:  "add.rn.bf16 bd, ba, bb;"},
	{ID: "sub.half", Section: "9.7.4.2", Mnemonic: "sub", Tier: 2, Version: 42, SM: 53,
		Syntax: `sub{.rnd}{.ftz}{.sat}.type d, a, b;  // half precision rounds to nearest only
			.rnd  = { .rn };
			.type = { .f16, .f16x2 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Half-precision subtraction, one value or two packed ones.",
		Example:  "sub.sat.f16x2 d0, a0, b0;"},
	{ID: "sub.bf16", Section: "9.7.4.2", Mnemonic: "sub", Tier: 2, Version: 78, SM: 90,
		Syntax: `sub{.rnd}.type d, a, b;
			.rnd  = { .rn };
			.type = { .bf16, .bf16x2 };`,
		Operands: "d=type! a,b=type",
		Summary:  "bfloat16 subtraction, one value or two packed ones.",
		Example:  "sub.rn.bf16x2 bd, ba, bb;"},
	{ID: "mul.half", Section: "9.7.4.3", Mnemonic: "mul", Tier: 2, Version: 42, SM: 53,
		Syntax: `mul{.rnd}{.ftz}{.sat}.type d, a, b;  // half precision rounds to nearest only
			.rnd  = { .rn };
			.type = { .f16, .f16x2 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Half-precision product, one value or two packed ones.",
		Example:  "mul.rn.f16 d0, a0, b0;"},
	{ID: "mul.bf16", Section: "9.7.4.3", Mnemonic: "mul", Tier: 2, Version: 78, SM: 90,
		Syntax: `mul{.rnd}.type d, a, b;
			.rnd  = { .rn };
			.type = { .bf16, .bf16x2 };`,
		Operands: "d=type! a,b=type",
		Summary:  "bfloat16 product, one value or two packed ones.",
		Example:  "mul.rn.bf16 bd, ba, bb;"},
	{ID: "fma.half", Section: "9.7.4.4", Mnemonic: "fma", Tier: 2, Version: 42, SM: 53,
		Syntax: `fma.rnd{.ftz}{.sat}.type d, a, b, c;  // half precision rounds to nearest only
			fma.rnd{.ftz}.relu.type  d, a, b, c;  // .relu and .sat exclude each other
			.rnd  = { .rn };
			.type = { .f16, .f16x2 };`,
		Gates:    []Gate{{Mod: ".relu", Version: 70, SM: 80}},
		Operands: "d=type! a,b,c=type",
		Summary:  "Half-precision a*b+c, rounded once; .relu replaces negative results by zero.",
		Example:  "fma.rn.f16 d0, a0, b0, c0;"},
	{ID: "fma.bf16", Section: "9.7.4.4", Mnemonic: "fma", Tier: 2, Version: 70, SM: 80,
		Syntax: `fma.rnd{.relu}.type d, a, b, c;
			.rnd  = { .rn };
			.type = { .bf16, .bf16x2 };`,
		Operands: "d=type! a,b,c=type",
		Summary:  "bfloat16 a*b+c, rounded once; .relu replaces negative results by zero.",
		Example:  "fma.rn.relu.bf16 bd, ba, bb, bc;"},
	{ID: "fma.oob", Section: "9.7.4.4", Mnemonic: "fma", Tier: 3, Version: 81, SM: 90,
		Syntax: `fma.rnd.oob{.relu}.type d, a, b, c;
			.rnd  = { .rn };
			.type = { .f16, .f16x2, .bf16, .bf16x2 };`,
		Operands: "d=type! a,b,c=type",
		Summary:  "a*b+c that gives zero when an input is the out-of-bounds NaN.",
		Example:  "fma.rn.oob.relu.f16x2 d, a, b, c;"},
	{ID: "neg.half", Section: "9.7.4.5", Mnemonic: "neg", Tier: 2, Version: 60, SM: 53,
		Syntax: `neg{.ftz}.f16   d, a;
			neg{.ftz}.f16x2 d, a;
			neg.bf16        d, a;
			neg.bf16x2      d, a;`,
		Gates:    []Gate{{Mod: ".bf16", Version: 70, SM: 80}, {Mod: ".bf16x2", Version: 70, SM: 80}},
		Operands: "d=1! a=1",
		Summary:  "Negates half-precision or bfloat16 values.",
		Example:  "neg.ftz.f16 x, f0;"},
	{ID: "abs.half", Section: "9.7.4.6", Mnemonic: "abs", Tier: 2, Version: 65, SM: 53,
		Syntax: `abs{.ftz}.f16   d, a;
			abs{.ftz}.f16x2 d, a;
			abs.bf16        d, a;
			abs.bf16x2      d, a;`,
		Gates:    []Gate{{Mod: ".bf16", Version: 70, SM: 80}, {Mod: ".bf16x2", Version: 70, SM: 80}},
		Operands: "d=1! a=1",
		Summary:  "Absolute value of half-precision or bfloat16 values.",
		Example:  "abs.ftz.f16 x, f0;"},
	{ID: "min.half", Section: "9.7.4.7", Mnemonic: "min", Tier: 2, Version: 70, SM: 80,
		Syntax: `min{.ftz}{.NaN}{.xorsign.abs}.htype d, a, b;
			min{.NaN}{.xorsign.abs}.btype       d, a, b;
			.htype = { .f16, .f16x2 };
			.btype = { .bf16, .bf16x2 };`,
		Gates:    []Gate{{Mod: ".xorsign", Version: 72, SM: 86}},
		Operands: "d=1! a,b=1",
		Summary:  "Smaller of half-precision or bfloat16 values; a NaN loses unless .NaN is given.",
		Example:  "min.ftz.f16 h0, h1, h2;"},
	{ID: "max.half", Section: "9.7.4.8", Mnemonic: "max", Tier: 2, Version: 70, SM: 80,
		Syntax: `max{.ftz}{.NaN}{.xorsign.abs}.htype d, a, b;
			max{.NaN}{.xorsign.abs}.btype       d, a, b;
			.htype = { .f16, .f16x2 };
			.btype = { .bf16, .bf16x2 };`,
		Gates:    []Gate{{Mod: ".xorsign", Version: 72, SM: 86}},
		Operands: "d=1! a,b=1",
		Summary:  "Larger of half-precision or bfloat16 values; a NaN loses unless .NaN is given.",
		Example:  "max.NaN.f16x2 b0, b1, b2;"},
	{ID: "tanh.half", Section: "9.7.4.9", Mnemonic: "tanh", Tier: 2, Version: 70, SM: 75,
		Syntax: `tanh.approx.type d, a;
			.type = { .f16, .f16x2, .bf16, .bf16x2 };`,
		Gates:    []Gate{{Mod: ".bf16", Version: 78, SM: 90}, {Mod: ".bf16x2", Version: 78, SM: 90}},
		Operands: "d=type! a=type",
		Summary:  "Approximate hyperbolic tangent of half-precision or bfloat16 values.",
		Example:  "tanh.approx.f16 h1, h0;"},
	{ID: "ex2.half", Section: "9.7.4.10", Mnemonic: "ex2", Tier: 2, Version: 70, SM: 75,
		Syntax: `ex2.approx.atype     d, a;
			ex2.approx.ftz.btype d, a;
			.atype = { .f16, .f16x2 };
			.btype = { .bf16, .bf16x2 };`,
		Gates:    []Gate{{Mod: ".bf16", Version: 78, SM: 90}, {Mod: ".bf16x2", Version: 78, SM: 90}},
		Operands: "d=1! a=1",
		Summary:  "Approximate power of two of half-precision or bfloat16 values.",
		Example:  "ex2.approx.ftz.bf16 b1, b0;"},
	{ID: "add.mixed", Section: "9.7.5.1", Mnemonic: "add", Tier: 3, Version: 86, SM: 100,
		Syntax: `add{.rnd}{.sat}.f32.atype d, a, c;
			.atype = { .f16, .bf16 };
			.rnd   = { .rn, .rz, .rm, .rp };`,
		Operands: "d=.f32! a=atype c=.f32",
		Summary:  "Widens a to single precision and adds c.",
		Example:  "add.rn.f32.bf16 fd, ba, fc;"},
	{ID: "sub.mixed", Section: "9.7.5.2", Mnemonic: "sub", Tier: 3, Version: 86, SM: 100,
		Syntax: `sub{.rnd}{.sat}.f32.atype d, a, c;
			.atype = { .f16, .bf16 };
			.rnd   = { .rn, .rz, .rm, .rp };`,
		Operands: "d=.f32! a=atype c=.f32",
		Summary:  "Widens a to single precision and subtracts c.",
		Example:  "sub.rz.sat.f32.f16 fd, ha, fc;"},
	{ID: "fma.mixed", Section: "9.7.5.3", Mnemonic: "fma", Tier: 3, Version: 86, SM: 100,
		Syntax: `fma.rnd{.sat}.f32.abtype d, a, b, c;
			.abtype = { .f16, .bf16 };
			.rnd    = { .rn, .rz, .rm, .rp };`,
		Operands: "d=.f32! a,b=abtype c=.f32",
		Summary:  "Widens a and b to single precision and computes a*b+c, rounded once.",
		Example:  "fma.rn.sat.f32.f16 fd, ha, hb, fc;"},
	{ID: "add.mixed.x2", Section: "9.7.5.1", Mnemonic: "add", Tier: 3, Version: 94, SM: 107, Arch: "f", Family: 10,
		Syntax: `add{.rnd}.f32x2.atype2.f32x2  d, a, c;
			add.rz.ftz.f16x2.f32x2.f32x2 d, a, c;  // a sum of .f32 is narrowed with .rz.ftz to .f16x2, with .rz to .bf16x2
			add.rz.bf16x2.f32x2.f32x2    d, a, c;  // a sum of .f32 is narrowed with .rz.ftz to .f16x2, with .rz to .bf16x2
			.atype2 = { .f16x2, .bf16x2 };
			.rnd    = { .rn, .rz, .rm, .rp };`,
		Operands: "d=bits(1)! a=bits(2) c=bits(3)",
		Summary:  "Two sums of single precision: a is widened first, or the result is narrowed toward zero.",
		Example:  "add.rn.f32x2.f16x2.f32x2 d, a, c;"},
	{ID: "sub.mixed.x2", Section: "9.7.5.2", Mnemonic: "sub", Tier: 3, Version: 94, SM: 107, Arch: "f", Family: 10,
		Syntax: `sub{.rnd}.f32x2.atype2.f32x2  d, a, c;
			sub.rz.ftz.f16x2.f32x2.f32x2 d, a, c;  // a sum of .f32 is narrowed with .rz.ftz to .f16x2, with .rz to .bf16x2
			sub.rz.bf16x2.f32x2.f32x2    d, a, c;  // a sum of .f32 is narrowed with .rz.ftz to .f16x2, with .rz to .bf16x2
			.atype2 = { .f16x2, .bf16x2 };
			.rnd    = { .rn, .rz, .rm, .rp };`,
		Operands: "d=bits(1)! a=bits(2) c=bits(3)",
		Summary:  "Two differences of single precision: a is widened first, or the result is narrowed toward zero.",
		Example:  "sub.rn.f32x2.f16x2.f32x2 d, a, c;"},
	{ID: "fma.mixed.x2", Section: "9.7.5.3", Mnemonic: "fma", Tier: 3, Version: 94, SM: 107, Arch: "f", Family: 10,
		Syntax: `fma.rnd.f32x2.atype.f32x2.f32x2 d, a, b, c;
			.atype = { .f16x2, .bf16x2 };
			.rnd   = { .rn, .rz, .rm, .rp };`,
		Operands: "d=bits(1)! a=bits(2) b,c=bits(3)",
		Summary:  "Two a*b+c in single precision, each rounded once; a is widened first.",
		Example:  "fma.rn.f32x2.bf16x2.f32x2.f32x2 d, a, b, c;"},
	{ID: "mul.mixed.x2", Section: "9.7.5.4", Mnemonic: "mul", Tier: 3, Version: 94, SM: 107, Arch: "f", Family: 10,
		Syntax: `mul.ftz.rz.f16x2.f32x2.f32x2 d, a, c;  // a product of .f32 is narrowed with .rz.ftz to .f16x2, with .rz to .bf16x2
			mul.rz.bf16x2.f32x2.f32x2    d, a, c;  // a product of .f32 is narrowed with .rz.ftz to .f16x2, with .rz to .bf16x2
			mul.bf16x2.bf16x2.f16x2      d, a, c;
			mul.f16x2.f16x2.bf16x2       d, a, c;`,
		Operands: "d=bits(1)! a=bits(2) c=bits(3)",
		Summary:  "Two products: of single precision, narrowed toward zero, or of half precision and bfloat16.",
		Example:  "mul.rz.bf16x2.f32x2.f32x2 d, a, c;"},
}

// alternateTypes are the types whose numbers the alternate floating-point instructions take in fours.
const alternateTypes = "{ .e5m2x4, .e4m3x4, .e3m2x4, .e2m3x4, .e2m1x4, .e2m1p4x4, .ue8m0x4 };\n"

// alternateForms are the alternate floating-point instructions (9.7.6). Targets between sm_103 and sm_110 lack them.
var alternateForms = []Form{
	{ID: "add.x4", Section: "9.7.6.1", Mnemonic: "add", Tier: 3, Version: 94, SM: 100, Arch: "a", Family: 10, Lacks: 107,
		Syntax: "add{.rnd}{.satfinite}.cdtype.atype d, a, c;\n.rnd = { .rn };\n.cdtype = { .e5m2x4, .e4m3x4 };\n" +
			".atype = " + alternateTypes,
		Operands: "d=.b32! a=bits(atype) c=.b32",
		Summary:  "Four sums of narrow floating-point numbers, each rounded once to an 8-bit format.",
		Example:  "add.rn.satfinite.e5m2x4.e4m3x4 d, a, c;"},
	{ID: "sub.x4", Section: "9.7.6.2", Mnemonic: "sub", Tier: 3, Version: 94, SM: 100, Arch: "a", Family: 10, Lacks: 107,
		Syntax: "sub{.rnd}{.satfinite}.cdtype.atype d, a, c;\n.rnd = { .rn };\n.cdtype = { .e5m2x4, .e4m3x4 };\n" +
			".atype = " + alternateTypes,
		Operands: "d=.b32! a=bits(atype) c=.b32",
		Summary:  "Four differences of narrow floating-point numbers, each rounded once to an 8-bit format.",
		Example:  "sub.rn.e4m3x4.e2m1x4 d, a, c;"},
	{ID: "mul.x4", Section: "9.7.6.3", Mnemonic: "mul", Tier: 3, Version: 94, SM: 100, Arch: "a", Family: 10, Lacks: 107,
		Syntax: "mul{.rnd}{.satfinite}.dtype.atype.ctype d, a, c;\n.rnd = { .rn };\n.dtype = { .e5m2x4, .e4m3x4 };\n" +
			".atype = .ctype = " + alternateTypes,
		Operands: "d=.b32! a=bits(atype) c=bits(ctype)",
		Summary:  "Four products of narrow floating-point numbers, each rounded once to an 8-bit format.",
		Example:  "mul.rn.e5m2x4.e3m2x4.e2m1x4 d, a, c;"},
	{ID: "fma.x4", Section: "9.7.6.4", Mnemonic: "fma", Tier: 3, Version: 94, SM: 100, Arch: "a", Family: 10, Lacks: 107,
		Syntax: "fma{.rnd}{.satfinite}.cdtype.atype.btype d, a, b, c;\n.rnd = { .rn };\n.cdtype = { .e5m2x4, .e4m3x4 };\n" +
			".atype = .btype = " + alternateTypes,
		Operands: "d=.b32! a=bits(atype) b=bits(btype) c=.b32",
		Summary:  "Four a*b+c of narrow floating-point numbers, each rounded once to an 8-bit format.",
		Example:  "fma.rn.satfinite.e4m3x4.e3m2x4.e2m1x4 d, a, b, c;"},
}
