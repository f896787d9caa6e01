// Findings of the interpreter: undefined behavior and failures. Each finding is listed once.
import type { Diagnostic, Severity, Span } from '../../../ptx/ast.ts';

export type Dim3 = readonly [number, number, number];

interface FindingKind {
  readonly severity: Severity;
  readonly hint: string;
  /**
   * Whether findings of this kind are reported only in sanitizing runs, because detection is slow
   * or because compilers emit such code without harm.
   */
  readonly sanitizeOnly?: true;
}

/** All kinds of findings, by code. */
export const findingKinds = {
  RUN001: {
    severity: 'error',
    hint: 'The membermask of a .sync instruction must name every lane that executes it.',
  },
  RUN002: {
    severity: 'error',
    hint: 'Every lane that a membermask names, and every thread a barrier expects, must arrive there or exit. If a loop waits for a store, another thread must execute it.',
  },
  RUN003: {
    severity: 'warning',
    hint: 'Do not use the result in these lanes, or keep the source lanes active and in the membermask.',
    sanitizeOnly: true,
  },
  RUN004: {
    severity: 'error',
    hint: 'All threads of a warp must execute the same aligned barrier. Use barrier.sync if they may diverge.',
    sanitizeOnly: true,
  },
  RUN005: {
    severity: 'error',
    hint: 'The thread count of a barrier must be a multiple of 32, and the same for every participant.',
  },
  RUN006: { severity: 'warning', hint: 'Write the register on every path that leads here.', sanitizeOnly: true },
  RUN007: {
    severity: 'warning',
    hint: 'The contents of shared and local memory are undefined until the kernel stores to them.',
    sanitizeOnly: true,
  },
  RUN008: {
    severity: 'error',
    hint: 'An out-of-bounds load returned 0; an out-of-bounds store was dropped. Check the index against the size.',
  },
  RUN009: { severity: 'error', hint: 'The address of an access of n bytes must be a multiple of n.' },
  RUN010: {
    severity: 'error',
    hint: 'Put a barrier (bar.sync, or bar.warp.sync within a warp) between the accesses, or make both atomic. Between blocks, use atomics and fences.',
    sanitizeOnly: true,
  },
  RUN011: {
    severity: 'warning',
    hint: 'The control flow depends on a value that PTX leaves undefined.',
    sanitizeOnly: true,
  },
  RUN012: {
    severity: 'warning',
    hint: 'The address depends on a value that PTX leaves undefined.',
    sanitizeOnly: true,
  },
  RUN013: { severity: 'error', hint: 'The kernel executed `trap` or `brkpt`, which ends the launch.' },
  RUN014: {
    severity: 'error',
    hint: 'Raise maxSteps if the kernel is only slow. Otherwise, look for a wait that never ends.',
  },
  RUN015: { severity: 'error', hint: 'The index must be smaller than the length of the target list.' },
  RUN016: { severity: 'error', hint: 'Limit the depth of recursion, or reduce the stack frames.' },
  RUN017: {
    severity: 'warning',
    hint: 'Since sm_70, lanes of a warp need not execute in lockstep: put a bar.warp.sync between the accesses.',
    sanitizeOnly: true,
  },
  RUN018: { severity: 'error', hint: "The kernel's own assertion failed. Check the condition that it states." },
  RUN019: {
    severity: 'error',
    hint: 'Call a function with this prototype whose address the module takes.',
  },
  RUN020: {
    severity: 'error',
    hint: 'Wait for the copy in the thread that started it, then synchronize with other threads by a barrier.',
    sanitizeOnly: true,
  },
  RUN021: {
    severity: 'error',
    hint: 'Initialize the mbarrier once (mbarrier.init, then a barrier), and let no more arrivals or bytes arrive than a phase expects.',
  },
  RUN022: {
    severity: 'error',
    hint: 'Handles come from texture and surface parameters. Textures do not support stores, and surfaces do not support filters.',
  },
  RUN023: {
    severity: 'error',
    hint: 'All lanes of a warp must pass the same address and stride to wmma.load and wmma.store.',
    sanitizeOnly: true,
  },
  RUN024: {
    severity: 'error',
    hint: "Each thread must alternate between arriving and waiting at the cluster's barrier. The ranks of blocks are from 0 to %cluster_nctarank - 1. A block must not exit before other blocks have accessed its shared memory: end with barrier.cluster.",
  },
  RUN025: {
    severity: 'error',
    hint: 'The order of variables in memory differs between compilers and in shaders. Check the index against the size.',
    sanitizeOnly: true,
  },
  RUN026: {
    severity: 'warning',
    hint: 'The result does not depend on the order of the stores. Let only one of the threads store, or put a barrier between the stores.',
    sanitizeOnly: true,
  },
  RUN027: {
    severity: 'error',
    hint: 'Put wgmma.commit_group and wgmma.wait_group between the product and the access. Synchronize other threads by a barrier after the wait.',
    sanitizeOnly: true,
  },
  RUN028: {
    severity: 'error',
    hint: 'Put wgmma.fence between accesses of the registers of D or A and the product. Only products of the same shape with the same D need none.',
    sanitizeOnly: true,
  },
  RUN029: {
    severity: 'error',
    hint: 'A warpgroup is four whole warps, from a multiple of four on. All lanes must pass the same descriptors and the same scale-d.',
  },
  RUN030: {
    severity: 'error',
    hint: 'Encode the map as cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col does, and pass coordinates that its mode allows.',
  },
  RUN031: {
    severity: 'error',
    hint: 'Execute fence.proxy.async after the stores. Then synchronize with the thread that starts the copy or the product.',
    sanitizeOnly: true,
  },
} as const satisfies Record<string, FindingKind>;

