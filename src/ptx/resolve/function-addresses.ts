// Assigns addresses to functions. They are small numbers, and the same in memory and in registers.
// An indirect call may reach any function that has its prototype and whose address the module
// stores or passes.
import type { RawFunction, RawVariable, Signature } from '../syntax.ts';
import { bytesOf } from '../types.ts';

/**
 * The unit of the addresses of functions, which are nonzero multiples of this number, because C++
 * stores a flag in the low bit of pointers to member functions.
 */
const functionAlign = 16;

/**
 * An indirect call. Its possible callees are known only when the whole module has been resolved.
 */
export interface OpenCall {
  readonly signature: Signature;
  /** The names in the call's list of targets, or undefined if the call has a prototype. */
  readonly listed: readonly string[] | undefined;
  readonly candidates: { readonly name: string; readonly address: number }[];
}

export class FunctionAddresses {
  readonly #functions: readonly RawFunction[];
  readonly #addresses: ReadonlyMap<string, number>;
  readonly #taken = new Set<string>();
  readonly #open: OpenCall[] = [];

  constructor(functions: readonly RawFunction[]) {
    this.#functions = functions;
    const names = new Set(functions.map(({ name }) => name.text));
    this.#addresses = new Map([...names].map((name, index) => [name, functionAlign * (index + 1)]));
  }

  has(name: string): boolean {
    return this.#addresses.has(name);
  }

  /**
   * Returns the address of a function, and marks the address as taken. Returns undefined if there
   * is no function with that name.
   */
  take(name: string): number | undefined {
    if (this.has(name)) this.#taken.add(name);
    return this.#addresses.get(name);
  }

  /**
   * Returns the list of possible callees of an indirect call. The list is empty until `close` fills
   * it.
   */
  open(signature: Signature, listed: readonly string[] | undefined): OpenCall['candidates'] {
    const candidates: { name: string; address: number }[] = [];
    this.#open.push({ signature, listed, candidates });
    return candidates;
  }

  /**
   * Fills the lists of possible callees of all indirect calls. Must be called after all addresses
   * have been taken.
   */
  close(): void {
    const bodies = this.#functions.filter(({ kind, body, name }) => {
      return kind === 'func' && body !== undefined && this.#taken.has(name.text);
    });
    for (const { signature, listed, candidates } of this.#open) {
      for (const each of bodies) {
        const name = each.name.text;
        if (!fitsSignature(each, signature) || listed?.includes(name) === false) continue;
        candidates.push({ name, address: this.#addresses.get(name) ?? 0 });
      }
    }
  }
}

const fitsSignature = (a: Signature, b: Signature): boolean =>
  passesAlike(a.params, b.params) && passesAlike(a.results, b.results);

const passesAlike = (a: readonly RawVariable[], b: readonly RawVariable[]): boolean =>
  a.length === b.length &&
  a.every((variable, index) => {
    const other = b[index];
    if (other === undefined) return false;
    return (variable.space === 'reg') === (other.space === 'reg') && passedBytes(variable) === passedBytes(other);
  });

/** Returns the size of a parameter or result in bytes; 0 for an open array. */
export const passedBytes = ({ type, vector, dimensions }: RawVariable): number =>
  dimensions.reduce<number>((product, extent) => product * (extent ?? 0), vector * bytesOf(type));
