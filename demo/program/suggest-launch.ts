// Suggests a launch for a kernel without test data. The reference runs candidate launches. A run
// shows which sizes of buffers are needed, and whether the candidate has undefined behavior.
import type { FindingCode } from '../../src/cpu-ref/executor.ts';
import type { InterpretResult } from '../../src/cpu-ref/interpreter/interpret.ts';
import { inferKernel } from '../../src/harness/infer/index.ts';
import type { Module, PtxFunction } from '../../src/ptx/index.ts';
import {
  draft,
  isCount,
  type LaunchChoices,
  type SuggestedLaunch,
  type Variation,
  variations,
} from './launch-drafts.ts';
import { type Budget, tried } from './try-launch.ts';
import { type ConflictingLaunch, isHarmless } from './verdict.ts';

export interface Suggestion extends SuggestedLaunch {
  /**
   * The first launch with conflicts that the search has tried, if its threads differ from those of
   * the suggestion.
   */
  readonly conflicting: ConflictingLaunch | undefined;
}

/** The maximum number of instructions that the reference executes for all candidates. */
const maxTotalSteps = 100_000;

/**
 * The number of a kernel's instructions above which the search starts with small launches. The
 * reference can finish small launches within the limit.
 */
const longBody = 1500;

/** The maximum number of counts that are tried as `only`. */
const maxCounts = 6;

/**
 * Codes of findings about the order of threads. Such findings are errors in the kernel, while other
 * findings, such as accesses out of bounds, may be caused by unsuitable inputs.
 */
const conflictCodes: ReadonlySet<FindingCode> = new Set([
  'RUN001', 'RUN004', 'RUN010', 'RUN017', 'RUN020', 'RUN023',
]); // biome-ignore format: a list

interface Tried {
  readonly launch: SuggestedLaunch;
  /**
   * The number of findings about the order of threads, and the number of other findings that are
   * not harmless.
   */
  readonly conflicts: number;
  readonly others: number;
  /** Whether the launch has finished. */
  readonly isDone: boolean;
  /** Whether the launch has written to memory, or the kernel cannot write. */
  readonly isUseful: boolean;
}

/**
 * Returns the first candidate that writes and finishes without findings. If there is none, prefers
 * a candidate whose only findings are conflicts between its threads: it suits the kernel, and the
 * conflicts may not appear with other threads. Otherwise returns the first candidate without
 * findings, or else the first that finishes, or else the first. The choices of the user take
 * precedence.
 */
export function suggestLaunch(module: Module, entry: PtxFunction, choices: LaunchChoices): Suggestion {
  const all = [...candidates(module, entry, choices)];
  const [first] = all;
  const suits = ({ isDone, isUseful, others }: Tried): boolean => isDone && isUseful && others === 0;
  const conflicting = all.find((candidate) => suits(candidate) && candidate.conflicts > 0);
  const isClean = ({ isDone, conflicts, others }: Tried): boolean => isDone && conflicts + others === 0;
  const clean = all.find((candidate) => suits(candidate) && isClean(candidate));
  const best = clean ?? conflicting ?? all.find(isClean) ?? all.find(({ isDone }) => isDone) ?? first;
  const launch = best?.launch ?? draft(inferKernel(module, entry), choices, variations[0]);
  const hidden = all.find((candidate) => candidate.conflicts > 0 && !haveSameThreads(candidate.launch, launch));
  const { grid, block } = hidden?.launch ?? launch;
  return { ...launch, conflicting: hidden && { grid, block, findings: hidden.conflicts } };
}

const haveSameThreads = (a: SuggestedLaunch, b: SuggestedLaunch): boolean =>
  String([a.grid, a.block]) === String([b.grid, b.block]);

/** Runs candidates in order of preference, until one of them decides the search. */
function* candidates(module: Module, entry: PtxFunction, choices: LaunchChoices): Generator<Tried> {
  const use = inferKernel(module, entry);
  const budget: Budget = { steps: maxTotalSteps };
  const queue: Variation[] = [...variations];
  const isSmall = ({ block }: Variation): boolean => block === 'warp';
  if (entry.body.length > longBody) queue.sort((a, b) => Number(isSmall(b)) - Number(isSmall(a)));
  const mayWrite = use.params.some(({ fields }) => fields.some(({ use }) => use.kind === 'pointer' && use.writes));
  const seen = new Set<string>();
  let isSlow = false;
  let isSilent = false;
  let conflicting: SuggestedLaunch | undefined;
  for (let variation = queue.shift(); variation !== undefined && budget.steps > 0; variation = queue.shift()) {
    if (isSlow && !('size' in variation)) continue;
    const candidate = draft(use, choices, variation);
    // Other inputs may avoid the conflicts, but fewer threads would hide them.
    if (conflicting !== undefined && !haveSameThreads(candidate, conflicting)) continue;
    // Variations differ only if the kernel has, for example, indexes in memory or several blocks.
    const key = JSON.stringify({ ...candidate, specs: [...candidate.specs] });
    if (seen.has(key)) continue;
    seen.add(key);
    const { launch, result } = tried(module, entry, use.params, choices, candidate, budget);
    const outcome = { launch, ...outcomeOf(result, mayWrite) };
    yield outcome;
    const { isDone, isUseful, conflicts, others } = outcome;
    const isClean = isDone && conflicts + others === 0;
    if (isClean && isUseful) return;
    if (isDone && isUseful && others === 0) conflicting ??= launch;
    // The loops run too long, so continue only with variations that have a `size`.
    if (result?.failure?.code === 'RUN014') isSlow = true;
    // Probably all threads fail a test such as `i < size - first`, which is always false if all
    // counts are equal. So make one count larger than the others.
    if (isClean && !isSilent) {
      isSilent = true;
      const counts = use.params.filter(isCount).slice(0, maxCounts);
      queue.unshift(...counts.map((only) => ({ ...variations[0], only })));
    }
  }
}

function outcomeOf(result: InterpretResult | undefined, mayWrite: boolean): Omit<Tried, 'launch'> {
  if (result === undefined) return { isDone: false, isUseful: false, conflicts: 0, others: 0 };
  const codes = result.findings.map(({ code }) => code).filter((code) => !isHarmless(code));
  const conflicts = codes.filter((code) => conflictCodes.has(code)).length;
  const hasWritten = [...result.extents.values()].some(({ writtenTo }) => writtenTo > 0);
  return {
    isDone: result.status === 'done',
    isUseful: hasWritten || !mayWrite,
    conflicts,
    others: codes.length - conflicts,
  };
}
