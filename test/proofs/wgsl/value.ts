// Symbolic values of WGSL types.
import { type ScalarName, type Type, typeName } from '../../wgsl-interpreter/types.ts';
import { constant, ite, no, type Term } from '../terms/term.ts';

export type Value =
  /** A scalar as its bits; a boolean as a boolean. */
  | { readonly kind: 'scalar'; readonly type: ScalarName; readonly term: Term }
  /** An AbstractInt. */
  | { readonly kind: 'abstract'; readonly value: number }
  /** The elements of an array or vector, or the members of a structure. */
  | { readonly kind: 'list'; readonly type: Type; readonly items: readonly Value[] };

export const scalar = (type: ScalarName, term: Term): Value => ({ kind: 'scalar', type, term });
export const word = (term: Term): Value => scalar('u32', term);
export const truth = (term: Term): Value => scalar('bool', term);

/** Returns the type of each item of an array, vector or structure. */
export function itemTypes(type: Type, runtimeCount = 0): readonly Type[] {
  switch (type.kind) {
    case 'vector':
      return Array.from({ length: type.size }, () => scalarType(type.element));
    case 'array':
      return Array.from({ length: type.count ?? runtimeCount }, () => type.element);
    case 'struct':
      return type.members.map((member) => member.type);
    default:
      throw new Error(`${typeName(type)} has no items`);
  }
}

const scalarType = (name: ScalarName | 'abstract'): Type => ({ kind: 'scalar', name });

/** Builds a value of a type. `make` returns each scalar of it. */
export function build(type: Type, make: (type: ScalarName) => Term, runtimeCount = 0): Value {
  if (type.kind === 'scalar' && type.name !== 'abstract') return scalar(type.name, make(type.name));
  if (type.kind === 'atomic') return scalar(type.element, make(type.element));
  return { kind: 'list', type, items: itemTypes(type, runtimeCount).map((item) => build(item, make)) };
}

export const zero = (type: Type): Value => build(type, (name) => (name === 'bool' ? no() : constant(0)));

/** Returns the value of a term, which must be a scalar. */
export function termOf(value: Value, type: ScalarName = 'u32'): Term {
  if (value.kind === 'scalar') return value.term;
  if (value.kind === 'abstract' && type !== 'bool') return constant(value.value);
  throw new Error('expected a scalar');
}

/** Converts an abstract value to the type of another value. */
export const like = (value: Value, other: Value): Value =>
  value.kind === 'abstract' && other.kind === 'scalar' ? scalar(other.type, constant(value.value)) : value;

/** Applies a function to the scalars of values of one type. */
export function zip(values: readonly Value[], apply: (terms: readonly Term[], type: ScalarName) => Term): Value {
  const [first] = values;
  if (first === undefined) throw new Error('no value');
  if (first.kind === 'list') {
    const items = first.items.map((_, index) =>
      zip(
        values.map((value) => {
          const item = value.kind === 'list' ? value.items[index] : undefined;
          if (item === undefined) throw new Error('the values have different types');
          return item;
        }),
        apply,
      ),
    );
    return { ...first, items };
  }
  const type = values.find((value) => value.kind === 'scalar')?.type ?? 'i32';
  return scalar(
    type,
    apply(
      values.map((value) => termOf(value)),
      type,
    ),
  );
}

export const choose = (condition: Term, then: Value, otherwise: Value): Value =>
  then === otherwise ? then : zip([then, otherwise], ([a, b]) => (a && b ? ite(condition, a, b) : no()));
