package ui

import (
	"cmp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const fillable = `//@ arg out u32[4] = 3, 4
.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 out) { ret; }
`

// A file of NumPy, byte by byte: the magic, version 1.0, 118 bytes of header, and the numbers 1.5 and -2 as float32.
func numpyFile(descr, order, shape, data string) string {
	head := "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }"
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	return "\x93NUMPY\x01\x00" + string(rune(118)) + "\x00" + head + data
}

func TestBuffersFromFiles(t *testing.T) {
	for name, c := range map[string]struct {
		file FillBuffer
		want string // the header's line, or what is wrong
	}{
		"bytes":     {FillBuffer{Text: "\x01\x00\x00\x00\xff\xff\xff\xff"}, "//@ arg out u32[2] = 1, 4294967295"},
		"odd":       {FillBuffer{Text: "\x01\x00\x00"}, "3 bytes are not a whole number of u32"},
		"empty":     {FillBuffer{}, "0 bytes are not a whole number of u32"},
		"same":      {FillBuffer{Text: strings.Repeat("\x07\x00\x00\x00", 8)}, "//@ arg out u32[8] = 7"},
		"too large": {FillBuffer{Text: strings.Repeat("abcd", 1<<14+1)}, "it has 16,385 numbers"},
		// IEEE 754: 1.5 is 0x3fc00000, -2 is 0xc0000000
		"floats": {FillBuffer{Text: numpyFile("<f4", "False", "1, 2", "\x00\x00\xc0\x3f\x00\x00\x00\xc0")},
			"//@ arg out f32[2,1] = 1.5, -2"}, // of NumPy's shape the last runs fastest, of a header's the first
		"big endian": {FillBuffer{Text: numpyFile(">f4", "False", "2,", "\x3f\xc0\x00\x00\xc0\x00\x00\x00")},
			"no type for NumPy's"},
		"columns":     {FillBuffer{Text: numpyFile("<f4", "True", "1, 2", "\x00\x00\xc0\x3f\x00\x00\x00\xc0")}, "C order"},
		"cut":         {FillBuffer{Text: numpyFile("<f4", "False", "3,", "\x00\x00\xc0\x3f")}, "fewer bytes than its shape"},
		"short":       {FillBuffer{Text: "\x93NUMPY\x01\x00\xff\xff  "}, "ends within its header"},
		"not NumPy's": {FillBuffer{Name: "a.npy", Text: "abcdefgh"}, "it does not begin as NumPy's files do"},
		"unreadable":  {FillBuffer{Picture: true}, "the browser cannot read this picture"},
		"picture": {FillBuffer{Picture: true, W: 2, H: 1, Text: "\x01\x02\x03\xff\x04\x05\x06\xff"},
			"//@ arg out u8x4[2,1] = 1, 2, 3, 255, 4, 5, 6, 255 as image"},
		"wide": {FillBuffer{Picture: true, W: 4000, H: 3000}, "it has 4000 x 3000 pixels"},
	} {
		t.Run(name, func(t *testing.T) {
			store, platform := sourceStore(t, fillable)
			c.file.Name = cmp.Or(c.file.Name, "a.file")
			platform.picked = c.file
			store.Do(PickContents{"out"})
			if strings.HasPrefix(c.want, "//@") {
				line, _, _ := strings.Cut(store.text, "\n")
				require.Equal(t, c.want, strings.Join(strings.Fields(line), " "))
				require.Nil(t, store.Model().FieldError)
				return
			}
			require.Equal(t, fillable, store.text)
			require.Contains(t, store.Model().FieldError.Problem, c.want)
			require.Equal(t, "3, 4", store.Model().FieldError.Value, "the field keeps what it had")
		})
	}
}

func TestBuffersIntoFiles(t *testing.T) {
	store, platform := sourceStore(t, strings.Replace(fillable, "u32[4] = 3, 4", "f32[2,1] = 1.5, -2", 1))
	store.Do(SaveBuffer{"out"})
	require.Len(t, platform.downloads, 1)
	name, file, _ := strings.Cut(platform.downloads[0], ": ")
	require.Equal(t, "out.npy", name)
	require.Zero(t, (len(file)-8)%64, "the header fills blocks of 64 bytes")
	require.Contains(t, file, "'shape': (1, 2,)", "a row of two")
	a, err := parseNumpy([]byte(file))
	require.NoError(t, err)
	require.Equal(t, []int{2, 1}, a.dims)
	require.Equal(t, "\x00\x00\xc0\x3f\x00\x00\x00\xc0", string(a.data))

	store, platform = sourceStore(t, strings.Replace(fillable, "u32[4] = 3, 4", "bf16[2] = 1", 1)) // NumPy has no bfloat16
	store.Do(SaveBuffer{"out"})
	require.Equal(t, []string{"out.bin: \x80\x3f\x80\x3f"}, platform.downloads)
}

// A picture is saved as Memory shows it: floats are grey, from 0 to 1.
func TestPicturesIntoFiles(t *testing.T) {
	store, platform := sourceStore(t, strings.Replace(fillable, "out u32[4] = 3, 4", "out f32[2,1] as image = 0, 1", 1))
	store.Do(SavePicture{"out"})
	require.Equal(t, []string{"out.png: 2x1 000000ffffffffff"}, platform.downloads)
}
