// Runs case files: each launch on each executor, compared with the case's `expect` and with the CPU reference.
import { type CompareOptions, type Comparison, compareOutputs, expectedOutputs, type Mismatch } from './compare.ts';
import { cpuExecutor } from './cpu-executor.ts';
import type { ExecutorRun, KernelExecutor } from './executors.ts';
import { type Failure, failureOf } from './failure.ts';
import type { Launch, LaunchOutputs } from './launch.ts';
import type { FirstMismatch, Result } from './results.ts';

export interface RunCaseOptions {
  readonly timeoutMs?: number;
  readonly color?: boolean;
  /// The path by which the case is run again.
  readonly path?: string;
  /// As `ValidateOptions.reproduceWith`.
  readonly reproduceWith?: string;
}

/// What the reference says of a launch: its outputs, or why there are none.
interface Reference {
  readonly run: ExecutorRun | undefined;
  readonly failure: Failure | undefined;
}

/// One result for each executor. Never throws for what is wrong with the case or the adapter: the result says it.
export async function runCase(
  launch: Launch,
  executors: readonly KernelExecutor[],
  options: RunCaseOptions = {},
): Promise<Result[]> {
  const reference = await referenceOf(launch, options);
  const results: Result[] = [];
  for (const executor of executors) results.push(await runOn(launch, executor, reference, options));
  return results;
}

async function referenceOf(launch: Launch, { color }: RunCaseOptions): Promise<Reference> {
  try {
    return { run: await cpuExecutor().run(launch), failure: undefined };
  } catch (error) {
    return { run: undefined, failure: failureOf(error, color === true) };
  }
}

async function runOn(
  launch: Launch,
  executor: KernelExecutor,
  reference: Reference,
  options: RunCaseOptions,
): Promise<Result> {
  const base = { id: launch.id, executor: executor.describe(), cases: 1 };
  const nothing = { compared: 0, undefined: 0, mismatches: 0, first: undefined, ms: 0 };
  try {
    const isReference = executor.name === 'cpu';
    if (isReference && reference.failure) return { ...base, ...nothing, ...reference.failure };
    const run = (isReference && reference.run) || (await executor.run(launch, limitOf(options)));
    return { ...base, ...judgeRun(launch, run, executor, reference, options), ms: run.ms };
  } catch (error) {
    return { ...base, ...nothing, ...failureOf(error, options.color === true) };
  }
}

function limitOf({ timeoutMs }: RunCaseOptions): { readonly timeoutMs?: number } {
  return timeoutMs === undefined ? {} : { timeoutMs };
}

type Judged = Pick<Result, 'status' | 'compared' | 'undefined' | 'mismatches' | 'first' | 'message' | 'errorKind'>;

/// `expect` decides where a case has it, the reference elsewhere; and the reference must itself agree with `expect`.
function judgeRun(
  launch: Launch,
  run: ExecutorRun,
  executor: KernelExecutor,
  reference: Reference,
  options: RunCaseOptions,
): Judged {
  const expected = expectedOutputs(launch);
  const { undefinedMasks, writers } = reference.run ?? {};
  const known: CompareOptions = { ...(undefinedMasks ? { undefinedMasks } : {}), ...(writers ? { writers } : {}) };
  const fromReference = executor.name === 'cpu' ? undefined : reference.run?.outputs;
  const wanted: LaunchOutputs = new Map([...(fromReference ?? []), ...expected]);
  const comparison = compareOutputs(launch, wanted, run.outputs, known);
  const notes = [...(run.note ? [run.note] : [])];
  if (reference.failure) notes.push(`not compared with the CPU reference: ${reference.failure.message}`);
  const disagreement = fromReference ? compareOutputs(launch, expected, fromReference, known) : undefined;
  const disputed = (disagreement?.mismatches ?? 0) > 0;
  if (disputed) notes.push(`the CPU reference itself differs from \`expect\` (${summary(disagreement?.first)})`);
  if (comparison.compared === 0) {
    notes.push(
      wanted.size === 0
        ? 'nothing to compare: the case has no `expect`'
        : 'nothing to compare: every element is undefined by PTX',
    );
    return { ...counts(comparison), status: 'error', errorKind: 'other', first: undefined, message: notes.join('\n') };
  }
  const failed = comparison.mismatches > 0 || disputed;
  return {
    ...counts(comparison),
    status: failed ? 'fail' : 'pass',
    errorKind: undefined,
    first: comparison.first && firstOf(comparison.first, launch, executor, options),
    message: notes.join('\n'),
  };
}

function counts({ compared, undefined: undefinedCount, mismatches }: Comparison) {
  return { compared, undefined: undefinedCount, mismatches };
}

function summary(mismatch: Mismatch | undefined): string {
  return mismatch ? `${mismatch.param}[${mismatch.index}]: ${mismatch.expected}, got ${mismatch.got}` : '';
}

function firstOf(
  { param, index, expected, got, expectedValue, gotValue, writer }: Mismatch,
  { id }: Launch,
  executor: KernelExecutor,
  { path, reproduceWith }: RunCaseOptions,
): FirstMismatch {
  const more = reproduceWith ? ` ${reproduceWith}` : '';
  return {
    element: `${param}[${index}]`,
    expected: `${expected} (${expectedValue})`,
    got: got === '' ? 'no output' : `${got} (${gotValue})`,
    ...(writer ? { block: writer.block.join(','), warp: writer.warp, lane: writer.lane } : {}),
    reproduce: `npx lanewise run ${path ?? id} --on ${executor.name}${more}`,
  };
}
