package isa

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// restrictions are what the manual's prose allows and forbids of what its syntax lines would let through: opcodes of a
// section that are legal, and opcodes that are not. `a|b` stands for two opcodes.
var restrictions = []struct{ section, legal, illegal string }{
	// im2col is for 3 to 5 dimensions (5.5.4), four rows are of 2-dimensional tensors (5.5.3.4).
	{"9.7.9.27.1.2",
		`cp.async.bulk.tensor.1d|2d|3d|4d|5d.shared::cta|shared::cluster.global.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.1d|5d.shared::cta.global.tile.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.3d|4d|5d.shared::cta|shared::cluster.global.im2col|im2col::w|im2col::w::128.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.2d.shared::cta|shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group
		cp.async.bulk.tensor.3d|4d|5d.global.shared::cta.im2col_no_offs.bulk_group
		cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group.L2::cache_hint`,
		`cp.async.bulk.tensor.1d|2d.shared::cta|shared::cluster.global.im2col|im2col::w|im2col::w::128.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.1d|3d|4d|5d.shared::cta|shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.1d|3d|4d|5d.global.shared::cta.tile::scatter4.bulk_group
		cp.async.bulk.tensor.1d|2d.global.shared::cta.im2col_no_offs.bulk_group
		cp.async.bulk.tensor.3d.global.shared::cta.im2col|tile::gather4.bulk_group
		cp.async.bulk.tensor.2d.shared::cta.global.tile::scatter4.mbarrier::complete_tx::bytes
		cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes.multicast::cluster
		cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.cta_group::1`},
	{"9.7.9.27.1.3",
		`cp.reduce.async.bulk.tensor.1d|2d|3d|4d|5d.global.shared::cta.add.bulk_group
		cp.reduce.async.bulk.tensor.3d|4d|5d.global.shared::cta.xor.im2col_no_offs.bulk_group`,
		`cp.reduce.async.bulk.tensor.1d|2d.global.shared::cta.add.im2col_no_offs.bulk_group
		cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile::scatter4|im2col.bulk_group`},
	{"9.7.9.27.1.4",
		`cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4
		cp.async.bulk.prefetch.tensor.3d|4d|5d.L2.global.im2col|im2col::w|im2col::w::128.L2::cache_hint`,
		`cp.async.bulk.prefetch.tensor.1d|2d.L2.global.im2col|im2col::w|im2col::w::128
		cp.async.bulk.prefetch.tensor.1d|3d|4d|5d.L2.global.tile::gather4`},
}

// expand spells out the alternatives of an opcode: "ld.u8|s8" is ld.u8 and ld.s8.
func expand(opcode string) []string {
	out := []string{""}
	for i, word := range strings.Split(opcode, ".") {
		var longer []string
		for _, head := range out {
			for _, alternative := range strings.Split(word, "|") {
				if i > 0 {
					alternative = head + "." + alternative
				}
				longer = append(longer, alternative)
			}
		}
		out = longer
	}
	return out
}

func TestRestrictions(t *testing.T) {
	for _, c := range restrictions {
		for _, word := range strings.Fields(c.legal) {
			for _, opcode := range expand(word) {
				_, err := Match(opcode)
				assert.NoError(t, err, "%s: %s", c.section, opcode)
			}
		}
		for _, word := range strings.Fields(c.illegal) {
			for _, opcode := range expand(word) {
				_, err := Match(opcode)
				assert.Error(t, err, "%s: %s", c.section, opcode)
			}
		}
	}
}
