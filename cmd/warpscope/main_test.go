package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const program = `.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r; .reg .b64 %a, %o;
    mov.u32 %r, %tid.x;
    mul.wide.u32 %o, %r, 4;
    ld.param.u64 %a, [out];
    add.s64 %a, %a, %o;
    st.global.u32 [%a], %r;
    ret;
}
`

// call runs the command on a text as its standard input.
func call(input string, args ...string) (code int, out, errs string) {
	var o, e bytes.Buffer
	code = run(args, strings.NewReader(input), &o, &e)
	return code, o.String(), e.String()
}

func TestRunPrintsAVerdict(t *testing.T) {
	header := "//@ block 64\n//@ arg out u32[64]\n//@ expect out[63] == 63\n"
	code, out, errs := call(header+program, "run", "-")
	require.Equal(t, exitOK, code)
	require.Empty(t, errs)
	// two warps of six instructions
	require.Equal(t, "k: 1 CTAs, 64 threads, 12 warp instructions\nok    line 3: out[63] == 63\nresults: all exact\nPASS\n", out)

	code, out, _ = call(header+"//@ expect out[1] == 2\n"+program, "run", "-")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "FAIL  line 4: out[1] == 2: out[1] is 1, expected 2\nresults: all exact\nFAIL\n")
}

func TestRunOfAFault(t *testing.T) {
	code, out, _ := call("//@ arg out u32[16]\n"+program, "run", "-")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "fault: line 12: out of bounds")
	code, out, _ = call("//@ arg out u32[16]\n//@ expect fault OutOfBounds at line 13\n"+program, "run", "-")
	require.Equal(t, exitOK, code, out)
}

func TestRunWithoutHeader(t *testing.T) {
	code, out, _ := call(program, "run", "-")
	require.Equal(t, exitOK, code)
	require.Contains(t, out, "no launch header")
}

func TestRunStopsAtTheTimeLimit(t *testing.T) {
	code, out, _ := call(strings.Replace(program, "    ret;", "again: bra again;", 1), "run", "-timeout", "50ms", "-")
	require.Equal(t, exitFailed, code)
	require.Contains(t, out, "stopped: context deadline exceeded\nresults: all exact\nFAIL\n")
}

func TestExitStatusesAreDistinct(t *testing.T) {
	for name, c := range map[string]struct {
		input string
		args  []string
		code  int
		errs  string
	}{
		"no command":    {"", nil, exitUsage, "usage:"},
		"wrong command": {"", []string{"walk"}, exitUsage, "usage:"},
		"no file":       {"", []string{"run"}, exitUsage, "usage:"},
		"unknown flag":  {"", []string{"run", "-x", "-"}, exitUsage, "usage:"},
		"missing file":  {"", []string{"run", "nothing.ptx"}, exitUsage, "nothing.ptx"},
		"not PTX": {strings.Replace(program, "mov.u32", "moo.u32", 1), []string{"run", "-"}, exitNotPTX,
			"-:7:5: error: "},
		"a wrong header": {"//@ blok 3\n" + program, []string{"check", "-"}, exitNotPTX, `did you mean "block"?`},
		"not emulated": {".version 8.0\n.target sm_90a\n.entry k() {\n  wgmma.fence.sync.aligned;\n}\n",
			[]string{"check", "-"}, exitNotEmulated, "-:4:3: error: "},
		"not emulated when run": {".version 8.0\n.target sm_90a\n.entry k() {\n  wgmma.fence.sync.aligned;\n}\n",
			[]string{"run", "-"}, exitNotEmulated, "[not-emulated]"},
	} {
		code, _, errs := call(c.input, c.args...)
		require.Equal(t, c.code, code, "%s: %s", name, errs)
		require.Contains(t, errs, c.errs, name)
	}
}

func TestCheckGoesThroughAllFiles(t *testing.T) {
	good := filepath.Join(t.TempDir(), "good.ptx")
	require.NoError(t, os.WriteFile(good, []byte(program), 0o644))
	code, out, errs := call("junk", "check", "-", good)
	require.Equal(t, exitNotPTX, code)
	require.Equal(t, good+": ok\n", out)
	require.Contains(t, errs, "-:1:1: error: ")
	code, out, _ = call("", "check", good)
	require.Equal(t, exitOK, code)
	require.Equal(t, good+": ok\n", out)
}

func TestHelp(t *testing.T) {
	code, out, _ := call("", "help")
	require.Equal(t, exitOK, code)
	require.Equal(t, usage, out)
}
