// The interpreter's specialized functions must return the same results as the reference functions
// that they replace.
import { describe, expect, test } from 'vitest';
import { laneFunctions } from '../../../../src/cpu-ref/index.ts';
import { doubleFunctions, wideTests } from '../../../../src/cpu-ref/interpreter/operations/fast-double.ts';
import {
  convertFunctions,
  maskFunctions,
  pairFunctions,
  wordFunctions,
} from '../../../../src/cpu-ref/interpreter/operations/fast-lane.ts';
import type { LaneFunction } from '../../../../src/cpu-ref/types.ts';
import type { Mods } from '../../../../src/isa/index.ts';
import { isaRows } from '../../../../src/isa/index.ts';

const byName: Readonly<Record<string, LaneFunction>> = laneFunctions;

const words = [
  0, 1, 2, 31, 32, 33, 0x7f, 0x80, 0xffff, 0x1_0000, 0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0xffff_fffe, 0xffff_ffff,
  0x007f_ffff, 0x0080_0000, 0x3f80_0000, 0xbf80_0001, 0x7f7f_ffff, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001,
  0x1234_5678, 0x4b00_0001,
];

/** Addends of f32 whose sums with 1 and other products round differently if f64 rounds them first. */
const sumsNearMidpoints = [0x3380_0000, 0xb380_0000, 0x3380_0001, 0x337f_ffff, 0x2000_0000, 0x0000_0001, 0x8000_0000];

/**
 * Splits a key such as `setp lt s32` into a row and modifiers: each word goes to the first slot
 * that allows it.
 */
function split(key: string): { name: string; mods: Mods } {
  const [name = '', ...values] = key.split(' ');
  const row = isaRows.find((candidate) => candidate.name === name);
  const mods: Record<string, string> = {};
  for (const value of values) {
    const slot = Object.entries(row?.where ?? {}).find(([, allowed]) => allowed.includes(value))?.[0];
    if (slot === undefined) throw new RangeError(`${key}: no slot for '${value}'`);
    mods[slot] = value;
  }
  return { name, mods };
}

/** Returns the function of a key's row, its modifiers, and the number of its sources. */
function reference(key: string): { fn: LaneFunction; mods: Mods; sources: number } {
  const { name, mods } = split(key);
  const fn = byName[name];
  if (fn === undefined) throw new RangeError(`no row '${name}'`);
  const [opcode = ''] = name.split('.');
  const sources = ['mad', 'fma', 'selp'].includes(opcode) ? 3 : ['not', 'neg', 'abs', 'sqrt'].includes(opcode) ? 1 : 2;
  return { fn, mods, sources };
}

describe('32-bit words', () => {
  test.each(Object.entries(wordFunctions))('%s', (key, quick) => {
    const { fn, mods, sources } = reference(key);
    const thirds = key.startsWith('selp') ? [0, 1] : key.startsWith('mad') ? [0, 5, 0xffff_ffff] : [0];
    if (key.startsWith('fma')) thirds.push(...sumsNearMidpoints, ...words);
    for (const a of words) {
      for (const b of sources === 1 ? [a] : words) {
        for (const c of thirds) {
          const [expected] = fn(mods, [a, b, c].slice(0, sources));
          const got = quick(a, b, c) >>> 0;
          if (got !== expected) expect({ a, b, c, got }).toEqual({ a, b, c, got: expected });
        }
      }
    }
  });
});

