// Executes a warp instruction: collects the operands of its lanes, which may be at different
// instructions, and writes the results.
import { undefinedResults } from '../../warp/undefined.ts';
import type { Source } from '../memory/layout.ts';
import { laneNames } from '../state/findings.ts';
import { lowestLane } from '../state/frame.ts';
import type { Op, Warp, WarpWork } from '../state/state.ts';
import { observeStep } from './warp-checks.ts';

type LaneValues = Uint32Array | BigUint64Array;
const nothing: Readonly<Record<string, number>> = {};

function workOf(warp: Warp, lane: number): WarpWork {
  const { work } = warp.opOf(lane);
  if (work.kind !== 'warp') throw new TypeError('a lane of the group is not at a warp instruction');
  return work.warp;
}

interface Gathered {
  readonly sources: Readonly<Record<string, LaneValues>>;
  /** For each source, by name: the lanes in which the source is undefined. */
  readonly undefinedIn: Readonly<Record<string, number>>;
  readonly anyUndefined: boolean;
}

function gather(warp: Warp, lanes: number, first: WarpWork): Gathered {
  const sources: Record<string, LaneValues> = {};
  const undefinedIn: Record<string, number> = {};
  let anyUndefined = false;
  for (const [i, { name, source }] of first.sources.entries()) {
    const wide = source.width > 32 ? new BigUint64Array(32) : undefined;
    const words = new Uint32Array(32);
    let undefinedHere = 0;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const own: Source = workOf(warp, lane).sources[i]?.source ?? source;
      const frame = warp.frameOf(lane);
      if (wide !== undefined) wide[lane] = frame.wideOf(own, lane);
      else words[lane] = frame.wordOf(own, lane);
      undefinedHere |= (frame.undefinedIn[own.place.taint] ?? 0) & (1 << lane);
    }
    sources[name] = wide ?? words;
    undefinedIn[name] = undefinedHere;
    anyUndefined ||= undefinedHere !== 0;
  }
  return { sources, undefinedIn, anyUndefined };
}

/**
 * Executes the warp instruction at which all `lanes` wait. Different lanes may wait at different
 * copies of the instruction.
 */
export function executeWarpOp(warp: Warp, lanes: number): void {
  const firstLane = lowestLane(lanes);
  const op = warp.opOf(firstLane);
  const { instruction } = op;
  const first = workOf(warp, firstLane);
  if (instruction === undefined) return;
  const { does } = first;
  if (does.kind === 'access') {
    does.exec(warp, lanes);
    finish(warp, op, first, lanes);
    return;
  }
  const gathered = gather(warp, lanes, first);
  const state = { active: lanes >>> 0, exited: warp.exited >>> 0, sources: gathered.sources };
  const result = does.fn(instruction.mods, state);
  const undefinedIn = gathered.anyUndefined
    ? undefinedResults(does.row, instruction.mods, state, gathered.undefinedIn)
    : nothing;
  for (const [i, { name }] of first.destinations.entries()) {
    const values = result.results[name];
    if (values === undefined) continue;
    const defined = (result.defined[name] ?? 0) & ~(undefinedIn[name] ?? 0);
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const destination = workOf(warp, lane).destinations[i]?.destination;
      if (destination === undefined) continue;
      const frame = warp.frameOf(lane);
      frame.writeBits(destination.place, lane, BigInt(values[lane] ?? 0));
      frame.mark(destination, 1 << lane, ~defined);
    }
    const sourced = lanes & ~(result.defined[name] ?? 0);
    if (sourced !== 0 && ownBits(warp, first, lanes) === lanes) {
      warp.machine.log.add('RUN003', op.span, warp.place(sourced), () => {
        const what = `'${name}' is undefined in ${laneNames(sourced)}`;
        return `${what}: the source lane is inactive, has exited, or is not in the membermask`;
      });
    }
  }
  finish(warp, op, first, lanes);
}

function finish(warp: Warp, op: Op, { membermask }: WarpWork, lanes: number): void {
  if (warp.machine.observe !== undefined) {
    const lane = lowestLane(lanes);
    const next = warp.machine.program.ops.indexOf(op) + 1;
    observeStep(warp, op, warp.frameOf(lane), lanes, { depth: warp.depth[lane] ?? 0, group: lanes, next });
  }
  if (membermask !== undefined) warp.block.clocks?.joinThreads(warp.firstThread, lanes);
}

/**
 * Returns the lanes whose membermask contains the lane itself, or all lanes if the instruction does
 * not have a membermask.
 */
function ownBits(warp: Warp, work: WarpWork, lanes: number): number {
  if (work.membermask === undefined) return lanes;
  let named = 0;
  for (let m = lanes; m !== 0; m &= m - 1) {
    const lane = lowestLane(m);
    const mask = workOf(warp, lane).membermask;
    if (mask !== undefined) named |= warp.frameOf(lane).wordOf(mask, lane) & (1 << lane);
  }
  return named;
}
