// Kept functions: device functions that stay functions in WGSL, their arguments and their results.
import { expect, test } from 'vitest';
import { cpuExecutor } from '../../../../src/harness/executors/cpu-executor.ts';
import { lockstepExecutor } from '../../../lockstep/lockstep-executor.ts';
import { wgslOf } from '../../../lockstep/small-kernel.ts';

/** The instructions of a function that is long enough to be kept. */
const long = Array.from({ length: 60 }, (_, index) => `xor.b32 %y, %y, ${index * 77 + 1}; mul.lo.u32 %y, %y, 3;`).join(
  '\n',
);

const modules: Readonly<Record<string, string>> = {
  'a parameter that a branch may overwrite':
    'mov.b32 %y, %x; setp.lt.u32 %p, %k, 7; @%p bra ON; add.u32 %y, %k, 100; ON:',
  'a parameter that keeps its value on the path taken':
    'mov.b32 %y, %x; setp.ge.u32 %p, %k, 7; @%p bra ON; mul.lo.u32 %y, %k, 9; ON:',
  'a parameter that a loop counts down':
    'mov.b32 %y, %x; and.b32 %n, %k, 3; LOOP: setp.eq.u32 %p, %n, 0; @%p bra ON; add.u32 %y, %y, 5; sub.u32 %n, %n, 1; bra LOOP; ON:',
};

/** Functions that WGSL cannot express as functions. */
const jumping: Readonly<Record<string, string>> = {
  'a loop with two entries is inlined':
    'mov.b32 %y, %x; mov.b32 %n, 0; setp.lt.u32 %p, %k, 7; @%p bra IN; LOOP: add.u32 %n, %n, 1; add.u32 %y, %y, %n; IN: add.u32 %n, %n, 2; mul.lo.u32 %y, %y, 3; setp.lt.u32 %p, %n, 20; @%p bra LOOP;',
  'a function that nests too deeply is inlined': `mov.b32 %y, %x;
${Array.from({ length: 104 }, (_, i) => `setp.eq.u32 %p, %k, ${i}; @%p bra L${i}; xor.b32 %y, %y, ${i};`).join('\n')}
${Array.from({ length: 104 }, (_, i) => `mul.lo.u32 %y, %y, 5; L${103 - i}: add.u32 %y, %y, ${i};`).join('\n')}`,
};

test.each([
  ...Object.entries(modules).map(([name, body]) => [name, body, true] as const),
  ...Object.entries(jumping).map(([name, body]) => [name, body, false] as const),
])('%s', async (_, body, isKept) => {
  const ptx = `.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 %r) kept(.reg .b32 %x, .reg .b32 %k)
{
.reg .pred %p; .reg .b32 %y, %n;
${body}
${long}
mov.b32 %r, %y;
ret;
}
.visible .entry k(.param .u64 data)
{
.reg .b32 %t, %a, %b; .reg .b64 %d, %o;
ld.param.u64 %d, [data];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
add.s64 %d, %d, %o;
ld.global.u32 %a, [%d];
call (%b), kept, (%a, %t);
call (%a), kept, (%b, %a);
st.global.u32 [%d], %a;
ret;
}
`;
  expect(wgslOf(ptx).includes('fn kept(')).toBe(isKept);
  const data = new Uint8Array(Uint32Array.from({ length: 32 }, (_word, index) => index * 0x9e3779b1).buffer);
  const launch = {
    id: 'kept',
    group: '',
    ptx,
    ptxFile: 'kept.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [32, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: data.length, data }],
  } as const;
  const reference = await cpuExecutor().run(launch);
  for (const size of [32, 8]) {
    const { outputs } = await lockstepExecutor(size).run(launch);
    expect(outputs.get(0), `on subgroups of ${size}`).toEqual(reference.outputs.get(0));
  }
});
