package emu

import (
	"context"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pairKernel is tensorKernel for a pair of CTAs. Each has its own parts of s and t. Thread 0 of the issuer executes act,
// and its commit signals the mbarriers of both.
func pairKernel(columns, issuer int, act, then string) string {
	const sync = "barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;"
	own := func(param, size string) string {
		return "ld.param.u64 %q, [" + param + "]; mul.wide.u32 %o, %cta, " + size + "; add.s64 %q, %q, %o;"
	}
	return ".reg .b32 %cta; .reg .b16 %both; mov.b16 %both, 3; mov.u32 %cta, %cluster_ctarank;\n" + strings.NewReplacer(
		"cta_group::1", "cta_group::2",
		"ld.param.u64 %q, [s];", own("s", "49152"),
		"ld.param.u64 %q, [t];", own("t", strconv.Itoa(512*columns)),
		"bar.sync 0; @!%first bra issued;", sync+" setp.eq.and.u32 %first, %cta, "+strconv.Itoa(issuer)+", %first; @!%first bra issued;",
		".shared::cluster.b64 [bar];", ".shared::cluster.multicast::cluster.b64 [bar], %both;",
		"bar.sync 0; setp.eq.u32 %p, %w, 0; @!%p bra done;", sync+" setp.eq.u32 %p, %w, 0; @!%p bra done;",
	).Replace(tensorKernel(columns, act, then))
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
	g, err := launchPair(t, 128, "s t v", pairKernel(columns, issuer, act, then),
		append(append([]byte(nil), images[0]...), images[1]...), both, v)
	require.NoError(t, err)
	require.Empty(t, g.Findings())
	for i, m := range mem {
		copy(m.bytes, both[i*len(m.bytes):])
	}
}
