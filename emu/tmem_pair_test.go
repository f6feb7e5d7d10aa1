package emu

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// pairKernel is tensorKernel for a pair of CTAs. Each has its own parts of s and t. Thread 0 of the issuer executes
// act, and its commit signals the mbarriers of both.
func pairKernel(t *testing.T, columns, issuer int, act, then string) string {
	const sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
	own := func(param, size string) string {
		return "ld.param.u64 %q, [" + param + "]; mul.wide.u32 %o, %cta, " + size + "; add.s64 %q, %q, %o;"
	}
	return ".reg .b32 %cta; .reg .b16 %both; mov.b16 %both, 3; mov.u32 %cta, %cluster_ctarank;\n" + strings.NewReplacer(
		"cta_group::1", "cta_group::2",
		"ld.param.u64 %q, [s];", own("s", "49152"),
		"ld.param.u64 %q, [t];", own("t", strconv.Itoa(512*columns)),
		"bar.sync 0; @!%first bra issued;",
		sync+" setp.eq.and.u32 %first, %cta, "+strconv.Itoa(issuer)+", %first; @!%first bra issued;",
		".shared::cluster.b64 [bar];", ".shared::cluster.multicast::cluster.b64 [bar], %both;",
		"bar.sync 0; setp.eq.u32 %p, %w, 0; @!%p bra done;", sync+" setp.eq.u32 %p, %w, 0; @!%p bra done;",
	).Replace(tensorKernel(t, columns, act, then))
}

// launchPair runs a body in a cluster of two CTAs.
func launchPair(t *testing.T, threads int, params, body string, buffers ...[]byte) (*Grid, error) {
	t.Helper()
	d, err := matrixModule(t, params, body)
	require.NoError(t, err)
	var args [][]byte
	var at []Addr
	for _, b := range buffers {
		a, err := d.Alloc(len(b))
		require.NoError(t, err)
		require.NoError(t, d.Write(a, b))
		at, args = append(at, a), append(args, Ptr(a))
	}
	g, err := d.Launch(Config{Entry: "k", Grid: Dim3{X: 2}, Cluster: Dim3{X: 2}, Block: Dim3{X: threads}, Args: args})
	require.NoError(t, err)
	err = g.Run(context.Background())
	for i, b := range buffers {
		require.NoError(t, d.Read(at[i], b))
	}
	return g, err
}

// runPair runs pairKernel; images are the shared memories, mem the tensor memories.
func runPair(t *testing.T, issuer, columns int, act, then string, images [][]byte, mem []*tensorImage, v []byte) {
	t.Helper()
	both := append(append([]byte(nil), mem[0].bytes...), mem[1].bytes...)
	g, err := launchPair(t, 128, "s t v", pairKernel(t, columns, issuer, act, then),
		append(append([]byte(nil), images[0]...), images[1]...), both, v)
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	for i, m := range mem {
		copy(m.bytes, both[i*len(m.bytes):])
	}
}

// Each CTA of a pair copies from its own shared memory, and shifts its own lanes, whichever starts it.
//
// families = `tcgen05.cp tcgen05.shift tcgen05.commit`
func TestTensorPairMoves(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 13))
	for issuer := range 2 {
		var images [][]byte
		var mem, want []*tensorImage
		l := layoutOf(false, 64, 2048, 128, 16, 8)
		for range 2 {
			image := make([]byte, 49152)
			for i := range image {
				image[i] = byte(rng.Uint32())
			}
			m := newTensorImage(16).random(rng)
			w := &tensorImage{16, append([]byte(nil), m.bytes...)}
			for row := range 128 {
				for i := range 16 {
					at, _ := l.address(row, i)
					w.word(row, i/4)[i%4] = image[at]
				}
			}
			for lane := 96; lane < 127; lane++ {
				for col := 8; col < 16; col++ {
					w.set(lane, col, m.get(lane+1, col))
				}
			}
			images, mem, want = append(images, image), append(mem, m), append(want, w)
		}
		runPair(t, issuer, 16, "tcgen05.cp.cta_group::1.128x128b [%base], %v0; add.u32 %x, %base, 0x600008;\n"+
			"tcgen05.shift.cta_group::1.down [%x];\n", "", images, mem, words(l.tensorDesc()))
		for cta := range 2 {
			require.Equal(t, want[cta].bytes, mem[cta].bytes, "CTA %d", cta)
		}
	}
}

