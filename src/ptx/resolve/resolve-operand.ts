// Resolves one operand, and checks it against the instruction's slot.
import type { IsaRow, PtxType } from '../../isa/index.ts';
import { constantType, type OperandSlot, resolveType, vectorType } from '../../isa/match.ts';
import type { AddressOperand, Operand, Register, Span, VectorOperand } from '../ast.ts';
import { type Constant, convertConstant, rangeOf } from '../constants.ts';
import { diagnostics } from '../diagnostics/part.ts';
import type { Reporter } from '../diagnostics/reporter.ts';
import type { RawOperand } from '../syntax.ts';
import { type Fit, isImageSlot, isInteger, isUntyped, widthOf } from '../types.ts';
import { rareOperandPart } from './rare-operands.ts';
import {
  byteOffset,
  checkSpace,
  fail,
  type OperandContext,
  type RegisterSlot,
  resolveName,
  resolvePlainRegister,
  undefinedName,
} from './resolve-name.ts';
import { elementNames } from './scope.ts';

/** Returns how closely the type of a register must match that of a slot. */
export function fitOf(row: IsaRow, slot: OperandSlot): Fit {
  return slot.type === 'address' ? 'exact' : (row.registers ?? 'exact');
}

/** Converts a constant to bits of `type`. Reports a warning if bits are lost. */
export function resolveConstant(value: Constant, type: PtxType, span: Span, reporter: Reporter): Operand {
  const converted = convertConstant(value, type);
  if ('mismatch' in converted) {
    const make =
      converted.mismatch === 'integer for float' ? diagnostics().integerForFloat : diagnostics().floatForInteger;
    return fail(make(span, type));
  }
  if (converted.truncated) reporter.report(diagnostics().truncated(span, type, rangeOf(type)));
  return { kind: 'immediate', bits: converted.bits, type, span };
}

/**
 * Resolves a constant source. Reports an error if the instruction does not accept a constant in
 * this slot.
 */
function resolveValue(value: Constant, wanted: PtxType, span: Span, context: OperandContext): Operand {
  const type = constantType(context.row, wanted, context.mods);
  if (type === 'register') {
    return fail(diagnostics().constantNotTaken(span, context.opcode, bitsOfWidth[widthOf(wanted)] ?? wanted));
  }
  return resolveConstant(value, type, span, context.reporter);
}

/** Resolves a value: a register, constant, special register or symbol. */
function resolveScalar(raw: RawOperand, slot: OperandSlot, wanted: PtxType, context: OperandContext): Operand {
  switch (raw.kind) {
    case 'name':
      return resolveName(raw, slot, wanted, fitOf(context.row, slot), context);
    case 'constant':
      if (slot.destination) return fail(diagnostics().writtenOperand(raw.span, 'a constant'));
      return resolveValue(raw.value, wanted, raw.span, context);
    case 'sink':
      if (!slot.destination) return fail(diagnostics().sinkAsSource(raw.span));
      if (!context.row.sinks?.includes(slot.name)) return fail(diagnostics().sinkNotAllowed(raw.span, context.opcode));
      return { kind: 'sink', span: raw.span };
    case 'address':
      return fail(diagnostics().notAddress(raw.span));
    case 'vector':
      return fail(diagnostics().notVector(raw.span));
    case 'image':
      return fail(diagnostics().notAddress(raw.span));
    case 'pair':
      return fail(diagnostics().pairNotAllowed(raw.span));
  }
}

function resolveElement(
  raw: RawOperand,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): VectorOperand['elements'][number] {
  if (raw.kind === 'sink') return slot.destination ? raw : fail(diagnostics().sinkAsSource(raw.span));
  if (raw.kind === 'name' && raw.offset !== undefined && context.scope.find(raw.name)?.kind !== 'variable')
    return fail(diagnostics().addedToRegister(raw.span, raw.name, undefined));
  const operand = resolveScalar(raw, slot, wanted, context);
  if (
    operand.kind === 'register' ||
    operand.kind === 'immediate' ||
    operand.kind === 'special' ||
    operand.kind === 'symbol'
  )
    return operand;
  return fail(diagnostics().notVector(raw.span));
}

