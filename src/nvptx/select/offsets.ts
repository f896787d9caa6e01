// Offsets of `getelementptr`.
import { at, InternalError } from '../../base/invariants.ts';
import type { Value } from '../ir/module.ts';
import { elementType, sizeOf, structLayout, type Type } from '../ir/types.ts';

/** A part of an offset: a number of bytes, or an index to be multiplied by a size in bytes. */
export type Step = number | { readonly index: Value; readonly size: number };

/** Returns the steps that the indices make from an address of `type`. */
export function stepsOf(type: Type, indices: readonly Value[]): Step[] {
  const steps: Step[] = [];
  let current = type;
  indices.forEach((index, level) => {
    if (level > 0 && current.kind === 'struct') {
      if (index.kind !== 'int' && index.kind !== 'zero') throw new InternalError('the index of a field is a constant');
      const field = index.kind === 'int' ? Number(index.value) : 0;
      steps.push(at(structLayout(current).offsets, field, 'the offset of the field'));
      current = at(current.fields, field, 'the field');
      return;
    }
    if (level > 0) {
      const next = elementType(current, 0);
      if (next === undefined) throw new InternalError(`an index into a ${current.kind}`);
      current = next;
    }
    const size = sizeOf(current);
    if (index.kind === 'int') steps.push(Number(BigInt.asIntN(index.type.bits, index.value)) * size);
    else if (index.kind !== 'zero') steps.push({ index, size });
  });
  return steps;
}

/** Returns the offset in bytes if all indices are constants, and otherwise undefined. */
export function constantOffset(type: Type, indices: readonly Value[]): number | undefined {
  let sum = 0;
  for (const step of stepsOf(type, indices)) {
    if (typeof step !== 'number') return undefined;
    sum += step;
  }
  return sum;
}
