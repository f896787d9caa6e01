// Finds the loads, stores and atomics of a program, and the memory that each of them accesses.

import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { reversePostorder } from '../graph/index.ts';
import type { AtomicOp, Space } from '../ir/memory.ts';
import type { Block, Func, InstNamed, Program, Value } from '../ir/nodes.ts';
import { widthOf } from '../ir/types.ts';
import { type Granule, isLocalBuffered } from '../memory-plan.ts';
import { findPointsTo, type Origin, type PointsTo } from './points-to.ts';

export type AccessInst = InstNamed<'load' | 'store' | 'atomic'>;

/**
 * The memory that an access reaches: the buffer of a parameter, the heap, shared, local or
 * parameter memory. For `generic`, the address selects the memory at run time.
 */
export type Target =
  | { readonly kind: 'buffer' | 'param'; readonly param: number }
  | { readonly kind: 'heap' | 'shared' | 'local' | 'generic' };

export interface Access {
  readonly inst: AccessInst;
  readonly block: Block;
  readonly func: Func;
  /** The state space that the instruction names. */
  readonly space: Space;
  /** The points-to set of the address. */
  readonly points: PointsTo;
  readonly target: Target;
}

export interface FoundAccesses {
  readonly accesses: readonly Access[];
  /**
   * The pointer parameters with their own binding: the kernel only offsets and dereferences them.
   */
  readonly bound: ReadonlySet<number>;
  /** The sets `unclear` and `moved` of `PointsToResult`. */
  readonly unclear: ReadonlySet<number>;
  readonly moved: ReadonlySet<number>;
}

interface Found {
  readonly inst: AccessInst;
  readonly block: Block;
  readonly func: Func;
  readonly space: Space;
  readonly points: PointsTo;
}

/** Returns the address of an access, without its offset. */
export const addressOf = (inst: AccessInst): Value | undefined => (inst.attrs.place.indexed ? inst.args[0] : undefined);

const isAccess = (inst: { readonly op: string }): inst is AccessInst =>
  inst.op === 'load' || inst.op === 'store' || inst.op === 'atomic';

const countOf = (inst: AccessInst): number => (inst.op === 'atomic' ? 1 : inst.attrs.count);
export const bytesOf = (inst: AccessInst): number => (countOf(inst) * widthOf(inst.attrs.type)) / 8;
/**
 * Whether the access is smaller than a word. A vector of bytes that fills whole words is not
 * partial.
 */
export const isPartial = (inst: AccessInst): boolean => bytesOf(inst) < 4;

/** Returns the size in words of the widest vector that fits into an access: 4, 2 or 1. */
export function accessWords(inst: AccessInst): Granule {
  if (inst.op === 'atomic') return 1;
  const words = bytesOf(inst) / 4;
  return words >= 4 ? 4 : words >= 2 ? 2 : 1;
}

/**
 * Whether the access requires memory with atomic elements: it is an atomic, it is ordered, or it
 * stores less than a word and must preserve the neighboring bytes.
 */
export const needsAtomics = (inst: AccessInst): boolean =>
  inst.op === 'atomic' || inst.attrs.order !== 'weak' || (inst.op === 'store' && isPartial(inst));

/** Whether the access consists of several words. */
export const isWide = (inst: AccessInst): boolean => bytesOf(inst) > 4;

/**
 * Whether an access loads several words while other lanes may change them. A weak load does not,
 * unless a loop waits for its value: `scheduleWaits` makes such a load volatile.
 */
export const races = (inst: AccessInst): boolean => inst.op === 'load' && isWide(inst) && inst.attrs.order !== 'weak';

const wordByWord: ReadonlySet<string> = new Set<AtomicOp>(['add', 'and', 'or', 'xor']);

/**
 * Whether a 64-bit atomic may update each word separately because its result is unused. A sum
 * passes its carry to the high word.
 */
export const updatesApart = (inst: AccessInst): boolean =>
  inst.op === 'atomic' && inst.attrs.type === 'i64' && !inst.attrs.result && wordByWord.has(inst.attrs.op);

export interface BindingOptions {
  /** The adapter's limit of storage buffers per shader stage; 8 by default. */
  readonly maxStorageBuffers?: number | undefined;
  /** The number of lanes per invocation. */
  readonly slots: number;
  /** The bytes of workgroup memory for arrays; unlimited by default. */
  readonly workgroupBytes?: number;
  /** Parameters that are placed in the heap although they could have their own binding. */
  readonly heapParams?: ReadonlySet<number> | undefined;
}

/**
 * Returns how many buffers may have their own binding under the adapter's limit. The heap and the
 * status word use one binding each, and so does memory that is too large for variables.
 */
