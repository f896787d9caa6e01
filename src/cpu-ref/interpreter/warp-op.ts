// Executes a warp instruction: gathers the operands of its lanes, wherever each stands, and hands the results back.
import type { WarpResult } from '../types.ts';
import { laneNames } from './findings.ts';
import { lowestLane } from './frame.ts';
import type { Source } from './layout.ts';
import type { WarpWork } from './op.ts';
import type { Warp } from './warp.ts';
import { observeStep } from './warp-checks.ts';

type LaneValues = Uint32Array | BigUint64Array;

function workOf(warp: Warp, lane: number): WarpWork {
  const { work } = warp.opOf(lane);
  if (work.kind !== 'warp') throw new TypeError('a lane of the group stands at no warp instruction');
  return work.warp;
}

interface Gathered {
  readonly sources: Readonly<Record<string, LaneValues>>;
  /// The same with the undefined values complemented.
  readonly disturbed: Readonly<Record<string, LaneValues>>;
  /// Lanes with any undefined operand.
  readonly undefinedLanes: number;
}

function gather(warp: Warp, lanes: number, first: WarpWork): Gathered {
  const sources: Record<string, LaneValues> = {};
  const disturbed: Record<string, LaneValues> = {};
  let undefinedLanes = 0;
  for (const [i, { name, source }] of first.sources.entries()) {
    const wide = source.width > 32 ? new BigUint64Array(32) : undefined;
    const words = new Uint32Array(32);
    const values = wide ?? words;
    let undefinedHere = 0;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      const own: Source = workOf(warp, lane).sources[i]?.source ?? source;
      const frame = warp.frameOf(lane);
      if (wide !== undefined) wide[lane] = frame.wideOf(own, lane);
      else words[lane] = frame.wordOf(own, lane);
      undefinedHere |= (frame.undefinedIn[own.place.taint] ?? 0) & (1 << lane);
    }
    sources[name] = values;
    disturbed[name] = undefinedHere === 0 ? values : complement(values, undefinedHere, source.width);
    undefinedLanes |= undefinedHere;
  }
  return { sources, disturbed, undefinedLanes };
}

function complement(values: LaneValues, lanes: number, width: number): LaneValues {
  if (values instanceof BigUint64Array) return values.map((value, lane) => ((lanes >>> lane) & 1 ? ~value : value));
  const mask = width === 1 ? 1 : 0xffff_ffff;
  return values.map((value, lane) => ((lanes >>> lane) & 1 ? value ^ mask : value));
}

/// Lanes where a result depends on undefined operands. Shuffles and votes are run again with those operands complemented: a lane whose
/// result does not change (its source lane is defined, another lane already decides the vote) has a defined one. Elsewhere one undefined
/// operand leaves all results undefined.
function spread(row: string, lanes: number, gathered: Gathered, result: WarpResult, again: () => WarpResult) {
  const { undefinedLanes } = gathered;
  const undefinedIn: Record<string, number> = {};
  if (undefinedLanes === 0) return undefinedIn;
  const careful = row.startsWith('shfl') || row.startsWith('vote');
  const other = careful ? again() : undefined;
  for (const name of Object.keys(result.results)) {
    undefinedIn[name] = lanes;
    if (other === undefined) continue;
    let changed = 0;
    for (let m = lanes; m !== 0; m &= m - 1) {
      const lane = lowestLane(m);
      if (result.results[name]?.[lane] !== other.results[name]?.[lane]) changed |= 1 << lane;
    }
    undefinedIn[name] = changed | ~(other.defined[name] ?? 0);
  }
  return undefinedIn;
}

/// Executes the warp instruction that all of `lanes` stand at; each lane may stand at its own copy of it.
export function executeWarpOp(warp: Warp, lanes: number): void {
  const firstLane = lowestLane(lanes);
  const op = warp.opOf(firstLane);
  const { instruction } = op;
  const first = workOf(warp, firstLane);
  if (instruction === undefined) return;
  const gathered = gather(warp, lanes, first);
  const state = { active: lanes >>> 0, exited: warp.exited >>> 0 };
  const result = first.fn(instruction.mods, { ...state, sources: gathered.sources });
  const undefinedIn = spread(instruction.row.name, lanes, gathered, result, () =>
    first.fn(instruction.mods, { ...state, sources: gathered.disturbed }),
  );
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
  observeStep(warp, op, warp.frameOf(firstLane), lanes);
  if (first.membermask !== undefined) warp.block.races?.joinThreads(warp.firstThread, lanes);
}

/// Lanes that their own membermask names; all lanes where there is none.
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
