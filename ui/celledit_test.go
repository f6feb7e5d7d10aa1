package ui

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/ptx/isa"
	"warpscope/share"
)

// At step 21 of example 05 lane 26 holds 54 in %v, and stores it as out[26] at the end.
func TestEditACell(t *testing.T) {
	s := nested(t, 21)
	s.Do(SetBits{AsUnsigned})
	end := s.Model().View.End
	ref, ok := registerRef(s.Model(), "%v", 26)
	require.True(t, ok)
	require.Equal(t, "54", ref.Text)
	s.Do(EditCell{ref})
	require.Equal(t, end-21, s.Model().CellEdit.Drops)
	require.Contains(t, s.Model().CellEdit.dropWords(), "drops the "+count(end-21)+" steps")
	s.Do(EnterValue{"x"})
	require.Contains(t, s.Model().CellEdit.Problem, "not an integer")
	require.Equal(t, end, s.Model().View.End, "nothing is dropped yet")
	s.Do(CloseEdit{})
	require.Equal(t, end, s.Model().View.End)

	s.Do(EditCell{ref})
	s.Do(EnterValue{"1000"})
	require.Nil(t, s.Model().CellEdit)
	require.Equal(t, int64(21), s.Model().View.End)
	again, _ := registerRef(s.Model(), "%v", 26)
	require.Equal(t, "1000", again.Text)
	link := share.Encode(s.State())
	require.True(t, strings.HasPrefix(link, "3."))

	run(s)
	out := memoryAt(t, s.Model(), "out", 26)
	require.Equal(t, "1000", out.Text)
	require.Equal(t, "out[26]", out.Expr)
	s.Do(EditCell{out})
	require.Zero(t, s.Model().CellEdit.Drops)
	s.Do(EnterValue{"-1"})
	require.NotEmpty(t, s.Model().CellEdit.Problem, "u32")
	s.Do(EnterValue{"7"})
	require.Equal(t, "7", memoryAt(t, s.Model(), "out", 26).Text)

	p := newFakePlatform()
	other := NewStore(debug.New(emu.Options{}), p)
	other.Do(SetBits{AsUnsigned})
	other.Do(OpenLink{link})
	for other.Model().Running {
		p.frame()
	}
	require.Equal(t, int64(21), other.Model().View.Tick)
	ref, _ = registerRef(other.Model(), "%v", 26)
	require.Equal(t, "1000", ref.Text, "the link carries the edit")
	require.Empty(t, other.Model().Problem)
	run(other)
	require.Equal(t, "1000", memoryAt(t, other.Model(), "out", 26).Text)
}

func run(s *Store) {
	s.Do(Run{})
	for s.Model().Running {
		s.platform.(*fakePlatform).frame()
	}
}

func memoryAt(t *testing.T, m *Model, region string, index int) cellRef {
	n := *m
	n.Region = region
	ref, ok := memoryRef(&n, index*4)
	require.True(t, ok)
	return ref
}

// A link into the middle makes edits on its way, each at its step: %v is 54 in lane 26 from step 20 on, and 30 more.
func TestLinkWithEditsOnTheWay(t *testing.T) {
	s := nested(t, 0)
	s.Do(SetBits{AsUnsigned})
	state := share.State{Text: s.Model().Text, Step: 21, Breakpoints: []int{42}, Edits: []share.Edit{
		{Step: 0, Lane: 5, Func: s.Model().View.Entry, Reg: "%offset", Value: []byte{9}},
		{Step: 20, Lane: 26, Func: s.Model().View.Entry, Reg: "%v", Value: []byte{100}},
		{Step: 21, Lane: 25, Func: s.Model().View.Entry, Reg: "%v", Value: []byte{1, 2}},
	}}
	s.Do(OpenLink{share.Encode(state)})
	for s.Model().Running {
		s.platform.(*fakePlatform).frame()
	}
	require.Empty(t, s.Model().Problem)
	ref, _ := registerRef(s.Model(), "%v", 26)
	require.Equal(t, "130", ref.Text)
	ref, _ = registerRef(s.Model(), "%v", 25)
	require.Equal(t, "513", ref.Text)
	ref, _ = registerRef(s.Model(), "%offset", 5)
	require.Contains(t, ref.Text, "9")
	require.Len(t, s.State().Edits, 3)
	require.Equal(t, []debug.Stop{{Line: 42}}, s.Model().Stops, "no breakpoint stops the way, and all are there again")
	state.Edits[0].Reg = "%nothing"
	s.Do(OpenLink{share.Encode(state)})
	for s.Model().Running {
		s.platform.(*fakePlatform).frame()
	}
	require.Contains(t, s.Model().Problem, "no register %nothing")
}

func TestValuesOfPredicates(t *testing.T) {
	for text, want := range map[string]uint64{"1": 1, "T": 1, "false": 0} {
		bits, problem := valueOf(isa.Pred, text)
		require.Equal(t, want, bits)
		require.Empty(t, problem)
	}
	_, problem := valueOf(isa.Pred, "2")
	require.NotEmpty(t, problem)
}

