// PTX for tests of the runtime.

const header = '.version 8.0\n.target sm_80\n.address_size 64\n';

/** Returns a module of unchanged variables and functions, followed by kernels. */
export const moduleOf = (...parts: readonly string[]): string => header + parts.join('\n');

/**
 * Returns a kernel that loads each parameter into a register with its name: `u64 out` is in `%out`.
 * %i is the number of the thread in the grid, and %at is four times this number, as 64 bits. There
 * are ten registers each of %r, %s, %f, %d and %p.
 */
export function kernelOf(name: string, params: readonly string[], body: string): string {
  const named = params.map((param) => {
    const [type = '', id = ''] = param.split(' ');
    return { type, id };
  });
  const list = named.map(({ type, id }) => `.param .${type} ${name}_${id}`).join(', ');
  const registers = named.map(({ type, id }) => `.reg .${type} %${id};`).join(' ');
  const loads = named.map(({ type, id }) => `ld.param.${type} %${id}, [${name}_${id}];`).join(' ');
  return `.visible .entry ${name}(${list})
{
  .reg .b32 %i, %block, %size, %thread, %r<10>; .reg .b64 %at, %s<10>; .reg .f32 %f<10>; .reg .f64 %d<10>; .reg .pred %p<10>;
  ${registers}
  ${loads}
  mov.u32 %block, %ctaid.x; mov.u32 %size, %ntid.x; mov.u32 %thread, %tid.x; mad.lo.u32 %i, %block, %size, %thread;
  mul.wide.u32 %at, %i, 4;
  ${body}
  ret;
}
`;
}

/** Adds a number to each element. */
export const addKernel = kernelOf(
  'add',
  ['u64 x', 'u32 n'],
  'add.s64 %s1, %x, %at; ld.global.u32 %r1, [%s1]; add.u32 %r1, %r1, %n; st.global.u32 [%s1], %r1;',
);

/** Copies a word from one pointer to another. */
export const copyKernel = kernelOf(
  'copy',
  ['u64 from', 'u64 to'],
  'add.s64 %s1, %from, %at; add.s64 %s2, %to, %at; ld.global.u32 %r1, [%s1]; st.global.u32 [%s2], %r1;',
);

/** The declarations that `printKernel` uses. */
export const printDeclarations = `.extern .func (.param .b32 printed) vprintf (.param .b64 format, .param .b64 values);
.global .align 1 .b8 format[4] = {37, 100, 10, 0};`;

/** Prints a number, `times` times, as `%d\n`. */
export const printKernel = (name: string): string =>
  kernelOf(
    name,
    ['u32 n', 'u32 times'],
    `.local .align 4 .b8 values[4]; mov.u64 %s1, values; cvta.local.u64 %s2, %s1; st.local.u32 [%s1], %n;
  mov.u64 %s3, format; cvta.global.u64 %s4, %s3; mov.u32 %r1, 0;
  AGAIN: { .param .b64 a; st.param.b64 [a], %s4; .param .b64 b; st.param.b64 [b], %s2; .param .b32 r; call.uni (r), vprintf, (a, b); ld.param.b32 %r2, [r]; }
  add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %times; @%p1 bra AGAIN;`,
  );
