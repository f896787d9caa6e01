// The items of the examples menu: the manuals' programs, one text for every warp instruction, and
// kernels.
import { type Example, examples as manualExamples } from '../src/harness/suites/example-texts.ts';
import { instructionText, modChoices, modsText, sourceNames } from '../src/harness/suites/rows/instruction-text.ts';
import { type IsaRow, warpRows } from '../src/isa/index.ts';
import { type AppState, type InputSpec, initialState } from './state.ts';

export interface ExampleItem {
  readonly id: string;
  readonly group: string;
  readonly title: string;
  /**
   * Returns the parts of the state that the example sets. Loads texts that are not part of the
   * page.
   */
  readonly load: () => Promise<Partial<AppState>> | Partial<AppState>;
}

const fresh = (
  text: string,
  specs: Readonly<Record<string, InputSpec>> = {},
  more: Partial<AppState> = {},
): Partial<AppState> => {
  const { runs, entry, block, grid, shared, step, cta, warp, format } = initialState;
  const inputs = new Map(Object.entries(specs));
  return { inputs, cuda: '', runs, entry, block, grid, shared, step, cta, warp, format, text, ...more };
};

const titles: Readonly<Record<string, string>> = {
  'ptx-scan': 'Inclusive scan (PTX manual)',
  'ptx-reverse-scan': 'Reverse scan (PTX manual)',
  'ptx-butterfly': 'Butterfly sum (PTX manual)',
  'sass-scan': 'Inclusive scan (SASS)',
  'sass-exclusive-scan': 'Exclusive scan (SASS)',
  'sass-reverse-scan': 'Reverse scan (SASS)',
  'sass-butterfly': 'Butterfly sum (SASS)',
};

/** Removes the indentation that is common to all lines. */
function tidy(text: string): string {
  return `${text
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}(?!\/)/g, ' '))
    .filter((line) => line !== '')
    .join('\n')}\n`;
}

const manualItem = ({ name, text }: Example): ExampleItem => ({
  id: name,
  group: 'From the manuals',
  title: titles[name] ?? name.replace('sass-quad-', 'Quad ').replace('-', ' ').concat(' (SASS)'),
  load: () => fresh(tidy(text)),
});

const operandTexts: Readonly<Record<string, string>> = { d: 'd', p: 'p', a: 'a', membermask: '0xffffffff' };
const shuffles: Readonly<Record<string, { b: string; c: string }>> = {
  up: { b: '1', c: '0x0' },
  down: { b: '1', c: '0x1f' },
  bfly: { b: '1', c: '0x1f' },
  idx: { b: '0', c: '0x1f' },
};

/**
 * Returns the inputs of an instruction's example. For `match.any`, these are few different values,
 * which form visible groups; for `match.all`, they are equal values.
 */
function sourceOf({ name }: IsaRow): InputSpec {
  if (name === 'match.any.sync') return { pattern: 'values', value: '3, 1, 4, 1, 5, 9, 2, 6' };
  return name === 'match.all.sync' ? { pattern: 'constant', value: '7' } : { pattern: 'lane', value: '' };
}

