package main

import (
	"bytes"
	"go/ast"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What makes a house of rooms and not a hall.
const (
	mostFields  = 20   // of a struct
	mostMethods = 60   // of a type
	mostLines   = 9000 // of a package
)

// ofMachine says whether a file is hand-written code of the machine, its rooms or the values that it shows.
func ofMachine(file source) bool {
	return !file.test && !ast.IsGenerated(file.syntax) &&
		(file.folder == "gpu" || file.folder == "emu" || strings.HasPrefix(file.folder, "emu/"))
}

// TestStructsAreSmall: what belongs together of a machine's state is a struct of its own.
func TestStructsAreSmall(t *testing.T) {
	for _, file := range sources(t) {
		if !ofMachine(file) {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			if fields := s.Fields.NumFields(); fields > mostFields {
				t.Errorf("%s: a struct with %d fields", file.fset.Position(s.Pos()), fields)
			}
			return true
		})
	}
}

// TestTypesHaveFewMethods: no type of the machine is one that everything goes through.
func TestTypesHaveFewMethods(t *testing.T) {
	methods := map[string]int{}
	for _, file := range sources(t) {
		if !ofMachine(file) {
			continue
		}
		for _, decl := range file.syntax.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil {
				methods[file.folder+"."+receiver(f.Recv.List[0].Type)]++
			}
		}
	}
	require.Greater(t, methods["emu/machine.Warp"], 20)
	for name, n := range methods {
		if n > mostMethods {
			t.Errorf("%s has %d methods", name, n)
		}
	}
}

// receiver is the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr: // one type parameter
		return receiver(e.X)
	}
	return e.(*ast.Ident).Name
}

// TestPackagesAreSmall: the hand-written lines of each package of the machine.
func TestPackagesAreSmall(t *testing.T) {
	lines := map[string]int{}
	for _, file := range sources(t) {
		if !ofMachine(file) {
			continue
		}
		text, err := os.ReadFile(file.name)
		require.NoError(t, err)
		lines[file.folder] += bytes.Count(text, []byte("\n"))
	}
	require.Greater(t, lines["emu/machine"], 5000)
	for folder, n := range lines {
		if n > mostLines {
			t.Errorf("%s has %d lines", folder, n)
		}
	}
}
