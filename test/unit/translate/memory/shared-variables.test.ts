// Values that share a WGSL variable are never live together: loops whose values are swapped, old
// values that are read after new ones are computed, and guards. Every control mode is compared with
// the reference interpreter, on subgroups of 32 and of other sizes.
import { describe, expect, it } from 'vitest';
import type { Launch } from '../../../../src/base/launch.ts';
import { inTurn } from '../../../effort.ts';
import { checkMembers, type MemberCase, memberLaunch } from '../../../lockstep/member-kernels.ts';
import { smallKernel, statementsOf, wgslOf } from '../../../lockstep/small-kernel.ts';

/** Loop bodies: the assignments to `%r1` to `%r4` in each iteration. */
const rounds: readonly (readonly [name: string, body: string])[] = [
  ['two values are swapped', 'mov.u32 %r5, %r1; mov.u32 %r1, %r2; mov.u32 %r2, %r5;'],
  [
    'four values rotate',
    'mov.u32 %r5, %r1; mov.u32 %r1, %r2; mov.u32 %r2, %r3; mov.u32 %r3, %r4; add.u32 %r4, %r5, 1;',
  ],
  ['one value follows another', 'mov.u32 %r4, %r3; mov.u32 %r3, %r2; mov.u32 %r2, %r1; add.u32 %r1, %r1, %r4;'],
  ['two values become each other plus a number', 'add.u32 %r5, %r1, %r2; sub.u32 %r2, %r1, %r2; mov.u32 %r1, %r5;'],
  ['an old value is read after the new one', 'mov.u32 %r3, %r1; mad.lo.u32 %r1, %r1, 3, %r2; add.u32 %r4, %r4, %r3;'],
  [
    'some lanes keep a value',
    'and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 add.u32 %r1, %r2, 7; add.u32 %r2, %r2, %r1;',
  ],
  [
    'some lanes keep a loaded value',
    'and.b32 %r5, %r1, 1; setp.eq.u32 %p1, %r5, 0; @%p1 ld.global.u32 %r2, [%in]; @%p1 ld.global.u32 %r3, [%in]; add.u32 %r1, %r1, %r2;',
  ],
  [
    'each arm assigns a value',
    `and.b32 %r5, %r1, 3; setp.eq.u32 %p1, %r5, 0;
  @%p1 bra ARM;
  mov.u32 %r2, %r1; add.u32 %r1, %r1, %r3;
  bra MEET;
ARM:
  mov.u32 %r3, %r2; add.u32 %r2, %r1, 5;
MEET:`,
  ],
  [
    'an inner loop changes a value of the outer one',
    `and.b32 %r6, %r1, 3;
AGAIN:
  mov.u32 %r5, %r1; add.u32 %r1, %r2, %r6; mov.u32 %r2, %r5;
  sub.u32 %r6, %r6, 1; setp.lt.s32 %p1, %r6, 0;
  @!%p1 bra AGAIN;`,
  ],
  [
    'conditions are swapped',
    'mov.pred %p3, %p4; setp.lt.u32 %p4, %r1, %r2; selp.u32 %r5, 3, 4, %p3; add.u32 %r1, %r1, %r5;',
  ],
];

const start = `  mov.u32 %r1, %x; add.u32 %r2, %x, 10; mul.lo.u32 %r3, %x, 5; mov.u32 %r4, %me; mov.u32 %r0, 0;
  setp.gt.u32 %p3, %me, 7; setp.gt.u32 %p4, %me, 20;`;
const next = '  add.u32 %r0, %r0, 1; mad.lo.u32 %r7, %r7, 31, %r1;';
const end = `  mad.lo.u32 %r, %r1, 3, %r2; mad.lo.u32 %r, %r, 3, %r3; mad.lo.u32 %r, %r, 3, %r4; mad.lo.u32 %r, %r, 3, %r7;
  selp.u32 %r7, 1, 2, %p3; add.u32 %r, %r, %r7;`;

type Mode = MemberCase['mode'] | 'threads';

