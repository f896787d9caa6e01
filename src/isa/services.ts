// Functions of the CUDA run-time that kernels call and no module has a body of. The driver supplies them; here they are part of the machine.
import type { PtxType } from './row.ts';

export interface Service {
  readonly name: string;
  /** Types of parameters and results, as CUDA's headers declare them. */
  readonly params: readonly PtxType[];
  readonly results: readonly PtxType[];
  /** Whether the thread goes on behind the call. */
  readonly returns: boolean;
  readonly doc: string;
}

const services = [
  {
    name: 'vprintf',
    // Format, and a structure of the arguments.
    params: ['u64', 'u64'],
    results: ['s32'],
    returns: true,
    doc: 'Prints; the text is part of the results of the launch.',
  },
  {
    name: '__assertfail',
    // Message, file, line, function, bytes of a character.
    params: ['u64', 'u64', 'u32', 'u64', 'u64'],
    results: [],
    returns: false,
    doc: 'Aborts the kernel, with a message that says where.',
  },
] as const satisfies readonly Service[];

export type ServiceName = (typeof services)[number]['name'];

const byName: ReadonlyMap<string, Service & { readonly name: ServiceName }> = new Map(services.map((service) => [service.name, service]));

/** The service of a name; undefined for functions that only the module can have. */
export const serviceOf = (name: string): (Service & { readonly name: ServiceName }) | undefined => byName.get(name);

/** What cannot be had on a WebGPU device, by the name of the function that asks for it. */
const missing: Readonly<Record<string, string>> = {
  malloc: 'memory that a kernel allocates',
  free: 'memory that a kernel allocates',
  cudaMalloc: 'memory that a kernel allocates',
  cudaFree: 'memory that a kernel allocates',
  ...Object.fromEntries(
    [
      'cudaGetParameterBuffer', 'cudaGetParameterBufferV2', 'cudaLaunchDevice', 'cudaLaunchDeviceV2',
      '__cudaCDP2GetParameterBuffer', '__cudaCDP2GetParameterBufferV2', '__cudaCDP2LaunchDevice', '__cudaCDP2LaunchDeviceV2',
      'cudaDeviceSynchronize', '__cudaCDP2DeviceSynchronize', 'cudaStreamCreateWithFlags', '__cudaCDP2StreamCreateWithFlags',
      'cudaStreamDestroy', '__cudaCDP2StreamDestroy', 'cudaGetLastError', '__cudaCDP2GetLastError',
      'cudaPeekAtLastError', '__cudaCDP2PeekAtLastError', 'cudaGetErrorString', '__cudaCDP2GetErrorString',
    ].map((name) => [name, 'a kernel launched by a kernel (dynamic parallelism)']),
  ),
}; // biome-ignore format: many names

/** What a call of a function without a body asks for, where that is known and cannot be had. */
export const missingService = (name: string): string | undefined => (Object.hasOwn(missing, name) ? missing[name] : undefined);
