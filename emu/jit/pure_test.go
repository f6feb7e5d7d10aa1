package jit_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/emu/jit"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
	"warpscope/ptx"
)

// pureLines are instructions without handlers, with registers %h of 16 bits, %r of 32, %d of 64, and %p. Alternatives
// are between braces.
const pureLines = `
cvt.{u8|s8|u16|s16}.{u8|s8|u16|s16} %r1, %r2;
cvt.{u16|s16|u8}.{u32|s32} %h1, %r2;
cvt.{u32|s32}.{u16|s16|u8|s8} %r1, %h2;
cvt.{u32|s32|u16|s16|u8|s8}.{u64|s64} %r1, %d2;
cvt.{u64|s64}.{u32|s32|u16|s16|u8|s8} %d1, %r2;
cvt.{u64|s64}.{u64|s64} %d1, %d2;
cvt.{s16|s8|u8|s32}.{s32|u32} %d1, %r2;
cvt.rn.f32.{u16|s16|u8|s8} %r1, %h2;
cvt.rn.f32.{u64|s64} %r1, %d2;
cvt.rn.f64.{u32|s32|u16|s8} %d1, %r2;
cvt.rn.f64.{u64|s64} %d1, %d2;
cvt.{rni|rzi|rmi|rpi}{|.ftz}.{u32|s32|u16|s16|u8|s8}.f32 %r1, %r2;
cvt.{rni|rzi|rmi|rpi}{|.ftz}.{u64|s64}.f32 %d1, %r2;
cvt.{rni|rzi|rmi|rpi}.{u32|s32}.f64 %r1, %d2;
cvt.{rni|rzi|rmi|rpi}.{u64|s64}.f64 %d1, %d2;
cvt.{rni|rzi|rmi|rpi}{|.ftz}{|.sat}.f32.f32 %r1, %r2;
cvt{|.ftz}.sat.f32.f32 %r1, %r2;
cvt.{rni|rzi|rmi|rpi}.f64.f64 %d1, %d2;
cvt{|.ftz}.f64.f32 %d1, %r2;
cvt.rn{|.ftz}.f32.f64 %r1, %d2;
{add|sub|mul}{|.rn}.f64 %d1, %d2, %d3;
div.rn.f64 %d1, %d2, %d3;
{sqrt|rcp}.rn.f64 %d1, %d2;
{neg|abs}.f64 %d1, %d2;
{min|max}.f64 %d1, %d2, %d3;
fma.rn.f64 %d1, %d2, %d3, %d4;
mad.rn.f64 %d1, %d2, %d2, %d1;
{add|sub|mul}{|.rn}{|.ftz}.sat.f32 %r1, %r2, %r3;
div.{rn|full}{|.ftz}.f32 %r1, %r2, %r3;
{sqrt|rcp}.{rn|approx}{|.ftz}.f32 %r1, %r2;
{neg|abs}{|.ftz}.f32 %r1, %r2;
{min|max}{|.ftz}{|.NaN}.f32 %r1, %r2, %r3;
fma.rn{|.ftz}{|.sat}.f32 %r1, %r2, %r3, %r4;
fma.rn.ftz.f32 %r1, %r2, 0f40000000, 0f00000003;
{add|sub|mul.lo|mul.hi|min|max}.{u16|s16} %h1, %h2, %h3;
mul.wide.{u16|s16} %r1, %h2, %h3;
mad.{lo|hi}.{u16|s16} %h1, %h2, %h3, %h4;
mad.wide.{u16|s16} %r1, %h2, %h3, %r4;
mad.hi.{u32|s32} %r1, %r2, %r3, %r4;
{mul|mad}24.{lo|hi}.{u32|s32} %r1, %r2, %r3#;
sad.{u32|s32} %r1, %r2, %r3, %r4;
sad.{u16|s16} %h1, %h2, %h3, %h4;
{neg|abs}.s16 %h1, %h2;
{abs}.s32 %r1, %r2;
{neg|abs}.s64 %d1, %d2;
{min|max|mul.hi}.{u64|s64} %d1, %d2, %d3;
mad.hi.{u64|s64} %d1, %d2, %d3, %d4;
{and|or|xor}.b16 %h1, %h2, %h3;
{not}.b16 %h1, %h2;
cnot.b32 %r1, %r2;
{shl.b16|shr.u16|shr.s16} %h1, %h2, %r3;
{shl.b16|shr.u16|shr.s16} %h1, %h2, 5;
shf.{l|r}.{wrap|clamp}.b32 %r1, %r2, %r3, %r4;
shf.{l|r}.{wrap|clamp}.b32 %r1, %r2, %r3, {0|7|32|45};
lop3.b32 %r1, %r2, %r3, %r4, {0|0x80|0xe8|0x96|0xfe|0x1b|0x27|0x3c|0x5a|0xca|0xd8|0x4d|0x69|0x71|0xff|0x2f|0xb0};
prmt.b32 %r1, %r2, %r3, {0x3210|0x0123|0x7654|0x1b0f|0x5410|0x8cd9};
bfe.{u32|s32} %r1, %r2, %r3, %r4;
bfe.{u32|s32} %r1, %r2, {0|8|24|31|40}, {0|1|8|31|32|40};
bfe.{u64|s64} %d1, %d2, {%r3|0|40|63|64|200}, {%r4|0|1|32|63|64|70};
bfi.b32 %r1, %r2, %r3, {0|8|31|40}, {0|1|8|32|40};
bfi.b64 %d1, %d2, %d3, {0|8|40|64|80}, {0|1|8|32|64|80};
{brev|popc|clz}.b32 %r1, %r2;
brev.b64 %d1, %d2;
{popc|clz}.b64 %r1, %d2;
bfind{|.shiftamt}.{u32|s32} %r1, %r2;
bfind{|.shiftamt}.{u64|s64} %r1, %d2;
{div|rem}.{u32|s32} %r1, %r2, %r3;
{div|rem}.{u16|s16} %h1, %h2, %h3;
{div|rem}.{u64|s64} %d1, %d2, %d3;
{div|rem}.{u32|s32} %r1, %r2, {7|-3|16};
setp.{eq|ne|lt|le|gt|ge}.{and|or|xor}.{u32|s32} %p1|%p2, %r2, %r3, {%p3|!%p3|%p1};
setp.{eq|ne|lo|ls|hi|hs|lt}.u16 %p1, %h2, %h3;
setp.{eq|ne|lt|le|gt|ge}.s16 %p1, %h2, %h3;
setp.{lt|ge|hi|ne}.u64 %p1|%p2, %d2, %d3;
setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{|.ftz}.f32 %p1|%p2, %r2, %r3;
setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}.f64 %p1|%p2, %d2, %d3;
setp.{lt|neu|nan}{|.ftz}.f32 %p1, %r2, 0f00000003;
set.{lt|ge|ne}.{u32|s32|f32}.{u32|s32} %r1, %r2, %r3;
set.{lt|geu|ne|nan}.{u32|f32}.f32 %r1, %r2, %r3;
set.{lt|ne}.{and|or|xor}.u32.s32 %r1, %r2, %r3, {%p3|!%p3};
slct.{u32|f32}.s32 %r1, %r2, %r3, %r4;
slct{|.ftz}.{u32|f32}.f32 %r1, %r2, %r3, %r4;
slct.{u64|f64}.s32 %d1, %d2, %d3, %r4;
{and|or|xor}.pred %p1, %p2, {%p3|!%p1};
not.pred %p1, %p2;
mov.pred %p1, {%p2|!%p2};
mov.b64 %d1, {%r2, %r3};
mov.b64 {%r1, %r2}, %d3;
mov.b32 %r1, {%h2, %h3};
mov.b32 {%h1, %h2}, %r3;
mov.u16 %h1, %h2;
mov.u16 %h1, 7;
cvta.{global|shared|local}.u64 %d1, %d2;
`

