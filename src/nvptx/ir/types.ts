// Types of LLVM IR, and their layout in memory for NVPTX.
import { alignUp } from '../../base/align.ts';
import { at, InternalError } from '../../base/invariants.ts';

export type FloatKind = 'half' | 'bfloat' | 'float' | 'double';

/** An integer of up to 64 bits. */
export type IntType = { readonly kind: 'int'; readonly bits: number };
/**
 * An integer of 65 to 128 bits. Its value consists of two scalars, of which the first contains the
 * low 64 bits.
 */
export type WideType = { readonly kind: 'wide'; readonly bits: number };
export type FloatType = { readonly kind: FloatKind };
/** The size of a pointer in memory. */
export type PointerBytes = 4 | 8;
/**
 * A pointer. `space` is LLVM's number of an address space. A pointer occupies `bytes` bytes of
 * memory; a register always contains an address of 64 bits.
 */
export type PointerType = { readonly kind: 'ptr'; readonly space: number; readonly bytes: PointerBytes };
export type ScalarType = IntType | FloatType | PointerType;
export type VectorType = { readonly kind: 'vector'; readonly count: number; readonly element: ScalarType };
export type ArrayType = { readonly kind: 'array'; readonly count: number; readonly element: Type };
export type StructType = { readonly kind: 'struct'; readonly packed: boolean; readonly fields: readonly Type[] };
export type Type =
  | ScalarType
  | WideType
  | VectorType
  | ArrayType
  | StructType
  | { readonly kind: 'void' | 'metadata' | 'label' };

/** LLVM's numbers of the address spaces of NVPTX. */
export const spaces = { generic: 0, global: 1, shared: 3, constant: 4, local: 5, cluster: 7, param: 101 } as const;

export const intType = (bits: number): IntType => ({ kind: 'int', bits });
export const pointerTo = (space: number, bytes: PointerBytes = 8): PointerType => ({ kind: 'ptr', space, bytes });
export const i1 = intType(1);
export const i32 = intType(32);
export const i64 = intType(64);
export const voidType: Type = { kind: 'void' };

const floatBytes: Readonly<Record<FloatKind, number>> = { half: 2, bfloat: 2, float: 4, double: 8 };

export function isScalar(type: Type): type is ScalarType {
  return type.kind === 'int' || type.kind === 'ptr' || type.kind in floatBytes;
}

export function isFloat(type: Type): type is FloatType {
  return type.kind in floatBytes;
}

/** Returns the width of a scalar in bits. The width of a pointer is 64, as in registers. */
export function bitsOf(type: ScalarType): number {
  if (type.kind === 'int') return type.bits;
  return type.kind === 'ptr' ? 64 : 8 * floatBytes[type.kind];
}

/** Returns the size in bytes of a scalar in memory. A bit occupies a byte. */
export const memoryBytes = (type: ScalarType): number =>
  type.kind === 'ptr' ? type.bytes : Math.ceil(bitsOf(type) / 8);

const roundToPowerOfTwo = (size: number): number => 2 ** Math.ceil(Math.log2(size));

/** Returns the number of bits that a vector occupies in memory. */
const vectorBits = ({ count, element }: VectorType): number =>
  count * (element.kind === 'ptr' ? 8 * element.bytes : bitsOf(element));

/** Returns the types of the two parts of a wide integer. */
export const partsOf = ({ bits }: WideType): readonly [low: IntType, high: IntType] => [i64, intType(bits - 64)];

/** Returns the alignment of a type in bytes, according to the data layout. */
export function alignOf(type: Type): number {
  switch (type.kind) {
    case 'int':
      return roundToPowerOfTwo(Math.ceil(type.bits / 8));
    case 'wide':
      return 16;
    case 'ptr':
      return type.bytes;
    case 'vector':
      return Math.min(roundToPowerOfTwo(Math.max(1, vectorBits(type) / 8)), 32);
    case 'array':
      return alignOf(type.element);
    case 'struct':
      return type.packed ? 1 : Math.max(1, ...type.fields.map(alignOf));
    case 'void':
    case 'metadata':
    case 'label':
      throw new InternalError(`a ${type.kind} has no alignment`);
    default:
      return floatBytes[type.kind];
  }
}

