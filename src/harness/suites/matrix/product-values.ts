// What matrices hold in the cases of products: values that tell elements apart, sums without rounding, random numbers, and the edges of a type.
import {
  type ElementPlace,
  type ElementType,
  elementBits,
  elementPlaces,
  fragmentWords,
  laneElements,
  type MatrixForm,
  type MatrixOperand,
  registerElements,
} from '../../../isa/fragments.ts';
import { warpLanes } from '../lanes.ts';
import type { Random } from '../random.ts';

/// - `rows`, `columns`: every element of A, of B, is another one where the type has so many; D shows them as they lie
/// - `whole`: small integers
/// - `near`: numbers of about the same size; `wide`: of any size
/// - `edges`: zeros, the least and the greatest numbers, subnormal ones, infinities, NaNs
export const contents = ['rows', 'columns', 'whole', 'near', 'wide', 'edges'] as const;
export type Contents = (typeof contents)[number];

interface FloatShape {
  readonly fraction: number;
  readonly bias: number;
  readonly exponent: number;
  /// Zero bits below the fraction.
  readonly shift: number;
}

const floatShapes: Readonly<Partial<Record<ElementType, FloatShape>>> = {
  f16: { fraction: 10, bias: 15, exponent: 5, shift: 0 },
  bf16: { fraction: 7, bias: 127, exponent: 8, shift: 0 },
  tf32: { fraction: 10, bias: 127, exponent: 8, shift: 13 },
  f32: { fraction: 23, bias: 127, exponent: 8, shift: 0 },
  f64: { fraction: 52, bias: 1023, exponent: 11, shift: 0 },
  e4m3: { fraction: 3, bias: 7, exponent: 4, shift: 0 },
  e5m2: { fraction: 2, bias: 15, exponent: 5, shift: 0 },
};

const field = (
  { fraction, shift }: FloatShape,
  sign: number,
  exponent: number,
  rest: bigint,
  { exponent: width }: FloatShape,
): bigint =>
  ((BigInt(sign) << BigInt(width + fraction)) | (BigInt(exponent) << BigInt(fraction)) | rest) << BigInt(shift);

const randomBits = (rng: Random, count: number): bigint =>
  BigInt.asUintN(count, (BigInt(rng.u32()) << 32n) | BigInt(rng.u32()));

/// The bits of a small integer, which every type but those of one bit holds.
function wholeNumber(type: ElementType, value: number): bigint {
  const shape = floatShapes[type];
  if (shape === undefined) return BigInt.asUintN(elementBits[type], BigInt(value));
  if (value === 0) return 0n;
  const size = BigInt(Math.abs(value));
  const top = size.toString(2).length - 1;
  const rest = ((size << BigInt(shape.fraction)) >> BigInt(top)) & ((1n << BigInt(shape.fraction)) - 1n);
  return field(shape, value < 0 ? 1 : 0, shape.bias + top, rest, shape);
}

function edge(type: ElementType, shape: FloatShape, rng: Random): bigint {
  const sign = rng.below(2);
  const most = 2 ** shape.exponent - 1;
  const rest = randomBits(rng, shape.fraction);
  const full = (1n << BigInt(shape.fraction)) - 1n;
  const choices: readonly [() => bigint, ...(() => bigint)[]] = [
    () => field(shape, sign, 0, 0n, shape),
    () => field(shape, sign, 0, rest, shape),
    () => field(shape, sign, 0, full, shape),
    () => field(shape, sign, 1, 0n, shape),
    () => field(shape, sign, shape.bias, rest, shape),
    () => field(shape, sign, shape.bias, 0n, shape),
    () => field(shape, sign, shape.bias - 1, 0n, shape),
    () => field(shape, sign, most - 1, type === 'e4m3' ? rest : full, shape),
    // Rare, as one decides a whole row or column.
    () => field(shape, sign, rng.chance(0.2) ? most : shape.bias, rng.chance(0.5) ? 0n : rest, shape),
  ];
  return rng.pick(choices)();
}

function element(type: ElementType, what: Contents, rng: Random): bigint {
  const shape = floatShapes[type];
  if (what === 'whole') {
    const most = elementBits[type] <= 4 ? 2 ** (elementBits[type] - 1) : 8;
    return wholeNumber(type, type.startsWith('u') || type === 'b1' ? rng.below(2 * most) : rng.below(2 * most) - most);
  }
  if (shape === undefined) return randomBits(rng, elementBits[type]);
  if (what === 'edges') return edge(type, shape, rng);
  const span = what === 'near' ? 4 : Math.min(2 ** shape.exponent - 2, type === 'f16' ? 20 : 60);
  const exponent = Math.max(shape.bias - (span >> 1) + rng.below(span), 0);
  return field(shape, rng.below(2), exponent, randomBits(rng, shape.fraction), shape);
}

/// Words of A, then B, then C, of each lane.
export function productWords(form: MatrixForm, what: Contents, case_: number, rng: Random): readonly Uint32Array[] {
  const words = warpLanes.map(
    () => new Uint32Array(fragmentWords(form, 'a') + fragmentWords(form, 'b') + fragmentWords(form, 'c')),
  );
  let first = 0;
  for (const operand of ['a', 'b', 'c'] as const) {
    const type = form.types[operand];
    const packed = registerElements(type);
    const bits = elementBits[type];
    const places = elementPlaces(form, operand);
    const each = laneElements(form, operand);
    // An element that several lanes hold, or one at several positions, is the same everywhere.
    const known = new Map<number, bigint>();
    for (const lane of warpLanes) {
      const own = words[lane];
      for (let position = 0; position < each; position++) {
        const place = places[lane * each + position];
        if (own === undefined || place === undefined) continue;
        const key = (place.product * 512 + place.row) * 512 + place.column;
        const value = known.get(key) ?? valueAt(form, operand, place, what, case_, rng);
        known.set(key, value);
        const word = first + (bits === 64 ? 2 * position : Math.floor(position / packed));
        own[word] = ((own[word] ?? 0) | (Number(value & 0xffff_ffffn) << ((position % packed) * bits))) >>> 0;
        if (bits === 64) own[word + 1] = Number(value >> 32n);
      }
    }
    first += fragmentWords(form, operand);
  }
  return words;
}

/// With `rows`, B takes eight columns of A, others from case to case, into D; with `columns`, A takes rows of B.
function valueAt(
  form: MatrixForm,
  operand: MatrixOperand,
  { product, row, column }: ElementPlace,
  what: Contents,
  case_: number,
  rng: Random,
): bigint {
  const type = form.types[operand];
  if (what !== 'rows' && what !== 'columns') return element(type, what, rng);
  if (operand === 'c') return 0n;
  const isShown = (operand === 'a') === (what === 'rows');
  if (isShown) {
    const number = product * 64 + row * (operand === 'a' ? form.k : form.n) + column;
    // Numbers that the type holds: f16 every integer up to 2048, 8-bit floats up to 16, bf16 up to 256.
    const most = Math.min(2 ** Math.min(elementBits[type], 11), 2 ** ((floatShapes[type]?.fraction ?? 30) + 1));
    return wholeNumber(type, 1 + (number % (most - 1)));
  }
  const chosen = operand === 'b' ? row === (column + 8 * case_) % form.k : column === (row + form.m * case_) % form.k;
  return wholeNumber(type, chosen ? 1 : 0);
}
