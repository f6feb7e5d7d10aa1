package main

import (
	"bytes"
	"context"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"warpscope/debug"
	"warpscope/emu"
	"warpscope/emu/coverage"
	"warpscope/launch"
	"warpscope/ptx"
	"warpscope/ptx/isa"
)

const public = "../public"

func lessons(t *testing.T) []*lesson {
	t.Helper()
	all, err := readLessons(public + "/lessons")
	require.NoError(t, err)
	require.NotEmpty(t, all)
	return all
}

// verdict runs a program as its header says and tells in words what went wrong; "" when nothing did.
func verdict(p *program) string {
	m, err := ptx.Parse("lesson.ptx", []byte(p.Source))
	if err != nil {
		return err.Error()
	}
	if len(m.Diagnostics) > 0 {
		return "warnings: " + m.Diagnostics.Error()
	}
	spec, err := launch.FromSource(m)
	if err != nil {
		return err.Error()
	}
	if len(spec.Expects) == 0 {
		return "the program expects nothing"
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	report, err := launch.Run(ctx, m, spec, emu.Options{})
	if err != nil {
		return err.Error()
	}
	var wrong strings.Builder
	if report.Stopped != nil {
		fmt.Fprintf(&wrong, "stopped: %v\n", report.Stopped)
	}
	if report.Fault != nil {
		fmt.Fprintf(&wrong, "fault: %v\n", report.Fault)
	}
	for _, e := range report.Expectations {
		if !e.Pass {
			fmt.Fprintf(&wrong, "expected %s, got %s\n", e.Text, e.Got)
		}
	}
	if report.OK() {
		return ""
	}
	return wrong.String()
}

// runs says whether a program is accepted and comes to an end: what a learner's first press on Run must find.
func runs(t *testing.T, p *program) {
	t.Helper()
	_, err := ptx.Parse("lesson.ptx", []byte(p.Source))
	require.NoError(t, err)
	require.NotContains(t, verdict(p), "stopped:")
}

// header is what a program must come to, in its own words.
func header(source string) string {
	return strings.Join(regexp.MustCompile(`(?m)^//@ (?:arg|grid|block|shared|model|expect).*$`).FindAllString(source,
		-1), "\n")
}

// TestPrograms runs every program of every lesson: what is shown does what its header expects, exercises and broken
// programs fail as written, and each has a solution with the same header that passes.
func TestPrograms(t *testing.T) {
	for _, l := range lessons(t) {
		solutions := map[string]*program{}
		for i := range l.Programs {
			if p := &l.Programs[i]; p.Role == "solution" {
				require.Nil(t, solutions[p.Name], "two solutions of %s", p.Name)
				solutions[p.Name] = p
			}
		}
		for i := range l.Programs {
			p := &l.Programs[i]
			t.Run(fmt.Sprintf("%s/%s/%d-%s", l.Name, p.Role, i+1, p.Name), func(t *testing.T) {
				got := verdict(p)
				if !p.task() {
					require.Empty(t, got)
					return
				}
				runs(t, p)
				require.NotEmpty(t, got, "it passes before anybody has touched it")
				require.Contains(t, solutions, p.Name, "no solution")
				require.Equal(t, header(solutions[p.Name].Source), header(p.Source), "the solution solves something else")
				t.Log(got)
			})
		}
	}
}

// A breakpoint of a lesson is a line and a condition that a run comes to.
func TestBreakpointsOfLessons(t *testing.T) {
	reached := 0
	for _, l := range lessons(t) {
		for _, p := range l.Programs {
			for _, a := range p.Attributes {
				if a[0] != "breakpoints" {
					continue
				}
				number, condition, _ := strings.Cut(a[1], " if ")
				line, err := strconv.Atoi(number)
				require.NoError(t, err)
				s := debug.New(emu.Options{})
				s.SetSource(l.Name, p.Source)
				s.SetStops([]debug.Stop{{Line: line, Condition: condition}})
				s.RunFor(1 << 20)
				require.Equal(t, debug.Paused, s.View().Phase, "%s: %s", l.Name, s.View().Status)
				require.Equal(t, line, s.View().Line)
				reached++
			}
		}
	}
	require.NotZero(t, reached)
}

// TestEveryLesson has what a lesson must have.
func TestEveryLesson(t *testing.T) {
	all := lessons(t)
	require.GreaterOrEqual(t, len(all), 12)
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			require.Regexp(t, fmt.Sprintf(`^%02d-[a-z-]+$`, l.Number), l.Name)
			require.NotEmpty(t, l.Summary)
			require.Regexp(t, `^([5-9]|10)$`, l.Minutes)
			ids := l.Exercises()
			unique := map[string]bool{}
			roles := map[string]int{}
			for _, p := range l.Programs {
				roles[p.Role]++
			}
			for _, id := range ids {
				require.False(t, unique[id], id)
				unique[id] = true
			}
			for _, role := range []string{"show", "exercise", "broken", "solution"} {
				require.NotZero(t, roles[role], "no program with the role %s", role)
			}
			require.Contains(t, string(l.Body), "<summary>Hint", "no hints")
			require.Contains(t, string(l.Body), "<summary>Solution")
			for _, s := range l.Sections {
				require.Regexp(t, `^\d+(\.\d+)+$`, s)
			}
		})
	}
}

