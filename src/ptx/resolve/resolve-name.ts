// Resolves names as operands: registers, special registers and symbols, checked against the
// instruction's slot.

import type { OperandSlot } from '../../isa/match.ts';
import type { IsaRow, Mods, PtxType } from '../../isa/row.ts';
import { type SpecialRegister, specialRegisters } from '../../isa/special-registers.ts';
import type { Diagnostic, Operand, Register, RegisterOperand, Span, Variable } from '../ast.ts';
import type { TargetRules } from '../checks/target.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Reporter, SyntaxFailure } from '../diagnostics/reporter.ts';
import { nearest } from '../diagnostics/suggest.ts';
import type { NameOperand, RawOperand, RawStatement, RawVariable } from '../syntax.ts';
import { bytesOf, type Fit, fits, isFloat, isInteger, isUntyped, widthOf } from '../types.ts';
import { takesConstant } from './added-instructions.ts';
import type { FunctionAddresses } from './function-addresses.ts';
import type { Entity, Scope } from './scope.ts';

const specialsByName = new Map<string, SpecialRegister>(specialRegisters.map((special) => [special.name, special]));
const vectorSpecials = new Set(
  specialRegisters.flatMap(({ name }) => (name.endsWith('.x') ? [name.slice(0, -2)] : [])),
);
const elementAliases: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, w: 3, r: 0, g: 1, b: 2, a: 3 };

/** Whether PTX has this special register, though the listing does not. */
function isUnsupportedSpecialRegister(name: string): boolean {
  return /^%(pm[0-7](_64)?|aggr_smem_size|current_graph_exec)$/.test(name);
}

/** Whether a name denotes a special register, or a vector of special registers (`%tid`). */
export function isSpecialName(name: string): boolean {
  return specialsByName.has(name) || vectorSpecials.has(name) || isUnsupportedSpecialRegister(name);
}

export type Prototype = Extract<RawStatement, { readonly kind: 'prototype' | 'callees' }>;

/** The information that determines the meaning of names in a function. */
export interface NameContext {
  readonly scope: Scope;
  readonly reporter: Reporter;
  readonly rules: TargetRules;
  readonly isFunction: (name: string) => boolean;
  readonly addresses: FunctionAddresses;
  /** Returns the prototype of indirect calls that a label declares. */
  readonly prototypeOf: (name: string) => Prototype | undefined;
  readonly isLabel: (name: string) => boolean;
  /**
   * Creates an addition before the instruction. Returns the register that contains the sum of
   * `register` and the constant.
   */
  readonly addConstant: (register: Register, constant: bigint, span: Span) => Register;
  /** Creates a destination for a result that a call discards. */
  readonly makeSink: (parameter: RawVariable, span: Span) => Variable | RegisterOperand;
  /** Returns a label that explains the register's type. */
  readonly typeLabel: (register: Register) => { readonly span: Span; readonly text: string };
}

/** The instruction to which an operand belongs. */
export interface OperandContext extends NameContext {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly opcode: string;
  /**
   * For each slot used so far: the type of a register that is valid in the slot without further
   * checks, and how closely the type must match.
   */
  readonly registers: Map<OperandSlot, RegisterSlot | undefined>;
}

export interface RegisterSlot {
  readonly wanted: PtxType;
  readonly fit: Fit;
}

/** Returns the context of an instruction. Lists all members, because object spread is slow. */
export function contextOf(names: NameContext, row: IsaRow, mods: Mods, opcode: string): OperandContext {
  return {
    row,
    mods,
    opcode,
    scope: names.scope,
    reporter: names.reporter,
    rules: names.rules,
    isFunction: names.isFunction,
    addresses: names.addresses,
    prototypeOf: names.prototypeOf,
    isLabel: names.isLabel,
    addConstant: names.addConstant,
    makeSink: names.makeSink,
    typeLabel: names.typeLabel,
    registers: new Map(),
  };
}

/** Abandons the instruction. */
export function fail(diagnostic: Diagnostic): never {
  throw new SyntaxFailure(diagnostic);
}

