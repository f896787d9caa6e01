// Kernels whose products are subgroup matrices, against the reference.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../src/base/launch.ts';
import { compareWindows } from '../../../src/harness/bench/check.ts';
import { kernelEntries } from '../../../src/harness/bench/entries/kernel-entries.ts';
import { compareOutputs, expectedOutputs } from '../../../src/harness/compare/compare.ts';
import { cpuExecutor } from '../../../src/harness/executors/cpu-executor.ts';
import { referenceWindows } from '../../../src/harness/executors/run-sequence.ts';
import { readCase } from '../../../src/harness/launches/case-file-node.ts';
import type { WgslProgram } from '../../../src/translate/index.ts';
import { h200Matrices, lockstepExecutor } from '../../lockstep/lockstep-executor.ts';

function matrixExecutor() {
  const notes: string[] = [];
  const executor = lockstepExecutor(32, {
    matrices: h200Matrices,
    onProgram: ({ matrixNote }) => {
      if (matrixNote !== undefined) notes.push(matrixNote);
    },
  });
  return { executor, notes };
}

/** Expects the reference's results, and the note about the kernel's matrices. */
async function expectAgreement(launch: Launch, note: RegExp): Promise<void> {
  const { executor, notes } = matrixExecutor();
  const [expected, found] = [await cpuExecutor().run(launch), await executor.run(launch)];
  expect(compareOutputs(launch, expected.outputs, found.outputs)).toMatchObject({ mismatches: 0, first: undefined });
  expect(notes).toEqual([expect.stringMatching(note)]);
}

describe('benchmark kernels with subgroup matrices', () => {
  it.each([
    ['matmul-f16', /^Subgroup matrices for 16 products: factors are loaded as matrices;/],
    ['matmul-f16-async', /^Subgroup matrices for 16 products: factors are loaded as matrices;/],
    ['matmul-f16-warpgroup', /^Subgroup matrices for 32 products: factors are loaded as matrices;/],
    ['matmul-s8', /^Subgroup matrices for 16 products: factors are loaded as matrices;/],
    ['matmul-f16-triton', /^Subgroup matrices for 16 products: factors are loaded as matrices;/],
    ['attention', /^Subgroup matrices for 32 products: a left matrix is packed: .*; 12 sums are unpacked\.$/],
  ])('%s agrees with the reference', async (name, note) => {
    const entry = kernelEntries().find(({ id }) => id === `kernel:${name}`);
    if (entry === undefined) throw new Error(`no kernel ${name}`);
    const { sequence } = entry.make('check', 1);
    const { executor, notes } = matrixExecutor();
    const expected = await referenceWindows(sequence);
    const { compared, difference } = compareWindows(sequence, expected, await referenceWindows(sequence, executor));
    expect(difference).toBeUndefined();
    expect(compared).toBeGreaterThan(1000);
    expect(notes).toEqual([expect.stringMatching(note)]);
  });
});

/**
 * Eight products of one packed factor with columns in shared memory. The kernel computes one word
 * of the factor instead of loading it.
 */
const packedKernel = `.version 8.6
.target sm_90
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out)
{
  .reg .b32 %a<4>, %b<16>, %me, %at, %row;
  .reg .f32 %s<32>;
  .reg .b64 %in, %out, %own;
  .shared .align 16 .b8 tile[2048];
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mov.u32 %me, %tid.x;
  mul.wide.u32 %own, %me, 16;
  add.u64 %own, %in, %own;
  ld.global.v4.u32 {%a0, %a1, %a2, %a3}, [%own];
  mov.u32 %at, tile;
  shl.b32 %row, %me, 4;
  add.u32 %at, %at, %row;
  st.shared.v4.u32 [%at], {%a0, %a1, %a2, %a3};
  bar.sync 0;
  and.b32 %a1, %a1, 0x3fff3fff;
  and.b32 %row, %me, 15;
  mov.u32 %at, tile;
  mad.lo.u32 %at, %row, 128, %at;
${Array.from(
  { length: 8 },
  (_, j) => `  ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%b${2 * j}, %b${2 * j + 1}}, [%at+${16 * j}];
  mov.f32 %s${4 * j}, 0f3f800000; mov.f32 %s${4 * j + 1}, 0f3f800000; mov.f32 %s${4 * j + 2}, 0f3f800000; mov.f32 %s${4 * j + 3}, 0f3f800000;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%s${4 * j}, %s${4 * j + 1}, %s${4 * j + 2}, %s${4 * j + 3}}, {%a0, %a1, %a2, %a3}, {%b${2 * j}, %b${2 * j + 1}}, {%s${4 * j}, %s${4 * j + 1}, %s${4 * j + 2}, %s${4 * j + 3}};
`,
).join('')}  mul.wide.u32 %own, %me, 128;
  add.u64 %out, %out, %own;
${Array.from({ length: 8 }, (_, j) => `  st.global.v4.f32 [%out+${16 * j}], {%s${4 * j}, %s${4 * j + 1}, %s${4 * j + 2}, %s${4 * j + 3}};\n`).join('')}  ret;
}
`;

