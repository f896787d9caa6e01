// Integer, bit, comparison and conversion instructions, from the manual's examples and text.
// cpu-ref-h200.test.ts compares many more operands with hardware.
import { describe, expect, test } from 'vitest';
import { type Bits, laneFunctions } from '../../../src/cpu-ref/index.ts';
import { isaRows, type LaneRowName, type Mods } from '../../../src/isa/index.ts';

type Case = readonly [row: LaneRowName, mods: Mods, sources: readonly Bits[], results: readonly Bits[]];

function check(cases: readonly Case[]): void {
  test.each(cases)('%s %o of %o is %o', (row, mods, sources, results) => {
    expect(laneFunctions[row](mods, sources)).toEqual(results);
  });
}

test('every lane row has a function', () => {
  const names = isaRows.filter(({ kind }) => kind === 'lane').map(({ name }) => name);
  expect(Object.keys(laneFunctions).sort()).toEqual(names.sort());
});

describe('arithmetic', () => {
  check([
    ['add', { type: 's32' }, [0x7fffffff, 1], [0x80000000]],
    ['add', { sat: 'sat', type: 's32' }, [0x7fffffff, 1], [0x7fffffff]],
    ['sub', { sat: 'sat', type: 's32' }, [0x80000000, 1], [0x80000000]],
    ['add', { type: 'u16' }, [0xffff, 2], [1]],
    ['sub', { type: 'u64' }, [0n, 1n], [0xffffffffffffffffn]],
    ['mul', { half: 'lo', type: 'u32' }, [0xffffffff, 0xffffffff], [1]],
    ['mul', { half: 'hi', type: 'u32' }, [0xffffffff, 0xffffffff], [0xfffffffe]],
    ['mul', { half: 'hi', type: 's32' }, [0xffffffff, 2], [0xffffffff]],
    ['mul', { half: 'lo', type: 's16' }, [0xffff, 3], [0xfffd]],
    ['mul.wide', { type: 's16' }, [0x8000, 0x8000], [0x40000000]],
    ['mul.wide', { type: 's32' }, [0xffffffff, 1], [0xffffffffffffffffn]],
    ['mad.wide', { type: 'u32' }, [0xffffffff, 0xffffffff, 0xffffffff00000000n], [0xfffffffd00000001n]],
    ['mad', { half: 'hi', sat: 'sat', type: 's32' }, [0x7fffffff, 0x7fffffff, 0x7fffffff], [0x7fffffff]],
    ['mul24', { half: 'lo', type: 's32' }, [0x00ffffff, 2], [0xfffffffe]],
    ['mul24', { half: 'hi', type: 'u32' }, [0x00ffffff, 0x00ffffff], [0xfffffe00]],
    ['sad', { type: 's32' }, [0xffffffff, 1, 10], [12]],
    ['div', { type: 's32' }, [0xfffffff9, 2], [0xfffffffd]],
    ['rem', { type: 's32' }, [0xfffffff9, 2], [0xffffffff]],
    ['div', { type: 's32' }, [0x80000000, 0xffffffff], [0x80000000]],
    ['div', { type: 'u32' }, [5, 0], [0xffffffff]],
    ['abs', { type: 's32' }, [0x80000000], [0x80000000]],
    ['neg', { type: 's16' }, [1], [0xffff]],
    ['min', { type: 's32' }, [0xffffffff, 1], [0xffffffff]],
    ['min', { type: 'u32' }, [0xffffffff, 1], [1]],
    ['max', { relu: 'relu', type: 's32' }, [0xffffffff, 0xfffffffe], [0]],
    ['dp4a', { atype: 's32', btype: 'u32' }, [0xff010203, 0x01020304, 5], [0x18]],
    ['dp2a', { half: 'hi', atype: 's32', btype: 's32' }, [0xffff0002, 0xfe030000, 0], [8]],
  ]);
});

describe('carry', () => {
  check([
    ['add.cc', { type: 'u32' }, [0xffffffff, 1], [0, 1]],
    ['addc', { type: 'u32' }, [0xffffffff, 0, 1], [0]],
    ['addc', { cc: 'cc', type: 'u32' }, [0xffffffff, 0xffffffff, 1], [0xffffffff, 1]],
    ['sub.cc', { type: 's32' }, [0, 1], [0xffffffff, 0]],
    ['sub.cc', { type: 'u32' }, [1, 1], [0, 1]],
    ['subc', { cc: 'cc', type: 'u64' }, [5n, 5n, 0], [0xffffffffffffffffn, 0]],
    ['subc', { cc: 'cc', type: 'u64' }, [5n, 5n, 1], [0n, 1]],
    ['subc', { type: 'u32' }, [7, 9, 1], [0xfffffffe]],
    ['mad.cc', { half: 'hi', type: 'u32' }, [0x80000000, 2, 0xffffffff], [0, 1]],
    ['madc', { half: 'lo', type: 'u32' }, [3, 4, 5, 1], [18]],
  ]);
});