export function undefinedName(raw: NameOperand, context: OperandContext): never {
  const text = raw.component === undefined ? raw.name : `${raw.name}.${raw.component}`;
  if (context.isFunction(raw.name)) return fail(diagnostics().symbolNotAllowed(raw.span, raw.name, context.opcode));
  if (context.isLabel(raw.name)) return fail(diagnostics().labelNotAllowed(raw.span, raw.name));
  if (isUnsupportedSpecialRegister(raw.name)) return fail(diagnostics().unsupportedSpecial(raw.span, text));
  if (vectorSpecials.has(raw.name)) {
    return fail(
      raw.component === undefined
        ? diagnostics().specialNeedsAxis(raw.span, raw.name)
        : diagnostics().badComponent(raw.span, raw.name, raw.component),
    );
  }
  const range = context.scope.nearRange(raw.name);
  if (range !== undefined)
    return fail(diagnostics().outsideRange(raw.span, text, range.prefix, range.count, range.span));
  const { reporter, scope } = context;
  if (!raw.name.startsWith('%')) {
    const near = reporter.suggestion(raw.name, () => nearest(raw.name, scope.visibleNames()));
    return fail(diagnostics().undefinedName(raw.span, text, near));
  }
  const near = reporter.suggestion(
    text,
    () => nearest(text, specialsByName.keys()) ?? nearest(raw.name, scope.visibleNames()),
  );
  return fail(diagnostics().unknownSpecial(raw.span, text, near));
}

function checkRegister(raw: NameOperand, register: Register, wanted: PtxType, fit: Fit, context: OperandContext): void {
  if (fits(register.type, wanted, fit)) return;
  fail(diagnostics().typeMismatch(raw.span, register.name, register.type, wanted, [context.typeLabel(register)]));
}

/** Returns the register that a name denotes, or undefined if the name denotes a whole vector. */
export function elementOf(raw: NameOperand, entity: Entity): Register | undefined {
  if (raw.component === undefined) return entity.kind === 'register' ? entity.register : undefined;
  const index = elementAliases[raw.component] ?? -1;
  const element = entity.kind === 'vector' ? entity.elements[index] : undefined;
  return element ?? fail(diagnostics().badComponent(raw.span, raw.name, raw.component));
}

function checkNegation(raw: NameOperand, slot: OperandSlot, wanted: PtxType): void {
  if (raw.sign === '') return;
  if (raw.sign === '!' && wanted === 'pred' && !slot.destination) return;
  fail(diagnostics().notNegatable({ start: raw.span.start, end: raw.span.start + 1 }, raw.sign));
}

function resolveSpecial(
  raw: NameOperand,
  special: SpecialRegister,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  const { row, opcode } = context;
  if (slot.destination) return fail(diagnostics().writtenOperand(raw.span, `special register \`${special.name}\``));
  if (row.names !== 'special' && row.names !== 'anything')
    return fail(diagnostics().specialNotAllowed(raw.span, special.name, opcode));
  if (raw.offset !== undefined || raw.index !== undefined)
    return fail(diagnostics().addedToRegister(raw.span, special.name, undefined));
  checkNegation(raw, slot, wanted);
  const isMove = row.names === 'anything';
  // A 32-bit special register may be read as 16 bits, because these registers had 16 bits in PTX 1.
  const narrow = isMove && widthOf(wanted) === 16 && widthOf(special.type) === 32 && !isFloat(wanted);
  // Before PTX 3.0, `%gridid` had 32 bits.
  const isOldGrid = isMove && special.name === '%gridid' && widthOf(wanted) === 32 && !isFloat(wanted);
  if (!narrow && !isOldGrid && !fits(special.type, wanted, row.registers ?? 'exact')) {
    return fail(diagnostics().specialWidth(raw.span, special.name, special.type, wanted));
  }
  const objection = context.rules.check(special.name, raw.span, special);
  if (objection !== undefined) context.reporter.report(objection);
  return { kind: 'special', name: special.name, type: special.type, span: raw.span };
}

export function byteOffset(
  raw: NameOperand | Extract<RawOperand, { kind: 'address' }>,
  variable: Variable | undefined,
): number {
  const offset = (raw.offset ?? 0n) + (raw.index ?? 0n) * BigInt(variable === undefined ? 1 : bytesOf(variable.type));
  if (offset < -(1n << 32n) || offset >= 1n << 33n)
    fail(diagnostics().outOfRange(raw.span, 'an offset', `${-(2 ** 32)} to ${2 ** 33}`));
  return Number(offset);
}

/**
 * Whether an instruction accepts the name of a variable as the variable's address. Without a state
 * space, only moves accept it.
 */
const takesSymbol = ({ row, mods }: OperandContext): boolean =>
  row.names === 'anything' || (row.names === 'variable' && mods.space !== undefined);

