// Shuffles. The lane number and the operands `b` and `c` determine the source lane, and whether it
// is in range. Only five bits count of `b`, of the clamp in `c`, and of the segment mask in `c`.
import { InternalError, missing } from '../../base/invariants.ts';
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
  if (text === 'up' || text === 'down' || text === 'bfly' || text === 'idx') return text;
  throw new InternalError(`no shuffle ${text}`);
}

/** The source lane of a shuffle, and whether it is in range. */
interface Route {
  readonly lane: WarpValue;
  readonly inRange: WarpValue;
}

/** https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync */
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
    return results(wanted, d, () => constantBool(true));
  }
  if (mode === 'idx' && c.constant === undefined) {
    const { source, inRange } = indexedRoute(writer, b, c);
    return results(wanted, () => writer.shuffle('value', a, source()), inRange);
  }
  if (mode === 'up' || mode === 'down') {
    const { source, inRange } = distantRoute(writer, mode, b, c);
    return results(wanted, () => writer.shuffle('value', a, source()), inRange);
  }
  const route = routeOf(writer, mode, b, c);
  return results(
    wanted,
    () => writer.shuffle('value', a, ownUnless(writer, route)),
    () => route.inRange,
  );
};

function results(wanted: ReadonlySet<string>, d: () => WarpValue, p: () => WarpValue): WarpResults {
  return { ...(wanted.has('p') ? { p: p() } : {}), ...(wanted.has('d') ? { d: d() } : {}) };
}

const five = (value: Expr): Expr => w.and(value, w.u32(31));

/**
 * Whether every `b` is in range for a known `c`. This is true for idx and bfly if the clamp is the
 * segment's last lane.
 */
function reachesAll(mode: Mode, c: bigint): boolean {
  const segmask = (c >> 8n) & 31n;
  const inSegment = 31n & ~segmask;
  if (mode === 'bfly') return segmask === 0n && (c & 31n) === 31n;
  return mode === 'idx' && (c & inSegment) === inSegment;
}

/**
 * Returns the source lane, or the lane itself if the source lane is out of range. A source lane in
 * range is less than 32.
 */
const ownUnless = (writer: WarpWriter, { lane, inRange }: Route): WarpValue =>
  writer.each('u32', 'source', (s) => w.select(inRange.at(s), lane.at(s), writer.lane.at(s)));

const low = (value: WarpValue, s: Expr): Expr =>
  value.constant === undefined ? five(value.at(s)) : w.u32(value.constant & 31n);

function routeOf(writer: WarpWriter, mode: 'bfly' | 'idx', b: WarpValue, c: WarpValue): Route {
  const own = (s: Expr) => writer.lane.at(s);
  const lane = writer.each('u32', 'j', (s) => {
    if (mode === 'bfly') return w.xor(own(s), low(b, s));
    const segmask = ((c.constant ?? missing('the segments of a shuffle')) >> 8n) & 31n;
    return w.or(w.and(own(s), w.u32(segmask)), w.and(low(b, s), w.u32(31n & ~segmask)));
  });
  if (c.constant !== undefined) {
    const maxLane = knownMaxLane(writer, c.constant);
    return { lane, inRange: writer.each('bool', 'in_range', (s) => w.le(lane.at(s), maxLane.at(s))) };
  }
  const maxLane = maxLaneAtTop(writer, c);
  return { lane, inRange: writer.each('bool', 'in_range', (s) => w.le(w.shl(lane.at(s), top), maxLane.at(s))) };
}

/**
 * Computes a source lane between the lane and the clamp. Its distance from the clamp is
 * `reach - b`. For a `b` out of range, the difference wraps to a large number; its minimum with
 * `reach` is then `reach`, which selects the lane itself.
 *
 * This needs three instructions and no comparison, because the driver fuses an addition with a
 * minimum. One of the three instructions is the bounds check that a browser adds to the source
 * lane.
 */
