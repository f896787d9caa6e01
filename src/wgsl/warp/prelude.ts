// How a lane plan votes, exchanges and reduces: the few functions that all warp lowerings rest on.
import type { LanePlan } from '../../base/lane-plan.ts';

/// Helpers that reduce a value over the warp.
export type ReductionHelper =
  | 'warp_add'
  | 'warp_min_u32'
  | 'warp_max_u32'
  | 'warp_min_s32'
  | 'warp_max_s32'
  | 'warp_and'
  | 'warp_or'
  | 'warp_xor';

/// Helpers that reduce a value over the members of a mask, which differs between lanes.
type GroupHelper = `${ReductionHelper}_group`;

type MatchHelper = 'warp_match_bit' | 'warp_match_any';

export type WarpHelper = 'warp_ballot' | 'warp_shuffle' | MatchHelper | ReductionHelper | GroupHelper;

/// WGSL of the position of a word's lowest one bit, 32 where there is none; `word` is atomic. Dawn writes `countTrailingZeros` as fifteen
/// instructions, this as three.
export const lowestBit = (word: string): string => `countOneBits(~${word} & (${word} - 1u))`;

interface Reduction {
  readonly combine: (a: string, b: string) => string;
  readonly identity: string;
  /// The WGSL builtin over a subgroup, on a u32 expression.
  readonly builtin: (value: string) => string;
}

const signed = (name: string, a: string, b: string) => `bitcast<u32>(${name}(bitcast<i32>(${a}), bitcast<i32>(${b})))`;

const reductions: Readonly<Record<ReductionHelper, Reduction>> = {
  warp_add: { combine: (a, b) => `${a} + ${b}`, identity: '0u', builtin: (v) => `subgroupAdd(${v})` },
  warp_min_u32: { combine: (a, b) => `min(${a}, ${b})`, identity: '0xffffffffu', builtin: (v) => `subgroupMin(${v})` },
  warp_max_u32: { combine: (a, b) => `max(${a}, ${b})`, identity: '0u', builtin: (v) => `subgroupMax(${v})` },
  warp_min_s32: {
    combine: (a, b) => signed('min', a, b),
    identity: '0x7fffffffu',
    builtin: (v) => `bitcast<u32>(subgroupMin(bitcast<i32>(${v})))`,
  },
  warp_max_s32: {
    combine: (a, b) => signed('max', a, b),
    identity: '0x80000000u',
    builtin: (v) => `bitcast<u32>(subgroupMax(bitcast<i32>(${v})))`,
  },
  warp_and: { combine: (a, b) => `${a} & ${b}`, identity: '0xffffffffu', builtin: (v) => `subgroupAnd(${v})` },
  warp_or: { combine: (a, b) => `${a} | ${b}`, identity: '0u', builtin: (v) => `subgroupOr(${v})` },
  warp_xor: { combine: (a, b) => `${a} ^ ${b}`, identity: '0u', builtin: (v) => `subgroupXor(${v})` },
};

/// The neutral element of a reduction, as WGSL.
export function identityOf(helper: ReductionHelper): string {
  return reductions[helper].identity;
}

/// WGSL of a helper under a plan; undefined where the call is written in line (see `callHelper`).
export function warpHelperCode(helper: WarpHelper, plan: LanePlan): string | undefined {
  if (helper === 'warp_match_bit') return matchBitCode(plan);
  if (helper === 'warp_match_any') return matchAnyCode(plan);
  if (isGroupHelper(helper)) return groupCode(helper, plan);
  if (plan.kind === 'native') return undefined;
  if (plan.kind === 'wide') return wideCode(helper, plan);
  return slottedCode(helper, plan);
}