describe('64-bit pairs', () => {
  const wides = words.flatMap((high) =>
    [0, 1, 0xffff_ffff, 0x8000_0000].map((low) => (BigInt(high) << 32n) | BigInt(low)),
  );
  const conversions = Object.entries(convertFunctions).map(([types, quick]) => {
    const [dtype = '', atype = ''] = types.split(' ');
    return { key: `cvt ${types}`, quick, name: 'cvt', mods: { dtype, atype } as Mods };
  });
  const others = Object.entries(pairFunctions).map(([key, quick]) => ({ key, quick, ...split(key) }));

  test.each([...conversions, ...others])('$key', ({ name, mods, quick, key }) => {
    const fn = byName[name];
    if (fn === undefined) throw new RangeError(name);
    const sourceWide = (mods.atype ?? mods.type ?? '').endsWith('64');
    const resultWide = name === 'mul.wide' || (mods.dtype ?? mods.type ?? '').endsWith('64');
    const shift = name === 'shl' || name === 'shr';
    const thirds = name === 'selp' ? [0, 1] : [0];
    const firsts: readonly (number | bigint)[] = sourceWide ? wides : words;
    const seconds: readonly (number | bigint)[] =
      name === 'cvt' ? [0] : shift ? [0, 1, 31, 32, 33, 63, 64, 65, 0xffff_ffff] : firsts;
    const file = new Uint32Array(6);
    const put = (at: number, value: number | bigint) => {
      file[at] = Number(BigInt.asUintN(32, BigInt(value)));
      file[at + 1] = Number(BigInt.asUintN(32, BigInt(value) >> 32n));
    };
    for (const a of firsts) {
      for (const b of seconds) {
        for (const c of thirds) {
          put(2, a);
          put(4, b);
          quick(file, 0, 2, 4, c);
          const [expected] = fn(mods, name === 'cvt' ? [a] : name === 'selp' ? [a, b, c] : [a, b]);
          const low = file[0] ?? 0;
          const got = resultWide ? (BigInt(file[1] ?? 0) << 32n) | BigInt(low) : low;
          if (got !== expected) expect({ key, a, b, c, got }).toEqual({ key, a, b, c, got: expected });
        }
      }
    }
  });

  test.each(Object.entries(wideTests))('%s', (key, quick) => {
    const { fn, mods } = reference(key);
    const file = new Uint32Array(4);
    const values = new BigUint64Array(file.buffer);
    for (const a of wides) {
      for (const b of wides) {
        values.set([a, b]);
        const got = quick(file, 0, 2) ? 1 : 0;
        const [expected] = fn(mods, [a, b]);
        if (got !== expected) expect({ a, b, got }).toEqual({ a, b, got: expected });
      }
    }
  });
});

describe('f64', () => {
  const values = [
    0,
    1,
    1 + 2 ** -52,
    1 - 2 ** -53,
    3,
    2 ** -1022,
    2 ** -1074,
    1e308,
    1e-200,
    0.1,
    Number.POSITIVE_INFINITY,
  ];
  const all = [...values, ...values.map((value) => -value), Number.NaN];
  const bits = new BigUint64Array(1);
  const numbers = new Float64Array(bits.buffer);
  const bitsOf = (value: number): bigint => {
    numbers[0] = value;
    return bits[0] ?? 0n;
  };

  // A result of NaN means that the interpreter calls the reference function.
  test.each(Object.entries(doubleFunctions))('%s', (key, quick) => {
    const { fn, mods, sources } = reference(key);
    let known = 0;
    for (const a of all) {
      for (const b of sources === 1 ? [a] : all) {
        for (const c of sources === 3 ? all : [0]) {
          const got = quick(a, b, c);
          if (Number.isNaN(got)) continue;
          known++;
          const [expected] = fn(mods, [a, b, c].slice(0, sources).map(bitsOf));
          if (bitsOf(got) !== expected) expect({ a, b, c, got: bitsOf(got) }).toEqual({ a, b, c, got: expected });
        }
      }
    }
    expect(known).toBeGreaterThan(all.length / 3);
  });
});

describe('predicates', () => {
  test.each(Object.entries(maskFunctions))('%s', (key, quick) => {
    const { fn, mods, sources } = reference(key);
    for (const a of [0, 1])
      for (const b of [0, 1]) expect([quick(a, b) & 1]).toEqual(fn(mods, [a, b].slice(0, sources)).slice(0, 1));
  });
});
