// Writes a fragment as the text of a whole PTX module, for the CUDA driver. SASS becomes the
// equivalent PTX that the parser produced.
import type {
  ImmediateOperand,
  Instruction,
  Module,
  Operand,
  PtxFunction,
  Register,
  Statement,
  Variable,
} from '../../ptx/ast.ts';
import { KernelError } from '../../runtime/launch/kernel-error.ts';
import { type FragmentIo, fragmentEntry, frameText } from '../launches/fragment-kernel.ts';
import { anyInstructionText } from '../suites/rows/instruction-text.ts';
import { moduleDemands } from '../suites/rows/kernel-text.ts';

/**
 * Returns the text of the module that `fragmentToKernel` creates. Its parameters are the input
 * buffers, then the output buffers. Throws `KernelError` 'unsupported' for instructions without a
 * row, and RangeError for jump tables.
 */
export function fragmentText(module: Module, { inputs, outputs }: Required<FragmentIo>): string {
  const fragment = module.functions.find(({ name }) => name === fragmentEntry);
  if (!fragment) throw new RangeError(`${module.source.file} is not a fragment`);
  const nameOf = namesOf(fragment, [...inputs, ...outputs]);
  const { head, before, after } = frameText(inputs, outputs, nameOf);
  const body = [
    ...registersOf(fragment, [...inputs, ...outputs]).map((register) => `.reg .${register.type} ${nameOf(register)};`),
    ...fragment.variables.map(variableText),
    ...before,
    ...fragment.body.map((statement) => statementText(statement, module, nameOf)),
    ...after,
  ];
  const { version, target } = demandsOf(fragment);
  return [
    `.version ${version}`,
    `.target ${target}`,
    '.address_size 64',
    '',
    head,
    '{',
    ...body.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
}

type NameOf = (register: Register) => string;

function registersOf({ registers }: PtxFunction, more: readonly Register[]): Register[] {
  return [...new Map([...registers, ...more].map((register) => [register.name, register])).values()];
}

/**
 * Returns unique register names such as `%v0_Rx`, because a fragment may use any word as a name.
 */
function namesOf(fragment: PtxFunction, more: readonly Register[]): NameOf {
  const names = new Map(
    registersOf(fragment, more).map(({ name }, index) => [name, `%v${index}_${name.replace(/\W/g, '')}`]),
  );
  return ({ name }) => names.get(name) ?? name;
}

/**
 * Returns the highest version and target that any instruction requires. If an instruction has a
 * form that PTX removed, the version of the whole module is limited.
 */
function demandsOf({ body }: PtxFunction): { readonly version: string; readonly target: string } {
  const rows = body.flatMap((statement) => (statement.kind === 'instruction' ? [statement.row] : []));
  const removed = rows.find((row) => row.removed);
  if (removed) return moduleDemands(removed);
  const numberOf = (text: string): number => Number.parseFloat(text.replace('sm_', ''));
  const greatest = (texts: readonly string[]): string =>
    texts.reduce((most, text) => (numberOf(text) > numberOf(most) ? text : most));
  const demands = rows.map(moduleDemands);
  return {
    version: greatest(['6.0', ...demands.map(({ version }) => version)]),
    target: greatest(['sm_70', ...demands.map(({ target }) => target)]),
  };
}

function variableText({ name, space, align, bytes }: Variable): string {
  return `.${space} .align ${align} .b8 ${name}[${bytes}];`;
}

function statementText(statement: Statement, module: Module, nameOf: NameOf): string {
  if (statement.kind === 'label') return `${statement.name}:`;
  if (statement.kind === 'unsupported') throw new KernelError('unsupported', module.source, [statement.diagnostic]);
  const guard = statement.guard;
  const prefix = guard ? `@${guard.negated ? '!' : ''}${nameOf(guard.register)} ` : '';
  const operands = Object.entries(statement.operands).map(
    ([name, operand]) => [name, operandText(operand, statement, nameOf)] as const,
  );
  return `${prefix}${anyInstructionText(statement.row, statement.mods, Object.fromEntries(operands)).trimEnd()};`;
}

function operandText(operand: Operand, instruction: Instruction, nameOf: NameOf): string {
  const inner = (element: Operand): string => operandText(element, instruction, nameOf);
  const plus = (offset: number): string => (offset === 0 ? '' : `+${offset}`);
  switch (operand.kind) {
    case 'register':
      return `${negation(operand.negated, operand.register)}${nameOf(operand.register)}`;
    case 'special':
    case 'sink':
      return operand.kind === 'sink' ? '_' : operand.name;
    case 'immediate':
      return immediateText(operand);
    case 'symbol':
      return `${operand.variable.name}${plus(operand.offset)}`;
    case 'vector':
      return `{${operand.elements.map(inner).join(', ')}}`;
    case 'label':
      return operand.target;
    case 'address': {
      const { base, offset } = operand;
      if (base === null) return `[${offset}]`;
      return `[${'space' in base ? base.name : nameOf(base)}${plus(offset)}]`;
    }
    case 'image':
    case 'labels':
    case 'call':
      throw new RangeError(`${instruction.row.name}: a fragment cannot use textures, functions or tables`);
  }
}

function negation(negated: boolean, { type }: Register): string {
  if (!negated) return '';
  return type === 'pred' ? '!' : '-';
}

function immediateText({ bits, type }: ImmediateOperand): string {
  const digits = (count: number): string => bits.toString(16).toUpperCase().padStart(count, '0');
  if (type === 'f32') return `0f${digits(8)}`;
  if (type === 'f64') return `0d${digits(16)}`;
  return type === 'pred' ? String(bits) : `0x${digits(1)}`;
}
