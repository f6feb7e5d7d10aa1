package row

import "unsafe"

// Course is what Straight goes by. Addresses are those of the host.
type Course struct {
	Code, Counts, Frame uint32 // addresses
	Active              uint32 // lanes
	PC, RPC             int32
	Left                int32  // instructions that may be executed
	More                int32  // and where the turn can go on after them
	Turn                int32  // with Left and More: the instructions of the turn that are left
	Once                uint32 // 1: up to the first branch

	// Where lanes are counted, addresses: what instructions count, by pc, or 0; what the warp counts; the accesses, which
	// of them is next from a pc on, and where its part of a line ends.
	Insts, Warp, Accesses, Next, Parts uint32
}

// Straight, if there is one, executes straight lines of a program and the branches between them, in code for the host:
// see package emu/simd. It goes on from Course.PC, and leaves there, in Left and in More how far it has come. It
// returns how many instructions of the line that begins there it has executed as well, or -1 after the last branch.
var Straight func(*Course) int32

// Prepare, if there is one, sets Straight. It takes as long as worth instructions in the interpreter, about 10 ms.
var Prepare func()

const worth = 1 << 18

// interpreted counts instructions until Prepare is worth its time. Nothing that a program can see depends on it.
var interpreted int64

// Warm counts so many more instructions, while there is Prepare.
func Warm(ran int64) {
	if interpreted += ran; interpreted >= worth {
		prepare := Prepare
		Prepare = nil
		prepare()
	}
}

// Reach is the memory that Straight reaches. Addresses are those of the host.
type Reach struct {
	Shared, SharedSize uint32 // the CTA's shared memory: its address, or 0
	Stores             uint32 // 1: a store has to mark pages, and nothing else
	Arena, Marks       uint32 // addresses of the arena's first byte, and of the mark of its first page
	Windows            [4]Window

	changes int // of memory, and 1, when the windows were opened
	next    int // window that gives way
}

// Window is a range of global memory.
type Window struct {
	Start    uint64 // generic address
	At, Size uint32 // where that is in the host's memory, and its size in bytes
}

// Reached is the address of a Reach, or 0.
var Reached uint32

// Look forgets what it knows of memory that has changed. changes is another number after each change.
func (r *Reach) Look(changes int, arena, marks unsafe.Pointer) {
	if r.changes != changes+1 {
		*r = Reach{changes: changes + 1, Arena: Address(arena), Marks: Address(marks)}
	}
}

// Give sets what depends on the warp: its CTA's shared memory, and whether stores are plain.
func (r *Reach) Give(off, size uint32, plain bool) {
	r.Shared, r.SharedSize, r.Stores = 0, size, Bit(plain)
	if size > 0 {
		r.Shared = r.Arena + off
	}
}

// Open opens a window to size bytes from a generic address on, which are at an offset of the arena.
func (r *Reach) Open(start uint64, off, size uint32) {
	for i := range r.Windows {
		if w := &r.Windows[i]; w.Start == start && w.Size == size {
			return
		}
	}
	r.Windows[r.next] = Window{Start: start, At: r.Arena + off, Size: size}
	r.next = (r.next + 1) % len(r.Windows)
}

// InRow says whether Run can execute an instruction.
func (in *Inst) InRow() bool { return in.How != 0 || in.Number >= FirstAccess && Straight != nil }

// Address is where the host sees what a pointer points to, if it works in this program's memory.
func Address(p unsafe.Pointer) uint32 { return uint32(uintptr(p)) }
