package gpu

import "warpscope/ptx"

// WarpState says in few bytes what a warp is doing: a grid can have very many.
type WarpState struct {
	CTA, Index int       // the CTA's linear index, and the warp's index in it
	PC         *ptx.Inst // next instruction, or the one at which a blocked warp waits; nil when it has ended
	Live       Mask      // lanes that have not exited
	Active     Mask      // lanes at the next instruction
	Waiting    Mask      // lanes that wait for other warps
	At         int       // where the last of them wait: 0 to 15, or as in WarpView.BarrierID
	Blocked    bool      // no lane can go on before another warp does something
	Ended      bool
}

// Warps are all warps of a grid: the states of those that are resident; the others have ended, or have not started.
type Warps struct {
	Grid, Cluster Dim3        // in CTAs
	PerCTA        int         // warps
	Started       int         // CTAs, in their order of start
	Resident      []WarpState // all warps of each resident CTA, in their order of start
	// Of a grid that has ended: the warp that executed the last instruction. Its CTA can still be looked at.
	LastCTA, LastWarp int
}

// StartOrder returns the place of a CTA in the order in which CTAs start: cluster by cluster. index is linear, x
// fastest.
func StartOrder(grid, cluster Dim3, index int) int {
	at, c := grid.Index(index), cluster
	clusters := Dim3{grid.X / c.X, grid.Y / c.Y, grid.Z / c.Z}
	return clusters.Linear(Dim3{at.X / c.X, at.Y / c.Y, at.Z / c.Z})*c.X*c.Y*c.Z +
		c.Linear(Dim3{at.X % c.X, at.Y % c.Y, at.Z % c.Z})
}

// HasStarted says whether a CTA has started. It may have ended since.
func (w *Warps) HasStarted(cta int) bool { return StartOrder(w.Grid, w.Cluster, cta) < w.Started }
