// What passes make of instructions on constants, against the reference.
import { describe, expect, it } from 'vitest';
import { laneFunctions } from '../../src/cpu-ref/index.ts';
import type { PtxType } from '../../src/isa/index.ts';
import type { Operand } from '../../src/ptx/ast.ts';
import { evaluate } from '../../src/translate/evaluate.ts';
import { rowNamed } from '../../src/translate/ir.ts';
import { randomWords, sourceVectors } from '../lane-rows/operand-values.ts';
import { type Variant, variants } from '../lane-rows/variants.ts';

const span = { start: 0, end: 0 };

const register = (name: string, type: string): Operand => ({
  kind: 'register',
  register: { name, type: type as PtxType, span },
  negated: false,
  span,
});

function evaluated({ row, mods, results, sources }: Variant, values: readonly (number | bigint)[]) {
  const [result] = results;
  const immediates = sources.map(({ name, type }, index): [string, Operand] => [
    name,
    { kind: 'immediate', bits: BigInt(values[index] ?? 0), type: type as PtxType, span },
  ]);
  const d: [string, Operand][] = result ? [[result.name, register('%d', result.type)]] : [];
  const operands = Object.fromEntries([...d, ...immediates]);
  return evaluate({ kind: 'instruction', row: rowNamed(row), mods, operands, guard: undefined, span });
}

/// Rows that constants must fold in, since loops count and address with them.
const folding = new Set([
  'add',
  'sub',
  'mul',
  'mul.wide',
  'mad',
  'and',
  'or',
  'xor',
  'not',
  'shl',
  'shr',
  'min',
  'max',
]);
const always = (row: string, { type = '', half, sat }: Readonly<Record<string, string>>) =>
  (folding.has(row) && !/64$/.test(type) && half !== 'hi' && !sat) || ['setp', 'setp.bool', 'selp'].includes(row);

describe('constants', () => {
  for (const row of new Set(variants.map((variant) => variant.row))) {
    it(`${row} folds to what the reference gives, or not at all`, () => {
      const random = randomWords(7);
      for (const variant of variants.filter((candidate) => candidate.row === row)) {
        for (const values of sourceVectors(variant, 40, random)) {
          const result = evaluated(variant, values);
          const integers = [...variant.sources, ...variant.results].every(({ type }) => /^(pred|[bus]\d+)$/.test(type));
          if (integers && always(row, variant.mods)) expect(result, variant.label).toBeDefined();
          if (!integers && row !== 'lop3') expect(result, variant.label).toBeUndefined();
          if (result === undefined) continue;
          const [expected = 0] = laneFunctions[row](variant.mods, values);
          expect({ of: [variant.label, ...values], is: result.value.bits }).toEqual({
            of: [variant.label, ...values],
            is: BigInt(expected),
          });
        }
      }
    });
  }

  it.each(['add.cc', 'addc', 'sub.cc', 'subc', 'mad.cc', 'madc'] as const)('%s, with a carry, stays', (row) => {
    for (const variant of variants.filter((candidate) => candidate.row === row))
      expect(evaluated(variant, [1, 2, 3, 1])).toBeUndefined();
  });

  it('a wider register stays, and so does a second result', () => {
    const immediate: Operand = { kind: 'immediate', bits: 5n, type: 'u16', span };
    const add = { kind: 'instruction', row: rowNamed('add'), mods: { type: 'u16' }, guard: undefined, span } as const;
    const of = (type: string) =>
      evaluate({ ...add, operands: { d: register('%d', type), a: immediate, b: immediate } });
    expect(of('b16')?.value).toMatchObject({ bits: 10n, type: 'b16' });
    expect(of('b32')).toBeUndefined();
    const setp = { ...add, row: rowNamed('setp'), mods: { cmp: 'lt', type: 'u16' } };
    const both = { p: register('%p', 'pred'), q: register('%q', 'pred'), a: immediate, b: immediate };
    expect(evaluate({ ...setp, operands: both })).toBeUndefined();
    const sink: Operand = { kind: 'sink', span };
    expect(evaluate({ ...setp, operands: { ...both, p: sink } })).toMatchObject({ value: { bits: 1n } });
  });
});
