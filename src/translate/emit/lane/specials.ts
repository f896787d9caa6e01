// Special registers as WGSL.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { laneNumber, threadNumber } from '../program/lane-numbers.ts';
import type { ProgramUses } from '../program/program-uses.ts';
import type { Emitter } from '../values/emitter.ts';

/** Returns x, y or z of the thread, from its linear number in the block. */
function threadIndex(uses: ProgramUses, axis: 0 | 1 | 2, slot: Expr): Expr {
  const [x, y, z] = uses.options.block;
  if (uses.options.mapping === 'threads') return w.swizzle(uses.builtin('tid'), letters[axis]);
  const tid = threadNumber(uses, slot);
  if (axis === 0) return y === 1 && z === 1 ? tid : w.rem(tid, w.u32(x));
  if (axis === 2) return w.div(tid, w.u32(x * y));
  const row = w.div(tid, w.u32(x));
  return z === 1 ? row : w.rem(row, w.u32(y));
}

const letters = ['x', 'y', 'z'] as const;
const axes = [0, 1, 2] as const;

type Special = (emitter: Emitter, slot: Expr) => Expr;

const mask =
  (of: (lane: Expr) => Expr): Special =>
  ({ uses }, slot) =>
    of(laneNumber(uses, slot));

const constant =
  (of: (uses: ProgramUses) => number): Special =>
  ({ uses }) =>
    w.u32(of(uses));

/**
 * Writes a reading of the clock. WebGPU has no clock, so each reading is one more than the previous
 * one.
 */
function clock(emitter: Emitter): Expr {
  const clock = emitter.once('clock', () => emitter.declare('clock', 'u32', w.u32(0)));
  emitter.writer.push(w.update(clock, '+', w.u32(1)));
  return emitter.copy('now', clock);
}

const zero: Special = () => w.u32(0);

const table: Readonly<Record<string, Special>> = {
  '%laneid': ({ uses }, slot) => laneNumber(uses, slot),
  '%warpid': ({ uses }) =>
    uses.options.mapping === 'threads' ? w.shr(uses.builtin('thread'), w.u32(5)) : uses.builtin('warp'),
  '%nwarpid': constant(({ options: { block } }) => Math.ceil((block[0] * block[1] * block[2]) / 32)),
  '%lanemask_eq': mask((lane) => w.shl(w.u32(1), lane)),
  '%lanemask_lt': mask((lane) => w.sub(w.shl(w.u32(1), lane), w.u32(1))),
  '%lanemask_le': mask((lane) => w.shr(w.u32(0xffffffff), w.sub(w.u32(31), lane))),
  '%lanemask_ge': mask((lane) => w.shl(w.u32(0xffffffff), lane)),
  '%lanemask_gt': mask((lane) => w.shl(w.u32(0xfffffffe), lane)),
  ...Object.fromEntries(
    axes.flatMap((axis): [string, Special][] => [
      [`%tid.${letters[axis]}`, ({ uses }, slot) => threadIndex(uses, axis, slot)],
      [`%ntid.${letters[axis]}`, constant(({ options }) => options.block[axis])],
      [`%ctaid.${letters[axis]}`, ({ uses }) => w.swizzle(uses.builtin('ctaid'), letters[axis])],
      [`%nctaid.${letters[axis]}`, ({ uses }) => w.swizzle(uses.builtin('nctaid'), letters[axis])],
    ]),
  ),
  '%total_smem_size': constant(({ options }) => options.memory.sharedBytes),
  '%dynamic_smem_size': constant(({ options }) => options.memory.sharedBytes),
  '%nsmid': constant(() => 1),
  '%smid': zero,
  '%gridid': zero,
  '%clock': clock,
  '%clock64': clock,
  '%globaltimer': clock,
  '%globaltimer_lo': clock,
  '%clock_hi': zero,
  '%globaltimer_hi': zero,
};

/** Special registers whose value differs at each reading. */
const changing: ReadonlySet<string> = new Set(['%clock', '%clock64', '%globaltimer', '%globaltimer_lo']);
export const isChanging = (name: string): boolean => changing.has(name);

/** Returns the low word of a special register. */
export function readSpecial(emitter: Emitter, name: string, slot: Expr): Expr {
  const special = table[name];
  if (special === undefined) throw new InternalError(`no special register ${name}`);
  return special(emitter, slot);
}
