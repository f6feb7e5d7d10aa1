package emu

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
)

// bulkKernel declares 256 bytes s of shared memory and mbarriers; %p and %q are the buffers in and out of 256 bytes, %a
// and %b the shared addresses of s and bar, %r the CTA's rank. Its lane 0 initialises bar for one arrival.
const bulkKernel = `.shared .align 128 .b8 s[256]; .shared .align 8 .b64 bar; .reg .b64 %p, %q, %x; ` +
	`.reg .b32 %a, %b, %n, %r, %v<8>;
	.reg .pred %z<4>; .reg .b16 %h;
	ld.param.u64 %p, [in]; ld.param.u64 %q, [out]; mov.u32 %a, s; mov.u32 %b, bar; mov.u32 %r, %cluster_ctarank;
	setp.eq.u32 %z3, %l, 0; @!%z3 bra INIT; mbarrier.init.shared.b64 [bar], 1; INIT: bar.sync 0;
`

// wait waits for phase 0 of bar.
const waitBar = "W: mbarrier.try_wait.parity.shared.b64 %z0, [bar], 0; @!%z0 bra W;\n"

func runBulk(t *testing.T, cluster, threads int, body string, in []byte) (out []byte, g *Grid, err error) {
	t.Helper()
	d, err := matrixModule(t, "in out", bulkKernel+body)
	require.NoError(t, err, body)
	from, err := d.Alloc(len(in))
	require.NoError(t, err)
	to, err := d.Alloc(256)
	require.NoError(t, err)
	require.NoError(t, d.Write(from, in))
	g, err = d.Launch(Config{Entry: "k", Grid: Dim3{X: cluster}, Cluster: Dim3{X: cluster}, Block: Dim3{X: threads},
		Args: [][]byte{Ptr(from), Ptr(to)}})
	require.NoError(t, err)
	err = g.Run(context.Background())
	out = make([]byte, 256)
	require.NoError(t, d.Read(to, out))
	return out, g, err
}

// Global to shared memory, tracked by an mbarrier, and back in a bulk group.
func TestBulkCopy(t *testing.T) {
	for _, dst := range []string{".shared::cta", ".shared::cluster"} {
		out, g, err := runBulk(t, 1, 1, `mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
		cp.async.bulk`+dst+`.global.mbarrier::complete_tx::bytes [%a], [%p], 64, [%b];
		`+waitBar+`fence.proxy.async.shared::cta;
		cp.async.bulk.global.shared::cta.bulk_group [%q+16], [%a], 48; cp.async.bulk.commit_group;
		cp.async.bulk.wait_group 0;`, counting(0, 256))
		require.NoError(t, err)
		require.Empty(t, g.Findings())
		require.Equal(t, append(append(make([]byte, 16), counting(0, 48)...), make([]byte, 192)...), out)
	}
}

// .ignore_oob: up to 15 bytes at both ends of the source may lie outside of its allocation (9.7.10.28.4.1). All bytes
// of the size are completed at the mbarrier; here those that are ignored keep their values in shared memory.
func TestBulkCopyIgnoresBytes(t *testing.T) {
	const start = `st.shared.u32 [s], 0x77777777; st.shared.u32 [s+60], 0x77777777; fence.proxy.async.shared::cta;
		mov.u32 %n, 12; mov.u32 %v1, 60; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
		cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes`
	const end = "[%b];" + waitBar + `fence.proxy.async.shared::cta;
		cp.async.bulk.global.shared::cta.bulk_group [%q], [%a], 64; cp.async.bulk.commit_group;
		cp.async.bulk.wait_group 0;`
	// The buffer has 100 bytes: 12 of [in+48, in+112) are outside.
	out, g, err := runBulk(t, 1, 1, start+".ignore_oob [%a], [%p+48], 64, 3, %n, "+end, counting(0, 100))
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	want := append([]byte{0x77, 0x77, 0x77}, counting(51, 49)...)
	require.Equal(t, append(want, 0, 0, 0, 0, 0, 0, 0, 0, 0x77, 0x77, 0x77, 0x77), out[:64])
	for operands, want := range map[string]string{
		" [%a], [%p+48], 64, ":                   "64 bytes",
		".ignore_oob [%a], [%p+48], 64, 0, 11, ": "53 bytes", // one of them outside
		".ignore_oob [%a], [%p+40], 64, 8, 15, ": "multiple of 16",
		".ignore_oob [%a], [%p+48], %v1, 0, 8, ": "60 bytes: the size is a multiple of 16",
		".ignore_oob [%a], [%p+16], 64, 0, %l, ": "0 and 16 ignored bytes: there are at most 15 at each end",
	} {
		_, _, err = runBulk(t, 1, 1, strings.Replace(start, "%n, 12", "%l, 16", 1)+operands+end, counting(0, 100))
		require.ErrorContains(t, err, want, operands)
	}
	// Nothing is left of 16 bytes.
	out, _, err = runBulk(t, 1, 1, strings.Replace(start, "], 64", "], 16", 1)+
		".ignore_oob [%a], [%p+96], 16, 4, 12, "+end, counting(0, 100))
	require.NoError(t, err)
	require.Equal(t, append([]byte{0x77, 0x77, 0x77, 0x77}, make([]byte, 8)...), out[:12])
}

