package isa

// compareForms are comparison and selection (9.7.7) and half-precision comparison (9.7.8). The comparisons that a
// type has are in 9.3.1.1 (integers: lo ls hi hs for unsigned ones) and 9.3.1.2 (floats: equ … nan).
var compareForms = []Form{
	{ID: "set", Section: "9.7.7.1", Mnemonic: "set", Tier: 2, Version: 10, SM: 10,
		Syntax: `set.CmpOp.dtype.btype               d, a, b;      // bit-size types compare only with .eq and .ne
			set.CmpOp.BoolOp.dtype.btype        d, a, b, {!}c;
			.CmpOp = { eq, ne };
			.btype = { .b16, .b32, .b64 };

			set.CmpOp.dtype.stype               d, a, b;      // signed integers compare with .eq .ne .lt .le .gt .ge
			set.CmpOp.BoolOp.dtype.stype        d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge };
			.stype = { .s16, .s32, .s64 };

			set.CmpOp.dtype.utype
				d, a, b;      // unsigned integers compare with .eq .ne .lt .le .gt .ge and .lo .ls .hi .hs
			set.CmpOp.BoolOp.dtype.utype        d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, lo, ls, hi, hs };
			.utype = { .u16, .u32, .u64 };

			set.CmpOp{.ftz}.dtype.f32
				d, a, b;      // floats compare with .eq to .ge, and .equ to .nan which know NaN
			set.CmpOp.BoolOp{.ftz}.dtype.f32    d, a, b, {!}c;
			set.CmpOp.dtype.f64
				d, a, b;      // floats compare with .eq to .ge, and .equ to .nan which know NaN
			set.CmpOp.BoolOp.dtype.f64          d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

			.BoolOp = { and, or, xor };
			.dtype  = { .u32, .s32, .f32 };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}},
		Operands: "d=1! a,b=2 c=pred",
		Summary:  "Compares and writes a number: all ones or 1.0 for true, zero for false.",
		Example:  "set.lt.and.f32.s32 d, a, b, r;"},
	{ID: "set.packed", Section: "9.7.7.1", Mnemonic: "set", Tier: 3, Version: 94, SM: 107, Arch: "f", Family: 10,
		Syntax: `set.CmpOp.stype d, a, b;  // signed integers compare with .eq .ne .lt .le .gt .ge
			.CmpOp = { eq, ne, lt, le, gt, ge };
			.stype = { .s8x4, .s16x2 };

			set.CmpOp.utype d, a, b;  // unsigned integers compare with .eq .ne .lt .le .gt .ge and .lo .ls .hi .hs
			.CmpOp = { eq, ne, lt, le, gt, ge, lo, ls, hi, hs };
			.utype = { .u8x4, .u16x2 };`,
		Operands: "d=1! a,b=1",
		Summary:  "Compares packed integers, each with each, and writes all ones or zero for each.",
		Example:  "set.ge.s16x2 bd, ba, bb;"},
	{ID: "setp", Section: "9.7.7.2", Mnemonic: "setp", Tier: 1, Version: 10, SM: 10,
		Syntax: `setp.CmpOp.btype               p[|q], a, b;      // bit-size types compare only with .eq and .ne
			setp.CmpOp.BoolOp.btype        p[|q], a, b, {!}c;
			.CmpOp = { eq, ne };
			.btype = { .b16, .b32, .b64 };

			setp.CmpOp.stype               p[|q], a, b;      // signed integers compare with .eq .ne .lt .le .gt .ge
			setp.CmpOp.BoolOp.stype        p[|q], a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge };
			.stype = { .s16, .s32, .s64 };

			setp.CmpOp.utype
				p[|q], a, b;      // unsigned integers compare with .eq .ne .lt .le .gt .ge and .lo .ls .hi .hs
			setp.CmpOp.BoolOp.utype        p[|q], a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, lo, ls, hi, hs };
			.utype = { .u16, .u32, .u64 };

			setp.CmpOp{.ftz}.f32
				p[|q], a, b;      // floats compare with .eq to .ge, and .equ to .nan which know NaN
			setp.CmpOp.BoolOp{.ftz}.f32    p[|q], a, b, {!}c;
			setp.CmpOp.f64
				p[|q], a, b;      // floats compare with .eq to .ge, and .equ to .nan which know NaN
			setp.CmpOp.BoolOp.f64          p[|q], a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };

			.BoolOp = { and, or, xor };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}},
		Operands: "p,q=pred!~ a,b=1 c=pred",
		Summary:  "Compares and writes a predicate. With p|q, q gets the opposite. With .and, .or or .xor, each is combined with c.",
		Example:  "setp.lt.and.s32 p|q, a, b, r;"},
	{ID: "selp", Section: "9.7.7.3", Mnemonic: "selp", Tier: 1, Version: 10, SM: 10,
		Syntax: `selp.type d, a, b, c;
			.type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}},
		Operands: "d=type! a,b=type c=pred",
		Summary:  "a when the predicate c is true, else b.",
		Example:  "selp.s32 r0, r, g, p;"},
	{ID: "slct", Section: "9.7.7.4", Mnemonic: "slct", Tier: 2, Version: 10, SM: 10,
		Syntax: `slct.dtype.s32       d, a, b, c;  // only the .f32 selector can flush
			slct{.ftz}.dtype.f32 d, a, b, c;
			.dtype = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}},
		Operands: "d=1! a,b=1 c=2",
		Summary:  "a when c is at least zero, else b.",
		Example:  "slct.u32.s32 x, y, z, val;"},
	{ID: "set.half", Section: "9.7.8.1", Mnemonic: "set", Tier: 2, Version: 42, SM: 53,
		Syntax: `set.CmpOp.f16.btype                 d, a, b;  // bit-size types compare only with .eq and .ne
			set.CmpOp.BoolOp.f16.btype          d, a, b, {!}c;
			set.CmpOp.bf16.btype                d, a, b;  // bit-size types compare only with .eq and .ne
			set.CmpOp.BoolOp.bf16.btype         d, a, b, {!}c;
			.CmpOp = { eq, ne };
			.btype = { .b16, .b32, .b64 };

			set.CmpOp.f16.itype                 d, a, b;  // integers compare with .eq .ne .lt .le .gt .ge
			set.CmpOp.BoolOp.f16.itype          d, a, b, {!}c;
			set.CmpOp.bf16.itype                d, a, b;  // integers compare with .eq .ne .lt .le .gt .ge
			set.CmpOp.BoolOp.bf16.itype         d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge };
			.itype = { .u16, .u32, .u64, .s16, .s32, .s64 };

			set.CmpOp{.ftz}.f16.ftype           d, a, b;  // .ftz is for .f16 and .f32
			set.CmpOp.BoolOp{.ftz}.f16.ftype    d, a, b, {!}c;
			set.CmpOp.f16.f64                   d, a, b;
			set.CmpOp.BoolOp.f16.f64            d, a, b, {!}c;
			set.CmpOp.bf16.stype                d, a, b;
			set.CmpOp.BoolOp.bf16.stype         d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
			.ftype = { .f16, .f32 };
			.stype = { .f16, .bf16, .f32, .f64 };  // .bf16: not in the manual's list, but the compiler's __hisnan

			set.CmpOp{.ftz}.dtype.f16           d, a, b;
			set.CmpOp.BoolOp{.ftz}.dtype.f16    d, a, b, {!}c;
			set.CmpOp.dtype.bf16                d, a, b;
			set.CmpOp.BoolOp.dtype.bf16         d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
			.dtype = { .u16, .s16, .u32, .s32 };

			set.CmpOp{.ftz}.dtype.f16x2         d, a, b;
			set.CmpOp.BoolOp{.ftz}.dtype.f16x2  d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
			.dtype = { .f16x2, .u32, .s32 };

			set.CmpOp.dtype.bf16x2              d, a, b;
			set.CmpOp.BoolOp.dtype.bf16x2       d, a, b, {!}c;
			.CmpOp = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
			.dtype = { .bf16x2, .u32, .s32 };

			.BoolOp = { and, or, xor };`,
		Gates: []Gate{{Mod: ".bf16", Version: 78, SM: 90}, {Mod: ".bf16x2", Version: 78, SM: 90},
			{Mod: ".u16.f16", Version: 65}, {Mod: ".s16.f16", Version: 65}, {Mod: ".u32.f16", Version: 65},
			{Mod: ".s32.f16", Version: 65}, {Mod: ".u32.f16x2", Version: 65}, {Mod: ".s32.f16x2", Version: 65}},
		Operands: "d=1! a,b=2 c=pred",
		Summary:  "Compares and writes numbers, to or from half precision or bfloat16.",
		Example:  "set.lt.and.f16.f16 d, a, b, r;"},
	{ID: "setp.half", Section: "9.7.8.2", Mnemonic: "setp", Tier: 2, Version: 42, SM: 53,
		Syntax: `setp.CmpOp{.ftz}.f16          p, a, b;
			setp.CmpOp.BoolOp{.ftz}.f16   p, a, b, {!}c;
			setp.CmpOp{.ftz}.f16x2        p|q, a, b;
			setp.CmpOp.BoolOp{.ftz}.f16x2 p|q, a, b, {!}c;
			setp.CmpOp.bf16               p, a, b;
			setp.CmpOp.BoolOp.bf16        p, a, b, {!}c;
			setp.CmpOp.bf16x2             p|q, a, b;
			setp.CmpOp.BoolOp.bf16x2      p|q, a, b, {!}c;
			.CmpOp  = { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
			.BoolOp = { and, or, xor };`,
		Gates:    []Gate{{Mod: ".bf16", Version: 78, SM: 90}, {Mod: ".bf16x2", Version: 78, SM: 90}},
		Operands: "p,q=pred!~ a,b=1 c=pred",
		Summary:  "Compares half-precision or bfloat16 values; packed forms write p for the low and q for the high half.",
		Example:  "setp.lt.and.f16x2 p|q, a, b, r;"},
}
