// Launches, and the registration of kernels and variables.

import { clusterProblem } from '../../../base/cluster.ts';
import { at } from '../../../base/invariants.ts';
import type { Dim3 } from '../../../base/launch.ts';
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { HostKernel } from '../../protocol.ts';
import type { Command, HostContext, Registered } from './host-context.ts';
import { deviceNameOf } from './kernel-names.ts';

/** The number of threads, and of blocks, that a multiprocessor of current GPUs executes. */
const residentThreads = 2048;
const residentBlocks = 32;

interface Configuration {
  readonly grid: Dim3;
  readonly block: Dim3;
  readonly shared: number;
  readonly stream: number;
  /** The size of a cluster in blocks, if the launch sets it. */
  readonly cluster?: Dim3 | undefined;
}

/** The attributes of a launch that change it; the others are hints. */
const attributeIds = { cooperative: 2, clusterDimension: 4 } as const;
/** The size of an attribute, and the place of its value, in bytes. */
const attributeBytes = 68;
const valueAt = 4;

/** Returns the functions that find kernels and prepare launches. */
export function launcherOf(context: HostContext) {
  const kernelAt = (address: number): Registered & { readonly facts: HostKernel } => {
    const found = context.kernels.get(address);
    const facts = found && context.modules[found.module]?.get(found.name);
    if (found === undefined || facts === undefined)
      throw new CudaFailure(cudaErrors.invalidDeviceFunction, 'not a kernel');
    return { ...found, facts };
  };
  const parametersAt = (list: number, { parameters }: HostKernel): Uint8Array[] =>
    parameters.map(({ bytes, isPointer }, index) => {
      const data = new Uint8Array(bytes);
      data.set(context.memory.bytes(context.memory.u32(list + 4 * index), isPointer ? 4 : bytes));
      return data;
    });
  /** Checks a launch, copies its parameters from `list`, and returns the launch. */
  const prepareLaunch = (
    address: number,
    { grid, block, shared, cluster }: Configuration,
    list: number,
    cooperative: boolean,
  ): Command => {
    const { module, name: kernel, facts } = kernelAt(address);
    const threads = block[0] * block[1] * block[2];
    if (Math.min(...grid, ...block) < 1 || threads > Math.min(facts.maxThreads, context.facts.maxThreads))
      throw new CudaFailure(cudaErrors.invalidConfiguration, `blocks of ${threads} threads`);
    if (shared + facts.staticSharedBytes > context.facts.maxSharedBytes)
      throw new CudaFailure(cudaErrors.invalidValue, `${shared} bytes of shared memory`);
    // A grid whose blocks do not wait for each other needs no resident blocks.
    const waits = cooperative && facts.syncsGrid;
    const blocks = grid[0] * grid[1] * grid[2];
    if (waits && blocks > context.facts.maxCooperativeBlocks)
      throw new CudaFailure(cudaErrors.cooperativeLaunchTooLarge, `${blocks} blocks`);
    const problem = cluster && clusterProblem(undefined, { grid, cluster });
    if (problem !== undefined) throw new CudaFailure(cudaErrors.invalidConfiguration, problem);
    const parameters = parametersAt(list, facts);
    const launch = { module, kernel, grid, block, sharedBytes: shared, cooperative: waits, cluster, parameters };
    return function* () {
      yield* context.pushShared();
      context.renewTextures();
      context.send({ op: 'launch', launch });
    };
  };
  return { kernelAt, prepareLaunch };
}

