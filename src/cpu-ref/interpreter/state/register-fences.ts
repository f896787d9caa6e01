// The accesses of registers by a warp since its last `wgmma.fence`. Without a fence, a product does
// not wait for earlier accesses of its registers.
import { getOrInsert } from '../../../base/maps.ts';
import type { Span } from '../../../ptx/ast.ts';
import type { Frame } from './frame.ts';

/** An access of a register. */
export interface RegisterAccess {
  readonly span: Span;
  /** The form of the product whose sum it is; undefined for all other instructions. */
  readonly sumOf: string | undefined;
}

export class RegisterFences {
  #since = new Map<Frame, Map<number, RegisterAccess>>();

  fence(): void {
    this.#since = new Map();
  }

  note(frame: Frame, taints: readonly number[], access: RegisterAccess): void {
    const own = getOrInsert(this.#since, frame, () => new Map<number, RegisterAccess>());
    for (const taint of taints) own.set(taint, access);
  }

  /**
   * Returns the access that a product with this form does not wait for. Sums of products with the
   * same form need no fence.
   */
  unfenced(frame: Frame, taints: readonly number[], form: string): RegisterAccess | undefined {
    const own = this.#since.get(frame);
    if (own === undefined) return undefined;
    for (const taint of taints) {
      const access = own.get(taint);
      if (access !== undefined && access.sumOf !== form) return access;
    }
    return undefined;
  }
}
