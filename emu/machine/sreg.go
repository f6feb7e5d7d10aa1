package machine

import (
	"strings"

	"warpscope/emu/row"
)

// sreg returns the value in a lane of a special register that has the same row in all warps of a grid (chapter 10).
func (g *Grid) sreg(name string, lane int) uint64 {
	switch name {
	case "%laneid":
		return uint64(lane)
	case "%lanemask_eq":
		return 1 << lane
	case "%lanemask_lt":
		return 1<<lane - 1
	case "%lanemask_le":
		return 2<<lane - 1
	case "%lanemask_ge":
		return uint64(^uint32(0) << lane)
	case "%lanemask_gt":
		return uint64(^uint32(1) << lane)
	case "%ntid.x", "%ntid.y", "%ntid.z":
		return g.block.Component(name)
	case "%nctaid.x", "%nctaid.y", "%nctaid.z":
		return g.Grid.Component(name)
	case "%nwarpid":
		return 64
	case "%nsmid", "%gridid":
		return 1
	case "%cluster_nctaid.x", "%cluster_nctaid.y", "%cluster_nctaid.z":
		return g.cluster.Component(name)
	case "%cluster_nctarank":
		return uint64(g.ClusterSize())
	case "%nclusterid.x", "%nclusterid.y", "%nclusterid.z":
		return g.clusters().Component(name)
	case "%is_explicit_cluster":
		return uint64(row.Bit(g.clustered))
	case "%dynamic_smem_size":
		return uint64(g.dyn)
	case "%total_smem_size":
		return uint64(AlignUp(g.userShared, sharedUnit(g)))
	case "%aggr_smem_size":
		return uint64(max(reservedShared(g), g.sharedSize))
	}
	return g.systemSReg(name)
}

// SRegKind says how the row of a special register differs between the warps of a grid.
func SRegKind(name string) ConstKind {
	if strings.HasSuffix(name, ".w") {
		return ConstSReg
	}
	switch base, _, _ := strings.Cut(name, "."); base {
	case "%tid", "%warpid":
		return ConstWarpSReg
	case "%ctaid", "%clusterid", "%cluster_ctaid", "%cluster_ctarank", "%perctamemoryoffset":
		return ConstCTASReg
	}
	return ConstSReg
}

// threadRow returns the row of a special register that a warp has in every CTA: %tid or %warpid.
func threadRow(g *Grid, warp int, name string) (values [32]uint32) {
	b, t := g.block, g.block.Index(warp*32)
	for i := range values {
		if values[i] = uint32(warp); name != "%warpid" {
			values[i] = uint32(t.Component(name))
		}
		if t.X++; t.X == b.X {
			t.X = 0
			if t.Y++; t.Y == b.Y {
				t.Y = 0
				t.Z++
			}
		}
	}
	return values
}

// sregOf returns the value of a special register that all lanes of a CTA share.
func sregOf(c *CTA, name string) uint64 {
	g := c.Grid
	switch name {
	case "%ctaid.x":
		return uint64(c.id.X)
	case "%ctaid.y", "%ctaid.z":
		return c.id.Component(name)
	case "%clusterid.x", "%clusterid.y", "%clusterid.z":
		cluster, _ := g.inCluster(c.id)
		return cluster.Component(name)
	case "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z":
		_, at := g.inCluster(c.id)
		return at.Component(name)
	case "%cluster_ctarank":
		return uint64(c.Rank())
	}
	return g.slices + Addr(int64(g.Grid.Linear(c.id))*g.sliceSize) // %perctamemoryoffset
}
