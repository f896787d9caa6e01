// Functions in PTX that texture and surface instructions call.

/**
 * A generator of a function. `name` is the name of the function, unless the module already uses it.
 * `nameOf` returns the names of its callees.
 */
export interface LibraryFunction {
  readonly name: string;
  /** Whether threads may share the work of a call, which its last two arguments then divide. */
  readonly divisible?: true;
  readonly text: (name: string, nameOf: NameOf) => string;
}

export type NameOf = (fn: LibraryFunction) => string;
