package emu_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/ptx"
)

// Layouts that the manual shows in pictures, against a second public source: the layouts of CuTe in NVIDIA's CUTLASS,
// of include/cute/atom/copy_traits_sm75.hpp and copy_traits_sm100.hpp. Programs show where the bytes are here.

// cute is a layout as CuTe writes it: the digits of an index, lowest first, in the mixed base shape, times stride.
type cute struct{ shape, stride []int }

func modes(shape []int, stride ...int) cute { return cute{shape, stride} }

func (c cute) at(index int) (sum int) {
	for i, n := range c.shape {
		sum += index % n * c.stride[i]
		index /= n
	}
	return sum
}

func (c cute) size() int {
	n := 1
	for _, s := range c.shape {
		n *= s
	}
	return n
}

// runWords runs a program of sm_100a with a block of threads, from the words `in` to the words `out`.
func runWords(t *testing.T, threads int, body string, in []uint32, out int) []uint32 {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 9.0\n.target sm_100a\n.address_size 64\n"+
		".visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %l, %x, %base, %r<68>; .reg .b64 %q, %o, %d;\n"+
		".reg .pred %p, %first; .shared .align 1024 .b8 s[8192]; .shared .b32 slot; .shared .b64 bar;\n"+
		"mov.u32 %l, %tid.x; setp.eq.u32 %first, %l, 0;\n"+body+"ret;\n}\n"))
	require.NoError(t, err)
	d, err := emu.Load(m, emu.Options{})
	require.NoError(t, err)
	var buffer []byte
	for _, w := range in {
		buffer = binary.LittleEndian.AppendUint32(buffer, w)
	}
	from, err := d.Alloc(len(buffer) + 4)
	require.NoError(t, err)
	require.NoError(t, d.Write(from, buffer))
	to, err := d.Alloc(4 * out)
	require.NoError(t, err)
	g, err := d.Launch(emu.Config{Entry: "k", Block: emu.Dim3{X: threads}, Args: [][]byte{emu.Ptr(from), emu.Ptr(to)}})
	require.NoError(t, err)
	require.NoError(t, g.Run(context.Background()))
	require.Empty(t, g.Findings())
	buffer = make([]byte, 4*out)
	require.NoError(t, d.Read(to, buffer))
	words := make([]uint32, out)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(buffer[4*i:])
	}
	return words
}

// registers is a list of them in braces.
func registers(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%%r%d", i)
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// storeRegisters writes registers of all lanes to out: those of lane 0, then of lane 1, …
func storeRegisters(n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "ld.param.u64 %%q, [out]; mul.wide.u32 %%o, %%l, %d; add.u64 %%q, %%q, %%o;\n", 4*n)
	for i := range n {
		fmt.Fprintf(&b, "st.global.b32 [%%q+%d], %%r%d;\n", 4*i, i)
	}
	return b.String()
}

// loadShared copies words of `in` to shared memory, one for each thread of the block in turn.
func loadShared(words, threads int) string {
	var b strings.Builder
	b.WriteString("ld.param.u64 %q, [in]; mul.wide.u32 %o, %l, 4; add.u64 %q, %q, %o; " +
		"mov.u32 %x, s; mad.lo.u32 %x, %l, 4, %x;\n")
	for i := 0; i < words; i += threads {
		fmt.Fprintf(&b, "ld.global.b32 %%r0, [%%q+%d]; st.shared.b32 [%%x+%d], %%r0;\n", 4*i, 4*i)
	}
	return b.String() + "bar.sync 0;\n"
}

// tensorLayouts are the layouts of an instruction of sm_100a.
func tensorLayouts(t *testing.T, text string) []emu.Layout {
	t.Helper()
	m, err := ptx.Parse("test.ptx", []byte(".version 9.0\n.target sm_100a\n.address_size 64\n.visible .entry k()\n{\n"+
		".reg .b32 %x, %r<68>;\n"+text+"\nret;\n}\n"))
	require.NoError(t, err)
	return emu.Layouts(m.Entries()[0].Insts[0])
}

