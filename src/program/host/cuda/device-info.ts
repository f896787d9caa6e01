// Devices: there is one, with the properties of a small GPU.
import { CudaFailure, cudaErrors } from '../../device/program-device.ts';
import type { DeviceFacts } from '../../protocol.ts';
import type { HostContext } from './host-context.ts';

const cudaVersion = 12_000;

/** The values of `cudaDeviceAttr`, by number. */
function attributes({ maxThreads, maxSharedBytes }: DeviceFacts): ReadonlyMap<number, number> {
  return new Map([
    ...([[1, maxThreads], [2, maxThreads], [3, maxThreads], [4, 64]] as const),
    ...([[5, 2 ** 31 - 1], [6, 65_535], [7, 65_535]] as const),
    ...([[8, maxSharedBytes], [9, 65_536], [10, 32], [11, 2 ** 31 - 1], [12, 65_536]] as const),
    ...([[13, 1_000_000], [14, 512], [15, 0], [16, 1], [17, 0], [18, 0], [19, 1], [20, 0]] as const),
    ...([[31, 1], [32, 0], [33, 0], [34, 0], [35, 0], [36, 1_000_000], [37, 256], [38, 4_194_304]] as const),
    ...([[39, 2048], [40, 1], [41, 1], [75, 8], [76, 0], [78, 0], [79, 1], [80, 1]] as const),
    ...([[81, maxSharedBytes], [82, 65_536], [83, 1], [86, 0], [88, 0], [89, 0], [90, 0], [91, 0]] as const),
    ...([[95, 1], [97, maxSharedBytes], [99, 0], [100, 0], [101, 0], [106, 32], [108, 3_145_728], [109, 4_194_304]] as const),
    ...([[111, 0], [115, 1], [120, 0]] as const),
  ]); // biome-ignore format: a table
}

export function deviceFunctions(context: HostContext) {
  const { checked } = context;
  const values = attributes(context.facts);
  const checkDevice = (device: number): void => {
    if (device !== 0) throw new CudaFailure(cudaErrors.invalidDevice, `no device ${device}`);
  };
  const store = (value: number) => checked((to: number) => context.memory.setU32(to, value));
  const nothing = checked(() => undefined);
  const wait = checked(() => context.synchronize());

  return {
    cudaGetDeviceCount: store(1),
    cudaGetDevice: store(0),
    cudaSetDevice: checked(checkDevice),
    cudaSetDeviceFlags: nothing,
    cudaChooseDevice: store(0),
    __lanewiseDeviceName: checked((to: number, bytes: number, device: number) => {
      checkDevice(device);
      const text = new TextEncoder().encode(context.facts.name).subarray(0, bytes - 1);
      context.memory.bytes(to, bytes).fill(0).set(text);
    }),
    __lanewiseDeviceMemory: () => context.facts.totalBytes,
    cudaDeviceGetAttribute: checked((to: number, attribute: number, device: number) => {
      checkDevice(device);
      const value = values.get(attribute);
      if (value === undefined) throw new CudaFailure(cudaErrors.invalidValue, `no attribute ${attribute}`);
      context.memory.setU32(to, value);
    }),
    cudaDeviceGetStreamPriorityRange: checked((least: number, greatest: number) => {
      context.memory.setU32(least, 0);
      context.memory.setU32(greatest, 0);
    }),
    cudaDeviceGetLimit: store(8_388_608),
    cudaDeviceSetLimit: nothing,
    cudaDeviceGetCacheConfig: store(0),
    cudaDeviceSetCacheConfig: nothing,
    cudaDeviceSetSharedMemConfig: nothing,
    cudaDeviceSynchronize: wait,
    cudaThreadSynchronize: wait,
    cudaDeviceReset: wait,
    cudaThreadExit: wait,
    cudaDeviceCanAccessPeer: store(0),
    cudaDeviceEnablePeerAccess: checked(checkDevice),
    cudaDeviceDisablePeerAccess: checked(checkDevice),
    cudaDriverGetVersion: store(cudaVersion),
    cudaRuntimeGetVersion: store(cudaVersion),
    cudaCtxResetPersistingL2Cache: nothing,
    cudaProfilerStart: nothing,
    cudaProfilerStop: nothing,
  };
}
