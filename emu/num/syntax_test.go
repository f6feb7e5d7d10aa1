package num

import (
	"strings"
	"testing"

	"warpscope/ptx/isa"
)

// Syntax lines of 9.7.1 to 9.7.10 for instructions that are arithmetic of one lane. {a|b} is optional, (a|b) is not.
const syntaxLines = `
add.(u16|u32|u64|s16|s32|s64|u16x2|s16x2)
(add|sub){.sat}.s32
sub.(u16|u32|u64|s16|s32|s64)
(mul|mad).(hi|lo).(u16|u32|u64|s16|s32|s64)
(mul|mad).wide.(u16|u32|s16|s32)
mad.hi.sat.s32
(mul24|mad24).(hi|lo).(u32|s32)
mad24.hi.sat.s32
add{.sat}.(u32|u16x2|s16x2|u8x4|s8x4)
sub{.sat}.(u8x4|s8x4)
neg.s8x4
(min|max).u8x4
(min|max){.relu}.s8x4
clmad.(hi|lo).u64
(sad|div|rem).(u16|u32|u64|s16|s32|s64)
(abs|neg).(s16|s32|s64)
(min|max).(u16|u32|u64|u16x2|s16|s64)
(min|max){.relu}.(s16x2|s32)
(popc|clz|brev).(b32|b64)
bfind{.shiftamt}.(u32|u64|s32|s64)
fns.b32
bfe.(u32|u64|s32|s64)
bfi.(b32|b64)
szext.(clamp|wrap).(u32|s32)
bmsk.(clamp|wrap).b32
dp4a.(u32|s32).(u32|s32)
dp2a.(lo|hi).(u32|s32).(u32|s32)
(add|sub).cc.(u32|s32|u64|s64)
(addc|subc){.cc}.(u32|s32|u64|s64)
mad.(hi|lo).cc.(u32|s32|u64|s64)
madc.(hi|lo){.cc}.(u32|s32|u64|s64)
testp.(finite|infinite|number|notanumber|normal|subnormal).(f32|f64)
copysign.(f32|f64)
(add|sub|mul){.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32
(add|sub|mul){.rn|.rz|.rm|.rp}{.ftz}.f32x2
(add|sub|mul){.rn|.rz|.rm|.rp}.f64
(fma|mad).(rn|rz|rm|rp){.ftz}{.sat}.f32
fma.(rn|rz|rm|rp){.ftz}.f32x2
(fma|mad).(rn|rz|rm|rp).f64
div.(approx|full|rn|rz|rm|rp){.ftz}.f32
div.(rn|rz|rm|rp).f64
mad{.ftz}{.sat}.f32
(div|rcp|sqrt|rsqrt).(f32|f64)
mad.f64
(sin|cos|lg2|ex2).f32
(abs|neg){.ftz}.f32
(abs|neg|min|max).f64
(min|max){.ftz}{.NaN}{.xorsign.abs}.f32
(min|max){.ftz}{.NaN}{.abs}.f32
(rcp|sqrt).(approx|rn|rz|rm|rp){.ftz}.f32
(rcp|sqrt).(rn|rz|rm|rp).f64
(rcp|rsqrt).approx.ftz.f64
rsqrt.approx.f64
(rsqrt|sin|cos|lg2|ex2).approx{.ftz}.f32
tanh.approx.(f32|f16|f16x2|bf16|bf16x2)
(add|sub|mul){.rn}{.ftz}{.sat}.(f16|f16x2)
(add|sub|mul){.rn}.(bf16|bf16x2)
fma.rn{.ftz}{.sat}.(f16|f16x2)
fma.rn{.ftz}.relu.(f16|f16x2)
fma.rn{.relu}.(bf16|bf16x2)
fma.rn.oob{.relu}.(f16|f16x2|bf16|bf16x2)
(neg|abs){.ftz}.(f16|f16x2)
(neg|abs).(bf16|bf16x2)
(min|max){.ftz}{.NaN}{.xorsign.abs}.(f16|f16x2)
(min|max){.NaN}{.xorsign.abs}.(bf16|bf16x2)
ex2.approx.(f16|f16x2)
ex2.approx.ftz.(bf16|bf16x2)
(add|sub){.rn|.rz|.rm|.rp}{.sat}.f32.(f16|bf16)
fma.(rn|rz|rm|rp){.sat}.f32.(f16|bf16)
(add|sub){.rn|.rz|.rm|.rp}.f32x2.(f16x2|bf16x2).f32x2
(add|sub|mul).rz.ftz.f16x2.f32x2.f32x2
(add|sub|mul).rz.bf16x2.f32x2.f32x2
fma.(rn|rz|rm|rp).f32x2.(f16x2|bf16x2).f32x2.f32x2
mul.bf16x2.bf16x2.f16x2
mul.f16x2.f16x2.bf16x2
(add|sub){.rn}{.satfinite}.(e5m2x4|e4m3x4).(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)
(mul|fma){.rn}{.satfinite}.(e5m2x4|e4m3x4).(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4).(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)
set.(eq|ne|lt|le|gt|ge).(u8x4|s8x4|u16x2|s16x2)
set.(lo|ls|hi|hs).(u8x4|u16x2)
(set|setp).(eq|ne){.and|.or|.xor}SET.(b16|b32|b64)
(set|setp).(eq|ne|lt|le|gt|ge){.and|.or|.xor}SET.(u16|u32|u64|s16|s32|s64)
(set|setp).(lo|ls|hi|hs){.and}SET.(u16|u32|u64)
(set|setp).(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan){.and}{.ftz}SET.f32
(set|setp).(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan){.or}SET.f64
setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan){.or}{.ftz}.(f16|f16x2)
setp.(eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan){.xor}.(bf16|bf16x2)
set.(eq|ne){.xor}.(f16|bf16).(b16|b32|b64)
set.(eq|lt){.xor}.(f16|bf16).(u16|u32|u64|s16|s32|s64)
set.(eq|geu|nan){.xor}.(f16|bf16).(f16|f32|f64)
set.(eq|geu|nan){.xor}{.ftz}.(u16|s16|u32|s32).f16
set.(eq|geu|nan){.xor}.(u16|s16|u32|s32).bf16
set.(eq|geu|nan){.xor}{.ftz}.(f16x2|u32|s32).f16x2
set.(eq|geu|nan){.xor}.(bf16x2|u32|s32).bf16x2
slct.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).s32
slct{.ftz}.(b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64).f32
(and|or|xor|not).(pred|b16|b32|b64)
cnot.(b16|b32|b64)
lop3{.or|.and}.b32
shf.(l|r).(clamp|wrap).b32
shl.(b16|b32|b64)
shr.(b16|b32|b64|u16|u32|u64|s16|s32|s64)
prmt{.f4e|.b4e|.rc8|.ecl|.ecr|.rc16}.b32
cvt{.sat}.(u8|u16|u32|u64|s8|s16|s32|s64).(u8|u16|u32|u64|s8|s16|s32|s64)
cvt.(rni|rzi|rmi|rpi){.ftz}{.sat}.(u8|u16|u32|u64|s8|s16|s32|s64).f32
cvt.(rni|rzi|rmi|rpi).(u8|u16|u32|u64|s8|s16|s32|s64).(f16|bf16|f64)
cvt.(rn|rz|rm|rp){.sat}.(f16|f32|f64).(u8|u16|u32|u64|s8|s16|s32|s64)
cvt.(rn|rz|rm|rp).bf16.(u8|u16|u32|u64|s8|s16|s32|s64)
cvt.(rn|rz|rm|rp){.ftz}{.sat}.f16.f32
cvt.(rn|rz|rm|rp){.ftz}{.sat}.f32.f64
cvt.(rn|rz|rm|rp){.sat}.f16.(f64|bf16)
cvt.(rn|rz|rm|rp).bf16.(f64|f16)
cvt{.ftz}{.sat}.(f32|f64).f32
cvt{.ftz}{.sat}.f32.(f16|bf16)
cvt{.sat}.f64.(f16|bf16|f64)
cvt{.sat}.f16.f16
cvt.(rni|rzi|rmi|rpi){.ftz}{.sat}.f32.f32
cvt.(rni|rzi|rmi|rpi){.sat}.f16.f16
cvt.(rni|rzi|rmi|rpi).(f64|bf16).SAME
cvt.(rn|rz){.relu}{.satfinite}{.pzo}.(f16|f16x2|bf16|bf16x2|tf32).f32
cvt.rs{.relu}{.satfinite}.(f16x2|bf16x2).f32
cvt.rs{.relu}.satfinite.(e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4).f32
cvt.rna{.satfinite}.tf32.f32
cvt.(rn|rz).satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.(e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2).(f32|f16x2|bf16x2)
cvt.rn{.relu}.f16x2.(e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2)
cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2.(e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2)
cvt.rn{.satfinite}{.scaled::n2::ue8m0}.bf16x2.ue5m3x2
cvt.rn.f16x2.ue5m3x2
cvt.(rn|rz|rp){.satfinite}.ue5m3x2.(f32|f16x2|bf16x2)
cvt.(rn|rz){.satfinite}.scaled::n1::ue8m0.ue5m3x2.(f32|f16x2|bf16x2)
cvt.(rz|rp){.satfinite}.ue8m0x2.(f32|bf16x2)
cvt.rn.bf16x2.ue8m0x2
cvt.(rn|rz).satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.(f32|bf16x2)
cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.s2f6x2
cvt.pack.sat.(u16|s16).s32
cvt.pack.sat.(u2|s2|u4|s4|u8|s8).s32.b32
`

