// Parses whole modules: the directives, variables and functions, in the order of the text.

import type { Span } from '../ast.ts';
import { diagnostics } from '../diagnostics/part.ts';
import { type Reporter, SyntaxFailure } from '../diagnostics/reporter.ts';
import { nearest } from '../diagnostics/suggest.ts';
import type { Cursor } from '../lexer/cursor.ts';
import type { Token } from '../lexer/tokens.ts';
import type {
  OpaqueVariable,
  RawFunction,
  RawModule,
  RawStatement,
  RawVariable,
  RegisterDeclaration,
} from '../syntax.ts';
import { type Age, today } from './legacy.ts';
import { OpcodeTable } from './opcode.ts';
import { BodyParser, skipLine, skipSection } from './parse-body.ts';
import { parseCount } from './parse-constant.ts';
import { nameOf } from './parse-operand.ts';
import {
  isImageVariable,
  OpaqueDeclaration,
  parseOpaque,
  parseParameters,
  parseRegisters,
  parseVariables,
  skipParentheses,
} from './parse-variable.ts';

const linkages = new Set(['.extern', '.visible', '.weak', '.common']);
const spaces = { '.global': 'global', '.const': 'const', '.shared': 'shared' } as const;
const directives = [
  '.version',
  '.target',
  '.address_size',
  '.entry',
  '.func',
  '.file',
  '.section',
  '.pragma',
  '.alias',
  '.reg',
  '.local',
  '.tex',
  ...linkages,
  ...Object.keys(spaces),
];
const headerDirectives = [
  '.maxntid',
  '.reqntid',
  '.minnctapersm',
  '.maxnctapersm',
  '.maxnreg',
  '.noreturn',
  '.explicitcluster',
  '.reqnctapercluster',
  '.maxclusterrank',
  '.blocksareclusters',
  '.abi_preserve',
  '.abi_preserve_control',
  '.pragma',
  '.attribute',
  '.language',
];
const targetOptions = /^(debug|texmode_unified|texmode_independent|map_f64_to_f32)$/;

type Threads = readonly [number, number, number];

/** The directives in the header of a function. */
interface Header {
  readonly maxThreads: Threads | undefined;
  readonly requiredThreads: Threads | undefined;
  readonly explicitCluster: boolean;
  /** The size of a cluster in blocks, if the header declares it, and its place. */
  readonly cluster: Threads | undefined;
  readonly clusterSpan: Span | undefined;
}

function isSpace(text: string): text is keyof typeof spaces {
  return Object.hasOwn(spaces, text);
}

/** Whether this token shows that the `;` of a function declaration is missing. */
function isModuleDirective(token: Token): boolean {
  return token.kind === 'dot' && directives.includes(token.text) && !headerDirectives.includes(token.text);
}

/**
 * Whether a kernel has 64-bit parameters. Before PTX 2.3, which introduced `.address_size`, only
 * the parameters show that a module has 64-bit addresses.
 */
function hasWideParameters(functions: readonly RawFunction[]): boolean {
  return functions.some(({ kind, params }) => kind === 'entry' && params.some(({ type }) => /^[bu]64$/.test(type)));
}

const isParameter = (statement: RawStatement): statement is RawVariable =>
  statement.kind === 'variable' && statement.space === 'param';

export class ModuleParser {
  private readonly cursor: Cursor;
  private readonly reporter: Reporter;
  private readonly opcodes = new OpcodeTable(() => this.age);
  private version: RawModule['version'];
  private target: RawModule['target'];
  private addressSize: 32 | 64 | undefined;
  private readonly variables: RawVariable[] = [];
  private readonly perThread: (RegisterDeclaration | RawVariable)[] = [];
  private readonly opaque: OpaqueVariable[] = [];
  private readonly functions: RawFunction[] = [];

  constructor(cursor: Cursor, reporter: Reporter) {
    this.cursor = cursor;
    this.reporter = reporter;
  }

