package examples_test

import (
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// register is a register or a component of one.
type register struct {
	reg  *ptx.Reg
	elem int
}

// written tells which lanes have written each register of a warp.
func written(v emu.WarpView, lanes func(r *emu.RegView) emu.Mask) string {
	var b []byte
	for i := range v.Regs {
		r := &v.Regs[i]
		b = strconv.AppendInt(append(append(b, r.Reg.Name...), '.'), int64(r.Elem), 10)
		b = append(strconv.AppendUint(append(b, ' '), uint64(lanes(r)), 16), '\n')
	}
	return string(b)
}

func inView(r *emu.RegView) emu.Mask { return r.Written }

// A second account of which lanes have written which register is the sum of the records of all steps. The views agree
// with it after each step; and a run in pieces, with breakpoints that cut lines of code, and one that goes on from a
// snapshot, show what stepping showed.
func TestWrittenIsExact(t *testing.T) {
	const steps = 1500
	// Their records come with the instruction, their results when the wait is over.
	waits := regexp.MustCompile(`\b(bar|barrier)(\.cta)?\.red|try_wait|\bcall\b|wgmma|tcgen05`)
	count := 0
	for _, dir := range []string{"public/examples", "testdata/control", "testdata/values"} {
		for _, file := range programs(t, dir) {
			m, _ := parse(t, file)
			spec, err := launch.FromSource(m)
			require.NoError(t, err)
			for _, model := range emu.Divergences() {
				if spec.Model != emu.Auto && spec.Model != model || waits.MatchString(source(m)) {
					continue
				}
				count++
				t.Run(filepath.Base(file)+" "+model.String(), func(t *testing.T) {
					shown := stepped(t, m, spec, model, steps)
					inPieces(t, m, spec, model, shown)
				})
			}
		}
	}
	require.Greater(t, count, 150)
}

func source(m *ptx.Module) string { return string(m.Src) }

// shown is what a warp's view said at a tick.
type shown struct {
	cta, warp int
	text      string
}

func stepped(t *testing.T, m *ptx.Module, spec *launch.Spec, model emu.Divergence, steps int) []shown {
	p, err := launch.Prepare(m, spec, emu.Options{Divergence: model})
	require.NoError(t, err)
	g := p.Grid
	sum := map[[2]int]map[register]emu.Mask{}
	var list []shown
	for !g.Done() && len(list) < steps {
		rec, err := g.Step()
		if err != nil {
			break
		}
		at := [2]int{rec.CTAIndex, rec.Warp}
		if sum[at] == nil {
			sum[at] = map[register]emu.Mask{}
		}
		for _, r := range rec.Regs {
			sum[at][register{r.Reg, r.Elem}] |= r.Lanes
		}
		v := g.Warp(rec.CTAIndex, rec.Warp)
		got := written(v, inView)
		if v.Resident {
			want := written(v, func(r *emu.RegView) emu.Mask { return sum[at][register{r.Reg, r.Elem}] & v.Present })
			require.Equal(t, want, got, "after tick %d", rec.Tick)
		}
		list = append(list, shown{rec.CTAIndex, rec.Warp, got})
	}
	return list
}

func inPieces(t *testing.T, m *ptx.Module, spec *launch.Spec, model emu.Divergence, want []shown) {
	p, err := launch.Prepare(m, spec, emu.Options{Divergence: model})
	require.NoError(t, err)
	g := p.Grid
	breaks := map[*ptx.Inst]bool{}
	for _, f := range m.Funcs {
		for i, in := range f.Insts {
			breaks[in] = i%5 == 3
		}
	}
	var snap *emu.Snapshot
	back := false
	for piece := int64(1); !g.Done(); piece = piece%5 + 1 {
		if g.Tick()%64 < 32 {
			g.SetBreaks(breaks)
		} else {
			g.SetBreaks(nil)
		}
		if _, err := g.RunFor(piece); err != nil && err != emu.ErrBreak {
			break
		}
		n := g.Tick()
		if n > int64(len(want)) {
			break
		}
		w := want[n-1]
		require.Equal(t, w.text, written(g.Warp(w.cta, w.warp), inView), "at tick %d", n)
		if snap == nil && n > 40 {
			snap = g.Snapshot()
		}
		if !back && snap != nil && n > 200 {
			g.Restore(snap)
			back = true
		}
	}
}
