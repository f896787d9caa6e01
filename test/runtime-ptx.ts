// PTX for tests of the runtime.

const header = '.version 8.0\n.target sm_80\n.address_size 64\n';

/** Returns a module of unchanged variables and functions, followed by kernels. */
export const moduleOf = (...parts: readonly string[]): string => header + parts.join('\n');

/**
 * Returns a kernel that loads each parameter into a register of its name: `u64 out` is in `%out`.
 * %i is the thread's number in the grid, and %at is four times that, as 64 bits. %r, %s, %f, %d and
 * %p have ten registers each.
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
