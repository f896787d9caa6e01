// Parses a module.
import { allOf, getOrInsert } from '../../base/maps.ts';
import { SyntaxFailure } from '../../ptx/diagnostics/reporter.ts';
import { llvmDiagnostics } from '../diagnostics.ts';
import type { Block, GlobalVariable, Instruction, LlvmFunction, LlvmModule, Parameter } from '../ir/module.ts';
import { alignOf } from '../ir/types.ts';
import { parseAttributes, skipAttributes } from './attributes.ts';
import { Cursor } from './cursor.ts';
import { parseInstruction } from './instruction.ts';
import { tokenize } from './lexer.ts';
import { MetadataParser } from './metadata.ts';
import { addressSpace, beginsType, NamedTypes, parseType } from './type.ts';
import { parseValue } from './value.ts';

/** Parses the text of a module. Throws `SyntaxFailure` at the first error. */
export function parseModule(text: string): LlvmModule {
  return new ModuleParser(text).parse();
}

const linkages = new Set(
  `private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr external
  default hidden protected dllimport dllexport dso_local dso_preemptable thread_local unnamed_addr local_unnamed_addr
  externally_initialized`.split(/\s+/),
);
const internal = new Set(['private', 'internal']);

class ModuleParser {
  private readonly cursor: Cursor;
  private readonly named: NamedTypes;
  private readonly variables: GlobalVariable[] = [];
  private readonly functions: LlvmFunction[] = [];
  private readonly metadata = new MetadataParser();
  private readonly groups = new Map<number, ReadonlyMap<string, string>>();
  private readonly groupsOf = new Map<LlvmFunction, readonly number[]>();

  constructor(text: string) {
    const tokens = tokenize(text);
    this.cursor = new Cursor(tokens);
    this.named = new NamedTypes(tokens);
  }

  parse(): LlvmModule {
    while (!this.cursor.isKind('end')) this.statement();
    const annotations = this.annotations();
    const functions = this.functions.map((item) => {
      const own = allOf(annotations, item.name);
      const isKernel = item.isKernel || own.some(([key]) => key === 'kernel');
      return { ...item, isKernel, attributes: new Map([...this.attributesOf(item), ...own]) };
    });
    const { pointerBytes } = this.named;
    return {
      pointerBytes,
      variables: this.variables,
      functions,
      metadata: this.metadata.nodes,
      named: this.metadata.named,
    };
  }

  /**
   * Returns the properties in `!nvvm.annotations`, by function. LLVM 19 marks kernels with these
   * properties.
   */
  private annotations(): Map<string, (readonly [key: string, value: string])[]> {
    const byName = new Map<string, (readonly [string, string])[]>();
    for (const node of allOf(this.metadata.named, 'nvvm.annotations')) {
      const [target = '', ...pairs] = this.metadata.nodes.get(node)?.operands ?? [];
      const list = getOrInsert(byName, target.replace(/^ptr /, ''), () => []);
      for (let index = 0; index + 1 < pairs.length; index += 2)
        list.push([(pairs[index] ?? '').trim(), (pairs[index + 1] ?? '').replace(/^i32 /, '')]);
    }
    return byName;
  }

  private attributesOf(item: LlvmFunction): ReadonlyMap<string, string> {
    const groups = this.groupsOf.get(item) ?? [];
    return new Map(groups.flatMap((group) => [...(this.groups.get(group) ?? [])]));
  }

  private statement(): void {
    const { cursor } = this;
    const token = cursor.peek;
    switch (token.kind) {
      case 'local':
        return this.namedType();
      case 'global':
        return this.variable();
      case 'metadata':
        return this.metadata.statement(cursor);
      case 'comdat':
        cursor.take();
        cursor.expect('=');
        skipAttributes(cursor);
        return;
      case 'word':
        return this.word();
      default:
        cursor.fail('a definition');
    }
  }

  private word(): void {
    const { cursor } = this;
    const token = cursor.take();
    switch (token.text) {
      case 'source_filename':
        cursor.expect('=');
        cursor.take();
        return;
      case 'target': {
        const key = cursor.take().text;
        cursor.expect('=');
        const value = cursor.expectKind('string', 'a string');
        if (key === 'triple' && !/^nvptx(64)?-/.test(value.text))
          throw new SyntaxFailure(llvmDiagnostics.target(value, value.text));
        return;
      }
      case 'attributes': {
        const group = Number(cursor.expectKind('attributes', 'the number of a group').text);
        cursor.expect('=');
        this.groups.set(group, this.attributeGroup());
        return;
      }
      case 'declare':
      case 'define':
        return this.function(token.start, token.text === 'define');
      default:
        throw new SyntaxFailure(llvmDiagnostics.unsupported(token, `\`${token.text}\` at the top level`));
    }
  }

  private attributeGroup(): ReadonlyMap<string, string> {
    const { cursor } = this;
    const group = new Map<string, string>();
    cursor.expect('{');
    while (!cursor.accept('}')) {
      const key = cursor.take().text;
      const value = cursor.accept('=') ? cursor.take().text : '';
      cursor.skipGroup('(', ')');
      group.set(key, value);
    }
    return group;
  }

