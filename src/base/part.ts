// Parts of the compiler that a page loads when they are needed. Code that needs a part reads it
// from a `Part` instead of importing it.

import { InternalError } from './invariants.ts';

/** Thrown if a part of the compiler is needed but not loaded. */
export class PartMissing extends InternalError {
  /** The name of the part. */
  readonly part: string;

  constructor(part: string) {
    super(`the part \`${part}\` of the compiler is not loaded`);
    this.part = part;
  }
}

/** A part of the compiler that is loaded only when it is needed. */
export class Part<Content extends object> {
  readonly name: string;
  #content: Content | undefined;

  constructor(name: string) {
    this.name = name;
  }

  provide(content: Content): void {
    this.#content = content;
  }

  /**
   * The part, or undefined if it is not loaded. Only for steps that have no effect without the
   * part.
   */
  get ifLoaded(): Content | undefined {
    return this.#content;
  }

  /** The part. Throws PartMissing if it is not loaded. */
  get content(): Content {
    if (this.#content === undefined) throw new PartMissing(this.name);
    return this.#content;
  }
}
