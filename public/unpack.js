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
      for (let from = out - rep0 - 1; count > 0; count--) output[out++] = output[from++];
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
      r[1] = view.getUint32(headerSize + 1); // after a byte that is always 0
      at = headerSize + 5;
    }

    return {
      /** Takes the next bytes, or null at the end; gives what can be unpacked by now. */
      push(chunk) {
        if (chunk) append(chunk);
        if (!output && end >= headerSize + 5) begin();
        const before = out;
        const safe = chunk ? end - longestSymbol : end;
        while (out < size && at <= safe) symbol();
        if (!chunk && (!output || out < size || at > end)) throw new Error("the packed engine ends early");
        return output ? output.subarray(before, out) : new Uint8Array(0);
      },
      progress: () => [out, size],
      all: () => output,
    };
  }

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
