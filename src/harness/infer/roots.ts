// Finds the roots on which values depend through arithmetic, choices and loops.

import { getOrInsert } from '../../base/maps.ts';
import type { Register } from '../../ptx/ast.ts';
import { type Atom, atomsOf, type Polynomial } from './polynomial.ts';
import type { ValueForms } from './value-forms.ts';

/**
 * The sets of roots on which values depend. The caller assigns roots to the atoms that are not
 * computed. There are few roots, so all sets are small.
 */
export class Roots<Root> {
  readonly #forms: ValueForms;
  readonly #rootsOf: (atom: Atom) => readonly Root[];
  readonly #known = new Map<Register, Set<Root>>();

  constructor(forms: ValueForms, rootsOf: (atom: Atom) => readonly Root[]) {
    this.#forms = forms;
    this.#rootsOf = rootsOf;
  }

  of(form: Polynomial): Set<Root> {
    const all = new Set<Root>();
    for (const atom of atomsOf(form)) {
      const roots = atom.kind === 'computed' ? this.#ofComputed(atom.register) : this.#rootsOf(atom);
      for (const root of roots) all.add(root);
    }
    return all;
  }

  /**
   * Returns the set of a computed register. Computes the sets of all computed registers on which it
   * depends.
   */
  #ofComputed(register: Register): ReadonlySet<Root> {
    const ready = this.#known.get(register);
    if (ready !== undefined) return ready;
    const users = new Map<Register, Register[]>();
    const sets = new Map<Register, Set<Root>>([[register, new Set()]]);
    // The loop also visits entries that it adds to the map.
    for (const [one, set] of sets) {
      for (const atom of this.#forms.sources(one)) {
        if (atom.kind !== 'computed') for (const root of this.#rootsOf(atom)) set.add(root);
        else {
          const done = this.#known.get(atom.register);
          if (done !== undefined) for (const root of done) set.add(root);
          else {
            if (!sets.has(atom.register)) sets.set(atom.register, new Set());
            getOrInsert(users, atom.register, () => []).push(one);
          }
        }
      }
    }
    const waiting = [...sets.keys()];
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const set = sets.get(one) ?? new Set();
      for (const user of users.get(one) ?? []) {
        const target = sets.get(user) ?? new Set();
        const before = target.size;
        for (const root of set) target.add(root);
        if (target.size > before) waiting.push(user);
      }
    }
    for (const [one, set] of sets) this.#known.set(one, set);
    return sets.get(register) ?? new Set();
  }
}
