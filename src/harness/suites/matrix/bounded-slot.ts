// Results of matrix products, which executors may compute with other sums than tensor cores.
import { type BoundedElement, isAllowedElement, multiplyRules } from '../../../cpu-ref/index.ts';
import { elementBits, matrixForm, registerElements } from '../../../isa/fragments.ts';
import type { Mods } from '../../../isa/index.ts';
import { everyDefined, type Slot } from '../types.ts';

/**
 * A slot with error bounds. `bounds` contains the bound of each element of each thread's word, for
 * executors that do not compute the reference's bits. It is empty for exact results.
 */
export interface BoundedSlot extends Slot {
  readonly bounds: (BoundedElement | undefined)[];
}

/** Returns a slot for a word of D in each thread, without expected words. */
export function boundedSlot(
  place: Omit<Slot, 'variant' | 'expected' | 'state' | 'allows'>,
  modifiers: Mods,
  threads: number,
): BoundedSlot {
  const { types } = matrixForm(modifiers);
  const packed = registerElements(types.d);
  const rules = multiplyRules(modifiers);
  const bits = Math.min(elementBits[types.d], 32);
  const bounds: (BoundedElement | undefined)[] = new Array(threads * packed);
  const expected = new Uint32Array(threads);
  return {
    ...place,
    variant: 0,
    expected,
    state: everyDefined(threads),
    bounds,
    allows: (thread, got, { matrix }) =>
      matrix !== 'hopper' &&
      Array.from({ length: packed }, (_element, index) => index).every((index) => {
        const part = (whole: number) => Math.floor(whole / 2 ** (bits * index)) % 2 ** bits;
        const [wanted, actual] = [part(expected[thread] ?? 0), part(got)];
        const bound = bounds[thread * packed + index];
        return bound === undefined ? wanted === actual : isAllowedElement(rules, bound.reference, bound.slack, actual);
      }),
  };
}
