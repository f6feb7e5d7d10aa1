package isa

// integerForms are the integer arithmetic instructions (9.7.1).
var integerForms = []Form{
	{ID: "add.int", Section: "9.7.1.1", Mnemonic: "add", Tier: 1, Version: 10, SM: 10,
		Syntax: `add.type d, a, b;  // integer addition wraps: only 32 bits and packed integers can saturate, none flushes or rounds
			.type = { .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Integer addition, wrapping.",
		Example:  "add.u32 x, y, z;"},
	{ID: "add.sat.s32", Section: "9.7.1.1", Mnemonic: "add", Tier: 2, Version: 10, SM: 10,
		Syntax:   `add.sat.s32 d, a, b;  // .sat applies only to 32 bits and packed integers`,
		Operands: "d=.s32! a,b=.s32",
		Summary:  "Signed addition, clamped to the range of .s32.",
		Example:  "add.sat.s32 c, c, 1;"},
	{ID: "add.sat.u32", Section: "9.7.1.1", Mnemonic: "add", Tier: 3, Version: 92, SM: 107, Arch: "f", Lacks: 110,
		Syntax:   `add.sat.u32 d, a, b;`,
		Operands: "d=.u32! a,b=.u32",
		Summary:  "Unsigned addition, clamped to the range of .u32.",
		Example:  "add.sat.u32 x, y, z;"},
	{ID: "add.x2int", Section: "9.7.1.1", Mnemonic: "add", Tier: 3, Version: 80, SM: 90,
		Syntax: `add{.sat}.type d, a, b;
			.type = { .u16x2, .s16x2 };`,
		Gates:    []Gate{{Mod: ".sat", Version: 92, SM: 107, Arch: "f", Lacks: 110}},
		Operands: "d=1! a,b=1",
		Summary:  "Two independent 16-bit additions in one 32-bit register; .sat clamps each.",
		Example:  "add.u16x2 u, v, w;"},
	{ID: "add.x4int", Section: "9.7.1.1", Mnemonic: "add", Tier: 3, Version: 92, SM: 107, Arch: "f", Lacks: 110,
		Syntax: `add{.sat}.type d, a, b;
			.type = { .u8x4, .s8x4 };`,
		Operands: "d=1! a,b=1",
		Summary:  "Four independent 8-bit additions in one 32-bit register; .sat clamps each.",
		Example:  "add.sat.s8x4 p, q, r;"},
	{ID: "sub.int", Section: "9.7.1.2", Mnemonic: "sub", Tier: 1, Version: 10, SM: 10,
		Syntax: `sub.type d, a, b;  // integer subtraction wraps: only .s32, .u8x4 and .s8x4 can saturate, none flushes or rounds
			.type = { .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Integer subtraction, wrapping.",
		Example:  "sub.s32 c, a, b;"},
	{ID: "sub.sat.s32", Section: "9.7.1.2", Mnemonic: "sub", Tier: 2, Version: 10, SM: 10,
		Syntax:   `sub.sat.s32 d, a, b;  // .sat applies only to .s32, .u8x4 and .s8x4`,
		Operands: "d=.s32! a,b=.s32",
		Summary:  "Signed subtraction, clamped to the range of .s32.",
		Example:  "sub.sat.s32 c, a, b;"},
	{ID: "sub.x4int", Section: "9.7.1.2", Mnemonic: "sub", Tier: 3, Version: 92, SM: 107, Arch: "f", Lacks: 110,
		Syntax: `sub{.sat}.type d, a, b;
			.type = { .u8x4, .s8x4 };`,
		Operands: "d=1! a,b=1",
		Summary:  "Four independent 8-bit subtractions in one 32-bit register; .sat clamps each.",
		Example:  "sub.u8x4 p, q, r;"},
	{ID: "mul.int", Section: "9.7.1.3", Mnemonic: "mul", Tier: 1, Version: 10, SM: 10,
		Syntax: `mul.mode.type  d, a, b;   // an integer product needs .lo, .hi or .wide
			mul.wide.wtype d, a, b;   // .wide takes 16-bit and 32-bit types only
			.mode  = { .lo, .hi };
			.type  = { .u16, .u32, .u64, .s16, .s32, .s64 };
			.wtype = { .u16, .u32, .s16, .s32 };`,
		Operands: "d=wide(wtype)|type! a,b=type|wtype",
		Summary:  "Integer product: its low half, its high half, or all of it in a register of twice the width.",
		Example:  "mul.wide.s32 z, x, y;"},
	{ID: "mad.int", Section: "9.7.1.4", Mnemonic: "mad", Tier: 1, Version: 10, SM: 10,
		Syntax: `mad.mode.type  d, a, b, c;   // an integer product needs .lo, .hi or .wide
			mad.wide.wtype d, a, b, c;   // .wide takes 16-bit and 32-bit types only
			.mode  = { .lo, .hi };
			.type  = { .u16, .u32, .u64, .s16, .s32, .s64 };
			.wtype = { .u16, .u32, .s16, .s32 };`,
		Operands: "d=wide(wtype)|type! a,b=type|wtype c=wide(wtype)|type",
		Summary:  "Integer multiply and add: half or all of a*b, plus c.",
		Example:  "mad.lo.s32 d, a, b, c;"},
	{ID: "mad.hi.sat.s32", Section: "9.7.1.4", Mnemonic: "mad", Tier: 4, Version: 10, SM: 10,
		Syntax:   `mad.hi.sat.s32 d, a, b, c;  // .sat applies only to .hi.s32`,
		Operands: "d=.s32! a,b,c=.s32",
		Summary:  "High half of the signed product plus c, clamped to the range of .s32.",
		Example:  "mad.hi.sat.s32 d, a, b, c;"},
	{ID: "clmad", Section: "9.7.1.5", Mnemonic: "clmad", Tier: 3, Version: 93, SM: 80,
		Syntax: `clmad.mode.u64 d, a, b, c;
			.mode = { .hi, .lo };`,
		Operands: "d=.u64! a,b,c=.u64",
		Summary:  "Half of the carry-less product of two 64-bit numbers, with c added without carries.",
		Example:  "clmad.lo.u64 d, a, b, c;"},
	{ID: "mul24", Section: "9.7.1.6", Mnemonic: "mul24", Tier: 4, Version: 10, SM: 10,
		Syntax: `mul24.mode.type d, a, b;
			.mode = { .hi, .lo };
			.type = { .u32, .s32 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Product of two 24-bit integers: its low 32 bits, or bits 47 to 16.",
		Example:  "mul24.lo.s32 d, a, b;"},
	{ID: "mad24", Section: "9.7.1.7", Mnemonic: "mad24", Tier: 4, Version: 10, SM: 10,
		Syntax: `mad24.mode.type  d, a, b, c;
			mad24.hi.sat.s32 d, a, b, c;  // .sat applies only to .hi.s32
			.mode = { .hi, .lo };
			.type = { .u32, .s32 };`,
		Operands: "d=type|.s32! a,b,c=type|.s32",
		Summary:  "Product of two 24-bit integers, low 32 bits or bits 47 to 16, plus c.",
		Example:  "mad24.lo.s32 d, a, b, c;"},
	{ID: "sad", Section: "9.7.1.8", Mnemonic: "sad", Tier: 2, Version: 10, SM: 10,
		Syntax: `sad.type d, a, b, c;
			.type = { .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a,b,c=type",
		Summary:  "Adds the absolute difference of a and b to c.",
		Example:  "sad.s32 d, a, b, c;"},
	{ID: "div.int", Section: "9.7.1.9", Mnemonic: "div", Tier: 1, Version: 10, SM: 10, Effect: Divides,
		Syntax: `div.type d, a, b;  // integer division truncates: no rounding modifier
			.type = { .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Integer quotient. Division by zero gives an unspecified value.",
		Example:  "div.s32 b, n, i;"},
	{ID: "rem.int", Section: "9.7.1.10", Mnemonic: "rem", Tier: 1, Version: 10, SM: 10, Effect: Divides,
		Syntax: `rem.type d, a, b;
			.type = { .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Integer remainder. Division by zero gives an unspecified value.",
		Example:  "rem.s32 x, x, 8;"},
	{ID: "abs.int", Section: "9.7.1.11", Mnemonic: "abs", Tier: 1, Version: 10, SM: 10,
		Syntax: `abs.type d, a;  // only signed integers have an absolute value
			.type = { .s16, .s32, .s64 };`,
		Operands: "d=type! a=type",
		Summary:  "Absolute value of a signed integer.",
		Example:  "abs.s32 r0, a;"},
	{ID: "neg.int", Section: "9.7.1.12", Mnemonic: "neg", Tier: 1, Version: 10, SM: 10,
		Syntax: `neg.type d, a;  // only signed integers can be negated
			.type = { .s16, .s32, .s64 };`,
		Operands: "d=type! a=type",
		Summary:  "Negates a signed integer.",
		Example:  "neg.s32 r0, a;"},
	{ID: "neg.x4int", Section: "9.7.1.12", Mnemonic: "neg", Tier: 3, Version: 92, SM: 107, Arch: "f", Lacks: 110,
		Syntax:   `neg.s8x4 d, a;`,
		Operands: "d=1! a=1",
		Summary:  "Negates four 8-bit integers in one 32-bit register.",
		Example:  "neg.s8x4 p, q;"},
	{ID: "min.int", Section: "9.7.1.13", Mnemonic: "min", Tier: 1, Version: 10, SM: 10,
		Syntax: `min.type d, a, b;
			.type = { .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Smaller of two integers.",
		Example:  "min.s32 r0, a, b;"},
	{ID: "min.int.sm90", Section: "9.7.1.13", Mnemonic: "min", Tier: 3, Version: 80, SM: 90,
		Syntax: `min.u16x2        d, a, b;
			min{.relu}.s16x2 d, a, b;
			min.relu.stype   d, a, b;  // .relu applies only to .s8x4, .s16x2 and .s32
			.stype = { .s32 };`,
		Operands: "d=1! a,b=1",
		Summary:  "Smaller of packed 16-bit integers; .relu replaces negative results by zero.",
		Example:  "min.u16x2 u, v, w;"},
	{ID: "min.x4int", Section: "9.7.1.13", Mnemonic: "min", Tier: 3, Version: 92, SM: 107, Arch: "f", Lacks: 110,
		Syntax: `min.u8x4        d, a, b;
			min{.relu}.s8x4 d, a, b;`,
		Operands: "d=1! a,b=1",
		Summary:  "Smaller of packed 8-bit integers, each with each; .relu replaces negative results by zero.",
		Example:  "min.u8x4 p, q, r;"},
	{ID: "max.int", Section: "9.7.1.14", Mnemonic: "max", Tier: 1, Version: 10, SM: 10,
		Syntax: `max.type d, a, b;
			.type = { .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Larger of two integers.",
		Example:  "max.u32 d, a, b;"},
	{ID: "max.int.sm90", Section: "9.7.1.14", Mnemonic: "max", Tier: 3, Version: 80, SM: 90,
		Syntax: `max.u16x2        d, a, b;
			max{.relu}.s16x2 d, a, b;
			max.relu.stype   d, a, b;  // .relu applies only to .s8x4, .s16x2 and .s32
			.stype = { .s32 };`,
		Operands: "d=1! a,b=1",
		Summary:  "Larger of packed 16-bit integers; .relu replaces negative results by zero.",
		Example:  "max.relu.s16x2 s, a, b;"},
	{ID: "max.x4int", Section: "9.7.1.14", Mnemonic: "max", Tier: 3, Version: 92, SM: 107, Arch: "f", Lacks: 110,
		Syntax: `max.u8x4        d, a, b;
			max{.relu}.s8x4 d, a, b;`,
		Operands: "d=1! a,b=1",
		Summary:  "Larger of packed 8-bit integers, each with each; .relu replaces negative results by zero.",
		Example:  "max.u8x4 p, q, r;"},
	{ID: "popc", Section: "9.7.1.15", Mnemonic: "popc", Tier: 1, Version: 20, SM: 20,
		Syntax: `popc.type d, a;
			.type = { .b32, .b64 };`,
		Operands: "d=.u32! a=type",
		Summary:  "Counts the bits that are one; the result is 32 bits wide.",
		Example:  "popc.b64 cnt, x;"},
	{ID: "clz", Section: "9.7.1.16", Mnemonic: "clz", Tier: 1, Version: 20, SM: 20,
		Syntax: `clz.type d, a;
			.type = { .b32, .b64 };`,
		Operands: "d=.u32! a=type",
		Summary:  "Counts leading zeros; the result is 32 bits wide.",
		Example:  "clz.b32 cnt, x;"},
	{ID: "bfind", Section: "9.7.1.17", Mnemonic: "bfind", Tier: 2, Version: 20, SM: 20,
		Syntax: `bfind{.shiftamt}.type d, a;
			.type = { .u32, .u64, .s32, .s64 };`,
		Operands: "d=.u32! a=type",
		Summary:  "Position of the highest bit that is not a sign bit, or the left shift that would bring it to the top.",
		Example:  "bfind.shiftamt.s64 cnt, x;"},
	{ID: "fns", Section: "9.7.1.18", Mnemonic: "fns", Tier: 2, Version: 60, SM: 30,
		Syntax:   `fns.b32 d, mask, base, offset;`,
		Operands: "d=.b32! mask=.b32 base=.u32 offset=.s32",
		Summary:  "Position of the n-th set bit of a mask, counted from base.",
		Example:  "fns.b32 d, 0xaaaaaaaa, 3, 1;"},
	{ID: "brev", Section: "9.7.1.19", Mnemonic: "brev", Tier: 1, Version: 20, SM: 20,
		Syntax: `brev.type d, a;
			.type = { .b32, .b64 };`,
		Operands: "d=type! a=type",
		Summary:  "Reverses the order of the bits.",
		Example:  "brev.b32 d, a;"},
	{ID: "bfe", Section: "9.7.1.20", Mnemonic: "bfe", Tier: 1, Version: 20, SM: 20,
		Syntax: `bfe.type d, a, b, c;  // the type says how to extend the field, so it is .u or .s
			.type = { .u32, .u64, .s32, .s64 };`,
		Operands: "d=type! a=type b,c=.u32<0..255>",
		Summary:  "Extracts a bit field of a: position b, length c, extended by the type.",
		Example:  "bfe.u32 d, a, start, len;"},
	{ID: "bfi", Section: "9.7.1.21", Mnemonic: "bfi", Tier: 1, Version: 20, SM: 20,
		Syntax: `bfi.type f, a, b, c, d;
			.type = { .b32, .b64 };`,
		Operands: "f=type! a,b=type c,d=.u32<0..255>",
		Summary:  "Inserts the low d bits of a into b at position c.",
		Example:  "bfi.b32 d, a, b, start, len;"},
	{ID: "szext", Section: "9.7.1.22", Mnemonic: "szext", Tier: 2, Version: 76, SM: 70,
		Syntax: `szext.mode.type d, a, b;
			.mode = { .clamp, .wrap };
			.type = { .u32, .s32 };`,
		Operands: "d=type! a=type b=.u32",
		Summary:  "Extends the low b bits of a by sign or by zeros.",
		Example:  "szext.clamp.s32 rd, ra, rb;"},
	{ID: "bmsk", Section: "9.7.1.23", Mnemonic: "bmsk", Tier: 2, Version: 76, SM: 70,
		Syntax: `bmsk.mode.b32 d, a, b;
			.mode = { .clamp, .wrap };`,
		Operands: "d=.b32! a,b=.u32",
		Summary:  "Mask of b ones that starts at bit a.",
		Example:  "bmsk.clamp.b32 rd, ra, rb;"},
	{ID: "dp4a", Section: "9.7.1.24", Mnemonic: "dp4a", Tier: 2, Version: 50, SM: 61,
		Syntax: `dp4a.atype.btype d, a, b, c;
			.atype = .btype = { .u32, .s32 };`,
		Operands: "d=.u32! a,b,c=.u32",
		Summary:  "Dot product of four bytes with four bytes, plus c.",
		Example:  "dp4a.u32.u32 d0, a0, b0, c0;"},
	{ID: "dp2a", Section: "9.7.1.25", Mnemonic: "dp2a", Tier: 2, Version: 50, SM: 61,
		Syntax: `dp2a.mode.atype.btype d, a, b, c;
			.atype = .btype = { .u32, .s32 };
			.mode = { .lo, .hi };`,
		Operands: "d=.u32! a,b,c=.u32",
		Summary:  "Dot product of two 16-bit values with two bytes of b, plus c.",
		Example:  "dp2a.lo.u32.u32 d0, a0, b0, c0;"},
}

// extendedForms are the extended-precision integer instructions (9.7.2): they pass a carry through CC.CF.
var extendedForms = []Form{
	{ID: "add.cc", Section: "9.7.2.1", Mnemonic: "add", Tier: 2, Version: 12, SM: 10, Effect: WritesCarry,
		Syntax: `add.cc.type d, a, b;  // carry-out is for 32-bit and 64-bit integers
			.type = { .u32, .s32, .u64, .s64 };`,
		Gates:    []Gate{{Mod: ".u64", Version: 43, SM: 20}, {Mod: ".s64", Version: 43, SM: 20}},
		Operands: "d=type! a,b=type",
		Summary:  "Integer addition that writes the carry flag.",
		Example:  "add.cc.u32 x1, y1, z1;"},
	{ID: "addc", Section: "9.7.2.2", Mnemonic: "addc", Tier: 2, Version: 12, SM: 10, Effect: ReadsCarry | WritesCarry,
		Syntax: `addc{.cc}.type d, a, b;
			.type = { .u32, .s32, .u64, .s64 };`,
		Gates:    []Gate{{Mod: ".u64", Version: 43, SM: 20}, {Mod: ".s64", Version: 43, SM: 20}},
		Operands: "d=type! a,b=type",
		Summary:  "Integer addition with the carry flag; .cc writes it again.",
		Example:  "addc.cc.u32 x2, y2, z2;"},
	{ID: "sub.cc", Section: "9.7.2.3", Mnemonic: "sub", Tier: 2, Version: 12, SM: 10, Effect: WritesCarry,
		Syntax: `sub.cc.type d, a, b;  // borrow-out is for 32-bit and 64-bit integers
			.type = { .u32, .s32, .u64, .s64 };`,
		Gates:    []Gate{{Mod: ".u64", Version: 43, SM: 20}, {Mod: ".s64", Version: 43, SM: 20}},
		Operands: "d=type! a,b=type",
		Summary:  "Integer subtraction that writes the borrow into the carry flag.",
		Example:  "sub.cc.u32 x1, y1, z1;"},
	{ID: "subc", Section: "9.7.2.4", Mnemonic: "subc", Tier: 2, Version: 12, SM: 10, Effect: ReadsCarry | WritesCarry,
		Syntax: `subc{.cc}.type d, a, b;
			.type = { .u32, .s32, .u64, .s64 };`,
		Gates:    []Gate{{Mod: ".u64", Version: 43, SM: 20}, {Mod: ".s64", Version: 43, SM: 20}},
		Operands: "d=type! a,b=type",
		Summary:  "Integer subtraction with the borrow; .cc writes it again.",
		Example:  "subc.cc.u32 x2, y2, z2;"},
	{ID: "mad.cc", Section: "9.7.2.5", Mnemonic: "mad", Tier: 2, Version: 30, SM: 20, Effect: WritesCarry,
		Syntax: `mad.mode.cc.type d, a, b, c;  // carry-out is for .lo and .hi of 32-bit and 64-bit integers
			.mode = { .hi, .lo };
			.type = { .u32, .s32, .u64, .s64 };`,
		Gates:    []Gate{{Mod: ".u64", Version: 43}, {Mod: ".s64", Version: 43}},
		Operands: "d=type! a,b,c=type",
		Summary:  "Integer multiply and add that writes the carry flag.",
		Example:  "mad.lo.cc.u32 r1, r2, r3, r4;"},
	{ID: "madc", Section: "9.7.2.6", Mnemonic: "madc", Tier: 2, Version: 30, SM: 20, Effect: ReadsCarry | WritesCarry,
		Syntax: `madc.mode{.cc}.type d, a, b, c;
			.mode = { .hi, .lo };
			.type = { .u32, .s32, .u64, .s64 };`,
		Gates:    []Gate{{Mod: ".u64", Version: 43}, {Mod: ".s64", Version: 43}},
		Operands: "d=type! a,b,c=type",
		Summary:  "Integer multiply and add with the carry flag; .cc writes it again.",
		Example:  "madc.hi.u32 r1, r2, r3, r4;"},
}