// After `sub.cc` and `subc.cc` the flag is the carry out of `a + ~b + 1` and `a + ~b + CC.CF`,
// which `addc` reads.
describe.each([32, 64] as const)('the carry flag of %i-bit subtraction', (width) => {
  const modulus = 1n << BigInt(width);
  const edges = [0n, 1n, 2n, modulus / 2n - 1n, modulus / 2n, modulus - 2n, modulus - 1n, 0x12345678n];
  const bits = (value: bigint) => (width === 64 ? value : Number(value));
  const [mods, withFlag] = [{ type: `u${width}` }, { type: `u${width}`, cc: 'cc' }];
  const split = (sum: bigint) => [bits(sum % modulus), Number(sum / modulus)];

  for (const a of edges) {
    for (const b of edges) {
      const complement = modulus - 1n - b;
      test(`${a} - ${b}`, () => {
        expect(laneFunctions['sub.cc'](mods, [bits(a), bits(b)])).toEqual(split(a + complement + 1n));
        for (const flag of [0n, 1n]) {
          const sources = [bits(a), bits(b), Number(flag)];
          expect(laneFunctions.subc(withFlag, sources)).toEqual(split(a + complement + flag));
          expect(laneFunctions.addc(withFlag, sources)).toEqual(split(a + b + flag));
        }
      });
    }
  }
});

describe('bits', () => {
  check([
    ['popc', { type: 'b64' }, [0xf00000000000000fn], [8]],
    ['clz', { type: 'b32' }, [0], [32]],
    ['clz', { type: 'b64' }, [1n], [63]],
    ['bfind', { type: 'u32' }, [0], [0xffffffff]],
    ['bfind', { type: 's32' }, [0xffffffff], [0xffffffff]],
    ['bfind', { type: 's32' }, [0xfffffff0], [3]],
    ['bfind', { shiftamt: 'shiftamt', type: 's64' }, [1n], [63]],
    ['fns', {}, [0xaaaaaaaa, 3, 1], [3]],
    ['fns', {}, [0xaaaaaaaa, 3, 0xffffffff], [3]],
    ['fns', {}, [0xaaaaaaaa, 2, 1], [3]],
    ['fns', {}, [0xaaaaaaaa, 2, 0xffffffff], [1]],
    ['fns', {}, [0xaaaaaaaa, 2, 0], [0xffffffff]],
    ['fns', {}, [0xaaaaaaaa, 0, 17], [0xffffffff]],
    ['brev', { type: 'b32' }, [0x80000001], [0x80000001]],
    ['brev', { type: 'b64' }, [1n], [0x8000000000000000n]],
    ['bfe', { type: 'u32' }, [0xabcd1234, 8, 8], [0x12]],
    ['bfe', { type: 's32' }, [0x0000f000, 12, 4], [0xffffffff]],
    ['bfe', { type: 's32' }, [0x80000000, 40, 4], [0xffffffff]],
    ['bfe', { type: 's32' }, [0x80000000, 28, 0], [0]],
    ['bfe', { type: 'u32' }, [0xffffffff, 0x100, 0x104], [0xf]],
    ['bfi', { type: 'b32' }, [0xf, 0xffff0000, 8, 4], [0xffff0f00]],
    ['bfi', { type: 'b32' }, [0xff, 0, 28, 8], [0xf0000000]],
    ['bfi', { type: 'b32' }, [0xff, 0x1234, 32, 8], [0x1234]],
    ['szext', { mode: 'wrap', type: 'u32' }, [0xffffffff, 0], [0]],
    ['szext', { mode: 'clamp', type: 's32' }, [0x80, 8], [0xffffff80]],
    ['szext', { mode: 'clamp', type: 's32' }, [0x80, 40], [0x80]],
    ['bmsk', { mode: 'wrap' }, [1, 2], [6]],
    ['bmsk', { mode: 'clamp' }, [0, 32], [0xffffffff]],
    ['bmsk', { mode: 'clamp' }, [32, 4], [0]],
    ['bmsk', { mode: 'wrap' }, [33, 34], [6]],
    ['prmt', {}, [0x33221100, 0x77665544, 0x7531], [0x77553311]],
    ['prmt', {}, [0x33221180, 0x77665544, 0x8888], [0xffffffff]],
    ['prmt', { mode: 'f4e' }, [0x33221100, 0x77665544, 1], [0x44332211]],
    ['prmt', { mode: 'b4e' }, [0x33221100, 0x77665544, 1], [0x66770011]],
    ['prmt', { mode: 'rc16' }, [0x33221100, 0x77665544, 1], [0x33223322]],
  ]);
});

