// One kernel of a survey: launches that are made up until some say something, on every executor.
import { cpuMs } from '../../base/cpu-time.ts';
import type { Launch } from '../../base/launch.ts';
import { approximate } from '../../cpu-ref/index.ts';
import type { Instruction, Module, PtxFunction } from '../../ptx/ast.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { type Answer, agreementOf } from '../compare/answers.ts';
import { compareOutputs, type Mismatch } from '../compare/compare.ts';
import { type ExecutorName, isNative, type KernelExecutor } from '../executors/executor.ts';
import { rememberKernel } from '../executors/load-kernel.ts';
import { inferKernel, type KernelUse } from '../infer/index.ts';
import { failureOf } from '../runs/failure.ts';
import { type DrawOptions, drawLaunch, isSmallLaunch } from './draw-launch.ts';
import { type Dropped, type Kept, keepLaunch } from './keep-launch.ts';

/**
 * - `agrees`: by bits
 * - `close`: numbers within a thousandth, in a kernel with approximating instructions, or with floating-point sums whose order depends on the order of threads
 * - `optimizer`: natively alone, and not where the driver does not optimize (it may fuse a multiplication and an addition, for one)
 * - `differs`
 * - `refused`: not supported there
 * - `failed`: it ended with an error
 */
export type SurveyStatus = 'agrees' | 'close' | 'optimizer' | 'differs' | 'refused' | 'failed';

export interface SurveyAnswer {
  readonly executor: ExecutorName;
  readonly status: SurveyStatus;
  /** The first difference, or the error. */
  readonly message: string;
}

export interface SurveyLaunch {
  readonly attempt: number;
  /** Elements of the buffers that PTX defines. */
  readonly compared: number;
  readonly answers: readonly SurveyAnswer[];
  /** Where an executor differs or fails: the launch, with what the reference gives as `expect`. */
  readonly launch: Launch | undefined;
}

export interface SurveyedEntry {
  readonly launches: readonly SurveyLaunch[];
  /** Why attempts said nothing, and how many each. */
  readonly dropped: Readonly<Record<string, number>>;
}

export interface SurveyEntryOptions {
  readonly executors: readonly KernelExecutor[];
  readonly seed: number;
  readonly attempts: number;
  /** Launches that are run of each kernel, at most. */
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

/** Processor time for all launches that are made up for a kernel. */
const maxMakingMs = 30_000;
const tooSlow = 'takes too long to make launches for';

const hiddenPointer = 'follows a pointer that is in a struct or in memory';
/** What a case file has no way to give. */
const hasHiddenPointer = ({ params, followsUnknown }: KernelUse): boolean =>
  followsUnknown ||
  params.some(({ variable, fields }) =>
    fields.some(({ use }) => use.kind === 'pointer' && (variable.array || use.holdsPointers)),
  );

/** Makes a launch up, again with larger buffers where it needs them. */
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

/** Few kernels need more than the first. */
const bufferSizes = [128 * 1024, 1024 * 1024, 4 * 1024 * 1024] as const;
const largestBuffer = 4 * 1024 * 1024;
const unfit = { reason: 'has parameters that no launch can give', unsupported: true } as const;

/** Whether PTX leaves a result room anywhere in the module. */
function isApproximate({ functions }: Module): boolean {
  return functions.some(({ body }) =>
    body.some(
      (statement) =>
        statement.kind === 'instruction' &&
        (Object.hasOwn(approximate, statement.row.name) || addsInAnyOrder(statement)),
    ),
  );
}

/** Whether it adds to a number in memory, as other threads do, and each sum is rounded. */
const addsInAnyOrder = ({ row, mods }: Instruction): boolean =>
  row.kind === 'atomic' && mods.op === 'add' && /^b?f\d/.test(mods.type ?? 'none');

/**
 * The alignment of shared variables that ptxas keeps for sm_80 and later: the first KiB is reserved, and a variable with a larger alignment is placed right after
 * it.
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
        message: 'ptxas does not keep the alignment of shared memory',
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
      const printsDiffer = run.printed !== undefined && String([...run.printed.texts].sort()) !== String(printed);
      if (first === undefined && printsDiffer) {
        answers.push({ executor: name, status: 'differs', message: 'it printed other texts' });
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
      // A driver may lack what a module needs: a target, 64-bit addresses, a function to link.
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

/** The first difference, and who agrees with whom there. */
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
