// The module around a suite's kernel.

/// PTX of a kernel `k`: its parameters' declarations as they stand in the parentheses, and its statements, a line each.
export const moduleText = (
  parameters: string,
  body: readonly string[],
  { version, target }: { readonly version: string; readonly target: string } = { version: '6.0', target: 'sm_70' },
): string =>
  [
    `.version ${version}`,
    `.target ${target}`,
    '.address_size 64',
    '',
    `.visible .entry k(${parameters})`,
    '{',
    ...body.map((line) => `  ${line}`),
    '}',
    '',
  ].join('\n');