function distantRoute(
  writer: WarpWriter,
  mode: 'up' | 'down',
  b: WarpValue,
  c: WarpValue,
): { readonly source: () => WarpValue; readonly inRange: () => WarpValue } {
  const own = (s: Expr) => writer.lane.at(s);
  const { constant } = c;
  const maxLane = constant === undefined ? maxLaneAtTop(writer, c) : knownMaxLane(writer, constant);
  const named = (hint: string, code: (s: Expr) => Expr) =>
    constant === undefined
      ? writer.each('u32', hint, code)
      : writer.fromLane(`${mode} ${hint} ${constant}`, `${hint}_${mode}`, code);
  // If the clamp is in the opposite direction of the shuffle, the end is the lane itself. For
  // `down`, the shift precedes the maximum. Otherwise the driver would fuse the shift with the
  // subtraction below, once for each shuffle.
  const end = named('end', (s) => {
    if (constant !== undefined) return w.builtin(mode === 'up' ? 'min' : 'max', 'u32', maxLane.at(s), own(s));
    if (mode === 'down') return w.builtin('max', 'u32', w.shr(maxLane.at(s), top), own(s));
    return w.shr(w.builtin('min', 'u32', maxLane.at(s), laneAtTop(writer).at(s)), top);
  });
  const reach = named('reach', (s) => (mode === 'up' ? w.sub(own(s), end.at(s)) : w.sub(end.at(s), own(s))));
  const source = () => {
    const left = writer.each('u32', 'left', (s) => w.builtin('min', 'u32', w.sub(reach.at(s), low(b, s)), reach.at(s)));
    return writer.each('u32', 'source', (s) =>
      mode === 'up' ? w.add(end.at(s), left.at(s)) : w.sub(end.at(s), left.at(s)),
    );
  };
  const inRange = () =>
    writer.each('bool', 'in_range', (s) => {
      const clamp = constant === undefined ? w.shr(maxLane.at(s), top) : maxLane.at(s);
      // Compare signed numbers, because the source of the first lanes is negative.
      if (mode === 'up') return w.ge(w.bitcast('i32', w.sub(own(s), low(b, s))), w.bitcast('i32', clamp));
      return w.le(w.add(own(s), low(b, s)), clamp);
    });
  return { source, inRange };
}

/** Returns the clamp in the lane's own segment. */
function knownMaxLane(writer: WarpWriter, c: bigint): WarpValue {
  const segmask = (c >> 8n) & 31n;
  const clamp = c & 31n & ~segmask;
  return writer.fromLane(`clamp ${clamp} ${segmask}`, 'max_lane', (s) =>
    w.or(w.and(writer.lane.at(s), w.u32(segmask)), w.u32(clamp)),
  );
}

/**
 * The number of low bits above which a word contains a lane number. Shifting a lane number at the
 * top of a word removes all bits above its five bits, so no mask is needed.
 */
const top = w.u32(27);

const laneAtTop = (writer: WarpWriter): WarpValue =>
  writer.fromLane('lane at top', 'lane_top', (s) => w.shl(writer.lane.at(s), top));

function maxLaneAtTop(writer: WarpWriter, c: WarpValue): WarpValue {
  const segmask = writer.each('u32', 'segmask', (s) => w.shl(c.at(s), w.u32(27 - 8)));
  const lane = laneAtTop(writer);
  return writer.each('u32', 'max_lane', (s) =>
    w.or(w.and(lane.at(s), segmask.at(s)), w.and(w.shl(c.at(s), top), w.complement(segmask.at(s)))),
  );
}

/**
 * Computes a source lane that has the lane's own bits where the segment mask is one, and the bits
 * of `b` elsewhere. A lane out of range reads its own value: it adds the distance to its own
 * number, multiplied by the out-of-range test. On an H200, the test is one instruction, a bounded
 * difference. A different unit of the processor computes products than comparisons and selections.
 */
function indexedRoute(
  writer: WarpWriter,
  b: WarpValue,
  c: WarpValue,
): { readonly source: () => WarpValue; readonly inRange: () => WarpValue } {
  const own = (s: Expr) => writer.lane.at(s);
  const segmask = writer.each('u32', 'segmask', (s) => w.or(w.shr(c.at(s), w.u32(8)), w.u32(0xffff_ffe0)));
  const inSegment = (operand: WarpValue, s: Expr) =>
    w.or(w.and(own(s), segmask.at(s)), w.and(operand.at(s), w.complement(segmask.at(s))));
  const maxLane = writer.each('u32', 'max_lane', (s) => inSegment(c, s));
  const lane = writer.each('u32', 'j', (s) => inSegment(b, s));
  const source = () => {
    const isOut = writer.each('u32', 'is_out', (s) => {
      const over = w.sub(w.bitcast('i32', lane.at(s)), w.bitcast('i32', maxLane.at(s)));
      // Apply the smaller bound first, because in the other order drivers need one instruction for
      // each bound.
      return w.bitcast('u32', w.builtin('max', 'i32', w.builtin('min', 'i32', over, w.i32(1)), w.i32(0)));
    });
    return writer.each('u32', 'source', (s) => w.add(lane.at(s), w.mul(isOut.at(s), w.sub(own(s), lane.at(s)))));
  };
  return { source, inRange: () => writer.each('bool', 'in_range', (s) => w.le(lane.at(s), maxLane.at(s))) };
}

