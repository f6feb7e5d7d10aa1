package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/launch"
)

// titles are the titles of all examples by their file, as launch finds them.
func titles(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(public + "/examples/*.ptx")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	found := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		found[filepath.Base(file)] = launch.Title(string(text))
	}
	return found
}

// The list that the chooser of the page reads has every example with its title, in the order of the file names.
func TestIndexOfExamples(t *testing.T) {
	examples, err := readExamples(public + "/examples")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, writeIndex(dir, examples))
	text, err := os.ReadFile(filepath.Join(dir, "examples", "index.json"))
	require.NoError(t, err)
	var list []struct{ File, Title string }
	require.NoError(t, json.Unmarshal(text, &list))
	have := map[string]string{}
	for i, e := range list {
		have[e.File] = e.Title
		require.True(t, i == 0 || list[i-1].File < e.File, e.File)
	}
	require.Equal(t, titles(t), have)
	require.Equal(t, `"file": "01-hello-lanes.ptx",`, regexp.MustCompile(`"file".*`).FindString(string(text)),
		"build.sh reads the first line of this form")
}

// Embeds show a title before the engine is there: their script finds the same titles.
func TestEmbedsFindTheSameTitles(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not here")
	}
	script, err := os.ReadFile(public + "/embed.js")
	require.NoError(t, err)
	title := regexp.MustCompile(`(?m)^\s*const title = .*;$`).Find(script)
	require.NotNil(t, title)
	const each = `
const fs = require("fs"), dir = process.argv[1], found = {};
for (const file of fs.readdirSync(dir)) {
	if (file.endsWith(".ptx")) found[file] = title(fs.readFileSync(dir + file, "utf8"));
}
console.log(JSON.stringify(found));
`
	out, err := exec.Command(node, "-e", string(title)+each, public+"/examples/").Output()
	require.NoError(t, err)
	var have map[string]string
	require.NoError(t, json.Unmarshal(out, &have))
	require.Equal(t, titles(t), have)
}
