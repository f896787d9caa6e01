// PTX of any size in shapes for which a translator could need superlinear time. `bench tool` and
// the growth tests translate them.

import {
  call,
  functionsKernel,
  head,
  instructionsKernel,
  kernel,
  list,
  liveRoundLoops,
  localVariables,
  loopEnd,
  loopHead,
  manyParams,
  nested,
  shuffle,
} from './shape-text.ts';

export { instructionsKernel } from './shape-text.ts';

/** A kernel shape of selectable size. */
export interface TranslationShape {
  readonly name: string;
  /** The counted unit. */
  readonly unit: string;
  /** The size at which the translation is timed. */
  readonly size: number;
  text(size: number): string;
}

export const translationShapes: readonly TranslationShape[] = [
  { name: 'one block', unit: 'instructions', size: 30_000, text: instructionsKernel },
  {
    name: 'loops before one shuffle',
    unit: 'loops',
    size: 4_000,
    text: (n) =>
      kernel(
        `${list(n, (index) => `L${index}:\n  add.u32 %r1, %r1, %r0;\n  setp.lt.u32 %p1, %r1, ${index * 7};\n  @%p1 bra L${index};`)}\n${shuffle}`,
      ),
  },
  {
    name: 'loops with a shuffle each',
    unit: 'loops',
    size: 1_000,
    text: (n) =>
      kernel(
        list(
          n,
          (index) =>
            `L${index}:\n  add.u32 %r1, %r1, %r0;\n${shuffle}\n  setp.lt.u32 %p1, %r1, ${index * 7};\n  @%p1 bra L${index};`,
        ),
      ),
  },
  {
    name: 'nested loops',
    unit: 'loops',
    size: 200,
    text: (n) => kernel(nested(n, loopHead, '  add.u32 %r1, %r1, %r0;', loopEnd), n + 16),
  },
  {
    name: 'values live round nested loops',
    unit: 'values',
    size: 2_000,
    text: liveRoundLoops,
  },
  { name: 'local variables', unit: 'variables', size: 5_000, text: localVariables },
  {
    name: 'targets of a brx.idx',
    unit: 'targets',
    size: 1_500,
    text: (n) =>
      kernel(
        [
          `  brx.idx %r0, T;\nT: .branchtargets ${list(n, (index) => `B${index}`, ', ')};`,
          list(n, (index) => `B${index}:\n  xor.b32 %r1, %r1, ${index * 3 + 1};\n  bra END;`),
          `END:\n${shuffle}`,
        ].join('\n'),
      ),
  },
  {
    name: 'targets that fall through',
    unit: 'targets',
    size: 1_500,
    text: (n) =>
      kernel(
        [
          `  brx.idx %r0, T;\nT: .branchtargets ${list(n, (index) => `B${index}`, ', ')};`,
          list(n, (index) => `B${index}:\n  mad.lo.u32 %r1, %r1, %r0, ${index * 3 + 1};`),
          shuffle,
        ].join('\n'),
      ),
  },
  {
    name: 'empty branches',
    unit: 'branches',
    size: 20_000,
    text: (n) =>
      kernel(
        list(
          n,
          (index) =>
            `  setp.gt.u32 %p1, %r1, ${index};\n  @%p1 bra E${index};\nE${index}:\n  add.u32 %r1, %r1, ${index};`,
        ),
      ),
  },
  {
    name: 'blocks',
    unit: 'blocks',
    size: 10_000,
    text: (n) =>
      kernel(
        list(
          n / 2,
          (index) =>
            `  setp.gt.u32 %p1, %r1, ${index};\n  @%p1 bra B${index};\n  mul.lo.u32 %r1, %r1, %r0;\n  st.global.u32 [%rd2], %r1;\nB${index}:\n  add.u32 %r1, %r1, ${index};`,
        ),
      ),
  },
  {
    name: 'blocks with shuffles',
    unit: 'blocks',
    size: 10_000,
    text: (n) =>
      kernel(
        list(
          n / 2,
          (index) =>
            `  setp.gt.u32 %p1, %r1, ${index};\n  @%p1 bra B${index};\n  mul.lo.u32 %r1, %r1, %r0;\n  st.global.u32 [%rd2], %r1;\nB${index}:\n${index % 10 === 0 ? shuffle : `  add.u32 %r1, %r1, ${index};`}`,
        ),
      ),
  },
  {
    name: 'blocks in no order',
    unit: 'blocks',
    size: 2_000,
    text: (n) =>
      kernel(
        [
          list(
            n,
            (index) =>
              `B${index}:\n  add.u32 %r1, %r1, %r0;\n  setp.gt.u32 %p1, %r1, ${index};\n  @%p1 bra B${(index * 7919 + 13) % n};`,
          ),
          shuffle,
        ].join('\n'),
      ),
  },
  {
    name: 'branches inside branches',
    unit: 'branches',
    size: 2_000,
    text: (n) =>
      kernel(
        nested(
          n,
          (index) => `  setp.gt.u32 %p1, %r1, ${index};\n  @%p1 bra N${index};\n  mul.lo.u32 %r1, %r1, %r0;`,
          shuffle,
          (index) => `  add.u32 %r1, %r1, ${index};\nN${index}:`,
        ),
      ),
  },
  {
    name: 'calls of tiny functions',
    unit: 'functions',
    size: 5_000,
    text: (n) => functionsKernel(n, () => '', list(n, call, '')),
  },
  {
    name: 'calls of one function',
    unit: 'calls',
    size: 5_000,
    text: (n) =>
      functionsKernel(
        1,
        () => '',
        list(n, () => call(0), ''),
      ),
  },
  {
    name: 'a chain of calls',
    unit: 'functions',
    size: 1_300,
    text: (n) => functionsKernel(n, (index) => (index + 1 < n ? call(index + 1) : ''), call(0)),
  },
  {
    name: 'a chain of calls in branches',
    unit: 'functions',
    size: 1_300,
    text: (n) =>
      functionsKernel(
        n,
        (index) =>
          index + 1 < n
            ? `  setp.gt.u32 %p1, %r1, ${index};\n  @%p1 bra END;\n${call(index + 1)}END:\n`
            : `  activemask.b32 %r1;\n`,
        call(0),
      ),
  },
  {
    name: 'values of an initialiser',
    unit: 'values',
    size: 60_000,
    text: (n) =>
      kernel('  mov.u64 %rd3, table;\n  ld.global.u32 %r1, [%rd3+8];').replace(
        head,
        () => `${head}.global .align 4 .u32 table[${n}] = {${list(n, (index) => String(index), ', ')}};\n`,
      ),
  },
  {
    name: 'braces of an initialiser',
    unit: 'levels',
    size: 60_000,
    text: (n) =>
      kernel('  mov.u64 %rd3, table;\n  ld.global.u32 %r1, [%rd3];').replace(
        head,
        () => `${head}.global .align 4 .u32 table${'[1]'.repeat(n)} = ${'{'.repeat(n)}7${'}'.repeat(n)};\n`,
      ),
  },
  {
    name: 'a long expression',
    unit: 'instructions',
    size: 30_000,
    text: (n) =>
      kernel(list(n, (index) => (index % 2 === 0 ? '  mul.lo.u32 %r1, %r1, %r0;' : '  xor.b32 %r1, %r1, %r0;'))),
  },
  {
    name: 'one value in many terms',
    unit: 'instructions',
    size: 20_000,
    text: (n) =>
      kernel(
        list(n, (index) => `  mad.lo.u32 %r${index + 16}, %r0, ${index + 3}, %r${index === 0 ? 0 : index + 15};`) +
          `\n  mov.b32 %r1, %r${n + 15};`,
        n + 16,
      ),
  },
  {
    name: '64-bit addresses',
    unit: 'accesses',
    size: 5_000,
    text: (n) =>
      kernel(
        list(
          n,
          (index) =>
            `  mad.lo.u32 %r2, %r1, ${index + 3}, %r0;\n  mul.wide.u32 %rd3, %r2, 4;\n  add.s64 %rd3, %rd0, %rd3;\n  ld.global.u32 %r1, [%rd3+${4 * index}];`,
        ),
      ),
  },
  {
    name: 'an address that grows',
    unit: 'additions',
    size: 10_000,
    text: (n) =>
      kernel(
        list(
          n,
          (index) =>
            `  add.s64 %rd2, %rd2, ${4 * (index % 7)};\n  mul.wide.u32 %rd3, %r1, 4;\n  add.s64 %rd2, %rd2, %rd3;\n  ld.global.u32 %r1, [%rd2];`,
        ),
      ),
  },
  {
    name: 'parameters',
    unit: 'parameters',
    size: 500,
    text: (n) =>
      manyParams(
        n,
        (index) => `.param .u32 p${index}`,
        list(n, (index) => `  ld.param.u32 %r2, [p${index}];\n  xor.b32 %r1, %r1, %r2;`),
      ),
  },
  {
    name: 'buffers',
    unit: 'parameters',
    size: 250,
    text: (n) =>
      manyParams(
        n,
        (index) => `.param .u64 p${index}`,
        list(n, (index) => `  ld.param.u64 %rd3, [p${index}];\n  ld.global.u32 %r2, [%rd3];\n  xor.b32 %r1, %r1, %r2;`),
      ),
  },
  {
    name: 'guarded instructions',
    unit: 'instructions',
    size: 10_000,
    text: (n) =>
      kernel(
        list(
          n,
          (index) =>
            `  setp.gt.u32 %p${index % 8}, %r1, ${index};\n  @%p${(index * 3) % 8} add.u32 %r1, %r1, %r0;\n  @%p${index % 8} st.global.u32 [%rd2], %r1;`,
        ),
      ),
  },
  {
    name: 'loops that both arms of a branch enter',
    unit: 'loops',
    size: 2_000,
    text: (size) =>
      kernel(
        list(
          size,
          (index) =>
            `  mov.u32 %r2, 1;\n  setp.gt.s32 %p1, %r0, ${index};\n  @%p1 bra L${index};\n  xor.b32 %r1, %r1, ${index + 1};\nL${index}:\n${shuffle}\n` +
            `  shl.b32 %r2, %r2, 1;\n  setp.le.u32 %p2, %r2, 1024;\n  @%p2 bra L${index};`,
        ),
      ),
  },
  {
    name: 'arithmetic between stores under conditions',
    unit: 'stores',
    size: 4_000,
    text: (size) =>
      kernel(
        list(size, (index) => {
          const [d, a, b] = [2 + (index % 11), 2 + ((index * 5) % 11), 2 + ((index * 7) % 11)];
          return (
            `  fma.rn.f32 %r${d}, %r${a}, %r${b}, %r1;\n  ex2.approx.f32 %r${a}, %r${d};\n  div.rn.f32 %r${b}, %r${a}, %r${d};\n` +
            `  setp.gt.f32 %p1, %r${b}, %r${d};\n  @%p1 st.global.f32 [%rd2+${4 * index}], %r${d};`
          );
        }),
      ),
  },
  {
    name: 'barriers',
    unit: 'barriers',
    size: 3_000,
    text: (n) =>
      kernel(
        `  .shared .align 4 .b32 s[64];\n  mov.u32 %r2, s;\n${list(n, (index) => `  st.shared.u32 [%r2+${4 * (index % 64)}], %r1;\n  bar.sync 0;\n  ld.shared.u32 %r1, [%r2+${4 * ((index * 7) % 64)}];`)}`,
      ),
  },
];
