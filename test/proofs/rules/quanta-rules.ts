// The rules of the quanta of f32 (src/translate/analysis/quanta.ts), and the test of a guard for a
// quantum. A number has the quantum q if it is a multiple of 2^q.
//
// The rules about rounding depend on a format: its precision, and its smallest and largest exponents.
// They are checked for all numbers of formats with small parameters. The header of quanta.ts contains
// the argument for all formats.
import { at } from '../../../src/base/invariants.ts';
import { demandsOf, leastQuantum, quantumOfBits, resultQuanta } from '../../../src/translate/analysis/quanta.ts';
import { Builder, Ids } from '../../../src/translate/ir/builder.ts';
import { type Inst, isDefinition, constant as number, type Value } from '../../../src/translate/ir/nodes.ts';
import { Guard } from '../../../src/translate/passes/share-guards/guard.ts';
import { compare, constant, equal, extract, implies, or, type Term, variable } from '../terms/term.ts';
import { termOfValue } from './ir-formulas.ts';

/** The quanta for which a guard tests: the least one, up to the highest threshold of a test. */
const quanta = Array.from({ length: 96 }, (_, index) => leastQuantum + index);

/**
 * For each quantum, returns the claim about the test of a guard. A nonzero f32 with exponent field e
 * is a multiple of 2^(e - 150), because e is not 0.
 */
export const guardClaims = (): readonly Term[] =>
  quanta.map((quantum) => {
    const builder = new Builder(new Ids());
    const param = builder.param(builder.block(), 'f32', 'x');
    const guard = new Guard(builder, new Set());
    guard.test(param, quantum);
    const condition = equal(termOfValue(guard.condition(), new Map()), constant(1, 1));
    const bits = variable('x');
    const isZero = equal(extract(bits, 0, 31), constant(0, 31));
    const isCoarse = compare('bvule', constant(quantum + 150, 8), extract(bits, 23, 8));
    return implies(condition, or(isZero, isCoarse));
  });

/** Checks the quantum of constants: for each exponent and lowest 1, with some higher bits. */
export function areConstantsRight(): boolean {
  for (let exponent = 0; exponent < 255; exponent++)
    for (let lowest = 0; lowest < 24; lowest++) {
      const one = lowest === 23 ? 0 : 1 << lowest;
      if (lowest === 23 && exponent === 0) continue;
      for (const high of [0, -1, 0x2aaaaa, 0x555555]) {
        const fraction = (lowest === 23 ? 0 : (high << (lowest + 1)) | one) & 0x7fffff;
        const bits = (BigInt(exponent) << 23n) | BigInt(fraction);
        if (quantumOfBits(bits) !== Math.max(exponent, 1) - 150 + lowest) return false;
      }
    }
  return true;
}

interface Format {
  /** The number of bits of a significand. */
  readonly precision: number;
  /** The exponents of the smallest normal number and of the largest numbers. */
  readonly least: number;
  readonly most: number;
}

/** Numbers are integers in units of 2^unit, so that sums and products of three are exact. */
const unit = -24;
const inUnits = (value: number): number => value * 2 ** -unit;

/** The largest quantum of a number in units; infinite for 0. */
function quantumOf(value: number): number {
  if (value === 0) return Number.POSITIVE_INFINITY;
  let quantum = unit;
  for (let rest = value; rest % 2 === 0; rest /= 2) quantum += 1;
  return quantum;
}

/** Returns all numbers of a format, in units. */
function numbersOf({ precision, least, most }: Format): readonly number[] {
  const numbers: number[] = [0];
  for (let exponent = least; exponent <= most; exponent++)
    for (let digits = exponent === least ? 1 : 2 ** (precision - 1); digits < 2 ** precision; digits++)
      numbers.push(inUnits(digits * 2 ** (exponent - precision + 1)));
  return numbers.flatMap((each) => (each === 0 ? [0] : [each, -each]));
}

/** Returns the finite numbers to which an exact result may round to nearest, in units. */
function neighbors({ precision, least, most }: Format, exact: number): readonly number[] {
  const size = Math.abs(exact);
  const largest = inUnits((2 ** precision - 1) * 2 ** (most - precision + 1));
  // From the next power of two, results round to an infinity, which has every quantum.
  if (size >= inUnits(2 ** (most + 1))) return [];
  if (size > largest) return [Math.sign(exact) * largest];
  const exponent = Math.max(Math.floor(Math.log2(size / inUnits(1))), least);
  const place = inUnits(2 ** (exponent - precision + 1));
  return [Math.floor(exact / place) * place, Math.ceil(exact / place) * place];
}

const formats: readonly Format[] = [
  { precision: 2, least: -4, most: 2 },
  { precision: 3, least: -3, most: 1 },
  { precision: 4, least: -2, most: 0 },
];

