// One operand: from its text to what it stands for, checked against what the instruction wants there.
import { type IsaRow, type Mods, type PtxType, type SpecialRegister, specialRegisters } from '../isa/index.ts';
import type { OperandSlot } from '../isa/match.ts';
import type { AddressOperand, Operand, Register, Span, Variable, VectorOperand } from './ast.ts';
import { type Constant, convertConstant, rangeOf } from './constants.ts';
import { diagnostics } from './diagnostics.ts';
import { isUnsupportedSpecialRegister } from './known-opcodes.ts';
import { type Reporter, SyntaxFailure } from './reporter.ts';
import type { Entity, Scope } from './scope.ts';
import { elementNames } from './scope.ts';
import { nearest } from './suggest.ts';
import type { NameOperand, RawOperand } from './syntax.ts';
import type { TargetRules } from './target.ts';
import { bytesOf, type Fit, fits, isFloat, isInteger, isUntyped, widthOf } from './types.ts';

const specialsByName = new Map<string, SpecialRegister>(specialRegisters.map((special) => [special.name, special]));
const vectorSpecials = new Set(
  specialRegisters.flatMap(({ name }) => (name.endsWith('.x') ? [name.slice(0, -2)] : [])),
);
const elementAliases: Readonly<Record<string, number>> = { x: 0, y: 1, z: 2, w: 3, r: 0, g: 1, b: 2, a: 3 };

export function specialNamed(name: string): SpecialRegister | undefined {
  return specialsByName.get(name);
}

/// Whether a name is a special register's (or, as `%tid`, the vector of some).
export function isSpecialName(name: string): boolean {
  return specialsByName.has(name) || vectorSpecials.has(name) || isUnsupportedSpecialRegister(name);
}

/// The instruction an operand belongs to.
export interface OperandContext {
  readonly row: IsaRow;
  readonly mods: Mods;
  readonly opcode: string;
  readonly scope: Scope;
  readonly reporter: Reporter;
  readonly rules: TargetRules;
  readonly isFunction: (name: string) => boolean;
  readonly isLabel: (name: string) => boolean;
  /// What to say about where a register got its type.
  readonly typeLabel: (register: Register) => { readonly span: Span; readonly text: string };
}

/// Destinations that PTX lets a program throw away with `_`.
const discardable: Readonly<Record<string, readonly string[]>> = {
  'shfl.sync': ['p'],
  shfl: ['p'],
  'match.all.sync': ['d', 'p'],
  'elect.sync': ['d'],
  setp: ['p', 'q'],
  'setp.bool': ['p', 'q'],
  'setp.f32': ['p', 'q'],
  'setp.bool.f32': ['p', 'q'],
  atom: ['d'],
};

const fail = (diagnostic: ReturnType<(typeof diagnostics)['wantsAddress']>): never => {
  throw new SyntaxFailure(diagnostic);
};

export function fitOf(row: IsaRow, slot: OperandSlot): Fit {
  const relaxed = /^(ld|st|cvt)\b/.test(row.name) || row.name === 'ldu';
  return relaxed && row.name !== 'cvt.pack' && slot.type !== 'address' ? 'wider' : 'exact';
}

function undefinedName(raw: NameOperand, context: OperandContext): never {
  const text = raw.component === undefined ? raw.name : `${raw.name}.${raw.component}`;
  if (context.isFunction(raw.name)) return fail(diagnostics.functionAddress(raw.span, raw.name));
  if (context.isLabel(raw.name)) return fail(diagnostics.labelNotAllowed(raw.span, raw.name));
  if (isUnsupportedSpecialRegister(raw.name)) return fail(diagnostics.unsupportedSpecial(raw.span, text));
  if (vectorSpecials.has(raw.name)) {
    return fail(
      raw.component === undefined
        ? diagnostics.specialNeedsAxis(raw.span, raw.name)
        : diagnostics.badComponent(raw.span, raw.name, raw.component),
    );
  }
  const visible = [...context.scope.visibleNames()];
  if (!raw.name.startsWith('%')) return fail(diagnostics.undefinedName(raw.span, text, nearest(raw.name, visible)));
  const near = nearest(text, specialsByName.keys()) ?? nearest(raw.name, visible);
  return fail(diagnostics.unknownSpecial(raw.span, text, near));
}

