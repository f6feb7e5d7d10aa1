package ptx

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// inModule parses a module for sm_80 of a version.
func inModule(version, text string) (*Module, string) {
	m, _ := Parse("t", []byte(".version "+version+"\n.target sm_80\n.address_size 64\n"+text))
	var said []string
	for _, d := range m.Diagnostics {
		said = append(said, d.Code)
	}
	return m, strings.Join(said, " ")
}

// A function names the languages that it was written in, by names in any case or by codes from 0 to 10 (11.8.2).
func TestLanguage(t *testing.T) {
	for _, c := range []struct{ version, text, want string }{
		{"9.3", `.entry foo () .language "ptx" { ret; }`, ""},
		{"9.3", `.func bar () .language "nvvm", "ptx" { ret; }`, ""},
		{"9.3", `.entry baz () .language "ptx", "cuda c++", 0x7 { ret; }`, ""},
		{"9.4", `.entry k () .language "CUDA C++ Tile", "OptiX", 0, 10 .maxntid 32 { ret; }`, ""},
		{"9.4", `.func f () .language "fortran"; .func f () .language "fortran" { ret; }`, ""},
		{"9.2", `.entry k () .language "ptx" { ret; }`, "needs-newer-version"},
		{"9.3", `.entry k () .language "c" { ret; }`, "bad-value"},
		{"9.3", `.entry k () .language "" { ret; }`, "bad-value"},
		{"9.3", `.entry k () .language 11 { ret; }`, "bad-value"},
		{"9.3", `.entry k () .language -1 { ret; }`, "bad-value"},
	} {
		_, said := inModule(c.version, c.text)
		require.Equal(t, c.want, said, c.text)
	}
}

// .loc_intermediate goes right after the .loc of an instruction, once, and only in bodies (11.5.5).
func TestLocIntermediate(t *testing.T) {
	body := func(text string) string { return ".entry k() { .reg .b32 r;\n" + text + "\nadd.s32 r, r, r;\nret; }\n" }
	for _, c := range []struct{ version, text, want string }{
		{"9.4", body(".loc 1 71 0\n.loc_intermediate 2 23 6"), ""},
		{"9.3", body(".loc 1 71 0\n.loc_intermediate 2 23 6"), "needs-newer-version"},
		{"9.4", body(".loc_intermediate 2 23 6"), "bad-directive"},
		{"9.4", body(".loc 1 71 0\n.loc_intermediate 2 23 6\n.loc_intermediate 2 23 6"), "bad-directive"},
		{"9.4", body(".loc 1 71 0\nadd.s32 r, r, r;\n.loc_intermediate 2 23 6"), "bad-directive"},
		{"9.4", ".loc_intermediate 2 23 6\n", "unknown-directive"},
		{"9.4", body(".loc 1 71 0\n.loc_intermediate 2 23"), "bad-expression"},
	} {
		m, said := inModule(c.version, c.text)
		require.Equal(t, c.want, said, c.text)
		if c.want == "" {
			in := m.Entries()[0].Insts
			require.Equal(t, &Loc{File: 1, Line: 71, Intermediate: &Loc{File: 2, Line: 23, Column: 6}}, in[0].Loc)
		}
	}
}

// The source of intermediate languages is any text between .source_begin and .source_end (11.5.6).
func TestIntermediateSource(t *testing.T) {
	block := func(name, file, text string) string {
		return "\t.code_block {\n\t\t.ir_name:        " + name + "\n\t\t.sourceFileName: " + file +
			"\n\t\t.source_begin\n" + text + "\n\t\t.source_end\n\t}\n"
	}
	section := func(blocks ...string) string {
		return ".file 1 \"a.cu\"\n.file 2 \"a.ir\"\n.nv_intermediate_source_section {\n" + strings.Join(blocks, "") + "}\n"
	}
	odd := "it's a \"text { /* with .source_end within a line\n .source_ends\n #if\n `"
	good := block(`"TileIR"`, "2", odd)
	for _, c := range []struct{ version, text, want string }{
		{"9.4", section(good), ""},
		{"9.4", section(good, good), ""},
		{"9.4", section(good) + section(good)[len(".file 1 \"a.cu\"\n.file 2 \"a.ir\"\n"):] + ".entry k() { ret; }", ""},
		{"9.3", section(good), "needs-newer-version"},
		{"9.4", section(block(`"LLVM"`, "2", odd)), "bad-value"},
		{"9.4", section(block(`"TileIR"`, "3", odd)), "bad-value"},
		{"9.4", ".nv_intermediate_source_section { }", "syntax"},
		{"9.4", section(strings.Replace(good, "_end\n\t}", "_stop\n\t}", 1)), "syntax"},
		{"9.4", section("\t.code_block {\n\t.sourceFileName: 2\n}\n"), "syntax"},
		{"9.4", ".entry k() {\n.nv_intermediate_source_section { }\nret; }", "unknown-directive"},
	} {
		m, said := inModule(c.version, c.text)
		first, _, _ := strings.Cut(said, " ")
		require.Equal(t, c.want, first, "%s: %s", c.text, said)
		if c.want == "" {
			require.NotEmpty(t, m.Sections)
			require.Contains(t, m.Text(m.Sections[0]), odd)
		}
	}
}

// Kernels alone have .minperctamemory, and only they may read the registers that tell of that memory (11.4.10, 10.34).
func TestMinPerCTAMemory(t *testing.T) {
	const read = " { .reg .b64 a; .reg .b32 n; mov.u64 a, %perctamemoryoffset; mov.u32 n, %perctamemorysize; ret; }"
	for _, c := range []struct{ version, text, want string }{
		{"9.4", ".entry foo .minperctamemory 2048" + read, ""},
		{"9.4", ".entry foo .minperctamemory 0" + read, ""},
		{"9.4", ".entry foo .minperctamemory 4294967295" + read, ""},
		{"9.4", ".entry foo .minperctamemory 4294967296" + " { ret; }", "bad-value"},
		{"9.3", ".entry foo .minperctamemory 2048 { ret; }", "needs-newer-version"},
		{"9.3", ".entry foo" + read, "needs-newer-version needs-directive needs-newer-version needs-directive"},
		{"9.4", ".entry foo" + read, "needs-directive needs-directive"},
		{"9.4", ".func foo .minperctamemory 2048 { ret; }", "bad-directive"},
		{"9.4", ".func foo" + read, "needs-directive needs-directive"},
	} {
		_, said := inModule(c.version, c.text)
		require.Equal(t, c.want, said, c.text)
	}
	m, _ := Parse("t", []byte(".version 9.4\n.target sm_75\n.entry foo .minperctamemory 2048 { ret; }"))
	require.Equal(t, "needs-newer-target", m.Diagnostics[0].Code)
}