// expand writes out every choice of a line.
func expand(line string) []string {
	open := strings.IndexAny(line, "({")
	if open < 0 {
		return []string{line}
	}
	end := open + strings.IndexAny(line[open:], ")}")
	choices := strings.Split(line[open+1:end], "|")
	if line[open] == '{' {
		choices = append(choices, "")
	}
	var out []string
	for _, c := range choices {
		out = append(out, expand(line[:open]+c+line[end+1:])...)
	}
	return out
}

func keyOf(opcode string) string {
	words := strings.Split(opcode, ".")
	var mods, types []string
	for _, w := range words[1:] {
		if _, ok := isa.ParseType("." + w); ok {
			types = append(types, w)
		} else {
			mods = append(mods, w)
		}
	}
	return Key(words[0], mods, types)
}

// Every opcode that the manual's syntax allows has a kernel, and the kernel runs on awkward operands.
func TestEverySyntaxLineHasAKernel(t *testing.T) {
	awkward := []uint64{0, 1, 0x7fff, 0x8000, 0x7c00, 0x3f800000, 0x80000000, nan32, inf32, 1 << 63, inf64, ^uint64(0)}
	seen := map[string]bool{}
	for _, line := range strings.Fields(syntaxLines) {
		for _, opcode := range expand(line) {
			set := ""
			if strings.HasPrefix(opcode, "set.") {
				set = ".u32"
			}
			opcode = strings.Replace(opcode, "SET", set, 1)
			if base, ok := strings.CutSuffix(opcode, ".SAME"); ok {
				opcode = base + base[strings.LastIndexByte(base, '.'):]
			}
			key := keyOf(opcode)
			if seen[key] {
				continue
			}
			seen[key] = true
			k := kernel(t, key)
			for i, a := range awkward {
				b, c := awkward[(i+5)%len(awkward)], awkward[(i+7)%len(awkward)]
				if k.C != nil {
					k.C(a, b, c, true)
				} else {
					run(t, key, a, b, c, b)
				}
			}
		}
	}
	t.Logf("%d opcodes", len(seen))
}
