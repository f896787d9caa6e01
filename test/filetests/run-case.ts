// Executes the WGSL of a case and compares the results with those of the reference interpreter.
import type { LanePlan } from '../../src/base/lane-plan.ts';
import type { LaunchOutputs } from '../../src/base/launch.ts';
import { runOnCpu } from '../../src/cpu-ref/executor.ts';
import { compareOutputs } from '../../src/harness/compare/compare.ts';
import { makeJob, readOutputs } from '../../src/harness/executors/kernel-job.ts';
import { statusCodes, statusPlaces, type WgslProgram } from '../../src/translate/index.ts';
import { runWgsl } from '../wgsl-interpreter/index.ts';
import { type Ending, planOf, type WgslCase } from './wgsl-cases.ts';

export interface Expected {
  readonly ends: Ending;
  readonly outputs: LaunchOutputs;
}

const endingOf: Readonly<Record<string, Ending>> = { RUN002: 'deadlock', RUN013: 'trap' };

/**
 * Returns the results of the reference interpreter. Throws an error if PTX leaves any of them
 * undefined, or if the launch does not end as the case states.
 */
export function expectedOf({ title, launch, ends }: WgslCase): Expected {
  const { status, failure, diagnostics, outputs, undefinedMasks } = runOnCpu(launch);
  const said = [
    ...diagnostics.map(({ message }) => message),
    ...(failure ? [`${failure.code} ${failure.message}`] : []),
  ];
  const found = status === 'done' ? 'done' : endingOf[failure?.code ?? ''];
  if (found !== ends)
    throw new Error(`${title}: the reference ends with \`${found ?? status}\`, not \`${ends}\`. ${said.join('; ')}`);
  if (ends === 'done' && undefinedMasks.size > 0) throw new Error(`${title}: PTX leaves a result undefined`);
  return { ends, outputs };
}

/**
 * Executes a program in subgroups of the plan's size. Throws an error that names the case and the
 * failure: a different result or ending, or WGSL that is not valid.
 */
export function checkCase(each: WgslCase, expected: Expected, planName: string, program: WgslProgram): void {
  const wrong = failureOf(each, expected, planOf(planName), program);
  if (wrong !== undefined) throw new Error(`\`${each.title}\` fails on the plan \`${planName}\`: ${wrong}`);
}

function failureOf({ launch }: WgslCase, expected: Expected, plan: LanePlan, program: WgslProgram): string | undefined {
  try {
    const result = runWgsl(makeJob(program, launch), {
      subgroupSize: plan.subgroupSize,
      invocationOrder: 'shuffled',
      seed: plan.subgroupSize,
      uniformSubgroups: true,
      races: (name) => name.startsWith('exchange'),
      maxSteps: 300_000,
    });
    const ends = endingIn(program, result.buffers);
    if (ends !== expected.ends) return `it ends with \`${ends}\`, not \`${expected.ends}\``;
    if (ends !== 'done') return undefined;
    const { mismatches, first } = compareOutputs(launch, expected.outputs, readOutputs(program, launch, result));
    if (first === undefined) return undefined;
    return `${mismatches} results differ, first that of thread ${first.index}: ${first.gotValue} instead of ${first.expectedValue}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function endingIn({ status }: WgslProgram, buffers: ReadonlyMap<number, Uint8Array>): Ending {
  const bytes = status && buffers.get(status.binding);
  const code = bytes && new Uint32Array(bytes.slice().buffer)[statusPlaces.code];
  if (code === statusCodes.trap) return 'trap';
  return code === statusCodes.deadlock ? 'deadlock' : 'done';
}
