// Executes loads, stores, atomics and conversions between address spaces.
import type { Bits } from '../../types.ts';
import type { Access } from '../memory/access.ts';
import type { Update } from '../memory/atomics.ts';
import type { Destination, Source } from '../memory/layout.ts';
import { isNeverWritten, type Region } from '../memory/region.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Exec, Warp } from '../state/state.ts';
import { inspect, type Located, locate, nowhere } from './locate.ts';
import { loadElements, movePlain, storeElements } from './plain-access.ts';

function loadInto(
  frame: Frame,
  lane: number,
  to: Destination,
  at: Located | undefined,
  offset: number,
  bytes: number,
): void {
  if (bytes < 8) {
    frame.writeWord(to, lane, at === undefined ? 0 : at.region.load(offset, bytes));
    return;
  }
  const low = at === undefined ? 0 : at.region.load(offset, 4);
  const high = at === undefined ? 0 : at.region.load(offset + 4, 4);
  frame.file[to.place.base + 2 * lane] = low;
  frame.file[to.place.base + 2 * lane + 1] = high;
}

/**
 * Returns the executor of a load of one element or a vector. The first element of a vector has the
 * lowest address. Out of bounds, the result is 0 and undefined. `polls`: whether the thread may
 * execute the load until another thread has stored a value.
 */
export function loadExec(access: Access, destinations: readonly (Destination | undefined)[], polls: boolean): Exec {
  const element = access.bytes / destinations.length;
  const at = nowhere();
  const load = loadElements(destinations, element);
  return (warp, frame, lanes) => {
    if (polls) warp.polls++;
    const undefinedAddress = frame.undefinedIn[access.base.taint] ?? 0;
    const rest = movePlain(warp, frame, lanes, access, load);
    if (rest === 0) {
      for (let i = 0; i < destinations.length; i++) frame.mark(destinations[i], lanes, undefinedAddress);
      return;
    }
    const undefinedLanes = destinations.map(() => undefinedAddress);
    let known: [to: Destination, lane: number, bits: bigint, isUnwritten: boolean][] | undefined;
    for (let m = rest; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const found = locate(warp, frame, lane, access, at);
      if (found && warp.machine.sanitize) inspect(warp, lane, access, at);
      for (let i = 0; i < destinations.length; i++) {
        const to = destinations[i];
        const offset = at.offset + i * element;
        if (to !== undefined) loadInto(frame, lane, to, found ? at : undefined, offset, element);
        if (!found) undefinedLanes[i] = (undefinedLanes[i] ?? 0) | (1 << lane);
        else if (at.region.shadow !== undefined && to !== undefined && ((undefinedAddress >>> lane) & 1) === 0) {
          const mark = at.region.shadowAt(offset, element);
          const isUnwritten = isNeverWritten(mark) && at.region.space === 'local';
          if (mark !== 0) {
            known ??= [];
            known.push([to, lane, at.region.undefinedBits(offset, element), isUnwritten]);
          }
        }
      }
    }
    for (let i = 0; i < destinations.length; i++) frame.mark(destinations[i], lanes, undefinedLanes[i] ?? 0);
    if (known === undefined) return;
    for (const [to, lane, bits, isUnwritten] of known) frame.markBits(to, lane, bits, isUnwritten);
  };
}

/**
 * Returns the executor of a store of one element or a vector. A store out of bounds changes
 * nothing.
 */
export function storeExec(access: Access, sources: readonly Source[]): Exec {
  const element = access.bytes / sources.length;
  const at = nowhere();
  const store = storeElements(sources, element);
  return (warp, frame, lanes) => {
    const { tracksUndefined } = warp.machine;
    const isPlain = !tracksUndefined || (frame.undefinedLanes(sources) & lanes) === 0;
    const rest = isPlain ? movePlain(warp, frame, lanes, access, store) : lanes;
    for (let m = rest; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (!locate(warp, frame, lane, access, at)) continue;
      if (warp.machine.sanitize) {
        inspect(warp, lane, access, at, () =>
          sources.every((source, i) => holds(at, i * element, element, frame, source, lane)),
        );
      }
      for (let i = 0; i < sources.length; i++) {
        const source = sources[i];
        if (source === undefined) continue;
        const offset = at.offset + i * element;
        at.region.store(offset, Math.min(element, 4), frame.wordOf(source, lane));
        if (element === 8) at.region.store(offset + 4, 4, frame.file[source.place.base + 2 * lane + 1] ?? 0);
        if (!tracksUndefined) continue;
        const undefinedValue = ((frame.undefinedIn[source.place.taint] ?? 0) >>> lane) & 1;
        noteStore(warp, lane, at.region, offset, element, undefinedValue !== 0);
        if (undefinedValue !== 0) noteUndefinedBits(warp, frame, lane, access, at.region, offset, source);
      }
    }
  };
}

