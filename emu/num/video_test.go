package num

import (
	"fmt"
	"math/big"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/ptx/isa"
)

func video(t *testing.T, opcode, dst, a, b string) *Video {
	t.Helper()
	words := strings.Split(opcode, ".")
	v := &Video{Mnemonic: words[0], Dst: dst, A: a, B: b}
	for _, w := range words[1:] {
		if typ, ok := isa.ParseType("." + w); ok {
			v.Types = append(v.Types, typ)
		} else {
			v.Mods = append(v.Mods, "."+w)
		}
	}
	return v
}

// TestVideo are cases worked out by hand from the pseudo-code of 9.7.20.
func TestVideo(t *testing.T) {
	for _, c := range []struct {
		opcode, d, a, b string
		x, y, z, want   uint32
	}{
		{"vadd.s32.u32.s32.sat", "", ".b0", ".h0", 0xff, 0x8000, 0, 0xffff80ff}, // 255 - 32768
		{"vadd.u32.u32.u32", "", "", "", 0xffffffff, 2, 0, 1},                   // wraps
		{"vadd.u32.u32.u32.sat", "", "", "", 0xffffffff, 2, 0, 0xffffffff},      // clamps
		{"vsub.u32.u32.u32.sat", "", "", "", 1, 2, 0, 0},                        // clamps at zero
		{"vsub.s32.s32.u32.sat", "", ".h1", ".h1", 0x80000000, 0x00010000, 0, 0xffff7fff},
		{"vabsdiff.s32.s32.s32.sat", ".h0", ".b0", ".b2", 0x80, 0x7f0000, 0xabcd1234, 0xabcd00ff}, // |-128-127| = 255
		{"vabsdiff.u32.u32.u32.add", "", ".b3", ".b1", 0x05000000, 0x0900, 100, 104},
		{"vmin.s32.s32.s32.max", "", "", "", 7, 0xfffffffe, 0xfffffff0, 0xfffffffe}, // max(min(7, -2), -16)
		// The sum, 1fffffffe, is -2 in the 33 bits that the second operation gets.
		{"vadd.u32.u32.u32.min", "", "", "", 0xffffffff, 0xffffffff, 5, 0xfffffffe},
		{"vadd.u32.u32.u32.max", "", "", "", 0xffffffff, 0xffffffff, 5, 5},
		{"vmax.u32.u32.u32", ".b2", "", "", 0x1ff, 3, 0x11223344, 0x11ff3344},
		{"vmax.u32.u32.u32.sat", ".b2", "", "", 0x1fe, 3, 0x11223344, 0x11ff3344}, // 510 clamps to 255
		{"vshl.u32.u32.u32.clamp", "", "", "", 1, 33, 0, 0},
		{"vshl.u32.u32.u32.clamp.sat", "", "", "", 0x80000000, 200, 0, 0xffffffff},
		{"vshl.u32.u32.u32.wrap", "", "", "", 1, 33, 0, 2},
		{"vshr.s32.s32.u32.clamp", "", ".h0", "", 0x8000, 99, 0, 0xffffffff},
		{"vshr.u32.u32.u32.wrap", "", "", ".h1", 0x100, 0x00240000, 0, 0x10}, // by 36 & 31 = 4
		{"vset.s32.u32.lt", "", "", "", 0xffffffff, 1, 0, 1},                 // -1 < 1
		{"vset.u32.u32.lt.add", "", "", "", 0, 1, 41, 42},
		{"vset.u32.s32.ge", ".b1", "", ".b0", 0, 0x80, 0xffffffff, 0xffff01ff},
		// tricky: halves of sums go away from zero on both sides: (-3,-4) is -7/2, (3,4) is 7/2.
		{"vavrg2.s32.s32.s32", "", "", "", 0x0003fffd, 0x0004fffc, 0, 0x0004fffc},
		{"vavrg4.u32.u32.u32", "", "", "", 0x00ff0102, 0x01ff0204, 0, 0x01ff0203},
		{"vadd2.u32.u32.u32", "", "", "", 0xffff0001, 0x00010002, 0, 0x00000003},
		{"vadd2.u32.u32.u32.sat", "", "", "", 0xffff0001, 0x00010002, 0, 0xffff0003},
		{"vsub2.s32.s32.s32.sat", ".h0", ".h01", ".h32", 0x80001234, 1, 0x55556666, 0x55558000}, // -32768-1
		{"vmin2.s32.u32.u32.add", ".h10", ".h00", ".h22", 5, 9, 100, 110},
		{"vabsdiff4.u32.u32.u32.add", "", "", "", 0x01020304, 0x04030201, 1000, 1008}, // 3+1+1+3
		{"vabsdiff4.u32.u32.u32.add", ".b21", "", "", 0x01020304, 0x04030201, 1000, 1002},
		{"vadd4.u32.u32.u32", ".b30", ".b3210", ".b4567", 0x01020304, 0x10203040, 0xaabbccdd, 0x41bbcc14},
		{"vset4.u32.u32.gt", "", "", "", 0x05010509, 0x03030303, 0, 0x01000101},
		{"vset2.s32.s32.ne.add", "", "", "", 0x00010001, 0x00010002, 7, 8},
	} {
		got := video(t, c.opcode, c.d, c.a, c.b).Build()(uint64(c.x), uint64(c.y), uint64(c.z))
		require.Equal(t, fmt.Sprintf("%#x", c.want), fmt.Sprintf("%#x", got), "%s d%s a%s b%s", c.opcode, c.d, c.a, c.b)
	}
}

