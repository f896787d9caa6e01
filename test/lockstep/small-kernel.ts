// Small kernels from a few lines of PTX, and their WGSL.
import { wordKernel } from '../../src/harness/launches/word-kernel.ts';
import { parsePtxOrThrow } from '../../src/ptx/index.ts';
import {
  type FloatProfile,
  type LanePlan,
  planFor,
  type TranslateResult,
  translate,
} from '../../src/translate/index.ts';
import { exactFloats } from './float-profiles.ts';

/**
 * Returns a module around a kernel's body. `%r0` is the lane's word of `data`. The kernel stores
 * the body's `%r1`, or the register in `stores`.
 */
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
  /** Verifies the IR after each pass. */
  readonly verify?: boolean;
  readonly observe?: (pass: string, text: string) => void;
}

export function translateText(ptx: string, options: SmallOptions = {}): TranslateResult {
  const { block = [32, 1, 1], plan = planFor(32), ...rest } = options;
  return translate(parsePtxOrThrow(ptx, { file: 'small.ptx' }), { block, plan, float: exactFloats, ...rest });
}

/**
 * Returns the WGSL of the whole program. Throws an error with the text of the diagnostics if it
 * cannot be translated.
 */
export function wgslOf(ptx: string, options: SmallOptions = {}): string {
  const { program, diagnostics } = translateText(ptx, options);
  if (!program) throw new Error(diagnostics.map(({ code, message }) => `${code}: ${message}`).join('\n'));
  return program.code;
}

/** Returns the statements of `main` without comments and indentation. */
export function statementsOf(code: string): string[] {
  const [, main = ''] = code.split(/fn main\(.*?\) \{\n/s);
  return main
    .trimEnd()
    .replace(/\}$/, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('//'));
}
