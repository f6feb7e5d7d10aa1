package examples_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/emu"
	"warpscope/launch"
	"warpscope/ptx"
)

// words are what mutations exchange: registers, numbers, opcodes, labels.
var words = regexp.MustCompile(`[%$\w.]+|[-+]?\d+`)

// mutate exchanges a few words of a program for others of the same program.
func mutate(src []byte, rng *rand.Rand) []byte {
	for range 1 + rng.IntN(3) {
		at := words.FindAllIndex(src, -1)
		from, to := at[rng.IntN(len(at))], at[rng.IntN(len(at))]
		out := append([]byte(nil), src[:to[0]]...)
		out = append(out, src[from[0]:from[1]]...)
		src = append(out, src[to[1]:]...)
	}
	return src
}

// No matter what a program does, the emulator answers with a diagnostic, a fault or a result: a panic is our bug.
func TestMutatedProgramsDoNotPanic(t *testing.T) {
	files := append(programs(t, "testdata/control"), programs(t, "public/examples")...)
	rng := rand.New(rand.NewPCG(7, 11))
	ran := 0
	for range 3000 {
		src, err := os.ReadFile(files[rng.IntN(len(files))])
		require.NoError(t, err)
		src = mutate(src, rng)
		ok := func() (ran bool) {
			defer func() {
				if p := recover(); p != nil {
					t.Fatalf("%v in\n%s", p, src)
				}
			}()
			return runBriefly(src)
		}()
		if ok {
			ran++
		}
	}
	require.Greater(t, ran, 300, "most mutations must not be refused")
	t.Logf("%d of 3000 mutated programs ran", ran)
}

func runBriefly(src []byte) bool {
	m, err := ptx.Parse("mutated.ptx", src)
	if err != nil {
		return false
	}
	spec, err := launch.FromSource(m)
	if err != nil {
		return false
	}
	p, err := launch.Prepare(m, spec, emu.Options{MemoryLimit: 64 << 20})
	if err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for range 20 {
		if _, err := p.Grid.Step(); err != nil {
			return true
		}
	}
	snap := p.Grid.Snapshot()
	for range 10 {
		if done, err := p.Grid.RunFor(2000); done || err != nil || ctx.Err() != nil {
			break
		}
	}
	p.Grid.Restore(snap)
	_, _ = p.Grid.RunFor(100)
	return true
}

// However an example is cut, and from wherever it is restored, it ends in the same state: what is under way, tensor
// memory and mbarriers belong to a snapshot.
func TestExamplesFromSnapshots(t *testing.T) {
	for _, file := range programs(t, "public/examples") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m, _ := parse(t, file)
			spec, err := launch.FromSource(m)
			require.NoError(t, err)
			p, err := launch.Prepare(m, spec, emu.Options{})
			require.NoError(t, err)
			var snaps []*emu.Snapshot
			for step := int64(40); !p.Grid.Done() && len(snaps) < 5; step *= 3 {
				_, err := p.Grid.RunFor(step)
				require.NoError(t, err)
				snaps = append(snaps, p.Grid.Snapshot())
			}
			end := func() uint64 {
				for range 100 {
					done, err := p.Grid.RunFor(1 << 20)
					require.NoError(t, err)
					if done {
						break
					}
				}
				return p.Grid.Hash()
			}
			want := end()
			for i := range snaps {
				p.Grid.Restore(snaps[len(snaps)-1-i])
				require.Equal(t, want, end(), "from tick %d", snaps[len(snaps)-1-i].Tick)
			}
		})
	}
}
