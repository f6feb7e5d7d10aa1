// Unpacks .lzma files while they arrive. The engine is packed so that its transfer is small from any server.
//
//   unpacking(stream, onProgress) -> stream      onProgress(bytes unpacked, bytes in all)
//   unpacked(bytes) -> bytes                     all at once
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

  globalThis.unpacked = (bytes) => {
    const unpack = decoder();
    unpack.push(bytes);
    unpack.push(null);
    return unpack.all();
  };

  globalThis.unpacking = (stream, onProgress) => {
    const unpack = decoder();
    return stream.pipeThrough(new TransformStream({
      transform(chunk, to) {
        const bytes = unpack.push(chunk);
        if (bytes.length > 0) to.enqueue(bytes);
        onProgress(...unpack.progress());
      },
      flush: (to) => to.enqueue(unpack.push(null)),
    }));
  };
})();
