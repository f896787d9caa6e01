// What is looked at beside execution: undefined guards, reads of unwritten registers, and the observer.
import type { Frame } from './frame.ts';
import type { Op, Warp } from './state.ts';

/// A guard that PTX leaves undefined in some lanes: what the instruction writes is undefined there whether it executes or not.
export function checkGuard(warp: Warp, op: Op, frame: Frame, group: number): void {
  const { guard } = op;
  if (guard === undefined) return;
  const undefinedLanes = (frame.undefinedIn[guard.place.taint] ?? 0) & group;
  warp.machine.log.add('RUN011', op.instruction?.guard?.span ?? op.span, warp.place(undefinedLanes), () => {
    return `the guard '${guard.place.register?.name ?? ''}' is undefined`;
  });
  for (const { place } of op.writes) {
    frame.undefinedIn[place.taint] = (frame.undefinedIn[place.taint] ?? 0) | undefinedLanes;
  }
}

/// Registers that `lanes` read before they have written them. The guard is read by the whole group.
export function checkReads(warp: Warp, op: Op, frame: Frame, lanes: number, group: number): void {
  const check = (taint: number, name: string, readers: number) => {
    const unwritten = (frame.unwrittenIn[taint] ?? 0) & readers;
    if (unwritten === 0) return;
    const message = () => `'${name}' is read before it is written`;
    warp.machine.log.add('RUN006', op.span, warp.place(unwritten), message, { variant: name });
  };
  if (op.guard !== undefined) check(op.guard.place.taint, op.guard.place.register?.name ?? '', group);
  for (const { place } of op.reads) check(place.taint, place.register?.name ?? '', lanes);
}

/// Tells the observer that `lanes` have just executed an instruction.
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
