// Represents integer values as polynomials over a kernel's inputs: thread indexes, parameters,
// loaded values.
import type { Register, Variable } from '../../ptx/ast.ts';

/**
 * A variable of polynomials. Atoms with equal keys are the same value.
 * - `special`: `%tid.x` and the like.
 * - `field`: a kernel parameter, or the part of a struct at an offset.
 * - `variable`: the address of a variable.
 * - `loaded`: a value from memory.
 * - `computed`: any other value: the result of a loop, a choice, or arithmetic that is not a
 *   polynomial.
 */
export type Atom =
  | { readonly kind: 'special'; readonly key: string; readonly name: string }
  | { readonly kind: 'field'; readonly key: string; readonly param: number; readonly offset: number; readonly bytes: number }
  | { readonly kind: 'variable'; readonly key: string; readonly variable: Variable }
  | { readonly kind: 'loaded'; readonly key: string; readonly register: Register }
  | { readonly kind: 'computed'; readonly key: string; readonly register: Register }; // biome-ignore format: one line per kind

/**
 * A coefficient times the product of its atoms, which are sorted by key. A term without atoms is a
 * constant.
 */
export interface Term {
  readonly atoms: readonly Atom[];
  readonly coefficient: number;
}

/** A sum of terms with nonzero coefficients. The key of a term names its atoms. */
export type Polynomial = ReadonlyMap<string, Term>;

/** The maximum number of terms. Hand-written addresses and bounds have fewer terms. */
const maxTerms = 16;
const maxDegree = 4;

export const constant = (value: number): Polynomial =>
  value === 0 ? new Map() : new Map([['', { atoms: [], coefficient: value }]]);

export const atomic = (atom: Atom): Polynomial => new Map([[atom.key, { atoms: [atom], coefficient: 1 }]]);

export function constantOf(form: Polynomial): number | undefined {
  if (form.size === 0) return 0;
  return form.size === 1 ? form.get('')?.coefficient : undefined;
}

/** Returns `a` plus `scale` times `b`; undefined if the sum has too many terms. */
export function sum(a: Polynomial, b: Polynomial, scale = 1): Polynomial | undefined {
  const terms = new Map(a);
  for (const [key, { atoms, coefficient }] of b) {
    const total = (terms.get(key)?.coefficient ?? 0) + scale * coefficient;
    if (total === 0) terms.delete(key);
    else terms.set(key, { atoms, coefficient: total });
  }
  return terms.size > maxTerms ? undefined : terms;
}

/** Returns the product; undefined if it has too many terms, or terms of too many atoms. */
export function product(a: Polynomial, b: Polynomial): Polynomial | undefined {
  let total: Polynomial | undefined = constant(0);
  for (const one of a.values()) {
    for (const other of b.values()) {
      const atoms = [...one.atoms, ...other.atoms].sort((x, y) => (x.key < y.key ? -1 : x.key > y.key ? 1 : 0));
      if (atoms.length > maxDegree || total === undefined) return undefined;
      const key = atoms.map((atom) => atom.key).join('*');
      const coefficient = one.coefficient * other.coefficient;
      total = sum(total, new Map([[key, { atoms, coefficient }]]));
    }
  }
  return total;
}

/** Returns the distinct atoms of all terms. */
export function atomsOf(form: Polynomial): Atom[] {
  const found = new Map<string, Atom>();
  for (const { atoms } of form.values()) for (const atom of atoms) found.set(atom.key, atom);
  return [...found.values()];
}

/**
 * Returns the atoms that are separate terms with coefficient 1: the candidates for an address's
 * base.
 */
export function summands(form: Polynomial): Atom[] {
  return [...form.values()].flatMap(({ atoms: [atom, ...more], coefficient }) =>
    atom !== undefined && more.length === 0 && coefficient === 1 ? [atom] : [],
  );
}

/** Returns the coefficient of an atom that is a separate term; otherwise 0. */
export function coefficientOf(form: Polynomial, key: string): number {
  return form.get(key)?.coefficient ?? 0;
}
