package isa

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// newerLines are the manual's syntax lines of arithmetic that came after 9.1, by the form that has them: {a|b} is
// optional, (a|b) is not.
var newerLines = map[string]string{
	"add.sat.u32": "add.sat.u32",              // 9.7.1.1
	"add.x2int":   "add{.sat}.(u16x2|s16x2)",  // 9.7.1.1
	"add.x4int":   "add{.sat}.(u8x4|s8x4)",    // 9.7.1.1
	"sub.x4int":   "sub{.sat}.(u8x4|s8x4)",    // 9.7.1.2
	"clmad":       "clmad.(hi|lo).u64",        // 9.7.1.5
	"neg.x4int":   "neg.s8x4",                 // 9.7.1.12
	"min.x4int":   "min.u8x4 min{.relu}.s8x4", // 9.7.1.13
	"max.x4int":   "max.u8x4 max{.relu}.s8x4", // 9.7.1.14
	"set.packed": "set.(eq|ne|lt|le|gt|ge).(s8x4|s16x2) " + // 9.7.7.1; lo to hs are for unsigned values
		"set.(eq|ne|lt|le|gt|ge|lo|ls|hi|hs).(u8x4|u16x2)",
	// 9.7.5
	"add.mixed.x2": "add{.rn|.rz|.rm|.rp}.f32x2.(f16x2|bf16x2).f32x2 add.rz.ftz.f16x2.f32x2.f32x2 " +
		"add.rz.bf16x2.f32x2.f32x2",
	"sub.mixed.x2": "sub{.rn|.rz|.rm|.rp}.f32x2.(f16x2|bf16x2).f32x2 sub.rz.ftz.f16x2.f32x2.f32x2 " +
		"sub.rz.bf16x2.f32x2.f32x2",
	"fma.mixed.x2": "fma.(rn|rz|rm|rp).f32x2.(f16x2|bf16x2).f32x2.f32x2", // "Rounding modifiers (no default)"
	"mul.mixed.x2": "mul.ftz.rz.f16x2.f32x2.f32x2 mul.rz.bf16x2.f32x2.f32x2 mul.bf16x2.bf16x2.f16x2 " +
		"mul.f16x2.f16x2.bf16x2",
	// 9.7.6
	"add.x4": "add{.rn}{.satfinite}.(e5m2x4|e4m3x4).(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)",
	"sub.x4": "sub{.rn}{.satfinite}.(e5m2x4|e4m3x4).(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)",
	"mul.x4": "mul{.rn}{.satfinite}.(e5m2x4|e4m3x4).(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)." +
		"(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)",
	"fma.x4": "fma{.rn}{.satfinite}.(e5m2x4|e4m3x4).(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)." +
		"(e5m2x4|e4m3x4|e3m2x4|e2m3x4|e2m1x4|e2m1p4x4|ue8m0x4)",
	// 9.7.10.24; cvt.(rn|rz).(f16|bf16).f32 without a modifier is a line of floating-point rounding
	"cvt.half.pack": "cvt.(rn|rz){.relu}{.satfinite}{.pzo}.(f16x2|bf16|bf16x2).f32 " +
		"cvt.(rn|rz).relu{.satfinite}{.pzo}.f16.f32 " +
		"cvt.(rn|rz).satfinite{.pzo}.f16.f32 cvt.(rn|rz).pzo.f16.f32",
	"cvt.tf32": "cvt.rna{.satfinite}.tf32.f32 cvt.(rn|rz){.satfinite}{.relu}{.pzo}.tf32.f32",
	"cvt.rs": "cvt.rs{.relu}{.satfinite}.(f16x2|bf16x2).f32 " +
		"cvt.rs{.relu}.satfinite.(e4m3x4|e5m2x4|e2m1x4|e2m3x4|e3m2x4).f32",
	"cvt.fp8": "cvt.(rn|rz).satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.(e4m3x2|e5m2x2).(f32|f16x2|bf16x2) " +
		"cvt.rn{.relu}.f16x2.(e4m3x2|e5m2x2)",
	"cvt.fp6fp4": "cvt.(rn|rz).satfinite{.relu}{.pzo}{.scaled::n1::ue8m0}.(e2m1x2|e2m3x2|e3m2x2).(f32|f16x2|bf16x2) " +
		"cvt.rn{.relu}.f16x2.(e2m1x2|e2m3x2|e3m2x2)",
	"cvt.narrow.bf16x2": "cvt.rn{.relu}{.satfinite}{.scaled::n2::ue8m0}.bf16x2.(e4m3x2|e5m2x2|e2m1x2|e2m3x2|e3m2x2) " +
		"cvt.rn{.satfinite}{.scaled::n2::ue8m0}.bf16x2.ue5m3x2",
	"cvt.ue5m3": "cvt.(rn|rz|rp){.satfinite}.ue5m3x2.(f32|f16x2|bf16x2) " +
		"cvt.(rn|rz){.satfinite}.scaled::n1::ue8m0.ue5m3x2.(f32|f16x2|bf16x2) cvt.rn.f16x2.ue5m3x2",
	"atom.half":   addHalves("atom{.relaxed|.acquire|.release|.acq_rel}"),
	"atom.vec":    addVectors("atom{.relaxed|.acquire|.release|.acq_rel}"),
	"red.half":    addHalves("red{.relaxed|.release}"),
	"red.vec":     addVectors("red{.relaxed|.release}"),
	"ldmatrix.s4": "ldmatrix.sync.aligned.m8n16.(x1|x2|x4){.shared|.shared::cta}.s8.s4", // 9.7.16.5.15
	"cvt.s2f6": "cvt.(rn|rz).satfinite{.relu}{.scaled::n2::ue8m0}.s2f6x2.(f32|bf16x2) " +
		"cvt.rn{.satfinite}{.relu}{.scaled::n2::ue8m0}.bf16x2.s2f6x2",
}

