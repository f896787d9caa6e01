// Surveys one kernel: draws launches until enough are useful, and runs them on every executor.
import { cpuMs } from '../../base/cpu-time.ts';
import type { Launch } from '../../base/launch.ts';
import { approximate } from '../../cpu-ref/index.ts';
import type { Instruction, Module, PtxFunction } from '../../ptx/ast.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { type Answer, agreementOf } from '../compare/answers.ts';
import { compareOutputs, type Mismatch } from '../compare/compare.ts';
import { comparePrinted, describeLine } from '../compare/compare-printed.ts';
import { type ExecutorName, isNative, type KernelExecutor } from '../executors/executor.ts';
import { rememberKernel } from '../executors/load-kernel.ts';
import { inferKernel, type KernelUse } from '../infer/index.ts';
import { failureOf } from '../runs/failure.ts';
import { type DrawOptions, drawLaunch, isSmallLaunch } from './draw-launch.ts';
import { type Dropped, type Kept, keepLaunch } from './keep-launch.ts';

/**
 * The outcome of a launch on an executor.
 * - `agrees`: all bits are equal.
 * - `close`: numbers agree within a thousandth, in a kernel with approximating instructions or with
 * floating-point sums whose order depends on the order of threads.
 * - `optimizer`: only native results differ, and only with the driver's optimizer, which may for
 * example fuse a multiplication and an addition.
 * - `differs`: the results differ.
 * - `refused`: the executor does not support the kernel.
 * - `failed`: the launch ended with an error.
 */
export type SurveyStatus = 'agrees' | 'close' | 'optimizer' | 'differs' | 'refused' | 'failed';

export interface SurveyAnswer {
  readonly executor: ExecutorName;
  readonly status: SurveyStatus;
  /** The first difference, or the error message. */
  readonly message: string;
}

export interface SurveyLaunch {
  readonly attempt: number;
  /** The number of compared buffer elements that PTX defines. */
  readonly compared: number;
  readonly answers: readonly SurveyAnswer[];
  /**
   * The launch with the results of the reference as `expect`, if the results of an executor differ
   * or the executor fails.
   */
  readonly launch: Launch | undefined;
}

export interface SurveyedEntry {
  readonly launches: readonly SurveyLaunch[];
  /** The number of discarded attempts, by the reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

export interface SurveyEntryOptions {
  readonly executors: readonly KernelExecutor[];
  readonly seed: number;
  readonly attempts: number;
  /** The maximum number of launches of each kernel. */
  readonly launches: number;
  readonly timeoutMs?: number;
}

const tolerance = { rel: 1e-3, abs: 1e-3 };

export async function surveyEntry(
  module: Module,
  entry: PtxFunction,
  id: string,
  options: SurveyEntryOptions,
): Promise<SurveyedEntry> {
  const dropped: Record<string, number> = {};
  const launches: SurveyLaunch[] = [];
  const use = inferKernel(module, entry);
  const overaligned = isOveraligned(module, entry);
  let neverEnded = false;
  let makingMs = 0;
  for (let attempt = 0; attempt < options.attempts && launches.length < options.launches; attempt++) {
    if (neverEnded && !isSmallLaunch(attempt)) continue;
    if (makingMs > maxMakingMs) {
      dropped[tooSlow] = options.attempts;
      break;
    }
    const start = cpuMs();
    const kept = tryLaunch(module, entry, use, { id, seed: options.seed, attempt });
    makingMs += cpuMs() - start;
    if ('reason' in kept) {
      neverEnded ||= kept.reason === 'RUN014';
      const reason = kept.reason === 'RUN008' && hasHiddenPointer(use) ? hiddenPointer : kept.reason;
      dropped[reason] = (dropped[reason] ?? 0) + 1;
      if (kept.unsupported) break;
      continue;
    }
    const launch = isApproximate(module) ? withTolerances(kept.launch) : kept.launch;
    rememberKernel(launch, module);
    launches.push({ attempt, ...(await runEverywhere(launch, kept, { ...options, overaligned })) });
  }
  return { launches, dropped };
}

