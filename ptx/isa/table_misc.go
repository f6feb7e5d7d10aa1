package isa

// miscForms are stack manipulation (9.7.19), video (9.7.20) and miscellaneous instructions (9.7.21).
var miscForms = []Form{
	{ID: "stacksave", Section: "9.7.19.1", Mnemonic: "stacksave", Tier: 3, Version: 73, SM: 52,
		Syntax: `stacksave.type d;
			.type = { .u32, .u64 };`,
		Operands: "d=type!",
		Summary:  "Reads the stack pointer.",
		Example:  "stacksave.u64 rd;"},
	{ID: "stackrestore", Section: "9.7.19.2", Mnemonic: "stackrestore", Tier: 3, Version: 73, SM: 52,
		Syntax: `stackrestore.type a;
			.type = { .u32, .u64 };`,
		Operands: "a=type-imm",
		Summary:  "Sets the stack pointer to a saved value.",
		Example:  "stackrestore.u64 ra;"},
	{ID: "alloca", Section: "9.7.19.3", Mnemonic: "alloca", Tier: 3, Version: 73, SM: 52,
		Syntax: `alloca.type ptr, size{, immAlign};
			.type = { .u32, .u64 };`,
		Operands: "ptr=type! size=type immAlign=.u32#",
		Summary:  "Allocates memory on the thread's stack.",
		Example:  "alloca.u64 ptr, size, 8;"},
	{ID: "video.scalar.arith", Section: "9.7.20.1.1", Mnemonic: "vadd", Tier: 4, Version: 20, SM: 20,
		Syntax: `vadd.dtype.atype.btype{.sat}     d, a{.asel}, b{.bsel};
			vadd.dtype.atype.btype{.sat}.op2 d, a{.asel}, b{.bsel}, c;
			vadd.dtype.atype.btype{.sat}     d.dsel, a{.asel}, b{.bsel}, c;
			vsub.dtype.atype.btype{.sat}     d, a{.asel}, b{.bsel};
			vsub.dtype.atype.btype{.sat}.op2 d, a{.asel}, b{.bsel}, c;
			vsub.dtype.atype.btype{.sat}     d.dsel, a{.asel}, b{.bsel}, c;
			vabsdiff.dtype.atype.btype{.sat}     d, a{.asel}, b{.bsel};
			vabsdiff.dtype.atype.btype{.sat}.op2 d, a{.asel}, b{.bsel}, c;
			vabsdiff.dtype.atype.btype{.sat}     d.dsel, a{.asel}, b{.bsel}, c;
			vmin.dtype.atype.btype{.sat}     d, a{.asel}, b{.bsel};
			vmin.dtype.atype.btype{.sat}.op2 d, a{.asel}, b{.bsel}, c;
			vmin.dtype.atype.btype{.sat}     d.dsel, a{.asel}, b{.bsel}, c;
			vmax.dtype.atype.btype{.sat}     d, a{.asel}, b{.bsel};
			vmax.dtype.atype.btype{.sat}.op2 d, a{.asel}, b{.bsel}, c;
			vmax.dtype.atype.btype{.sat}     d.dsel, a{.asel}, b{.bsel}, c;
			.dtype = .atype = .btype = { .u32, .s32 };
			.op2 = { .add, .min, .max };`,
		Operands: "d=dtype! a=atype b=btype c=dtype",
		Summary:  "Adds, subtracts or compares bytes, half-words or words, then combines or merges with c.",
		Example:  "vadd.s32.u32.s32.sat r1, r2.b0, r3.h0;"},
	{ID: "video.scalar.shift", Section: "9.7.20.1.2", Mnemonic: "vshl", Tier: 4, Version: 20, SM: 20,
		Syntax: `vshl.dtype.atype.u32{.sat}.mode     d, a{.asel}, b{.bsel};
			vshl.dtype.atype.u32{.sat}.mode.op2 d, a{.asel}, b{.bsel}, c;
			vshl.dtype.atype.u32{.sat}.mode     d.dsel, a{.asel}, b{.bsel}, c;
			vshr.dtype.atype.u32{.sat}.mode     d, a{.asel}, b{.bsel};
			vshr.dtype.atype.u32{.sat}.mode.op2 d, a{.asel}, b{.bsel}, c;
			vshr.dtype.atype.u32{.sat}.mode     d.dsel, a{.asel}, b{.bsel}, c;
			.dtype = .atype = { .u32, .s32 };
			.mode = { .clamp, .wrap };
			.op2 = { .add, .min, .max };`,
		Operands: "d=dtype! a=atype b=.u32 c=dtype",
		Summary:  "Shifts a byte, half-word or word, then combines or merges with c.",
		Example:  "vshl.s32.u32.u32.clamp r1, r2, r3;"},
	{ID: "video.scalar.vmad", Section: "9.7.20.1.3", Mnemonic: "vmad", Tier: 4, Version: 20, SM: 20,
		Syntax: `vmad.dtype.atype.btype{.sat}{.scale}    d, {-}a{.asel}, {-}b{.bsel}, {-}c;
			vmad.dtype.atype.btype.po{.sat}{.scale} d, a{.asel}, b{.bsel}, c;
			.dtype = .atype = .btype = { .u32, .s32 };
			.scale = { .shr7, .shr15 };`,
		Operands: "d=dtype! a=atype b=btype c=dtype",
		Summary:  "Multiplies bytes, half-words or words, adds c, and scales.",
		Example:  "vmad.s32.s32.u32.sat r0, r1, r2, -r3;"},
	{ID: "video.scalar.vset", Section: "9.7.20.1.4", Mnemonic: "vset", Tier: 4, Version: 20, SM: 20,
		Syntax: `vset.atype.btype.cmp     d, a{.asel}, b{.bsel};
			vset.atype.btype.cmp.op2 d, a{.asel}, b{.bsel}, c;
			vset.atype.btype.cmp     d.dsel, a{.asel}, b{.bsel}, c;
			.atype = .btype = { .u32, .s32 };
			.cmp = { .eq, .ne, .lt, .le, .gt, .ge };
			.op2 = { .add, .min, .max };`,
		Operands: "d=.u32! a=atype b=btype c=.u32",
		Summary:  "Compares bytes, half-words or words, then combines or merges with c.",
		Example:  "vset.s32.u32.lt r1, r2, r3;"},
	{ID: "video.simd2", Section: "9.7.20.2.1", Mnemonic: "vadd2", Tier: 4, Version: 30, SM: 30,
		Syntax: `vadd2.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vadd2.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vsub2.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vsub2.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vavrg2.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vavrg2.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vabsdiff2.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vabsdiff2.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vmin2.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vmin2.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vmax2.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vmax2.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			.dtype = .atype = .btype = { .u32, .s32 };`,
		Operands: "d=dtype! a=atype-imm b=btype-imm c=dtype-imm",
		Summary:  "Works on packed half-words, then merges with c or adds up into it.",
		Example:  "vadd2.s32.s32.u32.sat r1, r2, r3, r1;"},
	{ID: "video.vset2", Section: "9.7.20.2.2", Mnemonic: "vset2", Tier: 4, Version: 30, SM: 30,
		Syntax: `vset2.atype.btype.cmp     d{.mask}, a{.asel}, b{.bsel}, c;
			vset2.atype.btype.cmp.add d{.mask}, a{.asel}, b{.bsel}, c;
			.atype = .btype = { .u32, .s32 };
			.cmp = { .eq, .ne, .lt, .le, .gt, .ge };`,
		Operands: "d=.u32! a=atype-imm b=btype-imm c=.u32-imm",
		Summary:  "Compares packed half-words, then merges with c or counts into it.",
		Example:  "vset2.s32.u32.lt r1, r2, r3, r0;"},
	{ID: "video.simd4", Section: "9.7.20.2.3", Mnemonic: "vadd4", Tier: 4, Version: 30, SM: 30,
		Syntax: `vadd4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vadd4.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vsub4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vsub4.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vavrg4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vavrg4.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vabsdiff4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vabsdiff4.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vmin4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vmin4.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			vmax4.dtype.atype.btype{.sat} d{.mask}, a{.asel}, b{.bsel}, c;
			vmax4.dtype.atype.btype.add    d{.mask}, a{.asel}, b{.bsel}, c;
			.dtype = .atype = .btype = { .u32, .s32 };`,
		Operands: "d=dtype! a=atype-imm b=btype-imm c=dtype-imm",
		Summary:  "Works on packed bytes, then merges with c or adds up into it.",
		Example:  "vadd4.s32.s32.u32.sat r1, r2, r3, r1;"},
	{ID: "video.vset4", Section: "9.7.20.2.4", Mnemonic: "vset4", Tier: 4, Version: 30, SM: 30,
		Syntax: `vset4.atype.btype.cmp     d{.mask}, a{.asel}, b{.bsel}, c;
			vset4.atype.btype.cmp.add d{.mask}, a{.asel}, b{.bsel}, c;
			.atype = .btype = { .u32, .s32 };
			.cmp = { .eq, .ne, .lt, .le, .gt, .ge };`,
		Operands: "d=.u32! a=atype-imm b=btype-imm c=.u32-imm",
		Summary:  "Compares packed bytes, then merges with c or counts into it.",
		Example:  "vset4.s32.u32.lt r1, r2, r3, r0;"},
	{ID: "brkpt", Section: "9.7.21.1", Mnemonic: "brkpt", Tier: 2, Version: 10, SM: 11,
		Syntax:  `brkpt;`,
		Summary: "Suspends execution for a debugger.",
		Example: "brkpt;"},
	{ID: "nanosleep", Section: "9.7.21.2", Mnemonic: "nanosleep", Tier: 2, Version: 63, SM: 70, Effect: NoEffect,
		Syntax:   `nanosleep.u32 t;`,
		Operands: "t=.u32",
		Summary:  "Suspends the thread for between zero and twice t nanoseconds, at most a millisecond.",
		Example:  "nanosleep.u32 r;"},
	{ID: "pmevent", Section: "9.7.21.3", Mnemonic: "pmevent", Tier: 4, Version: 14, SM: 10, Effect: NoEffect,
		Syntax: `pmevent      a;
			pmevent.mask mask;`,
		Gates:    []Gate{{Mod: ".mask", Version: 30, SM: 20}},
		Operands: "a=.u32#<0..15> mask=.u32#<0..65535>",
		Summary:  "Triggers performance monitor events; no visible effect.",
		Example:  "pmevent 1;"},
	{ID: "trap", Section: "9.7.21.4", Mnemonic: "trap", Tier: 1, Version: 10, SM: 10, Effect: Branches,
		Syntax:  `trap;`,
		Summary: "Aborts the grid.",
		Example: "trap;"},
	{ID: "setmaxnreg", Section: "9.7.21.5", Mnemonic: "setmaxnreg", Tier: 3, Version: 80, SM: 90, Arch: "f",
		Effect: NoEffect,
		Syntax: `setmaxnreg.action.sync.aligned.u32 imm-reg-count;
			.action = { .inc, .dec };`,
		Operands: "imm-reg-count=.u32#<24..256/8>",
		Summary:  "Releases or requests registers; no visible effect in an emulator.",
		Example:  "setmaxnreg.inc.sync.aligned.u32 192;"},
}
