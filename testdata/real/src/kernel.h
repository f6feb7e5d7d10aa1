/* What a kernel's source needs so that it means the same on the device (clang, nvptx64) and natively (gcc).
 *
 * A source defines one KERNEL, named like its file, and under "HOST" the launch: title, shape, arguments. Natively
 * every thread of a CTA is a coroutine; BARRIER and the warp operations hand over to the next one (host.c). */
#ifndef KERNEL_H
#define KERNEL_H

typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;
typedef unsigned __int128 u128;
typedef __int128 s128;
typedef float f32;
typedef double f64;

#define NOINLINE static __attribute__((noinline))

#ifdef __NVPTX__

#define KERNEL __attribute__((nvptx_kernel)) void
#define SHARED static __attribute__((address_space(3)))
#define DYNAMIC_SHARED(type, name) extern __attribute__((address_space(3))) type name[]
#define CONSTANT static const __attribute__((address_space(4)))
#define CONSTANT_PTR(type) const __attribute__((address_space(4))) type *

#define TID_X ((u32)__nvvm_read_ptx_sreg_tid_x())
#define TID_Y ((u32)__nvvm_read_ptx_sreg_tid_y())
#define TID_Z ((u32)__nvvm_read_ptx_sreg_tid_z())
#define NTID_X ((u32)__nvvm_read_ptx_sreg_ntid_x())
#define NTID_Y ((u32)__nvvm_read_ptx_sreg_ntid_y())
#define NTID_Z ((u32)__nvvm_read_ptx_sreg_ntid_z())
#define CTAID_X ((u32)__nvvm_read_ptx_sreg_ctaid_x())
#define CTAID_Y ((u32)__nvvm_read_ptx_sreg_ctaid_y())
#define CTAID_Z ((u32)__nvvm_read_ptx_sreg_ctaid_z())
#define NCTAID_X ((u32)__nvvm_read_ptx_sreg_nctaid_x())
#define NCTAID_Y ((u32)__nvvm_read_ptx_sreg_nctaid_y())
#define NCTAID_Z ((u32)__nvvm_read_ptx_sreg_nctaid_z())

#define BARRIER() __nvvm_bar_sync(0)
#define FENCE() __nvvm_membar_gl()
#define SHFL_DOWN(v, delta) ((u32)__nvvm_shfl_sync_down_i32(-1, (s32)(v), (delta), 31))
#define SHFL_UP(v, delta) ((u32)__nvvm_shfl_sync_up_i32(-1, (s32)(v), (delta), 0))
#define SHFL_XOR(v, mask) ((u32)__nvvm_shfl_sync_bfly_i32(-1, (s32)(v), (mask), 31))
#define SHFL_IDX(v, lane) ((u32)__nvvm_shfl_sync_idx_i32(-1, (s32)(v), (lane), 31))
#define BALLOT(p) ((u32)__nvvm_vote_ballot_sync(-1, (p)))
#define ALL(p) ((u32)__nvvm_vote_all_sync(-1, (p)))
#define ANY(p) ((u32)__nvvm_vote_any_sync(-1, (p)))
#define MATCH_ANY(v) ((u32)__nvvm_match_any_sync_i32(-1, (v)))
#define BARRIER_COUNT(p) ((u32)__nvvm_bar0_popc(p))
#define BARRIER_AND(p) ((u32)__nvvm_bar0_and(p))
#define BARRIER_OR(p) ((u32)__nvvm_bar0_or(p))

#else

#define HOST
#define KERNEL static void
#define SHARED static
#define DYNAMIC_SHARED(type, name) static type name[16384 / sizeof(type)]
#define CONSTANT static const
#define CONSTANT_PTR(type) const type *
#include "host.h"

#endif

#define GLOBAL_ID (CTAID_X * NTID_X + TID_X)

/* The other atomics are the compilers' own: __atomic_fetch_add and its relatives. */
#define RELAXED __ATOMIC_RELAXED

/* mix scatters the bits of an index: input data that is the same everywhere. */
static inline u32 mix(u32 x) {
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ x >> 16;
}

static inline u64 mix64(u32 x) { return (u64)mix(x) << 32 | mix(x ^ 0x5bd1e995u); }

/* bits_f32 and f32_bits reinterpret. */
static inline f32 bits_f32(u32 x) {
	f32 f;
	__builtin_memcpy(&f, &x, 4);
	return f;
}

static inline u32 f32_bits(f32 f) {
	u32 x;
	__builtin_memcpy(&x, &f, 4);
	return x;
}

static inline u64 f64_bits(f64 f) {
	u64 x;
	__builtin_memcpy(&x, &f, 8);
	return x;
}

#endif
