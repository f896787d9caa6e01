// The IR as text, which parse.ts reads back: for `--print-after`, for tests, and to cut a failing kernel down by hand.
//
//   kernel saxpy {
//   b0:
//     %tid:i32 = special.i32 "%tid.x"
//     %x:f32 = load.f32 buffer(0)[%tid*4+8] when %p else undef:f32
//     branch %p, b1(%x), b2
//
// Values are named after their hints, with a number where several have one hint; constants without a type are i32.
import type { Initializer, Variable } from '../../ptx/ast.ts';
import { printWords } from './attribute-words.ts';
import type { Place, Root } from './memory.ts';
import {
  type Block,
  type Definition,
  type Edge,
  type Func,
  type Inst,
  isDefinition,
  type Program,
  type Terminator,
  type Value,
} from './nodes.ts';
import { isFloat, widthOf } from './types.ts';

export interface PrintOptions {
  /** Whether instructions show the place in the PTX text that they come from. */
  readonly spans?: boolean;
}

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

/** One function by itself. Variables of the program go by their own names. */
export const printFunc = (func: Func, options: PrintOptions = {}): string =>
  `${linesOf(func, new Map(), options).join('\n')}\n`;

/** Functions of PTX may each have a variable of one name. */
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

/** A hint as the start of a value's name. */
const stemOf = (hint = ''): string => {
  const text = hint.replaceAll(/[^\w$%]/g, '_');
  return text.startsWith('%') ? text : `%${text}`;
};

/** Prints parts of one function. */
export class FuncPrinter {
  private readonly names = new Map<Definition, string>();
  private readonly blocks = new Map<Block, number>();
  private readonly variables: ReadonlyMap<Variable, string>;
  private readonly options: PrintOptions;

  constructor(func: Func, variables: ReadonlyMap<Variable, string> = new Map(), options: PrintOptions = {}) {
    this.variables = variables;
    this.options = options;
    const counts = new Map<string, number>();
    const name = (value: Definition) => {
      const stem = stemOf(value.hint);
      const count = counts.get(stem) ?? (stem === '%' ? 1 : 0);
      counts.set(stem, count + 1);
      this.names.set(value, count === 0 ? stem : `${stem}.${count}`);
    };
    func.blocks.forEach((block, number) => {
      this.blocks.set(block, number);
      block.params.forEach(name);
      for (const { results } of block.insts) results.forEach(name);
    });
  }

  block(block: Block): string[] {
    const params = block.params.map((param) => this.definition(param)).join(', ');
    const head = `${this.blockName(block)}${params === '' ? '' : `(${params})`}:`;
    return [head, ...block.insts.map((inst) => `  ${this.inst(inst)}`), `  ${this.end(block.end)}`];
  }

  definition(value: Definition): string {
    return `${this.value(value)}:${value.type}`;
  }

  /** Absent: a block of no function, which the text shows. */
  private blockName(block: Block): string {
    return `b${this.blocks.get(block) ?? '?'}`;
  }

  value(value: Value): string {
    // Absent: what is defined nowhere in the function shows its number.
    if (isDefinition(value)) return this.names.get(value) ?? `%?${value.id}`;
    if (value.kind === 'undef') return `undef:${value.type}`;
    const { type, bits } = value;
    if (type === 'i1') return bits === 1n ? 'true' : 'false';
    if (isFloat(type)) return `0x${bits.toString(16)}:${type}`;
    const number = BigInt.asIntN(widthOf(type), bits);
    return type === 'i32' ? String(number) : `${number}:${type}`;
  }

  private list(values: readonly Value[]): string {
    return values.map((value) => this.value(value)).join(', ');
  }

  private span(span: Inst['span']): string {
    return this.options.spans && span ? ` !${span.start}..${span.end}` : '';
  }

  inst(inst: Inst): string {
    const results = inst.results.map((result) => this.definition(result)).join(', ');
    const attrs: object = inst.attrs;
    const operation = `${inst.op}${printWords(inst.op, attrs as Readonly<Record<string, unknown>>)}`;
    const operands = this.operands(inst);
    const otherwise = inst.otherwise.length > 0 ? ` else ${this.list(inst.otherwise)}` : '';
    const when = inst.when === undefined ? '' : ` when ${this.value(inst.when)}${otherwise}`;
    return `${results === '' ? '' : `${results} = `}${operation}${operands && ` ${operands}`}${when}${this.span(inst.span)}`;
  }

  private operands(inst: Inst): string {
    const { op, args } = inst;
    switch (op) {
      case 'load':
      case 'store':
      case 'atomic':
      case 'half':
      case 'cell': {
        const { place } = inst.attrs;
        const [index, ...rest] = place.indexed ? args : [undefined, ...args];
        const values = rest.flatMap((value) => (value ? [this.value(value)] : []));
        return [this.place(place, index), ...values].join(', ');
      }
      case 'helper': {
        const { name, params, result } = inst.attrs;
        return `${name}(${params.join(', ')}) ${result}${args.length > 0 ? `, ${this.list(args)}` : ''}`;
      }
      case 'warp': {
        const mods = Object.entries(inst.attrs.mods).flatMap(([key, value]) =>
          value === undefined ? [] : [`${key}: ${value}`],
        );
        const pairs = inst.attrs.products?.map(([a, b]) => `${a}:${b}`);
        const products = pairs === undefined ? '' : ` [${pairs.join(', ')}]`;
        const form = `${inst.attrs.asWord ? ' word' : ''}${products}`;
        return `${JSON.stringify(inst.attrs.row)} {${mods.join(', ')}}${form}${args.length > 0 ? `, ${this.list(args)}` : ''}`;
      }
      case 'symbol': {
        const { variable, offset } = inst.attrs;
        return `@${this.variables.get(variable) ?? variable.name} ${offset}`;
      }
      case 'special':
        return JSON.stringify(inst.attrs.name);
      case 'call':
        return `@${inst.attrs.callee}${args.length > 0 ? `, ${this.list(args)}` : ''}`;
      default:
        return this.list(args);
    }
  }

  private place({ root, unit, offset, indexed }: Place, index: Value | undefined): string {
    if (!indexed && unit === 1) return `${printRoot(root)}[${offset}]`;
    // A bare number would be the offset.
    const type = index?.kind === 'constant' && index.type === 'i32' ? ':i32' : '';
    const scaled = `${index ? this.value(index) : '_'}${type}${unit === 1 ? '' : `*${unit}`}`;
    return `${printRoot(root)}[${scaled}${offset === 0 ? '' : ` ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`}]`;
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

function printRoot(root: Root): string {
  switch (root.kind) {
    case 'address':
      return `address(${root.space})`;
    case 'buffer':
    case 'param':
      return `${root.kind}(${root.param})`;
    case 'array':
      return `array(${root.array})`;
    default:
      return root.kind;
  }
}
