// Small kernels from a few lines of PTX: what becomes of them.
import { wordKernel } from '../../src/harness/launches/word-kernel.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import {
  type FloatProfile,
  type LanePlan,
  planFor,
  type TranslateResult,
  translate,
} from '../../src/translate/index.ts';
import { exactFloats } from './lockstep-executor.ts';

/** A module around a kernel's body. `%r0` is the lane's word of `data`, and the body's `%r1` is stored back unless it says otherwise. */
export function smallKernel(body: string, { stores = '%r1' }: { readonly stores?: string } = {}): string {
  return wordKernel(body, { name: 'small', stores });
}

export interface SmallOptions {
  readonly block?: readonly [number, number, number];
  readonly plan?: LanePlan;
  readonly float?: FloatProfile;
  readonly entry?: string;
  readonly sharedBytes?: number;
  readonly maxInvocations?: number;
  readonly maxWorkgroupBytes?: number;
  readonly observe?: (pass: string, text: string) => void;
}

export function translateText(ptx: string, options: SmallOptions = {}): TranslateResult {
  const { block = [32, 1, 1], plan = planFor(32), ...rest } = options;
  return translate(parsePtxOrThrow(ptx, { file: 'small.ptx' }), { block, plan, float: exactFloats, ...rest });
}

/** WGSL of the whole program. Throws the diagnostics' texts. */
export function wgslOf(ptx: string, options: SmallOptions = {}): string {
  const { program, diagnostics } = translateText(ptx, options);
  if (!program) throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return program.code;
}

/** The statements of `main`, without comments and indentation. */
export function statementsOf(code: string): string[] {
  const [, main = ''] = code.split(/fn main\(.*?\) \{\n/s);
  return main
    .trimEnd()
    .replace(/\}$/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
}