// tcgen05.ld: DstLayout is of thread and bit of its registers to a bit of rows of so many; ValID says that rows are
// lanes and that with .pack::16b each 16 bits come from a column of their own.
func TestTensorLoadsAreThoseOfCuTe(t *testing.T) {
	for _, c := range []struct {
		shape          string
		regs, row      int
		threads, value cute
	}{
		{"32x32b.x2", 2, 64, modes([]int{32}, 64), modes([]int{64}, 1)},
		{"16x64b.x1", 1, 64, modes([]int{2, 2, 8}, 512, 32, 64), modes([]int{32}, 1)},
		{"16x64b.x2", 2, 128, modes([]int{2, 2, 8}, 1024, 32, 128), modes([]int{32, 2}, 1, 64)},
		{"16x128b.x1", 2, 128, modes([]int{4, 8}, 32, 128), modes([]int{32, 2}, 1, 1024)},
		{"16x128b.x2", 4, 256, modes([]int{4, 8}, 32, 256), modes([]int{32, 2, 2}, 1, 2048, 128)},
		{"16x256b.x1", 4, 256, modes([]int{4, 8}, 64, 256), modes([]int{64, 2}, 1, 2048)},
		{"16x256b.x2", 8, 512, modes([]int{4, 8}, 64, 512), modes([]int{64, 2, 2}, 1, 4096, 256)},
		{"16x32bx2.x2", 2, 128, modes([]int{16, 2}, 128, 64), modes([]int{64}, 1)},
	} {
		for _, pack := range []string{"", ".pack::16b"} {
			columns, split := c.row/32, ""
			if pack != "" {
				columns *= 2
			}
			if strings.Contains(c.shape, "bx2") {
				split = fmt.Sprintf(", %d", columns/2)
			}
			var body strings.Builder
			body.WriteString("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\n" +
				"ld.shared.b32 %base, [slot];\n")
			for col := range 32 { // 256 lane + column
				fmt.Fprintf(&body, "mad.lo.u32 %%r0, %%l, 256, %d; tcgen05.st.sync.aligned.32x32b.x1.b32 [%%base+%d], {%%r0};\n",
					col, col)
			}
			fmt.Fprintf(&body, "tcgen05.wait::st.sync.aligned; tcgen05.ld.sync.aligned.%s%s.b32 %s, [%%base]%s;\n"+
				"tcgen05.wait::ld.sync.aligned; %stcgen05.dealloc.cta_group::1.sync.aligned.b32 %%base, 32;\n",
				c.shape, pack, registers(c.regs), split, storeRegisters(c.regs))
			got := runWords(t, 32, body.String(), nil, 32*c.regs)
			load := fmt.Sprintf("tcgen05.ld.sync.aligned.%s%s.b32 %s, [%%x]%s;", c.shape, pack, registers(c.regs), split)
			store := strings.ReplaceAll(fmt.Sprintf("tcgen05.st.sync.aligned.%s%s.b32 [%%x]%s, %s;", c.shape, pack, split,
				registers(c.regs)), ".pack", ".unpack")
			layouts, stored := tensorLayouts(t, load), tensorLayouts(t, store)
			for i, word := range got {
				lane, reg := i/c.regs, i%c.regs
				bit := c.threads.at(lane) + c.value.at(32*reg)
				row, col := bit/c.row, bit%c.row/32
				want := uint32(256*row + col)
				if pack != "" {
					want = uint32(256*row + 2*col + (256*row+2*col+1)<<16)
				}
				require.Equal(t, want, word, "%s%s, lane %d, register %d", c.shape, pack, lane, reg)
				part := 0
				if split != "" { // a matrix of its own for each half of the warp
					part = lane / 16
					col -= part * c.row / 64
				}
				for k := range columns / (c.row / 32) {
					held := emu.Holder{Lane: lane, Register: reg, Part: k}
					at := col*columns/(c.row/32) + k
					require.Equal(t, held, layouts[part].At(row, at), "%s%s", c.shape, pack)
					require.Equal(t, held, stored[part].At(row, at), "%s%s", c.shape, pack)
				}
			}
			require.True(t, layouts[0].Write && layouts[0].Late && !stored[0].Write, load)
			require.Equal(t, len(layouts[0].Holders)*len(layouts), 32*c.regs*columns/(c.row/32), "each element has one place")
		}
	}
}

