// Proves reductions over groups of lanes that the shader finds at run time. It reduces over all lanes
// if they are one group, and maybe over two groups. Otherwise each lane combines the partial results
// of other lanes in steps.
import { getOrInsert } from '../../src/base/maps.ts';
import type { Claim } from './claim.ts';
import { decide } from './terms/bits.ts';
import { compareContributions, reductionOf } from './terms/contributions.ts';
import { digestOf, reductionDigests } from './terms/digest.ts';
import { localize } from './terms/localize.ts';
import { Reductions } from './terms/reached.ts';
import { assuming, orderOf } from './terms/rewrite.ts';
import { and, type Lanes, not, or, partsOf, type Term, yes } from './terms/term.ts';

/** The maximum number of variables of a condition that does not divide a claim into cases. */
const maxVariables = 64;

/** The maximum number of conditions that divide a claim into cases. */
const maxDepth = 3;

/** Lane 0, with whose group a shader compares other groups. */
const firstLane: Lanes = 1;

/** Whether claims are proved, by the digests of their reductions. They hold for any operator. */
const known = new Map<string, boolean>();

/** Proves claims about the reductions of one shader. */
export class ReductionProver {
  private readonly reductions = new Reductions();
  private readonly digests = new Map<Term['kind'], (term: Term) => string>();

  /** Whether a claim about a choice between reductions is proved. */
  isProved(claim: Claim): boolean {
    const { condition, found, expected } = claim;
    const [choice] = found.args;
    if (found.kind !== 'ite' || found.width !== 32 || choice === undefined || isSmall(choice)) return false;
    const operator = reductionOf(found, expected);
    if (operator === undefined) return false;
    const { kind, identity, isIdempotent } = operator;
    const digest = getOrInsert(this.digests, kind, () => reductionDigests(kind, identity));
    const key = [isIdempotent, digestOf(condition), digest(found), digest(expected)].join();
    return getOrInsert(known, key, () => this.isProvedFor(claim, found, yes()));
  }

  /** Whether a claim is proved if the result is `result` and `path` is true. */
  private isProvedFor(claim: Claim, result: Term, path: Term, depth = 0): boolean {
    const { condition, expected } = claim;
    const [choice, then, otherwise] = result.args;
    const isChoice = result.kind === 'ite' && choice !== undefined && then !== undefined && otherwise !== undefined;
    const isIn = (taken: Term, part: Term): boolean => {
      const rest = and(taken, assuming([taken])(path));
      return this.isProvedFor(claim, part, rest, depth + 1);
    };
    const areCasesProved = (): boolean => isChoice && isIn(choice, then) && isIn(not(choice), otherwise);
    if (isChoice && !isSmall(assuming(partsOf('and', path))(choice))) return areCasesProved();
    if (this.reductions.areEqual(condition, path, result, expected) || isProvedByLanes(claim, result, path))
      return true;
    return depth < maxDepth && areCasesProved();
  }
}

/** Whether each value contributes under the same condition, as a claim about few lanes. */
function isProvedByLanes({ condition, expected }: Claim, result: Term, path: Term): boolean {
  const claim = compareContributions(result, expected);
  if (claim === undefined) return false;
  return partsOf('and', assuming(partsOf('and', path))(claim)).every((part) => {
    const lanes = condition.lanes | lanesOfValue(part) | firstLane;
    return decide(localize(or(not(condition), not(path), part), lanes))?.kind === 'proved';
  });
}

/** The lanes of the condition under which the manual's result contains a value. */
function lanesOfValue({ args }: Term): Lanes {
  const [first = -1, second = first] = args.map(({ lanes }) => lanes); // Absent: the condition is a variable, and all lanes count.
  return (first & ~second) === 0 ? first : second;
}

const isSmall = (condition: Term): boolean =>
  orderOf(condition).filter(({ kind }) => kind === 'variable').length <= maxVariables;
