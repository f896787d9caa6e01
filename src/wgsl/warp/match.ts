// Lowers match.any and match.all, which find the lanes with the same value.
import { exchangesInWorkgroup } from '../../base/lane-plan.ts';
import * as w from '../tree/build.ts';
import { type Expr, Name } from '../tree/nodes.ts';
import { lowestBit } from './reductions.ts';
import { among, memberMask, votes } from './vote.ts';
import {
  constantU32,
  lowestLane,
  type WarpLowering,
  type WarpResults,
  type WarpValue,
  type WarpWriter,
  words,
} from './warp-writer.ts';

/**
 * Lowers `match.any`. Values are compared bit by bit: a lane remains in another lane's mask while
 * their bits are equal.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-match-sync
 */
export const matchAny: WarpLowering = (writer, _mods, sources) => {
  const members = memberMask(sources);
  const parts = words(sources, 'a');
  if (writer.plan.slots === 1 && !exchangesInWorkgroup(writer.plan)) {
    const same = matchWords(writer, parts, among(writer.exec(), members, w.u32(0)));
    return { d: { type: 'u32', at: () => same } };
  }
  const same = writer.plan.slots > 1 ? matchSlots(writer, parts) : matchInWorkgroup(writer, parts);
  return { d: { type: 'u32', at: (slot) => (members ? w.and(same(slot), members(slot)) : same(slot)) } };
};

/** The maximum number of bits of values that are compared bit by bit without an early exit. */
const fewBits = 13;

/** Returns the number of bits that may be nonzero. Absent: all 32 bits may be nonzero. */
const widthIn = ({ bits }: WarpValue): number => bits?.() ?? 32;

const both = (groups: readonly Expr[]): Expr => groups.reduce((all, group) => w.and(all, group));

function matchInWorkgroup(writer: WarpWriter, parts: readonly WarpValue[]): (slot: Expr) => Expr {
  const slot = w.u32(0);
  const groups = parts.map((part) => writer.call('warp_match_any', part.at(slot), writer.active(slot)));
  const same = writer.define('same', both(groups));
  return () => same;
}

/**
 * Returns the mask of the lanes with the same value. The comparison starts from the lane's own
 * members instead of all active lanes. The fewer lanes remain, the fewer bits distinguish their
 * values, so `warp_match_any` ends earlier.
 */
function matchWords(writer: WarpWriter, parts: readonly WarpValue[], members: Expr): Expr {
  const slot = w.u32(0);
  if (parts.some((part) => widthIn(part) > fewBits)) {
    const named = writer.define('members', members);
    const groups = parts.map((part) => writer.call('warp_match_any', part.at(slot), writer.guarded(slot), named));
    return writer.define('same', both(groups));
  }
  const name = new Name('same');
  const same = w.ref(name, 'u32');
  writer.push(w.variable(name, 'u32', members));
  for (const part of parts) {
    for (let bit = 0; bit < widthIn(part); bit++) {
      writer.push(w.assign(same, writer.call('warp_match_bit', same, part.at(slot), w.u32(1n << BigInt(bit)))));
    }
  }
  return same;
}

/** Returns an array of masks, for an invocation that contains several lanes. */
function matchSlots(writer: WarpWriter, parts: readonly WarpValue[]): (slot: Expr) => Expr {
  const exec = writer.exec();
  const { at } = writer.variable('u32', 'same');
  writer.eachSlot((slot) => writer.push(w.assign(at(slot), exec)));
  for (const word of parts) {
    const name = new Name('bit');
    const bit = w.ref(name, 'u32');
    const body = writer.nest(() => {
      const isSet = writer.each('bool', 'is_set', (s) => w.ne(w.and(w.shr(word.at(s), bit), w.u32(1)), w.u32(0)));
      const lanes = writer.ballot('lanes', isSet.at);
      writer.eachSlot((s) => writer.push(w.update(at(s), '&', w.select(isSet.at(s), lanes, w.complement(lanes)))));
    });
    writer.push(w.repeat(name, widthIn(word), body));
  }
  return at;
}

