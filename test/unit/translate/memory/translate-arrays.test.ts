// Variables that share an array, arrays that are atomic, and the indexes of their words.
import { describe, expect, it } from 'vitest';
import { planFor } from '../../../../src/translate/index.ts';
import { statementsOf, translateText } from '../../../lockstep/small-kernel.ts';

interface KernelOptions {
  readonly variables?: string;
  readonly module?: string;
  readonly sharedBytes?: number;
  readonly block?: readonly [number, number, number];
  readonly size?: number;
}

const twoVariables = '.shared .align 4 .b8 a[256]; .shared .align 4 .b8 b[256];';

/**
 * Returns the WGSL of a kernel with shared variables `a` and `b`. At the start `%t` is 4 × tid.x
 * and `%x` is a number from memory.
 */
function wgsl(
  body: string,
  { variables = twoVariables, module = '', block = [64, 1, 1], size = 32, sharedBytes = 0 }: KernelOptions = {},
): string {
  const ptx = `.version 8.0
.target sm_80
.address_size 64
${module}
.visible .entry small(.param .u64 data)
{
  ${variables}
  .reg .pred %p<4>;
  .reg .b32 %r<16>, %t, %x, %y, %z, %w, %v;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [data];
  cvta.to.global.u64 %rd0, %rd0;
  mov.u32 %t, %tid.x;
  shl.b32 %t, %t, 2;
  ld.global.u32 %x, [%rd0];
  setp.gt.u32 %p1, %x, 99;
${body}
  st.global.u32 [%rd0], %y;
  ret;
}
`;
  const { program, diagnostics } = translateText(ptx, { block, plan: planFor(size), sharedBytes });
  if (program === undefined) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return program.code;
}

/** Returns the declarations of arrays by name. */
function arraysOf(code: string): Readonly<Record<string, string>> {
  const found = code.matchAll(/^var<(workgroup|private)> (\w+): (array<.*);$/gm);
  return Object.fromEntries(
    [...found].map(([, space, name, type]): [string, string] => [`${space} ${name}`, type ?? '']),
  );
}

const own = { 'workgroup a': 'array<u32, 64>', 'workgroup b': 'array<u32, 64>' };
const whole = { 'workgroup shared_memory': 'array<u32, 128>' };
const readBoth =
  'mov.u32 %z, a; add.s32 %z, %z, %t; ld.shared.u32 %y, [%z]; ld.shared.u32 %w, [b+4]; add.s32 %y, %y, %w;';