// TestVideoMad: 9.7.20.1.3, among it the two negations and the average.
func TestVideoMad(t *testing.T) {
	for _, c := range []struct {
		opcode     string
		a, b       string
		na, nb, nc bool
		x, y, z    uint32
		want       uint32
	}{
		{"vmad.u32.u32.u32", "", "", false, false, false, 5, 6, 7, 37},
		{"vmad.s32.s32.u32.sat", "", "", false, false, true, 3, 4, 20, 0xfffffff8}, // 12 - 20
		{"vmad.u32.u32.u32", "", "", true, false, false, 3, 4, 20, 8},              // -12 + 20
		{"vmad.u32.u32.u32", "", "", true, true, false, 3, 4, 20, 32},              // two signs cancel
		{"vmad.u32.u32.u32.po", "", "", false, false, false, 3, 4, 20, 33},         // plus one
		// (ffff·8000 + 8000)>>15
		{"vmad.u32.u32.u32.shr15", ".h0", ".h0", false, false, false, 0xffff, 0x8000, 0x8000, 0x10000},
		{"vmad.s32.s32.s32.shr7", "", "", false, false, false, 0xffffffff, 1, 0, 0xffffffff}, // -1 >> 7
		{"vmad.u32.u32.u32.sat", "", "", false, false, false, 0xffffffff, 0xffffffff, 1, 0xffffffff},
		{"vmad.s32.s32.s32.sat", "", "", false, false, false, 0x80000000, 0x7fffffff, 0, 0x80000000},
		{"vmad.s32.s32.s32.sat", "", "", false, false, false, 0x80000000, 0x80000000, 0, 0x7fffffff},
		{"vmad.u32.u32.u32.sat", "", "", true, false, false, 0xffffffff, 0xffffffff, 0, 0x80000000},
	} {
		v := video(t, c.opcode, "", c.a, c.b)
		v.NegateA, v.NegateB, v.NegateC = c.na, c.nb, c.nc
		require.Equal(t, uint64(c.want), v.Build()(uint64(c.x), uint64(c.y), uint64(c.z)), "%+v", c)
	}
}

// videoModel is 9.7.20 once more, in whole numbers of any size and with lists of bytes for registers.
type videoModel struct {
	op, second, cmp string
	d, a, b         bool // signed
	sat, wrap       bool
	elements        int
	dsel, asel      string
	bsel            string
}

// field reads a number from bytes, least significant first.
func field(bytes []byte, signed bool) *big.Int {
	n := new(big.Int)
	for i := len(bytes) - 1; i >= 0; i-- {
		n.Add(n.Mul(n, big.NewInt(256)), big.NewInt(int64(bytes[i])))
	}
	if signed && bytes[len(bytes)-1] >= 128 {
		n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(bytes))))
	}
	return n
}

func bytesOf(v uint32) []byte { return []byte{byte(v), byte(v >> 8), byte(v >> 16), byte(v >> 24)} }

// chosen lists which bytes a selector names, element by element.
func (m *videoModel) chosen(sel, missing string) [][]int {
	if sel == "" {
		sel = missing
	}
	if sel == "" {
		return [][]int{{0, 1, 2, 3}}
	}
	var out [][]int
	for i := len(sel) - 1; i >= 2; i-- {
		n := int(sel[i] - '0')
		if sel[1] == 'h' {
			out = append(out, []int{2 * n, 2*n + 1})
		} else {
			out = append(out, []int{n})
		}
	}
	return out
}

