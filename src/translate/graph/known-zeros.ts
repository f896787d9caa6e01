// Factors that the driver's compiler may know to be zero. It then takes the addend of a multiply-add for the result, also where the other factor is infinite or
// a NaN, and such a result looks ordinary.
import { get } from '../../base/invariants.ts';
import { isMmaRow } from '../../isa/index.ts';
import type { HelperName } from '../../wgsl/helpers.ts';
import { type Block, constantOf, type Func, type Param, type Result, type Value } from '../ir/nodes.ts';
import type { OpName } from '../ir/operations.ts';
import { widthOf } from '../ir/types.ts';
import { warpFacts } from '../ir/warp-facts.ts';
import { incomingEdges } from './users.ts';

const magnitude = 0x7fff_ffffn;
const infinity = 0x7f80_0000n;
const every = (1n << 64n) - 1n;

/** Which values of a function the driver's compiler may know to be zero. The function's blocks and their parameters stay as they are meanwhile. */
export class KnownZeros {
  private readonly known: Known;

  /**
   * With `hidden`, constants that choices or edges give are hidden from the driver (passes/hide-constants.ts). With `headers`, what reads the values
   * is too long for a driver to have a copy for each choice, or for each way to it, but for rounds of the loops that begin with these blocks.
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

  /** Bits of an integer that the driver may not find to be zeros. */
  unknownBits(value: Value): bigint {
    return unknownBits(this.known, value, 0);
  }

  /** Whether the driver may find one factor to be zero, while the other one may be infinite or a NaN. */
  mayDropProduct([a, b]: readonly Value[]): boolean {
    // Of a square both factors are the same zero.
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

/** How many operations behind each other are looked through: beyond them, a driver may know anything. */
const furthest = 40;

/**
 * Bits that may be ones, as far as any compiler can know: those of memory, and of what floating-point arithmetic gives behind its guards. What a driver
 * knows of lanes, votes and ranges is not known here, so there are none in these.
 */
function unknownBits(known: Known, value: Value, depth: number): bigint {
  if (value.kind === 'constant') return value.bits;
  if (value.kind === 'undef' || depth > furthest) return 0n;
  const found = known.bits.get(value);
  if (found !== undefined) return found;
  const visit = (next: Value | undefined): bigint => (next === undefined ? 0n : unknownBits(known, next, depth + 1));
  const given = (next: Value | undefined): bigint =>
    known.hidden && constantOf(next) !== undefined ? every : visit(next);
  // On the way back into a loop; the other ways decide.
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
  // A compiler may take rounds of a loop apart.
  return get(incoming, param.block, 'the edges into a block').reduce(
    (bits, { args }) => (bits === 0n ? 0n : bits & given(args[at])),
    every,
  );
}

const passingHelpers: ReadonlySet<HelperName> = new Set(['f32_flush', 'f32_canonical']);
const opaque: ReadonlySet<OpName> = new Set([
  ...(['load', 'atomic', 'fadd', 'fsub', 'fmul', 'ffma', 'fdiv', 'fsqrt', 'fapprox', 'fdivapprox', 'native'] as const),
]);
/** A value's other signs and types. */
export const passing: ReadonlySet<OpName> = new Set(['bitcast', 'fneg', 'fabs', 'fflush', 'fcanonical']);
/** What they make of no bits is none; of bits, any. */
const mixing: ReadonlySet<OpName> = new Set([
  ...(['sext', 'ubfe', 'sbfe', 'split', 'half', 'itof', 'ftof', 'fintegral', 'fsaturate'] as const),
]);
/** Some of both arguments' bits; and bits only where both have some. */
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
      return index === 0 && warpFacts[inst.attrs.row].results[0] === 'source' ? visit(first) : 0n;
    default:
      return 0n;
  }
}

const ones = (value: Value | undefined): bigint =>
  value === undefined ? 0n : (1n << BigInt(widthOf(value.type))) - 1n;
/** The lowest of bits, and all from a bit on. */
const lowest = (bits: bigint): bigint => bits & -bits;
const from = (bit: bigint): bigint => (bit === 0n ? 0n : every & ~(bit - 1n));

function shifted(bits: bigint, amount: bigint | undefined, right = false): bigint {
  if (amount === undefined) return bits === 0n ? 0n : every;
  return right ? bits >> amount : (bits << amount) & every;
}
