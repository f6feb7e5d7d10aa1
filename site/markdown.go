package main

import (
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// program is a fenced block of a lesson whose language is ptx:
//
//	```ptx panels="lanes stack" step="12"       to look at; the words are attributes of <warpscope-ptx>
//	```ptx exercise=NAME                        to complete: fails its expectations as written
//	```ptx broken=NAME                          to repair: fails its expectations, or faults, as written
//	```ptx solution=NAME                        solves the exercise or the broken program of that name
//
// An exercise, its broken variant and their solution have the same launch header: what must come out is theirs
// together.
type program struct {
	Role       string // "show", "exercise", "broken", "solution"
	Name       string // of the exercise
	ID         string // Name, or Name-broken: what progress is kept under
	Attributes [][2]string
	Source     string
	Line       int // of the Markdown's body, from 1
}

// task says whether a program is there to be changed until it passes.
func (p *program) task() bool { return p.Role == "exercise" || p.Role == "broken" }

// attributeNames are those that the element knows and a lesson may use.
var attributeNames = map[string]bool{"panels": true, "step": true, "warp": true, "lane": true, "height": true,
	"run": true, "readonly": true, "model": true, "memory": true, "header": true, "breakpoints": true}

var infoWord = regexp.MustCompile(`([a-z]+)(?:=(?:"([^"]*)"|(\S+)))?`)

// readProgram takes a fence's info string apart.
func readProgram(info, source string) (program, error) {
	p := program{Role: "show", Source: source}
	for _, m := range infoWord.FindAllStringSubmatch(strings.TrimPrefix(info, "ptx"), -1) {
		key, value := m[1], m[2]+m[3]
		switch {
		case key == "exercise" || key == "broken" || key == "solution":
			p.Role, p.Name, p.ID = key, value, value
			if key == "broken" {
				p.ID += "-broken"
			}
		case attributeNames[key]:
			p.Attributes = append(p.Attributes, [2]string{key, value})
		default:
			return p, fmt.Errorf("program with unknown word %q", key)
		}
	}
	return p, nil
}

// convert renders a lesson's Markdown and returns its programs. Root leads from the page to the site's root.
func convert(lesson, root string, source []byte, out io.Writer) ([]program, error) {
	c := &converter{lesson: lesson}
	md := goldmark.New(
		goldmark.WithExtensions(extension.Table, extension.Typographer),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(sectionLinks{root}, 500))),
		goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(c, 100))),
	)
	if err := md.Convert(source, out); err != nil {
		return nil, err
	}
	return c.programs, c.err
}

// converter renders fenced blocks.
type converter struct {
	lesson   string
	programs []program
	err      error
}

// RegisterFuncs implements renderer.NodeRenderer.
func (c *converter) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, c.fence)
}

func (c *converter) fence(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.FencedCodeBlock)
	info := ""
	if block.Info != nil {
		info = string(block.Info.Segment.Value(source))
	}
	code := string(block.Lines().Value(source))
	if language, _, _ := strings.Cut(info, " "); language != "ptx" {
		fmt.Fprintf(w, "<pre class=\"listing\"><code>%s</code></pre>\n", html.EscapeString(code))
		return ast.WalkContinue, nil
	}
	p, err := readProgram(info, code)
	if err != nil && c.err == nil {
		c.err = err
	}
	if lines := block.Lines(); lines.Len() > 0 {
		p.Line = 1 + strings.Count(string(source[:lines.At(0).Start]), "\n")
	}
	c.programs = append(c.programs, p)
	c.program(w, &p)
	return ast.WalkContinue, nil
}

// program writes a program as an element: readers without scripts see the code.
func (c *converter) program(w io.Writer, p *program) {
	if p.task() {
		label := map[string]string{"exercise": "Exercise", "broken": "Repair"}[p.Role]
		fmt.Fprintf(w, "<section class=\"task\" id=\"%s\" data-task=\"%s/%s\" aria-label=\"%s\">\n"+
			"<p class=\"task-head\"><strong>%s</strong> <span class=\"task-state\" role=\"status\">Not solved yet</span></p>\n",
			p.ID, c.lesson, p.ID, label, label)
	}
	fmt.Fprint(w, "<warpscope-ptx")
	for _, a := range p.Attributes {
		fmt.Fprintf(w, " %s=\"%s\"", a[0], html.EscapeString(a[1]))
	}
	fmt.Fprintf(w, ">%s</warpscope-ptx>\n", html.EscapeString(p.Source))
	if p.task() {
		fmt.Fprint(w, "</section>\n")
	}
}

// sectionLinks makes links of the numbers of instruction sections: they lead to the instruction in the coverage matrix.
type sectionLinks struct{ root string }

var instructionSection = regexp.MustCompile(`\b9\.7\.\d+\.\d+(\.\d+)*\b`)

// Transform implements parser.ASTTransformer.
func (s sectionLinks) Transform(doc *ast.Document, reader text.Reader, _ parser.Context) {
	var texts []*ast.Text
	_ = ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link, *ast.CodeSpan, *ast.Heading:
			return ast.WalkSkipChildren, nil
		case *ast.Text:
			if entering {
				texts = append(texts, n)
			}
		}
		return ast.WalkContinue, nil
	})
	for _, t := range texts {
		s.link(t, reader.Source())
	}
}

func (s sectionLinks) link(t *ast.Text, source []byte) {
	parent, start := t.Parent(), t.Segment.Start
	for _, at := range instructionSection.FindAllIndex(t.Segment.Value(source), -1) {
		from, to := t.Segment.Start+at[0], t.Segment.Start+at[1]
		if from > start {
			parent.InsertBefore(parent, t, ast.NewTextSegment(text.NewSegment(start, from)))
		}
		link := ast.NewLink()
		link.Destination = []byte(s.root + "coverage.html#" + sectionAnchor(string(source[from:to])))
		link.AppendChild(link, ast.NewTextSegment(text.NewSegment(from, to)))
		parent.InsertBefore(parent, t, link)
		start = to
	}
	t.Segment = t.Segment.WithStart(start)
}