// addHalves are the lines of additions with .noftz, addVectors those of vectors (9.7.15.5, 9.7.15.6).
func addHalves(head string) string {
	const types = ".(f16|f16x2|bf16|bf16x2|f32) "
	head += "{.cta|.cluster|.gpu|.sys}"
	return head + "{.global|.shared|.shared::cta|.shared::cluster}.add.noftz" + types +
		head + "{.global}.add.noftz.L2::cache_hint" + types
}

func addVectors(head string) string {
	head += "{.cta|.cluster|.gpu|.sys}{.global}"
	return head + ".add{.noftz}{.L2::cache_hint}.(v2|v4).f32 " +
		head + ".(add|min|max).noftz{.L2::cache_hint}.(v2|v4|v8).(f16|bf16) " +
		head + ".(add|min|max).noftz{.L2::cache_hint}.(v2|v4).(f16x2|bf16x2)"
}

// spell writes out every choice of a line.
func spell(line string) []string {
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
		out = append(out, spell(line[:open]+c+line[end+1:])...)
	}
	return out
}

// keyIn is the key of an opcode where one of a form's lines accepts it, else "".
func keyIn(opcode string, lines []*line) string {
	_, mods := splitOpcode(opcode)
	for _, l := range lines {
		if fill := l.assign(mods); fill != nil {
			return l.bind(mods, fill).Key()
		}
	}
	return ""
}

