// From PTX to IR: single instructions, guards, calls, control flow, and diagnostics.

import { describe, expect, it } from 'vitest';
import { parsePtxOrThrow } from '../../../../src/ptx/index.ts';
import { buildProgram } from '../../../../src/translate/build/index.ts';
import { CompileError } from '../../../../src/translate/diagnostics.ts';
import type { Program } from '../../../../src/translate/ir/nodes.ts';
import { printFunc } from '../../../../src/translate/ir/print.ts';
import { verifyProgram } from '../../../../src/translate/ir/verify.ts';

const header = '.version 8.0\n.target sm_80\n.address_size 64\n';

const kernel = (body: string, functions = ''): string => `${header}${functions}
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<8>;
  .reg .b16 %h<8>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
  .reg .f32 %f<8>;
  .shared .align 4 .b8 sh[64];
  ${body}
}
`;

function build(ptx: string): Program {
  const module = parsePtxOrThrow(ptx);
  const entry = module.functions.find(({ kind }) => kind === 'entry');
  if (entry === undefined) throw new Error('no kernel');
  const { program } = buildProgram(module, entry, { block: [64, 1, 1], dynamicShared: 0 });
  expect(verifyProgram(program)).toEqual([]);
  return program;
}

/** Returns the second block's instructions as text. */
const linesOf = (body: string): string[] =>
  printFunc(build(kernel(body)).kernel)
    .split('\n')
    .slice(4, -2)
    .map((line) => line.trim());

describe('instructions', () => {
  const table: readonly { readonly ptx: string; readonly ir: readonly string[] }[] = [
    {
      ptx: 'mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mad.lo.s32 %r3, %r1, %r2, %r1; mov.u32 %r4, %r3; st.shared.u32 [sh], %r4;',
      ir: [
        '%ctaid_x:i32 = special.i32 "%ctaid.x"',
        '%0:i32 = imul %ctaid_x, 64',
        '%r3:i32 = iadd %0, %ctaid_x',
        '%sh:i64 = symbol @sh 0',
        'store.i32 address(shared)[%sh], %r3',
      ],
    },
    {
      ptx: 'ld.param.u64 %rd1, [out]; ld.global.u8 %rd2, [%rd1+1]; st.global.u64 [%rd1], %rd2;',
      ir: [
        '%rd1:i64 = load.i64 param(0)[0]',
        '%0:i8 = load.i8 address(global)[%rd1 + 1]',
        '%rd2:i64 = zext.i64 %0',
        'store.i64 address(global)[%rd1], %rd2',
      ],
    },
    {
      ptx: 'ld.param.u64 %rd1, [out]; ld.global.s16 %rd2, [%rd1]; st.global.u8 [%rd1], %rd2;',
      ir: [
        '%rd1:i64 = load.i64 param(0)[0]',
        '%0:i16 = load.i16 address(global)[%rd1]',
        '%rd2:i64 = sext.i64 %0',
        '%1:i8 = trunc.i8 %0',
        'store.i8 address(global)[%rd1], %1',
      ],
    },
  ];
  for (const { ptx, ir } of table) {
    it(ptx, () => {
      expect(namesApart(linesOf(`${ptx} ret;`))).toEqual(namesApart([...ir, 'exit']));
    });
  }
});

/**
 * Renumbers values without a hint in the order of their first use, so that the printer's own
 * numbers do not matter.
 */
function namesApart(lines: readonly string[]): string[] {
  const names = new Map<string, string>();
  return lines.map((line) =>
    line.replaceAll(/%(\d+|\.\d+|v\d+)\b(?!\w)/g, (name) => {
      const known = names.get(name) ?? `%#${names.size}`;
      names.set(name, known);
      return known;
    }),
  );
}

