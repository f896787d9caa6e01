// Functions of the CUDA runtime that kernels call and that have no body in the module. The driver
// provides them; in this project, they are part of the machine.
import { get } from '../base/invariants.ts';
import type { PtxType } from './row.ts';

export interface Service {
  readonly name: string;
  /** The types of parameters and results, as CUDA's headers declare them. */
  readonly params: readonly PtxType[];
  readonly results: readonly PtxType[];
  /** Whether the thread continues after the call. */
  readonly returns: boolean;
  readonly doc: string;
}

const services = [
  {
    name: 'vprintf',
    // The parameters are the format and a structure of the arguments.
    params: ['u64', 'u64'],
    results: ['s32'],
    returns: true,
    doc: 'Prints; the text is part of the results of the launch.',
  },
  {
    name: '__assertfail',
    // The parameters are the message, the file, the line, the function, and the number of bytes per
    // character.
    params: ['u64', 'u64', 'u32', 'u64', 'u64'],
    results: [],
    returns: false,
    doc: 'Aborts the kernel, with a message that says where.',
  },
] as const satisfies readonly Service[];

export type ServiceName = (typeof services)[number]['name'];

/**
 * Functions that only the translator's own code calls. Their names contain a space, so that no
 * module can call them.
 */
const reports = [
  {
    name: 'tensor fault',
    // The parameter is a number of `base/tensor-faults.ts`.
    params: ['u32'],
    results: [],
    returns: true,
    doc: 'Makes the launch fail because of an invalid copy of a box of a tensor.',
  },
  {
    name: 'rank fault',
    // The parameters are the rank and the number of blocks of a cluster.
    params: ['u32', 'u32'],
    results: [],
    returns: true,
    doc: 'Makes the launch fail because of the rank of a block that a cluster lacks.',
  },
] as const satisfies readonly Service[];

export type ReportName = (typeof reports)[number]['name'];

const byName: ReadonlyMap<string, Service & { readonly name: ServiceName }> = new Map(services.map((service) => [service.name, service]));

const builtIn: ReadonlyMap<string, Service> = new Map([...services, ...reports].map((service) => [service.name, service]));

/** Returns a function of the machine. */
export const builtInFunction = (name: ServiceName | ReportName): Service => get(builtIn, name, 'a function of the machine');

/**
 * Returns the CUDA runtime function with this name, or undefined for functions that need a body in
 * the module.
 */
export const serviceOf = (name: string): (Service & { readonly name: ServiceName }) | undefined => byName.get(name);

/**
 * The capabilities that WebGPU devices do not have, by the name of the function that requires them.
 */
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

/**
 * Returns the capability that a call requires and WebGPU devices do not have, or undefined if there
 * is none.
 */
export const missingService = (name: string): string | undefined => (Object.hasOwn(missing, name) ? missing[name] : undefined);
