// Computes one lane's value in all lanes of its warp.

import { at } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { LaneForms } from '../../analysis/lane-forms.ts';
import type { Builder } from '../../ir/builder.ts';
import { type Inst, isDefinition, type Result, type Value } from '../../ir/nodes.ts';
import { readLane } from '../../ir/warp-facts.ts';
import type { Insertions } from '../memory/insertions.ts';

const lanes = 32;
/** The maximum depth of the search through operands. */
const furthest = 60;

/** Whether the instruction has one result, and returns the same result for equal arguments. */
const isComputable = ({ operation: { effect, sharing }, results }: Inst): boolean =>
  effect === 'pure' && sharing === 'arguments' && results.length === 1;

export interface LaneValuesOptions {
  readonly builder: Builder;
  readonly insertions: Insertions;
  readonly forms: LaneForms;
  readonly block: readonly [number, number, number];
  readonly isUniform: (value: Value) => boolean;
}

export class LaneValues {
  private readonly options: LaneValuesOptions;
  private readonly known = new Map<number, Map<Value, Value | undefined>>();

  constructor(options: LaneValuesOptions) {
    this.options = options;
  }

  /**
   * Returns a lane's value as a value that all lanes of its warp compute. `list`: the list to which
   * instructions are added if the lane must send its value.
   */
  of(value: Value, lane: number, list: Inst[]): Value {
    const computed = this.computed(value, lane, 0);
    if (computed !== undefined) return computed;
    const { builder } = this.options;
    const args = [value, builder.i32(lane), builder.i32(31), builder.i32(-1)];
    return builder.within(list, () => builder.value('warp', readLane, args));
  }

  private computed(value: Value, lane: number, depth: number): Value | undefined {
    if (!isDefinition(value) || this.options.isUniform(value)) return value;
    if (value.kind === 'param' || depth > furthest) return undefined;
    const known = getOrInsert(this.known, lane, () => new Map<Value, Value | undefined>());
    if (known.has(value)) return known.get(value);
    const made = this.make(value, lane, depth);
    known.set(value, made);
    return made;
  }

  /**
   * Returns the `%tid.x` of the warp's first lane. Drivers know that the number of a subgroup is
   * uniform, so they know that an address computed from it is uniform.
   */
  private firstThread(): Value {
    const { builder, block } = this.options;
    const [x, y, z] = block;
    const warp = builder.value('special', { name: '%warpid', type: 'i32' }, [], { hint: 'warp' });
    const thread = builder.imul(warp, builder.i32(lanes));
    return y * z === 1 ? thread : builder.div('urem', thread, builder.i32(x));
  }

  private make(value: Result, lane: number, depth: number): Value | undefined {
    const { inst } = value;
    const { builder, insertions, forms } = this.options;
    if (inst.when !== undefined) return undefined;
    const list = insertions.afterDefinition(value);
    if (inst.op === 'special') {
      if (inst.attrs.name === '%laneid') return builder.i32(lane);
      if (forms.of(value) === undefined) return undefined;
      return builder.within(list, () => builder.iadd(this.firstThread(), builder.i32(lane)));
    }
    const sources = forms.sourcesOf(inst);
    if (sources !== undefined && value.index === 0)
      return this.computed(at(inst.args, 0, 'the value of a shuffle'), at(sources, lane, 'a lane'), depth + 1);
    if (!isComputable(inst)) return undefined;
    const args: Value[] = [];
    for (const arg of inst.args) {
      const own = this.computed(arg, lane, depth + 1);
      if (own === undefined) return undefined;
      args.push(own);
    }
    builder.span = inst.span;
    const made = builder.within(list, () => builder.value(inst.op, inst.attrs as never, args, { hint: value.hint }));
    builder.span = undefined;
    return made;
  }
}
