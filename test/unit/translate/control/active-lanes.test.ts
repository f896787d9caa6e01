// The lanes that execute an `activemask` together when branches in loops diverge: those in the same
// arm of the same iteration, as on an H200. PTX leaves this open.
import { expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';

const rounds = 4;

/** A kernel in which each lane stores the mask of each round. `%i` is the lane, `%k` the round. */
interface Kernel {
  readonly name: string;
  readonly body: string;
  readonly functions?: string;
  /**
   * Returns a key that lanes which execute together in a round share; undefined if the lane stores
   * nothing in that round.
   */
  readonly together: (lane: number, round: number) => string | undefined;
  /** Whether another lane executes with this lane. Default: their keys are equal. */
  readonly isMate?: (lane: number, other: number, round: number) => boolean;
}

const next = 'st.global.u32 [%q], %m; add.u64 %q, %q, 128; add.u32 %k, %k, 1;';
const again = `${next} setp.lt.u32 %p, %k, ${rounds}; @%p bra L;`;
const arm = (lane: number, round: number): string => `${((lane + round) & 3) === 0}`;
const isArm = 'add.u32 %c, %i, %k; and.b32 %c, %c, 3; setp.eq.u32 %p, %c, 0;';

const kernels: readonly Kernel[] = [
  {
    name: 'arms that differ in each round',
    body: `L: ${isArm} @%p bra A; activemask.b32 %m; bra J; A: activemask.b32 %m; J: ${again}`,
    together: arm,
  },
  {
    name: 'arms of several instructions',
    body: `L: ${isArm} @%p bra A;
      activemask.b32 %m; activemask.b32 %n; and.b32 %m, %m, %n; activemask.b32 %n; and.b32 %m, %m, %n; bra J;
      A: activemask.b32 %m; J: activemask.b32 %n; setp.ne.u32 %x, %n, -1; @%x mov.u32 %m, 0; ${again}`,
    together: arm,
  },
  {
    name: 'arms with a back edge each',
    body: `L: setp.ge.u32 %x, %k, ${rounds}; @%x bra E; ${isArm} @%p bra A;
      activemask.b32 %m; ${next} bra L; A: activemask.b32 %m; ${next} bra L; E:`,
    together: arm,
  },
  {
    name: 'one arm, and lanes that leave one by one',
    body: `and.b32 %n, %i, 3; mov.u32 %m, 0;
      L: ${isArm} @!%p bra J; activemask.b32 %m; J: ${next} setp.le.u32 %p, %k, %n; @%p bra L;`,
    together: (lane, round) => (round > (lane & 3) ? undefined : arm(lane, round) === 'true' ? 'arm' : 'kept'),
  },
  {
    name: 'a loop in an arm of a loop',
    body: `L: ${isArm} @%p bra A; mov.u32 %c, 0;
      I: activemask.b32 %m; add.u32 %c, %c, 1; and.b32 %n, %i, 1; setp.le.u32 %p, %c, %n; @%p bra I;
      bra J; A: activemask.b32 %m; J: ${again}`,
    together: arm,
    // Even lanes run the inner loop once, together with all lanes of the arm.
    isMate: (lane, other, round) =>
      arm(lane, round) === arm(other, round) && (arm(lane, round) === 'true' || (lane & 1) === 0 || (other & 1) === 1),
  },
  {
    name: 'a loop that is entered at its condition',
    body: `bra C; L: ${isArm} @%p bra A; activemask.b32 %m; bra J; A: activemask.b32 %m; J: ${next}
      C: setp.lt.u32 %p, %k, ${rounds}; @%p bra L;`,
    together: arm,
  },
  {
    name: 'an instruction right before the loop header',
    body: `bra C; L: ${next} ${isArm} @!%p activemask.b32 %m; @%p mov.u32 %m, 1; activemask.b32 %n;
      C: setp.lt.u32 %p, %k, ${rounds}; @%p bra L;`,
    together: (lane, round) => (round === 0 ? undefined : arm(lane, round) === 'true' ? 'one' : 'false'),
  },
  {
    name: 'functions that the arms call',
    functions: '.func (.reg .b32 m) lanes() { activemask.b32 m; ret; }',
    body: `L: ${isArm} @%p bra A; call (%m), lanes, (); bra J; A: call (%m), lanes, (); J: ${again}`,
    together: arm,
  },
];

const launchOf = ({ name, body, functions = '' }: Kernel): Launch => ({
  id: name,
  group: '',
  ptx: `.version 8.0
.target sm_80
.address_size 64
${functions}
.visible .entry k(.param .u64 p)
{
  .reg .b64 %a, %t, %q; .reg .b32 %i, %c, %m, %k, %n; .reg .pred %p, %x;
  ld.param.u64 %a, [p]; mov.u32 %i, %tid.x; mul.wide.u32 %t, %i, 4; add.u64 %q, %a, %t; mov.u32 %k, 0; mov.u32 %m, 0;
  ${body}
  ret;
}
`,
  ptxFile: 'k.ptx',
  entry: 'k',
  grid: [1, 1, 1],
  block: [32, 1, 1],
  sharedBytes: 0,
  params: [{ name: 'p', kind: 'buffer', type: 'u32', bytes: 128 * rounds }],
});

const lanes = Array.from({ length: 32 }, (_, lane) => lane);

/** Returns the words that the lanes store, round by round. */
function expectedOf({ together, isMate }: Kernel): number[] {
  const isWith = isMate ?? ((lane, other, round) => together(lane, round) === together(other, round));
  const last = new Array<number>(32).fill(0);
  return Array.from({ length: rounds }, (_, round) =>
    lanes.map((lane) => {
      const own = together(lane, round);
      if (own === undefined) return 0;
      if (own === 'one') last[lane] = 1;
      else if (own !== 'kept') {
        const mask = lanes.filter((other) => isWith(lane, other, round)).reduce((sum, other) => sum | (1 << other), 0);
        last[lane] = mask >>> 0;
      }
      return last[lane] ?? 0;
    }),
  ).flat();
}

test.each(kernels.map((kernel) => [kernel.name, kernel] as const))('%s', async (_, kernel) => {
  const expected = expectedOf(kernel);
  for (const executor of [cpuExecutor(), ...[32, 8, 64, 1].map((size) => lockstepExecutor(size))]) {
    const { outputs } = await executor.run(launchOf(kernel));
    const out = outputs.get(0);
    const found = out && [...new Uint32Array(out.buffer, out.byteOffset, 32 * rounds)];
    const { subgroupSize = 'reference' } = executor.describe();
    expect({ subgroupSize, found }).toEqual({ subgroupSize, found: expected });
  }
});
