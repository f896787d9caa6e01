// With one lane per invocation, matrix products with common factors become one operation. The test
// compares the results of every form with the reference.
import { expect, test } from 'vitest';
import { modChoices } from '../../../../src/harness/suites/rows/instruction-text.ts';
import { elementBits, fragmentVectors, fragmentWords, matrixForm } from '../../../../src/isa/fragments.ts';
import { type Mods, matrixRows } from '../../../../src/isa/index.ts';
import { objectionTo } from '../../../../src/ptx/checks/constraints.ts';
import { selection } from '../../../effort.ts';
import { bufferKernel, expectReference } from '../../../lockstep/buffer-kernel.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

/** The A and B of each product, and the product whose sum it continues. */
const products = [
  { a: 0, b: 0, after: undefined },
  { a: 0, b: 1, after: undefined },
  { a: 1, b: 1, after: undefined },
  { a: 1, b: 0, after: undefined },
  { a: 1, b: 2, after: 0 },
  { a: 0, b: 2, after: 1 },
] as const;

interface Form {
  readonly name: string;
  readonly mods: Mods;
}

const forms: readonly Form[] = matrixRows.flatMap((row) =>
  row.name.startsWith('mma.') && !row.name.startsWith('mma.sp.')
    ? modChoices(row)
        .filter((mods) => objectionTo(row, mods) === undefined)
        .filter((mods) => matrixForm(mods).types.d !== 'f64' && matrixForm(mods).products === 1)
        .map((mods) => ({ name: `${row.name} ${Object.values(mods).join('.')}`, mods }))
    : [],
);

/**
 * The bits that a word of elements may have. Floating-point elements are restricted to 2, 0 and -0,
 * so sums are exact. Integers are arbitrary.
 */
const maskOf = (type: keyof typeof elementBits, bits: number): number =>
  /^[sub]/.test(type) && type !== 'bf16'
    ? 0xffff_ffff
    : bits === 8
      ? 0xc0c0_c0c0
      : bits === 16
        ? 0xc000_c000
        : 0xc000_0000;

function kernelOf({ mods }: Form): string {
  const form = matrixForm(mods);
  const vectors = fragmentVectors(mods);
  const lines: string[] = [];
  let seed = 0;
  /** Sets a fragment's registers from a seed and the lane's number. */
  const fragment = (name: string, operand: 'a' | 'b' | 'c'): string => {
    const type = vectors[operand].type === 'f32' ? 'f' : 'r';
    const mask = maskOf(form.types[operand], elementBits[form.types[operand]]);
    const names = Array.from({ length: fragmentWords(form, operand) }, (_, index) => `%${type}_${name}_${index}`);
    for (const register of names) {
      seed += 1;
      lines.push(
        `.reg .${type === 'f' ? 'f32' : 'b32'} ${register};`,
        `mad.lo.u32 %r4, %r0, ${0x9e3779b1 + 2 * seed}, ${Math.imul(seed, 0x85ebca6b) >>> 0};`,
        'shr.u32 %r5, %r4, 15;',
        'xor.b32 %r4, %r4, %r5;',
        'mul.lo.u32 %r4, %r4, 0x2c1b3c6d;',
        `and.b32 %r4, %r4, ${mask >>> 0};`,
        `mov.b32 ${register}, %r4;`,
      );
    }
    return `{${names.join(', ')}}`;
  };
  const a = [fragment('a0', 'a'), fragment('a1', 'a')];
  const b = [fragment('b0', 'b'), fragment('b1', 'b'), fragment('b2', 'b')];
  const { shape, dtype, atype, btype, ctype, op, satfinite } = mods;
  const opcode = [
    `mma.sync.aligned.${shape}.row.col`,
    ...(satfinite === undefined ? [] : [satfinite]),
    ...[dtype, atype, btype, ctype],
    ...(op === undefined ? [] : [op, 'popc']),
  ].join('.');
  const sums: string[][] = [];
  products.forEach(({ a: i, b: j, after }, index) => {
    const type = vectors.d.type === 'f32' ? 'f' : 'r';
    const own = Array.from({ length: fragmentWords(form, 'd') }, (_, word) => `%${type}_d${index}_${word}`);
    for (const register of own) lines.push(`.reg .${type === 'f' ? 'f32' : 'b32'} ${register};`);
    // A product can continue a sum only if C and D have the same type.
    const goesOn = after !== undefined && form.types.c === form.types.d;
    const c = goesOn ? `{${sums[after]?.join(', ')}}` : fragment(`c${index}`, 'c');
    lines.push(`${opcode} {${own.join(', ')}}, ${a[i]}, ${b[j]}, ${c};`);
    sums.push(own);
  });
  lines.push('mov.u32 %r1, 0;');
  for (const register of sums.flat()) lines.push(`mov.b32 %r4, ${register};`, 'mad.lo.u32 %r1, %r1, 0x01000193, %r4;');
  return lines.join('\n');
}

/** Adds the PTX version and target that 8-bit floating point requires. */
const ptxOf = (form: Form): string =>
  bufferKernel(kernelOf(form)).replace('.version 8.0\n.target sm_80', '.version 8.7\n.target sm_89');

test.each(selection(forms, 8, ({ name }) => name.split(' ')[0] ?? ''))('$name', async (form) => {
  const ptx = ptxOf(form);
  expect(wgslOf(ptx)).toMatch(/= mma_\w+_of_/);
  await expectReference(ptx);
});

test('registers are exchanged once for all products', () => {
  const [form] = forms.filter(
    ({ mods }) => mods.shape === 'm16n8k16' && mods.atype === 'f16' && mods.dtype === 'f32' && mods.ctype === 'f32',
  );
  if (form === undefined) throw new Error('no form');
  const code = wgslOf(ptxOf(form));
  // Each of the two A and three B has 16 words, so six separate products would need 32 shuffles
  // each. The compiler joins four of them, with two A and two B, and then the other two, with two A
  // and one B.
  expect(code.split('subgroupShuffle(').length - 1).toBe(2 * 16 + 2 * 16 + (2 * 16 + 16));
});
