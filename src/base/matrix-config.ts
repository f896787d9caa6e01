/** Products of subgroup matrices that an adapter supports: M x K times K x N elements. */
export interface MatrixConfig {
  /** The type of the factors' elements. */
  readonly component: MatrixElement;
  /** The type of the sums. */
  readonly result: MatrixElement;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  /** The matrix mode whose bits the sums of floats have; absent if they have others. */
  readonly sums?: 'hopper';
}

export const matrixElements = ['f32', 'f16', 'u32', 'i32', 'u8', 'i8'] as const;
export type MatrixElement = (typeof matrixElements)[number];

/** The text of a configuration, such as `f16 16x8x16, f32 sums`. */
export const describeMatrix = ({ component, result, m, n, k, sums }: MatrixConfig): string =>
  `${component} ${m}x${n}x${k}, ${result} sums${sums ? ' as on sm_90' : ''}`;

/** Returns a valid configuration; undefined for any other value. */
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
