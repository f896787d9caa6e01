// Numbers of PTX.

/** The barriers of a block. */
export const blockBarriers = 16;
/** The warps of a warpgroup. */
export const groupWarps = 4;
