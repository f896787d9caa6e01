// Terms over bit-vectors and booleans. Equal terms are the same object, and operations on constants
// are folded, so that most of a shader's execution (lane numbers, loop counts) creates no terms.

import { getOrInsert } from '../../../src/base/maps.ts';
import { spend } from './budget.ts';

/** The operators of terms. Most are SMT-LIB's. */
export type Op =
  | 'bvneg' | 'bvnot' | 'bvadd' | 'bvmul' | 'bvudiv' | 'bvurem' | 'bvsdiv' | 'bvsrem'
  | 'bvand' | 'bvor' | 'bvxor' | 'bvshl' | 'bvlshr' | 'bvashr' | 'concat'
  | 'bvult' | 'bvule' | 'bvslt' | 'bvsle' | '=' | 'not' | 'and' | 'or' | 'ite'
  | 'extract' | 'zero_extend' | 'sign_extend' | Extremum; // biome-ignore format: one line per family

/** Operators that SMT-LIB lacks: the smaller or larger of two words, as unsigned or signed numbers. */
export type Extremum = 'umin' | 'umax' | 'smin' | 'smax';

export interface Term {
  readonly id: number;
  readonly kind: 'constant' | 'variable' | Op;
  readonly args: readonly Term[];
  /** The number of bits; 0 for a boolean. */
  readonly width: number;
  /** The bits of a constant; 0n or 1n for a boolean. */
  readonly value: bigint | undefined;
  /** The name of a variable. */
  readonly name: string;
  /** The lowest bit of an `extract`. */
  readonly low: number;
}

const terms = new Map<string, Term>();

export function intern(
  kind: Term['kind'],
  args: readonly Term[],
  width: number,
  rest: { readonly value?: bigint; readonly name?: string; readonly low?: number } = {},
): Term {
  const { value, name = '', low = 0 } = rest;
  const key = `${kind} ${width} ${args.map(({ id }) => id).join()} ${value === undefined ? '' : value} ${name} ${low}`;
  const known = terms.get(key);
  if (known !== undefined) return known;
  spend();
  const term: Term = { id: terms.size, kind, args, width, value, name, low };
  terms.set(key, term);
  return term;
}

/** Forgets all terms. Terms from before this call must not be combined with later terms. */
export const forgetTerms = (): void => terms.clear();

export const masked = (value: bigint, width: number): bigint => BigInt.asUintN(width, value);
export const signed = (value: bigint, width: number): bigint => BigInt.asIntN(width, value);

export const constant = (value: bigint | number, width = 32): Term =>
  intern('constant', [], width, { value: masked(BigInt(value), width) });
export const bool = (value: boolean): Term => intern('constant', [], 0, { value: value ? 1n : 0n });
export const yes = (): Term => bool(true);
export const no = (): Term => bool(false);

/** Returns a free value. Variables with equal names are the same variable. */
export const variable = (name: string, width = 32): Term => intern('variable', [], width, { name });

let fresh = 0;
/** Returns a new free value, for a result that a specification leaves undefined. */
export const anything = (width = 32): Term => variable(`any${fresh++}`, width);

const freeWords = new WeakMap<Term, Term>();
const replacedBy = new WeakMap<Term, Term>();

/** Returns the free value that replaces a term. A proof for all its values is one for the term. */
export const freeWordFor = (term: Term): Term =>
  getOrInsert(freeWords, term, () => {
    const word = anything(term.width);
    replacedBy.set(word, term);
    return word;
  });

/** Returns the term that a free value replaces; undefined for other values. */
export const replacedTerm = (word: Term): Term | undefined => replacedBy.get(word);

export const isTrue = ({ width, value }: Term): boolean => width === 0 && value === 1n;
export const isFalse = ({ width, value }: Term): boolean => width === 0 && value === 0n;
