// Thread forms: a word as a sum of values that the whole block shares, times factors, and a number
// for each thread. If the size of the block is known, the analysis can evaluate all operations on
// thread numbers. These include exclusive ors: compilers use them to spread the rows of a tile over
// the banks of shared memory.

import { at } from '../../base/invariants.ts';
import { IdMap } from '../ir/id-map.ts';
import { constantOf, type Definition, type Inst, isDefinition, type Result, type Value } from '../ir/nodes.ts';
import { isFloat, isMatrixType, widthOf } from '../ir/types.ts';
import type { LaneForms } from './lane-forms.ts';

export interface ThreadForm {
  /** The factors of values that the whole block shares. */
  readonly terms: ReadonlyMap<Definition, number>;
  /** The number to add, by thread. */
  readonly numbers: Int32Array;
}

export interface ThreadFormOptions {
  readonly block: readonly [number, number, number];
  readonly lanes: LaneForms;
  /** Whether all threads of the block have the same value. */
  readonly isUniform: (value: Value) => boolean;
}

const furthest = 120;
const warpLanes = 32;
const none: ReadonlyMap<Definition, number> = new Map();

export class ThreadForms {
  private readonly options: ThreadFormOptions;
  private readonly threads: number;
  private readonly known = new IdMap<Definition, { readonly form: ThreadForm | undefined }>();
  private depth = 0;

  constructor(options: ThreadFormOptions) {
    this.options = options;
    const [x, y, z] = options.block;
    this.threads = x * y * z;
  }

  /** Returns the form of a word or a condition; undefined if no form is known. */
  of(value: Value): ThreadForm | undefined {
    if (isFloat(value.type) || isMatrixType(value.type) || widthOf(value.type) > 32) return undefined;
    const bits = constantOf(value);
    if (bits !== undefined) return this.each(() => Number(BigInt.asIntN(32, bits)));
    if (!isDefinition(value) || this.depth > furthest) return undefined;
    const known = this.known.get(value);
    if (known !== undefined) return known.form;
    this.depth += 1;
    const found = value.kind === 'result' && value.inst.when === undefined ? this.ofInst(value.inst, value) : undefined;
    this.depth -= 1;
    const isShared = value.type === 'i32' && this.options.isUniform(value);
    const form = found ?? (isShared ? { terms: new Map([[value, 1]]), numbers: this.zeros() } : undefined);
    this.known.set(value, { form });
    return form;
  }

  /** Returns the first argument of a clamp, and any other value unchanged. */
  withoutClamp(value: Value): Value {
    return this.options.lanes.withoutClamp(value);
  }

  /** Returns the form of a value times a constant. */
  scaled(value: Value, factor: number): ThreadForm | undefined {
    const form = this.of(value);
    return form && times(form, factor);
  }

  private each(number: (thread: number) => number): ThreadForm {
    return { terms: none, numbers: Int32Array.from({ length: this.threads }, (_, thread) => number(thread)) };
  }

  private zeros(): Int32Array {
    return new Int32Array(this.threads);
  }

  private ofInst(inst: Inst, value: Result): ThreadForm | undefined {
    if (inst.op === 'special') return this.ofSpecial(inst.attrs.name);
    if (inst.op === 'warp') return this.shuffled(inst, value);
    const unclamped = this.options.lanes.withoutClamp(value);
    if (unclamped !== value) return this.of(unclamped);
    if (inst.operation.effect !== 'pure' || inst.results.length > 1) return undefined;
    const field = this.fieldOf(inst);
    if (field !== undefined) return field;
    const forms: ThreadForm[] = [];
    for (const arg of inst.args) {
      const form = this.of(arg);
      if (form === undefined) return undefined;
      forms.push(form);
    }
    if (forms.every(({ terms }) => terms.size === 0)) return this.computed(inst, forms);
    return linear(inst, forms) ?? withLowBits(inst, forms);
  }

  /** Applies an operation to the numbers of each thread. */
  private computed({ operation: { fold }, args, attrs }: Inst, forms: readonly ThreadForm[]): ThreadForm | undefined {
    if (fold === undefined) return undefined;
    const types = args.map(({ type }) => type);
    const numbers = this.zeros();
    for (let thread = 0; thread < this.threads; thread++) {
      const bits = forms.map((form, index) =>
        BigInt.asUintN(widthOf(at(types, index, 'a type')), BigInt(at(form.numbers, thread, 'a thread'))),
      );
      const result = fold(bits, types, attrs as never)?.[0];
      if (result === undefined) return undefined;
      numbers[thread] = Number(BigInt.asIntN(32, result));
    }
    return { terms: none, numbers };
  }