describe('guards', () => {
  const operations = (body: string): readonly string[] =>
    build(kernel(`ld.param.u64 %rd1, [out]; setp.eq.u64 %p1, %rd1, 0; ${body} ret;`))
      .kernel.blocks.flatMap(({ insts }) => insts)
      .filter(({ span }) => span !== undefined)
      .map(
        ({ op, when, otherwise }) => `${op}${when ? ` when, else ${otherwise.map(({ kind }) => kind).join()}` : ''}`,
      );

  const table: readonly (readonly [string, readonly string[]])[] = [
    ['mov.u32 %r1, %laneid; @%p1 add.s32 %r1, %r1, 1; st.shared.u32 [sh], %r1;', ['special', 'iadd', 'select', 'symbol', 'store']],
    // The register has no previous value to keep.
    ['@%p1 mov.u32 %r1, %laneid; st.shared.u32 [sh], %r1;', ['special', 'symbol', 'store']],
    ['mov.u32 %r1, %laneid; @%p1 ld.global.u32 %r1, [%rd1]; st.shared.u32 [sh], %r1;', ['special', 'load when, else result', 'symbol', 'store']],
    ['mov.b64 %rd2, 1; @%p1 ld.global.u8 %rd2, [%rd1]; st.global.u64 [%rd1], %rd2;', ['load when, else undef', 'zext', 'select', 'store']],
    ['mov.u32 %r1, %laneid; @!%p1 st.shared.u32 [sh], %r1;', ['special', 'xor', 'symbol', 'store when, else ']],
    ['mov.u32 %r1, %laneid; @%p1 div.u32 %r1, %r1, %r1; st.shared.u32 [sh], %r1;', ['special', 'udiv when, else result', 'symbol', 'store']],
    // Both elements are loaded into one register. The first element is the old value of the second.
    ['mov.u32 %r1, 3; @%p1 ld.global.v2.u32 {%r1, %r1}, [%rd1]; st.shared.u32 [sh], %r1;', ['load when, else constant,undef', 'select', 'symbol', 'store']],
    ['mov.u32 %r1, 3; @%p1 shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1; st.shared.u32 [sh], %r1;', ['warp when, else constant,undef', 'symbol', 'store']],
    ['@%p1 bar.sync 0;', ['barrier when, else ']],
  ]; // biome-ignore format: a row a line
  for (const [ptx, ops] of table) {
    it(ptx, () => {
      expect(operations(ptx)).toEqual(['load', 'icmp', ...ops]);
    });
  }
});

const many = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n');
const chain = (count: number, last: string): string =>
  many(count, (step) => {
    const index = count - 1 - step;
    return `.func f${index}(.reg .b32 %a) { ${index === count - 1 ? last : `call.uni f${index + 1}, (%a);`} ret; }`;
  });

