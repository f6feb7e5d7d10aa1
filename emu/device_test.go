package emu

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx"
)

// device loads a module whose single entry k has this parameter list and body.
func device(t *testing.T, params, body string) *Device {
	t.Helper()
	return deviceWith(t, Options{}, params, body)
}

func deviceWith(t *testing.T, o Options, params, body string) *Device {
	t.Helper()
	src := ".version 6.4\n.target sm_70\n.address_size 64\n.visible .entry k(" + params + ")\n{\n" + body + "\n}\n"
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err)
	d, err := Load(m, o)
	require.NoError(t, err)
	return d
}

const countUp = ".reg .b64 %a; .reg .b32 %r; ld.param.u64 %a, [out]; atom.global.add.u32 %r, [%a], 1; ret;"

// A device can be launched again and again: what a grid held is given back.
func TestLaunchesDoNotUseUpMemory(t *testing.T) {
	d := device(t, ".param .u64 out", countUp)
	out, err := d.Alloc(4)
	require.NoError(t, err)
	used := int64(0)
	for i := range 20 {
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 64}, Grid: Dim3{X: 3}, Args: [][]byte{Ptr(out)}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		if i == 1 {
			used = d.Mem.Used()
		}
	}
	require.Equal(t, used, d.Mem.Used())
	got := make([]byte, 4)
	require.NoError(t, d.Read(out, got))
	require.Equal(t, U32(20*3*64), got)
}

// A launch that is refused after its parameters have their place keeps nothing. There is room for 1 MiB. The parameters
// are 4 KiB; 2 MiB for a CTA of its own, and 200 KiB of shared memory eight times, are too much. A frame has a row of
// 256 bytes for each 64-bit register: with 32 of them and 32 warps, a CTA takes 256 KiB, and eight of them too much.
func TestRefusedLaunchesKeepNoMemory(t *testing.T) {
	wide := ".reg .b64 %a<32>;"
	for i := range 32 {
		wide += fmt.Sprintf("ld.param.u64 %%a%d, [in + %d];", i, 8*i)
	}
	for i := range 32 {
		wide += fmt.Sprintf("st.global.u64 [%%a0], %%a%d;", i)
	}
	for _, c := range []struct {
		name, directives, body string
		cluster, threads       int
		shared                 int
		want                   string
	}{
		{"memory of each CTA", ".minperctamemory 2097152", "ret;", 1, 32, 0, "memory"},
		{"shared memory", "", "ret;", 8, 32, 200 << 10, "the shared memory of a CTA"},
		{"frames", "", wide + " ret;", 8, 1024, 0, "memory"},
	} {
		src := ".version 9.4\n.target sm_107\n.address_size 64\n.visible .entry k(.param .align 8 .b8 in[4096]) " +
			c.directives + "\n{\n" + c.body + "\n}\n"
		m, err := ptx.Parse("test.ptx", []byte(src))
		require.NoError(t, err, c.name)
		d, err := Load(m, Options{MemoryLimit: 1 << 20})
		require.NoError(t, err, c.name)
		used := []int64{}
		for range 3 {
			_, err = d.Launch(Config{Entry: "k", Grid: Dim3{X: c.cluster}, Cluster: Dim3{X: c.cluster},
				Block: Dim3{X: c.threads}, SharedBytes: c.shared, Args: [][]byte{make([]byte, 4096)}})
			require.ErrorContains(t, err, c.want, c.name)
			used = append(used, d.Mem.Used())
		}
		require.Equal(t, []int64{used[0], used[0], used[0]}, used, c.name) // the most that was in use at a time
		require.Empty(t, d.Mem.Allocations(), c.name)
		_, err = d.Alloc(900 << 10)
		require.NoError(t, err, c.name)
	}
}

// The registers of a grid's last CTA can still be read when it has ended.
func TestLastRegistersStay(t *testing.T) {
	d := device(t, ".param .u64 out", countUp)
	out, err := d.Alloc(4)
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}, Args: [][]byte{Ptr(out)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	v := g.Warp(0, 0)
	require.True(t, v.Ended)
	require.Equal(t, FullMask, v.Exited)
	require.Equal(t, "%r", v.Regs[1].Reg.Name)
	for lane := range 32 { // lanes take turns in ascending order
		require.Equal(t, uint64(lane), v.Regs[1].Lo[lane])
	}
}

func TestHostMemory(t *testing.T) {
	d := device(t, "", "ret;")
	a, err := d.Alloc(10)
	require.NoError(t, err)
	require.Zero(t, a%256)
	require.NoError(t, d.Write(a, []byte("0123456789")))
	b := make([]byte, 4)
	require.NoError(t, d.Read(a+6, b))
	require.Equal(t, "6789", string(b))
	require.ErrorContains(t, d.Write(a+8, []byte("abc")), "outside every allocation")
	require.ErrorContains(t, d.Read(a+10, b), "runs over the end of the 10 bytes at")
	require.Error(t, d.Free(a+1))
	require.NoError(t, d.Free(a))
	require.Error(t, d.Read(a, b))
	_, err = d.Alloc(1 << 31)
	require.ErrorContains(t, err, "out of device memory")
}

func TestLaunchChecks(t *testing.T) {
	d := device(t, ".param .u64 out", countUp)
	for name, c := range map[string]Config{
		"no entry \"x\"":                   {Entry: "x"},
		"1 parameter, but 0":               {Entry: "k"},
		"takes 8 bytes":                    {Entry: "k", Args: [][]byte{U32(1)}},
		"1024 threads in all":              {Entry: "k", Args: [][]byte{U64(0)}, Block: Dim3{X: 1025}},
		"the limits are 2147483647":        {Entry: "k", Args: [][]byte{U64(0)}, Grid: Dim3{X: 1 << 31}},
		"a CTA has at most 232448":         {Entry: "k", Args: [][]byte{U64(0)}, SharedBytes: 1 << 20},
		"clusters need a .target of sm_90": {Entry: "k", Args: [][]byte{U64(0)}, Cluster: Dim3{X: 2}},
	} {
		_, err := d.Launch(c)
		require.ErrorContains(t, err, name)
	}
}
