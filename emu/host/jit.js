// Lets the program compile WebAssembly while it runs: adds the module "warpscope.jit" to what Go's loader, wasm_exec.js,
// gives a program. host_js.go says what its functions do. build.sh appends this file to the loader.
//
// Imports are fixed when a program starts. So a small module, the trampoline, has a table of functions, and calls one by
// its number; the functions are put there later. They work in the program's own memory.
(() => {
  "use strict";
  const failed = -1;

  /** (func (export "call") (param i32 i32 i32 i32 i32) (result i32)) calls function 0 of the table with the others. */
  const trampoline = [
    0, 0x61, 0x73, 0x6d, 1, 0, 0, 0,
    1, 18, 2, 0x60, 4, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, 0x60, 5, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 1, 0x7f, // types
    3, 2, 1, 1, // one function, of type 1
    4, 4, 1, 0x70, 0, 0, // an empty table
    7, 16, 2, 4, ...text("call"), 0, 0, 5, ...text("table"), 1, 0,
    10, 17, 1, 15, 0, 0x20, 1, 0x20, 2, 0x20, 3, 0x20, 4, 0x20, 0, 0x11, 0, 0, 0x0b,
  ];

  function text(name) {
    return Array.from(name, (c) => c.charCodeAt(0));
  }

  /** Modules of this size are compiled at once even on a browser's main thread. */
  function instance(bytes, imports) {
    return new WebAssembly.Instance(new WebAssembly.Module(bytes), imports).exports;
  }

  /** The functions for a program whose memory is memory(). */
  function jit(memory) {
    let exports = null;
    try {
      exports = instance(Uint8Array.from(trampoline));
    } catch { /* the program does without */ }
    /** Runs of the table that are free, by their length. */
    const free = new Map();

    function compile(at, size, functions) {
      try {
        const env = { memory: memory() };
        const compiled = instance(new Uint8Array(env.memory.buffer, at >>> 0, size), { env });
        const first = free.get(functions)?.pop() ?? exports.table.grow(functions);
        for (let i = 0; i < functions; i++) exports.table.set(first + i, compiled[`f${i}`]);
        return first;
      } catch {
        return failed;
      }
    }

    function release(first, functions) {
      for (let i = 0; i < functions; i++) exports.table.set(first + i, null);
      if (!free.has(functions)) free.set(functions, []);
      free.get(functions).push(first);
    }

    const works = exports !== null;
    return { call: works ? exports.call : () => failed, compile, release, works: () => Number(works) };
  }

  const Go = globalThis.Go;
  globalThis.Go = class extends Go {
    constructor() {
      super();
      this.importObject["warpscope.jit"] = jit(() => this.memory);
    }

    run(instance) {
      this.memory = instance.exports.mem;
      return super.run(instance);
    }
  };
})();
