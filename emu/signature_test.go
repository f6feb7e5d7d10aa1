package emu

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"warpscope/internal/txtar"
	"warpscope/ptx"
)

// calling calls the function f, whose declarations are given, in lane 0 through a pointer and a prototype p.
func calling(t *testing.T, declarations, proto, call string) error {
	t.Helper()
	src := txtar.Text(t, "signature/calling",
		"DECLARATIONS", declarations,
		"PROTOTYPE", proto,
		"CALL", call)
	m, err := ptx.Parse("test.ptx", []byte(src))
	require.NoError(t, err, "%s: %v", call, m.Diagnostics)
	d, err := Load(m, Options{})
	require.NoError(t, err)
	g, err := d.Launch(Config{Entry: "k", Args: [][]byte{Ptr(0)}})
	require.NoError(t, err)
	return g.Run(context.Background())
}

const body = " { ret; }"

// "If a function that doesn't match the prototype is called, the behavior is undefined" (9.7.14.5): here it is a fault
// that names both.
func TestCallOfAFunctionThatDoesNotMatch(t *testing.T) {
	const called = "illegal instruction: the call follows "
	for _, c := range []struct{ declarations, proto, call, want string }{
		// the number of parameters and return values
		{".func f(.reg .u32 a)" + body, "(.reg .u32 _) _ (.reg .u32 _)", "call (%r0), %f, (%r1), p",
			called + "`(.reg .u32 _) p(.reg .u32 _)`, but the function is `f(.reg .u32 a)`: " +
				"p has 1 return value, f has 0 return values"},
		{".func (.reg .u32 r) f()" + body, "_ ()", "call %f, p",
			called + "`p()`, but the function is `(.reg .u32 r) f()`: p has 0 return values, f has 1 return value"},
		{".func f(.reg .u32 a, .param .b32 b)" + body, "_ (.reg .u32 _)", "call %f, (%r1), p",
			called + "`p(.reg .u32 _)`, but the function is `f(.reg .u32 a, .param .b32 b)`: " +
				"p has 1 parameter, f has 2 parameters"},
		{".func f()" + body, "_ (.reg .u32 _)", "call %f, (%r1), p", "p has 1 parameter, f has 0 parameters"},
		// their sizes
		{".func f(.reg .b128 a)" + body, "_ (.param .b32 _)", "call %f, (b4), p",
			"parameter 1 of p has 4 bytes, that of f has 16 bytes"},
		{".func f(.reg .u32 a, .param .b8 b[16])" + body, "_ (.reg .u32 _, .param .b8 _[8])", "call %f, (1, a8), p",
			"parameter 2 of p has 8 bytes, that of f has 16 bytes"},
		{".func f(.reg .u32 a)" + body, "_ (.reg .u64 _)", "call %f, (%l), p",
			"parameter 1 of p has 8 bytes, that of f has 4 bytes"},
		{".func f(.reg .u16 a)" + body, "_ (.reg .u32 _)", "call %f, (%r0), p",
			"parameter 1 of p has 4 bytes, that of f has 2 bytes"},
		{".func f(.reg .pred a)" + body, "_ (.reg .u32 _)", "call %f, (%r0), p",
			"parameter 1 of p has 4 bytes, that of f has 1 bit"},
		{".func (.param .b8 r[16]) f()" + body, "(.param .b8 _[4]) _ ()", "call (r4), %f, p",
			"return value 1 of p has 4 bytes, that of f has 16 bytes"},
		// an unsized array of the prototype is as large as what is passed for it
		{".func f(.param .b8 a[16])" + body, "_ (.param .b8 _[])", "call %f, (a8), p",
			"parameter 1 of p has 8 bytes, that of f has 16 bytes"},
		// functions that CUDA provides, by pointer
		{".extern .func (.param .b64 r) malloc(.param .b64 n); .func f()" + body, "_ ()", "mov.u64 %f, malloc; call %f, p",
			called + "`p()`, but CUDA's function is `(.param .b64 _) malloc(.param .b64 _)`: " +
				"p has 0 parameters, malloc has 1 parameter"},
		{".extern .func free(.param .b64 n); .func f()" + body, "_ (.reg .u32 _)", "mov.u64 %f, free; call %f, (%r0), p",
			"parameter 1 of p has 4 bytes, that of free has 8 bytes"},
		{".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v); .func f()" + body,
			"_ (.reg .b64 _, .reg .b64 _)",
			"mov.u64 %f, vprintf; call %f, (%l, %l), p", "p has 0 return values, vprintf has 1 return value"},
		// and by name, declared as they are not
		{".extern .func malloc(); .func f()" + body, "_ ()", "call malloc",
			called + "`malloc()`, but CUDA's function is `(.param .b64 _) malloc(.param .b64 _)`: "},
		{".extern .func (.param .b32 r) vprintf(.param .b64 f); .func f()" + body, "_ ()", "call (s4), vprintf, (%l)",
			"the declaration has 1 parameter, vprintf has 2 parameters"},
		{".extern .func __assertfail(.param .b64 a); .func f()" + body, "_ ()", "call __assertfail, (%l)",
			"the declaration has 1 parameter, __assertfail has 5 parameters"},
		// addresses of no function of this module that a call may reach
		{".extern .func f(.param .b64 n);", "_ ()", "call %f, p", "illegal instruction: f is declared here but has no body"},
		{".func f()" + body, "_ ()", "mov.u64 %f, k; call %f, p",
			"illegal instruction: k is a kernel, and only device functions can be called"},
		{".func f()" + body + " .func g()" + body, "_ ()", "mov.u64 %f, g; t: .calltargets f; call %f, t",
			"illegal instruction: the address is that of g, and the call lists f only"},
		{".func f()" + body + " .func g(.reg .u32 a)" + body + ".global .u64 table[2] = { f, f };", "_ ()",
			"mov.u64 %f, g; call %f, table", "the address is that of g, and the call lists f, f only"},
	} {
		err := calling(t, c.declarations, c.proto, c.call)
		require.ErrorContains(t, err, c.want, c.call)
		require.Equal(t, IllegalInstruction, err.(*Fault).Kind)
		require.Equal(t, Mask(1), err.(*Fault).Lanes)
	}
}

