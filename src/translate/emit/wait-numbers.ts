// The numbers of what lanes of a dispatch wait for: what a lane's variable `wait` holds.
import { InternalError } from '../../base/invariants.ts';
import * as w from '../../wgsl/tree/build.ts';
import type { Expr } from '../../wgsl/tree/nodes.ts';
import type { WaitPlace } from '../control/waits.ts';

export class WaitNumbers {
  readonly running: Expr = w.u32(0);
  readonly ended: Expr = w.u32(0xffffffff);
  /// The last number of what lanes wait for within their warp; 0 if there is none.
  readonly lastInWarp: number;
  private readonly places: readonly WaitPlace[];

  constructor(places: readonly WaitPlace[]) {
    this.places = places;
    this.lastInWarp = places.findLastIndex(({ kind }) => kind !== 'barrier' && kind !== 'next-turn') + 1;
  }

  of(place: WaitPlace): Expr {
    const index = this.places.findIndex((other) => isSame(place, other));
    if (index < 0) throw new InternalError(`no lane of the dispatch waits at this ${place.kind}`);
    return w.u32(index + 1);
  }
}

function isSame(a: WaitPlace, b: WaitPlace): boolean {
  switch (a.kind) {
    case 'class':
      return b.kind === 'class' && a.class === b.class;
    case 'loop':
      return b.kind === 'loop' && a.loop === b.loop;
    case 'turn':
      return b.kind === 'turn' && a.head === b.head;
    default:
      return a.kind === b.kind;
  }
}
