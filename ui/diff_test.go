package ui

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func signs(list []edit) string {
	var b strings.Builder
	for _, e := range list {
		b.WriteByte(e.Sign)
		b.WriteString(e.Text)
	}
	return b.String()
}

func TestDiff(t *testing.T) {
	lines := func(letters string) string { return strings.Join(strings.Split(letters, ""), "\n") }
	// Myers's own example: ABCABBA becomes CBABAC with five edits.
	list := diffLines(lines("ABCABBA"), lines("CBABAC"))
	n := 0
	for _, e := range list {
		if e.Sign != ' ' {
			n++
		}
	}
	require.Equal(t, 5, n)
	require.Equal(t, " a-b+x c", signs(diffLines("a\nb\nc\n", "a\nx\nc\n")))
	require.Equal(t, "+a", signs(diffLines("", "a\n")))
	require.Equal(t, "-a", signs(diffLines("a\n", "")))
	require.Empty(t, diffLines("", ""))
	require.Equal(t, []edit{{' ', 1, 1, "a"}, {'+', 0, 2, "b"}, {' ', 2, 3, "c"}}, diffLines("a\nc", "a\nb\nc"))
}

// Every comparison has all lines of both texts in their order, and as few edits as the longest common subsequence
// leaves, which a table counts.
func TestDiffOfRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	text := func() []string {
		list := make([]string, r.IntN(12))
		for i := range list {
			list[i] = string(rune('a' + r.IntN(3)))
		}
		return list
	}
	for range 500 {
		a, b := text(), text()
		common := make([][]int, len(a)+1)
		for i := range common {
			common[i] = make([]int, len(b)+1)
		}
		for i := len(a) - 1; i >= 0; i-- {
			for j := len(b) - 1; j >= 0; j-- {
				if common[i][j] = max(common[i+1][j], common[i][j+1]); a[i] == b[j] {
					common[i][j] = common[i+1][j+1] + 1
				}
			}
		}
		var left, right []string
		same := 0
		for _, e := range diffLines(strings.Join(a, "\n"), strings.Join(b, "\n")) {
			if e.Sign != '+' {
				left = append(left, e.Text)
				require.Equal(t, len(left), e.From)
			}
			if e.Sign != '-' {
				right = append(right, e.Text)
				require.Equal(t, len(right), e.To)
			}
			if e.Sign == ' ' {
				same++
			}
		}
		require.Equal(t, strings.Join(a, ""), strings.Join(left, ""))
		require.Equal(t, strings.Join(b, ""), strings.Join(right, ""))
		require.Equal(t, common[0][0], same, "%v %v", a, b)
	}
}

func TestHunks(t *testing.T) {
	list := hunks(diffLines("1\n2\n3\n4\n5\n6\n7\n", "1\n2\n3\n4\nfive\n6\n7\n"), 1)
	require.Equal(t, "\x00 4-5+five 6\x00", signs(list))
	require.Equal(t, "\x00", signs(hunks(diffLines("1\n2", "1\n2"), 3)))
}

// Texts that have nothing in common are not compared without end.
func TestDiffOfStrangers(t *testing.T) {
	list := diffLines(strings.Repeat("a\n", 5000), strings.Repeat("b\n", 5000))
	require.Len(t, list, 10000)
}
