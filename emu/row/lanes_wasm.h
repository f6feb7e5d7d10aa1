// Macros for functions that compute the 32 lanes of a warp: rows_wasm.s and zz_lanes_wasm.s are written with them.
//
// Go's compiler for WebAssembly loads arguments from the stack again for every lane, adds the offset to the address of
// every float outside of the instruction, moves bits between floats and integers through memory, and pays for every
// taken jump. Written down directly, a lane is a handful of instructions.
//
// WebAssembly is a stack machine: an instruction pops its operands and pushes its result. Get pushes a register, Set
// pops one, Tee sets one to the top of the stack and leaves it there. A register is a local variable: R0 to R15 are 64
// bits wide, F0 to F15 are float32, F16 to F31 are float64, and all begin with 0. An address has 32 bits on the stack.
//
// Macros take macros. A lane's macro has the lane's number as its parameter and pushes that lane's result:
//
//	#define AddU32(n) W(A, n); W(B, n); I32Add
//
// A list such as LANES(WORD, AddU32) becomes WORD(AddU32, 0); WORD(AddU32, 1); … WORD(AddU32, 31), and each WORD stores
// what AddU32 pushes. Parameters that are numbers arrive as sums (8+1): a macro that multiplies one writes (n).

// ---- rows ---------------------------------------------------------------------------------------------------------

// The registers that hold addresses of rows: the result's, and those of the operands a, b, c.
#define TO R0
#define A R1
#define B R2
#define C R3

// PARAM pushes a parameter of the function, such as to+16. Macros use it because go vet takes what is written to+16(FP)
// for a parameter of the function above the macro.
#define PARAM(load, arg) load arg(FP)

// AT sets a register to the address of the row whose offset in the frame f is a parameter, such as to+16. ROW does so
// for a row whose offset is a field of the instruction, such as Inst_A.
#define AT(reg, arg) PARAM(I32Load, f+0); PARAM(I32Load, arg); I32Add; I64ExtendI32U; Set reg
#define ROW(reg, field) PARAM(I32Load, f+0); PARAM(I32Load, in+8); I32Load $field; I32Add; I64ExtendI32U; Set reg

// A handler's rows, func(f unsafe.Pointer, in *Inst, to uint32), when it has one, two, or three operands.
#define ROWS1 AT(TO, to+16); ROW(A, Inst_A)
#define ROWS2 ROWS1; ROW(B, Inst_B)
#define ROWS3 ROWS2; ROW(C, Inst_C)

// ---- lists --------------------------------------------------------------------------------------------------------

#define EIGHT(do, what, n) \
	do(what, n+0); do(what, n+1); do(what, n+2); do(what, n+3) \
	do(what, n+4); do(what, n+5); do(what, n+6); do(what, n+7)

// PAIRS is for 16 elements of two lanes each.
#define PAIRS(do, what) EIGHT(do, what, 0); EIGHT(do, what, 8)
#define LANES(do, what) PAIRS(do, what); EIGHT(do, what, 16); EIGHT(do, what, 24)

// ---- operands -----------------------------------------------------------------------------------------------------

// These push element n of a row: 32 bits (W), 32 bits extended to 64 by zeros (WU) or by the sign (WS), 64 bits (Q),
// the low half of 64 bits (LOW), a float32 (F), a float64 (D).
#define W(row, n) Get row; I32WrapI64; I32Load $(4*(n))
#define WU(row, n) Get row; I32WrapI64; I64Load32U $(4*(n))
#define WS(row, n) Get row; I32WrapI64; I64Load32S $(4*(n))
#define Q(row, n) Get row; I32WrapI64; I64Load $(8*(n))
#define LOW(row, n) Get row; I32WrapI64; I32Load $(8*(n))
#define F(row, n) Get row; I32WrapI64; F32Load $(4*(n))
#define D(row, n) Get row; I32WrapI64; F64Load $(8*(n))

// ---- results: integers --------------------------------------------------------------------------------------------

// These store a lane's result of 32 or 64 bits.
#define WORD(lane, n) Get TO; I32WrapI64; lane(n); I32Store $(4*(n))
#define QUAD(lane, n) Get TO; I32WrapI64; lane(n); I64Store $(8*(n))

// ---- results: masks -----------------------------------------------------------------------------------------------

// MASK makes a mask of 32 bools, the highest lane's first, and stores it in the lanes that execute: the result is
// old ^ (old ^ new) & exec.
#define MASK(lane) \
	lane(31) \
	EIGHT(BIT, lane, 0); EIGHT(BIT, lane, 8); EIGHT(BIT, lane, 16) \
	BIT(lane, 24); BIT(lane, 25); BIT(lane, 26); BIT(lane, 27); BIT(lane, 28); BIT(lane, 29); BIT(lane, 30) \
	I64ExtendI32U; Set R4 \
	Get TO; I32WrapI64 \
	Get R4; I32WrapI64; W(TO, 0); I32Xor \
	PARAM(I32Load, f+0); I32Load $const_ExecMask; I32And \
	W(TO, 0); I32Xor \
	I32Store $0

