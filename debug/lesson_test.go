package debug

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
)

var lessonPrograms = regexp.MustCompile("(?ms)^```ptx(.*?)\n(.*?)^```")

// Programs of lessons that open at a step are then after an instruction of the warp that they follow, and say what it
// did.
func TestLessonsOpenBehindAnInstructionOfTheirWarp(t *testing.T) {
	files, err := filepath.Glob("../public/lessons/*.md")
	require.NoError(t, err)
	count := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, p := range lessonPrograms.FindAllSubmatch(text, -1) {
			at := regexp.MustCompile(`step="(\d+)"`).FindSubmatch(p[1])
			if at == nil {
				continue
			}
			count++
			step, err := strconv.ParseInt(string(at[1]), 10, 64)
			require.NoError(t, err)
			s := open(t, string(p[2]))
			s.RunFor(step - 1)
			s.Pause()
			s.Step()
			require.Equal(t, step, s.View().Tick, "%s: %s", file, p[1])
			require.Regexp(t, `^line \d+, `, s.View().Status, "%s: %s", file, p[1])
		}
	}
	require.Greater(t, count, 20)
}

// What the text of lesson 10 says about the steps at which its programs open: lane 0 is about to run, alone. The first
// turn of the lock has 4 instructions and 84 rounds of 3, the next one 86 rounds. That of the flag has 6 and 84 rounds.
func TestLesson10(t *testing.T) {
	text, err := os.ReadFile("../public/lessons/10-spin-locks.md")
	require.NoError(t, err)
	programs := lessonPrograms.FindAllSubmatch(text, -1)
	for n, at := range map[int]struct {
		step    int64
		running string // lanes that run in the step
		next    string // instruction of lane 0
	}{
		1: {4 + 84*3 + 86*3, "lanes 1-7", "ld.volatile.global.u32"},
		2: {6 + 84*3, "lanes 1-31", "st.release.gpu.global.u32"},
	} {
		require.Contains(t, string(programs[n][1]), fmt.Sprintf(`step="%d"`, at.step))
		s := open(t, string(programs[n][2]))
		s.RunFor(at.step - 1)
		s.Pause()
		require.Equal(t, at.running, s.View().State.Active.Lanes())
		s.Step()
		state := s.View().State
		require.Equal(t, "lane 0", state.Active.Lanes())
		require.Equal(t, at.next, state.PC.Opcode)
	}
}

func lesson11(t *testing.T, n int) (*Session, func(at int) uint32) {
	text, err := os.ReadFile("../public/lessons/11-shared-memory.md")
	require.NoError(t, err)
	s := open(t, string(lessonPrograms.FindAllSubmatch(text, -1)[n][2]))
	return s, func(at int) uint32 {
		for _, r := range s.View().Memory {
			if r.Name == "shared" {
				require.Equal(t, "u32", r.Type, "the text writes the places as decimal numbers")
				return binary.LittleEndian.Uint32(r.Bytes[4*at:])
			}
		}
		return 0
	}
}

// What the text of lesson 11 says about its programs: place 63 - i gets i, the upper half from warp 0 and the lower
// from warp 1, whose barrier is the sixth step; then both can go on. In the sum, place i has i + (i + 32) after one
// round.
func TestLesson11(t *testing.T) {
	s, place := lesson11(t, 0)
	s.RunFor(6)
	s.Pause()
	require.EqualValues(t, 6, s.View().Tick)
	require.Equal(t, emu.FullMask, s.View().State.AtBarrier)
	for i := range 32 {
		require.EqualValues(t, i, place(63-i))
		require.Zero(t, place(i))
	}
	s.Follow(0, 1)
	for range 6 {
		require.NotZero(t, s.history.grid.Warp(0, 0).AtBarrier)
		s.Step()
	}
	for i := range 64 {
		require.EqualValues(t, 63-i, place(i))
	}
	for warp := range 2 {
		require.Zero(t, s.history.grid.Warp(0, warp).AtBarrier)
	}

	s, place = lesson11(t, 1)
	s.RunFor(28)
	s.Pause()
	for i := range 32 {
		require.EqualValues(t, i+i+32, place(i))
	}
	require.EqualValues(t, 32, place(32), "the upper half is as it was")
}
