// Executors of the instructions that have fast functions.
import type { Mods } from '../../../isa/index.ts';
import type { LaneFunction } from '../../types.ts';
import type { Destination, Place, Source } from '../memory/layout.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Exec } from '../state/state.ts';
import { type DoubleFunction, doubleFunctions, type WideTest, wideTests } from './fast-double.ts';
import {
  convertFunctions,
  fastKey,
  type MaskFunction,
  maskFunctions,
  type PairFunction,
  pairFunctions,
  type WordFunction,
  wordFunctions,
} from './fast-lane.ts';

export interface LaneWork {
  readonly row: string;
  readonly mods: Mods;
  readonly fn: LaneFunction;
  readonly sources: readonly Source[];
  /** The destinations; undefined for a result that is not written. */
  readonly destinations: readonly (Destination | undefined)[];
  readonly carryIn: boolean;
  readonly carryOut: boolean;
}

/** Returns the lanes in which the result of an instruction is undefined. */
export type UndefinedLanes = (frame: Frame, sources: readonly Source[]) => number;

function isWord(place: Place): boolean {
  return place.kind === 'word' && place.width === 32;
}

/**
 * Returns the executor of an instruction whose sources are words. The last source may be a
 * predicate.
 */
function wordExec(fn: WordFunction, work: LaneWork, lanesUndefined: UndefinedLanes): Exec | undefined {
  const { sources, destinations } = work;
  const [a, b, c] = sources;
  const [d, ...others] = destinations;
  if (a === undefined || d === undefined || others.some((other) => other !== undefined)) return undefined;
  if (!isWord(a.place) || (b !== undefined && !isWord(b.place))) return undefined;
  const firstBase = a.place.base;
  const secondBase = (b ?? a).place.base;
  const third = c ?? a;
  const thirdIsWord = isWord(third.place);
  if (!thirdIsWord && third.place.kind !== 'pred') return undefined;
  if (d.place.kind === 'pred') {
    return (_warp, frame, lanes) => {
      const { file } = frame;
      let result = 0;
      for (let m = lanes; m !== 0; m &= m - 1) {
        const lane = lowestLane(m);
        if (fn(file[firstBase + lane] ?? 0, file[secondBase + lane] ?? 0, 0) !== 0) result |= 1 << lane;
      }
      const undefinedLanes = lanesUndefined(frame, sources);
      frame.writePredicates(d.place, lanes, result);
      frame.mark(d, lanes, undefinedLanes);
    };
  }
  if (!isWord(d.place)) return undefined;
  const to = d.place.base;
  return (_warp, frame, lanes) => {
    const { file } = frame;
    const undefinedLanes = lanesUndefined(frame, sources);
    const predicate = thirdIsWord ? 0 : frame.predicateOf(third);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const last = thirdIsWord ? (file[third.place.base + lane] ?? 0) : (predicate >>> lane) & 1;
      file[to + lane] = fn(file[firstBase + lane] ?? 0, file[secondBase + lane] ?? 0, last);
    }
    frame.mark(d, lanes, undefinedLanes);
  };
}

function pairExec(fn: PairFunction, work: LaneWork, lanesUndefined: UndefinedLanes): Exec | undefined {
  const { sources, destinations } = work;
  const [a, b, c] = sources;
  const [d] = destinations;
  if (a === undefined || d === undefined) return undefined;
  const exact = (place: Place, width: number) =>
    place.kind !== 'pred' && place.width === width && Math.max(32, width) === width;
  if (![a, ...(b === undefined ? [] : [b]), d].every(({ place, width }) => exact(place, width))) return undefined;
  const step = (place: Place) => (place.kind === 'pair' ? 2 : 1);
  const second = (b ?? a).place;
  const first = a.place;
  const to = d.place;
  const predicate = c?.place.kind === 'pred' ? c : undefined;
  if (c !== undefined && predicate === undefined) return undefined;
  return (_warp, frame, lanes) => {
    const undefinedLanes = lanesUndefined(frame, sources);
    const selected = predicate === undefined ? 0 : frame.predicateOf(predicate);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const x = first.base + lane * step(first);
      const y = second.base + lane * step(second);
      fn(frame.file, to.base + lane * step(to), x, y, (selected >>> lane) & 1);
    }
    frame.mark(d, lanes, undefinedLanes);
  };
}