describe('calls', () => {
  const pointer = `.func (.param .b32 o) f(.param .align 4 .b8 given[8])
{ .reg .b64 %rd; .reg .b32 %r; mov.b64 %rd, given; ld.local.u32 %r, [%rd+4]; st.param.b32 [o], %r; ret; }`;
  const large = `.func (.reg .b32 %s) f(.reg .b32 %a) { mov.b32 %s, %a; ${many(60, (index) => `xor.b32 %s, %s, ${index + 1}; add.s32 %s, %s, %a;`)} ret; }`;
  const twice =
    'mov.u32 %r1, %laneid; call.uni (%r2), f, (%r1); call.uni (%r3), f, (%r2); st.shared.u32 [sh], %r3; ret;';
  const opsOf = (program: Program) => program.kernel.blocks.flatMap(({ insts }) => insts.map(({ op }) => op));

  it('of large functions stay calls', () => {
    const program = build(kernel(twice, large));
    expect(program.functions.map(({ name }) => name)).toEqual(['f']);
    expect(opsOf(program).filter((op) => op === 'call')).toHaveLength(2);
  });

  it('of functions with barriers are expanded', () => {
    const program = build(kernel(twice, large.replace('mov.b32', 'bar.sync 0; mov.b32')));
    expect(program.functions).toEqual([]);
    expect(opsOf(program).filter((op) => op === 'barrier')).toHaveLength(2);
  });

  it('pass a parameter in memory if its address is taken', () => {
    const body = `{ .param .align 4 .b8 p[8]; .param .b32 q; st.param.b64 [p], %rd1; call.uni (q), f, (p); ld.param.b32 %r1, [q]; }
      st.shared.u32 [sh], %r1; ret;`;
    const program = build(kernel(body, pointer));
    expect(program.variables.map(({ name, space }) => `${space} ${name}`)).toEqual(['local given', 'shared sh']);
    expect(opsOf(program)).toEqual(['symbol', 'store', 'symbol', 'store', 'symbol', 'load', 'symbol', 'store']);
  });

  it('nest 1300 deep', () => {
    const program = build(kernel('mov.u32 %r1, 1; call.uni f0, (%r1); ret;', chain(1300, '')));
    expect(program.functions).toEqual([]);
  });

  const doubling = many(30, (step) => {
    const index = 29 - step;
    return `.func f${index}(.reg .b32 %a) { ${index < 29 ? `call.uni f${index + 1}, (%a); call.uni f${index + 1}, (%a);` : 'bar.sync 0;'} ret; }`;
  });
  const cycle = `${many(5000, (index) => `.func f${index}(.reg .b32 %a);`)}
    ${many(5000, (index) => `.func f${index}(.reg .b32 %a) { call.uni f${(index + 1) % 5000}, (%a); ret; }`)}`;
  it('of 5,000 mutually recursive functions are built', () => {
    const program = build(kernel('mov.u32 %r1, 1; call.uni f0, (%r1); ret;', cycle));
    expect(program.variables.map(({ name }) => name)).toContain('call_stack');
  });

  const refused: readonly (readonly [string, string, string])[] = [
    ['that double at each step', doubling, 'LW2008'],
    ['that nest too deeply', chain(2500, ''), 'LW2009'],
  ];
  for (const [what, functions, code] of refused) {
    it(`${what} are refused`, () => {
      const ptx = kernel('mov.u32 %r1, 1; call.uni f0, (%r1); ret;', functions);
      const module = parsePtxOrThrow(ptx);
      const entry = module.functions.find(({ kind }) => kind === 'entry');
      const attempt = () => entry && buildProgram(module, entry, { block: [64, 1, 1], dynamicShared: 0 });
      expect(attempt).toThrow(CompileError);
      try {
        attempt();
      } catch (error) {
        expect(error instanceof CompileError && error.diagnostic.code).toBe(code);
      }
    });
  }
});

describe('large programs', () => {
  const shapes: readonly (readonly [string, string])[] = [
    ['30,000 instructions in a block', many(30000, (index) => `add.s32 %r1, %r1, ${index};`)],
    [
      '5,000 branches',
      many(5000, (index) => `setp.lt.s32 %p1, %r1, ${index};\n@%p1 bra L${index};\nadd.s32 %r1, %r1, 3;\nL${index}:`),
    ],
    [
      '4,000 loops',
      many(4000, (index) => `L${index}: add.s32 %r1, %r1, 3;\nsetp.lt.s32 %p1, %r1, ${index};\n@%p1 bra L${index};`),
    ],
    ['20 empty branches', many(20, (index) => `@%p1 bra L${index};\nL${index}:`)],
    [
      'a switch of 1,500 cases',
      `T: .branchtargets ${many(1500, (index) => `L${index}`).replaceAll('\n', ', ')};
       brx.idx %r1, T; ${many(1500, (index) => `L${index}: add.s32 %r1, %r1, ${index}; bra.uni E;`)} E:`,
    ],
  ];
  for (const [what, body] of shapes) {
    it(`${what} are built`, () => {
      const program = build(kernel(`mov.u32 %r1, %laneid; ${body} st.shared.u32 [sh], %r1; ret;`));
      expect(program.kernel.blocks.at(-1)?.end.kind).toBe('exit');
    });
  }

  it('a branch to the next instruction becomes a jump', () => {
    const program = build(kernel('ld.param.u64 %rd1, [out]; setp.eq.u64 %p1, %rd1, 0; @%p1 bra E; E: ret;'));
    expect(program.kernel.blocks.map(({ end }) => end.kind)).toEqual(['jump', 'jump', 'exit']);
  });
});
