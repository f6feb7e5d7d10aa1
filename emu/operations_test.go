package emu

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/handlers"
	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// realModules loads modules that real compilers have written.
func realModules(t *testing.T, do func(path string, d *Device)) {
	t.Helper()
	paths, err := filepath.Glob("../testdata/real/ptx/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for n, path := range paths {
		if testing.Short() && n%8 != 0 {
			continue
		}
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		m, err := ptx.Parse(path, src)
		require.NoError(t, err, path)
		d, err := Load(m, Options{})
		require.NoError(t, err, path)
		do(path, d)
	}
}

// An instruction with a handler has the number of the handler's row in the table, and that row has the instruction's
// opcode where it has any.
func TestInstructionsNameTheirOperation(t *testing.T) {
	table := handlers.Table()
	used := map[string]bool{}
	realModules(t, func(path string, d *Device) {
		for i := range d.Prog.Code {
			in := &d.Prog.Code[i]
			if in.Op != machine.OpHandler {
				if in.Op != machine.OpLoad && in.Op != machine.OpStore || in.Number < row.FirstAccess {
					require.Zero(t, in.Number)
				}
				continue
			}
			h := table[in.Number-1]
			used[h.Name] = true
			name := runtime.FuncForPC(reflect.ValueOf(in.Handler).Pointer()).Name()
			require.Equal(t, "warpscope/emu/row.h"+h.Name, name, "%s: %s", path, in.Src.Opcode)
			require.Equal(t, row.Operations[in.Number].Rows[0], in.Width)
			key := in.Src.Match.Key()
			if len(h.KeyList()) > 0 && !slices.Contains(h.KeyList(), key) && in.X == nil {
				require.Contains(t, h.KeyList(), key+machine.ConstShift)
			}
		}
	})
	require.Greater(t, len(used), len(table)*2/3)
}

// The table and the handlers have the same order.
func TestOperationsAreTheTable(t *testing.T) {
	table := handlers.Table()
	require.Len(t, row.Operations, len(table)+1)
	keys := 0
	for i, h := range table {
		require.EqualValues(t, i+1, h.Number)
		name := runtime.FuncForPC(reflect.ValueOf(row.Operations[h.Number].Run).Pointer()).Name()
		require.Equal(t, "warpscope/emu/row.h"+h.Name, name)
		for _, key := range h.KeyList() {
			require.Equal(t, h.Number, row.Numbers()[key], key)
			keys++
		}
	}
	require.Len(t, row.Numbers(), keys)
}
