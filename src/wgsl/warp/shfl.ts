// Shuffles. The source lane and its range follow from the lane number and two operands, all modulo 32.
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import { type Mode, routeOf } from './routes.ts';
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

const modes: readonly Mode[] = ['up', 'down', 'bfly', 'idx'];

function modeOf(text: string | undefined): Mode {
  if (text === 'up' || text === 'down' || text === 'bfly' || text === 'idx') return text;
  throw new Error(`no shuffle ${text}`);
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
    return results(wanted, d, () => constantBool(true));
  }
  const { source: from, inRange } = routeOf(writer, mode, b, c);
  return results(wanted, () => writer.shuffle('value', a, from()), inRange);
};

function results(wanted: ReadonlySet<string>, d: () => WarpValue, p: () => WarpValue): WarpResults {
  return { ...(wanted.has('p') ? { p: p() } : {}), ...(wanted.has('d') ? { d: d() } : {}) };
}

const five = (value: Expr): Expr => w.and(value, w.u32(31));

/// Whether every `b` of a known `c` is in range: idx and bfly whose clamp is the segment's last lane.
function reachesAll(mode: Mode, c: bigint): boolean {
  const segmask = (c >> 8n) & 31n;
  const inSegment = 31n & ~segmask;
  if (mode === 'bfly') return segmask === 0n && (c & 31n) === 31n;
  return mode === 'idx' && (c & inSegment) === inSegment;
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
  /// Lanes that are in range.
  readonly mask: bigint;
  /// The lanes that all lanes read, as text.
  readonly sources: string;
  /// The one lane that all read.
  readonly only: number | undefined;
  readonly isIdentity: boolean;
  /// What the source lane is called.
  readonly hint: string;
}

/// By operands: a kernel has the same few again and again, and there are some thousands in all.
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
  // Warps of a wide subgroup lie side by side, so that lane numbers would need the warp's place.
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
  // By source lane also where there is a builtin for the distance: browsers compare the source of each of those with the last lane and select the
  // result, but bound a lane number once for all shuffles that use it.
  return writer.shuffle('value', a, writer.fromLane(sources, hint, from));
}
