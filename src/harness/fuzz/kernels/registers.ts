// The registers of generated kernels.

/**
 * The register classes: `r` for 32 bits, `d` for 64 bits, `h` for 16 bits, `f` for f32, `p` for
 * predicates. `x` for 128 bits and `b` for 8 bits are only used for temporaries.
 */
export const registerClasses = ['r', 'd', 'h', 'f', 'p', 'x', 'b'] as const;
export type RegisterClass = (typeof registerClasses)[number];

/** The number of data registers in each class, without those that the printer adds. */
export const registerCounts: Readonly<Record<RegisterClass, number>> = { r: 6, d: 3, h: 2, f: 3, p: 3, x: 0, b: 0 };
