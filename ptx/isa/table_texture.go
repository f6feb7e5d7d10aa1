package isa

// samples writes the syntax lines of tex without mipmaps; tail is the operands at the end that the geometries take: cube
// maps have no offsets e, 3D and multi-sample textures and integer coordinates no depth to compare with f (9.7.12.3).
func samples(tail, set, note string) string {
	text := ""
	for _, base := range []string{"", ".base"} {
		for _, result := range []string{"v4.dtype", "v2.f16x2"} {
			text += "tex" + base + ".geom." + result + ".ctype d[|p], [a, {b, }c]" + tail + ";" + note + "\n"
		}
	}
	return text + set + "\n\n"
}

// textures adds those with mipmaps.
func textures(tail, set, note string) string {
	text := ""
	for _, result := range []string{"v4.dtype", "v2.f16x2"} {
		text += "tex.level.geom." + result + ".ctype d[|p], [a, {b, }c], lod" + tail + ";" + note + "\n" +
			"tex.grad.geom." + result + ".ctype d[|p], [a, {b, }c], dPdx, dPdy" + tail + ";" + note + "\n"
	}
	return samples(tail, set, note) + text + set + "\n\n"
}

// textureForms are texture (9.7.12) and surface (9.7.13) instructions.
var textureForms = []Form{
	{ID: "tex", Section: "9.7.12.3", Mnemonic: "tex", Tier: 4, Version: 10, SM: 10, Effect: ReadsMemory | Unwatched,
		Syntax: textures("{, e}", ".geom = { .1d, .2d, .3d, .a1d, .a2d }; .ctype = { .s32 };", "") +
			textures("{, e}{, f}", ".geom = { .1d, .2d, .a1d, .a2d }; .ctype = { .f32 };", "") +
			textures("{, e}", ".geom = { .3d }; .ctype = { .f32 };", "") +
			textures("{, f}", ".geom = { .cube, .acube }; .ctype = { .f32 };", "  // cube maps take .f32 coordinates") +
			samples("{, e}", ".geom = { .2dms, .a2dms }; .ctype = { .s32 };",
				"  // multi-sample textures take .s32 coordinates") + ".dtype = { .u32, .s32, .f16, .f32 };",
		Gates: []Gate{{Mod: ".a1d", Version: 23}, {Mod: ".a2d", Version: 23}, {Mod: ".cube", Version: 30},
			{Mod: ".acube", Version: 30, SM: 20}, {Mod: ".base", Version: 31, SM: 20},
			{Mod: ".level", Version: 31, SM: 20}, {Mod: ".grad", Version: 31, SM: 20},
			{Mod: ".2dms", Version: 32, SM: 30}, {Mod: ".a2dms", Version: 32, SM: 30},
			{Mod: ".f16", Version: 42, SM: 53}, {Mod: ".f16x2", Version: 42, SM: 53},
			{Mod: ".grad.cube", Version: 43}, {Mod: ".grad.acube", Version: 43}, {Mod: "@p", Version: 71, SM: 60},
			{Mod: "@e", Version: 43, SM: 30}, {Mod: "@f", Version: 43, SM: 30}},
		Operands: "d=1!*0 p=pred! a,b=any c=any+vec e=.s32*0+reg f=.f32 lod=ctype dPdx,dPdy=.f32*0",
		Summary:  "Looks up a texture at coordinates c.",
		Example:  "tex.2d.v4.f32.f32 {r1, r2, r3, r4}, [tex_a, {f1, f2}];"},
	{ID: "tld4", Section: "9.7.12.4", Mnemonic: "tld4", Tier: 4, Version: 22, SM: 20, Effect: ReadsMemory | Unwatched,
		Syntax: `tld4.comp.geom.v4.dtype.f32 d[|p], [a, {b, }c]{, e}{, f};
			.geom  = { .2d, .a2d };

			tld4.comp.geom.v4.dtype.f32 d[|p], [a, {b, }c]{, f};
			.geom  = { .cube, .acube };

			.comp  = { .r, .g, .b, .a };
			.dtype = { .u32, .s32, .f32 };`,
		Gates: []Gate{{Mod: ".a2d", Version: 43, SM: 30}, {Mod: ".cube", Version: 43, SM: 30},
			{Mod: ".acube", Version: 43, SM: 30}, {Mod: "@p", Version: 71, SM: 60}, {Mod: "@e", Version: 43, SM: 30},
			{Mod: "@f", Version: 43, SM: 30}},
		Operands: "d=dtype!*4 p=pred! a,b=any c=any+vec e=.s32*0+reg f=.f32",
		Summary:  "Fetches one component of the four texels around a coordinate.",
		Example:  "tld4.r.2d.v4.f32.f32 {r1, r2, r3, r4}, [tex_a, {f1, f2}];"},
	{ID: "txq", Section: "9.7.12.5", Mnemonic: "txq", Tier: 4, Version: 15, SM: 10,
		Syntax: `txq.tquery.b32        d, [a];
			txq.level.tlquery.b32 d, [a], lod;
			txq.squery.b32        d, [a];
			.tquery  = { .width, .height, .depth, .channel_data_type, .channel_order, .normalized_coords, .array_size,
			             .num_mipmap_levels, .num_samples };
			.tlquery = { .width, .height, .depth };
			.squery  = { .force_unnormalized_coords, .filter_mode, .addr_mode_0, .addr_mode_1, .addr_mode_2 };`,
		Gates: []Gate{{Mod: ".channel_data_type", Version: 21}, {Mod: ".channel_order", Version: 21},
			{Mod: ".force_unnormalized_coords", Version: 22}, {Mod: ".array_size", Version: 41},
			{Mod: ".num_mipmap_levels", Version: 41, SM: 20}, {Mod: ".num_samples", Version: 41, SM: 30},
			{Mod: ".level", Version: 43, SM: 30}},
		Operands: "d=.b32! a=any lod=.u32",
		Summary:  "Queries a property of a texture or sampler.",
		Example:  "txq.width.b32 %r1, [tex_A];"},
	{ID: "istypep", Section: "9.7.12.6", Mnemonic: "istypep", Tier: 4, Version: 40, SM: 30,
		Syntax: `istypep.type p, a;
			.type = { .texref, .samplerref, .surfref };`,
		Operands: "p=pred! a=.u64+sym",
		Summary:  "Tests whether a register points to a texture, sampler or surface.",
		Example:  "istypep.texref istex, tptr;"},
	{ID: "suld", Section: "9.7.13.1", Mnemonic: "suld", Tier: 4, Version: 15, SM: 10, Effect: ReadsMemory,
		Syntax: `suld.b.geom{.cop}{.vec}.dtype.clamp d, [a, b];
			.vec   = { .v2, .v4 };
			.dtype = { .b8, .b16, .b32 };

			suld.b.geom{.cop}{.vec}.dtype.clamp d, [a, b];  // a vector has at most 128 bits (5.4.2)
			.vec   = { .v2 };
			.dtype = { .b64 };

			.geom  = { .1d, .2d, .3d, .a1d, .a2d };
			.cop   = { .ca, .cg, .cs, .cv };
			.clamp = { .trap, .clamp, .zero };`,
		Gates: []Gate{{Mod: ".3d", Version: 30, SM: 20}, {Mod: ".a1d", Version: 30, SM: 20},
			{Mod: ".a2d", Version: 30, SM: 20}, {Mod: ".clamp", Version: 20, SM: 20},
			{Mod: ".zero", Version: 20, SM: 20}, {Mod: "cop", Version: 20, SM: 20}},
		Operands: "d=dtype!^* a=any b=.s32+vec",
		Summary:  "Loads from a surface.",
		Example:  "suld.b.1d.v4.b32.trap {s1, s2, s3, s4}, [surf_B, {x}];"},
	{ID: "sust", Section: "9.7.13.2", Mnemonic: "sust", Tier: 4, Version: 15, SM: 10, Effect: WritesMemory,
		Syntax: `sust.b.geom{.cop}{.vec}.ctype.clamp [a, b], c;
			.geom  = { .1d, .2d, .3d, .a1d, .a2d };
			.vec   = { .v2, .v4 };
			.ctype = { .b8, .b16, .b32 };

			sust.b.geom{.cop}{.vec}.ctype.clamp [a, b], c;  // a vector has at most 128 bits (5.4.2)
			.geom  = { .1d, .2d, .3d, .a1d, .a2d };
			.vec   = { .v2 };
			.ctype = { .b64 };

			sust.p.geom{.vec}.b32.clamp         [a, b], c;  // the formatted store takes .b32
			.geom  = { .1d, .2d, .3d, .a1d, .a2d };
			.vec   = { .v2, .v4 };

			.cop   = { .wb, .cg, .cs, .wt };
			.clamp = { .trap, .clamp, .zero };`,
		Gates: []Gate{{Mod: ".3d", Version: 30, SM: 20}, {Mod: ".a1d", Version: 30, SM: 20},
			{Mod: ".a2d", Version: 30, SM: 20}, {Mod: ".clamp", Version: 20, SM: 20},
			{Mod: ".zero", Version: 20, SM: 20}, {Mod: "cop", Version: 20, SM: 20}, {Mod: ".p", Version: 20, SM: 20}},
		Operands: "a=any b=.s32+vec c=1^*",
		Summary:  "Stores to a surface, as bytes or converted to its format.",
		Example:  "sust.b.1d.v4.b32.trap [surf_B, {x}], {f1, f2, f3, f4};"},
	{ID: "sured", Section: "9.7.13.3", Mnemonic: "sured", Tier: 4, Version: 20, SM: 20,
		Effect: ReadsMemory | WritesMemory,
		Syntax: `sured.b.op.geom.ctype.clamp [a, b], c;
			.op    = { .add };
			.ctype = { .u32, .u64, .s32 };

			sured.b.op.geom.ctype.clamp [a, b], c;
			.op    = { .min, .max };
			.ctype = { .u32, .u64, .s32, .s64 };

			sured.b.op.geom.ctype.clamp [a, b], c;
			.op    = { .and, .or };
			.ctype = { .b32 };

			sured.p.op.geom.ctype.clamp [a, b], c;
			.op    = { .add, .min, .max, .and, .or };
			.ctype = { .b32 };

			sured.p.op.geom.ctype.clamp [a, b], c;
			.op    = { .min, .max };
			.ctype = { .b64 };

			.geom  = { .1d, .2d, .3d };
			.clamp = { .trap, .clamp, .zero };`,
		Gates: []Gate{{Mod: ".min.u64", Version: 81, SM: 50}, {Mod: ".max.u64", Version: 81, SM: 50},
			{Mod: ".min.s64", Version: 81, SM: 50}, {Mod: ".max.s64", Version: 81, SM: 50},
			{Mod: ".min.b64", Version: 81, SM: 50}, {Mod: ".max.b64", Version: 81, SM: 50}},
		Operands: "a=any b=.s32+vec c=ctype",
		Summary:  "Reduces a value into a surface.",
		Example:  "sured.b.add.2d.u32.trap [surf_A, {x, y}], r1;"},
	{ID: "suq", Section: "9.7.13.4", Mnemonic: "suq", Tier: 4, Version: 15, SM: 10,
		Syntax: `suq.query.b32 d, [a];
			.query = { .width, .height, .depth, .channel_data_type, .channel_order, .array_size, .memory_layout };`,
		Gates: []Gate{{Mod: ".channel_data_type", Version: 21}, {Mod: ".channel_order", Version: 21},
			{Mod: ".array_size", Version: 41}, {Mod: ".memory_layout", Version: 42}},
		Operands: "d=.b32! a=any",
		Summary:  "Queries a property of a surface.",
		Example:  "suq.width.b32 %r1, [surf_A];"},
}