// tcgen05.cp: ValID gives the lane of a row, and of its copies.
func TestTensorCopiesAreThoseOfCuTe(t *testing.T) {
	for _, c := range []struct {
		shape        string
		columns      int
		rows, copies cute
	}{
		{"128x256b", 8, modes([]int{128}, 1), cute{}},
		{"128x128b", 4, modes([]int{128}, 1), cute{}},
		{"4x256b", 8, modes([]int{4}, 32), cute{}},
		{"32x128b.warpx4", 4, modes([]int{32}, 1), modes([]int{4}, 32)},
		{"64x128b.warpx2::02_13", 4, modes([]int{64}, 1), modes([]int{2}, 64)},
		{"64x128b.warpx2::01_23", 4, modes([]int{32, 2}, 1, 64), modes([]int{2}, 32)},
	} {
		in := make([]uint32, 2048)
		for i := range in {
			in[i] = uint32(i + 1)
		}
		sbo := 32 * c.columns // eight rows; 16 bytes of each lie together
		body := loadShared(len(in), 128) + "fence.proxy.async;\n" +
			"@%first mbarrier.init.shared.b64 [bar], 1; setp.ge.u32 %p, %l, 32; @%p bra allocated;\n" +
			"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], 32;\n" +
			"allocated: bar.sync 0; ld.shared.b32 %base, [slot]; shr.u32 %x, %l, 5; shl.b32 %x, %x, 21; add.u32 %x, %x, %base;\n"
		zero := strings.Repeat("%r0, ", c.columns-1) + "%r0"
		body += fmt.Sprintf("mov.u32 %%r0, 0; tcgen05.st.sync.aligned.32x32b.x%d.b32 [%%x], {%s};\n"+
			"tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync; bar.sync 0;\n"+
			"tcgen05.fence::after_thread_sync;\n@!%%first bra wait;\n"+
			"mov.u32 %%r1, s; shr.u32 %%r1, %%r1, 4; cvt.u64.u32 %%d, %%r1; or.b64 %%d, %%d, %#x;\n"+
			"tcgen05.cp.cta_group::1.%s [%%base], %%d;\n"+
			"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];\n"+
			"wait: mbarrier.try_wait.parity.shared.b64 %%p, [bar], 0; @!%%p bra wait;\n"+
			"tcgen05.fence::after_thread_sync; tcgen05.ld.sync.aligned.32x32b.x%d.b32 %s, [%%x];\n"+
			"tcgen05.wait::ld.sync.aligned; %sbar.sync 0; setp.ge.u32 %%p, %%l, 32; @%%p bra done;\n"+
			"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %%base, 32; done:\n",
			c.columns, zero, uint64(128>>4)<<16|uint64(sbo>>4)<<32|1<<46, c.shape, c.columns, registers(c.columns),
			storeRegisters(c.columns))
		got := runWords(t, 128, body, in, 128*c.columns)
		want := make([]uint32, len(got))
		for row := range c.rows.size() {
			for n := range c.copies.size() {
				lane := c.rows.at(row) + c.copies.at(n)
				for col := range c.columns {
					at := row/8*sbo + row%8*16 + col/4*128 + col%4*4
					want[lane*c.columns+col] = in[at/4]
				}
			}
		}
		require.Equal(t, want, got, c.shape)
	}
}

// rowsMove is ldmatrix or stmatrix of CuTe: a layout of thread and bit of a row of 16 bytes, and one of thread and bit
// of its registers, to the same bits.
type rowsMove struct {
	opcode         string
	regs, rows     int
	row            cute
	threads, value cute
	halves         bool // the registers are exchanged byte by byte afterwards: copy_sm100.hpp, SM100_U8x8_LDSM_T
}

