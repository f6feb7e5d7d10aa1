package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
)

// clusters runs a kernel and returns its 64 words of output.
func clusters(t *testing.T, grid, cluster Dim3, threads int, body string) ([]uint32, *Grid, error) {
	t.Helper()
	d, err := matrixModule(t, "out", `.shared .align 16 .b32 s[4]; .shared .align 8 .b64 b; .reg .b64 %o, %b, %s<4>, %w;
		.reg .b32 %v<8>, %t, %a, %r, %n, %c; .reg .pred %p<8>;
		ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; cvta.shared.u64 %b, s; mov.u32 %a, s;
		mov.u32 %r, %cluster_ctarank; mov.u32 %n, %cluster_nctarank; mov.u32 %c, %ctaid.x;
		setp.eq.u32 %p7, %t, 0; mul.wide.u32 %w, %c, 16; add.u64 %w, %w, %o;
`+body)
	require.NoError(t, err)
	out, err := d.Alloc(256)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Grid: grid, Cluster: cluster, Block: Dim3{X: threads}, Args: [][]byte{Ptr(out)}})
	if err != nil {
		return nil, nil, err
	}
	err = g.Run(context.Background())
	raw := make([]byte, 256)
	require.NoError(t, d.Read(out, raw))
	words := make([]uint32, 64)
	for i := range words {
		words[i] = machine.ByteOrder.Uint32(raw[4*i:])
	}
	return words, g, err
}

const syncCluster = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;\n"

// A grid of 4 x 2 CTAs in clusters of 2 x 2: chapter 10 numbers them with x fastest.
func TestClusterRegisters(t *testing.T) {
	got, _, err := clusters(t, Dim3{X: 4, Y: 2, Z: 1}, Dim3{X: 2, Y: 2, Z: 1}, 1,
		`mov.u32 %v0, %ctaid.y; mad.lo.u32 %v0, %v0, 4, %c;
		mul.wide.u32 %w, %v0, 32; add.u64 %w, %w, %o;
		mov.u32 %v1, %clusterid.x; mov.u32 %v2, %cluster_ctaid.x; mov.u32 %v3, %cluster_ctaid.y;
		st.global.v4.u32 [%w], {%r, %v1, %v2, %v3};
		mov.u32 %v1, %nclusterid.x; mov.u32 %v2, %nclusterid.y; mov.u32 %v3, %cluster_nctaid.y;
		st.global.v4.u32 [%w+16], {%n, %v1, %v2, %v3};`)
	require.NoError(t, err)
	for y := range uint32(2) {
		for x := range uint32(4) {
			at := 8 * (4*y + x)
			require.Equal(t, []uint32{2*y + x%2, x / 2, x % 2, y, 4, 2, 1, 2}, got[at:at+8])
		}
	}
	// Without a cluster shape every CTA is a cluster of its own.
	got, _, err = clusters(t, Dim3{X: 2, Y: 1, Z: 1}, Dim3{}, 1,
		`.reg .pred %q; mov.pred %q, %is_explicit_cluster; selp.u32 %v0, 1, 0, %q;
		mov.u32 %v1, %clusterid.x; st.global.v4.u32 [%w], {%r, %n, %v0, %v1};`)
	require.NoError(t, err)
	require.Equal(t, []uint32{0, 1, 0, 0, 0, 1, 0, 1}, got[:8])
}

