// f16, bf16 and tf32 instructions of the reference against the results of an H200: digests for all
// 65,536 values, and for 8,192 operand lists of edges and random bits.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Bits, laneFunctions } from '../../../../src/cpu-ref/index.ts';
import { halfConvertRows, halfRows } from '../../../../src/isa/index.ts';
import { matchOpcode, splitOpcode } from '../../../../src/isa/match.ts';
import { isLong } from '../../../effort.ts';

interface Recorded {
  readonly all: Readonly<Record<string, string>>;
  /**
   * By opcode: a letter for each source (`h` for 16 bits, `r` or `f` for a word, `n` for a
   * predicate), and the digest.
   */
  readonly drawn: Readonly<Record<string, readonly [sources: string, digest: string]>>;
}
const recorded = JSON.parse(readFileSync(new URL('cpu-ref-half-h200.json', import.meta.url), 'utf8')) as Recorded;

const rowNames = new Set([...halfRows, ...halfConvertRows].map(({ name }) => name));

/**
 * Returns the digest of an instruction's results, as 64-bit words. The bits of two predicates share
 * a word.
 */
function digestOf(opcode: string, vectors: readonly (readonly Bits[])[]): string {
  const match = matchOpcode(splitOpcode(opcode));
  const name = [...rowNames].find((row) => row === match?.pattern.row.name);
  if (match === undefined || name === undefined) throw new Error(`no row takes ${opcode}`);
  const words = new BigUint64Array(
    vectors.map((sources) => {
      const [d = 0, q = 0] = laneFunctions[name](match.mods, sources);
      return BigInt(d) + 2n * BigInt(q);
    }),
  );
  return createHash('sha256').update(words).digest('hex').slice(0, 16);
}

/** Returns one of five entries, or all entries in a long run. */
const some = <T>(table: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(table).filter((_, index) => isLong || index % 5 === 0);

const all = Array.from({ length: 65536 }, (_, bits) => [bits]);
test.each(some(recorded.all))('%s of all values', (opcode, digest) => {
  expect(digestOf(opcode, all)).toBe(digest);
});

const count = 8192;
const special = [
  0, 0x8000, 1, 0x8001, 0x3ff, 0x83ff, 0x400, 0x8400, 0x3c00, 0xbc00, 0x3f80, 0xbf80, 0x3bff, 0x3c01, 0x7bff, 0xfbff,
  0x7c00, 0xfc00, 0x7c01, 0x7e00, 0xfe12, 0x7fff, 0xffff, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7f81, 0x7fc0, 0x7f, 0x80,
  0x81,
];

/**
 * Draws the words of three operands: first pairs of special values, then special values, random
 * bits, and f32 values close to the special ones.
 */
function drawnWords(): readonly Uint32Array[] {
  let state = 12345;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
  const half = (): number =>
    (random() >>> 8) & 1 ? (special[(random() >>> 8) % special.length] ?? 0) : (random() >>> 12) & 0xffff;
  const wide = (): number =>
    (random() >>> 8) & 1 ? random() : (random() & 0x80ffffff) | (random() & 3 ? 0x38000000 : 0);
  return [0, 1, 2].map((operand) =>
    Uint32Array.from({ length: count }, (_, i) => {
      random();
      const low = operand < 2 && i < 1024 ? (special[operand === 0 ? i >> 5 : i & 31] ?? 0) : half();
      const word = (half() << 16) | low;
      return (i % 8 === 7 ? wide() : word) >>> 0;
    }),
  );
}

const words = drawnWords();
const drawnVectors = (sources: string): Bits[][] =>
  Array.from({ length: count }, (_, i) => {
    const word = (operand: number): number => words[operand]?.[i] ?? 0;
    return [...sources].map((letter, operand) => {
      if (letter === 'n') return word(2) >>> 31 === 1 ? 0 : 1;
      return letter === 'h' ? word(operand) & 0xffff : word(operand);
    });
  });

test.each(some(recorded.drawn))('%s of drawn values', (opcode, [sources, digest]) => {
  expect(digestOf(opcode, drawnVectors(sources))).toBe(digest);
});
