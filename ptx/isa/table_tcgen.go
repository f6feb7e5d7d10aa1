package isa

// tcgenOperands are the operands of tcgen05.mma in all its variants.
const tcgenOperands = "d-tmem,a-tmem,sp-meta-tmem,scale-A-tmem,scale-B-tmem,b-decompress-metadata=any " +
	"a-desc,b-desc,b-compressed-desc=.b64 idesc=.b32 " +
	"disable-output-lane=.b32*0 enable-input-d=pred scale-input-d=.u32#<0..15> zero-column-mask-desc=.b64"

// tcgenNums are the repetitions of shapes with a register each; tcgenWide is a syntax line for those with two and four,
// which end where 128 registers are full (Tables 59 and 61).
const tcgenNums = `.num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64, .x128 };`

func tcgenWide(line, pack string) string {
	return `

			` + line + `
			.shape1 = { .16x128b };
			.num = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 };
			` + pack + ` = { ` + pack + `::16b };

			` + line + `
			.shape1 = { .16x256b };
			.num = { .x1, .x2, .x4, .x8, .x16, .x32 };
			` + pack + ` = { ` + pack + `::16b };`
}

// tcgenCollectors are the value sets of what the collectors keep, of A and of B.
const tcgenCollectors = `
	.collector_a_usage = { .collector::a::fill, .collector::a::use, .collector::a::lastuse, .collector::a::discard };
	.collector_b_usage = { .collector::b::fill, .collector::b::use, .collector::b::lastuse, .collector::b::discard };
	.cta_group = { .cta_group::1, .cta_group::2 };`

// collectors are the ways in which a line says what is kept: of B only if it says so of A, or of A alone.
var (
	collectorsAB = []string{"{.collector_a_usage}", ".collector_a_usage.collector_b_usage"}
	collectorsA  = collectorsAB[:1]
)

// tcgenPlain are the syntax lines of products without scale factors: A in shared memory, in tensor memory, and shifted.
// .kind::ti16 may say of B what is kept without saying so of A.
func tcgenPlain(op, meta string) string {
	text := ""
	lines := func(kinds, tail string, kept []string, shiftedB string) {
		end := ", b-desc, " + meta + "idesc{, disable-output-lane}, enable-input-d" + tail + ";"
		for _, a := range []string{"a-desc", "[a-tmem]"} {
			for _, mods := range kept {
				text += op + ".cta_group.kind" + mods + " [d-tmem], " + a + end + "\n"
			}
		}
		text += op + ".cta_group.kind.ashift{.collector_shifted}" + shiftedB + " [d-tmem], [a-tmem]" + end +
			"  // nothing that is shifted is kept\n.kind = { " + kinds + " };\n\n"
	}
	lines(".kind::f16, .kind::tf32", "{, scale-input-d}", collectorsAB, "{.collector_b_usage}")
	lines(".kind::f8f6f4", "", collectorsAB, "{.collector_b_usage}")
	lines(".kind::ti16", "", []string{"{.collector_a_usage}{.collector_b_usage}"}, "{.collector_b_usage}")
	lines(".kind::i8", "", collectorsA, "")
	return text + ".collector_shifted = { .collector::a::lastuse, .collector::a::discard };\n\n"
}

// tcgenScaled are the syntax lines of products with scale factors: each kind has its own numbers of them (Table 69).
func tcgenScaled(op, meta string) string {
	text := ""
	for _, kind := range [][2]string{
		{"{.scale_vectorsize}", ".kind = { .kind::mxf8f6f4 }; .scale_vectorsize = { .scale_vec::1X, .block32 };"},
		{"{.scale_vectorsize}", ".kind = { .kind::mxf4 }; .scale_vectorsize = { .scale_vec::2X, .block32 };"},
		{".scale_vectorsize", ".kind = { .kind::mxf4nvf4 };" +
			".scale_vectorsize = { .scale_vec::2X, .scale_vec::4X, .block16, .block32 };"},
	} {
		for _, a := range []string{"a-desc", "[a-tmem]"} {
			for _, mods := range collectorsAB {
				text += op + ".cta_group.kind.block_scale" + kind[0] + mods + " [d-tmem], " + a + ", b-desc, " +
					meta + "idesc, [scale-A-tmem], [scale-B-tmem], enable-input-d;\n"
			}
		}
		text += kind[1] + "\n\n"
	}
	return text
}

