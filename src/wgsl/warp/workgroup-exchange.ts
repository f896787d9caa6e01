// Exchanges values between lanes through workgroup memory, if lanes are separate invocations
// without subgroups. Each exchange needs one barrier, which the whole workgroup must reach.
//
// Lanes write their words to one half of an array, wait, and read the words of other lanes; the
// next exchange uses the other half. With a single array, two barriers would be needed. A lane that
// has passed the barrier of an exchange has read all words of the previous exchange. Therefore no
// lane overwrites a half that other lanes still read.
//
// Votes and sums over the warp are atomics on one word per warp. There are four such words, which
// are used in rotation. The word of an exchange was cleared before the barrier of the previous
// exchange, and last read before the barrier of the exchange before that.
import { at } from '../../base/invariants.ts';
import * as w from '../tree/build.ts';
import { type Declaration, type Expr, Name, type Stmt, type WgslType } from '../tree/nodes.ts';
import type { ReductionHelper } from './reductions.ts';
import { reductions } from './reductions.ts';

/**
 * The declarations of a program that exchanges need. Each variable is declared when it is first
 * used.
 */
export interface ExchangeMemory {
  /** The number of invocations in the workgroup. */
  readonly invocations: number;
  /** The invocation's number in the workgroup. */
  readonly thread: () => Expr;
  /** Returns a variable of the workgroup. */
  readonly workgroup: (hint: string, type: WgslType) => Expr;
  /** Returns a word in each invocation, with an initial value. */
  readonly own: (hint: string, start: () => Expr) => Expr;
}

type FunctionDeclaration = Extract<Declaration, { readonly kind: 'function' }>;

/**
 * Words that lanes publish for each other: the statements that publish the words, and the
 * expression for a word of a lane.
 */
export interface LeftWords {
  readonly stmts: readonly Stmt[];
  readonly fetch: (index: number, lane: Expr) => Expr;
}

/** The statements before a barrier, and those after it. */
interface Around {
  readonly before: readonly Stmt[];
  readonly after: readonly Stmt[];
}

/** A reduction that is performed by an atomic operation whose neutral element is zero. */
interface Atomic {
  readonly builtin: string;
  /** Converts values to those of the atomic operation, and back. */
  readonly code: (value: Expr) => Expr;
}

const plain = (value: Expr): Expr => value;
const flipSign = (value: Expr): Expr => w.xor(value, w.u32(0x8000_0000));
const flipOrder = (value: Expr): Expr => w.xor(value, w.u32(0x7fff_ffff));

const atomics: Readonly<Record<ReductionHelper, Atomic>> = {
  warp_add: { builtin: 'atomicAdd', code: plain },
  warp_min_u32: { builtin: 'atomicMax', code: w.complement },
  warp_max_u32: { builtin: 'atomicMax', code: plain },
  warp_min_s32: { builtin: 'atomicMax', code: flipOrder },
  warp_max_s32: { builtin: 'atomicMax', code: flipSign },
  warp_and: { builtin: 'atomicOr', code: w.complement },
  warp_or: { builtin: 'atomicOr', code: plain },
  warp_xor: { builtin: 'atomicXor', code: plain },
};

const barrier: Stmt = w.perform(w.builtin('workgroupBarrier', 'u32'));
const turns = 4;
/**
 * The number of buckets per warp for matching values, and the maximum number of invocations of a
 * workgroup that uses buckets. The buckets occupy at most 3 KiB.
 */
const buckets = 8;
const bucketInvocations = 256;
const matchComment = 'The executing lanes whose value equals the lane’s own.';
const powerAbove = (count: number): number => 2 ** Math.ceil(Math.log2(count));
const firstOfWarp = (place: Expr): Expr => w.and(place, w.u32(0xffff_ffe0));

export class WorkgroupExchange {
  private readonly memory: ExchangeMemory;
  /**
   * The number of words in a half. It is a power of two, so that one bit of an index selects the
   * half.
   */
  private readonly half: number;
  /** The number of words in each of the four sets of words that the atomics use in rotation. */
  private readonly warps: number;
  private readonly words = new Name('exchange_words');
  /** The maximum number of words that lanes publish at a time. */
  private most = 0;

