// Source lines: LLVM's debug locations as `.file` and `.loc`, with the calls that were inlined.
import { getOrInsert } from '../../base/maps.ts';
import type { LlvmModule, Metadata } from '../ir/module.ts';

/** A position in a source file. Line and column are counted from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** The maximum number of inlined calls in one location. */
const maxDepth = 32;

export class LineTable {
  private readonly metadata: LlvmModule['metadata'];
  private readonly files = new Map<string, number>();
  private readonly functions = new Map<string, number>();
  private last: number | undefined;
  private lastCall: string | undefined;
  /**
   * The position of the last instruction with a location, and the calls that contain this
   * instruction. For messages.
   */
  lastPlaces: readonly SourcePlace[] = [];

  constructor({ metadata }: Pick<LlvmModule, 'metadata'>) {
    this.metadata = metadata;
  }

  /** Forgets the location of the preceding instruction. Called at the start of a function. */
  startFunction(): void {
    this.last = undefined;
    this.lastCall = undefined;
  }

  /**
   * Returns the `.loc` directives of an instruction, or none if the preceding instruction has the
   * same location. The directives of the calls that contain the instruction are first, so that each
   * call has a directive.
   */
  directivesOf(location: number | undefined): string[] {
    if (location === undefined || location === this.last) return [];
    const chain = this.chainOf(location);
    if (chain.length === 0) return [];
    this.last = location;
    this.lastPlaces = chain.map(({ place }) => place);
    const call = chain
      .slice(1)
      .map(({ node }) => node)
      .join(' ');
    const directives = chain.map((level, depth) => this.directive(level, chain[depth + 1]));
    const added = call === this.lastCall ? directives.slice(0, 1) : directives.reverse();
    this.lastCall = call;
    return added;
  }

  /**
   * Returns the directives of all files that a location names, and the names of inlined functions.
   */
  sections(): string[] {
    const files = [...this.files].map(([path, number]) => `\t.file\t${number} "${path.replace(/[\\"]/g, '\\$&')}"`);
    if (this.functions.size === 0) return [files.join('\n')];
    const names = [...this.functions].map(([name, number]) => {
      const bytes = [...new TextEncoder().encode(name), 0];
      return `$L__info_string${number}:\n.b8 ${bytes.join(',')}`;
    });
    return [files.join('\n'), `.section .debug_str\n{\n${names.join('\n')}\n}`];
  }

  private directive(level: Level, caller: Level | undefined): string {
    const own = `\t.loc\t${this.placeText(level.place)}`;
    if (caller === undefined) return own;
    const name = getOrInsert(this.functions, level.name, () => this.functions.size);
    return `${own}, function_name $L__info_string${name}, inlined_at ${this.placeText(caller.place)}`;
  }

  private placeText({ file, line, column }: SourcePlace): string {
    return `${getOrInsert(this.files, file, () => this.files.size + 1)} ${line} ${column}`;
  }

  /**
   * Returns a location and the locations of the calls through which it was inlined, ordered from
   * the innermost.
   */
  private chainOf(location: number): Level[] {
    const chain: Level[] = [];
    let current: number | undefined = location;
    while (current !== undefined && chain.length < maxDepth) {
      const node = this.metadata.get(current);
      if (node?.kind !== 'DILocation' && node?.kind !== 'DISubprogram') break;
      const line = node.fields.get('line');
      const { file, name } = this.scopeOf(node.kind === 'DISubprogram' ? node : this.nodeOf(node, 'scope'));
      if (line === undefined || file === undefined) break;
      const column = Number(node.fields.get('column') ?? '0'); // Without a column, the position is the whole line.
      chain.push({ node: current, name, place: { file, line: Number(line), column } });
      const outer = node.fields.get('inlinedAt');
      current = outer === undefined ? undefined : Number(outer);
    }
    return chain;
  }

  private nodeOf(node: Metadata, field: string): Metadata | undefined {
    return this.metadata.get(Number(node.fields.get(field)));
  }

  /**
   * Returns the file of a scope and the name of its function, through the scopes that enclose it.
   */
  private scopeOf(scope: Metadata | undefined): { readonly file: string | undefined; readonly name: string } {
    let file: string | undefined;
    for (let current = scope, depth = 0; current !== undefined && depth < 64; depth++) {
      const own = this.nodeOf(current, 'file');
      file ??= own?.fields.get('filename');
      if (current.kind === 'DISubprogram')
        return { file, name: current.fields.get('linkageName') ?? current.fields.get('name') ?? '' };
      current = this.nodeOf(current, 'scope');
    }
    return { file, name: '' };
  }
}

interface Level {
  /** The number of the `DILocation`. */
  readonly node: number;
  /** The name of the function that contains the location. */
  readonly name: string;
  readonly place: SourcePlace;
}
