// `lanewise check`

import type { Launch } from '../base/launch.ts';
import { findingDiagnostic } from '../cpu-ref/executor.ts';
import { type InterpretResult, interpret } from '../cpu-ref/interpreter/interpret.ts';
import { KernelError } from '../harness/executors/executor.ts';
import { loadKernel } from '../harness/executors/load-kernel.ts';
import { readCase } from '../harness/launches/case-file-node.ts';
import { exitCodes } from '../harness/runs/results.ts';
import { renderDiagnostic } from '../ptx/index.ts';
import type { Console } from './console.ts';
import { toJson, toolRecord } from './report-files.ts';

/// Garbage in everything that the kernel does not write, so that results which depend on it show.
const seed = 1;

/// Exit code 1 if there is any finding.
export async function checkCommand(
  paths: readonly string[],
  options: { readonly json?: boolean },
  console: Console,
): Promise<number> {
  const launches = paths.map((path) => ({ path, launch: readCase(path) }));
  const checked: object[] = [];
  let findings = 0;
  for (const { path, launch } of launches) {
    const result = checkLaunch(launch);
    findings += result.findings.length;
    if (options.json) checked.push(jsonCheck(path, launch, result));
    else print(launch, result, console);
  }
  if (options.json) console.out(toJson({ schemaVersion: 1, tool: toolRecord(), results: checked }));
  return findings === 0 ? exitCodes.ok : exitCodes.mismatch;
}

/// Throws `KernelError` for PTX that cannot be interpreted.
function checkLaunch(launch: Launch): InterpretResult {
  const module = loadKernel(launch);
  const result = interpret(module, launch, { sanitize: true, seed });
  if (result.status === 'unsupported') throw new KernelError('unsupported', module.source, result.diagnostics);
  return result;
}

function print(launch: Launch, { findings }: InterpretResult, console: Console): void {
  const { green, red, isColorSupported: color } = console.outColors;
  if (findings.length === 0) {
    console.out(`${green('✓')} ${launch.id}: nothing found\n`);
    return;
  }
  console.out(`${red('✗')} ${launch.id}: ${findings.length === 1 ? 'a finding' : `${findings.length} findings`}\n`);
  const source = { file: launch.ptxFile, text: launch.ptx };
  for (const finding of findings) {
    console.out(`${renderDiagnostic(source, findingDiagnostic(finding), { color })}\n`);
  }
}

function jsonCheck(path: string, launch: Launch, { findings, status }: InterpretResult): object {
  return {
    id: launch.id,
    path,
    status: findings.length === 0 ? 'pass' : 'fail',
    finished: status === 'done',
    findings: findings.map(({ code, severity, message, span, hint, block, warp, lanes, count }) => ({
      code,
      severity,
      message,
      line: launch.ptx.slice(0, span.start).split('\n').length,
      hint,
      block,
      warp,
      lanes: `0x${lanes.toString(16).padStart(8, '0')}`,
      count,
    })),
  };
}
