package emu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
)

// tensorKernel allocates all of tensor memory, loads the buffer t (128 rows of `columns` words) into it and s into
// shared memory, lets thread 0 execute `act` and commit it, waits, lets all warps execute `then`, and stores tensor
// memory to t. %v0 … are the 64-bit words of the buffer v.
func tensorKernel(t *testing.T, columns int, act, then string) string {
	var b strings.Builder
	b.WriteString(txtar.Text(t, "tmem/begin"))
	for i := range 8 {
		fmt.Fprintf(&b, "ld.global.b64 %%v%d, [%%q+%d];\n", i, 8*i)
	}
	all := func(load bool) {
		fmt.Fprintf(&b, "ld.param.u64 %%q, [t]; mul.wide.u32 %%o, %%t, %d; add.s64 %%q, %%q, %%o;\n", 4*columns)
		for col := 0; col < columns; col += 16 {
			regs := tuple("r", 16)
			if load {
				for i := range 16 {
					fmt.Fprintf(&b, "ld.global.b32 %%r%d, [%%q+%d];\n", i, 4*(col+i))
				}
				fmt.Fprintf(&b, "tcgen05.st.sync.aligned.32x32b.x16.b32 [%%base+%d], %s;\n", col, regs)
				continue
			}
			fmt.Fprintf(&b, "tcgen05.ld.sync.aligned.32x32b.x16.b32 %s, [%%base+%d];\ntcgen05.wait::ld.sync.aligned;\n", regs,
				col)
			for i := range 16 {
				fmt.Fprintf(&b, "st.global.b32 [%%q+%d], %%r%d;\n", 4*(col+i), i)
			}
		}
	}
	all(true)
	b.WriteString("tcgen05.wait::st.sync.aligned; bar.sync 0; @!%first bra issued;\n" + act +
		`tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
		issued: mbarrier.try_wait.parity.shared.b64 %p, [bar], 0; @!%p bra issued;
		` + then)
	all(false)
	b.WriteString(`bar.sync 0; setp.eq.u32 %p, %w, 0; @!%p bra done;
		tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;
		ld.shared.b32 %x, [slot]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %x, 512; done:`)
	return b.String()
}

// tensorImage is tensor memory as the tests see it: 128 rows of columns.
type tensorImage struct {
	columns int
	bytes   []byte
}

func newTensorImage(columns int) *tensorImage {
	return &tensorImage{columns, make([]byte, 512*columns)}
}

func (m *tensorImage) word(lane, col int) []byte { return m.bytes[4*(lane*m.columns+col):][:4] }

func (m *tensorImage) get(lane, col int) uint32 { return binary.LittleEndian.Uint32(m.word(lane, col)) }

func (m *tensorImage) set(lane, col int, v uint32) {
	binary.LittleEndian.PutUint32(m.word(lane, col), v)
}

func (m *tensorImage) random(rng *rand.Rand) *tensorImage {
	for i := range m.bytes {
		m.bytes[i] = byte(rng.Uint32())
	}
	return m
}

func words(v ...uint64) []byte {
	b := make([]byte, 64)
	for i, x := range v {
		binary.LittleEndian.PutUint64(b[8*i:], x)
	}
	return b
}

// The fragments of tcgen05.ld and tcgen05.st, by shape: the lane and the column of register r of lane l (Figures 186 to
// 190). Rows of 64 bits: lanes 4g and 4g+2 have row g, 4g+1 and 4g+3 row g+8. Rows of 128: the four have row g, and in
// the next register row g+8. Rows of 256: the four have two columns each of row g, then of row g+8.
var tensorFragments = map[string]struct {
	regs  int
	place func(l, r int) (lane, col int)
}{
	"32x32b.x4":  {4, func(l, r int) (int, int) { return l, r }},
	"16x64b.x2":  {2, func(l, r int) (int, int) { return groupID(l) + either(l%2 == 0, 0, 8), 2*r + l%4/2 }},
	"16x128b.x2": {4, func(l, r int) (int, int) { return groupID(l) + either(r%2 == 0, 0, 8), 4*(r/2) + l%4 }},
	"16x256b.x2": {8, func(l, r int) (int, int) {
		return groupID(l) + either(r%4 < 2, 0, 8), 8*(r/4) + 2*(l%4) + r%2
	}},
	"16x32bx2.x2": {2, func(l, r int) (int, int) { return l % 16, r + either(l < 16, 0, 5) }},
	"16x32bx2.x4": {4, func(l, r int) (int, int) { return l%16 - either(l < 16, 16, 0), r + either(l < 16, 0, 6) }},
}

