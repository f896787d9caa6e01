// Selects calls of functions, by PTX's calling convention.
import { at } from '../../base/invariants.ts';
import type { InstructionOf, LlvmFunction, Parameter } from '../ir/module.ts';
import { alignOf, bitsOf, isScalar, spaces, type Type } from '../ir/types.ts';
import { accessType, loadAll, storeAll } from './memory.ts';
import { type Scalar, symbol } from './scalar.ts';
import type { Writer } from './writer.ts';

/** A parameter or result: its type in memory, and the alignment of its bytes. */
export interface Passed {
  readonly type: Type;
  readonly align: number;
}

/**
 * Returns how a parameter is passed. For a `byval` pointer, the bytes to which it points are
 * passed.
 */
export function passedAs({ type, attributes }: Pick<Parameter, 'type' | 'attributes'>): Passed {
  const passed = attributes.byval ?? type;
  return {
    type: passed,
    align: Math.max(alignOf(passed), attributes.byval === undefined ? 1 : (attributes.align ?? 1)),
  };
}

/**
 * Returns the declaration of a `.param` variable. Except for kernels, a scalar of less than 32 bits
 * is passed as 32 bits.
 */
export function declareParam({ type, align }: Passed, name: string, size: number, isKernel: boolean): string {
  if (!isScalar(type) || type.kind === 'half' || type.kind === 'bfloat')
    return `.param .align ${align} .b8 ${name}[${size}]`;
  const bits = 8 * Math.ceil(bitsOf(type) / 8);
  if (!isKernel) return `.param .b${Math.max(bits, 32)} ${name}`;
  // The host must extend a pointer of 32 bits, so the declaration shows that it is a pointer.
  if (type.kind === 'ptr' && type.bytes === 4) return `.param .u64 .ptr .align 1 ${name}`;
  const kind = type.kind === 'float' || type.kind === 'double' ? 'f' : 'u';
  return `.param .${kind}${bits} ${name}`;
}

/** The type of the access to a scalar parameter of a function that is not a kernel. */
const passedType = (type: Type): string => {
  if (!isScalar(type)) return '';
  if (type.kind === 'ptr') return 'b64';
  return bitsOf(type) < 32 ? 'b32' : accessType(type);
};

const isWord = (type: Type): boolean => isScalar(type) && type.kind !== 'half' && type.kind !== 'bfloat';

/** Stores a value into a `.param` variable. */
export function storeParam(writer: Writer, name: string, passed: Passed, scalars: readonly Scalar[]): void {
  const { type } = passed;
  if (!isWord(type)) return storeAll(writer, symbol(spaces.param, name), type, scalars, passed.align);
  const scalar = at(scalars, 0, 'the scalar');
  const wide = scalar.type.kind === 'ptr' ? writer.generic(scalar) : widen(writer, scalar);
  writer.emit(`st.param.${passedType(type)} \t[${name}], ${writer.inRegister(wide)}`);
}

function widen(writer: Writer, scalar: Scalar): Scalar {
  const { type } = scalar;
  return type.kind === 'int' && type.bits < 32 ? writer.resized(scalar, 32, 'zero') : scalar;
}

/**
 * Loads a value from a `.param` variable. Small integers have 32 bits there, except in the signature
 * of a kernel.
 */
export function loadParam(writer: Writer, name: string, passed: Passed, isKernel: boolean): Scalar[] {
  const { type } = passed;
  const isSmall = type.kind === 'int' && type.bits < 32;
  if (!isWord(type) || !isScalar(type) || (isKernel && isSmall))
    return loadAll(writer, symbol(spaces.param, name), type, passed.align);
  if (!isSmall) return [writer.compute(`ld.param.${passedType(type)}`, type, `[${name}]`)];
  const word = writer.compute('ld.param.b32', { kind: 'int', bits: 32 }, `[${name}]`);
  return [writer.resized(word, type.bits, 'zero')];
}

/** Selects a call of a function of the module, of an external function, or through a pointer. */
export function selectCall(
  writer: Writer,
  instruction: InstructionOf<'call'>,
  sizeOf: (type: Type) => number,
): Scalar[] {
  const { callee, args, type } = instruction;
  const target = callee.kind === 'global' ? writer.names.functions.get(callee.name) : undefined;
  const params = args.map(({ value, attributes }, index) =>
    passedAs(target?.params[index] ?? { type: value.type, attributes }),
  );
  // Load from `byval` arguments before the braces, which contain only the parameters.
  const values = args.map(({ value }, index) => {
    const passed = at(params, index, 'the parameter');
    const isCopy = (target?.params[index]?.attributes ?? args[index]?.attributes)?.byval !== undefined;
    return isCopy ? loadAll(writer, writer.scalar(value), passed.type, passed.align) : writer.scalars(value);
  });
  writer.lines.push('\t{');
  const names = params.map((passed, index) => {
    const name = `param${index}`;
    writer.emit(declareParam(passed, name, sizeOf(passed.type), false));
    storeParam(writer, name, passed, at(values, index, 'the argument'));
    return name;
  });
  const result: Passed | undefined = type.kind === 'void' ? undefined : { type, align: alignOf(type) };
  if (result !== undefined) writer.emit(declareParam(result, 'retval0', sizeOf(type), false));
  emitCall(writer, instruction, target, params, result, names, sizeOf);
  const loaded = result === undefined ? [] : loadParam(writer, 'retval0', result, false);
  writer.lines.push('\t}');
  return loaded;
}

function emitCall(
  writer: Writer,
  { callee }: InstructionOf<'call'>,
  target: LlvmFunction | undefined,
  params: readonly Passed[],
  result: Passed | undefined,
  names: readonly string[],
  sizeOf: (type: Type) => number,
): void {
  const results = result === undefined ? '' : '(retval0), ';
  const list = `(${names.join(', ')})`;
  if (target !== undefined) {
    writer.emit(`call \t${results}${writer.names.textOf(target.name)}, ${list}`);
    return;
  }
  const prototype = writer.newLabel().replace('$L', 'prototype');
  const anonymous = params.map((passed) => declareParam(passed, '_', sizeOf(passed.type), false));
  const returned = result === undefined ? '' : `(${declareParam(result, '_', sizeOf(result.type), false)}) `;
  const pointer = writer.inRegister(writer.generic(writer.scalar(callee)));
  writer.lines.push(`\t${prototype}: .callprototype ${returned || '()'}_ (${anonymous.join(', ')});`);
  writer.emit(`call \t${results}${pointer}, ${list}, ${prototype}`);
}
