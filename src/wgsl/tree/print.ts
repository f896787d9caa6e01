// Prints a shader: assigns texts to the names, and returns the text of the shader with a map from
// lines to PTX statements.
import { helperNames, renderKnownHelpers } from '../helpers/library.ts';
import type { HelperName } from '../helpers.ts';
import { Identifiers } from './names.ts';
import type { Declaration, FunctionParam, Name, PrintedShader, Shader, WgslType } from './nodes.ts';
import { ExpressionPrinter } from './print-expression.ts';
import { type NameTexts, StatementPrinter } from './print-statement.ts';
import { predeclared } from './reserved-words.ts';
import { typeText } from './types.ts';

/** The names, except for reserved words, that a program must not use. */
const takenNames: ReadonlySet<string> = new Set([...predeclared, ...helperNames]);

type FunctionDeclaration = Extract<Declaration, { readonly kind: 'function' }>;

/**
 * Prints a shader. `ptx` is the text to which the origins refer; if it is undefined, the output
 * does not contain PTX comments.
 */
export function printShader(shader: Shader, ptx?: string): PrintedShader {
  const names = new GivenNames();
  nameDeclarations(shader, names);
  const printer = new Printer(names, ptx);
  const functions = shader.declarations.filter((declaration) => declaration.kind === 'function');
  // Print functions first, because the prelude above them depends on the helpers that they call.
  const bodies = functions.map((declaration) => printer.function(declaration));
  const above = [
    directives(shader),
    shader.declarations.flatMap((declaration) => printer.declaration(declaration)),
    renderKnownHelpers(printer.helpers).trim().split('\n'),
  ];
  const sections: string[] = [];
  let lineCount = 0;
  const section = (lines: readonly string[]): number => {
    const isEmpty = lines.every((line) => line === '');
    // Separate declarations with an empty line.
    if (!isEmpty && lineCount > 0) lineCount += 1;
    const start = lineCount;
    if (!isEmpty) {
      sections.push(lines.join('\n'));
      lineCount += lines.length;
    }
    return start;
  };
  for (const text of above) section(text);
  const sourceMap: PrintedShader['sourceMap'][number][] = [];
  for (const { lines: body, sources } of bodies) {
    const start = section(body);
    for (let at = 0; at < sources.length; at++) {
      const source = sources[at];
      if (source === undefined) continue;
      source.line += start + 1;
      sourceMap.push(source);
    }
  }
  return { code: `${sections.join('\n\n')}\n`, sourceMap, names };
}

/** Assigns each name a unique identifier. An object of this class is used for one shader. */
class GivenNames implements NameTexts {
  private readonly identifiers = new Identifiers(takenNames);

  of(name: Name): string {
    return name.givenBy === this ? name.text : this.give(name, this.identifiers);
  }

  get(name: Name): string | undefined {
    return name.givenBy === this ? name.text : undefined;
  }

  give(name: Name, identifiers: Identifiers): string {
    name.text = identifiers.fresh(name.hint);
    name.givenBy = this;
    return name.text;
  }

  release(name: Name): void {
    this.identifiers.release(this.of(name));
  }
}

/**
 * Assigns texts to the names with module scope. These names are first, so that their texts equal
 * their hints.
 */
function nameDeclarations({ declarations }: Shader, names: GivenNames): void {
  const isEntry = (declaration: Declaration) =>
    declaration.kind === 'function' && declaration.workgroupSize !== undefined;
  const [entries, others] = [declarations.filter(isEntry), declarations.filter((declaration) => !isEntry(declaration))];
  for (const { name } of [...entries, ...others]) names.of(name);
  for (const declaration of declarations) {
    if (declaration.kind !== 'struct') continue;
    // Members are only written after a dot, so their texts may equal those of declarations.
    const members = new Identifiers();
    for (const { name } of declaration.members) names.give(name, members);
  }
}

function directives({ enables, requires, diagnosticsOff }: Shader): readonly string[] {
  return [
    ...enables.map((name) => `enable ${name};`),
    ...requires.map((name) => `requires ${name};`),
    ...diagnosticsOff.map((name) => `diagnostic(off, ${name});`),
  ];
}

class Printer {
  private readonly nameOf: (name: Name) => string;
  private readonly expressions: ExpressionPrinter;
  private readonly statements: StatementPrinter;

  constructor(names: NameTexts, ptx: string | undefined) {
    this.nameOf = (name) => names.of(name);
    this.expressions = new ExpressionPrinter(this.nameOf);
    this.statements = new StatementPrinter(names, this.expressions, ptx);
  }

  get helpers(): ReadonlySet<HelperName> {
    return this.expressions.helpers;
  }

  /** Returns the lines of a declaration other than a function. */
  declaration(declaration: Declaration): readonly string[] {
    switch (declaration.kind) {
      case 'override': {
        const { id, name, value } = declaration;
        return [`@id(${id}) override ${this.nameOf(name)} = ${this.expressions.print(value)};`];
      }
      case 'binding': {
        const { group, binding, space, name, type } = declaration;
        return [`@group(${group}) @binding(${binding}) var<${space}> ${this.typed(name, type)};`];
      }
      case 'variable':
        return [`var<${declaration.space}> ${this.typed(declaration.name, declaration.type)};`];
      case 'struct': {
        const members = declaration.members.map(({ name, type }) => `  ${this.typed(name, type)},`);
        return [`struct ${this.nameOf(declaration.name)} {`, ...members, '}'];
      }
      case 'function':
        return [];
    }
  }

  function(declaration: FunctionDeclaration) {
    const { comment, name, params, result, workgroupSize, subgroupSize } = declaration;
    const lines = comment === undefined ? [] : comment.split('\n').map((line) => `// ${line}`);
    if (workgroupSize !== undefined) {
      const control = subgroupSize === undefined ? '' : ` @subgroup_size(${subgroupSize})`;
      lines.push(`@compute @workgroup_size(${workgroupSize.join(', ')})${control}`);
    }
    const list = params.map((param) => this.param(param));
    const type = result === undefined ? '' : ` -> ${typeText(result, this.nameOf)}`;
    const isLong = params.filter(({ builtin }) => builtin !== undefined).length > 2;
    if (isLong) lines.push(`fn ${this.nameOf(name)}(`, ...list.map((param) => `  ${param},`), `)${type} {`);
    else lines.push(`fn ${this.nameOf(name)}(${list.join(', ')})${type} {`);
    const body = this.statements.print(declaration.body, lines);
    lines.push('}');
    return { lines, sources: body };
  }

  private param({ name, type, builtin }: FunctionParam): string {
    return `${builtin === undefined ? '' : `@builtin(${builtin}) `}${this.typed(name, type)}`;
  }

  private typed(name: Name, type: WgslType): string {
    return `${this.nameOf(name)}: ${typeText(type, this.nameOf)}`;
  }
}
