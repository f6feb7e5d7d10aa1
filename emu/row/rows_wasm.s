#include "go_asm.h"
#include "textflag.h"
#include "lanes_wasm.h"

// ---- the loop over a straight line --------------------------------------------------------------------------------

// A function of Go takes its arguments from the stack, above a return address of 8 bytes, which PUSH makes room for.
// The callee drops the address, and nothing reads it. CALL also passes the number of the block to resume at, 0, and
// drops the answer whether the callee was suspended: none of these functions ever is.
#define PUSH Get SP; I32Const $8; I32Sub; Set SP
#define CALL(f) I32Const $0; Call f; Drop

// HANDLER calls the instruction's handler. A function value is the address of a closure, whose first word is a pc; the
// upper half of a pc is an index into WebAssembly's table of functions.
#define HANDLER \
	I32Const $0; FIELD(I32Load, Inst_Handler); I32Load $0; I32Const $16; I32ShrU; CallIndirect $0; Drop

// FIELD pushes a field of the instruction at R0. ADVANCE moves R0 on to the next one.
#define FIELD(load, field) Get R0; I32WrapI64; load $field
#define ADVANCE Get R0; Get R4; I64Add; Set R0

// ARG32 passes a field of the instruction as an argument.
#define ARG32(field, at) Get SP; FIELD(I32Load, field); I32Store $at

// TRY calls a load if R2 says so. It leaves an If open: what follows is its Else.
#define TRY(row, load) Get R2; I32WrapI64; I32Const $row; I32Eq; If; CALL(load); Else

// Run does what Run of zz_lanes.go does in Go. R0 is the instruction, R1 the place after the last one, R2 how this one
// is executed (Inst.How) or its width (Inst.Width), R3 what odd becomes, R4 the stride. All functions that it calls
// take f first, so f stays at 0(SP).
TEXT ·run(SB), NOSPLIT, $48-68
	I64Load in+0(FP); Tee R0
	I64Load n+16(FP); I64Load stride+8(FP); Tee R4; I64Mul; I64Add; Set R1
	Get SP; I64Load f+24(FP); I64Store $0

	I32Load exec+32(FP); I32Const $-1; I32Eq
	If
		// All lanes are active: results go where they belong.
		Block
		Loop
			Get R0; Get R1; I64Eq; BrIf $1
			Get SP; Get R0; I64Store $8
			FIELD(I32Load8U, Inst_How); I64ExtendI32U; Tee R2
			I64Const $const_ByCall; I64Eq
			If
				ARG32(Inst_D, 16)
				PUSH
				HANDLER
			Else
				// An instruction that package machine executes ends the run.
				Get R2; I64Eqz; BrIf $2
				Get R2; I64Const $const_ByFma; I64Eq
				If
					// An fma that leaves lanes to do ends the run.
					ARG32(Inst_D, 16)
					PUSH
					CALL(·fmaRow(SB))
					Get SP; I32Load $24; I64ExtendI32U; Tee R3
					I64Eqz; I32Eqz; BrIf $3
				Else
					// Load32at32(f, in, shared, offset, size - 4) and the like. The run ends if it has not loaded.
					I64Load shared+40(FP); I64Eqz; BrIf $3
					Get SP; I64Load shared+40(FP); I64Store $16
					Get SP; FIELD(I64Load32S, Inst_C); I64Store $24
					Get SP
					I64Load size+48(FP)
					I64Const $4; I64Const $8; Get R2; I64Const $const_ByLoad32at64; I64LeU; Select
					I64Sub; I64Store $32
					PUSH
					TRY(const_ByLoad32at32, ·Load32at32(SB))
					TRY(const_ByLoad32at64, ·Load32at64(SB))
					TRY(const_ByLoad64at32, ·Load64at32(SB))
					CALL(·Load64at64(SB))
					End; End; End
					Get SP; I32Load8U $40; I32Eqz; BrIf $3
				End
			End
			ADVANCE
			Br $0
		End
		End
	Else
		// Some lanes are not active: results that are rows go to the scratch row first.
		Block
		Loop
			Get R0; Get R1; I64Eq; BrIf $1
			FIELD(I32Load8U, Inst_How); I32Const $const_ByCall; I32Ne; BrIf $1
			Get SP; Get R0; I64Store $8
			Get SP
			I32Const $const_Scratch; FIELD(I32Load, Inst_D)
			FIELD(I32Load8U, Inst_Width); I64ExtendI32U; Tee R2; I32WrapI64; Select
			I32Store $16
			PUSH
			HANDLER

			// A mask is in its place already: its width is 0.
			Get R2; I64Eqz; I32Eqz
			If
				// select32 or select64(f, d, Scratch, d, exec).
				ARG32(Inst_D, 8)
				Get SP; I32Const $const_Scratch; I32Store $12
				ARG32(Inst_D, 16)
				Get SP; I32Load exec+32(FP); I32Store $20
				PUSH
				Get R2; I64Const $1; I64Eq
				If
					CALL(·select32(SB))
				Else
					CALL(·select64(SB))
				End
			End
			ADVANCE
			Br $0
		End
		End
	End

	Get SP
	Get R0; I64Load in+0(FP); I64Sub; Get R4; I64DivU
	I64Store done+56(FP)
	Get SP; Get R3; I64Store32 odd+64(FP)
	RET

// ---- selections ---------------------------------------------------------------------------------------------------

// SELECT takes elements from row A where p is set, else from row B. Lanes that branch together often are neighbours:
// groups of 8 that all take from the same row are copied. R3 is p, R4 the group's bits in it.
#define SELECT(copy, pick) \
	AT(TO, to+8); AT(A, from+12); AT(B, other+16) \
	PARAM(I64Load32U, p+20); Set R3 \
	CHOOSE(copy, pick, 0); CHOOSE(copy, pick, 8); CHOOSE(copy, pick, 16); CHOOSE(copy, pick, 24)