// Groups: wait_group n leaves the newest n pending; .read waits only until sources may be overwritten. What no thread
// waits for reaches memory at the end of the CTA, and its source must not go away before.
func TestBulkGroups(t *testing.T) {
	const start = `ld.global.v4.u32 {%v0,%v1,%v2,%v3}, [%p]; st.shared.v4.u32 [s], {%v0,%v1,%v2,%v3};
		fence.proxy.async;
		cp.async.bulk.global.shared::cta.bulk_group [%q], [%a], 16; cp.async.bulk.commit_group;
		cp.async.bulk.global.shared::cta.bulk_group [%q+16], [%a], 16; cp.async.bulk.commit_group;
		`
	const look = "ld.global.u32 %v4, [%q]; ld.global.u32 %v5, [%q+16]; st.global.v2.u32 [%q+32], {%v4,%v5};"
	word := func(b []byte) uint32 { return machine.ByteOrder.Uint32(b) }
	const seen = 0x04030201
	for _, c := range []struct {
		wait          string
		first, second uint32
		findings      int
	}{
		{"cp.async.bulk.wait_group 0;", seen, seen, 0},
		{"cp.async.bulk.wait_group 1;", seen, 0, 2}, // one load comes too early, and the CTA ends too early
		{"cp.async.bulk.wait_group 2;", 0, 0, 4},
		{"cp.async.bulk.wait_group.read 0;", 0, 0, 2},
		{"cp.async.bulk.wait_group.read 1;", 0, 0, 3},
	} {
		out, g, err := runBulk(t, 1, 1, start+c.wait+look, counting(0, 256))
		require.NoError(t, err)
		require.Equal(t, []uint32{c.first, c.second}, []uint32{word(out[32:]), word(out[36:])}, c.wait)
		require.Equal(t, counting(0, 16), out[:16], "at the end all is there")
		require.Equal(t, counting(0, 16), out[16:32])
		require.Len(t, g.Findings(), c.findings, "%s %v", c.wait, g.Findings())
	}
	// The source may be overwritten once it has been read.
	for wait, want := range map[string]byte{"cp.async.bulk.wait_group.read 0;": 1, "": 0} {
		out, g, err := runBulk(t, 1, 1, start+wait+"st.shared.u32 [s], 0; cp.async.bulk.wait_group 0;", counting(0, 256))
		require.NoError(t, err)
		require.Equal(t, want, out[0])
		require.Len(t, g.Findings(), 1-int(want))
	}
}

