// Compares instructions. Instructions with equal operations, attributes and operands compute the
// same values. Equal instructions have equal hashes.
import { missing } from '../../base/invariants.ts';
import { type Inst, isDefinition, type Value } from '../ir/nodes.ts';

export const mix = (hash: number, number: number): number => Math.imul(hash ^ number, 0x9e37_79b1) ^ (hash >>> 15);

export function hashOfValue(value: Value): number {
  if (isDefinition(value)) return value.id;
  return value.kind === 'constant' ? ~Number(value.bits) : -1;
}

function hashOfText(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = mix(hash, text.charCodeAt(at));
  return hash;
}

/**
 * Returns the hash of an instruction. Of the attributes, it contains only the variable of an
 * address, because few other operations with equal operands differ in their attributes.
 */
function hashOf(inst: Inst): number {
  const { operation, args, when } = inst;
  let hash = operation.number;
  if (inst.op === 'symbol') hash = mix(mix(hash, hashOfText(inst.attrs.variable.name)), inst.attrs.offset);
  const a = args[0];
  const b = args[1];
  if (a !== undefined && b !== undefined && args.length === 2) {
    const x = hashOfValue(a);
    const y = hashOfValue(b);
    const inOrder = x < y || !operation.commutative;
    hash = inOrder ? mix(mix(hash, x), y) : mix(mix(hash, y), x);
  } else {
    for (let at = 0; at < args.length; at++) {
      const arg = args[at];
      if (arg !== undefined) hash = mix(hash, hashOfValue(arg));
    }
  }
  return (when === undefined ? hash : mix(hash, hashOfValue(when))) | 0;
}

function isEqual(a: Inst, b: Inst): boolean {
  if (a.op !== b.op || a.when !== b.when) return false;
  if (!areSame(a.args, b.args) && !(a.operation.commutative && areSwapped(a.args, b.args))) return false;
  return areSame(a.otherwise, b.otherwise) && areEqual(a.attrs, b.attrs);
}

/**
 * Whether two values are the same. Two undefined values of one type are the same, because one
 * choice is valid for both.
 */
export function isSame(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return true;
  if (a?.kind === 'constant') return b?.kind === 'constant' && a.bits === b.bits && a.type === b.type;
  return a?.kind === 'undef' && b?.kind === 'undef' && a.type === b.type;
}

const areSame = (a: readonly Value[], b: readonly Value[]): boolean => {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (!isSame(a[index], b[index])) return false;
  return true;
};

const areSwapped = (a: readonly Value[], b: readonly Value[]): boolean =>
  a.length === 2 && b.length === 2 && isSame(a[0], b[1]) && isSame(a[1], b[0]);

/** Compares nested objects by identity, and lists by their elements. */
function areEqual(a: object, b: object): boolean {
  if (a === b) return true;
  const x = a as Readonly<Record<string, unknown>>;
  const y = b as Readonly<Record<string, unknown>>;
  for (const name in x) if (!isEqualAttribute(x[name], y[name])) return false;
  for (const name in y) if (!(name in x)) return false;
  return true;
}

function isEqualAttribute(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => isEqualAttribute(item, b[index]));
}

function grown(list: Int32Array): Int32Array {
  const longer = new Int32Array(2 * list.length);
  longer.set(list);
  return longer;
}

/** An empty set for the next user, because the allocation of large tables is slow. */
let spare: AvailableInsts | undefined;

/**
 * A set of instructions whose results are available. `find` finds an equal instruction, and
 * `truncate` removes the latest instructions.
 */
export class AvailableInsts {
  /** Returns an empty set for about this number of instructions. */
  static of(expected: number): AvailableInsts {
    const kept = spare;
    spare = undefined;
    return kept !== undefined && kept.latest.length >= expected ? kept : new AvailableInsts(expected);
  }

  size = 0;
  private readonly insts: (Inst | undefined)[];
  private hashes: Int32Array;
  /**
   * For each instruction, the previous instruction in its bucket; for each bucket, the latest
   * instruction. Positions start at 1, and 0 means none.
   */
  private before: Int32Array;
  private readonly latest: Int32Array;

  private constructor(expected: number) {
    const room = 2 ** Math.ceil(Math.log2(expected + 8));
    this.latest = new Int32Array(room);
    this.insts = new Array(room);
    this.hashes = new Int32Array(room);
    this.before = new Int32Array(room);
  }

  /** Returns an equal instruction of the set. If there is none, adds `inst`. */
  find(inst: Inst): Inst | undefined {
    const hash = hashOf(inst);
    const bucket = hash & (this.latest.length - 1);
    const latest = this.latest[bucket] ?? missing('a bucket', bucket);
    for (let at = latest; at > 0; at = this.before[at - 1] ?? missing('an instruction', at)) {
      const other = this.insts[at - 1];
      if (other !== undefined && this.hashes[at - 1] === hash && isEqual(other, inst)) return other;
    }
    const place = this.size;
    if (place === this.hashes.length) {
      this.hashes = grown(this.hashes);
      this.before = grown(this.before);
    }
    this.size = place + 1;
    this.insts[place] = inst;
    this.hashes[place] = hash;
    this.before[place] = latest;
    this.latest[bucket] = place + 1;
    return undefined;
  }

  /** Empties the set for another user. */
  release(): void {
    this.truncate(0);
    spare = this;
  }

  /** Removes all but the first `size` instructions. */
  truncate(size: number): void {
    while (this.size > size) {
      const last = this.size - 1;
      this.size = last;
      this.insts[last] = undefined;
      const hash = this.hashes[last] ?? missing('the hash of an instruction', last);
      this.latest[hash & (this.latest.length - 1)] = this.before[last] ?? missing('an instruction', last);
    }
  }
}
