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
  /**
   * The lanes whose variables the term contains. The name of a variable contains the numbers of its
   * lanes. Free values belong to all lanes.
   */
  readonly lanes: Lanes;
}

/** A set of lanes of a warp as a mask. */
export type Lanes = number;

function lanesOfName(name: string): Lanes {
  const numbers = name.startsWith('any') ? [] : (name.match(/\d+/g) ?? []); // Absent: no number.
  return numbers.length === 0 ? -1 : numbers.reduce((lanes, number) => lanes | (1 << (Number(number) & 31)), 0);
}

/** Constants and variables, by their text. */
const leaves = new Map<string, Term>();
/** The other terms, by a hash of their operator and operands. */
const nodes = new Map<number, Term[]>();
let count = 0;

const kinds = new Map<string, number>();

function hashOf(kind: Term['kind'], args: readonly Term[], low: number): number {
  let hash =
    Math.imul(
      getOrInsert(kinds, kind, () => kinds.size + 1),
      0x9e3779b1,
    ) ^ low;
  for (const { id } of args) hash = Math.imul(hash ^ id, 0x85ebca6b) ^ (hash >>> 15);
  return hash;
}

const hasArgs = (term: Term, args: readonly Term[]): boolean => {
  if (term.args.length !== args.length) return false;
  for (let index = 0; index < args.length; index++) if (term.args[index] !== args[index]) return false;
  return true;
};

/** Returns a constant or a variable. */
function internLeaf(kind: 'constant' | 'variable', width: number, value: bigint | undefined, name: string): Term {
  const key = value === undefined ? `${width} ${name}` : `${width}#${value}`;
  return getOrInsert(leaves, key, () => {
    spend();
    const lanes = kind === 'variable' ? lanesOfName(name) : 0;
    return { id: count++, kind, args: [], width, value, name, low: 0, lanes };
  });
}

/** Returns the result of an operator. `low`: the lowest bit of an `extract`. */
export function intern(kind: Op, args: readonly Term[], width: number, low = 0): Term {
  const bucket = getOrInsert(nodes, hashOf(kind, args, low), () => []);
  for (const term of bucket)
    if (term.kind === kind && term.width === width && term.low === low && hasArgs(term, args)) return term;
  spend();
  const lanes = args.reduce((all, arg) => all | arg.lanes, 0);
  const term: Term = { id: count++, kind, args, width, value: undefined, name: '', low, lanes };
  bucket.push(term);
  return term;
}

/** Forgets all terms. Terms from before this call must not be combined with later terms. */
export function forgetTerms(): void {
  leaves.clear();
  nodes.clear();
  count = 0;
  fresh = 0;
}

export const masked = (value: bigint, width: number): bigint => BigInt.asUintN(width, value);
export const signed = (value: bigint, width: number): bigint => BigInt.asIntN(width, value);

export const constant = (value: bigint | number, width = 32): Term =>
  internLeaf('constant', width, masked(BigInt(value), width), '');
export const bool = (value: boolean): Term => internLeaf('constant', 0, value ? 1n : 0n, '');
export const yes = (): Term => bool(true);
export const no = (): Term => bool(false);

/** Returns a free value. Variables with equal names are the same variable. */
export const variable = (name: string, width = 32): Term => internLeaf('variable', width, undefined, name);

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
