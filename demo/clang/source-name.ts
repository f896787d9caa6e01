/** The name of the page's CUDA source for the compiler. */
export const sourceName = 'kernel.cu';
