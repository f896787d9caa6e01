// The options with which clang compiles CUDA C++ to LLVM IR for this project.

/** The paths of the compiler's input and output. */
export interface ClangPlaces {
  /** The CUDA source. */
  readonly file: string;
  /** The file of LLVM IR that the compiler writes. */
  readonly out: string;
  /** The folder of CUDA's headers (`src/nvptx/include`). */
  readonly headers: string;
  /** Clang's resource folder. */
  readonly resources: string;
}

/**
 * Returns the arguments of `clang -cc1`. Contraction is on, as in nvcc, except where a pragma of
 * the mathematical functions turns it off. The order of the headers is: those of CUDA, the C++
 * library, clang's own headers, and a C library. The last two are those of WebAssembly, which the
 * macros select. Only their declarations are used.
 */
export function clangArguments({ file, out, headers, resources }: ClangPlaces): string[] {
  return [
    '-cc1',
    ...['-triple', 'nvptx64-nvidia-cuda', '-target-cpu', 'sm_80', '-target-feature', '+ptx83'],
    ...['-x', 'cuda', '-std=c++20', '-fcuda-is-device', '-fcuda-allow-variadic-functions', '-fno-threadsafe-statics'],
    ...['-O2', '-ffp-contract=fast-honor-pragmas', '-debug-info-kind=line-directives-only', '-dwarf-version=2'],
    ...['-nostdsysteminc', '-resource-dir', resources, '-internal-isystem', headers],
    ...['c++/v1', '', 'wasm32-wasip1'].flatMap((folder) => ['-internal-isystem', `${resources}/include/${folder}`]),
    // The C++ library needs the locale functions that `_GNU_SOURCE` declares.
    ...['-D__wasi__', '-D__wasm__', '-D__wasm32__', '-D_GNU_SOURCE', '-include', 'prelude.h'],
    // Without these macros, <signal.h> and the like are errors, and <arpa/inet.h> requires pointers
    // of 32 bits.
    '-D__wasi_api_h',
    ...['SIGNAL', 'PROCESS_CLOCKS', 'GETPID', 'MMAN'].map((part) => `-D_WASI_EMULATED_${part}`),
    ...['-emit-llvm', '-o', out, file],
  ];
}
