// Kept functions with variables in local memory. The WGSL contains such a function once, and each
// lane has its own variables.
import { describe, expect, test } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { runOnCpu } from '../../../../src/cpu-ref/executor.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

/** Makes a function long enough to be kept. */
const long = Array.from({ length: 30 }, (_, index) => `xor.b32 %r2, %r2, ${index * 77 + 1}; mul.lo.u32 %r2, %r2, 3;`);

const registers = '.reg .pred %p<3>; .reg .b32 %r<12>; .reg .b64 %rd<9>;';

/** Returns a function of one word, and optionally of an address. */
const func = (name: string, body: string, address = false): string => `
.func (.param .b32 result) ${name}(.param .b32 word${address ? ', .param .b64 address' : ''}) {
  .local .align 8 .b8 frame[32];
  ${registers}
  ld.param.b32 %r1, [word];
  ${address ? 'ld.param.b64 %rd8, [address];' : ''}
  mov.b32 %r2, %r1;
  ${long.join('\n  ')}
  ${body}
  st.param.b32 [result], %r2;
  ret;
}`;

/** Calls a function with the word `%r2`, which is replaced by the result. */
const call = (name: string, address?: string): string => {
  const given = address === undefined ? '' : `.param .b64 b; st.param.b64 [b], ${address};`;
  return `{ .param .b32 a; .param .b32 d; ${given} st.param.b32 [a], %r2;
    call.uni (d), ${name}, (${address === undefined ? 'a' : 'a, b'}); ld.param.b32 %r2, [d]; }`;
};

/**
 * Returns a module with a kernel around the body. The kernel has a warp instruction, so some lane
 * plans run several lanes in one invocation.
 */
const kernel = (functions: string, body: string): string => `.version 8.0
.target sm_80
.address_size 64
${functions}
.visible .entry k(.param .u64 data) {
  .local .align 8 .b8 frame[32];
  ${registers}
  ld.param.u64 %rd6, [data];
  mov.u32 %r1, %tid.x;
  mad.wide.u32 %rd7, %r1, 4, %rd6;
  ld.global.u32 %r2, [%rd7];
  ${body}
  shfl.sync.bfly.b32 %r6, %r2, 1, 31, -1;
  xor.b32 %r2, %r2, %r6;
  st.global.u32 [%rd7], %r2;
  ret;
}`;

const twice = (name: string): string => `${call(name)} add.u32 %r2, %r2, %r1; ${call(name)}`;

const constantOffset = func(
  'f',
  `mov.u64 %rd1, frame; st.local.u32 [%rd1+4], %r2; st.local.u32 [%rd1+8], %r1;
  ld.local.u32 %r3, [%rd1+4]; ld.local.u32 %r4, [%rd1+8]; mad.lo.u32 %r2, %r3, 5, %r4;`,
);

const dynamicIndex = func(
  'f',
  `mov.u64 %rd1, frame; and.b32 %r3, %r1, 7; mad.wide.u32 %rd2, %r3, 4, %rd1;
  st.local.v4.u32 [%rd1], {%r1, %r2, %r1, %r2}; st.local.v4.u32 [%rd1+16], {%r2, %r1, %r2, %r2};
  st.local.u32 [%rd2], 77; xor.b32 %r4, %r3, 1; mad.wide.u32 %rd2, %r4, 4, %rd1; ld.local.u32 %r5, [%rd2];
  ld.local.u32 %r6, [%rd1+12]; mad.lo.u32 %r2, %r5, 3, %r6;`,
);

/** A function that adds to the word at a generic address. */
const adding = func(
  'g',
  'ld.u32 %r3, [%rd8]; add.u32 %r3, %r3, %r2; st.u32 [%rd8], %r3; st.u32 [%rd8+4], %r1; mov.b32 %r2, %r3;',
  true,
);

const passing = func(
  'f',
  `mov.u64 %rd1, frame; cvta.local.u64 %rd2, %rd1; st.local.u32 [%rd1+8], %r1; st.local.u32 [%rd1+20], 9;
  add.u64 %rd3, %rd2, 8; ${call('g', '%rd3')} add.u64 %rd3, %rd2, 16; ${call('g', '%rd3')}
  ld.local.u32 %r4, [%rd1+8]; ld.local.u32 %r5, [%rd1+12]; ld.local.u32 %r6, [%rd1+20];
  xor.b32 %r2, %r2, %r4; mad.lo.u32 %r2, %r5, 3, %r2; add.u32 %r2, %r2, %r6;`,
);

