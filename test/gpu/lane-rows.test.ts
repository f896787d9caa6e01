// Tests every lane instruction on the software adapters, translated for the float profile measured
// there, and compared with the reference.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FloatProfile } from '../../src/base/float-profile.ts';
import { groupBy } from '../../src/base/group-by.ts';
import { hasDawnDriver, openDawn } from '../../src/harness/webgpu/dawn/dawn.ts';
import type { DriverChoice } from '../../src/harness/webgpu/dawn/vulkan-drivers.ts';
import {
  doubleRows,
  floatPairRows,
  halfConvertRows,
  halfRows,
  packedIntegerRows,
  smallFloatRows,
  videoRows,
} from '../../src/isa/index.ts';
import type { GpuSession } from '../../src/runtime/device/job.ts';
import { preflight } from '../../src/runtime/preflight/preflight.ts';
import { effort, isLong } from '../effort.ts';
import { firstDifference } from '../lane-rows/judge.ts';
import type { LaneCase, Presentation } from '../lane-rows/kernel.ts';
import { randomWords, sourceVectors } from '../lane-rows/operand-values.ts';
import { laneJob } from '../lane-rows/shader.ts';
import { type Variant, variants } from '../lane-rows/variants.ts';
import { seed as runSeed } from '../seed.ts';

const VECTORS = 256;
const CASES_A_SHADER = 48;
const SEED = 20;
// LANEWISE_LANE_SEED=7 selects other operands and other forms. LANEWISE_DAWN=default adds this
// machine's own GPU.
const seed = Number(process.env.LANEWISE_LANE_SEED ?? SEED);

const halves: ReadonlySet<string> = new Set([...halfRows, ...halfConvertRows].map(({ name }) => name));
const doubles: ReadonlySet<string> = new Set(doubleRows.map(({ name }) => name));
const pairs: ReadonlySet<string> = new Set(
  [...packedIntegerRows, ...smallFloatRows, ...floatPairRows].map(({ name }) => name),
);
const videos: ReadonlySet<string> = new Set(videoRows.map(({ name }) => name));
const isOther = ({ row }: Variant): boolean => ![halves, doubles, pairs, videos].some((rows) => rows.has(row));

const among =
  (pattern: RegExp) =>
  (variant: Variant): boolean =>
    isOther(variant) && pattern.test(variant.row);

/** Groups of rows whose forms differ little, and which run together. */
const groups = {
  integers: (variant: Variant) => isOther(variant) && !/f32|^cvt$|^setp?(\.bool)?$/.test(variant.row),
  comparisons: among(/^setp?(\.bool)?$/),
  arithmetic: (variant: Variant) => among(/f32$/)(variant) && !/^set|^slct|approx/.test(variant.row),
  approximations: among(/\.approx\.f32$/),
  'float comparisons': among(/^(set|slct).*f32$/),
  conversions: among(/^cvt$/),
  doubles: ({ row }: Variant) => doubles.has(row),
  halves: ({ row }: Variant) => halves.has(row) && !row.startsWith('set'),
  'comparisons of halves': ({ row }: Variant) => halves.has(row) && row.startsWith('set'),
  pairs: ({ row }: Variant) => pairs.has(row),
  video: ({ row }: Variant) => videos.has(row),
} as const;
type GroupName = keyof typeof groups;
const groupNames: readonly GroupName[] = [
  'integers',
  'comparisons',
  'arithmetic',
  'approximations',
  'float comparisons',
  'conversions',
  'doubles',
  'halves',
  'comparisons of halves',
  'pairs',
  'video',
];

/**
 * An adapter and its forms. There are many forms, and software adapters compile slowly, so each row
 * runs only some of its forms, which depend on the seed. The interpreter runs all forms.
 */
interface Subject {
  readonly driver: DriverChoice;
  readonly strides: Readonly<Record<GroupName, number>>;
}