/** Returns the elements of a vector register that is named as a whole. */
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

/**
 * Resolves `{a, b}`. The vector must have the number of elements that the instruction requires, and
 * each element has the type `wanted`.
 */
function resolveVector(
  raw: RawOperand,
  size: number,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  const elements = asVector(raw, context) ?? fail(diagnostics().wantsVector(raw.span, size));
  if (elements.length !== size) return fail(diagnostics().vectorSize(raw.span, size, elements.length));
  return {
    kind: 'vector',
    elements: elements.map((element) => resolveElement(element, slot, wanted, context)),
    span: raw.span,
  };
}

/** Resolves a vector with one element, which is a scalar, as in `ld.b32 {d}, [a]`. */
function resolveSingle(
  raw: Extract<RawOperand, { kind: 'vector' }>,
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  const [only, second] = raw.elements;
  if (only === undefined || second !== undefined)
    return fail(diagnostics().vectorSize(raw.span, 1, raw.elements.length));
  return resolveScalar(only, slot, wanted, context);
}

const bitsOfWidth: Readonly<Record<number, PtxType>> = { 8: 'b8', 16: 'b16', 32: 'b32', 64: 'b64' };

/**
 * Resolves the elements of a packed vector, which are equal parts of the value, as in
 * `mov.b64 {lo, hi}, d`.
 */
function resolvePackedVector(
  raw: RawOperand,
  elements: RawOperand[],
  slot: OperandSlot,
  wanted: PtxType,
  context: OperandContext,
): Operand {
  if (!isUntyped(wanted)) return fail(diagnostics().vectorMoveType(raw.span, wanted));
  const width = widthOf(wanted) / elements.length;
  const part = bitsOfWidth[width];
  if (part === undefined || (elements.length !== 2 && elements.length !== 4)) {
    return fail(diagnostics().vectorSize(raw.span, wanted === 'b16' ? 2 : 4, elements.length));
  }
  return {
    kind: 'vector',
    elements: elements.map((element) => resolveElement(element, slot, part, context)),
    span: raw.span,
  };
}

