// Which numbers the registers can hold. A range is of integers that stand for a register's 32 bits modulo 2^32: `tid - 1` is [-1, 254], and
// sums and products of registers are in the sums and products of their ranges.
import type { Instruction, Operand } from '../ptx/ast.ts';
import { type Block, definedRegisters, isDestination } from './ir.ts';

export interface Range {
  readonly min: number;
  readonly max: number;
}

/// Ranges of operands that are registers, constants or special registers; `anyWord` for all others.
export type Ranges = (operand: Operand | undefined) => Range;

const modulus = 2 ** 32;
export const anyWord: Range = { min: 0, max: modulus - 1 };
const anySigned: Range = { min: -modulus / 2, max: modulus / 2 - 1 };

/// [min, max] itself or moved by a multiple of 2^32; `anyWord` where it is too wide, or too far off for exact arithmetic.
function range(min: number, max: number): Range {
  if (max - min >= modulus - 1 || !Number.isSafeInteger(min) || !Number.isSafeInteger(max)) return anyWord;
  if (min >= anySigned.min && max <= anyWord.max) return { min, max };
  const shift = Math.floor(max / modulus) * modulus;
  return min - shift >= anySigned.min ? { min: min - shift, max: max - shift } : anyWord;
}

const union = (a: Range, b: Range): Range => range(Math.min(a.min, b.min), Math.max(a.max, b.max));

/// As unsigned numbers, by which right shifts, quotients and comparisons go.
function unsigned({ min, max }: Range): Range {
  if (max < 0) return { min: min + modulus, max: max + modulus };
  return min < 0 ? anyWord : { min, max };
}

function signed({ min, max }: Range): Range {
  if (min > anySigned.max) return { min: min - modulus, max: max - modulus };
  return max > anySigned.max ? anySigned : { min, max };
}

/// The numbers from 0 to one less than `count`.
export const below = (count: number): Range => ({ min: 0, max: count - 1 });

/// Ranges of special registers in blocks of this size.
export function threadRanges([x, y, z]: readonly [number, number, number]): (name: string) => Range | undefined {
  const ranges = new Map([
    ['%tid.x', below(x)],
    ['%tid.y', below(y)],
    ['%tid.z', below(z)],
    ['%laneid', below(32)],
    ['%warpid', below(Math.ceil((x * y * z) / 32))],
  ]);
  return (name) => ranges.get(name);
}

/// Bits that every number of the range needs at most.
export const bitsIn = ({ min, max }: Range): number => (min < 0 ? 32 : Math.max(32 - Math.clz32(max), 1));

/// How often a register's range may grow before it is given up, as that of a loop's counter is.
const patience = 4;

/// `special`: ranges of special registers. `resultOf`: that of what an instruction writes to `d`, from those of its operands.
export function findRanges(
  blocks: readonly Block[],
  special: (name: string) => Range | undefined,
  resultOf: (instruction: Instruction, of: Ranges) => Range = resultRange,
): Ranges {
  const code = blocks.flatMap((block) => block.code);
  const known = new Map<string, { readonly range: Range; readonly growths: number }>();
  // What is read here but not written yet, as far as the walk has come, adds nothing to the range of what it is used for.
  const written = new Set(code.flatMap((instruction) => definedRegisters(instruction).map(({ name }) => name)));
  const isPending = (operand: Operand) =>
    operand.kind === 'register' && written.has(operand.register.name) && !known.has(operand.register.name);
  const of: Ranges = (operand) => {
    if (operand?.kind === 'immediate')
      return range(Number(operand.bits & 0xffffffffn), Number(operand.bits & 0xffffffffn));
    if (operand?.kind === 'special') return special(operand.name) ?? anyWord;
    return (operand?.kind === 'register' ? known.get(operand.register.name)?.range : undefined) ?? anyWord;
  };
  const add = (name: string, more: Range): boolean => {
    const before = known.get(name);
    const joined = before ? union(before.range, more) : more;
    if (before && joined.min === before.range.min && joined.max === before.range.max) return false;
    const growths = (before?.growths ?? 0) + 1;
    known.set(name, { range: growths > patience ? anyWord : joined, growths });
    return true;
  };
  for (let changed = true; changed; ) {
    changed = false;
    for (const instruction of code) {
      const sources = Object.entries(instruction.operands).filter(([name]) => !isDestination(instruction, name));
      const { d } = instruction.operands;
      const plain = d?.kind === 'register' && definedRegisters(instruction).length === 1;
      if (plain && sources.some(([, operand]) => isPending(operand))) continue;
      for (const { name } of definedRegisters(instruction)) {
        changed = add(name, plain ? resultOf(instruction, of) : anyWord) || changed;
      }
    }
  }
  return of;
}

const isWord = (type: string | undefined) => type === 'u32' || type === 's32' || type === 'b32';

/// Of a conversion's or a load's type, where it is narrower than a word.
const narrow: Readonly<Record<string, Range>> = {
  u8: { min: 0, max: 255 },
  b8: { min: 0, max: 255 },
  s8: { min: -128, max: 127 },
  u16: { min: 0, max: 65535 },
  b16: { min: 0, max: 65535 },
  s16: { min: -32768, max: 32767 },
};

