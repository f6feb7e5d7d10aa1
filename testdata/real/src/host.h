/* The native side: runs a kernel thread by thread and writes its launch header and what it must compute. */
#ifndef HOST_H
#define HOST_H

/* The running thread. */
struct thread_index {
	u32 tid[3], ctaid[3], ntid[3], nctaid[3];
};
extern struct thread_index now;

#define TID_X (now.tid[0])
#define TID_Y (now.tid[1])
#define TID_Z (now.tid[2])
#define NTID_X (now.ntid[0])
#define NTID_Y (now.ntid[1])
#define NTID_Z (now.ntid[2])
#define CTAID_X (now.ctaid[0])
#define CTAID_Y (now.ctaid[1])
#define CTAID_Z (now.ctaid[2])
#define NCTAID_X (now.nctaid[0])
#define NCTAID_Y (now.nctaid[1])
#define NCTAID_Z (now.nctaid[2])

/* Every thread of the CTA, or none, must reach these. */
void BARRIER(void);
u32 SHFL_DOWN(u32 v, u32 delta);
u32 SHFL_UP(u32 v, u32 delta);
u32 SHFL_XOR(u32 v, u32 mask);
u32 SHFL_IDX(u32 v, u32 lane);
u32 BALLOT(s32 p);
u32 ALL(s32 p);
u32 ANY(s32 p);
u32 MATCH_ANY(u32 v);
u32 BARRIER_COUNT(s32 p);
u32 BARRIER_AND(s32 p);
u32 BARRIER_OR(s32 p);
#define FENCE() ((void)0)

/* describe is what each kernel's source defines: it makes the arguments, in the parameters' order, and launches. */
void describe(void);

void title(const char *text);
void grid(u32 x, u32 y, u32 z);
void block(u32 x, u32 y, u32 z);
void dynamic_shared(u32 bytes);

/* buffer makes a buffer argument. init is what the launch header says after "=", and "" is zeros. */
void *buffer(const char *type, u32 count, const char *init);
#define U8(count, init) ((u8 *)buffer("u8", count, init))
#define S8(count, init) ((s8 *)buffer("s8", count, init))
#define U16(count, init) ((u16 *)buffer("u16", count, init))
#define S16(count, init) ((s16 *)buffer("s16", count, init))
#define U32(count, init) ((u32 *)buffer("u32", count, init))
#define S32(count, init) ((s32 *)buffer("s32", count, init))
#define U64(count, init) ((u64 *)buffer("u64", count, init))
#define S64(count, init) ((s64 *)buffer("s64", count, init))
#define F32(count, init) ((f32 *)buffer("f32", count, init))
#define F64(count, init) ((f64 *)buffer("f64", count, init))

/* Values passed by value. */
u32 scalar_u32(u32 v);
s32 scalar_s32(s32 v);
u64 scalar_u64(u64 v);
f32 scalar_f32(f32 v);
f64 scalar_f64(f64 v);
/* by_value records a structure as a vector of elements that fills it: type "f32x4", init "1, 2, 3, 4". */
void by_value(const char *type, const char *init, void *out);

/* LAUNCH(kernel(arguments)) runs the grid and writes the files. */
void run_grid(void (*thread)(void));
#define LAUNCH(call) \
	do { \
		auto void one_thread(void); \
		void one_thread(void) { call; } \
		run_grid(one_thread); \
	} while (0)

#endif
