package ptx

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx/isa"
)

func TestReconvergence(t *testing.T) {
	// if/else inside a loop: the sides of the branch at 1 meet at 4, those of the loop's branch at 6, after the loop
	m := parseOK(t, kernel(`.reg .pred p; .reg .u32 a;
TOP: mov.u32 a, 0;
@p bra ELSE;
mov.u32 a, 1;
bra JOIN;
ELSE: mov.u32 a, 2;
JOIN: mov.u32 a, 3;
@p bra TOP;
ret;`))
	f := m.Entries()[0]
	require.Equal(t, 5, f.Insts[1].Reconv())
	require.Equal(t, 5, f.Insts[3].Reconv())
	require.Equal(t, 7, f.Insts[6].Reconv())
	require.Len(t, f.Blocks, 5)
	require.Equal(t, []int{2, 1}, f.Blocks[0].Succs())
	require.Equal(t, -1, f.Blocks[4].IPDom)
}

func TestEarlyExit(t *testing.T) {
	// one side leaves: only the end post-dominates the branch, but the lanes that stay go on together at OUT
	m := parseOK(t, kernel(".reg .pred p;\n@p bra OUT;\nexit;\nOUT: ret;"))
	f := m.Entries()[0]
	require.Equal(t, -1, f.Blocks[0].IPDom)
	require.Equal(t, 2, f.Insts[0].Reconv())
	m = parseOK(t, kernel(".reg .pred p;\n@p exit;\n@p bra L;\nbar.sync 0;\nL: ret;"))
	require.Equal(t, 3, m.Entries()[0].Insts[1].Reconv())
}

// TestMeetingPoints: testdata/cfg.txtar has small graphs, solved by hand.
func TestMeetingPoints(t *testing.T) {
	const head = ".version 8.0\n.target sm_70\n.address_size 64\n" +
		".func promised() .noreturn { trap; }\n.func ends() { exit; }\n.func may(.reg .pred p) { @p exit; ret; }\n"
	for _, kind := range []string{".entry k()", ".func k()"} {
		for _, test := range txtar.Parts(t, "cfg") {
			var text strings.Builder
			var want []string
			for line := range strings.Lines(test.Text) {
				code, label, ok := strings.Cut(line, "=>")
				if text.WriteString(strings.TrimRight(code, "\n") + "\n"); ok {
					want = append(want, strings.TrimSpace(label))
				}
			}
			m := parseOK(t, head+kind+" { .reg .pred p; .reg .u32 q;"+text.String()+"}")
			f := m.Funcs[len(m.Funcs)-1]
			at := map[int]string{len(f.Insts): "end"}
			for _, l := range f.Labels {
				at[l.Target] = l.Name
			}
			var got []string
			for _, in := range f.Insts {
				if flow(in) == jumps && (in.Guard != nil || len(in.Targets()) > 1) {
					got = append(got, at[in.Reconv()])
				}
			}
			require.Equal(t, want, got, "%s: %s", kind, test.Name)
		}
	}
}

func TestBranchToTheEnd(t *testing.T) {
	m := parseOK(t, kernel(".reg .pred p;\n@p bra OUT;\nbar.sync 0;\nOUT:"))
	f := m.Entries()[0]
	require.Equal(t, []int{2}, f.Insts[0].Targets())
	// the lanes that jump leave at once; the others wait where they fall through
	require.Equal(t, 1, f.Insts[0].Reconv())
}

func TestInfiniteLoop(t *testing.T) {
	// the sides of an if/else in an endless loop still meet at JOIN
	m := parseOK(t, kernel(`.reg .pred p;
TOP: @p bra ELSE;
bar.sync 0;
bra JOIN;
ELSE: bar.sync 1;
JOIN: bra TOP;`))
	f := m.Entries()[0]
	require.Equal(t, 4, f.Insts[0].Reconv())
}

// TestPostDominators compares with the definition: d post-dominates b when no path from b reaches the exit without d.
func TestPostDominators(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range 300 {
		n := 1 + r.Intn(12)
		var b strings.Builder
		for t := range 2 {
			fmt.Fprintf(&b, "T%d: .branchtargets L%d, L%d, L%d;\n", t, r.Intn(n), r.Intn(n), r.Intn(n))
		}
		for i := range n {
			fmt.Fprintf(&b, "L%d: bar.sync 0;\n", i)
			switch r.Intn(6) {
			case 4:
				fmt.Fprintf(&b, "%sbrx.idx q, T%d;\n", []string{"", "@p "}[r.Intn(2)], r.Intn(2))
			case 0:
				fmt.Fprintf(&b, "bra L%d;\n", r.Intn(n))
			case 1, 2:
				fmt.Fprintf(&b, "@p bra L%d;\n", r.Intn(n))
			case 3:
				if r.Intn(3) == 0 {
					b.WriteString("ret;\n")
				}
			}
		}
		m := parseOK(t, kernel(".reg .pred p; .reg .u32 q;\n"+b.String()))
		f := m.Entries()[0]
		for i := range f.Blocks {
			if reaches(f, i, -1) {
				require.Equal(t, nearestPostDominator(f, i), f.Blocks[i].IPDom, "block %d of\n%s", i, b.String())
			}
		}
	}
}

