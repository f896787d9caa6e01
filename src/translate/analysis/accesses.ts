// The loads, stores and atomics of a program, and which memory each of them reaches.

import { compileDiagnostics, refuse } from '../diagnostics.ts';
import { reversePostorder } from '../graph/index.ts';
import type { AtomicOp, Space } from '../ir/memory.ts';
import type { Block, Func, InstNamed, Program, Value } from '../ir/nodes.ts';
import { widthOf } from '../ir/types.ts';
import { type Granule, isLocalBuffered } from '../memory-plan.ts';
import { findPointsTo, type Origin, type PointsTo } from './points-to.ts';

export type AccessInst = InstNamed<'load' | 'store' | 'atomic'>;

/** Memory that an access reaches: a parameter's own buffer, the heap, shared, local or parameter memory, or (generic) whichever the address says. */
export type Target =
  | { readonly kind: 'buffer' | 'param'; readonly param: number }
  | { readonly kind: 'heap' | 'shared' | 'local' | 'generic' };

export interface Access {
  readonly inst: AccessInst;
  readonly block: Block;
  readonly func: Func;
  /** As the instruction says. */
  readonly space: Space;
  /** What the address points to. */
  readonly points: PointsTo;
  readonly target: Target;
}

export interface FoundAccesses {
  readonly accesses: readonly Access[];
  /** Pointer parameters with a binding of their own: their addresses are only offset and dereferenced. */
  readonly bound: ReadonlySet<number>;
  /** As `PointsToResult` has them. */
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

/** The address of an access, without its offset. */
export const addressOf = (inst: AccessInst): Value | undefined => (inst.attrs.place.indexed ? inst.args[0] : undefined);

const isAccess = (inst: { readonly op: string }): inst is AccessInst =>
  inst.op === 'load' || inst.op === 'store' || inst.op === 'atomic';

const countOf = (inst: AccessInst): number => (inst.op === 'atomic' ? 1 : inst.attrs.count);
export const bytesOf = (inst: AccessInst): number => (countOf(inst) * widthOf(inst.attrs.type)) / 8;
/** Whether the access is of less than a word. Vectors of bytes that make whole words are such words. */
export const isPartial = (inst: AccessInst): boolean => bytesOf(inst) < 4;

/** Words that one access touches together, as far as a vector reaches. */
export function accessWords(inst: AccessInst): Granule {
  if (inst.op === 'atomic') return 1;
  const words = bytesOf(inst) / 4;
  return words >= 4 ? 4 : words >= 2 ? 2 : 1;
}

/** Whether the memory must have atomic elements: for atomics, ordered accesses, and stores of less than a word, which must not lose a neighbour's bytes. */
export const needsAtomics = (inst: AccessInst): boolean =>
  inst.op === 'atomic' || inst.attrs.order !== 'weak' || (inst.op === 'store' && isPartial(inst));

/** Whether elements have several words. */
export const isWide = (inst: AccessInst): boolean => widthOf(inst.attrs.type) > 32;

const wordByWord: ReadonlySet<string> = new Set<AtomicOp>(['add', 'and', 'or', 'xor']);

/** Whether an atomic on several words may be one on each of them, since nobody asks what all of them were: sums pass their carry on. */
export const updatesApart = (inst: AccessInst): boolean =>
  inst.op === 'atomic' && inst.attrs.type === 'i64' && !inst.attrs.result && wordByWord.has(inst.attrs.op);

export interface BindingOptions {
  /** Storage buffers of a shader stage: 8 if not said. */
  readonly maxStorageBuffers?: number | undefined;
  /** Lanes of an invocation. */
  readonly slots: number;
  /** Parameters that get no binding of their own, though they could. */
  readonly heapParams?: ReadonlySet<number> | undefined;
}

/**
 * How many buffers may have bindings of their own, by the adapter's limit: the heap and the status word have theirs, and so has local memory that is too
 * large for variables.
 */
export function bindingsFor({ variables }: Program, { maxStorageBuffers = 8, slots }: BindingOptions): number {
  const local = variables.reduce((sum, { space, bytes }) => (space === 'local' ? sum + bytes : sum), 0);
  return maxStorageBuffers - (isLocalBuffered(local, slots) ? 3 : 2);
}

/** `limit`: how many buffers may have bindings of their own, in order of parameters; `heapParams` have none. */
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
  // Locks have a binding of their own.
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

/** The one thing that an address is made of. */
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
  // An untracked number is a variable's address only where one has gone to memory.
  if (all === undefined || all === 'heap') return { kind: 'heap' };
  return points.untracked || (all !== 'shared' && all !== 'local') ? { kind: 'generic' } : { kind: all };
}
