/** A fault of the shader (or of this interpreter's reach), with the line of the WGSL it was found at; line 0: no line. */
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
