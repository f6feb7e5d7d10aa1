package launch

import (
	"slices"
	"strconv"
	"strings"

	"warpscope/emu"
	"warpscope/ptx"
)

// line is one header line.
type line struct {
	start, end int    // offsets of "//@" and of the end without blanks and the line break
	value      int    // offset of what follows the key
	key        string // "" on a line that is only "//@"
	name       string // the argument's name when the key is one of isArg
}

// id identifies a line among those that can be in one header.
func (l line) id() string {
	if isArg(l.key) {
		return "arg " + l.name
	}
	return l.key
}

// scanner goes through a text line by line.
type scanner struct {
	src       string
	at        int
	inComment bool
}

// The kinds of lines.
const (
	otherLine  = iota // blank, or a comment
	headerLine        // from start, where "//@" is, to end
	codeLine
)

func newScanner(src string) *scanner { return &scanner{src: src, at: len(mark(src))} }

func (s *scanner) more() bool { return s.at < len(s.src) }

func (s *scanner) next() (kind, start, end int) {
	start, end = s.at, len(s.src)
	if i := strings.IndexByte(s.src[start:], '\n'); i >= 0 {
		end = start + i
	}
	s.at = end + 1
	text := s.src[start:end]
	if blanks := len(text) - len(strings.TrimLeft(text, " \t")); !s.inComment && strings.HasPrefix(text[blanks:], "//@") {
		return headerLine, start + blanks, end
	}
	code := false
	if code, s.inComment = scanComments(text, s.inComment); code {
		return codeLine, start, end
	}
	return otherLine, start, end
}

// header gives the header lines up to the first directive.
func (s *scanner) header() (lines []line) {
	for s.more() {
		switch kind, start, end := s.next(); kind {
		case headerLine:
			lines = append(lines, scanLine(s.src, start, end))
		case codeLine:
			return lines
		}
	}
	return lines
}

// scanHeader finds the header lines before the first directive. late is the offset of the first one after it, or -1.
func scanHeader(src string) (lines []line, late int) {
	s := newScanner(src)
	lines = s.header()
	if s.more() && !strings.Contains(src[s.at:], "//@") { // as in most texts, of which some are long
		return lines, -1
	}
	for s.more() {
		if kind, start, _ := s.next(); kind == headerLine {
			return lines, start
		}
	}
	return lines, -1
}

// mark is the byte order mark that a text begins with, or "".
func mark(src string) string {
	const bom = "\ufeff"
	if strings.HasPrefix(src, bom) {
		return bom
	}
	return ""
}

// scanComments says whether a line has anything but comments, and whether it ends inside a /* comment.
func scanComments(text string, inComment bool) (code, open bool) {
	for {
		if inComment {
			_, after, closed := strings.Cut(text, "*/")
			if !closed {
				return code, true
			}
			text, inComment = after, false
		}
		before, after, opened := strings.Cut(text, "/*")
		if i := strings.Index(before, "//"); i >= 0 {
			return code || strings.TrimSpace(before[:i]) != "", false
		}
		code = code || strings.TrimSpace(before) != ""
		if !opened {
			return code, false
		}
		text, inComment = after, true
	}
}

func scanLine(src string, start, end int) line {
	c := cursor{src: strings.TrimRight(src[:end], " \t\r"), pos: start + len("//@")}
	l := line{start: start, end: len(c.src)}
	c.skip()
	at := c.pos
	for c.pos < len(c.src) && c.src[c.pos] != ' ' && c.src[c.pos] != '\t' {
		c.pos++
	}
	l.key = c.src[at:c.pos]
	c.skip()
	l.value = c.pos
	if isArg(l.key) {
		l.name = c.word()
	}
	return l
}

// header is what the lines say, before a module is known.
type header struct {
	lines       []line
	late        int
	title       string
	entry       string
	grid, block emu.Dim3
	cluster     emu.Dim3
	shared      int
	model       emu.Divergence
	engine      emu.Engine
	sanitize    emu.Checks
	args        []Arg
	expects     []Expect
	spans       map[string]ptx.Span // of the lines by id
	settings    map[string]string   // what messages call the settings, by key
	errs        ptx.Diagnostics
	flags       bool // the settings are flags of a command
}

var keys = []string{"title", "entry", "grid", "block", "cluster", "shared", "model", "engine", "sanitize", "arg",
	"buffer", "tensormap", "texture", "surface", "sampler", "symbol", "expect"}

