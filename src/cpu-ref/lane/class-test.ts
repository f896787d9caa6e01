// Classification of floating-point values.
import type { LaneFunction } from '../types.ts';

/**
 * Returns the function of `testp` for a type. `classes` contains a test for each class, and `read`
 * returns the source. Zeros count as normal.
 * https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-instructions-testp
 */
export const classTest =
  <Value>(
    classes: Readonly<Record<string, (value: Value) => boolean>>,
    read: (sources: Parameters<LaneFunction>[1], index: number) => Value,
  ): LaneFunction =>
  (mods, sources) => {
    const isInClass = classes[mods.op ?? ''];
    if (isInClass === undefined) throw new Error(`'.${mods.op}' is not a class of testp.`);
    return [isInClass(read(sources, 0)) ? 1 : 0];
  };
