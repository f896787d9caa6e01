// Finds kept values: values that lanes read at a label after they waited for it. These are the
// parameters of the label's block, and values that are defined in the loops that the lanes left.
// Lanes still in these loops must not overwrite them.
import { type Definition, isDefinition, operandsOf, type Value } from '../ir/nodes.ts';
import { type Label, listsOf, type Tree } from './tree.ts';

/** The first and last position of a loop's body, in the order of a walk over the tree. */
interface Extent {
  readonly first: number;
  last: number;
}

const holds = ({ first, last }: Extent, place: number): boolean => place >= first && place <= last;

export function keptValues(list: readonly Tree[]): (label: Label) => ReadonlySet<Definition> {
  let walk: Walk | undefined;
  const known = new Map<Label, ReadonlySet<Definition>>();
  return (label) => {
    const found = known.get(label);
    if (found !== undefined) return found;
    walk ??= new Walk(list);
    const kept = walk.keptUntil(label);
    known.set(label, kept);
    return kept;
  };
}

class Walk {
  private place = 0;
  private readonly loops: Extent[] = [];
  /** For each value, the innermost loop that defines it. */
  private readonly homes = new Map<Definition, Extent | undefined>();
  private readonly moved: { readonly params: readonly Definition[]; readonly loop: Extent | undefined }[] = [];
  private readonly reads: { readonly value: Definition; readonly place: number }[] = [];
  private readonly targets = new Map<Label, number>();
  private readonly escaping: ReadonlySet<Definition>;

  constructor(list: readonly Tree[]) {
    this.list(list);
    // If no label leads to the block of these parameters, control falls through to the block, and
    // the parameters are assigned in the loop of their move.
    for (const { params, loop } of this.moved)
      for (const param of params) if (!this.homes.has(param)) this.homes.set(param, loop);
    const isOutside = ({ value, place }: Walk['reads'][number]) => {
      const home = this.homes.get(value);
      return home !== undefined && !holds(home, place);
    };
    this.escaping = new Set(this.reads.filter(isOutside).map(({ value }) => value));
  }

  keptUntil(label: Label): ReadonlySet<Definition> {
    const kept = new Set<Definition>(label.params);
    const target = this.targets.get(label);
    if (target === undefined) return kept;
    for (const value of this.escaping) {
      const home = this.homes.get(value);
      if (home !== undefined && !holds(home, target)) kept.add(value);
    }
    return kept;
  }

  private list(list: readonly Tree[]): void {
    for (const tree of list) this.tree(tree);
  }

  private tree(tree: Tree): void {
    this.place += 1;
    switch (tree.kind) {
      case 'code':
        for (const inst of tree.insts) {
          for (const value of operandsOf(inst)) this.read(value);
          for (const result of inst.results) this.define(result);
        }
        return;
      case 'move':
        for (const value of tree.args) this.read(value);
        this.moved.push({ params: tree.params, loop: this.loops.at(-1) });
        return;
      case 'if':
        this.read(tree.condition);
        break;
      case 'switch':
        this.read(tree.selector);
        break;
      case 'return':
        for (const value of tree.values) this.read(value);
        return;
      case 'loop':
        return this.loop(tree);
      case 'block':
        this.list(tree.body);
        this.place += 1;
        this.reach(tree.label);
        return;
      default:
    }
    for (const inner of listsOf(tree)) this.list(inner);
  }

  private loop(tree: Extract<Tree, { kind: 'loop' }>): void {
    const extent: Extent = { first: this.place + 1, last: Number.POSITIVE_INFINITY };
    this.place += 1;
    this.loops.push(extent);
    this.reach(tree.label);
    this.list(tree.body);
    this.loops.pop();
    extent.last = this.place;
    this.place += 1;
    for (const label of tree.exits) this.reach(label);
  }

  private read(value: Value): void {
    if (isDefinition(value)) this.reads.push({ value, place: this.place });
  }

  /**
   * Records the place that a label leads to. The parameters of the label's block count as defined
   * there, although jumps assign them earlier.
   */
  private reach(label: Label): void {
    this.targets.set(label, this.place);
    for (const param of label.params) this.homes.set(param, this.loops.at(-1));
  }

  private define(value: Definition): void {
    this.homes.set(value, this.loops.at(-1));
  }
}
