// The names and texts of CUDA's error codes.
import type { HostContext } from './host-context.ts';

/** The errors that programs can meet here. */
const errors: ReadonlyMap<number, readonly [name: string, text: string]> = new Map([
  [0, ['cudaSuccess', 'no error']],
  [1, ['cudaErrorInvalidValue', 'invalid argument']],
  [2, ['cudaErrorMemoryAllocation', 'out of memory']],
  [3, ['cudaErrorInitializationError', 'initialization error']],
  [9, ['cudaErrorInvalidConfiguration', 'invalid configuration argument']],
  [12, ['cudaErrorInvalidPitchValue', 'invalid pitch argument']],
  [13, ['cudaErrorInvalidSymbol', 'invalid device symbol']],
  [17, ['cudaErrorInvalidDevicePointer', 'invalid device pointer']],
  [21, ['cudaErrorInvalidMemcpyDirection', 'invalid copy direction for memcpy']],
  [35, ['cudaErrorInsufficientDriver', 'CUDA driver version is insufficient for CUDA runtime version']],
  [98, ['cudaErrorInvalidDeviceFunction', 'invalid device function']],
  [100, ['cudaErrorNoDevice', 'no CUDA-capable device is detected']],
  [101, ['cudaErrorInvalidDevice', 'invalid device ordinal']],
  [200, ['cudaErrorInvalidKernelImage', 'device kernel image is invalid']],
  [209, ['cudaErrorNoKernelImageForDevice', 'no kernel image is available for execution on the device']],
  [400, ['cudaErrorInvalidResourceHandle', 'invalid resource handle']],
  [401, ['cudaErrorIllegalState', 'the operation cannot be performed in the present state']],
  [500, ['cudaErrorSymbolNotFound', 'named symbol not found']],
  [600, ['cudaErrorNotReady', 'device not ready']],
  [700, ['cudaErrorIllegalAddress', 'an illegal memory access was encountered']],
  [701, ['cudaErrorLaunchOutOfResources', 'too many resources requested for launch']],
  [702, ['cudaErrorLaunchTimeout', 'the launch timed out and was terminated']],
  [704, ['cudaErrorPeerAccessAlreadyEnabled', 'peer access is already enabled']],
  [705, ['cudaErrorPeerAccessNotEnabled', 'peer access has not been enabled']],
  [710, ['cudaErrorAssert', 'device-side assert triggered']],
  [712, ['cudaErrorHostMemoryAlreadyRegistered', 'part or all of the requested memory range is already mapped']],
  [713, ['cudaErrorHostMemoryNotRegistered', 'pointer does not correspond to a registered memory region']],
  [714, ['cudaErrorHardwareStackError', 'hardware stack error']],
  [715, ['cudaErrorIllegalInstruction', 'an illegal instruction was encountered']],
  [716, ['cudaErrorMisalignedAddress', 'misaligned address']],
  [719, ['cudaErrorLaunchFailure', 'unspecified launch failure']],
  [720, ['cudaErrorCooperativeLaunchTooLarge', 'too many blocks in cooperative launch']],
  [801, ['cudaErrorNotSupported', 'operation not supported']],
  [900, ['cudaErrorStreamCaptureUnsupported', 'operation not permitted when stream is capturing']],
  [999, ['cudaErrorUnknown', 'unknown error']],
]);
const unknown = ['unrecognized error code', 'unrecognized error code'] as const;

export function errorFunctions(context: HostContext) {
  /** The addresses of texts in the program's memory, which are never freed. */
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const known = places.get(text);
    if (known !== undefined) return known;
    const bytes = new TextEncoder().encode(`${text}\0`);
    const address = context.guest.malloc(bytes.length);
    context.memory.bytes(address, bytes.length).set(bytes);
    places.set(text, address);
    return address;
  };
  return {
    cudaGetLastError: () => {
      const { lastError } = context;
      context.lastError = 0;
      return lastError;
    },
    cudaPeekAtLastError: () => context.lastError,
    cudaGetErrorName: (code: number) => placeOf((errors.get(code) ?? unknown)[0]),
    cudaGetErrorString: (code: number) => placeOf((errors.get(code) ?? unknown)[1]),
  };
}
