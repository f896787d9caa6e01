// Source lanes of shuffles whose operands are not all known.
import * as w from '../tree/build.ts';
import type { Expr } from '../tree/nodes.ts';
import type { WarpValue, WarpWriter } from './warp-writer.ts';

export type Mode = 'up' | 'down' | 'bfly' | 'idx';

export interface Route {
  /// The lane itself where it is out of range; below 32.
  readonly source: () => WarpValue;
  readonly inRange: () => WarpValue;
}

/// A lane out of range goes back to itself: whether it is, is a number, 1 or 0, that the way back is multiplied by. On an H200 that number is one
/// instruction, the difference included, and sums and products have a pipe of their own, where a comparison and a selection take two instructions of
/// the pipe for logic, which a shuffle needs, too.
export function routeOf(writer: WarpWriter, mode: Mode, b: WarpValue, c: WarpValue): Route {
  const own = (s: Expr) => writer.lane.at(s);
  const five = (s: Expr) => (b.constant === undefined ? w.and(b.at(s), w.u32(31)) : w.u32(b.constant & 31n));
  const { clamp, shift, lanesOf } = segmentOf(writer, mode, c);
  const computed: Readonly<Record<Mode, (s: Expr) => Expr>> = {
    up: (s) => w.sub(own(s), five(s)),
    down: (s) => w.add(own(s), five(s)),
    bfly: (s) => w.xor(own(s), five(s)),
    idx: (s) => lanesOf(b, s),
  };
  const lane = writer.each('u32', 'j', computed[mode]);
  // Signed: lanes below the first are negative.
  const sides = (s: Expr) => {
    const j = w.bitcast('i32', shift === 0 ? lane.at(s) : w.shl(lane.at(s), w.u32(shift)));
    const end = w.bitcast('i32', clamp.at(s));
    return mode === 'up' ? { near: end, far: j } : { near: j, far: end };
  };
  const source = () => {
    const isOut = writer.each('u32', 'is_out', (s) => {
      const { near, far } = sides(s);
      // The lesser bound first: the other way round, drivers need an instruction for each.
      const bounded = w.builtin('max', 'i32', w.builtin('min', 'i32', w.sub(near, far), w.i32(1)), w.i32(0));
      return w.bitcast('u32', bounded);
    });
    return writer.each('u32', 'source', (s) => w.add(lane.at(s), w.mul(isOut.at(s), w.sub(own(s), lane.at(s)))));
  };
  const inRange = () =>
    writer.each('bool', 'in_range', (s) => {
      const { near, far } = sides(s);
      return w.le(near, far);
    });
  return { source, inRange };
}

interface Segment {
  /// The last lane in range, that many bits up.
  readonly clamp: WarpValue;
  readonly shift: number;
  /// The lane's own bits where the segment mask has ones, and those of an operand elsewhere, as many bits up.
  readonly lanesOf: (operand: WarpValue, s: Expr) => Expr;
}

function segmentOf(writer: WarpWriter, mode: Mode, c: WarpValue): Segment {
  if (c.constant !== undefined) return knownSegment(writer, c.constant);
  // A clamp stays where `c` has its segment mask, for which its bits go up, as a product; sources of `idx` would have to come down again.
  const shift = mode === 'idx' || writer.plan.slots > 1 ? 0 : 8;
  const own = (s: Expr) => writer.lane.at(s);
  const lane: WarpValue =
    shift === 0 ? writer.lane : writer.fromLane('lane at bit 8', 'lane_8', (s) => w.shl(own(s), w.u32(8)));
  const segmask = writer.each('u32', 'segmask', (s) =>
    shift === 0 ? w.or(w.shr(c.at(s), w.u32(8)), w.u32(0xffff_ffe0)) : w.or(c.at(s), w.u32(0xffff_e0ff)),
  );
  const lanesOf = (operand: WarpValue, s: Expr) => {
    const value = shift === 0 ? operand.at(s) : w.shl(operand.at(s), w.u32(8));
    return w.or(w.and(lane.at(s), segmask.at(s)), w.and(value, w.complement(segmask.at(s))));
  };
  return { clamp: writer.each('u32', 'max_lane', (s) => lanesOf(c, s)), shift, lanesOf };
}

function knownSegment(writer: WarpWriter, c: bigint): Segment {
  const segmask = (c >> 8n) & 31n;
  const within = 31n & ~segmask;
  const base = (s: Expr) => w.and(writer.lane.at(s), w.u32(segmask));
  return {
    clamp: writer.fromLane(`clamp ${c & within} ${segmask}`, 'max_lane', (s) => w.or(base(s), w.u32(c & within))),
    shift: 0,
    lanesOf: (operand, s) => w.or(base(s), w.and(operand.at(s), w.u32(within))),
  };
}
