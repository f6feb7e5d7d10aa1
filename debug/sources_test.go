package debug

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// treeOf writes where a value comes from, a line for each value: its name, the value, and the line that wrote it.
func treeOf(o *Origin, indent string) string {
	text := fmt.Sprintf("%s%s = %d", indent, o.Name, o.Value)
	if o.Write != nil {
		text += fmt.Sprintf(", line %d", o.Write.Line)
	}
	for i := range o.Sources {
		text += "\n" + treeOf(&o.Sources[i], indent+" ")
	}
	return text
}

func origins(s *Session, reg string, lane int) string {
	o := s.Origin(Cell{Lane: lane, Reg: regOf(s, reg), Elem: -1})
	return treeOf(&o, "")
}

// kernel is a kernel of one warp that a test's lines are the body of. %n is the lane, and %v ten times that.
func kernel(target, body string) string {
	return "//@ block 32\n//@ arg in u32[128] = iota(100)\n//@ arg out u32[128]\n.version 8.0\n.target " + target +
		"\n.address_size 64\n.shared .align 16 .b8 sm[256];\n.visible .entry k(.param .u64 in, .param .u64 out) {\n" +
		".reg .u32 %n, %v, %a, %b, %c, %d, %w, %x, %y, %z; .reg .u64 %in, %out; .reg .pred %p, %q;\n" +
		"mov.u32 %n, %laneid; mul.lo.u32 %v, %n, 10; ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n" +
		strings.TrimPrefix(body, "\n") + "\nret;\n}\n"
}

// Lane 5 calls square with 5 + 3.
func TestOriginThroughRegistersOfACall(t *testing.T) {
	s := open(t, passing)
	finish(s)
	require.Equal(t, `%b = 64, line 7
 %sq = 64, line 7
  %x = 8, line 15
   %m = 8, line 13
    %n = 5, line 12
     %tid.x = 5
    3 = 3`, origins(s, "%b", 5))
}

// Lane 5 calls square with 5, which goes through .param variables and back.
func TestOriginThroughParametersOfACall(t *testing.T) {
	s := open(t, `//@ block 32
.version 8.0
.target sm_80
.address_size 64
.func (.param .b32 sq) square(.param .b32 x) {
	.reg .u32 %x, %s;
	ld.param.u32 %x, [x];
	mul.lo.u32 %s, %x, 7;
	st.param.b32 [sq], %s; ret;
}
.visible .entry k() {
	.reg .u32 %n, %b;
	mov.u32 %n, %laneid;
	{ .param .b32 to; .param .b32 back;
	st.param.b32 [to], %n;
	call (back), square, (to);
	ld.param.b32 %b, [back]; }
	ret;
}
`)
	finish(s)
	require.Equal(t, `%b = 35, line 17
 back = 35, line 9
  sq = 35, line 9
   %s = 35, line 8
    %x = 5, line 7
     x = 5, line 16
      to = 5, line 15
       %n = 5, line 13
        %laneid = 5
    7 = 7`, origins(s, "%b", 5))
}

// 3! = 3 * 2!: the outer activation of fact multiplies with its own %k, which is 3. The inner ones write theirs later.
func TestOriginInARecursion(t *testing.T) {
	s := open(t, `//@ block 32
.version 8.0
.target sm_80
.address_size 64
.func (.reg .u32 %f) fact(.reg .u32 %k) {
	.reg .u32 %less, %g; .reg .pred %p;
	mov.u32 %f, 1;
	setp.le.u32 %p, %k, 1;
@%p	bra done;
	sub.u32 %less, %k, 1;
	call (%g), fact, (%less);
	mul.lo.u32 %f, %g, %k;
done:	ret;
}
.visible .entry k() {
	.reg .u32 %b;
	call (%b), fact, (3);
	ret;
}
`)
	finish(s)
	tree := origins(s, "%b", 0)
	require.True(t, strings.HasPrefix(tree, `%b = 6, line 13
 %f = 6, line 12
  %g = 2, line 13
   %f = 2, line 12
`), tree)
	require.Contains(t, tree, "\n  %k = 3, line 17\n   3 = 3")
}

// The sources of a shuffle are in the lane that the value comes from (9.7.10.6): up by 3 gives lane 9 the value of lane
// 6, and lane 1 its own; down by 2 gives lane 9 that of 11; the lanes 9 and 9 xor 5 = 12 exchange theirs; all get that
// of lane 7.
func TestOriginThroughShuffles(t *testing.T) {
	for _, sync := range []struct{ target, name, members string }{{"sm_80", ".sync", ", -1"}, {"sm_60", "", ""}} {
		s := open(t, kernel(sync.target, strings.NewReplacer("shfl", "shfl"+sync.name, ";", sync.members+";").Replace(`
shfl.up.b32 %a|%p, %v, 3, 0;
shfl.down.b32 %b, %v, 2, 31;
shfl.bfly.b32 %c|%q, %v, 5, 31;
shfl.idx.b32 %d, %v, 7, 31;`)))
		finish(s)
		for _, c := range []struct {
			reg        string
			lane, from int
		}{{"%a", 9, 6}, {"%a", 1, 1}, {"%b", 9, 11}, {"%c", 9, 12}, {"%d", 9, 7}} {
			require.Contains(t, origins(s, c.reg, c.lane), fmt.Sprintf("\n %%v in lane %d = %d, line 10\n  %%n = %d, line 10",
				c.from, 10*c.from, c.from), "%s in lane %d, %s", c.reg, c.lane, sync.target)
		}
		require.NotContains(t, origins(s, "%p", 9), "%v")
	}
}

