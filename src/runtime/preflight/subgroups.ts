// Measures subgroups, which may differ from the adapter's report: their size, whether they are
// full, their mapping to invocations, and whether lanes can exchange values.

import { getOrInsert } from '../../base/maps.ts';
import type { GpuJob, GpuShader, JobRunner } from '../device/job.ts';
import { GpuError } from '../device/job.ts';

export interface SubgroupPreflight {
  /**
   * The number of invocations in a subgroup, if all subgroups are full and work, and have the same
   * size. Otherwise, and for an adapter without subgroups, it is 0.
   */
  readonly subgroupSize: number;
  /**
   * The sizes for which `@subgroup_size(n)` produced subgroups of n invocations, in ascending
   * order.
   */
  readonly explicitSizes: readonly number[];
  /**
   * Whether `subgroup_id` is available, and the subgroups of a workgroup have different numbers
   * that start at 0.
   */
  readonly subgroupId: boolean;
  /** Whether invocation i of subgroup s always has `local_invocation_index` s * size + i. */
  readonly linear: boolean;
  /**
   * The faults that were found, for the report. The list is empty for an adapter without faults.
   */
  readonly problems: readonly string[];
}

export const NO_SUBGROUPS: SubgroupFindings = {
  subgroupSize: 0,
  explicitSizes: [],
  subgroupId: false,
  linear: false,
  faults: [],
};

/**
 * A fault of subgroups, with the numbers of its description. Built modules contain the probe, so
 * the text is elsewhere (`subgroup-faults.ts`).
 */
export type SubgroupFault =
  | readonly [kind: 'sizes', ...sizes: readonly number[]]
  | readonly [kind: 'explicit', size: number]
  | readonly [kind: 'differs', shape: Shape]
  | readonly [kind: 'partial', shape: Shape, size: number, present: number]
  | readonly [kind: 'ids', shape: Shape]
  | readonly [kind: 'shuffle', shape: Shape, from: number, reached: number];

export type SubgroupFindings = Omit<SubgroupPreflight, 'problems'> & { readonly faults: readonly SubgroupFault[] };

/** The shapes of workgroups. The second axis shows whether a driver fills subgroups by rows. */
const SHAPES = [
  [32, 1, 1],
  [64, 1, 1],
  [128, 1, 1],
  [256, 1, 1],
  [16, 8, 1],
] as const;
export type Shape = readonly [number, number, number];
/** The shape for testing explicit sizes. */
const SIZED_SHAPE: Shape = [128, 1, 1];

/**
 * The number of workgroups. There are several, because a driver might choose a size for each of
 * them.
 */
const WORKGROUPS = 4;
/** The values that WGSL permits for subgroup_size. */
export const possibleSizes = [4, 8, 16, 32, 64, 128] as const;

interface Invocation {
  readonly localIndex: number;
  readonly size: number;
  readonly id: number;
  readonly subgroupId: number;
  /** The number of bits that are set in a ballot of all invocations. */
  readonly present: number;
  /** The `localIndex` of the subgroup's first invocation, which identifies the subgroup. */
  readonly first: number;
  /** The `id` and the `localIndex` of the invocation from which a shuffle with `id ^ 1` read. */
  readonly partnerId: number;
  readonly partnerIndex: number;
}

const WORDS = 8;
const UNWRITTEN = 0xdeadbeef;

/**
 * Runs the probe in several workgroup shapes, and with each explicit size if the feature is
 * available. Compiles the shaders of all of them, and `next`, at the same time.
 */
