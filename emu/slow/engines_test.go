package slow

import (
	"flag"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/handlers"
	"warpscope/emu/host"
	"warpscope/emu/machine"
	"warpscope/ptx"
)

// go test ./emu/slow -run Engines -v -seed 7 -kernels 100000
var kernels = flag.Int64("kernels", setting("WARPSCOPE_KERNELS", 20_000), "how many random kernels engines run")

// reference is the way to run that all others must be like.
var reference = way{engine: emu.Interpreter}

// warmed compiles code that has been executed for a while.
var warmed = way{engine: emu.EngineAuto, warm: 150}

// others take turns, kernel by kernel: in whole pieces, compiled from the start or, twice as often because it is
// cheaper, when code is warm; with breakpoints; with detours that are undone; and, seldom because it is slow, in single
// steps.
var others = slices.Concat(
	slices.Repeat([]way{{engine: emu.Compiled}, warmed, warmed}, 4),
	[]way{
		{engine: emu.Compiled, drive: breaking},
		{engine: emu.Compiled, drive: returning((*emu.Grid).RunFor)},
		{engine: emu.EngineAuto, warm: 150, drive: returning(breaking)},
		{engine: emu.Compiled, drive: stepping(func(*emu.Grid, emu.Step) {})}})

// stepping runs a grid in single steps, and does something after each.
func stepping(after func(*emu.Grid, emu.Step)) driver {
	return func(g *emu.Grid, n int64) (bool, error) {
		for ; n > 0 && !g.Done(); n-- {
			record, err := g.Step()
			if err != nil {
				return false, err
			}
			after(g, record)
		}
		return g.Done(), nil
	}
}

// breaking runs a grid with a breakpoint at every seventh instruction, and goes on after the first stops; then without.
func breaking(g *emu.Grid, n int64) (done bool, err error) {
	breaks := map[*ptx.Inst]bool{}
	for pc := range g.Prog.Code {
		if in := g.Prog.Code[pc].Src; in != nil && pc%7 == 3 {
			breaks[in] = true
		}
	}
	g.SetBreaks(breaks)
	for range 50 {
		was := g.Tick()
		done, err = g.RunFor(n)
		n -= g.Tick() - was
		if err != emu.ErrBreak || n == 0 {
			break
		}
	}
	g.SetBreaks(nil)
	if err == emu.ErrBreak {
		done, err = g.RunFor(n)
	}
	return done, err
}

// returning runs a grid a little further and puts it back, before it runs.
func returning(drive driver) driver {
	return func(g *emu.Grid, n int64) (bool, error) {
		start := g.Snapshot()
		_, _ = g.RunFor(1 + g.Tick()%300)
		g.Restore(start)
		return drive(g, n)
	}
}

// compiledModels are those that both engines know.
var compiledModels = []emu.Divergence{emu.Stack, emu.Independent}

// models are those that a kernel runs under: in turns, so that each meets each of the others, and every 17th kernel
// under both that are compiled. Under the rest the interpreter takes all ways; every 32nd kernel runs under them, too.
func (k *kernel) models() []emu.Divergence {
	switch {
	case k.seed%32 == 0:
		return emu.Divergences()
	case k.seed%17 == 0:
		return compiledModels
	}
	n := int(k.seed>>5) % len(compiledModels)
	return compiledModels[n : n+1]
}

// long says whether a kernel may take many steps, and has wazero's compiler, which takes longer than all the rest. The
// others run the same code under wazero's interpreter.
func (k *kernel) long() bool { return k.seed%45 == 0 }

// mostSteps are the warp instructions that a kernel may take. A kernel that would take more is compared up to there:
// two thirds of them early, because most of what engines do differently shows by then.
func (k *kernel) mostSteps() int64 {
	switch {
	case k.long():
		return 1 << 16
	case k.seed%3 == 1:
		return 1 << 13
	}
	return 1 << 11
}