func TestTensorFragments(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for shape, sf := range tensorFragments {
		split, ofHalf := "", 0
		if strings.HasPrefix(shape, "16x32bx2") {
			split = ", 5"
		}
		if shape == "16x32bx2.x4" { // taddr is in the lower half, and what is added to it leads to the upper half
			split = ", 0x100006"
		}
		if !strings.HasPrefix(shape, "32") {
			ofHalf = 16 // the upper half of a warp's lanes
		}
		base := ofHalf
		if shape == "16x32bx2.x4" {
			base = 0
		}
		var regs []string
		for i := range sf.regs {
			regs = append(regs, fmt.Sprintf("%%r%d", 20+i))
		}
		tuple := "{" + strings.Join(regs, ",") + "}"
		for _, half := range []bool{false, true} {
			mod, to, per := "", "", 1
			if half && split == "" {
				mod, to, per = ".pack::16b", ".unpack::16b", 2
			}
			m := newTensorImage(64).random(rng)
			want := &tensorImage{64, append([]byte(nil), m.bytes...)}
			for warp := range 4 {
				for l := range 32 {
					for r := range sf.regs {
						row, col := sf.place(l, r)
						lane := 32*warp + row + ofHalf
						if per == 2 { // the upper halves are lost
							want.set(lane, 32+2*col, m.get(lane, 2*col)&0xffff)
							want.set(lane, 33+2*col, m.get(lane, 2*col+1)&0xffff)
							continue
						}
						want.set(lane, 32+col, m.get(lane, col))
					}
				}
			}
			at := fmt.Sprintf("[%%x]%s", split)
			then := fmt.Sprintf("add.u32 %%x, %%base, %d;\n"+
				"tcgen05.ld.sync.aligned.%s%s.b32 %s, %s; tcgen05.wait::ld.sync.aligned;\n"+
				"add.u32 %%x, %%x, 32; tcgen05.st.sync.aligned.%s%s.b32 %s, %s; tcgen05.wait::st.sync.aligned;\n",
				base<<16, shape, mod, tuple, at, shape, to, at, tuple)
			require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 64, "", then), make([]byte, 49152), m.bytes, words()))
			require.Equal(t, want.bytes, m.bytes, shape+mod)
		}
	}
}

// A reduction is over the registers of each lane.
//
// families = `tcgen05.ld.red`
func TestTensorReduction(t *testing.T) {
	f := math.Float32bits
	for _, c := range []struct {
		op   string
		in   [3]uint32
		want uint32
	}{
		{"max.s32", [3]uint32{5, ^uint32(0), 7}, 7}, {"min.s32", [3]uint32{5, ^uint32(0), 7}, ^uint32(0)},
		{"min.u32", [3]uint32{5, ^uint32(0), 7}, 5}, {"max.f32", [3]uint32{f(-3), f(1), 0x7fc00000}, f(1)},
		{"max.abs.f32", [3]uint32{f(-3), f(1), f(2)}, f(3)}, {"min.NaN.f32", [3]uint32{f(-3), 0x7fc00000, f(1)}, 0x7fffffff},
		{"min.abs.f32", [3]uint32{0xffc00000, f(-3), f(4)}, f(3)}, {"max.f32", [3]uint32{0xffc00001, 0x7fc00002, 0xffffffff},
			0x7fffffff},
		{"max.abs.NaN.f32", [3]uint32{f(-3), f(1), 0xffc00001}, 0x7fffffff},
		// +0 > -0 as in redux.sync (9.7.15.13), whichever comes first.
		{"min.f32", [3]uint32{0, 0x80000000, 0}, 0x80000000}, {"max.f32", [3]uint32{0x80000000, 0, 0x80000000}, 0},
		{"min.f32", [3]uint32{0x80000000, 0, 0}, 0x80000000}, {"max.f32", [3]uint32{0, 0x80000000, 0x80000000}, 0},
	} {
		m := newTensorImage(16)
		for lane := range 128 {
			for i := range 4 {
				m.set(lane, i, c.in[min(i, 2)])
			}
		}
		then := "tcgen05.ld.red.sync.aligned.32x32b.x4." + c.op +
			" {%r20,%r21,%r22,%r23}, %r30, [%base]; tcgen05.wait::ld.sync.aligned;\n" +
			"tcgen05.st.sync.aligned.32x32b.x1.b32 [%base+8], {%r30}; tcgen05.wait::st.sync.aligned;\n"
		require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 16, "", then), make([]byte, 49152), m.bytes, words()))
		require.Equal(t, c.want, m.get(77, 8), c.op)
	}
}

