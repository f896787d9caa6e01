// Functions in PTX that texture and surface instructions call.

/**
 * A generator of a function. `name` is the name of the function, unless the module already uses it.
 * `nameOf` returns the names of its callees.
 */
export interface LibraryFunction {
  readonly name: string;
  readonly text: (name: string, nameOf: NameOf) => string;
}

export type NameOf = (fn: LibraryFunction) => string;
