// PTX parts for kernels of a chosen size.
import { wordKernel } from '../launches/word-kernel.ts';

export const list = (size: number, each: (index: number) => string, separator = '\n'): string =>
  Array.from({ length: size }, (_, index) => each(index)).join(separator);

export const shuffle = '  shfl.sync.bfly.b32 %r1, %r1, 1, 0x1f, -1;';
/**
 * Returns a kernel in which each thread loads its own word `%r0`, whose value compilers cannot
 * know.
 */
export const kernel = (body: string, registers = 16): string =>
  wordKernel(`  mov.b32 %r1, %r0;\n${body}`, { name: 'generated', registers });
export const head = '.version 8.0\n.target sm_80\n.address_size 64\n';
const register = (index: number): string => `%r${1 + (index % 63)}`;
const work = (index: number): string =>
  `  mad.lo.s32 ${register(index * 11)}, ${register(index * 5)}, ${register(index * 13)}, ${register(index)};`;
const fill = list(62, (index) => `  add.u32 %r${index + 2}, %r1, ${index * index};`);

/** Returns a kernel with one basic block of instructions, every tenth of which is a shuffle. */
export function instructionsKernel(instructions: number): string {
  const lines = list(instructions, (index) =>
    index % 10 === 9
      ? `  shfl.sync.bfly.b32 ${register(index * 11)}, ${register(index * 5)}, 1, 0x1f, -1;`
      : work(index),
  );
  const body = `${fill}\n${lines}`;
  return wordKernel(body, { name: 'generated', registers: 64, thread: '%r0', word: '%r1', stores: '%r5' });
}

export function nested(
  depth: number,
  open: (index: number) => string,
  inside: string,
  close: (index: number) => string,
) {
  return [list(depth, open), inside, list(depth, (index) => close(depth - 1 - index))].join('\n');
}

export const loopHead = (index: number): string => `  mov.u32 %r${index + 16}, 0;\nL${index}:`;
export const loopEnd = (index: number): string =>
  `  add.u32 %r${index + 16}, %r${index + 16}, 1;\n  setp.lt.u32 %p1, %r${index + 16}, %r0;\n  @%p1 bra L${index};`;

/**
 * Returns a kernel that calls a list of functions. `calls` returns the calls within a function, so
 * the functions may form a chain.
 */
export function functionsKernel(count: number, calls: (index: number) => string, body: string): string {
  const functions = list(count, (offset) => {
    const index = count - 1 - offset;
    return `.func (.param .b32 result) f${index}(.param .b32 given)
{
  .reg .pred %p1;
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [given];
  mad.lo.u32 %r1, %r1, ${2 * index + 3}, ${index};
  shr.u32 %r2, %r1, 3;
  xor.b32 %r1, %r1, %r2;
${calls(index)}  st.param.b32 [result], %r1;
  ret;
}`;
  });
  return kernel(body).replace(head, () => `${head}${functions}\n`);
}

export const call = (index: number): string =>
  `  { .param .b32 a; .param .b32 b; st.param.b32 [a], %r1; call (b), f${index}, (a); ld.param.b32 %r1, [b]; }\n`;

/** Returns a kernel that writes the second word of each variable and reads the first. */
export const localVariables = (count: number): string =>
  kernel(
    [
      list(count, (index) => `  .local .align 4 .b32 v${index}[2];`),
      list(
        count,
        (index) =>
          `  and.b32 %r2, %r0, 4;\n  cvt.u64.u32 %rd3, %r2;\n  st.local.u32 [v${index}+4], %r1;\n  ld.local.u32 %r1, [v${index}];`,
      ),
    ].join('\n'),
  );

export function manyParams(count: number, declare: (index: number) => string, body: string): string {
  const params = list(count, (index) => `, ${declare(index)}`, '');
  return kernel(body).replace('(.param .u64 data)', () => `(.param .u64 data${params})`);
}

/**
 * Returns a kernel with values that are defined before a loop nest, changed inside and read after
 * it.
 */
export function liveRoundLoops(count: number): string {
  const names = Array.from({ length: count }, (_, index) => `%r${index + 40}`);
  const make = names.map((name, index) => `  mad.lo.u32 ${name}, %r0, ${2 * index + 3}, %r0;`);
  const use = names.map((name) => `  xor.b32 %r1, %r1, ${name};`);
  const change = names.map((name) => `  add.u32 ${name}, ${name}, %r0;`);
  const loops = nested(8, loopHead, `${shuffle}\n${change.join('\n')}`, loopEnd);
  return kernel([...make, loops, ...use].join('\n'), count + 40);
}