function resolveAddress(raw: RawOperand, slot: OperandSlot, context: OperandContext): AddressOperand {
  // `ld.shared.u32 %r, sh[2];` is another notation for `[sh + 8]`.
  if (raw.kind === 'name' && raw.index !== undefined) {
    const base = { text: raw.name, span: raw.span };
    return resolveAddress(
      { kind: 'address', base, offset: raw.offset ?? 0n, index: raw.index, span: raw.span },
      slot,
      context,
    );
  }
  if (raw.kind !== 'address') return fail(diagnostics().wantsAddress(raw.span));
  const { base, span } = raw;
  if (base === undefined) {
    if (context.mods.space !== 'local') return fail(diagnostics().absoluteAddress(span));
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
  if (entity.kind === 'vector') return fail(diagnostics().notVector(base.span));
  if (entity.kind === 'opaque') return fail(diagnostics().unsupportedOpaque(base.span, base.text, entity.type));
  if (entity.kind === 'variable') {
    checkSpace(base.text, entity.variable, base.span, context, slot);
    return { kind: 'address', base: entity.variable, offset: byteOffset(raw, entity.variable), span };
  }
  const { register } = entity;
  const holds = (isInteger(register.type) || isUntyped(register.type)) && [32, 64].includes(widthOf(register.type));
  if (!holds) return fail(diagnostics().addressType(base.span, register.name, register.type));
  return { kind: 'address', base: register, offset: byteOffset(raw, undefined), span };
}

/**
 * Resolves a constant that is part of the instruction. Its type is a 32-bit word, unless the row
 * specifies another type.
 */
function resolveImmediate(raw: RawOperand, slot: OperandSlot, context: OperandContext): Operand {
  if (raw.kind !== 'constant') return fail(diagnostics().wantsConstant(raw.span));
  const operand = resolveConstant(raw.value, context.row.immediates?.[slot.name] ?? 'b32', raw.span, context.reporter);
  return operand.kind === 'immediate' ? { ...operand, type: 'b32' } : operand;
}

/**
 * Returns the type for which a register is valid in this slot without further checks. Returns
 * undefined if there is no such type; `resolveOperand` then performs the checks.
 */
function registerSlot(slot: OperandSlot, context: OperandContext): RegisterSlot | undefined {
  const { row, mods } = context;
  if (slot.type === 'address' || slot.type === 'vector' || slot.type === 'immediate' || isImageSlot(slot.type))
    return undefined;
  const wanted = resolveType(slot.type, mods);
  if (wanted === undefined || vectorSize(slot, wanted, context) > 1) return undefined;
  return row.alternatives?.[slot.name] === 'b32' ? undefined : { wanted, fit: fitOf(row, slot) };
}

/**
 * Resolves an operand that is a value, an address or a constant. (Labels and calls are resolved
 * elsewhere.) Throws `SyntaxFailure` if the operand is invalid.
 */
export function resolveOperand(raw: RawOperand, slot: OperandSlot, context: OperandContext): Operand {
  if (raw.kind === 'name') {
    const { registers } = context;
    let known = registers.get(slot);
    if (known === undefined && !registers.has(slot)) {
      known = registerSlot(slot, context);
      registers.set(slot, known);
    }
    const register = known && resolvePlainRegister(raw, known, context);
    if (register !== undefined) return register;
  }
  return resolveOther(raw, slot, resolveType(slot.type, context.mods), context);
}

function resolveOther(
  raw: RawOperand,
  slot: OperandSlot,
  wanted: PtxType | undefined,
  context: OperandContext,
): Operand {
  if (slot.type === 'address') return resolveAddress(raw, slot, context);
  if (isImageSlot(slot.type))
    return rareOperandPart.content.resolveImageSlot(raw, slot.type, context, (element, type) =>
      resolveElement(element, slot, type, context),
    );
  if (slot.type === 'vector') {
    const scalar = context.row.alternatives?.[slot.name];
    if (scalar !== undefined && raw.kind !== 'vector') return resolveScalar(raw, slot, scalar, context);
    const { type, count } = vectorType(context.row, slot.name, context.mods);
    return resolveVector(raw, count, slot, type, context);
  }
  if (slot.type === 'immediate' || wanted === undefined) return resolveImmediate(raw, slot, context);
  const size = vectorSize(slot, wanted, context);
  if (size > 1) return resolveVector(raw, size, slot, wanted, context);
  const isAccess = context.row.kind === 'memory' && context.row.where?.vec !== undefined;
  if (isAccess && raw.kind === 'vector') return resolveSingle(raw, slot, wanted, context);
  if (context.row.packs) {
    const elements = asVector(raw, context);
    if (raw.kind === 'vector' && elements?.length === 1 && isUntyped(wanted))
      return resolveSingle(raw, slot, wanted, context);
    if (elements !== undefined) return resolvePackedVector(raw, elements, slot, wanted, context);
  }
  const alternative = context.row.alternatives?.[slot.name];
  if (alternative !== undefined && isRegisterLike(raw, alternative, context))
    return resolveScalar(raw, { ...slot, type: alternative, negatable: alternative === 'pred' }, alternative, context);
  return resolveScalar(raw, slot, wanted, context);
}

/** Whether an operand names a register of the type, or of another type with the same width. */
function isRegisterLike(raw: RawOperand, type: PtxType, { scope }: OperandContext): boolean {
  const entity = raw.kind === 'name' ? scope.find(raw.name) : undefined;
  return entity?.kind === 'register' && widthOf(entity.register.type) === widthOf(type);
}

/** Returns the number of elements of the required vector, or 1 for a scalar. */
function vectorSize(slot: OperandSlot, wanted: PtxType, { row, mods }: OperandContext): number {
  // Texture instructions return the components that their rows list, and a predicate that says
  // whether the texel is resident.
  if (row.types.a === 'texture' && row.types.p !== undefined) return slot.name !== 'd' ? 1 : wanted === 'f16x2' ? 2 : 4;
  // An operand whose type the row specifies, such as a cache policy, is a single value.
  return slot.type.startsWith('.') ? Number(mods.vec?.slice(1) ?? 1) : 1;
}
