// Reduced ordered binary decision diagrams: each boolean function of numbered variables is one
// node, so two functions are equal if their nodes are.

import { spend } from './budget.ts';

/** Thrown if a function needs more nodes than the limit. */
export class TooManyNodes extends Error {}

/** A node: 0 is false, 1 is true. */
export type Node = number;

export class Diagrams {
  private readonly variables: Int32Array;
  private readonly lows: Int32Array;
  private readonly highs: Int32Array;
  /** Nodes by hash; 0 is an empty slot. */
  private readonly table: Int32Array;
  private readonly slotOf: Int32Array;
  private readonly cache: Int32Array;
  private count = 2;

  /** `size`: the maximum number of nodes, which is a power of two. */
  constructor(size = 1 << 16) {
    this.variables = new Int32Array(size);
    this.lows = new Int32Array(size);
    this.highs = new Int32Array(size);
    this.table = new Int32Array(2 * size);
    this.slotOf = new Int32Array(size);
    this.cache = new Int32Array(4 * size);
    this.variables.fill(0x7fffffff, 0, 2);
  }

  /** Forgets all nodes. */
  clear(): void {
    for (let node = 2; node < this.count; node++) this.table[item(this.slotOf, node)] = 0;
    this.cache.fill(0);
    this.count = 2;
  }

  variable(number: number): Node {
    return this.node(number, 0, 1);
  }

  ite(f: Node, g: Node, h: Node): Node {
    if (f === 1 || g === h) return g;
    if (f === 0) return h;
    if (g === 1 && h === 0) return f;
    const { cache } = this;
    const key = (4 * mixed(f, g, h)) & (cache.length - 1);
    if (cache[key] === f && cache[key + 1] === g && cache[key + 2] === h) return item(cache, key + 3);
    spend();
    const top = Math.min(item(this.variables, f), item(this.variables, g), item(this.variables, h));
    const low = this.ite(
      this.branch(f, top, this.lows),
      this.branch(g, top, this.lows),
      this.branch(h, top, this.lows),
    );
    const high = this.ite(
      this.branch(f, top, this.highs),
      this.branch(g, top, this.highs),
      this.branch(h, top, this.highs),
    );
    const result = this.node(top, low, high);
    cache[key] = f;
    cache[key + 1] = g;
    cache[key + 2] = h;
    cache[key + 3] = result;
    return result;
  }

  /** Returns the variable of a node other than 0 and 1, and the nodes for its values 0 and 1. */
  parts(node: Node): { readonly variable: number; readonly low: Node; readonly high: Node } {
    return { variable: item(this.variables, node), low: item(this.lows, node), high: item(this.highs, node) };
  }

  not = (f: Node): Node => this.ite(f, 0, 1);
  and = (f: Node, g: Node): Node => this.ite(f, g, 0);
  or = (f: Node, g: Node): Node => this.ite(f, 1, g);
  xor = (f: Node, g: Node): Node => this.ite(f, this.not(g), g);

  implies = (f: Node, g: Node): boolean => this.and(f, this.not(g)) === 0;

  /**
   * Returns the true variables of an assignment for which a function is false. The function must
   * not be the constant 1.
   */
  falsify(f: Node): readonly number[] {
    const set: number[] = [];
    for (let node = f; node > 1; ) {
      // Every node other than 0 and 1 has a path to 0.
      if (item(this.lows, node) !== 1) node = item(this.lows, node);
      else {
        set.push(item(this.variables, node));
        node = item(this.highs, node);
      }
    }
    return set;
  }

  private branch(f: Node, variable: number, branches: Int32Array): Node {
    return item(this.variables, f) === variable ? item(branches, f) : f;
  }

  private node(variable: number, low: Node, high: Node): Node {
    if (low === high) return low;
    const last = this.table.length - 1;
    let slot = mixed(variable, low, high) & last;
    for (let found = item(this.table, slot); found !== 0; found = item(this.table, slot)) {
      if (this.variables[found] === variable && this.lows[found] === low && this.highs[found] === high) return found;
      slot = (slot + 1) & last;
    }
    if (this.count === this.variables.length) throw new TooManyNodes('too many nodes');
    const added = this.count++;
    this.variables[added] = variable;
    this.lows[added] = low;
    this.highs[added] = high;
    this.table[slot] = added;
    this.slotOf[added] = slot;
    return added;
  }
}

const mixed = (a: number, b: number, c: number): number => {
  const sum = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b) ^ Math.imul(c, 0xc2b2ae35);
  return sum ^ (sum >>> 15);
};

function item(items: Int32Array, index: number): number {
  const found = items[index];
  if (found === undefined) throw new Error(`no item ${index}`);
  return found;
}