// Only sizes count: types of one size, .reg and .param, arrays of bytes.
func TestCallOfAFunctionThatMatches(t *testing.T) {
	for _, c := range []struct{ declarations, proto, call string }{
		{".func f(.reg .f32 a)" + body, "_ (.reg .u32 _)", "call %f, (%r0), p"},
		{".func f(.param .f32 a)" + body, "_ (.reg .s32 _)", "call %f, (%r0), p"},
		{".func f(.reg .b32 a)" + body, "_ (.param .b32 _)", "call %f, (b4), p"},
		{".func f(.reg .b32 a)" + body, "_ (.param .b8 _[4])", "call %f, (a4), p"},
		{".func f(.param .b8 a[4])" + body, "_ (.reg .b32 _)", "call %f, (%r0), p"},
		{".func f(.param .align 8 .b8 a[8])" + body, "_ (.param .b64 _)", "call %f, (%l), p"},
		{".func f(.param .b64 a)" + body, "_ (.param .align 4 .b8 _[8])", "call %f, (a8), p"},
		{".func f(.reg .b128 a)" + body, "_ (.reg .b128 _)", "call %f, (%q), p"},
		{".func f(.reg .pred a)" + body, "_ (.reg .pred _)", "call %f, (%p), p"},
		{".func (.reg .f32 r) f()" + body, "(.param .b8 _[4]) _ ()", "call (r4), %f, p"},
		{".func (.param .b8 r[4]) f()" + body, "(.reg .b32 _) _ ()", "call (%r0), %f, p"},
		{".func f(.param .b8 a[])" + body, "_ (.param .b8 _[16])", "call %f, (a16), p"},
		{".func f(.param .b8 a[16])" + body, "_ (.param .b8 _[])", "call %f, (a16), p"},
		{".func f(.param .b8 a[])" + body, "_ (.param .b8 _[])", "call %f, (a16), p"},
		{".extern .func (.param .b64 r) malloc(.param .b64 n); .func f()" + body, "(.reg .u64 _) _ (.param .u64 _)",
			"mov.u64 %f, malloc; call (%l), %f, (%l), p"},
		{".func f()" + body + " .func g()" + body, "_ ()", "t: .calltargets g, f; call %f, t"},
	} {
		require.NoError(t, calling(t, c.declarations, c.proto, c.call), c.call)
	}
}