/** Returns the executor of a comparison of 64-bit operands. */
function wideTestExec(test: WideTest, work: LaneWork, lanesUndefined: UndefinedLanes): Exec | undefined {
  const { sources, destinations } = work;
  const [a, b] = sources;
  const [d, ...others] = destinations;
  if (a === undefined || b === undefined || d === undefined || others.some((other) => other !== undefined))
    return undefined;
  if (![a, b].every(({ place }) => place.kind === 'pair')) return undefined;
  const [first, second] = [a.place.base, b.place.base];
  return (_warp, frame, lanes) => {
    const { file } = frame;
    const undefinedLanes = lanesUndefined(frame, sources);
    let result = 0;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (test(file, first + 2 * lane, second + 2 * lane)) result |= 1 << lane;
    }
    frame.writePredicates(d.place, lanes, result);
    frame.mark(d, lanes, undefinedLanes);
  };
}

/** Returns the executor of an instruction on predicates, which computes all lanes together. */
function maskExec(compute: MaskFunction, work: LaneWork, lanesUndefined: UndefinedLanes): Exec | undefined {
  const { sources, destinations } = work;
  const [a, b = a] = sources;
  const [d] = destinations;
  if (a === undefined || b === undefined || d === undefined) return undefined;
  return (_warp, frame, lanes) => {
    const undefinedLanes = lanesUndefined(frame, sources);
    const result = compute(frame.predicateOf(a), frame.predicateOf(b));
    frame.writePredicates(d.place, lanes, result);
    frame.mark(d, lanes, undefinedLanes);
  };
}

/** Returns the executor of an f64 instruction. Lanes to which the fast function does not apply use `fn`. */
function doubleExec(compute: DoubleFunction, work: LaneWork, lanesUndefined: UndefinedLanes): Exec | undefined {
  const { fn, mods, sources, destinations } = work;
  const [a, b = a, c = a] = sources;
  const [d] = destinations;
  if (a === undefined || b === undefined || c === undefined || d === undefined) return undefined;
  if (![a, b, c, d].every(({ place }) => place.kind === 'pair')) return undefined;
  const [x, y, z, to] = [a.place.base >>> 1, b.place.base >>> 1, c.place.base >>> 1, d.place.base >>> 1];
  return (_warp, frame, lanes) => {
    const { doubles } = frame;
    const undefinedLanes = lanesUndefined(frame, sources);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const value = compute(doubles[x + lane] ?? 0, doubles[y + lane] ?? 0, doubles[z + lane] ?? 0);
      if (Number.isNaN(value)) {
        const [result = 0n] = fn(
          mods,
          sources.map((source) => frame.wideOf(source, lane)),
        );
        frame.writeWide(d, lane, BigInt(result));
      } else doubles[to + lane] = value;
    }
    frame.mark(d, lanes, undefinedLanes);
  };
}

/**
 * Returns the fast form of an instruction, or undefined if the tables do not contain the
 * instruction or the operands are not registers of exactly the required width.
 */
export function fastExec(work: LaneWork, lanesUndefined: UndefinedLanes): Exec | undefined {
  if (work.carryIn || work.carryOut) return undefined;
  const key = fastKey(work.row, work.mods);
  const word = wordFunctions[key];
  if (word !== undefined) return wordExec(word, work, lanesUndefined);
  const mask = maskFunctions[key];
  if (mask !== undefined) return maskExec(mask, work, lanesUndefined);
  const double = doubleFunctions[key];
  if (double !== undefined) return doubleExec(double, work, lanesUndefined);
  const test = wideTests[key];
  if (test !== undefined) return wideTestExec(test, work, lanesUndefined);
  const { dtype, atype, ...others } = work.mods;
  const plainConversion = work.row === 'cvt' && Object.keys(others).length === 0;
  const pair = plainConversion ? convertFunctions[`${dtype} ${atype}`] : pairFunctions[key];
  return pair === undefined ? undefined : pairExec(pair, work, lanesUndefined);
}