describe('logic', () => {
  check([
    ['not', { type: 'pred' }, [1], [0]],
    ['not', { type: 'b16' }, [0], [0xffff]],
    ['xor', { type: 'b64' }, [1n, 3n], [2n]],
    ['cnot', { type: 'b64' }, [0n], [1n]],
    // The manual's table: a & b & c, a | b | c, a & b & ~c, (a & b | c) ^ a.
    ['lop3', {}, [0b1100, 0b1010, 0b1001, 0x80], [0b1000]],
    ['lop3', {}, [0b1100, 0b1010, 0b0001, 0xfe], [0b1111]],
    ['lop3', {}, [0b1100, 0b1111, 0b1000, 0x40], [0b0100]],
    ['lop3', {}, [0b1100, 0b1010, 0b0001, 0x1a], [0b0101]],
    ['lop3.bool', { bool: 'or' }, [0b1100, 0b1010, 0b1001, 0x80, 0], [0b1000, 1]],
    ['lop3.bool', { bool: 'and' }, [0b1100, 0b1010, 0b1001, 0x80, 0], [0b1000, 0]],
    ['lop3.bool', { bool: 'or' }, [0b1100, 0b0010, 0b1001, 0x80, 0], [0, 0]],
    ['lop3.bool', { bool: 'or' }, [0b1100, 0b0010, 0b1001, 0x80, 1], [0, 1]],
    ['lop3.bool', { bool: 'and' }, [0b1100, 0b0010, 0b1001, 0x80, 1], [0, 0]],
    ['shl', { type: 'b32' }, [1, 32], [0]],
    ['shl', { type: 'b32' }, [0xffffffff, 31], [0x80000000]],
    ['shl', { type: 'b32' }, [1, 0xffffffff], [0]],
    ['shl', { type: 'b64' }, [1n, 63], [0x8000000000000000n]],
    ['shr', { type: 's32' }, [0x80000000, 40], [0xffffffff]],
    ['shr', { type: 'u32' }, [0x80000000, 31], [1]],
    ['shr', { type: 's16' }, [0x8000, 4], [0xf800]],
    ['shf', { dir: 'l', mode: 'wrap' }, [0x89abcdef, 0x01234567, 36], [0x12345678]],
    ['shf', { dir: 'l', mode: 'clamp' }, [0x89abcdef, 0x01234567, 36], [0x89abcdef]],
    ['shf', { dir: 'r', mode: 'wrap' }, [0x89abcdef, 0x01234567, 4], [0x789abcde]],
    ['shf', { dir: 'r', mode: 'clamp' }, [0x89abcdef, 0x01234567, 99], [0x01234567]],
  ]);
});

describe('comparison and selection', () => {
  const nan = 0x7fc00000;
  check([
    ['setp', { cmp: 'lt', type: 's32' }, [0xffffffff, 0], [1, 0]],
    ['setp', { cmp: 'lo', type: 'u32' }, [0xffffffff, 0], [0, 1]],
    ['setp', { cmp: 'hs', type: 'u64' }, [1n << 63n, 1n], [1, 0]],
    ['setp.bool', { cmp: 'eq', bool: 'and', type: 'u32' }, [1, 1, 0], [0, 0]],
    ['setp.bool', { cmp: 'eq', bool: 'xor', type: 'u32' }, [1, 2, 1], [1, 0]],
    ['setp.f32', { cmp: 'ne' }, [nan, 0], [0, 1]],
    ['setp.f32', { cmp: 'neu' }, [nan, 0], [1, 0]],
    ['setp.f32', { cmp: 'eq' }, [0x80000000, 0], [1, 0]],
    ['setp.f32', { cmp: 'gt', ftz: 'ftz' }, [1, 0], [0, 1]],
    ['setp.f32', { cmp: 'num' }, [nan, 0], [0, 1]],
    ['setp.f32', { cmp: 'nan' }, [0, nan], [1, 0]],
    ['set', { cmp: 'ge', dtype: 's32', type: 's16' }, [0x8000, 0], [0]],
    ['set', { cmp: 'lt', dtype: 'f32', type: 's16' }, [0x8000, 0], [0x3f800000]],
    ['set.bool.f32', { cmp: 'ltu', bool: 'or', dtype: 'u32' }, [nan, 0, 0], [0xffffffff]],
    ['selp', { type: 'b64' }, [1n, 2n, 0], [2n]],
    ['slct', { type: 'u32' }, [1, 2, 0x80000000], [2]],
    ['slct.f32', { type: 'u32' }, [1, 2, 0x80000000], [1]],
    ['slct.f32', { type: 'u32' }, [1, 2, nan], [2]],
    ['slct.f32', { ftz: 'ftz', type: 'u32' }, [1, 2, 0x80000001], [1]],
    ['mov', { type: 'pred' }, [1], [1]],
  ]);
});