// Every CTA reads its right neighbour's shared memory, by both kinds of addresses, and writes to its left one's.
func TestDistributedSharedMemory(t *testing.T) {
	got, g, err := clusters(t, Dim3{X: 4, Y: 1, Z: 1}, Dim3{X: 4, Y: 1, Z: 1}, 32, `.reg .b32 %right, %left; .reg .b64 %g;
		mad.lo.u32 %v0, %c, 10, 5; @%p7 st.shared.u32 [s], %v0;
		add.u32 %right, %r, 1; and.b32 %right, %right, 3; add.u32 %left, %r, 3; and.b32 %left, %left, 3;
		`+syncCluster+`
		mapa.shared::cluster.u32 %v1, %a, %right; ld.shared::cluster.u32 %v2, [%v1];
		mapa.u64 %g, %b, %right; ld.u32 %v3, [%g]; getctarank.u64 %v4, %g;
		mapa.shared::cluster.u32 %v1, s, %left; @%p7 st.shared::cluster.u32 [%v1+4], %c;
		atom.shared::cluster.add.u32 %v5, [%v1+8], 2; red.shared::cluster.add.u32 [%v1+8], 1;
		`+syncCluster+`
		ld.shared.u32 %v5, [%a+4]; ld.shared.u32 %v6, [%a+8];
		add.u32 %v4, %v4, %v3;
		@%p7 st.global.v4.u32 [%w], {%v2, %v4, %v5, %v6};`)
	require.NoError(t, err)
	for c := range uint32(4) {
		right := (c + 1) & 3 // its number is in s[1]; 32 lanes have added 3 to s[2]
		require.Equal(t, []uint32{10*right + 5, 10*right + 5 + right, right, 96}, got[4*c:4*c+4], "CTA %d", c)
	}
	require.Empty(t, g.Findings())
}

func TestIsspacepAndOwnRank(t *testing.T) {
	got, _, err := clusters(t, Dim3{X: 2, Y: 1, Z: 1}, Dim3{X: 2, Y: 1, Z: 1}, 1, `.reg .b64 %x;
		isspacep.shared::cta %p0, %b; isspacep.shared::cluster %p1, %b;
		xor.b32 %v0, %r, 1; mapa.u64 %x, %b, %v0; isspacep.shared::cta %p2, %x; isspacep.shared::cluster %p3, %x;
		selp.u32 %v1, 1, 0, %p0; selp.u32 %v2, 1, 0, %p1; selp.u32 %v3, 1, 0, %p2; selp.u32 %v4, 1, 0, %p3;
		mapa.u64 %x, %b, %r; isspacep.shared %p2, %x; @%p2 add.u32 %v4, %v4, 10; // its own, by its rank
		st.u32 [%x], 7; ld.shared.u32 %v5, [s]; add.u32 %v4, %v4, %v5;
		st.global.v4.u32 [%w], {%v1, %v2, %v3, %v4};`)
	require.NoError(t, err)
	require.Equal(t, []uint32{1, 1, 0, 18}, got[:4])
}

func TestClusterFaults(t *testing.T) {
	for _, c := range [][2]string{
		{"mapa.shared::cluster.u32 %v0, %a, 5; ld.shared::cluster.u32 %v1, [%v0];", "the cluster has no CTA of rank 5"},
		// The CTA of rank 1 can end before the others.
		{"setp.eq.u32 %p0, %r, 1; @%p0 exit; nanosleep.u32 1;" + slow +
			"mapa.shared::cluster.u32 %v0, %a, 1; ld.shared::cluster.u32 %v1, [%v0];",
			"the CTA of rank 1 has ended"},
		{"mapa.shared::cluster.u32 %v0, %a, 1; ld.shared.u32 %v1, [%v0];", "out of bounds"},
		{"barrier.cluster.wait;", "wait without an arrival"},
		{"barrier.cluster.arrive; barrier.cluster.arrive;", "only once before it waits"},
		{"setp.eq.u32 %p0, %r, 1; @%p0 bra ON; barrier.cluster.arrive; barrier.cluster.wait; ON: setp.eq.u32 %p0, %r, 0; " +
			"@%p0 exit;" +
			"mbarrier.init.shared.b64 [b], 1; W: mbarrier.try_wait.parity.shared.b64 %p0, [b], 0; @!%p0 bra W;",
			"waits for the mbarrier at shared+16"},
	} {
		_, _, err := clusters(t, Dim3{X: 2, Y: 1, Z: 1}, Dim3{X: 2, Y: 1, Z: 1}, 1, c[0])
		require.ErrorContains(t, err, c[1], c[0])
	}
}

// slow lets other CTAs run for a while.
const slow = `{ .reg .b32 %i; mov.b32 %i, 0; L: add.u32 %i, %i, 1; setp.lt.u32 %p1, %i, 200000; @%p1 bra L; }
`

