package isa

// Type is a fundamental, packed or alternate PTX type (5.2.1 to 5.2.5).
type Type uint8

// The types in the manual's order. NoType is the absence of a type.
const (
	NoType Type = iota
	B8
	B16
	B32
	B64
	B128
	U8
	U16
	U32
	U64
	S8
	S16
	S32
	S64
	F16
	F16x2
	BF16
	BF16x2
	TF32
	F32
	F32x2
	F64
	Pred
	U16x2
	S16x2
	U8x4
	S8x4
	E4M3
	E5M2
	E4M3x2
	E5M2x2
	E4M3x4
	E5M2x4
	E3M2
	E2M3
	E2M1
	E2M3x2
	E3M2x2
	E2M1x2
	E2M3x4
	E3M2x4
	E2M1x4
	E2M1P4x4
	UE8M0
	UE8M0x2
	UE8M0x4
	UE4M3
	UE5M3x2
	S2F6x2
	U4
	S4
	U2
	S2
	B1
	B1024
	B4
	B6
	TexRef
	SamplerRef
	SurfRef
	B2
	UE5M3
	numTypes
)

// Class is the basic category of a type, which operand checking compares (9.4, Table 26).
type Class uint8

// The basic categories. Bits agrees with every class of the same size.
const (
	NoClass Class = iota
	Bits
	Unsigned
	Signed
	Float
	Predicate
	Opaque
)

type typeInfo struct {
	name  string
	bits  int
	class Class
}

var types = [numTypes]typeInfo{
	NoType: {"", 0, NoClass},
	B8:     {".b8", 8, Bits}, B16: {".b16", 16, Bits}, B32: {".b32", 32, Bits}, B64: {".b64", 64, Bits},
	B128: {".b128", 128, Bits},
	U8:   {".u8", 8, Unsigned}, U16: {".u16", 16, Unsigned}, U32: {".u32", 32, Unsigned}, U64: {".u64", 64, Unsigned},
	S8: {".s8", 8, Signed}, S16: {".s16", 16, Signed}, S32: {".s32", 32, Signed}, S64: {".s64", 64, Signed},
	F16: {".f16", 16, Float}, F16x2: {".f16x2", 32, Float}, BF16: {".bf16", 16, Float}, BF16x2: {".bf16x2", 32, Float},
	TF32: {".tf32", 32, Float}, F32: {".f32", 32, Float}, F32x2: {".f32x2", 64, Float}, F64: {".f64", 64, Float},
	Pred: {".pred", 1, Predicate}, U16x2: {".u16x2", 32, Unsigned}, S16x2: {".s16x2", 32, Signed},
	U8x4: {".u8x4", 32, Unsigned}, S8x4: {".s8x4", 32, Signed},
	E4M3: {".e4m3", 8, Float}, E5M2: {".e5m2", 8, Float}, E4M3x2: {".e4m3x2", 16, Float}, E5M2x2: {".e5m2x2", 16, Float},
	E4M3x4: {".e4m3x4", 32, Float}, E5M2x4: {".e5m2x4", 32, Float},
	E3M2: {".e3m2", 8, Float}, E2M3: {".e2m3", 8, Float}, E2M1: {".e2m1", 4, Float},
	E2M3x2: {".e2m3x2", 16, Float}, E3M2x2: {".e3m2x2", 16, Float}, E2M1x2: {".e2m1x2", 8, Float},
	E2M3x4: {".e2m3x4", 32, Float}, E3M2x4: {".e3m2x4", 32, Float}, E2M1x4: {".e2m1x4", 16, Float},
	E2M1P4x4: {".e2m1p4x4", 32, Float},
	UE8M0:    {".ue8m0", 8, Float}, UE8M0x2: {".ue8m0x2", 16, Float}, UE8M0x4: {".ue8m0x4", 32, Float},
	UE4M3:   {".ue4m3", 8, Float},
	UE5M3x2: {".ue5m3x2", 16, Float}, S2F6x2: {".s2f6x2", 16, Float},
	U4: {".u4", 4, Unsigned}, S4: {".s4", 4, Signed}, U2: {".u2", 2, Unsigned}, S2: {".s2", 2, Signed},
	B1: {".b1", 1, Bits}, B1024: {".b1024", 1024, Bits}, B4: {".b4", 4, Bits}, B6: {".b6", 6, Bits},
	TexRef: {".texref", 64, Opaque}, SamplerRef: {".samplerref", 64, Opaque}, SurfRef: {".surfref", 64, Opaque},

	B2: {".b2", 2, Bits}, UE5M3: {".ue5m3", 8, Float},
}

var typeByName = func() map[string]Type {
	m := map[string]Type{}
	for t := NoType + 1; t < numTypes; t++ {
		m[types[t].name] = t
	}
	return m
}()

// ParseType finds the type with this name, dot included (".u32").
func ParseType(name string) (Type, bool) { t, ok := typeByName[name]; return t, ok }

// String is the name as written in PTX, dot included.
func (t Type) String() string { return types[t].name }

// Bits is the width in bits; a predicate is 1.
func (t Type) Bits() int { return types[t].bits }

// Bytes is the size in memory in bytes; 0 for predicates and types below a byte.
func (t Type) Bytes() int { return types[t].bits / 8 }

// Extend widens a value of at most 64 bits: with its sign when the type is signed, else with zeros.
func (t Type) Extend(a uint64) uint64 {
	n := 64 - t.Bits()
	if t.Class() == Signed {
		return uint64(int64(a<<n) >> n)
	}
	return a << n >> n
}

// Class is the basic category of the type.
func (t Type) Class() Class { return types[t].class }

// Widened is the integer type of twice the width and the same signedness; NoType when there is none.
func (t Type) Widened() Type {
	switch t {
	case U16:
		return U32
	case U32:
		return U64
	case S16:
		return S32
	case S32:
		return S64
	}
	return NoType
}

// BitsType is the bit-size type of this width; NoType when there is none.
func BitsType(bits int) Type {
	for _, t := range [...]Type{B8, B16, B32, B64, B128, B1024} {
		if t.Bits() == bits {
			return t
		}
	}
	return NoType
}