// The keys of arguments that are not just "arg".
const (
	keyBuffer    = "buffer"
	keyTensorMap = "tensormap"
	keySymbol    = "symbol"
)

func isArg(key string) bool {
	return key == "arg" || key == keyBuffer || key == keySymbol || descriptions[key] > 0
}

// describedArg reads "NAME = …"; the rest is read when all buffers are known.
func (c *cursor) describedArg(key string) (a Arg, ok bool) {
	if a.Name = c.word(); a.Name == "" || !c.accept("=") {
		return a, c.failHere("header-syntax",
			`a kernel parameter and "=", as in "tensormap tm = x f16[64,64] box 16,16" or "texture t = img"`)
	}
	c.skip()
	a.Key, a.Type, a.Dims, a.Buffer = key, "b8", []int{descriptions[key]}, true
	a.Init, a.initAt = strings.TrimRight(c.rest(), " \t"), int32(c.pos)
	return a, true
}

// maxErrors bounds the reports about one header.
const maxErrors = 100

// parseHeader reads every line it can; errors are in errs.
func parseHeader(src string) *header {
	h := &header{spans: map[string]ptx.Span{}, settings: map[string]string{}}
	h.lines, h.late = scanHeader(src)
	for _, l := range h.lines {
		if l.key != "" && len(h.errs) < maxErrors {
			h.parseLine(&cursor{src: src[:l.end], pos: l.value, errs: &h.errs}, l)
		}
	}
	return h
}

func (h *header) parseLine(c *cursor, l line) {
	at := span(l.start, l.end)
	keySpan := c.keySpan(l)
	if !slices.Contains(keys, l.key) {
		h.unknownKey(c, l.key, keySpan)
		return
	}
	id := l.id()
	if _, twice := h.spans[id]; twice && l.key != "expect" {
		c.fail("header-duplicate", at, "%q is in the header twice: keep one of the lines", id)
		return
	}
	h.spans[id] = at
	switch l.key {
	case "title":
		h.title = c.rest()
	case "entry":
		if h.entry = c.word(); h.entry == "" {
			c.failHere("header-syntax", "the name of a kernel")
			return
		}
		c.end("header-syntax", "the kernel's name")
	case "grid":
		h.grid, _ = c.shape("grid")
	case "block":
		h.block, _ = c.shape("block")
	case "cluster":
		h.cluster, _ = c.shape("cluster")
	case "shared":
		h.shared, _ = c.sharedBytes()
	case "model":
		h.model, _ = c.model()
	case "engine":
		h.engine, _ = c.engine()
	case "sanitize":
		h.sanitize, _ = c.checks()
	case keyTensorMap, keyTexture, keySurface, keySampler:
		if a, ok := c.describedArg(l.key); ok {
			a.Span = at
			h.args = append(h.args, a)
		}
	case "arg", keyBuffer, keySymbol:
		if a, ok := c.arg(); ok {
			if a.Span = at; l.key != "arg" {
				a.Key = l.key
			}
			a.Buffer = a.Buffer || l.key == keySymbol
			if l.key == keyBuffer && !a.Buffer {
				c.fail("header-type", at, "a buffer has a length, as in %s[32]", a.Type)
				return
			}
			h.args = append(h.args, a)
		}
	case "expect":
		h.expects = append(h.expects, Expect{Text: c.rest(), Span: span(c.pos, l.end)})
	}
}

func (c *cursor) keySpan(l line) ptx.Span {
	at := l.start + len("//@")
	at += strings.Index(c.src[at:], l.key)
	return span(at, at+len(l.key))
}

func (h *header) unknownKey(c *cursor, key string, at ptx.Span) {
	near := closest(key, keys)
	if near == "" {
		c.fail("header-key", at, "unknown key %q: there are %s", short(key), strings.Join(keys, ", "))
		return
	}
	c.fail("header-key", at, "unknown key %q: did you mean %q?", short(key), near)
	h.errs[len(h.errs)-1].Fix = &ptx.Fix{Span: at, Text: near, Message: "write " + near}
}

// Limits of a launch: CTAs by dimension, threads of a CTA by dimension and in all, shared memory of a CTA.
const (
	maxGridX, maxGridYZ = 1<<31 - 1, 65535
	maxCTAs             = 1<<31 - 1
	maxBlockXY          = 1024
	maxBlockZ           = 64
	maxThreads          = 1024
	maxCluster          = 16
	maxShared           = 227 << 10
)

