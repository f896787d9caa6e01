// Distributes the launches of a validation over processes. Each process has a share of consecutive
// launches, because neighbors in the plan are similar. A process with few families of instructions
// compiles fewer references, which halves its CPU time. An idle process continues with launches of
// the largest remaining share.
import type { PlannedLaunch } from '../suites/index.ts';
import type { LaunchesOrder } from './validate-messages.ts';

/**
 * Consecutive launches of one kernel. They are a unit, so that the kernel is translated and
 * compiled only once.
 */
export interface Part {
  readonly order: LaunchesOrder;
  /** The estimated cost, as the number of instructions times lanes that are executed. */
  readonly work: number;
}

/** The estimated cost of translating a kernel and compiling its shader, in the same unit. */
const kernelWork = 4000;

const workOf = ({ choice, cost, suites }: PlannedLaunch): number =>
  cost * choice.warps * suites.reduce((sum, { variants }) => sum + variants, 0);

/** Splits a plan into parts, in its order. */
export function partsOf(plan: readonly PlannedLaunch[]): Part[] {
  const parts: Part[] = [];
  for (let from = 0; from < plan.length; ) {
    const kernel = plan[from]?.kernel;
    let [to, work] = [from, kernelWork];
    for (let next = plan[to]; next !== undefined && next.kernel === kernel; next = plan[++to]) work += workOf(next);
    parts.push({ order: { kind: 'launches', from, to }, work });
    from = to;
  }
  return parts;
}

const sumOf = (parts: readonly Part[]): number => parts.reduce((sum, { work }) => sum + work, 0);

/**
 * Compares parts for sorting. The longest parts are first, so that no process still has a long part
 * when the others have finished.
 */
const byWork = (x: Part, y: Part): number => y.work - x.work;

/** The remaining share of each process. */
export class LaunchShares {
  readonly #shares: Part[][];

  /** Distributes the parts over processes. `parts` are in the plan's order. */
  constructor(parts: readonly Part[], processes: number) {
    this.#shares = Array.from({ length: processes }, () => []);
    const total = sumOf(parts);
    let before = 0;
    for (const part of parts) {
      // The middle of a part determines its share.
      const share = Math.floor(((before + part.work / 2) / total) * processes);
      this.#shares[Math.min(share, processes - 1)]?.push(part);
      before += part.work;
    }
    for (const share of this.#shares) share.sort(byWork);
  }

  /** Returns the next part for a process; undefined if no parts are left. */
  take(process: number): LaunchesOrder | undefined {
    const own = this.#shares[process] ?? [];
    if (own.length === 0) own.push(...this.#half());
    return own.shift()?.order;
  }

  /** Removes every other part, starting with the first, from the largest remaining share. */
  #half(): Part[] {
    const rest = this.#shares.map(sumOf);
    const most = rest.indexOf(Math.max(...rest));
    const share = this.#shares[most] ?? [];
    const kept = share.filter((_, index) => index % 2 === 1);
    const taken = share.filter((_, index) => index % 2 === 0);
    this.#shares[most] = kept;
    return taken;
  }
}
