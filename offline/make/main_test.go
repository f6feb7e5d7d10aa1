package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The date of the archive's files moves with each commit, is the same for each build of it, and is never none.
func TestDateOfASite(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "")
	root := t.TempDir()
	dir := filepath.Join(root, "public")
	require.NoError(t, os.Mkdir(dir, 0o755))
	written := time.Unix(1_700_000_000, 0)
	write := func(text string) {
		written = written.Add(time.Second)
		file := filepath.Join(dir, "a.js")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		require.NoError(t, os.Chtimes(file, written, written))
	}
	is := func(want time.Time) {
		t.Helper()
		date, err := dateOf(dir)
		require.NoError(t, err)
		require.Equal(t, want.Unix(), date.Unix())
	}
	git := func(when string, args ...string) {
		t.Helper()
		command := exec.Command("git", append([]string{"-C", root, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		command.Env = append(os.Environ(), "GIT_COMMITTER_DATE="+when)
		out, err := command.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	write("one")
	is(written) // no checkout
	git("", "init", "-q")
	is(written) // nothing is committed
	for _, commit := range []struct{ text, when string }{
		{"two", "2026-03-01T12:00:00Z"}, {"six", "2026-03-01T12:00:05Z"},
	} {
		write(commit.text)
		is(written) // as it is in no commit
		git(commit.when, "add", ".")
		git(commit.when, "commit", "-q", "-m", commit.text)
		when, err := time.Parse(time.RFC3339, commit.when)
		require.NoError(t, err)
		is(when)
	}
	t.Setenv("SOURCE_DATE_EPOCH", "1772366401")
	is(time.Unix(1772366401, 0))
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	_, err := dateOf(dir)
	require.ErrorContains(t, err, "yesterday")
}