// shape reads "x", "x,y" or "x,y,z".
func (c *cursor) shape(key string) (emu.Dim3, bool) {
	c.skip()
	start := c.pos
	d := [3]int{1, 1, 1}
	for i := range d {
		n, ok := c.count("header-shape", "a number of at least 1, as in \"64\" or \"8,8\"")
		if !ok {
			return emu.Dim3{}, false
		}
		d[i] = n
		if !c.accept(",") {
			break
		}
		if i == len(d)-1 {
			return emu.Dim3{}, c.fail("header-shape", c.from(start), "%s has more than three dimensions", key)
		}
	}
	shape := emu.Dim3{X: d[0], Y: d[1], Z: d[2]}
	if !c.end("header-shape", "the "+key+`; separate dimensions by commas`) {
		return shape, false
	}
	if why := checkShape(key, shape); why != "" {
		return shape, c.fail("header-shape", c.from(start), "%s", why)
	}
	return shape, true
}

// checkShape says what is wrong with a grid or block; "" if nothing is.
func checkShape(key string, d emu.Dim3) string {
	d = atLeastOne(d)
	text := shapeText(d)
	switch {
	case d.X < 1 || d.Y < 1 || d.Z < 1:
		return key + " " + text + ": dimensions are at least 1"
	case key == "grid" && (d.X > maxGridX || d.Y > maxGridYZ || d.Z > maxGridYZ):
		return "grid " + text + " is too large: the dimensions are at most 2147483647, 65535 and 65535"
	case key == "grid" && float64(d.X)*float64(d.Y)*float64(d.Z) > maxCTAs:
		return "grid " + text + " is too large: at most 2147483647 CTAs in all"
	case key == "block" && (d.X > maxBlockXY || d.Y > maxBlockXY || d.Z > maxBlockZ):
		return "block " + text + " is too large: the dimensions are at most 1024, 1024 and 64"
	case key == "cluster" && (d.X > maxCluster || d.Y > maxCluster || d.Z > maxCluster || d.X*d.Y*d.Z > maxCluster):
		return "cluster " + text + " is too large: at most 16 CTAs in all"
	case key == "block" && d.X*d.Y*d.Z > maxThreads:
		return "block " + text + " has " + ptx.Thousands(int64(d.X*d.Y*d.Z)) + " threads: a CTA has at most 1,024"
	}
	return ""
}

// atLeastOne replaces zero components, which count as 1.
func atLeastOne(d emu.Dim3) emu.Dim3 {
	for _, n := range []*int{&d.X, &d.Y, &d.Z} {
		if *n == 0 {
			*n = 1
		}
	}
	return d
}

// shapeText is "x", "x,y" or "x,y,z", without trailing ones.
func shapeText(d emu.Dim3) string {
	d = atLeastOne(d)
	text := strconv.Itoa(d.X)
	if d.Y != 1 || d.Z != 1 {
		text += "," + strconv.Itoa(d.Y)
	}
	if d.Z != 1 {
		text += "," + strconv.Itoa(d.Z)
	}
	return text
}

// count reads a decimal number from 1 up. Numbers too large for an int are the largest int.
func (c *cursor) count(code, want string) (int, bool) {
	c.skip()
	at := c.pos
	text := c.token()
	if text == "" || strings.Trim(text, "0123456789") != "" || strings.Trim(text, "0") == "" {
		c.pos = at
		return 0, c.failHere(code, want)
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return int(^uint(0) >> 1), true
	}
	return n, true
}

func (c *cursor) sharedBytes() (int, bool) {
	c.skip()
	at := c.pos
	n, err := strconv.Atoi(c.token())
	switch {
	case err != nil && c.pos > at && strings.Trim(c.src[at:c.pos], "0123456789") == "":
		n = maxShared + 1 // too many digits
	case err != nil || n < 0:
		c.pos = at
		return 0, c.failHere("header-shape", "the bytes of dynamic shared memory, such as 1024")
	}
	if n > maxShared {
		return 0, c.fail("header-shape", c.from(at), "%s bytes of shared memory are too many: a CTA has at most %s",
			short(c.src[at:c.pos]), ptx.Thousands(maxShared))
	}
	return n, c.end("header-shape", "the number of bytes")
}

