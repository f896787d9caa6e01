// The registers of generated kernels.

/** Registers by what they hold: `r` 32 bits, `d` 64 bits, `h` 16 bits, `f` f32, `p` predicates, `x` 128 bits and `b` 8 bits, for a moment only. */
export const registerClasses = ['r', 'd', 'h', 'f', 'p', 'x', 'b'] as const;
export type RegisterClass = (typeof registerClasses)[number];

/** Data registers of each class, apart from those that the printer adds. */
export const registerCounts: Readonly<Record<RegisterClass, number>> = { r: 6, d: 3, h: 2, f: 3, p: 3, x: 0, b: 0 };