// twin loads a kernel and launches it.
func (k *kernel) twin(m *ptx.Module, model emu.Divergence, w way) (*twin, error) {
	o := emu.Options{Divergence: model, Engine: w.engine, MemoryLimit: 64 << 20}
	if k.seed%32 == 5 {
		o.Sanitize = emu.Racecheck | emu.Initcheck
	}
	d, err := emu.Load(m, o)
	if err != nil {
		return nil, err
	}
	t := w.twin(d, nil)
	var args [][]byte
	for _, size := range []int{globalSize, inSize, accSize} {
		t.guard()
		a, err := d.Alloc(size)
		if err != nil {
			return nil, err
		}
		args = append(args, emu.Ptr(a))
		if size == inSize {
			err = d.Write(a, k.memory())
		}
		if err != nil {
			return nil, err
		}
	}
	t.guard()
	args = append(args, emu.U32(uint32(k.seed)), k.memory()[:16])
	t.Grid, err = d.Launch(emu.Config{Entry: "k", Grid: k.grid, Block: k.block, Args: args, MaxSteps: k.mostSteps()})
	if err != nil {
		return nil, err
	}
	t.guard()
	return t, nil
}

// differs runs the kernel in both ways under a model, and says what differs; "" when nothing does, or the text is not
// valid.
func (k *kernel) differs(m *ptx.Module, model emu.Divergence, one, other way, s *sums) (string, error) {
	a, err := k.twin(m, model, one)
	if err != nil {
		return "", err
	}
	b, err := k.twin(m, model, other)
	if err != nil {
		return "", err
	}
	found := together(a, b, cuts(k.seed, 3, 13, k.mostSteps()+1))
	if s != nil {
		s.add(a, b)
	}
	return found, nil
}

// check is differs of the kernel's present text.
func (k *kernel) check(model emu.Divergence, one, other way, s *sums) (string, error) {
	m, err := ptx.Parse("random.ptx", []byte(k.text()))
	if err != nil {
		return "", err
	}
	return k.differs(m, model, one, other, s)
}

// shrink leaves out parts of the kernel as long as the two ways still differ, and says how they do then.
func (k *kernel) shrink(model emu.Divergence, one, other way) (found string) {
	fails := func() bool {
		now, err := k.check(model, one, other, nil)
		if err != nil || now == "" {
			return false
		}
		found = now
		return true
	}
	lists := append([]*[]*part{&k.body}, pointers(k.functions)...)
	for shorter := true; shorter; {
		shorter = false
		for _, list := range lists {
			shorter = shrinkList(list, fails) || shorter
		}
		for len(k.functions) > 0 {
			last := k.functions
			if k.functions = last[:len(last)-1]; !fails() {
				k.functions = last
				break
			}
		}
	}
	return found
}

func pointers[T any](of []T) (list []*T) {
	for i := range of {
		list = append(list, &of[i])
	}
	return list
}

// shrinkList leaves out parts of a list, or puts what is in them in their place.
func shrinkList(list *[]*part, fails func() bool) (shorter bool) {
	for i := len(*list) - 1; i >= 0; i-- {
		old := *list
		p := old[i]
		if *list = slices.Delete(slices.Clone(old), i, i+1); fails() {
			shorter = true
			continue
		}
		inner := slices.Concat(p.in...)
		if *list = slices.Replace(slices.Clone(old), i, i+1, inner...); len(inner) > 0 && fails() {
			shorter = true
			i += len(inner)
			continue
		}
		*list = old
		for _, in := range pointers(p.in) {
			shorter = shrinkList(in, fails) || shorter
		}
	}
	return shorter
}

// sums are what many kernels have done.
type sums struct {
	sync.Mutex
	kernels, runs, ended, limited, printed, findings int
	hot                                              int   // runs with an instruction that was executed 200 times
	instructions                                     int64 // of the texts
	calls                                            int64 // of compiled code
	ctas                                             int64 // in batches
	stats                                            emu.Stats
	faults                                           map[emu.FaultKind]int
	opcodes                                          map[string]bool // executed
	forms                                            map[string]bool
	handlers                                         map[uint16]bool
}

func newSums() *sums {
	return &sums{faults: map[emu.FaultKind]int{}, opcodes: map[string]bool{}, forms: map[string]bool{},
		handlers: map[uint16]bool{}}
}

// count takes in the text of a kernel.
func (s *sums) count(m *ptx.Module) {
	s.Lock()
	defer s.Unlock()
	s.kernels++
	for _, f := range m.Funcs {
		s.instructions += int64(len(f.Insts))
	}
}

