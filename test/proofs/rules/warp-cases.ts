// The warp instructions with the formulas of the PTX manual, for all operands of all lanes.
import { at } from '../../../src/base/invariants.ts';
import {
  add, and, bitAnd, bitOr, bitXor, compare, complement, constant, equal, extend, extract, ite, no,
  not, or, select, sub, type Term, wordOfBits, yes,
} from '../terms/term.ts'; // biome-ignore format: a list
import { larger, smaller } from './lane-formulas.ts';

/** The operands of a warp, by lane. */
export interface Operands {
  readonly a: readonly Term[];
  readonly b: readonly Term[];
  readonly c: readonly Term[];
  /** The source predicate. */
  readonly p: readonly Term[];
  /** For each lane, whether it executes the instruction. */
  readonly executes: readonly Term[];
}

/** The results of a lane according to the manual. */
export interface Result {
  /** The destination register, and whether the manual defines it. */
  readonly d?: Term;
  readonly isDefined?: Term;
  /** The destination predicate. */
  readonly q?: Term;
}

export interface WarpCase {
  readonly name: string;
  /** The instruction. Its operands are %a, %b, %c and %p, and its destinations are %d and %q. */
  readonly text: string;
  readonly of: (operands: Operands, lane: number) => Result;
}

// shfl: https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync

type Mode = 'up' | 'down' | 'bfly' | 'idx';

function shuffle(mode: Mode, { a, b, c, executes }: Operands, lane: number): Result {
  const five = (word: Term, low: number): Term => extend(extract(word, low, 5), 32);
  const bval = five(word(b, lane), 0);
  const cval = five(word(c, lane), 0);
  const segmask = five(word(c, lane), 8);
  const own = constant(lane);
  const rest = bitAnd(complement(segmask), constant(31));
  const minLane = bitAnd(own, segmask);
  const maxLane = bitOr(minLane, bitAnd(cval, rest));
  const candidates: Readonly<Record<Mode, Term>> = {
    up: sub(own, bval),
    down: add(own, bval),
    bfly: bitXor(own, bval),
    idx: bitOr(minLane, bitAnd(bval, rest)),
  };
  const j = candidates[mode];
  // The source lane of `up` may be negative.
  const pval = mode === 'up' ? compare('bvsle', maxLane, j) : compare('bvsle', j, maxLane);
  const source = ite(pval, j, own);
  return { d: select(source, a, constant(0)), isDefined: select(source, executes, no()), q: pval };
}

const word = (words: readonly Term[], lane: number): Term => at(words, lane, 'the operand of a lane');

// vote, match, redux, activemask, elect

const ballot = (executes: readonly Term[], predicate: (lane: number) => Term): Term =>
  wordOfBits(executes.map((each, lane) => and(each, predicate(lane))));
const every = (executes: readonly Term[], predicate: (lane: number) => Term): Term =>
  and(...executes.map((each, lane) => or(not(each), predicate(lane))));

/** Reduces the values of the executing lanes, in ascending order. */
const reduce = (
  values: readonly Term[],
  executes: readonly Term[],
  identity: bigint | number,
  of: (a: Term, b: Term) => Term,
) => values.map((value, lane) => ite(word(executes, lane), value, constant(identity))).reduce(of);

const reductions: Readonly<Record<string, readonly [identity: bigint | number, of: (a: Term, b: Term) => Term]>> = {
  'add.u32': [0, add],
  'add.s32': [0, add],
  'min.u32': [0xffffffff, (a, b) => smaller('u32', a, b)],
  'max.u32': [0, (a, b) => larger('u32', a, b)],
  'min.s32': [0x7fffffff, (a, b) => smaller('s32', a, b)],
  'max.s32': [0x80000000, (a, b) => larger('s32', a, b)],
  'and.b32': [0xffffffff, bitAnd],
  'or.b32': [0, bitOr],
  'xor.b32': [0, bitXor],
};

const modes: readonly Mode[] = ['up', 'down', 'bfly', 'idx'];
/** A membermask with every lane. */
const all = '0xffffffff';

