// Updates of shared and global memory that complete through mbarriers or bulk groups. Float
// operands are whole numbers, so every result is exact.
import { asyncUpdateRows, type IsaRow, type Mods } from '../../../isa/index.ts';
import { objectionTo } from '../../../ptx/checks/constraints.ts';
import { anyInstructionText, modChoices } from '../rows/instruction-text.ts';
import { type AsyncForm, bulkBody, threads, tileBytes, waitForPhase, words } from './async-form.ts';

const hopper = { version: '8.6', target: 'sm_90' } as const;
const scratch = new DataView(new ArrayBuffer(8));

/** Converts between a type's bits and their numeric values. */
interface Numbers {
  readonly bits: number;
  readonly read: (bits: bigint) => bigint;
  readonly write: (value: bigint) => bigint;
}

const integers = (bits: number, signed: boolean): Numbers => ({
  bits,
  read: (value) => (signed ? BigInt.asIntN(bits, value) : value),
  write: (value) => BigInt.asUintN(bits, value),
});

function doubleBits(value: number): bigint {
  scratch.setFloat64(0, value);
  return scratch.getBigUint64(0);
}
function doubleOf(bits: bigint): number {
  scratch.setBigUint64(0, bits);
  return scratch.getFloat64(0);
}

/**
 * Returns the conversions of a narrow float type, by way of f64. Values must be whole numbers whose
 * exponents are in the type's range.
 */
function floats(exponentBits: number, fractionBits: number): Numbers {
  const bias = (1n << BigInt(exponentBits - 1)) - 1n;
  const [lost, sign] = [BigInt(52 - fractionBits), BigInt(exponentBits + fractionBits)];
  return {
    bits: 1 + exponentBits + fractionBits,
    read: (bits) => {
      const magnitude = bits & ((1n << sign) - 1n);
      const value = magnitude === 0n ? 0n : (magnitude << lost) + ((1023n - bias) << 52n);
      return BigInt(doubleOf(value | ((bits >> sign) << 63n)));
    },
    write: (value) => {
      if (value === 0n) return 0n;
      const wide = doubleBits(Number(value));
      const magnitude = (wide & ((1n << 63n) - 1n)) - ((1023n - bias) << 52n);
      return (magnitude >> lost) | ((wide >> 63n) << sign);
    },
  };
}

const numbers: Readonly<Record<string, Numbers>> = {
  u32: integers(32, false),
  s32: integers(32, true),
  b32: integers(32, false),
  u64: integers(64, false),
  s64: integers(64, true),
  b64: integers(64, false),
  f16: floats(5, 10),
  bf16: floats(8, 7),
  f32: floats(8, 23),
  f64: floats(11, 52),
};

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const combine: Readonly<Record<string, (old: bigint, value: bigint) => bigint>> = {
  add: (old, value) => old + value,
  min: lesser,
  max: greater,
  inc: (old, value) => (old >= value ? 0n : old + 1n),
  dec: (old, value) => (old === 0n || old > value ? value : old - 1n),
  and: (old, value) => old & value,
  or: (old, value) => old | value,
  xor: (old, value) => old ^ value,
};

const typeOf = ({ type = '' }: Mods): Numbers => numbers[type] ?? integers(32, false);

/** Returns a function that turns random words into small nonzero whole numbers of a float type. */
function shapeOf(mods: Mods): { readonly shape?: (random: Uint32Array) => void } {
  if (!/f/.test(mods.type ?? '')) return {};
  const { bits, write } = typeOf(mods);
  return {
    shape: (random) => {
      const bytes = new DataView(random.buffer, random.byteOffset, random.byteLength);
      for (let at = 0; at < random.byteLength; at += bits / 8) {
        const raw = (bytes.getUint8(at) & 0x3f) + 1;
        const value = write(BigInt((bytes.getUint8(at) & 0x80) === 0 ? raw : -raw));
        for (let i = 0; i < bits / 8; i++) bytes.setUint8(at + i, Number((value >> BigInt(8 * i)) & 0xffn));
      }
    },
  };
}

