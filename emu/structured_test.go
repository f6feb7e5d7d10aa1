package emu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/row"
	"warpscope/ptx"
)

// writer makes random structured programs without races: branches, loops and calls that depend on the lane, early
// exits, warp operations among lanes that come together, barriers, and atomics whose order does not matter. Such
// programs leave the same memory under both models of divergence, however a run is cut.
type writer struct {
	*rand.Rand
	b          strings.Builder
	labels     int
	budget     int      // statements that may still be written
	function   int      // being written; noFunction: the kernel
	apart      bool     // lanes meet at different instructions, as only independent scheduling lets them
	finishLoop []string // ends of the loops that lanes may leave
	ghosts     *ghosts  // ways out that no lane takes, or nil
}

// ghosts writes ways out of a function that no lane ever takes, or branches to the next instruction in their place.
// Those end a block as well, so that turns end after the same instructions.
type ghosts struct {
	where, what *rand.Rand
	real        bool
	targets     []string // blocks at the end of the function that is being written
}

// ghost writes one of them, perhaps: an instruction that never executes.
func (w *writer) ghost() {
	g := w.ghosts
	if g == nil || g.where.IntN(3) != 0 {
		return
	}
	if kind := g.what.IntN(5); !g.real {
		w.f("@%%never bra %s; %[1]s:", w.label())
	} else if out := [...]string{"exit", "trap", "ret"}; kind < len(out) {
		w.f("@%%never %s;", out[kind])
	} else {
		w.f("@%%never bra %s;", w.ghostBlock())
	}
}

// ghostBlock is the label of a block from which lanes would not come back. Several ways lead to some.
func (w *writer) ghostBlock() string {
	g := w.ghosts
	if len(g.targets) > 0 && g.what.IntN(3) == 0 {
		return g.targets[g.what.IntN(len(g.targets))]
	}
	g.targets = append(g.targets, fmt.Sprintf("G%d_%d", w.function+1, len(g.targets)))
	return g.targets[len(g.targets)-1]
}

// ghostBlocks writes the blocks of a function, after its end.
func (w *writer) ghostBlocks() {
	if w.ghosts == nil {
		return
	}
	for i, at := range w.ghosts.targets {
		ends := [...]string{"exit;", "trap;", "trap; exit;", "call promises; ", "call exits; bra %s;", "bra %[1]s;"}
		end := ends[(i+len(at))%len(ends)]
		if strings.Contains(end, "%") {
			end = fmt.Sprintf(end, at)
		}
		w.f("%s: add.u32 %%t, %%t, 1; %s", at, end)
	}
	w.ghosts.targets = nil
}

const ghostFunctions = ".func promises() .noreturn { trap; }\n.func exits() { exit; }"

const (
	noFunction = -1
	variables  = 6
	functions  = 4
)

