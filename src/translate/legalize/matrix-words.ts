// Hides words of floating-point matrices that a driver may know. WGSL multiplies elements directly,
// and a driver that knows some elements computes another sum:
// - If the driver knows that a factor is zero, it drops the product, although the other factor may
// be infinite.
// - If the driver knows that an f16 is subnormal, `unpack2x16float` returns zero.
//
// After this pass, the driver does not know these words.

import { getOrInsert } from '../../base/maps.ts';
import type { Workarounds } from '../../base/workarounds.ts';
import { type ElementType, fragmentWords, type MatrixForm, matrixForm } from '../../isa/fragments.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import { dominatorsOf, flowGraph, loopsOf } from '../graph/index.ts';
import { KnownZeros } from '../graph/known-zeros.ts';
import type { Builder } from '../ir/builder.ts';
import { constantOf, type Func, type Inst, type Value } from '../ir/nodes.ts';
import { unknownZero } from '../ir/unknown-zero.ts';
import type { WarpInst } from '../ir/warp-facts.ts';

/** For each element type, masks of the magnitudes of a word's elements. */
const magnitudes: Readonly<Partial<Record<ElementType, readonly bigint[]>>> = {
  f16: [0x7fffn, 0x7fff_0000n],
  bf16: [0x7fffn, 0x7fff_0000n],
  tf32: [0x7fff_e000n],
  e4m3: [0x7fn, 0x7f00n, 0x7f_0000n, 0x7f00_0000n],
  e5m2: [0x7fn, 0x7f00n, 0x7f_0000n, 0x7f00_0000n],
};

interface Element {
  readonly exponent: bigint;
  readonly fraction: bigint;
}

const elementsOf = (bits: bigint, exponent: bigint, fraction: bigint): readonly Element[] =>
  Array.from({ length: Number(32n / bits) }, (_, index) => {
    const at = bits * BigInt(index);
    return { exponent: exponent << at, fraction: fraction << at };
  });

/** For each element type that WGSL unpacks as f16, the bits of the elements of a word. */
const unpackedAsF16: Readonly<Partial<Record<ElementType, readonly Element[]>>> = {
  f16: elementsOf(16n, 0x7c00n, 0x03ffn),
  e4m3: elementsOf(8n, 0x78n, 0x07n),
  e5m2: elementsOf(8n, 0x7cn, 0x03n),
};

/**
 * Hides words of matrix products from the driver, if the workarounds require it. Small integers and
 * halves must not be lowered yet.
 */
export function hideMatrixWords(func: Func, builder: Builder, workarounds: Workarounds): void {
  const isProduct = (inst: Inst): inst is WarpInst => inst.op === 'warp' && isMmaRow(inst.attrs.row);
  if (!func.blocks.some(({ insts }) => insts.some(isProduct))) return;
  const known = new KnownWords(func, workarounds);
  const first: Inst[] = [];
  let zero: Value | undefined;
  for (const block of func.blocks) {
    if (!block.insts.some(isProduct)) continue;
    const hidden = new Map<Value, Value>();
    const hide = (word: Value): Value => {
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
        inst.args = inst.args.map((arg, index) => (known.mayMislead(arg, form, index) ? hide(arg) : arg));
      }
      insts.push(inst);
    }
    block.insts = insts;
  }
  func.blocks[0]?.insts.unshift(...first);
}

/** The words of matrices that the driver may know and miscompute. */
class KnownWords {
  private readonly zeros: KnownZeros;
  private readonly dropsZeros: boolean;
  private readonly flushesSubnormals: boolean;

  constructor(func: Func, workarounds: Workarounds) {
    const graph = flowGraph(func);
    const headers = new Set(loopsOf(graph, dominatorsOf(graph)).all.map(({ header }) => header));
    this.zeros = new KnownZeros(func, { headers });
    this.dropsZeros = workarounds.has('hide-matrix-zeros');
    this.flushesSubnormals = workarounds.has('hide-matrix-subnormals');
  }

  /**
   * Whether the driver may know the word and miscompute a product, if the word is the operand with
   * this index.
   */
  mayMislead(word: Value, form: MatrixForm, index: number): boolean {
    const [a, b, c] = [fragmentWords(form, 'a'), fragmentWords(form, 'b'), fragmentWords(form, 'c')];
    if (index < a + b) {
      const type = form.types[index < a ? 'a' : 'b'];
      return this.mayHoldZero(word, type) || this.mayHoldSubnormal(word, type);
    }
    return index < a + b + c && this.mayHoldSubnormal(word, form.types.c);
  }

  private mayHoldZero(word: Value, type: ElementType): boolean {
    if (!this.dropsZeros) return false;
    const bits = this.zeros.unknownBits(word);
    return magnitudes[type]?.some((size) => (bits & size) === 0n) === true;
  }

  private mayHoldSubnormal(word: Value, type: ElementType): boolean {
    if (!this.flushesSubnormals) return false;
    const bits = this.zeros.unknownBits(word);
    const isConstant = constantOf(word) !== undefined;
    // All bits of a constant are known; it is subnormal only if its fraction is nonzero.
    const mayBeSubnormal = ({ exponent, fraction }: Element): boolean =>
      (bits & exponent) === 0n && !(isConstant && (bits & fraction) === 0n);
    return unpackedAsF16[type]?.some(mayBeSubnormal) === true;
  }
}