// tcgenDecompressed are the syntax lines of products whose B is decompressed (9.7.18.10.8), for one place of A.
func tcgenDecompressed(a string) string {
	const op, kept = "tcgen05.mma.cta_group.", "{.collector_a_usage}{.collector_b_usage} [d-tmem], "
	const b = ", b-compressed-desc, [b-decompress-metadata], idesc"
	return op + "kind::f8f6f4.decompress::lut::b" + kept + a + b + "{, disable-output-lane}, enable-input-d;\n" +
		op + "kind::mxf8f6f4.block_scale.decompress::lut::b{.scale_vectorsize}" + kept + a + b +
		", [scale-A-tmem], [scale-B-tmem], enable-input-d;\n"
}

// tcgenGates are the requirements of the kinds and collectors that came after PTX ISA 8.6.
var tcgenGates = append([]Gate{
	{Mod: ".kind::mxf4nvf4", Version: 87}, {Mod: ".block16", Version: 88}, {Mod: ".block32", Version: 88},
	{Mod: ".scale_vec::1X", Arch: "a"}, {Mod: ".scale_vec::2X", Arch: "a"}, {Mod: ".scale_vec::4X", Arch: "a"},
	{Mod: "collector_b_usage", Version: 94, SM: 107, Family: 10}, {Mod: "@scale-input-d", SM: 100, Arch: "f", Family: 10},
}, tcgenInteger...)

// tcgenInteger are those of the kinds of integers, which .ws has as well. Of the architecture-specific targets, sm_100a and
// sm_110a have .kind::i8.
var tcgenInteger = []Gate{{Mod: ".kind::i8", Arch: "a", Lacks: 103}, {Mod: ".kind::ti16", Version: 94, SM: 107, Family: 10}}

// tcgenSparseGates are those of tcgen05.mma.sp.
var tcgenSparseGates = append([]Gate{{Mod: ".kind::mxf4", Arch: "a"}, {Mod: ".kind::mxf4nvf4", Arch: "a"}}, tcgenGates...)

