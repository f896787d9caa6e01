// wmma: the positions of elements, diagnostics of the front end, and the reference's findings for
// partial warps.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { elementType } from '../../../../src/isa/element-types.ts';
import {
  type WmmaMatrix,
  wmmaElement,
  wmmaExtent,
  wmmaLayout,
  wmmaMatrix,
  wmmaVector,
} from '../../../../src/isa/wmma-fragments.ts';
import { parsePtx } from '../../../../src/ptx/index.ts';
import { runKernel } from '../interpreter/interpreter-support.ts';

interface Measured {
  readonly lanes: readonly number[];
  /** By form, then by lane: the index of the element at each position, counted along rows. */
  readonly elements: Readonly<Record<string, readonly (readonly number[])[]>>;
}
const measured: Measured = JSON.parse(readFileSync(new URL('wmma-h200.json', import.meta.url), 'utf8'));

interface Form {
  readonly matrix: WmmaMatrix;
  readonly shape: string;
  readonly type: string;
}
const forms = Object.keys(measured.elements).map((name) => {
  const [matrix, shape = '', type = ''] = name.split(' ');
  return [name, { matrix: wmmaMatrix(matrix), shape, type }] as const satisfies readonly [string, Form];
});

const numberOf = ({ matrix, shape, type }: Form, lane: number, position: number): number => {
  const { row, column } = wmmaElement(wmmaLayout(matrix, shape, type), lane, position);
  return row * wmmaExtent(matrix, shape).columns + column;
};

describe('elements', () => {
  test.each(forms)('%s has the element positions of an H200', (name, form) => {
    const { length } = wmmaLayout(form.matrix, form.shape, form.type).positions;
    const positions = Array.from({ length }, (_, position) => position);
    const lie = measured.lanes.map((lane) => positions.map((position) => numberOf(form, lane, position)));
    expect(lie).toEqual(measured.elements[name]);
  });

  test.each(forms)('%s holds each element equally often', (_, form) => {
    const { rows, columns } = wmmaExtent(form.matrix, form.shape);
    const { length } = wmmaLayout(form.matrix, form.shape, form.type).positions;
    const counts = new Array<number>(rows * columns).fill(0);
    for (let lane = 0; lane < 32; lane++) {
      for (let position = 0; position < length; position++) {
        const number = numberOf(form, lane, position);
        counts[number] = (counts[number] ?? 0) + 1;
      }
    }
    expect(counts).toEqual(new Array<number>(rows * columns).fill((32 * length) / (rows * columns)));
    expect(elementType(form.type)).toBe(form.type);
  });

  test.each([
    ['a', 'm16n16k16', 'f16', 'row', 8],
    ['b', 'm32n8k16', 'bf16', 'col', 2],
    ['a', 'm8n32k16', 'u8', 'row', 1],
    ['c', 'm16n16k16', 'f16', 'col', 4],
    ['d', 'm8n8k4', 'f64', 'row', 2],
    ['a', 'm8n8k128', 'b1', 'row', 1],
    ['a', 'm8n8k128', 'b1', 'col', undefined],
    ['a', 'm16n16k8', 'f16', 'row', undefined],
    ['c', 'm16n16k8', 's32', 'row', undefined],
  ] as const)('%s of %s.%s, by %ss: %s registers', (matrix, shape, type, layout, count) => {
    expect(wmmaVector(matrix, shape, type, layout)?.count).toBe(count);
  });
});

describe('diagnostics of the front end', () => {
  const head = '.reg .b32 %r<9>; .reg .f64 %d<4>; .reg .b64 %p; .reg .f32 %f<8>;';
  test.each([
    ['wmma.load.a.sync.aligned.col.m8n8k32.s4 {%r0}, [%p];', '`.m8n8k32` has no matrices of these types and layouts'],
    ['wmma.load.a.sync.aligned.row.m16n16k8.f16 {%r0, %r1}, [%p];', '`.m16n16k8` has no matrices'],
    ['wmma.load.a.sync.aligned.row.m8n8k4.f64 %d0, [%p];', 'expected a vector of 1 elements'],
    ['wmma.load.c.sync.aligned.row.m8n8k4.f64 {%d0}, [%p];', 'expected a vector of 2 elements, found 1'],
    ['wmma.load.c.sync.aligned.row.m8n8k4.f64 {%d0, %r1}, [%p];', '%r1'],
    ['wmma.store.d.sync.aligned.row.m8n8k4.f64 [%p], {%d0, _};', '_'],
    ['wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.u4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};', 'has no matrices'],
    [
      'wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32.satfinite {%r0}, {%r1}, {%r2}, {%r3};',
      '`.satfinite` is not a valid modifier of this form',
    ],
  ])('%s', (line, message) => {
    const { module, diagnostics } = parsePtx(
      `.version 7.8\n.target sm_80\n.address_size 64\n.entry k() { ${head}\n${line}\nret; }`,
    );
    const refused = module?.functions[0]?.body.flatMap((each) =>
      each.kind === 'unsupported' ? [each.diagnostic] : [],
    );
    const found = [...diagnostics, ...(refused ?? [])];
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(message);
  });
});

describe('findings of the reference', () => {
  const load = (stride: number) =>
    `wmma.load.c.sync.aligned.row.m16n16k16.global.f16 {%r1, %r2, %r3, %r4}, [%rd0], ${stride};`;
  const keep = 'xor.b32 %r5, %r1, %r2; st.global.u32 [%rd1+512], %r5;';
  const words = 256;

  test('lanes of both arms of a branch execute together', () => {
    const body = `setp.lt.u32 %p0, %lane, 9; @%p0 bra LOW;\n${load(16)} bra JOIN;\nLOW: ${load(16)}\nJOIN: ${keep}`;
    const { result, findings } = runKernel(body, { words, sanitize: true });
    expect(findings).toEqual([]);
    expect(result.undefinedMasks.size).toBe(0);
  });

  test('results of a partial warp are undefined', () => {
    const { result } = runKernel(`${load(16)}\n${keep}`, { words, threads: 31 });
    const mask = result.undefinedMasks.get(0);
    expect(mask?.slice(512, 512 + 31 * 4)).toEqual(new Uint8Array(31 * 4).fill(255));
  });

  test('rows that start between words are reported', () => {
    const { findings } = runKernel(`${load(17)}\n${keep}`, { words, sanitize: true });
    expect(findings).toHaveLength(1);
    expect(findings[0]).toMatch(/^RUN009 misaligned load of 4 bytes/);
  });

  test('accesses out of bounds are reported', () => {
    const { findings } = runKernel(`${load(64)}\n${keep}`, { words, sanitize: true });
    expect(findings[0]).toMatch(/^RUN008 out-of-bounds load/);
  });

  test('lanes with different addresses are reported', () => {
    const moved = 'mul.wide.u32 %rd2, %lane, 32; add.u64 %rd2, %rd0, %rd2;';
    const { findings } = runKernel(`${moved}\n${load(16).replace('%rd0', '%rd2')}\n${keep}`, {
      words: 1024,
      sanitize: true,
    });
    expect(findings).toEqual(['RUN023 load of a matrix with a different address or stride than lane 0']);
  });
});