// The masks of disable-output-lane: four words for the even CTA, four for the odd one.
func TestTensorPairLanes(t *testing.T) {
	ones := make([]byte, 49152)
	for i := 0; i < len(ones); i += 2 {
		binary.LittleEndian.PutUint16(ones[i:], 0x3c00)
	}
	l := layoutOf(false, 0, 0, 128, 16, 16)
	idesc := uint64(1<<4 | 16/8<<17 | 256/16<<24)
	mem := []*tensorImage{newTensorImage(16), newTensorImage(16)}
	act := "mov.b32 %c, 0; mov.b32 %i, 32; cvt.u32.u64 %x, %v1;\n" +
		"tcgen05.mma.cta_group::1.kind::f16 [%base], %v0, %v0, %x, {%i, %c, %c, %c, %c, %c, %i, %c}, 0;\n"
	runPair(t, 0, 16, act, "", [][]byte{ones, ones}, mem, words(l.tensorDesc(), idesc))
	for cta, m := range mem {
		for lane := range 128 {
			want := math.Float32bits(16)
			if lane == []int{5, 69}[cta] {
				want = 0
			}
			require.Equal(t, want, m.get(lane, 15), "CTA %d lane %d", cta, lane)
		}
	}
}

const pairHead = `.shared .b32 slot; .shared .align 8 .b64 bar; .shared .align 128 .b8 space[4096]; ` +
	`.reg .b32 %a, %b, %r, %n, %o;
	.reg .b64 %p, %q; .reg .pred %even, %first, %t; mov.u32 %r, %cluster_ctarank; setp.eq.u32 %even, %r, 0; ` +
	`mov.u32 %n, %tid.x;
	setp.eq.u32 %first, %n, 0;
`

// Both CTAs of a pair get the same columns, and the first one that comes waits for the other: what that has stored into
// its shared memory before is there.
//
// families = `tcgen05.alloc`
func TestTensorPairAllocation(t *testing.T) {
	const alloc = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], "
	out := make([]byte, 32)
	_, err := launchPair(t, 32, "out", pairHead+`@%even bra even;
		mov.u32 %n, 0; slow: add.u32 %n, %n, 1; setp.lt.u32 %t, %n, 1000; @%t bra slow;
		mapa.shared::cluster.u32 %a, bar, 0; st.shared::cluster.u32 [%a], 77;
		even: `+alloc+`64; ld.shared.u32 %a, [slot]; ld.shared.u32 %n, [bar];
		`+alloc+`32; ld.shared.u32 %b, [slot];
		ld.param.u64 %p, [out]; mul.wide.u32 %q, %r, 16; add.s64 %p, %p, %q; st.global.v4.u32 [%p], {%a, %b, %n, %r};
		tcgen05.dealloc.cta_group::2.sync.aligned.b32 %b, 32; tcgen05.dealloc.cta_group::2.sync.aligned.b32 %a, 64;
		tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;`, out)
	require.NoError(t, err)
	var got []uint32
	for i := range 8 {
		got = append(got, machine.ByteOrder.Uint32(out[4*i:]))
	}
	require.Equal(t, []uint32{0, 64, 77, 0, 0, 64, 0, 1}, got)
}

// tcgen05.alloc waits until another warp frees columns.
func TestTensorAllocationWaits(t *testing.T) {
	out := make([]byte, 8)
	require.NoError(t, runBlock(t, 64, "out", txtar.Text(t, "tmem_pair/waiting"), out))
	require.Equal(t, []byte{5, 0, 0, 0, 0, 0, 0, 0}, out)
}