  constructor(memory: ExchangeMemory) {
    this.memory = memory;
    this.half = powerAbove(memory.invocations);
    this.warps = powerAbove(memory.invocations / 32);
  }

  /** Returns the declaration of the array. Its size is the maximum of all requests. */
  get declarations(): readonly Declaration[] {
    if (this.most === 0) return [];
    const type = w.array('u32', this.most * this.memory.invocations);
    return [{ kind: 'variable', space: 'workgroup', name: this.words, type }];
  }

  private get values(): Expr {
    return this.memory.workgroup('exchange', w.array('u32', 2 * this.half));
  }

  /** Returns the index of the lane's own word in the current half. */
  private get place(): Expr {
    return this.memory.own('exchange_place', this.memory.thread);
  }

  private get totals(): Expr {
    return this.memory.workgroup('exchange_totals', w.array(w.atomic(), turns * this.warps));
  }

  /** Returns the index of the warp's word in the current set. */
  private get totalsPlace(): Expr {
    return this.memory.own('totals_place', () => w.shr(this.memory.thread(), w.u32(5)));
  }

  /**
   * Publishes a word to the other lanes and waits. `read` receives the index of the warp's first
   * word, and returns statements and the result. `beside` returns further statements before and
   * after the barrier.
   */
  private publish(
    value: Expr,
    read: (first: Expr) => readonly [readonly Stmt[], Expr],
    beside: Around = { before: [], after: [] },
  ): readonly Stmt[] {
    const { values, place } = this;
    const first = new Name('first');
    const [stmts, result] = read(w.ref(first, 'u32'));
    return [
      w.assign(w.index(values, place), value),
      ...beside.before,
      barrier,
      ...beside.after,
      w.define(first, firstOfWarp(place)),
      w.update(place, '^', w.u32(this.half)),
      ...stmts,
      w.give(result),
    ];
  }

  private other(first: Expr, lane: Expr): Expr {
    return w.index(this.values, w.or(first, lane));
  }

  shuffle(): FunctionDeclaration {
    const [value, lane] = [new Name('value'), new Name('lane')];
    const body = this.publish(w.ref(value, 'u32'), (first) => [[], this.other(first, w.ref(lane, 'u32'))]);
    return declare('warp_shuffle', [value, lane], ['u32', 'u32'], body, 'The value of another lane.');
  }

  /**
   * Returns statements before and after a barrier that combine the lanes' values in one atomic word
   * per warp.
   */
  private gathering(change: (total: Expr) => Stmt, total: Name): Around {
    const { totals, totalsPlace: place } = this;
    const next = new Name('next');
    const at = (index: Expr) => w.addressOf(w.index(totals, index));
    const isFirst = w.eq(this.lane, w.u32(0));
    return {
      before: [
        change(at(place)),
        w.define(next, w.and(w.add(place, w.u32(this.warps)), w.u32(turns * this.warps - 1))),
        w.when(isFirst, [w.perform(w.builtin('atomicStore', 'u32', at(w.ref(next, 'u32')), w.u32(0)))]),
      ],
      after: [w.define(total, w.builtin('atomicLoad', 'u32', at(place))), w.assign(place, w.ref(next, 'u32'))],
    };
  }

  private gather(change: (total: Expr) => Stmt, result: (total: Expr) => Expr): readonly Stmt[] {
    const total = new Name('total');
    const { before, after } = this.gathering(change, total);
    return [...before, barrier, ...after, w.give(result(w.ref(total, 'u32')))];
  }

  private get lane(): Expr {
    return w.and(this.place, w.u32(31));
  }

  /** Returns a function that sets the lane's bit if the predicate is true. */
  private voteOf(predicate: Expr): (total: Expr) => Stmt {
    const bit = w.shl(w.u32(1), this.lane);
    return (total) => w.when(predicate, [w.perform(w.builtin('atomicOr', 'u32', total, bit))]);
  }

  ballot(): FunctionDeclaration {
    const predicate = new Name('predicate');
    const body = this.gather(this.voteOf(w.ref(predicate, 'bool')), plain);
    return declare('warp_ballot', [predicate], ['bool'], body, 'The lanes for which the predicate holds.');
  }

