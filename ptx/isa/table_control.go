package isa

// controlForms are the control-flow instructions (9.7.14). The rows for braces and guards have no opcode.
var controlForms = []Form{
	{ID: "braces", Section: "9.7.14.1", Mnemonic: "{", Tier: 1, Version: 10, SM: 10,
		Syntax:  `{ instructionList }`,
		Summary: "Groups instructions and opens a scope for names.",
		Example: "{ add.s32 a, b, c; }"},
	{ID: "guard", Section: "9.7.14.2", Mnemonic: "@", Tier: 1, Version: 10, SM: 10,
		Syntax:  `@{!}p instruction;`,
		Summary: "Executes an instruction only in the lanes whose predicate is true (or, with !, false).",
		Example: "@p div.f32 x, y, z;"},
	{ID: "bra", Section: "9.7.14.3", Mnemonic: "bra", Tier: 1, Version: 10, SM: 10, Effect: Branches,
		Syntax:   `bra{.uni} tgt;`,
		Operands: "tgt=label",
		Summary:  "Branches to a label. With .uni, the program promises that all active lanes go the same way.",
		Example:  "bra.uni L_exit;"},
	{ID: "brx.idx", Section: "9.7.14.4", Mnemonic: "brx", Tier: 1, Version: 60, SM: 30, Effect: Branches,
		Syntax:   `brx.idx{.uni} index, tlist;`,
		Operands: "index=.u32 tlist=label",
		Summary:  "Branches to the label at an index of a .branchtargets list.",
		Example:  "brx.idx %r0, ts;"},
	{ID: "call.direct", Section: "9.7.14.5", Mnemonic: "call", Tier: 1, Version: 10, SM: 10, Effect: Branches,
		Syntax: `call{.uni} (ret-param), func, (param-list);
			call{.uni} func, (param-list);
			call{.uni} func;`,
		Operands: "ret-param=any!*0 func=func param-list=any*0",
		Summary:  "Calls a function by name.",
		Example:  "call (d), add1, (a);"},
	{ID: "call.indirect", Section: "9.7.14.5", Mnemonic: "call", Tier: 3, Version: 21, SM: 20, Effect: Branches,
		Syntax: `call{.uni} (ret-param), fptr, (param-list), targets;
			call{.uni} fptr, (param-list), targets;
			call{.uni} fptr, targets;`,
		Operands: "ret-param=any!*0 fptr=any-imm param-list=any*0 targets=label",
		Summary:  "Calls through a register, with the possible targets or their prototype.",
		Example:  "call (d), fptr, (a), Ftgt;"},
	{ID: "ret", Section: "9.7.14.6", Mnemonic: "ret", Tier: 1, Version: 10, SM: 10, Effect: Branches,
		Syntax:  `ret{.uni};`,
		Summary: "Returns from a function; in a kernel it ends the thread.",
		Example: "ret;"},
	{ID: "exit", Section: "9.7.14.7", Mnemonic: "exit", Tier: 1, Version: 10, SM: 10, Effect: Branches,
		Syntax:  `exit;`,
		Summary: "Ends the thread; barriers no longer wait for it.",
		Example: "exit;"},
}
