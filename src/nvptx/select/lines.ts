// Source lines: LLVM's debug locations as `.file` and `.loc`.
import { getOrInsert } from '../../base/maps.ts';
import type { LlvmModule, Metadata } from '../ir/module.ts';

/** A position in a source file; line and column count from 1. */
export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

export class LineTable {
  private readonly metadata: LlvmModule['metadata'];
  private readonly files = new Map<string, number>();
  /** The place of the last instruction that has one, for messages. */
  lastPlace: SourcePlace | undefined;

  constructor({ metadata }: LlvmModule) {
    this.metadata = metadata;
  }

  /** Returns the `.loc` directive of a location. */
  directiveOf(location: number | undefined): string | undefined {
    const node = location === undefined ? undefined : this.metadata.get(location);
    if (node?.kind !== 'DILocation') return undefined;
    const line = node.fields.get('line');
    const file = this.fileOf(this.nodeOf(node, 'scope'));
    if (line === undefined || file === undefined) return undefined;
    const column = node.fields.get('column') ?? '0'; // Absent: the whole line.
    this.lastPlace = { file, line: Number(line), column: Number(column) };
    const number = getOrInsert(this.files, file, () => this.files.size + 1);
    return `\t.loc\t${number} ${line} ${column}`;
  }

  /** Returns the `.file` directives of all files that a location names. */
  fileDirectives(): string[] {
    return [...this.files].map(([path, number]) => `\t.file\t${number} "${path.replace(/[\\"]/g, '\\$&')}"`);
  }

  private nodeOf(node: Metadata, field: string): Metadata | undefined {
    return this.metadata.get(Number(node.fields.get(field)));
  }

  /** Returns the path of the file of a scope, through the scopes that enclose it. */
  private fileOf(scope: Metadata | undefined): string | undefined {
    for (let current = scope, depth = 0; current !== undefined && depth < 64; depth++) {
      const file = this.nodeOf(current, 'file');
      const name = file?.fields.get('filename');
      if (name !== undefined) return name;
      current = this.nodeOf(current, 'scope');
    }
    return undefined;
  }
}