/** Returns a function that combines each element of `count` words with its partner's element. */
const elementwise =
  (mods: Mods, tile: (word: number) => number, from: (word: number) => number) =>
  (at: number): number => {
    const { bits, read, write } = typeOf(mods);
    const update = combine[mods.op ?? ''] ?? ((_old: bigint, value: bigint) => value);
    const span = Math.max(1, bits / 32);
    const first = at - (at % span);
    const whole = (word: (at: number) => number): bigint =>
      Array.from({ length: span }, (_, i) => BigInt(word(first + i)) << BigInt(32 * i)).reduce(
        (sum, part) => sum | part,
        0n,
      );
    const [old, value] = [whole(tile), whole(from)];
    let result = 0n;
    for (let low = 0; low < 32 * span; low += bits) {
      const part = (word: bigint) => read(BigInt.asUintN(bits, word >> BigInt(low)));
      result |= write(update(part(old), part(value))) << BigInt(low);
    }
    return Number(BigInt.asUintN(32, result >> BigInt(32 * (at - first))));
  };

function bulkForms(row: IsaRow): AsyncForm[] {
  const toShared = row.name === 'cp.reduce.async.bulk.move';
  return choicesOf(row).map((mods): AsyncForm => {
    const texts = toShared ? { to: '[tile]', bar: '[bar]' } : { to: '[%target]' };
    const hinted = mods.level === undefined ? {} : { policy: '%policy' };
    const instruction = `${anyInstructionText(row, mods, { ...texts, a: '[from]', n: tileBytes, ...hinted })};`;
    return {
      ...hopper,
      ...shapeOf(mods),
      row,
      mods,
      form: 'tile',
      instruction,
      body: bulkBody(mods, instruction, toShared),
      arrivals: 1,
      result: toShared ? 'peer' : 'global',
      expected: ({ tile, from }) => elementwise(mods, tile, from),
    };
  });
}

/** Returns the forms in which each thread updates the beginning of its own slot. */
function threadForms(row: IsaRow): AsyncForm[] {
  return choicesOf(row).map((mods): AsyncForm => {
    const { bits } = typeOf(mods);
    const count = Number(mods.vec?.slice(1) ?? 1);
    const own =
      bits === 64 ? ['%w0', '%w1'] : mods.type === 'f32' ? ['%f0', '%f1', '%f2', '%f3'] : ['%b0', '%b1', '%b2', '%b3'];
    const registers = mods.type === 'f64' ? ['%g0', '%g1'] : own;
    const b = count === 1 ? (registers[0] ?? '') : `{${registers.slice(0, count).join(', ')}}`;
    const [a, bar] = mods.space === undefined ? ['[%generic]', '[%object]'] : ['[%slot]', '[bar]'];
    const instruction = `${anyInstructionText(row, mods, { a, b, bar })};`;
    const size = (count * bits) / 8;
    return {
      ...hopper,
      row,
      mods,
      form: mods.space === undefined ? 'generic' : 'shared',
      instruction,
      body: ['bar.sync 0;', `mbarrier.arrive.expect_tx.shared.b64 _, [bar], ${size};`, instruction, ...waitForPhase],
      arrivals: threads,
      result: 'peer',
      expected:
        ({ tile, from }) =>
        (at) =>
          4 * (at % words) >= size ? tile(at) : mods.op === undefined ? from(at) : elementwise(mods, tile, from)(at),
    };
  });
}

const choicesOf = (row: IsaRow): Mods[] => modChoices(row).filter((mods) => objectionTo(row, mods) === undefined);

export function updateForms(): AsyncForm[] {
  return asyncUpdateRows.flatMap((row: IsaRow) => (row.types.to === undefined ? threadForms(row) : bulkForms(row)));
}
