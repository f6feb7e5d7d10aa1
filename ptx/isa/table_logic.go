package isa

// logicForms are the logic and shift instructions (9.7.9).
var logicForms = []Form{
	{ID: "and", Section: "9.7.9.1", Mnemonic: "and", Tier: 1, Version: 10, SM: 10,
		Syntax: `and.type d, a, b;  // bitwise operations take bit-size types, whatever the registers' signedness
			.type = { .pred, .b16, .b32, .b64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Bitwise or predicate and.",
		Example:  "and.b32 x, q, r;"},
	{ID: "or", Section: "9.7.9.2", Mnemonic: "or", Tier: 1, Version: 10, SM: 10,
		Syntax: `or.type d, a, b;  // bitwise operations take bit-size types, whatever the registers' signedness
			.type = { .pred, .b16, .b32, .b64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Bitwise or predicate or.",
		Example:  "or.b32 mask, mask, 0x00010001;"},
	{ID: "xor", Section: "9.7.9.3", Mnemonic: "xor", Tier: 1, Version: 10, SM: 10,
		Syntax: `xor.type d, a, b;  // bitwise operations take bit-size types, whatever the registers' signedness
			.type = { .pred, .b16, .b32, .b64 };`,
		Operands: "d=type! a,b=type",
		Summary:  "Bitwise or predicate exclusive or.",
		Example:  "xor.b16 d, x, 0x0001;"},
	{ID: "not", Section: "9.7.9.4", Mnemonic: "not", Tier: 1, Version: 10, SM: 10,
		Syntax: `not.type d, a;  // bitwise operations take bit-size types, whatever the registers' signedness
			.type = { .pred, .b16, .b32, .b64 };`,
		Operands: "d=type! a=type",
		Summary:  "Bitwise or predicate complement.",
		Example:  "not.b32 mask, mask;"},
	{ID: "cnot", Section: "9.7.9.5", Mnemonic: "cnot", Tier: 2, Version: 10, SM: 10,
		Syntax: `cnot.type d, a;  // bitwise operations take bit-size types, whatever the registers' signedness
			.type = { .b16, .b32, .b64 };`,
		Operands: "d=type! a=type",
		Summary:  "1 when a is zero, else 0.",
		Example:  "cnot.b32 d, a;"},
	{ID: "lop3", Section: "9.7.9.6", Mnemonic: "lop3", Tier: 1, Version: 43, SM: 50,
		Syntax: `lop3.b32        d, a, b, c, immLut;
			lop3.BoolOp.b32 d|p, a, b, c, immLut, q;
			.BoolOp = { .or, .and };`,
		Gates:    []Gate{{Mod: ".or", Version: 82, SM: 70}, {Mod: ".and", Version: 82, SM: 70}},
		Operands: "d=.b32!~ a,b,c=.b32 immLut=.b8# p=pred! q=pred",
		Summary:  "Any bitwise function of three inputs, given by its truth table.",
		Example:  "lop3.b32 d, a, b, c, 0x40;"},
	{ID: "shf", Section: "9.7.9.7", Mnemonic: "shf", Tier: 1, Version: 31, SM: 32,
		Syntax: `shf.dir.mode.b32 d, a, b, c;
			.dir  = { .l, .r };
			.mode = { .clamp, .wrap };`,
		Operands: "d=.b32! a,b=.b32 c=.u32",
		Summary:  "Shifts the 64-bit value [b,a] and keeps its high word (.l) or its low word (.r).",
		Example:  "shf.l.clamp.b32 r3, r1, r0, 16;"},
	{ID: "shl", Section: "9.7.9.8", Mnemonic: "shl", Tier: 1, Version: 10, SM: 10,
		Syntax: `shl.type d, a, b;  // a left shift takes bit-size types, whatever the registers' signedness
			.type = { .b16, .b32, .b64 };`,
		Operands: "d=type! a=type b=.u32",
		Summary:  "Shifts left, filling with zeros; amounts beyond the width give zero.",
		Example:  "shl.b32 q, a, 2;"},
	{ID: "shr", Section: "9.7.9.9", Mnemonic: "shr", Tier: 1, Version: 10, SM: 10,
		Syntax: `shr.type d, a, b;
			.type = { .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64 };`,
		Operands: "d=type! a=type b=.u32",
		Summary:  "Shifts right, filling with the sign for .s types and with zeros otherwise.",
		Example:  "shr.s32 i, i, 1;"},
}
