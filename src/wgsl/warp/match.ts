// match.any and match.all: which lanes hold the same value.
import { lowestBit } from './prelude.ts';
import { among, memberMask } from './vote.ts';
import {
  constantU32,
  hex,
  lowestLane,
  source,
  type WarpLowering,
  type WarpValue,
  type WarpWriter,
} from './warp-writer.ts';

/// The 32-bit words of a 32- or 64-bit value.
function words(w: WarpWriter, a: WarpValue): readonly WarpValue[] {
  if (a.type !== 'vec2<u32>') return [a];
  return [w.each('u32', 'low', (s) => `${a.at(s)}.x`), w.each('u32', 'high', (s) => `${a.at(s)}.y`)];
}

/// Compares bit by bit: lanes stay in a lane's mask while their bit is the same as its own.
/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-match-sync
export const matchAny: WarpLowering = (w, _mods, sources) => {
  const members = memberMask(sources);
  const parts = words(w, source(sources, 'a'));
  const same = w.plan.slots > 1 ? matchSlots(w, parts) : matchWords(w, parts);
  return { d: { type: 'u32', at: (s) => (members ? `(${same(s)} & ${members(s)})` : same(s)) } };
};

/// Up to so many bits are all compared, without a look in between.
const fewBits = 13;

function matchWords(w: WarpWriter, parts: readonly WarpValue[]): (slot: string) => string {
  const exec = w.exec();
  const same = w.fresh('same');
  if (parts.some(({ bits = 32 }) => bits > fewBits)) {
    const groups = parts.map((part) => w.call('warp_match_any', part.at(''), w.active.at(''), exec));
    w.line(`let ${same} = ${groups.join(' & ')};`);
    return () => same;
  }
  w.line(`var ${same} = ${exec};`);
  for (const part of parts) {
    for (let bit = 0; bit < (part.bits ?? 32); bit++) {
      w.line(`${same} = ${w.call('warp_match_bit', same, part.at(''), hex(1n << BigInt(bit)))};`);
    }
  }
  return () => same;
}

/// Lanes in several slots: an array of masks.
function matchSlots(w: WarpWriter, parts: readonly WarpValue[]): (slot: string) => string {
  const exec = w.exec();
  const same = w.fresh('same');
  const at = (s: string) => `${same}[${s}]`;
  w.line(`var ${same}: array<u32, ${w.plan.slots}>;`);
  perSlot(w, (s) => w.line(`${at(s)} = ${exec};`));
  const bit = w.fresh('bit');
  for (const word of parts) {
    w.open(`for (var ${bit} = 0u; ${bit} < ${word.bits ?? 32}u; ${bit}++)`);
    const isSet = w.each('bool', 'is_set', (s) => `((${word.at(s)} >> ${bit}) & 1u) != 0u`);
    const lanes = w.ballot('lanes', isSet.at);
    perSlot(w, (s) => w.line(`${at(s)} &= select(~${lanes}, ${lanes}, ${isSet.at(s)});`));
    w.close();
  }
  return at;
}

export function perSlot(w: WarpWriter, body: (slot: string) => void): void {
  if (w.plan.slots === 1) {
    body('');
    return;
  }
  w.open(`for (var s = 0u; s < ${w.plan.slots}u; s++)`);
  body('s');
  w.close();
}

/// Compares with the value of the lowest executing member: all agree if nobody differs from it.
export const matchAll: WarpLowering = (w, _mods, sources) => {
  const members = memberMask(sources);
  if (w.plan.kind === 'native' && w.allActive && !members) return matchWholeWarp(w, source(sources, 'a'));
  const exec = w.exec();
  const known = w.allActive ? sources.membermask?.constant : undefined;
  const group = known === undefined ? w.each('u32', 'group', (s) => among(exec, members, s)) : constantU32(known);
  const leader =
    known === undefined
      ? w.each('u32', 'leader', (s) => `${lowestBit(group.at(s))} & 31u`)
      : constantU32(lowestLane(known) & 31n);
  const parts = words(w, source(sources, 'a'));
  const firsts = parts.map((part) => w.shuffle('first', part, leader));
  const differs = w.each('bool', 'differs', (s) =>
    parts.map((part, index) => `${part.at(s)} != ${firsts[index]?.at(s)}`).join(' || '),
  );
  const different = w.ballot('different', (s) =>
    w.allActive ? differs.at(s) : `${w.active.at(s)} && ${differs.at(s)}`,
  );
  const agreed = w.each('bool', 'agreed', (s) => `(${different} & ${group.at(s)}) == 0u`);
  return { d: w.each('u32', 'matched', (s) => `select(0u, ${group.at(s)}, ${agreed.at(s)})`), p: agreed };
};

/// All 32 lanes of a subgroup that is the warp: lane 0 leads.
function matchWholeWarp(w: WarpWriter, a: WarpValue): Record<string, WarpValue> {
  const pairs = words(w, a).map((word) => ({ word, first: w.shuffle('first', word, constantU32(0n)) }));
  const differs = pairs.map(({ word, first }) => `${word.at('')} != ${first.at('')}`).join(' || ');
  const different = w.ballot('different', () => differs);
  const agreed = w.each('bool', 'agreed', () => `${different} == 0u`);
  return { d: w.each('u32', 'matched', (s) => `select(0u, 0xffffffffu, ${agreed.at(s)})`), p: agreed };
}
