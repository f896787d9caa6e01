// Writes PTX for measurements and tests: a kernel with a few given lines, in which each thread has
// one word of a buffer.

export interface WordKernelOptions {
  readonly name?: string;
  /** The number of `%r` registers. */
  readonly registers?: number;
  /**
   * The registers of the thread's number (`thread`), of its loaded word (`word`), and of the stored
   * result (`stores`).
   */
  readonly thread?: string;
  readonly word?: string;
  readonly stores?: string;
}

/**
 * Returns a module whose kernel has one parameter, the buffer `data`. The body may use `%p0` to
 * `%p8`, the `%r` registers, and `%rd3`. `%rd2` is the address of the thread's word.
 */
export function wordKernel(
  body: string,
  { name = 'kernel', registers = 16, thread = '%r15', word = '%r0', stores = '%r1' }: WordKernelOptions = {},
): string {
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry ${name}(.param .u64 data)
{
  .reg .pred %p<9>;
  .reg .b32 %r<${registers}>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [data];
  cvta.to.global.u64 %rd0, %rd0;
  mov.u32 ${thread}, %tid.x;
  mul.wide.u32 %rd1, ${thread}, 4;
  add.s64 %rd2, %rd0, %rd1;
  ld.global.u32 ${word}, [%rd2];
${body}
  st.global.u32 [%rd2], ${stores};
  ret;
}
`;
}
