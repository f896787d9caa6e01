// Finds values without a name in WGSL: their expressions are written where they are read.
import { forEachOwnValue } from '../../graph/index.ts';
import { IdMap, IdSet, type ReadonlyIdSet } from '../../ir/id-map.ts';
import { type Block, type Definition, edgesOf, type Func, type Inst, type Result, type Value } from '../../ir/nodes.ts';
import type { Type } from '../../ir/types.ts';

/** The readings, other than by instructions, at which an expression may be written. */
export interface Inlining {
  /** Whether arguments for block parameters of a type count. */
  readonly args: (type: Type) => boolean;
  /** Conditions of branches. */
  readonly conditions: boolean;
}

export interface Readings {
  /** Results that are written where they are read. */
  readonly inlined: ReadonlyIdSet<Definition>;
  /** Whether any code reads a result. */
  readonly isRead: (value: Result) => boolean;
}

/**
 * Finds results that need no name. Such a result is pure, and read once, in the block that defines
 * it. Results with a name in PTX keep their name, unless they only become the parameter of another
 * block. Operands of collectives are always named.
 */
export function readOnceNearby(func: Func, { args, conditions }: Inlining): Readings {
  const readIn = new IdMap<Definition, Block | 'many'>();
  const candidates = new IdSet<Definition>();
  const passedOn = new IdSet<Definition>();
  for (const block of func.blocks) {
    const read = (value: Value) => {
      if (value.kind !== 'result') return;
      const before = readIn.get(value);
      if (before !== 'many') readIn.set(value, before === undefined ? block : 'many');
    };
    const readByMany = (value: Value) => {
      if (value.kind === 'result') readIn.set(value, 'many');
    };
    const readInst = ({ operation: { effect }, args, when, otherwise, results }: Inst) => {
      const readOne = effect === 'warp' || effect === 'block' ? readByMany : read;
      for (let at = 0; at < args.length; at++) {
        const arg = args[at];
        if (arg !== undefined) readOne(arg);
      }
      if (when !== undefined) {
        readOne(when);
        for (const value of otherwise) readOne(value);
      }
      const result = results[0];
      const inPlace = when === undefined && effect === 'pure' && results.length === 1;
      if (result && inPlace) candidates.add(result);
    };
    for (let at = 0; at < block.insts.length; at++) {
      const inst = block.insts[at];
      if (inst !== undefined) readInst(inst);
    }
    forEachOwnValue(block.end, block.end.kind === 'branch' && !conditions ? readByMany : read);
    for (const edge of edgesOf(block.end)) {
      for (const arg of edge.args) {
        if (args(arg.type)) read(arg);
        else readByMany(arg);
        if (arg.kind === 'result') passedOn.add(arg);
      }
    }
  }
  const check = (block: Block, { operation, results }: Inst) => {
    for (const result of results) {
      const needsName = result.hint !== undefined && operation.cost > 0 && !passedOn.has(result);
      if (needsName || readIn.get(result) !== block) candidates.delete(result);
    }
  };
  for (const block of func.blocks) {
    for (let at = 0; at < block.insts.length; at++) {
      const inst = block.insts[at];
      if (inst !== undefined) check(block, inst);
    }
  }
  return { inlined: candidates, isRead: (value) => readIn.has(value) };
}
