// The values of a lane's variable `wait`: one number for each place where lanes of a dispatch wait.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr } from '../../../wgsl/tree/nodes.ts';
import { samePlace, type WaitPlace } from '../../control/waits.ts';

export class WaitNumbers {
  readonly running: Expr = w.u32(0);
  readonly ended: Expr = w.u32(0xffffffff);
  /**
   * The highest number of a place where lanes wait only for lanes of their own warp, or 0 if no
   * place is like this.
   */
  readonly lastInWarp: number;
  private readonly places: readonly WaitPlace[];

  constructor(places: readonly WaitPlace[]) {
    this.places = places;
    this.lastInWarp = places.findLastIndex(({ kind }) => kind !== 'barrier' && kind !== 'yield') + 1;
  }

  of(place: WaitPlace): Expr {
    const index = this.places.findIndex((other) => samePlace(place, other));
    if (index < 0) throw new InternalError(`no lane of the dispatch waits at this ${place.kind}`);
    return w.u32(index + 1);
  }
}
