// Suites of bar.warp.sync. The instruction has no result; it guarantees an order of memory
// accesses. In these suites, lanes exchange values through shared memory, twice.

import type { Dim3 } from '../../base/launch.ts';
import {
  existingLanes,
  type Geometry,
  inputBuffer,
  launchOf,
  launchThreads,
  outputBuffer,
  threadAt,
  threadsOf,
  warpNumbers,
  warpsOf,
} from './geometry.ts';
import { allLanes, disjointGroups, has, maskOf, properPart, warpLanes } from './lanes.ts';
import { moduleText } from './module-text.ts';
import { random } from './random.ts';
import { laneTag } from './rows/operand-values.ts';
import { suiteId } from './suite-id.ts';
import { type Batch, type Choice, hex, type Slot, type Suite, type SuiteGroup, state } from './types.ts';

const row = 'bar.warp.sync';

interface BarrierForm {
  readonly name: string;
  readonly block: Dim3;
  /** Whether the mask is an immediate operand. Otherwise the mask is in a register. */
  readonly immediate: boolean;
  readonly exits: boolean;
  readonly groups: boolean;
}

const forms: readonly BarrierForm[] = [
  { name: 'register', block: [64, 1, 1], immediate: false, exits: false, groups: false },
  { name: 'immediate', block: [64, 1, 1], immediate: true, exits: false, groups: false },
  { name: 'eight-warps', block: [256, 1, 1], immediate: true, exits: false, groups: false },
  { name: 'groups', block: [64, 1, 1], immediate: false, exits: false, groups: true },
  { name: 'exited', block: [64, 1, 1], immediate: false, exits: true, groups: false },
  { name: 'partial-warp', block: [45, 1, 1], immediate: true, exits: false, groups: false },
];

/**
 * The number of words of a thread's input: its value, the index of the shared word to read, its
 * mask, and whether the thread exits.
 */
const inputWords = 4;

/** The partners of a warp's lanes: lane i reads the word that lane `partners[i]` wrote. */
interface BarrierCase {
  readonly exits: number;
  readonly masks: readonly number[];
  readonly partners: readonly number[];
}

export function warpBarrierGroups(): SuiteGroup[] {
  return forms.map((form) => {
    const suite: Suite = { id: suiteId(row, '', form.name), row, mods: '', form: form.name, variants: 1 };
    return {
      suites: [suite],
      blockWarps: warpsOf(form.block),
      warps: { sample: 64, exhaustive: 2048 },
      launchWarps: 512,
      build: (choice) => buildBatch(suite, form, choice),
    };
  });
}

function drawCase(form: BarrierForm, geometry: Geometry, warp: number, seed: number): BarrierCase {
  const rng = random(seed, row, form.name, warp);
  const exists = existingLanes(geometry, warp);
  const exits = form.exits ? properPart(rng, exists) : 0;
  const able = (exists & ~exits) >>> 0;
  const masks = form.groups ? disjointGroups(rng, able) : warpLanes.map(() => allLanes);
  const partners = warpLanes.map((lane) => {
    const others = warpLanes.filter((other) => has(((masks[lane] ?? 0) & able) >>> 0, other));
    return others[rng.below(others.length)] ?? lane;
  });
  return { exits, masks, partners };
}

function buildBatch(suite: Suite, form: BarrierForm, { firstWarp, warps, seed }: Choice): Batch {
  const geometry: Geometry = { block: form.block, firstWarp, warps };
  const threads = launchThreads(geometry);
  const input = new Uint32Array(threads * inputWords);
  const expected = new Uint32Array(threads);
  const states = new Uint8Array(threads).fill(state.untouched);
  const cases = new Map(warpNumbers(geometry).map((warp) => [warp, drawCase(form, geometry, warp, seed)]));
  for (const [warp, { exits, masks, partners }] of cases) {
    const tag = (lane: number): number => laneTag(warp * 32 + lane);
    for (const lane of warpLanes) {
      const thread = threadAt(geometry, warp, lane);
      if (thread === undefined) continue;
      const partner = partners[lane] ?? lane;
      const firstInBlock = (thread % threadsOf(form.block)) - lane;
      input.set([tag(lane), firstInBlock + partner, masks[lane] ?? 0, has(exits, lane) ? 1 : 0], thread * inputWords);
      if (has(exits, lane)) continue;
      states[thread] = state.defined;
      // In the first round, a lane reads the partner's value. In the second round, it reads the
      // value that the partner read in the first.
      expected[thread] = tag(partners[partner] ?? partner);
    }
  }
  const slot: Slot = {
    suite,
    variant: 0,
    instruction: barrierText(form),
    result: 'd',
    param: 1,
    stride: 1,
    offset: 0,
    expected,
    state: states,
  };
  return {
    launch: launchOf(`${row}.${form.name}`, kernelText(form), geometry, [
      inputBuffer('in', input),
      outputBuffer('out', threads),
    ]),
    geometry,
    slots: [slot],
    describe(_, warp, lane) {
      const found = cases.get(warp);
      return {
        value: hex(laneTag(warp * 32 + lane)),
        'reads lane': String(found?.partners[lane] ?? lane),
        membermask: hex(found?.masks[lane] ?? 0),
        exited: hex(((found?.exits ?? 0) | ~maskOf((l) => threadAt(geometry, warp, l) !== undefined)) >>> 0),
      };
    },
    roles(_, warp) {
      const { exits = 0, masks = [] } = cases.get(warp) ?? {};
      return { executing: (existingLanes(geometry, warp) & ~exits) >>> 0, exited: exits, membermask: masks };
    },
  };
}

function barrierText({ immediate }: BarrierForm): string {
  return `bar.warp.sync ${immediate ? '0xffffffff' : '%mask'};`;
}

function kernelText(form: BarrierForm): string {
  const threads = threadsOf(form.block);
  const barrier = barrierText(form);
  const body = [
    `.shared .align 4 .b8 words[${threads * 4}];`,
    '.reg .b64 %in, %out, %offset;',
    '.reg .b32 %index, %t, %thread, %value, %mine, %theirs, %mask, %exits;',
    '.reg .pred %leaves;',
    'mov.u32 %index, %tid.x;',
    'mov.u32 %t, %ctaid.x;',
    `mad.lo.u32 %thread, %t, ${threads}, %index;`,
    'ld.param.u64 %in, [p_in];',
    'cvta.to.global.u64 %in, %in;',
    `mul.wide.u32 %offset, %thread, ${inputWords * 4};`,
    'add.s64 %in, %in, %offset;',
    'ld.param.u64 %out, [p_out];',
    'cvta.to.global.u64 %out, %out;',
    'mul.wide.u32 %offset, %thread, 4;',
    'add.s64 %out, %out, %offset;',
    'ld.global.v4.b32 {%value, %theirs, %mask, %exits}, [%in];',
    'setp.ne.u32 %leaves, %exits, 0;',
    '@%leaves exit;',
    'mov.u32 %t, words;',
    'shl.b32 %mine, %index, 2;',
    'add.u32 %mine, %mine, %t;',
    'shl.b32 %theirs, %theirs, 2;',
    'add.u32 %theirs, %theirs, %t;',
    'st.shared.b32 [%mine], %value;',
    barrier,
    'ld.shared.b32 %value, [%theirs];',
    '// No lane overwrites a word that a neighbor still reads.',
    barrier,
    'st.shared.b32 [%mine], %value;',
    barrier,
    'ld.shared.b32 %value, [%theirs];',
    'st.global.b32 [%out], %value;',
    'ret;',
  ];
  return moduleText('.param .u64 p_in, .param .u64 p_out', body);
}