/**
 * Checks a rule for an exact result and its quantum: each number to which the result may round has
 * the quantum, unless it is below the smallest place. If the quantum is at least the smallest
 * exponent, the result is not subnormal.
 */
function keeps(format: Format, exact: number, quantum: number): boolean {
  if (exact === 0 || !Number.isFinite(quantum)) return exact === 0;
  const { precision, least } = format;
  if (quantumOf(exact) < quantum) return false;
  if (quantum >= least && Math.abs(exact) < inUnits(2 ** least)) return false;
  return quantum < least - precision + 1 || neighbors(format, exact).every((each) => quantumOf(each) >= quantum);
}

/** Checks the rules of sums, products, fused multiply-adds and extremes for all numbers. */
export function areRoundedRight(): boolean {
  return formats.every((format) => {
    const numbers = numbersOf(format);
    return numbers.every((a) =>
      numbers.every((b) => {
        const [first, second] = [quantumOf(a), quantumOf(b)];
        const product = (a * b) / inUnits(1);
        const either = Math.min(first, second);
        if (!keeps(format, a + b, either) || !keeps(format, Math.min(a, b), either)) return false;
        if (!keeps(format, product, first + second)) return false;
        return numbers.every((c) => keeps(format, product + c, Math.min(first + second, quantumOf(c))));
      }),
    );
  });
}

const operations = ['fadd', 'fsub', 'fmul', 'ffma', 'fmin', 'fmax'] as const;

/** Builds an operation on two or three parameters; on one parameter if `isSquare`. */
function operationOn(op: (typeof operations)[number], isSquare: boolean): Inst {
  const builder = new Builder(new Ids());
  const block = builder.block();
  const [x, y, z] = ['x', 'y', 'z'].map((name) => builder.param(block, 'f32', name));
  if (x === undefined || y === undefined || z === undefined) throw new Error('three parameters');
  const args = [x, isSquare ? x : y, ...(op === 'ffma' ? [z] : [])];
  if (op === 'fmin' || op === 'fmax') return builder.make(op, { ftz: false, nan: false }, args);
  return builder.make(op, { rounding: 'rn', ftz: false }, args);
}

/** Checks that the analysis returns the quanta of the rules, for all quanta of the operands. */
export function areResultsRight(): boolean {
  return operations.every((op) => {
    const inst = operationOn(op, false);
    const result = at(inst.results, 0, 'a result');
    const [x, y, z] = inst.args.filter(isDefinition);
    if (x === undefined || y === undefined) throw new Error('two operands');
    const addends = z === undefined ? [0] : [...quanta.filter((each) => each % 8 === 0), -500, 100];
    return quanta.every((a) =>
      quanta.every((b) =>
        addends.every((c) => {
          const needs = new Map([[x, a], [y, b], ...(z === undefined ? [] : [[z, c] as const])]); // biome-ignore format: pairs
          const expected = op === 'fmul' ? a + b : op === 'ffma' ? Math.min(a + b, c) : Math.min(a, b);
          return resultQuanta([inst], needs).get(result) === expected;
        }),
      ),
    );
  });
}

/**
 * Checks that operands with the demanded quanta give the result the wanted quantum, for all quanta
 * and degrees. So no operand and no result is subnormal.
 */
export function areDemandsRight(): boolean {
  const degrees = [1, 2, 3];
  return (
    operations.every((op) =>
      [false, true].every((isSquare) => {
        const inst = operationOn(op, isSquare);
        const result = at(inst.results, 0, 'a result');
        return quanta.every((wanted) =>
          degrees.every((first) =>
            degrees.every((second) => {
              const degreeOf = (value: Value): number => (value === inst.args[0] ? first : second);
              const needs = demandsOf([inst], degreeOf, () => wanted);
              if (needs === undefined) return true;
              const found = resultQuanta([inst], needs).get(result);
              return (
                found !== undefined && found >= wanted && [...needs.values()].every((each) => quanta.includes(each))
              );
            }),
          ),
        );
      }),
    ) && areFactorsRight()
  );
}

/** Checks the demands on a value that is multiplied by a constant. */
function areFactorsRight(): boolean {
  const builder = new Builder(new Ids());
  const x = builder.param(builder.block(), 'f32', 'x');
  return [0x3f800000, 0x3fb8aa3b, 0x0d800000, 0x4b7fffff, 0x00800000, 0x7f7fffff].every((bits) =>
    quanta.every((wanted) => {
      const inst = builder.make('fmul', { rounding: 'rn', ftz: false }, [x, number('f32', BigInt(bits))]);
      const needs = demandsOf(
        [inst],
        () => 1,
        () => wanted,
      );
      const found = needs && resultQuanta([inst], needs).get(at(inst.results, 0, 'a result'));
      return found === undefined || found >= wanted;
    }),
  );
}
