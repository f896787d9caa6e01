// Diagnostics for wrong instructions. ptx-unsupported.test.ts covers unsupported ones.
import { describe, expect, test } from 'vitest';
import { inKernel, render } from './diagnostic-text.ts';

describe('opcodes', () => {
  test('a misspelled modifier', () =>
    expect(render(inKernel('\tshfl.sync.upp.b32 %r1|%p1, %r2, 1, 0, -1;'))).toMatchInlineSnapshot(`
      "
      k.ptx:7:11: error[PTX0502]: \`.upp\` is not a valid modifier of this form of \`shfl\`
      7 |     shfl.sync.upp.b32 %r1|%p1, %r2, 1, 0, -1;
        |              ^^^^
        = hint: did you mean \`.up\`?
      "
    `));
  test('a misspelled first word', () =>
    expect(render(inKernel('\tshlf.sync.up.b32 %r1, %r2, 1, 0, -1;'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:2: error[PTX0501]: unknown instruction \`shlf\`
    7 |     shlf.sync.up.b32 %r1, %r2, 1, 0, -1;
      |     ^^^^
      = hint: did you mean \`shfl\`?
    "
  `));
  test('a modifier that no form has', () =>
    expect(render(inKernel('\tadd.up.u32 %r1, %r2, 1;'))).toMatchInlineSnapshot(`
      "
      k.ptx:7:5: error[PTX0502]: \`.up\` is not a valid modifier of this form of \`add\`
      7 |     add.up.u32 %r1, %r2, 1;
        |        ^^^
        = hint: the forms are \`add{.sat}.type d, a, b\`, \`add.cc.type d, a, b\`, \`add{.rnd}{.ftz}{.sat}.f32 d, a, b\`, \`add{.rnd}.f64 d, a, b\`
      "
    `));
  test('a missing mode', () =>
    expect(render(inKernel('\tshfl.sync.b32 %r1, %r2, 1, 0, -1;'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:2: error[PTX0503]: \`shfl.sync.b32\` lacks its \`.mode\`
    7 |     shfl.sync.b32 %r1, %r2, 1, 0, -1;
      |     ^^^^^^^^^^^^^
      = hint: add one of \`.up\`, \`.down\`, \`.bfly\`, \`.idx\`
    "
  `));
  test('a missing operand', () =>
    expect(render(inKernel('\tshfl.sync.up.b32 %r1, %r2, 1, 0;'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:2: error[PTX0505]: \`shfl.sync.up.b32\` takes 5 operands, not 4
    7 |     shfl.sync.up.b32 %r1, %r2, 1, 0;
      |     ^^^^^^^^^^^^^^^^
      = hint: its form is \`shfl.sync.mode.b32 d[|p], a, b, c, membermask\`
    "
  `));
  test('an invalid combination of modifiers', () =>
    expect(render(inKernel('\tcvt.f32.s32 %f1, %r1;\n\tatom.shared.add.b32 %r1, [tile], 1;'))).toMatchInlineSnapshot(`
      "
      k.ptx:7:2: error[PTX0504]: \`cvt.f32.s32\`: integer to f32 needs a rounding mode
      7 |     cvt.f32.s32 %f1, %r1;
        |     ^^^^^^^^^^^
        = hint: write \`.rn\`, \`.rz\`, \`.rm\` or \`.rp\`

      k.ptx:8:2: error[PTX0504]: \`atom.shared.add.b32\`: there is no \`.add\` of \`.b32\`
      8 |     atom.shared.add.b32 %r1, [tile], 1;
        |     ^^^^^^^^^^^^^^^^^^^
        = hint: \`.add\` takes .u32, .s32, .u64, .f32, .f64, .f16, .f16x2, .bf16, .bf16x2
      "
    `));
});

describe('operands', () => {
  test('types', () =>
    expect(render(inKernel('\tadd.f32 %f1, %r2, %rd1;\n\t@%r1 bra L;\nL:'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:20: error[PTX0601]: \`%rd1\` is a \`.b64\` register, but \`.f32\` is required here
    6 |     .reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<3>; .shared .b32 tile[32];
      |                                                                   --- declared \`.b64\` here
    7 |     add.f32 %f1, %r2, %rd1;
      |                       ^^^^

    k.ptx:8:3: error[PTX0606]: \`%r1\` is a \`.b32\` register, but a guard is a predicate
    8 |     @%r1 bra L;
      |      ^^^
      = hint: compare it with \`setp\` first
    "
  `));
  test('constants', () =>
    expect(
      render(
        inKernel(
          '\tadd.u32 %r1, %r2, 0x1ffffffff;\n\tadd.f32 %f1, %f1, 1;\n\tadd.u32 5, %r1, %r2;\n\tmov.f32 %f1, 0f3f8;',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      k.ptx:7:20: warning[PTX0610]: this constant does not fit \`.u32\` (0 to 4294967295); its high bits are dropped
      7 |     add.u32 %r1, %r2, 0x1ffffffff;
        |                       ^^^^^^^^^^^

      k.ptx:8:20: error[PTX0608]: an integer constant is not valid as \`.f32\`
      8 |     add.f32 %f1, %f1, 1;
        |                       ^
        = hint: write a float: \`1.0\` or \`0f3f800000\`

      k.ptx:9:10: error[PTX0602]: a constant cannot be written to
      9 |     add.u32 5, %r1, %r2;
        |             ^
        = hint: a destination is a register

      k.ptx:10:15: error[PTX0104]: \`0f3f8\` is not a number
      10 |     mov.f32 %f1, 0f3f8;
         |                  ^^^^^
         = hint: \`0f\` requires exactly eight hexadecimal digits
      "
    `));
  test('addresses', () =>
    expect(
      render(inKernel('\tld.global.u32 %r1, [tile];\n\tld.global.u32 %r1, [%rd1-4];\n\tld.global.u32 %r1, %rd1;')),
    ).toMatchInlineSnapshot(`
      "
      k.ptx:7:22: error[PTX0614]: \`tile\` is in \`.shared\`, but the instruction accesses \`.global\`
      6 |…g .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<3>; .shared .b32 tile[32];
        |                                                                                 ---- declared here
      7 |     ld.global.u32 %r1, [tile];
        |                         ^^^^

      k.ptx:8:26: error[PTX0211]: an address accepts only \`+\`
      8 |     ld.global.u32 %r1, [%rd1-4];
        |                             ^
        = hint: write \`+-4\` for a negative offset

      k.ptx:9:21: error[PTX0611]: expected an address
      9 |     ld.global.u32 %r1, %rd1;
        |                        ^^^^
        = hint: write it in brackets: \`[%rd1+4]\`
      "
    `));
  test('special registers', () =>
    expect(
      render(
        inKernel(
          '\tadd.u32 %r1, %tid.x, 1;\n\tmov.u32 %r1, %tid;\n\tmov.u32 %r1, %lanid;\n\tmov.u32 %r1, %aggr_smem_size;',
        ),
      ),
    ).toMatchInlineSnapshot(`
      "
      k.ptx:7:15: error[PTX0623]: \`add.u32\` cannot read the special register \`%tid.x\`
      7 |     add.u32 %r1, %tid.x, 1;
        |                  ^^^^^^
        = hint: copy it first: \`mov.u32 %r, %tid.x;\`

      k.ptx:8:15: error[PTX0405]: \`%tid\` is a vector
      8 |     mov.u32 %r1, %tid;
        |                  ^^^^
        = hint: use one element: \`%tid.x\`

      k.ptx:9:15: error[PTX0404]: \`%lanid\` is neither a declared register nor a special register
      9 |     mov.u32 %r1, %lanid;
        |                  ^^^^^^
        = hint: did you mean \`%laneid\`?
      "
    `));
});

describe('names', () => {
  test('a register outside its range, reported once', () =>
    expect(render(inKernel('\tadd.u32 %r1, %r9, %r3;\n\tadd.u32 %r1, %r9, %r3;'))).toMatchInlineSnapshot(`
      "
      k.ptx:7:15: error[PTX0408]: \`%r9\` is not declared: \`%r<9>\` ends before it
      6 |     .reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<3>; .shared .b32 tile[32];
        |                                 -- declares \`%r0\` to \`%r8\`
      7 |     add.u32 %r1, %r9, %r3;
        |                  ^^^
      "
    `));
  test('labels', () =>
    expect(render(inKernel('LOOP:\n\tbra LOPP;\nLOOP:'))).toMatchInlineSnapshot(`
    "
    k.ptx:8:6: error[PTX0402]: label \`LOPP\` is not defined in this function
    8 |     bra LOPP;
      |         ^^^^
      = hint: did you mean \`LOOP\`?

    k.ptx:9:1: error[PTX0302]: label \`LOOP\` is defined twice
    7 | LOOP:
      | ---- first defined here
      ⋮
    9 | LOOP:
      | ^^^^
    "
  `));
  test('duplicate declarations', () =>
    expect(render(inKernel('\t.reg .u32 %r3;\n\t.reg .f32 %f<2>;'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:12: error[PTX0301]: \`%r3\` is declared twice
    6 |     .reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<3>; .shared .b32 tile[32];
      |                                 -- first declared here
    7 |     .reg .u32 %r3;
      |               ^^^

    k.ptx:8:12: error[PTX0301]: \`%f<2>\` is declared twice
    6 |     .reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<3>; .shared .b32 tile[32];
      |                                                  -- first declared here
      ⋮
    8 |     .reg .f32 %f<2>;
      |               ^^
    "
  `));
});

describe('diagnostics of versions and targets name the declaring line', () => {
  test('target', () =>
    expect(
      render(inKernel('\tmatch.any.sync.b32 %r1, %r2, -1;', '.version 6.0\n.target sm_60')),
    ).toMatchInlineSnapshot(`
      "
      k.ptx:7:2: error[PTX0702]: \`match.any.sync.b32\` needs sm_70; this module declares sm_60
      2 | .target sm_60
        | ------------- sm_60 is declared here
        ⋮
      7 |     match.any.sync.b32 %r1, %r2, -1;
        |     ^^^^^^^^^^^^^^^^^^
        = hint: write \`.target sm_70\` or higher
      "
    `));
  test('version', () =>
    expect(render(inKernel('\tactivemask.b32 %r1;', '.version 6.0\n.target sm_60'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:2: error[PTX0701]: \`activemask.b32\` needs PTX 6.2; this module declares 6.0
    1 | .version 6.0
      | ------------ PTX 6.0 is declared here
      ⋮
    7 |     activemask.b32 %r1;
      |     ^^^^^^^^^^^^^^
      = hint: write \`.version 6.2\` or later
    "
  `));
  test('architecture-specific', () =>
    expect(
      render(inKernel('\tredux.sync.min.f32 %f1, %f2, -1;', '.version 8.6\n.target sm_100')),
    ).toMatchInlineSnapshot(`
      "
      k.ptx:7:2: error[PTX0702]: \`redux.sync.min.f32\` needs sm_100a; this module declares sm_100
      2 | .target sm_100
        | -------------- sm_100 is declared here
        ⋮
      7 |     redux.sync.min.f32 %f1, %f2, -1;
        |     ^^^^^^^^^^^^^^^^^^
        = hint: write \`.target sm_100a\`: this instruction is architecture-specific, so higher targets do not include it
      "
    `));
  test('removed', () =>
    expect(render(inKernel('\tshfl.up.b32 %r1|%p1, %r2, 1, 0;'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:2: error[PTX0703]: \`shfl.up.b32\` was removed in PTX 6.4 for sm_70 and higher
    1 | .version 7.0
      | ------------ this version lacks the instruction
    2 | .target sm_80
      | ------------- for this target
      ⋮
    7 |     shfl.up.b32 %r1|%p1, %r2, 1, 0;
      |     ^^^^^^^^^^^
      = hint: use \`shfl.sync\`
    "
  `));
  test('deprecated', () =>
    expect(render(inKernel('\tvote.ballot.b32 %r1, %p1;', '.version 6.3\n.target sm_70'))).toMatchInlineSnapshot(`
      "
      k.ptx:7:2: warning[PTX0708]: \`vote.ballot.b32\` may return unpredictable results on sm_70 and higher
      2 | .target sm_70
        | ------------- for this target
        ⋮
      7 |     vote.ballot.b32 %r1, %p1;
        |     ^^^^^^^^^^^^^^^
        = hint: use \`vote.sync.ballot\`
      "
    `));
  test('a target newer than the version', () =>
    expect(render('.version 6.0\n.target sm_80\n')).toMatchInlineSnapshot(`
    "
    k.ptx:2:1: error[PTX0707]: target sm_80 needs PTX 7.0; this module declares 6.0
    1 | .version 6.0
      | ------------ PTX 6.0 is declared here
    2 | .target sm_80
      | ^^^^^^^^^^^^^
      = hint: write \`.version 7.0\` or later
    "
  `));
});

test('selectors, signs and third operands of video instructions', () =>
  expect(
    render(
      inKernel(
        [
          'vadd.u32.u32.u32 %r1, %r2.b4, %r3;',
          'vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4;',
          'vadd.u32.u32.u32.min %r1.b0, %r2, %r3, %r4;',
          'vadd.u32.u32.u32 %r1, %r2, %r3, %r4;',
          'vmad.u32.u32.u32.po %r1, -%r2, %r3, %r4;',
        ]
          .map((line) => `\t${line}`)
          .join('\n'),
      ),
    ),
  ).toMatchInlineSnapshot(`
    "
    k.ptx:7:24: error[PTX0633]: \`.b4\` is not a valid selector here
    7 |     vadd.u32.u32.u32 %r1, %r2.b4, %r3;
      |                           ^^^^^^
      = hint: a selector of this operand is \`.b0\` to \`.b3\`, \`.h0\` or \`.h1\`

    k.ptx:8:20: error[PTX0633]: \`.b01\` is not a valid selector here
    8 |     vadd4.u32.u32.u32 %r1.b01, %r2, %r3, %r4;
      |                       ^^^^^^^
      = hint: a selector of this operand is \`.b\` and digits of 3 to 0, descending

    k.ptx:9:2: error[PTX0504]: \`vadd.u32.u32.u32.min\`: \`.min\` and a part of the destination exclude each other
    9 |     vadd.u32.u32.u32.min %r1.b0, %r2, %r3, %r4;
      |     ^^^^^^^^^^^^^^^^^^^^

    k.ptx:10:2: error[PTX0504]: \`vadd.u32.u32.u32\`: a third operand goes with a second operation or a part of the destination
    10 |     vadd.u32.u32.u32 %r1, %r2, %r3, %r4;
       |     ^^^^^^^^^^^^^^^^

    k.ptx:11:2: error[PTX0504]: \`vmad.u32.u32.u32.po\`: \`.po\` takes no negated operands
    11 |     vmad.u32.u32.u32.po %r1, -%r2, %r3, %r4;
       |     ^^^^^^^^^^^^^^^^^^^
    "
  `));

describe('constants added to registers', () => {
  test.each([
    ['mov.u32 %r1, %tid.x+1;', '%tid.x+1'],
    ['mov.f32 %f1, %f2+1;', '%f2+1'],
    ['mov.b64 %rd1, {%r1+1, %r2};', '%r1+1'],
    ['ld.shared.u32 %r1+1, [tile];', '%r1+1'],
    ['call callee, (%r1+1);', '%r1+1'],
  ])('%s is rejected', (statement, operand) => {
    const callee = '.func callee(.reg .b32 a) { ret; }\n.visible .entry';
    const text = render(inKernel(`\t${statement}`).replace('.visible .entry', callee));
    expect(text).toContain('error[PTX0631]');
    expect(text).toContain(operand);
  });
  test('an addition to a register of another kind', () =>
    expect(render(inKernel('\tst.shared.f32 [tile], %f2+1;'))).toMatchInlineSnapshot(`
      "
      k.ptx:7:24: error[PTX0631]: a constant can be added only to registers with 16, 32 or 64 integer bits: \`%f2\` is \`.f32\`
      7 |     st.shared.f32 [tile], %f2+1;
        |                           ^^^^^
        = hint: add it first, with \`add\`
      "
    `));
});

test('diagnostics of constants and parameters name their state space', () =>
  expect(render(inKernel('\tld.u64 %rd1, [in];'))).toMatchInlineSnapshot(`
    "
    k.ptx:7:16: error[PTX0614]: \`in\` is in \`.param\`, but the instruction names no state space
    4 | .visible .entry k(.param .u64 in)
      |                               -- declared here
      ⋮
    7 |     ld.u64 %rd1, [in];
      |                   ^^
      = hint: without one it accesses only variables in \`.global\`, \`.shared\` or \`.local\` by name: add \`.param\` if it has that form
    "
  `));