// tensorDesc is a shared memory descriptor (Table 49).
func (l *layout) tensorDesc() uint64 {
	mode := map[int]uint64{0: 0, 128: 2, 64: 4, 32: 6}[l.width]
	d := uint64(l.start>>4) | uint64(l.lbo>>4)<<16 | uint64(l.sbo>>4)<<32 | 1<<46 | mode<<61
	if l.wide {
		return d&(1<<61-1) | 1<<61
	}
	if l.next > 0 {
		return d&^(0x3fff<<16) | uint64(l.next>>4)<<16 | 1<<52
	}
	if l.width > 0 {
		d |= uint64(l.pattern>>7&7) << 49
	}
	return d
}

// tcgen05.cp: rows of shared memory to lanes, to several where a shape says so.
func TestTensorCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, c := range []struct {
		shape      string
		rows, size int // bytes
		lanes      func(row int) []int
	}{
		{"128x256b", 128, 32, func(row int) []int { return []int{row} }},
		{"128x128b", 128, 16, func(row int) []int { return []int{row} }},
		{"4x256b", 4, 32, func(row int) []int { return []int{32 * row} }},
		{"64x128b.warpx2::01_23", 64, 16, func(row int) []int {
			return [][]int{{row, row + 32}, {row + 32, row + 64}}[row/32]
		}},
		{"64x128b.warpx2::02_13", 64, 16, func(row int) []int { return []int{row, row + 64} }},
		{"32x128b.warpx4", 32, 16, func(row int) []int { return []int{row, row + 32, row + 64, row + 96} }},
		{"128x128b.b8x16.b6x16_p32", 128, 16, func(row int) []int { return []int{row} }},
		{"128x256b.b8x16.b4x16_p64", 128, 32, func(row int) []int { return []int{row} }},
	} {
		image := make([]byte, 49152)
		for i := range image {
			image[i] = byte(rng.Uint32())
		}
		l := layoutOf(false, 64, 2048, c.rows, c.size, 8)
		m := newTensorImage(16).random(rng)
		want := &tensorImage{16, append([]byte(nil), m.bytes...)}
		for row := range c.rows {
			for i := range c.size {
				at, _ := l.address(row, i)
				v := image[at]
				first, _ := l.address(row, i/16*16)
				switch {
				case strings.Contains(c.shape, "b4x16"): // element i: nibble i, to the middle of a byte
					v = image[first+i%16/2] >> (i % 2 * 4) & 15 << 2
				case strings.Contains(c.shape, "b6x16"):
					bit := i % 16 * 6
					v = byte(binary.LittleEndian.Uint16(image[first+bit/8:]) >> (bit % 8) & 63)
				}
				for _, lane := range c.lanes(row) {
					want.word(lane, 4+i/4)[i%4] = v
				}
			}
		}
		act := "add.u32 %x, %base, 4; tcgen05.cp.cta_group::1." + c.shape + " [%x], %v0;\n"
		require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 16, act, ""), image, m.bytes, words(l.tensorDesc())))
		require.Equal(t, want.bytes, m.bytes, c.shape)
	}
}

// A B200 that shifts from lane 0 on gives lanes 0 to 127 the numbers of lanes 1 to 31 and 31, 33 to 63 and 63, and so
// on (notes/sm100/instr/utcshift.md in the public repository cicuvc/nvidia-sass-document). Of 16 columns, 8 move.
func TestTensorShift(t *testing.T) {
	for first, address := range map[int]string{0: "4", 32: "0x200004", 96: "0x600004"} {
		m := newTensorImage(16).random(rand.New(rand.NewPCG(1, 1)))
		want := &tensorImage{16, append([]byte(nil), m.bytes...)}
		for lane := first; lane < 128; lane++ {
			for col := 4; col < 12; col++ {
				want.set(lane, col, m.get(min(lane+1, lane|31), col))
			}
		}
		act := "add.u32 %x, %base, " + address + "; tcgen05.shift.cta_group::1.down [%x];\n"
		require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 16, act, ""), make([]byte, 49152), m.bytes, words()))
		require.Equal(t, want.bytes, m.bytes, address)
	}
}

