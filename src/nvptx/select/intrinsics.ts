// Selects calls of LLVM's intrinsic functions that exist on every target.
import { at, missing } from '../../base/invariants.ts';
import type { InstructionOf } from '../ir/module.ts';
import { bitsOf, i1, leavesOf, type ScalarType } from '../ir/types.ts';
import { copyMemory, setMemory } from './block-memory.ts';
import { isOfClass } from './float-class.ts';
import { type Element, floatIntrinsics, saturatingInteger } from './float-intrinsics.ts';
import { compareThreeWay, integerIntrinsics } from './integer-intrinsics.ts';
import { selectNvvm } from './nvvm.ts';
import { withOverflow } from './overflow.ts';
import { reduceVector } from './reductions.ts';
import { constantOf, type Scalar } from './scalar.ts';
import { selectWideIntrinsic } from './wide-intrinsics.ts';
import type { Writer } from './writer.ts';

type Call = InstructionOf<'call'>;
/** Matches intrinsics that only inform the optimizer. */
const ignored =
  /^llvm\.(lifetime|assume|dbg|invariant|experimental\.noalias|donothing|sideeffect|var\.annotation|prefetch|stacksave|stackrestore)/;
/** Matches intrinsics whose value is their first argument. */
const transparent = /^llvm\.(expect|launder|strip|annotation|ptr\.annotation|ssa\.copy|arithmetic\.fence)/;

/** Selects a call of an intrinsic. Returns undefined if its name is unknown. */
export function selectIntrinsic(writer: Writer, name: string, call: Call): Scalar[] | undefined {
  if (ignored.test(name)) return [];
  const first = call.args[0]?.value;
  if (transparent.test(name) && first !== undefined) return [...writer.scalars(first)];
  if (name.startsWith('llvm.nvvm.')) return selectNvvm(writer, name, call);
  const base = name.replace(/^llvm\./, '').replace(/(\.(v\d+)?[ifp]\d+|\.(v\d+)?bf16)+$/, '');
  if (first?.type.kind === 'wide') return selectWideIntrinsic(writer, base, argumentScalars(writer, call), first.type);
  const element = floatIntrinsics.get(base) ?? integerIntrinsics.get(base);
  return element === undefined ? selectOther(writer, base, call) : selectElements(writer, element, call);
}

const argumentScalars = (writer: Writer, { args }: Call): (readonly Scalar[])[] =>
  args.map(({ value }) => writer.scalars(value));

/**
 * Selects each element of the result. In a call on vectors, an operand that is not a vector is a
 * flag, such as that of `abs`.
 */
function selectElements(writer: Writer, element: Element, call: Call): Scalar[] {
  const leaves = leavesOf(call.type);
  const lists = argumentScalars(writer, call).filter(
    (list, index) => list.length === leaves.length && call.args[index]?.value.type.kind === call.type.kind,
  );
  return leaves.map((_, index) => {
    const [a, ...rest] = lists.map((list) => at(list, index, 'the element'));
    return element(writer, a ?? missing('the argument'), ...rest);
  });
}

function selectOther(writer: Writer, base: string, { args, type }: Call): Scalar[] | undefined {
  const values = args.map(({ value }) => value);
  const [a, b, c] = values;
  if (/^mem(cpy|move|set)/.test(base) && a && b && c) {
    const align = Math.max(1, args[0]?.attributes.align ?? 1);
    if (base.startsWith('memset')) setMemory(writer, writer.scalar(a), writer.scalar(b), writer.scalar(c), align);
    else
      copyMemory(
        writer,
        writer.scalar(a),
        writer.scalar(b),
        writer.scalar(c),
        Math.min(align, args[1]?.attributes.align ?? 1),
      );
    return [];
  }
  if (base === 'trap' || base === 'debugtrap' || base === 'ubsantrap') {
    writer.emit(base === 'debugtrap' ? 'brkpt' : 'trap');
    return [];
  }
  const overflow = /^([su])(add|sub|mul)\.with\.overflow$/.exec(base);
  if (overflow !== null && a && b) {
    const [, sign = '', operation = ''] = overflow;
    return withOverflow(writer, sign, operation, writer.scalar(a), writer.scalar(b));
  }
  const reduction = /^vector\.reduce\.(\w+)$/.exec(base);
  const last = values.at(-1);
  if (reduction !== null && last) {
    const start = values.length === 2 && a ? writer.scalar(a) : undefined;
    return [reduceVector(writer, reduction[1] ?? '', writer.scalars(last), start)];
  }
  const conversion = /^fpto([su])i\.sat$/.exec(base);
  if (conversion !== null && a) {
    const sign = conversion[1] === 's' ? 's' : 'u';
    const to = leavesOf(type);
    return writer
      .scalars(a)
      .map((scalar, index) => saturatingInteger(writer, scalar, at(to, index, 'the type').type, sign));
  }
  const threeWay = /^([su])cmp$/.exec(base);
  if (threeWay !== null && a && b) {
    const sign = threeWay[1] === 's' ? 's' : 'u';
    const right = writer.scalars(b);
    const bits = bitsOf(scalarType(type));
    return writer
      .scalars(a)
      .map((scalar, index) => compareThreeWay(writer, sign, scalar, at(right, index, 'the operand'), bits));
  }
  if (base === 'is.fpclass' && a && b?.kind === 'int') return [isOfClass(writer, writer.scalar(a), Number(b.value))];
  if (base === 'objectsize') return [constantOf(scalarType(type), 2n ** 64n - 1n)];
  if (base === 'is.constant') return [constantOf(i1, 0n)];
  return undefined;
}

function scalarType(type: Call['type']): ScalarType {
  return at(leavesOf(type), 0, 'the scalar').type;
}
