package wasm

// Op is an instruction. Those with a prefix byte have numbers above it.
type Op uint32

const (
	saturating Op = 0x100
	vector     Op = 0x1000
)

// The types of values.
const (
	I32    = 0x7f
	I64    = 0x7e
	F32    = 0x7d
	F64    = 0x7c
	Vector = 0x7b
)

// Control, locals and memory.
const (
	Unreachable Op = 0x00
	Block       Op = 0x02
	Loop        Op = 0x03
	If          Op = 0x04
	Else        Op = 0x05
	End         Op = 0x0b
	Br          Op = 0x0c
	BrIf        Op = 0x0d
	BrTable     Op = 0x0e
	Return      Op = 0x0f
	Drop        Op = 0x1a
	Select      Op = 0x1b
	LocalGet    Op = 0x20
	LocalSet    Op = 0x21
	LocalTee    Op = 0x22
	I32Load     Op = 0x28
	I64Load     Op = 0x29
	I32Load8U   Op = 0x2d
	I64Load32U  Op = 0x35
	I32Load16U  Op = 0x2f
	I32Store    Op = 0x36
	I64Store    Op = 0x37
	I32Store8   Op = 0x3a
	I32Store16  Op = 0x3b
	I32Const    Op = 0x41
	I64Const    Op = 0x42
)

// Scalars.
const (
	I32Eqz        Op = 0x45
	I32Eq         Op = 0x46
	I32Ne         Op = 0x47
	I32LtS        Op = 0x48
	I32LtU        Op = 0x49
	I32GtS        Op = 0x4a
	I32GtU        Op = 0x4b
	I32LeS        Op = 0x4c
	I32LeU        Op = 0x4d
	I32GeS        Op = 0x4e
	I32GeU        Op = 0x4f
	I64Eqz        Op = 0x50
	I64Eq         Op = 0x51
	I64Ne         Op = 0x52
	I64LtS        Op = 0x53
	I64LtU        Op = 0x54
	I64GtS        Op = 0x55
	I64GtU        Op = 0x56
	I64LeU        Op = 0x58
	I64GeS        Op = 0x59
	I32Clz        Op = 0x67
	I32Ctz        Op = 0x68
	I32Popcnt     Op = 0x69
	I32Add        Op = 0x6a
	I32Sub        Op = 0x6b
	I32Mul        Op = 0x6c
	I32DivS       Op = 0x6d
	I32DivU       Op = 0x6e
	I32RemS       Op = 0x6f
	I32RemU       Op = 0x70
	I32And        Op = 0x71
	I32Or         Op = 0x72
	I32Xor        Op = 0x73
	I32Shl        Op = 0x74
	I32ShrS       Op = 0x75
	I32ShrU       Op = 0x76
	I64Clz        Op = 0x79
	I64Ctz        Op = 0x7a
	I64Popcnt     Op = 0x7b
	I64Add        Op = 0x7c
	I64Sub        Op = 0x7d
	I64Mul        Op = 0x7e
	I64And        Op = 0x83
	I64Or         Op = 0x84
	I64Xor        Op = 0x85
	I64Shl        Op = 0x86
	I64ShrS       Op = 0x87
	I64ShrU       Op = 0x88
	I32WrapI64    Op = 0xa7
	I64ExtendI32S Op = 0xac
	I64ExtendI32U Op = 0xad
)

