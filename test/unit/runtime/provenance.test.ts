// Numbers and pointers that PTX does not distinguish: the arguments of the launch determine which
// they are.
import { expect, test } from 'vitest';
import type { KernelArgument } from '../../../src/runtime/index.ts';
import { kernelOf, moduleOf } from '../../runtime-ptx.ts';
import { onEachPlatform } from './fake-runtime.ts';

const byteKernel = (name: string, params: readonly string[], address: string) =>
  kernelOf(name, params, `${address} ld.global.u8 %r1, [%s1]; add.s64 %s9, %out, %at; st.global.u32 [%s9], %r1;`);

const text = moduleOf(
  byteKernel('plain', ['u64 x', 'u64 out'], 'cvt.u64.u32 %s2, %i; add.s64 %s1, %x, %s2;'),
  // The pointer is loaded from `table`; `off` is a number.
  byteKernel(
    'rows',
    ['u64 table', 'u64 off', 'u64 out'],
    `and.b32 %r2, %i, 1; mul.wide.u32 %s2, %r2, 8; add.s64 %s2, %table, %s2; ld.global.u64 %s3, [%s2];
  cvt.u64.u32 %s4, %i; add.s64 %s4, %off, %s4; add.s64 %s1, %s3, %s4;`,
  ),
  // `x` is a pointer; the offset in bytes is loaded from `offs`.
  byteKernel(
    'gather',
    ['u64 x', 'u64 offs', 'u64 out'],
    'mul.wide.u32 %s2, %i, 8; add.s64 %s2, %offs, %s2; ld.global.u64 %s3, [%s2]; add.s64 %s1, %x, %s3;',
  ),
  byteKernel(
    'moved',
    ['u64 x', 'u64 off', 'u64 out'],
    'cvt.u64.u32 %s2, %i; add.s64 %s1, %x, %off; add.s64 %s1, %s1, %s2;',
  ),
  // `x` is a pointer, or an offset from the pointer in `table` if `is_number` is not 0.
  byteKernel(
    'either',
    ['u64 table', 'u64 x', 'u32 is_number', 'u64 out'],
    `ld.global.u64 %s3, [%table]; cvt.u64.u32 %s4, %i; setp.eq.u32 %p1, %is_number, 0; add.s64 %s1, %x, %s4; @%p1 bra JOIN;
  add.s64 %s1, %s3, %x; add.s64 %s1, %s1, %s4; JOIN:`,
  ),
).concat(`.visible .entry view(.param .align 8 .b8 v[16], .param .u64 off, .param .u64 out)
{
  .reg .b32 %i, %n, %r; .reg .b64 %data, %off, %out, %s; .reg .pred %p;
  ld.param.u64 %data, [v]; ld.param.u32 %n, [v+8]; ld.param.u64 %off, [off]; ld.param.u64 %out, [out];
  mov.u32 %i, %tid.x; cvt.u64.u32 %s, %i; add.s64 %s, %off, %s; add.s64 %s, %data, %s; mov.u32 %r, -1;
  setp.lt.u32 %p, %i, %n; @%p ld.global.u8 %r, [%s]; mul.wide.u32 %s, %i, 4; add.s64 %s, %out, %s; st.global.u32 [%s], %r; ret;
}
`);

const threads = 8;
const bytes = (from: number, count = 512) => Uint8Array.from({ length: count }, (_, index) => from + 3 * index);
const at = (from: number, first: number) => [...bytes(from).subarray(first, first + threads)];

