// The memory that nodes of graphs allocate. An allocation has one address for all launches of its
// graph, so its memory is reserved when the node is made, and never released.
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';

export class GraphMemory {
  /** Whether each allocation is in use, by address. */
  readonly #isUsed = new Map<number, boolean>();

  has(address: number): boolean {
    return this.#isUsed.has(address);
  }

  /** Adds memory that a node will allocate. */
  reserve(address: number): void {
    this.#isUsed.set(address, false);
  }

  /** Performs a node that allocates or frees memory. Throws `CudaFailure` if it is in this state already. */
  change(address: number, isUsed: boolean): void {
    if (this.#isUsed.get(address) !== !isUsed)
      throw new CudaFailure(cudaErrors.invalidValue, `graph memory that is ${isUsed ? 'in use' : 'free'} already`);
    this.#isUsed.set(address, isUsed);
  }
}