// tcgenForms are the instructions of the fifth-generation tensor cores (9.7.18).
var tcgenForms = []Form{
	{ID: "tcgen05.alloc", Section: "9.7.18.7.1", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `tcgen05.alloc.cta_group.sync.aligned{.shared::cta}.b32 [dst], nCols;
			tcgen05.dealloc.cta_group.sync.aligned.b32 taddr, nCols;
			tcgen05.relinquish_alloc_permit.cta_group.sync.aligned;
			.cta_group = { .cta_group::1, .cta_group::2 };`,
		Operands: "dst=any taddr,nCols=.u32",
		Summary:  "Allocates or frees columns of tensor memory.",
		Example:  "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [dst], 64;"},
	{ID: "tcgen05.alloc.exclusive", Section: "9.7.18.7.1", Mnemonic: "tcgen05", Tier: 4, Version: 94, SM: 100, Arch: "f",
		Family: 11,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `tcgen05.alloc.exclusive.cta_group.sync.aligned{.shared::cta}.b32 [dst], nCols;
			tcgen05.dealloc.exclusive.cta_group.sync.aligned.b32 taddr, nCols;
			.cta_group = { .cta_group::1, .cta_group::2 };`,
		Operands: "dst=any taddr,nCols=.u32",
		Summary:  "Allocates or frees columns of tensor memory that is then the CTA's alone.",
		Example:  "tcgen05.alloc.exclusive.cta_group::2.sync.aligned.shared::cta.b32 [dst], nCols;"},
	{ID: "tcgen05.ld", Section: "9.7.18.8.3", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: ReadsMemory,
		Syntax: `tcgen05.ld.sync.aligned.shape1.num{.pack}.b32 r, [taddr];
			tcgen05.ld.sync.aligned.shape2.num{.pack}.b32 r, [taddr], immHalfSplitoff;
			.shape1 = { .16x64b, .32x32b };
			.shape2 = { .16x32bx2 };
			` + tcgenNums + `
			.pack   = { .pack::16b };` + tcgenWide("tcgen05.ld.sync.aligned.shape1.num{.pack}.b32 r, [taddr];", ".pack"),
		Operands: "r=.b32!*0 taddr=any immHalfSplitoff=.u32#",
		Summary:  "Loads from tensor memory into registers.",
		Example:  "tcgen05.ld.sync.aligned.32x32b.x2.b32 {r0, r1}, [taddr];"},
	{ID: "tcgen05.ld.red", Section: "9.7.18.8.3", Mnemonic: "tcgen05", Tier: 4, Version: 88, SM: 103, Arch: "f", Family: 11,
		Effect: ReadsMemory,
		Syntax: `tcgen05.ld.red.sync.aligned.shape3.num.redOp{.abs}{.NaN}.f32 r, redval, [taddr];
			tcgen05.ld.red.sync.aligned.shape4.num.redOp{.abs}{.NaN}.f32 r, redval, [taddr], immHalfSplitoff;
			tcgen05.ld.red.sync.aligned.shape3.num.redOp.type r, redval, [taddr];
			tcgen05.ld.red.sync.aligned.shape4.num.redOp.type r, redval, [taddr], immHalfSplitoff;
			.shape3 = { .32x32b };
			.shape4 = { .16x32bx2 };
			.redOp  = { .min, .max };
			.type   = { .u32, .s32 };
			.num = { .x2, .x4, .x8, .x16, .x32, .x64, .x128 };  // a reduction needs .x2 at least`,
		Operands: "r=.b32!*0 redval=1! taddr=any immHalfSplitoff=.u32#",
		Summary:  "Loads from tensor memory and reduces what each thread loads.",
		Example:  "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32 {r0, r1}, redval, [taddr];"},
	{ID: "tcgen05.ld.spcompress", Section: "9.7.18.8.3", Mnemonic: "tcgen05", Tier: 4, Version: 94, SM: 107, Arch: "a",
		Family: 10,
		Effect: ReadsMemory,
		Syntax: `tcgen05.ld.spcompress.sync.aligned.shape.num.rowop.spfactor{.abs}.type.idxsize mdata, cdata, [taddr];
			tcgen05.ld.red.spcompress.sync.aligned.shape.num.rowop.spfactor{.abs}{.NaN}.type.idxsize
				mdata, cdata, redval, [taddr];
			.shape    = { .32x32b };
			.rowop    = { .min, .max };
			.type     = { .f32 };
			.idxsize  = { .b2 };
			.spfactor = { .sp::2:4 };
			.num      = { .x4, .x8, .x16, .x32, .x64, .x128 };`,
		Operands: "mdata,cdata=.b32!*0 redval=type! taddr=any",
		Summary:  "Loads from tensor memory and keeps two of each four elements, with their places.",
		Example:  "tcgen05.ld.spcompress.sync.aligned.32x32b.x4.max.sp::2:4.abs.f32.b2 {mdata_0}, {r0, r1}, [taddr];"},
	{ID: "tcgen05.st", Section: "9.7.18.8.4", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: WritesMemory,
		Syntax: `tcgen05.st.sync.aligned.shape1.num{.unpack}.b32 [taddr], r;
			tcgen05.st.sync.aligned.shape2.num{.unpack}.b32 [taddr], immHalfSplitoff, r;
			.shape1 = { .16x64b, .32x32b };
			.shape2 = { .16x32bx2 };
			` + tcgenNums + `
			.unpack = { .unpack::16b };` + tcgenWide("tcgen05.st.sync.aligned.shape1.num{.unpack}.b32 [taddr], r;", ".unpack"),
		Operands: "r=.b32*0 taddr=any immHalfSplitoff=.u32#",
		Summary:  "Stores registers to tensor memory.",
		Example:  "tcgen05.st.sync.aligned.16x64b.x4.b32 [taddr], {r0, r1, r2, r3};"},
	{ID: "tcgen05.wait", Section: "9.7.18.8.5", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: Barrier,
		Syntax: `tcgen05.wait_operation.sync.aligned;
			.wait_operation = { .wait::ld, .wait::st };`,
		Summary: "Waits for the loads or stores of tensor memory.",
		Example: "tcgen05.wait::ld.sync.aligned;"},
	{ID: "tcgen05.cp", Section: "9.7.18.9.2", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: `tcgen05.cp.cta_group.shape{.dst_fmt.src_fmt} [taddr], s-desc;
			.shape = { .128x256b, .4x256b, .128x128b };

			tcgen05.cp.cta_group.shape.multicast{.dst_fmt.src_fmt} [taddr], s-desc;  // .64x128b needs .warpx2
			.shape = { .64x128b };
			.multicast = { .warpx2::02_13, .warpx2::01_23 };

			tcgen05.cp.cta_group.shape.multicast{.dst_fmt.src_fmt} [taddr], s-desc;  // .32x128b needs .warpx4
			.shape = { .32x128b };
			.multicast = { .warpx4 };

			.cta_group = { .cta_group::1, .cta_group::2 };
			.src_fmt = { .b6x16_p32, .b4x16_p64 };
			.dst_fmt = { .b8x16 };`,
		Operands: "taddr=any s-desc=.b64",
		Summary:  "Starts a copy from shared to tensor memory.",
		Example:  "tcgen05.cp.cta_group::1.128x256b [taddr], sdesc;"},
	{ID: "tcgen05.shift", Section: "9.7.18.9.3", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "a", Family: 11,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `tcgen05.shift.cta_group.down [taddr];
			.cta_group = { .cta_group::1, .cta_group::2 };`,
		Operands: "taddr=any",
		Summary:  "Starts a shift of rows of tensor memory.",
		Example:  "tcgen05.shift.cta_group::1.down [taddr];"},
	{ID: "tcgen05.mma", Section: "9.7.18.10.10.1", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect:   ReadsMemory | WritesMemory | Unwatched,
		Syntax:   tcgenPlain("tcgen05.mma", "") + tcgenScaled("tcgen05.mma", "") + tcgenCollectors,
		Gates:    tcgenGates,
		Operands: tcgenOperands,
		Summary:  "Starts D = A*B+D in tensor memory.",
		Example:  "tcgen05.mma.cta_group::1.kind::tf32 [taddr3], adesc, bdesc, idesc, {m0, m1, m2, m3}, p;"},
	{ID: "tcgen05.mma.lut", Section: "9.7.18.10.10.1", Mnemonic: "tcgen05", Tier: 4, Version: 94, SM: 107, Arch: "f",
		Family: 10,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: tcgenDecompressed("a-desc") + tcgenDecompressed("[a-tmem]") + `
			.scale_vectorsize = { .block32 };` + tcgenCollectors,
		Operands: tcgenOperands,
		Summary:  "tcgen05.mma of a B that is indices into a table in tensor memory.",
		Example:  "tcgen05.mma.cta_group::1.kind::f8f6f4.decompress::lut::b [taddr2], adesc, bdesc, [lut], idesc, p;"},
	{ID: "tcgen05.mma.sp", Section: "9.7.18.10.10.2", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		// The manual's lines of .kind::ti16 with .collector::b leave the metadata out, which a sparse A cannot be read without.
		Syntax:   tcgenPlain("tcgen05.mma.sp", "[sp-meta-tmem], ") + tcgenScaled("tcgen05.mma.sp", "[sp-meta-tmem], ") + tcgenCollectors,
		Gates:    tcgenSparseGates,
		Operands: tcgenOperands,
		Summary:  "tcgen05.mma with a sparse A.",
		Example:  "tcgen05.mma.sp.cta_group::1.kind::f16 [taddr3], adesc, bdesc, [spmeta], idesc, p;"},
	{ID: "tcgen05.mma.ws", Section: "9.7.18.10.10.3", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: `tcgen05.mma.ws.cta_group::1.kind{.collector_usage}
				[d-tmem], a-desc, b-desc, idesc, enable-input-d{, zero-column-mask-desc};
			tcgen05.mma.ws.cta_group::1.kind{.collector_usage}
				[d-tmem], [a-tmem], b-desc, idesc, enable-input-d{, zero-column-mask-desc};
			.kind = { .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8, .kind::ti16 };
			.collector_usage = {
				.collector::b0::fill, .collector::b0::use, .collector::b0::lastuse, .collector::b0::discard,
				.collector::b1::fill, .collector::b1::use, .collector::b1::lastuse, .collector::b1::discard,
				.collector::b2::fill, .collector::b2::use, .collector::b2::lastuse, .collector::b2::discard,
				.collector::b3::fill, .collector::b3::use, .collector::b3::lastuse, .collector::b3::discard };`,
		Gates:    tcgenInteger,
		Operands: tcgenOperands,
		Summary:  "tcgen05.mma with the weights kept in place.",
		Example:  "tcgen05.mma.ws.cta_group::1.kind::i8.collector::b2::use [taddr2], [taddr1], bdesc, idesc, p;"},
	{ID: "tcgen05.mma.ws.sp", Section: "9.7.18.10.10.4", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f",
		Family: 11,
		Effect: ReadsMemory | WritesMemory | Unwatched,
		Syntax: `tcgen05.mma.ws.sp.cta_group::1.kind{.collector_usage}
				[d-tmem], a-desc, b-desc, [sp-meta-tmem], idesc, enable-input-d{, zero-column-mask-desc};
			tcgen05.mma.ws.sp.cta_group::1.kind{.collector_usage}
				[d-tmem], [a-tmem], b-desc, [sp-meta-tmem], idesc, enable-input-d{, zero-column-mask-desc};
			.kind = { .kind::f16, .kind::tf32, .kind::f8f6f4, .kind::i8, .kind::ti16 };
			.collector_usage = {
				.collector::b0::fill, .collector::b0::use, .collector::b0::lastuse, .collector::b0::discard,
				.collector::b1::fill, .collector::b1::use, .collector::b1::lastuse, .collector::b1::discard,
				.collector::b2::fill, .collector::b2::use, .collector::b2::lastuse, .collector::b2::discard,
				.collector::b3::fill, .collector::b3::use, .collector::b3::lastuse, .collector::b3::discard };`,
		Gates:    tcgenInteger,
		Operands: tcgenOperands,
		Summary:  "tcgen05.mma.ws with a sparse A.",
		Example:  "tcgen05.mma.ws.sp.cta_group::1.kind::tf32 [taddr2], adesc, bdesc, [spmeta], idesc, p;"},
	{ID: "tcgen05.fence", Section: "9.7.18.11.1", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: NoEffect,
		Syntax: `tcgen05.fence_kind;
			.fence_kind = { .fence::before_thread_sync, .fence::after_thread_sync };`,
		Summary: "Orders asynchronous tensor operations with a synchronisation of threads.",
		Example: "tcgen05.fence::before_thread_sync;"},
	{ID: "tcgen05.commit", Section: "9.7.18.12.1", Mnemonic: "tcgen05", Tier: 4, Version: 86, SM: 100, Arch: "f", Family: 11,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `tcgen05.commit.cta_group.completion_mechanism{.shared::cluster}{.multicast}.b64 [mbar]{, ctaMask};
			.completion_mechanism = { .mbarrier::arrive::one };
			.cta_group = { .cta_group::1, .cta_group::2 };
			.multicast = { .multicast::cluster{::16b, ::32b} };`,
		Gates: []Gate{{Mod: ".multicast::cluster::16b", Version: 94},
			{Mod: ".multicast::cluster::32b", Version: 94, SM: 107, Family: 10}},
		Summary: "Makes an mbarrier track the asynchronous tensor operations so far.",
		Example: "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [mbar];"},
	{ID: "tcgen05.commit.sync_restrict", Section: "9.7.18.12.1", Mnemonic: "tcgen05", Tier: 4, Version: 94, SM: 107, Arch: "f",
		Family: 10,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `tcgen05.commit.cta_group.completion_mechanism.sync_restrict::shared::read::mma::a{.shared::cluster}{.multicast}.b64
				[mbar]{, ctaMask};
			.completion_mechanism = { .mbarrier::arrive::one };
			.cta_group = { .cta_group::1, .cta_group::2 };
			.multicast = { .multicast::cluster{::16b, ::32b} };`,
		Summary: "Makes an mbarrier track when the products so far have read A.",
		Example: "tcgen05.commit.cta_group::2.mbarrier::arrive::one.sync_restrict::shared::read::mma::a.b64 [mbar];"},
}
