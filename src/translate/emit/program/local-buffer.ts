// Local memory that is too large for variables: a buffer with one struct of arrays per lane of the
// grid.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Declaration, type Expr, Name, type WgslType } from '../../../wgsl/tree/nodes.ts';
import type { ArrayPlan } from '../../memory-plan.ts';

export class LocalBuffer {
  readonly variable: { readonly name: Name; readonly type: WgslType; used: boolean };
  readonly struct: Extract<Declaration, { readonly kind: 'struct' }>;
  /** Bytes per lane. */
  readonly laneBytes: number;
  private readonly members: ReadonlyMap<number, { readonly name: Name; readonly type: WgslType }>;
  private readonly slots: number;

  /** `slots`: the number of lanes per invocation. */
  constructor(arrays: readonly ArrayPlan[], slots: number) {
    this.slots = slots;
    const members = arrays.flatMap(({ space, hint, words }, index) =>
      space === 'local' ? [{ index, words, name: new Name(hint), type: w.array('u32', words) }] : [],
    );
    this.members = new Map(members.map(({ index, ...member }) => [index, member]));
    this.struct = {
      kind: 'struct',
      name: new Name('LocalMemory'),
      members: members.map(({ name, type }) => ({ name, type })),
    };
    this.laneBytes = members.reduce((sum, { words }) => sum + words * 4, 0);
    this.variable = { name: new Name('lane_memory'), type: w.array(w.struct(this.struct.name)), used: false };
  }

  /**
   * Returns an array of the memory plan in one lane. `first` is the number in the grid of the
   * invocation's first lane; `slot` selects the lane of the invocation.
   */
  arrayOf(index: number, first: Expr, slot: Expr): Expr {
    const member = this.members.get(index);
    if (member === undefined) throw new InternalError(`array ${index} is not local`);
    const { variable, slots } = this;
    variable.used = true;
    const lane = w.index(w.ref(variable.name, variable.type), slots > 1 ? w.add(first, slot) : first);
    return w.member(lane, member.name, member.type);
  }
}