describe('arrays of shared variables', () => {
  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['separate accesses', readBoth, own],
    ['by generic addresses', `${readBoth} cvt.u64.u32 %rd1, %z; cvta.shared.u64 %rd1, %rd1; st.u32 [%rd1], %y;`, own],
    [
      'a distance within one variable',
      `${readBoth} mov.u32 %w, a; sub.s32 %w, %z, %w; mov.u32 %r1, b; add.s32 %r1, %r1, %w; st.shared.u32 [%r1], %y;`,
      own,
    ],
    ['one of two variables', `${readBoth} mov.u32 %w, b; selp.b32 %w, %z, %w, %p1; ld.shared.u32 %y, [%w];`, whole],
    [
      'one variable through its distance to the other',
      `${readBoth} mov.u32 %w, b; sub.s32 %w, %w, %z; selp.b32 %w, %w, 8, %p1; add.s32 %z, %z, %w; ld.shared.u32 %y, [%z];`,
      whole,
    ],
    [
      'one variable through a constant after the other',
      `${readBoth} ld.shared.u32 %w, [a+256]; add.s32 %y, %y, %w;`,
      whole,
    ],
    [
      'one variable through a constant before the other',
      `${readBoth} ld.shared.u32 %w, [b+-4]; add.s32 %y, %y, %w;`,
      whole,
    ],
    [
      'an address loaded from memory',
      `${readBoth} st.global.u32 [%rd0+4], %z; ld.global.u32 %w, [%rd0+4]; ld.shared.u32 %y, [%w];`,
      whole,
    ],
    [
      'a number from memory that may hold an address',
      `${readBoth} st.global.u32 [%rd0+4], %z; ld.global.u32 %w, [%rd0+8]; add.s32 %z, %z, %w; ld.shared.u32 %y, [%z];`,
      whole,
    ],
    ['a number from memory that holds no address', `${readBoth} add.s32 %z, %z, %x; st.shared.u32 [%z], %y;`, own],
    [
      'an address of another lane',
      `${readBoth} shfl.sync.bfly.b32 %z, %z, 1, 0x1f, -1; ld.shared.u32 %y, [%z];`,
      { 'workgroup a': 'array<u32, 64>' },
    ],
    [
      'an address rebuilt from its bits',
      `${readBoth} bfe.u32 %w, %z, 4, 16; shl.b32 %w, %w, 4; ld.shared.u32 %y, [%w];`,
      whole,
    ],
    [
      'a sum of addresses',
      `${readBoth} mov.u32 %w, b; add.s32 %z, %z, %w; selp.b32 %w, %w, %x, %p1; sub.s32 %z, %z, %w; ld.shared.u32 %y, [%z];`,
      whole,
    ],
    ['a plain number as address', `${readBoth} ld.shared.u32 %y, [%t];`, whole],
    ['an address aligned by a mask', `${readBoth} add.s32 %z, %z, 3; and.b32 %z, %z, -4; st.shared.u32 [%z], %y;`, own],
  ])('%s', (_, body, expected) => {
    expect(arraysOf(wgsl(body))).toEqual(expected);
  });

  it('variables of dynamic memory start at one place, after the others', () => {
    const module = '.extern .shared .align 16 .b8 dynamic[]; .extern .shared .align 4 .b8 again[];';
    const body = 'st.shared.u32 [a+4], %x; st.shared.u32 [dynamic+8], %x; ld.shared.u32 %y, [again+12];';
    expect(arraysOf(wgsl(body, { module, sharedBytes: 96 }))).toEqual({
      'workgroup a': 'array<u32, 64>',
      'workgroup shared_memory': 'array<u32, 24>',
    });
  });

  it('variables of local memory have an array each', () => {
    const variables = '.local .align 4 .b8 a[32]; .local .align 8 .b8 b[6];';
    const body =
      'st.local.u32 [a], %x; and.b32 %z, %t, 28; mov.u32 %w, a; add.s32 %z, %z, %w; ld.local.u32 %y, [%z]; and.b32 %w, %t, 1; mov.u32 %v, b; add.s32 %w, %w, %v; st.local.u8 [%w+4], %y;';
    expect(arraysOf(wgsl(body, { variables }))).toEqual({
      'private a': 'array<u32, 8>',
      'private b': 'array<u32, 2>',
    });
  });

  it('variables share an array if separate ones would exceed a limit', () => {
    const variables = '.shared .align 4 .b8 a[16380]; .shared .align 4 .b8 b[4];';
    expect(arraysOf(wgsl('st.shared.u32 [a], %x; ld.shared.u32 %y, [b];', { variables }))).toEqual({
      'workgroup shared_memory': 'array<u32, 4096>',
    });
  });

  it('arrays keep the names of C++', () => {
    const variables = '.shared .align 4 .b8 _ZZ6matmulE4left[64]; .shared .align 4 .b8 _ZZN3foo3barEPfE4tile_0[64];';
    const body = 'st.shared.u32 [_ZZ6matmulE4left], %x; ld.shared.u32 %y, [_ZZN3foo3barEPfE4tile_0];';
    expect(Object.keys(arraysOf(wgsl(body, { variables })))).toEqual(['workgroup left', 'workgroup tile']);
  });
});

describe('elements of arrays', () => {
  const atomicA = { 'workgroup a': 'array<atomic<u32>, 64>', 'workgroup b': 'array<u32, 64>' };
  const atomicBoth = { 'workgroup a': 'array<atomic<u32>, 64>', 'workgroup b': 'array<atomic<u32>, 64>' };
  it.each<[string, string, Readonly<Record<string, string>>]>([
    ['an atomic', 'atom.shared.add.u32 %y, [a], %x;', atomicA],
    ['a volatile access', 'ld.volatile.shared.u32 %y, [a];', atomicA],
    ['a store of a byte', 'st.shared.u8 [a+1], %x;', atomicA],
    ['a fence next to an atomic', 'atom.shared.add.u32 %y, [a], %x; membar.cta;', atomicBoth],
    ['an acquiring access', 'ld.acquire.cta.shared.u32 %y, [a];', atomicBoth],
    ['a barrier of the warp', 'bar.warp.sync -1; ld.shared.u32 %y, [a];', atomicBoth],
    ['a fence alone', 'ld.shared.u32 %y, [a]; membar.cta;', own],
    ['vectors', 'ld.shared.v4.u32 {%y, %z, %w, %x}, [a+16];', { ...own, 'workgroup a': 'array<vec4<u32>, 16>' }],
    ['vectors next to atomics', 'atom.shared.add.u32 %y, [a], %x; ld.shared.v2.u32 {%y, %z}, [a+16];', atomicA],
  ])('%s', (_, body, expected) => {
    const both = `${body} mov.u32 %r1, b; add.s32 %r1, %r1, %t; ld.shared.u32 %r2, [%r1]; add.s32 %y, %y, %r2;`;
    expect(arraysOf(wgsl(both))).toEqual(expected);
  });
});

