package emu

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// dialects are modules in the manner of every producer of PTX that is known: compilers of all ages, frameworks, hands.
func dialects(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../ptx/testdata/dialects/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	out := map[string][]byte{}
	for _, f := range files {
		src, err := os.ReadFile(f)
		require.NoError(t, err)
		out[filepath.Base(f)] = src
	}
	return out
}

// TestDialects parses every dialect without an error, and loads it; what keeps a module from loading has a name.
func TestDialects(t *testing.T) {
	for name, src := range dialects(t) {
		t.Run(name, func(t *testing.T) {
			m, err := ptx.Parse(name, src)
			require.NoError(t, err)
			require.NotEmpty(t, m.Funcs)
			_, err = Load(m, Options{})
			var found ptx.Diagnostics
			if err != nil {
				require.ErrorAs(t, err, &found)
			}
			for _, d := range found {
				switch d.Code {
				case "not-emulated":
				case "undefined-function":
					require.True(t, strings.HasPrefix(name, "optix") || strings.HasPrefix(name, "link"), "%s", d)
				default:
					t.Errorf("%s", d)
				}
			}
		})
	}
}

// TestDialectTexts dresses the same modules in what editors, archives and C strings do to a text.
func TestDialectTexts(t *testing.T) {
	for name, src := range dialects(t) {
		if bytes.Contains(src, []byte("\r")) {
			continue
		}
		crlf := bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
		for how, text := range map[string][]byte{
			"CRLF":                crlf,
			"byte order mark":     append([]byte("\xef\xbb\xbf"), src...),
			"zero bytes":          append(append([]byte{}, src...), 0, 0),
			"all of it":           append(append([]byte("\xef\xbb\xbf"), crlf...), 0),
			"without last line's": bytes.TrimRight(src, "\n"),
		} {
			_, err := ptx.Parse(name, text)
			require.NoError(t, err, "%s with %s", name, how)
		}
	}
}

// TestUndeclaredFunctions: OptiX programs call functions that they do not declare. That is the linker's business: each
// is named when the module is loaded, and Parse only warns.
func TestUndeclaredFunctions(t *testing.T) {
	m, err := ptx.Parse("optix.ptx", dialects(t)["optix-7.ptx"])
	require.NoError(t, err)
	require.Contains(t, m.Diagnostics[0].Message, "_optix_get_launch_index_x is not declared here")
	_, err = Load(m, Options{})
	var found ptx.Diagnostics
	require.True(t, errors.As(err, &found))
	require.Equal(t, "undefined-function", found[0].Code)
	require.Contains(t, found[0].Message, "function _optix_get_launch_index_x is not declared")
}

// TestDeviceRuntime: the functions that launch kernels from kernels are known by their names, those of CUDA 5 and of
// CUDA 12.
func TestDeviceRuntime(t *testing.T) {
	const src = ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func (.param .b32 r) NAME ();\n" +
		".entry k() {\n\t.param .b32 r;\n\tcall (r), NAME, ();\n\tret;\n}\n"
	for _, name := range []string{"cudaGetLastError", "__cudaCDP2GetLastError"} {
		m, err := ptx.Parse(name, []byte(strings.ReplaceAll(src, "NAME", name)))
		require.NoError(t, err)
		_, err = Load(m, Options{})
		var found ptx.Diagnostics
		require.ErrorAs(t, err, &found)
		require.Equal(t, "not-emulated", found[0].Code)
		require.Contains(t, found[0].Message, "function "+name+" belongs to the device runtime of CUDA")
	}
}
