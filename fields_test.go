package main

import (
	"go/ast"
	"strings"
	"testing"
)

const mostFields = 20

// TestStructsAreSmall: what belongs together of a machine's state is a struct of its own.
func TestStructsAreSmall(t *testing.T) {
	for _, file := range sources(t) {
		if file.test || ast.IsGenerated(file.syntax) || file.folder != "emu" && !strings.HasPrefix(file.folder, "emu/") {
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