func (w *writer) f(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

func (w *writer) label() string { w.labels++; return fmt.Sprintf("L%d", w.labels) }

func (w *writer) v() string { return fmt.Sprintf("%%v%d", w.IntN(variables)) }

// condition makes a predicate that depends on the lane.
func (w *writer) condition() string {
	p := fmt.Sprintf("%%p%d", w.IntN(4))
	switch w.IntN(4) {
	case 0:
		w.f("setp.lt.u32 %s, %%lane, %d;", p, w.IntN(33))
	case 1:
		w.f("and.b32 %%t, %s, %d; setp.ne.u32 %s, %%t, 0;", w.v(), 1<<w.IntN(5), p)
	case 2:
		w.f("setp.gt.s32 %s, %s, %s;", p, w.v(), w.v())
	case 3:
		w.f("and.b32 %%t, %%lane, %d; setp.eq.u32 %s, %%t, %d;", 1+w.IntN(31), p, w.IntN(4))
	}
	return p
}

// arithmetic is a statement about the lane's own variables.
func (w *writer) arithmetic() {
	guard := ""
	if w.IntN(4) == 0 {
		guard = "@" + [2]string{"", "!"}[w.IntN(2)] + w.condition() + " "
	}
	op := [...]string{"add.u32", "sub.u32", "xor.b32", "mul.lo.u32", "min.s32", "max.u32", "shf.l.wrap.b32", "mad.lo.u32"}
	switch k := w.IntN(len(op)); {
	case k >= 6:
		w.f("%s%s %s, %s, %s, %s;", guard, op[k], w.v(), w.v(), w.v(), w.v())
	case w.IntN(3) == 0:
		w.f("%s%s %s, %s, %d;", guard, op[k], w.v(), w.v(), w.IntN(100))
	default:
		w.f("%s%s %s, %s, %s;", guard, op[k], w.v(), w.v(), w.v())
	}
}

// atomic changes a word that only this operation changes.
func (w *writer) atomic() {
	op := [...]string{"add.u32", "xor.b32", "max.u32", "min.s32", "or.b32", "and.b32"}
	k := w.IntN(len(op))
	w.f("and.b32 %%t, %s, 3; mad.wide.u32 %%at, %%t, 4, %%acc;", w.v())
	w.f("red.global.%s [%%at+%d], %s;", op[k], 16*k, w.v())
}

// block writes statements. together: all lanes of %m, and no others, are here; whole: these are the CTA's.
func (w *writer) block(depth, n int, together, whole bool) {
	for range n {
		if w.budget--; w.budget < 0 {
			return
		}
		w.statement(depth, together, whole)
	}
}

func (w *writer) statement(depth int, together, whole bool) {
	w.ghost()
	k := w.IntN(20)
	switch {
	case together && k < 3:
		w.warpOperation()
	case together && k == 3:
		w.meeting(whole)
	case whole && k < 6:
		w.barrier()
	case depth < 4 && k < 9:
		w.ifElse(depth)
	case depth < 4 && k < 11:
		w.loop(depth)
	case depth < 4 && k == 11 && together:
		w.partition(depth)
	case depth < 4 && k == 12 && together:
		w.uniformLoop(depth, whole)
	case depth < 3 && k == 13:
		w.branches(depth)
	case k == 14 && w.function+1 < functions:
		w.call(together)
	case k == 15 && len(w.finishLoop) > 0:
		w.f("@%s bra %s;", w.condition(), w.finishLoop[len(w.finishLoop)-1])
	case k == 16 && w.function%2 == 1: // lanes that return early would miss what others do together
		w.f("@%s ret;", w.condition())
	case k == 17 && w.function == noFunction && !together && w.IntN(4) == 0:
		w.f("@%s exit;", w.condition())
	case k == 18:
		w.atomic()
	default:
		w.arithmetic()
	}
}

// warpOperation is among the lanes of %m that have not exited: values do not come from those that may have.
func (w *writer) warpOperation() {
	switch w.IntN(6) {
	case 0:
		w.f("vote.sync.ballot.b32 %s, %s, %%m;", w.v(), w.condition())
	case 1:
		w.f("redux.sync.%s %s, %s, %%m;", [...]string{"add.u32", "max.s32", "xor.b32"}[w.IntN(3)], w.v(), w.v())
	case 2:
		w.f("match.any.sync.b32 %s, %%lane, %%m;", w.v())
	case 3:
		w.f("bar.warp.sync %%m;")
	case 4:
		w.f("vote.sync.any.pred %%q, %s, %%m; selp.u32 %s, 5, %s, %%q;", w.condition(), w.v(), w.v())
	case 5: // from a lane that is here: its number goes through a ballot of those that are
		w.f("vote.sync.ballot.b32 %%t, 1, %%m; bfind.u32 %%t, %%t; shfl.sync.idx.b32 %s, %s, %%t, 31, %%m;", w.v(), w.v())
	}
}

// meeting is an operation on both sides of a branch, or the same one with selected operands.
func (w *writer) meeting(whole bool) {
	p, a, b, d := w.condition(), w.v(), w.v(), w.v()
	op := [...]string{"redux.sync.add.u32 %s, %s, %%m;", "match.any.sync.b32 %s, %s, %%m;",
		"{ .reg .b32 %%u; vote.sync.ballot.b32 %%u, 1, %%m; bfind.u32 %%u, %%u; shfl.sync.idx.b32 %s, %s, %%u, 31, %%m; }",
		"{ .reg .pred %%r; setp.gt.s32 %%r, %[2]s, 0; barrier.red.popc.u32 %[1]s, 3, %%r; }",
	}[w.IntN(3+int(row.Bit(whole)))]
	if !w.apart {
		w.f("selp.b32 %%t, %s, %s, %s;", b, a, p)
		w.f(op, d, "%t")
		return
	}
	other, end := w.label(), w.label()
	w.f("@%s bra %s;", p, other)
	w.f(op, d, a)
	w.f("bra %s;\n%s:", end, other)
	w.f(op, d, b)
	w.f("%s:", end)
}

// barrier exchanges values between threads.
func (w *writer) barrier() {
	w.f("bar.sync 0; st.shared.u32 [%%mine], %s; bar.sync 0; ld.shared.u32 %s, [%%yours];", w.v(), w.v())
}

func (w *writer) ifElse(depth int) {
	elseAt, end, p := w.label(), w.label(), w.condition()
	w.f("@%s bra %s;", p, elseAt)
	w.block(depth+1, 1+w.IntN(3), false, false)
	if w.IntN(3) == 0 {
		w.f("%s:", elseAt)
		return
	}
	w.f("bra %s;\n%s:", end, elseAt)
	w.block(depth+1, 1+w.IntN(3), false, false)
	w.f("%s:", end)
}

// loop runs a few times, as often as the lane's variable says.
func (w *writer) loop(depth int) {
	top, end := w.label(), w.label()
	w.f("and.b32 %%c%d, %s, %d;\n%s:", depth, w.v(), [...]int{1, 3, 7}[w.IntN(3)], top)
	w.finishLoop = append(w.finishLoop, end)
	w.block(depth+1, 1+w.IntN(4), false, false)
	w.finishLoop = w.finishLoop[:len(w.finishLoop)-1]
	w.f("sub.s32 %%c%d, %%c%d, 1; setp.ge.s32 %%q, %%c%d, 0; @%%q bra %s;\n%s:", depth, depth, depth, top, end)
}

func (w *writer) uniformLoop(depth int, whole bool) {
	top, kept := w.label(), w.finishLoop
	w.finishLoop = nil
	w.f("mov.u32 %%c%d, %d;\n%s:", depth, w.IntN(3), top)
	w.block(depth+1, 1+w.IntN(4), true, whole)
	w.f("sub.s32 %%c%d, %%c%d, 1; setp.ge.s32 %%q, %%c%d, 0; @%%q bra %s;", depth, depth, depth, top)
	w.finishLoop = kept
}

// partition tells lanes apart by a bit of their number; each part goes on with a mask of its own.
func (w *writer) partition(depth int) {
	other, end := w.label(), w.label()
	kept := w.finishLoop
	w.finishLoop = nil
	bit := w.IntN(5)
	of := [...]uint32{0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000}[bit]
	w.f("mov.b32 %%k%d, %%m; and.b32 %%t, %%lane, %d; setp.eq.u32 %%q, %%t, 0; @%%q bra %s;", depth, 1<<bit, other)
	w.f("and.b32 %%m, %%m, %#x;", of)
	w.block(depth+1, 1+w.IntN(4), true, false)
	w.f("bra %s;\n%s: and.b32 %%m, %%m, %#x;", end, other, ^of)
	w.block(depth+1, 1+w.IntN(4), true, false)
	w.f("%s: mov.b32 %%m, %%k%d;", end, depth)
	w.finishLoop = kept
}

func (w *writer) branches(depth int) {
	list, end := w.label(), w.label()
	cases := []string{w.label(), w.label(), w.label(), end}
	if w.ghosts != nil && w.ghosts.real {
		cases = append(cases, w.ghostBlock())
	}
	w.f("%s: .branchtargets %s;\nand.b32 %%t, %s, 3; brx.idx %%t, %s;", list, strings.Join(cases, ", "), w.v(), list)
	for _, at := range cases[:3] {
		w.f("%s:", at)
		w.block(depth+1, 1+w.IntN(2), false, false)
		if w.IntN(2) == 0 {
			w.f("bra %s;", end)
		}
	}
	w.f("%s:", end)
}

// call gives the function the mask of those that come together, or none.
func (w *writer) call(together bool) {
	callee := w.function + 1 + w.IntN(functions-w.function-1)
	if together && callee%2 == 0 {
		w.f("call (%s), f%d, (%s, %%m, %%acc);", w.v(), callee, w.v())
		return
	}
	callee |= 1
	guard := ""
	if w.IntN(3) == 0 {
		guard = "@" + w.condition() + " "
	}
	w.f("%scall (%s), f%d, (%s, %%m, %%acc);", guard, w.v(), callee, w.v())
}

const registers = `.reg .b32 %v<6>, %c<8>, %k<8>, %t, %lane; .reg .pred %p<4>, %q; .reg .b64 %at;
mov.u32 %lane, %laneid;
.reg .pred %never; setp.ne.u32 %never, %lane, %lane;
`

// program: functions with even numbers are called by lanes that come together.
func (w *writer) program() string {
	w.f(".version 7.8\n.target sm_80\n.address_size 64\n.shared .b32 s[128];")
	w.f(ghostFunctions)
	heads := make([]string, functions)
	for k := range heads {
		heads[k] = fmt.Sprintf(".func (.reg .b32 %%out) f%d(.reg .b32 %%in, .reg .b32 %%m, .reg .b64 %%acc)", k)
		w.f("%s;", heads[k])
	}
	for k := range heads {
		w.function, w.budget = k, 10
		w.f("%s {\n%s", heads[k], registers)
		for i := range variables {
			w.f("add.u32 %%v%d, %%in, %d;", i, i)
		}
		w.f("mov.u32 %%out, %%in;")
		w.block(1, 5, k%2 == 0, false)
		w.f("mov.u32 %%out, %%v%d;\nret;", w.IntN(variables))
		w.ghostBlocks()
		w.f("}")
	}
	w.function, w.budget = noFunction, 40
	w.f(".entry k(.param .u64 out, .param .u64 acc) {\n%s", registers)
	w.f(".reg .b64 %%out, %%acc; .reg .b32 %%m, %%mine, %%yours;")
	w.f("ld.param.u64 %%acc, [acc]; ld.param.u64 %%out, [out]; mov.u32 %%t, %%tid.x; mov.u32 %%c0, s; mov.u32 %%m, -1;")
	w.f("mad.lo.u32 %%mine, %%t, 4, %%c0; xor.b32 %%c1, %%t, %d; mad.lo.u32 %%yours, %%c1, 4, %%c0;", w.IntN(64))
	for i := range variables {
		w.f("mul.lo.u32 %%v%d, %%t, %d; shr.u32 %%v%d, %%v%d, %d;", i, w.Uint32(), i, i, w.IntN(30))
	}
	w.block(0, 12, true, true)
	w.f("mov.u32 %%t, %%tid.x; mad.wide.u32 %%at, %%t, %d, %%out;", 4*variables)
	for i := range variables {
		w.f("st.global.u32 [%%at+%d], %%v%d;", 4*i, i)
	}
	w.f("ret;")
	w.ghostBlocks()
	w.f("}")
	return w.b.String()
}

// structuredRun launches a program of two warps.
func structuredRun(t *testing.T, src string, model Divergence) (*Grid, func() []byte) {
	t.Helper()
	m, err := ptx.Parse("random.ptx", []byte(src))
	require.NoError(t, err, src)
	d, err := Load(m, Options{Divergence: model, MemoryLimit: 16 << 20})
	require.NoError(t, err, src)
	const size = 64*4*variables + 96
	out, err := d.Alloc(size)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 64}, MaxSteps: 1 << 22,
		Args: [][]byte{Ptr(out), Ptr(out + size - 96)}})
	require.NoError(t, err)
	return g, func() []byte {
		b := make([]byte, size)
		require.NoError(t, d.Read(out, b))
		return b
	}
}