function rowItems(row: IsaRow): ExampleItem[] {
  return modChoices(row).map((mods) => {
    const operands = { ...operandTexts, ...shuffles[mods.mode ?? ''] };
    const name = [row.name, modsText(row, mods)].filter((part) => part !== '').join(' ');
    const hasSource = sourceNames(row).includes('a');
    const inputs: Record<string, InputSpec> = hasSource && row.types.a !== 'pred' ? { a: sourceOf(row) } : {};
    return {
      id: name.replaceAll(' ', ':'),
      group: row.removed ? 'Deprecated instructions' : 'Instructions',
      title: name,
      load: () => fresh(`// ${row.doc.replaceAll('`', '')}\n${instructionText(row, mods, operands)};\n`, inputs),
    };
  });
}

const compaction = `// Lanes with an odd value write them one after the other: ballot, count the bits below, store.
.version 7.0
.target sm_70
.address_size 64
.visible .entry compact(.param .u64 in, .param .u64 out, .param .u64 count)
{
  .reg .b32 %lane, %value, %bit, %odds, %below, %place, %n;
  .reg .b64 %in, %out, %count, %offset;
  .reg .pred %odd, %first;

  mov.u32 %lane, %tid.x;
  ld.param.u64 %in, [in];
  mul.wide.u32 %offset, %lane, 4;
  add.s64 %in, %in, %offset;
  ld.global.u32 %value, [%in];

  and.b32 %bit, %value, 1;
  setp.ne.u32 %odd, %bit, 0;
  vote.sync.ballot.b32 %odds, %odd, 0xffffffff;
  mov.u32 %below, %lanemask_lt;
  and.b32 %below, %odds, %below;
  popc.b32 %place, %below;

  ld.param.u64 %out, [out];
  mul.wide.u32 %offset, %place, 4;
  add.s64 %out, %out, %offset;
  @%odd st.global.u32 [%out], %value;

  setp.eq.u32 %first, %lane, 0;
  popc.b32 %n, %odds;
  ld.param.u64 %count, [count];
  @%first st.global.u32 [%count], %n;
  ret;
}
`;

const warpSum = `// Each warp adds 32 numbers, with lanes 16, 8, 4, 2 and 1 away.
.version 7.0
.target sm_70
.address_size 64
.visible .entry warp_sum(.param .u64 in, .param .u64 out)
{
  .reg .b32 %thread, %lane, %warp;
  .reg .f32 %sum, %other;
  .reg .b64 %in, %out, %offset;
  .reg .pred %first;

  mov.u32 %thread, %tid.x;
  ld.param.u64 %in, [in];
  mul.wide.u32 %offset, %thread, 4;
  add.s64 %in, %in, %offset;
  ld.global.f32 %sum, [%in];

  shfl.sync.bfly.b32 %other, %sum, 16, 0x1f, 0xffffffff;
  add.f32 %sum, %sum, %other;
  shfl.sync.bfly.b32 %other, %sum, 8, 0x1f, 0xffffffff;
  add.f32 %sum, %sum, %other;
  shfl.sync.bfly.b32 %other, %sum, 4, 0x1f, 0xffffffff;
  add.f32 %sum, %sum, %other;
  shfl.sync.bfly.b32 %other, %sum, 2, 0x1f, 0xffffffff;
  add.f32 %sum, %sum, %other;
  shfl.sync.bfly.b32 %other, %sum, 1, 0x1f, 0xffffffff;
  add.f32 %sum, %sum, %other;

  mov.u32 %lane, %laneid;
  setp.eq.u32 %first, %lane, 0;
  shr.u32 %warp, %thread, 5;
  ld.param.u64 %out, [out];
  mul.wide.u32 %offset, %warp, 4;
  add.s64 %out, %out, %offset;
  @%first st.global.f32 [%out], %sum;
  ret;
}
`;

const meeting = `// Both arms of a branch shuffle under the full mask: on sm_70 and later they meet, and exchange values across the arms.
.version 7.0
.target sm_70
.address_size 64
.visible .entry meet(.param .u64 out)
{
  .reg .b32 %lane, %bit, %value, %got;
  .reg .b64 %out, %offset;
  .reg .pred %odd;

  mov.u32 %lane, %tid.x;
  and.b32 %bit, %lane, 1;
  setp.ne.u32 %odd, %bit, 0;
  @%odd bra ODD;
  add.u32 %value, %lane, 100;
  shfl.sync.bfly.b32 %got, %value, 1, 0x1f, 0xffffffff;
  bra STORE;
ODD:
  add.u32 %value, %lane, 200;
  shfl.sync.bfly.b32 %got, %value, 1, 0x1f, 0xffffffff;
STORE:
  ld.param.u64 %out, [out];
  mul.wide.u32 %offset, %lane, 4;
  add.s64 %out, %out, %offset;
  st.global.u32 [%out], %got;
  ret;
}
`;

const buffer = (pattern: InputSpec['pattern'], count: number, value = ''): InputSpec => ({
  pattern,
  value,
  as: 'buffer',
  type: 'u32',
  count,
});

const kernels: readonly ExampleItem[] = [
  {
    id: 'kernel:sum',
    group: 'Kernels',
    title: 'Sum of a warp by shuffles',
    load: () => fresh(warpSum, {}, { step: firstShuffle }),
  },
  {
    id: 'kernel:compact',
    group: 'Kernels',
    title: 'Compaction by ballot',
    load: () =>
      fresh(compaction, {
        in: buffer('random', 32),
        out: buffer('constant', 32, '0'),
        count: buffer('constant', 1, '0'),
      }),
  },
  {
    id: 'kernel:meet',
    group: 'Kernels',
    title: 'Two arms that meet',
    load: () => fresh(meeting, { out: buffer('constant', 32, '0') }),
  },
  {
    id: 'kernel:bitonic',
    group: 'Kernels',
    title: 'Bitonic sort of a warp (nvcc)',
    load: async () => {
      const { default: text } = await import('../test/kernels/sort.ptx?raw');
      const inputs = {
        sort_bitonic_warp_param_0: buffer('random', 32),
        sort_bitonic_warp_param_1: buffer('constant', 32, '0'),
      };
      return fresh(text, inputs, { entry: 'sort_bitonic_warp' });
    },
  },
  {
    id: 'kernel:arms',
    group: 'Kernels',
    title: 'Shuffles in divergent arms (nvcc)',
    load: async () => {
      const { default: text } = await import('../test/kernels/divergence.ptx?raw');
      const inputs = {
        arms_shared_shuffle_param_0: buffer('random', 64),
        arms_shared_shuffle_param_1: buffer('constant', 64, '0'),
      };
      return fresh(text, inputs, { entry: 'arms_shared_shuffle', block: [64, 1, 1] });
    },
  },
];

type LoadText = () => Promise<string>;
const cudaTexts: Readonly<Record<string, LoadText>> = import.meta.glob<string>(
  [
    '../docs/examples/saxpy.{cu,ptx}',
    '../test/kernels/{reduce,scan,histogram,transpose,stencil,sort,nbody,hash,divergence}.{cu,ptx}',
    './gallery/kernels/*.{cu,ptx}',
    './lessons/*/solution.{cu,ptx}',
    './whole-program/*.{cu,ptx}',
  ],
  { query: '?raw', import: 'default' },
);

/** CUDA sources, with the PTX that nvcc compiled from them, or for whole programs the page's compiler. */
const cudaItems: readonly ExampleItem[] = Object.entries(cudaTexts).flatMap(([path, loadCuda]) => {
  const loadPtx = cudaTexts[path.replace(/\.cu$/, '.ptx')];
  if (!path.endsWith('.cu') || loadPtx === undefined) return [];
  const load = async () => fresh(await loadPtx(), {}, { cuda: await loadCuda() });
  const [, lesson] = /lessons\/([^/]+)/.exec(path) ?? []; // Other sources have names of their own.
  if (lesson !== undefined) {
    return [{ id: `lesson:${lesson}`, group: 'Solutions of the lessons', title: lesson.replace('-', ' '), load }];
  }
  const name = path.slice(path.lastIndexOf('/') + 1);
  const isProgram = path.includes('/whole-program/');
  return [{ id: `cuda:${name}`, group: isProgram ? 'Whole programs' : 'CUDA sources', title: name, load }];
});

/** The step of the first shuffle in the example of a sum. The page initially shows this step. */
const firstShuffle = 5;

const rows: readonly IsaRow[] = warpRows;

export const exampleItems: readonly ExampleItem[] = [
  ...kernels,
  ...cudaItems,
  ...manualExamples.map(manualItem),
  ...rows.filter(({ name }) => name !== 'bar.warp.sync').flatMap(rowItems),
];

/** The example that the page shows initially. */
export const firstExample = 'kernel:sum';
