// The registry of workarounds. Each row describes one workaround, and how to find out whether it is
// still needed.

import { type Concerned, type WorkaroundId, workarounds } from './workarounds.ts';

export interface Workaround extends Concerned {
  readonly id: WorkaroundId;
  /** A description of the change to the generated code. */
  readonly title: string;
  /** The problem without the change. */
  readonly problem: string;
  /** The versions in which the problem was observed. */
  readonly seen: string;
  /** A file of the repository, with an anchor, that describes or measures the problem. */
  readonly evidence: string;
  /**
   * The effect of the workaround. `result`: without the workaround, results may be wrong or a
   * shader may fail to compile. `speed`: the workaround does not change results.
   */
  readonly effect: 'result' | 'speed';
  /**
   * Kernels that show the problem: for `result`, case files in `test/fuzz-cases`; for `speed`,
   * benchmarks of `lanewise bench`.
   */
  readonly kernels: readonly [string, ...string[]];
  /** The condition under which to test again whether the workaround is still needed. */
  readonly retry: string;
}

const nextDriver = 'with each new major version of the driver';

const descriptions: Readonly<Record<WorkaroundId, Omit<Workaround, 'id' | keyof Concerned>>> = {
  'hide-negative-zeros': {
    title: 'Hides a constant -0 that a selection or a block parameter receives',
    problem: 'The driver treats the constant -0 as +0, and `fma(x, y, 0.0)` as `x * y`.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['negative_zero_of_a_branch', 'difference_of_zeros', 'sum_of_negative_zeros'],
    retry: nextDriver,
  },
  'hide-group-constants': {
    title: 'Hides the constant operands of a guarded group of f32 operations',
    problem: 'The driver folds `x + 0.0` to `x` and `fma(-1, x, x)` to zero, even if `x` is -0 or an infinity.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'test/fuzz-cases/README.md',
    effect: 'result',
    kernels: ['fma_that_cancels', 'fma_that_cancels_in_loop'],
    retry: nextDriver,
  },
  'hide-known-operands': {
    title: 'Hides constant operands of an exact f32 operation',
    problem:
      'The driver rounds a product of two constants before the sum, and derives another remainder from a known divisor.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'test/fuzz-cases/README.md',
    effect: 'result',
    kernels: ['fma_of_constants', 'quotient_by_constant'],
    retry: nextDriver,
  },
  'check-zero-factors': {
    title: 'Tests the factors of a multiply-add that the driver may know to be zero',
    problem: 'The driver folds `fma(x, 0.0, c)` to `c`, even if `x` is an infinity or a NaN.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['known_zero_factors', 'words_of_zero', 'fma_by_zero_halves'],
    retry: nextDriver,
  },
  'hide-matrix-zeros': {
    title: 'Hides words of a matrix that the driver may know to be zero',
    problem: 'The driver removes products with a known zero, even if the other factor is an infinity.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/results/h200-matrix-zeros.json',
    effect: 'result',
    kernels: ['matrix_of_zeros'],
    retry: nextDriver,
  },
  'hide-matrix-subnormals': {
    title: 'Hides words of a matrix that the driver may find to hold subnormal f16 values',
    problem: 'The driver takes `unpack2x16float` of a subnormal value that it finds for zero.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['matrix_of_subnormals'],
    retry: nextDriver,
  },
  'part-bit-tests': {
    title: 'Extracts each tested bit if a block tests bits of two words',
    problem: 'The driver tests the bits of a word together, and overwrites a predicate that is still live.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['flag_behind_match', 'flag_beside_match'],
    retry: nextDriver,
  },
  'shift-before-extract': {
    title: 'Shifts a word to its field before it extracts the field',
    problem: 'If all lanes share a word, the driver extracts the field at one lane’s position for all of them.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['field_of_a_maximum'],
    retry: nextDriver,
  },
  'ballot-for-any': {
    title: 'Tests a ballot instead of `subgroupAny` to find whether a lane takes a branch',
    problem: 'After a branch on `subgroupAny`, the driver guards a reduction with the wrong kind of predicate.',
    seen: 'NVIDIA 580.159.04; some kernels are wrong with ballots too',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['maximum_in_an_arm', 'exclusive_or_in_an_arm'],
    retry: nextDriver,
  },
  'run-time-literals': {
    title: 'Writes a `let` of a literal as a `var`',
    problem: 'The compiler treats the `let` as a constant expression, and rejects a shift by 32 or a division by 0.',
    seen: 'Firefox 153.7.0esr',
    evidence: 'docs/lab-notes/wgsl-compilers.md#naga-a-let-of-a-constant-is-checked-as-a-constant-expression',
    effect: 'result',
    kernels: ['shift_by_active_mask'],
    retry: 'with each new version of Firefox',
  },
  'select-by-votes': {
    title: 'Selects by a vote of all lanes with arithmetic',
    problem: 'The driver compares a vote’s ballot before each selection, in the pipe that also executes votes.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['vote.sync:all:immediate:independent', 'vote.sync:uni:immediate:independent'],
    retry: nextDriver,
  },
  'sink-rest': {
    title: 'Moves the code after the last loop of warp instructions into that loop',
    problem:
      'The driver tracks which lanes have left a loop if code follows it. Reductions and ballots then take a third longer.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['redux.sync:add.u32:immediate:independent', 'vote.sync.ballot:immediate:independent'],
    retry: nextDriver,
  },
  'bound-thread-number': {
    title: 'Bounds the thread number once if it indexes shared memory',
    problem: 'The compiler does not bound `subgroup_id`, so it clamps every array access by the thread number.',
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['kernel:transpose'],
    retry: 'when Tint bounds `subgroup_id` by the workgroup size',
  },
  'clamp-array-bases': {
    title: 'Clamps the common base of accesses to an array once',
    problem: 'The compiler clamps every access that it cannot prove to be within the array.',
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['kernel:bitonic', 'kernel:stencil'],
    retry: 'when Tint shares the clamps of indices that differ by constants',
  },
  'clamp-matrix-starts': {
    title: 'Clamps the start of a matrix to its array',
    problem: 'The compiler loads each matrix under a branch, which the driver removes if it knows that the test holds.',
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/design/matrices.md',
    effect: 'speed',
    kernels: ['kernel:matmul-f16', 'kernel:matmul-s8'],
    retry: 'when Tint omits the test of a clamped start',
  },
};

/** All workarounds. */
export const registry: readonly Workaround[] = workarounds.map(([id, adapters]) => ({
  id,
  ...adapters,
  ...descriptions[id],
}));
