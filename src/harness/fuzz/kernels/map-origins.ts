// Where the tensor maps of generated kernels are from.

/**
 * - `parameter`: the map is a parameter of the kernel.
 * - `global`: a thread changes fields of a map in global memory.
 * - `shared`: a thread changes fields of a copy in shared memory, which a warp copies back.
 * - `zeros`: as `shared`, but the map is zero before the changes.
 */
export const mapOrigins = ['parameter', 'global', 'shared', 'zeros'] as const;
export type MapOrigin = (typeof mapOrigins)[number];