describe('conversion', () => {
  const nan = 0x7fc00000;
  check([
    ['cvt', { dtype: 's8', atype: 's32' }, [0x180], [0x80]],
    ['cvt', { sat: 'sat', dtype: 's8', atype: 's32' }, [0x180], [0x7f]],
    ['cvt', { sat: 'sat', dtype: 'u8', atype: 's32' }, [0xffffffff], [0]],
    ['cvt', { dtype: 's64', atype: 's8' }, [0x80], [0xffffffffffffff80n]],
    ['cvt', { dtype: 'u64', atype: 'u8' }, [0xfff], [0xffn]],
    ['cvt', { dtype: 'u32', atype: 'u64' }, [0x1234567890n], [0x34567890]],
    ['cvt', { rnd: 'rn', dtype: 'f32', atype: 'u32' }, [0xffffffff], [0x4f800000]],
    ['cvt', { rnd: 'rz', dtype: 'f32', atype: 'u32' }, [0xffffffff], [0x4f7fffff]],
    ['cvt', { rnd: 'rm', dtype: 'f32', atype: 's32' }, [0xfeffffff], [0xcb800001]],
    // 2^40 + 2^16 is a tie, and one more is not. 2^63 + 2^39 + 1 is not a tie either, but would
    // become one if it were first rounded to f64.
    ['cvt', { rnd: 'rn', dtype: 'f32', atype: 'u64' }, [0x10000010000n], [0x53800000]],
    ['cvt', { rnd: 'rn', dtype: 'f32', atype: 'u64' }, [0x10000010001n], [0x53800001]],
    ['cvt', { rnd: 'rn', dtype: 'f32', atype: 'u64' }, [0x8000008000000001n], [0x5f000001]],
    ['cvt', { rnd: 'rni', dtype: 's32', atype: 'f32' }, [0x40200000], [2]],
    ['cvt', { rnd: 'rni', dtype: 's32', atype: 'f32' }, [0xbfc00000], [0xfffffffe]],
    ['cvt', { rnd: 'rmi', dtype: 's32', atype: 'f32' }, [0xbf000000], [0xffffffff]],
    ['cvt', { rnd: 'rpi', dtype: 'u32', atype: 'f32' }, [1], [1]],
    ['cvt', { rnd: 'rpi', ftz: 'ftz', dtype: 'u32', atype: 'f32' }, [1], [0]],
    ['cvt', { rnd: 'rzi', dtype: 'u8', atype: 'f32' }, [0x43960000], [0xff]],
    ['cvt', { rnd: 'rzi', dtype: 's32', atype: 'f32' }, [0xff800000], [0x80000000]],
    ['cvt', { rnd: 'rzi', dtype: 's32', atype: 'f32' }, [nan], [0]],
    ['cvt', { rnd: 'rzi', dtype: 'u64', atype: 'f32' }, [nan], [0x8000000000000000n]],
    ['cvt', { rnd: 'rni', dtype: 'f32', atype: 'f32' }, [0xbf000000], [0x80000000]],
    ['cvt', { sat: 'sat', dtype: 'f32', atype: 'f32' }, [0x40000000], [0x3f800000]],
    ['cvt', { sat: 'sat', dtype: 'f32', atype: 'f32' }, [nan], [0]],
    ['cvt.pack', { dtype: 's16' }, [0x7fffffff, 0x80000000], [0x7fff8000]],
    ['cvt.pack', { dtype: 'u16' }, [0x12345, 0xffffffff], [0xffff0000]],
    ['cvt.pack.b32', { dtype: 'u8' }, [0x1ff, 0xffffffff, 0x12345678], [0x5678ff00]],
    ['cvt.pack.b32', { dtype: 's8' }, [0x80000000, 0x12, 0x12345678], [0x56788012]],
    ['cvt.pack.b32', { dtype: 'u4' }, [7, 100, 0x12345678], [0x3456787f]],
    ['cvt.pack.b32', { dtype: 's4' }, [0xffffff00, 100, 0x12345678], [0x34567887]],
    ['cvt.pack.b32', { dtype: 'u2' }, [2, 0xffffffff, 0x12345678], [0x23456788]],
    ['cvt.pack.b32', { dtype: 's2' }, [0xffffff00, 1, 0x12345678], [0x23456789]],
  ]);
});

test('modifiers that a row does not list are rejected', () => {
  expect(() => laneFunctions.add({ type: 'f64' }, [1, 2])).toThrow("'.f64' is not an integer type.");
  expect(() => laneFunctions.setp({ cmp: 'less', type: 'u32' }, [1, 2])).toThrow("'.less'");
  expect(() => laneFunctions.shl({ type: 'b32' }, [1])).toThrow('no source 1');
});