// reaches says whether the exit can be reached from a block without passing through another one.
func reaches(f *Func, from, without int) bool {
	seen := map[int]bool{}
	var visit func(int) bool
	visit = func(b int) bool {
		if b == without || seen[b] {
			return false
		}
		seen[b] = true
		if endsFunction(f, &f.Blocks[b]) {
			return true
		}
		for _, s := range blocksAfter(f, &f.Blocks[b]) {
			if visit(s) {
				return true
			}
		}
		return false
	}
	return visit(from)
}

// endsFunction says whether control can leave the function from the end of a block.
func endsFunction(f *Func, b *Block) bool {
	last, end := f.Insts[b.End-1], len(f.Insts)
	word, _, _ := strings.Cut(last.Opcode, ".")
	return word == "ret" || word == "exit" || slices.Contains(last.Targets(), end) ||
		b.End == end && word != "trap" && (word != "bra" && word != "brx" || last.Guard != nil)
}

// blocksAfter are the blocks that can follow a block, according to its last instruction.
func blocksAfter(f *Func, b *Block) []int {
	last := f.Insts[b.End-1]
	word, _, _ := strings.Cut(last.Opcode, ".")
	starts := last.Targets()
	if word != "bra" && word != "brx" && word != "ret" || last.Guard != nil {
		starts = append(slices.Clone(starts), b.End)
	}
	var out []int
	for i := range f.Blocks {
		if slices.Contains(starts, f.Blocks[i].Start) {
			out = append(out, i)
		}
	}
	return out
}

// TestSharedTable: branches over one list share its edges; otherwise 300 branches over 5000 labels would make 1.5
// million.
func TestSharedTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("ts: .branchtargets L<5000>;\n")
	for range 300 {
		b.WriteString("@p brx.idx q, ts;\n")
	}
	for i := range 5000 {
		fmt.Fprintf(&b, "L%d: bar.sync 0;\n", i)
	}
	f := parseOK(t, kernel(".reg .pred p; .reg .u32 q;\n"+b.String())).Entries()[0]
	require.Len(t, f.Tables, 1)
	require.Len(t, f.Tables[0], 5000)
	edges := 0
	for i := range f.Nodes() {
		edges += len(f.Next(i))
	}
	require.Equal(t, 2*300+5000+4999, edges) // to the list and on, from the list, from each label to the next
	require.Equal(t, []int{300 + 5000, 1}, f.Blocks[0].Succs())
	require.Equal(t, 300+4999, f.Blocks[299].IPDom) // every way on ends at the last label
}

// nearestPostDominator is the post-dominator that all others post-dominate.
func nearestPostDominator(f *Func, b int) int {
	var doms []int
	for d := range f.Blocks {
		if d != b && !reaches(f, b, d) {
			doms = append(doms, d)
		}
	}
	for _, d := range doms {
		nearest := true
		for _, e := range doms {
			nearest = nearest && (e == d || !reaches(f, d, e))
		}
		if nearest {
			return d
		}
	}
	return -1
}

func TestManyBlocks(t *testing.T) {
	shapes := map[string]func(i int) string{
		"ladder":   func(i int) string { return fmt.Sprintf("L%d: @p bra L%d;\n", i, 99999) },
		"diamonds": func(i int) string { return fmt.Sprintf("L%d: @p bra L%d;\n", i, min(99999, i+2)) },
		"back":     func(i int) string { return fmt.Sprintf("L%d: @p bra L%d;\n", i, i/2) },
		"mirror":   func(i int) string { return fmt.Sprintf("L%d: @p bra L%d;\n", i, 99999-i) },
	}
	for name, shape := range shapes {
		var b strings.Builder
		for i := range 100000 {
			b.WriteString(shape(i))
		}
		m := hostile(t, []byte(kernel(".reg .pred p;\n"+b.String()+"ret;")))
		require.Len(t, m.Funcs[0].Insts, 100001, name)
	}
}

// TestFarNames: a name from far outside has the meaning declared there, until the scope itself declares it.
func TestFarNames(t *testing.T) {
	deep := 20
	m := parseOK(t, kernel(".reg .b32 a;\n"+strings.Repeat("{ .reg .b32 x;\n", deep)+
		"mov.b32 a, 1;\nmov.b32 a, 2;\n.reg .f32 a;\nmov.f32 a, 0f00000000;\n{ mov.f32 a, 0f00000000; }\n"+
		strings.Repeat("}", deep)+
		"\nmov.b32 a, 3;"))
	insts := m.Entries()[0].Insts
	outer, inner := insts[0].Operands[0].Reg, insts[2].Operands[0].Reg
	require.Same(t, outer, insts[1].Operands[0].Reg)
	require.Same(t, inner, insts[3].Operands[0].Reg)
	require.Same(t, outer, insts[4].Operands[0].Reg)
	require.Equal(t, isa.F32, inner.Type)
}
