// Proves reductions in steps, in which lanes combine the partial results of other lanes. A partial
// result is one term for all lanes that read it. This walks from a result to the values that it
// combines, and computes the condition under which the result contains each partial result. These
// conditions are small: before a step of distance 8, for example, a lane's partial result is used
// if the number of members before it is a multiple of 8.
import { at } from '../../../src/base/invariants.ts';
import { getOrInsert } from '../../../src/base/maps.ts';
import { distributed, type Monoid, reductionOf } from './contributions.ts';
import { Diagrams, type Node, TooManyNodes } from './diagrams.ts';
import { equalBits } from './localize.ts';
import { partsOf, type Term } from './term.ts';

class Unsuitable extends Error {}

const maxNodes = 1 << 20;

/** Decides equations of reductions. Claims of one shader share the diagrams of their conditions. */
export class Reductions {
  private readonly diagrams = new Diagrams(maxNodes);
  private readonly conditions = new Map<Term, Conditions>();
  private readonly numberOf = numbering();

  /** Whether two reductions are equal for all values, if the condition and all parts of `path` are true. */
  areEqual(condition: Term, path: Term, found: Term, expected: Term): boolean {
    return (
      this.compare(condition, path, found, expected) ?? this.forget().compare(condition, path, found, expected) ?? false
    );
  }

  private forget(): this {
    this.diagrams.clear();
    this.conditions.clear();
    return this;
  }

  /** Absent: the diagrams are too large. */
  private compare(condition: Term, path: Term, found: Term, expected: Term): boolean | undefined {
    const [a, b] = [distributed(found), distributed(expected)];
    const monoid = reductionOf(a, b);
    if (monoid === undefined) return false;
    const conditions = getOrInsert(this.conditions, path, () => new Conditions(this.diagrams, this.numberOf, path));
    try {
      const start = conditions.nodeOf(condition, undefined);
      const of = (root: Term) => this.contributions(root, start, monoid, conditions);
      const [left, right] = [of(a), of(b)];
      return left.size === right.size && [...left].every(([value, node]) => right.get(value) === node);
    } catch (error) {
      if (error instanceof TooManyNodes) return undefined;
      if (error instanceof Unsuitable) return false;
      throw error;
    }
  }

  /** Returns the condition under which each value contributes to a result. */
  private contributions(
    root: Term,
    start: Node,
    { kind, identity, isIdempotent }: Monoid,
    conditions: Conditions,
  ): ReadonlyMap<Term, Node> {
    const { diagrams } = this;
    const partsOf = (term: Term): readonly Term[] =>
      term.kind === kind ? term.args : term.kind === 'ite' ? term.args.slice(1) : [];
    const reached = new Map<Term, Node>([[root, start]]);
    const values = new Map<Term, Node>();
    const reach = (term: Term, node: Node): void => {
      if (term.value === identity) return;
      const old = reached.get(term) ?? 0; // Absent: not reached before.
      if (!isIdempotent && diagrams.and(old, node) !== 0) throw new Unsuitable('a value contributes twice');
      reached.set(term, diagrams.or(old, node));
    };
    for (const term of below(root, partsOf).reverse()) {
      const node = reached.get(term) ?? 0; // Absent: not reached.
      if (node === 0) continue;
      if (term.kind === kind) for (const arg of term.args) reach(arg, node);
      else if (term.kind === 'ite') {
        const taken = diagrams.and(node, conditions.nodeUnder(node, at(term.args, 0, 'a condition')));
        reach(at(term.args, 1, 'a choice'), taken);
        reach(at(term.args, 2, 'a choice'), diagrams.and(node, diagrams.not(taken)));
      } else values.set(term, node);
    }
    return values;
  }
}

/** The diagrams of conditions, if all parts of a condition `path` are true. */
class Conditions {
  private readonly diagrams: Diagrams;
  private readonly numberOf: (variable: Term) => number;
  private readonly facts: ReadonlyMap<Term, Node>;
  /** By the variable that is assumed to be true, if there is one. */
  private readonly nodes = new Map<Term | undefined, Map<Term, Node>>();