  reduction(helper: ReductionHelper): FunctionDeclaration {
    const value = new Name('value');
    const { builtin, code } = atomics[helper];
    const change = (total: Expr) => w.perform(w.builtin(builtin, 'u32', total, code(w.ref(value, 'u32'))));
    return declare(helper, [value], ['u32'], this.gather(change, code), 'Reduces over all lanes of the warp.');
  }

  /** Declares a reduction over the members of the lane's own membermask. */
  group(hint: string, helper: ReductionHelper): FunctionDeclaration {
    const { combine, identity } = reductions[helper];
    const [value, members, lane] = [new Name('value'), new Name('members'), new Name('lane')];
    const body = this.publish(w.ref(value, 'u32'), (first) => {
      const [total, other] = [new Name('total'), new Name('other')];
      const [all, k] = [w.ref(total, 'u32'), w.ref(other, 'u32')];
      const isMember = w.ne(w.and(w.shr(w.ref(members, 'u32'), k), w.u32(1)), w.u32(0));
      const add = w.assign(all, combine(all, this.other(first, k)));
      return [[w.variable(total, 'u32', identity), w.repeat(other, 32, [w.when(isMember, [add])])], all];
    });
    const comment = 'Reduces over the members of the lane’s own mask.';
    return declare(hint, [value, members, lane], ['u32', 'u32', 'u32'], body, comment);
  }

  matchAny(): FunctionDeclaration {
    const { invocations } = this.memory;
    const haveBuckets = invocations >= buckets && invocations <= bucketInvocations;
    return haveBuckets ? this.matchInBuckets() : this.matchAll();
  }

  /**
   * The function that compares values by buckets. Each value selects a bucket. A bucket has three
   * words: the lanes whose values select it, the bits that are one in a value, and the bits that
   * are zero in a value. If no bit is set in both of the latter, the bucket has one value, and its
   * lanes are the result. Otherwise a lane compares the values in its bucket. There are four sets
   * of buckets, used in rotation, as with `totals`.
   */
  private matchInBuckets(): FunctionDeclaration {
    const size = this.warps * buckets;
    const gathered = (hint: string): Expr => this.memory.workgroup(hint, w.array(w.atomic(), turns * size));
    const [lanes, ones, zeros] = [
      gathered('exchange_lanes'),
      gathered('exchange_ones'),
      gathered('exchange_zeros'),
    ] as const;
    const turn = this.memory.own('bucket_turn', () => w.u32(0));
    const [value, executing] = [new Name('value'), new Name('executing')];
    const names = [new Name('own'), new Name('hash'), new Name('bucket'), new Name('next'), new Name('other')] as const;
    const [ownName, hashName, bucketName, nextName, otherName] = names;
    const [own, hash, bucket, next, other] = [
      w.ref(ownName, 'u32'),
      w.ref(hashName, 'u32'),
      w.ref(bucketName, 'u32'),
      w.ref(nextName, 'u32'),
      w.ref(otherName, 'u32'),
    ] as const;
    const [sameName, restName] = [new Name('same'), new Name('rest')];
    const [same, rest, v] = [w.ref(sameName, 'u32'), w.ref(restName, 'u32'), w.ref(value, 'u32')];
    const warpsFirst = w.mul(w.shr(own, w.u32(5)), w.u32(buckets));
    const change = (builtin: string, words: Expr, at: Expr, by: Expr): Stmt =>
      w.perform(w.builtin(builtin, 'u32', w.addressOf(w.index(words, at)), by));
    const load = (words: Expr): Expr => w.builtin('atomicLoad', 'u32', w.addressOf(w.index(words, bucket)));
    const halved = w.xor(v, w.shr(v, w.u32(16)));
    const inBucket = (part: Expr): Expr => w.and(part, w.u32(buckets - 1));
    const gather = [
      w.define(ownName, w.and(this.place, w.u32(this.half - 1))),
      w.define(hashName, w.xor(halved, w.shr(halved, w.u32(3)))),
      w.define(bucketName, w.add(w.add(turn, warpsFirst), inBucket(w.xor(hash, w.shr(hash, w.u32(6)))))),
      w.when(w.ref(executing, 'bool'), [
        change('atomicOr', lanes, bucket, w.shl(w.u32(1), w.and(own, w.u32(31)))),
        change('atomicOr', ones, bucket, v),
        change('atomicOr', zeros, bucket, w.complement(v)),
      ]),
      w.assign(turn, w.and(w.add(turn, w.u32(size)), w.u32(turns * size - 1))),
      // The workgroup has at least as many invocations as a set has buckets, so each invocation
      // clears at most one bucket.
      w.when(w.lt(own, w.u32(size)), [
        w.define(nextName, w.add(turn, own)),
        ...[lanes, ones, zeros].map((words) => change('atomicStore', words, next, w.u32(0))),
      ]),
    ];
    const compare = (first: Expr): readonly Stmt[] => [
      w.variable(restName, 'u32', same),
      w.loop([
        w.when(w.eq(rest, w.u32(0)), [w.leave]),
        w.define(otherName, w.builtin('countTrailingZeros', 'u32', rest)),
        w.update(rest, '&', w.sub(rest, w.u32(1))),
        w.when(w.ne(this.other(first, other), v), [w.update(same, '^', w.shl(w.u32(1), other))]),
      ]),
    ];
    const read = (first: Expr): readonly [readonly Stmt[], Expr] => [
      [
        w.variable(sameName, 'u32', load(lanes)),
        w.when(w.ne(w.and(load(ones), load(zeros)), w.u32(0)), compare(first)),
      ],
      same,
    ];
    const body = this.publish(v, read, { before: gather, after: [] });
    return declare('warp_match_any', [value, executing], ['u32', 'bool'], body, matchComment);
  }

