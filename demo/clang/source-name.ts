/** The name under which the compiler receives the page's CUDA source. */
export const sourceName = 'kernel.cu';