/// WGSL of a call. In plans with slots the arguments are arrays.
export function callHelper(helper: WarpHelper, plan: LanePlan, args: readonly string[]): string {
  const [value = '', lane = ''] = args;
  if (helper === 'warp_match_bit' || helper === 'warp_match_any' || isGroupHelper(helper)) {
    return `${helper}(${[...args, ...(plan.kind === 'wide' ? ['warp_in_subgroup'] : [])].join(', ')})`;
  }
  if (plan.kind === 'native') {
    if (helper === 'warp_ballot') return `subgroupBallot(${value}).x`;
    if (helper === 'warp_shuffle') return `subgroupShuffle(${value}, ${lane})`;
    return reductions[helper].builtin(value);
  }
  if (plan.kind === 'wide') {
    if (helper === 'warp_ballot') return `warp_ballot(${value}, warp_in_subgroup)`;
    if (helper === 'warp_shuffle')
      return `subgroupShuffle(${value}, (warp_in_subgroup << 5u) | ${/^\w+$/.test(lane) ? lane : `(${lane})`})`;
  }
  return `${helper}(${args.join(', ')})`;
}

const isGroupHelper = (helper: WarpHelper): helper is GroupHelper => helper.endsWith('_group');

/// Plans with one lane an invocation. Each lane adds to its own what the next member has gathered, then the second next, the fourth next…:
/// in the lowest member that is the whole group, whatever groups there are. The lanes' numbers follow from mask and lane alone, so that
/// compilers take them out of loops.
function groupCode(helper: GroupHelper, plan: LanePlan): string {
  const wide = plan.kind === 'wide';
  const { combine, identity } = reductions[helper.slice(0, -'_group'.length) as ReductionHelper];
  const fetch = (value: string, lane: string) => callHelper('warp_shuffle', plan, [value, lane]);
  const steps = [1, 2, 4, 8, 16].flatMap((distance) => [
    ...Array.from({ length: distance >> 1 }, () => '  above &= above - 1u;'),
    `  let after_${distance} = ${fetch('total', `${lowestBit('above')} & 31u`)};`,
    `  total = ${combine('total', `select(${identity}, after_${distance}, above != 0u)`)};`,
  ]);
  return `// Reduces over the members of the lane's own mask.
fn ${helper}(value: u32, members: u32, lane: u32${wide ? ', warp_in_subgroup: u32' : ''}) -> u32 {
  var total = value;
  var above = members & (0xfffffffeu << lane);
${steps.join('\n')}
  return ${fetch('total', `${lowestBit('members')} & 31u`)};
}`;
}

/// What a helper calls.
export function calleesOf(helper: WarpHelper, plan: LanePlan): readonly WarpHelper[] {
  const ballot: readonly WarpHelper[] = plan.kind === 'wide' ? ['warp_ballot'] : [];
  if (helper === 'warp_match_bit') return ballot;
  return helper === 'warp_match_any' ? [...ballot, 'warp_match_bit'] : [];
}

/// Plans with one lane an invocation.
function matchBitCode(plan: LanePlan): string {
  const wide = plan.kind === 'wide';
  return `// Those of the lanes \`same\` whose value has that bit like the lane's own.
fn warp_match_bit(same: u32, value: u32, bit: u32${wide ? ', warp_in_subgroup: u32' : ''}) -> u32 {
  let is_set = (value & bit) != 0u;
  let lanes = ${callHelper('warp_ballot', plan, ['is_set'])};
  return same & select(~lanes, lanes, is_set);
}`;
}

/// Bits compared before looking whether they tell all values apart: few, for the small numbers that keys often are, then as many as
/// random values need.
const matchStages = [5, 13, 32] as const;

