// The benchmark: runs the kernels that its page holds under both engines, and works a program in a frame as a reader
// would. bench.html?small runs one block of each kernel, once.
(() => {
  "use strict";

  const byId = (id) => document.getElementById(id);
  const small = new URLSearchParams(location.search).has("small");
  const source = (name) => document.querySelector(`[data-source="${name}"]`).textContent;
  const say = (sentence) => { byId("bench-status").textContent = sentence; };
  const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
  const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

  /** Fills the next empty cell of a row. */
  function fill(row, number) {
    const cell = [...row.cells].find((one) => one.textContent === "");
    cell.textContent = number < 1000 ? String(Number(number.toPrecision(3))) : String(Math.round(number));
  }

  // ---- the kernels ----------------------------------------------------------------------------------------------------

  /** Millions of lane-instructions per second, the best of several runs. */
  async function speed(engine, options, text) {
    const until = performance.now() + (small ? 0 : 2500);
    let best = 0;
    do {
      const begin = performance.now();
      const { ok, verdict, diagnostics, stats } = await engine.run(text, options);
      const took = Math.max(performance.now() - begin, 0.001);
      if (!ok && verdict !== "unchecked") throw new Error(diagnostics[0]?.message ?? verdict);
      best = Math.max(best, stats.laneInstructions / took / 1000);
    } while (performance.now() < until);
    return best;
  }

  async function measureKernels(module) {
    const { createWarpscope } = await import("./warpscope.js");
    const engine = await createWarpscope({ wasm: structuredClone(module) }); // a frame's module is not an instance here
    for (const row of document.querySelectorAll("[data-kernel]")) {
      const speeds = [];
      for (const name of ["interpreter", "compiled"]) {
        say(`${row.dataset.kernel}, ${name} …`);
        await pause(20);
        const options = small ? { engine: name, grid: 1 } : { engine: name };
        speeds.push(await speed(engine, options, source(row.dataset.kernel)));
        fill(row, speeds.at(-1));
      }
      fill(row, speeds[1] / speeds[0]);
    }
  }

  // ---- the page -------------------------------------------------------------------------------------------------------

  /**
   * How long this thread is busy with what act sets off, painting included: it sends itself messages meanwhile, and adds
   * up the times in which none arrived.
   */
  function busy(act, during) {
    return new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      const begin = performance.now();
      let last = begin, sum = 0;
      port1.onmessage = () => {
        const now = performance.now();
        if (now - last > 0.5) sum += now - last;
        last = now;
        if (now - begin < during) return port2.postMessage(null);
        port1.close();
        resolve(sum);
      };
      act();
      port2.postMessage(null);
    });
  }

  /** The median of several acts, less what a thread is away from its messages when nothing happens. */
  async function several(act, during) {
    const times = [];
    const idle = await busy(() => {}, during);
    for (let i = 0; i < (small ? 1 : 9); i++) times.push(await busy(() => act(i), during));
    return median(times) - idle;
  }

  /** Opens a program in a frame; gives the program and the frame's window. */
  async function openProgram() {
    const program = document.createElement("warpscope-ptx");
    program.setAttribute("panels", "lanes registers");
    program.source = source("hash").replace(/^(\/\/@ grid\s+)\d+/m, "$11");
    byId("bench-page").append(program);
    await program.run();
    return [program, program.querySelector("iframe").contentWindow];
  }

  async function measurePage(program, page) {
    const row = (name) => document.querySelector(`[data-page="${name}"]`);
    const time = (name, milliseconds) => fill(row(name), Math.max(milliseconds, 0.1));
    time("load", page.performance.getEntriesByName("warpscope-running")[0].startTime);

    say("The page: seek …");
    const slider = page.document.querySelector(".timeline input");
    time("seek", await several((i) => {
      slider.value = String(Math.floor(slider.max / 2) + i);
      slider.dispatchEvent(new page.Event("input", { bubbles: true }));
    }, 250));
    say("The page: step …");
    time("step", await several(() => {
      page.document.body.dispatchEvent(new page.KeyboardEvent("keydown", { key: "F10", bubbles: true }));
    }, 120));
    say("The page: keystroke …"); // checked after 150 ms, prepared 350 ms later, and all is drawn 650 ms after that
    const editor = page.document.querySelector(".cm-content");
    time("key", await several(() => {
      editor.focus({ preventScroll: true });
      page.document.execCommand("insertText", false, " ");
    }, 1500));
    program.remove();
  }

  // ---- the tables -----------------------------------------------------------------------------------------------------

  function markdown(table) {
    const line = (cells) => `| ${[...cells].map((one) => one.textContent).join(" | ")} |`;
    const [head, ...rows] = [...table.rows].map((row) => line(row.cells));
    return [head, `|${" --- |".repeat(table.rows[0].cells.length)}`, ...rows].join("\n");
  }

  async function copy() {
    const tables = [...document.querySelectorAll("#bench table")].map(markdown).join("\n\n");
    try {
      await navigator.clipboard.writeText(`${tables}\n\n${navigator.userAgent}\n`);
      say("Copied.");
    } catch {
      say("This browser does not let the page copy: select the tables and copy them.");
    }
  }

  async function run() {
    const button = byId("bench-run");
    button.disabled = true;
    for (const cell of document.querySelectorAll("#bench td")) cell.textContent = "";
    try {
      say("The page: load …");
      const [program, page] = await openProgram();
      const module = await page.warpscopeEngine.module;
      await measurePage(program, page);
      await measureKernels(module);
      say("Done. Other programs on this machine make the numbers smaller.");
      byId("bench-copy").hidden = false;
    } catch (error) {
      say(`The benchmark stopped: ${error.message}. It needs the site on a server, and the network.`);
    }
    button.disabled = false;
  }

  byId("bench-run").addEventListener("click", run);
  byId("bench-copy").addEventListener("click", copy);
})();