const subjects: readonly Subject[] = [
  {
    driver: { driver: 'swiftshader' },
    strides: {
      integers: 1,
      comparisons: 6,
      arithmetic: 1,
      approximations: 1,
      'float comparisons': 4,
      conversions: 1,
      doubles: 8,
      halves: 8,
      'comparisons of halves': 60,
      pairs: 1,
      video: 8,
    },
  },
  {
    driver: { driver: 'lavapipe', subgroupSize: 8 },
    strides: {
      integers: 4,
      comparisons: 30,
      arithmetic: 3,
      approximations: 1,
      'float comparisons': 12,
      conversions: 3,
      doubles: 24,
      halves: 24,
      'comparisons of halves': 200,
      pairs: 4,
      video: 24,
    },
  },
];

const everyForm: Subject['strides'] = {
  integers: 1,
  comparisons: 1,
  arithmetic: 1,
  approximations: 1,
  'float comparisons': 1,
  conversions: 1,
  doubles: 1,
  halves: 1,
  'comparisons of halves': 1,
  pairs: 1,
  video: 1,
};
const present: readonly Subject[] =
  process.env.LANEWISE_DAWN === 'default'
    ? [...subjects, { driver: { driver: 'default' }, strides: everyForm }]
    : subjects;

/**
 * Returns one of every `stride` forms of each row, and at least one of each row. In a short run,
 * half of the rows of a large group run, each on one adapter. The run's seed determines them.
 * `wgsl-lane-rows` executes each row in lockstep in each run.
 */
function selected(forms: readonly Variant[], stride: number, adapter: number): Variant[] {
  const rows = [...groupBy(forms, ({ row }) => row).values()];
  const shares = 2 * present.length;
  const isShared = !isLong && rows.length >= shares;
  const own = isShared ? rows.filter((_, index) => (index + runSeed) % shares === adapter) : rows;
  return own.flatMap((all) => {
    const step = Math.min(stride, all.length);
    return all.filter((_, index) => index % step === seed % step);
  });
}

/** Returns every form with register operands, and one other presentation of each, in rotation. */
function casesOf(forms: readonly Variant[]): LaneCase[] {
  const random = randomWords(seed);
  const others: readonly Presentation[] = ['crossed', 'constantLast', 'constant'];
  return forms.flatMap((variant, index) => {
    const laneCase = (presentation: Presentation): LaneCase => {
      const count = presentation === 'constant' ? 1 : VECTORS;
      return { variant, presentation, vectors: sourceVectors(variant, count, random) };
    };
    return [laneCase('declared'), laneCase(others[index % others.length] ?? 'constant')];
  });
}

async function differences(session: GpuSession, forms: readonly Variant[], float: FloatProfile): Promise<string[]> {
  const cases = casesOf(forms);
  const found: string[] = [];
  for (let start = 0; start < cases.length; start += CASES_A_SHADER) {
    const lane = laneJob('lane rows', cases.slice(start, start + CASES_A_SHADER), float, VECTORS);
    const result = await session.run(lane.job);
    found.push(...lane.read(result).flatMap(({ laneCase, results }) => firstDifference(laneCase, results) ?? []));
  }
  return found;
}

for (const [adapter, { driver, strides }] of present.entries()) {
  describe.skipIf(!hasDawnDriver(driver))(`dawn on ${driver.driver} (seed ${seed})`, () => {
    let session: GpuSession;
    let float: FloatProfile;

    beforeAll(async () => {
      session = await openDawn(driver);
      const measured = (await preflight(session)).float;
      float = { ...measured, mode: 'exact', fma: measured.fma === 'fused' ? 'fused' : 'unfused' };
    });
    afterAll(() => session?.close());

    test.each(groupNames)('%s', async (name) => {
      const forms = selected(variants.filter(groups[name]), strides[name] * effort(36, 1), adapter);
      expect(forms).not.toEqual([]);
      expect(await differences(session, forms, float)).toEqual([]);
    });

    const fastEvery = effort(30, 5);
    // The results of fast mode depend on the adapter. So only check that the adapter accepts the
    // shader, including its constants.
    test('accepts fast mode', async () => {
      const forms = variants.filter(groups.arithmetic).filter((_, index) => index % fastEvery === seed % fastEvery);
      const all = [...forms, ...variants.filter(groups.approximations)];
      await differences(session, all, { ...float, mode: 'fast' });
    });
  });
}