// TestStructuredProgramsAgree: both models, whole runs and runs in pieces leave the same memory.
func TestStructuredProgramsAgree(t *testing.T) {
	total := 300
	if testing.Short() {
		total = 50
	}
	var ticks int64
	for seed := range total {
		write := func(apart bool) string {
			w := &writer{Rand: rand.New(rand.NewPCG(uint64(seed), 5)), apart: apart}
			return w.program()
		}
		src := write(false)
		stack, read := structuredRun(t, src, Stack)
		require.NoError(t, stack.Run(context.Background()), "seed %d\n%s", seed, src)
		want := read()
		whole, read := structuredRun(t, src, Independent)
		require.NoError(t, whole.Run(context.Background()), "seed %d\n%s", seed, src)
		require.Equal(t, want, read(), "the models differ, seed %d\n%s", seed, src)
		ticks += whole.Tick()
		apart, read := structuredRun(t, write(true), Independent)
		require.NoError(t, apart.Run(context.Background()), "seed %d\n%s", seed, write(true))
		require.Equal(t, want, read(), "meetings differ, seed %d\n%s", seed, write(true))
		slice := [...]int64{1, 3, 64, 333, 5000}[seed%5]
		src = write(true)
		g, read := structuredRun(t, src, Independent)
		for n := 0; !g.Done(); n++ {
			if n%50 == 20 {
				snap, tick := g.Snapshot(), g.Tick()
				_, err := g.RunFor(1 + tick/2)
				require.NoError(t, err)
				g.Restore(snap)
				_, err = g.Step()
				require.NoError(t, err, "seed %d\n%s", seed, src)
			}
			_, err := g.RunFor(slice)
			require.NoError(t, err, "seed %d\n%s", seed, src)
		}
		require.Equal(t, apart.Hash(), g.Hash(), "slices of %d differ, seed %d\n%s", slice, seed, src)
		require.Equal(t, want, read())
	}
	t.Logf("%d programs, %d warp instructions", total, ticks)
}