export function bindingsFor(
  { variables, dynamicShared }: Program,
  { maxStorageBuffers = 8, slots, workgroupBytes = Number.POSITIVE_INFINITY }: BindingOptions,
): number {
  const local = variables.reduce((sum, { space, bytes }) => (space === 'local' ? sum + bytes : sum), 0);
  // Each array may begin with padding. An estimate that is too large only costs a binding.
  const shared = variables.reduce(
    (sum, { space, bytes, align }) => (space === 'shared' ? sum + bytes + 2 * Math.max(align, 16) : sum),
    dynamicShared,
  );
  return maxStorageBuffers - (isLocalBuffered(local, slots) || shared > workgroupBytes ? 3 : 2);
}

/**
 * Finds all accesses. At most `limit` buffers have their own binding, in the order of parameters. A
 * parameter in `heapParams` never has its own binding.
 */
export function findAccesses(program: Program, limit: number, heapParams?: ReadonlySet<number>): FoundAccesses {
  const pointsTo = findPointsTo(program);
  const none = pointsTo.of({ kind: 'undef', type: 'i64' });
  const found: Found[] = [];
  for (const func of [program.kernel, ...program.functions]) {
    for (const block of reversePostorder(func)) {
      for (let at = 0; at < block.insts.length; at++) {
        const inst = block.insts[at];
        if (inst === undefined || !isAccess(inst) || inst.attrs.place.root.kind !== 'address') continue;
        const address = addressOf(inst);
        const points = address ? pointsTo.of(address) : none;
        found.push({ inst, block, func, space: inst.attrs.place.root.space, points });
      }
    }
  }
  // Locks use one more binding.
  const mayLock = found.some(({ inst, space }) => space !== 'shared' && isWide(inst) && needsAtomics(inst));
  const bound = chooseBuffers(
    program,
    found,
    (param) => heapParams?.has(param) === true || pointsTo.escapes(param),
    mayLock ? limit - 1 : limit,
  );
  const paramOf = new Map(program.params.map((variable, param) => [variable, param]));
  const accesses = found.map((access): Access => {
    const { inst, block, func, space, points } = access;
    const only = onlyOf(points);
    const param = only?.kind === 'variable' ? paramOf.get(only.variable) : undefined;
    const target: Target =
      param !== undefined && (access.space === 'generic' || access.space === 'param')
        ? { kind: 'param', param }
        : targetOf(access, only, bound);
    return { inst, block, func, space, points, target };
  });
  return { accesses, bound, unclear: pointsTo.unclear, moved: pointsTo.moved };
}

const goesByPointer = (space: Space): boolean => space === 'global' || space === 'generic';

function chooseBuffers(
  program: Program,
  found: readonly Found[],
  escapes: (param: number) => boolean,
  limit: number,
): ReadonlySet<number> {
  const dereferenced = new Set<number>();
  const mixed = new Set<number>();
  for (const { space, points } of found) {
    for (const origin of points.origins) {
      if (origin.kind !== 'pointer') continue;
      dereferenced.add(origin.param);
      if (points.origins.size > 1 || points.untracked || !goesByPointer(space)) mixed.add(origin.param);
    }
  }
  const all = program.params.flatMap((_, param) =>
    dereferenced.has(param) && !mixed.has(param) && !escapes(param) ? [param] : [],
  );
  return new Set(all.slice(0, Math.max(limit, 0)));
}

export function refuseComputedParam({ span }: AccessInst): never {
  return refuse(compileDiagnostics.notSupported('parameter memory at a computed address'), span);
}

/** Returns the only origin of an address; undefined if there may be several. */
function onlyOf({ origins, untracked }: PointsTo): Origin | undefined {
  const [only] = origins;
  return origins.size === 1 && !untracked ? only : undefined;
}

function targetOf({ inst, space, points }: Found, only: Origin | undefined, bound: ReadonlySet<number>): Target {
  if (space === 'shared' || space === 'local') return { kind: space };
  if (space === 'const') return { kind: 'heap' };
  if (space === 'param') refuseComputedParam(inst);
  if (only?.kind === 'pointer' && bound.has(only.param)) return { kind: 'buffer', param: only.param };
  if (space === 'global') return { kind: 'heap' };
  const spaces = new Set(
    [...points.origins].map((origin) => (origin.kind === 'variable' ? origin.variable.space : 'heap')),
  );
  if (points.anyVariable || spaces.size > 1) return { kind: 'generic' };
  const [all] = spaces;
  // `anyVariable` is false here, so no address of a variable has been stored to memory. So an
  // untracked number cannot be such an address.
  if (all === undefined || all === 'heap') return { kind: 'heap' };
  return points.untracked || (all !== 'shared' && all !== 'local') ? { kind: 'generic' } : { kind: all };
}
