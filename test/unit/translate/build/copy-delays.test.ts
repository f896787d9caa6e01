// Tests the delays of asynchronous copies: the number of barriers on every path before a copy
// completes.
import { expect, it } from 'vitest';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { type CopyDelay, copyDelays } from '../../../../src/translate/build/copy-delays.ts';
import { FunctionBody } from '../../../../src/translate/build/function-body.ts';

const statements: Readonly<Record<string, string>> = {
  copy: 'cp.async.cg.shared.global [%to], [%from], 16;',
  commit: 'cp.async.commit_group;',
  all: 'cp.async.wait_all;',
  barrier: 'bar.sync 0;',
  maybeBarrier: '@%p bar.sync 0;',
  maybeCommit: '@%p cp.async.commit_group;',
  arrive: 'cp.async.mbarrier.arrive.shared.b64 [%to];',
  repeat: '@%p bra START;',
  skip: '@%p bra END;',
  again: '@%p bra AGAIN;',
  outer: '@%p bra OUTER;',
  START: 'START:',
  AGAIN: 'AGAIN:',
  OUTER: 'OUTER:',
  END: 'END:',
};

/** Returns the delays of the copies in a kernel, in order. `wait N` leaves N groups pending. */
function delays(text: string): readonly CopyDelay[] {
  const code = text
    .replace(/wait (\d+)/g, 'wait$1')
    .split(' ')
    .map((word) => statements[word] ?? `cp.async.wait_group ${word.replace('wait', '')};`);
  const { functions } = parsePtxOrThrow(`.version 8.6
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .pred %p;
  .reg .b32 %to;
  .reg .b64 %from;
  .shared .align 16 .b8 tile[4096];
  ${code.join('\n  ')}
  ret;
}
`);
  const [kernel] = functions;
  if (kernel === undefined) throw new Error('no kernel');
  const body = new FunctionBody(kernel);
  const found = copyDelays(body.blocks);
  return body.blocks.flatMap(({ code }) => code.flatMap((instruction) => found.get(instruction) ?? []));
}

it.each<readonly [string, readonly number[]]>([
  ['copy commit wait 0 barrier', [0]],
  ['copy commit barrier barrier wait 0', [2]],
  ['copy commit barrier all', [1]],
  ['copy barrier barrier', [2]],
  // A wait for groups does not complete a copy in no group.
  ['copy barrier wait 0 barrier', [2]],
  ['copy barrier all barrier', [1]],
  ['copy commit barrier arrive', [1]],
  ['copy commit copy commit wait 1 barrier wait 0', [0, 1]],
  // An empty group counts as a group.
  ['copy commit commit wait 1 barrier', [0]],
  // A barrier under a condition may not execute.
  ['copy commit maybeBarrier barrier wait 0', [1]],
  ['copy maybeCommit barrier wait 0 barrier', [1]],
  ['copy commit skip barrier END wait 0', [0]],
  // A pipeline of two stages.
  ['START copy commit wait 1 barrier barrier repeat', [2]],
  // A copy also completes at the end of the kernel.
  ['START copy commit wait 2 barrier barrier repeat', [2]],
  // The loop may end after the copy.
  ['START wait 1 barrier barrier copy commit repeat wait 0', [0]],
  ['START wait 1 barrier barrier copy commit repeat barrier wait 0', [1]],
  ['barrier', []],
])('%s: %j', (text, expected) => {
  expect(delays(text).map(({ delay }) => delay)).toEqual(expected);
});

it.each<readonly [string, readonly number[]]>([
  ['copy commit barrier wait 0', [0]],
  // A wait after the loop does not count.
  ['START wait 1 barrier barrier copy commit repeat wait 0', [2]],
  ['START wait 1 barrier barrier copy commit repeat barrier wait 0', [2]],
  ['START barrier copy commit wait 0 repeat', [0]],
  ['START wait 0 barrier copy commit repeat', [0]],
  ['START barrier wait 0 barrier copy commit repeat', [1]],
  // The wait leaves the copy of the previous iteration pending.
  ['START wait 1 barrier copy commit repeat wait 0', [1]],
  // The second copy of an iteration may complete one iteration later than the first.
  ['START wait 3 barrier copy commit copy commit repeat wait 0', [1, 2]],
  ['START wait 2 barrier barrier copy commit copy commit repeat wait 0', [2, 2]],
  // A barrier under a condition may not execute.
  ['START wait 1 maybeBarrier barrier copy commit repeat', [1]],
  // The shortest path around the loop determines the delay.
  ['START barrier AGAIN wait 1 barrier copy commit repeat again wait 0', [1]],
  ['START wait 1 barrier skip barrier END copy commit repeat wait 0', [1]],
  // The copy is outside the loop.
  ['copy commit START barrier repeat wait 0', [0]],
  ['START barrier repeat copy commit barrier wait 0', [0]],
  // The outer loop waits.
  ['OUTER START wait 1 barrier copy commit repeat wait 0 outer', [0]],
])('around a loop: %s: %j', (text, expected) => {
  expect(delays(text).map(({ around }) => around)).toEqual(expected);
});
