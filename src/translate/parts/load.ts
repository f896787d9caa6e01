// The list of the parts that a page loads on use, with the PTX that needs them.

import { type FloatProfile, flushesExactly } from '../../base/float-profile.ts';
import type { WorkaroundId, Workarounds } from '../../base/workarounds.ts';
import { provideHelpers } from '../../wgsl/helpers/library.ts';
import { mayLoop, mayNeedDispatch } from './control-flow.ts';

/** The properties of a device that decide which parts a kernel needs. */
export interface PartsTarget {
  readonly float: Pick<FloatProfile, 'mode' | 'denormals'>;
  readonly workarounds: Workarounds;
  /** The maximum number of invocations in a workgroup. */
  readonly maxInvocations: number;
}

interface PartOnUse {
  readonly name: string;
  /** Whether a kernel of the text may need the part. */
  readonly needs: (text: PtxText, target: PartsTarget) => boolean;
  readonly load: () => Promise<void>;
}

interface PtxText {
  readonly ptx: string;
  /** Whether lanes may act together. */
  readonly isCollective: boolean;
}

const contains =
  (pattern: RegExp) =>
  ({ ptx }: PtxText) =>
    pattern.test(ptx);

const collectives =
  /\b(bar|barrier|shfl|vote|match|redux|activemask|elect|call|brx|atom|red|volatile|relaxed|acquire|release|acq_rel|sc|membar|fence|mmio)\b|mma|matrix|mbarrier|cluster|\.async/;

/** The instructions that call functions with loops (`translate/tensor`). */
const tensors = /\btensormap\.|\.bulk\.tensor\b|\.multicast\b/;

/** Smaller texts have no large kernels. */
const minLarge = 2_000;

/** The workarounds with a pass of their own. */
const ownPasses: readonly WorkaroundId[] = ['hide-negative-zeros', 'select-by-votes', 'part-bit-tests'];

/** The maximum number of threads in a block. */
const maxBlock = 1024;

const partsOnUse: readonly PartOnUse[] = [
  {
    name: 'helpers',
    needs: contains(/f64|f16|tf32|mma|matrix|e\dm\d|s2f6|reduce\.async\.bulk\.tensor/),
    load: async () => provideHelpers((await import('../../wgsl/helpers/rare.ts')).rareHelpers),
  },
  {
    name: 'names',
    needs: contains(/\b_Z/),
    load: async () => (await import('../../ptx/parts/names.ts')).provideNames(),
  },
  {
    name: 'elementary',
    needs: contains(/\b(div|rcp|r?sqrt|sin|cos|lg2|ex2|tanh)\b/),
    load: async () => provideHelpers((await import('../../wgsl/helpers/elementary.ts')).elementaryHelpers),
  },
  {
    name: 'calls',
    needs: ({ ptx }) => /\bcall\b|\bmapa\b/.test(ptx) || tensors.test(ptx),
    load: async () => (await import('./calls.ts')).provideCalls(),
  },
  {
    name: 'loops',
    needs: ({ ptx }) => mayLoop(ptx) || tensors.test(ptx),
    load: async () => (await import('./loops.ts')).provideLoops(),
  },
  {
    name: 'matrices',
    needs: contains(/mma|matrix/),
    load: async () => (await import('./matrices.ts')).provideMatrices(),
  },
  {
    name: 'doubles',
    needs: contains(/f64|reduce\.async\.bulk\.tensor/),
    load: async () => (await import('./doubles.ts')).provideDoubles(),
  },
  {
    name: 'lanes',
    needs: contains(
      /f16|tf32|f32x2|e\dm\d|s2f6|[su](8|16)x[24]|bulk\.tensor|\b(v|dp[24]a)\w*\d|\bv(add|sub|absdiff|min|max|shl|shr|mad|set)/,
    ),
    load: async () => (await import('./lanes.ts')).provideRareLanes(),
  },
  {
    name: 'async',
    needs: contains(/mbarrier|cluster|async|mapa|tensormap/),
    load: async () => (await import('./async.ts')).provideAsync(),
  },
  {
    name: 'collectives',
    needs: ({ ptx, isCollective }, { maxInvocations }) =>
      maxInvocations < maxBlock || isCollective || mayNeedDispatch(ptx),
    load: async () => (await import('./collectives.ts')).provideCollectives(),
  },
  {
    name: 'atomics',
    needs: ({ ptx, isCollective }) => isCollective || /[busf](8|16)\b/.test(ptx),
    load: async () => (await import('./atomics.ts')).provideAtomics(),
  },
  {
    name: 'variables',
    // Arrays by value, and addresses of parameters, may become variables. An encoded kernel has its
    // registers in local memory.
    needs: ({ ptx }) =>
      ptx.length > minLarge ||
      /\.local|\.shared|alloca|bulk\.tensor|tensormap|\bcall\b|cvta\.param|\[\d+\]|\bmov\.[bu]\d+\s+[%$\w]+\s*,\s*[a-zA-Z_$]/.test(
        ptx,
      ),
    load: async () => (await import('./variables.ts')).provideVariables(),
  },
  {
    name: 'encode',
    needs: ({ ptx }) => ptx.length > minLarge,
    load: async () => (await import('./encode.ts')).provideEncode(),
  },
  {
    name: 'workarounds',
    needs: (_, { workarounds }) => ownPasses.some((id) => workarounds.has(id)),
    load: async () => (await import('./workarounds.ts')).provideWorkarounds(),
  },
  {
    name: 'guards',
    needs: (_, { float }) => flushesExactly(float),
    load: async () => (await import('./guards.ts')).provideGuards(),
  },
];

/** Returns the parts that a PTX text may need on a device. */
export function partsFor(ptx: string, target: PartsTarget): readonly PartOnUse[] {
  const text: PtxText = { ptx, isCollective: collectives.test(ptx) };
  return partsOnUse.filter(({ needs }) => needs(text, target));
}

/** Loads the parts that a PTX text may need on a device. */
export async function loadParts(ptx: string, target: PartsTarget): Promise<void> {
  await Promise.all(partsFor(ptx, target).map(({ load }) => load()));
}
