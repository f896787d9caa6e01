// How the 32 lanes of a warp lie on the invocations of a subgroup.

/**
 * - `native`: subgroup size 32, one lane per invocation
 * - `wide`: 64 or 128, several warps per subgroup
 * - `narrow`: 4, 8 or 16, 32/size lanes per invocation; lane = slot * size + subgroup_invocation_id
 * - `portable`: no usable subgroups; in one of two shapes
 */
export const planKinds = ['native', 'wide', 'narrow', 'portable'] as const;
export type PlanKind = (typeof planKinds)[number];

/**
 * How the portable plan lays a warp on invocations:
 * - `lane`: a lane per invocation; lanes exchange values through the workgroup's memory, with barriers, so that the whole block has to come by
 * - `warp`: an invocation holds a whole warp, whose lanes exchange values through its registers
 */
const portableShapes = ['lane', 'warp'] as const;
export type PortableShape = (typeof portableShapes)[number];

export interface LanePlan {
  readonly kind: PlanKind;
  /** Of the portable plan; chosen for each kernel where it is left out. */
  readonly shape?: PortableShape;
  /** Invocations of a subgroup; 1 in the portable plan. */
  readonly subgroupSize: number;
  /** Lanes an invocation holds. */
  readonly slots: number;
  /** Whether WGSL's `subgroup_id` may be used; else the shader numbers its subgroups itself. */
  readonly subgroupId: boolean;
  /** Whether the size is asked for with `@subgroup_size`. */
  readonly sizeControl: boolean;
}

const portable: LanePlan = { kind: 'portable', subgroupSize: 1, slots: 32, subgroupId: false, sizeControl: false };

/** The portable plan in one of its shapes. */
export const portablePlan = (shape: PortableShape): LanePlan => ({
  ...portable,
  shape,
  slots: shape === 'lane' ? 1 : 32,
});

/** Whether lanes exchange values through the workgroup's memory, so that every such exchange is a barrier. */
export const exchangesInWorkgroup = ({ shape }: LanePlan): boolean => shape === 'lane';

/** Whether a subgroup has whole warps, as those of GPUs do, and no software adapter's. */
export const hasWholeWarps = ({ kind }: LanePlan): boolean => kind === 'native' || kind === 'wide';

/** A plan in words. */
export function describePlan({ kind, shape, subgroupSize }: LanePlan): string {
  if (kind !== 'portable') return `${kind} plan, subgroups of ${subgroupSize}`;
  const how = { lane: ', a lane per invocation', warp: ', a warp per invocation' };
  return `portable plan${shape === undefined ? '' : how[shape]}`;
}

/** The plan for subgroups of `size` invocations; 0 (unknown, varying or unsupported) gives the portable plan. */
export function planFor(size: number, options: { subgroupId?: boolean; sizeControl?: boolean } = {}): LanePlan {
  const subgroupId = options.subgroupId ?? true;
  const sizeControl = options.sizeControl ?? false;
  if (size === 32) return { kind: 'native', subgroupSize: 32, slots: 1, subgroupId, sizeControl };
  if (size === 64 || size === 128) return { kind: 'wide', subgroupSize: size, slots: 1, subgroupId, sizeControl };
  if (size === 4 || size === 8 || size === 16) {
    return { kind: 'narrow', subgroupSize: size, slots: 32 / size, subgroupId, sizeControl };
  }
  return portable;
}

/** Invocations of the workgroup that runs a block of `threads` threads. */
export function workgroupSize(plan: LanePlan, threads: number): number {
  const warps = Math.ceil(threads / 32);
  if (plan.kind === 'wide') return Math.ceil(threads / plan.subgroupSize) * plan.subgroupSize;
  return (warps * 32) / plan.slots;
}

/** What a pre-flight measured on an adapter. */
export interface MeasuredSubgroups {
  /** Invocations of a subgroup as delivered; 0 without usable subgroups, or where the size varies. */
  readonly subgroupSize: number;
  readonly subgroupId: boolean;
  /** Sizes that `@subgroup_size` really delivers. */
  readonly explicitSizes: readonly number[];
}

/** The plan for an adapter: warps of native size where it has them or can be asked for them, else what it delivers. */
export function choosePlan({ subgroupSize, subgroupId, explicitSizes }: MeasuredSubgroups): LanePlan {
  if (subgroupSize === 32) return planFor(32, { subgroupId });
  if (explicitSizes.includes(32)) return planFor(32, { subgroupId, sizeControl: true });
  const [asked] = subgroupSize === 0 ? explicitSizes : [];
  return asked === undefined
    ? planFor(subgroupSize, { subgroupId })
    : planFor(asked, { subgroupId, sizeControl: true });
}

/** The plan of that kind on an adapter: the size that it delivers by itself, else one that it can be asked for. Undefined where it runs none. */
export function planOfKind(
  kind: PlanKind,
  { subgroupSize, subgroupId, explicitSizes }: MeasuredSubgroups,
): LanePlan | undefined {
  if (kind === 'portable') return portable;
  const delivered = planFor(subgroupSize, { subgroupId });
  if (delivered.kind === kind) return delivered;
  const asked = explicitSizes.map((size) => planFor(size, { subgroupId, sizeControl: true }));
  return asked.findLast((plan) => plan.kind === kind);
}