// A read before the wait sees what was there, and is found with both witnesses; so are writes.
func TestBulkCopyTooEarly(t *testing.T) {
	const start = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;\n" +
		"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%a], [%p], 64, [%b];\n"
	for _, c := range [][2]string{
		{"ld.shared.u32 %v0, [s+60];", "`ld.shared.u32` in lane 0 of warp 0 reads shared+60 (4 bytes), which " +
			"`cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes` of line 12 " +
			"(lane 0 of warp 0) is still to write: it was not waited for"},
		{"st.shared.u32 [s+8], 1;", "writes to shared+8 (4 bytes)"},
		{"atom.shared.add.u32 %v0, [s+8], 1;", "writes to shared+8 (4 bytes)"},
		{"st.global.u32 [%p+4], 1;", "is still to read: it was not"},
		{"cp.async.bulk.global.shared::cta.bulk_group [%q], [%a], 16;", "reads shared+0 (16 bytes)"},
		{"cp.async.ca.shared.global [%a], [%p], 4;", "writes to shared+0 (4 bytes)"},
		{"ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%v0}, [%a];", "reads shared+0 (16 bytes)"},
		{"mov.u64 %x, s; cvta.shared.u64 %x, %x; ld.v2.u64 {%x, _}, [%x];", "reads shared+0 (16 bytes)"},
	} {
		body, want := c[0], c[1]
		threads := 1
		if strings.HasPrefix(body, "ldmatrix") {
			threads = 32
		}
		_, g, err := runBulk(t, 1, threads, "@%z3 bra ON; bra SKIP; ON:\n"+start+"SKIP:"+body+waitBar+
			"cp.async.wait_all; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;", counting(0, 256))
		require.NoError(t, err)
		found := g.Findings()
		require.Len(t, found, 1, "%s", body)
		require.Contains(t, strings.ReplaceAll(found[0].Message, "of line 13", "of line 12"), want)
		require.Equal(t, 13, found[0].Other.Line)
		require.Equal(t, 14, found[0].Pos.Line)
	}
	for _, body := range []string{"ld.shared.u32 %v0, [s+64];", "ld.global.u32 %v0, [%p];", "st.global.u32 [%p+64], 1;"} {
		_, g, err := runBulk(t, 1, 1, start+body+waitBar, counting(0, 256))
		require.NoError(t, err)
		require.Empty(t, g.Findings(), body)
	}
}

// A warp whose lanes all make one copy writes the same bytes again and again; with another source, or to another place
// that overlaps, it does not.
func TestWarpThatMakesOneCopy(t *testing.T) {
	const start = "mov.u32 %v0, %l; shl.b32 %v0, %v0, 2; add.u32 %v0, %v0, %a; st.shared.b32 [%v0], %l; " +
		"fence.proxy.async; bar.sync 0;\n"
	for operands, findings := range map[string]int{"[%q], [%a], 128": 0, "[%q], [%n], 128": 1, "[%x], [%a], 128": 1} {
		out, g, err := runBulk(t, 1, 32, start+`and.b32 %n, %l, 1; shl.b32 %n, %n, 4; cvt.u64.u32 %x, %n; add.u64 %x, %x, %q;
			add.u32 %n, %n, %a; cp.async.bulk.global.shared::cta.bulk_group `+operands+`;
			cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;`, nil)
		require.NoError(t, err)
		require.Len(t, g.Findings(), findings, operands)
		if findings == 0 {
			require.Equal(t, uint32(31), machine.ByteOrder.Uint32(out[124:]))
		}
	}
}

// cp.async: reading before the wait is found, too, also when another thread has waited for its own copies only.
func TestCopyTooEarly(t *testing.T) {
	const start = "mad.lo.u32 %n, %l, 4, %a; mul.wide.u32 %x, %l, 4; add.u64 %x, %x, %p; " +
		"cp.async.ca.shared.global [%n], [%x], 4;\n"
	for body, want := range map[string]int{
		"ld.shared.u32 %v0, [%n]; cp.async.wait_all;":                           1,
		"cp.async.wait_all; ld.shared.u32 %v0, [%n];":                           0,
		"cp.async.commit_group; cp.async.wait_group 1; ld.shared.u32 %v0, [s];": 1,
	} {
		_, g, err := runBulk(t, 1, 32, start+body, counting(0, 256))
		require.NoError(t, err)
		require.Len(t, g.Findings(), want, body)
	}
}

// Multicast: CTAs 0 and 2 of four get the data and the signal at the same places; CTA 3 copies from its shared memory
// to CTA 1's.
func TestMulticastAndRemoteCopy(t *testing.T) {
	out, g, err := runBulk(t, 4, 1, txtar.Text(t, "bulk/multicast",
		"WAIT_BAR", waitBar), counting(0, 256))
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	require.Equal(t, []byte{1, 2, 3, 4, 3, 0, 0, 0, 1, 2, 3, 4, 3, 0, 0, 0}, out[:16])
}

// st.async and red.async to the neighbour: 32 lanes store 4 bytes each into the first half, and add 3 to one of 16
// numbers in the second; lane 0 stores a vector of two at the end.
func TestStoreAsync(t *testing.T) {
	out, g, err := runBulk(t, 2, 32, txtar.Text(t, "bulk/storeAsync",
		"WAIT_BAR", waitBar), counting(0, 256))
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	for r := range uint32(2) {
		for lane := range uint32(32) {
			require.Equal(t, 100*(r^1)+lane, machine.ByteOrder.Uint32(out[128*r+4*lane:]), "rank %d lane %d", r, lane)
		}
	}
}

