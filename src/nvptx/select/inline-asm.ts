// Selects inline PTX.
import { at } from '../../base/invariants.ts';
import type { InlineAsm, InstructionOf } from '../ir/module.ts';
import { i1, i32, intType, leavesOf, type ScalarType } from '../ir/types.ts';
import { reinterpret } from './bits.ts';
import { classOf, inRegister, registerBits, type Scalar } from './scalar.ts';
import type { Writer } from './writer.ts';

/** The register that each constraint of NVPTX names. */
const registerTypes: ReadonlyMap<string, ScalarType> = new Map<string, ScalarType>([
  ['b', i1],
  ['c', intType(16)],
  ['h', intType(16)],
  ['r', i32],
  ['l', intType(64)],
  ['N', intType(64)],
  ['f', { kind: 'float' }],
  ['d', { kind: 'double' }],
]);

/**
 * Emits the text of the assembly with its operands. As in LLVM's numbering, the outputs are first,
 * followed by the inputs. An input whose constraint is a number shares the register of the output
 * with that number.
 */
export function selectAsm(writer: Writer, asm: InlineAsm, { args, type }: InstructionOf<'call'>): Scalar[] {
  const constraints = asm.constraints.split(',').filter((text) => text !== '' && !text.startsWith('~'));
  const results = leavesOf(type).map((leaf) => leaf.type);
  const operands: string[] = [];
  const outputs: Scalar[] = [];
  let next = 0;
  for (const constraint of constraints) {
    if (constraint.startsWith('=')) {
      const held = typeOf(writer, constraint.replace(/^=&?/, ''), results[outputs.length]);
      const output = inRegister(held, writer.register(classOf(held)));
      outputs.push(output);
      operands.push(output.text);
      continue;
    }
    const scalar = writer.scalar(at(args, next++, 'the argument').value);
    if (/^\d+$/.test(constraint)) {
      const output = at(outputs, Number(constraint), 'the output');
      writer.emit(
        `mov.${classOf(output.type)} \t${output.text}, ${writer.inRegister(fitted(writer, scalar, output.type))}`,
      );
      operands.push(output.text);
    } else if (/^[ni]$/.test(constraint)) operands.push(scalar.text);
    else operands.push(writer.inRegister(fitted(writer, scalar, typeOf(writer, constraint, scalar.type))));
  }
  const text = substitute(asm.text, operands, writer);
  for (const line of text.split('\n')) if (line.trim() !== '') writer.lines.push(`\t${line.trim()}`);
  const last = writer.lines.at(-1);
  if (last !== undefined && !/[;}{:]$/.test(last.replace(/\/\/.*$/, '').trim()))
    writer.lines[writer.lines.length - 1] = `${last};`;
  return outputs.map((output, index) => unfitted(writer, output, at(results, index, 'the type of the result')));
}

function typeOf(writer: Writer, constraint: string, type: ScalarType | undefined): ScalarType {
  const found = registerTypes.get(constraint);
  if (found !== undefined) return found;
  if (constraint === 'q' || type === undefined) return writer.unsupported(`the constraint \`${constraint}\``);
  return writer.unsupported(`the constraint \`${constraint}\``);
}

/** Returns the scalar in a register of the type that the constraint requires. */
function fitted(writer: Writer, scalar: Scalar, type: ScalarType): Scalar {
  if (scalar.type.kind === 'ptr') return { ...writer.generic(scalar) };
  if (scalar.type.kind === 'int' && type.kind === 'int')
    return scalar.type.bits === type.bits ? scalar : writer.resized(scalar, type.bits, 'zero');
  if (registerBits(scalar.type) === registerBits(type)) return reinterpret(writer, scalar, type);
  return writer.unsupported('an operand of this width');
}

/** Returns the output as a scalar of the result's type. */
function unfitted(writer: Writer, output: Scalar, type: ScalarType): Scalar {
  if (type.kind === 'ptr') return { ...output, type };
  if (output.type.kind === 'int' && type.kind === 'int')
    return output.type.bits === type.bits ? output : writer.resized(output, type.bits, 'zero');
  return reinterpret(writer, output, type);
}

/** Replaces `$0`, `${0:modifier}` and `$$`, and chooses the first of `$(a$|b$)`. */
function substitute(text: string, operands: readonly string[], writer: Writer): string {
  return text
    .replace(/\$\((.*?)(?:\$\|.*?)?\$\)/gs, '$1')
    .replace(/\$(?:(\$)|(\d+)|\{(\d+)(?::\w+)?\})/g, (_, dollar: string | undefined, plain: string, braced: string) => {
      if (dollar !== undefined) return '$';
      const operand = operands[Number(plain ?? braced)];
      return operand ?? writer.unsupported('an operand that the assembly does not have');
    });
}