  private namedType(): void {
    const { cursor } = this;
    cursor.take();
    cursor.expect('=');
    cursor.expect('type');
    if (!cursor.accept('opaque')) parseType(cursor, this.named);
  }

  private variable(): void {
    const { cursor, named } = this;
    const name = cursor.take();
    cursor.expect('=');
    const words = this.linkage();
    const space = addressSpace(cursor);
    for (const word of this.linkage()) words.add(word);
    const kind = cursor.expectKind('word', '`global` or `constant`');
    if (kind.text !== 'global' && kind.text !== 'constant')
      throw new SyntaxFailure(llvmDiagnostics.unsupported(kind, `\`${kind.text}\``));
    const type = parseType(cursor, named);
    const isExternal = words.has('external') || words.has('extern_weak');
    const init = isExternal ? undefined : parseValue(cursor, named, type);
    const align = this.variableProperties() ?? alignOf(type);
    const isPublic = ![...words].some((word) => internal.has(word));
    this.variables.push({ name: name.text, space, type, init, align, isPublic, span: cursor.spanFrom(name.start) });
  }

  private linkage(): Set<string> {
    const { cursor } = this;
    const words = new Set<string>();
    while (cursor.isKind('word') && linkages.has(cursor.peek.text)) {
      words.add(cursor.take().text);
      cursor.skipGroup('(', ')');
    }
    return words;
  }

  /** Parses the section, alignment, comdat and metadata of a variable. Returns its alignment. */
  private variableProperties(): number | undefined {
    const { cursor } = this;
    let align: number | undefined;
    while (cursor.accept(',')) {
      if (cursor.accept('align')) align = cursor.count('an alignment');
      else if (cursor.isKind('metadata')) {
        cursor.take();
        cursor.take();
      } else {
        skipAttributes(cursor);
        if (cursor.isKind('comdat')) cursor.take();
      }
    }
    while (cursor.isKind('attributes')) cursor.take();
    return align;
  }

  private function(start: number, isDefinition: boolean): void {
    const { cursor, named } = this;
    const words = new Set<string>();
    // Linkage, calling convention and attributes of the result precede its type.
    for (;;) {
      parseAttributes(cursor, named);
      if (beginsType(cursor)) break;
      if (cursor.isKind('metadata')) {
        cursor.take();
        cursor.take();
      } else words.add(cursor.expectKind('word', 'the type of the result').text);
      cursor.skipGroup('(', ')');
    }
    const result = parseType(cursor, named);
    const name = cursor.expectKind('global', 'the name of a function');
    const { params, variadic } = this.parameters();
    const groups = this.functionProperties();
    const blocks = isDefinition ? this.body(params) : undefined;
    const item: LlvmFunction = {
      name: name.text,
      result,
      params,
      variadic,
      isKernel: words.has('ptx_kernel'),
      isPublic: ![...words].some((word) => internal.has(word)),
      blocks,
      attributes: new Map(),
      span: { start, end: name.end },
    };
    this.functions.push(item);
    this.groupsOf.set(item, groups);
  }

  private parameters(): { params: Parameter[]; variadic: boolean } {
    const { cursor, named } = this;
    cursor.expect('(');
    const params: Parameter[] = [];
    let variadic = false;
    while (!cursor.accept(')')) {
      if (params.length > 0 || variadic) cursor.expect(',');
      if (cursor.accept('...')) {
        variadic = true;
        continue;
      }
      const type = parseType(cursor, named);
      const attributes = parseAttributes(cursor, named);
      const name = cursor.isKind('local') ? cursor.take().text : String(params.length);
      params.push({ name, type, attributes });
    }
    return { params, variadic };
  }

  /** Skips the properties after the parameters. Returns the numbers of attribute groups. */
  private functionProperties(): readonly number[] {
    const { cursor } = this;
    const groups: number[] = [];
    while (!cursor.peek.startsLine && !cursor.is('{')) {
      if (cursor.isKind('attributes')) groups.push(Number(cursor.take().text));
      else {
        cursor.take();
        cursor.skipGroup('(', ')');
      }
    }
    return groups;
  }

  private body(params: readonly Parameter[]): Block[] {
    const { cursor, named } = this;
    cursor.expect('{');
    const blocks: Block[] = [];
    let name = cursor.isKind('label')
      ? cursor.take().text
      : String(params.filter(({ name }) => /^\d+$/.test(name)).length);
    let instructions: Instruction[] = [];
    while (!cursor.accept('}')) {
      if (cursor.isKind('label')) {
        blocks.push({ name, instructions });
        name = cursor.take().text;
        instructions = [];
      } else if (cursor.is('uselistorder')) cursor.fail('an instruction');
      else instructions.push(parseInstruction(cursor, named));
    }
    blocks.push({ name, instructions });
    return blocks;
  }
}
