// Measures gpu.js, from a folder where it is installed, on the kernels that it can express:
//   node gpujs.cjs FOLDER
// Prints lines "kernel million-lane-instructions-per-second", as reference.c does: with the counts of the PTX kernels, of
// CPU time, the best of several calls.
"use strict";

const path = require("node:path");
const { createRequire } = require("node:module");
const { GPU } = createRequire(path.resolve(process.argv[2], "package.json"))("gpu.js");

const gpu = new GPU({ mode: "webasm" });
const floats = (n, f) => Float32Array.from({ length: n }, (_, i) => f(i));

const mandel = gpu.createKernel(function () {
  const cx = (this.thread.x % 256) * 0.01171875 - 2;
  const cy = Math.floor(this.thread.x / 256) * 0.009765625 - 1.25;
  let zx = 0;
  let zy = 0;
  let n = 0;
  for (let i = 0; i < 256; i++) {
    const xx = zx * zx;
    const yy = zy * zy;
    if (xx + yy > 4) break;
    const xy = zx * zy;
    zx = xx - yy + cx;
    zy = xy + xy + cy;
    n += 1;
  }
  return n;
}).setOutput([65536]);

const saxpy = gpu.createKernel(function (x, y) {
  return 2.5 * x[this.thread.x] + y[this.thread.x];
}).setOutput([1 << 20]);

const matmul = gpu.createKernel(function (a, b) {
  let sum = 0;
  for (let k = 0; k < 128; k++) sum += a[this.thread.y * 128 + k] * b[k * 128 + this.thread.x];
  return sum;
}).setOutput([128, 128]);

const x = floats(1 << 20, (i) => i);
const y = floats(1 << 20, () => 1);
const a = floats(16384, (i) => (i % 17) / 16);
const b = floats(16384, (i) => (i % 13) / 8);

// README.md has the counts. The point is (0, 0) of 256 x 256 for mandel: its c is -2 - 1.25i, which leaves at once.
const kernels = [
  ["mandel", 50_031_416, () => mandel(), (out) => out[0] === 1],
  ["saxpy", 18_874_368, () => saxpy(x, y), (out) => out[3] === 8.5],
  ["matmul", 8_306_688, () => matmul(a, b), (out) => {
    let sum = 0;
    for (let k = 0; k < 128; k++) sum += a[2 * 128 + k] * b[k * 128 + 3];
    return Math.abs(out[2][3] - sum) < 1e-3;
  }],
];

for (const [name, count, call, right] of kernels) {
  if (!right(call())) throw new Error(`${name}: a wrong result`);
  let best = Infinity;
  for (let i = 0; i < 20; i++) {
    const before = process.cpuUsage();
    call();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, user + system);
  }
  console.log(name, count / best);
}
for (const [name, kernel] of [["mandel", mandel], ["saxpy", saxpy], ["matmul", matmul]]) {
  const { fallbackReason } = kernel.kernel ?? kernel;
  if (fallbackReason) throw new Error(`${name}: not compiled: ${fallbackReason}`);
}
process.exit(0);
