// Prints instructions and values as text that parse-insts.ts can parse.
import type { Variable } from '../../ptx/ast.ts';
import { printWords } from './attribute-words.ts';
import type { Place, Root } from './memory.ts';
import { type Definition, type Func, type Inst, isDefinition, type Value } from './nodes.ts';
import { isFloat, widthOf } from './types.ts';

export interface PrintOptions {
  /** Whether an instruction is printed with its span in the PTX text. */
  readonly spans?: boolean;
}

/** The printed names of values. */
export type Names = ReadonlyMap<Definition, string>;

/** Returns the beginning of a value's name, from its hint. */
const stemOf = (hint = ''): string => {
  const text = hint.replaceAll(/[^\w$%]/g, '_');
  return text.startsWith('%') ? text : `%${text}`;
};

/**
 * Names values after their hints. If several values have the same hint, the names have a number.
 */
export function namesOf(func: Func): Names {
  const names = new Map<Definition, string>();
  const counts = new Map<string, number>();
  const name = (value: Definition) => {
    const stem = stemOf(value.hint);
    // This is the first value with this hint. Values without a hint count from 1.
    const count = counts.get(stem) ?? (stem === '%' ? 1 : 0);
    counts.set(stem, count + 1);
    names.set(value, count === 0 ? stem : `${stem}.${count}`);
  };
  for (const block of func.blocks) {
    block.params.forEach(name);
    for (const { results } of block.insts) results.forEach(name);
  }
  return names;
}

export class InstPrinter {
  private readonly names: Names;
  private readonly variables: ReadonlyMap<Variable, string>;
  private readonly options: PrintOptions;

  constructor(names: Names, variables: ReadonlyMap<Variable, string> = new Map(), options: PrintOptions = {}) {
    this.names = names;
    this.variables = variables;
    this.options = options;
  }

  definition(value: Definition): string {
    return `${this.value(value)}:${value.type}`;
  }

  value(value: Value): string {
    // Absent: a value without a definition in the function is printed with its number.
    if (isDefinition(value)) return this.names.get(value) ?? `%?${value.id}`;
    if (value.kind === 'undef') return `undef:${value.type}`;
    const { type, bits } = value;
    if (type === 'i1') return bits === 1n ? 'true' : 'false';
    if (isFloat(type)) return `0x${bits.toString(16)}:${type}`;
    const number = BigInt.asIntN(widthOf(type), bits);
    return type === 'i32' ? String(number) : `${number}:${type}`;
  }

  list(values: readonly Value[]): string {
    return values.map((value) => this.value(value)).join(', ');
  }

  span(span: Inst['span']): string {
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
      case 'cell':
      case 'matrix-load': {
        const { place } = inst.attrs;
        const [index, ...rest] = place.indexed ? args : [undefined, ...args];
        const values = rest.flatMap((value) => (value ? [this.value(value)] : []));
        return [this.place(place, index), ...values].join(', ');
      }
      case 'helper': {
        const { name, params, result } = inst.attrs;
        return `${name}(${params.join(', ')}) ${result}${args.length > 0 ? `, ${this.list(args)}` : ''}`;
      }
      case 'steps':
        return `${JSON.stringify(JSON.stringify(inst.attrs))}${args.length > 0 ? `, ${this.list(args)}` : ''}`;
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
        return `@${inst.attrs.callee}${inst.attrs.divisible ? ' divisible' : ''}${args.length > 0 ? `, ${this.list(args)}` : ''}`;
      default:
        return this.list(args);
    }
  }

  private place({ root, unit, offset, indexed }: Place, index: Value | undefined): string {
    if (!indexed && unit === 1) return `${printRoot(root)}[${offset}]`;
    // A number without a type would be parsed as the offset.
    const type = index?.kind === 'constant' && index.type === 'i32' ? ':i32' : '';
    const scaled = `${index ? this.value(index) : '_'}${type}${unit === 1 ? '' : `*${unit}`}`;
    return `${printRoot(root)}[${scaled}${offset === 0 ? '' : ` ${offset < 0 ? '-' : '+'} ${Math.abs(offset)}`}]`;
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
