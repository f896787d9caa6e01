// Runs one kernel on the reference and on executors, and says where they differ.
import { compareOutputs, type Mismatch } from '../compare.ts';
import type { ExecutorName, KernelExecutor } from '../executors.ts';
import { failureOf } from '../failure.ts';
import type { Launch } from '../launch.ts';
import { printKernel } from './print.ts';
import { type Reference, type ReferenceOf, referenceOf } from './reference.ts';
import { dialects, type FuzzKernel } from './tree.ts';

/// - `mismatch`: an executor's results differ from the reference's
/// - anything else: an executor ended with an error of that kind (`unsupported` too: generated kernels use supported PTX alone)
export interface Disagreement {
  readonly executor: ExecutorName | 'reference';
  readonly kind: string;
  readonly message: string;
  readonly mismatch: Mismatch | undefined;
}

export interface Verdict {
  readonly launch: Launch;
  /// Why the kernel is no test; see `Reference`.
  readonly flaw: string | undefined;
  /// Elements compared, over all executors.
  readonly compared: number;
  readonly disagreement: Disagreement | undefined;
}

export interface JudgeOptions {
  readonly executors: readonly KernelExecutor[];
  readonly reference?: ReferenceOf;
  readonly timeoutMs?: number;
}

/// The first disagreement in the order of the executors. Errors that say nothing of the kernel (no adapter any more) are thrown.
export async function judgeKernel(kernel: FuzzKernel, options: JudgeOptions): Promise<Verdict> {
  const launch = printKernel(kernel);
  // The executors begin while the reference interprets.
  const running = options.executors
    .filter((executor) => canRun(executor, kernel))
    .map((executor) => start(executor, launch, options));
  let reference: Reference;
  try {
    reference = (options.reference ?? referenceOf)(launch);
  } catch (error) {
    await Promise.all(running);
    const { errorKind, message } = failureOf(error, false);
    const disagreement = {
      executor: 'reference',
      kind: errorKind ?? 'unsupported',
      message,
      mismatch: undefined,
    } as const;
    return { launch, flaw: undefined, compared: 0, disagreement };
  }
  const ended = await Promise.all(running);
  if (reference.flaw !== undefined) return { launch, flaw: reference.flaw, compared: 0, disagreement: undefined };
  let compared = 0;
  let disagreement: Disagreement | undefined;
  for (const { executor, outputs, failure } of ended) {
    if (failure) {
      disagreement ??= {
        executor,
        kind: failure.errorKind ?? failure.status,
        message: failure.message,
        mismatch: undefined,
      };
      continue;
    }
    const comparison = compareOutputs(launch, reference.outputs, outputs, { writers: reference.writers });
    compared += comparison.compared;
    if (comparison.first && !disagreement) {
      disagreement = { executor, kind: 'mismatch', message: describe(comparison.first), mismatch: comparison.first };
    }
  }
  return { launch, flaw: undefined, compared, disagreement };
}

async function start(executor: KernelExecutor, launch: Launch, { timeoutMs }: JudgeOptions) {
  const { name } = executor;
  try {
    const { outputs } = await executor.run(launch, timeoutMs === undefined ? {} : { timeoutMs });
    return { executor: name, outputs, failure: undefined };
  } catch (error) {
    const failure = failureOf(error, false);
    if (failure.errorKind === 'unavailable') throw error;
    return { executor: name, outputs: undefined, failure };
  }
}

/// No hardware at hand runs the newest target.
function canRun({ name }: KernelExecutor, { dialect }: FuzzKernel): boolean {
  return name !== 'cuda' || dialects[dialect].target !== dialects.newest.target;
}

function describe({ param, index, expected, got, writer }: Mismatch): string {
  const place = writer ? ` (block ${writer.block.join(',')}, warp ${writer.warp}, lane ${writer.lane})` : '';
  return `${param}[${index}]${place}: expected ${expected}, got ${got || 'nothing'}`;
}
