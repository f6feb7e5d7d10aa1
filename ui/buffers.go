package ui

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"warpscope/launch"
	"warpscope/ptx"
)

// Buffers come from files and go into files: bytes as they are, arrays of NumPy, and pictures. Initial values are text
// in the launch header, so that a link or a saved program has them.

// Actions on buffers.
type (
	PickContents struct{ Arg string } // asks the user for a file
	FillBuffer   struct {
		Arg, Name, Text string // the argument, the file and its bytes
		Picture         bool   // four bytes for each pixel; none if the browser cannot read it
		W, H            int
	}
	SaveBuffer struct{ Region string } // hands its bytes to the user
	// SavePicture hands a region that is a picture to the user as one.
	SavePicture struct{ Region string }
)

// maxNumbers is how many numbers of a file go into a header.
const maxNumbers = 1 << 14

// array is what a file holds.
type array struct {
	elem launch.Elem
	dims []int // as in a header: the first runs fastest
	data []byte
}

// numpyTypes are the types that arrays of NumPy share with launch headers.
var numpyTypes = map[string]string{"|u1": "u8", "|i1": "s8", "|b1": "u8", "<u2": "u16", "<i2": "s16", "<f2": "f16",
	"<u4": "u32", "<i4": "s32", "<f4": "f32", "<u8": "u64", "<i8": "s64", "<f8": "f64"}

const numpyMagic = "\x93NUMPY"

// parseNumpy reads a .npy file of version 1 to 3: the magic, a version, the length of the header, and a dictionary of
// Python such as {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
func parseNumpy(data []byte) (a array, err error) {
	short := errors.New("the file ends within its header")
	if len(data) < 12 {
		return a, short
	}
	at, n := 10, int(binary.LittleEndian.Uint16(data[8:]))
	if data[6] > 1 {
		at, n = 12, int(binary.LittleEndian.Uint32(data[8:]))
	}
	if n < 0 || len(data)-at < n {
		return a, short
	}
	head := string(data[at : at+n])
	after := func(key, open, end string) string {
		_, rest, _ := strings.Cut(head, "'"+key+"':")
		_, rest, _ = strings.Cut(rest, open)
		value, _, _ := strings.Cut(rest, end)
		return value
	}
	descr := after("descr", "'", "'")
	typ, known := numpyTypes[descr]
	switch {
	case !known:
		return a, fmt.Errorf("launch headers have no type for NumPy's %q", descr)
	case strings.TrimSpace(after("fortran_order", "", ",")) != "False":
		return a, errors.New("its columns are one after the other: save it in C order")
	}
	a.elem, a.data = parseElem(typ), data[at+n:]
	count := 1
	for _, part := range strings.FieldsFunc(after("shape", "(", ")"), func(r rune) bool { return r == ',' || r == ' ' }) {
		d, err := strconv.Atoi(part)
		if err != nil || d < 1 || count > maxNumbers {
			return a, fmt.Errorf("%q is no size", part)
		}
		count *= d
		a.dims = append(a.dims, d)
	}
	if a.dims == nil {
		a.dims = []int{1}
	}
	slices.Reverse(a.dims) // the last of NumPy's runs fastest
	if len(a.data) < count*a.elem.Size() {
		return a, errors.New("it has fewer bytes than its shape says")
	}
	a.data = a.data[:count*a.elem.Size()]
	return a, nil
}

// formatNumpy writes a .npy file in C order; ok is false for a type that NumPy does not have. A vector's components are
// one more dimension.
func formatNumpy(a array) (file []byte, ok bool) {
	descr := ""
	for name, typ := range numpyTypes {
		if typ == (launch.Elem{Type: a.elem.Type, Lanes: 1}).String() && name != "|b1" {
			descr = name
		}
	}
	if descr == "" {
		return nil, false
	}
	dims := slices.Clone(a.dims)
	slices.Reverse(dims)
	if a.elem.Lanes > 1 {
		dims = append(dims, a.elem.Lanes)
	}
	shape := ""
	for _, d := range dims {
		shape += strconv.Itoa(d) + ", "
	}
	head := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", descr, strings.TrimSpace(shape))
	head += strings.Repeat(" ", 63-(10+len(head))%64) + "\n" // the data begin at a multiple of 64
	file = append([]byte(numpyMagic+"\x01\x00"), byte(len(head)), byte(len(head)>>8))
	return append(append(file, head...), a.data...), true
}

// readArray says what a file holds for an argument: bytes without a format are of the argument's own type.
func readArray(a FillBuffer, own launch.Elem) (array, error) {
	data := []byte(a.Text)
	isNumpy := bytes.HasPrefix(data, []byte(numpyMagic))
	switch {
	case a.Picture && a.W == 0:
		return array{}, errors.New("the browser cannot read this picture")
	case !isNumpy && strings.EqualFold(path.Ext(a.Name), ".npy"):
		return array{}, errors.New("it does not begin as NumPy's files do")
	case a.Picture && 4*a.W*a.H > maxNumbers:
		return array{}, fmt.Errorf("it has %d x %d pixels, and a launch header holds %s", a.W, a.H, count(maxNumbers/4))
	case a.Picture:
		return array{parseElem("u8x4"), []int{a.W, a.H}, data}, nil
	case isNumpy:
		return parseNumpy(data)
	case len(data) == 0 || len(data)%own.Size() != 0:
		return array{}, fmt.Errorf("%s are not a whole number of %s", ptx.Plural(len(data), "byte"), own)
	}
	return array{own, []int{len(data) / own.Size()}, data}, nil
}

