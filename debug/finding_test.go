package debug

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestBothPlacesOfAFinding goes to both places of the findings of all planted bugs that have two: a comment in each
// program says which lines they are.
func TestBothPlacesOfAFinding(t *testing.T) {
	files, err := filepath.Glob("../testdata/bugs/*.ptx")
	require.NoError(t, err)
	pairs := 0
	for _, path := range files {
		src, err := os.ReadFile(path)
		require.NoError(t, err)
		_, bug, ok := strings.Cut(string(src), "\n// bug: ")
		bug, _, _ = strings.Cut(bug, "\n")
		first, second, two := strings.Cut(bug, " and line ")
		if !ok || !two {
			continue
		}
		s := open(t, string(src))
		finish(s)
		lines := []string{first[strings.LastIndexByte(first, ' ')+1:], second}
		f := s.View().Findings[0]
		if f.With.Inst == nil { // the other place is a declaration
			continue
		}
		pairs++
		var went []string
		for _, other := range []bool{true, false} {
			s.GoToFinding(0, other)
			v := s.View()
			if !assert.NotNil(t, v.Last, "%s: %s", path, v.Status) {
				break
			}
			went = append(went, strconv.Itoa(s.line(v.Last.Inst)))
			assert.Equal(t, v.Last.CTAIndex, v.CTA, path)
			assert.Equal(t, v.Last.Warp, v.Warp, path)
			list := append(slices.Clone(v.Findings), v.Later...)
			require.NotEmpty(t, list, path)
			assert.Equal(t, f.Message, list[0].Message, "%s: it stays known", path)
		}
		slices.Sort(lines)
		slices.Sort(went)
		assert.Equal(t, lines, went, path)
	}
	assert.Greater(t, pairs, 50)
}

// inALoop stores rows 0 to 3 of s in warp 0 and reads row 1 in warp 1: the store of the second turn of the loop is the
// other place.
const inALoop = `//@ block 64
//@ sanitize racecheck
.version 8.0
.target sm_80
.address_size 64
.entry k() {
	.shared .b32 s[128];
	.reg .pred %p; .reg .b32 %i, %t, %a, %v;
	mov.u32 %t, %laneid;
	mov.u32 %a, s;
	mad.lo.u32 %a, %t, 4, %a;
	mov.u32 %t, %tid.x;
	setp.ge.u32 %p, %t, 32;
	@%p bra READ;
	mov.u32 %i, 0;
LOOP:
	st.shared.u32 [%a], %i;
	add.u32 %a, %a, 128;
	add.u32 %i, %i, 1;
	setp.lt.u32 %p, %i, 4;
	@%p bra LOOP;
	ret;
READ:
	ld.shared.u32 %v, [%a+128];
	ret;
}`

func TestOtherPlaceInALoop(t *testing.T) {
	s := open(t, inALoop)
	finish(s)
	require.Len(t, s.View().Findings, 1)
	require.Contains(t, s.View().Status, " 1 finding: see Problems.")
	s.GoToFinding(0, true)
	v := s.View()
	require.Equal(t, 17, s.line(v.Last.Inst), v.Status)
	require.Equal(t, []byte{1, 0, 0, 0}, v.Last.Mem[0].New, "it stores %i of the second turn")
	require.Empty(t, v.Findings)
	require.Len(t, v.Later, 1)
	s.GoToFinding(0, false)
	v = s.View()
	require.Equal(t, 24, s.line(v.Last.Inst))
	require.Contains(t, v.Status, "Finding: ")
	require.Len(t, v.Findings, 1)
	s.GoToFinding(7, false)
	require.Equal(t, v.Tick, s.Tick(), "there is no such finding")
}