func TestTensorPairFaults(t *testing.T) {
	const sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
	const alloc = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], "
	const free = "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %a, 32;"
	const mma = "tcgen05.mma.cta_group::2.kind::f16 [0], %q, %q, %a, %t;"
	for _, c := range [][2]string{
		// Table 57: the second CTA frees before the barrier, and the first one after it.
		{alloc + "32; ld.shared.u32 %a, [slot]; @%even bra even; " + free + sync + " bra end; even: " + sync + free +
			" end:",
			"waits in `tcgen05.dealloc.cta_group::2.sync.aligned.b32` for a warp of the other CTA of the pair to do the same"},
		{"@%even bra even; " + alloc + "64; bra end; even: " + alloc + "32; end:", "for a warp of the other CTA of the pair"},
		{"@!%even bra end; " + sync + alloc + "32; end:", "no CTA of rank 1, or it has ended"},
		{alloc + "32; tcgen05.shift.cta_group::2.down [32];", "columns 32 to 39"},
		{alloc + "32; mov.b32 %a, 0x8040010; " + mma, "bits 46 to 48"},
		{alloc + "32; mov.b32 %a, 0x8060010; " + mma, "no shape with M 128 and N 24"},
		{alloc + "32; mov.b32 %a, 0x4040010; " + mma, "no shape with M 64 and N 16"},
		{alloc + "32; mov.b32 %a, 0x8040014; " + mma, "whether A is sparse, and is 1"},
		{alloc + "32; mov.b32 %a, 0x8040010; tcgen05.mma.sp.cta_group::2.kind::f16 [0], %q, %q, [0], %a, %t;",
			"whether A is sparse, and is 0"},
	} {
		body, want := c[0], c[1]
		_, err := launchPair(t, 32, "", pairHead+body)
		require.ErrorContains(t, err, want, body)
	}
	require.ErrorContains(t, runMatrix(t, "", pairHead+"tcgen05.shift.cta_group::2.down [0];"), "no CTA of rank 1")
	_, err := matrixModule(t, "", pairHead+"tcgen05.mma.cta_group::2.kind::f16 [0], %q, %q, %a, {%a, %a, %a, %a}, %t;")
	require.ErrorContains(t, err, "tuple of length 8, not 4")
}

// What works on a pair while one of its CTAs ends, and two kinds of groups in one kernel.
func TestTensorPairFindings(t *testing.T) {
	const alloc = "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [slot], 32; " +
		"@%first mbarrier.init.shared.b64 [bar], 1;\n"
	const free = "ld.shared.u32 %a, [slot]; tcgen05.dealloc.cta_group::2.sync.aligned.b32 %a, 32;"
	for _, c := range [][2]string{
		{alloc + "@!%even bra done; @%first tcgen05.shift.cta_group::2.down [0];\n" +
			"@%first tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.b64 [bar]; done: " + free +
			"@!%even bra end; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; wait: " +
			"mbarrier.try_wait.parity.shared.b64 %t, [bar], 0; @!%t bra wait; end:",
			"was still to work on its tensor memory: no thread waited"},
		{alloc + "@%first tcgen05.shift.cta_group::1.down [0]; " + free,
			"has .cta_group::1, and the one before had .cta_group::2"},
	} {
		body, want := c[0], c[1]
		g, err := launchPair(t, 32, "", pairHead+body)
		require.NoError(t, err)
		require.NotEmpty(t, g.Findings(), body)
		require.Contains(t, fmt.Sprint(g.Findings()), want)
		for _, f := range g.Findings() {
			require.NotEmpty(t, f.Section)
		}
	}
}

// A commit tracks the operations with its own .cta_group, and no others.
func TestTensorCommitGroup(t *testing.T) {
	for group, moved := range map[string]bool{"1": false, "2": true} {
		image, mem := make([]byte, 49152), []*tensorImage{newTensorImage(16), newTensorImage(16)}
		for i := range image {
			image[i] = 1
		}
		l := layoutOf(false, 0, 0, 128, 16, 8)
		kernel := pairKernel(t, 16, 0, "tcgen05.cp.cta_group::1.128x128b [%base], %v0;\n", "")
		kernel = strings.Replace(kernel, "tcgen05.commit.cta_group::2", "tcgen05.commit.cta_group::"+group, 1)
		both := append(append([]byte(nil), mem[0].bytes...), mem[1].bytes...)
		_, err := launchPair(t, 128, "s t v", kernel, append(append([]byte(nil), image...), image...), both,
			words(l.tensorDesc()))
		require.NoError(t, err)
		require.Equal(t, moved, !bytes.Equal(make([]byte, len(both)), both), "tcgen05.commit of .cta_group::%s", group)
	}
}

