// Selects `select`.
import { at } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { i1, pointerTo } from '../ir/types.ts';
import { classOf, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

export function selectSelect(writer: Writer, { condition, left, right }: InstructionOf<'select'>): Scalar[] {
  const conditions = writer.scalars(condition);
  const second = writer.scalars(right);
  const isVector = condition.type.kind === 'vector';
  return writer.scalars(left).map((scalar, index) => {
    const chosen = at(conditions, isVector ? index : 0, 'the condition');
    return choose(writer, chosen, scalar, at(second, index, 'the right operand'));
  });
}

/** Returns `left` if the condition is true, otherwise `right`. */
export function choose(writer: Writer, condition: Scalar, left: Scalar, right: Scalar): Scalar {
  const { type } = left;
  if (condition.constant !== undefined) return condition.constant === 1n ? left : right;
  if (type.kind === 'ptr') return choosePointer(writer, condition, left, right);
  if (classOf(type) === 'pred') {
    const yes = writer.compute('and.pred', i1, condition.text, writer.inRegister(left));
    const no = writer.compute('not.pred', i1, condition.text);
    const other = writer.compute('and.pred', i1, no.text, writer.inRegister(right));
    return writer.compute('or.pred', i1, yes.text, other.text);
  }
  const chosen = writer.compute(
    `selp.${classOf(type)}`,
    type,
    writer.operand(left),
    writer.operand(right),
    condition.text,
  );
  return { ...chosen, upper: left.upper === right.upper ? left.upper : 'any' };
}

function choosePointer(writer: Writer, condition: Scalar, left: Scalar, right: Scalar): Scalar {
  const spaceOf = ({ type }: Scalar): number => (type.kind === 'ptr' ? type.space : 0);
  const isNull = ({ constant, offset }: Scalar): boolean => constant === 0n && offset === 0;
  const space =
    spaceOf(left) === spaceOf(right)
      ? spaceOf(left)
      : isNull(right) && spaceOf(left) === 1
        ? 1
        : isNull(left) && spaceOf(right) === 1
          ? 1
          : 0;
  const [a, b] = [writer.inSpace(left, space), writer.inSpace(right, space)];
  return writer.compute('selp.b64', pointerTo(space), writer.inRegister(a), writer.inRegister(b), condition.text);
}
