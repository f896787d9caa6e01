// Finds factors that the driver's compiler may know to be zero. For such a factor, the compiler
// replaces a multiply-add by its addend, even if the other factor is infinite or a NaN. The result
// should then be a NaN, but looks ordinary.
import { get } from '../../base/invariants.ts';
import { isMmaRow } from '../../isa/row-names.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import { type Block, constantOf, type Func, type Param, type Result, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';
import { widthOf } from '../ir/types.ts';
import { warpFacts } from '../ir/warp-facts.ts';
import { incomingEdges } from './users.ts';

const magnitude = 0x7fff_ffffn;
const infinity = 0x7f80_0000n;
const every = (1n << 64n) - 1n;

/**
 * The values of a function that the driver's compiler may know to be zero. The function's blocks
 * and their parameters must not change while this is in use.
 */
export class KnownZeros {
  private readonly known: Known;

  /**
   * `hidden`: passes/hide-constants.ts hides constant operands of selections and edges from the
   * driver. `headers`: the code that reads the values is too long for a driver to duplicate for
   * each selection or edge. The driver may still peel iterations of the loops with these headers.
   */
  constructor(
    func: Func,
    { hidden = false, headers }: { readonly hidden?: boolean; readonly headers?: ReadonlySet<Block> } = {},
  ) {
    this.known = { func, incoming: incomingEdges(func), bits: new Map(), hidden, headers };
  }

  mayBeZero(value: Value): boolean {
    return (unknownBits(this.known, value, 0) & magnitude) === 0n;
  }

  /** Returns the bits of an integer that the driver cannot prove to be zero. */
  unknownBits(value: Value): bigint {
    return unknownBits(this.known, value, 0);
  }

  /**
   * Whether the driver may know that one factor is zero while the other may be infinite or a NaN.
   */
  mayDropProduct([a, b]: readonly Value[]): boolean {
    // Both factors of a square are the same value, so one cannot be zero and the other infinite.
    if (a === undefined || b === undefined || a === b) return false;
    return (this.mayBeZero(a) && !isKnownFinite(b)) || (this.mayBeZero(b) && !isKnownFinite(a));
  }
}

function isKnownFinite(value: Value): boolean {
  const bits = constantOf(value);
  return bits !== undefined && (bits & magnitude) < infinity;
}

interface Known {
  readonly func: Func;
  readonly incoming: ReturnType<typeof incomingEdges>;
  readonly bits: Map<Value, bigint>;
  readonly hidden: boolean;
  readonly headers: ReadonlySet<Block> | undefined;
}

/**
 * The maximum depth of the search through operands. Deeper values count as known: a driver may know
 * all their bits.
 */
const furthest = 40;

/**
 * Returns the bits that no compiler can prove to be zero: bits from memory, and from floating-point
 * arithmetic after its guards. Drivers may have facts about lanes, votes and ranges, which are not
 * modeled here. So those bits are assumed to be known.
 */
function unknownBits(known: Known, value: Value, depth: number): bigint {
  if (value.kind === 'constant') return value.bits;
  if (value.kind === 'undef' || depth > furthest) return 0n;
  const found = known.bits.get(value);
  if (found !== undefined) return found;
  const visit = (next: Value | undefined): bigint => (next === undefined ? 0n : unknownBits(known, next, depth + 1));
  const given = (next: Value | undefined): bigint =>
    known.hidden && constantOf(next) !== undefined ? every : visit(next);
  // During the visit of a loop-carried value, all of its bits are assumed to be unknown, so that
  // the other edges determine them.
  known.bits.set(value, every);
  const bits = value.kind === 'param' ? paramBits(known, value, given) : bitsOf(known, value, visit, given);
  known.bits.set(value, bits);
  return bits;
}

type Visit = (value: Value | undefined) => bigint;

function paramBits({ func, incoming, headers }: Known, param: Param, given: Visit): bigint {
  if (param.block === func.blocks[0]) return 0n;
  const at = param.block.params.indexOf(param);
  if (headers !== undefined && !headers.has(param.block))
    return get(incoming, param.block, 'the edges into a block').reduce((bits, { args }) => bits | given(args[at]), 0n);
  // A compiler may peel iterations of a loop, so the bits of every edge count.
  return get(incoming, param.block, 'the edges into a block').reduce(
    (bits, { args }) => (bits === 0n ? 0n : bits & given(args[at])),
    every,
  );
}

