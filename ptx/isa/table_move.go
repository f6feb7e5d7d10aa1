package isa

import "strings"

// The value sets of memory accesses. An access is a scalar, a vector of elements up to 32 bits, or a pair of 64-bit
// elements: at most 128 bits (5.4.2). The wider vectors of 9.7.10.8 have rows of their own (ld.256).
const (
	scalarTypes = `
		.type = { .b8, .b16, .b32, .b64, .b128, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };
	`
	shortVectors = `
		.vec  = { .v2, .v4 };
		.type = { .b8, .b16, .b32, .u8, .u16, .u32, .s8, .s16, .s32, .f32 };
	`
	longVectors = `
		.vec  = { .v2 };
		.type = { .b64, .u64, .s64, .f64 };
	`
	wideVectors8 = `
		.vec  = { .v8 };
		.type = { .b32, .u32, .s32, .f32 };
	`
	wideVectors4 = `
		.vec  = { .v4 };
		.type = { .b64, .u64, .s64, .f64 };
	`
	cacheHints = `
		.level1::eviction_priority = { .L1::evict_normal, .L1::evict_unchanged, .L1::evict_first, .L1::evict_last,
		                               .L1::no_allocate };
		.level2::eviction_priority = { .L2::evict_normal, .L2::evict_first, .L2::evict_last };
		.level::cache_hint = { .L2::cache_hint };
		.level::prefetch_size = { .L2::64B, .L2::128B, .L2::256B };
		.scope = { .cta, .cluster, .gpu, .sys };
	`
	loadSpaces    = `.ss = { .const, .global, .local, .shared{::cta, ::cluster} };`
	storeSpaces   = `.ss = { .global, .local, .shared{::cta, ::cluster} };`
	strongSpaces  = `.ss = { .global, .shared{::cta, ::cluster} };`
	noHalfLoads   = `  // there is no .f16 access: use .b16, or .b32 for a pair`
	scopedOnly    = `  // .relaxed and .acquire need a scope, take no cache operator, and reach .global and .shared only`
	releaseOnly   = `  // .relaxed and .release need a scope, take no cache operator, and reach .global and .shared only`
	volatileOnly  = `  // .volatile takes no cache operator or scope`
	globalOnly    = `  // accesses of 256 bits reach global memory only`
	vectorLimit   = `  // a vector access is at most 128 bits: .v4 needs elements of 32 bits or less`
	hintsOnly     = `  // an eviction priority, a cache policy or a prefetch size is for global memory only`
	globalSpace   = `.ss = { .global };`
	loadOperands  = "d=type!^* a=any"
	storeOperands = "a=any b=type^*"
)

// access writes the syntax lines of a load or store of scalars and of vectors up to 128 bits. note is for scalars; set has
// the lines' own value sets.
func access(head, tail, note, set string) string {
	return "\n" + head + ".type " + tail + note + scalarTypes + set +
		"\n\n" + head + ".vec.type " + tail + vectorLimit + shortVectors + set +
		"\n\n" + head + ".vec.type " + tail + vectorLimit + longVectors + set + "\n\n"
}

// wide writes those of vectors of 256 bits.
func wide(head, tail string) string {
	return "\n" + head + ".vec.type " + tail + globalOnly + wideVectors8 + globalSpace +
		"\n\n" + head + ".vec.type " + tail + globalOnly + wideVectors4 + globalSpace + "\n\n"
}

// memoryGates are the requirements of the modifiers that loads and stores share.
var memoryGates = []Gate{
	{Mod: "!ss", Version: 20, SM: 20}, {Mod: ".f64", SM: 13}, {Mod: ".b128", Version: 83, SM: 70},
	{Mod: ".weak", Version: 60, SM: 70}, {Mod: ".shared::cta", Version: 78, SM: 30},
	{Mod: ".shared::cluster", Version: 78, SM: 90}, {Mod: ".cluster", Version: 78, SM: 90},
	{Mod: "cop", Version: 20, SM: 20}, {Mod: "level1::eviction_priority", Version: 74, SM: 70},
	{Mod: "level2::eviction_priority", Version: 88, SM: 100}, {Mod: ".L2::cache_hint", Version: 74, SM: 80},
	{Mod: "level::prefetch_size", Version: 74, SM: 75}, {Mod: ".L2::256B", SM: 80},
	{Mod: ".param::entry", Version: 83}, {Mod: ".param::func", Version: 83}, {Mod: ".sys.b128", Version: 84},
	{Mod: ".volatile.local", Version: 91},
}

// narrowFloats are the requirements of multimem's 8-bit floating-point types.
var narrowFloats = func() (gates []Gate) {
	for _, mod := range []string{".e5m2", ".e5m2x2", ".e5m2x4", ".e4m3", ".e4m3x2", ".e4m3x4"} {
		gates = append(gates, Gate{Mod: mod, Version: 86, SM: 100, Arch: "f", Family: 11, Also: 12})
	}
	return gates
}()