// expand writes out the alternatives of a line.
func expand(line string) (list []string) {
	for at := 0; ; {
		open := strings.IndexByte(line[at:], '{')
		if open < 0 {
			return []string{line}
		}
		open += at
		end := open + strings.IndexByte(line[open:], '}')
		if inside := line[open+1 : end]; strings.Contains(inside, "|") || !strings.Contains(inside, "%") {
			for _, choice := range strings.Split(inside, "|") {
				list = append(list, expand(line[:open]+choice+line[end+1:])...)
			}
			return list
		}
		at = end
	}
}

// pure is an instruction with a frame.
type pure struct {
	engine *jit.Engine
	dev    *emu.Device
	frame  uint32
	in     machine.Inst
}

// newPure loads a program of one instruction.
func newPure(t *testing.T, line string) *pure {
	if strings.Contains(line, "mad24") {
		line = strings.Replace(line, "#", ", %r4", 1)
	}
	line = strings.Replace(line, "#", "", 1)
	m, err := ptx.Parse("pure.ptx", []byte(`.version 8.6
.target sm_90
.address_size 64
.entry k() { .reg .b16 %h<8>; .reg .b32 %r<8>; .reg .b64 %d<8>; .reg .pred %p<8>;
`+line+`
ret; }`))
	require.NoError(t, err, line)
	d, err := emu.Load(m, emu.Options{Engine: emu.Interpreter})
	require.NoError(t, err, line)
	host, err := mem.OpenHost(&d.Mem.Arena)
	require.NoError(t, err)
	frame, ok := d.Mem.Alloc(int64(d.Prog.Funcs[0].Frame))
	require.True(t, ok)
	d.Prog.Code[0].Held = false // its registers have no values for the emulator
	return &pure{jit.New(d, host, 0), d, frame, d.Prog.Code[0]}
}

