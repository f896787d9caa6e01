// The cases of the switch over a program counter. Each case costs a driver as much as a block of
// the kernel.
import { expect, test } from 'vitest';
import { smallKernel, wgslOf } from '../../../lockstep/small-kernel.ts';

test('the code after a warp instruction is in the case that receives its results', () => {
  // Both arms reach the same shuffle, and lanes also wait at the votes in the arms.
  const body = `
    .reg .pred %q; .reg .b32 %v;
    setp.lt.u32 %q, %r0, 7;
    mov.u32 %r1, %r0;
    @%q bra THEN;
    vote.sync.ballot.b32 %v, %q, 0xffff0000;
    add.u32 %r1, %r1, %v;
    shfl.sync.bfly.b32 %r1, %r1, 1, 31, 0xffffffff;
    bra.uni DONE;
    THEN:
    vote.sync.ballot.b32 %v, %q, 0x0000ffff;
    xor.b32 %r1, %r1, %v;
    shfl.sync.bfly.b32 %r1, %r1, 1, 31, 0xffffffff;
    DONE:`;
  const cases = wgslOf(smallKernel(body)).match(/^ *case \d+u: \{/gm);
  // The entry, one case after each of four instructions, and the join of both arms.
  expect(cases).toHaveLength(6);
});
