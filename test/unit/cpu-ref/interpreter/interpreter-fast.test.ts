// The interpreter's specialized functions must return the same results as the reference functions
// that they replace.
import { describe, expect, test } from 'vitest';
import { laneFunctions } from '../../../../src/cpu-ref/index.ts';
import {
  convertFunctions,
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

function reference(key: string): { fn: LaneFunction; mods: Mods } {
  const { name, mods } = split(key);
  const fn = byName[name];
  if (fn === undefined) throw new RangeError(`no row '${name}'`);
  return { fn, mods };
}

describe('32-bit words', () => {
  test.each(Object.entries(wordFunctions))('%s', (key, quick) => {
    const { fn, mods } = reference(key);
    const sources = key.startsWith('mad') || key.startsWith('selp') ? 3 : key.startsWith('not') ? 1 : 2;
    const thirds = key.startsWith('selp') ? [0, 1] : key.startsWith('mad') ? [0, 5, 0xffff_ffff] : [0];
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
    const shift = name === 'shl';
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
        put(2, a);
        put(4, b);
        quick(file, 0, 2, 4);
        const [expected] = fn(mods, name === 'cvt' ? [a] : [a, b]);
        const low = file[0] ?? 0;
        const got = resultWide ? (BigInt(file[1] ?? 0) << 32n) | BigInt(low) : low;
        if (got !== expected) expect({ key, a, b, got }).toEqual({ key, a, b, got: expected });
      }
    }
  });
});
