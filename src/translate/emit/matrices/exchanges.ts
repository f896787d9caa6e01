// The shared memory through which warps exchange words and matrices. In a loop, consecutive
// exchanges alternate between two areas, so one barrier separates them: a warp reads one area while
// it writes the other. Outside of loops, there is only one area, which leaves more memory to other
// workgroups.

import { at, get } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Expr, Name } from '../../../wgsl/tree/nodes.ts';
import { loopsIn } from '../../graph/index.ts';
import { fragmentPlaces } from '../../ir/matrix-fragments.ts';
import type { Func, Inst, InstNamed } from '../../ir/nodes.ts';
import { type MatrixType, matrixWords } from '../../ir/types.ts';
import { laneNumber } from '../program/lane-numbers.ts';
import type { Emitter } from '../values/emitter.ts';

export type ExchangeInst = InstNamed<'matrix-pack' | 'matrix-unpack'>;

interface Exchange {
  readonly area: number;
  /** Whether a barrier must follow, because the next exchange may use the same area. */
  readonly isLast: boolean;
}

interface Exchanges {
  /** The number of words in a warp's area. */
  readonly words: number;
  readonly areas: number;
  readonly places: ReadonlyMap<Inst, Exchange>;
}

const known = new WeakMap<Func, Exchanges>();

const exchangesOf = ({ uses }: Emitter): Exchanges =>
  getOrInsert(known, uses.options.program.kernel, () => findExchanges(uses.options.program.kernel));

function findExchanges(func: Func): Exchanges {
  const loops = loopsIn(func);
  const places = new Map<Inst, Exchange>();
  let [words, areas] = [0, 1];
  for (const block of func.blocks) {
    const own = block.insts.filter(isExchange);
    const alternates = own.length > 1 && loops.depthOf(block) > 0;
    if (alternates) areas = 2;
    own.forEach((inst, index) => {
      words = Math.max(words, 32 * matrixWords(exchangedType(inst)));
      places.set(inst, { area: alternates ? index % 2 : 0, isLast: !alternates || index === own.length - 1 });
    });
  }
  return { words, areas, places };
}

const isExchange = (inst: Inst): inst is ExchangeInst => inst.op === 'matrix-pack' || inst.op === 'matrix-unpack';
const exchangedType = (inst: ExchangeInst) =>
  inst.op === 'matrix-pack' ? inst.attrs.type : at(inst.args, 0, 'a matrix').type;

/** Whether a barrier must follow an exchange. */
export const needsBarrier = (emitter: Emitter, inst: ExchangeInst): boolean =>
  get(exchangesOf(emitter).places, inst, 'an exchange').isLast;

/** Returns the array of words, with the areas of all warps. */
export function exchangeArray(emitter: Emitter): Expr {
  const { words, areas } = exchangesOf(emitter);
  return emitter.uses.workgroupVariable('matrix_words', w.array('u32', words * areas * warpsOf(emitter)));
}

const warpsOf = ({ uses }: Emitter): number => Math.ceil(uses.options.workgroupSize / 32);

/** Returns the index of the first word of the warp's area for an exchange. */
export function exchangeStart(emitter: Emitter, inst: ExchangeInst): Expr {
  const { words, places } = exchangesOf(emitter);
  const { area } = get(places, inst, 'an exchange');
  const own = warpStart(emitter);
  return area === 0 ? own : w.add(own, w.u32(area * words));
}

/**
 * Returns the start of the warp's area. With the workaround, a limit lets the driver's compiler
 * prove that the matrix is inside the array.
 */
function warpStart(emitter: Emitter): Expr {
  const { uses } = emitter;
  const { words, areas } = exchangesOf(emitter);
  const { name } = getOrInsert(uses.laneValues, 'matrix part', () => {
    const warp = uses.builtin('warp');
    const limits = uses.options.workarounds.has('clamp-matrix-starts');
    const bounded = limits ? w.builtin('min', 'u32', warp, w.u32(warpsOf(emitter) - 1)) : warp;
    return { name: new Name('matrix_part'), value: w.mul(bounded, w.u32(words * areas)) };
  });
  return w.ref(name, 'u32');
}

/** Returns the stride between rows or columns, in words. */
export const exchangeStride = (type: MatrixType): Expr => w.u32(fragmentPlaces(type).group);

/** Returns the word of the lane's register, in the warp's area. */
export function exchangedWord(emitter: Emitter, inst: ExchangeInst, type: MatrixType, register: number): Expr {
  const { group, member, registers } = fragmentPlaces(type);
  const { uses, slot } = emitter;
  const { words, places } = exchangesOf(emitter);
  const { name } = getOrInsert(uses.laneValues, `matrix word ${group} ${member}`, () => {
    const start = warpStart(emitter);
    const lane = laneNumber(uses, slot);
    const [row, column] = [w.shr(lane, w.u32(2)), w.and(lane, w.u32(3))];
    const place = w.add(w.mul(row, w.u32(group)), member === 1 ? column : w.mul(column, w.u32(member)));
    return { name: new Name('matrix_word'), value: w.add(start, place) };
  });
  const offset = get(places, inst, 'an exchange').area * words + at(registers, register, 'a register');
  const own = w.ref(name, 'u32');
  return w.index(exchangeArray(emitter), offset === 0 ? own : w.add(own, w.u32(offset)));
}