// Without .shared::cluster the addresses are generic (9.7.10.12, 9.7.15.7): 11 + 5 from the neighbour's lane.
func TestStoreAsyncToGenericAddresses(t *testing.T) {
	out, g, err := runBulk(t, 2, 1, `.reg .b64 %g, %m; xor.b32 %n, %r, 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 8;
		cvta.shared.u64 %g, s; mapa.u64 %g, %g, %n; cvta.shared.u64 %m, bar; mapa.u64 %m, %m, %n;
		st.shared.u32 [s+4], 5; mov.b32 %v0, 11; barrier.cluster.arrive; barrier.cluster.wait;
		st.async.mbarrier::complete_tx::bytes.u32 [%g], %v0, [%m];
		red.async.relaxed.cluster.mbarrier::complete_tx::bytes.add.u32 [%g+4], %v0, [%m];
		`+waitBar+`ld.shared.v2.u32 {%v0, %v1}, [s]; setp.eq.u32 %z1, %r, 1; @%z1 add.u64 %q, %q, 8;
		st.global.v2.u32 [%q], {%v0, %v1}; barrier.cluster.arrive; barrier.cluster.wait;`, counting(0, 256))
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	require.Equal(t, []byte{11, 0, 0, 0, 16, 0, 0, 0, 11, 0, 0, 0, 16, 0, 0, 0}, out[:16])
}

// Reductions: what each operation makes of 40 in memory and 7, 50 from shared memory, from arithmetic.
func TestReduceBulk(t *testing.T) {
	for op, want := range map[string][2]uint32{
		"add.u32": {47, 90}, "min.u32": {7, 40}, "max.s32": {40, 50}, "and.b32": {40 & 7, 40 & 50},
		"or.b32": {40 | 7, 40 | 50},
		// inc: old >= b ? 0 : old+1; dec: old > b ? b : old-1
		"xor.b32": {40 ^ 7, 40 ^ 50}, "inc.u32": {0, 41}, "dec.u32": {7, 39},
	} {
		out, _, err := runBulk(t, 1, 1, `mov.b32 %v0, 7; mov.b32 %v1, 50; st.shared.v4.u32 [s], {%v0, %v1, %v0, %v1};
		mov.b32 %v0, 40; st.global.v4.u32 [%q], {%v0, %v0, %v0, %v0}; fence.proxy.async;
		cp.reduce.async.bulk.global.shared::cta.bulk_group.`+op+
			` [%q], [%a], 16; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;`,
			counting(0, 256))
		require.NoError(t, err)
		require.Equal(t, want, [2]uint32{machine.ByteOrder.Uint32(out), machine.ByteOrder.Uint32(out[4:])}, op)
	}
	// 1.5 + 2.25 in .f16: 3e00 + 4080 = 4380; into the shared memory of the other CTA.
	out, _, err := runBulk(t, 1, 1, `mov.b32 %v0, 0x40804080; st.shared.v4.u32 [s], {%v0, %v0, %v0, %v0};
		mov.b32 %v0, 0x3e003e00; st.global.v4.u32 [%q], {%v0, %v0, %v0, %v0}; fence.proxy.async;
		cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f16 [%q], [%a], 16; cp.async.bulk.commit_group; `+
		`cp.async.bulk.wait_group 0;`,
		counting(0, 256))
	require.NoError(t, err)
	require.Equal(t, uint32(0x43804380), machine.ByteOrder.Uint32(out))
	out, g, err := runBulk(t, 2, 1, `st.shared.u32 [s], 5; st.shared.u32 [s+16], 30; xor.b32 %n, %r, 1;
		mapa.shared::cluster.u32 %v0, %a, %n; mapa.shared::cluster.u32 %v1, %b, %n; `+
		`mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
		fence.proxy.async; barrier.cluster.arrive; barrier.cluster.wait;
		cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%v0], [%a+16], 16, [%v1];
		`+waitBar+`ld.shared.u32 %v2, [s]; st.global.u32 [%q], %v2; barrier.cluster.arrive; barrier.cluster.wait;`,
		counting(0, 256))
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	require.Equal(t, uint32(35), machine.ByteOrder.Uint32(out))
}

