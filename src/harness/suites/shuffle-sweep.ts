// Tests the whole operand space of the shuffles: every combination of lane, b, clamp and segment
// mask, for every mode. The kernel derives the operands from the number of its warp, so that only
// the results are transferred.
import { inRange, isShflMode, type ShflMode, shflSource } from '../../cpu-ref/warp/shfl.ts';
import { type IsaRow, warpRows } from '../../isa/index.ts';
import { type Geometry, launchOf, launchThreads, outputBuffer, threadAt, warpNumbers } from './geometry.ts';
import { allLanes, warpLanes } from './lanes.ts';
import { moduleText } from './module-text.ts';
import { random } from './random.ts';
import { instructionText, modChoices } from './rows/instruction-text.ts';
import { moduleDemands } from './rows/kernel-text.ts';
import { laneTag } from './rows/operand-values.ts';
import { suiteId } from './suite-id.ts';
import { type Batch, type Choice, everyDefined, hex, type Slot, type Suite, type SuiteGroup } from './types.ts';

const form = 'sweep';
/** The number of combinations of b, clamp and segment mask, which have 32 values each. */
const combinations = 32 ** 3;
const block = [256, 1, 1] as const;

interface SweepSuite extends Suite {
  readonly mode: ShflMode;
}

export function shuffleSweepGroups(): SuiteGroup[] {
  return warpRows.filter(({ name }) => name === 'shfl.sync' || name === 'shfl').map(sweepGroup);
}

function sweepGroup(row: IsaRow): SuiteGroup {
  const suites = modChoices(row).map((mods): SweepSuite => {
    const mode = modeOf(mods.mode);
    return { id: suiteId(row.name, mode, form), row: row.name, mods: mode, form, variants: 1, mode };
  });
  return {
    suites,
    blockWarps: block[0] / 32,
    warps: { sample: 1024, exhaustive: combinations },
    launchWarps: 4096,
    build: (choice) => buildSweep(row, suites, choice),
  };
}

function modeOf(text: string | undefined): ShflMode {
  if (isShflMode(text)) return text;
  throw new RangeError(`unknown shuffle mode ${text}`);
}

/**
 * Returns the order of the combinations: warp n tries combination `n * factor + start`. The factor
 * is odd, so the warps visit each combination once.
 */
function order(seed: number): { readonly factor: number; readonly start: number } {
  const rng = random(seed, form);
  return { factor: (rng.u32() | 1) >>> 0, start: rng.u32() };
}

function operandsAt(warp: number, seed: number): { readonly b: number; readonly c: number } {
  const { factor, start } = order(seed);
  const n = (Math.imul(warp, factor) + start) >>> 0;
  return { b: n & 31, c: ((n >>> 5) & 31) | (((n >>> 10) & 31) << 8) };
}

function buildSweep(row: IsaRow, suites: readonly SweepSuite[], choice: Choice): Batch {
  const chosen = suites.filter(({ id }) => choice.ids.has(id));
  const geometry: Geometry = { block, firstWarp: choice.firstWarp, warps: choice.warps };
  const threads = launchThreads(geometry);
  const stride = chosen.length * 2;
  const slots = chosen.map((suite, index) =>
    ['d', 'p'].map(
      (result, i): Slot => ({
        suite,
        variant: 0,
        instruction: stepText(row, suite.mode, index),
        result,
        param: 0,
        stride,
        offset: index * 2 + i,
        expected: new Uint32Array(threads),
        state: everyDefined(threads),
      }),
    ),
  );
  const operands = new Map(warpNumbers(geometry).map((warp) => [warp, operandsAt(warp, choice.seed)]));
  chosen.forEach(({ mode }, index) => {
    const [d, p] = slots[index] ?? [];
    for (const [warp, { b, c }] of operands) {
      for (const lane of warpLanes) {
        const thread = threadAt(geometry, warp, lane);
        if (thread === undefined || !d || !p) continue;
        const source = shflSource(mode, lane, b, c);
        d.expected[thread] = laneTag(warp * 32 + (source & 31));
        p.expected[thread] = source & inRange ? 1 : 0;
      }
    }
  });
  return {
    launch: launchOf(`${row.name}.${form}`, sweepText(row, chosen), geometry, [
      outputBuffer('out', threads * stride),
      { name: 'first_thread', kind: 'scalar', type: 'u32', value: choice.firstWarp * 32 },
      { name: 'factor', kind: 'scalar', type: 'u32', value: order(choice.seed).factor },
      { name: 'start', kind: 'scalar', type: 'u32', value: order(choice.seed).start },
    ]),
    geometry,
    slots: slots.flat(),
    describe(_, warp, lane) {
      const { b, c } = operands.get(warp) ?? { b: 0, c: 0 };
      return { a: hex(laneTag(warp * 32 + lane)), b: hex(b), c: hex(c) };
    },
    roles: () => ({
      executing: allLanes,
      exited: 0,
      ...(row.types.membermask === undefined ? {} : { membermask: warpLanes.map(() => allLanes) }),
    }),
  };
}

function stepText(row: IsaRow, mode: ShflMode, index: number): string {
  const operands = { d: `%d${index}`, p: `%p${index}`, a: '%a', b: '%b', c: '%c', membermask: '0xffffffff' };
  return `${instructionText(row, { mode }, operands)};`;
}

function sweepText(row: IsaRow, suites: readonly SweepSuite[]): string {
  const demands = moduleDemands(row);
  const results = suites.map((_, index) => index);
  const body = [
    `.reg .b64 %out, %offset;`,
    `.reg .b32 %thread, %t, %n, %a, %b, %c, %word, ${results.map((i) => `%d${i}`).join(', ')};`,
    `.reg .pred ${results.map((i) => `%p${i}`).join(', ')};`,
    'mov.u32 %thread, %tid.x;',
    'mov.u32 %t, %ctaid.x;',
    `mad.lo.u32 %thread, %t, ${block[0]}, %thread;`,
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %out, %out;',
    `mul.wide.u32 %offset, %thread, ${suites.length * 8};`,
    'add.s64 %out, %out, %offset;',
    '// The thread and warp in the whole suite; this launch is a part of it.',
    'ld.param.u32 %t, [p_first_thread];',
    'add.u32 %thread, %thread, %t;',
    'add.u32 %a, %thread, 1;',
    `mul.lo.u32 %a, %a, ${hex(laneTag(0))};`,
    'shr.u32 %n, %thread, 5;',
    'ld.param.u32 %t, [p_factor];',
    'mul.lo.u32 %n, %n, %t;',
    'ld.param.u32 %t, [p_start];',
    'add.u32 %n, %n, %t;',
    'and.b32 %b, %n, 31;',
    'bfe.u32 %c, %n, 10, 5;',
    'shl.b32 %c, %c, 8;',
    'bfe.u32 %t, %n, 5, 5;',
    'or.b32 %c, %c, %t;',
    ...suites.map(({ mode }, index) => stepText(row, mode, index)),
    ...suites.flatMap((_, index) => [
      `st.global.b32 [%out+${index * 8}], %d${index};`,
      `selp.u32 %word, 1, 0, %p${index};`,
      `st.global.b32 [%out+${index * 8 + 4}], %word;`,
    ]),
    'ret;',
  ];
  const parameters = '\n  .param .u64 p_out, .param .u32 p_first_thread, .param .u32 p_factor, .param .u32 p_start';
  return moduleText(parameters, body, demands);
}