// TestNewerLines: a form accepts every opcode of its lines, and of those that differ from one of them in a modifier,
// which is left out, added or another, only such as are in the lines as well.
func TestNewerLines(t *testing.T) {
	if runtime.GOOS == "js" {
		t.Skip("the table is the same everywhere, and this is slow here")
	}
	Match("ret") // vocabulary looks into the catalog
	accepted, refused := 0, 0
	for form, lines := range newerLines {
		require.NotNil(t, formByID(form), form)
		compiled := compile(formByID(form))
		legal := map[string]bool{}
		var opcodes []string
		for _, line := range strings.Fields(lines) {
			opcodes = append(opcodes, spell(line)...)
		}
		for _, opcode := range opcodes {
			key := keyIn(opcode, compiled)
			require.NotEmpty(t, key, "%s: %s", form, opcode)
			legal[key] = true
		}
		accepted += len(legal)
		const limit = 400 // neighbours are those of so many opcodes, spread over all
		step := coprime(len(opcodes)*5/8, len(opcodes))
		for n := range min(len(opcodes), limit) {
			words := strings.Split(opcodes[n*step%len(opcodes)], ".")
			known := vocabulary(words[0])
			for i := 1; i < len(words); i++ {
				neighbours := [][]string{slices.Delete(slices.Clone(words), i, i+1)}
				for word := range known {
					other := slices.Clone(words)
					other[i] = word
					neighbours = append(neighbours, other, slices.Insert(slices.Clone(words), i, word))
				}
				for _, near := range neighbours {
					if key := keyIn(strings.Join(near, "."), compiled); key != "" {
						require.True(t, legal[key], "%s accepts %s", form, strings.Join(near, "."))
					} else {
						refused++
					}
				}
			}
		}
	}
	t.Logf("%d forms: %d opcodes accepted, %d neighbours not", len(newerLines), accepted, refused)
}

// TestNewerNeeds: versions and targets by the PTX ISA notes and the target ISA notes of each section, in 9.4.
func TestNewerNeeds(t *testing.T) {
	const all = "90a 100 100f 100a 103 103f 103a 107 107f 107a 110 110f 110a 101a 120 120f 120a 121f 121a"
	for _, c := range []struct {
		opcodes, on string
		version     int
	}{
		{"add.sat.u32 add.sat.u16x2 add.sat.s16x2 add.u8x4 add.sat.s8x4 sub.u8x4 sub.sat.s8x4 neg.s8x4 min.u8x4 " +
			"max.relu.s8x4",
			"107f 107a 120f 120a 121f 121a", 92},
		{"clmad.hi.u64", all, 93},
		{"set.lt.s8x4 set.hs.u16x2 add.f32x2.f16x2.f32x2 sub.rz.ftz.f16x2.f32x2.f32x2 fma.rm.f32x2.bf16x2.f32x2.f32x2 " +
			"mul.f16x2.f16x2.bf16x2 cvt.rz.satfinite.e4m3x2.f32 cvt.rz.satfinite.e2m1x2.bf16x2 cvt.rn.pzo.f16x2.f32 " +
			"cvt.rn.pzo.f16.f32 cvt.rz.pzo.tf32.f32 cvt.rn.satfinite.pzo.e5m2x2.bf16x2 " +
			"cvt.rn.satfinite.scaled::n1::ue8m0.e3m2x2.f16x2 cvt.rp.ue5m3x2.f32 cvt.rn.f16x2.ue5m3x2 " +
			"cvt.rn.scaled::n2::ue8m0.bf16x2.ue5m3x2", "107f 107a", 94},
		{"add.e5m2x4.ue8m0x4 fma.rn.satfinite.e4m3x4.e2m1x4.e3m2x4", "100a 103a", 94},
		{"cvt.rn.bf16x2.e4m3x2 cvt.rn.relu.satfinite.scaled::n2::ue8m0.bf16x2.e2m1x2",
			"100f 100a 103f 103a 107f 107a 110f 110a 101a 120f 120a 121f 121a", 92},
		{"atom.add.noftz.f32 red.shared.add.noftz.f32 atom.global.add.noftz.v2.f32", all, 94},
		{"atom.add.noftz.f16", all, 63},
		{"ldmatrix.sync.aligned.m8n16.x2.s8.s4",
			"90a 100f 100a 103f 103a 107f 107a 110f 110a 101a 120f 120a 121f 121a", 94},
		{"cvt.rz.satfinite.s2f6x2.f32", "100a 103a 107a 110a 101a 120a 121a", 94},
	} {
		for _, opcode := range strings.Fields(c.opcodes) {
			bound, err := Resolve(opcode)
			require.NoError(t, err, opcode)
			need := bound[0].Requires()
			require.Equal(t, c.version, need.Version, opcode)
			for _, word := range strings.Fields(all) {
				sm, arch := split(word)
				require.Equal(t, slices.Contains(strings.Fields(c.on), word), need.On(sm, arch), "%s on sm_%s", opcode, word)
			}
		}
	}
}