func (m *videoModel) run(x, y, z uint32) uint32 {
	pick := func(from []byte, at []int) (out []byte) {
		for _, i := range at {
			out = append(out, from[i])
		}
		return out
	}
	as, bs := m.chosen(m.asel, ""), m.chosen(m.bsel, "")
	fromA, fromB := bytesOf(x), bytesOf(y)
	ds := m.chosen(m.dsel, "")
	if m.elements > 1 {
		both := append(bytesOf(x), bytesOf(y)...)
		fromA, fromB = both, both
		defaults := map[int][3]string{2: {".h10", ".h32", ".h10"}, 4: {".b3210", ".b7654", ".b3210"}}[m.elements]
		as, bs, ds = m.chosen(m.asel, defaults[0]), m.chosen(m.bsel, defaults[1]), m.chosen("", defaults[2])
	}
	result, sum := bytesOf(z), field(bytesOf(z), m.d)
	for i := range as {
		t := m.primary(field(pick(fromA, as[i]), m.a), field(pick(fromB, bs[i]), m.b))
		if m.sat {
			t = clampBig(t, 8*len(ds[i]), m.d)
		}
		if m.elements > 1 && m.dsel != "" && !strings.ContainsRune(m.dsel[2:], rune('0'+i)) {
			continue
		}
		switch m.second {
		case "add":
			sum.Add(sum, t)
		case "min":
			if t.Cmp(sum) < 0 {
				sum = t
			}
		case "max":
			if t.Cmp(sum) > 0 {
				sum = t
			}
		default:
			low := new(big.Int).And(t, big.NewInt(1<<32-1)).Uint64()
			for k, at := range ds[i] {
				result[at] = byte(low >> (8 * k))
			}
		}
	}
	if m.second != "" {
		return uint32(new(big.Int).And(sum, big.NewInt(1<<32-1)).Uint64())
	}
	return uint32(result[0]) | uint32(result[1])<<8 | uint32(result[2])<<16 | uint32(result[3])<<24
}

func clampBig(t *big.Int, width int, signed bool) *big.Int {
	low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), uint(width))
	if signed {
		high.Rsh(high, 1)
		low = new(big.Int).Neg(high)
	}
	if high.Sub(high, big.NewInt(1)); t.Cmp(high) > 0 {
		return high
	}
	if t.Cmp(low) < 0 {
		return low
	}
	return t
}

func (m *videoModel) primary(a, b *big.Int) *big.Int {
	t := new(big.Int)
	switch m.op {
	case "vadd":
		return t.Add(a, b)
	case "vsub":
		return t.Sub(a, b)
	case "vabsdiff":
		return t.Abs(t.Sub(a, b))
	case "vmin":
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	case "vmax":
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	case "vavrg":
		if t.Add(a, b).Sign() >= 0 {
			t.Add(t, big.NewInt(1))
		}
		return t.Rsh(t, 1) // towards minus infinity
	}
	if m.op == "vshl" || m.op == "vshr" { // 9.7.20.1.2
		n := uint(min(b.Int64(), 32))
		if m.wrap {
			n = uint(b.Int64() & 31)
		}
		if m.op == "vshl" {
			return t.Lsh(a, n)
		}
		return t.Rsh(a, n)
	}
	holds := map[string]bool{"eq": a.Cmp(b) == 0, "ne": a.Cmp(b) != 0, "lt": a.Cmp(b) < 0, "le": a.Cmp(b) <= 0,
		"gt": a.Cmp(b) > 0, "ge": a.Cmp(b) >= 0}[m.cmp]
	if holds {
		return big.NewInt(1)
	}
	return t
}

