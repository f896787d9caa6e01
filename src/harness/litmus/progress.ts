// Tests of forward progress: programs that end only if the adapter runs, or continues to run, other
// threads while a thread waits. PTX guarantees progress to every thread, WGSL to none. Each wait has
// a limit, so that every test ends.
import { get } from '../../base/invariants.ts';
import type { KernelExecutor } from '../executors/executor.ts';
import { runSequence } from '../executors/run-sequence.ts';
import type { LaunchSequence } from '../launches/launch-sequence.ts';

export interface ProgressTest {
  readonly name: string;
  /** What the threads wait for. */
  readonly what: string;
  readonly blocks: number;
  readonly threads: number;
  /** PTX; `WAIT` continues at `END`, and counts the thread if the limit ends its wait. */
  readonly body: string;
}

export interface ProgressResult {
  readonly test: ProgressTest;
  /** The number of threads whose wait ended by the limit. */
  readonly gaveUp: number;
}

/** Waits until the word at `%place` is at least `%goal`. */
const wait = (next: string): string => `  mov.u32 %polls, 0;
POLL:
  ld.relaxed.gpu.global.u32 %word, [%place];
  setp.ge.u32 %q, %word, %goal;
  @%q bra ${next};
  add.u32 %polls, %polls, 1;
  setp.lt.u32 %q, %polls, %limit;
  @%q bra POLL;
  red.relaxed.gpu.global.add.u32 [%out], 1;
${next}:`;

/** Ends all threads of a block but the first. */
const firstThread = '  setp.ne.u32 %q, %thread, 0;\n  @%q bra END;';
const set = 'st.relaxed.gpu.global.u32 [%place], 1;';

const resident = (blocks: number): ProgressTest => ({
  name: `${blocks}-resident-blocks`,
  what: `each of ${blocks} blocks waits for all others`,
  blocks,
  threads: 32,
  body: `${firstThread}
  mov.b64 %place, %words;
  red.relaxed.gpu.global.add.u32 [%place], 1;
  mov.u32 %goal, %count;
${wait('END')}`,
});

/** Returns the tests with at most as many blocks. */
export const progressTests = (blocks: number): readonly ProgressTest[] => [
  ...[2, 16, 128, 1024, 4096, 16_384].filter((count) => count <= blocks).map(resident),
  {
    name: 'earlier-block',
    what: `each of ${blocks} blocks waits for the block before it`,
    blocks,
    threads: 32,
    body: `${firstThread}
  mov.u32 %goal, 1;
  mad.wide.u32 %place, %block, 4, %words;
  setp.eq.u32 %q, %block, 0;
  @%q bra SET;
  sub.u64 %place, %place, 4;
${wait('SEEN')}
  add.u64 %place, %place, 4;
SET:
  ${set}
END:`,
  },
  ...[
    { name: 'warps', what: 'the first warp of a block waits for the last', threads: 256 },
    { name: 'lanes', what: 'the first lane of a warp waits for the last', threads: 32 },
    { name: 'earlier-lane', what: 'the last lane of a warp waits for the first', threads: 32, isReverse: true },
  ].map(({ name, what, threads, isReverse = false }) => ({
    name,
    what,
    blocks: 1,
    threads,
    body: `  mov.u32 %goal, 1;
  mov.b64 %place, %words;
  setp.eq.u32 %q, %thread, ${isReverse ? 0 : threads - 1};
  @%q bra SET;
  setp.ne.u32 %q, %thread, ${isReverse ? threads - 1 : 0};
  @%q bra END;
${wait('SEEN')}
  bra END;
SET:
  ${set}
END:`,
  })),
  {
    name: 'lock-of-lanes',
    what: 'the lanes of a warp wait for one lock',
    blocks: 1,
    threads: 32,
    body: `  mov.u32 %polls, 0;
TRY:
  atom.relaxed.gpu.global.cas.b32 %word, [%words], 0, 1;
  setp.eq.u32 %q, %word, 0;
  @%q bra OWN;
  add.u32 %polls, %polls, 1;
  setp.lt.u32 %q, %polls, %limit;
  @%q bra TRY;
  red.relaxed.gpu.global.add.u32 [%out], 1;
  bra END;
OWN:
  atom.relaxed.gpu.global.exch.b32 %word, [%words], 0;
END:`,
  },
];

/** Runs a test with a limit of polls. Throws the executor's errors. */
export async function runProgress(
  test: ProgressTest,
  executor: KernelExecutor,
  limit: number,
  timeoutMs?: number,
): Promise<ProgressResult> {
  const buffer = (name: string, words: number) => ({ name, type: 'u32' as const, bytes: words * 4 });
  const sequence: LaunchSequence = {
    id: `progress:${test.name}`,
    buffers: [buffer('words', test.blocks + 1), { ...buffer('out', 1), result: {} }],
    prepare: [],
    steps: [
      {
        ptx: kernelText(test, limit),
        ptxFile: `${test.name}.ptx`,
        entry: 'progress',
        grid: [test.blocks, 1, 1],
        block: [test.threads, 1, 1],
        args: ['words', 'out'],
      },
    ],
  };
  const out = get(await runSequence(executor, sequence, 1, timeoutMs), 'out', 'the number of threads that gave up');
  return { test, gaveUp: new DataView(out.buffer, out.byteOffset).getUint32(0, true) };
}

const kernelText = ({ body }: ProgressTest, limit: number): string => `.version 8.7
.target sm_90
.address_size 64
.visible .entry progress(.param .u64 words, .param .u64 out)
{
  .reg .b64 %words, %out, %place;
  .reg .b32 %thread, %block, %count, %goal, %polls, %limit, %word;
  .reg .pred %q;
  ld.param.u64 %words, [words];
  ld.param.u64 %out, [out];
  cvta.to.global.u64 %words, %words;
  cvta.to.global.u64 %out, %out;
  mov.u32 %thread, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %count, %nctaid.x;
  mov.u32 %limit, ${limit};
${body}
  ret;
}
`;