func (c *cursor) model() (emu.Divergence, bool) {
	at := c.pos
	m, ok := emu.ModelNamed(c.word())
	if !ok {
		c.pos = at
		return 0, c.failHere("header-word", `"`+strings.Join(emu.ModelNames(), `" or "`)+`"`)
	}
	return m, c.end("header-word", "the model")
}

func (c *cursor) engine() (emu.Engine, bool) {
	at := c.pos
	e, ok := emu.EngineNamed(c.word())
	if !ok {
		c.pos = at
		return 0, c.failHere("header-word", `"`+strings.Join(emu.EngineNames(), `" or "`)+`"`)
	}
	return e, c.end("header-word", "the engine")
}

// checkNames are the sanitizers in the order of their bits.
var checkNames = []string{"memcheck", "racecheck", "initcheck", "synccheck"}

func (c *cursor) checks() (set emu.Checks, ok bool) {
	for first := true; first || !c.done(); first = false {
		at := c.pos
		word := strings.ToLower(c.word())
		i := slices.Index(checkNames, word)
		switch {
		case i >= 0:
			set |= 1 << i
		case word == "all":
			set |= 1<<len(checkNames) - 1
		default:
			c.pos = at
			return 0, c.failHere("header-word", `"all" or some of `+strings.Join(checkNames, ", "))
		}
		c.accept(",")
	}
	return set, true
}

// arg reads "NAME TYPE[dims] as image = VALUES".
func (c *cursor) arg() (a Arg, ok bool) {
	if a.Name = c.word(); a.Name == "" {
		return a, c.failHere("header-syntax", "the name of a kernel parameter")
	}
	c.skip()
	at := c.pos
	elem, ok := ParseElem(c.word())
	if !ok {
		return a, c.unknownType(at)
	}
	a.Type = elem.String()
	if c.accept("[") {
		if a.Dims, ok = c.dims(); !ok {
			return a, false
		}
		a.Buffer = true
	}
	if _, fits := a.size(); !fits {
		return a, c.fail("header-memory", c.from(at), "%s is larger than any memory", short(c.src[at:c.pos]))
	}
	if a.Image, ok = c.asImage(&a, elem); !ok {
		return a, false
	}
	if c.accept("=") {
		c.skip()
		at := c.pos
		if _, ok := c.initial(elem, &a); !ok {
			return a, false
		}
		a.Init, a.initAt = strings.TrimRight(c.src[at:c.pos], " \t"), int32(at)
		if !a.Image {
			if a.Image, ok = c.asImage(&a, elem); !ok {
				return a, false
			}
		}
	}
	return a, c.end("header-syntax", "the argument")
}

func (c *cursor) unknownType(at int) bool {
	word := c.src[at:c.pos]
	if word == "" {
		return c.failHere("header-type", "a type such as u32, f32 or u8x4")
	}
	if near := closest(word, elemNames()); near != "" {
		return c.fail("header-type", c.from(at), "unknown type %q: did you mean %q?", short(word), near)
	}
	return c.fail("header-type", c.from(at),
		"unknown type %q: there are %s, and x2 and x4 vectors of them", short(word), strings.Join(elemNames(), " "))
}

// dims reads "d0,d1,…]".
func (c *cursor) dims() (dims []int, ok bool) {
	for {
		n, ok := c.count("header-type", "a number of elements from 1 up")
		if !ok {
			return nil, false
		}
		dims = append(dims, n)
		if c.accept("]") {
			return dims, true
		}
		if !c.accept(",") {
			return nil, c.failHere("header-type", `"," or "]"`)
		}
	}
}

// imageTypes are the elements that can be shown as pixels: red, green, blue, alpha bytes, or one value for grey.
var imageTypes = []string{"u8x4", "b8x4", "u32", "b32", "u8", "b8", "f32", "f32x4"}

func (c *cursor) asImage(a *Arg, elem Elem) (image, ok bool) {
	c.skip()
	at := c.pos
	if !c.acceptWord("as") {
		return false, true
	}
	switch {
	case !c.acceptWord("image"):
		return false, c.failHere("header-syntax", `"image" after "as"`)
	case len(a.Dims) != 2:
		return false, c.fail("header-type", c.from(at), "an image needs two dimensions, as in u8x4[width,height]")
	case !slices.Contains(imageTypes, elem.String()):
		return false, c.fail("header-type", c.from(at), "%s cannot be shown as an image: these can: %s",
			elem, strings.Join(imageTypes, " "))
	}
	return true, true
}