// TestWaysOutThatNoLaneTakesDoNotMoveMeetingPoints: exits, traps, returns and calls that do not come back, all of them
// never executed, leave a program's run as it is: as many instructions, and as many branches that part lanes.
func TestWaysOutThatNoLaneTakesDoNotMoveMeetingPoints(t *testing.T) {
	total := 300
	if testing.Short() {
		total = 50
	}
	for seed := range total {
		write := func(real bool) string {
			w := &writer{Rand: rand.New(rand.NewPCG(uint64(seed), 6))}
			w.ghosts = &ghosts{where: rand.New(rand.NewPCG(uint64(seed), 7)),
				what: rand.New(rand.NewPCG(uint64(seed), 8)), real: real}
			return w.program()
		}
		for _, model := range Divergences() {
			plain, want := structuredRun(t, write(false), model)
			require.NoError(t, plain.Run(context.Background()), "seed %d", seed)
			haunted, got := structuredRun(t, write(true), model)
			require.NoError(t, haunted.Run(context.Background()), "seed %d", seed)
			require.Equal(t, want(), got(), "seed %d", seed)
			a, b := plain.Stats(), haunted.Stats()
			require.Equal(t, a.WarpInstructions, b.WarpInstructions, "seed %d, %s\n%s", seed, model, write(true))
			require.Equal(t, a.DivergentBranches, b.DivergentBranches, "seed %d, %s\n%s", seed, model, write(true))
		}
	}
}
