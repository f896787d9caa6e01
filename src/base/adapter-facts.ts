// The driver and the WGSL compiler of an adapter, from its report.

/** The drivers that can be identified by an adapter's report. */
export const drivers = ['nvidia', 'swiftshader', 'lavapipe', 'other'] as const;
export type Driver = (typeof drivers)[number];

/** The WGSL compilers: Tint in Chrome, Edge and Dawn; naga in Firefox and wgpu. */
export const compilers = ['tint', 'naga'] as const;
export type Compiler = (typeof compilers)[number];

/**
 * The facts that an adapter and its host report about themselves. The fields that browsers hide are
 * empty.
 */
export interface AdapterFacts {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** The browser or library, such as `Chrome/156.0`, or a user agent; '' if it is unknown. */
  readonly host: string;
}

/** Returns the driver, or undefined if the adapter does not identify its vendor. */
export function driverOf({ vendor, architecture, device, description }: AdapterFacts): Driver | undefined {
  const names = [vendor, architecture, device, description].join(' ');
  const known = (
    [
      ['swiftshader', /swiftshader/i],
      ['lavapipe', /llvmpipe|lavapipe/i],
      ['nvidia', /nvidia|geforce/i],
    ] as const
  ).find(([, pattern]) => pattern.test(names));
  if (known !== undefined) return known[0];
  return /^(amd|apple|arm|broadcom|imgtec|img-tec|intel|qualcomm|samsung)$/i.test(vendor) ? 'other' : undefined;
}

/** Returns the WGSL compiler, or undefined for an unknown host. */
export function compilerOf({ host }: Pick<AdapterFacts, 'host'>): Compiler | undefined {
  if (/\b(firefox|deno)\//i.test(host)) return 'naga';
  return /chrom(e|ium)\/|^dawn\b|\bedg\//i.test(host) ? 'tint' : undefined;
}
