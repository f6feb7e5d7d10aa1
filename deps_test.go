package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/fresh"
)

const module = "warpscope"

// row says what the packages of one folder may import besides the standard library. Their tests may import more.
type row struct {
	ours   string // packages of this module
	others string // modules of other people
	js     bool   // files named _js.go and _js_test.go may use syscall/js
}

// layers is the whole of the architecture: an arrow for every import, and none points back. "x/..." are the packages
// below x.
var layers = map[string]row{
	"ptx/isa": {},
	"ptx":     {ours: "ptx/isa"},
	"emu/num": {ours: "ptx/isa"},
	"emu/row": {ours: "gpu emu/num emu/mem"},
	"emu/machine": {ours: "gpu ptx/isa ptx emu/causal emu/causes emu/count emu/live emu/row emu/mem emu/matrix " +
		"emu/schedule emu/shadow emu/simt emu/texture"},
	"emu": {ours: "emu/jit gpu ptx/isa ptx emu/causal emu/causes emu/num emu/row emu/mem emu/count emu/matrix " +
		"emu/schedule " +
		"emu/printf emu/simt emu/tensor emu/texture emu/machine emu/simd"},

	"gpu": {ours: "ptx"}, // values that tell of a machine

	// What the machine uses and knows nothing of it.
	"emu/mem":      {},
	"emu/simt":     {ours: "gpu"},
	"emu/causal":   {},
	"emu/causes":   {ours: "gpu"},
	"emu/count":    {},
	"emu/schedule": {},
	"emu/printf":   {},
	"emu/live":     {ours: "ptx"},
	"emu/shadow":   {ours: "gpu emu/causal emu/mem"},
	"emu/host":     {ours: "emu/mem", others: "github.com/tetratelabs/wazero"}, // for compiled code
	"emu/matrix":   {ours: "ptx/isa emu/num"},
	"emu/tensor":   {ours: "ptx/isa ptx emu/num emu/matrix"}, // swizzles as matrices do; counts in words
	"emu/texture":  {ours: "ptx/isa emu/num"},

	// What is emulated and how exactly.
	"emu/coverage": {ours: "ptx/isa ptx emu"},

	// The compiled engine.
	"emu/jit/wasm": {},
	"emu/jit/call": {ours: "emu/jit/wasm"}, // what regions and the engine tell each other
	"emu/vector":   {ours: "emu/jit/wasm emu/row"},
	"emu/simd":     {ours: "emu/count emu/jit/wasm emu/machine emu/mem emu/row emu/vector"}, // the interpreter's loop
	"emu/jit":      {ours: "gpu ptx/isa ptx emu/row emu/mem emu/machine emu/jit/wasm emu/jit/call emu/vector"},

	// The table of hot instructions, which emu/gen makes handlers from.
	"emu/handlers": {},

	// The model that tests compare the emulator with: it knows nothing of emu/num, and no program imports it.
	"emu/slow": {ours: "ptx/isa"},

	"launch/expr": {ours: "emu/num"},                                                            // reads half precision
	"launch":      {ours: "ptx/isa ptx emu emu/count emu/num emu/texture emu/host launch/expr"}, // writes half precision
	"debug":       {ours: "ptx/isa ptx gpu emu emu/count launch launch/expr"},
	"ui": {
		ours:   "ptx/isa ptx emu emu/count launch debug share ui/layers ui/workspace",
		others: "github.com/hexops/vecty honnef.co/go/js/dom/v2",
		js:     true,
	},
	"ui/layers":    {}, // places of boxes and arrows
	"ui/workspace": {}, // places of panels, by their keys

	"headless": {ours: "ptx/isa ptx emu emu/count launch debug"},
	"wasm":     {ours: "ptx emu launch debug ui headless emu/host", js: true},
	"share":    {ours: "emu"}, // the names of the divergence models

	".":       {ours: "offline"},
	"cmd/...": {ours: "headless emu/host", js: true},
	"bench":   {js: true}, // its tests measure
	"pack":    {ours: "pack/lzma"},
	"offline": {ours: "pack/lzma"},
	"browser": {others: "github.com/chromedp"},

	// The words of the coverage matrix; the pages beside the playground, made at build time.
	"docs": {ours: "ptx/isa ptx emu emu/coverage"},
	"site": {ours: "ptx/isa ptx emu emu/coverage launch debug docs share ui bench", others: "github.com/yuin/goldmark"},

	"pack/lzma": {},

	// For tests alone: texts in archives, and what is stale.
	"internal/txtar": {},
	"internal/apng":  {},
	"internal/fresh": {},

	// A folder of programs, whose tests run them.
	"public/examples": {},

	// Programs that write tables, handlers, documentation and parts of the site.
	"emu/gen": {ours: "emu/handlers"},

	"offline/make": {ours: "offline"},
}

