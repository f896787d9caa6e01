// match.any and match.all: which lanes hold the same value.
import { memberMask } from './vote.ts';
import { source, type WarpLowering, type WarpValue, type WarpWriter } from './warp-writer.ts';

/// The 32-bit words of a 32- or 64-bit value.
function words(w: WarpWriter, a: WarpValue): readonly WarpValue[] {
  if (a.type !== 'vec2<u32>') return [a];
  return [w.each('u32', 'low', (s) => `${a.at(s)}.x`), w.each('u32', 'high', (s) => `${a.at(s)}.y`)];
}

/// One ballot a bit: lanes stay in a lane's mask while their bit is the same as its own.
/// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-match-sync
export const matchAny: WarpLowering = (w, _mods, sources) => {
  const members = memberMask(sources);
  const exec = w.exec();
  const same = w.fresh('same');
  const slotted = w.plan.slots > 1;
  const at = (s: string) => (slotted ? `${same}[${s}]` : same);
  w.line(slotted ? `var ${same}: array<u32, ${w.plan.slots}>;` : `var ${same} = ${exec};`);
  if (slotted) perSlot(w, (s) => w.line(`${at(s)} = ${exec};`));
  const bit = w.fresh('bit');
  for (const word of words(w, source(sources, 'a'))) {
    w.open(`for (var ${bit} = 0u; ${bit} < ${word.bits ?? 32}u; ${bit}++)`);
    const isSet = w.each('bool', 'is_set', (s) => `((${word.at(s)} >> ${bit}) & 1u) != 0u`);
    const lanes = w.ballot('lanes', isSet.at);
    perSlot(w, (s) => w.line(`${at(s)} &= select(~${lanes}, ${lanes}, ${isSet.at(s)});`));
    w.close();
  }
  return { d: { type: 'u32', at: (s) => (members ? `(${at(s)} & ${members(s)})` : at(s)) } };
};

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
  const group = w.each('u32', 'group', (s) => (members ? `${exec} & ${members(s)}` : exec));
  const leader = w.each('u32', 'leader', (s) => `countTrailingZeros(${group.at(s)}) & 31u`);
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

/// All 32 lanes of a subgroup that is the warp: one broadcast, one vote.
function matchWholeWarp(w: WarpWriter, a: WarpValue): Record<string, WarpValue> {
  const same = words(w, a).map((word) => `${word.at('')} == subgroupBroadcastFirst(${word.at('')})`);
  // Behind `&&` the second broadcast would run in some lanes only.
  const parts = same.length === 1 ? same : same.map((code) => w.each('bool', 'same', () => code).at(''));
  const agreed = w.each('bool', 'agreed', () => `subgroupAll(${parts.join(' && ')})`);
  return { d: w.each('u32', 'matched', (s) => `select(0u, 0xffffffffu, ${agreed.at(s)})`), p: agreed };
}
