package emu

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu/machine"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// liveNames are the names of the registers that are live before an instruction of a program's last function, sorted.
func liveNames(d *Device, index int) string {
	fn := d.Prog.Funcs[len(d.Prog.Funcs)-1]
	live := d.Prog.Liveness(fn).At(fn.Start + int32(index))
	var names []string
	for i := range fn.Regs {
		if live.Has(int32(i)) {
			names = append(names, fn.Regs[i].Name())
		}
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// The registers that are live before each instruction, read off the text: the first line is that of the first
// instruction.
func TestLiveRegisters(t *testing.T) {
	for name, c := range map[string]struct{ body, live string }{
		"guarded writes do not end a life": {`
			mov.u32 %a, 1;
			setp.eq.u32 %p, %a, 2;
			@%p mov.u32 %a, 3;
			mov.u32 %b, %a;
			st.global.u32 [%d], %b;`, `%d; %a %d; %a %d %p; %a %d; %b %d`},
		"both results of setp, and a predicate that is combined": {`
			setp.lt.and.u32 %p|%q, %a, %b, %p;
			@!%q mov.u32 %a, %b;
			st.global.u32 [%d], %a;`, `%a %b %d %p; %a %b %d %q; %a %d`},
		"halves of wide registers, and what is read as it is written": {`
			mov.b64 {%a, %b}, %d;
			mov.b64 %d, {%b, %a};
			add.u64 %d, %d, 1;
			st.global.u32 [%d], 5;`, `%d; %a %b; %d; %d`},
		"components of vectors": {`
			mov.v4.f32 w, v;
			add.f32 w.x, v.y, v.y;
			st.global.v2.f32 [%d], {w.x, w.w};`, `%d v.w v.x v.y v.z; %d v.y w.w; %d w.w w.x`},
		"loops and the end of the body": {`
			mov.u32 %a, 0;
		more:
			add.u32 %a, %a, %b;
			setp.lt.u32 %p, %a, 9;
			@%p bra more;
			@!%p bra end;
			st.global.u32 [%d], %a;
		end:`, `%b %d; %a %b %d; %a %b %d; %a %b %d %p; %a %d %p; %a %d; `},
		"arguments and return values": {`
			call (%a), f, (%b, %d);
			st.global.u32 [%d], %a;`, `%b %d; %a %d`},
		"what lanes give each other, wherever they are": {`
			mov.u32 %b, 7;
			shfl.sync.idx.b32 %a, %b, 0, 31, -1;
			mov.u32 %b, 8;
			st.global.u32 [%d], %a;
			exit;`, `%b %d; %b %d; %a %b %d; %a %b %d; %b`},
	} {
		d := load(t, `.version 7.8
.target sm_80
.address_size 64
.func (.reg .b32 %r) f(.reg .b32 %x, .reg .b64 %y) { mov.u32 %r, %x; }
.entry k() { .reg .b32 %a, %b; .reg .b64 %d; .reg .pred %p, %q; .reg .v4 .f32 v, w;`+c.body+"}")
		for i, want := range strings.Split(c.live, "; ") {
			require.Equal(t, want, liveNames(d, i), "%s: instruction %d", name, i)
		}
	}
	d := load(t, ".version 7.8\n.target sm_80\n.address_size 64\n"+
		".func (.reg .b32 %r) f(.reg .b32 %x) { .reg .pred %p; mov.u32 %r, %x; @%p ret; mov.u32 %r, 2; }")
	require.Equal(t, "%r", liveNames(d, 3), "the end of the body returns")
}

// Naive liveness works on single instructions. Its successors come from the lowered code and its uses of registers from
// the text, where a register is read that is named more often than the instruction writes it.
type naive struct {
	p     *machine.Program
	fn    *machine.Function
	reads [][]int32
	kills [][]int32
	prevs [][]int
}

var (
	commentText = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)`)
	nameText    = regexp.MustCompile(`[%$_a-zA-Z][\w$]*(\.[xyzw]\b)?`)
	givenWords  = regexp.MustCompile(`^(shfl|vote|match|redux|elect|bar\.warp|barrier\.warp)\b`)
	laterWords  = regexp.MustCompile(`^(wgmma\.mma_async|tcgen05\.ld)\b`)
)

func newNaive(p *machine.Program, fn *machine.Function) *naive {
	n := int(fn.End-fn.Start) + 1
	v := &naive{p: p, fn: fn, reads: make([][]int32, n), kills: make([][]int32, n), prevs: make([][]int, n)}
	var always []int32
	for i := range n {
		for _, s := range v.next(i) {
			v.prevs[s] = append(v.prevs[s], i)
		}
		in := &p.Code[fn.Start+int32(i)]
		if i == n-1 || strings.HasPrefix(in.Src.Opcode, "ret") {
			for k := range fn.Returns {
				for _, o := range fn.Returns[k].Regs {
					v.reads[i] = append(v.reads[i], v.at(o.Off))
				}
			}
		}
		if i == n-1 {
			break
		}
		var writes []int32
		for _, w := range p.Writes[fn.Start+int32(i)] {
			writes = append(writes, v.at(w.Op.Off))
		}
		v.reads[i] = append(v.reads[i], v.readIn(in, writes)...)
		if givenWords.MatchString(in.Src.Opcode) || laterWords.MatchString(in.Src.Opcode) {
			always = append(always, v.reads[i]...)
		}
		if laterWords.MatchString(in.Src.Opcode) {
			always = append(always, writes...)
		} else if in.Src.Guard == nil {
			v.kills[i] = writes
		}
	}
	for i := range n {
		v.reads[i] = append(v.reads[i], always...)
	}
	return v
}

// at is the register at an offset.
func (v *naive) at(off uint32) int32 {
	return int32(slices.IndexFunc(v.fn.Regs, func(s machine.RegSlot) bool { return s.Off == off }))
}

// next are the instructions that can follow one. Whether a call comes back only package ptx knows.
func (v *naive) next(i int) (list []int) {
	in := &v.p.Code[v.fn.Start+int32(i)]
	if in.Src == nil {
		return nil
	}
	falls := in.Src.Guard != nil
	switch in.Op {
	case machine.OpBra:
		list = append(list, int(in.Target-v.fn.Start))
	case machine.OpBrx:
		for _, t := range in.X.Branches.Targets {
			list = append(list, int(t-v.fn.Start))
		}
	case machine.OpRet, machine.OpExit:
	case machine.OpCall:
		b := v.fn.Src.Blocks[slices.IndexFunc(v.fn.Src.Blocks, func(b ptx.Block) bool { return i < b.End })]
		falls = i < b.End-1 || len(b.Succs()) > 0 || b.RunsOut
	default:
		falls = falls || in.Src.Opcode != "trap"
	}
	if falls {
		list = append(list, i+1)
	}
	return list
}

// readIn are the registers that an instruction's text names more often than it writes them.
func (v *naive) readIn(in *machine.Inst, writes []int32) (reads []int32) {
	regs := map[string]*ptx.Reg{} // names are unique in one instruction
	note := func(op *ptx.Operand) { regs[op.Reg.Name] = op.Reg }
	ptx.EachRegister(in.Src.Operands, note)
	if c := in.Src.Call; c != nil {
		ptx.EachRegister(append(slices.Concat(c.Args, c.Returns), c.Target), note)
	}
	if g := in.Src.Guard; g != nil {
		regs[g.Reg.Name] = g.Reg
	}
	text := commentText.ReplaceAllString(string(v.p.Mod.Src[in.Src.Span.Start:in.Src.Span.End]), " ")
	for _, name := range nameText.FindAllString(text, -1) {
		base, component, _ := strings.Cut(name, ".")
		r := regs[base]
		if r == nil {
			continue
		}
		for k := range v.fn.Regs {
			s := &v.fn.Regs[k]
			if s.Reg != r || r.Vec > 1 && component != "" && component != "xyzw"[s.Elem:s.Elem+1] {
				continue
			}
			if at := slices.Index(writes, int32(k)); at >= 0 {
				writes = slices.Delete(slices.Clone(writes), at, at+1)
			} else {
				reads = append(reads, int32(k))
			}
		}
	}
	return reads
}

// live are the instructions before which a register is live: those from which a way leads to a read without a write.
func (v *naive) live(reg int32) []bool {
	live := make([]bool, len(v.reads))
	var work []int
	reach := func(i int) {
		if !live[i] {
			live[i] = true
			work = append(work, i)
		}
	}
	for i := range v.reads {
		if slices.Contains(v.reads[i], reg) {
			reach(i)
		}
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		for _, p := range v.prevs[i] {
			if !slices.Contains(v.kills[p], reg) {
				reach(p)
			}
		}
	}
	return live
}

// checkFlow compares blocks and liveness of all functions with what single instructions say.
func checkFlow(t *testing.T, d *Device, name string) {
	t.Helper()
	for _, fn := range d.Prog.Funcs {
		if !fn.Src.Defined {
			continue
		}
		v := newNaive(d.Prog, fn)
		checkBlocks(t, v, name)
		l := d.Prog.Liveness(fn)
		sets := make([]machine.RegSet, len(v.reads))
		for i := range sets {
			sets[i] = l.At(fn.Start + int32(i))
		}
		for n := range fn.Regs {
			for i, want := range v.live(int32(n)) {
				if sets[i].Has(int32(n)) != want {
					t.Fatalf("%s: %s: %s before instruction %d: live is %v\n%s", name, fn.Src.Name, fn.Regs[n].Name(), i,
						!want, d.Prog.Mod.Src)
				}
			}
		}
	}
}

func checkBlocks(t *testing.T, v *naive, name string) {
	t.Helper()
	fn, pc := v.fn, v.fn.Start
	for b := range fn.Blocks() {
		start, end := fn.Bounds(b)
		require.Equal(t, pc, start, name)
		for ; pc < end; pc++ {
			require.Equal(t, b, fn.Block(pc), name)
			if pc < end-1 {
				require.Equal(t, []int{int(pc-fn.Start) + 1}, v.next(int(pc-fn.Start)), name)
			}
		}
		var want []int
		for _, i := range v.next(int(end-fn.Start) - 1) {
			next := fn.Start + int32(i)
			first, _ := fn.Bounds(fn.Block(next))
			require.Equal(t, first, next, "%s: control goes to the start of a block", name)
			want = append(want, fn.Block(next))
		}
		slices.Sort(want)
		got := fn.Succs(b)
		slices.Sort(got)
		require.Equal(t, slices.Compact(want), got, "%s: %s block %d", name, fn.Src.Name, b)
	}
	require.Equal(t, fn.End+1, pc)
}

func TestLivenessAgreesWithPaths(t *testing.T) {
	realModules(t, func(path string, d *Device) { checkFlow(t, d, path) })
}

func TestLivenessAgreesWithPathsOfRandomPrograms(t *testing.T) {
	total := uint64(60)
	if testing.Short() {
		total = 8
	}
	for seed := range total {
		w := &writer{Rand: rand.New(rand.NewPCG(seed, 11)), apart: seed%2 == 0}
		w.ghosts = &ghosts{where: rand.New(rand.NewPCG(seed, 12)), what: rand.New(rand.NewPCG(seed, 13)), real: true}
		checkFlow(t, load(t, w.program()), fmt.Sprint("structured ", seed))
		checkFlow(t, load(t, tangle(rand.New(rand.NewPCG(seed, 14)))), fmt.Sprint("tangle ", seed))
	}
}

// tangle is a program of blocks that branch anywhere, with operands of all kinds: R is a register of 32 bits, D of 64,
// Q of 128, P a predicate, V a vector, C a component, L a label.
func tangle(r *rand.Rand) string {
	kinds := strings.Split(`add.u32 R, R, R;|mad.wide.u32 D, R, R, D;|mov.b64 {R, R}, D;|mov.b64 D, {R, R};|
		mov.b64 {R, _}, D;|setp.lt.u32 P, R, R;|setp.lt.or.s32 P|P, R, R, !P;|selp.b32 R, R, 7, P;|mov.v4.f32 V, V;|
		fma.rn.f32 C, C, C, C;|mov.b128 Q, {D, D};|mov.b128 {D, D}, Q;|shfl.sync.idx.b32 R|P, R, R, 31, -1;|
		call (R), f, (R, D);|call (R), f, (5, D);|ld.global.v2.u32 {R, R}, [D+4];|st.global.v2.u32 [D], {R, R};|
		ld.global.v4.f32 V, [D];|st.shared.f32 [R], C;|atom.global.add.u32 R, [D], R;|red.global.add.u32 [D], R;|
		mov.u32 R, table[R];|lop3.or.b32 R|P, R, R, R, 0x3f, P;|and.pred P, P, P;|bar.red.popc.u32 R, 0, P;|
		prmt.b32 R, R, R, R;|add.cc.u32 R, R, R;`, ";|")
	last := strings.Split("bra L;|bra L;|bra.uni L;|brx.idx R, targets;|ret;|exit;|trap;||", "|")
	const blocks = 12
	pick := func(text string) string {
		var b strings.Builder
		for _, c := range text {
			switch c {
			case 'R', 'D', 'Q', 'P', 'V':
				fmt.Fprintf(&b, "%%%c%d", c+'a'-'A', r.IntN(4))
			case 'C':
				fmt.Fprintf(&b, "%%v%d.%c", r.IntN(4), "xyzw"[r.IntN(4)])
			case 'L':
				fmt.Fprintf(&b, "L%d", r.IntN(blocks+1))
			default:
				b.WriteRune(c)
			}
		}
		return b.String()
	}
	guard := func() string { return pick([...]string{"", "", "@P ", "@!P "}[r.IntN(4)]) }
	var b strings.Builder
	b.WriteString(".version 8.6\n.target sm_90\n.address_size 64\n.shared .b32 table[4];\n")
	for _, head := range []string{".func (.reg .b32 %r0) f(.reg .b32 %r1, .reg .b64 %d0) {",
		".entry k() { .reg .b32 %r0, %r1; .reg .b64 %d0;"} {
		b.WriteString(head + "\n.reg .b32 %r2, %r3; .reg .b64 %d1, %d2, %d3; .reg .b128 %q<4>; .reg .pred %p<4>;\n")
		b.WriteString(".reg .v4 .f32 %v<4>;\n")
		fmt.Fprintf(&b, "targets: .branchtargets L1, L3, L%d, L5;\n", r.IntN(blocks+1))
		for n := range blocks {
			fmt.Fprintf(&b, "L%d:\n", n)
			for range 1 + r.IntN(4) {
				fmt.Fprintf(&b, "%s%s;\n", guard(), strings.Trim(pick(kinds[r.IntN(len(kinds))]), "\n\t;"))
			}
			if end := pick(last[r.IntN(len(last))]); end != "" {
				fmt.Fprintf(&b, "%s%s\n", guard(), end)
			}
		}
		fmt.Fprintf(&b, "L%d:\n}\n", blocks)
	}
	return b.String()
}

// Values that are not live do not matter: with garbage in their place, in the lanes that are at the instruction, random
// programs leave the same memory.
func TestDeadRegistersDoNotMatter(t *testing.T) {
	total := uint64(120)
	if testing.Short() {
		total = 4
	}
	for seed := range total {
		for _, model := range Divergences() {
			w := &writer{Rand: rand.New(rand.NewPCG(seed, 15)), apart: model == Independent}
			src := w.program()
			g, want := structuredRun(t, src, model)
			require.NoError(t, g.Run(context.Background()))
			spoilt, got := structuredRun(t, src, model)
			dead := 0
			for !spoilt.Done() {
				dead += spoil(spoilt)
				_, err := spoilt.RunFor(1)
				require.NoError(t, err, "seed %d, %s\n%s", seed, model, src)
			}
			require.Equal(t, want(), got(), "seed %d, %s\n%s", seed, model, src)
			require.Equal(t, g.Stats(), spoilt.Stats())
			require.Positive(t, dead)
		}
	}
}

// spoil writes garbage to the registers that are not live where the next group is, and says how many there are.
func spoil(g *Grid) (dead int) {
	c := g.State.CTAs[g.State.Cur]
	w := c.Warps[c.Cur]
	fr := w.Cur.Frame
	live := g.Prog.Liveness(fr.Fn).At(w.Cur.PC)
	f := w.FramePtr()
	for i, s := range fr.Fn.Regs {
		if live.Has(int32(i)) {
			continue
		}
		dead++
		o := row.Operand{Off: s.Off, Bits: s.Bits, Mask: ^uint64(0)}
		machine.EachLane(w.Cur.Mask, func(lane int) {
			v := uint64(0x9e3779b97f4a7c15) * uint64(lane+32*i+1)
			o.SetPair(f, lane, row.Pair{v, ^v})
		})
	}
	return dead
}

// A view says in which lanes the value of a register is not read again. Lanes 0 to 15 jump to the end, where nothing is
// read; the others still read %a, and then %b.
func TestDeadRegistersByLane(t *testing.T) {
	g := grid(t, `.entry k() { .reg .b32 %a, %b; .reg .pred %p; .shared .b32 s;
		mov.u32 %a, %tid.x;
		setp.lt.u32 %p, %a, 16;
		@%p bra L;
		add.u32 %b, %a, 1;
		st.shared.b32 [s], %b;
	L:	exit;
	}`, Stack, 32)
	const low, high = Mask(0xffff), Mask(0xffff0000)
	for i, want := range []map[string]Mask{
		1: {"%a": 0, "%b": low | high, "%p": low | high},
		2: {"%a": 0, "%b": low | high, "%p": 0},
		3: {"%a": low, "%b": low | high, "%p": low | high},
		4: {"%a": low | high, "%b": low, "%p": low | high},
		5: {"%a": low | high, "%b": low | high, "%p": low | high},
	} {
		dead := map[string]Mask{}
		for _, r := range g.Warp(0, 0).Regs {
			dead[r.Reg.Name] = r.Dead
		}
		if i > 0 {
			require.Equal(t, want, dead, "after %d steps", i)
		}
		_, err := g.Step()
		require.NoError(t, err)
	}
}