// The mask leaves out bytes of each 16; st.bulk writes zeros.
func TestByteMaskAndStoreBulk(t *testing.T) {
	d := load(t, `.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %l; mov.u32 %l, %laneid;
`+bulkKernel+`mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
	cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%a], [%p], 64, [%b]; `+waitBar+`
	st.bulk.shared::cta [s+40], 8, 0; fence.proxy.async; mov.b16 %h, 0x8003;
	cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%q], [%a], 32, %h;
	cp.async.bulk.global.shared::cta.bulk_group [%q+32], [%a+32], 32; cp.async.bulk.commit_group; `+
		`cp.async.bulk.wait_group 0; ret; }`)
	from, _ := d.Alloc(256)
	to, _ := d.Alloc(256)
	require.NoError(t, d.Write(from, counting(0, 256)))
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(from), Ptr(to)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	out := make([]byte, 64)
	require.NoError(t, d.Read(to, out))
	want := make([]byte, 64)
	want[0], want[1], want[15], want[16], want[17], want[31] = 1, 2, 16, 17, 18, 32
	copy(want[32:], counting(32, 32))
	clear(want[40:48])
	require.Equal(t, want, out)
}

func TestBulkFaults(t *testing.T) {
	const bulk = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
	for _, c := range [][2]string{
		{"mov.b32 %v0, 24; " + bulk + " [%a], [%p], %v0, [%b];", "24 bytes: the size is a multiple of 16"},
		{bulk + " [%a+8], [%p], 16, [%b];", "must be a multiple of 16"},
		{bulk + " [%a], [%p], 512, [%b];", "the CTA has 264 bytes of shared memory"},
		{bulk + " [%a], [%p+16], 256, [%b];", "out of bounds"},
		{bulk + " [%a], [%p], 16, [%a+64];", "there is no mbarrier object"},
		{"mapa.shared::cluster.u32 %v0, %b, 1; " + bulk + " [%a], [%p], 16, [%v0];", "of the CTA that is written to"},
		{"mov.b16 %h, 6; " + bulk + ".multicast::cluster [%a], [%p], 16, [%b], %h;", "the multicast goes to rank 2"},
	} {
		_, _, err := runBulk(t, 2, 1, "barrier.cluster.arrive; barrier.cluster.wait;"+c[0]+
			"barrier.cluster.arrive; barrier.cluster.wait;", counting(0, 256))
		require.ErrorContains(t, err, c[1], c[0])
	}
}

// A multicast to no CTA goes nowhere, and a copy between shared memories goes to another CTA (9.7.10.28.4.1).
func TestBulkDestinations(t *testing.T) {
	out, g, err := runBulk(t, 1, 1, `mov.b16 %h, 0; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16;
		cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%a], [%p], 16, [%b], %h;
		mbarrier.test_wait.parity.shared.b64 %z0, [bar], 0; selp.u32 %v0, 7, 9, %z0; st.global.u32 [%q], %v0;
		ld.shared.u32 %v0, [s]; st.global.u32 [%q+4], %v0;`, counting(1, 256))
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	require.Equal(t, []byte{9, 0, 0, 0, 0, 0, 0, 0}, out[:8])

	for rank, found := range []int{1, 0} {
		_, g, err = runBulk(t, 2, 1, fmt.Sprintf(`setp.eq.u32 %%z1, %%r, 0; setp.eq.u32 %%z2, %%r, %d;
			@%%z2 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 16; barrier.cluster.arrive; barrier.cluster.wait;
			add.u32 %%v0, %%a, 64; mapa.shared::cluster.u32 %%v0, %%v0, %[1]d; mapa.shared::cluster.u32 %%v1, %%b, %[1]d;
			@%%z1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%%v0], [%%a], 16, [%%v1];
			@!%%z2 bra DONE; %sDONE: barrier.cluster.arrive; barrier.cluster.wait;`, rank, waitBar), counting(0, 256))
		require.NoError(t, err)
		require.Len(t, g.Findings(), found, "to rank %d", rank)
	}
}

// However a run is cut into steps, and wherever it is restored from, the same happens.
func TestFlightInSnapshots(t *testing.T) {
	d, err := matrixModule(t, "in out", bulkKernel+`mbarrier.arrive.expect_tx.shared.b64 _, [bar], 64;
		cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%a], [%p], 64, [%b];
		`+waitBar+"ld.shared.u32 %v0, [s]; st.global.u32 [%q], %v0;")
	require.NoError(t, err)
	buf, _ := d.Alloc(256)
	require.NoError(t, d.Write(buf, counting(0, 256)))
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(buf), Ptr(buf + 64)}})
	require.NoError(t, err)
	var hashes []uint64
	var snaps []*Snapshot
	wrote := map[string]int{}
	for !g.Done() {
		snaps, hashes = append(snaps, g.Snapshot()), append(hashes, g.Hash())
		rec, err := g.Step()
		require.NoError(t, err)
		wrote[rec.Inst.Opcode] += len(rec.Mem)
	}
	// The copy arrives when the wait lets others run: its bytes and the object's completion are in that step's record.
	require.Equal(t, 2, wrote["mbarrier.try_wait.parity.shared.b64"], fmt.Sprint(wrote))
	for i := range snaps {
		g.Restore(snaps[i])
		require.Equal(t, hashes[i], g.Hash())
		if i+1 < len(hashes) {
			_, err := g.RunFor(1)
			require.NoError(t, err)
			require.Equal(t, hashes[i+1], g.Hash(), "step %d", i)
		}
	}
}

