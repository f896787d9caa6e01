// Which process runs which launches of a validation. Each has a share of the plan of its own, in which neighbours are alike: a process that meets few
// families of instructions has compiled their reference soon, and takes half of the processor time of one that meets all of them. Who has done takes from
// the share in which most is left.
import type { PlannedLaunch } from '../suites/index.ts';
import type { LaunchesOrder } from './validate-messages.ts';

/** Consecutive launches of one kernel, which then is translated and compiled once. */
export interface Part {
  readonly order: LaunchesOrder;
  /** About how long it takes, in instructions of lanes that a warp executes. */
  readonly work: number;
}

/** What it takes to translate a kernel and compile its shader. */
const kernelWork = 4000;

const workOf = ({ choice, cost, suites }: PlannedLaunch): number =>
  cost * choice.warps * suites.reduce((sum, { variants }) => sum + variants, 0);

/** In the plan's order. */
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

/** The longest first, so that no process is left with a long one when the others have done. */
const byWork = (x: Part, y: Part): number => y.work - x.work;

/** What is left of each process's share. */
export class LaunchShares {
  readonly #shares: Part[][];

  /** `parts`: all of them, in the plan's order. */
  constructor(parts: readonly Part[], processes: number) {
    this.#shares = Array.from({ length: processes }, () => []);
    const total = sumOf(parts);
    let before = 0;
    for (const part of parts) {
      // By its middle.
      const share = Math.floor(((before + part.work / 2) / total) * processes);
      this.#shares[Math.min(share, processes - 1)]?.push(part);
      before += part.work;
    }
    for (const share of this.#shares) share.sort(byWork);
  }

  /** The next part for the process of that number; undefined when none is left. */
  take(process: number): LaunchesOrder | undefined {
    const own = this.#shares[process] ?? [];
    if (own.length === 0) own.push(...this.#half());
    return own.shift()?.order;
  }

  /** Every other part of the share in which most is left, from the first on. */
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
