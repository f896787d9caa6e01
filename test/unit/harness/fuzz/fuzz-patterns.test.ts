// Patterns that the fuzzer draws from separate random streams: waiting threads, addresses from
// memory and structs, fields of words that were never written whole, and matrices with subnormal
// addends.
import { describe, expect, test } from 'vitest';
import {
  patternStatement,
  patternTemplates,
  withPatterns,
} from '../../../../src/harness/fuzz/kernels/draw-patterns.ts';
import { drawWait } from '../../../../src/harness/fuzz/kernels/draw-waits.ts';
import { kernelOf, waitStatements } from '../../../../src/harness/fuzz/kernels/every-form.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { matrixTemplates } from '../../../../src/harness/fuzz/kernels/matrix-templates.ts';
import { smaller } from '../../../../src/harness/fuzz/kernels/shrink.ts';
import type { Statement } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { waits } from '../../../../src/harness/fuzz/kernels/waits.ts';
import { bodyLines, printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { referenceOf } from '../../../../src/harness/fuzz/reference.ts';
import { random } from '../../../../src/harness/suites/random.ts';
import { drawn, effort } from '../../../effort.ts';

const flawOf = (body: readonly Statement[]): string | undefined =>
  referenceOf(printKernel({ ...kernelOf('pattern', 'common', body), blocks: 2 }), { maxSteps: 5_000_000 }).flaw;

describe('threads that wait', () => {
  test.each(waits.map((how) => [how]))('%s, by every access in every space', (how) => {
    const body = waitStatements().filter((statement) => statement.kind === 'wait' && statement.how === how);
    expect(body).toHaveLength(27);
    expect(flawOf(drawn(body, 3))).toBeUndefined();
  });

  test('all are drawn, and shrink to the simplest', () => {
    const all = Array.from({ length: 300 }, (_, index) => drawWait(random(1, 'waits', index)));
    expect(new Set(all.map(({ how, access, space }) => `${how} ${access} ${space}`)).size).toBe(72);
    for (const how of waits) {
      let least = kernelOf('wait', 'common', [{ ...(all.find((each) => each.how === how) ?? drawWait(random(1))) }]);
      for (;;) {
        const next = [...smaller(least)].find(({ body }) => body.length === 1 && body[0]?.kind === 'wait');
        if (next === undefined) break;
        least = next;
      }
      expect(least.body[0]).toMatchObject({ how, access: 'volatile', space: 'shared', form: 0 });
    }
  });

  test('a statement of an ended thread shrinks to nothing', () => {
    const exit: Statement = { kind: 'exit', on: { register: 0, negated: false }, branch: true };
    const [wait] = waitStatements();
    if (wait === undefined) throw new Error('no statement waits');
    const { ptx } = printKernel(kernelOf('ended', 'common', [wait, exit]));
    expect(bodyLines(ptx).filter((line) => line.includes('volatile'))).toEqual([]);
  });
});

describe('addresses and fields', () => {
  const chosen = drawn(patternTemplates, effort(24, patternTemplates.length), ({ family }) => family);

  test('no template has undefined behavior', () => {
    const flaws = chosen.map((template, index) => [
      template.lines.join('; '),
      flawOf([patternStatement(random(2, 'patterns', index), template)]),
    ]);
    expect(flaws.filter(([, flaw]) => flaw !== undefined)).toEqual([]);
  });

  test('a struct passed by value has a pointer and numbers', () => {
    const template = patternTemplates.find(({ lines }) => lines[0] === 'ld.param.u64 T0, [VIEW]');
    if (template === undefined) throw new Error('no template has a struct');
    const { params } = printKernel(kernelOf('view', 'common', [patternStatement(random(3), template)]));
    expect(params.find(({ name }) => name === 'view')).toMatchObject({ pointers: [{ at: 0, to: 0 }] });
  });

  test('they occur at the top level and inside other statements', () => {
    const lane: Statement = { kind: 'lane', template: patternTemplates[0] ?? never(), results: [0], sources: [] };
    const outer: Statement = { kind: 'groups', register: 0, bits: 1, body: [lane] };
    const bodies = Array.from({ length: 400 }, (_, index) => withPatterns(random(4, index), 'common', [outer]));
    const lengths = bodies.map((body) => {
      const groups = body.find(({ kind }) => kind === 'groups');
      return [body.length, groups?.kind === 'groups' ? groups.body.length : 0];
    });
    expect(lengths.some(([top = 0]) => top > 1)).toBe(true);
    expect(lengths.some(([, inside = 0]) => inside > 1)).toBe(true);
  });
});

const never = (): never => {
  throw new Error('no templates exist');
};

test('matrices with subnormal addends, whose results are the addends', () => {
  const many = Array.from({ length: 1000 }, (_, index) => generateKernel(26, index));
  const matrices = many.flatMap(({ body }) => body.filter((statement) => statement.kind === 'matrix'));
  expect(matrices.filter(({ values }) => values === 'addends').length).toBeGreaterThan(matrices.length / 6);
  const [template] = matrixTemplates.get('mma.bf16') ?? [];
  if (template === undefined) throw new Error('no product of bf16');
  const body = [{ kind: 'matrix', template, d: 0, from: 1, step: 1, values: 'addends' }] as const;
  expect(bodyLines(printKernel(kernelOf('mma', 'common', body)).ptx).join()).toContain('0x807fffff');
  expect(flawOf(body)).toBeUndefined();
});
