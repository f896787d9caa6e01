// The registry of workarounds: what the translator does differently because one driver or one compiler of WGSL gets the plain form wrong, or makes it slow.
// Each row switches one workaround. The code that applies it names its id: `workarounds.has('part-bit-tests')`.

/** Drivers, as the adapter reports them. */
export const drivers = ['nvidia', 'swiftshader', 'lavapipe', 'other'] as const;
export type Driver = (typeof drivers)[number];

/** Compilers of WGSL: Tint in Chrome, Edge and Dawn, naga in Firefox and wgpu. */
export const compilers = ['tint', 'naga'] as const;
export type Compiler = (typeof compilers)[number];

/** What an adapter and its host say of themselves. Browsers leave fields empty that they hide. */
export interface AdapterFacts {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** The browser or library, such as `Chrome/156.0`, or a user agent. '' if unknown. */
  readonly host: string;
}

export interface Workaround {
  /** What the translator does, in plain English. */
  readonly title: string;
  /** What happens without it. */
  readonly problem: string;
  /** The drivers and the compilers that it concerns; all of them where the field is missing. */
  readonly drivers?: readonly Driver[];
  readonly compilers?: readonly Compiler[];
  /** The versions that show the problem. */
  readonly seen: string;
  /** Where the problem is described or measured: a file of the repository, with an anchor. */
  readonly evidence: string;
  /** `result`: without it, results may be wrong or a shader may not compile. `speed`: it changes no result. */
  readonly effect: 'result' | 'speed';
  /** For `result`, case files in `test/fuzz-cases`; for `speed`, benchmarks of `lanewise bench`. They show the problem. */
  readonly kernels: readonly [string, ...string[]];
  /** When to try without it. */
  readonly retry: string;
}

const nextDriver = 'with each new major version of the driver';

const rows = [
  {
    id: 'hide-negative-zeros',
    title: 'Hides a constant -0 from the driver where it is chosen, or where ways join',
    problem: 'The driver takes the constant -0 for +0, and `fma(x, y, 0.0)` for `x * y`.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#what-the-drivers-wgsl-compiler-gets-wrong',
    effect: 'result',
    kernels: ['negative_zero_of_a_branch', 'difference_of_zeros', 'sum_of_negative_zeros'],
    retry: nextDriver,
  },
  {
    id: 'hide-group-constants',
    title: 'Hides the constants that a guarded group of f32 operations works with',
    problem: 'The driver takes `x + 0.0` for `x` and `fma(-1, x, x)` for zero, also if `x` is -0 or an infinity.',
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
    title: 'Tests the factors of a multiply-add that the driver may find to be zero',
    problem: 'The driver takes `fma(x, 0.0, c)` for `c`, also if `x` is an infinity or a NaN.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#what-the-drivers-wgsl-compiler-gets-wrong',
    effect: 'result',
    kernels: ['known_zero_factors', 'words_of_zero', 'fma_by_zero_halves'],
    retry: nextDriver,
  },
  {
    id: 'hide-matrix-zeros',
    title: 'Hides words of a matrix that the driver may find to be zeros',
    problem: 'The driver leaves out products with a zero that it finds, also if the other factor is an infinity.',
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/results/h200-matrix-zeros.json',
    effect: 'result',
    kernels: ['matrix_of_zeros'],
    retry: nextDriver,
  },
  {
    id: 'part-bit-tests',
    title: 'Extracts each tested bit where bits of two words are tested',
    problem: 'The driver tests the bits of a word together, and overwrites a predicate that is still needed.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#what-the-drivers-wgsl-compiler-gets-wrong',
    effect: 'result',
    kernels: ['flag_behind_match', 'flag_beside_match'],
    retry: nextDriver,
  },
  {
    id: 'shift-before-extract',
    title: 'Shifts a word to its field before it extracts the field',
    problem: 'From a word that all lanes share, the driver extracts the field at one lane’s position for all lanes.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/lab-notes/native-compiler.md#what-the-drivers-wgsl-compiler-gets-wrong',
    effect: 'result',
    kernels: ['field_of_a_maximum'],
    retry: nextDriver,
  },
  {
    id: 'ballot-for-any',
    title: 'Asks a ballot instead of `subgroupAny` whether a lane takes a branch',
    problem: 'Behind a branch on `subgroupAny`, the driver guards a reduction with the wrong kind of predicate.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04, which gets some kernels wrong with ballots, too',
    evidence: 'docs/lab-notes/native-compiler.md#what-the-drivers-wgsl-compiler-gets-wrong',
    effect: 'result',
    kernels: ['maximum_in_an_arm', 'exclusive_or_in_an_arm'],
    retry: nextDriver,
  },
  {
    id: 'run-time-literals',
    title: 'Writes a `let` of a literal as a `var`',
    problem: 'The compiler takes the `let` for a constant expression, and refuses a shift by 32 or a division by 0.',
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
    problem: 'The driver compares a vote’s ballot before each selection, on the pipe that votes use as well.',
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
      'The driver tracks which lanes have left a loop if code follows it: reductions and ballots take a third longer.',
    drivers: ['nvidia'],
    seen: 'NVIDIA 580.159.04',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['redux.sync:add.u32:immediate:independent', 'vote.sync.ballot:immediate:independent'],
    retry: nextDriver,
  },
  {
    id: 'bound-thread-number',
    title: 'Bounds the thread number once, where it indexes shared memory',
    problem: 'The compiler knows no bound of `subgroup_id`, and clamps every access to an array by the thread number.',
    compilers: ['tint'],
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['kernel:transpose'],
    retry: 'when Tint bounds `subgroup_id` by the workgroup’s size',
  },
  {
    id: 'clamp-array-bases',
    title: 'Clamps the common base of accesses to an array once',
    problem: 'The compiler clamps every access of which it cannot prove that it stays within the array.',
    compilers: ['tint'],
    seen: 'Dawn in webgpu 0.6.2, Chrome 156',
    evidence: 'docs/benchmarks.md',
    effect: 'speed',
    kernels: ['kernel:bitonic', 'kernel:stencil'],
    retry: 'when Tint shares the clamps of indexes that differ by constants',
  },
] as const satisfies readonly (Workaround & { readonly id: string })[];