it('packs a factor of which a word is computed, once for all products', async () => {
  // Small integers, so that every sum is exact in any order.
  const halves = [0x0000, 0x3c00, 0x4000, 0xbc00, 0xc000];
  const data = new Uint8Array(Uint16Array.from({ length: 1024 }, (_, i) => halves[(i * 7 + (i >> 3)) % 5] ?? 0).buffer);
  const launch = {
    id: 'packed',
    group: '',
    ptx: packedKernel,
    ptxFile: 'packed.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [128, 1, 1],
    sharedBytes: 0,
    params: [
      { name: 'in', kind: 'buffer', type: 'u32', bytes: 2048, data },
      { name: 'out', kind: 'buffer', type: 'f32', bytes: 128 * 128 },
    ],
  } satisfies Launch;
  await expectAgreement(launch, /^Subgroup matrices for 8 products: a left matrix is packed: /);
});

/** A product of matrices in memory, with registers for `setUp`. */
interface Product {
  readonly setUp: string;
  /** The address of each factor, and the distance of its rows or columns in elements. */
  readonly left: string;
  readonly right: string;
  readonly layout: 'row' | 'col';
}

const eight = (register: string): string => `{${Array.from({ length: 8 }, (_, i) => `%${register}${i}`).join(', ')}}`;

const productLaunch = ({ setUp, left, right, layout }: Product, n: number): Launch => ({
  id: 'product',
  group: '',
  ptx: `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 in, .param .u64 out, .param .u32 n)
{
  .reg .b32 %a<8>, %b<8>, %n;
  .reg .f32 %c<8>;
  .reg .b64 %in, %out, %right;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  ${setUp}
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 ${eight('a')}, ${left};
  wmma.load.b.sync.aligned.${layout}.m16n16k16.global.f16 ${eight('b')}, ${right};
  mov.f32 %c0, 0f00000000;
  wmma.mma.sync.aligned.row.${layout}.m16n16k16.f32.f32 ${eight('c')}, ${eight('a')}, ${eight('b')}, {%c0, %c0, %c0, %c0, %c0, %c0, %c0, %c0};
  wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%out], ${eight('c')};
  ret;
}
`,
  ptxFile: 'product.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [32, 1, 1],
  sharedBytes: 0,
  params: [
    {
      name: 'in',
      kind: 'buffer',
      type: 'f16',
      bytes: 2048,
      data: new Uint8Array(Uint16Array.from({ length: 1024 }, (_, i) => 0x3c00 + 0x80 * (i % 11)).buffer),
    },
    { name: 'out', kind: 'buffer', type: 'f32', bytes: 1024 },
    { name: 'n', kind: 'scalar', type: 'u32', value: n },
  ],
});

describe('the distance of the columns of a matrix in memory', () => {
  const used = /^Subgroup matrices for 2 products: factors are loaded as matrices;/;
  const tooSmall = /^No subgroup matrices: .* the distance of its rows is less than their length\.$/;
  const unknown = /^No subgroup matrices: .* the distance of its rows is known only at run time\.$/;
  it.each([
    ['24 elements', 'mov.u32 %n, 24;', 24, used],
    ['16 elements', 'mov.u32 %n, 16;', 16, used],
    ['8 elements, so columns overlap', 'mov.u32 %n, 8;', 8, tooSmall],
    ['24 elements, in a parameter', 'ld.param.u32 %n, [n];', 24, unknown],
    ['8 elements, in a parameter', 'ld.param.u32 %n, [n];', 8, unknown],
  ])('%s', async (_, setUp, elements, note) => {
    await expectAgreement(
      productLaunch({ setUp, left: '[%in], 24', right: '[%in], %n', layout: 'col' }, elements),
      note,
    );
  });
});

it('loads a factor as a matrix if lanes load its halves one at a time', async () => {
  // Lanes load the halves of a right factor by rows one at a time.
  const setUp = 'ld.param.u32 %n, [n]; mad.wide.u32 %right, %n, 32, %in;';
  const launch = productLaunch({ setUp, left: '[%in+64], 16', right: '[%right+96], 16', layout: 'row' }, 5);
  await expectAgreement(launch, /^Subgroup matrices for 2 products: factors are loaded as matrices;/);
});

const corpus = join(import.meta.dirname, '../../kernels');

it('keeps factors in a buffer if their rows with gaps do not fit in workgroup memory', async () => {
  const launch = readCase(join(corpus, 'warpgroup_gemm.json'));
  const programs: WgslProgram[] = [];
  const executor = lockstepExecutor(32, {
    matrices: h200Matrices,
    maxWorkgroupBytes: 12_288,
    onProgram: (program) => programs.push(program),
  });
  const { outputs } = await executor.run(launch);
  expect(compareOutputs(launch, expectedOutputs(launch), outputs)).toMatchObject({ mismatches: 0, first: undefined });
  const [program] = programs;
  expect(program?.matrixNote).toMatch(/^Subgroup matrices for 16 products: factors are loaded as matrices;/);
  expect(program?.code).toContain('subgroupMatrixLoad<subgroup_matrix_left<f16, 16, 16>, row_major>(&block_memory[');
});

describe('wmma kernels of the corpus', () => {
  it.each(
    readdirSync(corpus).filter((file) => /^(wmma_.*|triton_wgmma_(i8|described)|warpgroup_gemm)\.json$/.test(file)),
  )('%s has the results of an H200', async (file) => {
    const launch = readCase(join(corpus, file));
    const { executor, notes } = matrixExecutor();
    const { outputs } = await executor.run(launch);
    const { compared, mismatches, first } = compareOutputs(launch, expectedOutputs(launch), outputs);
    expect(first).toBeUndefined();
    expect(mismatches).toBe(0);
    expect(compared).toBeGreaterThan(0);
    expect({ file, notes }).toMatchSnapshot();
  });
});