/** Loops around a body, one for each control mode. */
const ways: readonly (readonly [name: string, mode: Mode, kernel: (body: string) => string])[] = [
  [
    'a trip count that differs by lane',
    'threads',
    (body) => `${start} mov.u32 %r7, %x; and.b32 %r8, %x, 7;
LOOP:
  ${body}
${next} setp.lt.u32 %p2, %r0, %r8;
  @%p2 bra LOOP;
${end}`,
  ],
  [
    'around a shuffle',
    'structured',
    (body) => `${start} mov.u32 %r7, %x;
LOOP:
  ${body}
  shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1; add.u32 %r3, %r3, %r9;
${next} setp.lt.u32 %p2, %r0, 5;
  @%p2 bra LOOP;
${end}`,
  ],
  [
    'around a vote of the remaining lanes',
    'structured',
    (body) => `${start} mov.u32 %r7, %x; and.b32 %r8, %lane, 7;
LOOP:
  ${body}
  activemask.b32 %r9; add.u32 %r3, %r3, %r9;
${next} setp.lt.u32 %p2, %r0, %r8;
  @%p2 bra LOOP;
${end}`,
  ],
  [
    'with two entries',
    'dispatch',
    (body) => `${start} mov.u32 %r7, %x; and.b32 %r8, %x, 7; setp.lt.u32 %p2, %r8, 3;
  @%p2 bra INSIDE;
LOOP:
  ${body}
  div.u32 %r4, %r4, 3;
INSIDE:
${next} add.u32 %r2, %r2, %r3; setp.lt.u32 %p2, %r0, %r8;
  @%p2 bra LOOP;
${end}`,
  ],
  [
    'around a shuffle that lanes reach from two places',
    'dispatch',
    (body) => `${start} mov.u32 %r7, %x;
LOOP:
  ${body}
  and.b32 %r8, %r1, 1; setp.eq.u32 %p2, %r8, 0;
  @%p2 bra OTHER;
  shfl.sync.bfly.b32 %r9, %r1, 1, 31, -1; add.u32 %r3, %r3, %r9;
  bra BOTH;
OTHER:
  shfl.sync.bfly.b32 %r10, %r2, 1, 31, -1; add.u32 %r4, %r4, %r10;
BOTH:
${next} setp.lt.u32 %p2, %r0, 5;
  @%p2 bra LOOP;
${end}`,
  ],
];

const launchOf = (body: string): Launch => memberLaunch(body, [64, 1, 1]);

/** A short run covers half of the bodies in each mode. */
const nextRounds = inTurn(rounds, 5);

describe.each(ways)('%s', (_, mode, kernel) => {
  it.each(nextRounds())('%s', async (_name, body) => {
    await checkMembers(launchOf(kernel(body)), mode);
  });
});

describe('variables', () => {
  const variablesOf = (code: string): number => code.match(/^ {2}var /gm)?.length ?? 0;

  it('a loop increments its counter in place', () => {
    const code = wgslOf(
      smallKernel('LOOP:\n add.u32 %r1, %r1, %r0; sub.u32 %r0, %r0, 1; setp.ne.u32 %p1, %r0, 0;\n @%p1 bra LOOP;'),
    );
    const statements = statementsOf(code);
    expect(statements.slice(statements.indexOf('loop {'))).toEqual([
      'loop {',
      'r1 = r1 + r0;',
      'r0 = r0 - 1u;',
      'let p1 = r0 != 0u;',
      'if (!p1) { break; }',
      '}',
      'data[tid.x] = r1;',
    ]);
  });

  it.each([20, 200])('a dispatched kernel of %i nested conditions has as many variables as one of ten', (count) => {
    const nested = (depth: number) => {
      const levels = Array.from({ length: depth }, (_, level) => level);
      return [
        'setp.gt.u32 %p2, %r0, 5;\n@%p2 bra SECOND;\nFIRST: add.u32 %r0, %r0, 1;\nSECOND: add.u32 %r0, %r0, 2;',
        'setp.lt.u32 %p2, %r0, 20;\n@%p2 bra FIRST;',
        ...levels.map((level) => `setp.gt.s32 %p1, %r0, ${level};\n@%p1 bra N${level};\nadd.s32 %r0, %r0, %r15;`),
        ...levels.reverse().map((level) => `N${level}: xor.b32 %r0, %r0, ${level + 1};`),
      ].join('\n');
    };
    const code = (depth: number) => wgslOf(smallKernel(nested(depth), { stores: '%r0' }));
    expect(variablesOf(code(count))).toBe(variablesOf(code(10)));
  });

  it('a dispatched kernel reuses the variables of dead values', () => {
    const exchange = (index: number) => `  shfl.sync.bfly.b32 %r1, %r0, ${index}, 31, -1;
  mul.lo.u32 %r2, %r1, %r0; add.u32 %r3, %r0, ${index};
  shfl.sync.bfly.b32 %r4, %r3, 1, 31, -1;
  mad.lo.u32 %r0, %r2, %r4, %r3;`;
    const kernel = (count: number): string =>
      smallKernel(
        `  and.b32 %r9, %r0, 1; setp.eq.u32 %p1, %r9, 0;
  @%p1 bra OTHER;
${Array.from({ length: count }, (_, index) => exchange(index)).join('\n')}
OTHER:
  shfl.sync.bfly.b32 %r1, %r0, 1, 31, -1;`,
      );
    const few = wgslOf(kernel(2));
    const many = wgslOf(kernel(20));
    expect(variablesOf(many)).toBe(variablesOf(few));
  });
});