// What tcgen05.cp.4x256b is for: the lanes that a shift leaves get new rows (Copy_Traits of SM100_UTCCP_4dp256bit_1cta
// in CuTe's copy_traits_sm100.hpp). The two are pipelined (9.7.18.6.2.1), so one commit is enough.
func TestTensorShiftAndRefresh(t *testing.T) {
	image, m := make([]byte, 49152), newTensorImage(16)
	for lane := range 128 {
		m.set(lane, 4, uint32(lane))
	}
	l := layoutOf(false, 64, 2048, 4, 32, 8)
	for row := range 4 { // the row that comes next after each warp's 32, in units of 1000
		at, _ := l.address(row, 0)
		binary.LittleEndian.PutUint32(image[at:], uint32(1000*(row+1)))
	}
	act := "add.u32 %x, %base, 4; tcgen05.shift.cta_group::1.down [%x];\n" +
		"add.u32 %x, %base, 0x1f0004; tcgen05.cp.cta_group::1.4x256b [%x], %v0;\n"
	require.NoError(t, runBlock(t, 128, "s t v", tensorKernel(t, 16, act, ""), image, m.bytes, words(l.tensorDesc())))
	for lane := range 128 {
		want := uint32(lane + 1)
		if lane%32 == 31 {
			want = uint32(1000 * (lane/32 + 1))
		}
		require.Equal(t, want, m.get(lane, 4), lane)
	}
}

// An operation happens when its mbarrier is waited for; a load is there after its wait.
func TestTensorIsAsynchronous(t *testing.T) {
	m := newTensorImage(16)
	for lane := range 128 {
		m.set(lane, 0, uint32(lane))
	}
	// Thread 0 alone: the copy of zeros to column 0 to 3 is issued and committed, lane 7 is read before and after.
	act := "tcgen05.cp.cta_group::1.128x128b [%base], %v0;\n"
	late := "tcgen05.st.sync.aligned.32x32b.x1.b32 [%base+8], {%t}; " +
		"tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r20}, [%base+8];\n" +
		"tcgen05.st.sync.aligned.32x32b.x1.b32 [%base+9], {%r20};\n" + // before the wait: still 0
		"tcgen05.wait::st.sync.aligned; tcgen05.wait::ld.sync.aligned;\n" +
		"tcgen05.st.sync.aligned.32x32b.x1.b32 [%base+10], {%r20}; tcgen05.wait::st.sync.aligned;\n"
	l := layoutOf(false, 0, 0, 128, 16, 8)
	kernel := tensorKernel(t, 16, act, late)
	early := strings.Replace(kernel, "issued: mbarrier.try_wait", `issued: bar.sync 0;
		tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r21}, [%base]; tcgen05.wait::ld.sync.aligned;
		tcgen05.st.sync.aligned.32x32b.x1.b32 [%base+11], {%r21}; tcgen05.wait::st.sync.aligned;
		waiting: mbarrier.try_wait`, 1)
	early = strings.Replace(early, "@!%p bra issued;\n", "@!%p bra waiting;\n", 1)
	require.NoError(t, runBlock(t, 128, "s t v", early, make([]byte, 49152), m.bytes, words(l.tensorDesc())))
	require.EqualValues(t, []uint32{0, 7, 0, 7, 7}, []uint32{m.get(7, 0), m.get(7, 8), m.get(7, 9), m.get(7, 10),
		m.get(7, 11)})
}