// What threads store themselves must be handed to the async proxy before a copy reads it.
func TestMissingProxyFence(t *testing.T) {
	const copy = "cp.async.bulk.global.shared::cta.bulk_group [%q], [%a], 32; cp.async.bulk.commit_group; " +
		"cp.async.bulk.wait_group 0;"
	for _, c := range [][2]string{
		{"st.shared.u32 [s+20], 1;", "reads shared+16, where `st.shared.u32` of line 11 has stored: " +
			"fence.proxy.async is missing"},
		{"st.shared.u32 [s+20], 1; fence.proxy.async;", ""},
		{"st.shared.u32 [s+20], 1; fence.proxy.async.shared::cta;", ""},
		{"st.shared.u32 [s+20], 1; fence.acq_rel.cta;", "has stored"},
		{"st.shared.u32 [s+20], 1; fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster;", ""},
		{"st.shared.u32 [s+20], 1; fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster;",
			"has stored"}, // 9.7.15.4: of reads
		{"fence.proxy.async; st.shared.u32 [s+20], 1;", "has stored"},
		{"st.shared.u32 [s+20], 1; fence.proxy.async.global;", "has stored"},
		{"mov.u64 %x, s; cvta.shared.u64 %x, %x; st.v2.u64 [%x], {%p, %p};", "reads shared+0"},
		{"st.shared.u32 [s+32], 1;", ""}, // not copied
		{"red.shared.add.u32 [s+20], 1;", "`red.shared.add.u32` of line"},
		{"atom.shared.cas.b64 %x, [s+8], %p, %q;", "reads shared+0, where `atom.shared.cas.b64`"},
		{"st.bulk.shared::cta [s+24], 8, 0;", "reads shared+16, where `st.bulk.shared::cta`"},
		{"cp.async.ca.shared.global [s+16], [%p], 8; cp.async.wait_all;",
			"reads shared+16, where `cp.async.ca.shared.global`"},
		{"st.shared.u32 [s], 1; mbarrier.arrive.expect_tx.shared.b64 _, [bar], 32; " +
			"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes [%a], [%p], 32, [%b]; " + waitBar, ""},
	} {
		body, want := c[0], c[1]
		_, g, err := runBulk(t, 1, 1, body+" "+copy, counting(0, 256))
		require.NoError(t, err)
		if want == "" {
			require.Empty(t, g.Findings(), body)
			continue
		}
		require.Len(t, g.Findings(), 1, body)
		require.Contains(t, g.Findings()[0].Message, want)
		require.Equal(t, "9.7.10.28.2", g.Findings()[0].Section)
	}
	_, g, err := runBulk(t, 1, 32, `mad.lo.u32 %v0, %l, 16, %a; stmatrix.sync.aligned.m8n8.x1.shared.b16 [%v0], {%v1}; `+
		`setp.eq.u32 %z0, %l, 0;
		@!%z0 bra DONE; `+copy+"DONE:", counting(0, 256))
	require.NoError(t, err)
	require.Len(t, g.Findings(), 1)
	require.Contains(t, g.Findings()[0].Message, "where `stmatrix.sync.aligned.m8n8.x1.shared.b16` of line")
}

// All lanes of a warp may start the same copy, as libraries let them; copies of different things to one place are told
// of.
func TestBulkCopyOfAllLanes(t *testing.T) {
	const copies = `mad.lo.u32 %%v0, %%l, %d, %%a; cp.async.bulk.global.shared::cta.bulk_group [%%q], [%%v0], 64;
		cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;`
	for found, step := range []int{0, 16} {
		_, g, err := runBulk(t, 1, 8, fmt.Sprintf(copies, step), make([]byte, 256))
		require.NoError(t, err)
		require.Len(t, g.Findings(), found)
	}
}
