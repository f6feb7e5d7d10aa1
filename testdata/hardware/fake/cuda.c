// A CUDA driver without a GPU, for the recorder's own test: memory is the host's, a module is anything but an empty
// text, and a launch copies its first argument's memory, or the numbers from that argument on, to the second.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int status;

status cuInit(unsigned flags) { return flags; }
status cuDriverGetVersion(int *version) { *version = 12040; return 0; }
status cuDeviceGet(int *device, int number) { *device = number; return number > 0 ? 101 : 0; }
status cuDeviceGetName(char *name, int size, int device) { (void)device; strncpy(name, "Fake", size); return 0; }
status cuDeviceGetAttribute(int *value, int attribute, int device) {
	(void)device;
	*value = attribute == 75 ? 9 : attribute == 76 ? 0 : -1;
	return 0;
}
status cuDevicePrimaryCtxRetain(void **context, int device) { (void)device; *context = "context"; return 0; }
status cuCtxSetCurrent(void *context) { return context ? 0 : 1; }
status cuCtxSynchronize(void) { return 0; }
status cuGetErrorName(int code, const char **name) { *name = code == 101 ? "CUDA_ERROR_INVALID_DEVICE" : "?"; return 0; }

status cuModuleLoadDataEx(void **module, const char *text, unsigned count, int *options, void **values) {
	if (strstr(text, "sm_100")) {
		if (count == 2 && options[0] == 5 && options[1] == 6 && (uintptr_t)values[1] > 20)
			strcpy(values[0], "too new");
		return 222;
	}
	*module = strdup(text);
	return 0;
}
status cuModuleUnload(void *module) { free(module); return 0; }
status cuModuleGetFunction(void **function, void *module, const char *name) {
	*function = strstr(module, name);
	return *function ? 0 : 500;
}

status cuMemAlloc_v2(uint64_t *address, size_t size) { *address = (uint64_t)malloc(size); return 0; }
status cuMemFree_v2(uint64_t address) { free((void *)address); return 0; }
status cuMemsetD8_v2(uint64_t to, unsigned char value, size_t size) { memset((void *)to, value, size); return 0; }
status cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size) { memcpy((void *)to, from, size); return 0; }
status cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size) { memcpy(to, (void *)from, size); return 0; }

status cuLaunchKernel(char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
	unsigned shared, void *stream, void **arguments, void **extra) {
	size_t threads = (size_t)gx * gy * gz * bx * by * bz;
	void *out = *(void **)arguments[1];
	if (shared || stream || extra)
		return 1;
	if (!strncmp(function, "vectors", 7)) {
		memcpy(out, *(void **)arguments[0], 8 * threads);
		return 0;
	}
	for (size_t i = 0; i < threads; i++)
		((uint32_t *)out)[i] = *(uint32_t *)arguments[0] + (uint32_t)i;
	return 0;
}
