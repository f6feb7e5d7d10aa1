package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// cases are the lines of testdata/traps.txtar without its comments.
func cases(t *testing.T) (list []string) {
	for line := range strings.Lines(txtar.Text(t, "traps/cases")) {
		if !strings.HasPrefix(line, "//") {
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

func TestTraps(t *testing.T) {
	var body strings.Builder
	var want []uint64
	traps := cases(t)
	for i, trap := range traps {
		at := strings.LastIndex(trap, " = ")
		value, err := strconv.ParseUint(trap[at+3:], 16, 64)
		require.NoError(t, err, trap)
		want = append(want, value)
		code := trap[:at]
		last := code[strings.LastIndex(code, ";")+1:]
		move := ""
		switch {
		case strings.Contains(last, "%p"):
			move = "selp.u64 %t, 1, 0, %p;"
		case strings.Contains(last, "%w,"):
			move = "mov.b64 %t, %w;"
		case strings.Contains(last, "%x,"):
			move = "cvt.u64.u16 %t, %x;"
		default:
			move = "cvt.u64.u32 %t, %v;"
		}
		fmt.Fprintf(&body, "mov.b32 %%v, 0x5a5a5a5a; mov.b16 %%x, 0x5a5a; %s; %s st.global.u64 [%%out+%d], %%t;\n", code,
			move, 8*i)
	}
	m, err := ptx.Parse("traps.ptx", []byte(txtar.Text(t, "traps/module", "BODY", body.String())))
	require.NoError(t, err)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	out, err := d.Alloc(8 * len(traps))
	require.NoError(t, err)
	place, err := d.Alloc(8)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(out), Ptr(place)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	got := make([]byte, 8*len(traps))
	require.NoError(t, d.Read(out, got))
	for i, trap := range traps {
		require.Equal(t, fmt.Sprintf("%x", want[i]), fmt.Sprintf("%x", binary.LittleEndian.Uint64(got[8*i:])), trap)
	}
}
