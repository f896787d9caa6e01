// Zeros in matrices of floating point. WGSL multiplies their elements as they are, and a driver that finds a factor to be zero takes the sum as it was for the
// result, although the other factor may be infinite: on an H200 a matrix of zeros times infinities left out all NaNs that were due. So words with elements that
// a driver may find to be zeros come to products as words that it does not know.

import { getOrInsert } from '../../base/maps.ts';
import { type ElementType, fragmentWords, matrixForm } from '../../isa/fragments.ts';
import { isMmaRow } from '../../isa/index.ts';
import { dominatorsOf, flowGraph, loopsOf } from '../graph/index.ts';
import { KnownZeros } from '../graph/known-zeros.ts';
import type { Builder } from '../ir/builder.ts';
import type { Func, Inst, Value } from '../ir/nodes.ts';
import { unknownZero } from '../ir/unknown-zero.ts';
import type { WarpInst } from '../ir/warp-facts.ts';

/** The magnitudes of a word's elements. */
const magnitudes: Readonly<Partial<Record<ElementType, readonly bigint[]>>> = {
  f16: [0x7fffn, 0x7fff_0000n],
  bf16: [0x7fffn, 0x7fff_0000n],
  tf32: [0x7fff_e000n],
  e4m3: [0x7fn, 0x7f00n, 0x7f_0000n, 0x7f00_0000n],
  e5m2: [0x7fn, 0x7f00n, 0x7f_0000n, 0x7f00_0000n],
};

/** For IR in which integers and halves are still what they were. */
export function hideMatrixZeros(func: Func, builder: Builder): void {
  const isProduct = (inst: Inst): inst is WarpInst => inst.op === 'warp' && isMmaRow(inst.attrs.row);
  if (!func.blocks.some(({ insts }) => insts.some(isProduct))) return;
  const graph = flowGraph(func);
  const headers = new Set(loopsOf(graph, dominatorsOf(graph)).all.map(({ header }) => header));
  const zeros = new KnownZeros(func, { headers });
  const first: Inst[] = [];
  let zero: Value | undefined;
  for (const block of func.blocks) {
    if (!block.insts.some(isProduct)) continue;
    const hidden = new Map<Value, Value>();
    const hide = (word: Value, elements: readonly bigint[]): Value => {
      const bits = zeros.unknownBits(word);
      if (elements.every((element) => (bits & element) !== 0n)) return word;
      zero ??= builder.within(first, () => unknownZero(builder));
      const mask = zero;
      return getOrInsert(hidden, word, () => builder.xor(mask, word));
    };
    const insts: Inst[] = [];
    builder.into(insts);
    for (const inst of block.insts) {
      if (isProduct(inst)) {
        builder.span = inst.span;
        const form = matrixForm(inst.attrs.mods);
        const [a, b] = [fragmentWords(form, 'a'), fragmentWords(form, 'b')];
        inst.args = inst.args.map((arg, index) => {
          const elements = index < a + b ? magnitudes[form.types[index < a ? 'a' : 'b']] : undefined;
          return elements === undefined ? arg : hide(arg, elements);
        });
      }
      insts.push(inst);
    }
    block.insts = insts;
  }
  func.blocks[0]?.insts.unshift(...first);
}
