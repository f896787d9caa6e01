// The special registers that identify a thread's lane and warp, in blocks of several shapes.

import type { Dim3 } from '../../base/launch.ts';
import {
  type Geometry,
  launchOf,
  launchThreads,
  outputBuffer,
  threadAt,
  threadsOf,
  warpNumbers,
  warpsOf,
} from './geometry.ts';
import { bit, warpLanes } from './lanes.ts';
import { moduleText } from './module-text.ts';
import { suiteId } from './suite-id.ts';
import {
  type Batch,
  type Choice,
  everyDefined,
  type NativeNote,
  type Slot,
  type Suite,
  type SuiteGroup,
} from './types.ts';

const row = 'special';

interface SpecialRegister {
  readonly text: string;
  readonly value: (lane: number, warp: number, warps: number) => number;
  readonly native?: NativeNote;
}

/**
 * A note for registers whose values PTX does not define. The PTX manual says that `%warpid` "is
 * volatile and returns the location of a thread at the moment when read", and that `%nwarpid`
 * returns "the maximum number of warp identifiers".
 */
const placeOfWarp: NativeNote = {
  runs: true,
  why: 'PTX does not define the order of %warpid and the value of %nwarpid',
};

/**
 * By the register's name: the register in PTX, and its value in a lane of a warp of a block with
 * `warps` warps.
 */
const registers: Readonly<Record<string, SpecialRegister>> = {
  laneid: { text: '%laneid', value: (lane) => lane },
  warpid: { text: '%warpid', value: (_, warp) => warp, native: placeOfWarp },
  nwarpid: { text: '%nwarpid', value: (_lane, _warp, warps) => warps, native: placeOfWarp },
  WARP_SZ: { text: 'WARP_SZ', value: () => 32 },
  lanemask_eq: { text: '%lanemask_eq', value: (lane) => bit(lane) },
  lanemask_lt: { text: '%lanemask_lt', value: (lane) => bit(lane) - 1 },
  lanemask_le: { text: '%lanemask_le', value: (lane) => bit(lane) - 1 + bit(lane) },
  lanemask_ge: { text: '%lanemask_ge', value: (lane) => 2 ** 32 - bit(lane) },
  lanemask_gt: { text: '%lanemask_gt', value: (lane) => 2 ** 32 - 2 * bit(lane) },
};

const shapes: Readonly<Record<string, Dim3>> = {
  'one-warp': [32, 1, 1],
  'eight-warps': [256, 1, 1],
  'block-2d': [16, 12, 1],
  'block-3d': [4, 6, 5],
  'partial-warp': [45, 1, 1],
};

export function specialRegisterGroups(): SuiteGroup[] {
  return Object.entries(shapes).map(([form, block]) => {
    const suites = Object.keys(registers).map(
      (name): Suite => ({ id: suiteId(row, name, form), row, mods: name, form, variants: 1, ...nativeOf(name) }),
    );
    return {
      suites,
      blockWarps: warpsOf(block),
      warps: { sample: 32, exhaustive: 256 },
      launchWarps: 256,
      build: (choice) => buildBatch(suites, block, choice),
    };
  });
}

function nativeOf(name: string): Pick<Suite, 'native'> {
  const native = registers[name]?.native;
  return native ? { native } : {};
}

function buildBatch(suites: readonly Suite[], block: Dim3, { ids, firstWarp, warps }: Choice): Batch {
  const chosen = suites.filter(({ id }) => ids.has(id));
  const geometry: Geometry = { block, firstWarp, warps };
  const threads = launchThreads(geometry);
  const slots = chosen.map(
    (suite, offset): Slot => ({
      suite,
      variant: 0,
      instruction: moveText(suite, offset),
      result: 'd',
      param: 0,
      stride: chosen.length,
      offset,
      expected: new Uint32Array(threads),
      state: everyDefined(threads),
    }),
  );
  const perBlock = warpsOf(block);
  for (const slot of slots) {
    const value = registers[slot.suite.mods]?.value;
    for (const warp of warpNumbers(geometry)) {
      for (const lane of warpLanes) {
        const thread = threadAt(geometry, warp, lane);
        if (thread !== undefined && value) slot.expected[thread] = value(lane, (warp - firstWarp) % perBlock, perBlock);
      }
    }
  }
  return {
    launch: launchOf(`${row}.${block.join('x')}`, kernelText(chosen, block), geometry, [
      outputBuffer('out', threads * chosen.length),
    ]),
    geometry,
    slots,
    describe: () => ({}),
  };
}

function moveText({ mods }: Suite, index: number): string {
  return `mov.u32 %r${index}, ${registers[mods]?.text ?? ''};`;
}

function kernelText(suites: readonly Suite[], block: Dim3): string {
  const body = [
    '.reg .b64 %out, %offset;',
    '.reg .b32 %thread, %t, %n;',
    `.reg .b32 %r<${suites.length}>;`,
    'mov.u32 %thread, %tid.z;',
    ...['y', 'x'].flatMap((axis) => [
      `mov.u32 %n, %ntid.${axis};`,
      `mov.u32 %t, %tid.${axis};`,
      'mad.lo.u32 %thread, %thread, %n, %t;',
    ]),
    'mov.u32 %t, %ctaid.x;',
    `mad.lo.u32 %thread, %t, ${threadsOf(block)}, %thread;`,
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %out, %out;',
    `mul.wide.u32 %offset, %thread, ${suites.length * 4};`,
    'add.s64 %out, %out, %offset;',
    ...suites.map(moveText),
    ...suites.map((_, index) => `st.global.b32 [%out+${index * 4}], %r${index};`),
    'ret;',
  ];
  return moduleText('.param .u64 p_out', body);
}
