// The products of warpgroups that warps of a block have started and not waited for. A product
// executes as late as PTX permits: when its warp waits for its group.
import { at } from '../../../base/invariants.ts';
import { getOrInsert } from '../../../base/maps.ts';
import type { Span } from '../../../ptx/ast.ts';
import { unitBytes } from '../../matrix/shared-matrix.ts';
import type { Destination } from '../memory/layout.ts';
import type { Frame } from './frame.ts';

export interface Product {
  /** The index of the warp in its block. */
  readonly warp: number;
  readonly frame: Frame;
  readonly lanes: number;
  readonly span: Span;
  /** The registers of D, and for each the lanes in which it was undefined before the product. */
  readonly sums: readonly Destination[];
  readonly undefinedBefore: number[];
  /** The taint indexes of the registers of A. */
  readonly factors: readonly number[];
  /** The units of 16 bytes of shared memory that the product reads. */
  readonly units: ReadonlySet<number>;
  /** Computes D. Returns the lanes in which each register is undefined. */
  readonly perform: () => readonly number[];
}

interface Groups {
  open: Product[];
  closed: Product[][];
}

const everyLane = -1;

export class PendingProducts {
  readonly #groups = new Map<number, Groups>();
  /** The pending products that read each unit of shared memory. */
  readonly #readers = new Map<number, Product[]>();
  /** The pending products of each register, the oldest first. */
  readonly #writers = new Map<Frame, Map<number, Product[]>>();
  readonly #factors = new Map<Frame, Map<number, Product[]>>();

  #groupsOf(warp: number): Groups {
    return getOrInsert(this.#groups, warp, () => ({ open: [], closed: [] }));
  }

  /** Starts a product. Its sums are undefined until it has executed. */
  begin(product: Product): void {
    const { frame, sums, factors, units, undefinedBefore, lanes } = product;
    this.#groupsOf(product.warp).open.push(product);
    for (const unit of units) getOrInsert(this.#readers, unit, () => []).push(product);
    const writers = getOrInsert(this.#writers, frame, () => new Map<number, Product[]>());
    sums.forEach((register, index) => {
      const own = getOrInsert(writers, register.place.taint, () => []);
      if (own.length === 0) {
        undefinedBefore[index] = frame.undefinedIn[register.place.taint] ?? 0;
        frame.mark(register, lanes, everyLane);
      }
      own.push(product);
    });
    const readers = getOrInsert(this.#factors, frame, () => new Map<number, Product[]>());
    for (const taint of factors) getOrInsert(readers, taint, () => []).push(product);
  }

  commit(warp: number): void {
    const groups = this.#groupsOf(warp);
    groups.closed.push(groups.open);
    groups.open = [];
  }

  /** Executes the products in all committed groups of the warp except the last `kept`. */
  wait(warp: number, kept: number): void {
    const { closed } = this.#groupsOf(warp);
    for (const group of closed.splice(0, Math.max(0, closed.length - kept)))
      for (const product of group) this.#end(product);
  }

  #end(product: Product): void {
    const { frame, sums, factors, units, undefinedBefore, lanes } = product;
    for (const [index, register] of sums.entries()) {
      frame.mark(register, lanes, at(undefinedBefore, index, 'the marks of a register'));
    }
    const undefinedLanes = product.perform();
    for (const unit of units) remove(this.#readers, unit, product);
    for (const taint of factors) remove(this.#factors.get(frame), taint, product);
    sums.forEach((register, index) => {
      const own = at(undefinedLanes, index, 'the marks of a result');
      frame.mark(register, lanes, own);
      const { taint } = register.place;
      const next = remove(this.#writers.get(frame), taint, product)?.[0];
      if (next === undefined) return;
      next.undefinedBefore[next.sums.findIndex(({ place }) => place.taint === taint)] = own;
      frame.mark(register, lanes, everyLane);
    });
  }

  /** Returns a pending product that will read these bytes of shared memory. */
  reading(offset: number, bytes: number): Product | undefined {
    if (this.#readers.size === 0) return undefined;
    for (let unit = Math.floor(offset / unitBytes); unit * unitBytes < offset + bytes; unit++) {
      const product = this.#readers.get(unit)?.[0];
      if (product !== undefined) return product;
    }
    return undefined;
  }

  /** Returns a pending product that will write a register. */
  writing(frame: Frame, taint: number): Product | undefined {
    return this.#writers.get(frame)?.get(taint)?.[0];
  }

  /** Returns a pending product whose matrix A contains a register. */
  readingRegister(frame: Frame, taint: number): Product | undefined {
    return this.#factors.get(frame)?.get(taint)?.[0];
  }
}

/** Removes a product from the list of a key. Returns the rest of the list. */
function remove(
  lists: Map<number, Product[]> | undefined,
  key: number,
  product: Product,
): readonly Product[] | undefined {
  const list = lists?.get(key);
  if (list === undefined) return undefined;
  list.splice(list.indexOf(product), 1);
  if (list.length === 0) lists?.delete(key);
  return list;
}