/** Whether memory already contains the value of an element, and the value is defined. */
function holds(
  { region, offset }: Located,
  at: number,
  bytes: number,
  frame: Frame,
  source: Source,
  lane: number,
): boolean {
  const from = offset + at;
  if (region.shadow !== undefined && region.shadowAt(from, bytes) !== 0) return false;
  if (((frame.undefinedIn[source.place.taint] ?? 0) >>> lane) & 1) return false;
  const mask = bytes < 4 ? 2 ** (8 * bytes) - 1 : 0xffff_ffff;
  const low = (frame.wordOf(source, lane) & mask) >>> 0;
  if (region.load(from, Math.min(bytes, 4)) !== low) return false;
  return bytes < 8 || region.load(from + 4, 4) === (frame.file[source.place.base + 2 * lane + 1] ?? 0);
}

/**
 * Records the undefined bits of a value, after `noteStore`. Reports a value that was never written,
 * unless it is stored to local memory: in local memory, only uses of such values are reported.
 */
function noteUndefinedBits(
  warp: Warp,
  frame: Frame,
  lane: number,
  { span }: Access,
  region: Region,
  offset: number,
  source: Source,
): void {
  const bits = frame.undefinedOf(source, lane);
  const isUnwritten = frame.isUnwritten(source, lane);
  const isLocal = region.space === 'local';
  region.noteBits(offset, source.width / 8, bits, isUnwritten && isLocal);
  if (!isUnwritten || isLocal || bits !== BigInt.asUintN(source.width, -1n)) return;
  const name = source.place.register?.name ?? '';
  const message = () => `'${name}' is stored before it is written`;
  warp.machine.log.add('RUN006', span, warp.place(1 << lane), message, { variant: name });
}

/** Records that a lane stored bytes, and whether PTX defines their new value. */
export function noteStore(
  warp: Warp,
  lane: number,
  region: Region,
  offset: number,
  bytes: number,
  isUndefined: boolean,
): void {
  const isNoted = isUndefined || region.shadow !== undefined || region.writers !== undefined;
  if (isNoted && warp.machine.tracksUndefined) {
    region.noteStore(offset, bytes, isUndefined, warp.firstGlobalThread + lane);
  }
}

export interface AtomicWork {
  readonly access: Access;
  /**
   * Computes the new value from the old value and the operands. Values of up to 32 bits are
   * numbers; 64-bit values are bigints.
   */
  readonly update: Update;
  readonly b: Source;
  readonly c: Source | undefined;
  /** The register that receives the old value; undefined for `red`. */
  readonly destination: Destination | undefined;
}

/**
 * Returns the executor of an atomic read-modify-write, which the lanes execute one after another.
 */
export function atomicExec({ access, update, b, c, destination }: AtomicWork): Exec {
  const at = nowhere();
  const wide = access.bytes === 8;
  const operandOf = (frame: Frame, source: Source, lane: number): Bits =>
    wide ? frame.wideOf(source, lane) : frame.wordOf(source, lane);
  const operands = c === undefined ? [b] : [b, c];
  return (warp, frame, lanes) => {
    if (destination !== undefined) warp.polls++;
    const undefinedOperands = frame.undefinedLanes(operands);
    let undefinedLanes = frame.undefinedIn[access.base.taint] ?? 0;
    for (let m = lanes; m !== 0; ) {
      const lane = warp.machine.shuffles ? 31 - Math.clz32(m) : lowestLane(m);
      m &= ~(1 << lane);
      let old: Bits = wide ? 0n : 0;
      if (locate(warp, frame, lane, access, at)) {
        if (warp.machine.sanitize) inspect(warp, lane, access, at);
        const { region, offset } = at;
        const low = region.load(offset, Math.min(access.bytes, 4));
        old = wide ? (BigInt(region.load(offset + 4, 4)) << 32n) | BigInt(low) : low;
        const oldUndefined = region.shadow !== undefined && region.shadowAt(offset, access.bytes) !== 0;
        if (oldUndefined) undefinedLanes |= 1 << lane;
        const last = c === undefined ? old : operandOf(frame, c, lane);
        const updated = update(old, operandOf(frame, b, lane), last, region.space === 'global');
        if (typeof updated === 'bigint') {
          region.store(offset, 4, Number(BigInt.asUintN(32, updated)));
          region.store(offset + 4, 4, Number(BigInt.asUintN(32, updated >> 32n)));
        } else region.store(offset, access.bytes, updated);
        const isUndefined = oldUndefined || ((undefinedOperands >>> lane) & 1) !== 0;
        noteStore(warp, lane, region, offset, access.bytes, isUndefined);
      } else undefinedLanes |= 1 << lane;
      if (destination !== undefined) {
        if (typeof old === 'bigint') frame.writeWide(destination, lane, old);
        else frame.writeWord(destination, lane, old);
      }
    }
    frame.mark(destination, lanes, undefinedLanes);
  };
}

/**
 * Returns the function that executes a conversion of addresses, such as `cvta` or `cvta.to`. 32-bit
 * addresses wrap.
 */
export function addressExec(source: Source, destination: Destination, convert: (address: number) => number): Exec {
  const sources = [source];
  const isWhole = destination.width === destination.place.width;
  return (_warp, frame, lanes) => {
    const undefinedLanes = frame.undefinedLanes(sources);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const address = convert(frame.addressOf(source.place, lane));
      if (isWhole) frame.writeInteger(destination.place, lane, address);
      else frame.writeBits(destination.place, lane, BigInt.asUintN(destination.width, BigInt(address)));
    }
    frame.mark(destination, lanes, undefinedLanes);
  };
}
