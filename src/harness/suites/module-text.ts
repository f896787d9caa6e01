// The PTX module around a suite's kernel.

interface Platform {
  readonly version: string;
  readonly target: string;
  readonly cluster?: boolean;
}

/**
 * Returns the PTX of a kernel `k` with these parameter declarations, and one line for each
 * statement. `cluster` declares clusters of one block, which native hardware requires for
 * `st.async`, `red.async`, copies to several blocks, and bulk copies between `shared::cta` and
 * `shared::cluster`.
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