  /**
   * The function in which each lane compares the words of all lanes. Buckets would need too much
   * memory for large workgroups, and a workgroup with very few lanes could not clear them.
   */
  private matchAll(): FunctionDeclaration {
    const [value, executing] = [new Name('value'), new Name('executing')];
    const [same, other, exec] = [new Name('same'), new Name('other'), new Name('exec')];
    const [all, k] = [w.ref(same, 'u32'), w.ref(other, 'u32')];
    const read = (first: Expr): readonly [readonly Stmt[], Expr] => {
      const isSame = w.construct('u32', w.eq(this.other(first, k), w.ref(value, 'u32')));
      const stmts = [w.variable(same, 'u32', w.u32(0)), w.repeat(other, 32, [w.update(all, '|', w.shl(isSame, k))])];
      return [stmts, w.and(all, w.ref(exec, 'u32'))];
    };
    const votes = this.gathering(this.voteOf(w.ref(executing, 'bool')), exec);
    const body = this.publish(w.ref(value, 'u32'), read, votes);
    return declare('warp_match_any', [value, executing], ['u32', 'bool'], body, matchComment);
  }

  /** Publishes several words of each lane, for functions that read the words of many lanes. */
  leave(values: readonly Expr[]): LeftWords {
    const size = this.memory.invocations;
    this.most = Math.max(this.most, values.length);
    const all = w.ref(this.words, w.array('u32'));
    const place = w.and(this.place, w.u32(this.half - 1));
    const first = new Name('first');
    const at = (index: number, from: Expr) => w.index(all, index === 0 ? from : w.add(from, w.u32(index * size)));
    const own = new Name('own');
    return {
      stmts: [
        w.define(own, place),
        w.define(first, firstOfWarp(w.ref(own, 'u32'))),
        // Wait, because other lanes may still be reading the words of the previous exchange.
        barrier,
        ...values.map((value, index) => w.assign(at(index, w.ref(own, 'u32')), value)),
        barrier,
      ],
      fetch: (index, lane) => at(index, w.or(w.ref(first, 'u32'), lane)),
    };
  }
}

const declare = (
  hint: string,
  names: readonly Name[],
  types: readonly WgslType[],
  body: readonly Stmt[],
  comment: string,
): FunctionDeclaration => ({
  kind: 'function',
  name: new Name(hint),
  params: names.map((name, index) => ({ name, type: at(types, index, 'the type of a parameter') })),
  result: 'u32',
  body,
  comment: `${comment} The whole workgroup must call it.`,
});