func TestTensorFaults(t *testing.T) {
	const alloc = "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [slot], "
	const generic = "tcgen05.alloc.cta_group::1.sync.aligned.b32 [%q0], 32;"
	const head = ".shared .b32 slot; .reg .b32 %r<4>; .reg .b64 %q<4>; .reg .pred %p; mov.b32 %r0, 0; mov.b64 %q0, 0; "
	for _, c := range [][2]string{
		{alloc + "48;", "48 columns: tensor memory comes in powers of two from 32 to 512 columns"},
		{"add.u32 %r0, %l, 32; " + alloc + "%r0;", "all lanes of a warp give " +
			"`tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32` " +
			"the same number of columns, and lane 0 has 0x20, lane 1 0x21"},
		{alloc + "32; tcgen05.st.sync.aligned.32x32b.x1.b32 [%l], {%r1};",
			"the same address, and lane 0 has 0x0, lane 1 0x1"},
		// each lane's address counts, and generic ones are of the CTA's shared memory
		{"mul.wide.u32 %q0, %l, 4; " + generic, "the same address, and lane 0 has"},
		{".local .b32 own; mov.b64 %q0, own; cvta.local.u64 %q0, %q0; " + generic,
			"illegal address 0x180000000 (4 bytes, generic)"},
		{alloc + "32; mul.lo.u32 %r0, %l, 32; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 32;",
			"the same address, and lane 0 has 0x0, lane 1 0x20"},
		{alloc + "512; " + alloc + "32;", "until 32 columns of tensor memory are free"},
		{"tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned; " + alloc + "32;", "given up the right"},
		{alloc + "64; mov.b32 %r1, 0x2100010; mov.b64 %q1, 0x1100000000000000; " +
			"tcgen05.mma.ws.cta_group::1.kind::f16 [%r0], %q0, %q0, %r1, %p, %q1;",
			"columns are shifted by 17, and with M 32 by at most 16"},
		{alloc + "64; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r0, 32;", "no allocation of 32 columns"},
		{alloc + "32; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r0+32];", "columns 32 to 32"},
		{alloc + "32; mov.b32 %r0, 0x200000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r1}, [%r0];",
			"can access lanes 0 to 31"},
		{alloc + "32; tcgen05.mma.cta_group::1.kind::f16 [%r0], %q0, %q0, %r0, %p;", "no shape with M 0 and N 0"},
		{alloc + "32; mov.b32 %r1, 0x8020010; tcgen05.mma.cta_group::1.kind::f16 [%r0], %q0, %q0, %r1, %p;", "bits 46 to 48"},
		{alloc + "32; mov.b32 %r1, 0x8020010; mov.b64 %q0, 0x400000000000; " +
			"tcgen05.mma.cta_group::1.kind::f16 [%r0], %q0, %q0, %r1, %p;", "the CTA has 4 bytes of shared memory"},
	} {
		body, want := c[0], c[1]
		require.ErrorContains(t, runMatrix(t, "", head+body), want, body)
	}
	for shape, want := range map[string]string{"4x256b": "in a lane of the first warp", "128x256b": "in lane 0"} {
		body := alloc + "32; mov.b32 %r0, 0x200000; mov.b64 %q0, 0x400000000000; tcgen05.cp.cta_group::1." + shape +
			" [%r0], %q0;"
		require.ErrorContains(t, runMatrix(t, "", head+body), "the destination begins "+want)
	}
	const free = "tcgen05.dealloc.cta_group::1.sync.aligned.b32 "
	const shift = "setp.eq.u32 %p, %l, 0; @%p tcgen05.shift.cta_group::1.down [%r0];\n"
	for _, c := range [][2]string{
		{alloc + "32;", "ended without tcgen05.dealloc of the columns from 0 on"},
		{alloc + "32; " + alloc + "64;" + free + "64, 64; " + free + "0, 32;", "asks for 64 columns after 32"},
		{alloc + "64; " + alloc + "32;" + free + "0, 64; " + free + "64, 32;", ""},
		{alloc + "32; " + shift + free + "0, 32;",
			"no tcgen05.commit has tracked `tcgen05.shift.cta_group::1.down` of lane 0"},
		{alloc + "32; " + shift + "mbarrier.init.shared.b64 [b], 32; " +
			"tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%q1];\n" +
			free + "0, 32;", "frees tensor memory, and what `tcgen05.commit"},
	} {
		body, want := c[0], c[1]
		d, err := matrixModule(t, "", ".shared .align 8 .b64 b;"+head+"cvta.shared.u64 %q1, b;"+body)
		require.NoError(t, err)
		g, err := d.Launch(Config{Entry: "k", Block: Dim3{X: 32}})
		require.NoError(t, err)
		require.NoError(t, g.Run(context.Background()))
		if want == "" {
			require.Empty(t, g.Findings())
			continue
		}
		require.NotEmpty(t, g.Findings(), body)
		require.Contains(t, fmt.Sprint(g.Findings()), want, body)
	}
}
