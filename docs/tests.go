package docs

import (
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"warpscope/ptx"
	"warpscope/ptx/isa"
)

// programs are the folders of PTX files that tests run to their expectations; goTests those whose Go tests execute
// instructions.
var (
	programs = []string{"testdata/values", "testdata/control", "testdata/faults", "public/examples", "bench",
		"testdata/hardware", "testdata/real/ptx"}
	goTests = []string{"emu/num", "emu", "launch", "debug", "emu/slow", "testdata/hardware"}
)

// TestFiles finds, in the repository at root, the files that test each family, by the family's ID: Go tests and
// programs that name one of its opcodes. A Go test that makes opcodes out of parts lists their families: in a
// constant called families, or in a comment that looks like one. One that makes all opcodes of some sections has a
// pattern of them called sections, and the families that it leaves out in a constant called without.
func TestFiles(root fs.FS) (map[string][]string, error) {
	found := map[string][]string{}
	add := func(id, file string) {
		if list := found[id]; len(list) == 0 || list[len(list)-1] != file {
			found[id] = append(list, file)
		}
	}
	keys := formsByKey()
	for _, dir := range goTests {
		files, err := fs.Glob(root, path.Join(dir, "*_test.go"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if file == "emu/fidelity_test.go" {
				continue // it looks at opcodes without running them
			}
			text, err := withPrograms(root, file)
			if err != nil {
				return nil, err
			}
			for _, id := range familiesIn(text, keys) {
				add(id, file)
			}
		}
	}
	for _, dir := range programs {
		files, err := fs.Glob(root, path.Join(dir, "*.ptx"))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			text, err := fs.ReadFile(root, file)
			if err != nil {
				return nil, err
			}
			m, err := ptx.Parse(file, text)
			if err != nil {
				return nil, err
			}
			for _, f := range m.Funcs {
				for _, in := range f.Insts {
					add(in.Match.Form.ID, file)
					if in.Guard != nil {
						add("guard", file)
					}
					if in.Call != nil && in.Call.Target.Kind != ptx.OpFunc {
						add("call.indirect", file)
					}
				}
			}
			if innerBraces.Match(text) {
				add("braces", file)
			}
		}
	}
	return found, nil
}

// withPrograms is the text of a Go test and that of the archive of its programs, which has the test's name.
func withPrograms(root fs.FS, file string) (string, error) {
	text, err := fs.ReadFile(root, file)
	if err != nil {
		return "", err
	}
	name := strings.TrimSuffix(path.Base(file), "_test.go")
	programs, err := fs.ReadFile(root, path.Join(path.Dir(file), "testdata", name+".txtar"))
	if errors.Is(err, fs.ErrNotExist) {
		return string(text), nil
	}
	return string(text) + "\n" + string(programs), err
}

// formsByKey finds families by the canonical spelling of their opcodes, under which arithmetic is tested.
func formsByKey() map[string][]string {
	const perLine = 50
	keys := map[string][]string{}
	for _, f := range isa.Forms() {
		for _, opcode := range f.Opcodes(perLine) {
			bounds, err := isa.Resolve(opcode)
			if err != nil {
				continue
			}
			for _, b := range bounds {
				if k := b.Key(); !slices.Contains(keys[k], b.Form.ID) {
					keys[k] = append(keys[k], b.Form.ID)
				}
			}
		}
	}
	return keys
}

var (
	opcodeWords   = regexp.MustCompile(`[a-z][a-z0-9_]*(?:(?:\.|::)[A-Za-z0-9_]+)+`)
	innerBraces   = regexp.MustCompile(`(?m)^[ \t]+\{`)
	familiesConst = regexp.MustCompile("families = `([^`]*)`")
	sectionsConst = regexp.MustCompile("sections = regexp.MustCompile\\(`([^`]*)`\\)")
	withoutConst  = regexp.MustCompile("without = `([^`]*)`")
)

// familiesIn are the families that a Go test names by opcode, by key or in its list.
func familiesIn(text string, keys map[string][]string) []string {
	var ids []string
	for _, m := range familiesConst.FindAllStringSubmatch(text, -1) {
		ids = append(ids, strings.Fields(m[1])...)
	}
	if m := sectionsConst.FindStringSubmatch(text); m != nil {
		sections, without := regexp.MustCompile(m[1]), strings.Fields(withoutConst.FindStringSubmatch(text)[1])
		for _, f := range isa.Forms() {
			old := f.Gone != (isa.Gone{}) && f.As != ""
			if sections.MatchString(f.Section) && !old && !slices.Contains(without, f.ID) {
				ids = append(ids, f.ID)
			}
		}
	}
	for _, word := range opcodeWords.FindAllString(text, -1) {
		ids = append(ids, keys[word]...)
		if forms, err := isa.Match(word); err == nil {
			for _, f := range forms {
				ids = append(ids, f.ID)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Tests names the first of a family's tests, in the notation of Markdown.
func Tests(files []string) string {
	const most = 2
	var names []string
	for _, f := range files[:min(most, len(files))] {
		names = append(names, "`"+f+"`")
	}
	if len(files) > most {
		names = append(names, "more")
	}
	return strings.Join(names, ", ")
}