/** The maximum CPU time for drawing all launches of a kernel, in milliseconds. */
const maxMakingMs = 30_000;
const tooSlow = 'drawing launches takes too long';

const hiddenPointer = 'follows a pointer in a struct or in memory';
/** Whether the kernel needs a pointer that a case file cannot express. */
const hasHiddenPointer = ({ params, followsUnknown }: KernelUse): boolean =>
  followsUnknown ||
  params.some(({ variable, fields }) =>
    fields.some(({ use }) => use.kind === 'pointer' && (variable.array || use.holdsPointers)),
  );

/** Draws a launch. If the kernel needs larger buffers, draws it again with larger ones. */
export function tryLaunch(
  module: Module,
  entry: PtxFunction,
  use: KernelUse,
  options: Omit<DrawOptions, 'bufferBytes'>,
): Kept | Dropped {
  let result: Kept | Dropped = unfit;
  for (const bufferBytes of bufferSizes) {
    const drawn = drawLaunch(module, entry, use, { ...options, bufferBytes });
    if (drawn === undefined) return unfit;
    result = keepLaunch(module, drawn);
    const needed = 'reason' in result ? (result.neededBytes ?? 0) : 0;
    if (needed <= bufferBytes || needed > largestBuffer) return result;
  }
  return result;
}

/** The sizes of buffers to try, in bytes. The first size suffices for most kernels. */
const bufferSizes = [128 * 1024, 1024 * 1024, 4 * 1024 * 1024] as const;
const largestBuffer = 4 * 1024 * 1024;
const unfit = { reason: 'has parameters that a launch cannot provide', unsupported: true } as const;

/** Whether the module contains an instruction whose exact result PTX does not define. */
function isApproximate({ functions }: Module): boolean {
  return functions.some(({ body }) =>
    body.some(
      (statement) =>
        statement.kind === 'instruction' &&
        (Object.hasOwn(approximate, statement.row.name) || addsInAnyOrder(statement)),
    ),
  );
}

/**
 * Whether the instruction adds atomically to a floating-point number in memory, so that rounding
 * depends on the order of threads.
 */
const addsInAnyOrder = ({ row, mods }: Instruction): boolean =>
  row.kind === 'atomic' && mods.op === 'add' && /^b?f\d/.test(mods.type ?? 'none');

/**
 * The maximum alignment of shared variables that ptxas guarantees for sm_80 and later, in bytes. It
 * reserves the first KiB, and places a variable with a larger alignment directly after this KiB.
 */
const keptAlignment = 1024;

function isOveraligned({ variables, functions }: Module, entry: PtxFunction): boolean {
  const own = functions.filter((each) => each.kind === 'func' || each === entry).flatMap((each) => each.variables);
  return [...variables, ...own].some(({ space, align }) => space === 'shared' && align > keptAlignment);
}

function withTolerances(launch: Launch): Launch {
  const params = launch.params.map((param) =>
    param.kind === 'buffer' && (param.type === 'f32' || param.type === 'f64') ? { ...param, tolerance } : param,
  );
  return { ...launch, params };
}

const withoutTolerances = (launch: Launch): Launch => ({
  ...launch,
  params: launch.params.map((param) => {
    if (param.kind !== 'buffer') return param;
    const { tolerance: _, ...exact } = param;
    return exact;
  }),
});