// places gives the row and the byte in it of each byte of a lane's registers.
func (c *rowsMove) places(lane int) (list [][2]int) {
	where := map[int][2]int{}
	for row := range c.rows {
		for i := range 16 {
			where[c.row.at(row)+8*i] = [2]int{row, i}
		}
	}
	for i := range 4 * c.regs {
		list = append(list, where[c.threads.at(lane)+c.value.at(8*i)])
	}
	if c.halves { // bytes 0, 1, 4, 5 and 2, 3, 6, 7 of two registers
		for i := 0; i < len(list); i += 8 {
			p := list[i : i+8]
			copy(p, [][2]int{p[0], p[1], p[4], p[5], p[2], p[3], p[6], p[7]})
		}
	}
	return list
}

func TestMatrixRowsAreThoseOfCuTe(t *testing.T) {
	line, bytes := modes([]int{64}, 128), modes([]int{4, 8}, 256, 8)
	square, four := []int{2, 2, 4, 2}, []int{8, 2, 2, 4}
	for _, c := range []rowsMove{
		{"ldmatrix.sync.aligned.m8n8.x4.shared.b16", 4, 32, line, modes([]int{32}, 32), modes([]int{32, 4}, 1, 1024), false},
		{"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", 4, 32, line, modes([]int{4, 8}, 256, 16),
			modes([]int{16, 2, 4}, 1, 128, 1024), false},
		{"ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8", 2, 16, modes(square, 128, 1024, 256, 0), bytes,
			modes(four, 1, 128, 64, 1024), true},
		{"ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8", 4, 32, modes(square, 128, 1024, 256, 2048), bytes,
			modes(four, 1, 128, 64, 1024), true},
		{"stmatrix.sync.aligned.m16n8.x1.trans.shared.b8", 1, 8, line, bytes, modes(four, 1, 128, 64, 1024), false},
		{"stmatrix.sync.aligned.m16n8.x4.trans.shared.b8", 4, 32, line, bytes, modes(four, 1, 128, 64, 1024), false},
	} {
		store := strings.HasPrefix(c.opcode, "st")
		for _, shift := range []int{0, 8} { // bytes are the low and the high half of their index
			in := make([]uint32, 128)
			for i := range in {
				for b := range 4 {
					in[i] |= uint32((4*i+b)>>shift&255) << (8 * b)
				}
			}
			address := "mov.u32 %x, s; mad.lo.u32 %x, %l, 16, %x;\n"
			load := ""
			for i := range c.regs {
				load += fmt.Sprintf("ld.shared.b32 %%r%d, [%%base+%d];\n", i, 4*i)
			}
			body := loadShared(128, 32) + address + c.opcode + " " + registers(c.regs) + ", [%x];\n" + storeRegisters(c.regs)
			n := 32 * c.regs
			if store { // register i of lane l is word regs l + i
				body = loadShared(128, 32) + fmt.Sprintf("mov.u32 %%base, s; mad.lo.u32 %%base, %%l, %d, %%base;\n", 4*c.regs) +
					load + "bar.sync 0;\n" + address + c.opcode + " [%x], " + registers(c.regs) + "; bar.sync 0;\n" +
					"mov.u32 %base, s; mad.lo.u32 %base, %l, 16, %base;\n" +
					strings.ReplaceAll("ld.shared.v4.b32 #, [%base];\n", "#", registers(4)) + storeRegisters(4)
				n = 128
			}
			got := runWords(t, 32, body, in, n)
			byteOf := func(words []uint32, at int) uint32 { return words[at/4] >> (at % 4 * 8) & 255 }
			for lane := range 32 {
				for i, p := range c.places(lane) {
					register, memory := 4*c.regs*lane+i, 16*p[0]+p[1]
					if store {
						register, memory = memory, register
					}
					require.Equal(t, byteOf(in, memory), byteOf(got, register), "%s, lane %d, byte %d", c.opcode, lane, i)
				}
			}
		}
	}
}
