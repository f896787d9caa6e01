// A compute shader that applies lane instructions: a translated kernel, one thread per vector.
import type { FloatProfile } from '../../src/base/float-profile.ts';
import type { Launch } from '../../src/base/launch.ts';
import type { Bits } from '../../src/cpu-ref/index.ts';
import { makeJob, readOutputs } from '../../src/harness/executors/kernel-job.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import type { GpuJob, GpuResult } from '../../src/runtime/device/job.ts';
import { planFor, translate } from '../../src/translate/index.ts';
import { blockSize, type LaneCase, laneKernel, type Placed, wordsOf } from './kernel.ts';

export interface LaneJob {
  readonly job: GpuJob;
  /** Returns the results of each case's vectors. */
  read(result: GpuResult): { laneCase: LaneCase; results: readonly (readonly Bits[])[] }[];
}

const SENTINEL = 0xdeadbeef;

/** Returns one job for all the cases. A case has at most `vectors` vectors. */
export function laneJob(label: string, cases: readonly LaneCase[], float: FloatProfile, vectors: number): LaneJob {
  const blocks = Math.ceil(vectors / blockSize);
  const rows = blocks * blockSize;
  const placed: Placed[] = [];
  let [input, output] = [0, 0];
  for (const laneCase of cases) {
    const inputWords = sumOf(laneCase.variant.sources.map(wordsOf));
    const outputWords = sumOf(laneCase.variant.results.map(wordsOf));
    placed.push({ laneCase, input, output, inputWords, outputWords });
    input += inputWords * rows;
    output += outputWords * rows;
  }
  const results = new Uint32Array(output).fill(SENTINEL);
  const launch: Launch = {
    id: label,
    group: 'lanes',
    ptx: laneKernel(placed),
    ptxFile: 'lanes.ptx',
    entry: 'lanes',
    grid: [blocks, 1, 1],
    block: [blockSize, 1, 1],
    sharedBytes: 0,
    params: [bufferOf('operands', operandWords(placed, input)), bufferOf('results', results)],
  };
  const { entry, block } = launch;
  const module = parsePtxOrThrow(launch.ptx, { file: launch.ptxFile });
  const { program, diagnostics } = translate(module, { entry, block, plan: planFor(1), float });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return {
    job: makeJob(program, launch),
    read: (result) => {
      const bytes = readOutputs(program, launch, result).get(1) ?? new Uint8Array();
      return readResults(placed, new Uint32Array(bytes.slice().buffer));
    },
  };
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

const bufferOf = (name: string, words: Uint32Array<ArrayBuffer>): Launch['params'][number] => ({
  name,
  kind: 'buffer',
  type: 'u32',
  bytes: words.byteLength,
  data: new Uint8Array(words.buffer),
});

function operandWords(placed: readonly Placed[], count: number): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(Math.max(count, 1));
  for (const { laneCase, input, inputWords } of placed) {
    laneCase.vectors.forEach((values, row) => {
      let at = input + row * inputWords;
      for (const value of values) {
        words[at++] = Number(BigInt.asUintN(32, BigInt(value)));
        if (typeof value === 'bigint') words[at++] = Number(value >> 32n);
      }
    });
  }
  return words;
}

function readResults(placed: readonly Placed[], words: Uint32Array): ReturnType<LaneJob['read']> {
  return placed.map(({ laneCase, output, outputWords }) => ({
    laneCase,
    results: laneCase.vectors.map((_, row) => {
      let at = output + row * outputWords;
      return laneCase.variant.results.map((result): Bits => {
        const low = words[at++] ?? 0;
        return wordsOf(result) === 1 ? low : BigInt(low) | (BigInt(words[at++] ?? 0) << 32n);
      });
    }),
  }));
}
