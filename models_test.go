package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"

	"warpscope/emu"
)

// otherStacks are files in which "stack" is the name of the panel, or of the SIMT stack.
var otherStacks = []string{"ui/tabs.go", "ui/embed_js.go", "debug/cell.go"}

// TestModelsAreNamedOnce: the table of divergence models is the only place in Go code that spells their names.
func TestModelsAreNamedOnce(t *testing.T) {
	names := emu.ModelNames()
	for _, file := range sources(t) {
		if file.test || file.name == "emu/machine/models.go" {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			literal, ok := n.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING {
				return true
			}
			for _, name := range names {
				spelt := strings.Trim(literal.Value, "`\"") == name || strings.Contains(literal.Value, `"`+name+`"`)
				if spelt && !(name == emu.Stack.String() && slices.Contains(otherStacks, file.name)) {
					t.Errorf("%s spells the divergence model %s: take it from emu.Models",
						file.fset.Position(literal.Pos()), name)
				}
			}
			return true
		})
	}
}

// TestPoliciesAreNotAsked: no code asks which policy a warp has; what it wants to know is in the policy's row.
func TestPoliciesAreNotAsked(t *testing.T) {
	for _, file := range sources(t) {
		if file.test || file.folder != "emu" && file.folder != "emu/machine" {
			continue
		}
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			asked, ok := n.(*ast.TypeAssertExpr)
			if !ok {
				return true
			}
			if x, ok := asked.X.(*ast.SelectorExpr); ok && x.Sel.Name == "Policy" {
				t.Errorf("%s asks for the type of a policy", file.fset.Position(asked.Pos()))
			}
			return true
		})
	}
}
