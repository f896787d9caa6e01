// The forms of sparse products that an H200 executed, and the operands of their tiles.
import { at, missing } from '../../../../src/base/invariants.ts';
import { type ElementType, elementBits } from '../../../../src/isa/fragments.ts';
import { randomWords } from '../../../lane-rows/operand-values.ts';

/** A sparse product, from a text such as `sp m16n8k32 f32 f16 f16 f32 1`. */
export interface SparseForm {
  readonly metadata: string;
  readonly shape: string;
  readonly types: Readonly<Record<'a' | 'b' | 'c' | 'd', ElementType>>;
  readonly selector: number;
  readonly saturates: boolean;
  /** Whether it is a product of a warpgroup, with 8 columns and A in registers. */
  readonly isWarpgroup: boolean;
}

export function sparseForm(text: string): SparseForm {
  const [metadata = '', shape = '', d, a, b, c, selector, saturates] = text.split(' ');
  const type = (name: string | undefined): ElementType =>
    name !== undefined && Object.hasOwn(elementBits, name)
      ? (name as ElementType)
      : missing('a type of elements', name);
  return {
    metadata,
    shape,
    types: { a: type(a), b: type(b), c: type(c), d: type(d) },
    selector: Number(selector),
    saturates: saturates !== undefined,
    isWarpgroup: shape.startsWith('m64'),
  };
}

/** The kinds of operands. A tile of each kind follows the other. */
export const kinds = ['integers', 'ordinary', 'wide', 'special', 'cancel', 'tiny', 'unordered'] as const;
type Kind = (typeof kinds)[number];

/** The numbers of words of a lane, in the order of its record. B of a warpgroup is in shared memory. */
export interface Counts {
  readonly lanes: number;
  readonly a: number;
  readonly b: number;
  readonly c: number;
  readonly d: number;
  /** All words of input, with one of metadata. */
  readonly input: number;
}

export function countsOf({ shape, types, isWarpgroup }: SparseForm): Counts {
  const [m = 0, n = 0, k = 0] = (shape.match(/\d+/g) ?? []).map(Number);
  const lanes = isWarpgroup ? 128 : 32;
  const words = (elements: number, type: ElementType) => (elements * elementBits[type]) / 32 / lanes;
  const [a, b, c] = [words((m * k) / 2, types.a), words(n * k, types.b), words(m * n, types.c)];
  return { lanes, a, b, c, d: words(m * n, types.d), input: a + b + c + 1 };
}

type Random = () => number;

/** The bits of the exponent and of the fraction. */
const formats: Readonly<Partial<Record<ElementType, readonly [exponent: number, fraction: number]>>> = {
  f16: [5, 10], bf16: [8, 7], tf32: [8, 23], f32: [8, 23], e4m3: [4, 3], e5m2: [5, 2],
}; // biome-ignore format: one record

function smallNumber(value: number, exponent: number, fraction: number): number {
  if (value === 0) return 0;
  const size = Math.abs(value);
  const top = Math.floor(Math.log2(size));
  const rest = Math.round((size / 2 ** top - 1) * 2 ** fraction);
  return (value < 0 ? 2 ** (exponent + fraction) : 0) + (top + 2 ** (exponent - 1) - 1) * 2 ** fraction + rest;
}

function elementOf(type: ElementType, kind: Kind, random: Random, isAddend: boolean): number {
  const format = formats[type];
  if (format === undefined) return random() & (2 ** elementBits[type] - 1);
  const [exponent, fraction] = format;
  const [unit, bias, most] = [2 ** fraction, 2 ** (exponent - 1) - 1, 2 ** exponent - 2];
  const near = (least: number, count: number): number => {
    const power = least + (random() % count);
    const rest = random() % unit;
    const sign = (random() & 1) * 2 ** (exponent + fraction);
    return sign + Math.max(0, Math.min(most, power + bias)) * unit + rest;
  };
  const finite = (bits: number) => (type === 'e4m3' && (bits & 0x7f) === 0x7f ? bits - 1 : bits);
  const specials = () => [
    0,
    2 ** (exponent + fraction),
    (2 ** exponent - 1) * unit,
    (2 ** (exponent + 1) - 1) * unit,
    2 ** (exponent + fraction + 1) - 1,
    1,
    unit - 1,
  ];
  switch (kind) {
    case 'integers':
    case 'unordered':
      return smallNumber((random() % 7) - 3, exponent, fraction);
    case 'ordinary':
      return finite(near(-3, 6));
    case 'wide':
      return finite(near(-bias, 2 ** exponent));
    case 'special':
      if (random() % 6 === 0) return at(specials(), random() % 7, 'a special number');
      return random() % 4 === 0 ? 0 : finite(near(-2, 4));
    case 'cancel':
      if (isAddend) return finite(near(2, 6));
      return random() % 3 === 0 ? 0 : finite(near(0, 2));
    case 'tiny':
      return finite(near(-bias, 5));
  }
}

const orderedPairs = [4, 8, 12, 9, 13, 14] as const;

/** Returns the words of all lanes of a tile of each kind. `index` is the number of the form. */
export function operandsOf(form: SparseForm, index: number): Uint32Array {
  const counts = countsOf(form);
  // The numbers that the GPU machine used.
  const random = randomWords(Math.imul(1000 + index, 2654435761));
  const words = new Uint32Array(kinds.length * counts.lanes * counts.input);
  let next = 0;
  const metadata = (kind: Kind): number => {
    if (kind === 'unordered') return random() & 15;
    return form.types.a === 'tf32' ? at([14, 4], random() & 1, 'indexes') : at(orderedPairs, random() % 6, 'indexes');
  };
  for (const kind of kinds) {
    for (let lane = 0; lane < counts.lanes; lane++) {
      for (const operand of ['a', 'b', 'c'] as const) {
        const type = form.types[operand];
        for (let word = 0; word < counts[operand]; word++, next++)
          for (let shift = 0; shift < 32; shift += elementBits[type])
            words[next] = (words[next] ?? 0) | (elementOf(type, kind, random, operand === 'c') << shift);
      }
      for (let shift = 0; shift < 32; shift += 4) words[next] = (words[next] ?? 0) | (metadata(kind) << shift);
      next++;
    }
  }
  return words;
}