function matchAnyCode(plan: LanePlan): string {
  const wide = plan.kind === 'wide';
  const lines = matchStages.flatMap((end, stage) => {
    const indent = '  '.repeat(stage + 1);
    const from = matchStages[stage - 1] ?? 0;
    const outer = '  '.repeat(stage);
    // The shuffle stands alone: behind `&&` only some lanes would take part.
    const look =
      stage === 0
        ? []
        : [
            `${outer}let first_${stage} = ${callHelper('warp_shuffle', plan, ['value', lowestBit('same')])};`,
            `${outer}if (subgroupAny(executing && first_${stage} != value)) {`,
          ];
    const bits = Array.from({ length: end - from }, (_, index) => {
      const bit = `0x${(2 ** (from + index)).toString(16)}u`;
      return `${indent}same = ${callHelper('warp_match_bit', plan, ['same', 'value', bit])};`;
    });
    return [...look, ...bits];
  });
  const closing = matchStages.slice(1).map((_, index) => `${'  '.repeat(matchStages.length - 1 - index)}}`);
  return `// The executing lanes whose value is the lane's own, bit by bit, until each agrees with the lowest lane that it is left with.
fn warp_match_any(value: u32, executing: bool, exec: u32${wide ? ', warp_in_subgroup: u32' : ''}) -> u32 {
  var same = exec;
${[...lines, ...closing].join('\n')}
  return same;
}`;
}

function wideCode(helper: ReductionHelper | 'warp_ballot' | 'warp_shuffle', plan: LanePlan): string | undefined {
  if (helper === 'warp_shuffle') return undefined;
  if (helper === 'warp_ballot') {
    // A condition, not an index: some drivers index the ballot's vector wrongly.
    const word =
      plan.subgroupSize === 64
        ? 'select(ballot.x, ballot.y, warp_in_subgroup == 1u)'
        : 'select(select(ballot.x, ballot.y, warp_in_subgroup == 1u), select(ballot.z, ballot.w, warp_in_subgroup == 3u), warp_in_subgroup >= 2u)';
    return `// The 32 bits of this warp in the subgroup's ballot.
fn warp_ballot(predicate: bool, warp_in_subgroup: u32) -> u32 {
  let ballot = subgroupBallot(predicate);
  return ${word};
}`;
  }
  const { combine } = reductions[helper];
  const steps = [16, 8, 4, 2, 1].map(
    (distance) => `  total = ${combine('total', `subgroupShuffleXor(total, ${distance}u)`)};`,
  );
  return `// A butterfly over the 32 lanes of this warp; the subgroup holds several.
fn ${helper}(value: u32) -> u32 {
  var total = value;
${steps.join('\n')}
  return total;
}`;
}

function slottedCode(helper: ReductionHelper | 'warp_ballot' | 'warp_shuffle', plan: LanePlan): string {
  const { slots, subgroupSize: size } = plan;
  const portable = plan.kind === 'portable';
  if (helper === 'warp_ballot') {
    const bit = portable ? 'u32(predicate[s]) << s' : `subgroupBallot(predicate[s]).x << (s * ${size}u)`;
    return `// The predicates of all 32 lanes, ${portable ? 'which are this invocation’s' : `${size} a subgroup ballot`}.
fn warp_ballot(values: array<bool, ${slots}>) -> u32 {
  var predicate = values;
  var ballot = 0u;
  for (var s = 0u; s < ${slots}u; s++) {
    ballot |= ${bit};
  }
  return ballot;
}`;
  }
  if (helper === 'warp_shuffle') {
    const body = portable
      ? '    result[s] = value[lane[s]];'
      : `    for (var k = 0u; k < ${slots}u; k++) {
      let candidate = subgroupShuffle(value[k], lane[s] % ${size}u);
      result[s] = select(result[s], candidate, lane[s] / ${size}u == k);
    }`;
    return `// The value of lane[s], for each lane.
fn warp_shuffle(values: array<u32, ${slots}>, lanes: array<u32, ${slots}>) -> array<u32, ${slots}> {
  var value = values;
  var lane = lanes;
  var result: array<u32, ${slots}>;
  for (var s = 0u; s < ${slots}u; s++) {
${body}
  }
  return result;
}`;
  }
  const { combine, identity, builtin } = reductions[helper];
  return `fn ${helper}(values: array<u32, ${slots}>) -> u32 {
  var value = values;
  var total = ${identity};
  for (var s = 0u; s < ${slots}u; s++) {
    total = ${combine('total', 'value[s]')};
  }
  return ${portable ? 'total' : builtin('total')};
}`;
}
