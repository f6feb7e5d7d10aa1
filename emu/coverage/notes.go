package coverage

const satfiniteNote = ".satfinite of floats is what CUDA C++ says of satf: infinity becomes the largest number, NaN +0"

const metadataNote = "pictures show where a sparse A's metadata lie in tensor memory: here as mma.sp has them in lanes"

// notes are differences that a reader of the matrix should know.
var notes = map[string]string{
	"wmma.legacy":           satfiniteNote,
	"wmma.satfinite.legacy": satfiniteNote,
	"sub.cc":                "the flag is the carry of a + ~b + 1, as hardware has it; 9.7.2.3 says borrow",
	"subc":                  "the flag is the carry of a + ~b + CC.CF, as hardware has it; 9.7.2.4 says borrow",
	"createpolicy":          "every policy is the same handle: there is no cache to govern",
	"tcgen05.mma": "pictures show where scale factors of K 96 and 128 go on: " +
		"here after the columns of all lines, 128 or 256; those in 128 lanes, and elements of 4 bits with K 64, are a fault",
	"tcgen05.mma.sp":                metadataNote + "; K 192 is a fault",
	"tcgen05.mma.ws.sp":             metadataNote,
	"tcgen05.shift":                 "\"down\" is to the lane before, in each warp, as on a B200",
	"cvt.ue5m3":                     "the manual does not say what negative numbers become; here their magnitude counts",
	"ldmatrix.s4":                   "the manual names no padding: a row is 8 bytes",
	"mul.mixed.x2":                  "c is rounded to the type of a before the product, as the formula says",
	"fma.oob":                       "the manual does not give the bits of the special NaN; here they are 0x7ffe",
	"st.async.global":               "happens at once, as an ordinary store",
	"red.async.global":              "happens at once, as an ordinary reduction",
	"multimem.ld_reduce":            "one device: the address leads to one place only",
	"multimem.st":                   "one device: the address leads to one place only",
	"multimem.st.async":             "one device, so one place; happens at once, as an ordinary store",
	"multimem.red":                  "one device: the address leads to one place only",
	"multimem.red.async":            "one device, so one place; happens at once, as an ordinary reduction",
	"multimem.cp.async.bulk":        "one device: the address leads to one place only",
	"multimem.cp.reduce.async.bulk": "one device: the address leads to one place only",
	"setmaxnreg":                    "every warp has as many registers as it names",
	"applypriority":                 "there is no cache; the address is checked",
	"applypriority.async.bulk":      "there is no cache; the address is checked",
	"discard":                       "a write of no particular value: what was there stays",
	"cp.async.bulk.prefetch":        "there is no cache; the address is checked",
	"nanosleep":                     "lets other warps run; no time passes",

	"cp.async.bulk.tensor": "the manual does not say where interleaved slices lie; " +
		"here between images and pixels. Nor what follows a row in im2col::w; here the same row of the next image",
}
