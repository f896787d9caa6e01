// The example programs as suites: fragments of PTX and of SASS, run over many warps.
import { fragmentEntry } from '../launches/fragment-kernel.ts';
import { type Example, examples } from './example-texts.ts';
import {
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadAt,
  warpNumbers,
} from './geometry.ts';
import { warpLanes } from './lanes.ts';
import { random } from './random.ts';
import { suiteId } from './suite-id.ts';
import { type Batch, type Choice, everyDefined, hex, type Slot, type Suite, type SuiteGroup } from './types.ts';

const row = 'example';
const form = 'fragment';
const block = [64, 1, 1] as const;

export function exampleGroups(): SuiteGroup[] {
  return examples.map((example) => {
    const suite: Suite = { id: suiteId(row, example.name, form), row, mods: example.name, form, variants: 1 };
    return {
      suites: [suite],
      blockWarps: 2,
      warps: { sample: 32, exhaustive: 1024 },
      launchWarps: 512,
      build: (choice) => buildBatch(suite, example, choice),
    };
  });
}

/** Draws the inputs of a warp: integers, whose f32 sums are exact in any order. */
function drawInputs(example: Example, warp: number, seed: number): number[] {
  const rng = random(seed, row, example.name, warp);
  return warpLanes.map(() => rng.below(2001) - 1000);
}

function buildBatch(suite: Suite, example: Example, { firstWarp, warps, seed }: Choice): Batch {
  const geometry: Geometry = { block, firstWarp, warps };
  const threads = launchThreads(geometry);
  const input = new Float32Array(threads);
  const expected = new Float32Array(threads);
  const cases = new Map(warpNumbers(geometry).map((warp) => [warp, drawInputs(example, warp, seed)]));
  for (const [warp, inputs] of cases) {
    for (const lane of warpLanes) {
      const thread = threadAt(geometry, warp, lane);
      if (thread === undefined) continue;
      input[thread] = inputs[lane] ?? 0;
      // `+ 0` turns -0 into +0, because an empty sum is +0, and so is the sum of x and -x.
      expected[thread] = example.expected(lane, inputs) + 0;
    }
  }
  const slot: Slot = {
    suite,
    variant: 0,
    instruction: example.text.trim().split('\n')[0] ?? '',
    result: example.output,
    param: 1,
    stride: 1,
    offset: 0,
    expected: new Uint32Array(expected.buffer),
    state: everyDefined(threads),
  };
  const launch = launchOf(`${row}.${example.name}`, example.text, geometry, [
    inputBuffer(`in_${example.input}`, new Uint32Array(input.buffer)),
    outputBuffer(`out_${example.output}`, threads),
  ]);
  return {
    launch: { ...launch, entry: fragmentEntry },
    geometry,
    slots: [slot],
    describe(_, warp, lane) {
      const value = cases.get(warp)?.[lane] ?? 0;
      return { [example.input]: `${value} (${hex(new Uint32Array(Float32Array.of(value).buffer)[0] ?? 0)})` };
    },
  };
}