describe('indexes', () => {
  /** Returns the statements that access an array, and those that divide and clamp indexes. */
  const indexing = (body: string, options: KernelOptions = {}) =>
    statementsOf(wgsl(body, options)).filter((line) => /\b(a|b|shared_memory)\[|\bmin\(|>> 2u/.test(line));

  it.each<[string, string, readonly string[]]>([
    ['constants', 'ld.shared.u32 %y, [a+12];', ['let y = a[3u];']],
    ['the thread', 'mov.u32 %z, a; add.s32 %z, %z, %t; ld.shared.u32 %y, [%z];', ['let y = a[tid.x];']],
  ])('%s', (_, body, expected) => {
    expect(indexing(body)).toEqual(expected);
  });

  it.each<[string, string, readonly string[]]>([
    [
      "below the thread's number",
      'mov.u32 %z, a; add.s32 %z, %z, %t; ld.shared.u32 %y, [%z+-4]; ld.shared.u32 %w, [%z]; add.s32 %y, %y, %w;',
      ['let tid_x_1 = min(tid_x, 62u);', 'let y = a[tid_x_1];', 'let w = a[tid_x_1 + 1u];'],
    ],
    [
      'a digit',
      'mov.u32 %w, a; shr.u32 %z, %x, 6; and.b32 %z, %z, 252; add.s32 %z, %z, %w; atom.shared.add.u32 %y, [%z], 1;',
      ['let z_2 = min(z_1, 63u);', 'let y = atomicAdd(&a[z_2], 1u);'],
    ],
    [
      'numbers that may wrap around',
      'mov.u32 %z, a; mad.lo.s32 %z, %x, 4, %z; ld.shared.u32 %y, [%z+8]; ld.shared.u32 %w, [%z]; add.s32 %y, %y, %w;',
      ['let z_1 = z >> 2u;', 'let z_2 = min(z_1, 61u);', 'let y = a[z_2 + 2u];', 'let w = a[z_2];'],
    ],
    [
      'a pointer that moves',
      'mov.u32 %z, a; L: ld.shared.u32 %w, [%z]; add.s32 %y, %y, %w; ld.shared.u32 %w, [%z+4]; add.s32 %y, %y, %w; add.s32 %z, %z, 8; setp.lt.u32 %p2, %y, %x; @%p2 bra L;',
      ['let z_1 = z >> 2u;', 'let z_2 = min(z_1, 62u);', 'let w = a[z_2];', 'let w_1 = a[z_2 + 1u];'],
    ],
    [
      'under guards',
      'mov.u32 %z, a; mad.lo.s32 %z, %x, 4, %z; @%p1 ld.shared.u32 %y, [%z+8]; @!%p1 ld.shared.u32 %y, [%z];',
      [
        'let z_2 = z_1 >> 2u;',
        'let z_3 = min(z_2, 63u);',
        'y = a[z_3];',
        'let z_4 = z >> 2u;',
        'let z_5 = min(z_4, 63u);',
        'y_1 = a[z_5];',
      ],
    ],
    [
      'in two arms',
      'mov.u32 %z, a; and.b32 %w, %x, 252; add.s32 %z, %z, %w; @%p1 bra E; st.shared.u32 [%z], %t; bra F; E: st.shared.u32 [%z], %x; F: mov.u32 %y, 1;',
      ['let w = x >> 2u;', 'let w_2 = min(w_1, 63u);', 'a[w_2] = x;', 'a[w_2] = t;'],
    ],
    [
      'words of vectors',
      'mov.u32 %z, a; and.b32 %w, %x, 240; add.s32 %z, %z, %w; ld.shared.v4.u32 {%y, %w, %r1, %r2}, [%z]; ld.shared.u32 %w, [%z+4]; add.s32 %y, %y, %w;',
      ['let w_2 = min(w_1, 15u);', 'let loaded = a[w_2];', 'let w_4 = a[w_2].y;'],
    ],
    [
      'vectors at words',
      'mov.u32 %z, a; add.s32 %z, %z, %t; ld.shared.v2.u32 {%y, %w}, [a+8]; ld.shared.u32 %w, [%z]; add.s32 %y, %y, %w;',
      ['let loaded = a[1u];', 'let w_1 = a[word >> 1u][word & 1u];'],
    ],
  ])('%s', (_, body, expected) => {
    expect(indexing(body)).toEqual(expected);
  });

  it('of an address parameter', () => {
    const body =
      'ld.param.u64 %rd1, [data]; mul.wide.u32 %rd2, %x, 4; add.s64 %rd1, %rd1, %rd2; ld.shared.u32 %y, [%rd1+8];';
    expect(indexing(body).slice(1)).toEqual([
      'let rd1_1 = rd1 >> 2u;',
      'let rd1_2 = min(rd1_1, 127u);',
      'let y = shared_memory[rd1_2];',
    ]);
  });

  it('need no clamp if Dawn can prove that they are in range', () => {
    const body = 'mov.u32 %z, a; mad.lo.s32 %z, %t, 2, %z; ld.shared.u32 %y, [%z]; st.shared.u32 [%z+4], %y;';
    expect(indexing(body, { block: [32, 1, 1] })).toEqual(['let y = a[t];', 'a[t + 1u] = y;']);
  });

  it('the thread number of a warp has a limit that Dawn knows', () => {
    const body = 'mov.u32 %z, a; add.s32 %z, %z, %t; ld.shared.u32 %y, [%z]; shfl.sync.bfly.b32 %y, %y, 1, 0x1f, -1;';
    const statements = statementsOf(wgsl(body));
    expect(statements).toContain('let tid = min(warp * 32u + lane, 63u);');
    expect(statements.some((line) => line.includes('a[tid]'))).toBe(true);
  });
});
