// The module around a suite's kernel.

interface Platform {
  readonly version: string;
  readonly target: string;
  readonly cluster?: boolean;
}

/**
 * PTX of a kernel `k`: its parameters' declarations as they stand in the parentheses, and its statements, a line each. With `cluster`, one that says
 * that its clusters have one block: natively, bulk copies between `shared::cta` and `shared::cluster`, `st.async` and `red.async` are illegal without.
 */
export const moduleText = (
  parameters: string,
  body: readonly string[],
  { version, target, cluster }: Platform = { version: '6.0', target: 'sm_70' },
): string =>
  [
    `.version ${version}`,
    `.target ${target}`,
    '.address_size 64',
    '',
    `.visible .entry k(${parameters})`,
    ...(cluster ? ['.explicitcluster', '.reqnctapercluster 1, 1, 1'] : []),
    '{',
    ...body.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
