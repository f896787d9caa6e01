// Device functions that end threads and stay functions in WGSL: one of their results states which
// lanes have ended.
import { expect, test } from 'vitest';
import { get } from '../../../../src/base/invariants.ts';
import type { Launch } from '../../../../src/base/launch.ts';
import { drawn } from '../../../effort.ts';
import { compileCase } from '../../../filetests/compile-case.ts';
import { checkCase, expectedOf } from '../../../filetests/run-case.ts';
import { type Ending, everyPlan, planOf, type WgslCase } from '../../../filetests/wgsl-cases.ts';

/** Instructions that no lane executes. They make a function long enough to be kept. */
const long = Array.from({ length: 500 }, (_, index) => `xor.b32 %y, %y, ${index * 77 + 1}; mul.lo.u32 %y, %y, 3;`).join(
  '\n',
);

/** Functions that some threads do not leave. */
const endings = new Map<string, { readonly text: string; readonly ending: Ending }>(
  Object.entries({
    exit: { text: 'and.b32 %n, %k, 5; setp.eq.u32 %p, %n, 5; @%p exit;', ending: 'done' },
    'exit in a loop': {
      text: 'and.b32 %n, %k, 15; LOOP: setp.eq.u32 %p, %n, 9; @%p exit; add.u32 %n, %n, 2; add.u32 %y, %y, %n; setp.lt.u32 %p, %n, 14; @%p bra LOOP;',
      ending: 'done',
    },
    'exit of all lanes of one warp': { text: 'shr.u32 %n, %k, 5; setp.eq.u32 %p, %n, 1; @%p exit;', ending: 'done' },
    trap: { text: 'setp.eq.u32 %p, %k, 37; @%p trap;', ending: 'trap' },
    'a trap that no lane reaches': { text: 'setp.gt.u32 %p, %k, 6000; @%p trap;', ending: 'done' },
  }),
);

const call = 'call (%a), kept, (%a, %t);';
const store = 'st.global.u32 [%d], %a;';

/** The code of a kernel that calls `kept`, or `outer`, which calls it twice. */
const kernels = new Map(
  Object.entries({
    'a kernel without collectives': `${call} ${call} ${store}`,
    'votes after the calls': `${call} vote.sync.ballot.b32 %b, %p, -1; add.u32 %a, %a, %b; ${call} vote.sync.ballot.b32 %b, %p, -1; add.u32 %a, %a, %b; ${store}`,
    'calls in a loop around a vote': `mov.u32 %i, 0; LOOP: ${call} ${call} vote.sync.any.pred %q, %p, -1; selp.b32 %b, 3, 5, %q; add.u32 %a, %a, %b; add.u32 %i, %i, 1; setp.lt.u32 %q, %i, 3; @%q bra LOOP; ${store}`,
    'calls in one arm, and a vote after it': `@!%p bra ON; ${call} ON: ${call} vote.sync.ballot.b32 %b, %p, -1; add.u32 %a, %a, %b; ${store}`,
    'a barrier after the calls': `${call} ${call} ${store} bar.sync 0; ld.global.u32 %b, [%d]; add.u32 %a, %a, %b; ${store}`,
    'votes at different places': `@%p bra ELSE; ${call} vote.sync.ballot.b32 %b, %p, -1; bra ON; ELSE: ${call} add.u32 %a, %a, 7; vote.sync.ballot.b32 %b, %p, -1; ON: add.u32 %a, %a, %b; ${store}`,
    'calls from a function': `call (%a), outer, (%a, %t); vote.sync.ballot.b32 %b, %p, -1; call (%a), outer, (%a, %t); add.u32 %a, %a, %b; ${store}`,
  }),
);

const moduleOf = (end: string, kernel: string): string => `.version 8.0
.target sm_80
.address_size 64
.func (.reg .b32 %r) kept(.reg .b32 %x, .reg .b32 %k)
{
.reg .pred %p; .reg .b32 %y, %n;
mov.b32 %y, %x;
${end}
xor.b32 %y, %y, 0x9e3779b9;
setp.lt.u32 %p, %k, 6000; @%p bra END;
${long}
END: mov.b32 %r, %y;
ret;
}
.func (.reg .b32 %r) outer(.reg .b32 %x, .reg .b32 %k)
{
.reg .pred %p; .reg .b32 %y, %n;
call (%y), kept, (%x, %k);
xor.b32 %n, %k, 2;
call (%y), kept, (%y, %n);
setp.lt.u32 %p, %k, 6000; @%p bra END;
${long}
END: mov.b32 %r, %y;
ret;
}
.visible .entry k(.param .u64 data)
{
.reg .b32 %t, %a, %b, %i; .reg .b64 %d, %o; .reg .pred %p, %q;
ld.param.u64 %d, [data];
mov.u32 %t, %tid.x;
mul.wide.u32 %o, %t, 4;
add.s64 %d, %d, %o;
ld.global.u32 %a, [%d];
and.b32 %b, %t, 3;
setp.eq.u32 %p, %b, 1;
${kernel}
ret;
}
`;