/**
 * Writes a shuffle with constant operands. The source of each lane is known, so most forms become
 * one builtin.
 */
function constantShuffle(
  writer: WarpWriter,
  mode: Mode,
  a: WarpValue,
  b: bigint,
  c: bigint,
  wanted: ReadonlySet<string>,
): WarpResults {
  const routes = knownRoutes(mode, Number(b), Number(c & 31n), Number((c >> 8n) & 31n));
  const { mask } = routes;
  const p: WarpValue =
    mask === 0xffff_ffffn || mask === 0n
      ? constantBool(mask !== 0n)
      : { type: 'bool', at: (s) => inMask(writer.lane.at(s), mask) };
  return results(
    wanted,
    () => exchange(writer, mode, a, routes, p),
    () => p,
  );
}

function knownRoute(mode: Mode, lane: number, b: number, clamp: number, segmask: number): number | undefined {
  const maxLane = (lane & segmask) | (clamp & ~segmask);
  switch (mode) {
    case 'up':
      return lane - b >= maxLane ? lane - b : undefined;
    case 'down':
      return lane + b <= maxLane ? lane + b : undefined;
    case 'bfly':
      return (lane ^ b) <= maxLane ? lane ^ b : undefined;
    case 'idx': {
      const j = (lane & segmask) | (b & ~segmask);
      return j <= maxLane ? j : undefined;
    }
  }
}

interface KnownRoutes {
  readonly b: number;
  readonly segmask: number;
  /** The mask of the lanes in range. */
  readonly mask: bigint;
  /** The source of each lane, as a text. */
  readonly sources: string;
  /** The source lane, if it is the same for all lanes. */
  readonly only: number | undefined;
  readonly isIdentity: boolean;
  /** The hint for the name of the source lane. */
  readonly hint: string;
}

/**
 * The known routes, by the operands. A kernel uses only a few of the several thousand combinations,
 * each many times.
 */
const routesByOperands = new Map<number, KnownRoutes>();

function knownRoutes(mode: Mode, b: number, clamp: number, segmask: number): KnownRoutes {
  const key = ((modes.indexOf(mode) * 32 + b) * 32 + clamp) * 32 + segmask;
  const known = routesByOperands.get(key);
  if (known !== undefined) return known;
  let mask = 0n;
  const sources = Array.from({ length: 32 }, (_, lane) => {
    const j = knownRoute(mode, lane, b, clamp, segmask);
    if (j !== undefined) mask |= 1n << BigInt(lane);
    return j ?? lane;
  });
  const [first] = sources;
  const routes: KnownRoutes = {
    b,
    segmask,
    mask,
    sources: sources.join(),
    only: sources.every((j) => j === first) ? first : undefined,
    isIdentity: sources.every((j, lane) => j === lane),
    hint: `lane_${mode}_${b}`,
  };
  routesByOperands.set(key, routes);
  return routes;
}

function exchange(writer: WarpWriter, mode: Mode, a: WarpValue, routes: KnownRoutes, p: WarpValue): WarpValue {
  const { b, segmask, mask, sources, only, isIdentity, hint } = routes;
  if (isIdentity) return a;
  if (only !== undefined) return writer.shuffle('value', a, constantU32(BigInt(only)));
  const isWhole = mask === 0xffff_ffffn;
  // A wide subgroup contains several warps, so lane numbers would need the index of the warp.
  if (writer.plan.kind === 'wide' && mode === 'bfly') {
    const moved = writer.each(a.type, 'value', (s) => w.builtin('subgroupShuffleXor', a.type, a.at(s), w.u32(b)));
    return isWhole ? moved : writer.each(a.type, 'value', (s) => w.select(p.at(s), moved.at(s), a.at(s)));
  }
  const from = (s: Expr) => {
    const lane = writer.lane.at(s);
    const inSegment = w.or(w.and(lane, w.u32(segmask)), w.u32(b & ~segmask & 31));
    const at: Readonly<Record<Mode, Expr>> = {
      up: w.sub(lane, w.u32(b)),
      down: w.add(lane, w.u32(b)),
      bfly: w.xor(lane, w.u32(b)),
      idx: inSegment,
    };
    return isWhole ? at[mode] : w.select(p.at(s), at[mode], lane);
  };
  // Use the source lane even if there is a builtin for the distance. Browsers compare each distance
  // with the last lane and select the result, but they limit a lane number only once for all
  // shuffles that use it.
  return writer.shuffle('value', a, writer.fromLane(sources, hint, from));
}
