// Functions in PTX that texture and surface instructions call.

/** A function by its name, unless the module has that already, and what makes its text; `nameOf` names the functions that it calls. */
export interface LibraryFunction {
  readonly name: string;
  readonly text: (name: string, nameOf: NameOf) => string;
}

export type NameOf = (fn: LibraryFunction) => string;
