// Package launch runs a module as its launch header says and gives a verdict. The page, the command line and the
// tests run programs through it, so that an example that passes in one place passes in all.
//
// The header is the comment lines "//@ key value" before the module's first directive. Each key has one line of
// grammar; keys other than arg and expect can be given once:
//
//	//@ title    any text
//	//@ entry    NAME                           default: the first .entry
//	//@ grid     x | x,y | x,y,z                CTAs; default 1
//	//@ block    x | x,y | x,y,z                threads; default .reqntid, or 32 or what .maxntid allows of it
//	//@ cluster  x | x,y | x,y,z                CTAs of a cluster; default .reqnctapercluster, or none
//	//@ shared   BYTES                          dynamic shared memory per CTA; default 0
//	//@ model    stack | independent | frontier            default: by .target
//	//@ engine   auto | interpreter | compiled  default: auto; results are the same, see below
//	//@ sanitize memcheck racecheck initcheck synccheck | all
//	//@ arg NAME TYPE = VALUES                  a parameter passed by value
//	//@ arg NAME TYPE[x,y,…] = VALUES           a device buffer; its address is passed; x runs fastest
//	//@ arg NAME TYPE[width,height] as image    a buffer that is shown as a picture; "= VALUES" can follow
//	                                            a NAME may leave out the kernel's: param_0 for _Z3addPf_param_0
//	//@ buffer NAME TYPE[x,y,…] = VALUES        memory that is not an argument, for tensor maps
//	//@ symbol NAME TYPE = VALUES              a .global or .const variable of the module; without "= VALUES" it keeps
//	//@ symbol NAME TYPE[x,y,…] = VALUES       its own, and expectations may name it
//	//@ tensormap NAME = BUFFER TYPE[x,y,…] …   a tensor map, see below; passed by value or by its address
//	//@ texture  NAME = BUFFER TYPE[w,h,d] …    a texture, see below; also of a .texref variable
//	//@ surface  NAME = BUFFER TYPE[w,h,d] …    a surface; also of a .surfref variable
//	//@ sampler  NAME = …                       a sampler; also of a .samplerref variable
//	//@ expect   NAME[index] == VALUES          see below
//	//@ expect   COUNTER <= NUMBER at line N    "at line N" is optional; see docs/counters.md
//	//@ expect   EXPRESSION at line N           true in each active lane whenever a warp comes to the line, see below
//	//@ expect   fault KIND at line N           "at line N" is optional
//	//@ expect   output "text"                  what the kernel printed contains this
//	//@ expect   finding CHECK                  needs "sanitize CHECK", except for memcheck and synccheck
//
// Without a header the launch is guessed: one cluster of the block that .reqntid or .maxntid names, else of a warp, or
// of a square or a cube if the kernel asks for more than %tid.x; buffers for the parameters that end up in addresses;
// and for unsized shared arrays as much memory as the target has.
//
// # Engines
//
// The interpreter executes each instruction by itself. The compiled engine makes WebAssembly of loops and straight
// lines; the interpreter does the rest. What a program does is the same under both, bit for bit, and so are its
// counters and faults. auto compiles a loop or line when the interpreter has executed about as many of its instructions
// as it could in the time that compiling takes; where there is no way to run compiled code, it never does. "engine
// compiled" compiles at once; where there is no way to run compiled code it is an error. Single steps, breakpoints,
// racecheck and initcheck are the interpreter's under each.
//
// # Sanitizers
//
// memcheck and synccheck are always on. racecheck finds accesses of two threads to one byte of shared or global memory,
// at least one of them a write, which neither barriers nor releases and acquires with wide enough scopes order, and
// ld.global.nc of memory that the kernel writes. initcheck finds addresses, guards and stored values that depend on a
// register which the lane has never written, or on a byte of shared, local or global memory which nothing has written;
// a buffer that the header fills, even with zeros, counts as written. Both make loads and stores many times slower.
//
// # Tensor maps
//
// A tensor map describes a tensor in a buffer and the box that a tensor copy moves, as the driver's
// cuTensorMapEncodeTiled would: "tm = x f16[64,128] box 16,32 swizzle 128B". Type and dimensions can be left out; then
// they are the buffer's. The type can also be one that only tensors have: tf32, b4x16, b4x16_p64, b6x16_p32. These
// options can follow:
//
//	box x,y,…                    elements of the box
//	step x,y,…                   traversal strides; default 1
//	stride BYTES,…               of the dimensions after the first; default: no padding
//	offset BYTES                 of the tensor in the buffer
//	interleave 16B | 32B         channels are in slices: N, C/slice, D, H, W, slice; a box is of whole slices
//	swizzle 32B | 64B | 96B | 128B
//	atom 16B | 32B | 32B+8B | 64B   what 128-byte swizzling keeps together
//	fill zero | nan              outside of the tensor
//
// In place of the box there can be im2col lower w,h,d upper w,h,d channels N pixels N, as for cuTensorMapEncodeIm2col,
// or im2col::w or im2col::w::128 lower w upper w channels N pixels N, as for cuTensorMapEncodeIm2colWide.
//
// # Textures, surfaces and samplers
//
// A texture describes an image in a buffer: "tex = img u8x4[64,64] float normalized filter linear address wrap,clamp".
// Type and dimensions can be left out; then they are the buffer's. An image has one, two or four components of u8, s8,
// u16, s16, u32, s32, f16 or f32. These options can follow:
//
//	float                        integers of 8 and 16 bits are read as floats from 0 or -1 to 1
//	normalized                   coordinates run from 0 to 1
//	unnormalized                 samplers: whatever the texture says
//	filter nearest | linear      also mip nearest | linear, between levels
//	address MODE,MODE,MODE       wrap, mirror, clamp, border or ogl; one for all dimensions, or one for each
//	border R,G,B,A               the colour outside
//	compare lequal | less | gequal | greater    of depth textures
//	layers N, levels N, samples N, cube
//	offset BYTES                 of the image in the buffer
//
// A sampler takes filter, mip, address, border, unnormalized and compare.
//
// # Types
//
// TYPE is one of u8 s8 b8 u16 s16 b16 f16 bf16 u32 s32 b32 f32 u64 s64 b64 f64, or a vector of two or four of them:
// f32x2, u8x4. An array parameter (a structure by value) takes an argument of exactly its size, scalar or array; so
// does a symbol.
//
// The narrow types of 5.2.3 are types too: e4m3, e5m2, ue4m3 and ue8m0 have a byte, e3m2 and e2m3 the lower six bits of
// a byte, and two e2m1 share a byte, the first in the lower half: e2m1[32] and e2m1x2[16] are both 16 bytes. Not all
// have nan and inf; a number beyond the largest one of a type without inf is an error, and so is a number in ue8m0 that
// is not a power of two.
//
// # Values
//
// Integers are decimal or hexadecimal and must fit the type; a b type takes signed and unsigned numbers. Floating-point
// numbers are decimal and rounded to the type, or nan, inf, -inf; a hexadecimal number gives the bits. Initial values
// are one of
//
//	2.5                 fills the buffer
//	1, 2, 3             a list, repeated to fill the buffer
//	address(x), …       a list with the addresses of buffers, see below
//	u64 5, f32 1, …     fields of several types, see below
//	iota                0, 1, 2, …; integers wrap around
//	iota(start, step)   start, start + step, start + 2 step, …, computed in float64 for floating-point types
//	random(seed)        see below
//	text "…"            UTF-8 bytes, then zeros; escapes \n \t \r \0 \" \\
//
// and zeros when there is none. Lists, iota and random count the components of vectors as elements of their own.
//
// # Addresses and fields
//
// address(x) in a list is the generic address of x, which is a buffer, a symbol or a described object; address(x, 64)
// is 64 bytes after it. The type must have as many bits as an address. So "p u64 = address(x, 64)" is a pointer into
// the middle of a buffer, and "table u64[2] = address(x), address(y)" a table of pointers.
//
// If the values of a list have types of their own, they are fields, as a kernel reads them from a structure:
//
//	//@ arg    params b8[24] = u64 address(x), u32 1024, f32 2.5, at 16 u64 address(y, 64)
//	//@ buffer nodes  b8[32] = u64 address(nodes, 16), u32 1, at 16 u64 0, u32 2
//
// Each field is at the next multiple of its size, like a member in C, or "at" so many bytes from the beginning; fields
// are in ascending order. A value without a type has the argument's. Fields without a value are zero: fields are not
// repeated.
//
// random(seed) is SplitMix64 with the seed as its first state. Each number takes the next 64-bit output z:
//
//	state += 0x9e3779b97f4a7c15
//	z = state
//	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
//	z = (z ^ z>>27) * 0x94d049bb133111eb
//	z = z ^ z>>31
//
// An integer of n bits is the top n bits of z: the type's full range. A floating-point type with p bits of precision
// (f16 11, bf16 8, f32 24, f64 53; e4m3, ue4m3 4; e5m2, e3m2, e2m3 3; e2m1 1) is the top p bits of z times 2^-p: in
// [0, 1), and exact. ue8m0 takes neither iota nor random.
//
// # Expectations
//
// An index is a number or an inclusive range i..j for each dimension, img[3,4] being x = 3, y = 4; a single index
// counts the elements in the order of memory, whatever the dimensions are. Without brackets the expectation is about
// all elements. One value after == means every element (one value per component means every vector); a list has a value
// for each element. Numbers compare by value, so that 0 equals -0; nan matches any NaN; a hexadecimal number compares
// bits. "± 2ulp", "± 1e-6" and "± 0.1%" at the end allow a difference in units in the last place, absolute, and
// relative to the expected value; "+-" can be written for ±, "~=" for ≈. ≈ without a tolerance allows 4 ulp. For
// integers a unit in the last place is 1.
//
// A counter is compared with ==, !=, <, <=, > or >=: "bank_conflicts == 0", "sectors_per_request <= 4". Without a line
// it is that of the whole kernel. Every run knows instructions, lanes, active_lanes, branches, divergent, barriers and
// findings; any other counter, and a line, makes the run one of the interpreter.
//
// "%r4 == lane * 4 at line 12" is an expectation about what a warp has when it comes to a line, before it executes the
// line's first instruction: the expression is true in all active lanes, each time. Some warp has to come there. The
// expressions are those of the debugger's breakpoints, see package expr: registers, the lane, masks, elements of
// buffers and of shared variables. The interpreter makes the whole run.
//
// A run is OK when it did not fault, or faulted as an expectation says, and all expectations pass.
package launch
