// Renders the diagnostics of PTX with mistakes.
import { parsePtx, renderDiagnostics } from '../../../src/ptx/index.ts';

export const render = (text: string) => {
  const { module, diagnostics } = parsePtx(text, { file: 'k.ptx' });
  const unsupported = module?.functions.flatMap(({ body }) =>
    body.flatMap((each) => (each.kind === 'unsupported' ? [each.diagnostic] : [])),
  );
  return `\n${renderDiagnostics({ file: 'k.ptx', text }, [...diagnostics, ...(unsupported ?? [])])}\n`;
};

const declarations = '.reg .pred %p<3>; .reg .b32 %r<9>; .reg .f32 %f<3>; .reg .b64 %rd<3>; .shared .b32 tile[32];';
/** Puts statements into a kernel with registers and memory for them. */
export const inKernel = (body: string, platform = '.version 7.0\n.target sm_80') =>
  `${platform}\n.address_size 64\n.visible .entry k(.param .u64 in)\n{\n\t${declarations}\n${body}\n\tret;\n}\n`;
