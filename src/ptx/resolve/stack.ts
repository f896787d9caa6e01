// Expands `alloca`, `stacksave` and `stackrestore` into other PTX. A function with these
// instructions gets an array in local memory, and a register with the number of bytes in use. When
// a call returns, its allocations are released. An allocation that does not fit ends the launch
// like a failed assertion.
import type { StackRowName } from '../../isa/index.ts';
import type { Source, Span } from '../ast.ts';
import type { TargetRules } from '../checks/target.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { Reporter } from '../diagnostics/reporter.ts';
import { positionOf } from '../diagnostics/source.ts';
import { Cursor } from '../lexer/cursor.ts';
import { tokenize } from '../lexer/lexer.ts';
import { ModuleParser } from '../parse/parse-module.ts';
import type { RawFunction, RawInstruction, RawModule, RawOperand, RawStatement, RawVariable } from '../syntax.ts';

/**
 * The size in bytes of the stack of a kernel, and of the stack of each call of a device function.
 * Many such calls may be active at the same time.
 */
const bytesOf = { entry: 4096, func: 1024 } as const;
const defaultAlign = 8n;
const mostAlign = 128n;

/** The names of the added variables. Neither compilers nor people use such names. */
const memory = 'stack$memory';
const top = '%stack$top';

const stackWords: ReadonlySet<string> = new Set<StackRowName>(['alloca', 'stacksave', 'stackrestore']);

/** Expands these instructions in a module. Returns the same module if it does not contain them. */
export function expandStack(raw: RawModule, source: Source, rules: TargetRules, reporter: Reporter): RawModule {
  if (!raw.functions.some(usesStack)) return raw;
  const expansion = new Expansion(raw, source, rules, reporter);
  const functions = raw.functions.map((each) => (usesStack(each) ? expansion.expand(each) : each));
  return {
    ...raw,
    variables: [...raw.variables, ...expansion.variables],
    functions: [...expansion.declarations, ...functions],
  };
}

const usesStack = ({ body = [] }: RawFunction): boolean => body.some((each) => isStack(each));

function isStack(statement: RawStatement): statement is RawInstruction {
  return statement.kind === 'instruction' && stackWords.has(statement.match.pattern.row.name);
}

class Expansion {
  /** The added module variables, which contain the texts of error messages. */
  readonly variables: RawVariable[] = [];
  readonly declarations: RawFunction[] = [];
  private readonly raw: RawModule;
  private readonly source: Source;
  private readonly rules: TargetRules;
  private readonly reporter: Reporter;
  private count = 0;

  constructor(raw: RawModule, source: Source, rules: TargetRules, reporter: Reporter) {
    this.raw = raw;
    this.source = source;
    this.rules = rules;
    this.reporter = reporter;
  }

  expand(raw: RawFunction): RawFunction {
    const body = (raw.body ?? []).flatMap((each) => (isStack(each) ? this.replace(each, raw) : [each]));
    const start = this.parse(
      `.local .align ${mostAlign} .b8 ${memory}[${bytesOf[raw.kind]}]; .reg .b32 ${top}; mov.u32 ${top}, 0;`,
      raw.name.span,
    );
    return { ...raw, body: [...start, ...body] };
  }

  private replace(instruction: RawInstruction, { kind, name }: RawFunction): readonly RawStatement[] {
    const { match, opcode, operands, guard, span } = instruction;
    const { row } = match.pattern;
    const objection = this.rules.checkRow(row, match.mods, opcode.text, opcode.span);
    if (objection !== undefined) this.reporter.report(objection);
    const type = match.mods.type ?? 'u64';
    const [first = '', second = ''] = operands.map((operand) => this.textOf(operand));
    const wide = type === 'u64';
    const lines =
      row.name === 'stacksave'
        ? [wide ? `cvt.u64.u32 ${first}, ${top};` : `mov.u32 ${first}, ${top};`]
        : row.name === 'stackrestore'
          ? [wide ? `cvt.u32.u64 ${top}, ${first};` : `mov.u32 ${top}, ${first};`]
          : this.allocation(instruction, bytesOf[kind], name.text, type, first, second);
    const number = this.count++;
    // A guarded instruction becomes a branch over the expansion.
    const around =
      guard === undefined
        ? lines
        : [
            `@${guard.negated ? '' : '!'}${guard.name.text} bra $stack_past${number};`,
            ...lines,
            `$stack_past${number}:`,
          ];
    return this.parse(`{ ${around.join(' ')} }`, span);
  }

