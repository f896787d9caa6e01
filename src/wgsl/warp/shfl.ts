// Shuffles. The source lane and its range follow from the lane number and two operands, all modulo 32.
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import {
  constantBool,
  constantU32,
  inMask,
  source,
  type WarpLowering,
  type WarpResults,
  type WarpValue,
  type WarpWriter,
} from './warp-writer.ts';

const modes = ['up', 'down', 'bfly', 'idx'] as const;
type Mode = (typeof modes)[number];

function modeOf(text: string | undefined): Mode {
  const mode = modes.find((candidate) => candidate === text);
  if (mode === undefined) throw new Error(`no shuffle ${text}`);
  return mode;
}

/// The source lane, and whether it is in range.
interface Route {
  readonly lane: WarpValue;
  readonly inRange: WarpValue;
}

/// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
export const shuffle: WarpLowering = (writer, mods, sources, wanted) => {
  const mode = modeOf(mods.mode);
  const [a, b, c] = [source(sources, 'a'), source(sources, 'b'), source(sources, 'c')];
  if (b.constant !== undefined && c.constant !== undefined) {
    return constantShuffle(writer, mode, a, b.constant & 31n, c.constant, wanted);
  }
  if (c.constant !== undefined && reachesAll(mode, c.constant)) {
    const segmask = (c.constant >> 8n) & 31n;
    const d = () => {
      const route = writer.each('u32', 'source', (s) => {
        if (mode === 'bfly') return five(w.xor(writer.lane.at(s), b.at(s)));
        if (segmask === 0n) return five(b.at(s));
        return w.or(w.and(writer.lane.at(s), w.u32(segmask)), w.and(b.at(s), w.u32(31n & ~segmask)));
      });
      return writer.shuffle('value', a, route);
    };
    return results(wanted, d, constantBool(true));
  }
  const route = routeOf(writer, mode, b, c);
  return results(wanted, () => writer.shuffle('value', a, ownUnless(writer, route)), route.inRange);
};

const results = (wanted: ReadonlySet<string>, d: () => WarpValue, p: WarpValue): WarpResults => ({
  ...(wanted.has('d') ? { d: d() } : {}),
  ...(wanted.has('p') ? { p } : {}),
});

const five = (value: Expr): Expr => w.and(value, w.u32(31));

/// Whether every `b` of a known `c` is in range: idx and bfly whose clamp is the segment's last lane.
function reachesAll(mode: Mode, c: bigint): boolean {
  const segmask = (c >> 8n) & 31n;
  const inSegment = 31n & ~segmask;
  if (mode === 'bfly') return segmask === 0n && (c & 31n) === 31n;
  return mode === 'idx' && (c & inSegment) === inSegment;
}

/// Lanes out of range read their own value.
const ownUnless = (writer: WarpWriter, { lane, inRange }: Route): WarpValue =>
  writer.each('u32', 'source', (s) => w.select(inRange.at(s), five(lane.at(s)), writer.lane.at(s)));

function routeOf(writer: WarpWriter, mode: Mode, b: WarpValue, c: WarpValue): Route {
  const low = (value: WarpValue, s: Expr) =>
    value.constant === undefined ? five(value.at(s)) : w.u32(value.constant & 31n);
  const own = (s: Expr) => writer.lane.at(s);
  const segmask =
    c.constant === undefined
      ? writer.each('u32', 'segmask', (s) => five(w.shr(c.at(s), w.u32(8))))
      : constantU32((c.constant >> 8n) & 31n);
  // In the lane's own segment, the place that an operand gives.
  const inSegment = (value: WarpValue, s: Expr) =>
    w.or(w.and(own(s), segmask.at(s)), w.and(low(value, s), w.complement(segmask.at(s))));
  const maxLane = writer.each('u32', 'max_lane', (s) => inSegment(c, s));
  if (mode === 'up') {
    // Compared as signed numbers: the source lane of the first lanes is negative.
    const lane = writer.each('u32', 'j', (s) => w.sub(own(s), low(b, s)));
    const isIn = (s: Expr) => w.ge(w.bitcast('i32', lane.at(s)), w.bitcast('i32', maxLane.at(s)));
    return { lane, inRange: writer.each('bool', 'in_range', isIn) };
  }
  const lane = writer.each('u32', 'j', (s) => {
    if (mode === 'down') return w.add(own(s), low(b, s));
    return mode === 'bfly' ? w.xor(own(s), low(b, s)) : inSegment(b, s);
  });
  return { lane, inRange: writer.each('bool', 'in_range', (s) => w.le(lane.at(s), maxLane.at(s))) };
}