// multimemIntegers are syntax lines for each kind of integer operation, with the types that it has (9.7.10.15).
func multimemIntegers(lines ...string) string {
	text := ""
	for _, set := range []string{
		".op = { .add }; .type = { .u32, .u64, .s32 };",
		".op = { .min, .max }; .type = { .u32, .u64, .s32, .s64 };",
		".op = { .and, .or, .xor }; .type = { .b32, .b64 };",
	} {
		text += strings.Join(lines, "\n") + "\n" + set + "\n\n"
	}
	return text
}

// multimemFloats are syntax lines for each vector length: the whole access has 32, 64 or 128 bits, and what it adds up in
// depends on the type (9.7.10.15). VEC and ACC are the places of .vec and .acc_prec.
func multimemFloats(narrow bool, op string, lines ...string) string {
	text := ""
	for _, row := range [][3]string{
		{"", ".f16x2, .bf16x2", ".acc::f32"},
		{".v2, .v4", ".f16, .f16x2, .bf16, .bf16x2", ".acc::f32"},
		{".v8", ".f16, .bf16", ".acc::f32"},
		{"", ".e5m2x4, .e4m3x4", ".acc::f16"},
		{".v2", ".e5m2x2, .e5m2x4, .e4m3x2, .e4m3x4", ".acc::f16"},
		{".v4", ".e5m2, .e5m2x2, .e5m2x4, .e4m3, .e4m3x2, .e4m3x4", ".acc::f16"},
		{".v8", ".e5m2, .e4m3, .e5m2x2, .e4m3x2", ".acc::f16"},
		{"", ".f32, .f64", ""},
		{".v2, .v4", ".f32", ""},
	} {
		if row[2] == ".acc::f16" && !narrow {
			continue
		}
		vec, acc, ops := "", "{.acc_prec}", op
		if row[2] == "" {
			acc, ops = "", ".add"
		}
		set := ".type = { " + row[1] + " };"
		if row[0] != "" {
			vec = ".vec"
			set += ".vec = { " + row[0] + " };"
		}
		if acc != "" && strings.Contains(lines[0], "ACC") {
			set += ".acc_prec = { " + row[2] + " };"
		}
		for _, line := range lines {
			text += strings.ReplaceAll(strings.ReplaceAll(line, "VEC", vec), "ACC", acc) + "\n"
		}
		if op != "" {
			set += ".op = { " + ops + " };"
		}
		text += set + "\n\n"
	}
	return text
}

