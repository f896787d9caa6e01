// How a lane plan votes, exchanges and reduces: the few functions that all warp lowerings rest on.
import type { LanePlan } from '../../translate/lane-plan.ts';

export type WarpHelper =
  | 'warp_ballot'
  | 'warp_shuffle'
  | 'warp_add'
  | 'warp_min_u32'
  | 'warp_max_u32'
  | 'warp_min_s32'
  | 'warp_max_s32'
  | 'warp_and'
  | 'warp_or'
  | 'warp_xor';

interface Reduction {
  readonly combine: (a: string, b: string) => string;
  readonly identity: string;
  /// The WGSL builtin over a subgroup, on a u32 expression.
  readonly builtin: (value: string) => string;
}

const signed = (name: string, a: string, b: string) => `bitcast<u32>(${name}(bitcast<i32>(${a}), bitcast<i32>(${b})))`;

const reductions: Readonly<Record<Exclude<WarpHelper, 'warp_ballot' | 'warp_shuffle'>, Reduction>> = {
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
export function identityOf(helper: keyof typeof reductions): string {
  return reductions[helper].identity;
}

/// WGSL of a helper under a plan; undefined where the call is written in line (see `callHelper`).
export function warpHelperCode(helper: WarpHelper, plan: LanePlan): string | undefined {
  if (plan.kind === 'native') return undefined;
  if (plan.kind === 'wide') return wideCode(helper, plan);
  return slottedCode(helper, plan);
}

/// WGSL of a call. In plans with slots the arguments are arrays.
export function callHelper(helper: WarpHelper, plan: LanePlan, args: readonly string[]): string {
  const [value = '', lane = ''] = args;
  if (plan.kind === 'native') {
    if (helper === 'warp_ballot') return `subgroupBallot(${value}).x`;
    if (helper === 'warp_shuffle') return `subgroupShuffle(${value}, ${lane})`;
    return reductions[helper].builtin(value);
  }
  if (plan.kind === 'wide') {
    if (helper === 'warp_ballot') return `warp_ballot(${value}, warp_in_subgroup)`;
    if (helper === 'warp_shuffle') return `subgroupShuffle(${value}, (warp_in_subgroup << 5u) | ${lane})`;
  }
  return `${helper}(${args.join(', ')})`;
}

function wideCode(helper: WarpHelper, plan: LanePlan): string | undefined {
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

function slottedCode(helper: WarpHelper, plan: LanePlan): string {
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
