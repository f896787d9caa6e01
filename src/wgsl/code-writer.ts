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
  /// The innermost block that is open.
  block: TextBlock = { parent: undefined };

  constructor(depth = 0) {
    this.depth = depth;
  }

  line(text: string): void {
    this.lines.push(text === '' ? '' : '  '.repeat(this.depth) + text);
  }

  /// `text {`, until `close`.
  open(text: string): void {
    this.line(`${text} {`);
    this.depth += 1;
    this.block = { parent: this.block };
  }

  close(after = ''): void {
    this.depth -= 1;
    this.block = this.block.parent ?? this.block;
    this.line(`}${after}`);
  }

  /// `} else {`
  middle(text: string): void {
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
