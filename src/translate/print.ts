// The intermediate form as text, for `--print-after` and for tests.
import type { AddressOperand, ArrayPlace, Instruction, Operand } from '../ptx/ast.ts';
import type { Kernel, Terminator } from './ir.ts';

export function printKernel(kernel: Kernel): string {
  const blocks = kernel.blocks.map(({ code, end }, id) =>
    [`block ${id}:`, ...code.map((instruction) => `  ${printInstruction(instruction)}`), `  ${printEnd(end)}`].join(
      '\n',
    ),
  );
  return `kernel ${kernel.name}\n${blocks.join('\n')}\n`;
}

const printInstruction = ({ row, mods, operands, guard }: Instruction): string => {
  const condition = guard ? `@${guard.negated ? '!' : ''}${guard.register.name} ` : '';
  const qualifiers = Object.values(mods)
    .map((value) => `.${value}`)
    .join('');
  const list = Object.entries(operands).map(([name, operand]) => `${name}=${printOperand(operand)}`);
  return `${condition}${row.name}${qualifiers === '' ? '' : ` ${qualifiers}`} ${list.join(', ')}`.trimEnd();
};

function printOperand(operand: Operand): string {
  switch (operand.kind) {
    case 'register':
      return `${operand.negated ? '!' : ''}${operand.register.name}`;
    case 'immediate':
      return `0x${operand.bits.toString(16)}`;
    case 'special':
      return operand.name;
    case 'symbol':
      return `&${operand.variable.name}${operand.offset ? `+${operand.offset}` : ''}`;
    case 'address':
      return operand.place
        ? printPlace(operand.place)
        : `[${operand.base?.name ?? ''}${printIndex(operand)}${operand.offset ? `+${operand.offset}` : ''}]`;
    case 'vector':
      return `{${operand.elements.map(printOperand).join(', ')}}`;
    case 'sink':
      return '_';
    default:
      return operand.kind;
  }
}

const printIndex = ({ index }: AddressOperand): string => (index ? `+${index.register.name}*${index.scale}` : '');

/// `shared[%index$1*4+8]`: an array, and bytes in it.
function printPlace({ array, base, unit, offset }: ArrayPlace): string {
  const sum = base ? `${base.name}*${unit}${offset ? `+${offset}` : ''}` : String(offset);
  return `${array}[${sum}]`;
}

function printEnd(end: Terminator): string {
  if (end.kind === 'jump') return `jump ${end.to}`;
  if (end.kind === 'branch')
    return `branch ${end.guard.negated ? '!' : ''}${end.guard.register.name} ? ${end.then} : ${end.else}`;
  if (end.kind === 'switch') return `switch ${printOperand(end.selector)} [${end.targets.join(', ')}]`;
  return end.kind;
}
