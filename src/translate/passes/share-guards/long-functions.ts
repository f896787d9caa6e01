// Finds functions whose guarded f32 operations have so much code that drivers need seconds for it.
// Their guards are chosen for a short shader.

import type { FloatProfile } from '../../../base/float-profile.ts';
import { inlinedSize } from '../../../wgsl/helpers/library.ts';
import type { HelperName } from '../../../wgsl/helpers.ts';
import { isExactBut } from '../../analysis/quanta.ts';
import type { Func, Inst } from '../../ir/nodes.ts';

/**
 * The maximum size of the code in characters, after inlining. On an H200, NVIDIA's driver needs 5
 * to 7 µs for each character of f32 functions.
 */
const maxCode = 250_000;

const functions: Readonly<Partial<Record<Inst['op'], HelperName>>> = {
  fadd: 'f32_add',
  fsub: 'f32_sub',
  fmul: 'f32_mul',
  ffma: 'f32_fma',
};

/**
 * Whether a function has too much code if each f32 operation has its own guard and its own exact
 * path. A multiply-add whose addend is the result of another multiply-add does not count, because
 * chains of multiply-adds share exact paths.
 */
export function isLong(func: Func, float: FloatProfile): boolean {
  let code = 0;
  for (const { insts } of func.blocks) {
    const links = new Set<Inst>();
    for (const inst of insts) {
      const name = functions[inst.op];
      if (name === undefined || !isExactBut(inst, float, 'any')) continue;
      if (inst.op === 'ffma') links.add(inst);
      const addend = inst.op === 'ffma' ? inst.args[2] : undefined;
      if (addend?.kind !== 'result' || !links.has(addend.inst)) code += inlinedSize(name);
    }
  }
  return code > maxCode;
}
