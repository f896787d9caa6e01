// Constructors and comparisons of WGSL types.
import { InternalError, missing } from '../../base/invariants.ts';
import type { Name, ScalarType, WgslType } from './nodes.ts';

export type VectorType = Extract<WgslType, { readonly kind: 'vector' }>;
export type ArrayType = Extract<WgslType, { readonly kind: 'array' }>;

export const vector = (of: ScalarType, size: 2 | 3 | 4): VectorType => ({ kind: 'vector', of, size });
export const vec2u: VectorType = vector('u32', 2);
export const vec3u: VectorType = vector('u32', 3);
export const vec4u: VectorType = vector('u32', 4);
/** Returns an array type. If `length` is undefined, the array is runtime-sized. */
export const array = (of: WgslType, length?: number): ArrayType => ({ kind: 'array', of, length });
export const atomic = (of: 'u32' | 'i32' = 'u32'): WgslType => ({ kind: 'atomic', of });
export const pointer = (space: 'function' | 'private' | 'workgroup', to: WgslType): WgslType => ({
  kind: 'pointer',
  space,
  to,
});
/**
 * Returns the number of words that a value of the type occupies in memory. `membersOf` returns the
 * types of the members of a struct.
 */
export function wordsIn(type: WgslType, membersOf: (struct: Name) => readonly WgslType[]): number {
  if (typeof type === 'string') return 1;
  switch (type.kind) {
    case 'vector':
      return type.size === 3 ? 4 : type.size;
    case 'array':
      return wordsIn(type.of, membersOf) * (type.length ?? missing('the length of an array'));
    case 'struct':
      return membersOf(type.name).reduce((sum, member) => sum + wordsIn(member, membersOf), 0);
    default:
      return 1;
  }
}

export const struct = (name: Name): WgslType => ({ kind: 'struct', name });

const isVector = (type: WgslType): type is VectorType => typeof type === 'object' && type.kind === 'vector';

/** Returns the type with the same shape and a different scalar type. */
export const shaped = (type: WgslType, of: ScalarType): WgslType => (isVector(type) ? vector(of, type.size) : of);

/** Returns the element type of a vector or array. Throws an error for any other type. */
export function elementOf(type: WgslType): WgslType {
  if (typeof type === 'object' && (type.kind === 'array' || type.kind === 'vector')) return type.of;
  throw new InternalError(`${describe(type)} has no elements`);
}

/** Returns the type to which a pointer points. Throws an error for any other type. */
export function pointedTo(type: WgslType): WgslType {
  if (typeof type === 'object' && type.kind === 'pointer') return type.to;
  throw new InternalError(`${describe(type)} is not a pointer type`);
}

/**
 * Returns the type of an operation on two types: the vector type if one of them is a vector, and
 * otherwise the scalar type.
 */
export const wider = (a: WgslType, b: WgslType): WgslType => (isVector(b) ? b : a);

export const describe = (type: WgslType): string => typeText(type, ({ hint }) => hint);

/** Returns the WGSL text of a type. */
export function typeText(type: WgslType, nameOf: (name: Name) => string): string {
  if (typeof type === 'string') return type;
  switch (type.kind) {
    case 'vector':
      return `vec${type.size}<${type.of}>`;
    case 'array': {
      const of = typeText(type.of, nameOf);
      return type.length === undefined ? `array<${of}>` : `array<${of}, ${type.length}>`;
    }
    case 'atomic':
      return `atomic<${type.of}>`;
    case 'pointer':
      return `ptr<${type.space}, ${typeText(type.to, nameOf)}>`;
    case 'matrix':
      return `subgroup_matrix_${type.role}<${type.of}, ${type.columns}, ${type.rows}>`;
    case 'struct':
      return nameOf(type.name);
  }
}
