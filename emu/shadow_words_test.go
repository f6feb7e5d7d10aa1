package emu

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// randomAccesses is a kernel that accesses shared memory, a buffer and a variable at random: with all sizes and kinds
// of access, at places that lanes share or not, with barriers and fences between some of them.
func randomAccesses(r *rand.Rand, rows bool) string {
	var b strings.Builder
	b.WriteString(`.version 8.0
.target sm_90
.address_size 64
.global .b32 g[64]; .shared .b32 s[256];
.entry k(.param .u64 buf) { .reg .pred %p; .reg .b64 %b, %g, %o, %x, %y, %w; .reg .b32 %t, %v, %u, %a; .reg .b16 %h;
ld.param.u64 %b, [buf]; mov.u64 %g, g; mov.u64 %w, s; mov.u32 %t, %tid.x;
`)
	pick := func(words ...string) string { return words[r.Intn(len(words))] }
	for range 12 {
		size, first, mask := 1<<r.Intn(5), r.Intn(64), pick3(r, 63, 31, 7)
		if rows { // lanes access words in their order
			size, first, mask = 4, pick3(r, 0, 32), pick3(r, 63, 31)
		}
		fmt.Fprintf(&b, "add.u32 %%a, %%t, %d; and.b32 %%a, %%a, %d; mul.lo.u32 %%a, %%a, %d; cvt.u64.u32 %%o, %%a; ",
			first, mask, size)
		space, base := "global", "%b"
		switch r.Intn(3) {
		case 0:
			space, base = "shared", "%w"
		case 1:
			fmt.Fprintf(&b, "and.b64 %%o, %%o, %d; ", 255&^(size-1))
			base = "%g"
		}
		fmt.Fprintf(&b, "add.u64 %%x, %s, %%o; setp.ne.u32 %%p, %%a, %d; %s ", base, r.Intn(8),
			pick("", "", "@%p"))
		strong := pick("", "", "", ".relaxed.gpu", ".relaxed.cta")
		regs := map[int]string{1: "%h", 2: "%h", 4: "%v", 8: "%y", 16: "{%v, %u, %v, %u}"}[size]
		typ := map[int]string{1: ".b8", 2: ".b16", 4: ".b32", 8: ".b64", 16: ".v4.b32"}[size]
		switch from := regs; r.Intn(5) {
		case 0, 1:
			if size == 16 {
				from = "{%v, %u, %a, %t}"
			}
			fmt.Fprintf(&b, "st%s.%s%s [%%x], %s;\n", strong, space, typ, from)
		case 2:
			if size == 4 {
				fmt.Fprintf(&b, "atom.%s.%s.add.u32 %%v, [%%x], 1;\n", space, pick("gpu", "cta"))
				break
			}
			fallthrough
		default:
			if size == 16 {
				regs = "{%v, %u, %v, %u}"
			}
			fmt.Fprintf(&b, "ld%s.%s%s %s, [%%x];\n", strong, space, typ, strings.Replace(regs, "%v, %u}", "_, _}", 1))
		}
		b.WriteString(pick("", "", "", "bar.sync 0;\n", "bar.warp.sync -1;\n", "fence.acq_rel.gpu;\n", "membar.cta;\n"))
	}
	return b.String() + "ret; }"
}

func pick3(r *rand.Rand, list ...int) int { return list[r.Intn(len(list))] }

// Pages of whole warps and of words, which look at most accesses quickly, find what pages of bytes find.
func TestWordsAndBytesFindTheSame(t *testing.T) {
	found, total := 0, 400
	if testing.Short() {
		total = 40
	}
	for seed := range int64(total) {
		src := randomAccesses(rand.New(rand.NewSource(seed)), seed%4 >= 2)
		var lists [2][]Finding
		for i := range lists {
			m, err := ptx.Parse("random.ptx", []byte(src))
			require.NoError(t, err, src)
			d, err := Load(m, Options{Sanitize: Racecheck | Initcheck, Divergence: []Divergence{Stack, Independent}[seed%2]})
			require.NoError(t, err)
			buf, err := d.Alloc(2048)
			require.NoError(t, err)
			require.NoError(t, d.Write(buf, make([]byte, 512)))
			for at := uint32(0); i == 1 && at < 1<<17; at += 1 << 12 {
				d.Shadow.Page(at).Divide(0)
			}
			g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Block: Dim3{X: 64}, Args: [][]byte{Ptr(buf)}})
			require.NoError(t, err)
			require.NoError(t, g.Run(context.Background()), src)
			require.Less(t, d.Mem.Used(), int64(1<<17))
			lists[i] = g.Findings()
		}
		require.Equal(t, lists[1], lists[0], src)
		found += len(lists[0])
	}
	require.Greater(t, found, total)
}
