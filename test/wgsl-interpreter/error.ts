/**
 * An error in the shader, or WGSL that this interpreter does not support, with the line of the
 * WGSL; 0 if there is no line.
 */
export class WgslError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(line > 0 ? `WGSL line ${line}: ${message}` : `WGSL: ${message}`);
    this.name = 'WgslError';
    this.line = line;
  }
}

/** Throws a `WgslError` at an AST node. */
export function raise(at: { readonly line: number }, message: string): never {
  throw new WgslError(at.line, message);
}