// Metadata that mean nothing are found when the product is made.
func TestTensorMetadataFaults(t *testing.T) {
	l := layoutOf(false, 0, 0, 128, 16, 16)
	idesc := uint64(1<<4 | 1<<2 | 16/8<<17 | 128/16<<24)
	for _, c := range []struct {
		kind  string
		idesc uint64
		want  string
	}{
		{"f16", idesc, "has 0000 for chunk 0 of row 0, in lane 0, column 24 of tensor memory: these are no places"},
		{"tf32", idesc | 2<<7 | 2<<10, "has 0000 for chunk 0"},
		{"f8f6f4", idesc | 1, "the sparsity selector of this kind is 0"},
		{"f16", idesc &^ 4, "bit 2 says whether A is sparse, and is 0"},
	} {
		m := newTensorImage(32)
		act := "cvt.u32.u64 %x, %v1; tcgen05.mma.sp.cta_group::1.kind::" + c.kind + " [%base], %v0, %v0, [%base+24], %x, 0;\n"
		err := runBlock(t, 128, "s t v", tensorKernel(t, 32, act, ""), make([]byte, 49152), m.bytes,
			words(l.tensorDesc(), c.idesc))
		require.ErrorContains(t, err, c.want)
	}
	m := newTensorImage(32)
	act := "cvt.u32.u64 %x, %v1; add.u32 %i, %base, 0x100018;\n" +
		"tcgen05.mma.sp.cta_group::1.kind::f16 [%base], %v0, %v0, [%i], %x, 0;\n"
	err := runBlock(t, 128, "s t v", tensorKernel(t, 32, act, ""), make([]byte, 49152), m.bytes,
		words(l.tensorDesc(), idesc))
	require.ErrorContains(t, err, "the metadata of `tcgen05.mma.sp.cta_group::1.kind::f16` begins in lane 16, and D in "+
		"lane 0")
}

// Which forms there are: ctaMask and .multicast::cluster belong together (9.7.18.12.1), .ws has no pairs
// (9.7.18.10.10.3), and sparse products of packed 4-bit elements are for sm_100a and its like, not for families
// (9.7.18.10.10.2).
func TestTensorForms(t *testing.T) {
	const commit, mbar = "tcgen05.commit.cta_group::2.mbarrier::arrive::one", ".b64 [%r]"
	const sparse = "tcgen05.mma.sp.cta_group::2.kind::mxf4.block_scale [%r], %q, %q, [%r], %r, [%r], [%r], %p;"
	for _, c := range []struct {
		target, text string
		good         bool
	}{
		{"sm_100a", commit + mbar + ";", true}, {"sm_100a", commit + ".multicast::cluster" + mbar + ", %h;", true},
		{"sm_100a", commit + ".multicast::cluster" + mbar + ";", false}, {"sm_100a", commit + mbar + ", %h;", false},
		{"sm_100a", "tcgen05.mma.ws.cta_group::1.kind::f16 [%r], %q, %q, %r, %p;", true},
		{"sm_100a", "tcgen05.mma.ws.cta_group::2.kind::f16 [%r], %q, %q, %r, %p;", false},
		{"sm_100a", "tcgen05.mma.ws.sp.cta_group::2.kind::f16 [%r], %q, %q, [%r], %r, %p;", false},
		{"sm_100a", "tcgen05.mma.sp.cta_group::2.kind::f16 [%r], %q, %q, %r, %p;", false},
		{"sm_100a", sparse, true}, {"sm_100f", sparse, false}, {"sm_103a", sparse, true},
		{"sm_100f", strings.ReplaceAll(sparse, "mxf4.", "mxf8f6f4."), true},
		{"sm_90a", "tcgen05.shift.cta_group::2.down [%r];", false},
	} {
		m, err := ptx.Parse("t.ptx", []byte(".version 9.1\n.target "+c.target+"\n.address_size 64\n.visible .entry k() {\n"+
			".reg .b32 %r; .reg .b64 %q; .reg .b16 %h; .reg .pred %p;\n"+c.text+"\nret;\n}\n"))
		if err == nil {
			_, err = Load(m, Options{})
		}
		require.Equal(t, c.good, err == nil, "%s: %v", c.text, err)
	}
}