  /**
   * Returns the form of `(word >> amount) & mask` if the shared values do not affect the field:
   * their multiples have zeros there.
   */
  private fieldOf({ op, args: [shifted, b] }: Inst): ThreadForm | undefined {
    const mask = constantOf(b);
    const inst = shifted?.kind === 'result' && shifted.inst.when === undefined ? shifted.inst : undefined;
    if (op !== 'and' || mask === undefined || inst?.op !== 'lshrw') return undefined;
    const amount = constantOf(inst.args[1]);
    const [word] = inst.args;
    const form = amount === undefined || amount > 31n || word === undefined ? undefined : this.of(word);
    if (form === undefined || amount === undefined || !areMultiples(form, mask << amount)) return undefined;
    return { terms: none, numbers: form.numbers.map((number) => (number >>> Number(amount)) & Number(mask)) };
  }

  private ofSpecial(name: string): ThreadForm | undefined {
    const [x, y] = this.options.block;
    switch (name) {
      case '%tid.x':
        return this.each((thread) => thread % x);
      case '%tid.y':
        return this.each((thread) => Math.floor(thread / x) % y);
      case '%tid.z':
        return this.each((thread) => Math.floor(thread / (x * y)));
      case '%laneid':
        return this.each((thread) => thread % warpLanes);
      case '%warpid':
        return this.each((thread) => Math.floor(thread / warpLanes));
      default:
        return undefined;
    }
  }

  /** Returns the form of a shuffle's result, from the forms of the threads that it reads. */
  private shuffled(inst: Inst, value: Result): ThreadForm | undefined {
    const sources = value.index === 0 ? this.options.lanes.sourcesOf(inst) : undefined;
    const [word] = inst.args;
    const form = sources && word && this.of(word);
    if (form === undefined || sources === undefined || this.threads % warpLanes !== 0) return undefined;
    const numbers = form.numbers.map((_, thread) => {
      const lane = thread % warpLanes;
      return at(form.numbers, thread - lane + at(sources, lane, 'a lane'), 'a thread');
    });
    return { terms: form.terms, numbers };
  }
}

/** Returns the form of a sum, or of a product with a constant. */
function linear(inst: Inst, [a, b]: readonly ThreadForm[]): ThreadForm | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (inst.op === 'iadd') return plus(a, b, 1);
  if (inst.op === 'isub') return plus(a, b, -1);
  const [x, y] = inst.op === 'imul' && a.terms.size === 0 ? [b, a] : [a, b];
  const factor = commonNumber(y);
  if (factor === undefined) return undefined;
  if (inst.op === 'imul') return times(x, factor);
  return (inst.op === 'shl' || inst.op === 'shlw') && factor >= 0 && factor < 32
    ? times(x, (2 ** factor) | 0)
    : undefined;
}

/** Whether the multiples of shared values have zeros in all bits up to the highest one of `bits`. */
const areMultiples = ({ terms }: ThreadForm, bits: bigint): boolean => {
  const above = 2n ** BigInt(bits.toString(2).length);
  return [...terms.values()].every((factor) => BigInt(factor) % above === 0n);
};

/** Returns the form of `sum ^ low` or `sum | low`, if `low` only affects the sum's number. */
function withLowBits({ op }: Inst, [a, b]: readonly ThreadForm[]): ThreadForm | undefined {
  if ((op !== 'xor' && op !== 'or') || a === undefined || b === undefined) return undefined;
  const [sum, low] = b.terms.size === 0 ? [a, b] : [b, a];
  const all = low.numbers.reduce((some, number) => some | number, 0);
  if (low.terms.size > 0 || !areMultiples(sum, BigInt(all >>> 0))) return undefined;
  return {
    terms: sum.terms,
    numbers: sum.numbers.map((number, thread) => {
      const bits = at(low.numbers, thread, 'a thread');
      return op === 'or' ? number | bits : number ^ bits;
    }),
  };
}

function commonNumber({ terms, numbers }: ThreadForm): number | undefined {
  const [first] = numbers;
  return terms.size === 0 && numbers.every((number) => number === first) ? first : undefined;
}

function plus(a: ThreadForm, b: ThreadForm, sign: 1 | -1): ThreadForm {
  const terms = new Map(a.terms);
  for (const [value, factor] of b.terms) {
    // Absent: a value without a term has the factor zero.
    const sum = ((terms.get(value) ?? 0) + sign * factor) | 0;
    if (sum === 0) terms.delete(value);
    else terms.set(value, sum);
  }
  return { terms, numbers: a.numbers.map((number, thread) => number + sign * at(b.numbers, thread, 'a thread')) };
}

const times = ({ terms, numbers }: ThreadForm, factor: number): ThreadForm => ({
  terms: new Map([...terms].map(([value, own]) => [value, Math.imul(own, factor)])),
  numbers: numbers.map((number) => Math.imul(number, factor)),
});