  parse(): RawModule {
    const { cursor, reporter } = this;
    const start = cursor.peek;
    while (!cursor.atEnd) {
      const before = cursor.position;
      try {
        this.parseItem();
      } catch (failure) {
        if (failure instanceof OpaqueDeclaration) {
          if (!isImageVariable(failure.type.text))
            reporter.report(diagnostics().unsupportedVariable(failure.type, failure.type.text));
          this.opaque.push(...failure.variables);
        } else if (failure instanceof SyntaxFailure) reporter.report(failure.diagnostic);
        else throw failure;
        if (cursor.position === before) cursor.take();
        this.resume();
      }
    }
    if (this.version === undefined) reporter.report(diagnostics().missingVersion(start));
    else if (this.target === undefined) reporter.report(diagnostics().missingTarget(this.version.span));
    const { version, target, variables, perThread, opaque, functions } = this;
    const addressSize = this.addressSize ?? (this.age.version < 2003 && hasWideParameters(functions) ? 64 : 32);
    return { version, target, addressSize, variables, perThread, opaque, functions };
  }

  private get age(): Age {
    const { version, target } = this;
    return {
      version: version === undefined ? today.version : version.major * 1000 + version.minor,
      target: Number(/\d+/.exec(target?.name ?? '')?.[0] ?? today.target),
    };
  }

  /**
   * Skips tokens to the next `;` outside of braces, or to the next line that starts with a module
   * directive.
   */
  private resume(): void {
    const { cursor } = this;
    let depth = 0;
    while (!cursor.atEnd) {
      const { peek, last } = cursor;
      if (depth <= 0 && last.text === ';') return;
      if (
        peek.line !== last.line &&
        peek.kind === 'dot' &&
        directives.includes(peek.text) &&
        !(depth > 0 && isSpace(peek.text))
      )
        return;
      const { text } = cursor.take();
      depth += text === '{' ? 1 : text === '}' ? -1 : 0;
      if (depth === 0 && text === '}') return;
    }
  }

  private parseItem(): void {
    const { cursor } = this;
    const start = cursor.peek;
    if (start.text === '@' && cursor.look(1).text === '@') {
      cursor.take();
      skipLine(cursor);
      return;
    }
    if (start.kind !== 'dot') {
      cursor.take();
      const hint =
        start.kind === 'word' && cursor.peek.kind === 'dot'
          ? 'instructions stand in the body of an `.entry` or `.func`'
          : undefined;
      throw new SyntaxFailure(diagnostics().unexpectedStatement(start, start.text, hint));
    }
    const linkage: string[] = [];
    while (linkages.has(cursor.peek.text)) linkage.push(cursor.take().text);
    const token = cursor.take();
    const { text } = token;
    if (text === '.entry' || text === '.func') this.parseFunction(text === '.entry' ? 'entry' : 'func', start);
    else if (isSpace(text))
      for (const variable of parseVariables(cursor, spaces[text], linkage.includes('.extern'), start))
        this.variables.push(variable);
    else if (text === '.version') this.parseVersion(token);
    else if (text === '.target') this.parseTarget(token);
    else if (text === '.address_size') this.parseAddressSize();
    else if (text === '.file' || text === '.loc') skipLine(cursor);
    else if (text === '.section') skipSection(cursor);
    else if (text === '.pragma' || text === '.alias') this.skipToSemicolon();
    else if (text === '.reg') this.perThread.push(parseRegisters(cursor, token));
    else if (text === '.local') this.perThread.push(...parseVariables(cursor, 'local', false, start));
    else if (text === '.tex') {
      if (cursor.peek.kind === 'dot') cursor.take();
      throw parseOpaque(cursor, token);
    } else throw new SyntaxFailure(diagnostics().unknownDirective(token, text, nearest(text, directives)));
  }

  private skipToSemicolon(): void {
    const { cursor } = this;
    while (!cursor.atEnd && !cursor.at(';')) cursor.take();
    cursor.expect(';');
  }

  private parseVersion(start: Token): void {
    const { cursor } = this;
    const number = cursor.take();
    const [, major, minor] = /^(\d{1,3})\.(\d{1,3})$/.exec(number.text) ?? [];
    if (major === undefined || minor === undefined) throw new SyntaxFailure(diagnostics().badVersion(number));
    this.version = { major: Number(major), minor: Number(minor), span: { start: start.start, end: number.end } };
  }

