// Types and conversions of symbolic values, and WGSL's functions of values.
import type * as ast from '../../wgsl-interpreter/syntax/ast.ts';
import type { ScalarName, Type } from '../../wgsl-interpreter/types.ts';
import { and, bool, constant, equal, not, or, type Term, wordOf } from '../terms/term.ts';
import { elementwise } from './operators.ts';
import { at } from './place.ts';
import { choose, like, scalar, termOf, truth, type Value, zip } from './value.ts';

export function fail(what: string): never {
  throw new Error(what);
}

const floatBits = new Uint32Array(1);
const floatValue = new Float32Array(floatBits.buffer);

export function literalOf(node: ast.Literal): Value {
  const { type, value } = node;
  switch (type) {
    case 'u32':
    case 'i32':
      return scalar(type, constant(value));
    case 'f32':
      floatValue[0] = value;
      return scalar('f32', constant(at([...floatBits], 0)));
    case 'bool':
      return truth(bool(value !== 0));
    case 'abstract':
      return { kind: 'abstract', value };
    default:
      return fail(`a literal of type ${type} is not supported`);
  }
}

export const swizzleOf = (letters: string): number[] =>
  [...letters].map((letter) => ('xyzw'.includes(letter) ? 'xyzw' : 'rgba').indexOf(letter));

export const memberOf = (type: Type, name: string): number | undefined => {
  const index = type.kind === 'struct' ? type.members.findIndex((member) => member.name === name) : -1;
  return index < 0 ? undefined : index;
};

export const scalarsOf = (value: Value): readonly Term[] =>
  value.kind === 'list' ? value.items.flatMap(scalarsOf) : [termOf(value)];

export function typeOfValue(value: Value): Type {
  if (value.kind === 'list') return value.type;
  return { kind: 'scalar', name: value.kind === 'abstract' ? 'i32' : value.type };
}

export const scalarTypeOf = (value: Value): ScalarName =>
  value.kind === 'list' ? scalarTypeOf(at(value.items, 0)) : value.kind === 'abstract' ? 'i32' : value.type;

/** Converts an abstract value to the type of its context, or else to i32. */
export function concrete(value: Value, type: Type | undefined): Value {
  if (value.kind !== 'abstract') return value;
  const name =
    type?.kind === 'scalar' && type.name !== 'abstract' ? type.name : type?.kind === 'atomic' ? type.element : 'i32';
  return scalar(name, constant(value.value));
}

export function retype(value: Value, type: ScalarName): Value {
  if (value.kind === 'list') {
    const { type: old } = value;
    return {
      ...value,
      type: old.kind === 'vector' ? { ...old, element: type } : old,
      items: value.items.map((item) => retype(item, type)),
    };
  }
  return value.kind === 'abstract' ? value : scalar(type, value.term);
}

/** Converts a scalar operand to a vector if the other operand is a vector. */
export function spread(a: Value, b: Value): readonly [Value, Value] {
  if (a.kind === 'list' && b.kind !== 'list') return [a, { ...a, items: a.items.map((item) => like(b, item)) }];
  if (b.kind === 'list' && a.kind !== 'list') return [{ ...b, items: b.items.map((item) => like(a, item)) }, b];
  return [like(a, b), like(b, a)];
}

export function cast(value: Value, type: Type, change: (term: Term) => Term): Value {
  if (value.kind === 'list') {
    if (type.kind !== 'vector') throw new Error('a vector is cast to a vector');
    return {
      kind: 'list',
      type,
      items: value.items.map((item) => cast(item, { kind: 'scalar', name: type.element }, change)),
    };
  }
  if (type.kind !== 'scalar' || type.name === 'abstract') throw new Error('a scalar is cast to a scalar');
  return scalar(type.name, change(termOf(value)));
}

export function convert(value: Value, to: ScalarName): Value {
  if (value.kind === 'list') throw new Error('a vector is not a scalar');
  if (value.kind === 'abstract') return scalar(to, to === 'bool' ? bool(value.value !== 0) : constant(value.value));
  if (value.type === to) return value;
  if (value.type === 'f32' || to === 'f32') throw new Error(`a conversion from ${value.type} to ${to}`);
  if (to === 'bool') return truth(not(equal(value.term, constant(0))));
  if (value.type === 'bool') return scalar(to, wordOf(value.term));
  return scalar(to, value.term);
}

export function builtin(name: string, args: readonly Value[]): Value {
  if (name === 'select') {
    const [otherwise, then, condition] = args;
    if (otherwise === undefined || then === undefined || condition === undefined)
      throw new Error('select has three arguments');
    const [a, b] = spread(otherwise, then);
    if (condition.kind !== 'list') return choose(termOf(condition, 'bool'), b, a);
    if (a.kind !== 'list' || b.kind !== 'list') throw new Error('select of vectors');
    return {
      ...a,
      items: a.items.map((item, index) => choose(termOf(at(condition.items, index), 'bool'), at(b.items, index), item)),
    };
  }
  if (name === 'all' || name === 'any') {
    const [value] = args;
    const terms = value === undefined ? [] : scalarsOf(value);
    return truth((name === 'all' ? and : or)(...terms));
  }
  const model = args.find((arg) => arg.kind !== 'abstract');
  const unified =
    model === undefined ? args : args.map((arg) => like(arg, model.kind === 'list' ? at(model.items, 0) : model));
  return zip(unified, (terms, type) => elementwise(name, type, terms) ?? fail(`${name} of ${type} is not supported`));
}
