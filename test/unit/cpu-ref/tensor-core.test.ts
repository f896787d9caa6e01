// The model of Hopper's tensor cores against results of an H200, one for each form and each kind of
// operands. The kinds are ordinary, wide, special, canceling, subnormal, zero, sparse, huge, powers
// of two, truncated, zeros among huge numbers, random scales, and sums at the ends of the range.
// Further elements are so small that their terms are aligned to the least possible power of two.
//
// `h200/matrix-elements.json` contains D, C, the row of A and the column of B, as hexadecimal bits.
// Most of its results differ from the exact sum rounded once.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { valueOfElement } from '../../../src/cpu-ref/matrix/exact-sum.ts';
import { tensorCorePlan, tensorCoreSum } from '../../../src/cpu-ref/matrix/tensor-core.ts';
import { anyInstructionText, modChoices } from '../../../src/harness/suites/rows/instruction-text.ts';
import { type ElementType, type MatrixForm, matrixForm } from '../../../src/isa/fragments.ts';
import { type IsaRow, matrixRows, wgmmaRows, wmmaRows } from '../../../src/isa/index.ts';
import { partMods } from '../../../src/isa/wgmma.ts';
import { objectionTo } from '../../../src/ptx/checks/constraints.ts';

type Element = readonly [d: string, c: string, a: string, b: string];
const measured: Readonly<Record<string, readonly Element[]>> = JSON.parse(
  readFileSync(new URL('h200/matrix-elements.json', import.meta.url), 'utf8'),
);

const operandsOf = ({ types }: IsaRow) => Object.fromEntries(Object.keys(types).map((name) => [name, '']));

const forms: ReadonlyMap<string, MatrixForm> = new Map(
  [...matrixRows, ...wmmaRows, ...wgmmaRows].flatMap((row) =>
    'c' in row.types
      ? modChoices(row)
          .filter((mods) => objectionTo(row, mods) === undefined)
          .map(
            (mods) =>
              [
                anyInstructionText(row, mods, operandsOf(row)).split(' ')[0] ?? '',
                matrixForm(row.name.startsWith('wgmma.') ? partMods(mods) : mods),
              ] as const,
          )
      : [],
  ),
);

function formOf(name: string): MatrixForm {
  const form = forms.get(name);
  if (form === undefined) throw new Error(`no form ${name}`);
  return form;
}

const typesOf = ({ types: { a, b, c, d } }: MatrixForm): string => [a, b, c, d].join(' ');

function elementOf(form: MatrixForm, [, c, a, b]: Element): number {
  const plan = tensorCorePlan(form);
  if (plan === undefined) throw new Error('the sums of this form are exact');
  const values = (type: ElementType, texts: string) =>
    Float64Array.from(texts.split(' '), (text) => valueOfElement(type, Number.parseInt(text, 16)));
  const { a: rows, b: columns, c: addends } = form.types;
  const factors = { a: values(rows, a), b: values(columns, b), c: values(addends, c), row: 0, column: 0, place: 0 };
  return tensorCoreSum(plan, factors)({ ...factors, k: form.k });
}

describe('sums of tensor cores', () => {
  it.each(Object.entries(measured))('are those of an H200: %s', (name, elements) => {
    const form = formOf(name);
    const differing = elements.filter((element) => elementOf(form, element) !== Number.parseInt(element[0], 16));
    expect(elements.length).toBeGreaterThan(10);
    expect(differing).toEqual([]);
  });

  it('exist for every form with sums that PTX does not specify', () => {
    const known = new Set(Object.keys(measured).map((name) => typesOf(formOf(name))));
    const unknown = [...forms.values()].filter(
      (form) => tensorCorePlan(form) !== undefined && !known.has(typesOf(form)),
    );
    expect(unknown).toEqual([]);
  });
});
