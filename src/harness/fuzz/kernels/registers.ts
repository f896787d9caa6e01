// The registers of generated kernels.

/**
 * The register classes: `r` 32 bits, `d` 64 bits, `h` 16 bits, `f` f32, `p` predicates; `x` 128
 * bits and `b` 8 bits are temporaries only.
 */
export const registerClasses = ['r', 'd', 'h', 'f', 'p', 'x', 'b'] as const;
export type RegisterClass = (typeof registerClasses)[number];

/** The number of data registers in each class, without those that the printer adds. */
export const registerCounts: Readonly<Record<RegisterClass, number>> = { r: 6, d: 3, h: 2, f: 3, p: 3, x: 0, b: 0 };