export async function probeSubgroups(session: JobRunner, next?: GpuShader): Promise<SubgroupFindings> {
  const faults: SubgroupFault[] = [];
  const canName = session.adapter.wgslFeatures.includes('subgroup_id');
  const limit = session.adapter.limits.maxComputeInvocationsPerWorkgroup ?? 256;
  const shapes = SHAPES.filter(([x, y, z]) => x * y * z <= limit);
  const probes = shapes.map((shape) => ({ shape, job: jobOf(shape, canName) }));
  const sized = sizesToTry(session).map((size) => ({ size, job: jobOf(SIZED_SHAPE, canName, size) }));
  const shaders = [...probes.slice(1), ...sized].map(({ job }) => shaderOf(job));
  const runs: Finding[] = [];
  for (const [index, { shape, job }] of probes.entries()) {
    const ahead = index === 0 ? [...shaders, ...(next ? [next] : [])] : [];
    runs.push(judge(await probe(session, shape, { ...job, ahead }), shape, canName));
  }
  const sizes = new Set(runs.map(({ size }) => size));
  for (const { fault } of runs) if (fault) faults.push(fault);
  if (sizes.size > 1) faults.push(['sizes', ...sizes]);
  const [size = 0] = sizes;

  const explicitSizes: number[] = [];
  for (const { size: wanted, job } of sized) {
    if (await delivers(session, wanted, job, canName)) explicitSizes.push(wanted);
    else faults.push(['explicit', wanted]);
  }
  return {
    subgroupSize: runs.every(({ fault }) => !fault) && sizes.size === 1 ? size : 0,
    explicitSizes,
    subgroupId: runs.every(({ numbered }) => numbered),
    linear: runs.every(({ linear }) => linear),
    faults,
  };
}

interface Finding {
  readonly size: number;
  readonly numbered: boolean;
  readonly linear: boolean;
  readonly fault?: SubgroupFault;
}

/** Returns the sizes that the adapter reports, if shaders may request one. */
function sizesToTry({ adapter }: JobRunner): number[] {
  if (!adapter.features.includes('subgroup-size-control')) return [];
  return possibleSizes.filter((size) => size >= adapter.subgroupMinSize && size <= adapter.subgroupMaxSize);
}

async function delivers(session: JobRunner, size: number, job: GpuJob, canName: boolean): Promise<boolean> {
  try {
    const found = judge(await probe(session, SIZED_SHAPE, job), SIZED_SHAPE, canName);
    return found.size === size && !found.fault;
  } catch (error) {
    // A rejected size is a measurement, but a lost device is an error.
    if (error instanceof GpuError && (error.kind === 'shader' || error.kind === 'validation')) return false;
    throw error;
  }
}

/** Returns the findings of one run. A fault makes subgroup operations unusable. */
function judge(workgroups: readonly (readonly Invocation[])[], shape: Shape, canName: boolean): Finding {
  const all = workgroups.flat();
  const size = all[0]?.size ?? 0;
  const unsound = (fault: SubgroupFault): Finding => ({ size, numbered: false, linear: false, fault });
  if (all.some((one) => one.size !== size)) return unsound(['differs', shape]);
  const partial = all.find((one) => one.present !== size);
  if (partial) return unsound(['partial', shape, size, partial.present]);
  for (const invocations of workgroups) {
    for (const members of groupBySubgroup(invocations)) {
      const ids = members.map(({ id }) => id).sort((a, b) => a - b);
      if (members.length !== size || ids.some((id, at) => id !== at)) {
        return unsound(['ids', shape]);
      }
      const indexOf = new Map(members.map(({ id, localIndex }) => [id, localIndex]));
      const misled = members.find(({ id, partnerId, partnerIndex }) => {
        return partnerId !== (id ^ 1) || partnerIndex !== indexOf.get(id ^ 1);
      });
      if (misled) return unsound(['shuffle', shape, misled.id ^ 1, misled.partnerId]);
    }
  }
  const numbered = canName && workgroups.every((invocations) => numbersSubgroups(invocations));
  const linear = all.every(({ localIndex, id, first }) => first + id === localIndex && first % size === 0);
  const inOrder = !canName || all.every(({ first, subgroupId }) => subgroupId * size === first);
  return { size, numbered, linear: linear && inOrder };
}

function groupBySubgroup(invocations: readonly Invocation[]): Iterable<Invocation[]> {
  const groups = new Map<number, Invocation[]>();
  for (const one of invocations) {
    getOrInsert(groups, one.first, () => []).push(one);
  }
  return groups.values();
}