// Every instruction without a handler gives the bits of the interpreter, in all lanes, in some, and under a guard; or
// it is left to the interpreter for a division that is noted, and for operands at the end of the range of exponents.
func TestPureOperations(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	ran, refused := 0, 0
	for _, line := range strings.Split(strings.TrimSpace(pureLines), "\n") {
		for n, line := range expand(line) {
			if guard := []string{"", "@%p4 ", "@!%p4 "}[n%3]; guard != "" {
				line = guard + line
			}
			b, did := newPure(t, line), 0
			for round := range 12 {
				if b.round(t, r, line, round) {
					did++
				}
			}
			if did == 0 {
				t.Errorf("not compiled: %s", line)
			}
			ran, refused = ran+did, refused+12-did
		}
	}
	t.Logf("%d rounds, %d of them left to the interpreter", ran+refused, refused)
	require.Less(t, refused, ran/5)
}

// round compares the engines once, and says whether compiled code has executed the instruction.
func (b *pure) round(t *testing.T, r *rand.Rand, line string, round int) bool {
	fn := b.dev.Prog.Funcs[0]
	f := b.dev.Mem.At(b.frame)
	frame := b.dev.Mem.Bytes(b.frame, fn.Frame)
	clear(frame)
	*row.Pred(f, row.TruePred) = ^uint32(0)
	for _, s := range fn.Regs {
		for lane := range 32 {
			v := jit.Specials[r.IntN(len(jit.Specials))]
			if r.IntN(3) == 0 {
				v = r.Uint64()
			}
			if r.IntN(4) == 0 || round%3 == 0 && s.Bits == 64 { // numbers of the same size
				v = 0x3ff0000000000000 + r.Uint64()>>10 ^ r.Uint64()<<63
			}
			if round%4 == 2 { // divisors: neither 0 nor -1
				v = v&^0x0002000200020002 | 0x0001000100010001
			}
			o := row.Operand{Off: s.Off, Bits: s.Bits}
			o.Set(f, lane, v)
		}
	}
	for _, c := range fn.Consts {
		for lane := range 32 {
			if c.Wide {
				row.U64s(f, c.Off)[lane] = c.Value
			} else {
				row.U32s(f, c.Off)[lane] = uint32(c.Value)
			}
		}
	}
	if strings.Contains(line, "%d3, %d4") { // sums that cancel, of fma
		slot := func(n int) *[32]uint64 { return row.U64s(f, b.in.X.S[n].Off) }
		for lane := 0; lane < 32; lane += 3 {
			slot(2)[lane] = math.Float64bits(-math.Float64frombits(slot(0)[lane])*math.Float64frombits(slot(1)[lane])) ^
				r.Uint64N(2)
		}
	}
	active := ^uint32(0)
	if round%2 == 1 {
		active = 1<<r.IntN(32) | r.Uint32()&r.Uint32()
	}
	before := append([]byte(nil), frame...)
	pc, ran := b.engine.Run(nil, machine.Place{RPC: machine.NoPC, Active: machine.Mask(active), Frame: b.frame, Left: 1,
		Most: 10})
	require.EqualValues(t, pc, ran)
	got := append([]byte(nil), frame...)
	copy(frame, before)
	if pc == 0 {
		require.Equal(t, before, got, "refused, but not left alone: %s", line)
		return false
	}
	exec := active & (*row.Pred(f, b.in.Guard) ^ b.in.Neg)
	*row.Pred(f, row.ExecMask) = exec
	switch in := &b.in; {
	case in.Op == machine.OpHandler && in.X == nil:
		in.Inst.Partial(f, exec)
	case in.Op == machine.OpHandler:
		in.Handler(f, &in.Inst, row.Scratch)
		to := *row.Pred(f, row.Scratch)
		in.X.Predicates.Store(f, machine.Mask(exec), to, ^to)
	default:
		in.X.Run(nil, in, f, machine.Mask(exec))
	}
	for _, s := range fn.Regs {
		for lane := range 32 {
			o := row.Operand{Off: s.Off, Bits: s.Bits, Mask: ^uint64(0)}
			want, now, was := o.Get(f, lane), o.Get(unsafe.Pointer(&got[0]), lane), o.Get(unsafe.Pointer(&before[0]), lane)
			if want != now {
				operands := ""
				for _, s := range sources(&b.in) {
					operands += fmt.Sprintf(" %#x", s.Get(unsafe.Pointer(&before[0]), lane))
				}
				t.Errorf("%s: %s is %#x, not %#x, in lane %d of %#x; was %#x, of%s", line, s.Reg.Name, now, want, lane, exec,
					was, operands)
				return true
			}
		}
	}
	return true
}

func sources(in *machine.Inst) []row.Operand {
	if in.X == nil {
		return nil
	}
	return in.X.S
}
