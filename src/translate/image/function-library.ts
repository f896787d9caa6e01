// Functions in PTX that are added to a module, because its instructions call them.
import { get } from '../../base/invariants.ts';
import type { Module, PtxFunction, Span, Statement } from '../../ptx/ast.ts';
import { parsePtxOrThrow } from '../../ptx/index.ts';
import type { LibraryFunction } from './library-function.ts';

/** The functions that a kernel's instructions call. Their names are unique in the module. */
export class Library {
  readonly #file: string;
  readonly #taken: ReadonlySet<string>;
  readonly #names = new Map<string, string>();
  readonly #texts: {
    readonly name: string;
    readonly text: string;
    readonly span: Span;
    readonly divisible: LibraryFunction['divisible'];
  }[] = [];

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
    this.#texts.push({
      name,
      text: fn.text(name, (callee) => this.nameOf(callee, span)),
      span,
      divisible: fn.divisible,
    });
    return name;
  }

  functions(): readonly PtxFunction[] {
    const header = '.version 8.3\n.target sm_90\n.address_size 64';
    const { functions } = parsePtxOrThrow([header, ...this.#texts.map(({ text }) => text)].join('\n'), {
      file: this.#file,
    });
    const texts = new Map(this.#texts.map((text) => [text.name, text]));
    return functions.map((fn) => {
      const { span, divisible } = get(texts, fn.name, 'the text of a function');
      return { ...placedAt(fn, span), ...(divisible ? { divisible } : {}) };
    });
  }
}

/** Returns the function with `span` as the span of all its instructions. */
function placedAt(fn: PtxFunction, span: Span): PtxFunction {
  return { ...fn, span, body: fn.body.map((statement): Statement => ({ ...statement, span })) };
}
