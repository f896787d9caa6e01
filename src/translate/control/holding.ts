import type { Inst } from '../ir/nodes.ts';
import { listsOf, type Tree } from './tree.ts';

/** Finds the trees that contain an instruction for which `test` is true. */
export class Holding {
  private readonly test: (inst: Inst) => boolean;
  private readonly known = new Map<Tree, boolean>();

  constructor(test: (inst: Inst) => boolean) {
    this.test = test;
  }

  in(list: readonly Tree[]): boolean {
    return list.some((tree) => this.inTree(tree));
  }

  private inTree(tree: Tree): boolean {
    if (tree.kind === 'code') return tree.insts.some(this.test);
    const known = this.known.get(tree);
    if (known !== undefined) return known;
    const found = listsOf(tree).some((list) => this.in(list));
    this.known.set(tree, found);
    return found;
  }
}
