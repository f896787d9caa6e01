// The reference against hardware. Every form of a lane instruction that ptxas 13.0 accepts for
// sm_90 (a sample for set.bool) ran natively on an NVIDIA H200 (driver 580), one kernel per form,
// on the 1,024 operand tuples below. cpu-ref-h200.json holds the first 32 bits of the SHA-256 of
// all results, by row and modifiers. Each result is 64 bits, little-endian, followed by the carry
// or the second predicate. Approximations have bounds instead of digests; see
// cpu-ref-float.test.ts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Bits, laneFunctions } from '../../../../src/cpu-ref/index.ts';
import { type IsaRow, isaRows, type LaneRowName, type Mods } from '../../../../src/isa/index.ts';

const tuples = 1024;
const operandsEach = 4;

const digests: Readonly<Record<string, Readonly<Record<string, string>>>> = JSON.parse(
  readFileSync(new URL('./cpu-ref-h200.json', import.meta.url), 'utf8'),
);

/** Edges of integer and f32 ranges, NaNs, subnormals, powers of two and their neighbors. */
const specials = [
  0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0xfffffffe,
  0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001, 0xff812345, 0x00800000,
  0x80800000, 0x007fffff, 0x807fffff, 0x00000001, 0x7f7fffff, 0xff7fffff, 0x3f000000, 0xbf000000, 0x3fc00000,
  0x40200000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0xdf000000, 0x5f800000, 0x3f7fffff, 0x3f800001,
  0x34000000, 0x33800000, 0x4b000000, 0x4b800001, 0x7e800000, 0x7f000000, 0x7effffff,
];

/**
 * Sums, products and quotients close to the subnormals, to overflow and to zero; divisions by zero,
 * and of MININT by -1.
 */
const crafted = [
  [0x3f7fffff, 0x00800000, 0], [0x3f7ffffe, 0x00800001, 0], [0xbf7fffff, 0x00800000, 0x80000000],
  [0x3f7fffff, 0x80800000, 0], [0x00800000, 0x3f800001, 0], [0x00ffffff, 0x3f000000, 0], [0x00ffffff, 0x40000000, 0],
  [0x00fffffe, 0x40000000, 0], [0x3f800000, 0xbf800000, 0xbf800000], [0x3f800000, 0x3f800000, 0xbf800000],
  [0, 0x80000000, 0], [0x80000000, 0, 0x80000000], [0x80000000, 0x80000000, 0], [0, 0, 0x80000000],
  [0x3f800001, 0x3f800001, 0xbf800002], [0x00800000, 0x7f000000, 0], [0x00800001, 0x3f000000, 0],
  [0x7f000001, 0x40000000, 0], [0x7fffffff, 0x3f800000, 0], [0x3f800000, 0x7e800001, 0], [0x7f800000, 0x7e800001, 0],
  [0x40400000, 0xff000000, 0], [0x3f800000, 0x7e800000, 0], [0x00000001, 0x00000001, 0], [0x00000001, 0x3f000000, 0],
  [0x00000003, 0x3f000000, 0], [0x80000001, 0x3f000000, 0], [0x7fc12345, 0x3f800000, 0x7f812345],
  [0xffc12345, 0xff812345, 0x7fc00000], [0x3f800000, 0x00000001, 0], [0x40000000, 0x00200000, 0],
  [0x00400000, 0x7f7fffff, 0], [0x3effffff, 0x3f7fffff, 0xbf000000], [0x80000000, 0x1, 0], [0x80000000, 0xffffffff, 0],
  [0x8000, 0xffff, 0],
]; // biome-ignore format: a table

/**
 * Returns the operands, 64 bits each. Narrower operands are the low bits. The digests depend on
 * every bit of this table.
 */
