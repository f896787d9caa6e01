// Checks during execution: undefined guards, reads of unwritten registers, and events for the
// observer.

import type { Source } from '../memory/layout.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Op, Warp } from '../state/state.ts';

/** Reports a guard that PTX leaves undefined in some lanes. */
export function reportGuard(warp: Warp, op: Op, undefinedLanes: number): void {
  const { guard } = op;
  if (guard === undefined) return;
  warp.machine.log.add('RUN011', op.instruction?.guard?.span ?? op.span, warp.place(undefinedLanes), () => {
    return `the guard '${guard.place.register?.name ?? ''}' is undefined`;
  });
}

/**
 * Reports registers, or bits of them, that `lanes` read before writing them. Bitwise instructions
 * only propagate such bits; all other reads are reported. The whole group reads the guard.
 */
export function checkReads(warp: Warp, op: Op, frame: Frame, lanes: number, group: number): void {
  const check = (source: Source, readers: number) => {
    const { place, width } = source;
    const touched = (frame.unwrittenIn[place.taint] ?? 0) & readers;
    const unwritten = touched === 0 ? 0 : unwrittenOf(frame, source, touched);
    if (unwritten === 0) return;
    const name = place.register?.name ?? '';
    const message = () => {
      const lane = lowestLane(unwritten);
      if (!frame.isTracked(place, lane)) return `'${name}' is read before it is written`;
      const bits = frame.undefinedOf(source, lane);
      const what = bits === BigInt.asUintN(width, -1n) ? 'value was' : `bits 0x${bits.toString(16)} were`;
      return `'${name}' is read, but its ${what} never written`;
    };
    warp.machine.log.add('RUN006', op.span, warp.place(unwritten), message, { variant: name });
  };
  if (op.guard !== undefined) check(op.guard, group);
  for (const source of op.reads) check(source, lanes);
}

/** Returns the lanes in which the source reads an undefined bit. */
function unwrittenOf(frame: Frame, source: Source, lanes: number): number {
  let unwritten = 0;
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    if (frame.undefinedOf(source, lane) !== 0n) unwritten |= 1 << lane;
  }
  return unwritten;
}

/** Notifies the observer that `lanes` have just executed an instruction. */
export function observeStep(warp: Warp, op: Op, frame: Frame, lanes: number): void {
  const { observe } = warp.machine;
  const { instruction } = op;
  if (observe === undefined || instruction === undefined) return;
  observe({
    instruction,
    block: warp.block.position,
    warp: warp.index,
    lanes: lanes >>> 0,
    exited: warp.exited >>> 0,
    read: (name) => {
      const place = frame.layout.registers.find(({ register }) => register?.name === name);
      if (place === undefined) return undefined;
      const values = Array.from({ length: 32 }, (_, lane) => frame.readBits(place, lane));
      return { values, undefinedLanes: (frame.undefinedIn[place.taint] ?? 0) >>> 0 };
    },
  });
}
