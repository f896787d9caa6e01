/** The module of each entry point, relative to the root of the repository. */
export const entryPoints: Readonly<Record<'lanewise' | 'lanewise/node' | 'lanewise/runtime', string>>;

/** A public member of a class, an interface or an object type. */
export interface Member {
  readonly name: string;
  /** The declaration without its body. */
  readonly signature: string;
  /** The docstring; empty if there is none. */
  readonly doc: string;
  readonly isCallable: boolean;
}

/** An export of an entry point. */
export interface PublicSymbol {
  readonly name: string;
  readonly kind: 'class' | 'interface' | 'type' | 'function' | 'const';
  /** The path relative to the root of the repository. */
  readonly file: string;
  /** The line number, from 1. */
  readonly line: number;
  readonly doc: string;
  /** The declaration without bodies; for a class or an interface, its head. */
  readonly signature: string;
  /** The members, except those marked `@internal`. */
  readonly members: readonly Member[];
  /** The names of types in the declaration. */
  readonly references: ReadonlySet<string>;
}

/**
 * Returns the exports of an entry point, sorted by name. Throws an error if a source cannot be
 * parsed.
 */
export function publicSymbols(entry: keyof typeof entryPoints): readonly PublicSymbol[];
