// Types of WGSL, made and compared.
import { InternalError, missing } from '../../base/invariants.ts';
import type { Name, ScalarType, WgslType } from './nodes.ts';

export type VectorType = Extract<WgslType, { readonly kind: 'vector' }>;
export type ArrayType = Extract<WgslType, { readonly kind: 'array' }>;

export const vector = (of: ScalarType, size: 2 | 3 | 4): VectorType => ({ kind: 'vector', of, size });
export const vec2u: VectorType = vector('u32', 2);
export const vec3u: VectorType = vector('u32', 3);
export const vec4u: VectorType = vector('u32', 4);
/** Without a length, as long as the buffer. */
export const array = (of: WgslType, length?: number): ArrayType => ({ kind: 'array', of, length });
export const atomic = (of: 'u32' | 'i32' = 'u32'): WgslType => ({ kind: 'atomic', of });
export const pointer = (space: 'function' | 'private' | 'workgroup', to: WgslType): WgslType => ({
  kind: 'pointer',
  space,
  to,
});
/** Words of a type of known length, as its values lie in memory. `membersOf` knows the structs. */
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

/** The type with the same shape and other scalars. */
export const shaped = (type: WgslType, of: ScalarType): WgslType => (isVector(type) ? vector(of, type.size) : of);

/** What indexing gives, or what one letter of a swizzle does. Throws for what has no elements. */
export function elementOf(type: WgslType): WgslType {
  if (typeof type === 'object' && (type.kind === 'array' || type.kind === 'vector')) return type.of;
  throw new InternalError(`no elements in ${describe(type)}`);
}

/** What a pointer points to. Throws for anything else. */
export function pointedTo(type: WgslType): WgslType {
  if (typeof type === 'object' && type.kind === 'pointer') return type.to;
  throw new InternalError(`no pointer: ${describe(type)}`);
}

/** Which of the two operands' types an operation of both has: a vector wins over its scalar. */
export const wider = (a: WgslType, b: WgslType): WgslType => (isVector(b) ? b : a);

export const describe = (type: WgslType): string => typeText(type, ({ hint }) => hint);

/** A type as WGSL writes it. */
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
    case 'struct':
      return nameOf(type.name);
  }
}
