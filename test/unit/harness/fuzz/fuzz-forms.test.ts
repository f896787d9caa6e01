// The generator creates every instruction of the listing, with every value of its modifiers and
// every shape of its operands. The exceptions are listed here with their reasons. For a new row or
// modifier, this test fails until the generator creates it.
import { expect, test } from 'vitest';
import { type Dialect, dialectNames } from '../../../../src/harness/fuzz/kernels/dialects.ts';
import { kernelOf, sharedStatements } from '../../../../src/harness/fuzz/kernels/every-form.ts';
import { generateKernel } from '../../../../src/harness/fuzz/kernels/generate.ts';
import { imageFor, imageTemplates } from '../../../../src/harness/fuzz/kernels/image-templates.ts';
import { laneTemplates } from '../../../../src/harness/fuzz/kernels/lane-templates.ts';
import { matrixTemplates } from '../../../../src/harness/fuzz/kernels/matrix-templates.ts';
import type { Statement } from '../../../../src/harness/fuzz/kernels/tree.ts';
import { warpTemplates } from '../../../../src/harness/fuzz/kernels/warp-templates.ts';
import { printKernel } from '../../../../src/harness/fuzz/print/print.ts';
import { random } from '../../../../src/harness/suites/random.ts';
import { allForms, formsOfLine, formsOfMods } from './generated-forms.ts';

/** The forms that the generator does not create, each with the reason. */
const leftOut: readonly (readonly [form: RegExp, why: string])[] = [
  [
    /^(?:ld|st)\.volatile \.space=(?:local|const|param)/,
    'no other thread sees this memory, and the front end reports it',
  ],
  [/^cvta(?:\.to)? \.type=u32$/, 'only for modules with 32-bit addresses, which no current target has'],
  [/^mad\.f32 \.rnd=none$/, 'ptxas accepts it without a rounding mode only for very old targets'],
  [/^cvt\.from\.f64 \.rnd=none$/, 'each conversion to a smaller type rounds'],
  [/^wgmma\./, 'they need blocks of four warps: fuzz-tensors.test.ts draws forms with up to 32 columns'],
  [/^cp\.async\.bulk\.multicast/, 'it needs a cluster: fuzz-clusters.test.ts draws its forms'],
  [/tensor/, 'fuzz-tensors.test.ts draws forms of copies; prefetches and changes of maps are not generated'],
  [/^brkpt/, 'it ends the launch as `trap` does'],
  [/^(?:tex|tld4)\S* with [3-6] operands$/, 'offsets and depths are not supported'],
];

/** The number of random kernels, which suffices for control flow in all forms. */
const drawnKernels = 90;

/** Returns the statements for whole warps, matrices and images, each in two shapes. */
function warpWide(dialect: Dialect): Statement[] {
  const possible = <T extends { readonly dialects: readonly Dialect[] }>(templates: readonly T[]): T[] =>
    templates.filter(({ dialects }) => dialects.includes(dialect));
  const [b, c] = [{ register: 1 }, { register: 2 }];
  const rng = random(31, 'images');
  return [0, 1].flatMap((shape): Statement[] => [
    ...possible(warpTemplates).map((template): Statement => {
      const isPair = /\|p(?!\])/.test(template.row.syntax);
      const p = shape === 1 || isPair ? { p: 1 } : {};
      const a = { register: 0, ...(shape === 1 && template.row.syntax.includes('{!}a') ? { negated: true } : {}) };
      return { kind: 'warp', template, operands: { d: 0, ...p, a, b, c, maskRegister: false } };
    }),
    ...[...matrixTemplates.values()].flatMap((templates): Statement[] =>
      possible(templates)
        .slice(0, 1)
        .map((template) => ({ kind: 'matrix', template, d: 0, from: shape, step: 1, values: 'few' })),
    ),
    ...[...imageTemplates.values()].flatMap((templates): Statement[] =>
      possible(templates)
        .slice(0, 1)
        .flatMap((template) => {
          const image = imageFor(template, rng);
          const name = `image${shape}${template.row.name.replaceAll('.', '')}`;
          if (image === undefined) return [];
          return [{ kind: 'image', template, image, name, seed: 1, d: 0, from: 1, step: 1 + shape, wild: false }];
        }),
    ),
  ]);
}

function madeForms(): ReadonlySet<string> {
  const printed = (['common', 'hopper'] as const).map(
    (dialect) => printKernel(kernelOf(dialect, dialect, sharedStatements(dialect))).ptx,
  );
  for (const dialect of dialectNames) printed.push(printKernel(kernelOf(dialect, dialect, warpWide(dialect))).ptx);
  for (let index = 0; index < drawnKernels; index++)
    printed.push(printKernel({ ...generateKernel(31, index), names: 'plain' }).ptx);
  const lines = new Set([
    ...laneTemplates.flatMap(({ lines, negatable }) => [
      ...lines,
      ...lines.map((line) => line.replace(/\bS(\d)/g, (name, index) => (negatable[Number(index)] ? `!${name}` : name))),
    ]),
    ...printed.flatMap((ptx) => ptx.split('\n').map((line) => line.trim())),
  ]);
  const templates = [...warpTemplates, ...[...matrixTemplates.values(), ...imageTemplates.values()].flat()];
  return new Set([...[...lines].flatMap(formsOfLine), ...templates.flatMap(({ row, mods }) => formsOfMods(row, mods))]);
}

const made = madeForms();
const absent = allForms.filter((form) => !made.has(form));

test('every form of every row is generated, or its omission has a reason', () => {
  expect(absent.filter((form) => !leftOut.some(([pattern]) => pattern.test(form)))).toEqual([]);
});

test.each(leftOut)('%s is omitted: %s', (pattern) => {
  expect(absent.some((form) => pattern.test(form))).toBe(true);
});
