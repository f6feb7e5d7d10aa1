package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Two functions. The first has a name, a table of its stack (2 up to place 5), another one that is missing, and data at
// 8; the second one has 300 bytes of arguments, the same table, one that begins with a zero, and data at 4 and none.
const (
	theTables = "00 02 05 00 02 05 00 00 03 00 00 00"
	theList   = "00 10 00 00 18 00 00 00" + "01 10 00 00 50 00 00 00" + "02 10 00 00 00 00 00 00"
	theFirst  = "00 10 00 00 07 00 00 00 10 00 00 00 00 00 00 00 01 00 00 00" + "00 00 00 00 00 00 00 00 01 00 00 00" +
		"00 00 00 00 00 00 00 00 16 00 00 01" + "00 00 00 00" + "08 00 00 00" + "00 00 00 00"
	theSecond = "01 10 00 00 00 00 00 00 2c 01 00 00 09 00 00 00 04 00 00 00" + "00 00 00 00 00 00 00 00 01 00 00 00" +
		"00 00 00 00 00 00 00 00 00 00 00 02" + "07 00 00 00" + "04 00 00 00 ff ff ff ff"
	theSymbols = "02 0c 80 20" + "07 01 96 80 80 08 10 00" + "00 01 80 80 80 10 ac 02 09" +
		"01 02 05 00 00" + "01 02 05 00 01 00 03 00" + "11" + "08 00"
)

func TestFunctionsAreRestored(t *testing.T) {
	symbols, want := bytesOf(t, theSymbols), bytesOf(t, theTables+theList+theFirst+theSecond)
	require.Equal(t, want, restoredFunctions(symbols, len(want)))

	module := append(moduleOf(bytesOf(t, goFunction)), "between"...)
	table := part{len(module), len(module) + len(want), symbols}
	module = append(append(module, want...), "rest"...)
	rewritten := rewriteCode(module, table)
	require.Less(t, len(rewritten), len(module))
	for _, size := range []string{"0", "1"} {
		require.Equal(t, module, restoredInNode(t, packed(rewritten), size), size)
	}
	for i := range symbols {
		table.packed = symbols[:i]
		require.Nil(t, restoredFunctions(table.packed, len(want)), i)
	}
	for _, damaged := range []string{"", "02 0c", "ff ff ff ff 0f", "02 ff ff ff ff 0f", "02 0c 80 20 ff ff ff 00 ff"} {
		table.packed = append(bytesOf(t, damaged), symbols[:20]...)
		got := restoredInNode(t, packed(rewriteCode(module, table)), "0")
		require.Contains(t, string(got), "Error: ", damaged)
	}
}

// The tables of a function are written again where another one has them, too. What a table names must be there.
func TestFunctionsArePacked(t *testing.T) {
	all := bytesOf(t, "00 00 03 00 02 05 00 00 00 00 00 00"+theList+theFirst+theSecond)
	table := &functionTable{all: all, tables: all[:12], end: len(all)}
	for i, at := range []int{12 + 24, 12 + 24 + 56} {
		f := function(all[at:])
		f.set(atStackTable, 4)
		f.set(funcSize, uint32(i))
		table.functions = append(table.functions, f)
	}
	require.True(t, table.layOut())
	require.Equal(t, bytesOf(t, theTables+theList+theFirst+theSecond), all)
	require.Equal(t, part{0, len(all), bytesOf(t, theSymbols)}, table.packed())

	all[12]++ // the list would be restored as it was
	require.Empty(t, table.packed().packed)

	copy(all, bytesOf(t, "00 02 05 00 00 03 00"))
	table.tables = all[:7]
	table.functions[0].set(atStackTable, 1)
	table.functions[1].set(atStackTable, 1)
	table.functions[1].set(funcSize, 4)
	require.False(t, table.layOut())
}
