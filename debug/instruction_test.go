package debug

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

const operandsText = `//@ block 32
//@ arg out u32[32] = 7
.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %v, %lane;
	.reg .b64 %p, %o;
	.reg .pred %q;
	mov.u32 %lane, %tid.x;
	ld.param.u64 %p, [out];
	mul.wide.u32 %o, %lane, 4;
	add.u64 %p, %p, %o;
	setp.lt.u32 %q, %lane, 4;
@%q	add.u32 %lane, %lane, 100;
	ld.global.u32 %v, [%p];
	st.global.u32 [%p], %lane;
@%q	bra L;
	mov.u32 %v, 1;
L:	ret;
}
`

// rowsOf writes the rows of an instruction in lanes 0 and 5: "role name value value was old old".
func rowsOf(v *View, i *Instruction) []string {
	var list []string
	for _, r := range i.Rows {
		text := fmt.Sprintf("%d %s", r.Role, r.Name)
		for _, lane := range []int{0, 5} {
			switch name := v.Name(r.Values[lane]); {
			case !r.Known.Has(lane):
				text += " ·"
			case r.Role == RoleAddress:
				text += " " + name
			default:
				text += fmt.Sprintf(" %d", r.Values[lane])
			}
			switch {
			case r.Had.Has(lane):
				text += fmt.Sprintf(" was %d", r.Old[lane])
			case r.Changed.Has(lane):
				text += " was ·"
			}
		}
		list = append(list, text)
	}
	return list
}

// Each step's operands, in lanes 0 and 5: %q is true in lanes 0 to 3, which add 100 to their number; lane 5 has its own
// 4-byte element, out+20, of which each was 7.
func TestOperandsOfAnInstruction(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("k.ptx", operandsText)
	v := s.View()
	require.Nil(t, v.Ran)
	require.Equal(t, []string{"1 %tid.x 0 5", "4 %lane · ·"}, rowsOf(&v, v.Next))
	s.Step()
	v = s.View()
	require.Equal(t, []string{"1 %tid.x 0 5", "4 %lane 0 was · 5 was ·"}, rowsOf(&v, v.Ran), "its first value")
	for range 5 {
		s.Step()
	}
	v = s.View()
	require.Equal(t, "@%q add.u32 %lane, %lane, 100", v.Ran.Text)
	require.Equal(t, "4 of 32 lanes: the guard is false in 28", v.Ran.Sentence)
	require.Equal(t, "out+20", s.Watches([]string{"%p"})[0].Values[5], "an address, as in the lanes")
	require.Equal(t, "20", s.Watches([]string{"%o"})[0].Values[5])
	require.Equal(t, emu.Mask(0xf), v.Ran.Exec)
	require.Equal(t, []string{"0 %q 1 0", "1 %lane 0 5", "4 %lane 100 was 0 ·"}, rowsOf(&v, v.Ran))
	require.Equal(t, []string{"2 [%p] out out+20", "3 memory 7 7", "4 %v · ·"}, rowsOf(&v, v.Next))
	require.Equal(t, "128 bytes: out … out+124", v.Next.Sentence) // 32 lanes × 4
	s.Step()
	s.Step()
	v = s.View()
	require.Equal(t, []string{"2 [%p] out out+20", "1 %lane 100 5", "3 memory 100 was 7 5 was 7"}, rowsOf(&v, v.Ran))
	require.Equal(t, "32 lanes here: 4 jump, 28 fall through", v.Next.Sentence)
	s.Step()
	v = s.View()
	line := strings.Count(operandsText[:strings.Index(operandsText, "L:	ret")], "\n") + 1
	require.Equal(t, []string{"0 %q 1 0", fmt.Sprintf("5 next %d was · %d was ·", line, line-1)}, rowsOf(&v, v.Ran))
}

// After a journey on the timeline the view has the step that led there, as after Step.
func TestSeekKnowsTheStep(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("k.ptx", operandsText)
	for s.RunFor(1 << 20) {
	}
	s.SeekTo(6)
	v := s.View()
	require.NotNil(t, v.Last)
	require.Equal(t, []string{"0 %q 1 0", "1 %lane 0 5", "4 %lane 100 was 0 ·"}, rowsOf(&v, v.Ran))
	s.SeekTo(0)
	require.Nil(t, s.View().Last)
}

// What lanes share is counted once: 4 bytes for 32 lanes. Local memory is each lane's own: 32 times 4 bytes.
func TestBytesOfAnAccess(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("k.ptx", `//@ arg out u32[32] = 7
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .u64 %p, %g, %l;
	.reg .u32 %v, %w;
	.local .align 4 .b32 mine[2];
	ld.param.u64 %p, [out];
	atom.global.add.u32 %v, [%p], 1;
	mov.u64 %l, mine;
	st.local.u32 [%l], %v;
	cvta.local.u64 %g, mine;
	ld.u32 %w, [%g];
	and.b64 %g, %g, 8;
	ret;
}
`)
	said := map[string]string{}
	for range 8 {
		v := s.View()
		require.NotNil(t, v.Next, v.Status)
		said[strings.Fields(v.Next.Text)[0]] = v.Next.Sentence
		s.Step()
	}
	require.Equal(t, "4 bytes for 32 lanes: out", said["atom.global.add.u32"])
	require.Contains(t, said["st.local.u32"], "128 bytes: ")
	require.Contains(t, said["ld.u32"], "128 bytes: ")
}

// The two addresses of a copy are in the two spaces that it names, in this order.
func TestAddressesOfACopy(t *testing.T) {
	v := at(t, "24-mma-int8.ptx", "cp.async.cg").View()
	places := v.Places()
	var names []string
	for _, row := range v.Ran.Rows {
		require.Equal(t, RoleAddress, row.Role)
		names = append(names, row.Name+" "+places.name(row.Values[5]))
	}
	require.Equal(t, []string{"[%to] ta+80", "[%p] a+80"}, names)
}
