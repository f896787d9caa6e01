// Executes instructions that are pure functions of one lane.
import type { Bits } from '../../types.ts';
import type { Destination, Source } from '../memory/layout.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Exec } from '../state/state.ts';
import { fastExec, type LaneWork, type UndefinedLanes } from './fast-exec.ts';
import { bitExec, bitOperands, bitsIn, markLaneBits } from './undefined-bits.ts';

function undefinedIn(frame: Frame, source: Source | undefined): number {
  return source === undefined ? 0 : (frame.undefinedIn[source.place.taint] ?? 0);
}

/**
 * By instruction on predicates: returns the lanes whose result is undefined. `false and x` and
 * `true or x` are defined even if x is undefined.
 */
const preciseUndefined: Readonly<Record<string, UndefinedLanes>> = {
  'and pred'(frame, sources) {
    let settled = 0;
    for (const source of sources) settled |= ~undefinedIn(frame, source) & ~frame.predicateOf(source);
    return frame.undefinedLanes(sources) & ~settled;
  },
  'or pred'(frame, sources) {
    let settled = 0;
    for (const source of sources) settled |= ~undefinedIn(frame, source) & frame.predicateOf(source);
    return frame.undefinedLanes(sources) & ~settled;
  },
};

const anyUndefined: UndefinedLanes = (frame, sources) => frame.undefinedLanes(sources);

/** Returns an executor that calls the reference function for each lane. */
function referenceExec(work: LaneWork, lanesUndefined: UndefinedLanes): Exec {
  const { fn, mods, sources, destinations, carryIn, carryOut } = work;
  return (warp, frame, lanes) => {
    const undefinedLanes = lanesUndefined(frame, sources) | (carryIn ? warp.carryUndefined : 0);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const values: Bits[] = [];
      for (const source of sources) {
        values.push(source.width > 32 ? frame.wideOf(source, lane) : frame.wordOf(source, lane));
      }
      if (carryIn) values.push((warp.carry >>> lane) & 1);
      const results = fn(mods, values);
      for (let i = 0; i < destinations.length; i++) {
        const destination = destinations[i];
        const value = results[i];
        if (destination === undefined || value === undefined) continue;
        if (typeof value === 'bigint') frame.writeWide(destination, lane, value);
        else frame.writeWord(destination, lane, value);
      }
      if (carryOut) {
        const flag = Number(results[results.length - 1] ?? 0) << lane;
        warp.carry = (warp.carry & ~(1 << lane)) | flag;
      }
    }
    for (const destination of destinations) frame.mark(destination, lanes, undefinedLanes);
    if (carryOut) warp.carryUndefined = (warp.carryUndefined & ~lanes) | (undefinedLanes & lanes);
  };
}

export function laneExec(work: LaneWork): Exec {
  const { row, mods, fn, sources } = work;
  const execOf = (lanesUndefined: UndefinedLanes): Exec =>
    fastExec(work, lanesUndefined) ?? referenceExec(work, lanesUndefined);
  const data = bitOperands(row, mods);
  const [destination] = work.destinations;
  if (data > 0 && destination)
    return bitExec(
      { mods, fn, sources, destination, data },
      execOf(() => 0),
    );
  return execOf(preciseUndefined[`${row} ${mods.type ?? ''}`] ?? anyUndefined);
}

const isFull = ({ place, width }: Source | Destination): boolean => width === place.width;

/** Returns the executor of a `mov` of one value. */
export function moveExec(source: Source, destination: Destination): Exec {
  const from = source.place;
  const to = destination.place;
  const sources = [source];
  if (to.kind === 'pred') {
    return (_warp, frame, lanes) => {
      frame.writePredicates(to, lanes, frame.predicateOf(source));
      frame.mark(destination, lanes, frame.undefinedLanes(sources));
    };
  }
  const isWhole = from.kind === to.kind && from.width === to.width && [source, destination].every(isFull);
  const step = to.kind === 'pair' ? 2 : 1;
  return (_warp, frame, lanes) => {
    if (isWhole && (frame.undefinedLanes(sources) & lanes) === 0) {
      const { file } = frame;
      for (let m = lanes; m !== 0; m &= m - 1) {
        const at = step * lowestLane(m);
        file[to.base + at] = file[from.base + at] ?? 0;
        if (step === 2) file[to.base + at + 1] = file[from.base + at + 1] ?? 0;
      }
      frame.mark(destination, lanes, 0);
      return;
    }
    const bits = bitsIn(frame, sources, lanes, (lane) => frame.undefinedOf(source, lane));
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (to.kind === 'pair') {
        frame.file[to.base + 2 * lane] = frame.wordOf(source, lane);
        frame.file[to.base + 2 * lane + 1] = from.kind === 'pair' ? (frame.file[from.base + 2 * lane + 1] ?? 0) : 0;
      } else frame.writeWord(destination, lane, frame.wordOf(source, lane));
    }
    markLaneBits(frame, destination, lanes, bits);
  };
}

/** Returns the executor of `mov.b64 d, {a, b}`. The first element becomes the low bits. */
export function packExec(elements: readonly Source[], destination: Destination): Exec {
  const width = destination.width / elements.length;
  return (_warp, frame, lanes) => {
    const undefinedBits = bitsIn(frame, elements, lanes, (lane) => {
      const parts = elements.map((element, i) => frame.undefinedOf(element, lane) << BigInt(i * width));
      return parts.reduce((all, part) => all | part, 0n);
    });
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      let bits = 0n;
      for (const [i, element] of elements.entries()) {
        bits |= BigInt.asUintN(width, frame.wideOf(element, lane)) << BigInt(i * width);
      }
      frame.writeBits(destination.place, lane, bits);
    }
    markLaneBits(frame, destination, lanes, undefinedBits);
  };
}

/** Returns the executor of `mov.b64 {d, e}, a`. */
export function unpackExec(source: Source, elements: readonly (Destination | undefined)[]): Exec {
  const width = source.width / elements.length;
  return (_warp, frame, lanes) => {
    const undefinedBits = elements.map((_, i) =>
      bitsIn(frame, [source], lanes, (lane) => frame.undefinedOf(source, lane) >> BigInt(i * width)),
    );
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const bits = frame.wideOf(source, lane);
      for (const [i, element] of elements.entries()) {
        if (element === undefined) continue;
        frame.writeBits(element.place, lane, BigInt.asUintN(width, bits >> BigInt(i * width)));
      }
    }
    for (const [i, element] of elements.entries()) markLaneBits(frame, element, lanes, undefinedBits[i] ?? []);
  };
}