onEachPlatform('numbers and pointers', (fake) => {
  const filled = (from: number) => {
    const made = fake.rt.alloc(512);
    made.write(bytes(from));
    return made;
  };
  const launch = async (name: string, args: readonly KernelArgument[]) => {
    const kernel = (await fake.rt.load(text)).kernel(name);
    using out = fake.rt.alloc(4 * threads);
    out.write(new Uint8Array(4 * threads).fill(0xa5));
    kernel.launch({ grid: 1, block: threads }, [...args, out]);
    return [...(await out.read(Uint32Array))];
  };

  test.each([0, 0n, 5, 100n])('a struct by value has a pointer, and %o is a number', async (off) => {
    using data = filled(1);
    const view = BigUint64Array.of(data.address, 6n);
    expect(await launch('view', [view, off])).toEqual([...at(1, Number(off)).slice(0, 6), 0xffff_ffff, 0xffff_ffff]);
  });

  test.each([0, 7, 256n])('a table of pointers, and the number %o', async (off) => {
    using a = filled(1);
    using b = filled(2);
    using table = fake.rt.alloc(16);
    table.write(BigUint64Array.of(a.address, b.address));
    const [even, odd] = [at(1, Number(off)), at(2, Number(off))];
    expect(await launch('rows', [table, off])).toEqual(even.map((byte, i) => (i % 2 === 0 ? byte : odd[i])));
    // The table is inside an allocation.
    using tables = fake.rt.alloc(48);
    tables.at(32).write(BigUint64Array.of(b.address, b.address));
    expect(await launch('rows', [tables.at(32), off])).toEqual(odd);
  });

  test('a number may equal an address', async () => {
    using a = filled(1);
    using b = filled(2);
    using table = fake.rt.alloc(16);
    table.write(BigUint64Array.of(a.address, a.address));
    const off = Number(b.address - a.address);
    expect(off).toBeGreaterThan(0);
    expect(await launch('rows', [table, off])).toEqual(at(2, 0));
    const inside = Number(a.address) + 3;
    expect(inside).toBeLessThan(512);
    expect(await launch('rows', [table, inside])).toEqual(at(1, inside));
  });

  test('offsets in memory stay in a buffer, until its address is known', async () => {
    using a = filled(1);
    using b = filled(2);
    using offs = fake.rt.alloc(8 * threads);
    offs.write(BigInt64Array.from({ length: threads }, (_, index) => BigInt(9 * index)));
    const own = bytes(1).filter((_, index) => index % 9 === 0);
    expect(await launch('gather', [a, offs])).toEqual([...own.subarray(0, threads)]);
    const far = b.address - a.address;
    offs.write(BigInt64Array.from({ length: threads }, (_, index) => BigInt(index) + (index % 2 === 0 ? far : 0n)));
    expect(await launch('gather', [a, offs])).toEqual(at(1, 0).map((byte, i) => (i % 2 === 0 ? at(2, 0)[i] : byte)));
    offs.write(BigInt64Array.from({ length: threads }, (_, index) => BigInt(index) - far));
    expect(await launch('gather', [b, offs])).toEqual(at(1, 0));
    expect(await launch('moved', [a, far])).toEqual(at(2, 0));
    expect(await launch('moved', [b, -far])).toEqual(at(1, 0));
  });

  test('a parameter is a pointer in one launch and a number in the next', async () => {
    using a = filled(1);
    using x = filled(2);
    using table = fake.rt.alloc(8);
    table.write(BigUint64Array.of(a.address));
    for (let round = 0; round < 2; round++) {
      expect(await launch('either', [table, x, 0])).toEqual(at(2, 0));
      expect(await launch('either', [table, 11, 1])).toEqual(at(1, 11));
      expect(await launch('either', [table, 0, 1])).toEqual(at(1, 0));
    }
  });

  test('a definite address cannot be a number', async () => {
    await expect(launch('plain', [12345])).rejects.toThrow(/argument 0 of plain .*: expected a device pointer/);
  });

  test('shaders are made again only if an input of theirs changes', async () => {
    using a = filled(1);
    using b = filled(2);
    using offs = fake.rt.alloc(8 * threads);
    using out = fake.rt.alloc(4 * threads);
    const mod = await fake.rt.load(text);
    const before = fake.device.made.pipelines;
    const made = () => fake.device.made.pipelines - before;
    await mod.kernel('plain').prepare({ block: 4 });
    expect(made()).toBe(1);
    for (const x of [a, b, null, a]) mod.kernel('plain').launch({ grid: 1, block: 4 }, [x, out]);
    expect(made()).toBe(1);
    for (const x of [a, b, a]) mod.kernel('gather').launch({ grid: 1, block: 4 }, [x, offs, out]);
    expect(made()).toBe(2);
    await fake.rt.synchronize();
  });

  test('a replay passes other numbers, and pointers for numbers', async () => {
    using a = filled(1);
    using x = filled(2);
    using table = fake.rt.alloc(8);
    table.write(BigUint64Array.of(a.address));
    using out = fake.rt.alloc(4 * threads);
    const kernel = (await fake.rt.load(text)).kernel('either');
    const sequence = fake.rt.record((argument) => {
      kernel.launch({ grid: 1, block: threads }, [table, argument('x', 3), argument('kind', 1), out]);
    });
    const replayed = async (given: Readonly<Record<string, KernelArgument>>) => {
      sequence.replay(given);
      return [...(await out.read(Uint32Array))];
    };
    expect(await replayed({})).toEqual(at(1, 3));
    expect(await replayed({ x: 9 })).toEqual(at(1, 9));
    expect(await replayed({ x, kind: 0 })).toEqual(at(2, 0));
    expect(await replayed({ x: 4, kind: 1 })).toEqual(at(1, 4));
  });
});
