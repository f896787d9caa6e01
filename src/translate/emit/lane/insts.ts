// Writes the instructions of one lane: a row for each legal operation.
import { InternalError } from '../../../base/invariants.ts';
import * as w from '../../../wgsl/tree/build.ts';
import type { Expr, ScalarType, WgslType } from '../../../wgsl/tree/nodes.ts';
import { isAccess } from '../../ir/access-orders.ts';
import type { Inst, InstNamed } from '../../ir/nodes.ts';
import {
  type FloatRelation,
  type HelperType,
  type IntegerRelation,
  type NativeFloat,
  type OpName,
  operations,
} from '../../ir/operations.ts';
import { atomicWriterPart } from '../memory/atomic-part.ts';
import { writeLoad, writeStore } from '../memory/memory.ts';
import { withWaits, writeFence } from '../program/ordered-accesses.ts';
import { loadParam } from '../program/params.ts';
import type { Emitter, InstWriter } from '../values/emitter.ts';
import { wgslTypeOf } from '../values/held-values.ts';
import { writeCall } from './calls.ts';
import { writeMessage } from './messages.ts';
import { isChanging, readSpecial } from './specials.ts';
import { writeSteps } from './steps.ts';

type Operands = readonly Expr[];
type Expression<Op extends OpName> = (args: Operands, inst: InstNamed<Op>) => Expr;

const at = (args: Operands, index: number): Expr => {
  const arg = args[index];
  if (arg === undefined) throw new InternalError(`operand ${index + 1} is missing`);
  return arg;
};

const signed = (arg: Expr): Expr => (arg.kind === 'literal' ? w.i32(arg.bits) : w.bitcast('i32', arg));
const word = (value: Expr): Expr => w.bitcast('u32', value);

type Binary = (a: Expr, b: Expr) => Expr;
const two =
  (of: Binary) =>
  (args: Operands): Expr =>
    of(at(args, 0), at(args, 1));
const twoSigned = (of: Binary) => two((a, b) => word(of(signed(a), signed(b))));
const calling =
  (fn: string, type: ScalarType) =>
  (args: Operands): Expr =>
    w.builtin(fn, type, ...args);

/** Returns the writer of a bitwise operation, on words or on bools. */
const bitwise = (of: Binary, ofBool: Binary) => two((a, b) => (a.type === 'bool' ? ofBool(a, b) : of(a, b)));

function exclusiveOr(a: Expr, b: Expr): Expr {
  if (a.type === 'bool') {
    if (w.constantOf(b) === 1n) return w.not(a);
    return w.constantOf(a) === 1n ? w.not(b) : w.ne(a, b);
  }
  return w.constantOf(b) === 0xffff_ffffn ? w.complement(a) : w.xor(a, b);
}

/** Writes a sum. With a negative constant, subtracts the absolute value, which is more readable. */
function plus(a: Expr, b: Expr): Expr {
  const constant = w.constantOf(b);
  return constant !== undefined && constant > 0x8000_0000n ? w.sub(a, w.u32(-constant)) : w.add(a, b);
}

const relations: Readonly<Record<IntegerRelation, Binary>> = {
  eq: w.eq,
  ne: w.ne,
  ult: w.lt,
  ule: w.le,
  ugt: w.gt,
  uge: w.ge,
  slt: (a, b) => w.lt(signed(a), signed(b)),
  sle: (a, b) => w.le(signed(a), signed(b)),
  sgt: (a, b) => w.gt(signed(a), signed(b)),
  sge: (a, b) => w.ge(signed(a), signed(b)),
};

/** WGSL's own comparisons, for adapters whose comparisons are exact. */
const floatRelations: Readonly<Partial<Record<FloatRelation, Binary>>> = {
  eq: w.eq,
  lt: w.lt,
  le: w.le,
  gt: w.gt,
  ge: w.ge,
};

const helperTypes: Readonly<Record<HelperType, WgslType>> = {
  bool: 'bool',
  u32: 'u32',
  i32: 'i32',
  f32: 'f32',
  'vec2<u32>': w.vec2u,
};

/** Returns the arguments of a prelude function. A pair of words becomes a vector. */
function helperArguments(params: readonly HelperType[], args: Operands): Expr[] {
  let next = 0;
  return params.map((param) => {
    const first = at(args, next);
    next += 1;
    if (param === 'i32') return signed(first);
    if (param !== 'vec2<u32>') return first;
    const second = at(args, next);
    next += 1;
    return w.construct(w.vec2u, first, second);
  });
}

const natives: Readonly<Record<NativeFloat, (args: Operands) => Expr>> = {
  add: two(w.add),
  sub: two(w.sub),
  mul: two(w.mul),
  div: two(w.div),
  fma: calling('fma', 'f32'),
  sqrt: calling('sqrt', 'f32'),
  inverseSqrt: calling('inverseSqrt', 'f32'),
  sin: calling('sin', 'f32'),
  cos: calling('cos', 'f32'),
  log2: calling('log2', 'f32'),
  exp2: calling('exp2', 'f32'),
  tanh: calling('tanh', 'f32'),
  min: calling('min', 'f32'),
  max: calling('max', 'f32'),
  abs: calling('abs', 'f32'),
  neg: (args) => w.negate(at(args, 0)),
  round: calling('round', 'f32'),
  trunc: calling('trunc', 'f32'),
  floor: calling('floor', 'f32'),
  ceil: calling('ceil', 'f32'),
};

/**
 * Writes the extraction of a bit field with constant bounds. After legalization, the field is
 * inside the word.
 */