export function launchFunctions(context: HostContext) {
  const { checked } = context;
  const { kernelAt, prepareLaunch } = launcherOf(context);
  const configurations: Configuration[] = [];
  const launchWith = (cooperative: boolean) =>
    checked((address: number, grid: number, block: number, list: number, shared: number, stream: number) => {
      const { memory } = context;
      const configuration = { grid: memory.triple(grid), block: memory.triple(block), shared, stream };
      return context.enqueue(prepareLaunch(address, configuration, list, cooperative));
    });
  const nothing = checked(() => undefined);

  return {
    // The data of the binary is the number of the module.
    __cudaRegisterFatBinary: (binary: number) => Number(context.memory.text(context.memory.u32(binary + 8))) + 1,
    __cudaRegisterFatBinaryEnd: () => undefined,
    __cudaUnregisterFatBinary: () => undefined,
    __cudaRegisterFunction: (handle: number, host: number, _device: number, place: number) => {
      const module = handle - 1;
      const text = context.memory.text(place);
      const name = deviceNameOf(at(context.modules, module, 'the module'), text) ?? text;
      context.kernels.set(host >>> 0, { module, name });
      return 0;
    },
    __cudaRegisterVar: (handle: number, host: number, _device: number, place: number) => {
      context.variables.set(host >>> 0, { module: handle - 1, name: context.memory.text(place) });
    },
    __cudaPushCallConfiguration: (grid: number, block: number, shared: number, stream: number) => {
      const { memory } = context;
      configurations.push({ grid: memory.triple(grid), block: memory.triple(block), shared, stream });
      return 0;
    },
    __cudaPopCallConfiguration: (grid: number, block: number, shared: number, stream: number) => {
      const found = configurations.pop();
      if (found === undefined) return cudaErrors.invalidConfiguration;
      for (const axis of [0, 1, 2] as const) {
        context.memory.setU32(grid + 4 * axis, found.grid[axis]);
        context.memory.setU32(block + 4 * axis, found.block[axis]);
      }
      context.memory.setU32(shared, found.shared);
      context.memory.setU32(stream, found.stream);
      return 0;
    },
    cudaLaunchKernel: launchWith(false),
    cudaLaunchCooperativeKernel: launchWith(true),
    cudaLaunchKernelExC: checked((config: number, address: number, list: number) => {
      const { memory } = context;
      const word = (index: number): number => memory.u32(config + 4 * index);
      const values = new Map(
        Array.from({ length: word(9) }, (_, index): [id: number, value: number] => {
          const attribute = word(8) + attributeBytes * index;
          return [memory.u32(attribute), attribute + valueAt];
        }),
      );
      const [cooperative, cluster] = [values.get(attributeIds.cooperative), values.get(attributeIds.clusterDimension)];
      const configuration = {
        grid: memory.triple(config),
        block: memory.triple(config + 12),
        shared: word(6),
        stream: word(7),
        cluster: cluster === undefined ? undefined : memory.triple(cluster),
      };
      const isCooperative = cooperative !== undefined && memory.u32(cooperative) !== 0;
      return context.enqueue(prepareLaunch(address, configuration, list, isCooperative));
    }),
    cudaFuncGetAttributes: checked((to: number, address: number) => {
      const { facts } = kernelAt(address);
      const dynamic = context.facts.maxSharedBytes - facts.staticSharedBytes;
      const threads = Math.min(facts.maxThreads, context.facts.maxThreads);
      const values = [facts.staticSharedBytes, 0, 0, threads, 32, 80, 80, 0, dynamic, -1];
      for (const [at, value] of values.entries()) context.memory.setU32(to + 4 * at, value);
    }),
    cudaFuncSetAttribute: nothing,
    cudaFuncSetCacheConfig: nothing,
    cudaFuncSetSharedMemConfig: nothing,
    cudaOccupancyMaxActiveBlocksPerMultiprocessor: checked(
      (to: number, address: number, threads: number, shared: number) => {
        const { facts } = kernelAt(address);
        const bytes = shared + facts.staticSharedBytes;
        const bySize = bytes === 0 ? residentBlocks : Math.floor(context.facts.maxSharedBytes / bytes);
        const byWaits = facts.syncsGrid ? context.facts.maxCooperativeBlocks : residentBlocks;
        const blocks = Math.min(Math.floor(residentThreads / Math.max(threads, 1)), residentBlocks, bySize, byWaits);
        context.memory.setU32(to, blocks);
      },
    ),
  };
}