// add takes in a run, and its twin's.
func (s *sums) add(t, other *twin) {
	s.Lock()
	defer s.Unlock()
	s.runs++
	s.calls += other.calls
	s.ctas += other.ctas
	stats := t.Stats()
	s.stats.WarpInstructions += stats.WarpInstructions
	s.stats.LaneInstructions += stats.LaneInstructions
	s.stats.Branches += stats.Branches
	s.stats.DivergentBranches += stats.DivergentBranches
	s.stats.Barriers += stats.Barriers
	switch {
	case t.Fault != nil:
		s.faults[t.Fault.Kind]++
	case t.Done():
		s.ended++
	default:
		s.limited++
	}
	if len(t.Output()) > 0 {
		s.printed++
	}
	if len(t.Findings()) > 0 {
		s.findings++
	}
	counts := t.Counted()
	if slices.Max(counts) >= 200 {
		s.hot++
	}
	for pc, n := range counts {
		in := &t.Prog.Code[pc]
		if n == 0 || in.Src == nil {
			continue
		}
		s.opcodes[in.Src.Opcode] = true
		if in.Src.Match != nil {
			s.forms[in.Src.Match.Form.ID] = true
		}
		if in.Op == machine.OpHandler {
			s.handlers[in.Number] = true
		}
	}
}

func (s *sums) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d kernels of %d instructions, %d runs: %d ended, %d at the limit of steps", s.kernels,
		s.instructions, s.runs, s.ended, s.limited)
	for _, kind := range slices.Sorted(maps.Keys(s.faults)) {
		fmt.Fprintf(&b, ", %d %s", s.faults[kind], kind)
	}
	fmt.Fprintf(&b, "; %d are hot, %d printed, %d have findings\n", s.hot, s.printed, s.findings)
	fmt.Fprintf(&b, "%d warp instructions, %d lane instructions, %d branches, %d of them divergent, %d barriers\n",
		s.stats.WarpInstructions, s.stats.LaneInstructions, s.stats.Branches, s.stats.DivergentBranches, s.stats.Barriers)
	fmt.Fprintf(&b, "%d opcodes of %d families, %d of %d handlers\n", len(s.opcodes), len(s.forms), len(s.handlers),
		len(handlers.Table()))
	fmt.Fprintf(&b, "%d calls of compiled code, %d CTAs in batches", s.calls, s.ctas)
	return b.String()
}

// faulty are the lines of a module that have errors.
func faulty(m *ptx.Module) string {
	var b strings.Builder
	for _, d := range m.Diagnostics.Errors() {
		at := m.Position(int(d.Span.Start)).Line
		fmt.Fprintf(&b, "%s\n%s\n", d.Message, strings.Split(string(m.Src), "\n")[at-1])
	}
	return b.String()
}

// TestEnginesAgreeOnRandomKernels runs random structured kernels under each model of divergence in both ways.
func TestEnginesAgreeOnRandomKernels(t *testing.T) {
	total := *kernels
	if runtime.GOOS == "js" || testing.Short() {
		total = min(total, 200)
	}
	s := newSums()
	var taken atomic.Int64
	t.Run("by", func(t *testing.T) {
		for core := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(core), func(t *testing.T) {
				t.Parallel()
				a := newAuthor(t)
				for n := taken.Add(1) - 1; n < total; n = taken.Add(1) - 1 {
					agree(t, a.kernel(*seed+n), s)
				}
			})
		}
	})
	t.Logf("seed %d: %s", *seed, s)
	require.Greater(t, s.calls, int64(10*s.runs))
	require.Greater(t, s.ctas, total/10)
	if total >= 20_000 {
		require.Len(t, s.handlers, len(handlers.Table()), "handlers that random kernels execute")
	}
}

// agree runs a kernel in two ways.
func agree(t *testing.T, k *kernel, s *sums) {
	m, err := ptx.Parse("random.ptx", []byte(k.text()))
	require.NoError(t, err, "seed %d\n%s", k.seed, faulty(m))
	s.count(m)
	other := others[uint64(k.seed)%uint64(len(others))]
	if !k.long() {
		other.host = host.Interpreted
	}
	for _, model := range k.models() {
		found, err := k.differs(m, model, reference, other, s)
		require.NoError(t, err, k.text())
		if found != "" {
			least := k.shrink(model, reference, other)
			require.Fail(t, "the two ways to run differ", "seed %d, %s: %s\nat least: %s\n%s", k.seed, model, found,
				least, k.text())
		}
	}
}
