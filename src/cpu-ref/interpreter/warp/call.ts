// Calls of device functions. Each call has a register frame at its depth, and a part of the lane's
// local memory for its stack variables.

import { isNeverWritten, markOf, shadow } from '../memory/region.ts';
import { laneNames } from '../state/findings.ts';
import { type Frame, lowestLane } from '../state/frame.ts';
import type { CallWork, Op, Passed, Warp, Work } from '../state/state.ts';

const mostDepth = 1000;
const maxStackBytes = 512 * 1024;

/** The location of an argument or result in one function's frame. */
export interface Side {
  readonly frame: Frame;
  readonly passed: Passed;
}

function readSide(warp: Warp, lane: number, { frame, passed }: Side): { bytes: Uint8Array; marks: Uint16Array } {
  if (passed.kind === 'stack') {
    const local = warp.local(lane);
    const start = (frame.stackBase[lane] ?? 0) + passed.offset;
    const marks = local.shadow?.slice(start, start + passed.bytes) ?? new Uint16Array(passed.bytes);
    return { bytes: local.bytes.slice(start, start + passed.bytes), marks };
  }
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, frame.readBits(passed.place, lane), true);
  const undefinedBits = frame.undefinedBits(passed.place, lane);
  const isUnwritten = (((frame.unwrittenIn[passed.place.taint] ?? 0) >>> lane) & 1) !== 0;
  const marks = Uint16Array.from({ length: passed.bytes }, (_, i) => markOf(undefinedBits, i, isUnwritten));
  return { bytes: bytes.subarray(0, passed.bytes), marks };
}

function writeSide(warp: Warp, lane: number, { frame, passed }: Side, bytes: Uint8Array, marks: Uint16Array): void {
  if (passed.kind === 'stack') {
    const local = warp.local(lane);
    const start = (frame.stackBase[lane] ?? 0) + passed.offset;
    local.bytes.set(bytes.subarray(0, passed.bytes), start);
    local.shadow?.set(marks.subarray(0, passed.bytes), start);
    return;
  }
  const whole = new Uint8Array(8);
  whole.set(bytes.subarray(0, passed.bytes));
  frame.writeBits(passed.place, lane, new DataView(whole.buffer).getBigUint64(0, true));
  let undefinedBits = 0n;
  for (let i = 0; i < passed.bytes; i++) undefinedBits |= BigInt((marks[i] ?? 0) & 0xff) << BigInt(8 * i);
  const { place } = passed;
  const destination = { place, width: place.width, signed: false };
  frame.mark(destination, 1 << lane, 0);
  if (undefinedBits !== 0n) frame.markBits(destination, lane, undefinedBits, marks.some(isNeverWritten));
}

/** Returns the value of an argument of at most eight bytes. */
export function readBits(warp: Warp, lane: number, side: Side): bigint {
  const whole = new Uint8Array(8);
  whole.set(readSide(warp, lane, side).bytes.subarray(0, 8));
  return new DataView(whole.buffer).getBigUint64(0, true);
}

/** Writes the value of a result of at most eight bytes. */
export function writeBits(warp: Warp, lane: number, side: Side, bits: bigint): void {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, bits, true);
  writeSide(warp, lane, side, bytes.subarray(0, side.passed.bytes), new Uint16Array(side.passed.bytes));
}

function pass(warp: Warp, lane: number, from: Side, to: Side): void {
  const { bytes, marks } = readSide(warp, lane, from);
  writeSide(warp, lane, to, bytes, marks);
}

/** Starts the callee in `lanes`, whose program counters are at the call. */
export function enterCall(warp: Warp, op: Op, call: CallWork, caller: Frame, lanes: number): void {
  const { machine } = warp;
  const depth = (warp.depth[lowestLane(lanes)] ?? 0) + 1;
  const fn = machine.program.functions[call.callee];
  if (fn === undefined) throw new RangeError(`no function ${call.callee}`);
  const tooDeep = depth > mostDepth;
  const callee = tooDeep ? caller : warp.frame(depth, call.callee);
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const base = (caller.stackBase[lane] ?? 0) + caller.layout.frameBytes;
    const end = base + fn.layout.frameBytes;
    if (tooDeep || end > maxStackBytes) {
      const message = `calls nest too deeply: depth ${depth}, ${end} bytes of stack`;
      machine.log.add('RUN016', op.span, warp.place(lanes), () => `${message}, in ${laneNames(lanes)}`);
      machine.halt('RUN016', message);
    }
    const local = warp.local(lane);
    local.grow(end);
    local.shadow?.fill(shadow.neverWritten, base, end);
    callee.stackBase[lane] = base;
    callee.returnPc[lane] = (warp.pc[lane] ?? 0) + 1;
  }
  callee.enter(lanes);
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    for (const [given, taken] of call.args) {
      pass(warp, lane, { frame: caller, passed: given }, { frame: callee, passed: taken });
    }
    warp.depth[lane] = depth;
    warp.pc[lane] = fn.start;
  }
}

/**
 * Starts a function in each of `lanes`, at the lane's own address. The program counters of these
 * lanes are at the call.
 */
export function enterIndirect(
  warp: Warp,
  op: Op,
  { address, calls }: Extract<Work, { kind: 'indirect' }>,
  caller: Frame,
  lanes: number,
): void {
  const { machine } = warp;
  for (let left = lanes; left !== 0; ) {
    const first = lowestLane(left);
    const target = caller.wideOf(address, first);
    let alike = 0;
    for (let m = left; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (caller.wideOf(address, lane) === target) alike |= 1 << lane;
    }
    left &= ~alike;
    const call = calls.get(target);
    if (call === undefined) {
      const message = `call of address 0x${target.toString(16)}, which is not a function with this prototype`;
      machine.log.add('RUN019', op.span, warp.place(alike), () => `${message}, in ${laneNames(alike)}`);
      return machine.halt('RUN019', message);
    }
    enterCall(warp, op, call, caller, alike);
  }
}

/** Returns from `callee` in `lanes`. Each lane continues after its own call. */
export function leaveCall(warp: Warp, callee: Frame, lanes: number): void {
  const { fn } = warp.opOf(lowestLane(lanes));
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const returnPc = callee.returnPc[lane] ?? 0;
    warp.depth[lane] = (warp.depth[lane] ?? 1) - 1;
    // The call instruction determines the locations of the results in the caller's frame.
    warp.pc[lane] = returnPc - 1;
    const { work } = warp.opOf(lane);
    const caller = warp.frameOf(lane);
    warp.pc[lane] = returnPc;
    const call = work.kind === 'indirect' ? [...work.calls.values()].find(({ callee: own }) => own === fn) : undefined;
    const { results } = call ?? (work.kind === 'call' ? work.call : { results: undefined });
    if (results === undefined) throw new TypeError('a lane returns without a call');
    for (const [taken, given] of results) {
      pass(warp, lane, { frame: callee, passed: given }, { frame: caller, passed: taken });
    }
  }
}

/** Returns the instruction index of each active call of a lane, ordered from the outermost. */
export function callsOf(warp: Warp, lane: number): number[] {
  const calls: number[] = [];
  let { fn } = warp.opOf(lane);
  for (let depth = warp.depth[lane] ?? 0; depth > 0; depth--) {
    const at = (warp.frame(depth, fn).returnPc[lane] ?? 0) - 1;
    calls.unshift(at);
    fn = warp.machine.program.ops[at]?.fn ?? 0;
  }
  return calls;
}
