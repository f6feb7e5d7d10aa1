package isa

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNewerNeeds: the version and the target that each addition of PTX ISA 9.2 to 9.4 needs, as the notes at the end of its
// section say; and some targets that do and do not have it.
func TestNewerNeeds(t *testing.T) {
	for _, c := range []struct{ needs, on, notOn, opcodes string }{
		{"9.3 sm_90", "90 100f 121", "80 89", // 9.7.15.16.12, 9.7.15.16.19 to 9.7.15.16.21
			`mbarrier.init.layout::v0|layout::v1.shared.b64 mbarrier.pending_count.layout::v0.b64
			mbarrier.check_layout.layout::v0|layout::v1.b64 mbarrier.test_wait|try_wait.phase_type::primary.b64
			mbarrier.test_wait|try_wait.parity.phase_type::primary|phase_type::conditional.shared::cta.b64`},
		{"9.4 sm_107f", "107f 107a", "90a 100a 103f 107 110a 120a", // 9.7.15.16.14 to 9.7.15.16.17
			`mbarrier.expect_tx|complete_tx|arrive|arrive_drop.relaxed.cta.shared::cluster.multicast::cluster::32b.b64
			mbarrier.arrive|arrive_drop.expect_tx.multicast::cluster::32b.b64`},
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
