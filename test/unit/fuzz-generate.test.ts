// Generated kernels are valid PTX that leaves nothing undefined, and so is everything that shrinking makes of them.
import { describe, expect, test } from 'vitest';
import { generateKernel } from '../../src/harness/fuzz/kernels/generate.ts';
import { laneTemplates } from '../../src/harness/fuzz/kernels/lane-templates.ts';
import { shrink, smaller } from '../../src/harness/fuzz/kernels/shrink.ts';
import type { FuzzKernel, Statement } from '../../src/harness/fuzz/kernels/tree.ts';
import { warpTemplates } from '../../src/harness/fuzz/kernels/warp-templates.ts';
import { bodyLines, printKernel } from '../../src/harness/fuzz/print/print.ts';
import { referenceOf } from '../../src/harness/fuzz/reference.ts';
import { floatRows, integerRows, selectRows, warpRows } from '../../src/isa/index.ts';
import { matchOpcode, splitOpcode } from '../../src/isa/match.ts';

const kernels = Array.from({ length: 150 }, (_, index) => generateKernel(20, index));

/// Every statement of a tree, at any depth.
function statementsOf(value: unknown): Statement[] {
  if (Array.isArray(value)) return value.flatMap(statementsOf);
  if (typeof value !== 'object' || value === null) return [];
  return [...(isStatement(value) ? [value] : []), ...Object.values(value).flatMap(statementsOf)];
}

const kinds = ['if', 'loop', 'leave', 'exit', 'groups', 'arms', 'switch', 'tangle', 'exchange'];

/// Decisions of branches have kinds too, but no template.
function isStatement(value: object): value is Statement {
  return 'kind' in value && (kinds.includes(String(value.kind)) || 'template' in value);
}

test('no kernel is refused, gets stuck, or leaves a stored bit undefined', () => {
  const flaws = kernels.map((kernel) => [kernel.id, referenceOf(printKernel(kernel)).flaw]);
  expect(flaws.filter(([, flaw]) => flaw !== undefined)).toEqual([]);
});

test('a seed and a number name a kernel', () => {
  expect(printKernel(generateKernel(20, 7))).toEqual(printKernel(generateKernel(20, 7)));
  expect(printKernel(generateKernel(21, 7)).ptx).not.toBe(printKernel(generateKernel(20, 7)).ptx);
});

describe('coverage', () => {
  const many = Array.from({ length: 2500 }, (_, index) => generateKernel(22, index));
  const statements = many.flatMap(({ body }) => statementsOf(body));

  test('every form of every warp instruction, immediate and register operands, guards', () => {
    const drawn = new Set(statements.flatMap((statement) => (statement.kind === 'warp' ? [statement.template] : [])));
    expect(warpTemplates.filter((template) => !drawn.has(template)).map(({ row, mods }) => [row.name, mods])).toEqual(
      [],
    );
    expect(new Set(warpTemplates.map(({ row }) => row.name)).size).toBe(warpRows.length);
    const some = (has: (statement: Extract<Statement, { kind: 'warp' }>) => boolean) =>
      statements.some((statement) => statement.kind === 'warp' && has(statement));
    expect(some(({ guard }) => guard !== undefined && 'negated' in guard && guard.negated)).toBe(true);
    expect(some(({ guard }) => guard !== undefined && 'lanes' in guard)).toBe(true);
    expect(some(({ operands }) => operands.maskRegister && operands.b.constant === undefined)).toBe(true);
    expect(some(({ operands }) => !operands.maskRegister && operands.b.constant !== undefined)).toBe(true);
  });

  test('every lane instruction of the listing whose result is exact', () => {
    const drawn = new Set(
      statements.flatMap((statement) => (statement.kind === 'lane' ? [statement.template.family] : [])),
    );
    const families = new Set(laneTemplates.map(({ family }) => family));
    expect([...families].filter((family) => !drawn.has(family))).toEqual([]);
    const opcodes = laneTemplates.flatMap(({ lines }) => lines.map((line) => line.split(' ')[0] ?? ''));
    const printed = new Set([...new Set(opcodes)].map((opcode) => matchOpcode(splitOpcode(opcode))?.pattern.row.name));
    const absent = [...integerRows, ...floatRows, ...selectRows]
      .map(({ name }) => name)
      .filter((name) => !printed.has(name));
    // Approximations have no one result, and `fns` is undefined outside its range.
    expect(absent.filter((name) => !name.includes('approx'))).toEqual(['fns']);
  });

  test('every kind of statement', () => {
    expect([...new Set(statements.map(({ kind }) => kind))].sort()).toEqual([
      'arms',
      'exchange',
      'exit',
      'groups',
      'if',
      'lane',
      'leave',
      'loop',
      'switch',
      'tangle',
      'warp',
    ]);
  });
});

describe('shrinking', () => {
  test('every smaller kernel is valid too', () => {
    for (const kernel of kernels.slice(0, 12)) {
      let at = 0;
      for (const candidate of smaller(kernel)) {
        // Some of many.
        if (at++ % 7 !== 0) continue;
        expect(referenceOf(printKernel(candidate)).flaw, printKernel(candidate).ptx).toBeUndefined();
      }
    }
  });

  const holds = (part: RegExp) => async (kernel: FuzzKernel) =>
    part.test(bodyLines(printKernel(kernel).ptx).join('\n'));

  test.each([
    ['a reduction', /redux\.sync\.xor/],
    ['an elected lane under a guard', /@!?%p\d elect\.sync/],
    ['a branch table', /brx\.idx/],
  ])('keeps little more than what it looks for: %s', async (_, part) => {
    const text = (kernel: FuzzKernel) => bodyLines(printKernel(kernel).ptx).join('\n');
    let found: FuzzKernel | undefined;
    for (let index = 0; index < 3000 && !found; index++) {
      const kernel = generateKernel(23, index);
      if (part.test(text(kernel))) found = kernel;
    }
    if (!found) throw new Error('no such kernel');
    const least = await shrink(found, holds(part));
    expect(bodyLines(printKernel(least).ptx).length).toBeLessThanOrEqual(9);
    expect(least).toMatchObject({ blocks: 1, block: [32, 1, 1], data: 'plain' });
  });
});
