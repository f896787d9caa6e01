// Parses kernel arguments from a command line: `1024`, `2.5`, `x:f32[1024]=iota`.
import type { ElementKind } from '../../base/launch.ts';
import { isElementKind, scalarFormats } from '../../base/scalars.ts';
import { type Fill, fills, isFill } from './contents.ts';

/** `[name:]VALUE` */
export interface Argument {
  readonly text: string;
  readonly name: string | undefined;
  readonly value: NumberArgument | BufferArgument;
}

export interface NumberArgument {
  readonly kind: 'number';
  readonly text: string;
}

export interface BufferArgument {
  readonly kind: 'buffer';
  /** The type of the elements; undefined if it must be inferred from the kernel's accesses. */
  readonly type: ElementKind | undefined;
  readonly count: number;
  readonly contents: BufferContents;
}

export type BufferContents =
  | { readonly fill: Fill; readonly seed: number }
  | { readonly numbers: readonly string[] }
  | { readonly file: string };

const forms =
  'a number such as 1024 or 2.5, or a buffer such as f32[1024], f32[1024]=iota, =ones, =random:7, =1,2,3 or =@x.npy';
const number = /^[+-]?(?:0x[0-9a-f]+|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan)$/i;
const maxCount = 2 ** 28;

/** Parses an argument. Throws a `RangeError` whose message repeats the argument. */
export function parseArgument(text: string): Argument {
  const [, name, value = ''] = /^(?:([A-Za-z_$%][\w$]*):)?(.*)$/s.exec(text) ?? [];
  if (number.test(value)) return { text, name, value: { kind: 'number', text: value } };
  const [whole, type = '', count = '', contents] = /^(\w*)\[([^\]]*)\](?:=(.*))?$/s.exec(value) ?? [];
  if (whole === undefined) throw invalid(text, `expected ${forms}`);
  if (type !== '' && !isElementKind(type)) {
    throw invalid(text, `unknown element type '${type}': expected one of ${Object.keys(scalarFormats).join(', ')}`);
  }
  const elements = Number(count);
  if (!/^\d+$/.test(count) || elements < 1 || elements > maxCount) {
    throw invalid(text, `the number of elements must be an integer from 1 to ${maxCount}`);
  }
  const element = type === '' || !isElementKind(type) ? undefined : type;
  return {
    text,
    name,
    value: { kind: 'buffer', type: element, count: elements, contents: contentsOf(text, contents) },
  };
}

function contentsOf(text: string, contents = 'zeros'): BufferContents {
  if (contents.startsWith('@') && contents.length > 1) return { file: contents.slice(1) };
  const [, fill, seed] = /^([a-z]+)(?::(\d+))?$/.exec(contents) ?? [];
  if (isFill(fill)) {
    if (seed !== undefined && fill !== 'random') throw invalid(text, `only random accepts a seed, ${fill} does not`);
    if (Number(seed ?? 0) > 0xffff_ffff) throw invalid(text, 'the seed must be an integer from 0 to 4294967295');
    return { fill, seed: Number(seed ?? 1) };
  }
  const numbers = contents.split(',').map((part) => part.trim());
  if (numbers.every((part) => number.test(part))) return { numbers };
  throw invalid(text, `unknown contents '${contents}': expected ${fills.join(', ')}, numbers, or @ and a file`);
}

const invalid = (text: string, why: string): RangeError => new RangeError(`invalid argument '${text}': ${why}`);

/**
 * Returns the number in a text that `parseArgument` accepts, for a type. If the type is an integer
 * type, the number must be an integer that fits as signed or unsigned. Throws `RangeError` for an
 * invalid number.
 */
export function numberFor(type: ElementKind, text: string): number | bigint {
  const { float, bytes } = scalarFormats[type];
  const plain = text.replace(/^\+/, '');
  if (float) {
    const [, sign = '', word] = /^(-?)(inf|nan|0x)/i.exec(plain) ?? [];
    if (word === undefined) return Number(plain);
    const negative = sign === '-' ? -1 : 1;
    if (/^inf/i.test(word)) return negative * Number.POSITIVE_INFINITY;
    return /^nan/i.test(word) ? Number.NaN : negative * Number(plain.replace('-', ''));
  }
  // `1e6` and `4.0` are also integers.
  const whole = /^-?(0x[0-9a-f]+|\d+)$/i.test(plain);
  const value = whole ? bigIntOf(plain) : Number(plain);
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(`invalid number ${text}: expected an integer of ${bytes * 8} bits`);
  }
  const integer = BigInt(value);
  const limit = 1n << BigInt(bytes * 8);
  if (integer >= limit || integer < -limit / 2n) throw new RangeError(`${text} does not fit in ${bytes * 8} bits`);
  return bytes === 8 ? integer : Number(integer);
}

const bigIntOf = (text: string): bigint => (text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text));
