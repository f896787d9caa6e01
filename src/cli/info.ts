// `lanewise info`

import { describeMatrix } from '../base/matrix-config.ts';
import type { ExecutorChoice, ExecutorReport } from '../harness/executors/executor.ts';
import { openExecutor } from '../harness/executors/open-executor.ts';
import { jsonAdapter } from '../harness/report/json.ts';
import { describeExecutor } from '../harness/report/text.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { GpuError } from '../runtime/device/job.ts';
import type { Console } from './console.ts';
import { toJson, toolRecord } from './report-files.ts';

/** The executors that a machine may have. Only `cpu` is always available. */
const candidates: readonly { readonly name: ExecutorChoice; readonly adapter?: string }[] = [
  { name: 'cpu' },
  { name: 'chrome' },
  { name: 'firefox' },
  { name: 'dawn' },
  { name: 'dawn', adapter: 'swiftshader' },
  { name: 'dawn', adapter: 'lavapipe4' },
  { name: 'dawn', adapter: 'lavapipe8' },
  { name: 'dawn', adapter: 'lavapipe16' },
  { name: 'cuda' },
];

type Found = { readonly options: string } & (
  | { readonly report: ExecutorReport; readonly missing?: undefined }
  | { readonly missing: string; readonly report?: undefined }
);

export async function infoCommand(options: { readonly json?: boolean }, console: Console): Promise<number> {
  const found: Found[] = [];
  for (const { name, adapter } of candidates) {
    const entry = await tryOut(name, adapter);
    found.push(entry);
    if (!options.json) console.out(`${describe(entry, console)}\n`);
  }
  if (options.json) console.out(toJson({ schemaVersion: 1, tool: toolRecord(), executors: found.map(jsonFound) }));
  return found.some(({ report }) => report?.adapter) ? exitCodes.ok : exitCodes.unavailable;
}

async function tryOut(name: ExecutorChoice, adapter: string | undefined): Promise<Found> {
  const options = `--on ${name}${adapter ? ` --adapter ${adapter}` : ''}`;
  try {
    const executor = await openExecutor(name, { adapter });
    try {
      return { options, report: executor.describe() };
    } finally {
      await executor.close();
    }
  } catch (error) {
    if (!(error instanceof GpuError)) throw error;
    return { options, missing: error.message };
  }
}

function describe({ options, report, missing }: Found, { outColors }: Console): string {
  if (!report) {
    const [first = '', ...more] = missing.split('\n');
    return [`${outColors.red('✗')} ${options.padEnd(32)} ${first}`, ...more.map((line) => `    ${line}`)].join('\n');
  }
  const lines = [`${outColors.green('✓')} ${options.padEnd(32)} ${describeExecutor(report)}`];
  const { adapter, float, problems } = report;
  if (adapter) {
    const floats = Object.entries(float ?? {}).map(([key, value]) => `${key} ${value}`);
    lines.push(`    features: ${[...adapter.features].sort().join(', ')}`);
    lines.push(`    WGSL: ${[...adapter.wgslFeatures].sort().join(', ')}`);
    lines.push(`    f32: ${floats.join(', ')}`);
    if (report.matrices) lines.push(`    subgroup matrices: ${report.matrices.map(describeMatrix).join('; ')}`);
    lines.push(...(problems ?? []).map((problem) => `    ${outColors.yellow('problem')}: ${problem}`));
  }
  return lines.join('\n');
}

function jsonFound({ options, report, missing }: Found): object {
  if (!report) return { options, available: false, reason: missing };
  const { name, adapter, lanePlan } = report;
  return {
    options,
    available: true,
    executor: name,
    adapter: jsonAdapter(report),
    lanePlan: lanePlan ?? null,
    matrices: report.matrices ?? [],
    features: adapter?.features ?? [],
    wgslFeatures: adapter?.wgslFeatures ?? [],
    limits: adapter?.limits ?? {},
  };
}
