// The compilers of CUDA C++, with the options that they need.
import { join } from 'node:path';
import { packageFolder } from '../../harness/sessions/dist-folder.ts';

export interface CompiledCuda {
  /** The compiler's name. */
  readonly program: string;
  readonly ptx: string;
  /** The warnings of the compiler; can be ''. */
  readonly warnings: string;
}

export interface Compiler {
  /** The name of the program on the path. */
  readonly program: string;
  readonly options: readonly string[];
  /** The options that select the output: PTX, or the text after the preprocessor. */
  readonly compile: string;
  readonly preprocess: string;
  /** Environment variables with further options for this compiler. */
  readonly variables: readonly string[];
  /** The advice to print if the compiler does not find a header. */
  readonly headerHint: string;
  /**
   * Matches messages of a compiler that does not have a required part. The next compiler of the
   * list is then used.
   */
  readonly lacksPart?: RegExp;
  /** Whether the compiler does not have libdevice, NVIDIA's library of mathematical functions. */
  readonly lacksLibrary?: boolean;
}

const clang = {
  program: 'clang',
  options: ['-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_80', '-O3', '-gline-directives-only'],
  compile: '-S',
  preprocess: '-E',
  variables: ['CCC_OVERRIDE_OPTIONS'],
  headerHint: 'name folders of headers in the variable CPATH, for example CPATH=include',
} as const satisfies Compiler;

/**
 * Returns the compilers in order of preference. Each compiler writes the CUDA line of each
 * instruction into the PTX.
 */
export const compilers = (): readonly Compiler[] => [
  {
    program: 'nvcc',
    options: ['-lineinfo', '-arch=sm_80'],
    compile: '-ptx',
    preprocess: '-E',
    variables: ['NVCC_PREPEND_FLAGS', 'NVCC_APPEND_FLAGS'],
    headerHint: 'name folders of headers in the variable NVCC_APPEND_FLAGS, for example NVCC_APPEND_FLAGS="-I include"',
  },
  // Clang includes CUDA's headers itself. The headers may be missing, or of a version that clang
  // does not know.
  { ...clang, lacksPart: /cannot find (?:CUDA installation|libdevice)|^In file included from <built-in>:1:$/m },
  {
    ...clang,
    options: [
      ...clang.options,
      ...['-nocudainc', '-nocudalib', '-Wno-unknown-cuda-version'],
      ...['-Xclang', '-ffp-contract=fast-honor-pragmas'],
      // Without a toolkit, clang would choose a version of PTX that does not have `shfl.sync`.
      ...['-Xclang', '-target-feature', '-Xclang', '+ptx70'],
      ...['-isystem', join(packageFolder(), 'src/nvptx/include'), '-include', 'prelude.h'],
    ],
    headerHint: 'some headers of CUDA need the CUDA toolkit; name folders of other headers in the variable CPATH',
    lacksLibrary: true,
  },
];