// TestVideoModel draws opcodes, selectors and values at random and compares with the model.
func TestVideoModel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	one := func(list ...string) string { return list[r.Intn(len(list))] }
	edges := []uint32{0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x80808080}
	word := func() uint32 {
		if r.Intn(2) == 0 {
			return edges[r.Intn(len(edges))]
		}
		return r.Uint32()
	}
	typ := func(signed bool) string { return map[bool]string{false: ".u32", true: ".s32"}[signed] }
	for range 6000 {
		m := &videoModel{elements: []int{1, 2, 4}[r.Intn(3)], d: r.Intn(2) == 0, a: r.Intn(2) == 0, b: r.Intn(2) == 0}
		ops := []string{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vset"}
		if m.elements > 1 {
			ops = append(ops, "vavrg")
		} else {
			ops = append(ops, "vshl", "vshr")
		}
		m.op = one(ops...)
		shift := m.op[:3] == "vsh"
		m.b = m.b && !shift // an amount has no sign
		name := m.op + map[int]string{1: "", 2: "2", 4: "4"}[m.elements] + typ(m.d)
		if m.op == "vset" {
			name, m.d, m.cmp = strings.TrimSuffix(name, typ(m.d)), false, one("eq", "ne", "lt", "le", "gt", "ge")
		}
		name += typ(m.a) + typ(m.b)
		if m.cmp != "" {
			name += "." + m.cmp
		}
		digits := func(n, most int) string {
			s := ""
			for range n {
				s += string(rune('0' + r.Intn(most+1)))
			}
			return s
		}
		switch m.elements {
		case 1:
			part := []string{"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}
			m.asel, m.bsel = one(part...), one(part...)
			if m.second = one("", "add", "min", "max"); m.second == "" {
				m.dsel = one(part...)
			}
		case 2:
			m.asel, m.bsel, m.dsel = one("", ".h"+digits(2, 3)), one("", ".h"+digits(2, 3)), one("", ".h0", ".h1", ".h10")
			m.second = one("", "add")
		case 4:
			m.asel, m.bsel = one("", ".b"+digits(4, 7)), one("", ".b"+digits(4, 7))
			m.dsel, m.second = one("", ".b0", ".b21", ".b3", ".b310", ".b3210"), one("", "add")
		}
		if m.wrap = shift && r.Intn(2) == 0; shift {
			name += map[bool]string{true: ".wrap", false: ".clamp"}[m.wrap]
		}
		// min and max with c look at 33 bits only: leave out what has more.
		wide := m.second == "min" || m.second == "max"
		if m.op != "vset" && (wide || m.second == "" || m.elements == 1) && (wide || r.Intn(2) == 0) {
			m.sat = true
			name += ".sat"
		}
		if m.second != "" {
			name += "." + m.second
		}
		f := video(t, name, m.dsel, m.asel, m.bsel).Build()
		for range 8 {
			x, y, z := word(), word(), word()
			require.Equal(t, fmt.Sprintf("%#x", m.run(x, y, z)), fmt.Sprintf("%#x", f(uint64(x), uint64(y), uint64(z))),
				"%s d%s a%s b%s %#x %#x %#x", name, m.dsel, m.asel, m.bsel, x, y, z)
		}
	}
}

// TestVideoMadModel compares vmad with whole numbers: (±a·b ± c (+1)) >> n, then the range.
func TestVideoMadModel(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range 8000 {
		a, b := r.Intn(2) == 0, r.Intn(2) == 0
		x, y, z := r.Uint32(), r.Uint32()>>uint(r.Intn(32)), r.Uint32()
		name := "vmad.u32" + map[bool]string{false: ".u32", true: ".s32"}[a] + map[bool]string{false: ".u32", true: ".s32"}[b]
		scale := []int{0, 7, 15}[r.Intn(3)]
		sat, sign := r.Intn(2) == 0, r.Intn(4)
		if sat {
			name += ".sat"
		}
		if scale > 0 {
			name += fmt.Sprint(".shr", scale)
		}
		if sign == 3 {
			name += ".po"
		}
		v := video(t, name, "", "", "")
		v.NegateA, v.NegateC = sign == 1, sign == 2
		signed := a || b || sign == 1 || sign == 2
		n := new(big.Int).Mul(field(bytesOf(x), a), field(bytesOf(y), b))
		c := field(bytesOf(z), signed)
		switch sign {
		case 1:
			n.Neg(n)
		case 2:
			c.Neg(c)
		case 3:
			n.Add(n, big.NewInt(1))
		}
		n.Add(n, c).Rsh(n, uint(scale))
		if sat {
			n = clampBig(n, 32, signed)
		}
		want := new(big.Int).And(n, big.NewInt(1<<32-1)).Uint64()
		require.Equal(t, want, v.Build()(uint64(x), uint64(y), uint64(z)), "%s %v %#x %#x %#x", name, sign, x, y, z)
	}
}