#define CHOOSE(copy, pick, n) \
	Get R3; I64Const $n; I64ShrU; I64Const $0xff; I64And; Tee R4 \
	I64Eqz; If; copy(B, n) \
	Else; Get R4; I64Const $0xff; I64Eq; If; copy(A, n) \
	Else; EIGHT(pick, n, n) \
	End; End

// COPY32 and COPY64 copy 8 lanes from n on, 64 bits at a time.
#define COPY32(from, n) MOVE(from, n/2+0); MOVE(from, n/2+1); MOVE(from, n/2+2); MOVE(from, n/2+3)
#define COPY64(from, n) EIGHT(MOVE, from, n)
#define MOVE(from, n) Get TO; I32WrapI64; Q(from, n); I64Store $(8*(n))

// PICK32 and PICK64 select in lane n. Its group's first lane is called first.
#define PICK32(first, n) Get TO; I32WrapI64; W(A, n); W(B, n); CHOICE(n-first); I32Store $(4*(n))
#define PICK64(first, n) Get TO; I32WrapI64; Q(A, n); Q(B, n); CHOICE(n-first); I64Store $(8*(n))
#define CHOICE(bit) Get R4; I32WrapI64; I32Const $(1<<(bit)); I32And; Select

TEXT ·select32(SB), NOSPLIT, $0-24
	SELECT(COPY32, PICK32)
	RET

TEXT ·select64(SB), NOSPLIT, $0-24
	SELECT(COPY64, PICK64)
	RET

// ---- loads and stores ---------------------------------------------------------------------------------------------

// ANSWER returns, and says whether the load or store is done.
#define ANSWER(done, ret) Get SP; I64Const $done; I64Store8 ret(FP); RET

// CHECKED sets TO to the row of data, A to the row of addresses, and R2 to what is added to an address to give a place.
// The function returns false when a place exceeds the limit in R3 or is not a multiple of size. R4 collects the
// bits of all places; the sign of R4 or R5 says that one is below 0 or above the limit. WU or Q pushes an address.
#define CHECKED(address, size, add, limit, ret) \
	ROW(TO, Inst_D); ROW(A, Inst_A) \
	PARAM(I64Load, add); Set R2; PARAM(I64Load, limit); Set R3 \
	LANES(CHECK, address) \
	Get R4; Get R5; I64Or; I64Const $0; I64LtS \
	Get R4; I64Const $(size-1); I64And; I64Eqz; I32Eqz \
	I32Or; If; ANSWER(0, ret); End

#define CHECK(address, n) \
	address(A, n); Get R2; I64Add; Tee R6; Get R4; I64Or; Set R4 \
	Get R3; Get R6; I64Sub; Get R5; I64Or; Set R5

// PLACE pushes a place in 32 bits: W or LOW pushes as many of the address.
#define PLACE(low, n) low(A, n); Get R2; I32WrapI64; I32Add

// LOADS is the body of a load. It adds mem to R2: then places are addresses in WebAssembly's memory.
#define LOADS(address, size, lane, low) \
	CHECKED(address, size, add+24, limit+32, ret+40) \
	PARAM(I64Load, mem+16); Get R2; I64Add; Set R2 \
	LANES(lane, low) \
	ANSWER(1, ret+40)

#define LOAD32(low, n) Get TO; I32WrapI64; PLACE(low, n); I32Load $0; I32Store $(4*(n))
#define LOAD64(low, n) Get TO; I32WrapI64; PLACE(low, n); I64Load $0; I64Store $(8*(n))

TEXT ·Load32at32(SB), NOSPLIT, $0-41
	LOADS(WU, 4, LOAD32, W)

TEXT ·Load32at64(SB), NOSPLIT, $0-41
	LOADS(Q, 4, LOAD32, LOW)

TEXT ·Load64at32(SB), NOSPLIT, $0-41
	LOADS(WU, 8, LOAD64, W)

TEXT ·Load64at64(SB), NOSPLIT, $0-41
	LOADS(Q, 8, LOAD64, LOW)

// STORES is the body of a store. It marks pages before it writes them: R3 is mem, R4 dirty, R5 skip.
#define STORES(address, size, lane, low) \
	CHECKED(address, size, add+40, limit+48, ret+56) \
	PARAM(I64Load, mem+16); Set R3; PARAM(I64Load, dirty+24); Set R4; PARAM(I64Load32U, skip+32); Set R5 \
	LANES(lane, low) \
	ANSWER(1, ret+56)

#define STORE32(low, n) DIRTY(low, n); W(TO, n); I32Store $0
#define STORE64(low, n) DIRTY(low, n); Q(TO, n); I64Store $0

// DIRTY marks the page of a place and pushes the place's address.
#define DIRTY(low, n) \
	PLACE(low, n); I64ExtendI32U; Tee R6 \
	Get R5; I64Add; I64Const $const_PageShift; I64ShrU; Get R4; I64Add; I32WrapI64; I32Const $1; I32Store8 $0 \
	Get R6; Get R3; I64Add; I32WrapI64

TEXT ·Store32at32(SB), NOSPLIT, $0-57
	STORES(WU, 4, STORE32, W)

TEXT ·Store32at64(SB), NOSPLIT, $0-57
	STORES(Q, 4, STORE32, LOW)

TEXT ·Store64at32(SB), NOSPLIT, $0-57
	STORES(WU, 8, STORE64, W)

TEXT ·Store64at64(SB), NOSPLIT, $0-57
	STORES(Q, 8, STORE64, LOW)
