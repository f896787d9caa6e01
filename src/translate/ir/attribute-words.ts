// The text form of attributes: words after the operation's name, each preceded by a dot, as in
// `icmp.ult`, `fadd.rn.ftz` and `load.i32.v2`. print.ts and parse.ts define the syntax of
// attributes that are more than words (places, calls).
import { atomicOps, cellOps, type MemoryScope, mbarrierOps, type Order, type Space } from './memory.ts';
import type {
  Approximation,
  BarrierKind,
  FloatClass,
  FloatRelation,
  HelperType,
  MessageKind,
  NativeFloat,
  OpName,
  Rounding,
} from './operations.ts';
import { integerRelations } from './operations.ts';
import { floatTypes, integerTypes, matrixTypes } from './types.ts';

/** Returns the words of a type. The compiler checks that the record contains every word. */
const wordsOf = <Word extends string>(words: Readonly<Record<Word, 0>>): readonly string[] => Object.keys(words);

// biome-ignore format: one line per family
const floatRelations = wordsOf<FloatRelation>({
  eq: 0, ne: 0, lt: 0, le: 0, gt: 0, ge: 0, equ: 0, neu: 0, ltu: 0, leu: 0, gtu: 0, geu: 0, num: 0, nan: 0,
});
const roundings = wordsOf<Rounding>({ rn: 0, rz: 0, rm: 0, rp: 0 });
const classes = wordsOf<FloatClass>({ finite: 0, infinite: 0, number: 0, notanumber: 0, normal: 0, subnormal: 0 });
// biome-ignore format: one line per family
const approximations = wordsOf<Approximation>({
  rcp: 0, sqrt: 0, rsqrt: 0, sin: 0, cos: 0, lg2: 0, ex2: 0, tanh: 0,
});
// biome-ignore format: one line per family
const natives = wordsOf<NativeFloat>({
  add: 0, sub: 0, mul: 0, div: 0, fma: 0, sqrt: 0, inverseSqrt: 0, sin: 0, cos: 0, log2: 0, exp2: 0, tanh: 0,
  min: 0, max: 0, abs: 0, neg: 0, round: 0, trunc: 0, floor: 0, ceil: 0,
});
const orders = wordsOf<Order>({ weak: 0, volatile: 0, relaxed: 0, acquire: 0, release: 0, acq_rel: 0, sc: 0 });
const scopes = wordsOf<MemoryScope>({ cta: 0, cluster: 0, gpu: 0, sys: 0 });
const spaces = wordsOf<Space>({ generic: 0, global: 0, shared: 0, local: 0, const: 0, param: 0 });
const barriers = wordsOf<BarrierKind>({
  sync: 0,
  arrive: 0,
  'red.popc': 0,
  'red.and': 0,
  'red.or': 0,
  yield: 0,
  'cluster.arrive': 0,
  'cluster.wait': 0,
});
const messages = wordsOf<MessageKind>({
  print: 0,
  assert: 0,
  'bad-call': 0,
  'deep-call': 0,
  'tensor-fault': 0,
  'rank-fault': 0,
  trap: 0,
});
const types: readonly string[] = [...integerTypes, ...floatTypes];

export const helperTypes = wordsOf<HelperType>({ bool: 0, u32: 0, i32: 0, f32: 0, 'vec2<u32>': 0 });
export const isSpace = (text: string): text is Space => spaces.includes(text);

/**
 * - `word`: one of these, required.
 * - `optional`: one of these, or omitted, which means the default.
 * - `flag`: the attribute's own name if it is true.
 * - `count`: `v2`; omitted for 1.
 * - `number`: a number.
 * - `named`: the attribute's own name and a number, or omitted, which means undefined.
 */
type Word =
  | { readonly kind: 'word'; readonly key: string; readonly words: readonly string[] }
  | {
      readonly kind: 'optional';
      readonly key: string;
      readonly words: readonly string[];
      readonly absent: string | undefined;
    }
  | { readonly kind: 'flag'; readonly key: string }
  | { readonly kind: 'count' | 'number' | 'named'; readonly key: string };

const word = (key: string, words: readonly string[]): Word => ({ kind: 'word', key, words });
const flag = (key: string): Word => ({ kind: 'flag', key });
const number = (key: string): Word => ({ kind: 'number', key });

const rounded = [word('rounding', roundings), flag('ftz')];
const extreme = [flag('ftz'), flag('nan')];
const conversion = [word('to', types)];
const access: readonly Word[] = [
  word('type', types),
  { kind: 'optional', key: 'order', words: orders, absent: 'weak' },
  { kind: 'optional', key: 'scope', words: scopes, absent: undefined },
];
const counted: readonly Word[] = [...access, { kind: 'count', key: 'count' }];

