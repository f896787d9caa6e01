// Reductions over the lanes of a member mask.
import { bare } from '../cast.ts';
import { perSlot } from './match.ts';
import { identityOf, lowestBit, type ReductionHelper } from './prelude.ts';
import { among, memberMask } from './vote.ts';
import { everywhere, inMask, source, type WarpLowering, type WarpValue, type WarpWriter } from './warp-writer.ts';

const integerHelpers: Readonly<Record<string, ReductionHelper>> = {
  'add.u32': 'warp_add',
  'add.s32': 'warp_add',
  'min.u32': 'warp_min_u32',
  'max.u32': 'warp_max_u32',
  'min.s32': 'warp_min_s32',
  'max.s32': 'warp_max_s32',
};
const bitwiseHelpers: Readonly<Record<string, ReductionHelper>> = { and: 'warp_and', or: 'warp_or', xor: 'warp_xor' };

function helperFor(table: Readonly<Record<string, ReductionHelper>>, key: string): ReductionHelper {
  const helper = table[key];
  if (helper === undefined) throw new Error(`no reduction ${key}`);
  return helper;
}

/// Reduces `a` over each group of lanes that share a member mask. A known mask is one reduction, in which the other lanes take part with
/// the neutral element; masks that lanes bring along are walked
/// member by member or, where an invocation holds several lanes, taken one after the other.
function reduceGroups(w: WarpWriter, helper: ReductionHelper, a: WarpValue, mask: WarpValue): WarpValue {
  if (mask.constant !== undefined || mask.shared) {
    const { constant } = mask;
    const whole = constant === 0xffffffffn;
    const isMember = (s: string) =>
      constant === undefined ? `((${mask.at('0u')} >> ${w.lane.at(s)}) & 1u) != 0u` : inMask(w.lane.at(s), constant);
    const takesPart = (s: string) => {
      if (w.allActive) return bare(isMember(s));
      return whole ? w.active.at(s) : `${w.active.at(s)} && ${isMember(s)}`;
    };
    const part =
      w.allActive && whole
        ? a
        : w.each('u32', 'part', (s) => `select(${identityOf(helper)}, ${a.at(s)}, ${takesPart(s)})`);
    return everywhere('u32', w.reduce(helper, 'total', part));
  }
  if (w.plan.slots > 1) return reduceSlots(w, helper, a, mask);
  const exec = w.exec();
  const members = w.allActive ? mask : w.each('u32', 'members', (s) => `${mask.at(s)} & ${exec}`);
  return w.each('u32', 'total', (s) => w.call(`${helper}_group`, a.at(s), members.at(s), w.lane.at(s)));
}

/// Lanes in several slots: groups one after the other.
function reduceSlots(w: WarpWriter, helper: ReductionHelper, a: WarpValue, mask: WarpValue): WarpValue {
  const pending = w.fresh('pending');
  const result = w.fresh('result');
  const at = (s: string) => `${result}[${s}]`;
  w.line(`var ${result}: array<u32, ${w.plan.slots}>;`);
  w.line(`var ${pending} = ${w.exec()};`);
  w.open('loop');
  w.line(`if (${pending} == 0u) { break; }`);
  const leader = w.uniform('leader', lowestBit(pending));
  const shared = w.shuffle('leader_mask', mask, everywhere('u32', leader));
  const inGroup = w.each('bool', 'in_group', (s) => `${w.active.at(s)} && ${mask.at(s)} == ${shared.at(s)}`);
  const isMember = (s: string) => `${inGroup.at(s)} && ((${mask.at(s)} >> ${w.lane.at(s)}) & 1u) != 0u`;
  const group = w.ballot('group', inGroup.at);
  const part = w.each('u32', 'part', (s) => `select(${identityOf(helper)}, ${a.at(s)}, ${isMember(s)})`);
  const total = w.reduce(helper, 'total', part);
  perSlot(w, (s) => w.line(`${at(s)} = select(${at(s)}, ${total}, ${inGroup.at(s)});`));
  // The leader goes in any case, so that the loop ends.
  w.line(`${pending} &= ~(${group} | (1u << ${leader}));`);
  w.close();
  return { type: 'u32', at };
}

/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-redux-sync
export const reduxInteger: WarpLowering = (w, mods, sources) => ({
  d: reduceGroups(
    w,
    helperFor(integerHelpers, `${mods.op}.${mods.type}`),
    source(sources, 'a'),
    source(sources, 'membermask'),
  ),
});

export const reduxBitwise: WarpLowering = (w, mods, sources) => ({
  d: reduceGroups(w, helperFor(bitwiseHelpers, mods.op ?? ''), source(sources, 'a'), source(sources, 'membermask')),
});

/// f32 values as integers that order alike (-0 below +0): WGSL may assume that there are no NaNs and infinities, so no f32 builtin is used.
/// NaNs become the neutral element; the number of them decides what they do.
export const reduxFloat: WarpLowering = (w, mods, sources) => {
  const mask = source(sources, 'membermask');
  const smallest = mods.op === 'min';
  const helper: ReductionHelper = smallest ? 'warp_min_u32' : 'warp_max_u32';
  const raw = source(sources, 'a');
  const a = mods.abs ? w.each('u32', 'magnitude', (s) => `${raw.at(s)} & 0x7fffffffu`) : raw;
  const isNan = w.each('bool', 'is_nan', (s) => `(${a.at(s)} & 0x7fffffffu) > 0x7f800000u`);
  const key = w.each(
    'u32',
    'key',
    (s) =>
      `select(select(${a.at(s)} | 0x80000000u, ~${a.at(s)}, (${a.at(s)} >> 31u) != 0u), ${identityOf(helper)}, ${isNan.at(s)})`,
  );
  const best = reduceGroups(w, helper, key, mask);
  const value = w.each(
    'u32',
    'best',
    (s) => `select(~${best.at(s)}, ${best.at(s)} & 0x7fffffffu, (${best.at(s)} >> 31u) != 0u)`,
  );
  const nans = w.ballot('nans', (s) => (w.allActive ? isNan.at(s) : `${w.active.at(s)} && ${isNan.at(s)}`));
  const members = (s: string) => among(w.exec(), memberMask(sources), s);
  const result = (s: string) =>
    mods.NaN ? `(${nans} & ${members(s)}) != 0u` : `(${nans} & ${members(s)}) == ${members(s)}`;
  return { d: w.each('u32', 'result', (s) => `select(${value.at(s)}, 0x7fffffffu, ${result(s)})`) };
};