async function runEverywhere(
  launch: Launch,
  kept: Kept,
  options: SurveyEntryOptions & { readonly overaligned: boolean },
): Promise<Omit<SurveyLaunch, 'attempt'>> {
  const { undefinedMasks, writers, printed } = kept;
  const known = { undefinedMasks, writers };
  const answers: SurveyAnswer[] = [];
  const outputs: Answer[] = [{ name: 'reference', outputs: kept.outputs }];
  const differences: { readonly executor: ExecutorName; readonly first: Mismatch }[] = [];
  for (const executor of options.executors) {
    const { name } = executor;
    if (options.overaligned && isNative(name)) {
      answers.push({
        executor: name,
        status: 'refused',
        message: 'ptxas does not guarantee the alignment of shared memory',
      });
      continue;
    }
    try {
      const limit = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
      const run = await executor.run(launch, limit);
      outputs.push({ name, outputs: run.outputs });
      const { first } = compareOutputs(launch, kept.outputs, run.outputs, known);
      const exact =
        first === undefined &&
        compareOutputs(withoutTolerances(launch), kept.outputs, run.outputs, known).mismatches === 0;
      const unoptimized =
        first !== undefined && isNative(name) && (await agreesUnoptimized(executor, launch, kept, limit));
      if (first !== undefined) differences.push({ executor: name, first });
      const line = run.printed && comparePrinted(printed, run.printed).first;
      if (first === undefined && line) {
        answers.push({ executor: name, status: 'differs', message: describeLine(line) });
        continue;
      }
      answers.push({
        executor: name,
        status: unoptimized ? 'optimizer' : first ? 'differs' : exact ? 'agrees' : 'close',
        message: '',
      });
    } catch (error) {
      const { status, errorKind, message } = failureOf(error, false);
      if (errorKind === 'unavailable') throw error;
      // A driver may lack a feature that a module needs: a target, 64-bit addresses, a function to
      // link.
      const refused = status === 'unsupported' || (isNative(name) && error instanceof KernelError);
      answers.push({ executor: name, status: refused ? 'refused' : 'failed', message });
    }
  }
  const { compared } = compareOutputs(launch, kept.outputs, kept.outputs, known);
  return {
    compared,
    answers: answers.map((answer) => {
      const difference = differences.find(({ executor }) => executor === answer.executor);
      return difference ? { ...answer, message: describe(launch, difference.first, outputs) } : answer;
    }),
    launch: answers.some(({ status }) => status === 'differs' || status === 'failed')
      ? withExpectations(launch, kept)
      : undefined,
  };
}

async function agreesUnoptimized(
  executor: KernelExecutor,
  launch: Launch,
  { outputs, undefinedMasks }: Kept,
  limit: { readonly timeoutMs?: number },
): Promise<boolean> {
  try {
    const run = await executor.run(launch, { ...limit, optimize: 0 });
    return compareOutputs(launch, outputs, run.outputs, { undefinedMasks }).mismatches === 0;
  } catch {
    return false;
  }
}

/** Describes the first difference and names the executors that agree with it. */
function describe(
  launch: Launch,
  { param, index, expected, got, expectedValue, gotValue, writer }: Mismatch,
  outputs: readonly Answer[],
): string {
  const at = launch.params.findIndex(({ name }) => name === param);
  const size = (expected.length - 2) / 2;
  const values = outputs.map(({ name, outputs: buffers }) => {
    const bytes = buffers.get(at)?.subarray(index * size, (index + 1) * size) ?? new Uint8Array();
    return { name, value: Buffer.from(bytes).toString('hex') };
  });
  const place = writer ? ` (block ${writer.block.join(',')}, warp ${writer.warp}, lane ${writer.lane})` : '';
  const agreement = agreementOf(values);
  return `${param}[${index}]${place}: expected ${expected} (${expectedValue}), got ${got} (${gotValue})${agreement ? `; ${agreement}` : ''}`;
}

function withExpectations(launch: Launch, { outputs, printed }: Kept): Launch {
  const params = launch.params.map((param, index) => {
    const expect = outputs.get(index);
    return param.kind === 'buffer' && expect ? { ...param, expect } : param;
  });
  return { ...launch, params, ...(printed.length === 0 ? {} : { prints: printed }) };
}