  private parseTarget(start: Token): void {
    const { cursor } = this;
    do {
      const word = cursor.expectWord('a target such as `sm_80`');
      if (targetOptions.test(word.text)) continue;
      if (!/^sm_\d{2,3}[af]?$/.test(word.text)) throw new SyntaxFailure(diagnostics().badTarget(word, word.text));
      this.target ??= { name: word.text, span: { start: start.start, end: word.end } };
    } while (cursor.accept(',') !== undefined);
  }

  private parseAddressSize(): void {
    const token = this.cursor.take();
    if (token.text !== '32' && token.text !== '64') throw new SyntaxFailure(diagnostics().badAddressSize(token));
    this.addressSize = token.text === '64' ? 64 : 32;
  }

  private parseThreads(): Threads {
    const { cursor } = this;
    const numbers = [parseCount(cursor, 'a block size', 0x7fffffff)];
    while (numbers.length < 3 && cursor.accept(',') !== undefined)
      numbers.push(parseCount(cursor, 'a block size', 0x7fffffff));
    return [numbers[0] ?? 1, numbers[1] ?? 1, numbers[2] ?? 1];
  }

  private parseFunction(kind: 'entry' | 'func', start: Token): void {
    const { cursor } = this;
    // Directives may also be before the name: `.func .attribute(…) …` and `.func .noreturn …`.
    const before = this.parseHeader();
    const results = kind === 'func' && cursor.at('(') ? parseParameters(cursor) : [];
    const name = nameOf(cursor.expectWord('a function name'));
    const params = cursor.at('(') ? parseParameters(cursor) : [];
    const after = this.parseHeader();
    const span = { start: start.start, end: cursor.last.end };
    const body = this.parseBody();
    // Before PTX 1.4, a kernel declared its parameters in its body.
    const isOld = kind === 'entry' && params.length === 0 && this.age.version < 1004;
    const inBody = isOld ? (body?.filter(isParameter) ?? []) : params;
    this.functions.push({
      kind,
      name,
      results,
      params: inBody,
      body: isOld ? body?.filter((statement) => !isParameter(statement)) : body,
      maxThreads: after.maxThreads ?? before.maxThreads,
      requiredThreads: after.requiredThreads ?? before.requiredThreads,
      explicitCluster: after.explicitCluster || before.explicitCluster,
      cluster: after.cluster ?? before.cluster,
      clusterSpan: after.clusterSpan ?? before.clusterSpan,
      span,
    });
  }

  private parseBody(): readonly RawStatement[] | undefined {
    const { cursor } = this;
    if (cursor.accept(';') !== undefined || isModuleDirective(cursor.peek)) return undefined;
    const open = cursor.expect('{');
    return new BodyParser(cursor, this.reporter, this.opcodes, false).parse(open);
  }

  private parseHeader(): Header {
    const { cursor } = this;
    let maxThreads: Threads | undefined;
    let requiredThreads: Threads | undefined;
    let explicitCluster = false;
    let cluster: Threads | undefined;
    let clusterSpan: Span | undefined;
    while (cursor.peek.kind === 'dot' && !isModuleDirective(cursor.peek)) {
      const token = cursor.take();
      if (!headerDirectives.includes(token.text)) {
        throw new SyntaxFailure(
          diagnostics().unknownDirective(token, token.text, nearest(token.text, headerDirectives)),
        );
      }
      if (token.text === '.maxntid') maxThreads = this.parseThreads();
      else if (token.text === '.reqntid') requiredThreads = this.parseThreads();
      else if (token.text === '.explicitcluster') explicitCluster = true;
      else if (token.text === '.reqnctapercluster') {
        explicitCluster = true;
        cluster = this.parseThreads();
        clusterSpan = { start: token.start, end: cursor.last.end };
      } else if (token.text === '.pragma') this.skipToSemicolon();
      else this.skipArguments(token);
    }
    return { maxThreads, requiredThreads, explicitCluster, cluster, clusterSpan };
  }

  /** Skips the arguments of a directive that only influences machine code. */
  private skipArguments(directive: Token): void {
    const { cursor } = this;
    if (/^\.(attribute|language)$/.test(directive.text)) skipParentheses(cursor);
    while (cursor.peek.kind === 'int') {
      cursor.take();
      cursor.accept(',');
    }
  }
}