// TestLinks: links between our own pages lead somewhere, also the numbers of sections in the text.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(dir, "public/lessons"), os.DirFS(public+"/lessons")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "public/examples"), os.DirFS(public+"/examples")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "testdata/control"), os.DirFS("../testdata/control")))
	require.NoError(t, os.CopyFS(filepath.Join(dir, "ptx/isa/testdata"), os.DirFS("../ptx/isa/testdata")))
	site := filepath.Join(dir, "public")
	require.NoError(t, os.WriteFile(filepath.Join(site, "bench.js"), nil, 0o644))
	require.NoError(t, build(site))
	pages, err := filepath.Glob(filepath.Join(site, "*.html"))
	require.NoError(t, err)
	more, err := filepath.Glob(filepath.Join(site, "lessons", "*.html"))
	require.NoError(t, err)
	elsewhere := []string{"index.html", "style.css", "lessons.css", "lessons.js", "embed.js", "favicon.svg",
		"icons/192.png", "manifest.webmanifest", "offline.js", "warpscope.html"}
	links := regexp.MustCompile(`\s(?:href|src)="([^"]*)"`)
	for _, file := range append(pages, more...) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.NotRegexp(t, `<style|\sstyle="|\son\w+="|<script>`, string(text), "%s: the policy forbids it", file)
		for _, m := range links.FindAllStringSubmatch(string(text), -1) {
			link := m[1]
			if strings.HasPrefix(link, "https://docs.nvidia.com/") {
				continue
			}
			require.NotContains(t, link, ":", "%s: a link to somewhere else", file)
			require.False(t, strings.HasPrefix(link, "/"), "%s: %s is not relative", file, link)
			checkLink(t, site, file, link, elsewhere)
		}
		if strings.Contains(string(text), "<warpscope-ptx") {
			require.Contains(t, string(text), "<noscript>", "%s: readers without scripts look for Run", file)
		}
	}
	// The playground needs scripts. A reader without them is sent to what can be read.
	text, err := os.ReadFile(public + "/index.html")
	require.NoError(t, err)
	without := links.FindStringSubmatch(regexp.MustCompile(`(?s)<noscript>.*</noscript>`).FindString(string(text)))
	require.NotNil(t, without)
	checkLink(t, site, filepath.Join(site, "index.html"), without[1], elsewhere)
}

