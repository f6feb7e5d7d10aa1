package isa

// spdecompressLines are the syntax lines of spdecompress. What is kept of a group fits a register, places of .b2 reach
// four elements, and the dense data take 1 to 128 registers.
func spdecompressLines() string {
	text := ""
	for _, l := range []struct{ size, places, factors, nums string }{
		{".b8", ".b2, .b4", ".sp::1:2", ".x2, .x4, .x8, .x16, .x32, .x64"},
		{".b8", ".b2, .b4", ".sp::1:4, .sp::2:4", ".x1, .x2, .x4, .x8, .x16, .x32, .x64"},
		{".b8", ".b4", ".sp::1:8, .sp::2:8, .sp::4:8", ".x1, .x2, .x4, .x8, .x16, .x32, .x64"},
		{".b8", ".b4", ".sp::1:16, .sp::2:16, .sp::4:16", ".x1, .x2, .x4, .x8, .x16, .x32"},
		{".b16", ".b2, .b4", ".sp::1:2, .sp::1:4, .sp::2:4", ".x1, .x2, .x4, .x8, .x16, .x32, .x64"},
		{".b16", ".b4", ".sp::1:8, .sp::2:8", ".x1, .x2, .x4, .x8, .x16, .x32"},
		{".b16", ".b4", ".sp::1:16, .sp::2:16", ".x1, .x2, .x4, .x8, .x16"},
	} {
		text += "spdecompress.elemsize.idxsize.spfactor.num data, mdata, cdata;\n.elemsize = { " + l.size +
			" };\n.idxsize = { " + l.places + " };\n.spfactor = { " + l.factors + " };\n.num = { " + l.nums + " };\n\n"
	}
	return text
}

// sparseForms are the instructions that make structured sparse data and undo it (9.7.10.30, 9.7.10.31).
var sparseForms = []Form{
	{ID: "spcompress", Section: "9.7.10.30", Mnemonic: "spcompress", Tier: 4, Version: 94, SM: 107, Arch: "a", Family: 10,
		Syntax: `spcompress.elemsize.idxsize.spfactor.num mdata, cdata, data, spdesc;
			.elemsize = { .b8, .b16 };
			.idxsize  = { .b2, .b4 };
			.spfactor = { .sp::2:4 };
			.num      = { .x1, .x2, .x4, .x8, .x16, .x32, .x64 };`,
		Operands: "mdata,cdata=.b32!*0 data=.b32*0 spdesc=.b32",
		Summary:  "Keeps two of each four elements, the greatest or smallest ones, with their places.",
		Example: "spcompress.b8.b2.sp::2:4.x4 {mdata_0}, {cdata_0, cdata_1, cdata_2, cdata_3}, {data_0, data_1, data_2, " +
			"data_3, data_4, data_5, data_6, data_7}, spdesc;"},
	{ID: "spdecompress", Section: "9.7.10.31", Mnemonic: "spdecompress", Tier: 4, Version: 94, SM: 107, Arch: "a",
		Family:   10,
		Syntax:   spdecompressLines(),
		Operands: "data=.b32!*0 mdata,cdata=.b32*0",
		Summary:  "Puts elements at their places among zeros.",
		Example:  "spdecompress.b8.b2.sp::2:4.x2 {data_0, data_1}, {mdata_0}, {cdata_0};"},
}
