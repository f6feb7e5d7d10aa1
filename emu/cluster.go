package emu

import (
	"errors"
	"fmt"
	"unsafe"

	"warpscope/emu/causes"
	"warpscope/emu/machine"
	"warpscope/ptx/isa"
)

// lowerMapa is mapa and getctarank (9.7.10.26, 9.7.10.27).
func lowerMapa(l *lowerer) bool {
	ops := l.in.Operands
	t := l.in.Match.Types[0]
	d, a := l.dst(ops[0]), l.src(ops[1], t)
	base := l.dev.Mem.Win.Shared
	if l.has(".shared::cluster") {
		base = 0
	}
	if l.in.Match.Form.Mnemonic == "getctarank" {
		return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
			machine.EachLane(exec, func(lane int) {
				wantsShared(&w.LSU, in, lane, base, a.Get(f, lane))
				rank := int((a.Get(f, lane)-base)/machine.ClusterStride) - 1
				if rank < 0 {
					rank = w.CTA.Rank()
				}
				d.Set(f, lane, uint64(rank))
			})
			return true
		})
	}
	b := l.src(ops[2], isa.U32)
	return l.runs(func(w *machine.Warp, in *machine.Inst, f unsafe.Pointer, exec Mask) bool {
		machine.EachLane(exec, func(lane int) {
			wantsShared(&w.LSU, in, lane, base, a.Get(f, lane))
			at := (a.Get(f, lane) - base) % machine.ClusterStride
			d.Set(f, lane, base+at+(b.Get(f, lane)+1)*machine.ClusterStride)
		})
		return true
	})
}

// wantsShared notes a generic address that is not of shared memory. base is 0 for addresses that are not generic.
func wantsShared(w *machine.LSU, in *machine.Inst, lane int, base, a Addr) {
	if base != 0 && !inClusterShared(w, a) {
		w.Note(in, causes.Space,
			fmt.Sprintf("`%s` in lane %d of warp %d: %#x is no generic address of shared memory, and the result "+
				"is undefined", in.Src.Opcode, lane, w.Index, a))
	}
}

// lowerClusterBarrier is barrier.cluster (9.7.15.3).
func lowerClusterBarrier(l *lowerer) bool {
	l.runs(clusterWait)
	if l.has(".arrive") {
		l.runs(bound(clusterArrive, !l.has(".relaxed")))
	}
	l.i.X.Cluster, l.i.X.Strict = true, l.has(".aligned")
	return true
}

var errClusterTwice = errors.New("a thread arrives at the cluster's barrier only once before it waits")

// clusterArrive arrives at the cluster's barrier. An arrival that releases orders the accesses before it; one with
// .relaxed only those before a fence.
func clusterArrive(releases bool, w *machine.Warp, in *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
	if twice := exec & (w.Cluster.Arrived | w.Cluster.Awaiting); twice != 0 {
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: twice, Detail: ": " + errClusterTwice.Error()})
		return false
	}
	w.CheckAligned(in, exec)
	w.Cluster.Arrived |= exec
	w.Cluster.Awaiting |= exec
	machine.Arrived(w, &w.Cluster.Told, releases)
	w.CTA.Grid.State.Progress = true
	machine.CountArrival(w)
	here := w.CTA.ClusterArrivals()
	done := w.CTA.SettleCluster()
	if w.Rec != nil {
		w.Rec.Barrier = &BarrierEvent{ID: AtCluster, Arrived: here, Expected: w.CTA.ClusterLive(), Done: done}
	}
	return true
}

func clusterWait(w *machine.Warp, in *machine.Inst, _ unsafe.Pointer, exec Mask) bool {
	if never := exec &^ w.Cluster.Awaiting; never != 0 {
		w.Fail(in, &Fault{Kind: IllegalInstruction, Lanes: never,
			Detail: ": wait without an arrival at the cluster's barrier before it"})
		return false
	}
	w.CheckAligned(in, exec)
	if exec&w.Cluster.Arrived == 0 {
		w.Cluster.Awaiting &^= exec
		return true
	}
	w.WaitAt(AtCluster, in, exec)
	w.CTA.SettleCluster()
	return true
}