export function resultRange(instruction: Instruction, of: Ranges): Range {
  const { row, operands, mods } = instruction;
  const { d } = operands;
  if (d?.kind !== 'register' || /64$|^f|^pred/.test(d.register.type)) return anyWord;
  if (row.name.startsWith('ld')) return loaded(instruction);
  if (row.name === 'cvt') return converted(instruction, of);
  if (row.name === 'popc' || row.name === 'clz') return { min: 0, max: mods.type?.endsWith('64') ? 64 : 32 };
  if (row.name === 'mov') return operands.a?.kind === 'vector' ? anyWord : of(operands.a);
  const [a, b, c] = [of(operands.a), of(operands.b), of(operands.c)];
  if (row.name === 'selp') return union(a, b);
  if (!isWord(mods.type) || mods.sat !== undefined || mods.relu !== undefined) return anyWord;
  return (wordResults[row.name] ?? (() => anyWord))(a, b, c, mods);
}

/// A value that is extended to a wider register, or as wide as it.
function loaded({ mods, operands }: Instruction): Range {
  const type = mods.type ?? '';
  const bits = Number(/\d+$/.exec(type)?.[0] ?? 32);
  const register = operands.d?.kind === 'register' ? operands.d.register.type : 'b32';
  if (bits === 8 && /16$/.test(register) && type !== 's8') return anyByte;
  return /16$/.test(register) ? anyWord : (narrow[type] ?? anyWord);
}

function converted({ mods, operands }: Instruction, of: Ranges): Range {
  const [to, from] = [mods.dtype ?? '', mods.atype ?? ''];
  if (mods.sat !== undefined || !isWord(to) || !/^[us](8|16|32)$/.test(from)) return anyWord;
  const within = narrow[from];
  if (within === undefined) return of(operands.a);
  const a = of(operands.a);
  return a.min >= within.min && a.max <= within.max ? a : within;
}

const anyByte = narrow.u8 ?? anyWord;

type WordResult = (a: Range, b: Range, c: Range, mods: Readonly<Record<string, string>>) => Range;

const isConstant = ({ min, max }: Range) => min === max;

function product(a: Range, b: Range): Range {
  const corners = [a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max];
  return range(Math.min(...corners), Math.max(...corners));
}

const sum = (a: Range, b: Range): Range => range(a.min + b.min, a.max + b.max);
const bitsBelow = (max: number): number => 2 ** Math.ceil(Math.log2(max + 1)) - 1;

function bitwise(a: Range, b: Range): Range {
  const [x, y] = [unsigned(a), unsigned(b)];
  return range(0, bitsBelow(Math.max(x.max, y.max)));
}

const wordResults: Readonly<Record<string, WordResult>> = {
  add: sum,
  sub: (a, b) => range(a.min - b.max, a.max - b.min),
  neg: (a) => range(-a.max, -a.min),
  mul: (a, b, _, { half }) => (half === 'lo' ? product(a, b) : anyWord),
  mad: (a, b, c, { half }) => (half === 'lo' ? sum(product(a, b), c) : anyWord),
  shl: (a, b) => (isConstant(b) && b.min >= 0 && b.min < 32 ? product(a, range(2 ** b.min, 2 ** b.min)) : anyWord),
  shr: (a, b, _, { type }) => {
    const known = type === 's32' ? signed(a) : unsigned(a);
    if (!isConstant(b) || b.min < 0 || b.min > 31)
      return type === 's32' || known.min < 0 ? anyWord : range(0, known.max);
    return range(Math.floor(known.min / 2 ** b.min), Math.floor(known.max / 2 ** b.min));
  },
  and: (a, b) => range(0, Math.min(unsigned(a).max, unsigned(b).max)),
  or: bitwise,
  xor: bitwise,
  min: (a, b, _, { type }) => {
    const [x, y] = type === 's32' ? [signed(a), signed(b)] : [unsigned(a), unsigned(b)];
    return range(Math.min(x.min, y.min), Math.min(x.max, y.max));
  },
  max: (a, b, _, { type }) => {
    const [x, y] = type === 's32' ? [signed(a), signed(b)] : [unsigned(a), unsigned(b)];
    return range(Math.max(x.min, y.min), Math.max(x.max, y.max));
  },
  div: (a, b, _, { type }) => {
    const [x, y] = type === 's32' ? [signed(a), signed(b)] : [unsigned(a), unsigned(b)];
    return isConstant(y) && y.min > 0 ? range(Math.trunc(x.min / y.min), Math.trunc(x.max / y.min)) : anyWord;
  },
  rem: (a, b, _, { type }) => {
    const [x, y] = type === 's32' ? [signed(a), signed(b)] : [unsigned(a), unsigned(b)];
    if (!isConstant(y) || y.min <= 0) return anyWord;
    return range(x.min < 0 ? 1 - y.min : 0, Math.min(Math.max(x.max, 0), y.min - 1));
  },
  bfe: (_a, _b, c, { type }) =>
    type === 'u32' && isConstant(c) && c.min >= 0 && c.min < 32 ? range(0, 2 ** c.min - 1) : anyWord,
};
