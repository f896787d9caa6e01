// Measures whether an adapter runs all workgroups of a dispatch at the same time, and whether each
// workgroup sees the writes of the others. WebGPU guarantees neither.

import type { Dim3 } from '../../base/launch.ts';
import type { JobRunner } from '../device/job.ts';

/** The dispatch parameters that determine residency. */
export interface Residency {
  readonly workgroups: Dim3;
  /** The number of invocations in a workgroup. */
  readonly invocations: number;
  /** The size of a workgroup's memory in bytes. */
  readonly bytes: number;
}

const rounds = 3;
/**
 * The number of polls after which the probe fails. On a fast GPU, these polls need most of a
 * second.
 */
const manyPolls = 2 ** 20;
/**
 * The number of words before the workgroups' own words. The first word is the number of workgroups
 * that arrived, and the second shows whether a workgroup has given up.
 */
const firstOwn = 2;

/**
 * Runs workgroups of a shape that wait for each other. Resolves with whether all of them ran at the
 * same time. A kernel with more registers than this shader may still have fewer resident
 * workgroups.
 */
export async function areResident(
  runner: Pick<JobRunner, 'run'>,
  shape: Residency,
  maxPolls = manyPolls,
): Promise<boolean> {
  const [x, y, z] = shape.workgroups;
  const count = x * y * z;
  const bytes = (firstOwn + count) * 4;
  const { buffers } = await runner.run({
    label: 'residency probe',
    code: shaderOf(shape, maxPolls),
    entryPoint: 'main',
    buffers: [{ binding: 0, kind: 'storage', bytes, read: true }],
    workgroups: shape.workgroups,
  });
  const words = new Uint32Array(buffers.get(0)?.slice().buffer ?? new ArrayBuffer(bytes));
  return words[0] === rounds * count && words[1] === 0;
}

function shaderOf({ invocations, bytes }: Residency, maxPolls: number): string {
  const room = Math.ceil(bytes / 4);
  // Use all of the memory, so that a compiler cannot remove it.
  const declared = room > 0 ? `var<workgroup> room: array<atomic<u32>, ${room}>;` : '';
  const used = room > 0 ? `atomicAdd(&room[(own * ${invocations}u + lane) % ${room}u], 1u);` : '';
  const looked = room > 0 ? `if (atomicLoad(&room[(own * ${invocations}u + lane) % ${room}u]) == 0u) { fail(); }` : '';
  return `
@group(0) @binding(0) var<storage, read_write> words: array<atomic<u32>>;
${declared}
fn fail() { atomicStore(&words[1], 1u); }
@compute @workgroup_size(${invocations})
fn main(@builtin(workgroup_id) at: vec3u, @builtin(num_workgroups) grid: vec3u, @builtin(local_invocation_index) lane: u32) {
  let count = grid.x * grid.y * grid.z;
  let own = at.x + grid.x * (at.y + grid.y * at.z);
  ${used}
  for (var round = 1u; round <= ${rounds}u; round++) {
    if (lane == ${invocations - 1}u && atomicExchange(&words[${firstOwn}u + own], round) >= round) { fail(); }
    workgroupBarrier();
    storageBarrier();
    if (lane == 0u) {
      atomicAdd(&words[0], 1u);
      for (var polls = 0u; atomicLoad(&words[0]) < round * count && atomicLoad(&words[1]) == 0u; polls++) {
        if (polls == ${maxPolls}u) { fail(); }
      }
    }
    workgroupBarrier();
    storageBarrier();
    if (atomicLoad(&words[${firstOwn}u + (own + 1u + lane) % count]) < round) { fail(); }
  }
  ${looked}
}`;
}

/** Measures the residency of a session's adapter. Each shape is measured once. */
export class ResidencyProbes {
  readonly #known = new Map<string, Promise<boolean>>();

  /** Resolves with whether the workgroups of a shape are resident. Rejects as `runner.run` does. */
  holds(runner: Pick<JobRunner, 'run'>, shape: Residency): Promise<boolean> {
    const key = JSON.stringify([shape.workgroups, shape.invocations, shape.bytes]);
    const known = this.#known.get(key);
    if (known) return known;
    const probing = areResident(runner, shape);
    this.#known.set(key, probing);
    probing.catch(() => this.#known.delete(key));
    return probing;
  }
}
