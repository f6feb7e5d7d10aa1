/* See host.h. The linked program is named like its kernel; its usage is: KERNEL HEADER EXPECT
 * (both files are written). */
#include "kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { MAX_THREADS = 1024, STACK_BYTES = 256 << 10, MAX_ARGS = 16, SHOWN = 8 };

struct thread_index now;

struct arg {
	char name[64]; /* clang's name of the parameter */
	const char *type;
	u32 count;
	size_t bytes;
	unsigned char *data, *before; /* NULL for values */
};
static struct arg args[MAX_ARGS];
static int arg_count;

static FILE *header;
static const char *kernel_name, *expect_path;

static void die(const char *format, ...) {
	va_list list;
	va_start(list, format);
	vfprintf(stderr, format, list);
	va_end(list);
	fputc('\n', stderr);
	exit(1);
}

/* ---- threads as coroutines ---- */

static ucontext_t scheduler, contexts[MAX_THREADS];
static char *stacks;
static int finished[MAX_THREADS];
static u32 current, threads, slots[MAX_THREADS];
static void (*thread_body)(void);

static void thread_main(void) {
	thread_body();
	finished[current] = 1;
	swapcontext(&contexts[current], &scheduler);
}

void BARRIER(void) { swapcontext(&contexts[current], &scheduler); }

static u32 exchange(u32 v, u32 source) {
	slots[current] = v;
	BARRIER();
	u32 got = slots[source];
	BARRIER();
	return got;
}

static u32 lane(void) { return current & 31; }
static u32 warp_base(void) { return current & ~31u; }

u32 SHFL_DOWN(u32 v, u32 delta) { return exchange(v, lane() + delta < 32 ? current + delta : current); }
u32 SHFL_UP(u32 v, u32 delta) { return exchange(v, lane() >= delta ? current - delta : current); }
u32 SHFL_XOR(u32 v, u32 mask) { return exchange(v, warp_base() + (lane() ^ mask)); }
u32 SHFL_IDX(u32 v, u32 source) { return exchange(v, warp_base() + (source & 31)); }

u32 BALLOT(s32 p) {
	slots[current] = p != 0;
	BARRIER();
	u32 votes = 0;
	for (u32 i = 0; i < 32; i++)
		votes |= slots[warp_base() + i] << i;
	BARRIER();
	return votes;
}

u32 ALL(s32 p) { return BALLOT(p) == 0xffffffffu; }
u32 ANY(s32 p) { return BALLOT(p) != 0; }

u32 MATCH_ANY(u32 v) {
	slots[current] = v;
	BARRIER();
	u32 same = 0;
	for (u32 i = 0; i < 32; i++)
		same |= (u32)(slots[warp_base() + i] == v) << i;
	BARRIER();
	return same;
}

u32 BARRIER_COUNT(s32 p) {
	slots[current] = p != 0;
	BARRIER();
	u32 count = 0;
	for (u32 i = 0; i < threads; i++)
		count += slots[i];
	BARRIER();
	return count;
}

u32 BARRIER_AND(s32 p) { return BARRIER_COUNT(p) == threads; }
u32 BARRIER_OR(s32 p) { return BARRIER_COUNT(p) != 0; }

static void run_cta(void) {
	threads = now.ntid[0] * now.ntid[1] * now.ntid[2];
	if (threads > MAX_THREADS)
		die("%u threads in a CTA", threads);
	for (u32 i = 0; i < threads; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks + (size_t)i * STACK_BYTES;
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		makecontext(&contexts[i], thread_main, 0);
		finished[i] = 0;
	}
	for (u32 left = threads; left > 0;)
		for (u32 i = 0; i < threads; i++) {
			if (finished[i])
				continue;
			current = i;
			now.tid[0] = i % now.ntid[0];
			now.tid[1] = i / now.ntid[0] % now.ntid[1];
			now.tid[2] = i / now.ntid[0] / now.ntid[1];
			swapcontext(&scheduler, &contexts[i]);
			left -= finished[i];
		}
}

/* ---- the launch ---- */

static void shape(u32 *to, const char *name, u32 x, u32 y, u32 z) {
	to[0] = x;
	to[1] = y;
	to[2] = z;
	fprintf(header, "//@ %-8s %u", name, x);
	if (y > 1 || z > 1)
		fprintf(header, ",%u", y);
	if (z > 1)
		fprintf(header, ",%u", z);
	fputc('\n', header);
}

void title(const char *text) { fprintf(header, "//@ title    %s\n//@ entry    %s\n", text, kernel_name); }
void grid(u32 x, u32 y, u32 z) { shape(now.nctaid, "grid", x, y, z); }
void block(u32 x, u32 y, u32 z) { shape(now.ntid, "block", x, y, z); }
void dynamic_shared(u32 bytes) { fprintf(header, "//@ shared   %u\n", bytes); }

static size_t element_size(const char *type) { return (size_t)atoi(type + 1) / 8; }

static void put(unsigned char *to, const char *type, double number, const char *text) {
	if (type[0] == 'f') {
		f32 f = (f32)number;
		element_size(type) == 4 ? memcpy(to, &f, 4) : memcpy(to, &number, 8);
		return;
	}
	u64 v = text ? strtoull(text, NULL, 0) : (u64)(s64)number;
	memcpy(to, &v, element_size(type));
}

