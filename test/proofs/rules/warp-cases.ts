// The warp instructions with the formulas of the PTX manual, for all operands of all lanes.
import { at } from '../../../src/base/invariants.ts';
import {
  add, and, bitAnd, bitOr, bitXor, compare, complement, constant, equal, extend, extract, ite, no,
  not, or, select, sub, type Term, wordOfBits, yes,
} from '../terms/term.ts'; // biome-ignore format: a list
import { larger, smaller } from './lane-formulas.ts';

/** The operands of a warp, by lane. */
export interface Operands {
  /** The source; the lower word of a source of 64 bits. */
  readonly a: readonly Term[];
  readonly aHigh: readonly Term[];
  readonly b: readonly Term[];
  readonly c: readonly Term[];
  /** The source predicate. */
  readonly p: readonly Term[];
  /** For each lane, whether it executes the instruction. */
  readonly executes: readonly Term[];
  /** For each lane: the lanes that execute the instruction with it. */
  readonly groups: readonly (readonly Term[])[];
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
  /**
   * The instructions. Their operands: %a, %A (64 bits), %b, %c, %p, %m; the destinations: %d, %q.
   */
  readonly text: string;
  /** `register`: each lane has a member mask in %m. */
  readonly masks?: 'register';
  /** The type of `match.any`: its result contains the lanes of the group with the same value. */
  readonly match?: 'b32' | 'b64';
  readonly of: (operands: Operands, lane: number) => Result;
}

// shfl: https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync

type Mode = 'up' | 'down' | 'bfly' | 'idx';

function shuffle(mode: Mode, { a, b, c, groups }: Operands, lane: number): Result {
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
  // The source lane of `up` may be negative, so the comparison is signed.
  const pval = mode === 'up' ? compare('bvsle', maxLane, j) : compare('bvsle', j, maxLane);
  const source = ite(pval, j, own);
  return { d: select(source, a, constant(0)), isDefined: select(source, at(groups, lane, 'a group'), no()), q: pval };
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

/** An instruction without its guard and its member mask, and its results. */
interface Instruction {
  readonly name: string;
  readonly operands: string;
  readonly match?: 'b32' | 'b64';
  readonly of: WarpCase['of'];
}

const inGroup =
  (of: (group: readonly Term[], operands: Operands, lane: number) => Result): WarpCase['of'] =>
  (operands, lane) =>
    of(at(operands.groups, lane, 'a group'), operands, lane);

const shuffles = (['up', 'down', 'bfly', 'idx'] as const).map(
  (mode): Instruction => ({
    name: `shfl.sync.${mode}.b32`,
    operands: '%d|%q, %a, %b, %c',
    of: (operands, lane) => shuffle(mode, operands, lane),
  }),
);

const votes: readonly Instruction[] = [
  {
    name: 'vote.sync.all.pred',
    operands: '%q, %p',
    of: inGroup((group, { p }) => ({ q: every(group, (lane) => word(p, lane)) })),
  },
  {
    name: 'vote.sync.any.pred',
    operands: '%q, %p',
    of: inGroup((group, { p }) => ({ q: not(every(group, (lane) => not(word(p, lane)))) })),
  },
  {
    name: 'vote.sync.uni.pred',
    operands: '%q, %p',
    of: inGroup((group, { p }) => ({
      q: or(
        every(group, (lane) => word(p, lane)),
        every(group, (lane) => not(word(p, lane))),
      ),
    })),
  },
  {
    name: 'vote.sync.ballot.b32',
    operands: '%d, %p',
    of: inGroup((group, { p }) => ({ d: ballot(group, (lane) => word(p, lane)) })),
  },
];

type Sameness = (lane: number, other: number) => Term;

const matches = (type: 'b32' | 'b64'): readonly Instruction[] => {
  const sameness = ({ a, aHigh }: Operands): Sameness =>
    type === 'b32'
      ? (lane, other) => equal(word(a, lane), word(a, other))
      : (lane, other) => and(equal(word(a, lane), word(a, other)), equal(word(aHigh, lane), word(aHigh, other)));
  const source = type === 'b32' ? '%a' : '%A';
  return [
    {
      name: `match.any.sync.${type}`,
      operands: `%d, ${source}`,
      match: type,
      of: inGroup((group, operands, lane) => {
        const isSame = sameness(operands);
        return { d: ballot(group, (other) => isSame(lane, other)) };
      }),
    },
    {
      name: `match.all.sync.${type}`,
      operands: `%d|%q, ${source}`,
      of: inGroup((group, operands, lane) => {
        const isSame = sameness(operands);
        const same = every(group, (other) => isSame(lane, other));
        return { d: ite(same, ballot(group, yes), constant(0)), q: same };
      }),
    },
  ];
};

const reductionsOf = Object.entries(reductions).map(
  ([name, [identity, of]]): Instruction => ({
    name: `redux.sync.${name}`,
    operands: '%d, %a',
    of: inGroup((group, { a }) => ({ d: reduce(a, group, identity, of) })),
  }),
);

const election: Instruction = {
  name: 'elect.sync',
  operands: '%d|%q',
  of: inGroup((group, _, lane) => {
    const first = group.reduceRight<Term>((rest, each, other) => ite(each, constant(other), rest), constant(32));
    return { d: first, q: equal(first, constant(lane)) };
  }),
};

const activeMask: Instruction = {
  name: 'activemask.b32',
  operands: '%d',
  of: inGroup((group) => ({ d: ballot(group, yes) })),
};

const withMask: readonly Instruction[] = [
  ...shuffles,
  ...votes,
  ...matches('b32'),
  ...matches('b64'),
  ...reductionsOf,
  election,
];

/** All lanes execute the instruction, and the mask names all. */
const converged: readonly WarpCase[] = [
  ...withMask.map((each) => ({ ...each, text: `${each.name} ${each.operands}, 0xffffffff;` })),
  { ...activeMask, text: `${activeMask.name} %d;` },
];

/** All lanes execute the instruction in groups: each lane has a mask in a register. */
const grouped = withMask.map(
  (each): WarpCase => ({
    ...each,
    name: `${each.name}, masks in registers`,
    text: `${each.name} ${each.operands}, %m;`,
    masks: 'register',
  }),
);

/** The lanes whose guard is true execute the instruction, and the mask names them. */
const guarded = withMask.map(
  (each): WarpCase => ({
    ...each,
    name: `${each.name} under a guard`,
    text: `vote.sync.ballot.b32 %n, %g, 0xffffffff; @%g ${each.name} ${each.operands}, %n;`,
  }),
);

/** The forms without `.sync`: the lanes whose guard is true execute them. */
const withoutMask = [...shuffles, ...votes].map(({ name, operands, of }): WarpCase => {
  const old = name.replace('.sync', '');
  return { name: `${old} under a guard`, text: `@%g ${old} ${operands};`, of };
});

export const warpCases: readonly WarpCase[] = [
  ...converged,
  ...grouped,
  ...guarded,
  ...withoutMask,
  { name: 'activemask.b32 under a guard', text: `@%g ${activeMask.name} %d;`, of: activeMask.of },
];