// The barrier of the cluster, many times, with arrival and wait apart; CTA 1 leaves early.
func TestClusterBarrier(t *testing.T) {
	got, g, err := clusters(t, Dim3{X: 6, Y: 1, Z: 1}, Dim3{X: 3, Y: 1, Z: 1}, 64, `.reg .b32 %i; mov.b32 %i, 0;
	LOOP:	@%p7 st.shared.u32 [s], %i;
		barrier.cluster.arrive.release; add.u32 %i, %i, 1; barrier.cluster.wait.acquire;
		mapa.shared::cluster.u32 %v0, %a, 0; ld.shared::cluster.u32 %v1, [%v0]; add.u32 %v1, %v1, 1;
		setp.ne.u32 %p0, %v1, %i; @%p0 trap;
		`+syncCluster+`
		setp.eq.u32 %p1, %r, 1; setp.eq.and.u32 %p1, %i, 3, %p1; @%p1 exit;
		setp.lt.u32 %p2, %i, 6; @%p2 bra LOOP;
		@%p7 st.global.u32 [%w], %i;`)
	require.NoError(t, err)
	require.Equal(t, []uint32{6, 0, 6, 6, 0, 6}, []uint32{got[0], got[4], got[8], got[12], got[16], got[20]})
	require.Empty(t, g.Findings())
}

// Arrivals at another CTA's mbarrier give no state.
func TestRemoteArrival(t *testing.T) {
	got, g, err := clusters(t, Dim3{X: 2, Y: 1, Z: 1}, Dim3{X: 2, Y: 1, Z: 1}, 32, `@%p7 mbarrier.init.shared.b64 [b], 64;
		fence.mbarrier_init.release.cluster; `+syncCluster+`
		mov.u32 %a, b; mapa.shared::cluster.u32 %v0, %a, 0; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%v0];
		setp.ne.u32 %p0, %r, 0; @%p0 bra ON;
	WAIT:	mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p1, [b], 0; @!%p1 bra WAIT;
	ON:	`+syncCluster+` @%p7 st.global.u32 [%w], 1;`)
	require.NoError(t, err)
	require.Equal(t, []uint32{1, 1}, []uint32{got[0], got[4]})
	require.Empty(t, g.Findings())
	for body, want := range map[string]string{
		"mbarrier.arrive.b64 %s0, [%s1];":                            "returns no state",
		"mbarrier.test_wait.parity.b64 %p0, [%s1], 0;":               "only for objects of its own CTA",
		"mbarrier.inval.b64 [%s1];":                                  "only the threads of its own CTA",
		"mbarrier.inval.shared.b64 [b]; mbarrier.init.b64 [%s1], 1;": "only the threads of its own CTA",
	} {
		_, _, err := clusters(t, Dim3{X: 2, Y: 1, Z: 1}, Dim3{X: 2, Y: 1, Z: 1}, 1,
			`mbarrier.init.shared.b64 [b], 64; `+syncCluster+
				`cvta.shared.u64 %s2, b; xor.b32 %r, %r, 1; mapa.u64 %s1, %s2, %r; `+body)
		require.ErrorContains(t, err, want, body)
	}
}

