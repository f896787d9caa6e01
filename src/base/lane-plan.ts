// Lane plans: the mapping of the 32 lanes of a warp to the invocations of a subgroup.

/**
 * The kinds of lane plans:
 * - `native`: subgroups of 32, with one lane per invocation.
 * - `wide`: subgroups of 64 or 128, with several warps per subgroup.
 * - `narrow`: subgroups of 4, 8 or 16, with 32/size lanes per invocation; the lane is slot * size +
 * subgroup_invocation_id.
 * - `portable`: no usable subgroups. This plan has two shapes.
 */
export const planKinds = ['native', 'wide', 'narrow', 'portable'] as const;
/**
 * The kind of a lane plan: `native` for subgroups of 32, `wide` for 64 or 128, `narrow` for 4, 8 or
 * 16, `portable` without subgroups.
 */
export type PlanKind = (typeof planKinds)[number];

/**
 * The shapes of the portable plan:
 * - `lane`: one lane per invocation. Lanes exchange values through workgroup memory with barriers,
 * which the whole block must reach.
 * - `warp`: one warp per invocation. Lanes exchange values through registers.
 */
const portableShapes = ['lane', 'warp'] as const;
/** The shape of the portable plan: one lane (`lane`) or one warp (`warp`) per invocation. */
export type PortableShape = (typeof portableShapes)[number];

/**
 * The mapping of the 32 lanes of a warp to the invocations of a subgroup. `planFor` and
 * `choosePlan` return plans.
 */
export interface LanePlan {
  /** The kind of the plan. */
  readonly kind: PlanKind;
  /**
   * The shape of the portable plan. If it is undefined, the translator chooses a shape for each
   * kernel.
   */
  readonly shape?: PortableShape;
  /** The number of invocations of a subgroup; 1 in the portable plan. */
  readonly subgroupSize: number;
  /** The number of lanes per invocation. */
  readonly slots: number;
  /**
   * Whether the shader may use WGSL's `subgroup_id`. If it may not, the shader itself numbers its
   * subgroups.
   */
  readonly subgroupId: boolean;
  /** Whether the shader requests the size with `@subgroup_size`. */
  readonly sizeControl: boolean;
}

const portable: LanePlan = { kind: 'portable', subgroupSize: 1, slots: 32, subgroupId: false, sizeControl: false };

/** Returns the portable plan of a shape. */
export const portablePlan = (shape: PortableShape): LanePlan => ({
  ...portable,
  shape,
  slots: shape === 'lane' ? 1 : 32,
});

/**
 * Whether lanes exchange values through workgroup memory, so that every exchange contains a
 * barrier.
 */
export const exchangesInWorkgroup = ({ shape }: LanePlan): boolean => shape === 'lane';

/**
 * Whether a subgroup consists of whole warps. This is the case for most GPUs, but not for software
 * adapters.
 */
export const hasWholeWarps = ({ kind }: LanePlan): boolean => kind === 'native' || kind === 'wide';

/** Describes a plan in words. */
export function describePlan({ kind, shape, subgroupSize }: LanePlan): string {
  if (kind !== 'portable') return `${kind} plan, subgroup size ${subgroupSize}`;
  const how = { lane: ', one lane per invocation', warp: ', one warp per invocation' };
  return `portable plan${shape === undefined ? '' : how[shape]}`;
}

/**
 * Returns the plan for subgroups of `size` invocations. A size of 0 (unknown, varying or
 * unsupported) selects the portable plan.
 */
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

/** Returns the number of invocations of the workgroup that runs a block of `threads` threads. */
export function workgroupSize(plan: LanePlan, threads: number): number {
  const warps = Math.ceil(threads / 32);
  if (plan.kind === 'wide') return Math.ceil(threads / plan.subgroupSize) * plan.subgroupSize;
  return (warps * 32) / plan.slots;
}

/** The measured subgroups of an adapter. */
export interface MeasuredSubgroups {
  /** The subgroup size that shaders get, or 0 if subgroups are unusable or their size varies. */
  readonly subgroupSize: number;
  /** Whether WGSL's `subgroup_id` works. */
  readonly subgroupId: boolean;
  /** The sizes that shaders get if they request them with `@subgroup_size`. */
  readonly explicitSizes: readonly number[];
}

/**
 * Chooses the plan for an adapter: one with subgroups of 32 if shaders get this size or can request
 * it, and otherwise one with the size that they get.
 */
export function choosePlan({ subgroupSize, subgroupId, explicitSizes }: MeasuredSubgroups): LanePlan {
  if (subgroupSize === 32) return planFor(32, { subgroupId });
  if (explicitSizes.includes(32)) return planFor(32, { subgroupId, sizeControl: true });
  const [asked] = subgroupSize === 0 ? explicitSizes : [];
  return asked === undefined
    ? planFor(subgroupSize, { subgroupId })
    : planFor(asked, { subgroupId, sizeControl: true });
}

/**
 * Returns the plan of a kind for an adapter, with the size that shaders get or otherwise with one
 * that they can request. Returns undefined if the adapter cannot run plans of that kind.
 */
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
