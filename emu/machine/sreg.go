package machine

import (
	"strings"
	"unsafe"

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

// OfWarp says whether the warps of a grid have different values in a special register.
func OfWarp(name string) bool {
	switch base, _, _ := strings.Cut(name, "."); base {
	case "%tid", "%warpid", "%ctaid", "%clusterid", "%cluster_ctaid", "%cluster_ctarank", "%perctamemoryoffset":
		return !strings.HasSuffix(name, ".w")
	}
	return false
}

// fillSReg fills the row of a special register of the warp (chapter 10).
func fillSReg(w *Warp, f unsafe.Pointer, c *ConstRow) {
	if !strings.HasPrefix(c.SReg, "%tid.") {
		v := sregOf(w, c.SReg)
		fillRow(f, c, func(int) uint64 { return v })
		return
	}
	b, t := w.CTA.Grid.block, w.CTA.Grid.block.Index(w.Index*32)
	fillRow(f, c, func(int) uint64 {
		v := t.Component(c.SReg)
		if t.X++; t.X == b.X {
			t.X = 0
			if t.Y++; t.Y == b.Y {
				t.Y = 0
				t.Z++
			}
		}
		return v
	})
}

// sregOf returns the value of a special register that all lanes of a warp share.
func sregOf(w *Warp, name string) uint64 {
	c, g := w.CTA, w.CTA.Grid
	switch name {
	case "%ctaid.x", "%ctaid.y", "%ctaid.z":
		return c.id.Component(name)
	case "%clusterid.x", "%clusterid.y", "%clusterid.z":
		cluster, _ := g.inCluster(c.id)
		return cluster.Component(name)
	case "%cluster_ctaid.x", "%cluster_ctaid.y", "%cluster_ctaid.z":
		_, at := g.inCluster(c.id)
		return at.Component(name)
	case "%cluster_ctarank":
		return uint64(c.Rank())
	case "%perctamemoryoffset":
		return g.slices + Addr(int64(g.Grid.Linear(c.id))*g.sliceSize)
	}
	return uint64(w.Index) // %warpid
}

// fillRow writes a value into each lane of a constant row.
func fillRow(f unsafe.Pointer, c *ConstRow, value func(lane int) uint64) {
	for i := range 32 {
		if c.Wide {
			row.U64s(f, c.Off)[i] = value(i)
		} else {
			row.U32s(f, c.Off)[i] = uint32(value(i))
		}
	}
}