// moveForms are mov, the shuffles, and the loads and stores (9.7.10.3 to 9.7.10.23).
var moveForms = []Form{
	{ID: "mov.scalar", Section: "9.7.10.3", Mnemonic: "mov", Tier: 1, Version: 10, SM: 10,
		Syntax: `mov.type     d, a;  // a half or a pair of halves moves as .b16 or .b32
			.type = { .pred, .b16, .b32, .b64, .u16, .u32, .u64, .s16, .s32, .s64, .f32, .f64 };

			mov.b128     e, q;  // not in the manual; ptxas takes it, and compilers copy registers so

			mov.vec.type u, v;  // a vector moves element by element (6.4.3), and has at most 128 bits (5.4.2)
			.vec  = { .v2, .v4 };
			.type = { .b16, .b32, .u16, .u32, .s16, .s32, .f32 };

			mov.vec.type u, v;  // a vector moves element by element (6.4.3), and has at most 128 bits (5.4.2)
			.vec  = { .v2 };
			.type = { .b64, .u64, .s64, .f64 };`,
		Gates:    []Gate{{Mod: ".f64", SM: 13}, {Mod: ".b128", Version: 83, SM: 70}},
		Operands: "d=type! a=type+sreg+sym e=.b128! q=.b128-imm u=type!* v=type*+sreg-imm",
		Summary:  "Copies a register, constant, special register, vector, or address of a variable.",
		Example:  "mov.u32 d, %tid.x;"},
	{ID: "mov.funcaddr", Section: "9.7.10.3", Mnemonic: "mov", Tier: 3, Version: 10, SM: 10,
		Syntax: `mov.type d, fname;
			.type = { .u32, .u64, .s32, .s64, .b32, .b64 };`,
		Operands: "d=type! fname=func",
		Summary:  "Takes the address of a function or, from PTX ISA 3.1 and sm_35, of a kernel.",
		Example:  "mov.u64 d, func;"},
	{ID: "mov.pack", Section: "9.7.10.4", Mnemonic: "mov", Tier: 1, Version: 10, SM: 10,
		Syntax: `mov.type d, v;
			mov.type u, a;
			.type = { .b16, .b32, .b64, .b128 };`,
		Gates:    []Gate{{Mod: ".b128", Version: 83, SM: 70}},
		Operands: "d=type! v=any*0-imm u=any!*0 a=type+sreg+sym",
		Summary:  "Packs a vector into a scalar or unpacks a scalar; the first element is the least significant.",
		Example:  "mov.b64 {lo,hi}, %x;"},
	{ID: "shfl", Section: "9.7.10.5", Mnemonic: "shfl", Tier: 4, Version: 30, SM: 30, Effect: CrossLane,
		Gone: Gone{Version: 64, SM: 70},
		Syntax: `shfl.mode.b32 d[|p], a, b, c;
			.mode = { .up, .down, .bfly, .idx };`,
		Operands: "d=.b32! p=pred! a,b,c=.b32",
		Summary:  "Deprecated: shfl.sync without its member mask.",
		Example:  "shfl.up.b32 Ry|p, Rx, 0x1, 0x0;"},
	{ID: "shfl.sync", Section: "9.7.10.6", Mnemonic: "shfl", Tier: 1, Version: 60, SM: 30, Effect: CrossLane,
		Syntax: `shfl.sync.mode.b32 d[|p], a, b, c, membermask;
			.mode = { .up, .down, .bfly, .idx };`,
		Operands: "d=.b32! p=pred!~ a,b,c=.b32",
		Summary:  "Reads a register of another lane: b chooses the lane, c is clamp (bits 4:0) and segment mask (bits 12:8).",
		Example:  "shfl.sync.up.b32 Ry|p, Rx, 0x1, 0x0, 0xffffffff;"},
	{ID: "prmt", Section: "9.7.10.7", Mnemonic: "prmt", Tier: 1, Version: 20, SM: 20,
		Syntax: `prmt.b32{.mode} d, a, b, c;
			.mode = { .f4e, .b4e, .rc8, .ecl, .ecr, .rc16 };`,
		Operands: "d=.b32! a,b=.b32 c=.b32",
		Summary:  "Picks four of the eight bytes of a and b.",
		Example:  "prmt.b32 r1, r2, r3, r4;"},
	{ID: "ld.weak", Section: "9.7.10.8", Mnemonic: "ld", Tier: 1, Version: 10, SM: 10, Effect: ReadsMemory,
		Syntax: access("ld{.weak}{.ss}{.cop}", "d, [a]{.unified};", noHalfLoads, "") +
			".cop = { .ca, .cg, .cs, .lu, .cv };" + loadSpaces,
		Gates:    memoryGates,
		Operands: loadOperands,
		Summary:  "Loads from memory; without a state space the address is generic.",
		Example:  "ld.global.f32 d, [a]{.unified};"},
	{ID: "ld.param", Section: "9.7.10.8", Mnemonic: "ld", Tier: 1, Version: 10, SM: 10, Effect: ReadsMemory,
		Syntax: access("ld{.weak}.ss{.cop}", "d, [a];", noHalfLoads, "") +
			".cop = { .ca, .cg, .cs, .lu, .cv }; .ss = { .param{::entry, ::func} };",
		Gates:    memoryGates,
		Operands: loadOperands,
		Summary:  "Loads a kernel parameter, or a parameter or result of a device function.",
		Example:  "ld.param.u64 x, [ptr];"},
	{ID: "ld.volatile", Section: "9.7.10.8", Mnemonic: "ld", Tier: 2, Version: 11, SM: 10, Effect: ReadsMemory,
		Syntax: access("ld.volatile{.ss}", "d, [a];", volatileOnly, ".ss = { .global, .local, .shared{::cta, ::cluster} };") +
			access("ld.volatile{.ss}.level::prefetch_size", "d, [a];", hintsOnly, globalSpace) + cacheHints,
		Gates:    memoryGates,
		Operands: loadOperands,
		Summary:  "Loads from memory that other threads may change at any time.",
		Example:  "ld.volatile.shared.u32 d, [a];"},
	{ID: "ld.relaxed", Section: "9.7.10.8", Mnemonic: "ld", Tier: 2, Version: 60, SM: 70, Effect: ReadsMemory,
		Syntax: access("ld.relaxed.scope{.ss}", "d, [a];", scopedOnly, strongSpaces) +
			access("ld.relaxed.scope{.ss}"+loadHints, "d, [a]{, cache-policy};", hintsOnly, globalSpace) + cacheHints,
		Gates:    memoryGates,
		Operands: loadOperands,
		Summary:  "Strong load without ordering, within a scope.",
		Example:  "ld.relaxed.gpu.global.u32 d, [a];"},
	{ID: "ld.acquire", Section: "9.7.10.8", Mnemonic: "ld", Tier: 2, Version: 60, SM: 70, Effect: ReadsMemory,
		Syntax: access("ld.acquire.scope{.ss}", "d, [a];", scopedOnly, strongSpaces) +
			access("ld.acquire.scope{.ss}"+loadHints, "d, [a]{, cache-policy};", hintsOnly, globalSpace) + cacheHints,
		Gates:    memoryGates,
		Operands: loadOperands,
		Summary:  "Strong load that orders later accesses after it, within a scope.",
		Example:  "ld.acquire.gpu.global.u32 d, [a];"},
	{ID: "ld.mmio", Section: "9.7.10.8", Mnemonic: "ld", Tier: 4, Version: 82, SM: 70, Effect: ReadsMemory,
		Syntax: "ld.mmio.sem.sys{.ss}.type d, [a];  // .mmio goes with .relaxed.sys or .acquire.sys" + scalarTypes +
			".sem = { .acquire, .relaxed }; .ss = { .global };",
		Gates:    append([]Gate{{Mod: ".acquire", Version: 93, SM: 75}}, memoryGates...),
		Operands: "d=type!^ a=any",
		Summary:  "Load from memory-mapped input and output: performed exactly once.",
		Example:  "ld.mmio.relaxed.sys.global.u32 d, [a];"},
	{ID: "ld.readonly", Section: "9.7.10.8", Mnemonic: "ld", Tier: 3, Version: 94, SM: 90, Effect: ReadsMemory,
		Syntax: "ld{.ss}.type.proxy::readonly d, [a];  // .proxy::readonly is for scalars in global memory" + scalarTypes +
			globalSpace,
		Operands: "d=type!^ a=any",
		Summary:  "Load of memory that nothing writes while the kernel runs.",
		Example:  "ld.global.u32.proxy::readonly %r0, [%rd0];"},
	{ID: "ld.hints", Section: "9.7.10.8", Mnemonic: "ld", Tier: 2, Version: 74, SM: 70, Effect: ReadsMemory,
		Syntax: access("ld{.weak}{.ss}.level1::eviction_priority{.level::cache_hint}{.level::prefetch_size}",
			"d, [a]{.unified}{, cache-policy};", hintsOnly, globalSpace) +
			access("ld{.weak}{.ss}{.cop}.level::cache_hint{.level::prefetch_size}", "d, [a]{.unified}, cache-policy;", hintsOnly,
				globalSpace) +
			access("ld{.weak}{.ss}{.cop}.level::prefetch_size", "d, [a]{.unified};", hintsOnly, globalSpace) +
			".cop = { .ca, .cg, .cs, .lu, .cv };" + cacheHints,
		Gates:    memoryGates,
		Operands: loadOperands,
		Summary:  "Load with hints to the caches, which do not change its result.",
		Example:  "ld.global.L1::evict_last.u32 d, [p];"},
	{ID: "ld.256", Section: "9.7.10.8", Mnemonic: "ld", Tier: 3, Version: 88, SM: 100, Effect: ReadsMemory,
		Syntax: wide("ld{.weak}{.ss}"+wideHints, "d, [a]{.unified}{, cache-policy};") +
			wide("ld{.weak}{.ss}{.cop}{.level::cache_hint}{.level::prefetch_size}", "d, [a]{.unified}{, cache-policy};") +
			wide("ld.sem.scope{.ss}"+wideHints, "d, [a]{, cache-policy};") +
			wide("ld.volatile{.ss}{.level::prefetch_size}", "d, [a];") +
			".cop = { .ca, .cg, .cs, .lu, .cv }; .sem = { .relaxed, .acquire };" + cacheHints,
		Gates:    memoryGates,
		Operands: loadOperands,
		Summary:  "Load of 256 bits from global memory; elements may be dropped into the sink.",
		Example:  "ld.global.L2::evict_last.v8.f32 {r1, r2, r3, r4, r5, r6, r7, r8}, [a];"},
	{ID: "ld.global.nc", Section: "9.7.10.9", Mnemonic: "ld", Tier: 1, Version: 31, SM: 32, Effect: ReadsMemory,
		Syntax: access("ld.ss{.cop}.nc{.level::cache_hint}{.level::prefetch_size}", "d, [a]{, cache-policy};", "", "") +
			access("ld.ss.nc.level1::eviction_priority{.level::cache_hint}{.level::prefetch_size}", "d, [a]{, cache-policy};",
				"", "") +
			wide("ld.ss.nc"+wideHints, "d, [a]{, cache-policy};") +
			wide("ld.ss{.cop}.nc{.level::cache_hint}{.level::prefetch_size}", "d, [a]{, cache-policy};") + globalSpace +
			".cop = { .ca, .cg, .cs };" + cacheHints,
		Gates: []Gate{{Mod: ".b128", Version: 83, SM: 70}, {Mod: "level1::eviction_priority", Version: 74, SM: 70},
			{Mod: "level2::eviction_priority", Version: 88, SM: 100}, {Mod: ".L2::cache_hint", Version: 74, SM: 80},
			{Mod: "level::prefetch_size", Version: 74, SM: 75}, {Mod: ".L2::256B", SM: 80},
			{Mod: ".v8", Version: 88, SM: 100}, {Mod: ".v4.b64", Version: 88, SM: 100},
			{Mod: ".v4.u64", Version: 88, SM: 100}, {Mod: ".v4.s64", Version: 88, SM: 100},
			{Mod: ".v4.f64", Version: 88, SM: 100}},
		Operands: loadOperands,
		Summary:  "Load from global memory that no thread of the grid writes, through the non-coherent cache.",
		Example:  "ld.global.nc.f32 d, [a];"},
	{ID: "ldu", Section: "9.7.10.10", Mnemonic: "ldu", Tier: 4, Version: 20, SM: 10, Effect: ReadsMemory,
		Syntax:   access("ldu{.ss}", "d, [a];", "", "") + globalSpace,
		Gates:    []Gate{{Mod: ".f64", SM: 13}, {Mod: ".b128", Version: 83, SM: 70}},
		Operands: loadOperands,
		Summary:  "Load of read-only data from an address that all lanes of the warp share.",
		Example:  "ldu.global.f32 d, [a];"},
	{ID: "st.weak", Section: "9.7.10.11", Mnemonic: "st", Tier: 1, Version: 10, SM: 10, Effect: WritesMemory,
		Syntax:   access("st{.weak}{.ss}{.cop}", "[a], b;", noHalfLoads, "") + ".cop = { .wb, .cg, .cs, .wt };" + storeSpaces,
		Gates:    memoryGates,
		Operands: storeOperands,
		Summary:  "Stores to memory; without a state space the address is generic.",
		Example:  "st.global.f32 [a], b;"},
	{ID: "st.param", Section: "9.7.10.11", Mnemonic: "st", Tier: 1, Version: 20, SM: 20, Effect: WritesMemory,
		Syntax: access("st{.weak}.ss{.cop}", "[a], b;", noHalfLoads, "") +
			".cop = { .wb, .cg, .cs, .wt }; .ss = { .param{::func} };",
		Gates:    memoryGates,
		Operands: storeOperands,
		Summary:  "Stores an argument of a call or a result of the function.",
		Example:  "st.param.b32 [param0], r1;"},
	{ID: "st.volatile", Section: "9.7.10.11", Mnemonic: "st", Tier: 2, Version: 11, SM: 10, Effect: WritesMemory,
		Syntax:   access("st.volatile{.ss}", "[a], b;", volatileOnly, "") + storeSpaces,
		Gates:    memoryGates,
		Operands: storeOperands,
		Summary:  "Stores to memory that other threads read at any time.",
		Example:  "st.volatile.shared.u32 [a], b;"},
	{ID: "st.relaxed", Section: "9.7.10.11", Mnemonic: "st", Tier: 2, Version: 60, SM: 70, Effect: WritesMemory,
		Syntax: access("st.relaxed.scope{.ss}", "[a], b;", releaseOnly, strongSpaces) +
			access("st.relaxed.scope{.ss}"+storeHints, "[a], b{, cache-policy};", hintsOnly, globalSpace) + cacheHints,
		Gates:    memoryGates,
		Operands: storeOperands,
		Summary:  "Strong store without ordering, within a scope.",
		Example:  "st.relaxed.sys.u32 [a], b;"},
	{ID: "st.release", Section: "9.7.10.11", Mnemonic: "st", Tier: 2, Version: 60, SM: 70, Effect: WritesMemory,
		Syntax: access("st.release.scope{.ss}", "[a], b;", releaseOnly, strongSpaces) +
			access("st.release.scope{.ss}"+storeHints, "[a], b{, cache-policy};", hintsOnly, globalSpace) + cacheHints,
		Gates:    memoryGates,
		Operands: storeOperands,
		Summary:  "Strong store that orders earlier accesses before it, within a scope.",
		Example:  "st.release.cta.shared.u32 [a], b;"},
	{ID: "st.mmio", Section: "9.7.10.11", Mnemonic: "st", Tier: 4, Version: 82, SM: 70, Effect: WritesMemory,
		Syntax: "st.mmio.sem.sys{.ss}.type [a], b;  // .mmio goes with .relaxed.sys or .release.sys" + scalarTypes +
			".sem = { .release, .relaxed }; .ss = { .global };",
		Gates:    append([]Gate{{Mod: ".release", Version: 93, SM: 75}}, memoryGates...),
		Operands: "a=any b=type^",
		Summary:  "Store to memory-mapped input and output: performed exactly once.",
		Example:  "st.mmio.relaxed.sys.global.u32 [a], b;"},
	{ID: "st.hints", Section: "9.7.10.11", Mnemonic: "st", Tier: 3, Version: 74, SM: 70, Effect: WritesMemory,
		Syntax: access("st{.weak}{.ss}.level1::eviction_priority{.level::cache_hint}", "[a], b{, cache-policy};", hintsOnly,
			globalSpace) +
			access("st{.weak}{.ss}{.cop}.level::cache_hint", "[a], b, cache-policy;", hintsOnly, globalSpace) +
			wide("st{.weak}{.ss}"+storeWide, "[a], b{, cache-policy};") +
			wide("st{.weak}{.ss}{.cop}{.level::cache_hint}", "[a], b{, cache-policy};") +
			wide("st.sem.scope{.ss}"+storeWide, "[a], b{, cache-policy};") + wide("st.volatile{.ss}", "[a], b;") +
			".sem = { .relaxed, .release }; .cop = { .wb, .cg, .cs, .wt };" + cacheHints,
		Gates: append([]Gate{{Mod: ".v8", Version: 88, SM: 100}, {Mod: ".v4.b64", Version: 88, SM: 100},
			{Mod: ".v4.u64", Version: 88, SM: 100}, {Mod: ".v4.s64", Version: 88, SM: 100},
			{Mod: ".v4.f64", Version: 88, SM: 100}}, memoryGates...),
		Operands: storeOperands,
		Summary:  "Store with hints to the caches, or of 256 bits to global memory.",
		Example:  "st.global.L1::no_allocate.u32 [p], a;"},
	{ID: "st.async", Section: "9.7.10.12", Mnemonic: "st", Tier: 3, Version: 81, SM: 90, Effect: WritesMemory | Unwatched,
		Syntax: `st.async{.weak}{.ss}.completion_mechanism{.vec}.type [a], b, [mbar];
			.vec   = { .v2, .v4 };
			.type  = { .b32, .u32, .s32, .f32 };

			st.async{.weak}{.ss}.completion_mechanism{.vec}.type [a], b, [mbar];
			.vec   = { .v2 };
			.type  = { .b64, .u64, .s64, .f64 };

			st.async{.weak}{.ss}.completion_mechanism.b128 [a], b, [mbar];

			.ss    = { .shared::cluster };
			.completion_mechanism = { .mbarrier::complete_tx::bytes };`,
		Gates:    []Gate{{Mod: ".b128", Version: 92}},
		Operands: "a=any b=1*",
		Summary:  "Asynchronous store to shared memory of the cluster, tracked by an mbarrier.",
		Example:  "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [addr], b, [mbar_addr];"},
	{ID: "st.async.global", Section: "9.7.10.12", Mnemonic: "st", Tier: 3, Version: 87, SM: 100, Effect: WritesMemory,
		Syntax: `st.async.mmio.sem.scope{.ss}.type [a], b;  // .mmio goes with .sys
			.scope = { .sys };

			st.async.sem.scope{.ss}.type [a], b;
			.scope = { .gpu, .sys };

			.sem   = { .release };
			.ss    = { .global };
			.type  = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };`,
		Operands: "a=any b=type^",
		Summary:  "Asynchronous store to global memory with release ordering.",
		Example:  "st.async.mmio.release.sys.global.u32 [addr], b;"},
	{ID: "multimem.st.async", Section: "9.7.10.13", Mnemonic: "multimem", Tier: 4, Version: 93, SM: 100,
		Effect: WritesMemory,
		Syntax: `multimem.st.async.sem.scope{.ss}.type [a], b;
			.sem   = { .release };
			.scope = { .gpu, .sys };
			.ss    = { .global };
			.type  = { .b8, .b16, .b32, .b64, .u8, .u16, .u32, .u64, .s8, .s16, .s32, .s64, .f32, .f64 };`,
		Operands: "a=any b=type^",
		Summary:  "Asynchronous store to all places that a multimem address names, with release ordering.",
		Example:  "multimem.st.async.release.gpu.global.u32 [mm_addr], src_u32;"},
	{ID: "st.bulk", Section: "9.7.10.14", Mnemonic: "st", Tier: 3, Version: 86, SM: 100, Effect: WritesMemory | Unwatched,
		Syntax:   `st.bulk{.weak}{.shared::cta} [a], size, initval;`,
		Operands: "a=any size=any initval=.u64#<0>",
		Summary:  "Fills a region of shared memory with zeros.",
		Example:  "st.bulk.weak.shared::cta [dst], n, 0;"},
	{ID: "multimem.ld_reduce", Section: "9.7.10.15", Mnemonic: "multimem", Tier: 4, Version: 81, SM: 90,
		Effect: ReadsMemory,
		Syntax: multimemIntegers("multimem.ld_reduce{.ldsem.scope}{.ss}.op.type d, [a];",
			"multimem.ld_reduce.weak{.ss}.op.type d, [a];") +
			multimemFloats(true, ".min, .max, .add", "multimem.ld_reduce{.ldsem.scope}{.ss}.opACCVEC.type d, [a];",
				"multimem.ld_reduce.weak{.ss}.opACCVEC.type d, [a];") + `
			.ss    = { .global };
			.ldsem = { .relaxed, .acquire };
			.scope = { .cta, .cluster, .gpu, .sys };`,
		Gates: append([]Gate{{Mod: ".acc::f32", Version: 82}, {Mod: ".acc::f16", Version: 86, SM: 100, Arch: "f", Family: 11, Also: 12}},
			narrowFloats...),
		Operands: "d=1!* a=any",
		Summary:  "Loads from all places that a multimem address names and reduces the values.",
		Example:  "multimem.ld_reduce.relaxed.sys.global.add.u32 d, [a];"},
	{ID: "multimem.st", Section: "9.7.10.15", Mnemonic: "multimem", Tier: 4, Version: 81, SM: 90, Effect: WritesMemory,
		Syntax: `multimem.st{.stsem.scope}{.ss}.type       [a], b;
			multimem.st.weak{.ss}.type                  [a], b;
			.type = { .b32, .b64, .u32, .u64, .s32, .s64 };

			` + multimemFloats(true, "", "multimem.st{.stsem.scope}{.ss}VEC.type [a], b;",
			"multimem.st.weak{.ss}VEC.type [a], b;") + `
			.ss    = { .global };
			.stsem = { .relaxed, .release };
			.scope = { .cta, .cluster, .gpu, .sys };`,
		Gates:    narrowFloats,
		Operands: "a=any b=1*",
		Summary:  "Stores to all places that a multimem address names.",
		Example:  "multimem.st.relaxed.sys.global.b32 [a], b;"},
	{ID: "multimem.red", Section: "9.7.10.15", Mnemonic: "multimem", Tier: 4, Version: 81, SM: 90,
		Effect: ReadsMemory | WritesMemory,
		Syntax: multimemIntegers("multimem.red{.redsem.scope}{.ss}.op.type [a], b;") +
			multimemFloats(false, ".add", "multimem.red{.redsem.scope}{.ss}.opVEC.type [a], b;") + `
			.ss     = { .global };
			.redsem = { .relaxed, .release };
			.scope  = { .cta, .cluster, .gpu, .sys };`,
		Operands: "a=any b=1*",
		Summary:  "Reduces a value into all places that a multimem address names.",
		Example:  "multimem.red.relaxed.sys.global.add.u32 [a], b;"},
	{ID: "prefetch", Section: "9.7.10.16", Mnemonic: "prefetch", Tier: 2, Version: 20, SM: 20, Effect: NoEffect,
		Syntax: `prefetch{.space}.level                   [a];
			prefetch{.global}.level::eviction_priority [a];
			prefetch{.global}.level::prefetch_size.valid_addr [a];
			prefetchu.L1                             [a];
			.level::prefetch_size = { .L1::32B };
			.space = { .global, .local };
			.level = { .L1, .L2 };
			.level::eviction_priority = { .L2::evict_last, .L2::evict_normal };`,
		Gates:    []Gate{{Mod: "level::eviction_priority", Version: 74, SM: 80}, {Mod: ".valid_addr", Version: 94, SM: 90}},
		Operands: "a=any",
		Summary:  "Asks for a line to be brought into a cache; no visible effect.",
		Example:  "prefetch.global.L1 [ptr];"},
	{ID: "prefetch.tensormap", Section: "9.7.10.16", Mnemonic: "prefetch", Tier: 3, Version: 80, SM: 90,
		Effect: NoEffect,
		Syntax: `prefetch{.tensormap_space}.tensormap [a];
			.tensormap_space = { .const, .param };`,
		Operands: "a=any",
		Summary:  "Asks for a tensor map to be brought close; no visible effect.",
		Example:  "prefetch.const.tensormap [ptr];"},
	{ID: "applypriority", Section: "9.7.10.17", Mnemonic: "applypriority", Tier: 4, Version: 74, SM: 80,
		Effect: NoEffect,
		Syntax: `applypriority{.global}.level::eviction_priority [a], size;
			.level::eviction_priority = { .L2::evict_normal };`,
		Operands: "a=any size=.u32#<128>",
		Summary:  "Sets the eviction priority of a cache line; no visible effect.",
		Example:  "applypriority.global.L2::evict_normal [ptr], 128;"},
	{ID: "applypriority.async.bulk", Section: "9.7.10.18", Mnemonic: "applypriority", Tier: 4, Version: 94, SM: 107,
		Arch: "f", Family: 10, Effect: NoEffect,
		Syntax: `applypriority.async.bulk{.src}.completion_mechanism.level::eviction_priority [a], size;
			.src = { .global };
			.completion_mechanism = { .bulk_group };
			.level::eviction_priority = { .L2::evict_normal };`,
		Operands: "a=any",
		Summary:  "Sets the eviction priority of a block of memory; no visible effect.",
		Example:  "applypriority.async.bulk.global.bulk_group.L2::evict_normal [ptr], 128;"},
	{ID: "applypriority.async.bulk.tensor", Section: "9.7.10.19", Mnemonic: "applypriority", Tier: 4, Version: 94, SM: 107,
		Arch: "f", Family: 10, Effect: NoEffect,
		Syntax: tensorModes("applypriority.async.bulk.tensor.dim{.src}.completion_mechanismMODE.level::eviction_priority"+
			"OVERRIDE TENSORINFO;", ".tile::gather4", ".im2col, .im2col::w, .im2col::w::128", `.src = { .global };
			.completion_mechanism = { .bulk_group }; .level::eviction_priority = { .L2::evict_normal };`),
		Operands: "im2colInfo=.u16*0 " + tensorOperands,
		Summary:  "Sets the eviction priority of a tensor tile; no visible effect.",
		Example:  "applypriority.async.bulk.tensor.2d.global.bulk_group.tile.L2::evict_normal [tensorDesc, {u, v}];"},
	{ID: "discard", Section: "9.7.10.20", Mnemonic: "discard", Tier: 3, Version: 74, SM: 80, Effect: WritesMemory,
		Syntax: `discard{.global}.level [a], size;
			.level = { .L2 };`,
		Operands: "a=any size=.u32#<128>",
		Summary:  "Destroys data in the cache without writing it back; its value is undefined afterwards.",
		Example:  "discard.global.L2 [ptr], 128;"},
	{ID: "createpolicy", Section: "9.7.10.21", Mnemonic: "createpolicy", Tier: 3, Version: 74, SM: 80,
		Syntax: `createpolicy.range{.global}.level::primary_priority{.level::secondary_priority}.b64
				policy, [a], primary-size, total-size;
			createpolicy.range.fabric.level::primary_priority{.level::secondary_priority}.b64
				policy, [aLe, aOff], primary-size, total-size;
			createpolicy.fractional.level::primary_priority{.level::secondary_priority}.b64 policy{, fraction};
			createpolicy.cvt.L2.b64 policy, access-property;
			.level::primary_priority   = { .L2::evict_last, .L2::evict_normal, .L2::evict_first, .L2::evict_unchanged };
			.level::secondary_priority = { .L2::evict_first, .L2::evict_unchanged };`,
		Gates:    []Gate{{Mod: ".fabric", Version: 94, SM: 100}},
		Operands: "policy=.b64! a=any aLe=.u32 aOff=.u64 primary-size,total-size=.u32 fraction=.f32 access-property=.b64",
		Summary:  "Makes a cache eviction policy; no visible effect but its handle.",
		Example:  "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;"},
	{ID: "isspacep", Section: "9.7.10.22", Mnemonic: "isspacep", Tier: 2, Version: 20, SM: 20,
		Syntax: `isspacep.space p, a;
			.space = { .const, .global, .local, .shared{::cta, ::cluster}, .param{::entry} };`,
		Gates: []Gate{{Mod: ".const", Version: 31}, {Mod: ".param", Version: 77, SM: 70},
			{Mod: ".param::entry", Version: 83, SM: 70}, {Mod: ".shared::cta", Version: 78, SM: 30},
			{Mod: ".shared::cluster", Version: 78, SM: 90}},
		Operands: "p=pred! a=any",
		Summary:  "Tests whether a generic address lies in a state space.",
		Example:  "isspacep.global isglbl, gptr;"},
	{ID: "cvta", Section: "9.7.10.23", Mnemonic: "cvta", Tier: 1, Version: 20, SM: 20,
		Syntax: `cvta.space.size    p, a;
			cvta.to.space.size p, q;
			.space = { .const, .global, .local, .shared{::cta, ::cluster}, .param{::entry} };
			.size  = { .u32, .u64 };`,
		Gates: []Gate{{Mod: ".const", Version: 31}, {Mod: ".param", Version: 77, SM: 70},
			{Mod: ".param::entry", Version: 83, SM: 70}, {Mod: ".shared::cta", Version: 78, SM: 30},
			{Mod: ".shared::cluster", Version: 78, SM: 90}},
		Operands: "p=size! a=size+sym q=size",
		Summary:  "Converts an address between a state space and generic addressing.",
		Example:  "cvta.to.global.u64 p, gptr;"},
}

// The modifiers of hinted loads and stores up to their vector and type.
const (
	loadHints  = `{.level1::eviction_priority}{.level::cache_hint}{.level::prefetch_size}`
	wideHints  = `{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.level::prefetch_size}`
	storeHints = `{.level1::eviction_priority}{.level::cache_hint}`
	storeWide  = `{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}`
)
