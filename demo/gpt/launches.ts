// The launches of a plan, and the forms that many of them have.

/** The name of a buffer, a whole number, or an f32. */
export type Argument = string | number | { readonly f32: number };

export interface PlannedLaunch {
  readonly kernel: string;
  readonly grid: readonly [x: number, y: number];
  readonly block: readonly [x: number, y: number];
  readonly args: readonly Argument[];
}

export const f32 = (value: number): Argument => ({ f32: Math.fround(value) });

/** Returns a launch with one thread for each element. */
export function flat(kernel: string, count: number, threads: number, args: readonly Argument[]): PlannedLaunch {
  return { kernel, grid: [Math.ceil(count / threads), 1], block: [threads, 1], args };
}

/** Returns a launch of one block of 256 threads. */
export const block = (kernel: string, args: readonly Argument[]): PlannedLaunch => ({
  kernel,
  grid: [1, 1],
  block: [256, 1],
  args,
});

/** Returns a launch with one warp for each row and four warps in a block. */
export const byRows = (kernel: string, rows: number, args: readonly Argument[]): PlannedLaunch => ({
  kernel,
  grid: [rows / 4, 1],
  block: [32, 4],
  args,
});