// BIT shifts the mask on the stack and adds the next lower lane: n counts from 0 to 30, lanes from 30 to 0.
#define BIT(lane, n) I32Const $1; I32Shl; lane((30-(n))); I32Or

// ---- results: floats ----------------------------------------------------------------------------------------------

// FLOATS stores a row of float32 whose NaNs are canonical, as on NVIDIA hardware. NaNs are rare: F4 to F7 sum the row
// up, and their sum is a NaN if one of the lanes is. Then all lanes are looked at again. (Infinities of both signs make
// a NaN as well; looking again does no harm.)
#define FLOATS(lane) \
	FOUR(FIRST, lane, 0) \
	FOUR(NEXT, lane, 4); FOUR(NEXT, lane, 8); FOUR(NEXT, lane, 12); FOUR(NEXT, lane, 16) \
	FOUR(NEXT, lane, 20); FOUR(NEXT, lane, 24); FOUR(NEXT, lane, 28) \
	Get F4; Get F5; F32Add; Get F6; Get F7; F32Add; F32Add; Tee F0; Get F0; F32Ne; If \
	LANES(CANON, TO) \
	End

#define FOUR(do, lane, n) do(lane, n+0, F0, F4); do(lane, n+1, F1, F5); do(lane, n+2, F2, F6); do(lane, n+3, F3, F7)

// FIRST and NEXT store a lane, which stays in v, and add it to a sum.
#define FIRST(lane, n, v, sum) FLOAT(lane, n, v); Get v; Set sum
#define NEXT(lane, n, v, sum) FLOAT(lane, n, v); Get sum; Get v; F32Add; Set sum
#define FLOAT(lane, n, v) Get TO; I32WrapI64; lane(n); Tee v; F32Store $(4*(n))

// CANON makes an element canonical: see canon.
#define CANON(row, n) \
	Get row; I32WrapI64 \
	I32Const $0x7fffffff; W(row, n); F(row, n); Tee F0; Get F0; F32Ne; Select \
	I32Store $(4*(n))

// ---- results: sums that are rounded twice --------------------------------------------------------------------------

// SUMS is for lanes that push a float64: a product of two float32, which is exact, plus a third. That sum has been
// rounded to 53 bits. Rounding it once more to 24 bits is right unless it is halfway between two results or the result
// is subnormal (9.7.3.6). A group of 8 lanes is stored when none of them is such a case, a NaN, or an infinity. R7 gets a
// bit for each other group, which is left to the caller. fmaLanes of emu/gen does the same in Go.
#define SUMS(lane) GROUP(lane, 0, 1); GROUP(lane, 8, 2); GROUP(lane, 16, 4); GROUP(lane, 24, 8)

// GROUP rounds 8 lanes to F0 to F7 before it stores any. The sign of R5 says that one is a NaN, an infinity, or tiny
// and not zero; the sign of R6 says that one is halfway.
#define GROUP(lane, n, bit) \
	I64Const $0; Set R5; I64Const $0; Set R6 \
	ROUND(lane, n+0, F0); ROUND(lane, n+1, F1); ROUND(lane, n+2, F2); ROUND(lane, n+3, F3) \
	ROUND(lane, n+4, F4); ROUND(lane, n+5, F5); ROUND(lane, n+6, F6); ROUND(lane, n+7, F7) \
	Get R5; Get R6; I64Or; I64Const $0; I64LtS; If \
	Get R7; I64Const $bit; I64Or; Set R7 \
	Else \
	KEEP(n+0, F0); KEEP(n+1, F1); KEEP(n+2, F2); KEEP(n+3, F3) \
	KEEP(n+4, F4); KEEP(n+5, F5); KEEP(n+6, F6); KEEP(n+7, F7) \
	End

#define KEEP(n, v) Get TO; I32WrapI64; Get v; F32Store $(4*(n))

// ROUND rounds a lane and looks at the sum's bits u in R4. u is halfway if the 29 bits that are dropped are a 1 and
// then zeros: xor makes them 0, and subtracting 1 sets the sign. Then x = u<<1 is u without its sign. x - 897<<53 is
// negative below the least normal float32, whose exponent is 1023-126 = 897, and from exponent 897+1024 on, which only
// infinities and NaNs have here. -x | x is negative unless x is 0.
#define ROUND(lane, n, v) \
	lane(n); Tee F16; F32DemoteF64; Set v \
	Get F16; I64ReinterpretF64; Tee R4 \
	I64Const $0x10000000; I64Xor; I64Const $0x1fffffff; I64And; I64Const $1; I64Sub; Get R6; I64Or; Set R6 \
	Get R4; I64Const $1; I64Shl; Tee R4; I64Const $(897<<53); I64Sub \
	I64Const $0; Get R4; I64Sub; Get R4; I64Or; I64And; Get R5; I64Or; Set R5