// Vectors.
const (
	V128Load             = vector + 0
	V128Load32Splat      = vector + 9
	V128Load64Splat      = vector + 10
	V128Store            = vector + 11
	V128Const            = vector + 12
	I8x16Shuffle         = vector + 13
	I8x16Swizzle         = vector + 14
	I8x16Splat           = vector + 15
	I32x4Splat           = vector + 17
	I64x2Splat           = vector + 18
	I32x4ExtractLane     = vector + 27
	I32x4ReplaceLane     = vector + 28
	I64x2ExtractLane     = vector + 29
	I64x2ReplaceLane     = vector + 30
	I32x4Eq              = vector + 0x37
	I32x4Ne              = vector + 0x38
	I32x4LtS             = vector + 0x39
	I32x4LtU             = vector + 0x3a
	I32x4GtS             = vector + 0x3b
	I32x4GtU             = vector + 0x3c
	I32x4LeS             = vector + 0x3d
	I32x4LeU             = vector + 0x3e
	I32x4GeS             = vector + 0x3f
	I32x4GeU             = vector + 0x40
	F32x4Eq              = vector + 0x41
	F32x4Ne              = vector + 0x42
	F32x4Lt              = vector + 0x43
	F32x4Gt              = vector + 0x44
	F32x4Le              = vector + 0x45
	F32x4Ge              = vector + 0x46
	F64x2Eq              = vector + 0x47
	F64x2Ne              = vector + 0x48
	F64x2Lt              = vector + 0x49
	F64x2Gt              = vector + 0x4a
	F64x2Le              = vector + 0x4b
	F64x2Ge              = vector + 0x4c
	V128Not              = vector + 0x4d
	V128And              = vector + 0x4e
	V128AndNot           = vector + 0x4f
	V128Or               = vector + 0x50
	V128Xor              = vector + 0x51
	V128Bitselect        = vector + 0x52
	V128AnyTrue          = vector + 0x53
	V128Load32Lane       = vector + 0x56
	V128Load64Lane       = vector + 0x57
	V128Store32Lane      = vector + 0x5a
	V128Store64Lane      = vector + 0x5b
	V128Load32Zero       = vector + 0x5c
	V128Load64Zero       = vector + 0x5d
	F32x4DemoteF64x2Zero = vector + 0x5e
	F64x2PromoteLowF32x4 = vector + 0x5f
	I8x16Popcnt          = vector + 0x62
	F32x4Ceil            = vector + 0x67
	F32x4Floor           = vector + 0x68
	F32x4Trunc           = vector + 0x69
	F32x4Nearest         = vector + 0x6a
	F64x2Ceil            = vector + 0x74
	F64x2Floor           = vector + 0x75
	F64x2Trunc           = vector + 0x7a
	I16x8ExtAddI8x16U    = vector + 0x7d
	I32x4ExtAddI16x8U    = vector + 0x7f
	I16x8Bitmask         = vector + 0x84
	F64x2Nearest         = vector + 0x94
	I32x4Abs             = vector + 0xa0
	I32x4Neg             = vector + 0xa1
	I32x4AllTrue         = vector + 0xa3
	I32x4Bitmask         = vector + 0xa4
	I32x4Shl             = vector + 0xab
	I32x4ShrS            = vector + 0xac
	I32x4ShrU            = vector + 0xad
	I32x4Add             = vector + 0xae
	I32x4Sub             = vector + 0xb1
	I32x4Mul             = vector + 0xb5
	I32x4MinS            = vector + 0xb6
	I32x4MinU            = vector + 0xb7
	I32x4MaxS            = vector + 0xb8
	I32x4MaxU            = vector + 0xb9
	I64x2Abs             = vector + 0xc0
	I64x2Neg             = vector + 0xc1
	I64x2AllTrue         = vector + 0xc3
	I64x2Bitmask         = vector + 0xc4
	I64x2ExtendLowS      = vector + 0xc7
	I64x2ExtendHighS     = vector + 0xc8
	I64x2ExtendLowU      = vector + 0xc9
	I64x2ExtendHighU     = vector + 0xca
	I64x2Shl             = vector + 0xcb
	I64x2ShrS            = vector + 0xcc
	I64x2ShrU            = vector + 0xcd
	I64x2Add             = vector + 0xce
	I64x2Sub             = vector + 0xd1
	I64x2Mul             = vector + 0xd5
	I64x2Eq              = vector + 0xd6
	I64x2Ne              = vector + 0xd7
	I64x2LtS             = vector + 0xd8
	I64x2GtS             = vector + 0xd9
	I64x2LeS             = vector + 0xda
	I64x2GeS             = vector + 0xdb
	I64x2ExtMulLowS      = vector + 0xdc
	I64x2ExtMulHighS     = vector + 0xdd
	I64x2ExtMulLowU      = vector + 0xde
	I64x2ExtMulHighU     = vector + 0xdf
	F32x4Abs             = vector + 0xe0
	F32x4Neg             = vector + 0xe1
	F32x4Sqrt            = vector + 0xe3
	F32x4Add             = vector + 0xe4
	F32x4Sub             = vector + 0xe5
	F32x4Mul             = vector + 0xe6
	F32x4Div             = vector + 0xe7
	F32x4Min             = vector + 0xe8
	F32x4Max             = vector + 0xe9
	F64x2Abs             = vector + 0xec
	F64x2Neg             = vector + 0xed
	F64x2Sqrt            = vector + 0xef
	F64x2Add             = vector + 0xf0
	F64x2Sub             = vector + 0xf1
	F64x2Mul             = vector + 0xf2
	F64x2Div             = vector + 0xf3
	I32x4TruncSatF32x4S  = vector + 0xf8
	I32x4TruncSatF32x4U  = vector + 0xf9
	F32x4ConvertI32x4S   = vector + 0xfa
	F32x4ConvertI32x4U   = vector + 0xfb
	F32x4RelaxedMadd     = vector + 0x105
)