export type WorkaroundId = (typeof rows)[number]['id'];

/** The workarounds that a translation applies. */
export type Workarounds = ReadonlySet<WorkaroundId>;

/** Every workaround, with its id. */
export const registry: readonly (Workaround & { readonly id: WorkaroundId })[] = rows;

/** For an adapter that nobody knows: none of them changes a result. */
export const allWorkarounds: Workarounds = new Set(registry.map(({ id }) => id));

/** The workarounds for an adapter: those whose drivers and compilers it may have. */
export function workaroundsFor(facts: AdapterFacts): Workarounds {
  const [driver, compiler] = [driverOf(facts), compilerOf(facts)];
  const concerned = registry.filter((row) => mayBeIn(row.drivers, driver) && mayBeIn(row.compilers, compiler));
  return new Set(concerned.map(({ id }) => id));
}

const mayBeIn = <Name>(names: readonly Name[] | undefined, name: Name | undefined): boolean =>
  names === undefined || name === undefined || names.includes(name);

/** Undefined where the adapter does not say whose it is. */
export function driverOf({ vendor, architecture, device, description }: AdapterFacts): Driver | undefined {
  const names = [vendor, architecture, device, description].join(' ');
  const known = (
    [
      ['swiftshader', /swiftshader/i],
      ['lavapipe', /llvmpipe|lavapipe/i],
      ['nvidia', /nvidia|geforce/i],
    ] as const
  ).find(([, pattern]) => pattern.test(names));
  if (known !== undefined) return known[0];
  return /^(amd|apple|arm|broadcom|imgtec|img-tec|intel|qualcomm|samsung)$/i.test(vendor) ? 'other' : undefined;
}

/** Undefined for a host that says nothing, or that is neither. */
export function compilerOf({ host }: Pick<AdapterFacts, 'host'>): Compiler | undefined {
  if (/\b(firefox|deno)\//i.test(host)) return 'naga';
  return /chrom(e|ium)\/|^dawn\b|\bedg\//i.test(host) ? 'tint' : undefined;
}
