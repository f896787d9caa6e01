// The PTX module around a suite's kernel.

interface Platform {
  readonly version: string;
  readonly target: string;
  readonly clusterBlocks?: number;
}

/**
 * Returns the PTX of a kernel `k` with these parameter declarations, and one line for each
 * statement. `clusterBlocks` declares clusters of so many blocks. Native hardware requires a cluster
 * for `st.async`, `red.async`, copies to several blocks, and bulk copies between `shared::cta` and
 * `shared::cluster`.
 */
export const moduleText = (
  parameters: string,
  body: readonly string[],
  { version, target, clusterBlocks }: Platform = { version: '6.0', target: 'sm_70' },
): string =>
  [
    `.version ${version}`,
    `.target ${target}`,
    '.address_size 64',
    '',
    `.visible .entry k(${parameters})`,
    ...(clusterBlocks === undefined ? [] : ['.explicitcluster', `.reqnctapercluster ${clusterBlocks}, 1, 1`]),
    '{',
    ...body.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
