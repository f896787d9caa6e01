// If operands meet the bounds of the quanta analysis, exact arithmetic in a group never meets a
// subnormal number, neither as an intermediate value nor as a result.
import { describe, expect, test } from 'vitest';
import {
  demandsOf,
  isExactBut,
  leastQuantum,
  quantumOfBits,
  testedDigits,
} from '../../../../src/translate/analysis/quanta.ts';
import { Builder, Ids } from '../../../../src/translate/ir/builder.ts';
import { constant, type Definition, type Inst, type Value } from '../../../../src/translate/ir/nodes.ts';
import { Guard, leastSize } from '../../../../src/translate/passes/share-guards/guard.ts';
import { scheduleBlock } from '../../../../src/translate/passes/share-guards/schedule.ts';
import { effort } from '../../../effort.ts';
import { flushedFloats } from '../../../lockstep/float-profiles.ts';
import { generator, type Random } from '../../../lockstep/random-instructions.ts';
import { fma, toBits, toFloat } from '../../../wgsl-interpreter/float.ts';

/** Whether a value is a multiple of 2^-126, or not finite. */
const isMultiple = (value: number): boolean => !Number.isFinite(value) || Number.isInteger(value * 2 ** 126);

test('the quantum of a number is its lowest set bit', () => {
  const random = generator(3);
  const wrong: number[] = [];
  for (let n = 0; n < 20_000; n++) {
    const bits = random(2 ** 32) >>> random(32);
    const value = toFloat(bits);
    if (value === 0 || !Number.isFinite(value)) continue;
    const multiple = value / 2 ** quantumOfBits(BigInt(bits));
    if (!Number.isInteger(multiple) || multiple % 2 === 0) wrong.push(bits);
  }
  expect(wrong).toEqual([]);
});

test('the size test separates zeros and values of at least 2^k from smaller ones', () => {
  for (const quantum of [-126, -110, -63, -42, -31]) {
    const least = Number(leastSize(quantum));
    const power = toBits(2 ** (quantum + testedDigits));
    const edges = [0, 1, 0x7f_ffff, 0x80_0000, power - 1, power, power + 1, 0x7f7f_ffff, 0x7f80_0000, 0x7fff_ffff];
    for (const bits of [...edges, ...edges.map((edge) => edge | 0x8000_0000)]) {
      const size = ((bits << 1) - 1) >>> 0;
      const value = Math.abs(toFloat(bits));
      expect([quantum, bits, size >= least]).toEqual([quantum, bits, !(value !== 0 && value < 2 ** (quantum + 23))]);
    }
  }
});

test('a guard tests each quantum once, and none for constants without a quantum', () => {
  const builder = new Builder(new Ids());
  const block = builder.block();
  const [x, y] = [builder.param(block, 'f32'), builder.param(block, 'f32')];
  const insts: Inst[] = [];
  builder.into(insts);
  const guard = new Guard(builder, new Set());
  for (const value of [x, y, x, constant('f32', 0x3f80_0000)]) guard.test(value, -63);
  expect(guard.condition().kind).toBe('result');
  expect(insts.filter(({ op }) => op === 'icmp')).toHaveLength(1);
  const never = new Guard(builder, new Set());
  never.test(constant('f32', 1), leastQuantum);
  expect(never.condition()).toEqual(constant('i1', 0));
});

interface Chain {
  readonly ops: readonly Inst[];
  readonly needs: ReadonlyMap<Definition, number>;
}

const factors = [0x3f80_0000, 0xc080_0000, 0x3e00_0000, 0x3fb8_aa3b, 0x0d80_0000, 0x4b7f_ffff];

/**
 * Builds a random block of sums and products and returns its groups. The first values are
 * parameters.
 */
function randomChains(random: Random): readonly Chain[] {
  const builder = new Builder(new Ids());
  const block = builder.block();
  const values: Value[] = Array.from({ length: 4 }, () => builder.param(block, 'f32'));
  builder.into(block.insts);
  const pick = (): Value =>
    random(7) === 0
      ? constant('f32', factors[random(factors.length)] ?? 0)
      : (values[random(values.length)] ?? constant('f32', 0));
  const rounded = { rounding: 'rn', ftz: false } as const;
  for (let n = 0; n < 3 + random(9); n++) {
    const [a, b, c] = [pick(), pick(), pick()];
    const op = (['fadd', 'fsub', 'fmul', 'ffma', 'ffma'] as const)[random(5)] ?? 'fadd';
    values.push(...builder.emit(op, rounded, op === 'ffma' ? [a, b, c] : [a, b]));
  }
  return (scheduleBlock(block, (inst) => isExactBut(inst, flushedFloats)) ?? []).flatMap((part) => {
    if (part.kind === 'inst') return [];
    const { ops, degreeOf } = part.group;
    const needs = demandsOf(ops, degreeOf);
    return needs === undefined ? [] : [{ ops, needs }];
  });
}

/**
 * Draws a value that only just passes the test for a quantum: zero, a power of two, or a number of
 * few or many digits.
 */
function hardly(quantum: number, random: Random): number {
  const exponent = quantum + testedDigits + (random(3) === 0 ? random(60) : random(3));
  const digits = [0, 1, 0x7f_ffff, random(2 ** 23)][random(4)] ?? 0;
  const size = random(10) === 0 ? 0 : (1 + digits / 2 ** 23) * 2 ** Math.min(exponent, 127);
  return Math.fround(random(2) === 0 ? size : -size);
}

/** Returns an operation's result before rounding. Sums that cancel are exact in a double. */
function exactly({ op }: Inst, [a = 0, b = 0, c = 0]: readonly number[]): number {
  if (op === 'fadd') return a + b;
  if (op === 'fsub') return a - b;
  return op === 'fmul' ? a * b : fma(a, b, c);
}

describe('no value is subnormal in a group whose guard holds', () => {
  test.each(Array.from({ length: effort(10, 100) }, (_, seed) => seed))('seed %d', (seed) => {
    const random = generator(100 + seed);
    const wrong: string[] = [];
    let judged = 0;
    for (let n = 0; n < 40; n++) {
      for (const { ops, needs } of randomChains(random)) {
        for (let draw = 0; draw < 12; draw++) {
          const known = new Map<Value, number>();
          for (const [value, quantum] of needs) known.set(value, hardly(quantum, random));
          for (const inst of ops) {
            const args = inst.args.map((arg) =>
              arg.kind === 'constant' ? toFloat(Number(arg.bits)) : (known.get(arg) ?? Number.NaN),
            );
            const result = exactly(inst, args);
            for (const value of [...args, result]) if (!isMultiple(value)) wrong.push(`${inst.op} of ${args}`);
            for (const defined of inst.results) known.set(defined, Math.fround(result));
            judged += 1;
          }
        }
      }
    }
    expect(wrong.slice(0, 3)).toEqual([]);
    expect(judged).toBeGreaterThan(500);
  });
});