/** The stable code of a finding, such as `RUN002` for a deadlock. */
export type FindingCode = keyof typeof findingKinds;

/**
 * A case of undefined behavior or another problem that the reference found, at its first
 * occurrence.
 */
export interface Finding {
  /** A stable code. */
  readonly code: FindingCode;
  /** The severity. */
  readonly severity: Severity;
  /** The problem, in one sentence. */
  readonly message: string;
  /** The position of the instruction in the PTX. */
  readonly span: Span;
  /** Other positions in the PTX, with notes. */
  readonly labels: readonly { readonly span: Span; readonly text: string }[];
  /** A suggestion for the user. */
  readonly hint: string;
  /** The position of the block in the grid. */
  readonly block: Dim3;
  /** The number of the warp in its block. */
  readonly warp: number;
  /** The mask of the lanes. */
  readonly lanes: number;
  /** The number of times that the finding occurred. */
  readonly count: number;
}

export interface FindingPlace {
  readonly block: Dim3;
  readonly warp: number;
  readonly lanes: number;
}

const mostFindings = 1000;

/** Collects findings. Findings with the same code, span and `variant` are counted, not repeated. */
export class FindingLog {
  readonly #sanitize: boolean;
  readonly #byKey = new Map<string, { finding: Finding; count: number }>();

  readonly #endsAt: (code: FindingCode) => boolean;

  /** Creates a log. The first finding whose code `endsAt` accepts ends the launch. */
  constructor(sanitize: boolean, endsAt: (code: FindingCode) => boolean = () => false) {
    this.#sanitize = sanitize;
    this.#endsAt = endsAt;
  }

  /** Whether the log records findings with this code. */
  wants(code: FindingCode): boolean {
    const kind: FindingKind = findingKinds[code];
    return this.#sanitize || kind.sanitizeOnly !== true;
  }

  /**
   * Adds a finding. Calls `message` only for the first of its kind. Throws `Halt` if the finding
   * ends the launch.
   */
  add(
    code: FindingCode,
    span: Span,
    place: FindingPlace,
    message: () => string,
    options: { labels?: Finding['labels']; variant?: string } = {},
  ): void {
    if (!this.wants(code)) return;
    const key = `${code}:${span.start}:${options.variant ?? ''}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.count++;
      return;
    }
    if (this.#byKey.size >= mostFindings) return;
    const { severity, hint } = findingKinds[code];
    const labels = options.labels ?? [];
    const { block, warp, lanes } = place;
    const finding = { code, severity, message: message(), span, labels, hint, block, warp, lanes, count: 1 };
    this.#byKey.set(key, { finding, count: 1 });
    if (this.#endsAt(code)) throw new Halt(code, finding.message);
  }

  /** Returns the findings: errors first, and otherwise in source order. */
  list(): Finding[] {
    const all = [...this.#byKey.values()].map(({ finding, count }): Finding => ({ ...finding, count }));
    const rank = (finding: Finding) => (finding.severity === 'error' ? 0 : 1);
    return all.sort((a, b) => rank(a) - rank(b) || a.span.start - b.span.start);
  }
}

/** Returns the lanes of a mask as text, such as `0-3, 7, 30-31`. */
function laneList(mask: number): string {
  const parts: string[] = [];
  for (let lane = 0; lane < 32; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    let last = lane;
    while (last < 31 && ((mask >>> (last + 1)) & 1) === 1) last++;
    parts.push(last === lane ? `${lane}` : `${lane}-${last}`);
    lane = last;
  }
  return parts.join(', ');
}

/** Returns the lanes of a mask as text, such as `lane 3` or `lanes 0-3, 7`. */
export function laneNames(mask: number): string {
  const list = laneList(mask);
  return /^\d+$/.test(list) ? `lane ${list}` : `lanes ${list}`;
}

/** Converts a finding to the form that `renderDiagnostic` accepts. */
export function findingDiagnostic(finding: Finding): Diagnostic {
  const { code, severity, span, labels, hint, block, warp, lanes, count } = finding;
  const lanesText = lanes === 0 ? '' : `, ${laneNames(lanes)}`;
  const place = `block (${block.join(', ')}), warp ${warp}${lanesText}`;
  const times = count === 1 ? '' : `; ${count} times`;
  return { code, severity, message: `${finding.message} [${place}${times}]`, span, labels, hint };
}

/**
 * Ends the launch because of a finding that the log already contains, such as a deadlock, a trap or
 * a timeout.
 */
export class Halt extends Error {
  readonly code: FindingCode;

  constructor(code: FindingCode, message: string) {
    super(message);
    this.name = 'Halt';
    this.code = code;
  }
}
