package isa

// miscForms are stack manipulation (9.7.17), video (9.7.18) and miscellaneous instructions (9.7.19).
var miscForms = []Form{
	{ID: "brkpt", Section: "9.7.19.1", Mnemonic: "brkpt", Tier: 2, Version: 10, SM: 11,
		Syntax:  `brkpt;`,
		Summary: "Suspends execution for a debugger.",
		Example: "brkpt;"},
	{ID: "nanosleep", Section: "9.7.19.2", Mnemonic: "nanosleep", Tier: 2, Version: 63, SM: 70, Effect: NoEffect,
		Syntax:   `nanosleep.u32 t;`,
		Operands: "t=.u32",
		Summary:  "Suspends the thread for between zero and twice t nanoseconds, at most a millisecond.",
		Example:  "nanosleep.u32 r;"},
	{ID: "pmevent", Section: "9.7.19.3", Mnemonic: "pmevent", Tier: 4, Version: 14, SM: 10, Effect: NoEffect,
		Syntax: `pmevent      a;
			pmevent.mask a;`,
		Gates:    []Gate{{Mod: ".mask", Version: 30, SM: 20}},
		Operands: "a=.u32#",
		Summary:  "Triggers performance monitor events; no visible effect.",
		Example:  "pmevent 1;"},
	{ID: "trap", Section: "9.7.19.4", Mnemonic: "trap", Tier: 1, Version: 10, SM: 10, Effect: Branches,
		Syntax:  `trap;`,
		Summary: "Aborts the grid.",
		Example: "trap;"},
	{ID: "setmaxnreg", Section: "9.7.19.5", Mnemonic: "setmaxnreg", Tier: 3, Version: 80, SM: 90, Arch: "a",
		Effect: NoEffect,
		Syntax: `setmaxnreg.action.sync.aligned.u32 imm-reg-count;
			.action = { .inc, .dec };`,
		Operands: "imm-reg-count=.u32#",
		Summary:  "Releases or requests registers; no visible effect in an emulator.",
		Example:  "setmaxnreg.inc.sync.aligned.u32 192;"},
}
