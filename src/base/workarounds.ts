// The registry of workarounds: changes to generated code that avoid a bug or a slow form in a
// driver or in a WGSL compiler. Each row corresponds to one workaround. The code that applies a
// workaround contains its id: `workarounds.has('part-bit-tests')`.

import { type AdapterFacts, type Compiler, compilerOf, type Driver, driverOf } from './adapter-facts.ts';

export interface Workaround {
  /** A description of the change to the generated code. */
  readonly title: string;
  /** The problem without the change. */
  readonly problem: string;
  /**
   * The drivers and the compilers that have the problem. If a field is missing, the problem is not
   * limited to certain drivers or compilers.
   */
  readonly drivers?: readonly Driver[];
  readonly compilers?: readonly Compiler[];
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

const rows = [
  {
    id: 'hide-negative-zeros',
    title: 'Hides a constant -0 that a selection or a block parameter receives',
    problem: 'The driver treats the constant -0 as +0, and `fma(x, y, 0.0)` as `x * y`.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['negative_zero_of_a_branch', 'difference_of_zeros', 'sum_of_negative_zeros'],
    retry: nextDriver,
  },
  {
    id: 'hide-group-constants',
    title: 'Hides the constant operands of a guarded group of f32 operations',
    problem: 'The driver folds `x + 0.0` to `x` and `fma(-1, x, x)` to zero, even if `x` is -0 or an infinity.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'test/fuzz-cases/README.md',
    effect: 'result',
    kernels: ['fma_that_cancels', 'fma_that_cancels_in_loop'],
    retry: nextDriver,
  },
  {
    id: 'hide-known-operands',
    title: 'Hides constant operands of an exact f32 operation',
    problem:
      'The driver rounds a product of two constants before the sum, and derives another remainder from a known divisor.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'test/fuzz-cases/README.md',
    effect: 'result',
    kernels: ['fma_of_constants', 'quotient_by_constant'],
    retry: nextDriver,
  },
  {
    id: 'check-zero-factors',
    title: 'Tests the factors of a multiply-add that the driver may know to be zero',
    problem: 'The driver folds `fma(x, 0.0, c)` to `c`, even if `x` is an infinity or a NaN.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['known_zero_factors', 'words_of_zero', 'fma_by_zero_halves'],
    retry: nextDriver,
  },
  {
    id: 'hide-matrix-zeros',
    title: 'Hides words of a matrix that the driver may know to be zero',
    problem: 'The driver removes products with a known zero, even if the other factor is an infinity.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/results/h200-matrix-zeros.json',
    effect: 'result',
    kernels: ['matrix_of_zeros'],
    retry: nextDriver,
  },
  {
    id: 'hide-matrix-subnormals',
    title: 'Hides words of a matrix that the driver may find to hold subnormal f16 values',
    problem: 'The driver takes `unpack2x16float` of a subnormal value that it finds for zero.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['matrix_of_subnormals'],
    retry: nextDriver,
  },
  {
    id: 'part-bit-tests',
    title: 'Extracts each tested bit if a block tests bits of two words',
    problem: 'The driver tests the bits of a word together, and overwrites a predicate that is still live.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['flag_behind_match', 'flag_beside_match'],
    retry: nextDriver,
  },
  {
    id: 'shift-before-extract',
    title: 'Shifts a word to its field before it extracts the field',
    problem: 'If all lanes share a word, the driver extracts the field at one lane’s position for all of them.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['field_of_a_maximum'],
    retry: nextDriver,
  },
  {
    id: 'ballot-for-any',
    title: 'Tests a ballot instead of `subgroupAny` to find whether a lane takes a branch',
    problem: 'After a branch on `subgroupAny`, the driver guards a reduction with the wrong kind of predicate.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04; some kernels are wrong with ballots too',
    evidence: 'docs/lab-notes/native-compiler.md#faults-of-the-drivers-wgsl-compiler',
    effect: 'result',
    kernels: ['maximum_in_an_arm', 'exclusive_or_in_an_arm'],
    retry: nextDriver,
  },
  {
    id: 'run-time-literals',
    title: 'Writes a `let` of a literal as a `var`',
    problem: 'The compiler treats the `let` as a constant expression, and rejects a shift by 32 or a division by 0.',
    compilers: ['naga'],
    seen: 'Firefox 153.7.0esr',
    evidence: 'docs/lab-notes/wgsl-compilers.md#naga-a-let-of-a-constant-is-checked-as-a-constant-expression',
    effect: 'result',
    kernels: ['shift_by_active_mask'],
    retry: 'with each new version of Firefox',
  },
  {
    id: 'select-by-votes',
    title: 'Selects by a vote of all lanes with arithmetic',
    problem: 'The driver compares a vote’s ballot before each selection, in the pipe that also executes votes.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['vote.sync:all:immediate:independent', 'vote.sync:uni:immediate:independent'],
    retry: nextDriver,
  },
  {
    id: 'sink-rest',
    title: 'Moves the code after the last loop of warp instructions into that loop',
    problem:
      'The driver tracks which lanes have left a loop if code follows it. Reductions and ballots then take a third longer.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['redux.sync:add.u32:immediate:independent', 'vote.sync.ballot:immediate:independent'],
    retry: nextDriver,
  },
  {
    id: 'bound-thread-number',
    title: 'Bounds the thread number once if it indexes shared memory',
    problem: 'The compiler does not bound `subgroup_id`, so it clamps every array access by the thread number.',
    compilers: ['tint'],
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['kernel:transpose'],
    retry: 'when Tint bounds `subgroup_id` by the workgroup size',
  },
  {
    id: 'clamp-array-bases',
    title: 'Clamps the common base of accesses to an array once',
    problem: 'The compiler clamps every access that it cannot prove to be within the array.',
    compilers: ['tint'],
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['kernel:bitonic', 'kernel:stencil'],
    retry: 'when Tint shares the clamps of indices that differ by constants',
  },
  {
    id: 'clamp-matrix-starts',
    title: 'Clamps the start of a matrix to its array',
    problem: 'The compiler loads each matrix under a branch, which the driver removes if it knows that the test holds.',
    compilers: ['tint'],
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/design/matrices.md',
    effect: 'speed',
    kernels: ['kernel:matmul-f16', 'kernel:matmul-s8'],
    retry: 'when Tint omits the test of a clamped start',
  },
] as const satisfies readonly (Workaround & { readonly id: string })[];

export type WorkaroundId = (typeof rows)[number]['id'];

/** The workarounds that a translation applies. */
export type Workarounds = ReadonlySet<WorkaroundId>;

/** All workarounds, with their ids. */
export const registry: readonly (Workaround & { readonly id: WorkaroundId })[] = rows;

/** All workarounds, for an unknown adapter. No workaround makes a result wrong. */
export const allWorkarounds: Workarounds = new Set(registry.map(({ id }) => id));

/** Returns the workarounds whose drivers and compilers the adapter may have. */
export function workaroundsFor(facts: AdapterFacts): Workarounds {
  const [driver, compiler] = [driverOf(facts), compilerOf(facts)];
  const concerned = registry.filter((row) => mayBeIn(row.drivers, driver) && mayBeIn(row.compilers, compiler));
  return new Set(concerned.map(({ id }) => id));
}

const mayBeIn = <Name>(names: readonly Name[] | undefined, name: Name | undefined): boolean =>
  names === undefined || name === undefined || names.includes(name);
