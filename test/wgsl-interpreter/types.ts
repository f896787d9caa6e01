// WGSL types and their two layouts: packed words in registers, and WGSL's alignment in memory. All
// sizes are in 32-bit words. f16 is supported in subgroup matrices only.

export type ScalarName = 'u32' | 'i32' | 'f32' | 'bool';

export type Type =
  /** `abstract` is an AbstractInt whose value is known at compile time. */
  | { readonly kind: 'scalar'; readonly name: ScalarName | 'abstract' }
  | { readonly kind: 'vector'; readonly size: number; readonly element: ScalarName | 'abstract' }
  | { readonly kind: 'array'; readonly element: Type; readonly count: number | null }
  | { readonly kind: 'struct'; readonly name: string; readonly members: readonly Member[] }
  | { readonly kind: 'atomic'; readonly element: 'u32' | 'i32' }
  | MatrixType
  | { readonly kind: 'void' };

/** A subgroup matrix. */
export interface MatrixType {
  readonly kind: 'matrix';
  readonly role: 'left' | 'right' | 'result';
  readonly element: 'f16' | 'f32' | 'i32' | 'u32' | 'i8' | 'u8';
  readonly columns: number;
  readonly rows: number;
}

const matrixName = /^subgroup_matrix_(left|right|result)_(f16|f32|i32|u32|i8|u8)_(\d+)_(\d+)$/;

/**
 * Returns the matrix type whose name contains the template parameters, as the parser writes them.
 */
export function matrixNamed(name: string): MatrixType | undefined {
  const [, role, element, columns, rows] = matrixName.exec(name) ?? [];
  if (role === undefined) return undefined;
  return {
    kind: 'matrix',
    role: role as MatrixType['role'],
    element: element as MatrixType['element'],
    columns: Number(columns),
    rows: Number(rows),
  };
}

export interface Member {
  readonly name: string;
  readonly type: Type;
  /** `@align` and `@size`, in words. */
  readonly align?: number;
  readonly size?: number;
  readonly builtin?: string;
}

export type StructType = Extract<Type, { kind: 'struct' }>;
export type ArrayType = Extract<Type, { kind: 'array' }>;

export const u32: Type = { kind: 'scalar', name: 'u32' };
export const i32: Type = { kind: 'scalar', name: 'i32' };
export const f32: Type = { kind: 'scalar', name: 'f32' };
export const bool: Type = { kind: 'scalar', name: 'bool' };
export const abstractInt: Type = { kind: 'scalar', name: 'abstract' };
export const voidType: Type = { kind: 'void' };

export function scalar(name: ScalarName | 'abstract'): Type {
  return { kind: 'scalar', name };
}

export function vector(size: number, element: ScalarName | 'abstract'): Type {
  return { kind: 'vector', size, element };
}

/** Returns a scalar if the shape has one component, else a vector. */
export function withShape(shape: Type, element: ScalarName): Type {
  return shape.kind === 'vector' ? vector(shape.size, element) : scalar(element);
}

/** Returns the element type of a scalar or vector; undefined for other types. */
export function elementOf(type: Type): ScalarName | 'abstract' | undefined {
  if (type.kind === 'scalar') return type.name;
  return type.kind === 'vector' ? type.element : undefined;
}

export function typeName(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.name;
    case 'vector':
      return `vec${type.size}<${type.element}>`;
    case 'array':
      return `array<${typeName(type.element)}${type.count === null ? '' : `, ${type.count}`}>`;
    case 'struct':
      return type.name;
    case 'atomic':
      return `atomic<${type.element}>`;
    case 'matrix':
      return `subgroup_matrix_${type.role}<${type.element}, ${type.columns}, ${type.rows}>`;
    case 'void':
      return 'void';
  }
}

export function sameType(a: Type, b: Type): boolean {
  return typeName(a) === typeName(b);
}

/** Returns the number of registers of a value; 0 for a runtime-sized array. */
export function registersOf(type: Type): number {
  switch (type.kind) {
    case 'vector':
      return type.size;
    case 'array':
      return (type.count ?? 0) * registersOf(type.element);
    case 'struct':
      return type.members.reduce((sum, member) => sum + registersOf(member.type), 0);
    case 'void':
      return 0;
    case 'matrix':
      // The elements are distributed over 32 lanes.
      return Math.ceil((type.rows * type.columns) / 32);
    default:
      return 1;
  }
}

const roundUp = (multiple: number, value: number): number => Math.ceil(value / multiple) * multiple;

/** Returns AlignOf in words. https://www.w3.org/TR/WGSL/#alignment-and-size */
function alignOf(type: Type): number {
  switch (type.kind) {
    case 'vector':
      return type.size === 2 ? 2 : 4;
    case 'array':
      return alignOf(type.element);
    case 'struct':
      return Math.max(...type.members.map((member) => member.align ?? alignOf(member.type)));
    default:
      return 1;
  }
}

/** Returns SizeOf in words. A runtime-sized array counts as one element. */
export function sizeOf(type: Type): number {
  if (type.kind === 'vector') return type.size;
  if (type.kind === 'array') return (type.count ?? 1) * strideOf(type, false);
  if (type.kind !== 'struct') return 1;
  const last = type.members.length - 1;
  return roundUp(alignOf(type), memberOffset(type, last, false) + memberSize(type, last));
}

/** Returns the distance between array elements in words. `packed` is the layout in registers. */
export function strideOf(type: ArrayType, packed: boolean): number {
  return packed ? registersOf(type.element) : roundUp(alignOf(type.element), sizeOf(type.element));
}

/** Returns a member's offset in its struct in words. `packed` is the layout in registers. */
export function memberOffset(type: StructType, index: number, packed: boolean): number {
  let offset = 0;
  for (const [i, member] of type.members.entries()) {
    if (!packed) offset = roundUp(member.align ?? alignOf(member.type), offset);
    if (i === index) break;
    offset += packed ? registersOf(member.type) : memberSize(type, i);
  }
  return offset;
}

function memberSize(type: StructType, index: number): number {
  const member = type.members[index];
  return member === undefined ? 0 : (member.size ?? sizeOf(member.type));
}

/** Returns the word in memory for each register of a value. */
export function memoryWords(type: Type, start = 0): number[] {
  if (type.kind === 'array') {
    const stride = strideOf(type, false);
    return Array.from({ length: type.count ?? 0 }, (_, i) => memoryWords(type.element, start + i * stride)).flat();
  }
  if (type.kind === 'struct') {
    return type.members.flatMap((member, i) => memoryWords(member.type, start + memberOffset(type, i, false)));
  }
  return Array.from({ length: registersOf(type) }, (_, i) => start + i);
}

/**
 * Returns the reason why a type is not allowed in the uniform address space, or undefined.
 * https://www.w3.org/TR/WGSL/#address-space-layout-constraints
 */
export function uniformFault(type: Type): string | undefined {
  if (type.kind === 'array') {
    if (strideOf(type, false) % 4 !== 0) return `${typeName(type)} has a stride that is not a multiple of 16 bytes`;
    return uniformFault(type.element);
  }
  if (type.kind !== 'struct') return undefined;
  for (const [i, member] of type.members.entries()) {
    const aggregate = member.type.kind === 'struct' || member.type.kind === 'array';
    if (aggregate && memberOffset(type, i, false) % 4 !== 0) return `${member.name} is not at a multiple of 16 bytes`;
    const inner = uniformFault(member.type);
    if (inner !== undefined) return inner;
  }
  return undefined;
}
