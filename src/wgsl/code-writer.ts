// Lines of WGSL with indentation, and the block each line stands in.

/// A `{ }` of the text written so far.
export interface TextBlock {
  readonly parent: TextBlock | undefined;
}

/// Whether `inner` is `outer` or lies inside it.
export function isWithin(inner: TextBlock | undefined, outer: TextBlock): boolean {
  for (let block = inner; block !== undefined; block = block.parent) if (block === outer) return true;
  return false;
}

export class CodeWriter {
  private readonly lines: string[] = [];
  private depth: number;
  /// How deep blocks are nested at most.
  deepest = 0;
  /// The innermost block that is open.
  block: TextBlock = { parent: undefined };

  constructor(depth = 0) {
    this.depth = depth;
  }

  private pendingComment: string | undefined;

  /// A comment over whatever comes next in this block; dropped if nothing does.
  comment(text: string): void {
    this.pendingComment = text;
  }

  dropComment(): void {
    this.pendingComment = undefined;
  }

  private flushComment(): void {
    const text = this.pendingComment;
    this.pendingComment = undefined;
    if (text !== undefined) this.line(`// ${text}`);
  }

  /// If the last line is `let from = …;` of this block, it names the value `to` instead, and true comes back.
  renameLast(from: string, to: string): boolean {
    const start = `${'  '.repeat(this.depth)}let ${from} = `;
    const last = this.lines[this.lines.length - 1];
    if (last === undefined || !last.startsWith(start)) return false;
    this.lines[this.lines.length - 1] = `${'  '.repeat(this.depth)}let ${to} = ${last.slice(start.length)}`;
    return true;
  }

  line(text: string): void {
    this.flushComment();
    this.lines.push(text === '' ? '' : '  '.repeat(this.depth) + text);
  }

  /// `text {`, until `close`.
  open(text: string): void {
    this.line(`${text} {`);
    this.depth += 1;
    this.deepest = Math.max(this.deepest, this.depth);
    this.block = { parent: this.block };
  }

  close(after = ''): void {
    this.pendingComment = undefined;
    this.depth -= 1;
    this.block = this.block.parent ?? this.block;
    this.line(`}${after}`);
  }

  /// `} else {`
  middle(text: string): void {
    this.pendingComment = undefined;
    this.depth -= 1;
    this.line(`} ${text} {`);
    this.depth += 1;
    this.block = { parent: this.block.parent };
  }

  get length(): number {
    return this.lines.length;
  }

  toString(): string {
    return this.lines.join('\n');
  }
}
