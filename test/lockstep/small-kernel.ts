// Small kernels from a few lines of PTX: what becomes of them.
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import { type LanePlan, planFor, type TranslateResult, translate } from '../../src/translate/index.ts';
import { exactFloats } from './lockstep-executor.ts';

/// A module around a kernel's body. `%r0` is the lane's word of `data`, and the body's `%r1` is stored back unless it says otherwise.
export function smallKernel(body: string, { stores = '%r1' }: { readonly stores?: string } = {}): string {
  return `.version 8.0
.target sm_80
.address_size 64
.visible .entry small(.param .u64 data)
{
  .reg .pred %p<8>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [data];
  cvta.to.global.u64 %rd0, %rd0;
  mov.u32 %r15, %tid.x;
  mul.wide.u32 %rd1, %r15, 4;
  add.s64 %rd2, %rd0, %rd1;
  ld.global.u32 %r0, [%rd2];
${body}
  st.global.u32 [%rd2], ${stores};
  ret;
}
`;
}

export interface SmallOptions {
  readonly block?: readonly [number, number, number];
  readonly plan?: LanePlan;
  readonly entry?: string;
  readonly sharedBytes?: number;
  readonly observe?: (pass: string, text: string) => void;
}

export function translateText(ptx: string, options: SmallOptions = {}): TranslateResult {
  const { block = [32, 1, 1], plan = planFor(32), ...rest } = options;
  return translate(parsePtxOrThrow(ptx, { file: 'small.ptx' }), { block, plan, float: exactFloats, ...rest });
}

/// WGSL of the whole program. Throws the diagnostics' texts.
export function wgslOf(ptx: string, options: SmallOptions = {}): string {
  const { program, diagnostics } = translateText(ptx, options);
  if (!program) throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return program.code;
}

/// The statements of `main`, without comments and indentation.
export function statementsOf(code: string): string[] {
  const [, main = ''] = code.split(/fn main\(.*?\) \{\n/s);
  return main
    .trimEnd()
    .replace(/\}$/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
}
