// Runs a kernel that the judge has accepted on the GPU, and measures its time.
import type { ReferenceAnswer } from '../compiler/messages.ts';
import type { GpuClient } from '../gpu/client.ts';
import type { GpuInfo, MeasuredTime } from '../gpu/messages.ts';
import { type CompiledKernel, type Failure, findWrong, launchOf, launchText } from './check-outputs.ts';
import type { Lesson } from './lesson.ts';

export interface GpuResult {
  readonly info: GpuInfo;
  readonly failure: Failure | undefined;
  /** A description of the launch. */
  readonly launch: string;
  /** The time of a launch. Undefined on a software adapter, or if the result is wrong. */
  readonly time: MeasuredTime | undefined;
}

/** The page compares the outputs with the task's definition, so it needs no result of the reference. */
const noReference: ReferenceAnswer = {
  expected: undefined,
  undefinedMasks: new Map(),
  writers: new Map(),
  problem: '',
  findings: [],
  counters: [],
};

/** Opens the GPU, runs the kernel, and compares and measures it. Rejects with `WorkerError`. */
export async function checkOnGpu(
  gpu: GpuClient,
  lesson: Lesson,
  kernel: CompiledKernel,
  seed: number,
  say: (text: string) => void,
): Promise<GpuResult> {
  const info = await gpu.request('open', { float: 'exact' });
  const isSoftware = info.report.adapter?.software === true;
  // A software adapter is slow, and its time says nothing about a GPU.
  const size = isSoftware ? Math.max(...lesson.sizes) : lesson.timed;
  const launch = launchOf(lesson, kernel, size, seed);
  const { outputs } = await gpu.request('run', { launch, float: 'exact', reference: noReference }, say);
  const failure = findWrong(launch, outputs);
  const isMeasured = failure === undefined && !isSoftware;
  if (isMeasured) say('Measuring the time…');
  const time = isMeasured ? await gpu.request('measure', { launch, float: 'exact' }) : undefined;
  return { info, failure, launch: launchText(launch), time };
}