/** Returns the number of bytes that a store of the type writes. */
export function storeSize(type: Type): number {
  if (type.kind === 'int' || type.kind === 'wide') return Math.ceil(type.bits / 8);
  if (type.kind === 'vector') return Math.ceil(vectorBits(type) / 8);
  return sizeOf(type);
}

/** Returns the distance in bytes between two elements of the type in an array. */
export function sizeOf(type: Type): number {
  switch (type.kind) {
    case 'array':
      return type.count * sizeOf(type.element);
    case 'struct':
      return structLayout(type).size;
    case 'int':
    case 'wide':
    case 'ptr':
    case 'vector':
      return alignUp(isScalar(type) ? memoryBytes(type) : storeSize(type), alignOf(type));
    case 'void':
    case 'metadata':
    case 'label':
      throw new InternalError(`a ${type.kind} has no size`);
    default:
      return floatBytes[type.kind];
  }
}

/** Returns the offset of each field, and the size of the whole struct, in bytes. */
export function structLayout(type: StructType): { readonly offsets: readonly number[]; readonly size: number } {
  const offsets: number[] = [];
  let end = 0;
  for (const field of type.fields) {
    if (!type.packed) end = alignUp(end, alignOf(field));
    offsets.push(end);
    end += sizeOf(field);
  }
  return { offsets, size: alignUp(end, alignOf(type)) };
}

/** A scalar within a value, and its offset from the value's first byte. */
export interface Leaf {
  readonly type: ScalarType;
  readonly offset: number;
}

/** Returns the scalars of a type, in the order of memory. */
export function leavesOf(type: Type, offset = 0): Leaf[] {
  if (isScalar(type)) return [{ type, offset }];
  switch (type.kind) {
    case 'wide': {
      const [low, high] = partsOf(type);
      return [
        { type: low, offset },
        { type: high, offset: offset + 8 },
      ];
    }
    case 'vector': {
      const step = vectorBits(type) / type.count / 8;
      return Array.from({ length: type.count }, (_, index) => ({ type: type.element, offset: offset + index * step }));
    }
    case 'array': {
      const step = sizeOf(type.element);
      return Array.from({ length: type.count }, (_, index) => leavesOf(type.element, offset + index * step)).flat();
    }
    case 'struct': {
      const { offsets } = structLayout(type);
      return type.fields.flatMap((field, index) => leavesOf(field, offset + at(offsets, index, 'the offset')));
    }
    default:
      return [];
  }
}

/** Returns the element that an index of `extractvalue` or `getelementptr` selects. */
export function elementType(type: Type, index: number): Type | undefined {
  if (type.kind === 'struct') return type.fields[index];
  return type.kind === 'array' || type.kind === 'vector' ? type.element : undefined;
}

/** Returns the number of the first leaf, and the type, of the part that `indices` select. */
export function partAt(type: Type, indices: readonly number[]): { readonly first: number; readonly type: Type } {
  let first = 0;
  let current = type;
  for (const index of indices) {
    const next = elementType(current, index);
    if (next === undefined) throw new InternalError(`element ${index} of a ${current.kind}`);
    if (current.kind === 'struct') for (const field of current.fields.slice(0, index)) first += leavesOf(field).length;
    else first += index * leavesOf(next).length;
    current = next;
  }
  return { first, type: current };
}

/** Returns the text of a type as LLVM writes it. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'int':
    case 'wide':
      return `i${type.bits}`;
    case 'ptr':
      return type.space === 0 ? 'ptr' : `ptr addrspace(${type.space})`;
    case 'vector':
      return `<${type.count} x ${typeText(type.element)}>`;
    case 'array':
      return `[${type.count} x ${typeText(type.element)}]`;
    case 'struct': {
      const fields = `{ ${type.fields.map(typeText).join(', ')} }`;
      return type.packed ? `<${fields}>` : fields;
    }
    default:
      return type.kind;
  }
}
