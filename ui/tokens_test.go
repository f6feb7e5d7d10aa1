package ui

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// themes reads the colours of the style sheet.
func themes(t *testing.T) (light, dark map[string]string) {
	t.Helper()
	text, err := os.ReadFile("tokens.css")
	require.NoError(t, err)
	const colour = `#([0-9a-f]{3}|[0-9a-f]{6})`
	pair := regexp.MustCompile(`--([\w-]+): var\(--dark, ` + colour + `\) var\(--light, ` + colour + `\);`)
	light, dark = map[string]string{}, map[string]string{}
	for _, m := range pair.FindAllStringSubmatch(string(text), -1) {
		light[m[1]], dark[m[1]] = m[2], m[3]
	}
	return light, dark
}

// luminance is the relative luminance of WCAG 2.1.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	if len(hex) == 3 {
		hex = string([]byte{hex[0], hex[0], hex[1], hex[1], hex[2], hex[2]})
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		require.NoError(t, err)
		c := float64(n) / 255
		if c <= 0.03928 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// contrast is the ratio of WCAG 2.1: 21 between black and white.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	x, y := luminance(t, a), luminance(t, b)
	return (max(x, y) + .05) / (min(x, y) + .05)
}

// Words reach 4.5 : 1 on every ground that they are on, shapes 3 : 1, in both themes.
func TestContrastOfTokens(t *testing.T) {
	require.InDelta(t, 21, contrast(t, "000", "fff"), 1e-9)
	grounds := strings.Fields("bg chrome sunk hover")
	words := map[string]string{ // and the grounds that only these are on
		"ink": "sel run-soft wait-soft chg-soft fault-soft", "ink2": "sel run-soft wait-soft chg-soft fault-soft",
		"ink3": "sel", "syntax": "run-soft wait-soft", "comment": "run-soft wait-soft",
		"run": "run-soft", "wait": "wait-soft", "chg": "chg-soft", "fault": "fault-soft",
	}
	light, dark := themes(t)
	for theme, colours := range map[string]map[string]string{"light": light, "dark": dark} {
		require.Len(t, colours, 25, theme)
		for word, more := range words {
			for _, ground := range append(strings.Fields(more), grounds...) {
				ratio := contrast(t, colours[word], colours[ground])
				assert.GreaterOrEqual(t, ratio, 4.5, "%s on %s, %s", word, ground, theme)
			}
		}
		for _, shape := range []string{"run", "wait", "chg", "fault"} {
			for _, ground := range append([]string{shape + "-soft"}, grounds...) {
				ratio := contrast(t, colours[shape+"-fill"], colours[ground])
				assert.GreaterOrEqual(t, ratio, 3.0, "%s on %s, %s", shape, ground, theme)
			}
		}
	}
}

// A rule that asks for a part of a class makes the browser look at each element whose class changes.
func TestNoRuleAsksForAPartOfAClass(t *testing.T) {
	files, err := filepath.Glob("*.css")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotContains(t, string(text), "[class", file)
	}
}
