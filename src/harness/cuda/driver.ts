// The CUDA driver's library, called through koffi. Only the child process loads it.

import { GpuError, messageOf } from '../../runtime/device/gpu-error.ts';
import { CudaError, kindOf, results } from './cuda-error.ts';

/**
 * C types by their koffi names, with their TypeScript counterparts. Memory is a typed array; a
 * handle or device address is a bigint.
 */
interface ArgumentTypes {
  readonly 'void *': ArrayBufferView | null;
  readonly int: number;
  readonly uint: number;
  readonly size_t: number;
  readonly uint64: bigint;
}
type ArgumentType = keyof ArgumentTypes;

/**
 * The functions that the library exports, and the types of their parameters. The variants with
 * `_v2` have 64-bit addresses and sizes.
 */
const signatures = {
  cuInit: ['uint'],
  cuDriverGetVersion: ['void *'],
  cuDeviceGetCount: ['void *'],
  cuDeviceGet: ['void *', 'int'],
  cuDeviceGetName: ['void *', 'int', 'int'],
  cuDeviceGetAttribute: ['void *', 'int', 'int'],
  cuDeviceTotalMem_v2: ['void *', 'int'],
  cuDevicePrimaryCtxRetain: ['void *', 'int'],
  cuCtxSetCurrent: ['uint64'],
  cuCtxSetLimit: ['uint', 'size_t'],
  cuCtxSynchronize: [],
  cuModuleLoadDataEx: ['void *', 'void *', 'uint', 'void *', 'void *'],
  cuModuleGetFunction: ['void *', 'uint64', 'void *'],
  cuModuleUnload: ['uint64'],
  cuFuncSetAttribute: ['uint64', 'int', 'int'],
  cuMemAlloc_v2: ['void *', 'size_t'],
  cuMemFree_v2: ['uint64'],
  cuMemsetD8_v2: ['uint64', 'int', 'size_t'],
  cuMemcpyHtoD_v2: ['uint64', 'void *', 'size_t'],
  cuMemcpyDtoH_v2: ['void *', 'uint64', 'size_t'],
  cuLaunchKernel: ['uint64', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint64', 'void *', 'void *'],
  cuLaunchCooperativeKernel: ['uint64', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint', 'uint64', 'void *'],
  cuStreamQuery: ['uint64'],
  cuEventCreate: ['void *', 'uint'],
  cuEventRecord: ['uint64', 'uint64'],
  cuEventElapsedTime: ['void *', 'uint64', 'uint64'],
  cuEventDestroy_v2: ['uint64'],
  cuArray3DCreate_v2: ['void *', 'void *'],
  cuArrayDestroy: ['uint64'],
  cuMemcpy3D_v2: ['void *'],
  cuTexObjectCreate: ['void *', 'void *', 'void *', 'void *'],
  cuTexObjectDestroy: ['uint64'],
  cuSurfObjectCreate: ['void *', 'void *'],
  cuSurfObjectDestroy: ['uint64'],
} as const satisfies Readonly<Record<string, readonly ArgumentType[]>>;

/** The first and the last arguments of the functions that encode tensor maps. */
const encodedTensor = ['void *', 'int', 'uint', 'uint64', 'void *', 'void *'] as const;
const encodedLayout = ['void *', 'int', 'int', 'int', 'int'] as const;

/**
 * Functions that a driver may lack. CUDA 12 added those for clusters, tensor maps and parameters, and
 * CUDA has deprecated the others.
 */
const optionalSignatures = {
  cuLaunchKernelEx: ['void *', 'uint64', 'void *', 'void *'],
  cuFuncGetParamInfo: ['uint64', 'size_t', 'void *', 'void *'],
  cuModuleGetTexRef: ['void *', 'uint64', 'void *'],
  cuModuleGetSurfRef: ['void *', 'uint64', 'void *'],
  cuTexRefSetArray: ['uint64', 'uint64', 'uint'],
  cuTexRefSetAddress_v2: ['void *', 'uint64', 'uint64', 'size_t'],
  cuTexRefSetFormat: ['uint64', 'int', 'int'],
  cuTexRefSetAddressMode: ['uint64', 'int', 'int'],
  cuTexRefSetFilterMode: ['uint64', 'int'],
  cuTexRefSetFlags: ['uint64', 'uint'],
  cuTexRefSetBorderColor: ['uint64', 'void *'],
  cuSurfRefSetArray: ['uint64', 'uint64', 'uint'],
  cuTensorMapEncodeTiled: [...encodedTensor, 'void *', ...encodedLayout],
  cuTensorMapEncodeIm2col: [...encodedTensor, 'void *', 'void *', 'uint', 'uint', ...encodedLayout],
} as const satisfies Readonly<Record<string, readonly ArgumentType[]>>;

const allSignatures = { ...signatures, ...optionalSignatures };
export type CallName = keyof typeof allSignatures;
type Arguments<Types extends readonly ArgumentType[]> = { [Index in keyof Types]: ArgumentTypes[Types[Index]] };
type ArgumentsOf<Name extends CallName> = Arguments<(typeof allSignatures)[Name]>;

type NativeFunction = (...args: readonly unknown[]) => number;

const libraries: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  // WSL stores the library in a folder that the loader may not search.
  linux: ['libcuda.so.1', '/usr/lib/wsl/lib/libcuda.so.1'],
  win32: ['nvcuda.dll'],
};

/**
 * Loads koffi and the driver's library. LANEWISE_LIBCUDA names another library. Throws `GpuError`
 * 'unavailable'.
 */
export async function loadDriver(): Promise<CudaDriver> {
  const koffi = await loadKoffi();
  const named = process.env.LANEWISE_LIBCUDA;
  const names = named ? [named] : (libraries[process.platform] ?? []);
  if (names.length === 0) throw new GpuError('unavailable', `NVIDIA provides no CUDA driver for ${process.platform}`);
  const library = firstThatLoads(koffi, names);
  const functions = new Map<string, NativeFunction>();
  for (const [name, types] of Object.entries(allSignatures)) {
    try {
      functions.set(name, library.func(name, 'int', [...types]));
    } catch (error) {
      if (Object.hasOwn(optionalSignatures, name)) continue;
      throw new GpuError('unavailable', `the NVIDIA driver is too old: it lacks ${name} (${messageOf(error)})`);
    }
  }
  const text = koffi.out(koffi.pointer('const char *'));
  return new CudaDriver(functions, {
    name: library.func('cuGetErrorName', 'int', ['int', text]),
    description: library.func('cuGetErrorString', 'int', ['int', text]),
    address: koffi.address,
    flush: flushOf(koffi),
  });
}

type Koffi = typeof import('koffi').default;

async function loadKoffi(): Promise<Koffi> {
  try {
    return (await import('koffi')).default;
  } catch (error) {
    throw new GpuError('unavailable', `cannot load the package koffi (${messageOf(error)})`);
  }
}

function firstThatLoads(koffi: Koffi, names: readonly string[]): ReturnType<Koffi['load']> {
  const reasons: string[] = [];
  for (const name of names) {
    try {
      return koffi.load(name);
    } catch (error) {
      reasons.push(`${name}: ${messageOf(error)}`);
    }
  }
  throw new GpuError('unavailable', `no NVIDIA driver: cannot load its library (${reasons.join('; ')})`);
}

/** Returns the `fflush` of this process's C library. */
function flushOf(koffi: Koffi): () => void {
  if (process.platform === 'win32') return () => undefined;
  const fflush: NativeFunction = koffi.load(null).func('fflush', 'int', ['void *']);
  return () => {
    fflush(null);
  };
}

interface Helpers {
  readonly flush: () => void;
  readonly name: NativeFunction;
  readonly description: NativeFunction;
  readonly address: (memory: ArrayBufferView) => bigint;
}

/**
 * The driver's functions. The type checker checks their arguments, and the methods check their
 * results.
 */
export class CudaDriver {
  readonly #functions: ReadonlyMap<string, NativeFunction>;
  readonly #helpers: Helpers;

  constructor(functions: ReadonlyMap<string, NativeFunction>, helpers: Helpers) {
    this.#functions = functions;
    this.#helpers = helpers;
  }

  /** Whether this driver has the function; old drivers may lack it. */
  has(name: CallName): boolean {
    return this.#functions.has(name);
  }

  /**
   * Calls a function, and returns its CUresult. Throws `GpuError` 'unavailable' if the driver lacks
   * the function.
   */
  query<Name extends CallName>(name: Name, ...args: ArgumentsOf<Name>): number {
    const call = this.#functions.get(name);
    if (!call) throw new GpuError('unavailable', `the NVIDIA driver lacks ${name}`);
    return call(...args);
  }

  /** Calls a function that must succeed. Throws `CudaError` if it fails. */
  call<Name extends CallName>(name: Name, ...args: ArgumentsOf<Name>): void {
    const code = this.query(name, ...args);
    if (code !== results.success) throw this.error(name, code);
  }

  /** Returns the error for a CUresult. `log` is the output of the driver's compiler. */
  error(call: CallName, code: number, log = ''): CudaError {
    const text = (lookUp: NativeFunction): string | undefined => {
      const out: [string | null] = [null];
      return lookUp(code, out) === results.success ? (out[0] ?? undefined) : undefined;
    };
    const { name, description } = this.#helpers;
    const head = `${call}: ${text(description) ?? 'unknown error'} (${text(name) ?? 'CUresult'} ${code})`;
    return new CudaError({ kind: kindOf(code), message: log ? `${head}\n${log}` : head, call, code, log });
  }

  /** Flushes the streams of the C library, which buffer the output of kernels. */
  flush(): void {
    this.#helpers.flush();
  }

  /**
   * Returns the address of a typed array's memory. The caller must keep a reference to the array
   * while the address is in use.
   */
  addressOf(memory: ArrayBufferView): bigint {
    return this.#helpers.address(memory);
  }
}