function checkRegister(raw: NameOperand, register: Register, wanted: PtxType, fit: Fit, context: OperandContext): void {
  if (fits(register.type, wanted, fit)) return;
  fail(diagnostics.typeMismatch(raw.span, register.name, register.type, wanted, [context.typeLabel(register)]));
}

function elementOf(raw: NameOperand, entity: Entity): Register | undefined {
  if (raw.component === undefined) return entity.kind === 'register' ? entity.register : undefined;
  const index = elementAliases[raw.component] ?? -1;
  const element = entity.kind === 'vector' ? entity.elements[index] : undefined;
  return element ?? fail(diagnostics.badComponent(raw.span, raw.name, raw.component));
}

function checkNegation(raw: NameOperand, slot: OperandSlot, wanted: PtxType): void {
  if (raw.sign === '') return;
  if (raw.sign === '!' && wanted === 'pred' && !slot.destination) return;
  fail(diagnostics.notNegatable({ start: raw.span.start, end: raw.span.start + 1 }, raw.sign));
}

function resolveSpecial(
  raw: NameOperand,
  special: SpecialRegister,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  const { row, opcode } = context;
  if (slot.destination) return fail(diagnostics.writtenOperand(raw.span, `special register \`${special.name}\``));
  if (row.name !== 'mov' && row.name !== 'cvt')
    return fail(diagnostics.specialNotAllowed(raw.span, special.name, opcode));
  checkNegation(raw, slot, wanted);
  // A 32-bit special register may be read as 16 bits, as PTX 1 did when they were that wide.
  const narrow = row.name === 'mov' && widthOf(wanted) === 16 && widthOf(special.type) === 32 && !isFloat(wanted);
  if (!narrow && !fits(special.type, wanted, row.name === 'cvt' ? 'wider' : 'exact')) {
    return fail(diagnostics.specialWidth(raw.span, special.name, special.type, wanted));
  }
  const objection = context.rules.check(special.name, raw.span, special);
  if (objection !== undefined) context.reporter.report(objection);
  return { kind: 'special', name: special.name, type: special.type, span: raw.span };
}

function byteOffset(
  raw: NameOperand | Extract<RawOperand, { kind: 'address' }>,
  variable: Variable | undefined,
): number {
  const offset = (raw.offset ?? 0n) + (raw.index ?? 0n) * BigInt(variable === undefined ? 1 : bytesOf(variable.type));
  if (offset < -(1n << 32n) || offset >= 1n << 33n)
    fail(diagnostics.outOfRange(raw.span, 'an offset', `${-(2 ** 32)} to ${2 ** 33}`));
  return Number(offset);
}

function resolveSymbol(
  raw: NameOperand,
  variable: Variable,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  const { row, opcode } = context;
  if (slot.destination) return fail(diagnostics.writtenOperand(raw.span, `variable \`${raw.name}\``));
  const addressable = (isInteger(wanted) || isUntyped(wanted)) && widthOf(wanted) >= 32;
  if ((row.name !== 'mov' && row.name !== 'cvta') || !addressable)
    return fail(diagnostics.symbolNotAllowed(raw.span, raw.name, opcode));
  checkNegation(raw, slot, wanted);
  if (row.name === 'cvta') checkSpace(raw.name, variable, raw.span, context);
  return { kind: 'symbol', variable, offset: byteOffset(raw, variable), span: raw.span };
}

function resolveName(raw: NameOperand, slot: OperandSlot, wanted: PtxType, fit: Fit, context: OperandContext): Operand {
  const entity = context.scope.find(raw.name);
  if (entity === undefined) {
    const special = specialsByName.get(raw.component === undefined ? raw.name : `${raw.name}.${raw.component}`);
    return special === undefined ? undefinedName(raw, context) : resolveSpecial(raw, special, slot, wanted, context);
  }
  if (entity.kind === 'variable') {
    if (raw.component !== undefined) return fail(diagnostics.badComponent(raw.span, raw.name, raw.component));
    return resolveSymbol(raw, entity.variable, slot, wanted, context);
  }
  const register = elementOf(raw, entity);
  if (register === undefined) return fail(diagnostics.notVector(raw.span));
  if (raw.offset !== undefined || raw.index !== undefined) return fail(diagnostics.addressOfLocal(raw.span, raw.name));
  checkNegation(raw, slot, wanted);
  checkRegister(raw, register, wanted, fit, context);
  return { kind: 'register', register, negated: raw.sign === '!', span: raw.span };
}

