// Functions as values: small numbers, the same in memory and in registers. A call of one is a call of a function of its prototype whose address the
// module takes somewhere.
import type { RawFunction, RawVariable, Signature } from '../syntax.ts';
import { bytesOf } from '../types.ts';

/** Addresses are multiples of it, for C++ keeps a bit of its own in pointers to member functions. None is 0. */
const functionAlign = 16;

/** An indirect call whose callees are known when all of the module is. */
export interface OpenCall {
  readonly signature: Signature;
  /** What the call's list of targets names; undefined for a prototype. */
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

  /** The address of a function, which the module takes; undefined for what is none. */
  take(name: string): number | undefined {
    if (this.has(name)) this.#taken.add(name);
    return this.#addresses.get(name);
  }

  /** What an indirect call may reach: filled in by `close`. */
  open(signature: Signature, listed: readonly string[] | undefined): OpenCall['candidates'] {
    const candidates: { name: string; address: number }[] = [];
    this.#open.push({ signature, listed, candidates });
    return candidates;
  }

  /** Tells every indirect call its callees, when all addresses have been taken. */
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

/** Bytes of a parameter or result; 0 for an open array. */
export const passedBytes = ({ type, vector, dimensions }: RawVariable): number =>
  dimensions.reduce<number>((product, extent) => product * (extent ?? 0), vector * bytesOf(type));
