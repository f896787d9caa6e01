// Functions in PTX that texture and surface instructions call.

/**
 * A function with its name, unless the module already uses it, and a generator of its text.
 * `nameOf` returns the names of its callees.
 */
export interface LibraryFunction {
  readonly name: string;
  readonly text: (name: string, nameOf: NameOf) => string;
}

export type NameOf = (fn: LibraryFunction) => string;