/** Functions that keep values in their variables during the calls, and so does the kernel. */
const nested = `${func('h', 'mov.u64 %rd1, frame; st.local.u32 [%rd1], %r2; ld.local.u32 %r3, [%rd1]; add.u32 %r2, %r3, 1;')}
${func(
  'f',
  `mov.u64 %rd1, frame; st.local.u32 [%rd1], %r1; ${call('h')} ld.local.u32 %r3, [%rd1]; xor.b32 %r2, %r2, %r3;
  ${call('h')} ld.local.u32 %r3, [%rd1]; add.u32 %r2, %r2, %r3;`,
)}`;

/** A kernel in which only some lanes call the function, each a different number of times. */
const divergent = `and.b32 %r5, %r1, 3; LOOP: setp.eq.u32 %p1, %r5, 0; @%p1 bra DONE; ${call('f')}
  sub.u32 %r5, %r5, 1; bra LOOP; DONE: shfl.sync.bfly.b32 %r6, %r2, 1, 31, -1; add.u32 %r2, %r2, %r6; ${call('f')}`;

/** A function that uses the address of its parameter. */
const addressedParam = `.func (.param .b32 result) f(.param .b32 word) {
  ${registers}
  mov.b64 %rd1, word; cvta.param.u64 %rd2, %rd1; ld.u32 %r2, [%rd2];
  ${long.join('\n  ')}
  st.param.b32 [result], %r2;
  ret;
}`;

const large = constantOffset
  .replace('frame[32]', 'frame[32]; .local .align 8 .b8 more[12000]')
  .replace(
    'mov.u64 %rd1, frame;',
    'mov.u64 %rd1, frame; mov.u64 %rd3, more; and.b32 %r5, %r1, 1023; mad.wide.u32 %rd3, %r5, 4, %rd3; st.local.u32 [%rd3], %r2; ld.local.u32 %r2, [%rd3];',
  );

const modules: Readonly<Record<string, readonly [functions: string, body: string]>> = {
  'constant offsets': [constantOffset, twice('f')],
  'a dynamic index': [dynamicIndex, twice('f')],
  'an address that is passed to a callee': [adding + passing, twice('f')],
  'the address of a variable of the kernel': [
    adding,
    `mov.u64 %rd1, frame; cvta.local.u64 %rd2, %rd1; st.local.u32 [%rd1+16], %r1; add.u64 %rd3, %rd2, 16;
    ${call('g', '%rd3')} ${call('g', '%rd3')} ld.local.u32 %r4, [%rd1+20]; xor.b32 %r2, %r2, %r4;`,
  ],
  'nested calls': [nested, `${twice('f')} ${call('h')}`],
  'calls in divergent loops beside a shuffle': [constantOffset, divergent],
  'a parameter whose address is taken': [addressedParam, twice('f')],
  'memory that is too large for variables': [large, twice('f')],
};

const launchOf = (ptx: string): Launch => {
  const data = new Uint8Array(Uint32Array.from({ length: 64 }, (_word, index) => index * 0x9e3779b1).buffer);
  const params = [{ name: 'data', kind: 'buffer', type: 'u32', bytes: data.length, data }] as const;
  return {
    id: 'frames',
    group: '',
    ptx,
    ptxFile: 'f.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [64, 1, 1],
    sharedBytes: 0,
    params,
  };
};

describe('a kept function with variables', () => {
  test.each(Object.entries(modules))('%s', async (_, [functions, body]) => {
    const ptx = kernel(functions, body);
    expect(wgslOf(ptx)).toMatch(/fn [fg]\(/);
    const launch = launchOf(ptx);
    const { outputs, failure } = runOnCpu(launch);
    expect(failure).toBeUndefined();
    for (const size of [1, 4, 32]) {
      expect((await lockstepExecutor(size).run(launch)).outputs, `on subgroups of ${size}`).toEqual(outputs);
    }
  });

  test('in a chain of calls, two at a time, costs its size once', async () => {
    const links = Array.from({ length: 12 }, (_, index) =>
      func(
        `f${index + 1}`,
        `mov.u64 %rd1, frame; st.local.u32 [%rd1], %r1; ${call(`f${index}`)} ${call(`f${index}`)}
        ld.local.u32 %r3, [%rd1]; xor.b32 %r2, %r2, %r3;`,
      ),
    );
    const code = wgslOf(kernel(constantOffset.replace(' f(', ' f0(') + links.join(''), call('f12')));
    expect(code.length).toBeLessThan(150 * 12 * 60);
  });
});
