package main

import (
	"cmp"
	"go/ast"
	gotypes "go/types"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// mostBack is how many arrows between files of one package of the machine may run back up, in all packages together. It
// is a little more than there are now.
const mostBack = 33

// checker finds out what names mean in the packages of this module. Of other packages it knows only that they exist:
// expressions with their types have none.
type checker struct {
	files map[string][]source // by folder, without tests
	done  map[string]*gotypes.Package
	uses  map[string]map[*ast.Ident]gotypes.Object // by folder
}

func newChecker(t *testing.T) *checker {
	c := &checker{map[string][]source{}, map[string]*gotypes.Package{}, map[string]map[*ast.Ident]gotypes.Object{}}
	for _, file := range sources(t) {
		if !file.test && !strings.HasSuffix(file.name, "_wasm.go") && !strings.HasSuffix(file.name, "_js.go") {
			c.files[file.folder] = append(c.files[file.folder], file)
		}
	}
	return c
}

func (c *checker) Import(imported string) (*gotypes.Package, error) {
	folder, own := strings.CutPrefix(imported, module+"/")
	switch {
	case imported == "unsafe":
		return gotypes.Unsafe, nil
	case !own:
		return gotypes.NewPackage(imported, imported[strings.LastIndex(imported, "/")+1:]), nil
	case c.done[folder] != nil:
		return c.done[folder], nil
	}
	var syntax []*ast.File
	for _, file := range c.files[folder] {
		syntax = append(syntax, file.syntax)
	}
	uses := map[*ast.Ident]gotypes.Object{}
	config := gotypes.Config{Importer: c, Error: func(error) {}}
	p, _ := config.Check(imported, c.files[folder][0].fset, syntax, &gotypes.Info{Uses: uses})
	c.done[folder], c.uses[folder] = p, uses
	return p, nil
}

// fileArrows are the arrows between the files of a package: to those whose functions, methods, types and variables a
// file names. Constants and fields do not count.
func (c *checker) fileArrows(t *testing.T, folder string) (files []string, to [][]bool) {
	_, err := c.Import(module + "/" + folder)
	require.NoError(t, err)
	at := map[string]int{}
	for i, file := range c.files[folder] {
		at[file.name] = i
		files = append(files, file.name)
	}
	for range files {
		to = append(to, make([]bool, len(files)))
	}
	fset := c.files[folder][0].fset
	for id, o := range c.uses[folder] {
		v, isVar := o.(*gotypes.Var)
		method := false
		if f, ok := o.(*gotypes.Func); ok && f.Signature() != nil {
			method = f.Signature().Recv() != nil
		}
		_, isConst := o.(*gotypes.Const)
		if o.Pkg() != c.done[folder] || isConst || isVar && v.IsField() || !method && o.Parent() != o.Pkg().Scope() {
			continue
		}
		from, own := at[fset.Position(id.Pos()).Filename]
		of, known := at[fset.Position(o.Pos()).Filename]
		if own && known && from != of && !ast.IsGenerated(c.files[folder][of].syntax) &&
			!ast.IsGenerated(c.files[folder][from].syntax) {
			to[from][of] = true
		}
	}
	return files, to
}

// topDown orders files so that few arrows run back up, from a later file to an earlier one. It begins with the order of
// greedy, and with some that are shuffled, moves single files as long as that helps, and returns the best.
func topDown(to [][]bool) (best []int) {
	r := rand.New(rand.NewPCG(1, uint64(len(to))))
	for n := range 100 {
		order := greedy(to)
		if n > 0 {
			r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		}
		for moved := true; moved; {
			moved = false
			for v := range to {
				moved = move(order, to, v) || moved
			}
		}
		if n == 0 || backUp(order, to) < backUp(best, to) {
			best = order
		}
	}
	return best
}

// backUp counts the arrows that run back up.
func backUp(order []int, to [][]bool) (n int) {
	for later, v := range order {
		for _, w := range order[:later] {
			if to[v][w] {
				n++
			}
		}
	}
	return n
}

// greedy puts a file that needs no other of those that are left at the end. Where there is none, the file with the most
// arrows to the others and the fewest from them goes to the front.
func greedy(to [][]bool) []int {
	left := map[int]bool{}
	for v := range to {
		left[v] = true
	}
	var head, tail []int
	for len(left) > 0 {
		degree := func(v int) (out, in int) {
			for w := range left {
				if to[v][w] {
					out++
				}
				if to[w][v] {
					in++
				}
			}
			return out, in
		}
		order := slices.SortedFunc(maps.Keys(left), func(a, b int) int {
			outA, inA := degree(a)
			outB, inB := degree(b)
			return cmp.Or(cmp.Compare(outB-inB, outA-inA), cmp.Compare(a, b))
		})
		pick := order[0]
		if i := slices.IndexFunc(order, func(v int) bool { out, _ := degree(v); return out == 0 }); i >= 0 {
			pick = order[i]
			tail = append(tail, pick)
		} else {
			head = append(head, pick)
		}
		delete(left, pick)
	}
	slices.Reverse(tail)
	return append(head, tail...)
}

// move brings a file to the place of an order where the fewest arrows to and from it run back up.
func move(order []int, to [][]bool, v int) (moved bool) {
	at := slices.Index(order, v)
	best, place := 0, at
	for _, step := range []int{-1, 1} {
		gain := 0
		for p := at + step; p >= 0 && p < len(order); p += step {
			w := order[p]
			if to[v][w] {
				gain -= step
			}
			if to[w][v] {
				gain += step
			}
			if gain > best {
				best, place = gain, p
			}
		}
	}
	if best > 0 {
		copy(order[at:], order[at+1:])
		copy(order[place+1:], order[place:len(order)-1])
		order[place] = v
	}
	return best > 0
}

// TestFewArrowsRunBackUp: the files of a package of the machine can be read from the top down, more or less. Between
// packages no arrow runs back, see TestLayersHaveNoCycle.
func TestFewArrowsRunBackUp(t *testing.T) {
	c := newChecker(t)
	all, back := 0, 0
	for _, folder := range slices.Sorted(maps.Keys(layers)) {
		if folder != "gpu" && folder != "emu" && !strings.HasPrefix(folder, "emu/") {
			continue
		}
		files, to := c.fileArrows(t, folder)
		here, backHere := 0, 0
		order := topDown(to)
		for later, v := range order {
			for earlier, w := range order {
				if to[v][w] {
					here++
					if earlier < later {
						backHere++
						t.Logf("%s: %s names what is in %s", folder, files[v], files[w])
					}
				}
			}
		}
		t.Logf("%s: %d files, %d arrows, %d run back up", folder, len(files), here, backHere)
		all, back = all+here, back+backHere
	}
	t.Logf("together: %d arrows, %d run back up", all, back)
	require.Greater(t, all, 600)
	require.LessOrEqual(t, back, mostBack)
}
