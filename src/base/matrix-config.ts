/**
 * A shape and types of matrices that an adapter can multiply as subgroup matrices: M x K elements
 * times K x N elements.
 */
export interface MatrixConfig {
  /** The type of the factors' elements. */
  readonly component: MatrixElement;
  /** The type of the sums. */
  readonly result: MatrixElement;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /**
   * The matrix mode whose results float sums equal, bit by bit; undefined if they equal those of no
   * mode.
   */
  readonly sums?: 'hopper';
}

export const matrixElements = ['f32', 'f16', 'u32', 'i32', 'u8', 'i8'] as const;
export type MatrixElement = (typeof matrixElements)[number];

/** Describes a configuration as a text, such as `f16 16x8x16, f32 sums`. */
export const describeMatrix = ({ component, result, m, n, k, sums }: MatrixConfig): string =>
  `${component} ${m}x${n}x${k}, ${result} sums${sums ? ' as on sm_90' : ''}`;

/** Returns a valid configuration, or undefined for any other value. */
export function asMatrixConfig(
  value: Readonly<Record<Exclude<keyof MatrixConfig, 'sums'>, unknown>> & { readonly sums?: unknown },
): MatrixConfig | undefined {
  const { component, result, m, n, k, sums } = value;
  if (!isElement(component) || !isElement(result) || !isSize(m) || !isSize(n) || !isSize(k)) return undefined;
  if (sums === undefined) return { component, result, m, n, k };
  return sums === 'hopper' ? { component, result, m, n, k, sums } : undefined;
}

const isElement = (value: unknown): value is MatrixElement => matrixElements.some((element) => element === value);
const isSize = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0;
