#!/usr/bin/env python3
"""Records what an NVIDIA GPU computes, for the tests of this folder to compare with. See README.md.

Needs Python 3.8, this folder, and the CUDA driver; no toolkit, no packages.
"""
import argparse
import base64
import ctypes
import hashlib
import os
import struct
import sys
import textwrap
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = 640  # vectors of operands
FULL_BLOCK = 1 << 20  # inputs that one hash of a full recording covers
MASK64 = (1 << 64) - 1


# ---- vectors -------------------------------------------------------------------------------------------------------


def read_edges():
    """The edge values of edges.txt by width."""
    edges = {}
    with open(os.path.join(HERE, "edges.txt")) as f:
        for line in f:
            words = line.split()
            if words and not words[0].startswith("#"):
                edges[int(words[0])] = [int(w, 16) for w in words[1:]]
    return edges


def mix(x):
    """SplitMix64: 64 random-looking bits from any 64."""
    z = (x + 0x9E3779B97F4A7C15) & MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return z ^ (z >> 31)


def value(edges, place, width, i):
    """Operand `place` of vector i: every pair of edges for the first two operands, then random values, half of them
    numbers around 1. The tests compute the same (hardware_test.go)."""
    e = edges[width]
    n = len(e)
    if i < n * n:
        if place == 0:
            return e[i % n]
        if place == 1:
            return e[i // n]
        return e[(7 * i + i // n + 3 * place) % n]
    r = mix(i << 16 | place << 8 | width)
    near = mix(r) % 8
    kind = r >> 62
    if width == 16 and kind == 2:
        r = r & 0x83FF | (12 + near % 6) << 10
    elif width == 16 and kind == 3:
        r = r & 0x807F | (124 + near) << 7
    elif width == 32 and kind >= 2:
        r = r & 0x807FFFFF | (124 + near) << 23
    elif width == 64 and kind >= 2:
        r = r & 0x800FFFFFFFFFFFFF | (1020 + near) << 52
    return r & ((1 << width) - 1)


def column(edges, place, width):
    return struct.pack("<%dQ" % CASES, *(value(edges, place, width, i) for i in range(CASES)))


# ---- kernels -------------------------------------------------------------------------------------------------------


class Kernel:
    """A vector kernel: a PTX file with its header."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        with open(path, "rb") as f:
            self.source = f.read()
        self.grid = self.block = 1
        self.operands = []  # (place, width)
        self.results = []  # (name, width)
        self.full = []  # (entry, opcode)
        for number, line in enumerate(self.source.decode().splitlines(), 1):
            words = line.split()
            try:
                self.header(words)
            except (ValueError, IndexError):
                sys.exit("%s:%d: the header line does not say what it should: %s" % (path, number, line))
        if not self.full and self.grid * self.block != CASES:
            sys.exit("%s: grid times block is not %d" % (path, CASES))

    def header(self, words):
        if words[:2] == ["//@", "grid"]:
            self.grid = int(words[2])
        elif words[:2] == ["//@", "block"]:
            self.block = int(words[2])
        elif words[:2] == ["//:", "operand"]:
            self.operands.append(("abcdef".index(words[2]), int(words[3])))
        elif words[:2] == ["//:", "result"]:
            self.results.append((words[2], int(words[3])))
        elif words[:2] == ["//:", "full"]:
            self.full.append((words[2], words[3]))

    def describe(self):
        if self.full:
            return "%s: every input of %s" % (self.name, " ".join(opcode for _, opcode in self.full))
        operands = " ".join("%s.b%d" % ("abcdef"[place], width) for place, width in self.operands)
        return "%s: %d results of %s for %d vectors" % (self.name, len(self.results), operands, CASES)


# ---- the driver ----------------------------------------------------------------------------------------------------


class Refused(Exception):
    """The driver does not load a module."""


class Driver:
    """What is needed of the CUDA driver API."""

    def __init__(self, library, device):
        for name in [library] if library else ["libcuda.so.1", "libcuda.so", "nvcuda.dll"]:
            try:
                self.lib = ctypes.CDLL(name)
                break
            except OSError as e:
                error = e
        else:
            sys.exit("no CUDA driver: %s" % error)
        self.call("cuInit", ctypes.c_uint(0))
        handle = ctypes.c_int()
        self.call("cuDeviceGet", ctypes.byref(handle), ctypes.c_int(device))
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, ctypes.c_int(256), handle)
        self.name = name.value.decode()
        self.compute = "%d.%d" % (self.attribute(75, handle), self.attribute(76, handle))
        version = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(version))
        self.version = "CUDA %d.%d%s" % (version.value // 1000, version.value % 1000 // 10, kernel_module())
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), handle)
        self.call("cuCtxSetCurrent", context)

    def attribute(self, number, handle):
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), ctypes.c_int(number), handle)
        return value.value

    def status(self, name, *args):
        function = getattr(self.lib, name)
        function.restype = ctypes.c_int
        return function(*args)

    def call(self, name, *args):
        status = self.status(name, *args)
        if status != 0:
            text = ctypes.c_char_p()
            self.status("cuGetErrorName", ctypes.c_int(status), ctypes.byref(text))
            sys.exit("%s: %s (%d)" % (name, (text.value or b"unknown error").decode(), status))

    def load(self, source):
        """Compiles PTX; the error log is the reason of a refusal."""
        size = 1 << 16
        log = ctypes.create_string_buffer(size)
        options = (ctypes.c_int * 2)(5, 6)  # CU_JIT_ERROR_LOG_BUFFER and its size
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), ctypes.c_void_p(size))
        module = ctypes.c_void_p()
        status = self.status("cuModuleLoadDataEx", ctypes.byref(module), ctypes.c_char_p(source), ctypes.c_uint(2),
                             options, values)
        if status != 0:
            raise Refused("error %d: %s" % (status, log.value.decode(errors="replace").strip()))
        return module

    def function(self, module, name):
        f = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(f), module, ctypes.c_char_p(name.encode()))
        return f

    def unload(self, module):
        self.call("cuModuleUnload", module)

    def alloc(self, size):
        p = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(p), ctypes.c_size_t(size))
        self.call("cuMemsetD8_v2", p, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        return p

    def free(self, p):
        self.call("cuMemFree_v2", p)

    def write(self, p, data):
        self.call("cuMemcpyHtoD_v2", p, ctypes.c_char_p(data), ctypes.c_size_t(len(data)))

    def read(self, p, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", data, p, ctypes.c_size_t(size))
        return data.raw

    def launch(self, function, grid, block, *args):
        pointers = (ctypes.c_void_p * len(args))(*(ctypes.cast(ctypes.byref(a), ctypes.c_void_p) for a in args))
        one = ctypes.c_uint(1)
        self.call("cuLaunchKernel", function, ctypes.c_uint(grid), one, one, ctypes.c_uint(block), one, one,
                  ctypes.c_uint(0), None, pointers, None)
        self.call("cuCtxSynchronize")


def kernel_module():
    """The version of the driver's kernel module, where Linux tells it."""
    try:
        with open("/proc/driver/nvidia/version") as f:
            words = f.readline().split()
    except OSError:
        return ""
    return "".join(", " + w for w in words if w[:1].isdigit() and "." in w)


# ---- recording -----------------------------------------------------------------------------------------------------


def head(driver, kernel):
    return "device %s\ncompute %s\ndriver %s\nkernel %s %s\n" % (
        driver.name, driver.compute, driver.version, kernel.name, hashlib.sha256(kernel.source).hexdigest())


def run_vectors(driver, kernel, edges):
    """Runs a vector kernel; the text of its recording."""
    module = driver.load(kernel.source)
    data = b"".join(column(edges, place, width) for place, width in kernel.operands)
    source, target = driver.alloc(len(data)), driver.alloc(8 * CASES * len(kernel.results))
    driver.write(source, data)
    driver.launch(driver.function(module, "vectors"), kernel.grid, kernel.block, source, target)
    out = driver.read(target, 8 * CASES * len(kernel.results))
    driver.free(source)
    driver.free(target)
    driver.unload(module)
    text = [head(driver, kernel), "cases %d\n" % CASES]
    for i, (name, width) in enumerate(kernel.results):
        size = max(width // 8, 1)
        values = out[8 * CASES * i:8 * CASES * (i + 1)]
        packed = b"".join(values[at:at + size] for at in range(0, len(values), 8))
        body = base64.b64encode(zlib.compress(packed, 9)).decode()
        text.append("result %s %d\n%s\n" % (name, width, "\n".join(textwrap.wrap(body, 118))))
    return "".join(text)


def run_full(driver, function, first, count, target):
    """The results of count inputs from the bits of first on."""
    block = 128
    driver.launch(function, count // block, block, ctypes.c_uint32(first), target)
    return driver.read(target, 4 * count)


def record_full(driver, kernel, opcodes, folder):
    """Hashes the results of all 2^32 inputs, a block a line."""
    module = driver.load(kernel.source)
    target = driver.alloc(4 * FULL_BLOCK)
    for entry, opcode in kernel.full:
        if opcodes and opcode not in opcodes:
            continue
        function = driver.function(module, entry)
        lines = [head(driver, kernel), "full %s %d\n" % (opcode, FULL_BLOCK)]
        for first in range(0, 1 << 32, FULL_BLOCK):
            out = run_full(driver, function, first, FULL_BLOCK, target)
            lines.append(hashlib.sha256(out).hexdigest()[:16] + "\n")
        write(os.path.join(folder, "full-" + opcode + ".txt"), "".join(lines))
    driver.free(target)
    driver.unload(module)


def dump(driver, kernel, opcode, first, count, path):
    """Writes the results of some inputs as 32-bit words."""
    module = driver.load(kernel.source)
    target = driver.alloc(4 * FULL_BLOCK)
    entry = {o: e for e, o in kernel.full}[opcode]
    function = driver.function(module, entry)
    with open(path, "wb") as f:
        for at in range(first, first + count, FULL_BLOCK):
            f.write(run_full(driver, function, at, FULL_BLOCK, target)[:4 * (first + count - at)])


def accept(driver, paths):
    """Says which PTX files the driver's compiler accepts, and why it refuses the others."""
    for path in paths:
        with open(path, "rb") as f:
            source = f.read()
        try:
            driver.unload(driver.load(source))
            print("%s: accepted" % path)
        except Refused as e:
            print("%s: refused, %s" % (path, " / ".join(str(e).splitlines())))


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as f:
        f.write(text)
    print("wrote", path)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("kernels", nargs="*", help="PTX files; all of this folder when none is named")
    p.add_argument("--check", action="store_true", help="read the kernels, say what would run, and use no GPU")
    p.add_argument("--vectors", action="store_true", help="print a hash of each column of operands, and use no GPU")
    p.add_argument("--full", nargs="*", metavar="OPCODE", help="hash every input of the approximate functions instead")
    p.add_argument("--dump", nargs=4, metavar=("OPCODE", "FIRST", "COUNT", "FILE"), help="write some inputs' results")
    p.add_argument("--accept", nargs="+", metavar="FILE", help="say which PTX files the driver accepts")
    p.add_argument("--device", type=int, default=0, help="which GPU")
    p.add_argument("--out", default=os.path.join(HERE, "recordings"), help="folder of the recordings")
    p.add_argument("--driver", help="the driver's library")
    args = p.parse_args()

    edges = read_edges()
    if args.vectors:
        for width in sorted(edges):
            for place in range(6):
                print("abcdef"[place], width, hashlib.sha256(column(edges, place, width)).hexdigest())
        return 0
    paths = args.kernels or sorted(os.path.join(HERE, n) for n in os.listdir(HERE) if n.endswith(".ptx"))
    kernels = [Kernel(path) for path in paths]
    if args.check:
        for k in kernels:
            print(k.describe())
        return 0
    driver = Driver(args.driver, args.device)
    print("%s, compute capability %s, %s" % (driver.name, driver.compute, driver.version))
    if args.accept:
        accept(driver, args.accept)
        return 0
    if args.dump or args.full is not None:
        full = next(k for k in kernels if k.full)
        if args.dump:
            dump(driver, full, args.dump[0], int(args.dump[1], 0), int(args.dump[2], 0), args.dump[3])
        else:
            record_full(driver, full, args.full, args.out)
        return 0
    refused = 0
    for k in kernels:
        if k.full:
            continue
        try:
            write(os.path.join(args.out, k.name[:-len(".ptx")] + ".txt"), run_vectors(driver, k, edges))
        except Refused as e:
            refused += 1
            print("%s is not for this device or driver: %s" % (k.name, e))
    print("%d of %d kernels recorded" % (len([k for k in kernels if not k.full]) - refused,
                                         len([k for k in kernels if not k.full])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