// numbers are the array's components, as a header writes them; a period of them is enough.
func (a array) numbers() (string, error) {
	size := a.elem.Type.Bytes()
	if 8*size != a.elem.Type.Bits() {
		return "", fmt.Errorf("numbers of %s share bytes: write them as a list", a.elem)
	}
	n := len(a.data) / size
	if n > maxNumbers {
		return "", fmt.Errorf("it has %s numbers, and a launch header holds %s", count(int64(n)), count(maxNumbers))
	}
	words := make([]string, n)
	for i := range words {
		words[i] = launch.FormatValue(a.elem.Type, loadBits(a.data[i*size:], size), 0)
	}
	if !slices.ContainsFunc(words, func(w string) bool { return w != words[0] }) {
		words = words[:1]
	}
	return strings.Join(words, ", "), nil
}

// bufferAction applies an action on buffers.
func (s *Store) bufferAction(action Action) bool {
	switch a := action.(type) {
	case PickContents:
		s.platform.PickContents(func(f FillBuffer) {
			f.Arg = a.Arg
			s.Do(f)
		})
	case FillBuffer:
		if err := s.fillBuffer(a); err != nil {
			problem := a.Name + ": " + err.Error() + "."
			s.update(func(m *Model) {
				field := EditHeader{Key: "arg", Name: a.Arg, Value: initOf(m.Spec, a.Arg)}
				m.Notice, m.FieldError = problem, &FieldError{field, problem}
			})
		}
	case SaveBuffer:
		s.saveBuffer(a.Region)
	case SavePicture:
		s.savePicture(a.Region)
	default:
		return false
	}
	return true
}

// initOf is the initial value of an argument as the header has it, "" for none.
func initOf(spec *launch.Spec, arg string) string {
	if spec != nil {
		for i := range spec.Args {
			if spec.Args[i].Name == arg {
				return spec.Args[i].Init
			}
		}
	}
	return ""
}

// fillBuffer writes a file's contents, type and shape into the header.
func (s *Store) fillBuffer(f FillBuffer) error {
	s.parseNow()
	spec := s.model.Spec
	if spec == nil {
		return errors.New("the text has errors")
	}
	i := slices.IndexFunc(spec.Args, func(a launch.Arg) bool { return a.Name == f.Arg })
	if i < 0 || s.model.ReadOnly {
		return errors.New("there is no such argument")
	}
	a, err := readArray(f, spec.Args[i].Elem())
	if err != nil {
		return err
	}
	numbers, err := a.numbers()
	if err != nil {
		return err
	}
	next := *spec
	next.Args = slices.Clone(spec.Args)
	next.Args[i].Init = ""
	retyped, why := next.Retyped(s.model.Module, f.Arg, a.elem.String(), elementsText(&launch.Arg{Dims: a.dims}))
	if retyped == nil {
		return errors.New(why)
	}
	retyped.Args = slices.Clone(retyped.Args)
	retyped.Args[i].Init = numbers
	if f.Picture {
		retyped.Args[i].Image = true
	}
	text := launch.ApplyHeader(s.text, retyped)
	if why := s.refused(EditHeader{Key: "arg"}, text); why != "" {
		return errors.New(why)
	}
	s.update(func(m *Model) { m.FieldError = nil })
	s.replaceText(text)
	return nil
}

// savePicture hands a picture to the user as Memory shows it.
func (s *Store) savePicture(name string) {
	for _, r := range s.model.View.Memory {
		if width, height, rgba := pixels(&r); r.Name == name && rgba != nil {
			s.platform.DownloadPicture(regionFile(name)+".png", width, height, rgba)
		}
	}
}

// regionFile is the name of a file for a region, without its kind.
func regionFile(name string) string { return strings.TrimSuffix(fileName(name), ".ptx") }

// saveBuffer hands a region's bytes to the user as an array of NumPy, or as they are.
func (s *Store) saveBuffer(name string) {
	for _, r := range s.model.View.Memory {
		if r.Name != name {
			continue
		}
		file, ok := formatNumpy(array{parseElem(r.Type), r.Dims, r.Bytes})
		kind := ".npy"
		if !ok || len(r.Bytes) < r.Size {
			file, kind = r.Bytes, ".bin"
		}
		s.platform.DownloadBytes(regionFile(name)+kind, file)
		if len(r.Bytes) < r.Size {
			s.update(func(m *Model) {
				m.Notice = fmt.Sprintf("The file has the first %s of %s.", ptx.Plural(len(r.Bytes), "byte"),
					count(int64(r.Size)))
			})
		}
	}
}