// .multicast::cluster::32b: the operation is done on the objects at the same place of the CTAs whose bits are set
// (9.7.15.16.14 to 9.7.15.16.17). CTA 0 of four does all of it; each CTA looks at its own object.
func TestMulticastToMbarriers(t *testing.T) {
	four := Dim3{X: 4, Y: 1, Z: 1}
	const start, init = "// sm_107a\n", "mbarrier.init.shared.b64 [b], 2; fence.mbarrier_init.release.cluster;\n"
	const multicast = ".shared::cluster.multicast::cluster::32b.b64 "
	got, g, err := clusters(t, four, four, 1, start+init+syncCluster+`
		setp.ne.u32 %p0, %r, 0; @%p0 bra ON; mov.u32 %a, b; mov.u32 %v1, 0xc;
		mbarrier.expect_tx.relaxed.cluster`+multicast+`[%a], 16, 0xb;
		mbarrier.arrive.release.cluster`+multicast+`_, [%a], 0xd;
		mbarrier.arrive.expect_tx.release.cluster`+multicast+`_, [%a], 8, 0x2;
		mbarrier.arrive_drop.release.cluster`+multicast+`_, [%a], %v1;
		mbarrier.complete_tx.relaxed.cluster`+multicast+`[%a], 16, 0x8;
	ON:	`+syncCluster+`mbarrier.test_wait.parity.shared.b64 %p1, [b], 0; selp.u32 %v0, 1, 0, %p1; st.global.u32 [%w], %v0;
		`+syncCluster)
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	// Rank 2: two arrivals. Rank 3: two arrivals, and all bytes.
	require.Equal(t, []uint32{0, 0, 1, 1}, []uint32{got[0], got[4], got[8], got[12]})

	// The counts, while all CTAs are there: CTA 1 waits forever.
	_, g, err = clusters(t, four, four, 1, start+init+syncCluster+`
		setp.ne.u32 %p0, %r, 3; @%p0 bra ON; mov.u32 %a, b; mapa.shared::cluster.u32 %a, %a, 1;
		mbarrier.arrive.expect_tx.release.cluster`+multicast+`_, [%a], 24, 0x6;
		mbarrier.arrive_drop.expect_tx.release.cluster`+multicast+`_, [%a], 8, 0x4;
	ON: W:	mbarrier.try_wait.parity.shared.b64 %p1, [b], 0; @!%p1 bra W;`)
	require.Error(t, err)
	var counts [][3]int
	for cta := range 4 {
		v := g.Mbarriers(cta)[0]
		counts = append(counts, [3]int{v.Pending, v.Expected, v.Tx})
	}
	require.Equal(t, [][3]int{{2, 2, 0}, {1, 2, 24}, {0, 1, 32}, {2, 2, 0}}, counts)

	for body, want := range map[string]string{
		init + syncCluster + "mov.u32 %a, b; mbarrier.arrive" + multicast + "_, [%a], 0x11;": "the multicast goes to rank 4",
		"setp.lt.u32 %p0, %r, 2; @%p0 " + init + syncCluster + "mov.u32 %a, b; mbarrier.expect_tx" + multicast +
			"[%a], 4, 0x6;": "in the CTA of rank 2: there is no mbarrier object",
		init + syncCluster + "mbarrier.arrive.multicast::cluster::32b.b64 _, [%o], 1;": "mbarrier objects are in shared",
	} {
		_, _, err := clusters(t, four, four, 1, start+body)
		require.ErrorContains(t, err, want, body)
	}
}

func TestClusterLaunches(t *testing.T) {
	for _, c := range []struct {
		directives string
		grid       Dim3
		cluster    Dim3
		want       string
	}{
		{"", Dim3{X: 3, Y: 1, Z: 1}, Dim3{X: 2, Y: 1, Z: 1}, "cannot be cut into clusters of 2 x 1 x 1"},
		{"", Dim3{X: 32, Y: 1, Z: 1}, Dim3{X: 32, Y: 1, Z: 1}, "a cluster of 32 CTAs"},
		{".reqnctapercluster 2, 2", Dim3{X: 4, Y: 2, Z: 1}, Dim3{X: 4, Y: 1, Z: 1}, "requires clusters of [2 2 1] CTAs"},
		{".reqnctapercluster 2, 2", Dim3{X: 4, Y: 2, Z: 1}, Dim3{}, ""},
		{".explicitcluster", Dim3{X: 4, Y: 2, Z: 1}, Dim3{}, "must be launched with a cluster shape"},
		{".explicitcluster", Dim3{X: 4, Y: 2, Z: 1}, Dim3{X: 1, Y: 1, Z: 1}, ""},
		{".maxclusterrank 2", Dim3{X: 4, Y: 2, Z: 1}, Dim3{X: 4, Y: 1, Z: 1}, "at most 2 CTAs in a cluster"},
		{".reqntid 32 .reqnctapercluster 2 .blocksareclusters", Dim3{X: 3, Y: 1, Z: 1}, Dim3{}, ""},
	} {
		d := load(t, ".version 9.0\n.target sm_90\n.address_size 64\n.entry k() "+c.directives+" { ret; }")
		g, err := d.Launch(Config{Entry: "k", Grid: c.grid, Cluster: c.cluster, Block: Dim3{X: 32}})
		if c.want != "" {
			require.ErrorContains(t, err, c.want)
			continue
		}
		require.NoError(t, err, c.directives)
		require.NoError(t, g.Run(context.Background()))
		if c.grid.X == 3 {
			require.Equal(t, int64(6), g.Stats().CTAs)
		}
	}
}