// forbiddenInEmu are the ways in which two runs of one program could differ.
var forbiddenInEmu = []string{"time", "math/rand", "math/rand/v2", "crypto/rand"}

// source is one parsed Go file of this module.
type source struct {
	name   string // path from the root
	folder string
	test   bool
	syntax *ast.File
	fset   *token.FileSet
}

func (s source) imports() []string {
	var paths []string
	for _, spec := range s.syntax.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err == nil {
			paths = append(paths, p)
		}
	}
	return paths
}

// sources parses every Go file, whatever its build constraints.
func sources(t *testing.T) []source {
	t.Helper()
	var list []source
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			hidden := name != "." && strings.HasPrefix(entry.Name(), ".")
			if hidden || entry.Name() == "testdata" || entry.Name() == "node_modules" {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		syntax, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		name = filepath.ToSlash(name)
		list = append(list, source{name, path.Dir(name), strings.HasSuffix(name, "_test.go"), syntax, fset})
		return err
	})
	require.NoError(t, err)
	require.NotEmpty(t, list)
	return list
}

// rowOf finds the name of a folder's row.
func rowOf(folder string) (name string, ok bool) {
	if _, ok := layers[folder]; ok {
		return folder, true
	}
	for pattern := range layers {
		if prefix, ok := strings.CutSuffix(pattern, "..."); ok && strings.HasPrefix(folder, prefix) {
			return pattern, true
		}
	}
	return "", false
}

func (r row) allows(imported string) bool {
	if own, ok := strings.CutPrefix(imported, module+"/"); ok {
		return slices.Contains(strings.Fields(r.ours), own)
	}
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") {
		return true // the standard library; syscall/js has its own rule
	}
	return slices.ContainsFunc(strings.Fields(r.others), func(other string) bool {
		return imported == other || strings.HasPrefix(imported, other+"/")
	})
}

func TestImportDirections(t *testing.T) {
	for _, file := range sources(t) {
		at, known := rowOf(file.folder)
		r := layers[at]
		if !known {
			t.Errorf("%s: package %s has no row in layers", file.name, file.folder)
			continue
		}
		for _, imported := range file.imports() {
			if !file.test && !r.allows(imported) {
				t.Errorf("%s imports %s, which %s may not", file.name, imported, file.folder)
			}
			inJS := strings.HasSuffix(file.name, "_js.go") || strings.HasSuffix(file.name, "_js_test.go")
			if imported == "syscall/js" && !(r.js && (inJS || file.folder == "wasm")) {
				t.Errorf("%s imports syscall/js: only _js.go files of ui, wasm, cmd and bench do", file.name)
			}
		}
	}
}

// TestLayersAreUsed: every row is of a folder that exists, and every permission is used by a file that is no test, or
// by any where a folder has only tests.
func TestLayersAreUsed(t *testing.T) {
	type use struct{ row, imported string }
	used, tested := map[use]bool{}, map[use]bool{}
	programs := map[string]bool{} // rows with files that are no tests; false: with tests
	for _, file := range sources(t) {
		at, _ := rowOf(file.folder)
		programs[at] = programs[at] || !file.test
		for _, imported := range file.imports() {
			if tested[use{at, imported}] = true; !file.test {
				used[use{at, imported}] = true
			}
		}
	}
	for at, r := range layers {
		code, exists := programs[at]
		if !exists {
			t.Errorf("layers has a row for %s, a folder without packages", at)
			continue
		}
		uses := used
		if !code {
			uses = tested
		}
		for _, own := range strings.Fields(r.ours) {
			if !uses[use{at, module + "/" + own}] {
				t.Errorf("%s may import %s and does not", at, own)
			}
		}
		for _, other := range strings.Fields(r.others) {
			any := false
			for u := range uses {
				any = any || u.row == at && (row{others: other}).allows(u.imported) && strings.Contains(u.imported, ".")
			}
			if !any {
				t.Errorf("%s may import %s and does not", at, other)
			}
		}
	}
}

