// Types of warpscope.mjs. docs/headless.md says more.

/** Starts an engine. Engines share nothing but compiled code; call again for another. */
export function createWarpscope(options?: CreateOptions): Promise<Warpscope>;
export default createWarpscope;

export interface CreateOptions {
  /** Where the engine is, or the engine itself. Default: warpscope.wasm beside the module. */
  wasm?: string | URL | BufferSource | Response | WebAssembly.Module;
}

export interface Warpscope {
  readonly version: string;
  /** Reads a program and its launch header; nothing runs. Never throws, whatever the text. */
  check(source: Source): CheckResult;
  /** Launches a program as its header says, except for what the options say. Never rejects. */
  run(source: Source, options?: RunOptions): Promise<RunResult>;
  /** Runs the programs that have a launch header, one after the other. */
  test(programs: Record<string, Source> | Map<string, Source>, options?: RunOptions): Promise<TestResult>;
  /** The program laid out; meaning and comments stay. */
  fmt(source: Source): string;
}

/** A text, or its bytes. */
export type Source = string | ArrayBuffer | ArrayBufferView;

/**
 * What became of a program:
 * - "ok": all is as it should be;
 * - "unchecked": it ran to its end, but the launch, or an argument, is guessed, and nothing is expected;
 * - "failed": an unexpected fault or finding, a missed expectation, a limit, or trouble with the engine;
 * - "bad-launch": the launch header, an argument or an option does not fit the program;
 * - "not-ptx" and "not-emulated": of the program itself.
 */
export type Verdict = "ok" | "unchecked" | "failed" | "bad-launch" | "not-ptx" | "not-emulated";

/** Lines and columns count from 1, columns in bytes of UTF-8; the end is exclusive. All are 0 where an
 * option of the run is wrong, which has no place in the text. */
export interface Place {
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export interface Diagnostic extends Place {
  severity: "error" | "warning" | "info";
  /** Stable; docs/diagnostics.md lists them. */
  code: string;
  message: string;
  /** Of the PTX ISA manual. */
  section?: string;
  notes?: (Place & { message: string })[];
  /** What would put it right, in words. */
  fix?: string;
}

export interface CheckResult {
  ok: boolean;
  verdict: Verdict;
  diagnostics: Diagnostic[];
  entries: { name: string; params: { name: string; type: string; align: number; size: number }[] }[];
  /** There is a launch header. */
  header: boolean;
  /** The kernel that a run launches; "" when none can be. */
  entry: string;
}

/** x, [x, y, z], { x, y, z } or "x,y,z". */
export type Shape = number | number[] | { x?: number; y?: number; z?: number } | string;

/**
 * A number; a list or typed array for a buffer; bytes as they are; or what a launch header says behind "=" or behind
 * the argument's name, such as "iota" or "f32[1024] = 2.5".
 */
export type Argument = number | bigint | boolean | string | (number | bigint)[] | ArrayBuffer | ArrayBufferView;

export interface RunOptions {
  entry?: string;
  grid?: Shape;
  block?: Shape;
  /** CTAs of a cluster. */
  cluster?: Shape;
  /** Dynamic shared memory of a block in bytes. */
  shared?: number;
  model?: "stack" | "independent" | "frontier";
  engine?: "auto" | "interpreter" | "compiled";
  sanitize?: string | string[];
  /** By parameter name, or in the parameters' order. */
  args?: Record<string, Argument | undefined> | Argument[];
  /** More expectations, as behind //@ expect. */
  expect?: string | string[];
  /** Warp instructions at most. */
  steps?: number;
  /** Milliseconds at most. */
  timeout?: number;
  /** The result has counters. */
  counters?: boolean;
  signal?: AbortSignal;
}

export interface Fault {
  kind: string;
  message: string;
  line: number;
  column: number;
  cta: [number, number, number];
  warp: number;
  lanes: number[];
  space?: string;
  /** Hexadecimal. */
  address?: string;
  size?: number;
  /** A change of the launch that may help, in words. */
  fix?: string;
}

/** Something that a program should not do. */
export interface Finding {
  check: string;
  message: string;
  line: number;
  column: number;
  cta: [number, number, number];
  /** An expectation names it. */
  expected: boolean;
  /** Line of the other witness, if there is one. */
  otherLine?: number;
  /** Of the PTX ISA manual. */
  section?: string;
}

export interface RunResult {
  /** No unexpected fault, all expectations met, no finding that no expectation names, no limit reached. */
  ok: boolean;
  verdict: Verdict;
  /** Warnings; or, when nothing could run, why. */
  diagnostics: Diagnostic[];
  title: string;
  entry: string;
  grid: [number, number, number];
  block: [number, number, number];
  /** There is no launch header: the launch was made up from the parameters. */
  defaulted: boolean;
  fault: Fault | null;
  /** Why the run was cut short, or "". */
  stopped: string;
  /** Final contents by argument name. Vectors are flat; f16, bf16 and narrower floats are values in a Float32Array. */
  buffers: Record<string, BufferArray>;
  /** Element type and dimensions of each buffer, as in the header. */
  layout: Record<string, { type: string; dims: number[] }>;
  /** What the kernel printed. */
  output: string;
  expectations: { text: string; pass: boolean; got: string; line: number }[];
  findings: Finding[];
  /** "all exact", or what is only within the manual's bounds. */
  fidelity: string;
  stats: {
    warpInstructions: number;
    laneInstructions: number;
    branches: number;
    divergentBranches: number;
    barriers: number;
    threads: number;
    ctas: number;
    ctasDone: number;
  };
  /** With the option of this name; docs/counters.md lists them. Those that are 0 are left out. */
  counters?: {
    kernel: Record<string, number>;
    lines: { line: number; counters: Record<string, number> }[];
    /** CTAs by their linear index. */
    warps: { cta: number; warp: number; counters: Record<string, number> }[];
    /** Warps that the list has no place for. */
    warpsLeftOut: number;
    /** Where most registers are live: registers of 32 bits, predicates, and the line. */
    live: { registers: number; predicates: number; line: number };
    /** How many blocks fit on a multiprocessor, if a thread has as many registers as are live at most. */
    occupancy: { capability: string; blocks: number; warps: number; mostWarps: number; percent: number;
      limitedBy: string }[];
  };
}

export type BufferArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array
  | BigUint64Array | Float32Array | Float64Array;

export interface TestResult {
  ok: boolean;
  passed: number;
  failed: number;
  /** Programs without a launch header. */
  skipped: number;
  results: (RunResult & { file: string })[];
}