/// With both operands known, each lane's source is known: most forms are one builtin.
function constantShuffle(
  writer: WarpWriter,
  mode: Mode,
  a: WarpValue,
  b: bigint,
  c: bigint,
  wanted: ReadonlySet<string>,
): WarpResults {
  const segmask = (c >> 8n) & 31n;
  const lanes = Array.from({ length: 32 }, (_, lane) => constantRoute(mode, BigInt(lane), b, c & 31n, segmask));
  const mask = lanes.reduce((bits, { inRange }, lane) => bits | (BigInt(inRange) << BigInt(lane)), 0n);
  const p: WarpValue =
    mask === 0xffff_ffffn || mask === 0n
      ? constantBool(mask !== 0n)
      : { type: 'bool', at: (s) => inMask(writer.lane.at(s), mask) };
  const sources = lanes.map(({ j }) => j);
  return results(wanted, () => exchange(writer, mode, a, { b, segmask, mask, sources, p }), p);
}

function constantRoute(
  mode: Mode,
  lane: bigint,
  b: bigint,
  clamp: bigint,
  segmask: bigint,
): { readonly j: bigint; readonly inRange: boolean } {
  const maxLane = (lane & segmask) | (clamp & ~segmask);
  const routes: Readonly<Record<Mode, bigint>> = {
    up: lane - b,
    down: lane + b,
    bfly: lane ^ b,
    idx: (lane & segmask) | (b & ~segmask),
  };
  const j = routes[mode];
  const inRange = mode === 'up' ? j >= maxLane : j <= maxLane;
  return { j: inRange ? j : lane, inRange };
}

interface KnownRoutes {
  readonly b: bigint;
  readonly segmask: bigint;
  /// Lanes that are in range, and which they are, as a value.
  readonly mask: bigint;
  readonly p: WarpValue;
  /// By lane.
  readonly sources: readonly bigint[];
}

function exchange(writer: WarpWriter, mode: Mode, a: WarpValue, routes: KnownRoutes): WarpValue {
  const { b, segmask, mask, sources, p } = routes;
  if (sources.every((j, lane) => j === BigInt(lane))) return a;
  const [first = 0n] = sources;
  if (sources.every((j) => j === first)) return writer.shuffle('value', a, constantU32(first));
  const isWhole = mask === 0xffff_ffffn;
  // Warps of a wide subgroup lie side by side, so that lane numbers would need the warp's place.
  if (writer.plan.kind === 'wide' && mode === 'bfly') {
    const moved = writer.each(a.type, 'value', (s) => w.builtin('subgroupShuffleXor', a.type, a.at(s), w.u32(b)));
    return isWhole ? moved : writer.each(a.type, 'value', (s) => w.select(p.at(s), moved.at(s), a.at(s)));
  }
  const from = (s: Expr) => {
    const lane = writer.lane.at(s);
    const inSegment = w.or(w.and(lane, w.u32(segmask)), w.u32(b & ~segmask & 31n));
    const at: Readonly<Record<Mode, Expr>> = {
      up: w.sub(lane, w.u32(b)),
      down: w.add(lane, w.u32(b)),
      bfly: w.xor(lane, w.u32(b)),
      idx: inSegment,
    };
    return isWhole ? at[mode] : w.select(p.at(s), at[mode], lane);
  };
  // By source lane also where there is a builtin for the distance: NVIDIA's compiler looks at each result of those for a source that does not
  // execute, but bounds a lane number once for all shuffles that use it.
  return writer.shuffle('value', a, writer.fromLane(sources.join(), `lane_${mode}_${b}`, from));
}
