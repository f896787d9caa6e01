// Functions in PTX that are added to a module, because its instructions call them.
import type { Module, PtxFunction, Span, Statement } from '../../ptx/ast.ts';
import { parsePtxOrThrow } from '../../ptx/index.ts';
import type { LibraryFunction } from './library-function.ts';

/** The functions that a kernel's instructions call. Their names are unique in the module. */
export class Library {
  readonly #file: string;
  readonly #taken: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  readonly #texts: { readonly name: string; readonly text: string; readonly span: Span }[] = [];

  /** `what` names the functions in diagnostics. */
  constructor({ source, functions, variables }: Module, what: string) {
    this.#file = `${what} of ${source.file}`;
    this.#taken = new Set([...functions, ...variables].map(({ name }) => name));
  }

  /**
   * Returns the name of a library function, which is added on first use. All its code has the span
   * of the first instruction that calls it.
   */
  nameOf(fn: LibraryFunction, span: Span): string {
    const known = this.#names.get(fn.name);
    if (known !== undefined) return known;
    let { name } = fn;
    while (this.#taken.has(name)) name += '_';
    this.#names.set(fn.name, name);
    this.#texts.push({ name, text: fn.text(name, (callee) => this.nameOf(callee, span)), span });
    return name;
  }

  functions(): readonly PtxFunction[] {
    const texts = this.#texts.map(({ text }) => text);
    const header = '.version 8.3\n.target sm_90\n.address_size 64';
    const { functions } = parsePtxOrThrow([header, ...texts].join('\n'), { file: this.#file });
    const spans = new Map(this.#texts.map(({ name, span }) => [name, span]));
    return functions.map((fn) => placedAt(fn, spans.get(fn.name) ?? fn.span));
  }
}

/** Returns the function with `span` as the span of all its instructions. */
function placedAt(fn: PtxFunction, span: Span): PtxFunction {
  return { ...fn, span, body: fn.body.map((statement): Statement => ({ ...statement, span })) };
}
