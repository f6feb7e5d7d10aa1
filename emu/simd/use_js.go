package simd

import (
	"math"
	"unsafe"

	"warpscope/emu/count"
	"warpscope/emu/machine"
	"warpscope/emu/mem"
	"warpscope/emu/row"
)

// offered says that Offer has been called.
var offered bool

// Offer lets straight lines be executed 4 lanes at a time as soon as that is worth making a module, if the program has
// a host for compiled code.
func Offer() {
	if !offered {
		offered, row.Prepare = true, Use
	}
}

// Use makes the module now.
func Use() {
	host, err := mem.OpenHost(new(mem.Arena))
	if err != nil {
		return
	}
	if use(host, true) && fused() {
		return
	}
	use(host, false)
}

// use sets what row and machine call to the functions of a module, or to nil where the host refuses it.
func use(host mem.Host, relaxed bool) bool {
	row.Vectors, row.Straight, count.Remembers = nil, nil, false
	list, err := host.Compile(Module(Setting{Relaxed: relaxed, Stride: uint32(machine.InstSize),
		Reached: uint32(uintptr(unsafe.Pointer(&row.Reached)))}), 2)
	if err != nil {
		return false
	}
	row.Vectors = func(f, in, exec, n uint32) uint32 { return host.Call(list[0], f, in, exec, n) }
	count.Remembers = true
	row.Straight = func(c *row.Course) int32 {
		return int32(host.Call(list[1], row.Address(unsafe.Pointer(c)), 0, 0, 0))
	}
	return true
}

// fused says whether the module's fma rounds once: (1 + 2^-12)^2 = 1 + 2^-11 + 2^-24, of which a product of 24 bits
// loses the last term. In units of 2^-149, 1.5 + 1 = 2.5 is rounded to 2; a product that is rounded before is 2, and
// the sum 3. Subnormal results must stay.
func fused() bool {
	const x, y = 1 + 0x1p-12, 1 + 0x1p-11
	var rows [4][32]float32
	for lane := range 32 {
		v := [...][4]float32{{x, x, -y, 0x1p-24}, {-x, x, y, -0x1p-24}, {0x1p-126, 0.5, 0, 0x1p-127},
			{0x1.8p-75, 0x1p-74, 0x1p-149, 0x1p-148}}[lane%4]
		for i := range rows {
			rows[i][lane] = v[i]
		}
	}
	const size = uint32(unsafe.Sizeof(rows[0]))
	frame := make([]byte, row.FirstFree+5*size)
	f := unsafe.Pointer(&frame[0])
	in := row.Inst{Number: row.NFmaF32, Width: 1, How: row.ByFma, A: row.FirstFree, B: row.FirstFree + size,
		C: row.FirstFree + 2*size, D: row.FirstFree + 4*size}
	for i := range rows[:3] {
		*(*[32]float32)(unsafe.Add(f, row.FirstFree+uint32(i)*size)) = rows[i]
	}
	if done, _ := row.Run(&in, 0, 1, f, math.MaxUint32, nil, 0); done != 1 {
		return false
	}
	return *(*[32]float32)(unsafe.Add(f, in.D)) == rows[3]
}