// A module, its launch and its schedule fix every state at every tick.
func TestEmuIsDeterministic(t *testing.T) {
	for _, file := range sources(t) {
		if file.test || file.folder != "emu" && !strings.HasPrefix(file.folder, "emu/") {
			continue
		}
		for _, imported := range file.imports() {
			if slices.Contains(forbiddenInEmu, imported) {
				t.Errorf("%s imports %s", file.name, imported)
			}
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			if statement, ok := n.(*ast.GoStmt); ok {
				t.Errorf("%s starts a goroutine", file.fset.Position(statement.Pos()))
			}
			return true
		})
	}
}

func TestLayersHaveNoCycle(t *testing.T) {
	var visit func(folder string, above []string)
	visit = func(folder string, above []string) {
		require.NotContains(t, above, folder)
		for _, below := range strings.Fields(layers[folder].ours) {
			visit(below, append(slices.Clone(above), folder))
		}
	}
	for folder := range layers {
		visit(folder, nil)
	}
}

// Packages of other people are files here: no script of theirs runs when they are installed.
func TestPackagesRunNoScripts(t *testing.T) {
	script, err := os.ReadFile("build.sh")
	require.NoError(t, err)
	installs := regexp.MustCompile(`(?m)^\s*npm (?:ci|i|install).*`).FindAllString(string(script), -1)
	require.NotEmpty(t, installs)
	for _, line := range installs {
		require.Contains(t, line, "--ignore-scripts")
	}
}

var update = flag.Bool("update", false, "write the parts of docs/architecture.md that are made from layers again")

// height is how many arrows lie below a folder at most.
func height(folder string) int {
	h := 0
	for _, below := range strings.Fields(layers[folder].ours) {
		h = max(h, height(below)+1)
	}
	return h
}

// packageTable is layers in words, from the bottom up. Each package says itself what it is.
func packageTable(t *testing.T) string {
	says := map[string]string{}
	for _, file := range sources(t) {
		at, _ := rowOf(file.folder)
		if text := file.syntax.Doc.Text(); text != "" && (says[at] == "" || !file.test) {
			text = new(doc.Package).Synopsis(text)
			text = strings.TrimPrefix(text, "Package "+file.syntax.Name.Name+" ")
			says[at] = strings.TrimSuffix(text, ":")
		}
	}
	folders := slices.Collect(maps.Keys(layers))
	slices.SortFunc(folders, func(a, b string) int {
		return cmp.Or(cmp.Compare(height(a), height(b)), cmp.Compare(a, b))
	})
	var b strings.Builder
	b.WriteString("| package | imports | what it says of itself |\n| --- | --- | --- |\n")
	for _, folder := range folders {
		r := layers[folder]
		var names []string
		for _, name := range append(strings.Fields(r.ours), strings.Fields(r.others)...) {
			names = append(names, "`"+name+"`")
		}
		if says[folder] == "" {
			t.Errorf("package %s has no comment that says what it is", folder)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", strings.TrimSuffix(folder, "/..."), strings.Join(names, " "), says[folder])
	}
	return b.String()
}

// architecture is the document that shows layers.
const architecture = "docs/architecture.md"

// requirePart requires that a part of the document, between <!-- name --> and <!-- end of name -->, is what the code
// says.
func requirePart(t *testing.T, name, want string) {
	t.Helper()
	data, err := os.ReadFile(architecture)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(data), "<!-- "+name+" -->\n")
	have, after, ended := strings.Cut(rest, "<!-- end of "+name+" -->")
	require.True(t, found && ended, "%s has a place for %s", architecture, name)
	want = "\n" + want + "\n"
	if *update {
		text := before + "<!-- " + name + " -->\n" + want + "<!-- end of " + name + " -->" + after
		require.NoError(t, os.WriteFile(architecture, []byte(text), 0o644))
		have = want
	}
	fresh.Require(t, "the part "+name+" of "+architecture, "go test . -update", want, have)
}

// TestPackageTable: the table of packages and arrows in docs/architecture.md is layers.
func TestPackageTable(t *testing.T) { requirePart(t, "packages", packageTable(t)) }