function resolveSymbol(
  raw: NameOperand,
  variable: Variable,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  const { row, opcode } = context;
  if (slot.destination) return fail(diagnostics().writtenOperand(raw.span, `variable \`${raw.name}\``));
  const addressable = (isInteger(wanted) || isUntyped(wanted)) && widthOf(wanted) >= 32;
  if (!takesSymbol(context) || !addressable) return fail(diagnostics().symbolNotAllowed(raw.span, raw.name, opcode));
  checkNegation(raw, slot, wanted);
  if (row.names !== 'anything') checkSpace(raw.name, variable, raw.span, context, slot);
  return { kind: 'symbol', variable, offset: byteOffset(raw, variable), span: raw.span };
}

/** Resolves the name of a function to the function's address, which is a constant. */
function resolveFunctionAddress(
  raw: NameOperand,
  slot: OperandSlot,
  wanted: PtxType,
  { row, addresses }: OperandContext,
): Operand | undefined {
  const isPlain = raw.component === undefined && raw.sign === '' && raw.offset === undefined && raw.index === undefined;
  const takes = row.names === 'anything' && !slot.destination && (isInteger(wanted) || isUntyped(wanted));
  if (!isPlain || !takes || widthOf(wanted) < 32) return undefined;
  const address = addresses.take(raw.name);
  if (address === undefined) return undefined;
  return { kind: 'immediate', bits: BigInt(address), type: wanted, span: raw.span };
}

/**
 * Resolves a name that denotes a whole register, which is the common case. Returns undefined for
 * all other names.
 */
export function resolvePlainRegister(
  raw: NameOperand,
  { wanted, fit }: RegisterSlot,
  context: OperandContext,
): RegisterOperand | undefined {
  const isPlain = raw.component === undefined && raw.sign === '' && raw.offset === undefined && raw.index === undefined;
  const entity = isPlain ? context.scope.find(raw.name) : undefined;
  if (entity?.kind !== 'register' || !fits(entity.register.type, wanted, fit)) return undefined;
  return { kind: 'register', register: entity.register, negated: false, span: raw.span };
}

export function resolveName(
  raw: NameOperand,
  slot: OperandSlot,
  wanted: PtxType,
  fit: Fit,
  context: OperandContext,
): Operand {
  const entity = context.scope.find(raw.name);
  if (entity === undefined) {
    const special = specialsByName.get(raw.component === undefined ? raw.name : `${raw.name}.${raw.component}`);
    if (special !== undefined) return resolveSpecial(raw, special, slot, wanted, context);
    return resolveFunctionAddress(raw, slot, wanted, context) ?? undefinedName(raw, context);
  }
  if (entity.kind === 'opaque') return fail(diagnostics().unsupportedOpaque(raw.span, raw.name, entity.type));
  if (entity.kind === 'variable') {
    if (raw.component !== undefined) return fail(diagnostics().badComponent(raw.span, raw.name, raw.component));
    return resolveSymbol(raw, entity.variable, slot, wanted, context);
  }
  const register = elementOf(raw, entity);
  if (register === undefined) return fail(diagnostics().notVector(raw.span));
  if (raw.index !== undefined) return fail(diagnostics().addressOfLocal(raw.span, raw.name));
  if (raw.offset !== undefined && (slot.destination || !takesConstant(register)))
    return fail(diagnostics().addedToRegister(raw.span, raw.name, slot.destination ? undefined : register.type));
  checkNegation(raw, slot, wanted);
  checkRegister(raw, register, wanted, fit, context);
  if (raw.offset !== undefined) {
    const sum = context.addConstant(register, raw.offset, raw.span);
    return { kind: 'register', register: sum, negated: false, span: raw.span };
  }
  return { kind: 'register', register, negated: raw.sign === '!', span: raw.span };
}

export function checkSpace(
  name: string,
  variable: Variable,
  span: Span,
  { row, mods }: OperandContext,
  slot: OperandSlot,
): void {
  const stated = mods.space ?? row.spaces?.[slot.name];
  const wanted = stated?.split('::')[0];
  if (wanted === variable.space) return;
  if (wanted === undefined) {
    // An access without a state space uses the state space of the variable. ptxas rejects such
    // accesses to constants and parameters.
    if (variable.space !== 'const' && variable.space !== 'param') return;
    return fail(diagnostics().notNamedGenerically(span, name, variable.space, variable.span));
  }
  fail(diagnostics().wrongSpace(span, name, variable.space, wanted, variable.span));
}
