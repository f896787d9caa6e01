// Reductions over the lanes of a membermask.
import { InternalError, missing } from '../../base/invariants.ts';
import { exchangesInWorkgroup } from '../../base/lane-plan.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name } from '../tree/nodes.ts';
import { anyInSubgroup, lowestBit, type ReductionHelper, reductions } from './reductions.ts';
import { among, memberMask } from './vote.ts';
import {
  bitsOf,
  constantU32,
  everywhere,
  hasBit,
  inMask,
  source,
  type WarpLowering,
  type WarpValue,
  type WarpWriter,
} from './warp-writer.ts';

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
  if (helper === undefined) throw new InternalError(`no reduction ${key}`);
  return helper;
}

/**
 * Reduces `a` over each group of lanes with the same membermask. A known mask needs one reduction,
 * to which the other lanes contribute the neutral element. A mask that is known only at run time
 * needs one reduction if a vote finds a single group. If there are several groups, they are reduced
 * member by member, or one after another if an invocation contains several lanes.
 */
function reduceGroups(writer: WarpWriter, helper: ReductionHelper, a: WarpValue, mask: WarpValue): WarpValue {
  if (mask.constant === undefined && !mask.shared) {
    if (writer.plan.slots > 1) return reduceSlots(writer, helper, a, mask);
    return exchangesInWorkgroup(writer.plan)
      ? reduceMembers(writer, helper, a, mask)
      : reduceOneGroup(writer, helper, a, mask);
  }
  const { constant } = mask;
  const isWhole = constant === 0xffff_ffffn;
  const isMember = (s: Expr) =>
    constant === undefined ? hasBit(mask.at(s), writer.lane.at(s)) : inMask(writer.lane.at(s), constant);
  const takesPart = (s: Expr) => {
    if (mask.namesGuarded) return writer.guarded(s);
    return isWhole ? writer.active(s) : writer.amongActive(s, isMember(s));
  };
  const part =
    writer.allActive && isWhole
      ? a
      : writer.each('u32', 'part', (s) => w.select(takesPart(s), a.at(s), reductions[helper].identity));
  return everywhere(writer.reduce(helper, 'total', part));
}

function reduceMembers(writer: WarpWriter, helper: ReductionHelper, a: WarpValue, mask: WarpValue): WarpValue {
  const exec = writer.exec();
  const members = writer.allActive ? mask : writer.each('u32', 'members', (s) => w.and(mask.at(s), exec));
  return writer.each('u32', 'total', (s) => writer.call(`${helper}_group`, a.at(s), members.at(s), writer.lane.at(s)));
}

/**
 * First reduces over all executing lanes. This is the result if each lane's membermask contains all
 * of these lanes. On an H200, this costs less than a test before the reduction. All lanes of the
 * subgroup take the same branch.
 */
function reduceOneGroup(writer: WarpWriter, helper: ReductionHelper, a: WarpValue, mask: WarpValue): WarpValue {
  const slot = w.u32(0);
  const exec = writer.exec();
  const result = writer.variable('u32', 'total').at(slot);
  const part = writer.allActive
    ? a
    : writer.each('u32', 'part', (s) => w.select(writer.active(s), a.at(s), reductions[helper].identity));
  writer.push(w.assign(result, writer.reduce(helper, 'whole', part)));
  const isNative = writer.plan.kind === 'native';
  const named = isNative ? writer.define('named', membersAt(writer, mask, slot)) : membersAt(writer, mask, slot);
  // Each executing lane is in its own membermask, so the mask of one lane shows whether its group
  // is the only one. Drivers recognize that the value is uniform.
  const first = isNative && writer.allWanted ? firstMask(writer, named) : undefined;
  const isOther = writer.amongActive(slot, w.ne(named, exec));
  const groups = writer.nest(() => {
    if (isNative) reduceTwoGroups(writer, helper, { a, mask, named, first, result });
    else writer.push(w.assign(result, reduceMembers(writer, helper, a, mask).at(slot)));
  });
  writer.push(w.when(first ? w.ne(first, exec) : anyInSubgroup(writer, isOther), groups));
  return everywhere(result);
}

const membersAt = (writer: WarpWriter, mask: WarpValue, slot: Expr): Expr =>
  writer.allActive ? mask.at(slot) : w.and(mask.at(slot), writer.exec());

/** Returns the membermask of the first executing lane. */
function firstMask(writer: WarpWriter, named: Expr): Expr {
  const leader = writer.allActive ? constantU32(0n) : everywhere(lowestBit(writer.exec()));
  return writer.shuffle('first', everywhere(named), leader).at(w.u32(0));
}

interface TwoGroups {
  readonly a: WarpValue;
  readonly mask: WarpValue;
  readonly named: Expr;
  readonly first: Expr | undefined;
  readonly result: Expr;
}

