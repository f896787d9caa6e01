// `lanewise workarounds`
import { existsSync } from 'node:fs';
import type { Workaround } from '../base/workaround-registry.ts';
import {
  type CheckOptions,
  casePath,
  checkWorkaround,
  chosenWorkarounds,
  type RegisteredWorkaround,
  type WorkaroundCheck,
} from '../harness/bench/check-workarounds.ts';
import {
  type ExecutorChoice,
  isNative,
  isSoftware,
  type KernelExecutor,
  type MeasuringExecutor,
} from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { jsonAdapter } from '../harness/report/json.ts';
import { describeExecutor } from '../harness/report/text.ts';
import { exitCodeOf, exitCodes } from '../harness/runs/results.ts';
import { GpuError } from '../runtime/device/job.ts';
import { benchSelection, sampling, selectEntries } from './bench-selection.ts';
import { type Console, UsageError } from './console.ts';
import type { ExecutorOptions } from './options.ts';
import { toJson, toolRecord } from './report-files.ts';

export interface WorkaroundsCommandOptions extends Omit<ExecutorOptions, 'on'> {
  /** The executors on which to check. If it is undefined, the command only lists the registry. */
  readonly on?: readonly ExecutorChoice[];
}

export async function workaroundsCommand(
  ids: readonly string[],
  options: WorkaroundsCommandOptions,
  console: Console,
): Promise<number> {
  const rows = chosen(ids);
  const { on, json } = options;
  if (on === undefined) {
    if (json) console.out(toJson({ schemaVersion: 1, tool: toolRecord(), workarounds: rows }));
    else for (const row of rows) console.out(describeRow(row, console));
    return exitCodes.ok;
  }
  const [lacking] = rows.flatMap(({ effect, kernels }) =>
    effect === 'result' ? kernels.filter((kernel) => !existsSync(casePath(kernel))) : [],
  );
  if (lacking !== undefined)
    throw new UsageError(`${casePath(lacking)} is missing: the cases are in the repository, not in the package`);
  const reference = await openExecutor('cpu');
  try {
    const executors: object[] = [];
    const all: WorkaroundCheck[] = [];
    for (const choice of on) {
      if (choice === 'cpu' || isNative(choice))
        throw new UsageError(`--on ${choice}: workarounds concern shaders, which ${choice} does not run`);
      const { adapter, float, plan } = options;
      const executor = await openExecutor(choice, { adapter, float, plan });
      try {
        const checks = await checkOn(executor, rows, { ...options, all: ids.length === 0, reference }, console);
        all.push(...checks);
        executors.push({
          name: executor.name,
          adapter: jsonAdapter(executor.describe()),
          checks: checks.map(({ asIs, ...check }) => ({ ...check, status: asIs.status })),
        });
      } finally {
        await executor.close();
      }
    }
    if (json) console.out(toJson({ schemaVersion: 1, tool: toolRecord(), workarounds: rows, executors }));
    // The exit code depends only on the shader that the adapter normally uses, not on the shader
    // with a switched workaround.
    return exitCodeOf(all.map(({ asIs }) => asIs));
  } finally {
    await reference.close();
  }
}

function chosen(ids: readonly string[]): readonly RegisteredWorkaround[] {
  try {
    return chosenWorkarounds(ids);
  } catch (error) {
    if (error instanceof RangeError) throw new UsageError(error.message);
    throw error;
  }
}

interface Checking extends WorkaroundsCommandOptions {
  readonly reference: KernelExecutor;
  /** Whether no workaround was named, so that all are checked. */
  readonly all: boolean;
}

async function checkOn(
  executor: KernelExecutor & MeasuringExecutor,
  rows: readonly RegisteredWorkaround[],
  { requireHardware, timeout, json, reference, all }: Checking,
  console: Console,
): Promise<readonly WorkaroundCheck[]> {
  const software = isSoftware(executor);
  const name = describeExecutor(executor.describe());
  if (requireHardware && software)
    throw new GpuError('unavailable', `${name}: a software adapter, which --require-hardware refuses`);
  console.err(`${name}\n`);
  const options: CheckOptions = {
    reference,
    ...(timeout === undefined ? {} : { timeoutMs: timeout }),
    sampling: software ? sampling.software : sampling.hardware,
    entryOf(id) {
      const [entry] = selectEntries(benchSelection([id]), software).filter((one) => one.id === id);
      if (entry === undefined) throw new Error(`unknown benchmark ${id}`);
      return entry;
    },
  };
  const checks: WorkaroundCheck[] = [];
  for (const row of rows) {
    // The speed of a software adapter is not that of a GPU, so measure it only on request.
    if (row.effect === 'speed' && software && all) continue;
    for (const kernel of row.kernels) {
      const check = await checkWorkaround(row, kernel, executor, options);
      checks.push(check);
      (json ? console.err : console.out)(describeCheck(check, console));
    }
  }
  return checks;
}

function describeRow(row: RegisteredWorkaround, { outColors }: Console): string {
  const { id, effect, title, problem, seen, kernels, retry } = row;
  return [
    `${outColors.bold(id)} (${effect}; ${concernedText(row)})`,
    `    ${title}. ${problem}`,
    `    Seen: ${seen}. Kernels: ${kernels.join(', ')}. Try without it ${retry}.`,
    '',
  ].join('\n');
}

/**
 * Returns the drivers and compilers to which a workaround applies, such as `nvidia, tint`, or
 * `any driver` if it is not limited to certain ones.
 */
function concernedText({ drivers, compilers }: Workaround): string {
  const names = [...(drivers ?? []), ...(compilers ?? [])];
  return names.length === 0 ? 'any driver' : names.join(', ');
}

function describeCheck({ id, active, kernel, verdict, message }: WorkaroundCheck, { outColors }: Console): string {
  const isRight = verdict === 'needed' ? active : verdict === 'not needed';
  const mark = isRight ? outColors.green('✓') : outColors.red('✗');
  return `${mark} ${id} (${active ? 'on' : 'off'}), ${kernel}: ${verdict}; ${message}\n`;
}
