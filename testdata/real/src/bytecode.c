/* An interpreter for a small stack machine: a dense switch in a loop, one program per thread. */
#include "kernel.h"

enum { HALT, PUSH, ADD, SUB, MUL, XOR, DUP, SWAP, DROP, SHIFT, JUMP_IF, MIX, OPS };

KERNEL bytecode(u32 *out, u32 *steps) {
	u32 id = GLOBAL_ID, stack[16], top = 0, pc = 0, n = 0, fuel = 40 + id % 16;
	u8 program[32];
	for (u32 i = 0; i < 32; i++)
		program[i] = (u8)(mix(id * 32 + i) % OPS);
	for (u32 i = 0; i < 16; i++)
		stack[i] = i + id;
	while (n++ < fuel) {
		u32 a = stack[top & 15], b = stack[(top - 1) & 15];
		switch (program[pc++ & 31]) {
		case HALT: if (n > 20) fuel = 0; break;
		case PUSH: stack[++top & 15] = program[pc++ & 31] * 77u; break;
		case ADD: stack[--top & 15] = b + a; break;
		case SUB: stack[--top & 15] = b - a; break;
		case MUL: stack[--top & 15] = b * a; break;
		case XOR: stack[--top & 15] = b ^ a; break;
		case DUP: stack[++top & 15] = a; break;
		case SWAP: stack[top & 15] = b; stack[(top - 1) & 15] = a; break;
		case DROP: top--; break;
		case SHIFT: stack[top & 15] = a >> 3 | a << 29; break;
		case JUMP_IF: if (a & 1) pc += a >> 28; break;
		default: stack[top & 15] = mix(a); break;
		}
	}
	u32 sum = 0;
	for (u32 i = 0; i < 16; i++)
		sum = sum * 31 + stack[i];
	out[id] = sum;
	steps[id] = n << 8 | (pc & 31);
}

#ifdef HOST
void describe(void) {
	title("Bytecode interpreter: a switch in a loop");
	grid(2, 1, 1);
	block(64, 1, 1);
	u32 *out = U32(128, ""), *steps = U32(128, "");
	LAUNCH(bytecode(out, steps));
}
#endif
