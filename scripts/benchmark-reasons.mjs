// The reasons for entries of `bench` below the target, for docs/benchmarks.md.

/**
 * The reasons for entries below the target, according to the driver's machine code. The first match
 * applies.
 */
/** @type {readonly (readonly [RegExp, string])[]} */
export const reasons = [
  [
    /^shfl.*:arbitrary:/,
    'one native instruction of eight cycles handles `b` and `c`. In WGSL, the clamp, the source lane and the browser’s bound take eight to twelve instructions: [below](lab-notes/performance.md#the-fewest-instructions-of-a-shuffle)',
  ],
  [
    /^shfl.*:(register|mask|groups):/,
    'four instructions compute the source lane of `bfly` and `idx`: mask, compare, select, and the browser’s bound. Their pipe executes three in the eight cycles of a native shuffle: [below](lab-notes/performance.md#the-fewest-instructions-of-a-shuffle)',
  ],
  [
    /^shfl.*:unrelated:/,
    'dispatched: the compiler cannot prove that the mask names the lanes under the guard. So a ballot precedes each shuffle, and lanes continue one by one if a lane is missing. Native hardware waits for the missing lanes by itself',
  ],
  [/^shfl.*idx.*:(dependent|predicate)/, 'the loop’s own cost, as for ballots'],
  [
    /^vote.*:(all|any|uni):/,
    'native code votes into a predicate. The driver votes into a register and compares it, in each of about forty ways to write a vote in WGSL. That is a fourth instruction on a pipe that three fill (73 %). A selection by a vote, as here, is a multiply-add with `min(ballot, 1)` on another pipe. The rest is the loop’s own cost, as for ballots. `any` has the instructions of `all` on other registers, and `uni` has one more multiply-add',
  ],
  [/^vote.*ballot.*:mask:/, 'one more instruction on the same pipe applies the mask to the ballot'],
  [/^vote.*ballot/, 'the loop’s own cost: browsers count the iterations of every loop, with five instructions each'],
  [
    /^match.all.*:(mask|groups):/,
    'finding the lowest member needs a count of ones, which runs at an eighth of the rate',
  ],
  [
    /^match.all.*:predicate:/,
    'the driver compares the ballot for the predicate, and delays two sums. Native code has one instruction for predicate and mask',
  ],
  [/^match.any.*:guard:/, 'compares bit by bit for any lanes; native code needs one round per distinct value'],
  [/^elect/, 'finding the lowest member needs a count of ones'],
  [
    /^kernel:n-body/,
    'WGSL lacks f64: each operation takes [150 to 300 instructions](lab-notes/performance.md#f64-in-integers)',
  ],
  [/^kernel:hash-table/, 'WGSL has only 32-bit atomics: a successful 64-bit compare-and-swap takes a lock'],
  [
    /^kernel:small-launches/,
    'between launches the driver waits for the writes of the previous one, and checks the bindings of each',
  ],
  [
    /^kernel:(matmul-f16|attention)/,
    'no tensor cores in WGSL: [below](lab-notes/performance.md#matrices-without-tensor-cores)',
  ],
  [
    /^kernel:copy-async/,
    'a `cp.async` is done where it stands: only copies that begin together are on their way together',
  ],
  [/^kernel:aggregate/, 'dominated by `match.any`'],
  [
    /^kernel:radix-sort/,
    'indexes of the workgroup’s memory are clamped, and its words are atomics wherever a barrier of the warp orders them',
  ],
  [/^kernel:bitonic/, 'fifteen shuffles, each with its comparison; the loop’s own cost comes on top'],
  [/^kernel:.*, .*exact/, 'the adapter flushes subnormals, so what may lose one is guarded'],
];