/**
 * The words of each operation, in the order in which they are written. Operations without an entry
 * have no words.
 */
const table: Readonly<Partial<Record<OpName, readonly Word[]>>> = {
  icmp: [word('relation', integerRelations)],
  zext: conversion,
  sext: conversion,
  trunc: conversion,
  bitcast: conversion,
  fadd: rounded,
  fsub: rounded,
  fmul: rounded,
  fdiv: rounded,
  ffma: rounded,
  fsqrt: rounded,
  fneg: [flag('ftz')],
  fabs: [flag('ftz')],
  fmin: extreme,
  fmax: extreme,
  fcmp: [word('relation', floatRelations), flag('ftz')],
  fclass: [word('test', classes)],
  fapprox: [word('fn', approximations), flag('ftz')],
  fdivapprox: [flag('ftz'), flag('full')],
  fintegral: rounded,
  ftoi: [...conversion, flag('signed'), ...rounded],
  itof: [...conversion, flag('signed'), word('rounding', roundings)],
  ftof: [...conversion, ...rounded],
  native: [word('fn', natives)],
  load: [...counted, flag('whole'), flag('polls'), flag('aligned'), flag('mbarrier')],
  store: [
    ...counted,
    flag('whole'),
    flag('mbarrier'),
    { kind: 'named', key: 'delay' },
    { kind: 'named', key: 'around' },
  ],
  atomic: [word('op', [...atomicOps, ...mbarrierOps]), ...access, flag('signed'), flag('noftz'), flag('result')],
  half: [word('op', atomicOps), ...access, flag('result')],
  cell: [word('op', cellOps), ...access, flag('signed'), flag('result')],
  cvta: [word('space', spaces), word('direction', ['to-generic', 'from-generic'])],
  isspacep: [word('space', spaces)],
  fence: [word('order', orders), word('scope', scopes)],
  special: [word('type', types)],
  barrier: [word('kind', barriers), flag('counted'), { kind: 'named', key: 'blocks' }],
  'matrix-load': [word('type', matrixTypes), word('order', ['row', 'col']), number('stride')],
  'matrix-fill': [word('type', matrixTypes), number('bits')],
  'matrix-pack': [word('type', matrixTypes)],
  message: [word('kind', messages)],
};

/** Returns the words of an operation. Absent: the operation has no words. */
const wordsOfOp = (op: OpName): readonly Word[] => table[op] ?? [];

/** Replaces the dots of a word by underscores, because a dot would end the word. */
const written = (text: string): string => text.replaceAll('.', '_');

export function printWords(op: OpName, attrs: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const { kind, key, ...rest } of wordsOfOp(op)) {
    const value = attrs[key];
    if (kind === 'flag') text += value === true ? `.${key}` : '';
    else if (kind === 'named') text += value === undefined ? '' : `.${key}${String(value)}`;
    else if (kind === 'count') text += value === 1 ? '' : `.v${String(value)}`;
    else if (!('absent' in rest) || value !== rest.absent) text += `.${written(String(value))}`;
  }
  return text;
}

/** Parses the words after an operation's name. Throws if a word is unknown or missing. */
export function parseWords(op: OpName, words: readonly string[]): Record<string, unknown> {
  const attrs: Record<string, unknown> = {};
  let at = 0;
  for (const expected of wordsOfOp(op)) {
    const next = words[at];
    if (expected.kind === 'flag') {
      attrs[expected.key] = next === expected.key;
      if (next === expected.key) at += 1;
    } else if (expected.kind === 'count') {
      const count = next?.startsWith('v') ? Number(next.slice(1)) : Number.NaN;
      attrs[expected.key] = Number.isInteger(count) ? count : 1;
      if (Number.isInteger(count)) at += 1;
    } else if (expected.kind === 'named') {
      if (!next?.startsWith(expected.key)) continue;
      attrs[expected.key] = Number(next.slice(expected.key.length));
      at += 1;
    } else if (expected.kind === 'number') {
      attrs[expected.key] = Number(next);
      at += 1;
    } else if ('words' in expected) {
      const value = expected.words.find((candidate) => written(candidate) === next);
      if (value === undefined && expected.kind === 'word')
        throw new SyntaxError(`${op} needs a ${expected.key}: one of ${expected.words.join(', ')}`);
      attrs[expected.key] = value ?? (expected.kind === 'optional' ? expected.absent : undefined);
      if (value !== undefined) at += 1;
    }
  }
  if (at < words.length) throw new SyntaxError(`${op} knows no .${words[at]}`);
  return attrs;
}