/**
 * Lowers `match.all`. Compares each value with that of the lowest executing member. All lanes have
 * the same value if no lane's value differs from it.
 */
export const matchAll: WarpLowering = (writer, _mods, sources) => {
  const parts = words(sources, 'a');
  if (writer.plan.kind === 'native' && writer.allActive && !memberMask(sources)) return matchWholeWarp(writer, parts);
  const [part, ...more] = parts;
  if (part !== undefined && more.length === 0 && writer.plan.kind === 'native' && sources.membermask?.[0]?.namesGuarded)
    return matchGuarded(writer, part, among(writer.exec(), memberMask(sources), w.u32(0)));
  const exec = writer.exec();
  const known = writer.allActive ? words(sources, 'membermask')[0]?.constant : undefined;
  const named = memberMask(sources);
  const group = known === undefined ? writer.each('u32', 'group', (s) => among(exec, named, s)) : constantU32(known);
  const leader =
    known === undefined
      ? writer.each('u32', 'leader', (s) => lowestOf(writer, group.at(s)))
      : constantU32(lowestLane(known) & 31n);
  const { lanes, members } = votes(writer, 'different', sources, differing(writer, parts, leader));
  const agreed = writer.each('bool', 'agreed', (s) =>
    w.eq(members === undefined ? lanes : w.and(lanes, group.at(s)), w.u32(0)),
  );
  return { d: writer.each('u32', 'matched', (s) => w.select(agreed.at(s), group.at(s), w.u32(0))), p: agreed };
};

/**
 * Compares the values of a single group of lanes, which the guard determines. The values are equal
 * if their minimum equals their maximum, so no leader is needed.
 */
function matchGuarded(writer: WarpWriter, part: WarpValue, group: Expr): WarpResults {
  const wanted = (identity: bigint) => (s: Expr) => w.select(writer.guarded(s), part.at(s), w.u32(identity));
  const greatest = writer.reduce('warp_max_u32', 'greatest', writer.each('u32', 'part', wanted(0n)));
  const least = writer.reduce('warp_min_u32', 'least', writer.each('u32', 'part', wanted(0xffff_ffffn)));
  const agreed = writer.each('bool', 'agreed', () => w.eq(greatest, least));
  return { d: writer.each('u32', 'matched', (s) => w.select(agreed.at(s), group, w.u32(0))), p: agreed };
}

/**
 * Returns the lowest lane of a group, or lane 32 for an empty group. Only lanes whose results are
 * not used have an empty group, and a shuffle from lane 32 is harmless if the subgroup is the warp.
 */
const lowestOf = (writer: WarpWriter, group: Expr): Expr =>
  writer.plan.kind === 'native' ? lowestBit(group) : w.and(lowestBit(group), w.u32(31));

/** Compares the values of all 32 lanes with lane 0's, in a subgroup that is the warp. */
function matchWholeWarp(writer: WarpWriter, parts: readonly WarpValue[]): WarpResults {
  const different = writer.ballot('different', differing(writer, parts, constantU32(0n)));
  const agreed = writer.each('bool', 'agreed', () => w.eq(different, w.u32(0)));
  const matched = writer.each('u32', 'matched', (s) => w.select(agreed.at(s), w.u32(0xffff_ffff), w.u32(0)));
  return { d: matched, p: agreed };
}

/** Returns whether the lane's words differ from those of its leader. */
function differing(writer: WarpWriter, parts: readonly WarpValue[], leader: WarpValue): (slot: Expr) => Expr {
  const pairs = parts.map((part) => ({ part, first: writer.shuffle('first', part, leader) }));
  const differs = writer.each('bool', 'differs', (s) =>
    pairs.map(({ part, first }) => w.ne(part.at(s), first.at(s))).reduce((all, one) => w.either(all, one)),
  );
  return differs.at;
}