function numbersSubgroups(invocations: readonly Invocation[]): boolean {
  const firsts = new Map<number, number>();
  for (const { subgroupId, first } of invocations) {
    if ((firsts.get(subgroupId) ?? first) !== first) return false;
    firsts.set(subgroupId, first);
  }
  const count = new Set(invocations.map(({ first }) => first)).size;
  return firsts.size === count && [...firsts.keys()].every((id) => id < count);
}

function jobOf(shape: Shape, canName: boolean, explicit?: number): GpuJob {
  const bytes = WORKGROUPS * invocationsOf(shape) * WORDS * 4;
  return {
    label: `preflight subgroups ${shape.join('x')}`,
    code: shader(shape, canName, explicit),
    entryPoint: 'main',
    buffers: [{ binding: 0, kind: 'storage', bytes, data: filled(bytes), read: true }],
    workgroups: [WORKGROUPS, 1, 1],
  };
}

/** Returns the shader of a job, to compile it in advance. */
const shaderOf = (job: GpuJob): GpuShader => ({
  label: job.label,
  code: job.code,
  entryPoint: job.entryPoint,
  buffers: job.buffers.map(({ binding, kind }) => ({ binding, kind })),
});

const invocationsOf = ([x, y, z]: Shape): number => x * y * z;

/** Returns the invocations of each workgroup, by `local_invocation_index`. */
async function probe(session: JobRunner, shape: Shape, job: GpuJob): Promise<Invocation[][]> {
  const perWorkgroup = invocationsOf(shape);
  const { buffers } = await session.run(job);
  const data = buffers.get(0) ?? new Uint8Array(WORKGROUPS * perWorkgroup * WORDS * 4);
  const words = new Uint32Array(data.buffer, data.byteOffset, data.byteLength / 4);
  const read = (at: number): Invocation => {
    const [size = 0, id = 0, subgroupId = 0, present = 0, first = 0, partnerId = 0, partnerIndex = 0] = words.subarray(
      at * WORDS,
      (at + 1) * WORDS,
    );
    return { localIndex: at % perWorkgroup, size, id, subgroupId, present, first, partnerId, partnerIndex };
  };
  return Array.from({ length: WORKGROUPS }, (_, workgroup) =>
    Array.from({ length: perWorkgroup }, (_, at) => read(workgroup * perWorkgroup + at)),
  );
}

function filled(bytes: number): Uint8Array {
  return new Uint8Array(new Uint32Array(bytes / 4).fill(UNWRITTEN).buffer);
}

function shader(shape: Shape, canName: boolean, explicit: number | undefined): string {
  return `enable subgroups;
${explicit === undefined ? '' : 'enable subgroup_size_control;'}
${canName ? 'requires subgroup_id;' : ''}
struct Found { size: u32, id: u32, subgroup_id: u32, present: u32, first: u32, partner_id: u32, partner_index: u32, spare: u32 }
@group(0) @binding(0) var<storage, read_write> found: array<Found>;

@compute @workgroup_size(${shape.join(', ')}) ${explicit === undefined ? '' : `@subgroup_size(${explicit})`}
fn main(
  @builtin(local_invocation_index) index: u32,
  @builtin(workgroup_id) workgroup: vec3u,
  @builtin(subgroup_size) size: u32,
  @builtin(subgroup_invocation_id) id: u32,
  ${canName ? '@builtin(subgroup_id) subgroup_id: u32,' : ''}
) {
  let bits = countOneBits(subgroupBallot(true));
  let present = bits.x + bits.y + bits.z + bits.w;
  let first = subgroupMin(index);
  let partner_id = subgroupShuffle(id, id ^ 1u);
  let partner_index = subgroupShuffle(index, id ^ 1u);
  let at = workgroup.x * ${shape[0] * shape[1] * shape[2]}u + index;
  found[at] = Found(size, id, ${canName ? 'subgroup_id' : '0u'}, present, first, partner_id, partner_index, 0u);
}
`;
}
