package ptx

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTargets: the targets and their first versions (11.1.2, PTX ISA notes), the replacements of unknown newer ones,
// and words that are not targets.
func TestTargets(t *testing.T) {
	for _, c := range []struct{ version, target, sm, want string }{
		{"9.1", "sm_121a", "sm_121a", ""},
		{"9.2", "sm_110f", "sm_110f", ""},
		{"9.3", "sm_100", "sm_100", ""},
		{"9.4", "sm_107", "sm_107", ""},
		{"9.4", "sm_107f", "sm_107f", ""},
		{"9.4", "compute_107a", "sm_107a", ""},
		{"9.3", "sm_107", "sm_107", "error: sm_107 needs PTX ISA 9.4; the module says .version 9.3 [needs-newer-version]"},
		{"9.5", "sm_120", "sm_120", "warning: PTX ISA 9.5 is newer than 9.4, the newest that is known here [future-version]"},

		{"9.4", "sm_108f", "sm_107f", future("sm_108f", "sm_107f")},
		{"8.8", "sm_104", "sm_107", future("sm_104", "sm_107")},
		{"9.4", "sm_112", "sm_110", future("sm_112", "sm_110")},
		{"9.4", "sm_123a", "sm_121a", future("sm_123a", "sm_121a")},
		{"9.4", "sm_130", "sm_121", future("sm_130", "sm_121")},
		{"9.4", "compute_200f", "sm_121f", future("sm_200f", "sm_121f")},

		{"9.4", "sm_foo", "", "error: there is no target 'sm_foo'"},
		{"9.4", "sm_14", "", "error: there is no target 'sm_14'"},
		{"9.4", "sm_91", "", "error: there is no target 'sm_91'"},
		{"9.4", "sm_80a", "", "error: there is no target 'sm_80a'"},
		{"9.4", "sm_120af", "", "error: there is no target 'sm_120af'"},
		{"9.4", "sm_1200", "", "error: there is no target 'sm_1200'"},
	} {
		m, _ := Parse("t", []byte(fmt.Sprintf(".version %s\n.target %s\n", c.version, c.target)))
		got := ""
		for _, d := range m.Diagnostics {
			d.where = ""
			got += d.String()
		}
		if c.sm == "" {
			require.Contains(t, got, c.want, c.target)
			continue
		}
		require.Equal(t, c.want, got, c.target)
		require.Equal(t, c.sm, fmt.Sprintf("sm_%d%s", m.SM, m.Arch), c.target)
		require.Equal(t, c.target, m.Target)
	}
}

func future(target, known string) string {
	return fmt.Sprintf("warning: the target %s is not known here: it is taken as %s, the newest that is [future-target]",
		target, known)
}

// TestTargetFeatures: sm_107 belongs to the family sm_10x (11.1.2, Table 70 of PTX ISA 9.4).
func TestTargetFeatures(t *testing.T) {
	const relinquish = "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" // 9.7.18.7.1: sm_100f and its family
	for target, ok := range map[string]bool{"sm_107": false, "sm_107f": true, "sm_107a": true, "sm_108f": true,
		"sm_130f": false, "sm_110f": true, "sm_120f": false} {
		_, err := Parse("t", []byte(fmt.Sprintf(".version 9.4\n.target %s\n.entry k() { %s ret; }", target, relinquish)))
		require.Equal(t, ok, err == nil, "%s: %v", target, err)
	}
}

// TestSkippedTarget: the packed 8-bit integers are on sm_107f and sm_120f and not on sm_110f between them (9.7.1.1),
// the sums of four narrow numbers on sm_100a and sm_103a and not on sm_107a (9.7.6.1), the products of 8-bit integers
// on sm_100a and sm_110a and not on sm_103a and sm_107a (9.7.18.10.10.1).
func TestSkippedTarget(t *testing.T) {
	const registers = ".reg .b32 r; .reg .b64 q; .reg .pred p;"
	const products = "tcgen05.mma.cta_group::1.kind::i8 [r], q, q, r, p;"
	for _, c := range []struct{ target, text, want, fix string }{
		{"sm_110f", "add.u8x4 r, r, r;", "add.u8x4 needs sm_107f, not sm_110f; the module says .target sm_110f", ""},
		{"sm_120", "add.u8x4 r, r, r;", "add.u8x4 needs sm_120f; the module says .target sm_120", "write .target sm_120f"},
		{"sm_103a", "add.u8x4 r, r, r;", "needs sm_107f", "write .target sm_107a"},
		{"sm_107a", "add.e4m3x4.e4m3x4 r, r, r;", "needs sm_100a, not sm_107a; the module says .target sm_107a", ""},
		{"sm_103a", products, "needs sm_100a, not sm_103a; the module says .target sm_103a", ""},
		{"sm_107a", products, "needs sm_100a, not sm_103a; the module says .target sm_107a", ""},
		{"sm_110f", products, "needs sm_110a; the module says .target sm_110f", "write .target sm_110a"},
	} {
		m, err := Parse("t", []byte(fmt.Sprintf(".version 9.4\n.target %s\n.entry k() { %s %s ret; }",
			c.target, registers, c.text)))
		require.Error(t, err)
		d := m.Diagnostics[0]
		require.Contains(t, d.Message, c.want)
		if c.fix == "" {
			require.Nil(t, d.Fix, c.target)
		} else {
			require.Equal(t, c.fix, d.Fix.Message, c.target)
		}
	}
	for _, target := range []string{"sm_100a", "sm_101a", "sm_110a"} {
		_, err := Parse("t", []byte(fmt.Sprintf(".version 9.4\n.target %s\n.entry k() { %s %s ret; }",
			target, registers, products)))
		require.NoError(t, err, target)
	}
}

// TestNewerInstruction: what the table does not have may be an instruction of a newer version.
func TestNewerInstruction(t *testing.T) {
	const known = "; the instructions known here are those of PTX ISA 9.4, and the module says .version "
	for _, c := range []struct{ version, text, want string }{
		{"9.4", "add.u4x8 r, r, r;", "`.u4x8` is not allowed on `add`"},
		{"9.5", "add.u4x8 r, r, r;", known + "9.5"},
		{"9.9", "nosuch.lo.u64 r, r, r, r;", known + "9.9"},
	} {
		m, err := Parse("t", []byte(fmt.Sprintf(".version %s\n.target sm_120a\n.entry k() { .reg .b32 r; %s ret; }",
			c.version, c.text)))
		require.Error(t, err)
		require.Contains(t, m.Diagnostics[len(m.Diagnostics)-1].Message, c.want)
		last := m.Diagnostics[len(m.Diagnostics)-1].Message
		require.Equal(t, c.version != "9.4", strings.Contains(last, "known here"))
	}
}

// A target that there is not is near the newest one before it, and not near sm_11 because of a digit.
func TestUnknownTargets(t *testing.T) {
	for wrong, right := range map[string]string{
		"sm_71": "sm_70", "sm_85": "sm_80", "sm_74": "sm_72", "sm_99a": "sm_90a", "sm_100b": "sm_100", "sm70": "sm_70",
		"SM_80": "sm_80", "sm_81a": "sm_80",
	} {
		m, err := Parse("a.ptx", []byte(".version 9.0\n.target "+wrong+"\n.address_size 64\n"))
		require.Error(t, err)
		require.Contains(t, m.Diagnostics[0].Message, "; did you mean "+right+"?", wrong)
	}
}