  private allocation(
    { operands, span }: RawInstruction,
    bytes: number,
    name: string,
    type: string,
    pointer: string,
    size: string,
  ): string[] {
    const align = alignOf(operands[2]);
    if (align === undefined || align > mostAlign) {
      this.reporter.report(
        diagnostics().badCombination(span, 'alloca', `an alignment is a power of two, up to ${mostAlign} here`),
      );
    }
    const to = align ?? defaultAlign;
    const convert = type === 'u64' ? 'cvt.u64.u32' : 'mov.u32';
    const narrow = type === 'u64' ? 'cvt.u32.u64' : 'mov.u32';
    const bits = type === 'u64' ? 'b64' : 'b32';
    return [
      `.reg .b32 %start, %taken; .reg .${bits} %place, %asked, %room; .reg .pred %over;`,
      `mov.${type} %asked, ${size};`,
      `add.u32 %start, ${top}, ${to - 1n};`,
      `and.b32 %start, %start, ${-to};`,
      `${convert} %place, %start;`,
      `sub.${type} %room, ${bytes}, %place;`,
      `setp.gt.${type} %over, %asked, %room;`,
      `@!%over bra $fits;`,
      ...this.failure(bytes, name, span),
      '$fits:',
      `${narrow} %taken, %asked;`,
      `add.u32 ${top}, %start, %taken;`,
      `mov.${type} ${pointer}, ${memory};`,
      `add.${type} ${pointer}, ${pointer}, %place;`,
    ];
  }

  /** Returns the call that ends the launch. */
  private failure(bytes: number, name: string, span: Span): string[] {
    this.declareAssertion(span);
    const texts = [`alloca fits into ${bytes} bytes of stack`, this.source.file, name].map((text) =>
      this.string(text, span),
    );
    const { line } = positionOf(this.source, span.start);
    const [message, file, fn] = texts.map((text, index) => [
      `mov.u64 %text, ${text};`,
      'cvta.global.u64 %text, %text;',
      `.param .b64 text${index};`,
      `st.param.b64 [text${index}], %text;`,
    ]);
    return [
      '.reg .b64 %text;',
      ...(message ?? []),
      ...(file ?? []),
      ...(fn ?? []),
      `.param .b32 line; st.param.b32 [line], ${line};`,
      '.param .b64 size; st.param.b64 [size], 1;',
      'call __assertfail, (text0, text1, line, text2, size);',
    ];
  }

  private declareAssertion(span: Span): void {
    const name = '__assertfail';
    if (this.declarations.length > 0 || this.raw.functions.some((each) => each.name.text === name)) return;
    const text = `.extern .func ${name} (.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);`;
    this.declarations.push(...moved(parseModule(text).functions, span));
  }

  /** Adds a string to the module, and returns the name of its variable. */
  private string(text: string, span: Span): string {
    const name = `stack$text${this.variables.length}`;
    const bytes = [...new TextEncoder().encode(text), 0];
    const { variables } = parseModule(`.global .align 1 .b8 ${name}[${bytes.length}] = {${bytes.join(', ')}};`);
    this.variables.push(...moved(variables, span));
    return name;
  }

  private textOf({ span }: RawOperand): string {
    return this.source.text.slice(span.start, span.end);
  }

  private parse(text: string, span: Span): readonly RawStatement[] {
    return moved(parseModule(`.func f() { ${text} }`).functions[0]?.body ?? [], span);
  }
}

function alignOf(raw: RawOperand | undefined): bigint | undefined {
  if (raw === undefined) return defaultAlign;
  if (raw.kind !== 'constant' || raw.value.kind !== 'int') return undefined;
  const { value } = raw.value;
  return value > 0n && (value & (value - 1n)) === 0n ? value : undefined;
}

/** Parses text that this file generates. */
function parseModule(text: string): RawModule {
  const reporter = new Reporter();
  return new ModuleParser(
    new Cursor(tokenize(`.version 9.0 .target sm_90 .address_size 64 ${text}`, reporter)),
    reporter,
  ).parse();
}

/**
 * Returns a copy of a syntax tree in which all spans are the span of the instruction that the tree
 * replaces.
 */
function moved<T>(tree: T, span: Span): T;
function moved(tree: unknown, span: Span): unknown {
  if (Array.isArray(tree)) return tree.map((each) => moved(each, span));
  if (typeof tree !== 'object' || tree === null) return tree;
  return Object.fromEntries(
    // ISA rows are compared by identity, so do not copy them.
    Object.entries(tree).map(([key, value]) => [
      key,
      key === 'span' ? span : key === 'match' ? value : moved(value, span),
    ]),
  );
}
