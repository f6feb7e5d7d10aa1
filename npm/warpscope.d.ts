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
  /** Opens a program under the debugger, for questions about its run. Never rejects. */
  open(source: Source, options?: RunOptions): Promise<Session>;
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
  /** The result compares the models of divergence. */
  models?: boolean;
  /** So many other legal schedules are tried; what differs is in the result. */
  schedules?: number;
  /** Seed of the schedule to run in; 0 is the usual one. */
  schedule?: number;
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
  /** With the option of this name. */
  counters?: Counters;
  /** With the option of this name: how the run ends under each model, and where they differ first, in words. */
  models?: { runs: { model: string; outcome: string; fault: Fault | null; stats: RunResult["stats"] }[]; apart: string };
  /** With the option of this name: seeds of schedules in which the run ends otherwise, and in what. */
  schedules?: { tried: number; differ: { schedule: number; what: string[] }[] };
}

/** docs/counters.md lists them. Those that are 0 are left out. */
export interface Counters {
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

/**
 * A program under the debugger. What CheckResult has says whether it can run. Questions are answered one after the
 * other; none rejects. "Step 22" is the state after 22 warp instructions. CTAs count by their linear index.
 */
export interface Session extends CheckResult {
  /** Where the session is. */
  state(): Promise<Answer<State>>;
  /** Executes the next instruction of the followed warp. */
  step(): Promise<Answer<State>>;
  /** Goes to where the followed warp executed its last one. */
  back(): Promise<Answer<State>>;
  /** Runs to the next stop, or to the end. */
  run(options?: { signal?: AbortSignal }): Promise<Answer<State>>;
  /** Goes to a step, and runs there past all stops where the run is not known so far. */
  seek(step: number, options?: { signal?: AbortSignal }): Promise<Answer<State>>;
  /** Goes to the next place of a kind, or to the last one before here; stays here if there is none. */
  go(goal: Goal, options?: { back?: boolean; line?: number; signal?: AbortSignal }): Promise<Answer<State>>;
  /** Goes to a place of a finding, by its number in findings(): after its step, or after that of the other one. */
  finding(index: number, options?: { other?: boolean }): Promise<Answer<State>>;
  /** Chooses the warp that is followed, and the lane that questions are about. */
  follow(where: Where): Promise<Answer<State>>;
  /** Chooses at what run() and go("breakpoint") stop, in place of earlier ones. */
  stops(list: Stop[]): Promise<Answer<{ stops: Stop[] }>>;
  /** Values of expressions in the followed warp. */
  watch(expressions: string | string[]): Promise<Answer<{ watches: Watched[] }>>;
  /** Sets a register or an element. What was known of the run after here is forgotten. */
  edit(cell: Cell, value: number | bigint | boolean | string, where?: Where): Promise<Answer<State>>;
  /** The last step up to here that wrote a cell. */
  writer(cell: Cell, where?: Where): Promise<Answer<{ write: Writing | null }>>;
  /** The next step that writes it, as far as the run is known. */
  nextWriter(cell: Cell, where?: Where): Promise<Answer<{ write: Writing | null }>>;
  /** Where a value comes from: the tree of its writers. */
  origin(cell: Cell, where?: Where): Promise<Answer<Origin>>;
  /** All that are known, with both places. */
  findings(): Promise<Answer<{ findings: KnownFinding[] }>>;
  /** In which basic block each lane of the followed warp is at each step, or what all warps do. */
  chart(span?: { from?: number; to?: number; all?: boolean }): Promise<Answer<Chart>>;
  /** The control-flow graph of the followed warp's function, with counts up to here. */
  flow(): Promise<Answer<Flow>>;
  /** Counters of the run up to here. */
  counters(): Promise<Answer<Counters>>;
  /** What an access takes: the last one of a line up to here, or that of the last or next instruction. */
  access(which?: { line?: number; upcoming?: boolean }): Promise<Answer<Access>>;
  /** Who holds which element, or gets whose value, at the last or next instruction. */
  holds(which?: { upcoming?: boolean }): Promise<Answer<Holding>>;
  /** Frees the session. */
  close(): Promise<void>;
}

/** problem says why there is no answer. */
export type Answer<T> = ({ ok: true; problem?: undefined } & T) | { ok: false; problem: string };

/** "%r4", "%v.x", "out[5]", "out[5..9]", a byte at "0x2000c", "stack", "active" or "barrier 0". */
export type Cell = string;

/** Default: the followed warp and lane. */
export interface Where {
  cta?: number;
  warp?: number;
  lane?: number;
}

export type Goal = "breakpoint" | "divergence" | "reconvergence" | "barrier" | "output" | "finding" | "line"
  | "source line" | "step over" | "step out" | "instruction of any warp";

export interface State {
  phase: "ready" | "running" | "paused" | "finished" | "faulted";
  /** A sentence about what happened last. */
  status: string;
  step: number;
  /** The last step that is known. */
  end: number;
  /** The followed warp and lane. */
  cta: number;
  warp: number;
  lane: number;
  /** The warp's next instruction. */
  line: number;
  next: string;
  groups: { line: number; lanes: number[]; runs: boolean }[];
  fault: Fault | null;
  output: string;
  stats: RunResult["stats"];
}

export interface Stop {
  /** Of a breakpoint. */
  line?: number;
  kind?: "divergence" | "barrier" | "finding" | "read" | "write" | "change";
  /** A register or memory that is read, written or changed. */
  what?: string;
  /** A condition; it must be true in an active lane. */
  if?: string;
  /** In answers: why it cannot be used. */
  problem?: string;
}

export interface Watched {
  text: string;
  /** By lane; a single one for the whole warp. */
  values: string[];
  problem?: string;
}

export interface Writing {
  /** The state after it. */
  step: number;
  cta: number;
  warp: number;
  lane: number;
  line: number;
  /** The instruction. */
  text: string;
  old?: string;
  new?: string;
}

export interface Origin {
  name: string;
  value: string;
  /** null: the value is from the launch, or was never written. */
  write: Writing | null;
  sources: Origin[];
  /** There are sources that are not listed. */
  more?: boolean;
  /** Which guard asks for the value, or which part of a matrix it is. */
  note?: string;
  /** It is a constant, a special register or the values of several lanes, which no one step writes. */
  fixed?: boolean;
}

export interface Witness {
  line: number;
  cta: [number, number, number];
  /** -1: not known. */
  warp: number;
  lanes: number[];
}

export interface KnownFinding {
  check: string;
  message: string;
  section?: string;
  at: Witness;
  /** null: there is no other place. */
  with: Witness | null;
  /** It comes after where the session is. */
  later: boolean;
}

export interface Chart {
  from: number;
  to: number;
  /** Steps that a moment stands for. */
  stride: number;
  cta: number;
  warp: number;
  /** Basic blocks, with their lines. */
  blocks: { name: string; first: number; last: number }[];
  moments: {
    step: number;
    /** The warp executes the next instruction. */
    turn: boolean;
    /** By lane: its block, -1 for none. */
    blocks?: number[];
    /** Lanes that execute the warp's next instruction. */
    active?: number[];
    /** With all. */
    rows?: { doing: string; block: number; lanes: number }[];
  }[];
  /** With all: warps that a row stands for. */
  each?: number;
}

export interface Flow {
  func: string;
  blocks: { name: string; first: number; last: number; joins: boolean; ends: boolean; runs: number; lanes: number;
    groups: { lanes: number[]; line: number; runs: boolean; atBarrier: boolean }[] }[];
  /** Blocks by their number. lanes is null where that is not known. */
  edges: { from: number; to: number; jump: boolean; lanes: number | null }[];
}

export interface Access {
  step: number;
  line: number;
  text: string;
  space: string;
  /** Bytes of a lane. */
  size: number;
  unit: "wavefront" | "sector";
  parts: number;
  ideal: number;
  why: string;
  cure: string;
  lanes: { lane: number; address: string }[];
  /** Of global memory. */
  sectors: { address: string; lanes: number[] }[];
  /** Of shared memory. */
  banks: { bank: number; lanes: number[]; words: number }[];
}

export interface Holding {
  line: number;
  text: string;
  /** The instruction runs next. */
  upcoming: boolean;
  elsewhere?: string;
  /** Elements row after row; value is absent where it is not known. */
  matrices: { name: string; rows: number; columns: number;
    elements: { lane: number; register: string; value?: string; where: string }[] }[];
  exchange: { lane: number; from: number[]; gets?: string }[];
}
