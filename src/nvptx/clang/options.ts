// The options with which clang compiles CUDA C++ for this project.

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

/** The C library of WebAssembly: the folder of its headers and archives. */
const library = 'wasm32-wasip1';

/**
 * Returns the options for both halves of a source. The order of the headers is: those of CUDA, the
 * C++ library, clang's own headers, and a C library. The last two are those of WebAssembly.
 */
function commonArguments({ file, out, headers, resources }: ClangPlaces): string[] {
  return [
    ...['-x', 'cuda', '-std=c++20', '-fcuda-allow-variadic-functions', '-O2'],
    ...['-nostdsysteminc', '-resource-dir', resources, '-internal-isystem', headers],
    ...['c++/v1', '', library].flatMap((folder) => ['-internal-isystem', `${resources}/include/${folder}`]),
    // The C++ library needs the locale functions that `_GNU_SOURCE` declares.
    ...['-D_GNU_SOURCE', '-include', 'prelude.h'],
    // Without these macros, <signal.h> and the like are errors.
    ...emulations.map((part) => `-D_WASI_EMULATED_${part.toUpperCase().replaceAll('-', '_')}`),
    ...['-o', out, file],
  ];
}

/** The parts of a C library that WebAssembly's library emulates. Each is an archive of its own. */
const emulations = ['signal', 'process-clocks', 'getpid', 'mman'] as const;

/**
 * Returns the options for the device half. Contraction is on, as in nvcc, except where a pragma of
 * the mathematical functions turns it off. Macros select the headers of WebAssembly, of which only
 * the declarations are used.
 */
const deviceArguments = [
  ...['-target-cpu', 'sm_80', '-target-feature', '+ptx83', '-fcuda-is-device', '-fno-threadsafe-statics'],
  ...['-ffp-contract=fast-honor-pragmas', '-debug-info-kind=line-directives-only', '-dwarf-version=2'],
  ...['-D__wasi__', '-D__wasm__', '-D__wasm32__', '-emit-llvm'],
  // <arpa/inet.h> requires pointers of 32 bits.
  '-D__wasi_api_h',
];

/** Returns the arguments of `clang -cc1` that compile kernels to LLVM IR, with pointers of 64 bits. */
export const clangArguments = (places: ClangPlaces): string[] => [
  '-cc1',
  ...['-triple', 'nvptx64-nvidia-cuda'],
  ...deviceArguments,
  ...commonArguments(places),
];

/** The options of a program that its user chooses. */
export interface ProgramOptions {
  /** The folders of headers, as absolute paths. */
  readonly includes: readonly string[];
  /** Macros, such as `NAME` or `NAME=value`. */
  readonly defines: readonly string[];
  /** The user's folder, as an absolute path. `__FILE__` is relative to it. */
  readonly folder: string;
}

const targets = { device: 'nvptx-nvidia-cuda', host: library } as const;

/**
 * Returns the arguments of `clang -cc1` for a half of a program: LLVM IR of the device, or an object
 * file of the host. Both halves have pointers of 32 bits, so that structs have the same layout.
 * Exceptions are compiled, but `throw` stops the program. `binary` is a file whose contents the host
 * passes to `__cudaRegisterFatBinary`.
 */
export function programArguments(
  half: 'device' | 'host',
  places: ClangPlaces,
  { includes, defines, folder, binary }: ProgramOptions & { readonly binary: string },
): string[] {
  const other = half === 'host' ? 'device' : 'host';
  return [
    '-cc1',
    ...['-triple', targets[half], '-aux-triple', targets[other]],
    ...(half === 'device'
      ? deviceArguments
      : ['-emit-obj', '-target-feature', '+bulk-memory', '-fcuda-include-gpubinary', binary]),
    ...['-target-sdk-version=12.0', '-DLANEWISE_PROGRAM', '-w'],
    ...['-fcxx-exceptions', '-fexceptions', '-fignore-exceptions'],
    ...includes.flatMap((folder) => ['-I', folder]),
    ...defines.flatMap((macro) => ['-D', macro]),
    `-fmacro-prefix-map=${folder}/=`,
    ...commonArguments(places),
  ];
}

/**
 * Returns the arguments of `wasm-ld`. `provided` is a file with the names of the functions that the
 * program may import. The program's memory is between the addresses `base` and `end`.
 */
export function linkArguments(
  objects: readonly string[],
  {
    out,
    resources,
    provided,
    base,
    end,
  }: { out: string; resources: string; provided: string; base: number; end: number },
): string[] {
  const folder = `${resources}/lib/${library}`;
  return [
    ...['-o', out, `${folder}/crt1-command.o`, ...objects],
    ...[
      `--allow-undefined-file=${provided}`,
      `--global-base=${base}`,
      `--max-memory=${end}`,
      '--no-stack-first',
      '-z',
      'stack-size=8388608',
    ],
    ...['--wrap=malloc', '--export=__wrap_malloc', '--export=free', '--export-table', '--strip-all'],
    ...[
      `-L${folder}`,
      '-lc++',
      '-lc++abi',
      '-lc-printscan-long-double',
      ...emulations.map((part) => `-lwasi-emulated-${part}`),
      '-lc',
    ],
    `${resources}/lib/wasm32-unknown-wasip1/libclang_rt.builtins.a`,
  ];
}
