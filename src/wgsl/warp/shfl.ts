// Shuffles. The source lane and its range follow from the lane number and two operands, all modulo 32.
import { constantU32, hex, inMask, source, type WarpLowering, type WarpValue, type WarpWriter } from './warp-writer.ts';

/// WGSL of the source lane and of whether it is in range.
interface Route {
  readonly lane: WarpValue;
  readonly inRange: WarpValue;
}

/// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
export const shuffle: WarpLowering = (w, mods, sources, wanted) => {
  const mode = mods.mode ?? 'idx';
  const a = source(sources, 'a');
  const b = source(sources, 'b');
  const c = source(sources, 'c');
  if (b.constant !== undefined && c.constant !== undefined)
    return constantShuffle(w, mode, a, b.constant & 31n, c.constant, wanted);
  if (c.constant !== undefined && reachesAll(mode, c.constant)) {
    const segmask = (c.constant >> 8n) & 31n;
    const route = w.each('u32', 'source', (s) => {
      if (mode === 'bfly') return `(${w.lane.at(s)} ^ ${b.at(s)}) & 31u`;
      if (segmask === 0n) return `${b.at(s)} & 31u`;
      return `(${w.lane.at(s)} & ${hex(segmask)}) | (${b.at(s)} & ${hex(31n & ~segmask)})`;
    });
    const p: WarpValue = { type: 'bool', at: () => 'true', constant: 1n };
    return { ...(wanted.has('d') ? { d: w.shuffle('value', a, route) } : {}), ...(wanted.has('p') ? { p } : {}) };
  }
  const route = routeOf(w, mode, b, c);
  const d = wanted.has('d') ? { d: w.shuffle('value', a, ownUnless(w, route)) } : {};
  return wanted.has('p') ? { ...d, p: route.inRange } : d;
};

/// Whether every `b` of a known `c` is in range: idx and bfly whose clamp is the segment's last lane.
function reachesAll(mode: string, c: bigint): boolean {
  const segmask = (c >> 8n) & 31n;
  const inSegment = 31n & ~segmask;
  if (mode === 'bfly') return segmask === 0n && (c & 31n) === 31n;
  return mode === 'idx' && (c & inSegment) === inSegment;
}

/// Lanes out of range read their own value.
function ownUnless(w: WarpWriter, { lane, inRange }: Route): WarpValue {
  return w.each('u32', 'source', (s) => `select(${w.lane.at(s)}, ${lane.at(s)} & 31u, ${inRange.at(s)})`);
}

function routeOf(w: WarpWriter, mode: string, b: WarpValue, c: WarpValue): Route {
  const five = (value: WarpValue, s: string) =>
    value.constant === undefined ? `(${value.at(s)} & 31u)` : hex(value.constant & 31n);
  const segmask =
    c.constant !== undefined
      ? constantU32((c.constant >> 8n) & 31n)
      : w.each('u32', 'segmask', (s) =>
          c.constant === undefined ? `(${c.at(s)} >> 8u) & 31u` : hex((c.constant >> 8n) & 31n),
        );
  const maxLane = w.each(
    'u32',
    'max_lane',
    (s) => `(${w.lane.at(s)} & ${segmask.at(s)}) | (${five(c, s)} & ~${segmask.at(s)})`,
  );
  if (mode === 'up') {
    // Compared as signed numbers: the source lane of the first lanes is negative.
    const lane = w.each('u32', 'j', (s) => `${w.lane.at(s)} - ${five(b, s)}`);
    return {
      lane,
      inRange: w.each('bool', 'in_range', (s) => `bitcast<i32>(${lane.at(s)}) >= bitcast<i32>(${maxLane.at(s)})`),
    };
  }
  const lane = w.each('u32', 'j', (s) => {
    if (mode === 'down') return `${w.lane.at(s)} + ${five(b, s)}`;
    if (mode === 'bfly') return `${w.lane.at(s)} ^ ${five(b, s)}`;
    return `(${w.lane.at(s)} & ${segmask.at(s)}) | (${five(b, s)} & ~${segmask.at(s)})`;
  });
  return { lane, inRange: w.each('bool', 'in_range', (s) => `${lane.at(s)} <= ${maxLane.at(s)}`) };
}

/// With both operands known, each lane's source is known: most forms are one builtin.
function constantShuffle(
  w: WarpWriter,
  mode: string,
  a: WarpValue,
  b: bigint,
  c: bigint,
  wanted: ReadonlySet<string>,
): Record<string, WarpValue> {
  const clamp = c & 31n;
  const segmask = (c >> 8n) & 31n;
  const lanes = Array.from({ length: 32 }, (_, lane) => constantRoute(mode, BigInt(lane), b, clamp, segmask));
  const mask = lanes.reduce((bits, { inRange }, lane) => bits | (BigInt(inRange) << BigInt(lane)), 0n);
  const inRange: WarpValue =
    mask === 0xffffffffn || mask === 0n
      ? { type: 'bool', at: () => String(mask !== 0n), constant: mask === 0n ? 0n : 1n }
      : { type: 'bool', at: (s) => inMask(w.lane.at(s), mask) };
  const p = wanted.has('p') ? { p: inRange } : {};
  if (!wanted.has('d')) return p;
  return { d: exchange(w, mode, a, b, segmask, mask, lanes, inRange), ...p };
}

function constantRoute(
  mode: string,
  lane: bigint,
  b: bigint,
  clamp: bigint,
  segmask: bigint,
): { j: bigint; inRange: boolean } {
  const maxLane = (lane & segmask) | (clamp & ~segmask);
  const j =
    mode === 'up'
      ? lane - b
      : mode === 'down'
        ? lane + b
        : mode === 'bfly'
          ? lane ^ b
          : (lane & segmask) | (b & ~segmask);
  const inRange = mode === 'up' ? j >= maxLane : j <= maxLane;
  return { j: inRange ? j : lane, inRange };
}

function exchange(
  w: WarpWriter,
  mode: string,
  a: WarpValue,
  b: bigint,
  segmask: bigint,
  mask: bigint,
  lanes: readonly { j: bigint; inRange: boolean }[],
  inRange: WarpValue,
): WarpValue {
  if (lanes.every(({ j }, lane) => j === BigInt(lane))) return a;
  const first = lanes[0]?.j ?? 0n;
  if (lanes.every(({ j }) => j === first)) return w.shuffle('value', a, constantU32(first));
  const whole = mask === 0xffffffffn;
  // Warps of a wide subgroup lie side by side, so that lane numbers would need the warp's place.
  if (w.plan.kind === 'wide' && mode === 'bfly') {
    const moved = w.each('u32', 'value', (s) => `subgroupShuffleXor(${a.at(s)}, ${hex(b)})`);
    return whole ? moved : w.each('u32', 'value', (s) => `select(${a.at(s)}, ${moved.at(s)}, ${inRange.at(s)})`);
  }
  const from = (s: string) => {
    const lane = w.lane.at(s);
    const j =
      { up: `${lane} - ${hex(b)}`, down: `${lane} + ${hex(b)}`, bfly: `${lane} ^ ${hex(b)}` }[mode] ??
      `(${lane} & ${hex(segmask)}) | ${hex(b & ~segmask & 31n)}`;
    return whole ? j : `select(${lane}, ${j}, ${inRange.at(s)})`;
  };
  // By source lane also where there is a builtin for the distance: NVIDIA's compiler looks at each result of those for a source that does
  // not execute, but bounds a lane number once for all shuffles that use it.
  return w.shuffle('value', a, w.fromLane(`lane_${mode}_${b}`, from));
}