func checkLink(t *testing.T, site, from, link string, elsewhere []string) {
	t.Helper()
	path, fragment, _ := strings.Cut(link, "#")
	path, _, _ = strings.Cut(path, "?")
	target := filepath.Join(filepath.Dir(from), filepath.FromSlash(path))
	if path == "" {
		target = from
	}
	for _, name := range elsewhere {
		if target == filepath.Join(site, name) {
			return
		}
	}
	text, err := os.ReadFile(target)
	require.NoError(t, err, "%s links to %s", from, link)
	if fragment != "" {
		require.Contains(t, string(text), `id="`+fragment+`"`, "%s links to %s", from, link)
	}
}

// TestGallery: every example has its sentence and its picture.
func TestGallery(t *testing.T) {
	examples, err := readExamples(public + "/examples")
	require.NoError(t, err)
	for name := range sentences {
		require.FileExists(t, public+"/examples/"+name+".ptx", "a sentence about nothing")
	}
	for _, e := range examples {
		require.NotEmpty(t, e.Title, e.Name)
	}
	picture, err := paint(examples[1])
	require.NoError(t, err)
	require.NotEmpty(t, picture)
}

// Example 05 takes 27 steps. In the first three all lanes run the block entry; in the 17th, lanes 24-27 run line 55 and
// the others wait: their rows have rules of two pixels on no ground.
func TestPictureOfARun(t *testing.T) {
	examples, err := readExamples(public + "/examples")
	require.NoError(t, err)
	e := examples[4]
	require.Equal(t, "05-nested-divergence", e.Name)
	picture, err := paint(e)
	require.NoError(t, err)
	require.Contains(t, e.Caption, "in 27 steps:")
	decoded, err := png.Decode(bytes.NewReader(picture))
	require.NoError(t, err)
	require.Equal(t, 480, decoded.Bounds().Dx())
	lane := func(step, lane int) color.NRGBA {
		return color.NRGBAModel.Convert(decoded.At(step*480/27+8, lane*7)).(color.NRGBA)
	}
	require.Equal(t, uint8(255), lane(0, 0).A)
	require.Equal(t, lane(0, 0), lane(2, 31))
	require.Equal(t, uint8(255), lane(16, 25).A)
	require.NotEqual(t, lane(3, 0), lane(16, 25), "another block")
	require.Less(t, lane(16, 3).A, uint8(128))
	require.Less(t, lane(16, 28).A, uint8(128))
}

func TestMarkdown(t *testing.T) {
	var out strings.Builder
	programs, err := convert("x", "../", []byte("See 9.7.14.3 or `9.7.1.1`.\n\n```ptx step=\"3\" broken=lock\na < b\n"+
		"```\n"), &out)
	require.NoError(t, err)
	require.Equal(t, []program{{Role: "broken", Name: "lock", ID: "lock-broken",
		Attributes: [][2]string{{"step", "3"}}, Source: "a < b\n", Line: 4}}, programs)
	require.Contains(t, out.String(), `<a href="../coverage.html#v9.4-9.7.14.3">9.7.14.3</a> or <code>9.7.1.1</code>`)
	require.Contains(t, out.String(), `data-task="x/lock-broken"`)
	require.Contains(t, out.String(), `<warpscope-ptx step="3">a &lt; b`)

	_, err = convert("x", "", []byte("```ptx sept=\"3\"\n```\n"), &out)
	require.ErrorContains(t, err, `"sept"`)
}

// Rows of the coverage page have an anchor with the number of their section and the version that numbers it so, and
// one by which links of PTX ISA 9.1's time find them: bra was 9.7.12.3. What is new has none.
func TestSectionAnchors(t *testing.T) {
	row := func(section string) *family {
		return &family{Family: &coverage.Family{Form: &isa.Form{Section: section}}}
	}
	bra := row("9.7.14.3")
	require.Equal(t, [2]string{"v9.4-9.7.14.3", "s9.7.12.3"}, [2]string{bra.Anchor(), bra.OldAnchor()})
	require.Equal(t, [2]string{"v9.4-9.7.1.5", ""}, [2]string{row("9.7.1.5").Anchor(), row("9.7.1.5").OldAnchor()})
}