/** Emits two reductions for two groups. The first executing lane is in one of these groups. */
function reduceTwoGroups(writer: WarpWriter, helper: ReductionHelper, groups: TwoGroups): void {
  const { a, mask, named, result } = groups;
  const slot = w.u32(0);
  const { identity } = reductions[helper];
  const first = groups.first ?? firstMask(writer, named);
  const isFirst = writer.define('is_first', writer.amongActive(slot, w.eq(named, first)));
  const isRest = writer.define('is_rest', writer.amongActive(slot, w.ne(named, first)));
  // Lanes that a guard excludes also execute this code, with a mask that does not contain them.
  const isNamed = (isIn: Expr) => (writer.allWanted ? isIn : w.both(isIn, hasBit(named, writer.lane.at(slot))));
  const part = (isIn: Expr) => everywhere(w.select(isNamed(isIn), a.at(slot), identity));
  const one = writer.reduce(helper, 'one', part(isFirst));
  const other = writer.reduce(helper, 'other', part(isRest));
  const isMore = w.both(isRest, w.ne(named, w.and(writer.exec(), w.complement(first))));
  const walk = writer.nest(() => {
    writer.push(w.assign(result, reduceMembers(writer, helper, a, mask).at(slot)));
  });
  writer.push(w.assign(result, w.select(isFirst, one, other)));
  writer.push(w.when(anyInSubgroup(writer, isMore), walk));
}

/** Reduces one group after another, for an invocation that contains several lanes. */
function reduceSlots(writer: WarpWriter, helper: ReductionHelper, a: WarpValue, mask: WarpValue): WarpValue {
  const result = writer.variable('u32', 'result');
  const name = new Name('pending');
  const pending = w.ref(name, 'u32');
  writer.push(w.variable(name, 'u32', writer.exec()));
  const body = writer.nest(() => {
    writer.push(w.when(w.eq(pending, w.u32(0)), [w.leave]));
    const leader = writer.define('leader', lowestBit(pending));
    const shared = writer.shuffle('leader_mask', mask, everywhere(leader));
    const inGroup = writer.each('bool', 'in_group', (s) => writer.amongActive(s, w.eq(mask.at(s), shared.at(s))));
    const isMember = (s: Expr) => w.both(inGroup.at(s), hasBit(mask.at(s), writer.lane.at(s)));
    const group = writer.ballot('group', inGroup.at);
    const part = writer.each('u32', 'part', (s) => w.select(isMember(s), a.at(s), reductions[helper].identity));
    const total = writer.reduce(helper, 'total', part);
    writer.eachSlot((s) => writer.push(w.assign(result.at(s), w.select(inGroup.at(s), total, result.at(s)))));
    // The leader is always removed, so the loop ends.
    writer.push(w.update(pending, '&', w.complement(w.or(group, w.shl(w.u32(1), leader)))));
  });
  writer.push(w.loop(body));
  return result;
}

/** https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-redux-sync */
export const reduxInteger: WarpLowering = (writer, mods, sources) => {
  const helper = helperFor(integerHelpers, `${mods.op}.${mods.type}`);
  return { d: reduceGroups(writer, helper, source(sources, 'a'), source(sources, 'membermask')) };
};

export const reduxBitwise: WarpLowering = (writer, mods, sources) => {
  const helper = helperFor(bitwiseHelpers, mods.op ?? missing('the operation of redux'));
  return { d: reduceGroups(writer, helper, source(sources, 'a'), source(sources, 'membermask')) };
};

/**
 * Lowers `redux` of f32 values. Maps the values to integers with the same order (-0 is below +0).
 * No f32 builtin is used, because WGSL may assume that NaNs and infinities do not occur. NaNs
 * become the neutral element. The number of NaNs determines whether the result is a NaN.
 */
export const reduxFloat: WarpLowering = (writer, mods, sources) => {
  const mask = source(sources, 'membermask');
  const helper: ReductionHelper = mods.op === 'min' ? 'warp_min_u32' : 'warp_max_u32';
  const raw = bitsOf(source(sources, 'a'), 'u32');
  const magnitude = (value: Expr) => w.and(value, w.u32(0x7fff_ffff));
  const isNegative = (value: Expr) => w.ne(w.shr(value, w.u32(31)), w.u32(0));
  const a = writer.each('u32', mods.abs ? 'magnitude' : 'bits', (s) => (mods.abs ? magnitude(raw.at(s)) : raw.at(s)));
  const isNan = writer.each('bool', 'is_nan', (s) => w.gt(magnitude(a.at(s)), w.u32(0x7f80_0000)));
  const ordered = (value: Expr) => w.select(isNegative(value), w.complement(value), w.or(value, w.u32(0x8000_0000)));
  const key = writer.each('u32', 'key', (s) => w.select(isNan.at(s), reductions[helper].identity, ordered(a.at(s))));
  const best = reduceGroups(writer, helper, key, mask);
  const value = writer.each('u32', 'best', (s) =>
    w.select(isNegative(best.at(s)), magnitude(best.at(s)), w.complement(best.at(s))),
  );
  const nans = writer.ballot('nans', (s) => writer.amongActive(s, isNan.at(s)));
  const exec = mods.NaN ? undefined : writer.exec();
  const members = memberMask(sources);
  const isNanResult = (s: Expr) => {
    const found = among(nans, members, s);
    return exec === undefined ? w.ne(found, w.u32(0)) : w.eq(found, among(exec, members, s));
  };
  return {
    d: writer.each('f32', 'result', (s) => w.bitcast('f32', w.select(isNanResult(s), w.u32(0x7fff_ffff), value.at(s)))),
  };
};