function field(args: Operands, isSigned: boolean): Expr {
  const value = at(args, 0);
  const bits = [at(args, 1), at(args, 2)];
  return isSigned
    ? word(w.builtin('extractBits', 'i32', signed(value), ...bits))
    : w.builtin('extractBits', 'u32', value, ...bits);
}

/** Pure operations with one result. */
const expressions: { readonly [Op in OpName]?: Expression<Op> } = {
  iadd: two(plus),
  isub: two(w.sub),
  imul: two(w.mul),
  udiv: two(w.div),
  urem: two(w.rem),
  and: bitwise(w.and, w.and),
  or: bitwise(w.or, w.or),
  xor: two(exclusiveOr),
  shlw: two(w.shl),
  lshrw: two(w.shr),
  ashrw: two((a, b) => word(w.shr(signed(a), b))),
  umin: calling('min', 'u32'),
  umax: calling('max', 'u32'),
  smin: twoSigned((a, b) => w.builtin('min', 'i32', a, b)),
  smax: twoSigned((a, b) => w.builtin('max', 'i32', a, b)),
  popcount: calling('countOneBits', 'u32'),
  bitreverse: calling('reverseBits', 'u32'),
  ubfe: (args) => field(args, false),
  sbfe: (args) => field(args, true),
  bfi: (args) => w.builtin('insertBits', 'u32', at(args, 1), at(args, 0), at(args, 2), at(args, 3)),
  icmp: (args, { attrs }) => relations[attrs.relation](at(args, 0), at(args, 1)),
  select: (args) => w.select(at(args, 0), at(args, 1), at(args, 2)),
  zext: (args) => w.construct('u32', at(args, 0)),
  bitcast: (args, { attrs }) => w.bitcast(wgslTypeOf(attrs.to), at(args, 0)),
  native: (args, { attrs }) => natives[attrs.fn](args),
  fcmp: (args, { attrs }) => {
    const relation = floatRelations[attrs.relation];
    if (relation === undefined) throw new InternalError(`fcmp ${attrs.relation} is not legal`);
    return relation(at(args, 0), at(args, 1));
  },
  itof: (args, { attrs }) => w.construct('f32', attrs.signed ? signed(at(args, 0)) : at(args, 0)),
};

/** Operations that are statements or have several results. */
const statements: { readonly [Op in OpName]?: (emitter: Emitter, inst: InstNamed<Op>) => void } = {
  helper: writeHelper,
  steps: writeSteps,
  load: writeLoad,
  store: writeStore,
  atomic: (emitter, inst) => atomicWriterPart.content.writeAtomic(emitter, inst),
  half: (emitter, inst) => atomicWriterPart.content.writeHalf(emitter, inst),
  cell: (emitter, inst) => atomicWriterPart.content.writeCell(emitter, inst),
  call: writeCall,
  special: writeSpecial,
  message: writeMessage,
  fence: writeFence,
};

/** Emits an instruction that involves one lane only. */
function writeInst(emitter: Emitter, inst: Inst): void {
  const statement = statements[inst.op] as ((emitter: Emitter, inst: Inst) => void) | undefined;
  if (statement) {
    if (isAccess(inst)) withWaits(emitter, inst, () => statement(emitter, inst));
    else statement(emitter, inst);
    return;
  }
  const expression = expressions[inst.op] as ((args: Operands, inst: Inst) => Expr) | undefined;
  const result = inst.results[0];
  if (expression === undefined || result === undefined) throw new InternalError(`${inst.op} is not legal`);
  emitter.defineInst(result, inst, expression);
}

function writeHelper(emitter: Emitter, inst: InstNamed<'helper'>): void {
  const { name, params, result } = inst.attrs;
  const call = (slot: Expr): Expr =>
    w.helper(
      name,
      helperTypes[result],
      ...helperArguments(
        params,
        inst.args.map((arg) => emitter.read(arg, slot)),
      ),
    );
  const [first, second] = inst.results;
  if (first === undefined) return;
  const height = emitter.heightOfAll(inst.args);
  if (second === undefined) {
    emitter.defineOrInline(first, height, (slot) => (result === 'i32' ? word(call(slot)) : call(slot)));
    return;
  }
  // Absent: the result has no name in PTX.
  const pair = emitter.name(first.hint ?? 'pair', call(emitter.slot));
  emitter.define(first, w.swizzle(pair, 'x'));
  emitter.define(second, w.swizzle(pair, 'y'));
}

function writeSpecial(emitter: Emitter, inst: InstNamed<'special'>): void {
  const [result] = inst.results;
  if (result && isChanging(inst.attrs.name))
    emitter.define(result, readSpecial(emitter, inst.attrs.name, emitter.slot));
}

/**
 * Defines a value that needs no statement. Special registers and parameters have the same value
 * everywhere, and their expressions are as short as a name.
 */
function writeAlias(emitter: Emitter, inst: Inst): void {
  if (inst.op === 'special') {
    const [result] = inst.results;
    const { name } = inst.attrs;
    if (result && !isChanging(name)) emitter.values.alias(result, (slot) => readSpecial(emitter, name, slot));
  } else if (inst.op === 'load' && inst.attrs.place.root.kind === 'param' && inst.when === undefined) {
    const { param } = inst.attrs.place.root;
    const first = inst.attrs.place.offset / 4;
    inst.results.forEach((result, index) => {
      emitter.values.alias(result, () => loadParam(emitter.uses, param, first + index));
    });
  }
}

/** Emits the instructions of one lane. */
export const instWriter: InstWriter = { write: writeInst, alias: writeAlias };

/** Whether the emitter supports an operation. */
export const isWritable = (op: OpName): boolean =>
  expressions[op] !== undefined ||
  statements[op] !== undefined ||
  operations[op].effect === 'warp' ||
  operations[op].effect === 'block';