/* fill reads the initial value as the launch header defines it. */
static void fill(unsigned char *data, const char *type, u32 count, const char *init) {
	size_t size = element_size(type);
	double start = 0, step = 1;
	if (strncmp(init, "iota", 4) == 0) {
		sscanf(init, "iota(%lf , %lf)", &start, &step);
		for (u32 i = 0; i < count; i++)
			put(data + i * size, type, start + i * step, NULL);
		return;
	}
	if (strncmp(init, "text \"", 6) == 0) {
		size_t n = strlen(init) - 7;
		if (n > count)
			die("%zu bytes of text in %u", n, count);
		memcpy(data, init + 6, n);
		return;
	}
	const char *at = init;
	for (u32 i = 0; i < count && *init; i++) {
		put(data + i * size, type, strtod(at, NULL), at);
		at = strchr(at, ',');
		at = at ? at + 1 : init;
	}
}

static struct arg *new_arg(const char *type, u32 count, const char *init) {
	if (arg_count == MAX_ARGS)
		die("too many arguments");
	struct arg *a = &args[arg_count++];
	snprintf(a->name, sizeof a->name, "%s_param_%d", kernel_name, arg_count - 1);
	a->type = type;
	a->count = count;
	fprintf(header, "//@ arg %s %s", a->name, type);
	if (count > 0)
		fprintf(header, "[%u]", count);
	fprintf(header, *init ? " = %s\n" : "\n", init);
	return a;
}

void *buffer(const char *type, u32 count, const char *init) {
	struct arg *a = new_arg(type, count, init);
	a->bytes = count * element_size(type);
	a->data = calloc(a->bytes + 16, 1);
	a->before = malloc(a->bytes);
	fill(a->data, type, count, init);
	memcpy(a->before, a->data, a->bytes);
	return a->data;
}

static void scalar(const char *type, const char *format, ...) {
	static char text[MAX_ARGS][64];
	va_list list;
	va_start(list, format);
	vsnprintf(text[arg_count], sizeof text[0], format, list);
	va_end(list);
	new_arg(type, 0, text[arg_count]);
}

u32 scalar_u32(u32 v) { return scalar("u32", "%u", v), v; }
s32 scalar_s32(s32 v) { return scalar("s32", "%d", v), v; }
u64 scalar_u64(u64 v) { return scalar("u64", "%llu", v), v; }
f32 scalar_f32(f32 v) { return scalar("f32", "%.9g", v), v; }
f64 scalar_f64(f64 v) { return scalar("f64", "%.17g", v), v; }

void by_value(const char *type, const char *init, void *out) {
	new_arg(type, 0, init);
	fill(out, type, (u32)atoi(strchr(type, 'x') + 1), init);
}

/* ---- what is expected ---- */

static void print_element(const struct arg *a, u32 i) {
	size_t size = element_size(a->type);
	u64 bits = 0;
	memcpy(&bits, a->data + i * size, size);
	if (a->type[0] == 'u') {
		fprintf(header, "%llu", bits);
	} else if (a->type[0] == 's') {
		fprintf(header, "%lld", (s64)(bits << (64 - 8 * size)) >> (64 - 8 * size));
	} else {
		f32 f;
		f64 d;
		memcpy(&f, &bits, 4);
		memcpy(&d, &bits, 8);
		double v = size == 4 ? f : d;
		if (v - v == 0 && (v != 0 || bits == 0))
			fprintf(header, size == 4 ? "%.9g" : "%.17g", v);
		else
			fprintf(header, "0x%0*llx", (int)size * 2, bits);
	}
}

/* write_expected puts the first elements of each changed buffer in the header, and every byte in the sidecar file:
 * a line "buffer name type count", then 32-bit little-endian words, eight to a line. */
static void write_expected(void) {
	FILE *expect = fopen(expect_path, "w");
	if (!expect)
		die("cannot write %s", expect_path);
	for (int n = 0; n < arg_count; n++) {
		struct arg *a = &args[n];
		if (!a->data || memcmp(a->data, a->before, a->bytes) == 0)
			continue;
		u32 shown = a->count < SHOWN ? a->count : SHOWN;
		fprintf(header, "//@ expect   %s[0..%u] == ", a->name, shown - 1);
		for (u32 i = 0; i < shown; i++) {
			fputs(i ? ", " : "", header);
			print_element(a, i);
		}
		fprintf(expect, "buffer %s %s %u\n", a->name, a->type, a->count);
		u32 words = (u32)(a->bytes + 3) / 4;
		for (u32 i = 0; i < words; i++) {
			u32 w = 0;
			memcpy(&w, a->data + 4 * i, a->bytes - 4 * i < 4 ? a->bytes - 4 * i : 4);
			fprintf(expect, "%08x%c", w, i % 8 == 7 || i == words - 1 ? '\n' : ' ');
		}
		fputc('\n', header);
	}
	fclose(expect);
}

void run_grid(void (*thread)(void)) {
	thread_body = thread;
	stacks = malloc((size_t)MAX_THREADS * STACK_BYTES);
	for (now.ctaid[2] = 0; now.ctaid[2] < now.nctaid[2]; now.ctaid[2]++)
		for (now.ctaid[1] = 0; now.ctaid[1] < now.nctaid[1]; now.ctaid[1]++)
			for (now.ctaid[0] = 0; now.ctaid[0] < now.nctaid[0]; now.ctaid[0]++)
				run_cta();
	write_expected();
	free(stacks);
}

int main(int argc, char **argv) {
	if (argc != 3)
		die("usage: %s HEADER EXPECT", argv[0]);
	const char *slash = strrchr(argv[0], '/');
	kernel_name = slash ? slash + 1 : argv[0];
	expect_path = argv[2];
	header = fopen(argv[1], "w");
	if (!header)
		die("cannot write %s", argv[1]);
	describe();
	fclose(header);
	return 0;
}
