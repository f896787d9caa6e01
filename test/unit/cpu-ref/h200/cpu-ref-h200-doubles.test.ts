// f64 instructions of the reference against an NVIDIA H200. For each instruction, the test
// recomputes a hash of the hardware's results for thousands of operands: every rounding,
// subnormals, and NaNs with payloads. The hardware ran native code of nvcc 13.0 for sm_90 on driver
// 580.159.04.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Bits, laneFunctions } from '../../../../src/cpu-ref/index.ts';
import type { Mods } from '../../../../src/isa/index.ts';
import { matchOpcode, splitOpcode } from '../../../../src/isa/match.ts';

type Operands = readonly bigint[];

const mask = (1n << 64n) - 1n;

/** xorshift64*, the generator that the GPU machine used. */
function generator(): () => bigint {
  let state = 88172645463325252n;
  return () => {
    state ^= (state << 13n) & mask;
    state ^= state >> 7n;
    state ^= (state << 17n) & mask;
    return (state * 0x2545f4914f6cdd1dn) & mask;
  };
}

/** The values from which all pairs are made. */
const pairEdges = [
  0x0n, 0x8000000000000000n, 0x1n, 0x8000000000000001n, 0x2n, 0x000fffffffffffffn, 0x800fffffffffffffn, 0x0010000000000000n,
  0x8010000000000000n, 0x0010000000000001n, 0x3ff0000000000000n, 0xbff0000000000000n, 0x3ff0000000000001n, 0x3fefffffffffffffn,
  0x4000000000000000n, 0x4008000000000000n, 0x3fe0000000000000n, 0x3ca0000000000000n, 0x3cb0000000000001n, 0xbca0000000000000n,
  0x7fefffffffffffffn, 0xffefffffffffffffn, 0x7fe0000000000000n, 0x7ff0000000000000n, 0xfff0000000000000n, 0x7ff8000000000000n,
  0xfff8000000000000n, 0x7ff8000000000123n, 0xfff8dead0000beefn, 0x7fffffffffffffffn, 0xffffffffffffffffn, 0x7ff0000000000001n,
  0xfff0000000000001n, 0x7ff4000012345678n, 0xfff7ffffffffffffn, 0x1ff0000000000000n, 0x5fe123456789abcdn, 0x400921fb54442d18n,
  0xc005bf0a8b145769n, 0x380fffffe0000000n, 0x36a0000000000000n, 0x47efffffe0000000n, 0x47effffff0000000n, 0x41dfffffffc00000n,
  0xc1e0000000000000n, 0x43e0000000000000n, 0x3ff8000000000000n, 0xc004000000000000n,
]; // biome-ignore format: a table

const tripleEdges = [
  0x0n, 0x8000000000000000n, 0x1n, 0x800fffffffffffffn, 0x0010000000000000n, 0x3ff0000000000000n, 0xbff0000000000001n, 0x3fefffffffffffffn,
  0x3ca0000000000000n, 0xbcb0000000000001n, 0x7fefffffffffffffn, 0xffe0000000000000n, 0x7ff0000000000000n, 0xfff0000000000000n,
  0x7ff8000000000123n, 0xfff8dead0000beefn, 0x7ff0000000000001n, 0xfff4000012345678n, 0x1ff0000000000000n, 0x5fe123456789abcdn,
  0x400921fb54442d18n,
]; // biome-ignore format: a table

const exponentOf = (bits: bigint): bigint => (bits >> 52n) & 0x7ffn;
const withExponent = (bits: bigint, exponent: bigint): bigint => (bits & 0x800fffffffffffffn) | (exponent << 52n);
const clamp = (value: bigint): bigint => (value < 0n ? 0n : value > 2046n ? 2046n : value);

function operandSets() {
  const random = generator();
  const pairs = pairEdges.flatMap((x) => pairEdges.map((y): Operands => [x, y]));
  for (let i = 0; i < 4096; i++) {
    const [x, y] = [random(), random()];
    pairs.push(i % 2 === 0 ? [x, y] : [x, withExponent(y, (exponentOf(x) + (random() % 120n) - 60n) & 0x7ffn)]);
  }
  const triples = tripleEdges.flatMap((x) => tripleEdges.flatMap((y) => tripleEdges.map((z): Operands => [x, y, z])));
  for (let i = 0; i < 8192; i++) {
    const [x, y, z] = [random(), random(), random()];
    if (i % 2 === 0) triples.push([x, y, z]);
    else {
      const exponent = exponentOf(x) + exponentOf(y) - 1023n + (random() % 130n) - 65n;
      triples.push([x, y, withExponent(z, clamp(exponent))]);
    }
  }
  const singles = pairEdges.map((x): Operands => [x]);
  for (let i = 0; i < 8192; i++) {
    let x = random();
    if (i % 4 === 1) x = withExponent(x, 1023n - 40n + (random() % 110n));
    if (i % 4 === 2) x = withExponent(x, 1023n - 155n + (random() % 290n));
    if (i % 4 === 3) x = BigInt.asUintN(64, BigInt.asIntN(64, x) >> (random() % 64n));
    singles.push([x]);
  }
  return { pairs, triples, singles };
}

const sets = operandSets();

function hashOf(results: Iterable<bigint>): string {
  let hash = 0x811c9dc5;
  for (const bits of results) {
    for (const word of [bits & 0xffffffffn, bits >> 32n]) {
      hash = Math.imul(hash ^ Number(word), 0x01000193) >>> 0;
      hash = (hash ^ (hash >>> 15)) >>> 0;
    }
  }
  return hash.toString(16).padStart(8, '0');
}

const recorded: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(new URL('./cpu-ref-h200-doubles.json', import.meta.url), 'utf8'),
);

const setOf = (row: string): readonly Operands[] => {
  if (row === 'fma.f64') return sets.triples;
  return /^(?:add|sub|mul|div|min|max|copysign)\./.test(row) ? sets.pairs : sets.singles;
};

function resultsOf(row: keyof typeof laneFunctions, mods: Mods): bigint[] {
  return setOf(row).map((sources) => BigInt(laneFunctions[row](mods, sources satisfies readonly Bits[])[0] ?? 0));
}

const isRow = (name: string): name is keyof typeof laneFunctions => Object.hasOwn(laneFunctions, name);

test.each(Object.keys(recorded))('%s', (opcode) => {
  const match = matchOpcode(splitOpcode(opcode));
  const row = match?.pattern.row.name ?? '';
  if (match === undefined || !isRow(row)) throw new Error(`no row for ${opcode}`);
  expect(hashOf(resultsOf(row, match.mods))).toBe(recorded[opcode]);
});
