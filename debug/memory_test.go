package debug

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/internal/txtar"
)

// pageMemory is the device memory of a program in the page.
const pageMemory = 256 << 20

// kernelWith is a kernel that takes a buffer and does nothing, under header lines and after directives.
func kernelWith(header, directives string) string {
	return header + ".version 6.4\n.target sm_70\n.address_size 64\n" + directives +
		".visible .entry k(.param .u64 buf) {\n    ret;\n}\n"
}

// The message that a program does not fit into memory comes before the memory is allocated.
func TestLargeMemoryIsRefusedInASentence(t *testing.T) {
	for text, want := range map[string]string{
		kernelWith("//@ arg buf u8[1000000000] = 7\n", ""):                       "the device has 268,435,456",
		kernelWith("//@ arg buf u8[1000000000] = 7\n//@ expect buf == 7\n", ""):  "the device has 268,435,456",
		kernelWith("//@ arg buf f64[130000000] = iota\n", ""):                    "makes 1,040,000,000 bytes of buffers",
		kernelWith("//@ arg buf u8[16]\n", ".global .b8 g[1000000000];\n"):       "1,000,000,000 bytes asked for",
		kernelWith("//@ arg buf u8[16]\n", ".global .b8 g[1000000000] = {1};\n"): "1,000,000,000 bytes asked for",
		kernelWith("//@ arg buf u8[250000000]\n", ".global .b8 g[100000000];\n"): "bytes asked for",
	} {
		s := New(emu.Options{MemoryLimit: pageMemory})
		before := allocated()
		s.SetSource("test.ptx", text)
		v := s.View()
		require.Equal(t, Invalid, v.Phase, text)
		require.Contains(t, v.Status, want)
		require.Less(t, allocated()-before, uint64(pageMemory), text)
	}
}

// SetSource prepares nothing: forty megabytes of device memory, and diagnostics of the machine, wait until a view or a
// step asks for them.
func TestSetSourcePreparesNothing(t *testing.T) {
	s := New(emu.Options{})
	before := allocated()
	s.SetSource("test.ptx", kernelWith("//@ arg buf u32[10000000] = 7\n", ""))
	require.Equal(t, Ready, s.Draft().Phase)
	require.Equal(t, "k", s.Spec().Entry)
	require.Less(t, allocated()-before, uint64(1<<20))
	s.Step()
	require.Equal(t, Finished, s.View().Phase) // ret is the only instruction
	require.Greater(t, allocated()-before, uint64(40_000_000))

	s.SetSource("test.ptx", kernelWith("//@ arg buf u8[16]\n", ".global .b8 g[2000000000];\n"))
	require.Equal(t, Ready, s.Draft().Phase)
	require.Empty(t, s.Draft().Diagnostics)
	require.False(t, s.RunFor(1))
	require.Equal(t, Invalid, s.Draft().Phase)
	require.Contains(t, s.Draft().Status, "2,000,000,000 bytes asked for")
	require.Equal(t, "launch-refused", s.View().Diagnostics[0].Code)
	require.Nil(t, s.Spec())
}

// allocated is the bytes that this process has ever asked for.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A kernel that asks for memory until there is none left gets null, and its history stays within its budget.
func TestMallocUntilNull(t *testing.T) {
	s := New(emu.Options{MemoryLimit: pageMemory})
	s.SetSource("test.ptx", txtar.Text(t, "memory/malloc"))
	for s.RunFor(1 << 16) {
		require.LessOrEqual(t, s.history.cost, int64(memoryBudget))
	}
	require.Equal(t, Finished, s.View().Phase)
	require.LessOrEqual(t, s.history.cost, int64(memoryBudget))
	s.StepBack()
	require.Equal(t, Paused, s.View().Phase)
}

// A session releases its program before it makes room for the next one. So a hundred megabytes of device memory, their
// snapshot and the values of the header take the room of one program, however often the text changes.
func TestTheProgramBeforeIsLetGo(t *testing.T) {
	s := New(emu.Options{})
	text := kernelWith("//@ arg buf u32[25000000] = 7\n", "")
	s.SetSource("test.ptx", text)
	require.Equal(t, Ready, s.View().Phase)
	first := taken()
	for i := range 5 {
		s.SetSource("test.ptx", text+strings.Repeat("\n", i))
		s.View()
	}
	require.Less(t, taken(), first+first/4, fmt.Sprintf("%d bytes for one program", first))
}

// taken is the largest memory that this process has ever held.
func taken() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys
}

// A view is a copy: of large buffers it holds the beginning, and names every place in them.
func TestViewsOfLargeBuffers(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("test.ptx", kernelWith("//@ arg buf u32[10000000] = 7\n", ""))
	v := s.View()
	require.Len(t, v.Memory[0].Bytes, shownBytes)
	require.Equal(t, 40_000_000, v.Memory[0].Size)
	require.Equal(t, byte(7), v.Memory[0].Bytes[shownBytes-4])
	require.Equal(t, "buf+39999996", v.Name(v.Memory[0].Addr+39_999_996))
}

// The regions that a step does not write to are the same bytes in the next view, and a region that it writes to is
// another copy: the earlier view stays as it was.
func TestViewsShareWhatHasNotChanged(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("test.ptx", `//@ arg buf u32[1000000] = 7
//@ arg out u32[32]
.version 6.4
.target sm_70
.address_size 64
.visible .entry k(.param .u64 buf, .param .u64 out) {
	.reg .b64 %p;
	ld.param.u64 %p, [out];
	st.global.u32 [%p], 5;
	ret;
}
`)
	var views []View
	for {
		v := s.View()
		views = append(views, v)
		if v.Last != nil && len(v.Last.Mem) > 0 {
			break
		}
		require.Less(t, len(views), 20)
		s.Step()
	}
	v, before := views[len(views)-1], views[len(views)-2]
	require.Same(t, &before.Memory[0].Bytes[0], &v.Memory[0].Bytes[0])
	require.Equal(t, []byte{0, 0, 0, 0}, before.Memory[1].Bytes[:4])
	require.Equal(t, []byte{5, 0, 0, 0}, v.Memory[1].Bytes[:4])
}

// So do the values of registers: only what a step writes is another copy, and what the strip shows of the step before
// it changes neither view.
func TestViewsShareValuesOfRegisters(t *testing.T) {
	s := New(emu.Options{})
	s.SetSource("test.ptx", `.version 6.4
.target sm_70
.visible .entry k() {
	.reg .b32 %a, %b;
	mov.u32 %a, 3;
	mov.u32 %b, %laneid;
	add.u32 %b, %b, %a;
	ret;
}
`)
	s.Step()
	s.Step()
	before := s.View()
	s.Step()
	after := s.View()
	require.Same(t, before.State.Regs[0].Lo, after.State.Regs[0].Lo)
	for lane := range uint64(32) {
		require.Equal(t, lane, before.State.Regs[1].Lo[lane])
		require.Equal(t, lane+3, after.State.Regs[1].Lo[lane])
	}
	s.StepBack()
	require.Equal(t, before.State.Regs, s.View().State.Regs)
}