/// A constant as bits of `type`; warns where bits are lost.
export function resolveConstant(value: Constant, type: PtxType, span: Span, reporter: Reporter): Operand {
  const converted = convertConstant(value, type);
  if ('mismatch' in converted) {
    const make = converted.mismatch === 'integer for float' ? diagnostics.integerForFloat : diagnostics.floatForInteger;
    return fail(make(span, type));
  }
  if (converted.truncated) reporter.report(diagnostics.truncated(span, type, rangeOf(type)));
  return { kind: 'immediate', bits: converted.bits, type, span };
}

/// A value: register, constant, special register or symbol.
function resolveScalar(raw: RawOperand, slot: OperandSlot, wanted: PtxType, context: OperandContext): Operand {
  switch (raw.kind) {
    case 'name':
      return resolveName(raw, slot, wanted, fitOf(context.row, slot), context);
    case 'constant':
      if (slot.destination) return fail(diagnostics.writtenOperand(raw.span, 'a constant'));
      return resolveConstant(raw.value, wanted, raw.span, context.reporter);
    case 'sink':
      if (!slot.destination) return fail(diagnostics.sinkAsSource(raw.span));
      if (!discardable[context.row.name]?.includes(slot.name))
        return fail(diagnostics.sinkNotAllowed(raw.span, context.opcode));
      return { kind: 'sink', span: raw.span };
    case 'address':
      return fail(diagnostics.notAddress(raw.span));
    case 'vector':
      return fail(diagnostics.notVector(raw.span));
    case 'pair':
      return fail(diagnostics.pairNotAllowed(raw.span));
  }
}

function resolveElement(
  raw: RawOperand,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): VectorOperand['elements'][number] {
  if (raw.kind === 'sink') return slot.destination ? raw : fail(diagnostics.sinkAsSource(raw.span));
  const operand = resolveScalar(raw, slot, wanted, context);
  if (
    operand.kind === 'register' ||
    operand.kind === 'immediate' ||
    operand.kind === 'special' ||
    operand.kind === 'symbol'
  )
    return operand;
  return fail(diagnostics.notVector(raw.span));
}

/// The elements of a vector register named as a whole.
function wholeVector(raw: RawOperand, context: OperandContext): readonly Register[] | undefined {
  if (raw.kind !== 'name' || raw.component !== undefined || raw.sign !== '') return undefined;
  const entity = context.scope.find(raw.name);
  return entity?.kind === 'vector' ? entity.elements : undefined;
}

function asVector(raw: RawOperand, context: OperandContext): RawOperand[] | undefined {
  if (raw.kind === 'vector') return [...raw.elements];
  const whole = wholeVector(raw, context);
  if (whole === undefined || raw.kind !== 'name') return undefined;
  return whole.map((_, index) => ({ ...raw, component: elementNames[index] }));
}

function resolveMemoryVector(
  raw: RawOperand,
  size: number,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  const elements = asVector(raw, context) ?? fail(diagnostics.wantsVector(raw.span, size));
  if (elements.length !== size) return fail(diagnostics.vectorSize(raw.span, size, elements.length));
  return {
    kind: 'vector',
    elements: elements.map((element) => resolveElement(element, slot, wanted, context)),
    span: raw.span,
  };
}

const bitsOfWidth: Readonly<Record<number, PtxType>> = { 8: 'b8', 16: 'b16', 32: 'b32', 64: 'b64' };

/// `mov.b64 {lo, hi}, d`: equal parts of the whole.
function resolvePackedVector(
  raw: RawOperand,
  elements: RawOperand[],
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  if (!isUntyped(wanted)) return fail(diagnostics.vectorMoveType(raw.span, wanted));
  const width = widthOf(wanted) / elements.length;
  const part = bitsOfWidth[width];
  if (part === undefined || (elements.length !== 2 && elements.length !== 4)) {
    return fail(diagnostics.vectorSize(raw.span, wanted === 'b16' ? 2 : 4, elements.length));
  }
  return {
    kind: 'vector',
    elements: elements.map((element) => resolveElement(element, slot, part, context)),
    span: raw.span,
  };
}

