// The compilers of CUDA C++, with the options that they need.

export interface Compiler {
  /** The name of the program on the path. */
  readonly program: string;
  readonly options: readonly string[];
  /** The options that select the output: PTX, or the text after the preprocessor. */
  readonly compile: string;
  readonly preprocess: string;
  /** Environment variables with further options for this compiler. */
  readonly variables: readonly string[];
  /** The advice for a header that the compiler does not find. */
  readonly headerHint: string;
}

/**
 * The compilers, in order of preference. All write the CUDA line of each instruction into the PTX.
 */
export const compilers: readonly Compiler[] = [
  {
    program: 'nvcc',
    options: ['-lineinfo', '-arch=sm_80'],
    compile: '-ptx',
    preprocess: '-E',
    variables: ['NVCC_PREPEND_FLAGS', 'NVCC_APPEND_FLAGS'],
    headerHint: 'name folders of headers in the variable NVCC_APPEND_FLAGS, for example NVCC_APPEND_FLAGS="-I include"',
  },
  {
    program: 'clang',
    options: ['-x', 'cuda', '--cuda-device-only', '--cuda-gpu-arch=sm_80', '-O3', '-gline-directives-only'],
    compile: '-S',
    preprocess: '-E',
    variables: ['CCC_OVERRIDE_OPTIONS'],
    headerHint: 'name folders of headers in the variable CPATH, for example CPATH=include',
  },
];