// The sum of lane 4 is made of 40 and of 0 to 310 without it.
func TestOriginOfWhatAllLanesMake(t *testing.T) {
	s := open(t, kernel("sm_80", `
redux.sync.add.u32 %a, %v, -1;
setp.lt.u32 %p, %n, 2;
vote.sync.ballot.b32 %b, %p, -1;
@%p activemask.b32 %c;`))
	finish(s)
	for reg, want := range map[string][2]string{"%a": {"%v in lanes 0-3,5-31", "0 … 310"},
		"%b": {"%p in lanes 0-3,5-31", "1 (2 lanes), 0 (29 lanes)"}} {
		o := s.Origin(Cell{Lane: 4, Reg: regOf(s, reg), Elem: -1})
		require.Equal(t, want, [2]string{o.Sources[1].Name, o.Sources[1].Text})
		require.Equal(t, want[0][:2]+" in lane 4", o.Sources[0].Name)
		require.NotNil(t, o.Sources[0].Write)
	}
	o := s.Origin(Cell{Lane: 1, Reg: regOf(s, "%c"), Elem: -1})
	require.Equal(t, emu.Mask(3).Lanes(), o.Sources[1].Text)
}

// 0xffffffff + n carries in all lanes but lane 0.
func TestOriginOfACarry(t *testing.T) {
	s := open(t, kernel("sm_80", `
add.cc.u32 %a, %n, -1;
addc.u32 %b, 0, 0;`))
	finish(s)
	for lane, carry := range map[int]int{0: 0, 3: 1} {
		require.Contains(t, origins(s, "%b", lane), fmt.Sprintf("\n the carry CC.CF = %d, line 11\n  %%n = %d", carry, lane))
	}
}

// Lane 2 copies in[4] = 104 and in[5] to shared+16; of lane 2's second copy only the first word is from global memory.
func TestOriginThroughAnAsynchronousCopy(t *testing.T) {
	s := open(t, kernel("sm_80", `
mad.wide.u32 %in, %n, 8, %in; mov.u32 %w, sm; mad.lo.u32 %w, %n, 8, %w;
cp.async.ca.shared.global [%w], [%in], 8, 4;
cp.async.wait_all;
ld.shared.v2.u32 {%a, %b}, [%w];`))
	finish(s)
	require.Contains(t, origins(s, "%a", 2), "\n shared+16 = 104, line 13\n  in+16 = 104")
	o := s.Origin(Cell{Lane: 2, Reg: regOf(s, "%b"), Elem: -1})
	filled := o.Sources[len(o.Sources)-1]
	require.Equal(t, "shared+20", filled.Name)
	require.Equal(t, 13, filled.Write.Line)
	require.Zero(t, filled.Value)
	require.Empty(t, filled.Sources, "it is filled with zero")
}

// Lane 1 loads in[4] to in[7], 104 to 107, and stores them in the opposite order from out[4] on.
func TestOriginOfElementsOfVectors(t *testing.T) {
	s := open(t, kernel("sm_80", `
mad.wide.u32 %in, %n, 16, %in; mad.wide.u32 %out, %n, 16, %out;
ld.global.v4.u32 {%a, %b, %c, %d}, [%in];
st.global.v4.u32 [%out], {%d, %c, %b, %a};`))
	finish(s)
	out := s.View().Memory[1]
	require.Equal(t, "out", out.Name)
	o := s.Origin(Cell{Addr: out.Addr + 16 + 4, Size: 4, Space: ptx.GlobalSpace}) // the second of lane 1
	require.Len(t, o.Sources, 2)
	require.Equal(t, "%out", o.Sources[0].Name)
	element := o.Sources[1]
	require.Equal(t, "%c", element.Name)
	memory := element.Sources[len(element.Sources)-1]
	require.Equal(t, "in+24", memory.Name) // in[6]
	require.EqualValues(t, 106, memory.Value)
}

// A guard is named as the predicate that has the value, with the guard in words.
func TestOriginOfAGuard(t *testing.T) {
	s := open(t, kernel("sm_80", `
setp.gt.u32 %p, %n, 10;
mov.u32 %a, 1;
@!%p mov.u32 %a, 2;`))
	finish(s)
	o := s.Origin(Cell{Lane: 3, Reg: regOf(s, "%a"), Elem: -1})
	require.Equal(t, "%p", o.Sources[0].Name)
	require.Zero(t, o.Sources[0].Value)
	require.Equal(t, "which the guard @!%p asks for", o.Sources[0].Note)
}