function operandTable(): BigUint64Array {
  const mask = (1n << 64n) - 1n;
  let state = 0x9e3779b97f4a7c15n;
  const splitmix = (): bigint => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let z = state;
    z = ((z ^ (z >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    z = ((z ^ (z >> 27n)) * 0x94d049bb133111ebn) & mask;
    return z ^ (z >> 31n);
  };
  const special = (r: bigint) => BigInt(specials[Number((r >> 8n) % BigInt(specials.length))] ?? 0);
  const float = (r: bigint, exponent: bigint, fraction: bigint) =>
    (exponent << 23n) | fraction | (((r >> 50n) & 1n) << 31n);
  const table = new BigUint64Array(tuples * operandsEach);
  for (let at = 0; at < table.length; at++) {
    const r = splitmix();
    const kind = Number(r & 15n);
    let value: bigint;
    if (kind < 3) value = special(r);
    else if (kind < 5) value = (r >> 8n) % 70n;
    else if (kind < 6) value = (r >> 8n) % 300n;
    else if (kind < 7) value = mask - ((r >> 8n) % 70n);
    else if (kind < 9) value = float(r, 100n + ((r >> 8n) % 56n), (r >> 20n) & 0x7fffffn);
    else if (kind < 10) value = float(r, 127n + ((r >> 8n) % 8n), ((r >> 20n) & 0x1fn) << 18n);
    else if (kind < 11 && at % operandsEach > 0)
      value = (table[at - 1] ?? 0n) ^ (((r >> 9n) & 1n) << 31n) ^ ((r >> 10n) & 1n);
    else if (kind < 12) value = (r >> 8n) & 0x807fffffn;
    else if (kind < 13) value = (special(r) << 32n) | (splitmix() & 0xffffffffn);
    else if (kind < 14) value = float(r, 1n + ((r >> 8n) % 70n), (r >> 20n) & 0x7fffffn);
    else value = splitmix();
    table[at] = value & mask;
  }
  crafted.forEach((tuple, i) => {
    tuple.forEach((value, j) => {
      table[i * operandsEach + j] = BigInt(value);
    });
  });
  return table;
}

const operands = operandTable();

/** Returns the names of a row's required source operands, in order. */
function sourceNames(row: IsaRow): readonly string[] {
  const [, ...sources] = row.syntax
    .slice(row.syntax.indexOf(' ') + 1)
    .replace('{, c}', '')
    .split(', ');
  return sources.map((name) => name.replace('{!}', ''));
}

function typeOf(row: IsaRow, mods: Mods, operand: string): string {
  const type = row.types[operand] ?? '';
  if (!type.startsWith('.')) return type;
  const [slot = '', doubled] = type.slice(1).split('*');
  const single = mods[slot] ?? '';
  return doubled === undefined ? single : `${single.slice(0, 1)}${2 * Number(single.slice(1))}`;
}

function narrowed(value: bigint, type: string): Bits {
  if (type.endsWith('64')) return value;
  return Number(BigInt.asUintN(type === 'pred' ? 1 : type.endsWith('16') ? 16 : 32, value));
}

/**
 * Whether operands are outside of the ranges of PTX: positions and lengths of fields are 0..255, a
 * base bit is 0..31, and |offset| overflows for MININT. For such operands, the results of an H200
 * differ from the manual's pseudocode, which the reference implements.
 */
function isOutsidePtx(row: IsaRow, mods: Mods, [, b = 0, c = 0, d = 0]: readonly Bits[]): boolean {
  if (row.name === 'fns') return b > 31 || c === 0x80000000;
  if (!mods.type?.endsWith('64')) return false;
  return (row.name === 'bfe' && (b > 255 || c > 255)) || (row.name === 'bfi' && (c > 255 || d > 255));
}

/**
 * Converts a flag to its recorded value. The recorded kernels set and read the flag of a
 * subtraction with further subtractions, so the recorded flag is the borrow: the inverse of CC.CF.
 */
function flag(row: IsaRow, bits: Bits): Bits {
  return row.name === 'sub.cc' || row.name === 'subc' ? 1 - Number(bits) : bits;
}

function digestOf(row: IsaRow, execute: (mods: Mods, sources: readonly Bits[]) => readonly Bits[], mods: Mods): string {
  const names = sourceNames(row);
  const types = names.map((name) => typeOf(row, mods, name));
  const words: bigint[] = [];
  for (let i = 0; i < tuples; i++) {
    const operand = (j: number) => operands[i * operandsEach + j] ?? 0n;
    const sources = names.map((name, j) => (name === 'lut' ? Number(mods.lut) : narrowed(operand(j), types[j] ?? '')));
    if (row.carry?.in) sources.push(flag(row, narrowed(operand(names.length), 'pred')));
    if (isOutsidePtx(row, mods, sources)) continue;
    const [result = 0, ...rest] = execute(mods, sources);
    words.push(BigInt(result), ...rest.map((bits) => BigInt(row.carry ? flag(row, bits) : bits)));
  }
  const bytes = new Uint8Array(BigUint64Array.from(words).buffer);
  return createHash('sha256').update(bytes).digest('hex').slice(0, 8);
}

function parseMods(text: string): Mods {
  return Object.fromEntries(text.split(' ').flatMap((entry) => (entry === '' ? [] : [entry.split('=')])));
}

function isLaneRow(name: string): name is LaneRowName {
  return Object.hasOwn(laneFunctions, name);
}

describe('lane instructions return the results of an H200', () => {
  test.each(Object.entries(digests))('%s', (name, forms) => {
    const row = isaRows.find((candidate) => candidate.name === name);
    if (row === undefined || !isLaneRow(name)) throw new Error(`No lane row '${name}'.`);
    const actual = Object.fromEntries(
      Object.keys(forms).map((mods) => [mods, digestOf(row, laneFunctions[name], parseMods(mods))]),
    );
    expect(actual).toEqual(forms);
  });
});
