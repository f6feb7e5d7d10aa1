// Unpacks .lzma files, and compiles the engine while it arrives. The engine is packed so that its transfer is small from
// any server.
//
//   compiling(response, onProgress) -> module    in a worker where there can be one; onProgress(bytes unpacked, in all)
//   compilingKept(file, version) -> module       what the service worker keeps; null where it cannot be had in a worker
//   unpacked(bytes) -> bytes                     all at once
//
// This file is also the worker's script.
//
// The format: 13 bytes of header (properties, dictionary size, size), then bits coded by a range coder, each with a
// probability that adapts to what was seen. The bits tell symbols apart: a literal byte, or a copy of earlier bytes at a
// new distance or at one of the last four. Only files with lc=3, lp=0, pb=0 and a known size are read: what pack writes.
// What is unpacked can be a module whose code pack has rewritten (pack/code.go says how); it is restored.
(() => {
  "use strict";

  const headerSize = 13;
  /** More input than any one symbol takes. */
  const longestSymbol = 32;

  // Where the probabilities of each kind of bit begin.
  let next = 0;
  const reserve = (count) => (next += count) - count;
  const isMatch = reserve(12), isRep = reserve(12), isRep0 = reserve(12), isRep1 = reserve(12), isRep2 = reserve(12),
    isRep0Long = reserve(12), slots = reserve(4 * 64), special = reserve(115), align = reserve(16),
    lengths = reserve(2 + 8 + 8 + 256), repLengths = reserve(2 + 8 + 8 + 256), literals = reserve(8 * 0x300);
  const probabilityCount = next;

  function decoder() {
    const probs = new Uint16Array(probabilityCount).fill(1024);
    let input = new Uint8Array(1 << 16), end = 0, at = 0;
    let output = null, size = 0, out = 0;
    let restore = null;
    /** Range and code: numbers of 32 bits without a sign, which plain variables would box. */
    const r = new Uint32Array([0xffffffff, 0]);
    let state = 0, rep0 = 0, rep1 = 0, rep2 = 0, rep3 = 0;

    function bit(index) {
      let range = r[0];
      let code = r[1];
      if (range < 0x1000000) {
        range <<= 8;
        code = code << 8 | input[at++];
      }
      const p = probs[index];
      const bound = Math.imul(range >>> 11, p);
      if (code >>> 0 < bound >>> 0) {
        r[0] = bound;
        r[1] = code;
        probs[index] = p + (2048 - p >> 5);
        return 0;
      }
      r[0] = range - bound;
      r[1] = code - bound;
      probs[index] = p - (p >> 5);
      return 1;
    }

    function direct(count) {
      let value = 0;
      for (; count > 0; count--) {
        let range = r[0];
        let code = r[1];
        if (range < 0x1000000) {
          range <<= 8;
          code = code << 8 | input[at++];
        }
        range >>>= 1;
        const one = code >>> 0 >= range ? 1 : 0;
        r[0] = range;
        r[1] = one ? code - range : code;
        value = value << 1 | one;
      }
      return value;
    }

    function tree(base, count) {
      let symbol = 1;
      for (let i = 0; i < count; i++) symbol = symbol << 1 | bit(base + symbol);
      return symbol - (1 << count);
    }

    function reverse(base, count) {
      let symbol = 1;
      let value = 0;
      for (let i = 0; i < count; i++) {
        const one = bit(base + symbol);
        symbol = symbol << 1 | one;
        value |= one << i;
      }
      return value;
    }

    function literal() {
      const base = literals + 0x300 * (out > 0 ? output[out - 1] >> 5 : 0);
      let symbol = 1;
      if (state >= 7) {
        let matched = output[out - rep0 - 1];
        while (symbol < 0x100) {
          const expected = matched >> 7 & 1;
          matched <<= 1;
          const one = bit(base + (1 + expected << 8) + symbol);
          symbol = symbol << 1 | one;
          if (one !== expected) break;
        }
      }
      while (symbol < 0x100) symbol = symbol << 1 | bit(base + symbol);
      output[out++] = symbol;
      state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
    }

    function length(base) {
      if (bit(base) === 0) return 2 + tree(base + 2, 3);
      if (bit(base + 1) === 0) return 10 + tree(base + 10, 3);
      return 18 + tree(base + 18, 8);
    }

    function distance(count) {
      const slot = tree(slots + 64 * Math.min(count - 2, 3), 6);
      if (slot < 4) return slot;
      const low = (slot >> 1) - 1;
      const base = (2 | slot & 1) << low;
      if (slot < 14) return base + reverse(special + base - slot, low);
      return base + direct(low - 4) * 16 + reverse(align, 4);
    }

    function copy(count) {
      if (rep0 >= out || out + count > size) throw new Error("the packed engine is damaged");
      const bytes = output;
      let to = out;
      for (let from = to - rep0 - 1; count > 0; count--) bytes[to++] = bytes[from++];
      out = to;
    }

    /** The distance that a repetition names moves to the front. */
    function repetition() {
      if (bit(isRep0 + state) === 0) return bit(isRep0Long + state) === 0;
      let d = rep1;
      if (bit(isRep1 + state) === 1) {
        d = rep2;
        if (bit(isRep2 + state) === 1) {
          d = rep3;
          rep3 = rep2;
        }
        rep2 = rep1;
      }
      rep1 = rep0;
      rep0 = d;
      return false;
    }

    function symbol() {
      if (bit(isMatch + state) === 0) return literal();
      if (bit(isRep + state) === 1) {
        const single = repetition();
        const count = single ? 1 : length(repLengths);
        state = single ? (state < 7 ? 9 : 11) : state < 7 ? 8 : 11;
        return copy(count);
      }
      rep3 = rep2;
      rep2 = rep1;
      rep1 = rep0;
      const count = length(lengths);
      rep0 = distance(count);
      state = state < 7 ? 7 : 10;
      copy(count);
    }

    function append(chunk) {
      if (end + chunk.length > input.length) {
        const larger = new Uint8Array(Math.max(2 * input.length, end + chunk.length));
        larger.set(input.subarray(0, end));
        input = larger;
      }
      input.set(chunk, end);
      end += chunk.length;
    }

    function begin() {
      const view = new DataView(input.buffer);
      size = view.getUint32(5, true);
      if (input[0] !== 3 || view.getUint32(9, true) !== 0) throw new Error("the packed engine is of an unknown format");
      output = new Uint8Array(size);
      restore = restorer(output);
      r[1] = view.getUint32(headerSize + 1); // after a byte that is always 0
      at = headerSize + 5;
    }

    return {
      /** Takes the next bytes, or null at the end; gives what can be unpacked and restored by now. */
      push(chunk) {
        if (chunk) append(chunk);
        if (!output && end >= headerSize + 5) begin();
        const safe = chunk ? end - longestSymbol : end;
        while (out < size && at <= safe) symbol();
        if (!chunk && (!output || out < size || at > end)) throw new Error("the packed engine ends early");
        return restore ? restore.push(out) : new Uint8Array(0);
      },
      progress: () => [out, size],
      all: () => restore.all(),
    };
  }

  // ---- restoring ------------------------------------------------------------------------------------------------------

  /** How many operands follow an opcode; 0xfc has a second number, on which it depends. */
  const operandCount = (op, second) => op === 0xfc ? second === 10 ? 3 : second === 11 ? 2 : 1
    : op === 0x11 || op >= 0x28 && op <= 0x3e ? 2
    : op === 0x07 || op === 0x08 || op === 0x09 || op >= 0x02 && op <= 0x04 || op >= 0x0c && op <= 0x10 && op !== 0x0f ||
      op >= 0x20 && op <= 0x24 || op >= 0x3f && op <= 0x44 ? 1 : 0;

  /** Opcodes that are not just copied with their operands, of which each has one at most. */
  const handled = new Set([0x06, 0x07, 0x08, 0x09, 0x0c, 0x0d, 0x0e, 0x43, 0x44]);
  const marked = 0x100;
  /** The place of an operand that comes from the input: in templates, and in plans. */
  const holeByte = 0x80, hole = -1;
  /** After the opcodes of blocks and of their ends. */
  const opens = -2, closes = -3;

  /** What to do for a template: put bytes, fill holes, and handle the opcodes that are marked, with the operand after. */
  function planOf(template) {
    const plan = [];
    for (let i = 0; i < template.length;) {
      const op = template[i++];
      let n = operandCount(op, template[i]);
      plan.push(handled.has(op) ? marked + op : op);
      if (op === 0x06) plan.push(0);
      if (op >= 0x02 && op <= 0x04) plan.push(opens);
      if (op === 0x0b) plan.push(closes);
      for (; n > 0; n--, i++) plan.push(template[i] === holeByte ? hole : template[i]);
    }
    return Int16Array.from(plan);
  }

  /** What to do for each opcode. Templates take the places of opcodes that the module does not use. */
  function opcodePlans() {
    const plans = [];
    for (let op = 0; op < 256; op++) plans.push(planOf([op, ...new Array(operandCount(op)).fill(holeByte)]));
    plans[0xfc] = Int16Array.of(marked + 0xfc, 0);
    return plans;
  }

  /** Restores the module that input holds more and more of. What does not begin with pack's mark stays as it is. */
  function restorer(input) {
    const mark = [0x00, 0x70, 0x61, 0x6b];
    let end = 0, at = 0;
    let output = input, out = 0, size = input.length;
    const plans = opcodePlans();
    // Where the instructions have got to (pack/code.go: place).
    let index, depth, starts, level, point, last;

    /** An unsigned number of the input. */
    function number() {
      if (input[at] < 0x80) return input[at++];
      let value = 0;
      let shift = 0;
      for (; input[at] >= 0x80; shift += 7) value |= (input[at++] & 0x7f) << shift;
      return (value | input[at++] << shift) >>> 0;
    }

    /** The number of the input, which stays there. */
    function ahead() {
      const before = at;
      const value = number();
      at = before;
      return value;
    }

    const value = (operand) => operand === hole ? number() : operand;

    /** 0, 1, 2, 3 are 0, -1, 1, -2. */
    const unfolded = (value) => value >>> 1 ^ -(value & 1);

    /** Copies a number of the input, and gives its last byte. */
    function copy() {
      while (input[at] >= 0x80) output[out++] = input[at++];
      return output[out++] = input[at++];
    }

    function copyBytes(count) {
      output.set(input.subarray(at, at + count), out);
      at += count;
      out += count;
    }

    function put(value) {
      for (; value >= 0x80; value >>>= 7) output[out++] = value | 0x80;
      output[out++] = value;
    }

    /** The label of a branch: targets up to 2 are counted from outside, others from inside. */
    function putLabel(target) {
      put(target < 3 ? depth - target : target - 3);
    }

    /** A constant that is not negative; bit 6 of its last byte is the sign. */
    function putConst(op, value) {
      output[out++] = op;
      for (; value >>> 6 > 0; value >>>= 7) output[out++] = value | 0x80;
      output[out++] = value;
    }

    function putAddress(number) {
      last = number;
      putConst(0x42, index + 0x1000 << 16 | number);
    }

    /** A br_table, from how many numbers lead to each point. */
    function points() {
      let total = 0;
      starts = [0];
      for (let i = number(); i > 0 && at < end; i--) starts.push(total += number());
      if (total > size) throw new Error("the packed engine is damaged");
      output[out++] = 0x0e;
      put(total - 1);
      for (let n = 0, label = 0; n < total; n++) {
        if (n === starts[label + 1]) label++;
        put(label);
      }
      level = depth;
      point = -1;
    }

    /** The first number of a point; 0 for what is none. */
    const start = (point) => point >= 0 && point < starts.length ? starts[point] : 0;

    function pass() {
      level--;
      point++;
      last = start(point);
    }

    /** An opcode that is handled, with its operand or a hole. */
    function instruction(op, operand) {
      if (op < 0x06 || op > 0x09) output[out++] = op;
      switch (op) {
        case 0x06: putAddress(start(point + 1)); break;
        case 0x07: putAddress(last + unfolded(value(operand))); break;
        case 0x08:
          putConst(0x41, start(point + unfolded(value(operand))));
          output[out++] = 0x21;
          output[out++] = 0;
          break;
        case 0x09: points(); break;
        case 0x0c: case 0x0d: putLabel(value(operand)); break;
        case 0x0e: for (let i = -2 - ahead(); i < 0 && at < end; i++) copy(); break;
        case 0xfc: for (let i = operandCount(op, copy()); i > 1; i--) copy(); break;
        default: copyBytes(op === 0x43 ? 4 : 8);
      }
    }

    /** The instructions up to a place. Variables of this function are faster than those around it. */
    function instructions(end) {
      const source = input, bytes = output;
      let from = at, to = out;
      while (from < end) {
        const plan = plans[source[from++]];
        for (let i = 0; i < plan.length; i++) {
          const what = plan[i];
          if (what >>> 8 === 0) {
            bytes[to++] = what;
          } else if (what === hole) {
            while (source[from] >= 0x80) bytes[to++] = source[from++];
            bytes[to++] = source[from++];
          } else if (what === opens) {
            depth++;
          } else if (what === closes) {
            if (--depth < level) pass();
          } else {
            at = from;
            out = to;
            instruction(what - marked, plan[++i]);
            from = at;
            to = out;
          }
        }
      }
      at = from;
      out = to;
    }

    /** The body of the function that the input has up to a place; its size comes first, once it is known. */
    function body(to) {
      const longestSize = 5;
      const begin = out;
      out += longestSize;
      depth = 0;
      starts = [];
      level = point = -1;
      last = 0;
      for (let i = -1 - 2 * ahead(); i < 0 && at < to; i++) copy();
      instructions(to);
      const length = out - begin - longestSize;
      out = begin;
      put(length);
      output.copyWithin(out, begin + longestSize, begin + longestSize + length);
      out += length;
    }

    /** The tables, the list and the records of functions (pack/functions.go). */
    function functionTable() {
      const view = new DataView(output.buffer);
      const put32 = (at, value) => view.setUint32(at, value, true);
      const count = number();
      const tables = out;
      const list = tables + number();
      const first = number();
      const firstRecord = list + 8 * count + 8;
      if (firstRecord > size) throw new Error("the packed engine is damaged");

      /** Visits each record, and in it the places from one on, of its tables and then of its data. */
      function each(visit) {
        let record = firstRecord;
        for (let i = 0; i < count && at <= end; i++) {
          visit(record, i);
          const past = record + 44 + 4 * (output[record + 28] + output[record + 43]);
          record = past + (list - past & 7);
          if (i === count - 1) out = past;
        }
      }
      each((record, i) => {
        put32(list + 8 * i, first + i);
        put32(list + 8 * i + 4, record - list);
        put32(record, first + i);
        for (const place of [4, 28, 40, 8, 12]) put32(record + place, number());
      });
      put32(list + 8 * count, first + count);
      let to = tables + 1;
      const table = (place) => {
        if (input[at++] === 0) return;
        put32(place, to - tables);
        out = to;
        do {
          copy();
          copy();
        } while (input[at] > 0 && at < end);
        at++;
        to = out + 1;
      };
      each((record) => {
        table(record + 16);
        for (let i = 0; i < output[record + 28]; i++) table(record + 44 + 4 * i);
      });
      let farthest = 0;
      each((record) => {
        for (let i = 0; i < output[record + 43]; i++) {
          const value = number();
          const data = value > 0 ? farthest + unfolded(value - 1) : -1;
          put32(record + 44 + 4 * (output[record + 28] + i), data);
          farthest = Math.max(farthest, data);
        }
      });
    }

    /** Yields where it needs more input. */
    function* restoring() {
      while (end < Math.min(8, size)) yield;
      if (mark.some((byte, i) => input[i] !== byte)) for (out = end;; out = end) yield;
      const head = new DataView(input.buffer).getUint32(4, true);
      while (end < 8 + head) yield;
      at = 8;
      size = number();
      output = new Uint8Array(size + 5);
      for (let i = number(); i > 0 && at < end; i--) {
        const code = input[at++];
        const length = number();
        plans[code] = planOf(input.subarray(at, at += length));
      }
      const before = number();
      const functions = number();
      while (end < at + before) yield;
      copyBytes(before);
      for (index = 0; index < functions; index++) {
        while (end < Math.min(at + 5, input.length)) yield;
        const length = number();
        while (end < at + (length >>> 1)) yield;
        if (length & 1) {
          put(length >>> 1);
          copyBytes(length >>> 1);
        } else body(at + (length >>> 1));
      }
      while (end < Math.min(at + 10, input.length)) yield;
      const between = number();
      const packed = number();
      while (end < at + between + packed) yield;
      copyBytes(between);
      if (packed > 0) functionTable();
      for (;;) {
        copyBytes(end - at);
        yield;
      }
    }

    const steps = restoring();
    return {
      /** The input is there up to a place; gives what can be restored by now. */
      push(to) {
        const before = out;
        end = to;
        steps.next();
        if (end === input.length && out !== size) throw new Error("the packed engine is damaged");
        return output.subarray(before, out);
      },
      all: () => output.subarray(0, size),
    };
  }

  // ---- unpacking ------------------------------------------------------------------------------------------------------

  function unpacked(bytes) {
    const unpack = decoder();
    unpack.push(bytes);
    unpack.push(null);
    return unpack.all();
  }

  function unpacking(stream, onProgress) {
    const unpack = decoder();
    return stream.pipeThrough(new TransformStream({
      transform(chunk, to) {
        const bytes = unpack.push(chunk);
        if (bytes.length === 0) return;
        to.enqueue(bytes);
        onProgress(...unpack.progress());
      },
      flush: (to) => to.enqueue(unpack.push(null)),
    }));
  }

  // ---- compiling: on this thread, while unpacking while downloading --------------------------------------------------

  /** A response of the service worker goes in as it is: only then can the browser keep the machine code. */
  async function compileWasm(response) {
    if (WebAssembly.compileStreaming) return WebAssembly.compileStreaming(response);
    return WebAssembly.compile(await response.arrayBuffer());
  }

  const isUnpacked = (response) => response.headers.has("x-warpscope-unpacked");

  /** Old browsers begin when everything has arrived. */
  async function compilingHere(response, onProgress) {
    if (isUnpacked(response)) return compileWasm(response);
    if (typeof TransformStream !== "function") {
      return WebAssembly.compile(unpacked(new Uint8Array(await response.arrayBuffer())));
    }
    const headers = { "content-type": "application/wasm" };
    return compileWasm(new Response(unpacking(response.body, onProgress), { headers }));
  }

  // ---- the worker -----------------------------------------------------------------------------------------------------

  /** A worker is a client of its own, which the newest service worker answers: the page may be of an older version. */
  async function keptHere({ file, version }) {
    const response = await fetch(file);
    const hash = response.headers.get("x-warpscope-sha256");
    if (isUnpacked(response) && hash?.startsWith(version)) return compileWasm(response);
    await response.body.cancel();
    return null;
  }

  /** Is sent what to take from the service worker, or the pieces of the packed engine and then null. */
  function serve() {
    const onProgress = (...progress) => postMessage({ progress });
    const answer = (promise) => {
      promise.then((module) => postMessage({ module }), (error) => postMessage({ error: error.message }));
    };
    let to;
    globalThis.onmessage = ({ data }) => {
      if (data?.file) return answer(keptHere(data));
      if (!to) answer(compilingHere(new Response(new ReadableStream({ start: (c) => { to = c; } })), onProgress));
      if (data) to.enqueue(data);
      else to.close();
    };
    postMessage("ready");
  }

  // ---- the page's side of it ------------------------------------------------------------------------------------------

  /** A script that is part of a page has no address, and a worker needs one. */
  const address = globalThis.document?.currentScript?.src;

  /** Resolves to a worker that is ready; to null where a page may have none. */
  function ready() {
    return new Promise((resolve) => {
      const worker = new Worker(address);
      worker.onmessage = () => resolve(worker);
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(null);
      };
    }).catch(() => null);
  }

  /** What a worker answers to what it is sent. */
  function ask(worker, send, onProgress) {
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data: { progress, module, error } }) => {
        if (progress) onProgress(...progress);
        else if (error !== undefined) reject(new Error(error));
        else resolve(module);
      };
      worker.onerror = (event) => reject(new Error(event.message));
      worker.onmessageerror = () => reject(new Error("the browser cannot hand the engine over"));
      send().catch(reject);
    }).finally(() => worker.terminate());
  }

  async function compiling(response, onProgress) {
    const worker = address && !isUnpacked(response) && await ready();
    if (!worker) return compilingHere(response, onProgress);
    return ask(worker, async () => {
      const reader = response.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return worker.postMessage(null);
        worker.postMessage(value, [value.buffer]);
      }
    }, onProgress);
  }

  async function compilingKept(file, version) {
    const worker = address && await ready();
    return worker && ask(worker, async () => worker.postMessage({ file, version })).catch(() => null);
  }

  Object.assign(globalThis, { compiling, compilingKept, unpacked, unpacking });
  if (typeof DedicatedWorkerGlobalScope === "function" && globalThis instanceof DedicatedWorkerGlobalScope) serve();
})();
