// Formats rates of work per second.

export const units = ['lane operations', 'bytes', 'flop', 'keys', 'launches'] as const;
export type Unit = (typeof units)[number];

/**
 * Formats a rate with a prefix for a power of a thousand, such as `8.17 Tops/s` or `3,950 GB/s`.
 */
export function rateText(rate: number, unit: Unit): string {
  switch (unit) {
    case 'lane operations':
      return `${scaled(rate / 1e9)} Gop/s`;
    case 'bytes':
      return `${scaled(rate / 1e9)} GB/s`;
    case 'flop':
      return `${scaled(rate / 1e9)} Gflop/s`;
    case 'keys':
      return `${scaled(rate / 1e6)} Mkeys/s`;
    case 'launches':
      return `${scaled(rate / 1e3)} klaunches/s`;
  }
}

function scaled(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
