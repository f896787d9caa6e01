// The memory of a block that is not in variables: shared arrays for which workgroup memory lacks
// room, and local memory that is too large for variables. It is a buffer with one struct per
// workgroup of the grid. PTX leaves the initial contents undefined.
import { alignUp } from '../../../base/align.ts';
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import { type Declaration, type Expr, Name, type WgslType } from '../../../wgsl/tree/nodes.ts';
import type { ArrayPlan } from '../../memory-plan.ts';

type Struct = Extract<Declaration, { readonly kind: 'struct' }>;

interface Member {
  readonly name: Name;
  readonly type: WgslType;
}

export interface BlockMemoryOptions {
  readonly arrays: readonly ArrayPlan[];
  /** The WGSL type of each array. */
  readonly types: readonly WgslType[];
  /** The number of lanes of a workgroup. */
  readonly lanes: number;
  readonly isLocalBuffered: boolean;
}

export class BlockMemory {
  readonly variable: { readonly name: Name; readonly type: WgslType; used: boolean };
  /** The structs of the buffer, in the order of their declaration. */
  readonly structs: readonly Struct[];
  /** Bytes per workgroup. */
  readonly blockBytes: number;
  readonly isLocalBuffered: boolean;
  private readonly members = new Map<number, Member>();
  private readonly ofLanes: Member | undefined;

  constructor({ arrays, types, lanes, isLocalBuffered }: BlockMemoryOptions) {
    this.isLocalBuffered = isLocalBuffered;
    const membersOf = (isMember: (plan: ArrayPlan) => boolean): readonly Member[] =>
      arrays.flatMap((plan, index) => {
        const type = types[index];
        if (type === undefined || !isMember(plan)) return [];
        const member = { name: new Name(plan.hint), type };
        this.members.set(index, member);
        return [member];
      });
    const bytesOf = (plans: readonly ArrayPlan[]) => plans.reduce((sum, { words }) => sum + words * 4, 0);
    const local = isLocalBuffered ? membersOf(({ space }) => space === 'local') : [];
    const lane: Struct = { kind: 'struct', name: new Name('LaneMemory'), members: local };
    const laneBytes = isLocalBuffered ? bytesOf(arrays.filter(({ space }) => space === 'local')) : 0;
    this.ofLanes =
      local.length > 0 ? { name: new Name('lanes'), type: w.array(w.struct(lane.name), lanes) } : undefined;
    // Members with larger elements precede the others, so that no padding is necessary.
    const shared = ([4, 2, 1] as const).flatMap((granule) =>
      membersOf((plan) => plan.buffered && plan.granule === granule),
    );
    const members = [...shared, ...(this.ofLanes ? [this.ofLanes] : [])];
    const block: Struct = { kind: 'struct', name: new Name('BlockMemory'), members };
    this.structs = [...(this.ofLanes ? [lane] : []), block];
    const buffered = arrays.filter((plan) => plan.buffered);
    const align = buffered.reduce((most, { granule }) => Math.max(most, granule * 4), 4);
    const sharedBytes = buffered.reduce((sum, { words, granule }) => sum + alignUp(words * 4, granule * 4), 0);
    this.blockBytes = alignUp(sharedBytes + laneBytes * lanes, align);
    this.variable = { name: new Name('block_memory'), type: w.array(w.struct(block.name)), used: false };
  }

  /** Returns a shared array of the block with a number in the grid. */
  sharedArray(index: number, block: Expr): Expr {
    return this.memberOf(this.inBlock(block), index);
  }

  /** Returns an array of local memory of a lane, which `lane` numbers in its workgroup. */
  localArray(index: number, block: Expr, lane: Expr): Expr {
    const { ofLanes } = this;
    if (ofLanes === undefined) throw new InternalError('local memory is in variables');
    return this.memberOf(w.index(w.member(this.inBlock(block), ofLanes.name, ofLanes.type), lane), index);
  }

  private inBlock(block: Expr): Expr {
    const { variable } = this;
    variable.used = true;
    return w.index(w.ref(variable.name, variable.type), block);
  }

  private memberOf(base: Expr, index: number): Expr {
    const member = this.members.get(index);
    if (member === undefined) throw new InternalError(`array ${index} is in a variable`);
    return w.member(base, member.name, member.type);
  }
}
