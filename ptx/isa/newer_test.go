package isa

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewerArithmeticNeeds: the version and the target that each addition of PTX ISA 9.2 to 9.4 needs, as the notes at
// the end of its section say; and some targets that do and do not have it.
func TestNewerArithmeticNeeds(t *testing.T) {
	const (
		fetch = ".shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys"
		send  = ".shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.relaxed.sys"
	)
	for _, c := range []struct{ needs, on, notOn, opcodes string }{
		{"9.3 sm_90", "90 100f 121", "80 89", // 9.7.15.16.12, 9.7.15.16.19 to 9.7.15.16.21
			`mbarrier.init.layout::v0|layout::v1.shared.b64 mbarrier.pending_count.layout::v0.b64
			mbarrier.check_layout.layout::v0|layout::v1.b64 mbarrier.test_wait|try_wait.phase_type::primary.b64
			mbarrier.test_wait|try_wait.parity.phase_type::primary|phase_type::conditional.shared::cta.b64`},
		{"9.4 sm_107f", "107f 107a", "90a 100a 103f 107 110a 120a", // 9.7.15.16.14 to 9.7.15.16.17
			`mbarrier.expect_tx|complete_tx|arrive|arrive_drop.relaxed.cta.shared::cluster.multicast::cluster::32b.b64
			mbarrier.arrive|arrive_drop.expect_tx.multicast::cluster::32b.b64`},
		{"9.2 sm_90", "90 100 121a", "80 89", // 9.7.10.28.4.1
			"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob"},
		{"9.3 sm_90a", "90a 100f 103a 107f 110f 110a", "90 100 110 120a 120f 121a", // 9.7.10.28.4.1, 9.7.10.28.4.4
			`cp.async.bulk.weak.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob
			cp.async.bulk.relaxed.gpu.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster.b128
			cp.async.bulk.weak.shared::cluster.shared::cta.mbarrier::complete_tx::bytes
			cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group.b128
			multimem.cp.async.bulk.weak.global.shared::cta.bulk_group`},
		{"9.3 sm_100f", "100f 110a", "90a 120a",
			"multimem.cp.async.bulk.relaxed.cta.global.shared::cta.bulk_group.cp_mask.b128"},
		{"9.3 sm_90", "90 100 120", "89", // 9.7.10.28.4.2, 9.7.10.28.4.5
			`cp.reduce.async.bulk.relaxed.cluster.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u64
			cp.reduce.async.bulk.relaxed.sys.global.shared::cta.bulk_group.min.f16
			multimem.cp.reduce.async.bulk.relaxed.sys.global.shared::cta.bulk_group.min.f16`},
		{"9.3 sm_100", "100 103 107 110 120", "90a", // 9.7.10.13, 9.7.15.8
			"multimem.st.async.release.gpu.global.u8 multimem.red.async.release.sys.add.s32"},
		{"9.4 sm_90", "90 100 120", "89",
			`cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32
			multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.f32
			cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::16b
			cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::16b`},
		{"9.2 sm_90", "90 100 121a", "80 89", // 9.7.10.12
			"st.async.shared::cluster.mbarrier::complete_tx::bytes.b128"},
		{"9.3 sm_75", "75 90a", "70 72", // 9.7.10.8, 9.7.10.11
			"ld.mmio.acquire.sys.u32 st.mmio.release.sys.global.b64"},
		{"9.3 sm_100", "100 107 121", "90a", // 9.7.15.4
			"fence.proxy.generic::fabric|fabric::generic|fabric::fabric.alias.acquire|release.sys"},
		{"9.4 sm_90", "90 100 120", "80 89", // 9.7.10.8, 9.7.10.16, 9.7.15.4 to 9.7.15.6
			`ld.u32.proxy::readonly prefetch.L1::32B.valid_addr fence.proxy.alias.acquire|release.sys
			fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster
			atom|red.shared.add.noftz.f32 atom|red.relaxed.gpu.add.noftz.L2::cache_hint.f32 atom|red.add.noftz.v2.f32`},
		{"9.4 sm_100", "100 103 107 110 120", "90a", "createpolicy.range.fabric.L2::evict_last.b64"}, // 9.7.10.21
		{"9.4 sm_107f", "107a 107f", "90a 100a 110f 120a", // 9.7.10.18, 9.7.10.19
			`applypriority.async.bulk.bulk_group.L2::evict_normal
			applypriority.async.bulk.tensor.1d.bulk_group.tile.L2::evict_normal`},
		{"9.4 sm_107f", "107a 107f", "90a 100a 103f 107 110f 120a", // 9.7.10.28.4, 9.7.10.28.5
			`cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b
			cp.async.bulk.relaxed.cta.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled.b128
			cp.async.bulk.tensor.2d.tile::gather4.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b
			cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2.multicast::cluster::32b
			cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_element::ff
			cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs::w.bulk_group
			cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.im2col_no_offs::w.bulk_group
			cp.async.bulk.prefetch.L2.global.L2::evict_last
			cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4.L2::evict_last
			cp.async.bulk.tensor.5d.global.shared::cta.bulk_group.override::global_address
			cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group.override::global_address.override::global_dim
			cp.async.bulk.prefetch.tensor.3d.L2.global.override::global_address.override::global_dim_stride`},
		// 9.7.11.5.1 to 9.7.11.5.6
		{"9.3 sm_100", "100 107 110 120f", "90a", "fabric.submit fabric.wait.sync_restrict::reads " +
			"fabric.try_get.async.b128" + fetch + " fabric.try_put.async.counted::bytes.b128" + send +
			" fabric.try_red.async.add.u32" + send + " fabric.try_pullred.async.multimem.min.f16.sync" + fetch},
		{"9.3 sm_100f", "100f 103a 110f 120a 121a", "100 120f 121f",
			"fabric.try_pullred.async.multimem.max.e4m3.sync" + fetch +
				" fabric.try_pullred.async.multimem.add.acc::f32.f16.sync" + fetch},
		{"9.4 sm_100", "100 107 120", "90a", // 9.7.11.5.10
			"fabric.try_put.async.L2::cache_hint.b128" + send + " fabric.try_atom.async.cas.b128" + send},
		{"9.4 sm_107f", "107f 107a", "100f 107 110f", // 9.7.11.5.7
			"fabric.try_get.async.tensor.1d.override::global_address.b128" + fetch},
	} {
		for _, word := range strings.Fields(c.opcodes) {
			for _, opcode := range expand(word) {
				bound, err := Resolve(opcode)
				require.NoError(t, err, opcode)
				need := bound[0].Requires()
				require.Equal(t, c.needs, fmt.Sprintf("%d.%d %s", need.Version/10, need.Version%10, need.Target()), opcode)
				for list, want := range map[string]bool{c.on: true, c.notOn: false} {
					for _, target := range strings.Fields(list) {
						digits := strings.TrimRight(target, "af")
						sm, _ := strconv.Atoi(digits)
						require.Equal(t, want, need.On(sm, target[len(digits):]), "%s on sm_%s", opcode, target)
					}
				}
			}
		}
	}
}