export const converged: readonly WarpCase[] = [
  ...modes.map(
    (mode): WarpCase => ({
      name: `shfl.sync.${mode}.b32`,
      text: `shfl.sync.${mode}.b32 %d|%q, %a, %b, %c, ${all};`,
      of: (operands, lane) => shuffle(mode, operands, lane),
    }),
  ),
  {
    name: 'vote.sync.all.pred',
    text: `vote.sync.all.pred %q, %p, ${all};`,
    of: ({ p, executes }) => ({ q: every(executes, (lane) => word(p, lane)) }),
  },
  {
    name: 'vote.sync.any.pred',
    text: `vote.sync.any.pred %q, %p, ${all};`,
    of: ({ p, executes }) => ({ q: not(every(executes, (lane) => not(word(p, lane)))) }),
  },
  {
    name: 'vote.sync.uni.pred',
    text: `vote.sync.uni.pred %q, %p, ${all};`,
    of: ({ p, executes }) => ({
      q: or(
        every(executes, (lane) => word(p, lane)),
        every(executes, (lane) => not(word(p, lane))),
      ),
    }),
  },
  {
    name: 'vote.sync.ballot.b32',
    text: `vote.sync.ballot.b32 %d, %p, ${all};`,
    of: ({ p, executes }) => ({ d: ballot(executes, (lane) => word(p, lane)) }),
  },
  {
    name: 'match.any.sync.b32',
    text: `match.any.sync.b32 %d, %a, ${all};`,
    of: ({ a, executes }, lane) => ({ d: ballot(executes, (other) => equal(word(a, other), word(a, lane))) }),
  },
  {
    name: 'match.all.sync.b32',
    text: `match.all.sync.b32 %d|%q, %a, ${all};`,
    of: ({ a, executes }, lane) => {
      const same = every(executes, (other) => equal(word(a, other), word(a, lane)));
      return { d: ite(same, ballot(executes, yes), constant(0)), q: same };
    },
  },
  ...Object.entries(reductions).map(
    ([name, [identity, of]]): WarpCase => ({
      name: `redux.sync.${name}`,
      text: `redux.sync.${name} %d, %a, ${all};`,
      of: ({ a, executes }) => ({ d: reduce(a, executes, identity, of) }),
    }),
  ),
  { name: 'activemask.b32', text: 'activemask.b32 %d;', of: ({ executes }) => ({ d: ballot(executes, yes) }) },
  {
    name: 'elect.sync',
    text: `elect.sync %d|%q, ${all};`,
    of: ({ executes }, lane) => {
      const first = executes.reduceRight<Term>((rest, each, other) => ite(each, constant(other), rest), constant(32));
      return { d: first, q: equal(first, constant(lane)) };
    },
  },
];

/** The forms without `.sync`, which the lanes with a true guard execute. */
export const guarded: readonly WarpCase[] = [
  ...modes.map(
    (mode): WarpCase => ({
      name: `shfl.${mode}.b32 under a guard`,
      text: `@%g shfl.${mode}.b32 %d|%q, %a, %b, %c;`,
      of: (operands, lane) => shuffle(mode, operands, lane),
    }),
  ),
  {
    name: 'vote.all.pred under a guard',
    text: '@%g vote.all.pred %q, %p;',
    of: ({ p, executes }) => ({ q: every(executes, (lane) => word(p, lane)) }),
  },
  {
    name: 'vote.any.pred under a guard',
    text: '@%g vote.any.pred %q, %p;',
    of: ({ p, executes }) => ({ q: not(every(executes, (lane) => not(word(p, lane)))) }),
  },
  {
    name: 'vote.ballot.b32 under a guard',
    text: '@%g vote.ballot.b32 %d, %p;',
    of: ({ p, executes }) => ({ d: ballot(executes, (lane) => word(p, lane)) }),
  },
  {
    name: 'activemask.b32 under a guard',
    text: '@%g activemask.b32 %d;',
    of: ({ executes }) => ({ d: ballot(executes, yes) }),
  },
];
