// The instructions of a test's thread, with the addresses of one instance.
import { type LitmusTest, litmusDiagnostics, raiseIn, type TestThread } from '../../memory-model/index.ts';
import type { Instruction, Operand, Span } from '../../ptx/ast.ts';
import type { LaunchSize, Layout } from './plan.ts';

/** The register with the address of a variable. */
export const addressRegister = (variable: string): string => `%at_${variable}`;

interface Edit extends Span {
  readonly text: string;
}

/**
 * Returns the text of a thread. Variables become registers with addresses. A barrier counts the
 * threads of all instances of the block. Throws `PtxError` for instructions that cannot run so.
 */
export function threadText(test: LitmusTest, thread: TestThread, { blocks }: Layout, { slots }: LaunchSize): string {
  const raise = raiseIn(test.source);
  const refuse = (span: Span, what: string): never =>
    raise(litmusDiagnostics.unsupported(test.place(span), what, 'run the test without it'));
  const number = test.threads.indexOf(thread);
  const inBlock = blocks.find((own) => own.includes(number))?.length ?? 1;
  const lines = thread.code.body.flatMap((statement): readonly string[] => {
    if (statement.kind === 'label') return [`${statement.name}:`];
    if (statement.kind === 'unsupported') return refuse(statement.span, `\`${statement.opcode}\``);
    if (statement.row.kind === 'control' && statement.row.flow === 'return') return [];
    return [edited(test.moduleText, statement.span, editsOf(statement))];
  });
  return lines.map((line) => `    ${line}`).join('\n');

  function editsOf(instruction: Instruction): readonly Edit[] {
    const isBarrier = /^bar(rier)?\.(sync|arrive)$/.test(instruction.row.name);
    return Object.entries(instruction.operands).flatMap(([name, operand]): readonly Edit[] => {
      if (isBarrier && name === 'b') return [{ ...operand.span, text: String(countOf(operand)) }];
      if (isBarrier && name === 'a' && instruction.operands.b === undefined) {
        return [
          {
            ...operand.span,
            text: `${test.moduleText.slice(operand.span.start, operand.span.end)}, ${inBlock * slots}`,
          },
        ];
      }
      return addressEdits(operand);
    });
  }

  function countOf(operand: Operand): number {
    return operand.kind === 'immediate' ? (Number(operand.bits) / 32) * slots : refuse(operand.span, 'this count');
  }

  function addressEdits(operand: Operand): readonly Edit[] {
    if (operand.kind === 'symbol') {
      if (operand.offset !== 0) refuse(operand.span, 'an offset here');
      return [{ ...operand.span, text: registerOf(operand.variable.name, operand.span) }];
    }
    if (operand.kind !== 'address' || operand.base === null || !('space' in operand.base)) return [];
    return [{ ...operand.span, text: `[${registerOf(operand.base.name, operand.span)}+${operand.offset}]` }];
  }

  function registerOf(name: string, span: Span): string {
    // A launch has only one mapping of each buffer.
    const isAlias = test.variables.some(({ variable, aliasOf }) => variable.name === name && aliasOf !== undefined);
    return isAlias ? refuse(span, 'an alias') : addressRegister(name);
  }
}

function edited(text: string, { start, end }: Span, edits: readonly Edit[]): string {
  let result = '';
  let position = start;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    result += text.slice(position, edit.start) + edit.text;
    position = edit.end;
  }
  const line = result + text.slice(position, end);
  return line.endsWith(';') ? line : `${line};`;
}