const passingHelpers: ReadonlySet<HelperName> = new Set(['f32_flush', 'f32_canonical']);
const opaque: ReadonlySet<OpName> = new Set([
  ...(['load', 'atomic', 'fadd', 'fsub', 'fmul', 'ffma', 'fdiv', 'fsqrt', 'fapprox', 'fdivapprox', 'native'] as const),
]);
/** Operations that change the sign or the type of a value. */
export const passing: ReadonlySet<OpName> = new Set(['bitcast', 'fneg', 'fabs', 'fflush', 'fcanonical']);
/**
 * Operations whose result has no unknown bits if the argument has none; otherwise, any bit may be
 * unknown.
 */
const mixing: ReadonlySet<OpName> = new Set([
  ...(['sext', 'ubfe', 'sbfe', 'split', 'half', 'itof', 'ftof', 'fintegral', 'fsaturate'] as const),
]);
/**
 * `joining`: any bit may be unknown if either argument has unknown bits. `choosing`: any bit may be
 * unknown if both arguments have unknown bits.
 */
const joining: ReadonlySet<OpName> = new Set(['umax', 'smax', 'join', 'bfi']);
const choosing: ReadonlySet<OpName> = new Set(['umin', 'smin', 'fmin', 'fmax']);
const choosingHelpers: ReadonlySet<HelperName> = new Set(['f32_min', 'f32_max', 'f32_min_nan', 'f32_max_nan']);

function bitsOf({ headers }: Known, { inst, index }: Result, visit: Visit, given: Visit): bigint {
  const [first, second] = inst.args;
  const any = (bits: boolean): bigint => (bits ? every : 0n);
  const both = (): boolean => visit(first) !== 0n && visit(second) !== 0n;
  if (opaque.has(inst.op)) return every;
  if (passing.has(inst.op)) return visit(first);
  if (mixing.has(inst.op)) return any(visit(first) !== 0n);
  if (joining.has(inst.op)) return any((visit(first) | visit(second)) !== 0n);
  if (choosing.has(inst.op)) return any(both());
  switch (inst.op) {
    case 'helper':
      if (choosingHelpers.has(inst.attrs.name)) return any(both());
      return passingHelpers.has(inst.attrs.name) ? visit(first) : every;
    case 'iadd':
    case 'isub':
      return from(lowest(visit(first) | visit(second)));
    case 'imul':
      return both() ? from(lowest(visit(first)) * lowest(visit(second))) : 0n;
    case 'zext':
    case 'trunc':
      return visit(first) & ones(first) & ones(inst.results[0]);
    case 'and':
      return visit(first) & visit(second);
    case 'select':
      return headers === undefined ? given(second) & given(inst.args[2]) : given(second) | given(inst.args[2]);
    case 'or':
    case 'xor':
      return visit(first) | visit(second);
    case 'shl':
    case 'shlw':
      return shifted(visit(first), constantOf(second));
    case 'lshr':
    case 'lshrw':
      return shifted(visit(first) & ones(first), constantOf(second), true);
    case 'warp':
      if (isMmaRow(inst.attrs.row)) return every;
      return index === 0 && warpFacts(inst.attrs.row).results[0] === 'source' ? visit(first) : 0n;
    default:
      return 0n;
  }
}

const ones = (value: Value | undefined): bigint =>
  value === undefined ? 0n : (1n << BigInt(widthOf(value.type))) - 1n;
/** Returns the lowest set bit. `from` returns all bits from a bit upwards. */
const lowest = (bits: bigint): bigint => bits & -bits;
const from = (bit: bigint): bigint => (bit === 0n ? 0n : every & ~(bit - 1n));

function shifted(bits: bigint, amount: bigint | undefined, right = false): bigint {
  if (amount === undefined) return bits === 0n ? 0n : every;
  return right ? bits >> amount : (bits << amount) & every;
}
