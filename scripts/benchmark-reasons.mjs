// The reasons for entries of `bench` below the target, for docs/benchmarks.md.

/**
 * The reasons for entries below the target, according to the driver's machine code. The first match
 * applies.
 */
/** @type {readonly (readonly [RegExp, string])[]} */
export const reasons = [
  [
    /^shfl.*:arbitrary:/,
    'one native instruction of eight cycles handles `b` and `c`. In WGSL, the clamp, the source lane and the browser’s bound are eight to twelve instructions ([performance notes](lab-notes/performance.md#shuffles-and-votes))',
  ],
  [
    /^shfl.*:(register|mask|groups):/,
    'four instructions compute the source lane of `bfly` and `idx`: mask, compare, select, and the browser’s bound. Only three of them fit into the eight cycles of a native shuffle ([performance notes](lab-notes/performance.md#shuffles-and-votes))',
  ],
  [
    /^shfl.*:unrelated:/,
    'dispatched: the compiler cannot prove that the mask names the lanes under the guard. So a ballot precedes each shuffle, and lanes continue one by one if a lane is missing. Native hardware waits for the missing lanes by itself',
  ],
  [/^shfl.*idx.*:(dependent|predicate)/, 'browsers count the iterations of the loop, as for ballots'],
  [
    /^vote.*:(all|any|uni):/,
    'native code votes into a predicate. The driver votes into a register and compares it, in each of about forty ways to write a vote in WGSL. That is a fourth instruction for a unit that executes three in the same time (73 %). For a selection by a vote, as in these entries, the translator writes a multiply-add with `min(ballot, 1)`, which another unit executes. The remaining cost is the count of iterations, as for ballots. `any` has the instructions of `all` with other registers, and `uni` has one more multiply-add',
  ],
  [/^vote.*ballot.*:mask:/, 'one more instruction applies the mask to the ballot, on the unit that executes votes'],
  [/^vote.*ballot/, 'browsers count the iterations of every loop, with five instructions for each iteration'],
  [
    /^match.all.*:(mask|groups):/,
    'the search for the lowest member needs a count of ones, which runs at an eighth of the rate',
  ],
  [
    /^match.all.*:predicate:/,
    'the driver compares the ballot to get the predicate, which delays two sums. Native code has one instruction for predicate and mask',
  ],
  [
    /^match.any.*:guard:/,
    'the shader compares bit by bit for any set of lanes; native code needs one round per distinct value',
  ],
  [/^elect/, 'the search for the lowest member needs a count of ones'],
  [
    /^kernel:n-body/,
    'WGSL lacks f64: each operation needs [150 to 300 instructions](lab-notes/performance.md#f64-in-integers)',
  ],
  [/^kernel:hash-table/, 'WGSL has only 32-bit atomics: a successful 64-bit compare-and-swap takes a lock'],
  [
    /^kernel:small-launches/,
    'before each launch, the driver waits for the writes of the previous one, and checks the bindings',
  ],
  [
    /^kernel:(matmul-f16|attention)/,
    'without subgroup matrices, WGSL cannot use tensor cores ([performance notes](lab-notes/performance.md#matrices-without-tensor-cores))',
  ],
  [/^kernel:copy-async/, 'a translated `cp.async` completes at once, so only copies that begin together overlap'],
  [/^kernel:aggregate/, 'dominated by `match.any`'],
  [
    /^kernel:radix-sort/,
    'the browser clamps indexes of workgroup memory, and words that a barrier of the warp orders are atomics',
  ],
  [
    /^kernel:bitonic/,
    'the kernel has fifteen shuffles, each with a comparison, and the browser counts the iterations of its loop',
  ],
  [/^kernel:.*, .*exact/, 'the adapter flushes subnormals, so operations that may lose one have a guard'],
];