function checkSpace(name: string, variable: Variable, span: Span, context: OperandContext): void {
  const { row, mods } = context;
  const stated = mods.space ?? (row.name === 'ld.global.nc' ? 'global' : undefined);
  const wanted = stated?.split('::')[0];
  if (wanted === undefined || wanted === variable.space) return;
  fail(diagnostics.wrongSpace(span, name, variable.space, wanted, variable.span));
}

function resolveAddress(raw: RawOperand, context: OperandContext): AddressOperand {
  // `ld.shared.u32 %r, sh[2];` is a way to write `[sh + 8]`.
  if (raw.kind === 'name' && raw.index !== undefined) {
    const base = { text: raw.name, span: raw.span };
    return resolveAddress(
      { kind: 'address', base, offset: raw.offset ?? 0n, index: raw.index, span: raw.span },
      context,
    );
  }
  if (raw.kind !== 'address') return fail(diagnostics.wantsAddress(raw.span));
  const { base, span } = raw;
  if (base === undefined) {
    if (context.mods.space !== 'local') return fail(diagnostics.absoluteAddress(span));
    return { kind: 'address', base: null, offset: byteOffset(raw, undefined), span };
  }
  const entity = context.scope.find(base.text);
  if (entity === undefined) {
    return undefinedName(
      {
        kind: 'name',
        name: base.text,
        component: undefined,
        sign: '',
        offset: undefined,
        index: undefined,
        span: base.span,
      },
      context,
    );
  }
  if (entity.kind === 'vector') return fail(diagnostics.notVector(base.span));
  if (entity.kind === 'variable') {
    checkSpace(base.text, entity.variable, base.span, context);
    return { kind: 'address', base: entity.variable, offset: byteOffset(raw, entity.variable), span };
  }
  const { register } = entity;
  const holds = (isInteger(register.type) || isUntyped(register.type)) && [32, 64].includes(widthOf(register.type));
  if (!holds) return fail(diagnostics.addressType(base.span, register.name, register.type));
  return { kind: 'address', base: register, offset: byteOffset(raw, undefined), span };
}

/// A truth table has eight bits.
function resolveTable(raw: RawOperand, context: OperandContext): Operand {
  if (raw.kind !== 'constant') return fail(diagnostics.wantsConstant(raw.span));
  const operand = resolveConstant(raw.value, 'b8', raw.span, context.reporter);
  return operand.kind === 'immediate' ? { ...operand, type: 'b32' } : operand;
}

/// The operand in a slot whose type is a value, an address or a constant (labels and calls are resolved elsewhere).
/// Throws `SyntaxFailure` when it does not fit.
export function resolveOperand(
  raw: RawOperand,
  slot: OperandSlot,
  wanted: PtxType | undefined,
  context: OperandContext,
): Operand {
  if (slot.type === 'address') return resolveAddress(raw, context);
  if (slot.type === 'immediate' || wanted === undefined) return resolveTable(raw, context);
  const size = Number(context.mods.vec?.slice(1) ?? 1);
  if (size > 1) return resolveMemoryVector(raw, size, slot, wanted, context);
  if (context.row.name === 'mov') {
    const elements = asVector(raw, context);
    if (elements !== undefined) return resolvePackedVector(raw, elements, slot, wanted, context);
  }
  if (context.row.name === 'isspacep' && !slot.destination) return resolveGenericPointer(raw, slot, context);
  return resolveScalar(raw, slot, wanted, context);
}

/// isspacep takes an address of either size.
function resolveGenericPointer(raw: RawOperand, slot: OperandSlot, context: OperandContext): Operand {
  const entity = raw.kind === 'name' ? context.scope.find(raw.name) : undefined;
  const narrow = entity?.kind === 'register' && widthOf(entity.register.type) === 32;
  return resolveScalar(raw, slot, narrow ? 'b32' : 'b64', context);
}
