// Prints the IR as text that parse.ts can parse: for `--print-after`, for tests, and for reducing a
// failing kernel by hand.
//
//    kernel saxpy {
//    b0:
//      %tid:i32 = special.i32 "%tid.x"
//      %x:f32 = load.f32 buffer(0)[%tid*4+8] when %p else undef:f32
//      branch %p, b1(%x), b2
//
// Values are named after their hints, with a number if several have the same hint. Constants
// without a type are i32.
import type { Initializer, Variable } from '../../ptx/ast.ts';
import type { Block, Edge, Func, Program, Terminator } from './nodes.ts';
import { InstPrinter, namesOf, type PrintOptions } from './print-insts.ts';

export function printProgram(program: Program, options: PrintOptions = {}): string {
  const variables = nameVariables([...program.params, ...program.variables]);
  const lines = [`source ${JSON.stringify(program.source.file)}`];
  program.params.forEach((param, index) => {
    const pointer = program.pointerParams.has(index) ? ' pointer' : '';
    lines.push(`param ${printVariable(param, variables)}${pointer}`);
  });
  for (const variable of program.variables) lines.push(`variable ${printVariable(variable, variables)}`);
  if (program.dynamicShared > 0) lines.push(`dynamic_shared ${program.dynamicShared}`);
  for (const func of [...program.functions, program.kernel]) lines.push('', ...linesOf(func, variables, options));
  return `${lines.join('\n')}\n`;
}

/** Prints one function. The program's variables keep their own names. */
export const printFunc = (func: Func, options: PrintOptions = {}): string =>
  `${linesOf(func, new Map(), options).join('\n')}\n`;

/**
 * Returns the names of variables. A number distinguishes variables with the same name in several
 * PTX functions.
 */
function nameVariables(variables: readonly Variable[]): Map<Variable, string> {
  const used = new Set<string>();
  const names = new Map<Variable, string>();
  for (const variable of variables) {
    let name = variable.name;
    for (let number = 1; used.has(name); number++) name = `${variable.name}.${number}`;
    used.add(name);
    names.set(variable, name);
  }
  return names;
}

function printVariable(variable: Variable, names: ReadonlyMap<Variable, string>): string {
  const { space, type, bytes, align, array, external, initializers } = variable;
  const flags = `${array ? ' array' : ''}${external ? ' extern' : ''}`;
  const contents = initializers.length > 0 ? ` = ${initializers.map(printInitializer).join(', ')}` : '';
  return `${space} ${names.get(variable) ?? variable.name}: ${type} bytes ${bytes} align ${align}${flags}${contents}`;
}

function printInitializer(part: Initializer): string {
  if (part.kind === 'bytes') {
    const digits = Array.from(part.bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return `${part.offset}: 0x${digits}`;
  }
  return `${part.offset}: ${part.generic ? 'generic ' : ''}@${part.symbol} ${part.addend} bytes ${part.bytes}`;
}

function linesOf(func: Func, variables: ReadonlyMap<Variable, string>, options: PrintOptions): string[] {
  const printer = new FuncPrinter(func, variables, options);
  const results = func.results.length > 0 ? ` -> ${func.results.join(', ')}` : '';
  return [`${func.kind} ${func.name}${results} {`, ...func.blocks.flatMap((block) => printer.block(block)), '}'];
}

/** Prints one function. */
class FuncPrinter extends InstPrinter {
  private readonly blocks: ReadonlyMap<Block, number>;

  constructor(func: Func, variables: ReadonlyMap<Variable, string>, options: PrintOptions) {
    super(namesOf(func), variables, options);
    this.blocks = new Map(func.blocks.map((block, number) => [block, number]));
  }

  block(block: Block): string[] {
    const params = block.params.map((param) => this.definition(param)).join(', ');
    const head = `${this.blockName(block)}${params === '' ? '' : `(${params})`}:`;
    return [head, ...block.insts.map((inst) => `  ${this.inst(inst)}`), `  ${this.end(block.end)}`];
  }

  /** Returns the printed name of a block. Absent: the block is outside of the function. */
  private blockName(block: Block): string {
    return `b${this.blocks.get(block) ?? '?'}`;
  }

  private edge({ to, args }: Edge): string {
    return `${this.blockName(to)}${args.length > 0 ? `(${this.list(args)})` : ''}`;
  }

  private end(end: Terminator): string {
    return `${this.terminator(end)}${this.span(end.span)}`;
  }

  private terminator(end: Terminator): string {
    switch (end.kind) {
      case 'jump':
        return `jump ${this.edge(end.to)}`;
      case 'branch':
        return `branch ${this.value(end.condition)}, ${this.edge(end.then)}, ${this.edge(end.else)}`;
      case 'switch':
        return `switch ${this.value(end.selector)}, ${end.edges.map((edge) => this.edge(edge)).join(', ')}`;
      case 'return':
        return end.values.length > 0 ? `return ${this.list(end.values)}` : 'return';
      default:
        return end.kind;
    }
  }
}
