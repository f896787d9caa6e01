// Checks during execution: undefined guards, reads of unwritten registers, and events for the
// observer.

import type { Span } from '../../../ptx/ast.ts';
import type { Source } from '../memory/layout.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { Op, Warp } from '../state/state.ts';
import type { StepState } from '../state/step-event.ts';

/** Reports a guard that PTX leaves undefined in some lanes. */
export function reportGuard(warp: Warp, op: Op, undefinedLanes: number): void {
  const { guard } = op;
  if (guard === undefined) return;
  warp.machine.log.add('RUN011', op.instruction?.guard?.span ?? op.span, warp.place(undefinedLanes), () => {
    return `the guard '${guard.place.register?.name ?? ''}' is undefined`;
  });
}

/**
 * Reports registers, or bits of them, that `lanes` read although they are unwritten. Bitwise
 * instructions only propagate such bits; all other reads are reported. All lanes of the group read
 * the guard.
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
  if (op.registers !== undefined) checkProducts(warp, op, frame, lanes, op.registers);
  if (op.guard !== undefined) check(op.guard, group);
  for (const source of op.reads) check(source, lanes);
}

/** Reports registers that a pending product writes, or reads as its matrix A. */
function checkProducts(warp: Warp, op: Op, frame: Frame, lanes: number, registers: readonly number[]): void {
  const { products } = warp.block;
  for (const taint of registers) {
    const writer = products.writing(frame, taint);
    const product = writer ?? products.readingRegister(frame, taint);
    if (product === undefined) continue;
    const message = () => {
      const name = frame.layout.registers.find((place) => place.taint === taint)?.register?.name ?? '';
      return `'${name}' is accessed, but a product of the warpgroup may not have ${writer ? 'written' : 'read'} it yet`;
    };
    const labels = [{ span: product.span, text: 'the pending product' }];
    warp.machine.log.add('RUN027', op.span, warp.place(lanes), message, {
      labels,
      variant: String(product.span.start),
    });
    break;
  }
  warp.fences.note(frame, registers, { span: op.span, sumOf: undefined });
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

/** The facts about a step that only its executor knows. */
export interface StepPlace {
  readonly depth: number;
  /** The lanes that executed the step together, whether or not their guard was true. */
  readonly group: number;
  /** The group's next instruction; -1 if the lanes have different next instructions. */
  readonly next: number;
}

/** Notifies the observer that `lanes` have just executed an instruction. */
export function observeStep(warp: Warp, op: Op, frame: Frame, lanes: number, place: StepPlace): void {
  const { observe, accesses } = warp.machine;
  const { instruction, work } = op;
  if (observe === undefined || instruction === undefined) return;
  const isBranch = work.kind === 'branch' || work.kind === 'indexed';
  observe({
    instruction,
    block: warp.block.position,
    warp: warp.index,
    lanes: lanes >>> 0,
    exited: warp.exited >>> 0,
    waiting: { sync: warp.atSync >>> 0, converge: warp.atConverge >>> 0, barrier: warp.atBarrier >>> 0 },
    depth: place.depth,
    function: op.fn,
    diverges: isBranch && place.next < 0 && isSplit(warp, place.group),
    atBarrier: work.kind === 'barrier' && work.barrier.waits,
    accesses: accesses.splice(0),
    read: (name) => {
      const register = frame.layout.registers.find((each) => each.register?.name === name);
      if (register === undefined) return undefined;
      const values = Array.from({ length: 32 }, (_, lane) => frame.readBits(register, lane));
      return { values, undefinedLanes: (frame.undefinedIn[register.taint] ?? 0) >>> 0 };
    },
    inspect: () => stateOf(warp, place),
  });
}

/** Whether lanes have different program counters. */
function isSplit(warp: Warp, lanes: number): boolean {
  const first = warp.pc[lowestLane(lanes)];
  for (let m = lanes; m !== 0; m &= m - 1) if (warp.pc[lowestLane(m)] !== first) return true;
  return false;
}

function stateOf(warp: Warp, { group, next }: StepPlace): StepState {
  const { shared } = warp.block;
  const { space, program } = warp.machine;
  const spanOf = (lane: number): Span | undefined => {
    if ((warp.exited >>> lane) & 1) return undefined;
    const pc = next >= 0 && (group >>> lane) & 1 ? next : warp.pc[lane];
    return program.ops[pc ?? -1]?.span; // A warp has 32 program counters.
  };
  return {
    next: Array.from({ length: 32 }, (_, lane) => spanOf(lane)),
    shared: {
      bytes: shared.bytes.slice(0, shared.size),
      defined: Uint8Array.from({ length: shared.size }, (_, offset) => Number(shared.shadowAt(offset, 1) === 0)),
      arrays: shared.parts.map(({ name, start, bytes }) => ({ name, start, bytes })),
    },
    buffers: new Map(
      [...space.buffers].map(([index, region]) => [
        index,
        { bytes: region.bytes.slice(0, region.size), address: region.base },
      ]),
    ),
  };
}
