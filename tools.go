//go:build tools

// Keeps in go.mod what packages outside the default build constraints import.
package main

import (
	_ "github.com/chromedp/chromedp"
	_ "github.com/hexops/vecty"
	_ "github.com/stretchr/testify/require"
	_ "honnef.co/go/js/dom/v2"
)
