// Selects the instructions on vectors and structs. They only rename scalars, so they emit no code,
// except for an index that is not constant.
import { at } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { i1, i32, leavesOf, partAt } from '../ir/types.ts';
import { choose } from './choose.ts';
import { constantOf, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

export function selectExtractValue(writer: Writer, { value, indices, type }: InstructionOf<'extractvalue'>): Scalar[] {
  const { first } = partAt(value.type, indices);
  return writer.scalars(value).slice(first, first + leavesOf(type).length);
}

export function selectInsertValue(writer: Writer, { value, element, indices }: InstructionOf<'insertvalue'>): Scalar[] {
  const { first } = partAt(value.type, indices);
  const scalars = [...writer.scalars(value)];
  const parts = writer.scalars(element);
  scalars.splice(first, parts.length, ...parts);
  return scalars;
}

export function selectExtractElement(writer: Writer, { value, index }: InstructionOf<'extractelement'>): Scalar[] {
  const scalars = writer.scalars(value);
  const position = writer.scalar(index);
  if (position.constant !== undefined) return [at(scalars, Number(position.constant) % scalars.length, 'the element')];
  const chosen = scalars.reduce((other, scalar, number) =>
    number === 0 ? scalar : choose(writer, isIndex(writer, position, number), scalar, other),
  );
  return [chosen];
}

export function selectInsertElement(
  writer: Writer,
  { value, element, index }: InstructionOf<'insertelement'>,
): Scalar[] {
  const scalars = writer.scalars(value);
  const position = writer.scalar(index);
  const inserted = writer.scalar(element);
  return scalars.map((scalar, number) => {
    if (position.constant !== undefined) return Number(position.constant) === number ? inserted : scalar;
    return choose(writer, isIndex(writer, position, number), inserted, scalar);
  });
}

function isIndex(writer: Writer, position: Scalar, number: number): Scalar {
  return writer.compute('setp.eq.s32', i1, writer.resized(position, i32.bits, 'zero').text, String(number));
}

export function selectShuffle(writer: Writer, { left, right, mask }: InstructionOf<'shufflevector'>): Scalar[] {
  const scalars = [...writer.scalars(left), ...writer.scalars(right)];
  const first = at(scalars, 0, 'the first element');
  return mask.map((index) => (index === undefined ? constantOf(first.type, 0n) : at(scalars, index, 'the element')));
}