  constructor(diagrams: Diagrams, numberOf: (variable: Term) => number, path: Term) {
    this.diagrams = diagrams;
    this.numberOf = numberOf;
    this.facts = new Map(partsOf('and', path).map((part) => [part, 1]));
  }

  /**
   * Returns a diagram that equals that of a condition if `node` is true. The mask of a lane depends
   * on whether the lane is in the group. If `node` implies that it is, the diagram is smaller.
   */
  nodeUnder(node: Node, condition: Term): Node {
    const choice = this.selectorIn(condition);
    const isImplied = choice !== undefined && this.diagrams.implies(node, this.nodeOf(choice, undefined));
    return this.nodeOf(condition, isImplied ? choice : undefined);
  }

  /** Returns the diagram of a condition. `assumed`: a variable that is true. */
  nodeOf(term: Term, assumed: Term | undefined): Node {
    const known = getOrInsert(this.nodes, assumed, () => new Map<Term, Node>(this.facts));
    return getOrInsert(known, term, () => (term === assumed ? 1 : this.nodeFrom(term, assumed)));
  }

  private nodeFrom(term: Term, assumed: Term | undefined): Node {
    const { diagrams } = this;
    const { kind, value } = term;
    if (value !== undefined) return Number(value);
    if (kind === 'variable') return diagrams.variable(this.numberOf(term));
    const [a, b, c] = term.args;
    const of = (each: Term): Node => this.nodeOf(each, assumed);
    // The last operands are the bits of the first lanes, which many conditions have in common.
    if (kind === 'and') return term.args.map(of).reduceRight(diagrams.and);
    if (kind === 'or') return term.args.map(of).reduceRight(diagrams.or);
    if (a !== undefined && kind === 'not') return diagrams.not(of(a));
    if (a === undefined || b === undefined) throw new Unsuitable(kind);
    if (kind === '=' && a.width === 1) throw new Unsuitable('a bit of a word');
    if (kind === '=') return a.width > 0 ? of(equalBits(a, b)) : diagrams.not(diagrams.xor(of(a), of(b)));
    if (kind !== 'ite' || c === undefined) throw new Unsuitable(kind);
    return a === assumed ? of(b) : diagrams.ite(of(a), of(b), of(c));
  }

  private readonly selectors = new Map<Term, Term | 'none'>();
  /** Returns a variable that a choice in a condition depends on; undefined if there is none. */
  private selectorIn(condition: Term): Term | undefined {
    const search = (term: Term): Term | 'none' =>
      getOrInsert(this.selectors, term, () => {
        if (this.facts.has(term)) return 'none';
        const [first] = term.args;
        if (term.kind === 'ite' && first?.kind === 'variable') return first;
        for (const arg of term.args) {
          const found = search(arg);
          if (found !== 'none') return found;
        }
        return 'none';
      });
    const found = search(condition);
    return found === 'none' ? undefined : found;
  }
}

const variablesOfLane = 1 << 12;

/**
 * Numbers variables by the last number in their names: the lane that a member mask names. So
 * diagrams count the members of a mask in the order of the lanes.
 */
function numbering(): (variable: Term) => number {
  const numbers = new Map<Term, number>();
  const counts = new Map<number, number>();
  return (variable) =>
    getOrInsert(numbers, variable, () => {
      const lane = Number(variable.name.match(/\d+/g)?.at(-1) ?? 0); // Absent: no lane.
      const count = counts.get(lane) ?? 0; // Absent: the first variable of the lane.
      counts.set(lane, count + 1);
      return lane * variablesOfLane + count;
    });
}

/** Returns a term and the terms below it that `partsOf` returns, parts first. */
function below(root: Term, partsOf: (term: Term) => readonly Term[]): Term[] {
  const order: Term[] = [];
  const seen = new Set<Term>();
  const visit = (term: Term): void => {
    if (seen.has(term)) return;
    seen.add(term);
    for (const part of partsOf(term)) visit(part);
    order.push(term);
  };
  visit(root);
  return order;
}