// Lane 5 stores 5 * 1.5 = 7.5 to shared memory, loads it again and stores it. The dialog writes it as the panel does.
func TestOriginOfMemoryHasTypes(t *testing.T) {
	s := NewStore(debug.New(emu.Options{}), newFakePlatform())
	s.Open()
	s.setText("//@ block 32\n//@ arg out f32[32]\n.version 8.0\n.target sm_80\n.address_size 64\n" +
		".shared .f32 tile[32];\n.visible .entry k(.param .u64 out) {\n.reg .u32 %n, %at; .reg .f32 %f, %g; " +
		".reg .u64 %out; .reg .pred %p;\nmov.u32 %n, %laneid; ld.param.u64 %out, [out]; mad.wide.u32 %out, %n, 4, %out;\n" +
		"cvt.rn.f32.u32 %f, %n; mul.f32 %f, %f, 1.5; mov.u32 %at, tile; mad.lo.u32 %at, %n, 4, %at;\n" +
		"setp.gt.u32 %p, %n, 40; st.shared.f32 [%at], %f; @!%p ld.shared.f32 %g, [%at]; st.global.f32 [%out], %g;\n" +
		"vote.sync.ballot.b32 %n, %p, -1; ret;\n}\n")
	s.Do(Run{})
	for s.Model().Running {
		s.platform.(*fakePlatform).frame()
	}
	out := s.Model().View.Memory[0]
	at := debug.Cell{Addr: out.Addr + 20, Size: 4, Space: out.Space}
	s.Do(ShowOrigin{cellRef{Name: "out[5]", Type: isa.F32, Cell: at}})
	rows := map[string]string{}
	for _, r := range s.Model().Origin.Rows {
		rows[r.Name] = r.Value
	}
	for name, value := range map[string]string{"out+20": "7.5", "shared+20": "7.5", "%g": "7.5",
		"%p, which the guard @!%p asks for": "F"} {
		require.Equal(t, value, rows[name], name)
	}
	ref, ok := registerRef(s.Model(), "%n", 5)
	require.True(t, ok)
	s.Do(ShowOrigin{ref})
	row := s.Model().Origin.Rows[len(s.Model().Origin.Rows)-1]
	require.Equal(t, []string{"%p in lanes 0-4,6-31", "0"}, []string{row.Name, row.Value})
}

// Lane 26 holds 54 in %v: 30 more than the 24 of step 20, which is 20 more than the 4 of step 17.
func TestOrigin(t *testing.T) {
	s := nested(t, 27)
	s.Do(SetBits{AsUnsigned})
	ref, _ := registerRef(s.Model(), "%v", 26)
	s.Do(ShowOrigin{ref})
	var chain []string
	for _, r := range s.Model().Origin.Rows {
		chain = append(chain, strings.Repeat(" ", r.Depth)+r.Value+" "+r.Where)
	}
	require.Equal(t, []string{"54 step 21, line 62", " 24 step 20, line 60", "  4 step 17, line 55"}, chain[:3])
	require.Equal(t, int64(21), s.Model().Origin.Rows[0].Tick)
	s.Do(HideOrigin{})
	require.Nil(t, s.Model().Origin)
	require.Equal(t, int64(27), s.Model().View.Tick, "looking moves nothing")

	s.Do(WhoWrote{ref})
	require.Equal(t, int64(21), s.Model().View.Tick)
	labels := map[string]popupItem{}
	for _, item := range cellMenu(s.Model(), ref).Items {
		labels[item.Label] = item
	}
	for _, name := range []string{"Who wrote this?", "Next change", "Break when it changes", "Watch %v", "Follow lane 26",
		"Edit value…", "Where does this value come from?"} {
		require.Contains(t, labels, name)
	}
	s.Do(labels["Break when it changes"].Action)
	require.Equal(t, []debug.Stop{{Kind: debug.StopChange, What: "%v"}}, s.Model().Stops)
	s.Do(Reset{})
	s.Do(NextWrite{ref})
	require.Equal(t, int64(17), s.Model().View.Tick)
}

// The branch of line 35, the third instruction, sends lanes 16 to 31 to upper, and pushes an entry for each side.
func TestWhoWroteTheMask(t *testing.T) {
	s := nested(t, 4)
	ref, ok := activeRef(s.Model(), 20)
	require.True(t, ok)
	menu := cellMenu(s.Model(), ref)
	require.Len(t, menu.Items, 2, "it has no value to edit or to watch")
	require.Equal(t, "Who wrote this?", menu.Items[0].Label)
	require.Equal(t, "Next change", menu.Items[1].Label)
	s.Do(WhoWrote{ref})
	require.Contains(t, s.Model().Notice, "lane 20's bit of the active mask was changed by step 3, line 35 ")
	require.EqualValues(t, 0xffff, s.Model().View.State.Active)
	entry, ok := entryRef(s.Model(), 0)
	require.True(t, ok)
	s.Do(WhoWrote{entry})
	require.Contains(t, s.Model().Notice, "the entry of lanes 0-15 was changed by step 3, line 35 ")
	s.Do(Seek{0})
	s.Do(WhoWrote{ref})
	require.Contains(t, s.Model().Notice, "No step before this one has changed lane 20's bit")
}
