// Joins matrix products with common factors into one operation, which exchanges each register of a
// factor between lanes once.
import { fragmentWords, type MatrixForm, matrixForm } from '../../isa/fragments.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import { type Builder, replaceValues } from '../ir/builder.ts';
import { IdMap } from '../ir/id-map.ts';
import {
  type Block,
  constantOf,
  type Definition,
  type Func,
  type Inst,
  operandsOf,
  sameValue,
  type Value,
} from '../ir/nodes.ts';
import { synchronizesMemory } from '../ir/operations.ts';
import type { WarpInst } from '../ir/warp-facts.ts';

/**
 * Limits on the products and words of an operation. A WGSL function has at most 255 parameters, and
 * its code must not be too long.
 */
const maxProducts = 16;
const maxWords = 160;

/** A matrix product, with the words of its factors and its addend. */
interface Product {
  readonly inst: WarpInst;
  readonly form: MatrixForm;
  readonly a: readonly Value[];
  readonly b: readonly Value[];
  readonly c: readonly Value[];
}

/**
 * Joins independent products of a block. Requires legal IR and a plan with one lane per invocation,
 * because with other plans an operation reads words from arrays.
 */
export function joinProducts(func: Func, builder: Builder): void {
  const replacements = new IdMap<Definition, Value>();
  for (const block of func.blocks) new BlockJoiner(block, builder, replacements).run();
  replaceValues(func, replacements);
}

function productOf(inst: Inst): Product | undefined {
  if (inst.op !== 'warp' || inst.when !== undefined || !isMmaRow(inst.attrs.row)) return undefined;
  if (constantOf(inst.args[inst.args.length - 1]) !== 0xffff_ffffn) return undefined;
  const form = matrixForm(inst.attrs.mods);
  // f64 sums are long, and joining would add code. A form that computes four products in a lane has
  // no common factors.
  if (form.types.d === 'f64' || form.products > 1) return undefined;
  const [a, b] = [fragmentWords(form, 'a'), fragmentWords(form, 'b')];
  return { inst, form, a: inst.args.slice(0, a), b: inst.args.slice(a, a + b), c: inst.args.slice(a + b, -1) };
}

const areSame = (x: readonly Value[], y: readonly Value[]): boolean =>
  x.length === y.length &&
  x.every((value, index) => {
    const other = y[index];
    return other !== undefined && sameValue(value, other);
  });

/** Assigns an index to each distinct list of words. */
class Fragments {
  readonly all: (readonly Value[])[] = [];

  numberOf(words: readonly Value[]): number {
    const known = this.all.findIndex((other) => areSame(other, words));
    return known === -1 ? this.all.push(words) - 1 : known;
  }
}

const wordsIn = (products: readonly Product[]): number => {
  const [a, b] = [new Fragments(), new Fragments()];
  let words = 0;
  for (const product of products) {
    a.numberOf(product.a);
    b.numberOf(product.b);
    words += product.c.length;
  }
  return words + [...a.all, ...b.all].reduce((sum, { length }) => sum + length, 0);
};

const haveSameMods = (x: WarpInst, y: WarpInst): boolean =>
  x.attrs.row === y.attrs.row && JSON.stringify(x.attrs.mods) === JSON.stringify(y.attrs.mods);

class BlockJoiner {
  private readonly block: Block;
  private readonly builder: Builder;
  private readonly replacements: IdMap<Definition, Value>;
  private readonly done: Inst[] = [];
  private products: Product[] = [];
  /**
   * `since`: all instructions from the first product on. `waiting`: those that depend on a product.
   */
  private since: Inst[] = [];
  private readonly waiting = new Set<Inst>();

  constructor(block: Block, builder: Builder, replacements: IdMap<Definition, Value>) {
    this.block = block;
    this.builder = builder;
    this.replacements = replacements;
  }

  run(): void {
    if (this.block.insts.filter((inst) => productOf(inst) !== undefined).length < 2) return;
    for (const inst of this.block.insts) this.take(inst);
    this.close();
    this.block.insts = this.done;
  }

  private take(inst: Inst): void {
    const product = productOf(inst);
    if (this.products.length > 0) {
      const waits = operandsOf(inst).some((value) => value.kind === 'result' && this.waiting.has(value.inst));
      const { effect } = inst.operation;
      const ends = synchronizesMemory(effect);
      if (ends || (waits && effect !== 'pure') || (product !== undefined && !this.fits(product))) this.close();
      else if (waits) this.waiting.add(inst);
    }
    if (product === undefined) {
      if (this.products.length > 0) this.since.push(inst);
      else this.done.push(inst);
      return;
    }
    this.products.push(product);
    this.waiting.add(inst);
    this.since.push(inst);
  }

  private fits(product: Product): boolean {
    const [first] = this.products;
    if (first === undefined || this.products.length === maxProducts || !haveSameMods(first.inst, product.inst))
      return false;
    if (!this.products.some(({ a, b }) => areSame(a, product.a) || areSame(b, product.b))) return false;
    return wordsIn([...this.products, product]) <= maxWords;
  }

  /**
   * Inserts the joined operation at the position of its last product, before every use of a
   * product.
   */
  private close(): void {
    const { products, since, waiting } = this;
    const last = products[products.length - 1];
    if (products.length < 2 || last === undefined) this.done.push(...since);
    else {
      const end = since.indexOf(last.inst) + 1;
      const members = new Set<Inst>(products.map(({ inst }) => inst));
      const before = since.slice(0, end);
      this.done.push(
        ...before.filter((inst) => !waiting.has(inst)),
        this.joined(products, last.inst),
        ...before.filter((inst) => waiting.has(inst) && !members.has(inst)),
        ...since.slice(end),
      );
    }
    this.products = [];
    this.since = [];
    waiting.clear();
  }

  private joined(products: readonly Product[], { attrs, args, span }: WarpInst): Inst {
    const [a, b] = [new Fragments(), new Fragments()];
    const pairs = products.map((product) => [a.numberOf(product.a), b.numberOf(product.b)] as const);
    const words = [...a.all, ...b.all, ...products.map(({ c }) => c)].flat();
    const mask = args.slice(-1);
    this.builder.span = span;
    const inst = this.builder.make('warp', { ...attrs, products: pairs }, [...words, ...mask]);
    let next = 0;
    for (const { inst: old } of products) {
      for (const result of old.results) {
        const value = inst.results[next++];
        if (value !== undefined) this.replacements.set(result, value);
      }
    }
    return inst;
  }
}
