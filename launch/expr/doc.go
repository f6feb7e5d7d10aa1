// Package expr is the small language in which users ask about a paused warp: conditions of breakpoints, watched
// expressions, and expectations at a line. It knows no machine: an Env gives it values.
//
//	%r4 > 10 && lane == 3        in each lane: a register, and the lane's own number
//	any(%p1)                     in some active lane; all(…) is in every active lane
//	popc(active) < 8             masks: active, present, exited; ballot(…) makes one
//	warp == 2, cta, tick, line   where the warp is
//	hits % 100 == 0              how often a breakpoint has been reached
//	out[5] == 1.5, a[%r1 + 1]    an element of a buffer or of a variable
//	f32(%r7) < 0                 the bits of a register as another type: u8 to u64, s8 to s64, f16, f32, f64
//
// Operators and their precedence are those of C: || && | ^ & == != < <= > >= << >> + - * / % and unary ! ~ -.
// A value is an integer of 64 bits with or without a sign, a float64, or a truth value. Comparisons are exact: -1 is
// less than any unsigned number. Arithmetic of two integers wraps at 64 bits and is signed if one of them is; with a
// float it is that of float64. Division by zero gives no value, as does an element outside its buffer: such a lane
// counts as false, and the other lanes go on.
package expr