const data = new Uint8Array(Uint32Array.from({ length: 64 }, (_, index) => index * 0x9e3779b1).buffer);
const caseOf = (title: string, ptx: string, ending: Ending): WgslCase => {
  const launch: Launch = {
    id: 'ending',
    group: '',
    ptx,
    ptxFile: 'ending.ptx',
    entry: 'k',
    grid: [1, 1, 1],
    block: [64, 1, 1],
    sharedBytes: 0,
    params: [{ name: 'data', kind: 'buffer', type: 'u32', bytes: data.length, data }],
  };
  return {
    title,
    plans: everyPlan,
    launch,
    ir: undefined,
    isEncoded: false,
    ends: ending,
    shows: 'mode',
    maxInvocations: undefined,
    maxWorkgroups: undefined,
  };
};

const pairs = [...endings.keys()].flatMap((end) => everyPlan.map((plan) => ({ end, plan })));
/**
 * All tests. Every kernel begins with a different pair of ending and plan, so that a short run
 * contains different pairs.
 */
const all = [...kernels.keys()].flatMap((kernel, index) =>
  [...pairs.slice(11 * index), ...pairs.slice(0, 11 * index)].map((pair) => ({ ...pair, kernel })),
);

/** A short run covers each kernel, with different endings and plans each time. */
test.each(drawn(all, 7, ({ kernel }) => kernel))('$end, $kernel ($plan)', ({ end, kernel, plan }) => {
  const { text, ending } = get(endings, end, 'an ending');
  const each = caseOf(`${end}, ${kernel}`, moduleOf(text, get(kernels, kernel, 'a kernel')), ending);
  const program = compileCase(each, planOf(plan));
  expect(program.code).toContain('fn kept(');
  checkCase(each, expectedOf(each), plan, program);
});

test('functions with traps that call each other twice become one WGSL function each', () => {
  const functions = Array.from({ length: 12 }, (_, index) => {
    const inner = index === 0 ? '' : `call (%y), f${index - 1}, (%y); call (%y), f${index - 1}, (%y);`;
    const code = Array.from({ length: 50 }, (_line, line) => `mad.lo.u32 %y, %y, %y, ${line};`).join('\n');
    return `.func (.reg .b32 %r) f${index}(.reg .b32 %x) { .reg .pred %p; .reg .b32 %y;
mov.b32 %y, %x; setp.eq.u32 %p, %y, ${index}; @%p trap; ${code} ${inner} mov.b32 %r, %y; ret; }`;
  });
  const kernel = `.visible .entry k(.param .u64 data) { .reg .b32 %a; .reg .b64 %d;
ld.param.u64 %d, [data]; ld.global.u32 %a, [%d]; call (%a), f11, (%a); st.global.u32 [%d], %a; ret; }`;
  const ptx = `.version 8.0\n.target sm_80\n.address_size 64\n${functions.join('\n')}\n${kernel}`;
  const { mode, code } = compileCase(caseOf('chain', ptx, 'done'), planOf('native'));
  expect(mode).toBe('threads');
  // Inlined, these functions would have more than 200,000 statements.
  expect(code.length).toBeLessThan(1_000_000);
});

test('many traps in a row do not nest', () => {
  const traps = Array.from({ length: 90 }, (_, index) => `setp.eq.u32 %p, %a, ${1000 + index}; @%p trap;`).join('\n');
  const ptx = `.version 8.0\n.target sm_80\n.address_size 64
.visible .entry k(.param .u64 data) { .reg .b32 %a; .reg .b64 %d; .reg .pred %p;
ld.param.u64 %d, [data]; ld.global.u32 %a, [%d]; ${traps} mul.lo.u32 %a, %a, 3; st.global.u32 [%d], %a; ret; }`;
  const each = caseOf('traps', ptx, 'done');
  const program = compileCase(each, planOf('native'));
  expect(program.mode).toBe('threads');
  checkCase(each, expectedOf(each), 'native', program);
});
